package jq_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/jq"
)

func TestATrialTellsTheFieldsThatAreMissing(t *testing.T) {
	const example = `{"issue": {"title": "t", "labels": [{"name": "a"}, {"name": "b"}], "milestone": {"number": 1}}, "n": 2}`
	tests := []struct {
		source  string
		missing []string
		want    any
	}{
		{".issue.title", nil, "t"},
		{".issue.titel", []string{"titel"}, nil},
		{".issue.titel?", []string{"titel"}, nil},
		{`.issue | ."titel" // .titl`, []string{"titel", "titl"}, nil},
		{`.issue["titel"]`, nil, nil},
		{".isue.title", []string{"isue"}, nil},
		{".issue.milestone.number + .n", nil, 3},
		{"[.issue.labels[].nam]", []string{"nam", "nam"}, []any{nil, nil}},
		{".issue.labels | map(select(.name == \"zzz\")) | .[0].nam", []string{"nam"}, nil},
		{".issue.labels[] | select(.nam == 1).name", []string{"nam", "nam"}, "a"},
		{"first(.issue.labels[] | select(.name == \"zzz\") | .name)", nil, "a"},
		{"{a: .issue.title} | .a", nil, "t"},
		{"{issue: {number}} = .", nil, nil},
		{".issue as {$title, milestone: $m} | [$title, $m.numbr]", []string{"numbr"}, []any{"t", nil}},
		{"(.issue.title, .issue.labels[0].name) |= ascii_upcase | .issue.labels[0].name", nil, "A"},
		{"del(.issue.titel) | .n", []string{"titel"}, 2},
		{"\"\\(.issue.titel)\"", []string{"titel"}, "null"},
		{"if .issue.lockd then .n else .m end", []string{"lockd", "m"}, nil},
		{"def f: .titel; .issue | f", []string{"titel"}, nil},
		{"$input.nme", []string{"nme"}, nil},
		{"..|numbers", nil, 1},
		{".issue.labels[5].name", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.source, func(t *testing.T) {
			value, err := jq.Decode([]byte(example))
			require.NoError(t, err)
			var missing []string
			trial := jq.Trial{
				Source: tt.source, Variables: []string{"$input"}, Values: []any{map[string]any{"name": "n"}},
				Missing: func(_ map[string]any, field string) { missing = append(missing, field) },
			}
			got, some, err := trial.Run(t.Context(), value)
			if tt.source == "{issue: {number}} = ." {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.True(t, some)
			assert.Equal(t, tt.want, got)
			slices.Sort(missing)
			assert.Equal(t, tt.missing, missing)
		})
	}
}

func TestATrialHasLimitsToo(t *testing.T) {
	trial := jq.Trial{Source: "last(repeat(1))", Missing: func(map[string]any, string) {}}
	_, _, err := trial.Run(t.Context(), nil)
	require.ErrorContains(t, err, "takes ")
	trial.Source = "empty"
	_, some, err := trial.Run(t.Context(), nil)
	require.NoError(t, err)
	assert.False(t, some)
	trial.Source = ".a |"
	_, _, err = trial.Run(t.Context(), nil)
	require.ErrorContains(t, err, "unexpected EOF")
	trial.Source = "lst"
	_, _, err = trial.Run(t.Context(), nil)
	require.ErrorContains(t, err, "function not defined: lst/0")
}
