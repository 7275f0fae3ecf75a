package scripted

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/jq"
)

func compiled(t *testing.T, source string) *expression {
	t.Helper()
	e := &expression{source: text(source)}
	require.NoError(t, e.compile())
	return e
}

func TestExpressionsSeeWholeNumbersAsSuch(t *testing.T) {
	s, err := newScope(map[string]any{"runId": float64(9007199254740993), "first": int64(10), "share": 0.5}, "o/r", "")
	require.NoError(t, err)
	for source, want := range map[string]string{
		".input.first":                   "10",
		".input.first + 1":               "11",
		".input.share":                   "0.5",
		".input.runId":                   "9007199254740992",
		".repo":                          "o/r",
		`.input | {first, "x": [null]} `: `{"first":10,"x":[null]}`,
		".route":                         "null",
	} {
		value, err := compiled(t, source).value(t.Context(), s)
		require.NoError(t, err, source)
		shown, err := jq.Show(value)
		require.NoError(t, err, source)
		assert.Equal(t, want, shown, source)
	}
}

func TestExpressionsThatGiveNotWhatIsNeededAreErrors(t *testing.T) {
	tests := []struct {
		name, source, want string
	}{
		{"no value", "empty", `jq "empty" gives no value`},
		{"two values", "1, 2", `jq "1, 2" gives more than one value`},
		{"an error", `error("no")`, `jq "error(\"no\")": error: no`},
		{"a text for a list", `"x"`, `jq "\"x\"" gives "x", want a list`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := compiled(t, tt.source).list(t.Context(), scope{})
			require.EqualError(t, err, tt.want)
		})
	}
	_, err := compiled(t, "[]").object(t.Context(), scope{})
	require.EqualError(t, err, `jq "[]" gives [], want an object`)
}

func TestAnExpressionWithoutEndStopsWithItsContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	_, err := compiled(t, "last(repeat(1))").value(ctx, scope{})
	require.ErrorIs(t, err, cause)
}

func TestTemplatesFillHolesWithTextsOrJSON(t *testing.T) {
	s := scope{fieldInput: map[string]any{"name": "it's", "n": 7, "list": []any{"a", 1}}}
	tests := []struct {
		name, source, want string
	}{
		{"no hole", "gh auth status", "gh auth status"},
		{"a text", "{{.input.name}}", "it's"},
		{"a quoted text", "echo {{.input.name | @sh}}.", `echo 'it'\''s'.`},
		{"several holes", "{{.input.n}}/{{.input.n}}", "7/7"},
		{"JSON", "<{{.input.list}}>", `<["a",1]>`},
		{"braces that are no hole", "query{a{b{c}}}", "query{a{b{c}}}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			template := template{source: text(tt.source)}
			require.NoError(t, template.compile())
			got, err := template.render(t.Context(), s)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}
