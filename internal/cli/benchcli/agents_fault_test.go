package benchcli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// deed is a scenario for one attempt, which is made up for what the agent's
// model does in it.
type deed struct {
	// id is that of the scenario.
	id string
	// timeout is the scenario's; 0 means one that is not reached.
	timeout time.Duration
	// steps are what the model says and calls.
	steps func(stubmodel.Request) []stubmodel.Step
	// row fails the test unless the attempt's row is as it should be.
	row func(*testing.T, bench.Row)
}

// stage has a rig whose model does deeds.
type stage struct {
	*rig
	deeds []deed
	rows  map[string]bench.Row
	ended ended
}

var scenarioLine = regexp.MustCompile(`(?m)^Scenario: (\S+)$`)

// scenarioOf returns the id of the scenario that a request belongs to.
func scenarioOf(r stubmodel.Request) string {
	for _, m := range r.Messages {
		if found := scenarioLine.FindStringSubmatch(m.Text); m.Role == "user" && found != nil {
			return found[1]
		}
	}
	return ""
}

// newStage returns a stage for deeds.
func newStage(t *testing.T, deeds []deed) *stage {
	t.Helper()
	s := &stage{deeds: deeds, rows: map[string]bench.Row{}}
	s.rig = newRig(t, func(r stubmodel.Request) []stubmodel.Step {
		for _, d := range deeds {
			if d.id == scenarioOf(r) {
				return d.steps(r)
			}
		}
		return nil
	})
	return s
}

// perform has the agent of one run do each of the deeds, in order.
func (s *stage) perform(t *testing.T, flags ...string) {
	t.Helper()
	s.ended = s.run(t, append([]string{
		"run", "agent_direct", "1", "--scenarios", s.write(t), "--scenario-set", "deeds", "--order", "sequential", "--skip-warmup",
		"--runner-retries", "0", "--gh-command", realtool.Find(t, realtool.GH()),
	}, flags...)...)
	for _, row := range s.rig.rows(t)[bench.AgentDirect] {
		s.rows[row.ScenarioID] = row
	}
}

// deedTimeout is the timeout of scenarios whose deadline is not reached.
const deedTimeout = 30 * time.Second

// write writes the scenarios of the deeds to a folder.
func (s *stage) write(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(s.dir, "scenarios")
	require.NoError(t, os.Mkdir(dir, 0o755))
	var set []string
	for _, d := range s.deeds {
		if d.timeout == 0 {
			d.timeout = deedTimeout
		}
		set = append(set, d.id)
		writeJSON(t, filepath.Join(dir, d.id+".json"), map[string]any{
			"id": d.id, "name": "A deed", "task": "repo.view", "input": map[string]any{}, "tags": []string{},
			"prompt_template": "Task: {{task}}\nScenario: {{scenario_id}}\nRepository: {{fixture_repo}}",
			"timeout_ms":      d.timeout.Milliseconds(), "allowed_retries": 0,
			"fixture":    map[string]any{"bindings": map[string]string{"input.owner": "repo.owner", "input.name": "repo.name"}},
			"assertions": map[string]any{"expected_outcome": "success", "expect_valid_output": true, "data_type": "object"},
		})
	}
	writeJSON(t, filepath.Join(dir, "sets.json"), map[string][]string{"deeds": set})
	return dir
}

