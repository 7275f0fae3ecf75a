package githubschema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// shaper finds the shape of an operation's data, and what of it is beyond
// GitHub's limits. The document is valid.
type shaper struct {
	schema    *ast.Schema
	operation *ast.OperationDefinition
	selected  int
	nodes     int
	problems  []Problem
}

func (s *shaper) operationData() *Shape {
	root := s.schema.Query
	if s.operation.Operation == ast.Mutation {
		root = s.schema.Mutation
	}
	data := s.object(root, []ast.SelectionSet{s.operation.SelectionSet}, 1)
	if s.selected > maxSelected {
		s.problems = append(s.problems, problemAt(s.operation.Position, "This selects more than %d fields, counting those of fragments wherever they are used.", maxSelected))
	}
	if s.nodes > MaxNodes {
		s.problems = append(s.problems, problemAt(s.operation.Position, "By its pages this may ask for %d nodes, and GitHub allows %d.", s.nodes, MaxNodes))
	}
	return data
}

// selection is what is selected under one key.
type selection struct {
	fields []*ast.Field
	// always is false for what only some types have, or a directive may leave
	// out.
	always bool
}

// object returns the shape of an object of a type. It is asked for up to times
// times.
func (s *shaper) object(of *ast.Definition, sets []ast.SelectionSet, times int) *Shape {
	keys := map[string]*selection{}
	for _, set := range sets {
		s.collect(of, set, true, keys)
	}
	fields := map[string]Field{}
	for key, selected := range keys {
		fields[key] = Field{key, !selected.always, s.values(selected, times)}
	}
	return &Shape{Kind: Object, Fields: sortedFields(fields)}
}

// collect adds what a set selects of an object; always is false for what other
// types do not have.
func (s *shaper) collect(of *ast.Definition, set ast.SelectionSet, always bool, keys map[string]*selection) {
	for _, one := range set {
		if s.selected++; s.selected > maxSelected {
			return
		}
		switch one := one.(type) {
		case *ast.Field:
			if keys[one.Alias] == nil {
				keys[one.Alias] = &selection{}
			}
			keys[one.Alias].fields = append(keys[one.Alias].fields, one)
			keys[one.Alias].always = keys[one.Alias].always || always && len(one.Directives) == 0
		case *ast.InlineFragment:
			s.collect(of, one.SelectionSet, always && len(one.Directives) == 0 && s.covers(one.TypeCondition, of), keys)
		case *ast.FragmentSpread:
			s.collect(of, one.Definition.SelectionSet, always && len(one.Directives) == 0 && s.covers(one.Definition.TypeCondition, of), keys)
		}
	}
}

// covers reports whether every object of a type is one of the type that a
// fragment is for.
func (s *shaper) covers(condition string, of *ast.Definition) bool {
	if condition == "" {
		return true
	}
	wider := s.schema.GetPossibleTypes(s.schema.Types[condition])
	return !slices.ContainsFunc(s.schema.GetPossibleTypes(of), func(t *ast.Definition) bool { return !slices.Contains(wider, t) })
}

// values returns the shape of what is selected under one key. Fields of several
// types may be there, each with its own type of value.
func (s *shaper) values(selected *selection, times int) *Shape {
	types, sets := map[string]*ast.Field{}, map[string][]ast.SelectionSet{}
	for _, f := range selected.fields {
		name := f.Definition.Type.String()
		types[name] = f
		sets[name] = append(sets[name], f.SelectionSet)
	}
	var shapes []*Shape
	for _, name := range slices.Sorted(maps.Keys(types)) {
		shapes = append(shapes, s.value(types[name], sets[name], times))
	}
	return Unite(shapes...)
}

func (s *shaper) value(f *ast.Field, sets []ast.SelectionSet, times int) *Shape {
	if f.Name == "__typename" {
		return s.typeNames(f.ObjectDefinition)
	}
	definition := s.schema.Types[f.Definition.Type.Name()]
	if !definition.IsCompositeType() {
		return wrapped(f.Definition.Type, leaf(definition))
	}
	if size := s.page(f, sets); size > 0 {
		// Beyond the limit nobody counts.
		times = min(times*size, 2*MaxNodes)
		s.nodes += times
	}
	return wrapped(f.Definition.Type, s.object(definition, sets, times))
}

func (s *shaper) typeNames(of *ast.Definition) *Shape {
	shape := &Shape{Kind: String}
	for _, t := range s.schema.GetPossibleTypes(of) {
		shape.Enum = append(shape.Enum, t.Name)
	}
	return shape
}

// page returns the most nodes of a page of a connection, 0 for other fields. A
// connection whose nodes are not selected needs no size, and has none.
func (s *shaper) page(f *ast.Field, sets []ast.SelectionSet) (size int) {
	if !strings.HasSuffix(f.Definition.Type.Name(), "Connection") {
		return 0
	}
	for _, name := range []string{"first", "last"} {
		argument := f.Arguments.ForName(name)
		if argument == nil || argument.Value.Kind == ast.NullValue {
			continue
		}
		if size > 0 {
			s.problems = append(s.problems, problemAt(argument.Position, "The connection %q has both \"first\" and \"last\", want one.", f.Name))
		}
		if size = s.number(argument.Value); size < 1 || size > MaxPage {
			s.problems = append(s.problems, problemAt(argument.Position, "%q of the connection %q is not from 1 to %d.", name, f.Name, MaxPage))
			return 0
		}
	}
	if size == 0 && slices.ContainsFunc(sets, selectsNodes) {
		s.problems = append(s.problems, problemAt(f.Position, "The connection %q needs \"first\" or \"last\", from 1 to %d.", f.Name, MaxPage))
	}
	return size
}

// number returns the value of an argument, 0 for one that is none. A variable is
// as large as can be, unless it has a default.
func (s *shaper) number(value *ast.Value) int {
	if value.Kind == ast.Variable {
		if value = s.operation.VariableDefinitions.ForName(value.Raw).DefaultValue; value == nil {
			return MaxPage
		}
	}
	// A valid number can be read; null, as a default, cannot.
	n, _ := strconv.Atoi(value.Raw)
	return n
}

func selectsNodes(set ast.SelectionSet) bool {
	return slices.ContainsFunc(set, func(one ast.Selection) bool {
		switch one := one.(type) {
		case *ast.Field:
			return one.Name == "nodes" || one.Name == "edges"
		case *ast.InlineFragment:
			return selectsNodes(one.SelectionSet)
		case *ast.FragmentSpread:
			return selectsNodes(one.Definition.SelectionSet)
		default:
			panic(fmt.Sprintf("a selection of type %T", one))
		}
	})
}
