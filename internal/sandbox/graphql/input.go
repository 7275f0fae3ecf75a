package graphql

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// variables coerces the values that a client sent for an operation's
// variables. A variable that was not sent and has no default is absent from
// the result, and so null is told from absent.
func (s *schema) variables(defs ast.VariableDefinitionList, sent map[string]any) (map[string]any, []*Error) {
	if len(defs) == 0 {
		return nil, nil
	}
	values := make(map[string]any, len(defs))
	var errs []*Error
	for _, def := range defs {
		t := s.use(def.Type)
		v, ok := sent[def.Variable]
		if !ok && def.DefaultValue != nil {
			values[def.Variable] = constant(t, def.DefaultValue)
			continue
		}
		var in inputReader
		value := in.read(t, v)
		if in.problems != nil {
			errs = append(errs, invalidVariable(def, t, v, in.problems))
		} else if ok {
			values[def.Variable] = value
		}
	}
	return values, errs
}

// problem says what is wrong with a part of a variable's value.
type problem struct {
	Path        []any  `json:"path"`
	Explanation string `json:"explanation"`
}

func invalidVariable(def *ast.VariableDefinition, t *typeRef, sent any, problems []problem) *Error {
	message := fmt.Sprintf("Variable $%s of type %s was provided invalid value", def.Variable, t.text)
	var parts []string
	for _, p := range problems {
		if len(p.Path) > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", joinPath(p.Path), p.Explanation))
		}
	}
	if parts != nil {
		message += " for " + strings.Join(parts, ", ")
	}
	return &Error{
		Message:    message,
		Locations:  []Location{{def.Position.Line, def.Position.Column}},
		Extensions: map[string]any{"value": sent, "problems": problems},
	}
}

func joinPath(path []any) string {
	steps := make([]string, len(path))
	for i, step := range path {
		steps[i] = fmt.Sprint(step)
	}
	return strings.Join(steps, ".")
}

// inputReader coerces one value of JSON and collects what is wrong with it.
type inputReader struct {
	path     []any
	problems []problem
}

func (in *inputReader) reject(format string, args ...any) {
	in.problems = append(in.problems, problem{append([]any{}, in.path...), fmt.Sprintf(format, args...)})
}

// at reads a part of a value.
func (in *inputReader) at(step any, t *typeRef, v any) any {
	in.path = append(in.path, step)
	value := in.read(t, v)
	in.path = in.path[:len(in.path)-1]
	return value
}

func (in *inputReader) read(t *typeRef, v any) any {
	if v == nil {
		if t.nonNull {
			in.reject("Expected value to not be null")
		}
		return nil
	}
	if t.elem != nil {
		return in.list(t.elem, v)
	}
	switch t.named.kind {
	case ast.InputObject:
		return in.object(t.named, v)
	case ast.Enum:
		name, ok := v.(string)
		if !ok || !t.named.values[name] {
			in.reject("%s", unknownValue(t.named, encode(v)))
		}
		return name
	default:
		value, ok := t.named.scalar.read(jsonNumber(v))
		if !ok {
			in.reject("Could not coerce value %s to %s", encode(v), t.named.name)
		}
		return value
	}
}

func (in *inputReader) list(elem *typeRef, v any) any {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	values := make([]any, len(list))
	for i, item := range list {
		values[i] = in.at(i, elem, item)
	}
	return values
}

func (in *inputReader) object(t *typeDef, v any) any {
	fields, ok := v.(map[string]any)
	if !ok {
		in.reject("Expected %s to be a key-value object.", encode(v))
		return nil
	}
	values := Args{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		def := t.inputs.find(name)
		if def == nil {
			in.path = append(in.path, name)
			in.reject("Field is not defined on %s", t.name)
			in.path = in.path[:len(in.path)-1]
			continue
		}
		values[name] = in.at(name, def.typ, fields[name])
	}
	for _, def := range t.inputs {
		if _, ok := fields[def.name]; ok {
			continue
		}
		if def.fallback != nil {
			values[def.name] = def.value
		} else if def.typ.nonNull {
			in.at(def.name, def.typ, nil)
		}
	}
	return values
}

// jsonNumber turns the numbers that encoding/json may decode to, and Go's ints,
// into one form. Other values stay as they are.
func jsonNumber(v any) any {
	switch v := v.(type) {
	case float64:
		return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
	case int:
		return json.Number(strconv.Itoa(v))
	default:
		return v
	}
}

// encode returns a value of JSON the way GitHub quotes it in an error.
func encode(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, key+":"+encode(v[key]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = encode(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case string:
		return string(appendString(nil, v))
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

func unknownValue(enum *typeDef, quoted string) string {
	names := make([]string, len(enum.source.EnumValues))
	for i, v := range enum.source.EnumValues {
		names[i] = v.Name
	}
	return fmt.Sprintf("Expected %s to be one of: %s", quoted, strings.Join(names, ", "))
}
