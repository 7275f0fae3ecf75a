package footprint_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
)

func TestTheResultNamesWhatWasNotAllowed(t *testing.T) {
	r := footprint.Result(nil)
	assert.True(t, r.Passed)
	assert.Equal(t, bench.CheckFootprint, r.Kind)
	assert.Equal(t, "nothing was changed", r.Detail)

	r = footprint.Result(footprint.Judge([]bench.Allowance{may(bench.ChangeCreated, "comment", "* on o/r#5", fields{"body": "a"})}, me, []bench.Change{comment(1, "a")}))
	assert.True(t, r.Passed)
	assert.Equal(t, "all changes are allowed", r.Detail)

	r = footprint.Result(footprint.Judge(nil, me, []bench.Change{comment(1, "a"), comment(2, "a"), comment(3, "a"), comment(4, "a")}))
	assert.False(t, r.Passed)
	assert.Equal(t, strings.Repeat("created comment 9 on o/r#5: nothing of the kind may be created; ", 3)+"and 1 more", r.Detail)
}

func TestRowsHaveNoSecretsAndNoLongTexts(t *testing.T) {
	hidden := func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
	long := strings.Repeat("x", 5000)
	changes := []bench.Change{did(bench.ChangeCreated, "label", "o/r: secret", 1,
		"body", nil, "a secret", "list", []any{"secret"}, []any{long}, "map", nil, map[string]any{"a": "secret"}, "n", 1, 2.5, "long", nil, long)}
	changes[0].Title, changes[0].Unallowed = "secret", "secret"
	brief := footprint.Brief(changes, hidden)
	assert.NotContains(t, brief[0].String()+brief[0].Title+brief[0].Unallowed, "secret")
	for _, f := range brief[0].Fields {
		for _, value := range []any{f.Before, f.After} {
			text, _ := value.(string)
			assert.NotContains(t, text, "secret")
			assert.LessOrEqual(t, len([]rune(text)), 500)
		}
	}
	assert.Equal(t, []any{"***"}, brief[0].Fields[1].Before)
	assert.Equal(t, 2.5, brief[0].Fields[3].After)

	many := make([]bench.Change, bench.MaxChanges+5)
	assert.Len(t, footprint.Brief(many, hidden), bench.MaxChanges)
}
