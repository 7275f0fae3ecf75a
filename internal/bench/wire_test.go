package bench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestN12WhatIsMoreThanOnePerCentApartIsTold(t *testing.T) {
	total := func(n int64) bench.Tokens { return bench.Tokens{Total: n} }
	for name, c := range map[string]struct {
		row  bench.Row
		want bench.WireDoubt
		says string
	}{
		"not counted":                    {bench.Row{Turns: 2, Tokens: total(100)}, "", ""},
		"the same":                       {bench.Row{Turns: 2, Tokens: total(1000), Wire: &bench.WireUsage{Answers: 2, Tokens: total(1000)}}, "", ""},
		"one per cent":                   {bench.Row{Turns: 2, Tokens: total(990), Wire: &bench.WireUsage{Answers: 2, Tokens: total(1000)}}, "", ""},
		"more than that":                 {bench.Row{Turns: 2, Tokens: total(989), Wire: &bench.WireUsage{Answers: 2, Tokens: total(1000)}}, bench.WireTokens, "the agent reports 989 tokens, and the model's API 1,000"},
		"more reported":                  {bench.Row{Turns: 2, Tokens: total(1000), Wire: &bench.WireUsage{Answers: 2, Tokens: total(989)}}, bench.WireTokens, "1,000 tokens, and the model's API 989"},
		"answers without use":            {bench.Row{Turns: 2, Tokens: total(1000), Wire: &bench.WireUsage{Answers: 2, Untold: 1, Tokens: total(500)}}, bench.WireUntold, "1 of the model's 2 answers do not say what they used"},
		"a program that asked":           {bench.Row{Turns: 2, Tokens: total(1000), Wire: &bench.WireUsage{Answers: 3, Untold: 1, Tokens: total(1000)}}, bench.WireExtra, "the model answered 3 times, and the agent's own loop has 2 turns"},
		"an answer that came to nothing": {bench.Row{Turns: 3, Tokens: total(1000), Wire: &bench.WireUsage{Calls: 4, Answers: 2, Tokens: total(1000)}}, "", ""},
		"nothing at all":                 {bench.Row{Wire: &bench.WireUsage{Calls: 4}}, "", ""},
	} {
		doubt, sentence := c.row.WireDoubt()
		assert.Equal(t, c.want, doubt, name)
		assert.Contains(t, sentence, c.says, name)
	}
}