func writeJSON(t *testing.T, path string, value any) {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

// check fails the test unless each deed has the row that it should have.
func (s *stage) check(t *testing.T) {
	t.Helper()
	require.Zero(t, s.ended.code, "%s%s", s.ended.stdout, s.ended.stderr)
	for _, d := range s.deeds {
		t.Run(d.id, func(t *testing.T) {
			row, there := s.rows[d.id]
			require.True(t, there, "no row")
			d.row(t, row)
		})
	}
}

// heard returns what the tools of an attempt have told its model.
func (s *stage) heard(id string) string {
	var last stubmodel.Request
	for _, r := range s.model.Requests() {
		if scenarioOf(r) == id {
			last = r
		}
	}
	var heard strings.Builder
	for _, m := range last.Messages {
		if m.Role == "tool" {
			heard.WriteString(m.Text + "\n")
		}
	}
	return heard.String()
}

// says is a model that says one thing after the other.
func says(steps ...stubmodel.Step) func(stubmodel.Request) []stubmodel.Step {
	return func(stubmodel.Request) []stubmodel.Step { return steps }
}

// done is the answer to a deed's scenario.
func done() stubmodel.Step {
	return stubmodel.Step{Text: envelope(map[string]any{}), Usage: stubmodel.Usage{Prompt: 100, Completion: 10}}
}

// runs is a model that has commands run and then answers.
func runs(commands ...string) func(stubmodel.Request) []stubmodel.Step {
	var steps []stubmodel.Step
	for _, c := range commands {
		steps = append(steps, stubmodel.Step{Calls: []stubmodel.Call{bash(c)}, Usage: stubmodel.Usage{Prompt: 100, Completion: 10}})
	}
	return says(append(steps, done())...)
}

func succeeds(t *testing.T, row bench.Row) {
	t.Helper()
	assert.True(t, row.Success, "%+v", row.Error)
	assert.True(t, row.OutputValid)
}

// answers fails the test unless an attempt that had no reason to ask GitHub has
// a valid answer, with which nothing else is wrong.
func answers(t *testing.T, row bench.Row) {
	t.Helper()
	assert.True(t, row.OutputValid)
	assert.Equal(t, &bench.RowError{Type: bench.AssertionFailed, Message: "The agent answered without asking GitHub."}, row.Error)
}

// failsAs fails the test unless the row has an error of that type whose
// message has the text.
func failsAs(kind bench.ErrorType, text string) func(*testing.T, bench.Row) {
	return func(t *testing.T, row bench.Row) {
		t.Helper()
		require.NotNil(t, row.Error)
		assert.Equal(t, kind, row.Error.Type)
		assert.Contains(t, row.Error.Message, text)
		assert.False(t, row.Success)
	}
}

// sleeper is a command that ends too late and that no other process runs.
func sleeper(n int) string { return fmt.Sprintf("sleep %d%d", 1000000+os.Getpid(), n) }

// running returns the command lines of processes that have the text in it, in
// their environment, or as the folder that they are in.
func running(t *testing.T, text string) []string {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	var found []string
	for _, folder := range folders {
		// What has ended meanwhile does not run.
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		environment, _ := os.ReadFile(filepath.Join(folder, "environ"))
		in, _ := os.Readlink(filepath.Join(folder, "cwd"))
		if strings.Contains(string(command)+"\n"+string(environment)+"\n"+in, text) {
			found = append(found, strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return found
}

// requireNothingLeft fails unless the run's processes and folders are gone.
func (s *stage) requireNothingLeft(t *testing.T) {
	t.Helper()
	assert.Empty(t, running(t, s.temp))
	assert.Empty(t, running(t, fmt.Sprint("sleep ", 1000000+os.Getpid())))
	left, err := os.ReadDir(s.temp)
	require.NoError(t, err)
	assert.Empty(t, left)
}

const megabyte = 1 << 20

// The clocks of runs with agents that are too late.
const (
	lateAnswer = "3s"
	lateSign   = "3s"
)

func TestR8WhateverAModelDoesComesToARow(t *testing.T) {
	t.Parallel()
	answer := envelope(map[string]any{"is": "the last"})
	left := make(chan []string, 2)
	s := newStage(t, []deed{
		{id: "no-envelope-001", steps: says(stubmodel.Step{Text: "I have done it."}), row: func(t *testing.T, row bench.Row) {
			failsAs(bench.AssertionFailed, "")(t, row)
			assert.Equal(t, 3, row.Continuations, "N8: three requests to complete the answer")
			assert.Equal(t, 4, row.Turns)
		}},
		{id: "three-envelopes-001",
			steps: says(stubmodel.Step{Text: `{"ok": false, "data": null, "error": {"code": "X"}, "meta": {}} no: {"ok": fal` + "\n```json\n" + answer + "\n```\n"}),
			row: func(t *testing.T, row bench.Row) {
				answers(t, row)
				assert.Zero(t, row.Continuations)
			}},
		{id: "much-text-001", steps: says(stubmodel.Step{Text: strings.Repeat("All work and no play. ", 5*megabyte/22) + answer, ChunkBytes: megabyte}), row: answers},
		{id: "no-utf-001", steps: says(stubmodel.Step{Text: "\xff\xfe\x00 " + envelope(map[string]any{"text": "\xc3("})}), row: answers},
		{id: "breaks-off-001", steps: says(stubmodel.Step{Text: answer, ChunkBytes: 5, Break: &stubmodel.Break{At: 3, How: stubmodel.Garbage}}), row: func(t *testing.T, row bench.Row) {
			assert.False(t, row.Success)
			require.NotNil(t, row.Error)
		}},
		{id: "never-answers-001", steps: says(stubmodel.Step{Hang: &stubmodel.Hang{}}),
			row: failsAs(bench.TimeoutNoFirstAnswer, lateAnswer)},
		{id: "falls-silent-001", steps: says(stubmodel.Step{Text: answer, ChunkBytes: 5, Hang: &stubmodel.Hang{Before: 3}}),
			row: failsAs(bench.TimeoutStalled, lateSign)},
		{id: "never-ends-001", timeout: 2 * time.Second, steps: says(stubmodel.Step{Text: strings.Repeat("and ", 1000), ChunkBytes: 4, Pause: 100 * time.Millisecond}),
			row: failsAs(bench.TimeoutNoFinalAnswer, "2s")},
		{id: "tool-never-ends-001", timeout: 4 * time.Second, steps: runs("echo begun; " + sleeper(1)),
			row: func(t *testing.T, row bench.Row) {
				failsAs(bench.TimeoutNoFinalAnswer, "4s")(t, row)
				assert.Equal(t, 1, row.ToolCalls)
			}},
		{id: "after-a-tool-001", steps: func(r stubmodel.Request) []stubmodel.Step {
			left <- running(t, sleeper(1))
			return says(done())(r)
		}, row: answers},
		{id: "kills-its-server-001", steps: runs("kill -9 $PPID; " + sleeper(2)), row: failsAs(bench.RunnerError, "OpenCode has ended")},
		{id: "after-its-end-001", steps: func(r stubmodel.Request) []stubmodel.Step {
			left <- running(t, sleeper(2))
			return says(done())(r)
		}, row: answers},
	})
	s.perform(t, "--first-answer-timeout", lateAnswer, "--stall-timeout", lateSign)
	s.check(t)
	for range 2 {
		assert.Empty(t, <-left, "tools that did not end were ended with their attempt")
	}
	s.requireNothingLeft(t)
	s.requireNoSecret(t)
}
