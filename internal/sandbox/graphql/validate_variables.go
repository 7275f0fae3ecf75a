package graphql

import "github.com/vektah/gqlparser/v2/ast"

// variableUse is a variable in an operation or fragment.
type variableUse struct {
	node  *ast.Value
	place *place
	// owner is the argument that gets the variable, as its value or as an item
	// of it, and argument its place in the text. Depth counts the lists of the
	// text around the variable.
	owner    *inputDef
	argument *ast.Position
	depth    int
}

// useVariables notes the variables that an argument's value consists of and,
// in an operation, checks their types.
func (v *validator) useVariables(use variableUse) {
	switch use.node.Kind {
	case ast.Variable:
		v.scope.variables = append(v.scope.variables, use)
		if v.scope.operation != nil {
			v.checkUse(v.scope, use)
		}
	case ast.ListValue:
		use.depth++
		for _, child := range use.node.Children {
			use.node = child.Value
			v.useVariables(use)
		}
	default:
	}
}

// checkUse checks that the type of an operation's variable fits where it is
// used.
func (v *validator) checkUse(op *scope, use variableUse) {
	def := op.declared[use.node.Raw]
	if def == nil {
		return
	}
	t := v.schema.use(def.Type)
	if t == nil {
		return
	}
	t = typeOfUse(t, def.DefaultValue != nil, use.depth)
	expected := use.owner.typ
	if expected.nonNull && use.owner.fallback != nil {
		expected = nullable(expected)
	}
	var problem string
	switch {
	case t.base() != expected.base():
		problem = "Type mismatch"
	case dimension(t) != dimension(expected):
		problem = "List dimension mismatch"
	case !nullabilityFits(expected, t):
		problem = "Nullability mismatch"
	default:
		return
	}
	v.addAt(use.place, at(use.argument), map[string]any{
		"code": "variableMismatch", "variableName": def.Variable, "typeName": t.text,
		"argumentName": use.owner.name, "errorMessage": problem,
	}, "%s on variable $%s and argument %s (%s / %s)", problem, def.Variable, use.owner.name, t.text, use.owner.typ.text)
}

// typeOfUse returns the type of a value of the text that holds a variable: a
// default makes the variable non-null, and lists around it are non-null.
func typeOfUse(t *typeRef, hasDefault bool, depth int) *typeRef {
	if hasDefault && !t.nonNull {
		t = &typeRef{named: t.named, elem: t.elem, nonNull: true, text: t.text + "!"}
	}
	for range depth {
		t = &typeRef{elem: t, nonNull: true, text: "[" + t.text + "]!"}
	}
	return t
}

func nullable(t *typeRef) *typeRef { return &typeRef{named: t.named, elem: t.elem} }

func dimension(t *typeRef) int {
	n := 0
	for ; t.elem != nil; t = t.elem {
		n++
	}
	return n
}

func nullabilityFits(expected, t *typeRef) bool {
	if expected.nonNull && !t.nonNull {
		return false
	}
	return expected.elem == nil || t.elem == nil || nullabilityFits(expected.elem, t.elem)
}

func (v *validator) variableDefinition(def *ast.VariableDefinition) {
	t := v.schema.types[def.Type.Name()]
	extensions := map[string]any{"code": "variableRequiresValidType", "typeName": def.Type.Name(), "variableName": def.Variable}
	switch {
	case t == nil:
		v.add(at(def.Position), extensions, "%s isn't a defined input type (on $%s)", def.Type.Name(), def.Variable)
	case !t.input():
		v.add(at(def.Position), extensions, "%s isn't a valid input type (on $%s)", t.name, def.Variable)
	}
	if t != nil && def.DefaultValue != nil {
		v.variableDefault(def)
	}
	v.directives(def.Directives, ast.LocationVariableDefinition)
}

func (v *validator) variableDefault(def *ast.VariableDefinition) {
	t := v.schema.use(def.Type)
	why := mismatch(t, def.DefaultValue)
	if why == "" {
		return
	}
	if why == genericMismatch {
		why = "Default value for $" + def.Variable + " doesn't match type " + t.text
	}
	v.add(at(def.Position), map[string]any{"code": "defaultValueInvalidType", "variableName": def.Variable, "typeName": t.text}, "%s", why)
}

func (v *validator) uniqueVariables(op *ast.OperationDefinition) {
	v.unique(namesOf(op.VariableDefinitions, func(d *ast.VariableDefinition) (string, *ast.Position) { return d.Variable, d.Position }),
		"variableNotUnique", "variableName", "There can only be one variable named \"%s\"")
}

// checkVariables checks, for every operation, the variables of it and of the
// fragments that it reaches.
func (v *validator) checkVariables() {
	reached := map[*scope][]*scope{}
	for _, sc := range v.scopes {
		if sc.operation == nil {
			continue
		}
		reached[sc] = v.reach(sc)
		for _, inner := range reached[sc][1:] {
			for _, use := range inner.variables {
				v.checkUse(sc, use)
			}
		}
	}
	for _, sc := range v.scopes {
		if reached[sc] != nil {
			v.usedAndDeclared(sc, reached[sc])
		}
	}
}

// reach returns an operation and the fragments that it spreads, each once.
func (v *validator) reach(op *scope) []*scope {
	found := []*scope{op}
	known := map[*scope]bool{}
	for i := 0; i < len(found); i++ {
		for _, s := range found[i].spreads {
			if inner := v.byName[s.Name]; inner != nil && !known[inner] {
				known[inner] = true
				found = append(found, inner)
			}
		}
	}
	return found
}

func (v *validator) usedAndDeclared(op *scope, reached []*scope) {
	used := map[string]bool{}
	undeclared := map[string]variableUse{}
	users := map[string]string{}
	var order []string
	for _, sc := range reached {
		for _, use := range sc.variables {
			name := use.node.Raw
			used[name] = true
			if op.declared[name] != nil {
				continue
			}
			if users[name] == "" {
				order = append(order, name)
			}
			undeclared[name], users[name] = use, sc.name()
		}
	}
	for _, def := range op.operation.VariableDefinitions {
		if used[def.Variable] {
			continue
		}
		used[def.Variable] = true // and reported once
		v.addAt(op.place, at(op.position()), map[string]any{"code": "variableNotUsed", "variableName": def.Variable},
			"Variable $%s is declared by %s but not used", def.Variable, op.name())
	}
	for _, name := range order {
		use := undeclared[name]
		v.addAt(use.place, at(use.node.Position), map[string]any{"code": "variableNotDefined", "variableName": name},
			"Variable $%s is used by %s but not declared", name, users[name])
	}
}

// name returns the definition's name as errors have it.
func (sc *scope) name() string {
	switch {
	case sc.fragment != nil:
		return sc.fragment.Name
	case sc.operation.Name != "":
		return sc.operation.Name
	default:
		return "anonymous " + string(sc.operation.Operation)
	}
}
