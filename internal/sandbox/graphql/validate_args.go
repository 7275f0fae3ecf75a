package graphql

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// argumentOwner is what has arguments: a field, a directive or an input object.
type argumentOwner struct {
	kind     string
	name     string
	defs     inputDefs
	location []Location
}

func (v *validator) argument(owner argumentOwner, name string, value *ast.Value, position *ast.Position) {
	v.push(name)
	defer v.pop()
	def := owner.defs.find(name)
	if def == nil {
		v.add(at(position),
			map[string]any{"code": "argumentNotAccepted", "name": owner.name, "typeName": owner.kind, "argumentName": name},
			"%s '%s' doesn't accept argument '%s'", owner.kind, owner.name, name)
		return
	}
	v.useVariables(variableUse{node: value, place: v.place, owner: def, argument: position})
	v.nested(def, value)
	if value.Kind == ast.Variable || v.reportedBelow() {
		return
	}
	if mismatch(def.typ, value) != "" {
		v.add(owner.location,
			map[string]any{"code": "argumentLiteralsIncompatible", "typeName": owner.kind, "argumentName": name},
			"Argument '%s' on %s '%s' has an invalid value (%s). Expected type '%s'.",
			name, owner.kind, owner.name, printLiteral(value), def.typ.text)
	}
}

// nested checks the input objects inside an argument's value.
func (v *validator) nested(def *inputDef, value *ast.Value) {
	isList := def.typ.elem != nil
	for i, part := range nestedNodes(value, nil) {
		if part.Kind != ast.ObjectValue {
			continue
		}
		if isList {
			v.push(i)
		}
		v.inputObject(def.typ.base(), part)
		if isList {
			v.pop()
		}
	}
}

// nestedNodes returns the parts of a value that are more than text, with lists
// flattened. Their positions are the indexes in GitHub's paths.
func nestedNodes(value *ast.Value, nodes []*ast.Value) []*ast.Value {
	switch value.Kind {
	case ast.ListValue:
		for _, child := range value.Children {
			nodes = nestedNodes(child.Value, nodes)
		}
	case ast.Variable, ast.ObjectValue, ast.EnumValue, ast.NullValue:
		nodes = append(nodes, value)
	default:
	}
	return nodes
}

func (v *validator) inputObject(t *typeDef, value *ast.Value) {
	if t.kind != ast.InputObject {
		return // the value does not fit, which the argument reports
	}
	for _, def := range t.inputs {
		if def.required() && value.Children.ForName(def.name) == nil {
			v.push(def.name)
			v.add(at(value.Position), map[string]any{
				"code": "missingRequiredInputObjectAttribute", "argumentName": def.name,
				"argumentType": def.typ.text, "inputObjectType": t.name,
			}, "Argument '%s' on InputObject '%s' is required. Expected type %s", def.name, t.name, def.typ.text)
			v.pop()
		}
	}
	v.unique(namesOf(value.Children, func(c *ast.ChildValue) (string, *ast.Position) { return c.Name, c.Position }),
		"inputFieldNotUnique", "name", "There can be only one input field named \"%s\"")
	owner := argumentOwner{kind: "InputObject", name: t.name, defs: t.inputs, location: at(value.Position)}
	for _, child := range value.Children {
		v.argument(owner, child.Name, child.Value, child.Position)
	}
}

func (v *validator) requiredArguments(kind, name string, position *ast.Position, defs inputDefs, given ast.ArgumentList) {
	var missing []string
	for _, def := range defs {
		if def.required() && given.ForName(def.name) == nil {
			missing = append(missing, def.name)
		}
	}
	if missing == nil {
		return
	}
	list := strings.Join(missing, ", ")
	v.add(at(position),
		map[string]any{"code": "missingRequiredArguments", "className": kind, "name": name, "arguments": list},
		"%s '%s' is missing required arguments: %s", kind, name, list)
}

func (v *validator) uniqueArguments(args ast.ArgumentList) {
	v.unique(namesOf(args, func(a *ast.Argument) (string, *ast.Position) { return a.Name, a.Position }),
		"argumentNotUnique", "name", "There can be only one argument named \"%s\"")
}

