package jsondoc

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// missing is the message of a field that is not there.
const missing = "is missing"

// translation turns the library's tree of errors into problems.
type translation struct {
	document *Document
	schema   *node
	// meant has the paths of the fields that unknown ones were probably meant
	// to be.
	meant map[string]bool
}

// translate returns the problems of the whole tree. A missing field and one
// that was probably meant to be it are one defect.
func (t translation) translate(e *jsonschema.ValidationError) Problems {
	return slices.DeleteFunc(t.problems(e), func(p Problem) bool {
		return p.Message == missing && t.meant[p.Path]
	})
}

func (t translation) problems(e *jsonschema.ValidationError) Problems {
	path := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return t.each(path, k.Missing, func(field []string) Problem {
			return t.document.Problem(field, missing)
		})
	case *kind.AdditionalProperties:
		return t.each(path, k.Properties, func(field []string) Problem {
			return t.document.KeyProblem(field, "%s", t.unknownField(e.SchemaURL, field))
		})
	case *kind.FalseSchema:
		return Problems{t.document.KeyProblem(path, "is not allowed here: remove it")}
	case *kind.UniqueItems:
		again := append(slices.Clone(path), strconv.Itoa(k.Duplicates[1]))
		return Problems{t.document.Problem(again, "is the same as element %d: want each once", k.Duplicates[0])}
	case *kind.AnyOf:
		return t.alternatives(e)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return t.alternatives(e)
		}
	}
	if len(e.Causes) > 0 {
		return t.all(e.Causes)
	}
	return Problems{t.document.Problem(path, "%s", t.sentence(e))}
}

func (t translation) all(errs []*jsonschema.ValidationError) Problems {
	var problems Problems
	for _, e := range errs {
		problems = append(problems, t.problems(e)...)
	}
	return problems
}

func (t translation) each(parent, names []string, problem func(field []string) Problem) Problems {
	var problems Problems
	for _, name := range names {
		problems = append(problems, problem(append(slices.Clone(parent), name)))
	}
	return problems
}

func (t translation) unknownField(schemaURL string, field []string) string {
	schema := t.schema.at(schemaURL)
	parent, name := field[:len(field)-1], field[len(field)-1]
	text := fmt.Sprintf("unknown field %q", clip(name))
	known := slices.Sorted(maps.Keys(schema.members["properties"].fields()))
	if meant, is := closest(name, known); is {
		t.meant[t.document.root.show(append(slices.Clone(parent), meant))] = true
		return text + didYouMean(meant)
	}
	for _, pattern := range slices.Sorted(maps.Keys(schema.members["patternProperties"].fields())) {
		known = append(known, "those that match "+pattern+schema.example())
	}
	return text + ": known are " + strings.Join(known, ", ")
}

// example returns the schema's first example, which tells people more than a
// pattern: the value, or the first field's name of an object.
func (n *node) example() string {
	examples := n.members["examples"].node
	if examples == nil || len(examples.items) == 0 {
		return ""
	}
	example := examples.items[0]
	if names := slices.Sorted(maps.Keys(example.members)); len(names) > 0 {
		return fmt.Sprintf(" (for example %q)", names[0])
	}
	return fmt.Sprintf(" (for example %s)", Show(example.value))
}

func (m member) fields() map[string]member {
	if m.node == nil {
		return nil
	}
	return m.node.members
}

