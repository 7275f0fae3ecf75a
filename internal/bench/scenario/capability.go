package scenario

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Capability is one thing that ghx can do, as its version 0.8.0 describes it.
type Capability struct {
	// ID is its name, for example "pr.merge".
	ID string `json:"id"`
	// Mutates is true if it may change something on GitHub.
	Mutates bool `json:"mutates"`
	// Input describes the fields that it takes; it takes no others.
	Input map[string]Field `json:"input"`
	// Output names the fields that its result always has, OptionalOutput
	// those that it may have.
	Output         []string `json:"output"`
	OptionalOutput []string `json:"optional_output"`
}

// Field describes one field of a capability's input.
type Field struct {
	// Types are the JSON types that it may have: string, integer, number,
	// boolean, array, object, null.
	Types    []string `json:"types"`
	Required bool     `json:"required"`
	// Items is the JSON type of an array's elements, empty for other types.
	Items string `json:"items"`
	// Enum lists the values that the field, or each element of an array, may
	// have; nil means any.
	Enum []string `json:"enum"`
}

//go:embed capabilities.json
var capabilitiesFile []byte

var capabilityTable = sync.OnceValue(func() map[string]Capability {
	var all []Capability
	if err := json.Unmarshal(capabilitiesFile, &all); err != nil {
		panic(fmt.Sprintf("scenario: read capabilities.json: %v", err))
	}
	table := make(map[string]Capability, len(all))
	for _, c := range all {
		table[c.ID] = c
	}
	return table
})

// FindCapability returns the capability of that id, and whether there is one.
// What it returns must not be changed.
func FindCapability(id string) (Capability, bool) {
	c, known := capabilityTable()[id]
	return c, known
}

// CapabilityIDs returns the ids of all capabilities, sorted.
func CapabilityIDs() []string { return slices.Sorted(maps.Keys(capabilityTable())) }

// capabilityOf returns the capability that an atomic scenario asks for; there is
// none where it is not about GitHub.
func capabilityOf(s bench.Scenario) (Capability, bool) {
	if s.Target != nil {
		return Capability{}, false
	}
	return FindCapability(s.Task)
}

// Mutates reports whether the scenario may change something: whether one of its
// capabilities does or, where it is not about GitHub, its footprint allows it.
func Mutates(s bench.Scenario) bool {
	if s.Target != nil {
		return len(s.Footprint) > 0
	}
	return slices.ContainsFunc(s.Capabilities(), func(id string) bool {
		c, _ := FindCapability(id)
		return c.Mutates
	})
}

func unknownCapability(id string) string {
	return fmt.Sprintf("unknown capability %q%s", id, jsondoc.DidYouMean(id, CapabilityIDs()))
}

// misfit is a place in an input, as a path, and what is wrong with it.
type misfit struct {
	path    []string
	message string
}

// misfits returns what is wrong with an input, sorted by field. The fields
// that are bound need not be there.
func (c Capability) misfits(input map[string]any, bound []string) []misfit {
	var found []misfit
	for _, name := range slices.Sorted(maps.Keys(input)) {
		if field, known := c.Input[name]; known {
			found = append(found, field.misfits(name, input[name])...)
		} else {
			found = append(found, misfit{[]string{name}, c.unknownInput(name)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Input)) {
		_, given := input[name]
		if c.Input[name].Required && !given && !slices.Contains(bound, name) {
			found = append(found, misfit{[]string{name}, fmt.Sprintf("is missing: %s needs it, given or bound to the fixture", c.ID)})
		}
	}
	return found
}

func (c Capability) unknownInput(name string) string {
	known := slices.Sorted(maps.Keys(c.Input))
	if suggestion := jsondoc.DidYouMean(name, known); suggestion != "" {
		return fmt.Sprintf("%s has no input %q%s", c.ID, name, suggestion)
	}
	return fmt.Sprintf("%s has no input %q: it takes %s", c.ID, name, strings.Join(known, ", "))
}

func (f Field) misfits(name string, value any) []misfit {
	if !slices.ContainsFunc(f.Types, func(t string) bool { return hasType(value, t) }) {
		return []misfit{{[]string{name}, fmt.Sprintf("must be %s, is %s", jsondoc.TypeNames(f.Types), jsondoc.Show(value))}}
	}
	elements, isArray := value.([]any)
	if !isArray {
		return f.notInEnum([]string{name}, value)
	}
	var found []misfit
	for i, element := range elements {
		path := []string{name, fmt.Sprint(i)}
		if !hasType(element, f.Items) {
			found = append(found, misfit{path, fmt.Sprintf("must be %s, is %s", jsondoc.TypeNames([]string{f.Items}), jsondoc.Show(element))})
		}
		found = append(found, f.notInEnum(path, element)...)
	}
	return found
}

func (f Field) notInEnum(path []string, value any) []misfit {
	text, isText := value.(string)
	if f.Enum == nil || !isText || slices.Contains(f.Enum, text) {
		return nil
	}
	return []misfit{{path, fmt.Sprintf("must be one of %s, is %q%s", strings.Join(f.Enum, ", "), text, jsondoc.DidYouMean(text, f.Enum))}}
}

// hasType reports whether a value, of the types that [jsondoc.Document.Value]
// has, is of the JSON type.
func hasType(value any, jsonType string) bool {
	var is bool
	switch jsonType {
	case "string":
		_, is = value.(string)
	case "integer":
		_, is = value.(int)
	case "number":
		_, is = value.(int)
		if !is {
			_, is = value.(float64)
		}
	case "boolean":
		_, is = value.(bool)
	case "array":
		_, is = value.([]any)
	case "object":
		_, is = value.(map[string]any)
	case "null":
		is = value == nil
	}
	return is
}
