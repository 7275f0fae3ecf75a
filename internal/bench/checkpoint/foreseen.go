package checkpoint

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Foreseen is what GitHub answers to a read, as far as it can be known before it
// is asked.
type Foreseen struct {
	// shape is nil behind jq, and where nothing is known.
	shape *githubschema.Shape
	// value is an example, if known is true. In marked, each object says at mark
	// which one it is.
	value  any
	known  bool
	marked any
	// jq is the expression that made the value, empty without one.
	jq string
	// texts are those of the example, each with those that can be in its place
	// where they are a few.
	texts map[string][]string
}

// mark is a field that no object of GitHub's has.
const mark = "\x00"

// foreseen is an answer of a shape; nil is one of which nothing is known.
func foreseen(shape *githubschema.Shape) *Foreseen {
	if shape == nil {
		return &Foreseen{}
	}
	f := &Foreseen{shape: shape, value: githubschema.Sample(shape), known: true, texts: map[string][]string{}}
	f.marked = f.marking(shape, f.value, "")
	return f
}

// marking returns a copy of an example whose objects are marked, but for those
// that may have any field, and keeps what its texts can be. Nothing is known of
// the shape if it is nil.
func (f *Foreseen) marking(shape *githubschema.Shape, value any, at string) any {
	switch value := value.(type) {
	case string:
		others := f.texts[value]
		if shape != nil {
			others = append(others, shape.Enum...)
		}
		f.texts[value] = others
	case []any:
		marked := make([]any, len(value))
		for i, element := range value {
			marked[i] = f.marking(elementOf(shape), element, at)
		}
		return marked
	case map[string]any:
		marked := map[string]any{}
		for name, part := range value {
			marked[name] = f.marking(fieldOf(shape, name), part, strings.TrimPrefix(at+"."+name, "."))
		}
		if elementOf(shape) == nil && !slices.ContainsFunc(slices.Collect(maps.Keys(value)), f.says) {
			marked[mark] = at
		}
		return marked
	}
	return value
}

func elementOf(shape *githubschema.Shape) *githubschema.Shape {
	if shape == nil {
		return nil
	}
	return shape.Elem
}

func fieldOf(shape *githubschema.Shape, name string) *githubschema.Shape {
	if shape == nil {
		return nil
	}
	return shape.Field(name)
}

// Doubts returns why what a checkpoint expects cannot be.
func (f *Foreseen) Doubts(cp bench.Checkpoint) []Doubt {
	if !f.known {
		return nil
	}
	if cp.Condition == bench.ConditionFieldEquals && cp.Path == "" {
		fields, _ := cp.ExpectedValue.(map[string]any)
		if _, isList := f.value.([]any); isList && !allIndexes(fields) {
			return []Doubt{doubt("condition", "field_equals without a path looks at fields of an object, and there is a list: %s", mendList)}
		}
		return f.fields(cp.ExpectedValue)
	}
	place, doubts := f.at(f.located(cp))
	if place == nil {
		return doubts
	}
	switch cp.Condition {
	case bench.ConditionFieldEquals:
		return place.admits(cp.ExpectedValue)
	case bench.ConditionContains:
		return place.canContain(cp.ExpectedValue, cp.Path)
	case bench.ConditionMatches:
		return place.is(cp.Path, "matches looks at a text", "string")
	case bench.ConditionCountEq, bench.ConditionCountGte:
		return place.is(cp.Path, string(cp.Condition)+" looks at a list, or at a number", "list", "number")
	default:
		return nil
	}
}

// located is the path that a checkpoint looks at.
func (f *Foreseen) located(cp bench.Checkpoint) string {
	object, _ := f.value.(map[string]any)
	if _, isList := object[listItems].([]any); cp.Path == "" && isList && cp.Condition != bench.ConditionMatches {
		return listItems
	}
	return cp.Path
}

// at returns what is foreseen at a path, nil if that is not known or if there
// cannot be such a place.
func (f *Foreseen) at(path string) (*Foreseen, []Doubt) {
	if path == "" {
		return f, nil
	}
	place := &Foreseen{texts: f.texts, jq: f.jq}
	if f.shape != nil {
		shape, err := f.shape.At(path)
		if err != nil {
			return nil, []Doubt{doubt("path", "leads nowhere: %s", fault.Public(err))}
		}
		place.shape = shape
	}
	value, message := f.follow(path)
	switch {
	case message != "" && f.shape == nil:
		return nil, []Doubt{doubt("path", "leads nowhere: %s", message)}
	case message != "" || value == nil:
		return nil, nil
	}
	place.value = value
	return place, nil
}

