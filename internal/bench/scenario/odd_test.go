package scenario_test

import (
	"encoding/base64"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

// Scenarios are made by programs too, with values that no file can have.
func TestS2ValuesThatAreNoJSONAreErrors(t *testing.T) {
	odd := map[string]any{"limit": math.Inf(1)}
	deep := any("end")
	for range 2000 {
		deep = []any{deep}
	}
	read := func(r bench.Read) func(*bench.Scenario) {
		return func(s *bench.Scenario) { s.Assertions.Checkpoints[0].Read = &r }
	}
	for _, c := range []struct {
		name  string
		alter func(*bench.Scenario)
		want  string
	}{
		{"an input", func(s *bench.Scenario) { s.Input = odd }, "read input: json: unsupported value: +Inf"},
		{"an input that is too deep", func(s *bench.Scenario) { s.Input = map[string]any{"x": deep} }, "read input: "},
		{"a query's variables", read(bench.Read{Query: milestoneQuery, Variables: odd}), `bind checkpoint "c": json: unsupported value: +Inf`},
		{"a task's input", read(bench.Read{Task: "pr.threads.list", Input: odd}), `bind checkpoint "c": json: unsupported value: +Inf`},
		{"a query that is none", read(bench.Read{Query: "query {"}), `bind checkpoint "c": `},
		{"a task that is none", read(bench.Read{Task: "pr.threads.lst"}), `bind checkpoint "c": unknown capability "pr.threads.lst": did you mean "pr.threads.list"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := loaded(t, flowFile, "flow-wf-001", "assertions/checkpoints", []any{reading("empty", object{"path": "/repos/o/n"})})
			c.alter(&s)
			_, err := scenario.Resolve(s, manifest())
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestS14ANumberThatANodeIDEndsWithIsOneAfterItsMark(t *testing.T) {
	id := func(data ...byte) string { return "I_" + base64.RawURLEncoding.EncodeToString(data) }
	s := loaded(t, flowFile, "flow-wf-001", "fixture/bindings", object{
		"input.owner": "repo.owner", "input.name": "repo.name", "input.prNumber": "resources.pr.number", "input.x": "resources.pr.id",
	})
	for name, c := range map[string]struct {
		id   string
		want []string
	}{
		"four bytes alone":              {id(0xce, 0, 0, 1, 0), []string{"12", "256"}},
		"eight bytes alone":             {id(0xcf, 0, 0, 0, 1, 0, 0, 0, 0), []string{"12", "4294967296"}},
		"nine bytes without the mark":   {id(0, 0, 0, 0, 0, 0, 0, 0, 9), []string{"12"}},
		"what is no node id altogether": {"I_" + "?" + id(0xce, 0, 0, 1, 0), []string{"12"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := manifest()
			m.Resources["pr"] = map[string]any{"id": c.id, "number": 12}
			resolved, err := scenario.Resolve(s, m)
			require.NoError(t, err)
			assert.Equal(t, append([]string{c.id}, c.want...), resolved.Named[1])
		})
	}
}

func TestFilesOfATaskAreAFolderThatCanBeRead(t *testing.T) {
	folder := withTask()
	delete(folder, "files/kit/verify.sh")
	delete(folder, "files/kit/no-scenario.json")
	folder["files/kit"] = "exit 0"
	assert.Equal(t, []string{"task-001.json: target.files: cannot be read: files/kit is no folder: want a folder files/kit beside sets.json"}, said(t, folder))
}

func TestASetupThatMakesNothingIsNoMistake(t *testing.T) {
	folder := withTask()
	change(t, folder, taskFile, "target/setup", remove{})
	change(t, folder, taskFile, "target/makes", object{})
	change(t, folder, taskFile, "fixture", remove{})
	change(t, folder, taskFile, "assertions/checkpoints/read/jq", ".file.a")
	assert.NotContains(t, said(t, folder), "task-001.json: target.makes: says what setup tells, and there is no setup")
	change(t, folder, taskFile, "fixture", object{"branch": "main", "requires": []any{}})
	assert.Contains(t, said(t, folder), "task-001.json: fixture.branch: is of GitHub, and the task is not: target.setup makes what there is")
}
