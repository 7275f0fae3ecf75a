package scenario_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

func TestS10OneOfTheStandardSetsNeedsTheOthers(t *testing.T) {
	standard := []string{"default", "workflows", "ci-verify-pr", "ci-verify-release"}
	for _, set := range append(standard, "full-seeded") {
		problems := said(t, object{"sets.json": object{set: []string{"read-001"}}, "read-001.json": read("read-001")})
		for _, other := range standard {
			missing := "sets.json: " + other + ": is missing: want a list of scenario ids"
			if other != set {
				assert.Contains(t, problems, missing, set)
			}
		}
	}
}

func TestS10SetsOfReadsHaveNoWrites(t *testing.T) {
	for _, set := range []string{"default", "pr-review-reads", "ci-diagnostics", "ci-log-analysis"} {
		folder := minimal()
		change(t, folder, scenario.SetsFile, set, []string{"read-001", "read-002", "read-003", "read-004", "read-005", "write-001"})
		assert.Contains(t, said(t, folder), "sets.json: "+set+": must have reads alone, but write-001 changes something")
	}
}

// full returns what is said of the set full-seeded, by the beginning.
func full(t *testing.T, folder object, begins string) string {
	t.Helper()
	for _, problem := range said(t, folder) {
		if found, is := strings.CutPrefix(problem, "sets.json: full-seeded: "+begins); is {
			return found
		}
	}
	return ""
}

func TestS10WhatFullSeededLacks(t *testing.T) {
	const (
		onFixtures = "must have every scenario that stands on fixtures, lacks "
		capability = "must have an atomic scenario for every capability, lacks one for "
	)
	folder := minimal()
	change(t, folder, scenario.SetsFile, "full-seeded", []string{"write-001", "write-002", "write-003", "write-004", "flow-wf-001"})
	change(t, folder, "read/read-002.json", "fixture", object{"requires": []any{"issue"}})
	change(t, folder, "read/read-002.json", "input/issueNumber", 1)
	change(t, folder, "read/read-003.json", "fixture", remove{})
	change(t, folder, "read/read-003.json", "input/issueNumber", 1)
	change(t, folder, "read/read-004.json", "fixture", object{"repo": "cli/cli"})
	change(t, folder, "read/read-004.json", "input/issueNumber", 1)
	assert.Equal(t, "read-001, read-002, read-005, read-006, write-005", full(t, folder, onFixtures))
	assert.Contains(t, full(t, folder, capability), "issue.view, ", "a scenario outside of the set covers nothing")
	assert.NotContains(t, full(t, folder, capability), "pr.merge, ")

	change(t, folder, scenario.SetsFile, "full-seeded", []string{"read-001"})
	assert.NotContains(t, full(t, folder, capability), "issue.view, ")
	change(t, folder, readFile, "assertions", object{"expected_outcome": "expected_error", "expected_error_code": "NOT_FOUND"})
	assert.Contains(t, full(t, folder, capability), "issue.view, ", "an error covers nothing")

	folder[writeFile] = "{"
	assert.Empty(t, full(t, folder, capability), "what a broken file covers is not known")
}

func TestS1AFileOfAnotherNameIsOneProblem(t *testing.T) {
	folder := minimal()
	change(t, folder, readFile, "id", "read-101")
	change(t, folder, scenario.SetsFile, "default", []string{"read-101", "read-002", "read-003", "read-004", "read-005", "read-006"})
	assert.Equal(t, []string{`read/read-001.json: id: must be "read-001", as the file is called, is "read-101"`}, said(t, folder))
}

func TestS1EachFileOfTheSameIDNamesTheFirst(t *testing.T) {
	folder := minimal()
	folder["read/b/read-001.json"], folder["read/c/read-001.json"] = read("read-001"), read("read-001")
	const twice = `.json: id: must be unique, but "read-001" is the id of read/b/read-001.json too`
	assert.Equal(t, []string{"read/c/read-001" + twice, "read/read-001" + twice}, said(t, folder))
}

func TestWhatIsNoScenarioIsNotReadAsOne(t *testing.T) {
	folder := minimal()
	for _, other := range []string{
		"schema.json", "sets.schema.json", "world.schema.json", "expectations.json", "expectations.schema.json", "audit.json", "audit.schema.json", "README.md", "worlds/a.json",
	} {
		folder[other] = "{"
	}
	folder["odd.json/read-007.json"] = read("read-007")
	change(t, folder, scenario.SetsFile, "mine", []string{"read-007"})
	require.Empty(t, said(t, folder), "nor is a folder that is called like a file")
}

func TestS3OneBoundOnToolCallsIsEnough(t *testing.T) {
	for _, bound := range []string{"min_tool_calls", "max_tool_calls"} {
		folder := minimal()
		change(t, folder, readFile, "assertions/"+bound, 2)
		assert.Empty(t, said(t, folder))
	}
}

func TestS1AnUnknownTaskIsOneProblem(t *testing.T) {
	folder := minimal()
	change(t, folder, readFile, "task", "issue.veiw")
	change(t, folder, readFile, "assertions/required_data_fields", []any{"title"})
	assert.Equal(t, []string{`read/read-001.json: task: unknown capability "issue.veiw": did you mean "issue.view"?`}, said(t, folder))
}
