package graphql

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// metaType is a value of __Type. Stripped says that the use's non-null is
// taken off.
type metaType struct {
	ref      *typeRef
	stripped bool
}

func (m metaType) kind() string {
	switch {
	case m.ref.nonNull && !m.stripped:
		return "NON_NULL"
	case m.ref.elem != nil:
		return "LIST"
	default:
		return string(m.ref.named.kind)
	}
}

// named returns the type itself, nil for a list or a non-null type.
func (m metaType) named() *typeDef {
	if m.ref.nonNull && !m.stripped {
		return nil
	}
	return m.ref.named
}

func (m metaType) ofType() any {
	switch {
	case m.ref.nonNull && !m.stripped:
		return metaType{m.ref, true}
	case m.ref.elem != nil:
		return metaType{ref: m.ref.elem}
	default:
		return nil
	}
}

func metaTypes(defs []*typeDef) []metaType {
	types := make([]metaType, len(defs))
	for i, t := range defs {
		types[i] = metaType{ref: t.ref}
	}
	return types
}

// introspection returns the resolvers of the fields by which a schema
// describes itself.
func (s *schema) introspection() map[string]Resolver {
	resolvers := map[string]Resolver{
		s.query.name + ".__schema": func(context.Context, Request) (any, error) { return s, nil },
		s.query.name + ".__type": func(_ context.Context, r Request) (any, error) {
			if t := s.types[r.Args.String("name")]; t != nil {
				return metaType{ref: t.ref}, nil
			}
			return nil, nil
		},
		"__Schema.description":      Prop(func(s *schema) any { return orNull(s.source.Description) }),
		"__Schema.types":            Prop(func(s *schema) any { return metaTypes(s.named()) }),
		"__Schema.queryType":        Prop(func(s *schema) any { return metaType{ref: s.query.ref} }),
		"__Schema.mutationType":     Prop(func(s *schema) any { return s.mutationType() }),
		"__Schema.subscriptionType": Prop(func(*schema) any { return nil }),
		"__Schema.directives":       Prop(func(s *schema) any { return s.metaDirectives() }),
	}
	maps.Copy(resolvers, s.typeIntrospection())
	maps.Copy(resolvers, memberIntrospection())
	return resolvers
}

func (s *schema) mutationType() any {
	if s.mutation == nil {
		return nil
	}
	return metaType{ref: s.mutation.ref}
}

func (s *schema) metaDirectives() []*directiveDef {
	return slices.SortedFunc(maps.Values(s.directives), func(a, b *directiveDef) int {
		return strings.Compare(a.source.Name, b.source.Name)
	})
}

func (s *schema) typeIntrospection() map[string]Resolver {
	// ofNamed reads a property that only named types have.
	ofNamed := func(f func(t *typeDef, args Args) any) Resolver {
		return Typed(func(_ context.Context, m metaType, args Args) (any, error) {
			if t := m.named(); t != nil {
				return f(t, args), nil
			}
			return nil, nil
		})
	}
	return map[string]Resolver{
		"__Type.kind":           Prop(func(m metaType) any { return m.kind() }),
		"__Type.ofType":         Prop(func(m metaType) any { return m.ofType() }),
		"__Type.name":           ofNamed(func(t *typeDef, _ Args) any { return t.name }),
		"__Type.description":    ofNamed(func(t *typeDef, _ Args) any { return orNull(t.source.Description) }),
		"__Type.specifiedByURL": ofNamed(func(t *typeDef, _ Args) any { return directiveText(t.source.Directives, "specifiedBy", "url") }),
		"__Type.fields":         ofNamed(func(t *typeDef, args Args) any { return t.metaFields(args.Bool("includeDeprecated")) }),
		"__Type.interfaces":     ofNamed(func(t *typeDef, _ Args) any { return s.metaInterfaces(t) }),
		"__Type.possibleTypes":  ofNamed(func(t *typeDef, _ Args) any { return t.metaPossible() }),
		"__Type.enumValues":     ofNamed(func(t *typeDef, args Args) any { return t.metaValues(args.Bool("includeDeprecated")) }),
		"__Type.inputFields":    ofNamed(func(t *typeDef, args Args) any { return t.metaInputs(args.Bool("includeDeprecated")) }),
		"__Type.isOneOf": ofNamed(func(t *typeDef, _ Args) any {
			if t.kind != ast.InputObject {
				return nil
			}
			return t.source.Directives.ForName("oneOf") != nil
		}),
	}
}

// metaFields returns the fields of an object or interface, nil for others.
func (t *typeDef) metaFields(deprecated bool) any {
	if t.fields == nil {
		return nil
	}
	fields := []*fieldDef{}
	for _, f := range t.fieldList {
		if !strings.HasPrefix(f.name, "__") && (deprecated || !isDeprecated(f.source.Directives)) {
			fields = append(fields, f)
		}
	}
	return fields
}

