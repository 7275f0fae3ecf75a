package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// reference is a text in a checkpoint that stands for a value of the fixture
// manifest.
var reference = regexp.MustCompile(`^\{\{((?:repo|resources)(?:\.[A-Za-z0-9_]+)+)\}\}$`)

// referenceOpening begins a text that is meant as a reference.
const referenceOpening = "{{"

// referred returns the manifest's path that a value refers to, if it does.
func referred(value any) (path string, is bool) {
	text, _ := value.(string)
	if found := reference.FindStringSubmatch(text); found != nil {
		return found[1], true
	}
	return "", false
}

// dereference returns a copy of a value with what its references stand for.
func dereference(value any, m bench.Manifest) (any, error) {
	if path, is := referred(value); is {
		return m.Lookup(path)
	}
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for name, part := range value {
			meant, err := dereference(part, m)
			if err != nil {
				return nil, err
			}
			copied[name] = meant
		}
		return copied, nil
	case []any:
		copied := make([]any, 0, len(value))
		for _, part := range value {
			meant, err := dereference(part, m)
			if err != nil {
				return nil, err
			}
			copied = append(copied, meant)
		}
		return copied, nil
	default:
		return value, nil
	}
}

// references checks the references in a part of a checkpoint.
func (c *checker) references(value any, at ...string) {
	in := func(step string) []string { return append(slices.Clone(at), step) }
	switch value := value.(type) {
	case string:
		c.reference(value, at)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			c.references(value[name], in(name)...)
		}
	case []any:
		for i, part := range value {
			c.references(part, in(strconv.Itoa(i))...)
		}
	}
}

func (c *checker) reference(text string, at []string) {
	path, is := referred(text)
	if !is {
		if strings.HasPrefix(text, referenceOpening) {
			c.problem(at, "%.60q is no reference: want {{repo.<field>}} or {{resources.<name>.<field>}}", text)
		}
		return
	}
	if resource, seeded := resourceOf(path); seeded && !slices.Contains(c.scenario.Requires(), resource) {
		c.problem(at, "needs the resource %q: add it to fixture.requires", resource)
	}
}

// readInput checks the input of a checkpoint's read. The types of what it
// refers to are known only when it is bound.
func (c *checker) readInput(read Capability, input map[string]any, at ...string) {
	given, bound := maps.Clone(input), boundNames(c.scenario.Fixture)
	for name, value := range input {
		if _, is := referred(value); is && read.Input[name].Types != nil {
			delete(given, name)
			bound = append(bound, name)
		}
	}
	c.report(read, read.misfits(given, bound), at)
	c.references(input, at...)
}

// dereferenced returns a checkpoint with what its own references stand for.
func dereferenced(c bench.Checkpoint, m bench.Manifest) (bench.Checkpoint, error) {
	own, err := normal(c.VerificationInput)
	if err != nil {
		return c, fmt.Errorf("read input of checkpoint %q: %w", c.Name, err)
	}
	input, err := dereference(own, m)
	if err == nil {
		c.VerificationInput, err = normal(input.(map[string]any))
	}
	if err == nil {
		c.ExpectedValue, err = dereference(c.ExpectedValue, m)
	}
	if err != nil {
		return c, fmt.Errorf("bind checkpoint %q: %w: mend the reference, or run `bench fixtures seed`", c.Name, err)
	}
	return c, nil
}
