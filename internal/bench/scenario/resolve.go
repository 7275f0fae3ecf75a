package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Resolved is a scenario that is bound to fixtures: what an agent is asked for,
// and what is looked at afterwards.
type Resolved struct {
	// Scenario has its input filled in, and the bound inputs merged under the
	// input of each checkpoint (rule S5).
	Scenario bench.Scenario
	// Input is that of the capability; for a workflow, the bound values.
	Input map[string]any
	// Prompt is the task as the scenario words it, its variables filled in.
	Prompt string
	// Named are the texts and numbers that the input has from the fixtures'
	// resources, in order of their places: what the task is about. An agent
	// that finds out what GitHub says of it has asked for each by one of its
	// names (rule S14): a node id also by the number, and an address by its end.
	Named [][]string
	// Repo is the repository that the agent works in, as "owner/name"; empty
	// if neither scenario nor manifest names one.
	Repo string
}

// Resolve binds a scenario of a [Library] to the fixtures of a manifest. It
// changes neither. Whole numbers are int in what it returns, whatever their
// type in the manifest.
//
// A resource or value that the manifest lacks, a value that does not fit the
// capability, and a prompt with a variable left unbound are errors of kind
// invalid.
func Resolve(s bench.Scenario, m bench.Manifest) (Resolved, error) {
	return Names(nil).Resolve(s, m)
}

// unbound says that a scenario cannot be bound.
func unbound(s bench.Scenario, err error) error {
	return fault.Invalidf("bind scenario %q to the fixtures: %w", s.ID, err)
}

// resolve binds a scenario. Its prompt has the task by the name that it goes
// by.
func resolve(s bench.Scenario, m bench.Manifest, names Names) (Resolved, error) {
	repo, err := repoOf(s, m)
	if err != nil {
		return Resolved{}, err
	}
	bound, err := boundInput(s, m)
	if err != nil {
		return Resolved{}, err
	}
	input, err := normal(s.Input)
	if err != nil {
		return Resolved{}, fmt.Errorf("read input: %w", err)
	}
	overlay(input, bound)
	if capability, known := capabilityOf(s); known {
		if err := fits(capability.misfits(input, nil)); err != nil {
			return Resolved{}, err
		}
	}
	template := s.Prompt
	if s.Type != bench.Workflow {
		template, s.Input = s.PromptTemplate, input
	}
	prompt, err := render(template, variables(s, names.Of(s.Task), input, repo))
	if err != nil {
		return Resolved{}, err
	}
	g := ground{manifest: m, input: input}
	s.Assertions.Checkpoints, err = boundCheckpoints(s.Assertions.Checkpoints, bound, g)
	if err == nil {
		s.Assertions.ExpectedData, err = boundExpectedData(s.Assertions.ExpectedData, bound, g)
	}
	if err == nil {
		s.Footprint, err = boundFootprint(s.Footprint, g)
	}
	if err != nil {
		return Resolved{}, err
	}
	return Resolved{Scenario: s, Input: input, Prompt: prompt, Repo: repo, Named: named(s, g)}, nil
}

// repoOf returns the repository that a scenario works in. A scenario that
// stands on seeded fixtures cannot work elsewhere than where they are.
func repoOf(s bench.Scenario, m bench.Manifest) (string, error) {
	if s.Fixture == nil || s.Fixture.Repo == "" {
		return m.Repo.FullName, nil
	}
	seeded := len(s.Fixture.Requires)+len(s.Fixture.Bindings) > 0
	if seeded && s.Fixture.Repo != m.Repo.FullName {
		return "", fmt.Errorf("fixture.repo is %q, but the fixtures are in %q: leave fixture.repo out, or seed the fixtures there", s.Fixture.Repo, m.Repo.FullName)
	}
	return s.Fixture.Repo, nil
}

// boundInput returns the values that the scenario's bindings take from the
// manifest, as an input.
func boundInput(s bench.Scenario, m bench.Manifest) (map[string]any, error) {
	for _, name := range s.Requires() {
		if _, seeded := m.Resources[name]; !seeded {
			return nil, fmt.Errorf("the manifest lacks the resource %q: run `bench fixtures seed`", name)
		}
	}
	bound := map[string]any{}
	if s.Fixture == nil {
		return bound, nil
	}
	for _, destination := range slices.Sorted(maps.Keys(s.Fixture.Bindings)) {
		if !bindable.MatchString(destination) {
			return nil, fmt.Errorf("bind %s: want a destination like input.prNumber", destination)
		}
		if whole, twice := boundAbove(destination, s.Fixture.Bindings); twice {
			return nil, fmt.Errorf("bind %s: %s is bound as a whole already", destination, whole)
		}
		from := s.Fixture.Bindings[destination]
		value, err := m.Lookup(from)
		if err != nil {
			return nil, fmt.Errorf("bind %s: %w: mend the binding, or run `bench fixtures seed`", destination, err)
		}
		if value == nil {
			return nil, fmt.Errorf("bind %s: %s is null in the manifest: mend the binding, or run `bench fixtures seed`", destination, from)
		}
		put(bound, bindingPath(destination), value)
	}
	return normal(bound)
}

// put stores a value at a path, and makes the objects on the way.
func put(object map[string]any, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		inner, is := object[name].(map[string]any)
		if !is {
			inner = map[string]any{}
			object[name] = inner
		}
		object = inner
	}
	object[path[len(path)-1]] = value
}

// overlay stores the fields of upper in lower; objects in both are merged.
func overlay(lower, upper map[string]any) {
	for name, value := range upper {
		over, isObject := value.(map[string]any)
		under, both := lower[name].(map[string]any)
		if isObject && both {
			overlay(under, over)
		} else {
			lower[name] = value
		}
	}
}

// normal returns a deep copy of an object, with the types that
// [jsondoc.Document.Value] has.
func normal(object map[string]any) (map[string]any, error) {
	if object == nil {
		return map[string]any{}, nil
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	document, problems := jsondoc.Parse("manifest", text)
	if len(problems) > 0 {
		return nil, problems
	}
	return document.Value().(map[string]any), nil
}

// fits returns what is wrong with a bound input as an error, nil if nothing is.
func fits(found []misfit) error {
	var wrong []string
	for _, m := range found {
		wrong = append(wrong, fmt.Sprintf("input.%s %s", strings.Join(m.path, "."), m.message))
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(wrong, "; "))
}

// variables returns the values of the template variables that have one.
func variables(s bench.Scenario, task string, input map[string]any, repo string) map[string]string {
	values := map[string]string{variableScenarioID: s.ID, variableInputJSON: canonicalJSON(input)}
	if repo != "" {
		values[variableFixtureRepo] = repo
	}
	if s.Type != bench.Workflow {
		values[variableTask] = task
		return values
	}
	if s.Fixture != nil {
		for destination := range s.Fixture.Bindings {
			path := bindingPath(destination)
			values[strings.Join(path, ".")] = plainText(input, path)
		}
	}
	return values
}

// plainText returns the value at a path of the input as prompts show it: text
// as it is, anything else as JSON.
func plainText(input map[string]any, path []string) string {
	var at any = input
	for _, name := range path {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	if text, is := at.(string); is {
		return text
	}
	return canonicalJSON(at)
}