// follow follows a path through the example: any index is that of a list's first
// element. The value is nil where nothing is known; the message says why there
// is no such place.
func (f *Foreseen) follow(path string) (value any, message string) {
	value = f.value
	walked := ""
	for step := range strings.SplitSeq(path, ".") {
		where := "the answer"
		if walked != "" {
			where = strconv.Quote(walked)
		}
		switch container := value.(type) {
		case nil:
			return nil, ""
		case map[string]any:
			next, has := container[step]
			names := slices.Sorted(maps.Keys(container))
			switch {
			case !has && slices.ContainsFunc(names, f.says):
				return nil, ""
			case !has:
				return nil, fmt.Sprintf("%s has no field %q%s", where, step, suggest(step, names))
			}
			value = next
		case []any:
			_, err := strconv.Atoi(step)
			switch {
			case step == pathLength:
				value = len(container)
			case err != nil:
				return nil, fmt.Sprintf("%s is a list: %q is neither an index nor %q", where, step, pathLength)
			case len(container) == 0:
				return nil, ""
			default:
				value = container[0]
			}
		default:
			return nil, fmt.Sprintf("%s is %s and has no %q", where, withArticle(value), step)
		}
		walked = strings.TrimPrefix(walked+"."+step, ".")
	}
	return value, ""
}

// says reports whether a name is a text of the example: fields whose names are
// GitHub's texts have others in truth.
func (f *Foreseen) says(name string) bool {
	_, is := f.texts[name]
	return is
}

// maxSuggested is how many names are told where none is like the wrong one.
const maxSuggested = 12

// suggest names a likely field, or else all, if they are few.
func suggest(name string, known []string) string {
	suggestion := jsondoc.DidYouMean(name, known)
	if suggestion == "" && len(known) <= maxSuggested {
		suggestion = ": it has " + strings.Join(known, ", ")
	}
	return suggestion
}

// fields are the doubts about fields that are expected of a place, by their
// paths.
func (f *Foreseen) fields(expected any) []Doubt {
	object, _ := expected.(map[string]any)
	var doubts []Doubt
	for _, path := range slices.Sorted(maps.Keys(object)) {
		place, found := f.at(path)
		if place != nil {
			found = place.admits(object[path])
		}
		for _, d := range found {
			d.At = []string{"expected_value", path}
			doubts = append(doubts, d)
		}
	}
	return doubts
}

// admits is the doubt about a value that is expected at a place.
func (f *Foreseen) admits(expected any) []Doubt {
	if refers(expected) {
		return nil
	}
	if f.shape != nil {
		if err := f.shape.Admits(expected); err != nil {
			return []Doubt{doubt("expected_value", "can never be there: it is %s", fault.Public(err))}
		}
		return nil
	}
	if expected != nil && kindOf(expected) != kindOf(f.value) {
		return []Doubt{doubt("expected_value", "can never be there: it is %s, where GitHub has %s", withArticle(expected), withArticle(f.value))}
	}
	if text, is := expected.(string); is {
		return f.admitsText(text)
	}
	return nil
}

// admitsText is the doubt about a text that is expected behind jq, where one of
// a few texts of GitHub's is. What the expression says itself can be there too.
func (f *Foreseen) admitsText(text string) []Doubt {
	example, _ := f.value.(string)
	few := f.texts[example]
	if strings.Contains(f.jq, strconv.Quote(text)) || len(few) == 0 {
		return nil
	}
	if strings.Contains(f.jq, "//") {
		few = slices.Concat(slices.Collect(maps.Values(f.texts))...)
	}
	few = slices.Compact(slices.Sorted(slices.Values(few)))
	err := (&githubschema.Shape{Kind: githubschema.String, Enum: few}).Admits(text)
	if err == nil {
		return nil
	}
	return []Doubt{doubt("expected_value", "can never be there: it is %s", fault.Public(err))}
}

// canContain is the doubt about a part that is expected of a place.
func (f *Foreseen) canContain(expected any, path string) []Doubt {
	switch value := f.value.(type) {
	case string:
		if _, is := expected.(string); !is {
			return []Doubt{doubt("expected_value", "can never be there: it is %s, and the place is a text", withArticle(expected))}
		}
		return nil
	case map[string]any:
		return f.fields(expected)
	case []any:
		if len(value) == 0 {
			return nil
		}
		element := &Foreseen{shape: elementOf(f.shape), value: value[0], texts: f.texts, jq: f.jq}
		if _, isObject := value[0].(map[string]any); isObject {
			if _, fields := expected.(map[string]any); fields {
				return element.fields(expected)
			}
		}
		return element.admits(expected)
	default:
		return f.is(path, "contains looks at a text, a list or an object", "string")
	}
}

// is is the doubt about a place that is of none of some kinds.
func (f *Foreseen) is(path, message string, kinds ...string) []Doubt {
	if slices.Contains(kinds, kindOf(f.value)) {
		return nil
	}
	at := "path"
	if path == "" {
		at = "condition"
	}
	return []Doubt{doubt(at, "%s, and there is %s", message, withArticle(f.value))}
}

// kindOf names what a value is in JSON.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "list"
	case map[string]any:
		return "object"
	default:
		return "number"
	}
}

// withArticle is [kindOf] in a sentence.
func withArticle(value any) string {
	switch kind := kindOf(value); kind {
	case "null":
		return kind
	case "object":
		return "an " + kind
	default:
		return "a " + kind
	}
}
