package rest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

// unread returns the fields of a value that GitHub has published and that none
// of the types has into which the value was decoded, as dotted paths; a field is
// left out if it says no more than leaving it away does.
func unread(shape *githubschema.Shape, value any, into []reflect.Type, at string) []string {
	var known []reflect.Type
	for _, t := range into {
		if t = withoutPointers(t); takesAnything(t) {
			return nil
		}
		known = append(known, t)
	}
	var dropped []string
	switch v := value.(type) {
	case []any:
		var elements []reflect.Type
		for _, t := range known {
			if t.Kind() == reflect.Slice {
				elements = append(elements, t.Elem())
			}
		}
		for _, element := range v {
			dropped = append(dropped, unread(of(shape, githubschema.List).Elem, element, elements, at)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dropped = append(dropped, unreadField(of(shape, githubschema.Object), name, v[name], known, at)...)
		}
	}
	slices.Sort(dropped)
	return slices.Compact(dropped)
}

// unreadField is [unread] for a field of an object.
func unreadField(object *githubschema.Shape, name string, value any, known []reflect.Type, at string) []string {
	field, path := object.Field(name), strings.TrimPrefix(at+"."+name, ".")
	if field == nil || saysNothing(field, value) {
		return nil
	}
	var types []reflect.Type
	for _, t := range known {
		switch t.Kind() {
		case reflect.Map:
			types = append(types, t.Elem())
		case reflect.Struct:
			if read := jsonFields(t)[strings.ToLower(name)]; read != nil {
				types = append(types, read)
			}
		default:
		}
	}
	if types == nil {
		return []string{path}
	}
	return unread(field, value, types, path)
}

// saysNothing reports whether a value is what is so without it: null, the
// published default, the only value that there is, or else what is empty.
func saysNothing(shape *githubschema.Shape, value any) bool {
	text, err := json.Marshal(value)
	if err != nil || value == nil {
		return true
	}
	switch {
	case shape.Default != "":
		return string(text) == shape.Default
	case len(shape.Enum) == 1:
		return value == shape.Enum[0]
	}
	return slices.Contains([]string{"false", `""`, "[]", "{}"}, string(text))
}

// of returns what a value of a kind is; nothing is known of one that the shape
// does not list.
func of(shape *githubschema.Shape, kind githubschema.Kind) *githubschema.Shape {
	if shape.Kind == kind {
		return shape
	}
	for _, one := range shape.OneOf {
		if one.Kind == kind {
			return one
		}
	}
	return &githubschema.Shape{Elem: &githubschema.Shape{Kind: githubschema.Any}}
}

func withoutPointers(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// takesAnything reports whether a type reads values itself.
func takesAnything(t reflect.Type) bool {
	return t.Kind() == reflect.Interface || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// fieldTypes are what [jsonFields] has returned, by type.
var fieldTypes sync.Map

// jsonFields returns the types of a struct's fields by lower-case name in JSON.
func jsonFields(t reflect.Type) map[string]reflect.Type {
	if known, has := fieldTypes.Load(t); has {
		return known.(map[string]reflect.Type)
	}
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		fields[strings.ToLower(name)] = f.Type
	}
	fieldTypes.Store(t, fields)
	return fields
}