// alternatives returns the problems of the alternative that was probably
// meant: of those that want the value's type, one whose constants fit, then
// the one with the fewest problems. Alternatives that differ in nothing but
// their type or their constant make one problem that names them all.
func (t translation) alternatives(e *jsonschema.ValidationError) Problems {
	var best []*jsonschema.ValidationError
	var types []string
	constants := &kind.Enum{}
	for _, cause := range e.Causes {
		leaves := leaves(cause)
		if len(leaves) == 1 && len(leaves[0].InstanceLocation) == len(e.InstanceLocation) {
			switch k := leaves[0].ErrorKind.(type) {
			case *kind.Type:
				types = append(types, k.Want...)
				continue
			case *kind.Const:
				constants.Got, constants.Want = k.Got, append(constants.Want, k.Want)
				continue
			}
		}
		if best == nil || rank(leaves) < rank(best) {
			best = leaves
		}
	}
	switch {
	case best != nil:
		return t.all(best)
	case len(constants.Want) > 0:
		return Problems{t.document.Problem(e.InstanceLocation, "%s", enumSentence(constants))}
	default:
		return Problems{t.document.Problem(e.InstanceLocation, "must be %s, is %s", TypeNames(types), t.shown(e))}
	}
}

// rank is the lower the likelier an alternative with these errors was meant.
func rank(errs []*jsonschema.ValidationError) int {
	rank := len(errs)
	for _, e := range errs {
		if _, is := e.ErrorKind.(*kind.Const); is {
			rank += constantWeight
		}
	}
	return rank
}

// constantWeight makes a constant that does not fit outweigh other errors:
// constants are what tells alternatives apart.
const constantWeight = 1000

// leaves returns the errors below e that have no further cause, or whose
// causes are alternatives.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return []*jsonschema.ValidationError{e}
	}
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// sentence says what a leaf of the tree wants, and what is there.
func (t translation) sentence(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return fmt.Sprintf("must be %s, is %s", TypeNames(k.Want), t.shown(e))
	case *kind.Enum:
		return enumSentence(k)
	case *kind.Const:
		return fmt.Sprintf("must be %s, is %s", Show(k.Want), Show(k.Got))
	case *kind.Minimum:
		return fmt.Sprintf("must be at least %s, is %s", number(k.Want), number(k.Got))
	case *kind.Maximum:
		return fmt.Sprintf("must be at most %s, is %s", number(k.Want), number(k.Got))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("must be more than %s, is %s", number(k.Want), number(k.Got))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("must be less than %s, is %s", number(k.Want), number(k.Got))
	case *kind.MinItems:
		return fmt.Sprintf("must have %d or more elements, has %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d elements, has %d", k.Want, k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("must have %d or more fields, has %d", k.Want, k.Got)
	case *kind.MinLength:
		return fmt.Sprintf("must have %d or more characters, has %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters, has %d", k.Want, k.Got)
	case *kind.Pattern:
		return fmt.Sprintf("must match %s%s, is %s", k.Want, t.schema.at(e.SchemaURL).example(), Show(k.Got))
	default:
		return fmt.Sprintf("does not fit the schema's rule %q", strings.Join(k.KeywordPath(), "."))
	}
}

func enumSentence(k *kind.Enum) string {
	var wanted, texts []string
	for _, want := range k.Want {
		wanted = append(wanted, Show(want))
		if text, is := want.(string); is {
			texts = append(texts, text)
		}
	}
	sentence := fmt.Sprintf("must be one of %s, is %s", strings.Join(wanted, ", "), Show(k.Got))
	if len(wanted) == 1 {
		sentence = fmt.Sprintf("must be %s, is %s", wanted[0], Show(k.Got))
	}
	got, _ := k.Got.(string)
	return sentence + DidYouMean(got, texts)
}

func (t translation) shown(e *jsonschema.ValidationError) string {
	at, _ := t.document.root.follow(e.InstanceLocation)
	return Show(at.value)
}

// TypeNames says in words which JSON types are wanted: "a string or null".
func TypeNames(types []string) string {
	names := map[string]string{
		"object": "an object", "array": "an array", "string": "a string", "integer": "a whole number",
		"number": "a number", "boolean": "true or false", "null": "null",
	}
	var wanted []string
	for _, name := range types {
		wanted = append(wanted, names[name])
	}
	slices.Sort(wanted)
	return strings.Join(slices.Compact(wanted), " or ")
}

func number(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'f', -1, 64)
}
