package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

const (
	// referenceOpening begins a bench.Reference.
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
	found := bench.Reference.FindStringSubmatch(text)
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
	filled := bench.Reference.ReplaceAllStringFunc(text, func(found string) string {
		path, _ := wholly(found)
		value, err := g.lookup(path)
		failed = cmp.Or(failed, err)
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
	if strings.Contains(bench.Reference.ReplaceAllString(text, ""), referenceOpening) {
		c.problem(at, "%.60q has no reference that can be read: want {{repo.<field>}}, {{resources.<name>.<field>}} or {{input.<field>}}", text)
	}
	for _, found := range bench.Reference.FindAllStringSubmatch(text, -1) {
		if resource, seeded := resourceOf(found[1]); seeded && !slices.Contains(c.scenario.Requires(), resource) {
			c.problem(at, "needs the resource %q: add it to fixture.requires", resource)
		}
		if _, made := c.made(); made != nil {
			if message := lacks(made, found[1]); message != "" {
				c.problem(at, "%s", message)
			}
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

// References returns what the references that a scenario may write stand for,
// by these: those to the repository, to the input, and to the resources that
// the scenario requires, of the manifest that it was bound to.
func (r Resolved) References(m bench.Manifest) map[string]any {
	values := map[string]any{}
	for _, field := range []string{"owner", "name", "full_name", "default_branch"} {
		// These are what every manifest has.
		values[referenceTo("repo."+field)], _ = m.Lookup("repo." + field)
	}
	for name, value := range r.Input {
		addReferences(values, inputPrefix+name, value)
	}
	for _, name := range r.Scenario.Requires() {
		for field, value := range m.Resources[name] {
			addReferences(values, resourcesPrefix+name+"."+field, value)
		}
	}
	return values
}

// addReferences adds a value and, if it is an object, those in it.
func addReferences(values map[string]any, path string, value any) {
	if text := referenceTo(path); bench.Reference.MatchString(text) {
		values[text] = value
	}
	object, _ := value.(map[string]any)
	for name, inner := range object {
		addReferences(values, path+"."+name, inner)
	}
}

func referenceTo(path string) string { return referenceOpening + path + "}}" }
