package graphql

import "github.com/vektah/gqlparser/v2/ast"

// checkFragments checks that fragments are defined, used and finite.
func (v *validator) checkFragments() {
	spread := map[string]bool{}
	for _, s := range v.spreads {
		spread[s.node.Name] = true
		if s.node.Definition == nil {
			v.addAt(s.place, v.atDots(s.node.Position), map[string]any{"code": "useAndDefineFragment", "fragmentName": s.node.Name},
				"Fragment %s was used, but not defined", s.node.Name)
		}
	}
	for _, sc := range v.scopes {
		if sc.fragment != nil && sc.checked && !spread[sc.fragment.Name] {
			v.addAt(sc.place, at(sc.position()), map[string]any{"code": "useAndDefineFragment", "fragmentName": sc.fragment.Name},
				"Fragment %s was defined, but not used", sc.fragment.Name)
		}
	}
	endless := map[*scope]bool{}
	state := map[*scope]visit{}
	for _, sc := range v.scopes {
		if sc.fragment != nil && v.endless(sc, state, endless) {
			v.addAt(sc.place, at(sc.position()), map[string]any{"code": "infiniteLoop", "fragmentName": sc.fragment.Name},
				"Fragment %s contains an infinite loop", sc.fragment.Name)
		}
	}
}

// visit is the state of a fragment in the search for loops.
type visit int

const (
	unvisited visit = iota
	underway
	visited
)

// endless reports whether a fragment leads into a loop.
func (v *validator) endless(sc *scope, state map[*scope]visit, found map[*scope]bool) bool {
	switch state[sc] {
	case underway:
		return true
	case visited:
		return found[sc]
	default:
	}
	state[sc] = underway
	for _, s := range sc.spreads {
		if inner := v.byName[s.Name]; inner != nil && v.endless(inner, state, found) {
			found[sc] = true
		}
	}
	state[sc] = visited
	return found[sc]
}

// checkNames checks the names of fragments and operations.
func (v *validator) checkNames() {
	v.place = nil
	v.unique(namesOf(v.doc.Fragments, func(f *ast.FragmentDefinition) (string, *ast.Position) { return f.Name, f.Position }),
		"fragmentNotUnique", "fragmentName", "Fragment name \"%s\" must be unique")
	var named, anonymous ast.OperationList
	for _, op := range v.doc.Operations {
		if op.Name != "" {
			named = append(named, op)
		} else {
			anonymous = append(anonymous, op)
		}
	}
	v.unique(namesOf(named, func(op *ast.OperationDefinition) (string, *ast.Position) { return op.Name, op.Position }),
		"uniquelyNamedOperations", "operationName", "Operation name \"%s\" must be unique")
	if len(anonymous) > 0 && len(v.doc.Operations) > 1 {
		var places []*ast.Position
		for _, op := range anonymous {
			places = append(places, op.Position)
		}
		v.add(at(places...), map[string]any{"code": "uniquelyNamedOperations"},
			"Operation name is required when multiple operations are present")
	}
}
