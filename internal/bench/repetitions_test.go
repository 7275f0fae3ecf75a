package bench_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestRepetitionsAreANumberOrARange(t *testing.T) {
	for text, want := range map[string]bench.Repetitions{
		"1": {First: 1, Most: 1}, "4": {First: 4, Most: 4}, "2..12": {First: 2, Most: 12}, "3..3": {First: 3, Most: 3},
	} {
		got, err := bench.ParseRepetitions(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
		assert.Equal(t, want.First < want.Most, got.Adapt(), text)
	}
	assert.Equal(t, "2..12", bench.Repetitions{First: 2, Most: 12}.String())
	assert.Equal(t, "4", bench.Repetitions{First: 4, Most: 4}.String())
	for text, problem := range map[string]string{
		"": "want a whole number", "0": "want a whole number", "-1": "want a whole number", "four": "want a whole number", "2..": "want a whole number",
		"..12": "want a whole number", "0..4": "want a whole number", "2...4": "want a whole number", "1.5": "want a whole number", "12..2": "at least, the second how many at most",
	} {
		_, err := bench.ParseRepetitions(text)
		assert.ErrorContains(t, err, problem, text)
	}
}

func TestRepetitionsInJSONAreANumberOrARange(t *testing.T) {
	for text, want := range map[string]bench.Repetitions{"4": {First: 4, Most: 4}, `"2..12"`: {First: 2, Most: 12}, "0": {}} {
		var got bench.Repetitions
		require.NoError(t, json.Unmarshal([]byte(text), &got), text)
		assert.Equal(t, want, got, text)
		written, err := json.Marshal(got)
		require.NoError(t, err)
		assert.Equal(t, text, string(written))
	}
	for _, text := range []string{`"12..2"`, `"four"`, "true", "{}", "1.5"} {
		var got bench.Repetitions
		assert.Error(t, json.Unmarshal([]byte(text), &got), text)
	}
}

func TestAProfileTakesItsRepetitions(t *testing.T) {
	one, four, adaptive := bench.Repetitions{First: 1, Most: 1}, bench.Repetitions{First: 4, Most: 4}, bench.Repetitions{First: 2, Most: 12}
	for _, p := range bench.GateProfiles() {
		assert.True(t, p.Takes(p.UsualRepetitions()), p)
		assert.True(t, p.Takes(four), p)
		assert.Equal(t, p.ByEvidence(), p.Takes(adaptive), p)
		assert.Equal(t, !p.ByEvidence(), p.Takes(one), p)
		assert.False(t, p.Takes(bench.Repetitions{}), p)
	}
}
