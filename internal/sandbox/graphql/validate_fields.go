package graphql

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// locate returns the place of something in the text.
type locate func() []Location

// selections checks the selections of a value of a composite type. Around is
// the place of what they belong to.
func (v *validator) selections(parent *typeDef, set ast.SelectionSet, around locate) {
	for _, selection := range set {
		if v.full() {
			return
		}
		switch sel := selection.(type) {
		case *ast.Field:
			v.push(sel.Alias)
			v.field(parent, sel, around)
			v.pop()
		case *ast.InlineFragment:
			v.inlineFragment(parent, sel)
		case *ast.FragmentSpread:
			v.push("... " + sel.Name)
			v.fragmentSpread(parent, sel)
			v.pop()
		}
	}
}

func (v *validator) field(parent *typeDef, f *ast.Field, around locate) {
	v.uniqueDirectives(f.Directives)
	def := v.schema.field(parent, f.Name)
	if def == nil {
		v.undefinedField(parent, f, around)
		return
	}
	t := def.typ.base()
	if t.composite() {
		v.checkMerging(f.SelectionSet, t)
	}
	if !v.fitsSelection(t, f) {
		return
	}
	v.requiredArguments("Field", f.Name, f.Position, def.args, f.Arguments)
	v.uniqueArguments(f.Arguments)
	owner := argumentOwner{kind: "Field", name: f.Alias, defs: def.args, location: at(f.Position)}
	for _, a := range f.Arguments {
		v.argument(owner, a.Name, a.Value, a.Position)
	}
	v.directives(f.Directives, ast.LocationField)
	v.selections(t, f.SelectionSet, func() []Location { return at(f.Position) })
}

func (v *validator) undefinedField(parent *typeDef, f *ast.Field, around locate) {
	if parent.kind == ast.Union {
		v.add(around(), map[string]any{"code": "selectionMismatch", "nodeName": parent.name},
			"Selections can't be made directly on unions (see selections on %s)", parent.name)
		return
	}
	v.add(at(f.Position), map[string]any{"code": "undefinedField", "typeName": parent.name, "fieldName": f.Name},
		"Field '%s' doesn't exist on type '%s'", f.Name, parent.name)
}

// fitsSelection checks that a leaf has no selections and a value of another
// type has some.
func (v *validator) fitsSelection(t *typeDef, f *ast.Field) bool {
	if t.leaf() == (len(f.SelectionSet) == 0) {
		return true
	}
	name := fmt.Sprintf("field '%s'", f.Name)
	extensions := map[string]any{"code": "selectionMismatch", "nodeName": name, "typeName": t.name}
	if t.leaf() {
		v.add(at(f.Position), extensions, "Selections can't be made on %ss (%s returns %s but has selections [%s])",
			strings.ToLower(string(t.kind)), name, t.name, listSelections(f.SelectionSet))
		return false
	}
	v.add(at(f.Position), extensions, "Field must have selections (%s returns %s but has no selections. Did you mean '%s { ... }'?)",
		name, t.name, f.Name)
	return false
}

func listSelections(set ast.SelectionSet) string {
	names := make([]string, len(set))
	for i, selection := range set {
		switch sel := selection.(type) {
		case *ast.Field:
			names[i] = `"` + sel.Name + `"`
		case *ast.FragmentSpread:
			names[i] = `"` + sel.Name + `"`
		case *ast.InlineFragment:
			names[i] = `"... on ` + sel.TypeCondition + ` { ... }"`
		}
	}
	return strings.Join(names, ", ")
}

func (v *validator) inlineFragment(parent *typeDef, f *ast.InlineFragment) {
	label := "..."
	if f.TypeCondition != "" {
		label += " on " + f.TypeCondition
	}
	v.push(label)
	defer v.pop()
	v.uniqueDirectives(f.Directives)
	dots := func() []Location { return v.atDots(f.Position) }
	t := parent
	if f.TypeCondition != "" {
		if t = v.fragmentType(f.TypeCondition, dots); t == nil {
			return
		}
	}
	v.checkOverlap(parent, t, "", v.place, dots)
	v.directives(f.Directives, ast.LocationInlineFragment)
	v.selections(t, f.SelectionSet, dots)
}

func (v *validator) fragmentSpread(parent *typeDef, s *ast.FragmentSpread) {
	v.uniqueDirectives(s.Directives)
	if sc := v.byName[s.Name]; sc != nil {
		s.Definition = sc.fragment
	}
	v.spreads = append(v.spreads, spread{s, parent, v.place})
	v.scope.spreads = append(v.scope.spreads, s)
	v.directives(s.Directives, ast.LocationFragmentSpread)
}

// checkSpreads checks that the fragments can apply where they are spread.
func (v *validator) checkSpreads() {
	for _, s := range v.spreads {
		if s.node.Definition == nil {
			continue
		}
		if t := v.schema.types[s.node.Definition.TypeCondition]; t != nil {
			v.checkOverlap(s.parent, t, " "+s.node.Name, s.place, func() []Location { return v.atDots(s.node.Position) })
		}
	}
}

// checkOverlap checks that a fragment's type and the type around it have
// objects in common. Fragments on unions go unchecked.
func (v *validator) checkOverlap(parent, t *typeDef, name string, p *place, location locate) {
	if t.fields == nil || parent.overlaps(t) {
		return
	}
	label := name // with its space, as GitHub has it
	if label == "" {
		label = "unknown"
	}
	v.addAt(p, location(),
		map[string]any{"code": "cannotSpreadFragment", "typeName": t.name, "fragmentName": label, "parentName": parent.name},
		"Fragment%s on %s can't be spread inside %s", name, t.name, parent.name)
}
