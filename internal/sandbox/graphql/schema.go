package graphql

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const typenameField = "__typename"

// schema is the parsed schema in the form that validation and execution read.
type schema struct {
	source     *ast.Schema
	types      map[string]*typeDef
	query      *typeDef
	mutation   *typeDef
	directives map[string]*directiveDef
	// typename is the field __typename, which every composite type has.
	typename *fieldDef
}

// typeDef is a named type.
type typeDef struct {
	name   string
	kind   ast.DefinitionKind
	source *ast.Definition
	// ref is the type itself, neither wrapped in a list nor in non-null.
	ref *typeRef
	// fields are those of an object or interface, in order in fieldList.
	fields    map[string]*fieldDef
	fieldList []*fieldDef
	// inputs are the fields of an input object.
	inputs inputDefs
	// values are those of an enum.
	values map[string]bool
	scalar *scalar
	// possible are the object types that a value of a composite type can have,
	// by name in order.
	possible []*typeDef
	members  map[*typeDef]bool
}

func (t *typeDef) leaf() bool      { return t.kind == ast.Scalar || t.kind == ast.Enum }
func (t *typeDef) abstract() bool  { return t.kind == ast.Interface || t.kind == ast.Union }
func (t *typeDef) composite() bool { return t.kind == ast.Object || t.abstract() }
func (t *typeDef) input() bool     { return t.leaf() || t.kind == ast.InputObject }

// overlaps reports whether an object can be of both types.
func (t *typeDef) overlaps(other *typeDef) bool {
	if t == other {
		return true
	}
	return slices.ContainsFunc(t.possible, func(p *typeDef) bool { return other.members[p] })
}

// typeRef is a use of a type: a named type or a list of another use, either of
// them perhaps non-null.
type typeRef struct {
	named   *typeDef
	elem    *typeRef
	nonNull bool
	// text is the use in the schema language, such as "[Issue!]!".
	text string
}

// base returns the named type inside all lists.
func (r *typeRef) base() *typeDef {
	for r.elem != nil {
		r = r.elem
	}
	return r.named
}

// fieldDef is a field of an object or interface.
type fieldDef struct {
	owner      *typeDef
	name       string
	source     *ast.FieldDefinition
	typ        *typeRef
	args       inputDefs
	resolve    Resolver
	connection bool
}

// inputDef is an argument or a field of an input object.
type inputDef struct {
	name        string
	description string
	directives  ast.DirectiveList
	typ         *typeRef
	// fallback is the default in the schema, nil if there is none, and value
	// what it means to a resolver.
	fallback *ast.Value
	value    any
}

func (d *inputDef) required() bool { return d.typ.nonNull && d.fallback == nil }

type inputDefs []*inputDef

func (d inputDefs) find(name string) *inputDef {
	for _, def := range d {
		if def.name == name {
			return def
		}
	}
	return nil
}

type directiveDef struct {
	source *ast.DirectiveDefinition
	args   inputDefs
}

func loadSchema(sdl string) (*schema, error) {
	source, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: sdl})
	if err != nil {
		return nil, err
	}
	if source.Query == nil {
		return nil, fault.Internalf("it has no query type")
	}
	if source.Subscription != nil {
		return nil, fault.Internalf("it has a subscription type, and subscriptions are not supported")
	}
	trimDirectives(source)

	s := &schema{source: source, types: map[string]*typeDef{}, directives: map[string]*directiveDef{}}
	for name, def := range source.Types {
		s.types[name] = newType(name, def)
	}
	for _, t := range s.types {
		s.define(t)
	}
	for name, def := range source.Directives {
		s.directives[name] = &directiveDef{source: def, args: s.arguments(def.Arguments)}
	}
	if err := s.coerceDefaults(); err != nil {
		return nil, err
	}
	s.query = s.types[source.Query.Name]
	if source.Mutation != nil {
		s.mutation = s.types[source.Mutation.Name]
	}
	s.typename = &fieldDef{name: typenameField, typ: &typeRef{named: s.types["String"], nonNull: true, text: "String!"}}
	return s, nil
}

