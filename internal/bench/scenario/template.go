package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// The template variables that do not come from bindings (rule S2).
const (
	variableTask        = "task"
	variableScenarioID  = "scenario_id"
	variableInputJSON   = "input_json"
	variableFixtureRepo = "fixture_repo"
)

// variable finds {{name}}, and a {{ that is not closed.
var variable = regexp.MustCompile(`\{\{([^{}]*)(\}\})?`)

// templateVariables returns the names that a scenario's prompt may use.
func templateVariables(s bench.Scenario) []string {
	known := []string{variableScenarioID, variableInputJSON}
	if s.Target == nil {
		known = append(known, variableFixtureRepo)
	}
	if s.Type != bench.Workflow {
		return append(known, variableTask)
	}
	if s.Fixture != nil {
		for _, destination := range slices.Sorted(maps.Keys(s.Fixture.Bindings)) {
			known = append(known, strings.Join(bindingPath(destination), "."))
		}
	}
	return known
}

// unknownVariables returns the variables of a prompt that are not known, and
// those that are not closed, as they are written, in order.
func unknownVariables(text string, known []string) []string {
	var unknown []string
	for _, match := range variable.FindAllStringSubmatch(text, -1) {
		if name := strings.TrimSpace(match[1]); match[2] == "" || !slices.Contains(known, name) {
			unknown = append(unknown, match[0])
		}
	}
	return unknown
}

func unknownVariable(written string, known []string) string {
	var braced []string
	for _, name := range known {
		braced = append(braced, "{{"+name+"}}")
	}
	return fmt.Sprintf("%.40q is no variable that has a value: want one of %s", written, strings.Join(braced, ", "))
}

// render fills in the variables of a prompt. Values are put in as they are:
// braces in them stay.
func render(text string, values map[string]string) (string, error) {
	known := slices.Sorted(maps.Keys(values))
	if unknown := unknownVariables(text, known); len(unknown) > 0 {
		return "", fmt.Errorf("render prompt: %s", unknownVariable(unknown[0], known))
	}
	return variable.ReplaceAllStringFunc(text, func(match string) string {
		return values[strings.TrimSpace(strings.Trim(match, "{}"))]
	}), nil
}

// canonicalJSON writes a value without white space, fields sorted by name, and
// nothing escaped for HTML. Values are those that [jsondoc.Document.Value]
// has, which always can be written.
func canonicalJSON(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("scenario: write canonical JSON: %v", err))
	}
	return strings.TrimSuffix(text.String(), "\n")
}
