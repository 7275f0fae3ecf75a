package graphql

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// bind gives every field of every object type its resolver.
func (s *schema) bind(given map[string]Resolver, fallback func(typeName, field string) Resolver) error {
	resolvers := s.introspection()
	maps.Copy(resolvers, given)
	var missing []string
	for _, t := range s.named() {
		if t.kind != ast.Object {
			continue
		}
		for _, f := range t.fieldList {
			if f.resolve = resolverOf(resolvers, f); f.resolve == nil && fallback != nil {
				f.resolve = fallback(t.name, f.name)
			}
			if f.resolve == nil {
				missing = append(missing, t.name+"."+f.name)
			}
		}
	}
	unknown := s.unknown(given)
	if missing == nil && unknown == nil {
		return nil
	}
	var complaints []string
	if missing != nil {
		complaints = append(complaints, "fields without a resolver: "+strings.Join(missing, ", "))
	}
	if unknown != nil {
		complaints = append(complaints, "resolvers without a field: "+strings.Join(unknown, ", "))
	}
	return fault.Internalf("%s", strings.Join(complaints, "; "))
}

func resolverOf(resolvers map[string]Resolver, f *fieldDef) Resolver {
	if r := resolvers[f.owner.name+"."+f.name]; r != nil {
		return r
	}
	for _, name := range f.owner.source.Interfaces {
		if r := resolvers[name+"."+f.name]; r != nil {
			return r
		}
	}
	return nil
}

func (s *schema) unknown(given map[string]Resolver) []string {
	var names []string
	for _, key := range slices.Sorted(maps.Keys(given)) {
		typeName, field, _ := strings.Cut(key, ".")
		if t := s.types[typeName]; t == nil || t.fields[field] == nil {
			names = append(names, key)
		}
	}
	return names
}
