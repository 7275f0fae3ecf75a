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

// reference finds {{repo.owner}}, {{resources.pr.number}} and {{input.title}}
// in a text of a checkpoint, a read or a footprint.
var reference = regexp.MustCompile(`\{\{((?:repo|resources|input)(?:\.[A-Za-z0-9_]+)+)\}\}`)

const (
	// referenceOpening begins a reference.
	referenceOpening = "{{"
	inputPrefix      = "input."
)

// ground is what references stand for: the values of a manifest, and those of
// the scenario's input after binding.
type ground struct {
	manifest bench.Manifest
	input    map[string]any
}

// lookup returns the value at a reference's path.
func (g ground) lookup(path string) (any, error) {
	below, isInput := strings.CutPrefix(path, inputPrefix)
	if !isInput {
		return g.manifest.Lookup(path)
	}
	var at any = g.input
	for name := range strings.SplitSeq(below, ".") {
		object, _ := at.(map[string]any)
		value, known := object[name]
		if !known {
			return nil, fmt.Errorf("the input has no %q", below)
		}
		at = value
	}
	return at, nil
}

// wholly returns the path that a text refers to, if it is a reference and
// nothing else.
func wholly(text string) (path string, is bool) {
	found := reference.FindStringSubmatch(text)
	if found == nil || found[0] != text {
		return "", false
	}
	return found[1], true
}

// fill returns a copy of a value with what its references stand for: a text
// that is a reference becomes the value, of whatever type; one that has
// references among other words gets them as texts.
func (g ground) fill(value any) (any, error) {
	switch value := value.(type) {
	case string:
		if path, is := wholly(value); is {
			return g.lookup(path)
		}
		return g.text(value)
	case map[string]any:
		copied := make(map[string]any, len(value))
		for name, part := range value {
			meant, err := g.fill(part)
			if err != nil {
				return nil, err
			}
			copied[name] = meant
		}
		return copied, nil
	case []any:
		copied := make([]any, 0, len(value))
		for _, part := range value {
			meant, err := g.fill(part)
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

// text returns a text with its references filled in as texts.
func (g ground) text(text string) (string, error) {
	var failed error
	filled := reference.ReplaceAllStringFunc(text, func(found string) string {
		path, _ := wholly(found)
		value, err := g.lookup(path)
		if err != nil && failed == nil {
			failed = err
		}
		if text, is := value.(string); is {
			return text
		}
		return canonicalJSON(value)
	})
	return filled, failed
}

// references checks the references in a part of a scenario.
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
	if strings.Contains(reference.ReplaceAllString(text, ""), referenceOpening) {
		c.problem(at, "%.60q has no reference that can be read: want {{repo.<field>}}, {{resources.<name>.<field>}} or {{input.<field>}}", text)
	}
	for _, found := range reference.FindAllStringSubmatch(text, -1) {
		if resource, seeded := resourceOf(found[1]); seeded && !slices.Contains(c.scenario.Requires(), resource) {
			c.problem(at, "needs the resource %q: add it to fixture.requires", resource)
		}
		if below, is := strings.CutPrefix(found[1], inputPrefix); is && !c.hasInput(firstSegment(below)) {
			c.problem(at, "refers to input.%s, which the scenario neither gives nor binds", firstSegment(below))
		}
	}
}

// hasInput reports whether the scenario's input has a field, given or bound.
func (c *checker) hasInput(name string) bool {
	_, given := c.scenario.Input[name]
	return given || slices.Contains(boundNames(c.scenario.Fixture), name)
}

// readInput checks the input of a checkpoint's read. The types of what it
// refers to are known only when it is bound.
func (c *checker) readInput(read Capability, input map[string]any, at ...string) {
	given, bound := maps.Clone(input), boundNames(c.scenario.Fixture)
	for name, value := range input {
		text, _ := value.(string)
		if _, is := wholly(text); is && read.Input[name].Types != nil {
			delete(given, name)
			bound = append(bound, name)
		}
	}
	c.report(read, read.misfits(given, bound), at)
	c.references(input, at...)
}

// dereferenced returns a checkpoint with what its own references stand for.
func dereferenced(c bench.Checkpoint, g ground) (bench.Checkpoint, error) {
	own, err := normal(c.VerificationInput)
	if err != nil {
		return c, fmt.Errorf("read input of checkpoint %q: %w", c.Name, err)
	}
	input, err := g.fill(own)
	if err == nil {
		c.VerificationInput, err = normal(input.(map[string]any))
	}
	if err == nil {
		c.ExpectedValue, err = g.fill(c.ExpectedValue)
	}
	if err != nil {
		return c, fmt.Errorf("bind checkpoint %q: %w: mend the reference, or run `bench fixtures seed`", c.Name, err)
	}
	return c, nil
}
