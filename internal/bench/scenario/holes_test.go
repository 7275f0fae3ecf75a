package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

func TestS12WhatHoldsWhateverThereIsIsDoubtful(t *testing.T) {
	const (
		value  = "assertions.checkpoints[0].expected_value: "
		hole   = "holds whatever there is, so that it guards nothing: "
		text   = value + hole + "name what the text has to be, or ask for non_empty"
		inBody = "footprint[0].fields.body.matches: " + hole + `name what the text has to be, or write {"any": "…"}, with the reason`
	)
	asks := func(condition, path string, expected any) []any {
		return []any{look(condition, "path", path, "expected_value", expected)}
	}
	body := func(want any) []any {
		return []any{object{"change": "changed", "object": "issue", "name": "o/n#1", "fields": object{"body": want}}}
	}
	tests := []struct {
		name, path string
		value      any
		want       []string
	}{
		{"a count of at least none", "assertions/checkpoints", asks("count_gte", "labels", 0), []string{value + hole + "a count is at least 0 anyway"}},
		{"a count of at least one", "assertions/checkpoints", asks("count_gte", "labels", 1), nil},
		{"a count of none", "assertions/checkpoints", asks("count_eq", "labels", 0), nil},
		{"a pattern of all texts", "assertions/checkpoints", asks("matches", "title", "(?s)^.*$"), []string{text}},
		{"a pattern of nothing", "assertions/checkpoints", asks("matches", "title", "x*"), []string{text}},
		{"a pattern of no text", "assertions/checkpoints", asks("matches", "title", "^$"), nil},
		{"a pattern of some text", "assertions/checkpoints", asks("matches", "title", "."), nil},
		{"a pattern of what is known later", "assertions/checkpoints", asks("matches", "title", "{{input.prNumber}}"), nil},
		{"a footprint's word", "assertions/checkpoints", asks("field_equals", "title", object{"any": true}), []string{
			value + "can never be there: it is an object, where GitHub has a string",
			value + `is a footprint's {"any": …}, which a checkpoint compares as it stands: name a value, or ask for non_empty`,
		}},
		{"a field beside one of that name", "assertions/checkpoints", []any{look("field_equals", "expected_value", object{"title": "a", "state": "OPEN"})}, nil},
		{"a footprint's pattern of all texts", "footprint", body(object{"matches": ".*"}), []string{inBody}},
		{"a footprint's pattern", "footprint", body(object{"matches": "^a"}), nil},
		{"a footprint that allows anything", "footprint", body(object{"any": true}), []string{
			`footprint[0].fields.body.any: is a hole: body may become anything: name what it has to be, or write {"any": "…"}, with the reason`}},
		{"a footprint that says why it allows anything", "footprint", body(object{"any": "The wording is the agent's."}), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := minimal()
			change(t, folder, writeFile, tt.path, tt.value)
			report := scenario.Check(files(t, folder), nil)
			var said []string
			for _, p := range append(report.Problems, report.Warnings...) {
				said = append(said, p.Path+": "+p.Message)
			}
			assert.Equal(t, tt.want, said)
		})
	}
}
