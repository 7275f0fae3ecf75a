package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// boundFootprint fills in what the allowances refer to.
func boundFootprint(allowed []bench.Allowance, g ground) ([]bench.Allowance, error) {
	var bound []bench.Allowance
	for i, a := range allowed {
		name, err := g.text(a.Name)
		if err != nil {
			return nil, fmt.Errorf("bind footprint %d: %w: mend the reference, or run `bench fixtures seed`", i, err)
		}
		a.Name = name
		if a.Fields != nil {
			if a.Fields, err = boundFields(a.Fields, g); err != nil {
				return nil, fmt.Errorf("bind footprint %d: %w: mend the reference, or run `bench fixtures seed`", i, err)
			}
		}
		bound = append(bound, a)
	}
	return bound, nil
}

// boundFields fills in what names and values of fields refer to.
func boundFields(fields map[string]any, g ground) (map[string]any, error) {
	bound := map[string]any{}
	for name, want := range fields {
		name, err := g.text(name)
		if err != nil {
			return nil, err
		}
		if bound[name], err = g.fill(want); err != nil {
			return nil, err
		}
	}
	return bound, nil
}

// footprint checks what a scenario allows to be changed (rule S12).
func (c *checker) footprint() {
	allowed := c.scenario.Footprint
	if len(allowed) == 0 && Mutates(c.scenario) && c.scenario.Assertions.Outcome() == bench.OutcomeSuccess {
		c.warn([]string{"footprint"}, "is empty, so that whatever an attempt changes fails it: `bench scenarios footprint %s` proposes what to allow", c.scenario.ID)
	}
	for i, a := range allowed {
		at := []string{"footprint", strconv.Itoa(i)}
		c.references(a.Name, append(at, "name")...)
		c.allowance(a, at)
	}
	if i, why := footprint.GuardsNothing(allowed); why != "" {
		c.problem([]string{"footprint", strconv.Itoa(i), "name"}, "%s", why)
	}
}

// allowance checks that there is something of the kind whose fields can become
// what is allowed: what cannot happen allows nothing, and whoever did what was
// meant would fail.
func (c *checker) allowance(a bench.Allowance, at []string) {
	kinds := objects(c.scenario)
	fields, known := kinds[a.Object]
	if kinds != nil && !known {
		c.problem(below(at, "object"), "must be a kind of object that changes are told of, is %q%s", a.Object, orAll(a.Object, kinds))
	}
	for _, name := range slices.Sorted(maps.Keys(a.Fields)) {
		place := below(at, "fields", name)
		c.reference(name, place)
		c.references(a.Fields[name], place...)
		if !known {
			c.becomes(nil, a.Fields[name], place)
			continue
		}
		field, message := fieldOf(a.Object, name, fields)
		if message != "" {
			c.keyProblem(place, "%s", message)
			continue
		}
		c.becomes(field, a.Fields[name], place)
	}
}

// becomes checks what a field may become, nil being one of which nothing is
// known.
func (c *checker) becomes(field *Field, want any, at []string) {
	object, _ := want.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		operator, known := footprint.Operators[name]
		switch place := below(at, name); {
		case known && len(object) == 1:
			c.condition(field, name, operator, object[name], place)
			return
		case field.has("object"):
			// It is the value itself.
		case known:
			c.keyProblem(place, "must be the only condition of the field, which has %d", len(object))
			return
		default:
			c.keyProblem(place, "is no condition of a field%s", orAll(name, footprint.Operators))
			return
		}
	}
	c.fits(field, want, at)
}

// condition checks a condition of a field by what it is about and what it takes.
func (c *checker) condition(field *Field, name string, operator footprint.Operator, operand any, at []string) {
	text, isText := operand.(string)
	_, isReference := wholly(text)
	switch {
	case operator.Of != "" && !field.has(operator.Of):
		c.keyProblem(at, "is a condition of %s, and the field is %s", jsondoc.TypeNames([]string{operator.Of}), jsondoc.TypeNames(field.Types))
	case isReference:
	case name == footprint.OpAny && operand != true && len([]rune(text)) < minReason:
		c.problem(at, "must be true, or a sentence that says why the field may be anything, is %s", jsondoc.Show(operand))
	case name == footprint.OpAny:
	case !hasType(operand, operator.Takes):
		c.problem(at, "must be %s, is %s", jsondoc.TypeNames([]string{operator.Takes}), jsondoc.Show(operand))
	case isText:
		if _, err := regexp.Compile(text); err != nil && name == footprint.OpMatches {
			c.problem(at, "must be a regular expression (RE2): %v", err)
		}
	case operator.Of == "array":
		c.fits(field, operand, at)
	default:
		for i, option := range operand.([]any) {
			c.fits(field, option, below(at, strconv.Itoa(i)))
		}
	}
}

// minReason is how long a sentence is at least, in characters.
const minReason = 10

// fits checks that a field can have a value: none, one of its type, or what a
// reference stands for.
func (c *checker) fits(field *Field, value any, at []string) {
	text, _ := value.(string)
	_, isReference := wholly(text)
	elements, isArray := value.([]any)
	switch {
	case field == nil || value == nil || isReference:
	case isArray && field.Items != "":
		for i, element := range elements {
			c.fits(&Field{Types: []string{field.Items}}, element, below(at, strconv.Itoa(i)))
		}
	case !slices.ContainsFunc(field.Types, func(t string) bool { return hasType(value, t) }):
		c.problem(at, "must be %s, is %s", jsondoc.TypeNames(field.Types), jsondoc.Show(value))
	}
}

// below is a place in what is at another one.
func below(at []string, steps ...string) []string { return append(slices.Clone(at), steps...) }
