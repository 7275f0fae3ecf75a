package githubschema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

// schema is what is read of a schema: OpenAPI 3.0's kind of JSON Schema.
type schema struct {
	Ref        string `json:"$ref"`
	Type       string
	Format     string
	Nullable   bool
	Enum       []any
	Properties map[string]*schema
	Required   []string
	Items      *schema
	// AdditionalProperties is a bool or a schema, nil if it is not given.
	AdditionalProperties *additional
	OneOf, AnyOf, AllOf  []*schema
	// These bound what is sent, by the kind of value.
	MinLength, MaxLength, MinItems, MaxItems, Minimum, Maximum *int64
	Default                                                    json.RawMessage
}

// additional says whether an object has more fields than those listed, and what
// they are; nothing is known of them if schema is nil.
type additional struct {
	has    bool
	schema *schema
}

// UnmarshalJSON reads a bool or a schema.
func (a *additional) UnmarshalJSON(text []byte) error {
	if t := string(text); t == "true" || t == "false" {
		a.has = t == "true"
		return nil
	}
	a.has = true
	return json.Unmarshal(text, &a.schema)
}

// reducer turns schemas into shapes.
type reducer struct {
	components map[string]*schema
	// known are the shapes of components, nil while one is being made.
	known map[string]*githubschema.Shape
	// bounds is true if what bounds values is kept, and their defaults.
	bounds bool
	err    error
}

func (r *reducer) shape(s *schema) *githubschema.Shape {
	switch {
	case s == nil:
		return anything()
	case s.Ref != "":
		return r.component(strings.TrimPrefix(s.Ref, "#/components/schemas/"))
	}
	shape := r.own(s)
	for _, part := range s.AllOf {
		shape = both(shape, r.shape(part))
	}
	for _, choice := range [][]*schema{s.OneOf, s.AnyOf} {
		shape = both(shape, r.oneOf(choice))
	}
	if s.Nullable {
		return shape.OrNull()
	}
	return shape
}

func (r *reducer) component(name string) *githubschema.Shape {
	if shape, known := r.known[name]; known {
		if shape == nil {
			r.err = fmt.Errorf("the schema %q is a part of itself", name)
			return anything()
		}
		return shape
	}
	from, has := r.components[name]
	if !has {
		r.err = fmt.Errorf("there is no schema %q", name)
		return anything()
	}
	r.known[name] = nil
	r.known[name] = r.shape(from)
	return r.known[name]
}

func (r *reducer) oneOf(choice []*schema) *githubschema.Shape {
	var all []*githubschema.Shape
	for _, s := range choice {
		all = append(all, r.shape(s))
	}
	return githubschema.Unite(all...)
}

// own returns what a schema says itself, apart from its parts.
func (r *reducer) own(s *schema) *githubschema.Shape {
	shape := anything()
	for _, value := range s.Enum {
		switch v := value.(type) {
		case nil:
			shape.Nullable = true
		case string:
			shape.Kind, shape.Enum = githubschema.String, append(shape.Enum, v)
		}
	}
	kinds := map[string]githubschema.Kind{
		"object": githubschema.Object, "array": githubschema.List, "string": githubschema.String,
		"integer": githubschema.Integer, "number": githubschema.Number, "boolean": githubschema.Boolean,
	}
	switch kind, typed := kinds[s.Type]; {
	case typed:
		shape.Kind = kind
	case s.Properties != nil:
		shape.Kind = githubschema.Object
	case s.Items != nil:
		shape.Kind = githubschema.List
	}
	switch shape.Kind {
	case githubschema.String:
		shape.Format = s.Format
	case githubschema.List:
		shape.Elem = r.shape(s.Items)
	case githubschema.Object:
		r.fields(s, shape)
	default:
	}
	if r.bounds {
		s.bound(shape)
	}
	return shape
}

// bound writes down what a schema bounds, and its default.
func (s *schema) bound(shape *githubschema.Shape) {
	switch shape.Kind {
	case githubschema.String:
		shape.Least, shape.Most = s.MinLength, s.MaxLength
	case githubschema.List:
		shape.Least, shape.Most = s.MinItems, s.MaxItems
	case githubschema.Integer, githubschema.Number:
		shape.Least, shape.Most = s.Minimum, s.Maximum
	case githubschema.Object:
		if !slices.IsSorted(s.Required) {
			shape.Required = s.Required
		}
	default:
	}
	shape.Default = string(s.Default)
}

func (r *reducer) fields(s *schema, shape *githubschema.Shape) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		shape.Fields = append(shape.Fields, githubschema.Field{
			Name: name, Optional: !slices.Contains(s.Required, name), Shape: r.shape(s.Properties[name]),
		})
	}
	switch more := s.AdditionalProperties; {
	case more == nil && s.Properties == nil:
		shape.Elem = anything()
	case more != nil && more.has:
		shape.Elem = r.shape(more.schema)
	}
}

func anything() *githubschema.Shape { return &githubschema.Shape{Kind: githubschema.Any} }

// both returns the shape of a value of which two things are known.
func both(a, b *githubschema.Shape) *githubschema.Shape {
	switch {
	case b.Kind == githubschema.Any && b.OneOf == nil:
		return a
	case a.Kind == githubschema.Object && b.Kind == githubschema.Object:
		return joined(a, b)
	case b.Kind == githubschema.Any:
		// What a says of its kind narrows the choice.
		for _, one := range b.OneOf {
			if one.Kind == a.Kind {
				return both(a, one)
			}
		}
	}
	return b
}

// joined returns an object with the fields of two.
func joined(a, b *githubschema.Shape) *githubschema.Shape {
	fields := map[string]githubschema.Field{}
	for _, f := range a.Fields {
		fields[f.Name] = f
	}
	for _, f := range b.Fields {
		if known, has := fields[f.Name]; has {
			f.Optional = f.Optional && known.Optional
			f.Shape = both(known.Shape, f.Shape)
		}
		fields[f.Name] = f
	}
	out := &githubschema.Shape{Kind: githubschema.Object, Nullable: a.Nullable && b.Nullable}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		out.Fields = append(out.Fields, fields[name])
	}
	if out.Fields == nil {
		out.Elem = a.Elem
	}
	return out
}
