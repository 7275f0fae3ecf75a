package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/jq"
)

// text is a string of a plan, which may be written as a list of lines.
type text string

// UnmarshalJSON reads a string, or a list of strings that are its lines.
func (t *text) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, (*string)(t))
	}
	var lines []string
	err := json.Unmarshal(data, &lines)
	*t = text(strings.Join(lines, "\n"))
	return err
}

// expression is a jq expression of a plan; see [scope] for what it is applied
// to. It gives exactly one value.
type expression struct {
	source text
	code   *jq.Program
}

// UnmarshalJSON keeps the source; it is compiled later, when its place in the
// file is known.
func (e *expression) UnmarshalJSON(data []byte) error { return e.source.UnmarshalJSON(data) }

// there reports whether the plan has the expression.
func (e *expression) there() bool { return e.source != "" }

func (e *expression) compile() (err error) {
	if e.there() {
		e.code, err = jq.Compile(string(e.source))
	}
	return err
}

// value applies the expression.
func (e *expression) value(ctx context.Context, s scope) (any, error) {
	return e.code.Run(ctx, map[string]any(s))
}

// list applies an expression that gives a list.
func (e *expression) list(ctx context.Context, s scope) ([]any, error) {
	value, err := e.value(ctx, s)
	if err != nil {
		return nil, err
	}
	list, is := value.([]any)
	if !is {
		return nil, fmt.Errorf("jq %q gives %s, want a list", e.source, jq.Preview(value))
	}
	return list, nil
}

// object applies an expression that gives an object, and returns the empty one
// if the plan does not have the expression.
func (e *expression) object(ctx context.Context, s scope) (map[string]any, error) {
	if !e.there() {
		return map[string]any{}, nil
	}
	value, err := e.value(ctx, s)
	if err != nil {
		return nil, err
	}
	object, is := value.(map[string]any)
	if !is {
		return nil, fmt.Errorf("jq %q gives %s, want an object", e.source, jq.Preview(value))
	}
	return object, nil
}
