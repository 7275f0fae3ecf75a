package graphql

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// literalReader coerces valid literals.
type literalReader struct {
	vars map[string]any
	// denied is the first non-null type that got null from a variable, nil if
	// there is none.
	denied *typeRef
}

// constant coerces a literal without variables.
func constant(t *typeRef, v *ast.Value) any {
	var r literalReader
	value, _ := r.read(t, v)
	return value
}

// read returns a literal's value. It reports false for a variable that is
// absent; null is nil and true.
func (r *literalReader) read(t *typeRef, v *ast.Value) (any, bool) {
	switch {
	case v.Kind == ast.Variable:
		value, ok := r.vars[v.Raw]
		if ok && value == nil && t.nonNull && r.denied == nil {
			r.denied = t
		}
		return value, ok
	case v.Kind == ast.NullValue:
		return nil, true
	case t.elem != nil:
		return r.list(t.elem, v), true
	case t.named.kind == ast.InputObject:
		return r.object(t.named, v), true
	case t.named.kind == ast.Enum:
		return v.Raw, true
	default:
		value, _ := t.named.scalar.read(scalarLiteral(v))
		return value, true
	}
}

func (r *literalReader) list(elem *typeRef, v *ast.Value) any {
	if v.Kind != ast.ListValue {
		item, _ := r.read(elem, v)
		return []any{item}
	}
	values := make([]any, len(v.Children))
	for i, child := range v.Children {
		values[i], _ = r.read(elem, child.Value)
	}
	return values
}

func (r *literalReader) object(t *typeDef, v *ast.Value) any {
	values := Args{}
	for _, def := range t.inputs {
		child := v.Children.ForName(def.name)
		if child != nil {
			if value, ok := r.read(def.typ, child); ok {
				values[def.name] = value
				continue
			}
		}
		if def.fallback != nil {
			values[def.name] = constant(def.typ, def.fallback)
		}
	}
	return values
}

// scalarLiteral returns what a scalar reads: a string, bool or json.Number, or
// nil for a literal of another kind.
func scalarLiteral(v *ast.Value) any {
	switch v.Kind {
	case ast.IntValue, ast.FloatValue:
		return json.Number(v.Raw)
	case ast.StringValue, ast.BlockValue:
		return v.Raw
	case ast.BooleanValue:
		return v.Raw == "true"
	default:
		return nil
	}
}

// mismatch checks a literal against a type. It returns "" for one that fits,
// and otherwise an explanation, perhaps only genericMismatch.
func mismatch(t *typeRef, v *ast.Value) string {
	switch {
	case v.Kind == ast.NullValue:
		if t.nonNull {
			return genericMismatch
		}
		return ""
	case t.elem != nil:
		return listMismatch(t.elem, v)
	case v.Kind == ast.Variable:
		return ""
	case t.named.kind == ast.Scalar:
		if literal := scalarLiteral(v); literal != nil {
			if _, ok := t.named.scalar.read(literal); ok {
				return ""
			}
		}
		return fmt.Sprintf("Could not coerce value %s to %s", printLiteral(v), t.named.name)
	case t.named.kind == ast.Enum && v.Kind == ast.EnumValue:
		if t.named.values[v.Raw] {
			return ""
		}
		return unknownValue(t.named, string(appendString(nil, v.Raw)))
	case t.named.kind == ast.InputObject && v.Kind == ast.ObjectValue:
		return objectMismatch(t.named, v)
	default:
		return genericMismatch
	}
}

// genericMismatch is an explanation without a text of its own.
const genericMismatch = "?"

func listMismatch(elem *typeRef, v *ast.Value) string {
	if v.Kind != ast.ListValue {
		return mismatch(elem, v)
	}
	for _, child := range v.Children {
		if why := mismatch(elem, child.Value); why != "" {
			return why
		}
	}
	return ""
}

func objectMismatch(t *typeDef, v *ast.Value) string {
	for _, def := range t.inputs {
		if def.required() && v.Children.ForName(def.name) == nil {
			return genericMismatch
		}
	}
	for _, child := range v.Children {
		def := t.inputs.find(child.Name)
		if def == nil {
			return genericMismatch
		}
		if why := mismatch(def.typ, child.Value); why != "" {
			return why
		}
	}
	return ""
}

// printLiteral returns a literal as GitHub prints it in errors and in
// introspection.
func printLiteral(v *ast.Value) string {
	switch v.Kind {
	case ast.Variable:
		return "$" + v.Raw
	case ast.StringValue, ast.BlockValue:
		return string(appendString(nil, v.Raw))
	case ast.ListValue:
		parts := make([]string, len(v.Children))
		for i, child := range v.Children {
			parts[i] = printLiteral(child.Value)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case ast.ObjectValue:
		parts := make([]string, len(v.Children))
		for i, child := range v.Children {
			parts[i] = child.Name + ": " + printLiteral(child.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return v.Raw
	}
}
