package githubschema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Kind is what a JSON value is.
type Kind string

// The kinds of values.
const (
	Object  Kind = "object"
	List    Kind = "list"
	String  Kind = "string"
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	// Any is a value of which nothing is known, or one of several kinds.
	Any Kind = "any"
)

// Shape is what is known of a JSON value. Shapes are shared: do not change one.
type Shape struct {
	Kind     Kind
	Nullable bool
	// Format of a string: "date-time", "date", "uri" and others, empty if
	// nothing is known.
	Format string
	// Enum lists the values that a string can have, nil if it can be any.
	Enum []string
	// Least and Most bound what a request sends: a string in characters, a list
	// in elements, a number itself; nil if nothing bounds it.
	Least, Most *int64
	// Default is what a request need not send, as JSON; empty if nothing is
	// known.
	Default string
	// Elem is the shape of a list's elements. An object has one if it has
	// fields of any name besides those listed.
	Elem *Shape
	// Fields are an object's, by name in order.
	Fields []Field
	// Required are the names of those that a request must have in the order in
	// which they are published, nil where that is that of Fields
	// or is not known.
	Required []string
	// OneOf are what a value of kind Any can be, each of another kind; nil if
	// nothing is known.
	OneOf []*Shape
}

// Field is a field of an object.
type Field struct {
	Name string
	// Optional fields may be missing.
	Optional bool
	Shape    *Shape
}

// Field returns the shape of an object's field, nil if it cannot have it.
func (s *Shape) Field(name string) *Shape {
	if listed := s.Listed(name); listed != nil {
		return listed
	}
	if s.Kind == Object {
		return s.Elem
	}
	return nil
}

// Listed returns the shape of a field that is listed by its name, nil for
// another one.
func (s *Shape) Listed(name string) *Shape {
	at, has := slices.BinarySearchFunc(s.Fields, name, func(f Field, name string) int { return strings.Compare(f.Name, name) })
	if !has {
		return nil
	}
	return s.Fields[at].Shape
}

// lengthStep of a path leads from a list to its length.
const lengthStep = "length"

// At follows a dotted path of field names, indexes of lists and "length" of a
// list; the empty path is the value itself. The error, of kind invalid, names
// the step that no such value can have.
func (s *Shape) At(path string) (*Shape, error) {
	if path == "" {
		return s, nil
	}
	at, walked := s, ""
	for step := range strings.SplitSeq(path, ".") {
		next := at.step(step)
		if next == nil {
			return nil, fault.Invalidf("%s", at.lacks(walked, step))
		}
		at, walked = next, strings.TrimPrefix(walked+"."+step, ".")
	}
	return at, nil
}

// step returns the shape one step further, nil if the step leads nowhere.
func (s *Shape) step(step string) *Shape {
	switch s.Kind {
	case Object:
		return s.Field(step)
	case List:
		if step == lengthStep {
			return &Shape{Kind: Integer}
		}
		if n, err := strconv.Atoi(step); err == nil && n >= 0 {
			return s.Elem
		}
		return nil
	case Any:
		if s.OneOf == nil {
			return s
		}
		var next []*Shape
		for _, one := range s.OneOf {
			if shape := one.step(step); shape != nil {
				next = append(next, shape)
			}
		}
		if next == nil {
			return nil
		}
		return Unite(next...)
	default:
		return nil
	}
}

// lacks says why a step leads nowhere.
func (s *Shape) lacks(walked, step string) string {
	at := "the value"
	if walked != "" {
		at = fmt.Sprintf("%q", walked)
	}
	if s.Kind == List {
		return fmt.Sprintf("%s is a list: %q is neither an index nor %q", at, step, lengthStep)
	}
	names := s.names()
	if names == nil {
		return fmt.Sprintf("%s is %s and has no %q", at, s.Kind.withArticle(), step)
	}
	return fmt.Sprintf("%s has no field %q%s", at, step, jsondoc.DidYouMean(step, names))
}

// names lists the fields of an object, or of the object that a value can be.
func (s *Shape) names() []string {
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	for _, one := range s.OneOf {
		names = append(names, one.names()...)
	}
	return names
}

func (k Kind) withArticle() string {
	if k == Object || k == Integer || k == Any {
		return "an " + string(k)
	}
	return "a " + string(k)
}

// Admits returns an error of kind invalid if a value, as encoding/json decodes
// one, cannot be of this shape: of another type, none of the enum, or null
// where null cannot be. Objects are compared by the fields that they have.
func (s *Shape) Admits(value any) error {
	kind := kindOf(value)
	switch {
	case value == nil && (s.Nullable || s.Kind == Any && s.OneOf == nil):
		return nil
	case value == nil:
		return fault.Invalidf("null, and GitHub never answers null here")
	case s.Kind == Any:
		return s.admitsOne(value)
	case kind != s.Kind && !(kind == Integer && s.Kind == Number):
		return fault.Invalidf("%s, where GitHub has %s", kind.withArticle(), s.Kind.withArticle())
	}
	switch v := value.(type) {
	case string:
		return s.admitsText(v)
	case []any:
		for n, element := range v {
			if err := s.Elem.Admits(element); err != nil {
				return fault.Invalidf("element %d is %w", n, err)
			}
		}
	case map[string]any:
		return s.admitsFields(v)
	}
	return nil
}

func (s *Shape) admitsOne(value any) (err error) {
	for _, one := range s.OneOf {
		if err = one.Admits(value); err == nil {
			return nil
		}
	}
	return err
}

func (s *Shape) admitsText(text string) error {
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		return fault.Invalidf("%q, which is none of %s%s", text, strings.Join(s.Enum, ", "), jsondoc.DidYouMean(text, s.Enum))
	}
	return nil
}

func (s *Shape) admitsFields(object map[string]any) error {
	for name, value := range object {
		field := s.Field(name)
		if field == nil {
			return fault.Invalidf("an object with the field %q, which GitHub does not have%s", name, jsondoc.DidYouMean(name, s.names()))
		}
		if err := field.Admits(value); err != nil {
			return fault.Invalidf("an object whose %q is %w", name, err)
		}
	}
	return nil
}

// kindOf returns the kind of a decoded value, Any for nil and for what
// encoding/json does not make.
func kindOf(value any) Kind {
	switch v := value.(type) {
	case string:
		return String
	case bool:
		return Boolean
	case []any:
		return List
	case map[string]any:
		return Object
	case int, int64, uint64:
		return Integer
	case float64:
		if v == float64(int64(v)) {
			return Integer
		}
		return Number
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return Integer
		}
		return Number
	default:
		return Any
	}
}
