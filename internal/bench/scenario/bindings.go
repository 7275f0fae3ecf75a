package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// resourcesPrefix begins a binding's source that is a resource.
const resourcesPrefix = "resources."

// bindable is what a binding's destination looks like. The schema has the same
// pattern.
var bindable = regexp.MustCompile(`^input(\.[A-Za-z][A-Za-z0-9_]*)+$`)

// bindings checks where the scenario's bindings lead and what they need (rule
// S2). That they are well-formed is the schema's matter.
func (c *checker) bindings() {
	if c.scenario.Fixture == nil {
		return
	}
	bindings := c.scenario.Fixture.Bindings
	for _, destination := range slices.Sorted(maps.Keys(bindings)) {
		at := []string{"fixture", "bindings", destination}
		if resource, is := resourceOf(bindings[destination]); is && !slices.Contains(c.scenario.Requires(), resource) {
			c.problem(at, "needs the resource %q: add it to fixture.requires", resource)
		}
		if whole, twice := boundAbove(destination, bindings); twice {
			c.keyProblem(at, "%s is bound as a whole already", whole)
		}
		if capability, known := capabilityOf(c.scenario); known {
			if message := capability.unbindable(bindingPath(destination)); message != "" {
				c.keyProblem(at, "%s", message)
			}
		}
	}
}

// unbindable says why the capability's input has no place at the path, empty
// if it has.
func (c Capability) unbindable(path []string) string {
	field, known := c.Input[path[0]]
	switch {
	case !known:
		return c.unknownInput(path[0])
	case len(path) > 1 && !slices.Contains(field.Types, "object"):
		return fmt.Sprintf("%s is not an object, so it has no %q", path[0], path[1])
	default:
		return ""
	}
}

// boundAbove returns a binding's destination that the given one lies within.
func boundAbove(destination string, bindings map[string]string) (string, bool) {
	for other := range bindings {
		if strings.HasPrefix(destination, other+".") {
			return other, true
		}
	}
	return "", false
}

// bindingPath splits "input.a.b" into a and b.
func bindingPath(destination string) []string { return strings.Split(destination, ".")[1:] }

// resourceOf returns the resource that has to be seeded for a binding's
// source, if there is one: every manifest has metadata.
func resourceOf(from string) (string, bool) {
	rest, is := strings.CutPrefix(from, resourcesPrefix)
	name := firstSegment(rest)
	return name, is && name != bench.MetadataResource
}

func firstSegment(dotted string) string {
	first, _, _ := strings.Cut(dotted, ".")
	return first
}

// boundNames returns the fields of the input that bindings fill, wholly or in
// part, sorted.
func boundNames(fixture *bench.Fixture) []string {
	if fixture == nil {
		return nil
	}
	var names []string
	for destination := range fixture.Bindings {
		names = append(names, bindingPath(destination)[0])
	}
	slices.Sort(names)
	return slices.Compact(names)
}
