package scripted

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
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
	code   *gojq.Code
}

// UnmarshalJSON keeps the source; it is compiled later, when its place in the
// file is known.
func (e *expression) UnmarshalJSON(data []byte) error { return e.source.UnmarshalJSON(data) }

// there reports whether the plan has the expression.
func (e *expression) there() bool { return e.source != "" }

func (e *expression) compile() error {
	if !e.there() {
		return nil
	}
	query, err := gojq.Parse(string(e.source))
	if err != nil {
		return fmt.Errorf("%w in %s", err, quoted(e.source))
	}
	if e.code, err = gojq.Compile(query); err != nil {
		return fmt.Errorf("%w in %s", err, quoted(e.source))
	}
	return nil
}

// value applies the expression.
func (e *expression) value(ctx context.Context, s scope) (any, error) {
	values := e.code.RunWithContext(ctx, map[string]any(s))
	value, is := values.Next()
	if !is {
		return nil, fmt.Errorf("jq %s gives no value", quoted(e.source))
	}
	if err, is := value.(error); is {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("jq %s: %w", quoted(e.source), err)
	}
	if _, more := values.Next(); more {
		return nil, fmt.Errorf("jq %s gives more than one value", quoted(e.source))
	}
	return value, nil
}

// list applies an expression that gives a list.
func (e *expression) list(ctx context.Context, s scope) ([]any, error) {
	value, err := e.value(ctx, s)
	if err != nil {
		return nil, err
	}
	list, is := value.([]any)
	if !is {
		return nil, fmt.Errorf("jq %s gives %s, want a list", quoted(e.source), gojq.Preview(value))
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
		return nil, fmt.Errorf("jq %s gives %s, want an object", quoted(e.source), gojq.Preview(value))
	}
	return object, nil
}

// maxQuoted is how many characters of a plan an error repeats.
const maxQuoted = 80

func quoted(source text) string {
	runes := []rune(source)
	if len(runes) > maxQuoted {
		runes = append(runes[:maxQuoted], '…')
	}
	return fmt.Sprintf("%q", string(runes))
}

// show writes a value of an expression: a text as it is, anything else as
// JSON.
func show(value any) (string, error) {
	if text, is := value.(string); is {
		return text, nil
	}
	data, err := gojq.Marshal(value)
	return string(data), err
}
