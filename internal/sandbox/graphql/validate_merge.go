package graphql

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Bounds on the work of the rule that fields of one key must merge, whose cost
// can grow with the square of a document's size. A step is a field looked at;
// the comparison of two takes several.
const (
	mergeSteps  = 1_000_000
	compareCost = 5
)

// merge is the state of the rule that fields of one key must have the same
// name and arguments, unless no object can have both. Their types may differ.
type merge struct {
	steps int
	// compared are the pairs of fields that were checked.
	compared map[[2]*ast.Field]bool
	// found are the conflicts in the selection that is being checked.
	found []*conflict
}

// exhausted reports whether the rule has had its share of work.
func (m *merge) exhausted() bool { return m.steps > mergeSteps }

// conflict gathers the fields that do not merge under one key.
type conflict struct {
	kind  string
	key   string
	nodes []*ast.Field
	known map[*ast.Field]bool
}

// occurrence is a field in a selection after its fragments are expanded.
type occurrence struct {
	node  *ast.Field
	def   *fieldDef
	owner *typeDef
}

// occurrences are fields by their keys, in the order of the text.
type occurrences struct {
	keys  []string
	byKey map[string][]occurrence
}

// checkMerging checks the fields of one selection against one another.
func (v *validator) checkMerging(set ast.SelectionSet, t *typeDef) {
	if plainSelection(set) || v.merge.exhausted() {
		return
	}
	v.merge.found = nil
	fields := v.expand(set, t)
	for _, key := range fields.keys {
		list := fields.byKey[key]
		for i, a := range list {
			if v.merge.exhausted() {
				break
			}
			for _, b := range list[i+1:] {
				v.compare(key, a, b)
			}
		}
	}
	for _, c := range v.merge.found {
		v.addConflict(c)
	}
	if v.merge.exhausted() {
		v.addAt(nil, nil, map[string]any{"code": "validationTimeout"}, "Timeout on validation of query")
	}
}

// plainSelection reports whether a selection consists of fields with different
// keys.
func plainSelection(set ast.SelectionSet) bool {
	keys := make(map[string]bool, len(set))
	for _, selection := range set {
		f, ok := selection.(*ast.Field)
		if !ok || keys[f.Alias] {
			return false
		}
		keys[f.Alias] = true
	}
	return true
}

// expand returns the fields of a selection, those of its fragments included.
func (v *validator) expand(set ast.SelectionSet, t *typeDef) occurrences {
	fields := occurrences{byKey: map[string][]occurrence{}}
	v.expandInto(&fields, set, t, map[string]bool{})
	return fields
}

func (v *validator) expandInto(fields *occurrences, set ast.SelectionSet, owner *typeDef, spread map[string]bool) {
	for _, selection := range set {
		v.merge.steps++
		switch sel := selection.(type) {
		case *ast.Field:
			if len(fields.byKey[sel.Alias]) == 0 {
				fields.keys = append(fields.keys, sel.Alias)
			}
			fields.byKey[sel.Alias] = append(fields.byKey[sel.Alias], occurrence{sel, v.schema.field(owner, sel.Name), owner})
		case *ast.InlineFragment:
			if t := v.conditionType(sel.TypeCondition, owner); t != nil {
				v.expandInto(fields, sel.SelectionSet, t, spread)
			}
		case *ast.FragmentSpread:
			sc := v.byName[sel.Name]
			if sc == nil || spread[sel.Name] {
				continue
			}
			spread[sel.Name] = true
			if t := v.conditionType(sc.fragment.TypeCondition, owner); t != nil {
				v.expandInto(fields, sc.fragment.SelectionSet, t, spread)
			}
		}
	}
}

// conditionType returns the type that a fragment is for, nil if there is none
// such.
func (v *validator) conditionType(condition string, around *typeDef) *typeDef {
	if condition == "" {
		return around
	}
	if t := v.schema.types[condition]; t != nil && t.composite() {
		return t
	}
	return nil
}

// compare checks two fields of one key, and what is inside of them.
func (v *validator) compare(key string, a, b occurrence) {
	v.merge.steps += compareCost
	pair := [2]*ast.Field{a.node, b.node}
	if v.merge.exhausted() || a.node == b.node || a.def == nil || b.def == nil || v.merge.compared[pair] {
		return
	}
	if !a.owner.overlaps(b.owner) {
		return // no object has both
	}
	if v.merge.compared == nil {
		v.merge.compared = map[[2]*ast.Field]bool{}
	}
	v.merge.compared[pair] = true
	if a.node.Name != b.node.Name {
		v.conflict("field", key, a.node, b.node)
	}
	// A field with arguments that it does not take is reported anyway.
	if len(a.node.Arguments) <= len(a.def.args) && !sameArguments(a.node, b.node) {
		v.conflict("argument", key, a.node, b.node)
	}
	inA, inB := a.def.typ.base(), b.def.typ.base()
	if !inA.composite() || !inB.composite() {
		return
	}
	fieldsA, fieldsB := v.expand(a.node.SelectionSet, inA), v.expand(b.node.SelectionSet, inB)
	for _, key := range fieldsA.keys {
		for _, x := range fieldsA.byKey[key] {
			for _, y := range fieldsB.byKey[key] {
				v.compare(key, x, y)
			}
		}
	}
}

func sameArguments(a, b *ast.Field) bool {
	if len(a.Arguments) != len(b.Arguments) {
		return false
	}
	for _, arg := range a.Arguments {
		other := b.Arguments.ForName(arg.Name)
		if other == nil || !sameLiteral(arg.Value, other.Value) {
			return false
		}
	}
	return true
}

func sameLiteral(a, b *ast.Value) bool {
	if a.Kind != b.Kind || a.Raw != b.Raw {
		return false
	}
	return slices.EqualFunc(a.Children, b.Children, func(x, y *ast.ChildValue) bool {
		return x.Name == y.Name && sameLiteral(x.Value, y.Value)
	})
}

// printArguments returns a field's arguments the way GitHub quotes them in this
// error: values are printed, and then quoted as texts.
func printArguments(f *ast.Field) string {
	parts := make([]string, len(f.Arguments))
	for i, a := range f.Arguments {
		parts[i] = a.Name + ":" + string(appendString(nil, printLiteral(a.Value)))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// conflict notes fields that do not merge.
func (v *validator) conflict(kind, key string, nodes ...*ast.Field) {
	i := slices.IndexFunc(v.merge.found, func(c *conflict) bool { return c.kind == kind && c.key == key })
	if i < 0 {
		i = len(v.merge.found)
		v.merge.found = append(v.merge.found, &conflict{kind: kind, key: key, known: map[*ast.Field]bool{}})
	}
	c := v.merge.found[i]
	for _, n := range nodes {
		if !c.known[n] {
			c.known[n] = true
			c.nodes = append(c.nodes, n)
		}
	}
}

func (v *validator) addConflict(c *conflict) {
	article, text := "a", func(f *ast.Field) string { return f.Name }
	if c.kind == "argument" {
		article, text = "an", printArguments
	}
	var locations []Location
	var texts []string
	for _, n := range c.nodes {
		locations = append(locations, at(n.Position)...)
		texts = append(texts, text(n))
	}
	conflicts := strings.Join(texts, " or ")
	v.addAt(nil, locations, map[string]any{"code": "fieldConflict", "fieldName": c.key, "conflicts": conflicts},
		"Field '%s' has %s %s conflict: %s?", c.key, article, c.kind, conflicts)
}
