package jsondoc_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

func TestProblemsBecomeOneSortedError(t *testing.T) {
	problems := jsondoc.Problems{
		{File: "b.json", Line: 1, Column: 1, Message: "is empty"},
		{File: "a.json", Line: 10, Column: 1, Path: "x", Message: "is missing"},
		{File: "a.json", Line: 9, Column: 7, Path: "x.y", Message: "must be 1, is 2"},
		{File: "a.json", Line: 9, Column: 3, Path: "x.y", Message: "must be 1, is 2"},
		{File: "b.json", Line: 1, Column: 1, Message: "is empty"},
	}
	err := problems.Err()
	assert.EqualError(t, err, `a.json:9:3: x.y: must be 1, is 2
a.json:9:7: x.y: must be 1, is 2
a.json:10:1: x: is missing
b.json:1:1: is empty`)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))

	var back jsondoc.Problems
	require.True(t, errors.As(err, &back))
	assert.Len(t, back, 4)
}

func TestNoProblemsAreNoError(t *testing.T) {
	assert.NoError(t, jsondoc.Problems{}.Err())
}

func TestDidYouMean(t *testing.T) {
	known := []string{"id", "prompt", "prompt_template", "pr-merge-001"}
	tests := []struct{ name, word, want string }{
		{"a letter is missing", "promt", `: did you mean "prompt"?`},
		{"another case", "ID", `: did you mean "id"?`},
		{"other separators", "pr_merge_001", `: did you mean "pr-merge-001"?`},
		{"nothing is like it", "fixture", ""},
		{"a short word is like nothing by accident", "xy", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, jsondoc.DidYouMean(tt.word, known))
		})
	}
}