func (s *schema) metaInterfaces(t *typeDef) any {
	if t.fields == nil {
		return nil
	}
	types := []metaType{}
	for _, name := range t.source.Interfaces {
		types = append(types, metaType{ref: s.types[name].ref})
	}
	return types
}

func (t *typeDef) metaPossible() any {
	if !t.abstract() {
		return nil
	}
	return metaTypes(t.possible)
}

func (t *typeDef) metaValues(deprecated bool) any {
	if t.kind != ast.Enum {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.source.EnumValues), func(v *ast.EnumValueDefinition) bool {
		return !deprecated && isDeprecated(v.Directives)
	})
}

func (t *typeDef) metaInputs(deprecated bool) any {
	if t.kind != ast.InputObject {
		return nil
	}
	return t.inputs.listed(deprecated)
}

func (d inputDefs) listed(deprecated bool) inputDefs {
	return slices.DeleteFunc(slices.Clone(d), func(def *inputDef) bool {
		return !deprecated && isDeprecated(def.directives)
	})
}

func memberIntrospection() map[string]Resolver {
	return map[string]Resolver{
		"__Field.name":              Prop(func(f *fieldDef) any { return f.name }),
		"__Field.description":       Prop(func(f *fieldDef) any { return orNull(f.source.Description) }),
		"__Field.args":              listedArgs(func(f *fieldDef) inputDefs { return f.args }),
		"__Field.type":              Prop(func(f *fieldDef) any { return metaType{ref: f.typ} }),
		"__Field.isDeprecated":      Prop(func(f *fieldDef) any { return isDeprecated(f.source.Directives) }),
		"__Field.deprecationReason": Prop(func(f *fieldDef) any { return deprecation(f.source.Directives) }),

		"__InputValue.name":              Prop(func(d *inputDef) any { return d.name }),
		"__InputValue.description":       Prop(func(d *inputDef) any { return orNull(d.description) }),
		"__InputValue.type":              Prop(func(d *inputDef) any { return metaType{ref: d.typ} }),
		"__InputValue.defaultValue":      Prop(func(d *inputDef) any { return d.printedDefault() }),
		"__InputValue.isDeprecated":      Prop(func(d *inputDef) any { return isDeprecated(d.directives) }),
		"__InputValue.deprecationReason": Prop(func(d *inputDef) any { return deprecation(d.directives) }),

		"__EnumValue.name":              Prop(func(v *ast.EnumValueDefinition) any { return v.Name }),
		"__EnumValue.description":       Prop(func(v *ast.EnumValueDefinition) any { return orNull(v.Description) }),
		"__EnumValue.isDeprecated":      Prop(func(v *ast.EnumValueDefinition) any { return isDeprecated(v.Directives) }),
		"__EnumValue.deprecationReason": Prop(func(v *ast.EnumValueDefinition) any { return deprecation(v.Directives) }),

		"__Directive.name":         Prop(func(d *directiveDef) any { return d.source.Name }),
		"__Directive.description":  Prop(func(d *directiveDef) any { return orNull(d.source.Description) }),
		"__Directive.isRepeatable": Prop(func(d *directiveDef) any { return d.source.IsRepeatable }),
		"__Directive.locations":    Prop(func(d *directiveDef) any { return d.source.Locations }),
		"__Directive.args":         listedArgs(func(d *directiveDef) inputDefs { return d.args }),
	}
}

func listedArgs[T any](args func(T) inputDefs) Resolver {
	return Typed(func(_ context.Context, obj T, given Args) (any, error) {
		return args(obj).listed(given.Bool("includeDeprecated")), nil
	})
}

func (d *inputDef) printedDefault() any {
	if d.fallback == nil {
		return nil
	}
	return printLiteral(d.fallback)
}

func isDeprecated(directives ast.DirectiveList) bool { return directives.ForName("deprecated") != nil }

// standardReason is the reason of a deprecation that gives none.
const standardReason = "No longer supported"

func deprecation(directives ast.DirectiveList) any {
	if !isDeprecated(directives) {
		return nil
	}
	if reason := directiveText(directives, "deprecated", "reason"); reason != nil {
		return reason
	}
	return standardReason
}

// directiveText returns a text argument of a directive, nil if there is none.
func directiveText(directives ast.DirectiveList, directive, arg string) any {
	d := directives.ForName(directive)
	if d == nil {
		return nil
	}
	if a := d.Arguments.ForName(arg); a != nil {
		return a.Value.Raw
	}
	return nil
}
