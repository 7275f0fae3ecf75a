package graphql

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// validator checks a document by the rules of graphql-ruby, in one walk over
// its definitions and a look at the document as a whole afterwards. Where a
// rule fails, the walk does not go on below.
type validator struct {
	schema *schema
	doc    *ast.QueryDocument
	text   string
	// runes are those of text, made when a place in it is looked up.
	runes  []rune
	limit  int
	errs   []*Error
	place  *place
	scope  *scope
	scopes []*scope
	// byName are the scopes of fragments, the first of each name.
	byName  map[string]*scope
	spreads []spread
	// unknownDirectives are the errors about directives that the schema lacks:
	// one for each name.
	unknownDirectives map[string]*Error
	merge             merge
}

// scope is an operation or fragment and what it uses.
type scope struct {
	operation *ast.OperationDefinition
	fragment  *ast.FragmentDefinition
	place     *place
	// checked says that a fragment's type is known, and so its content was
	// checked.
	checked   bool
	variables []variableUse
	spreads   []*ast.FragmentSpread
	// declared are an operation's variables.
	declared map[string]*ast.VariableDefinition
}

// spread is a use of a fragment inside a value of a type.
type spread struct {
	node   *ast.FragmentSpread
	parent *typeDef
	place  *place
}

// validate returns what is wrong with a document, at most limit errors.
// Afterwards every spread of a valid document knows its fragment.
func (s *schema) validate(text string, doc *ast.QueryDocument, limit int) []*Error {
	v := validator{
		schema: s, doc: doc, text: text, limit: limit,
		byName:            make(map[string]*scope, len(doc.Fragments)),
		unknownDirectives: map[string]*Error{},
	}
	v.definitions()
	for _, sc := range v.scopes {
		v.definition(sc)
	}
	v.checkVariables()
	v.checkSpreads()
	v.checkFragments()
	v.checkNames()
	return v.errs
}

// definitions lists the document's operations and fragments in the order of the
// text.
func (v *validator) definitions() {
	for _, op := range v.doc.Operations {
		sc := &scope{operation: op, place: &place{step: operationLabel(op)}, declared: map[string]*ast.VariableDefinition{}}
		for _, def := range op.VariableDefinitions {
			sc.declared[def.Variable] = def
		}
		v.scopes = append(v.scopes, sc)
	}
	for _, f := range v.doc.Fragments {
		sc := &scope{fragment: f, place: &place{step: "fragment " + f.Name}}
		v.scopes = append(v.scopes, sc)
		if v.byName[f.Name] == nil {
			v.byName[f.Name] = sc
		}
	}
	slices.SortStableFunc(v.scopes, func(a, b *scope) int { return a.position().Start - b.position().Start })
}

func (sc *scope) position() *ast.Position {
	if sc.operation != nil {
		return sc.operation.Position
	}
	return sc.fragment.Position
}

func operationLabel(op *ast.OperationDefinition) string {
	if op.Name == "" {
		return string(op.Operation)
	}
	return string(op.Operation) + " " + op.Name
}

func (v *validator) definition(sc *scope) {
	v.scope = sc
	v.place = sc.place
	if sc.operation != nil {
		v.operation(sc)
	} else {
		v.fragmentDefinition(sc)
	}
}

func (v *validator) operation(sc *scope) {
	op := sc.operation
	v.uniqueDirectives(op.Directives)
	root := v.schema.root(op.Operation)
	if root != nil {
		v.checkMerging(op.SelectionSet, root)
	}
	v.uniqueVariables(op)
	if root == nil {
		v.missingRoot(op)
		return
	}
	for _, def := range op.VariableDefinitions {
		v.variableDefinition(def)
	}
	location := ast.LocationQuery
	if op.Operation == ast.Mutation {
		location = ast.LocationMutation
	}
	v.directives(op.Directives, location)
	v.selections(root, op.SelectionSet, func() []Location { return at(op.Position) })
}

func (v *validator) missingRoot(op *ast.OperationDefinition) {
	kind := string(op.Operation)
	v.add(at(op.Position), map[string]any{"code": "missing" + strings.ToUpper(kind[:1]) + kind[1:] + "Configuration"},
		"Schema is not configured for %ss", kind)
}

func (v *validator) fragmentDefinition(sc *scope) {
	f := sc.fragment
	v.uniqueDirectives(f.Directives)
	location := func() []Location { return at(f.Position) }
	t := v.fragmentType(f.TypeCondition, location)
	if t == nil {
		return
	}
	sc.checked = true
	v.directives(f.Directives, ast.LocationFragmentDefinition)
	v.selections(t, f.SelectionSet, location)
}

// fragmentType returns the type that a fragment is for, nil after an error.
func (v *validator) fragmentType(name string, location locate) *typeDef {
	t := v.schema.types[name]
	switch {
	case t == nil:
		v.add(location(), map[string]any{"code": "undefinedType", "typeName": name},
			"No such type %s, so it can't be a fragment condition", name)
		return nil
	case !t.composite():
		v.add(location(), map[string]any{"code": "fragmentOnNonCompositeType", "typeName": name},
			"Invalid fragment on type %s (must be Union, Interface or Object)", name)
		return nil
	}
	return t
}
