package githubschema

import "slices"

// Unite returns the shape of a value that is of one of several shapes: objects
// become one with the fields of all, so that a result has at most one shape of
// each kind.
func Unite(shapes ...*Shape) *Shape {
	var kinds []*Shape
	nullable := slices.ContainsFunc(shapes, func(s *Shape) bool { return s.Nullable })
	for _, s := range flat(shapes) {
		same := slices.IndexFunc(kinds, func(k *Shape) bool { return k.Kind == s.Kind || k.numeric() && s.numeric() })
		if same < 0 {
			kinds = append(kinds, s)
		} else {
			kinds[same] = kinds[same].or(s)
		}
	}
	out := &Shape{Kind: Any, OneOf: kinds}
	unknown := slices.IndexFunc(kinds, func(k *Shape) bool { return k.Kind == Any })
	switch {
	case unknown >= 0:
		out = kinds[unknown]
	case len(kinds) == 1:
		out = kinds[0]
	}
	if nullable {
		return out.OrNull()
	}
	return out
}

// OrNull returns the shape of a value that can be null besides.
func (s *Shape) OrNull() *Shape {
	copied := *s
	copied.Nullable = true
	return &copied
}

func (s *Shape) numeric() bool { return s.Kind == Integer || s.Kind == Number }

// flat puts what a shape can be in the place of the shape.
func flat(shapes []*Shape) []*Shape {
	var all []*Shape
	for _, s := range shapes {
		if s.OneOf == nil {
			all = append(all, s)
		}
		all = append(all, s.OneOf...)
	}
	return all
}

// or unites two shapes of one kind.
func (s *Shape) or(other *Shape) *Shape {
	if s == other {
		return s
	}
	out := &Shape{Kind: s.Kind}
	if s.Kind != other.Kind {
		out.Kind = Number
	}
	if s.Format == other.Format {
		out.Format = s.Format
	}
	if s.Enum != nil && other.Enum != nil {
		out.Enum = union(s.Enum, other.Enum)
	}
	switch {
	case s.Elem != nil && other.Elem != nil:
		out.Elem = Unite(s.Elem, other.Elem)
	case s.Elem != nil:
		out.Elem = s.Elem
	default:
		out.Elem = other.Elem
	}
	out.Fields = s.eitherFields(other)
	return out
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, value := range b {
		if !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}

// eitherFields returns the fields of two objects. What one of them lacks is
// optional.
func (s *Shape) eitherFields(other *Shape) []Field {
	fields := map[string]Field{}
	for _, f := range s.Fields {
		f.Optional = f.Optional || !other.has(f.Name)
		fields[f.Name] = f
	}
	for _, f := range other.Fields {
		f.Optional = f.Optional || !s.has(f.Name)
		if known, both := fields[f.Name]; both {
			f.Optional = f.Optional || known.Optional
			f.Shape = Unite(known.Shape, f.Shape)
		}
		fields[f.Name] = f
	}
	return sortedFields(fields)
}

func (s *Shape) has(name string) bool {
	return slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Name == name })
}