// directives checks the directives of a place of the document.
func (v *validator) directives(list ast.DirectiveList, location ast.DirectiveLocation) {
	for _, d := range list {
		def := v.schema.directives[d.Name]
		if def == nil {
			v.undefinedDirective(d)
			continue
		}
		place := &ast.Position{Line: d.Position.Line, Column: d.Position.Column - 1}
		v.directiveLocation(d, def, location)
		v.requiredArguments("Directive", d.Name, place, def.args, d.Arguments)
		v.uniqueArguments(d.Arguments)
		owner := argumentOwner{kind: "Directive", name: d.Name, defs: def.args, location: at(place)}
		for _, a := range d.Arguments {
			v.argument(owner, a.Name, a.Value, a.Position)
		}
	}
}

func (v *validator) undefinedDirective(d *ast.Directive) {
	err := v.unknownDirectives[d.Name]
	if err == nil {
		err = &Error{
			Message:    fmt.Sprintf("Directive @%s is not defined", d.Name),
			Path:       v.place.path(),
			Extensions: map[string]any{"code": "undefinedDirective", "directiveName": d.Name},
		}
		v.unknownDirectives[d.Name] = err
		v.keep(err)
	}
	err.Locations = append(err.Locations, atSign(d))
}

// locationNames are the places of a document where directives can stand.
func locationName(l ast.DirectiveLocation) string {
	switch l {
	case ast.LocationQuery:
		return "queries"
	case ast.LocationMutation:
		return "mutations"
	case ast.LocationSubscription:
		return "subscriptions"
	case ast.LocationField:
		return "fields"
	case ast.LocationFragmentDefinition:
		return "fragment definitions"
	case ast.LocationFragmentSpread:
		return "fragment spreads"
	case ast.LocationInlineFragment:
		return "inline fragments"
	case ast.LocationVariableDefinition:
		return "variable definitions"
	default:
		return ""
	}
}

func (v *validator) directiveLocation(d *ast.Directive, def *directiveDef, location ast.DirectiveLocation) {
	allowed := make([]string, len(def.source.Locations))
	for i, l := range def.source.Locations {
		if l == location {
			return
		}
		allowed[i] = locationName(l)
	}
	v.add([]Location{atSign(d)},
		map[string]any{"code": "directiveCannotBeApplied", "targetName": locationName(location), "name": d.Name},
		"'@%s' can't be applied to %s (allowed: %s)", d.Name, locationName(location), strings.Join(allowed, ", "))
}

// uniqueDirectives checks that no directive stands twice at one place.
func (v *validator) uniqueDirectives(list ast.DirectiveList) {
	if len(list) < 2 {
		return
	}
	first := map[string]*ast.Directive{}
	reported := map[string]*Error{}
	for _, d := range list {
		earlier := first[d.Name]
		if def := v.schema.directives[d.Name]; earlier == nil {
			if def == nil || !def.source.IsRepeatable {
				first[d.Name] = d
			}
			continue
		}
		err := reported[d.Name]
		if err == nil {
			err = &Error{
				Message:    fmt.Sprintf("The directive %q can only be used once at this location.", d.Name),
				Path:       v.place.path(),
				Locations:  []Location{atSign(earlier)},
				Extensions: map[string]any{"code": "directiveNotUniqueForLocation", "directiveName": d.Name},
			}
			reported[d.Name] = err
			v.keep(err)
		}
		err.Locations = append(err.Locations, atSign(d))
	}
}

// nameAt is a name and its place.
type nameAt struct {
	text     string
	position *ast.Position
}

func namesOf[S ~[]T, T any](list S, of func(T) (string, *ast.Position)) []nameAt {
	out := make([]nameAt, len(list))
	for i, item := range list {
		out[i].text, out[i].position = of(item)
	}
	return out
}

// unique reports every name that is there more than once.
func (v *validator) unique(list []nameAt, code, key, format string) {
	if len(list) < 2 {
		return
	}
	places := map[string][]*ast.Position{}
	for _, n := range list {
		places[n.text] = append(places[n.text], n.position)
	}
	for _, n := range list {
		if len(places[n.text]) > 1 && places[n.text][0] == n.position {
			v.add(at(places[n.text]...), map[string]any{"code": code, key: n.text}, "%s", fmt.Sprintf(format, n.text))
		}
	}
}
