package scripted

import (
	"context"
	"errors"
	"strings"

	"github.com/ghx-dev/bench-action/internal/jq"
)

// template is a text of a plan with jq expressions in double braces.
type template struct {
	source text
	// words and holes take turns, beginning and ending with a word.
	words []string
	holes []expression
}

// UnmarshalJSON keeps the source, as that of [expression] does.
func (t *template) UnmarshalJSON(data []byte) error { return t.source.UnmarshalJSON(data) }

// there reports whether the plan has the template.
func (t *template) there() bool { return t.source != "" }

const holeStart, holeEnd = "{{", "}}"

var errOpenHole = errors.New(`"{{" has no "}}" after it`)

func (t *template) compile() error {
	rest := string(t.source)
	for {
		word, after, found := strings.Cut(rest, holeStart)
		t.words = append(t.words, word)
		if !found {
			return nil
		}
		source, after, found := strings.Cut(after, holeEnd)
		if !found {
			return errOpenHole
		}
		hole := expression{source: text(source)}
		if err := hole.compile(); err != nil {
			return err
		}
		t.holes = append(t.holes, hole)
		rest = after
	}
}

// render fills the holes: with texts as they are, with other values as JSON.
func (t *template) render(ctx context.Context, s scope) (string, error) {
	var out strings.Builder
	for i, word := range t.words {
		out.WriteString(word)
		if i == len(t.holes) {
			break
		}
		value, err := t.holes[i].value(ctx, s)
		if err != nil {
			return "", err
		}
		shown, err := jq.Show(value)
		if err != nil {
			return "", err
		}
		out.WriteString(shown)
	}
	return out.String(), nil
}