// trimDirectives takes back what the parser declares for every schema beyond
// what GitHub has.
func trimDirectives(source *ast.Schema) {
	delete(source.Directives, "defer")
	deprecated := source.Directives["deprecated"]
	deprecated.Locations = slices.DeleteFunc(slices.Clone(deprecated.Locations), func(l ast.DirectiveLocation) bool {
		return l == ast.LocationDirectiveDefinition
	})
}

func newType(name string, def *ast.Definition) *typeDef {
	t := &typeDef{name: name, kind: def.Kind, source: def}
	t.ref = &typeRef{named: t, text: name}
	if t.kind == ast.Scalar {
		t.scalar = scalarNamed(name)
	}
	t.values = make(map[string]bool, len(def.EnumValues))
	for _, v := range def.EnumValues {
		t.values[v.Name] = true
	}
	return t
}

// define fills in what refers to other types.
func (s *schema) define(t *typeDef) {
	switch t.kind {
	case ast.InputObject:
		for _, f := range t.source.Fields {
			t.inputs = append(t.inputs, &inputDef{
				name: f.Name, description: f.Description, directives: f.Directives, typ: s.use(f.Type), fallback: f.DefaultValue,
			})
		}
		return
	case ast.Object, ast.Interface:
		s.defineFields(t)
	default:
	}
	t.members = map[*typeDef]bool{}
	for _, def := range s.source.GetPossibleTypes(t.source) {
		if p := s.types[def.Name]; def.Kind == ast.Object && !t.members[p] {
			t.members[p] = true
			t.possible = append(t.possible, p)
		}
	}
	slices.SortFunc(t.possible, func(a, b *typeDef) int { return strings.Compare(a.name, b.name) })
}

func (s *schema) defineFields(t *typeDef) {
	t.fields = make(map[string]*fieldDef, len(t.source.Fields))
	for _, source := range t.source.Fields {
		f := &fieldDef{owner: t, name: source.Name, source: source, typ: s.use(source.Type), args: s.arguments(source.Arguments)}
		f.connection = isConnection(f)
		t.fields[f.name] = f
		t.fieldList = append(t.fieldList, f)
	}
}

func (s *schema) arguments(defs ast.ArgumentDefinitionList) inputDefs {
	var out inputDefs
	for _, a := range defs {
		out = append(out, &inputDef{
			name: a.Name, description: a.Description, directives: a.Directives, typ: s.use(a.Type), fallback: a.DefaultValue,
		})
	}
	return out
}

// use returns the use of a type, nil if the schema lacks the type.
func (s *schema) use(t *ast.Type) *typeRef {
	ref := &typeRef{nonNull: t.NonNull, text: t.String()}
	if t.Elem != nil {
		if ref.elem = s.use(t.Elem); ref.elem == nil {
			return nil
		}
		return ref
	}
	if ref.named = s.types[t.NamedType]; ref.named == nil {
		return nil
	}
	return ref
}

// coerceDefaults computes the values of all defaults, once all types are
// complete.
func (s *schema) coerceDefaults() error {
	for _, t := range s.types {
		if err := t.inputs.coerceDefaults(t.name); err != nil {
			return err
		}
		for _, f := range t.fieldList {
			if err := f.args.coerceDefaults(t.name + "." + f.name); err != nil {
				return err
			}
		}
	}
	for name, d := range s.directives {
		if err := d.args.coerceDefaults("@" + name); err != nil {
			return err
		}
	}
	return nil
}

func (d inputDefs) coerceDefaults(owner string) error {
	for _, def := range d {
		if def.fallback == nil {
			continue
		}
		if mismatch(def.typ, def.fallback) != "" {
			return fault.Internalf("the default of %s of %s is no %s", def.name, owner, def.typ.text)
		}
		def.value = constant(def.typ, def.fallback)
	}
	return nil
}

// field returns a field of a composite type, nil if it has none of that name.
func (s *schema) field(t *typeDef, name string) *fieldDef {
	if name == typenameField {
		return s.typename
	}
	return t.fields[name]
}

func (s *schema) hasAbstractTypes() bool {
	for _, t := range s.types {
		if t.abstract() {
			return true
		}
	}
	return false
}

// named returns the types in the order of their names.
func (s *schema) named() []*typeDef {
	return slices.SortedFunc(maps.Values(s.types), func(a, b *typeDef) int { return strings.Compare(a.name, b.name) })
}
