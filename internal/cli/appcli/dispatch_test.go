package appcli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/redact"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// workflow is what `bench init --app` writes.
func workflow(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	_, err := benchcli.World{Stdout: &out, Stderr: os.Stderr, Getenv: os.Getenv, Secrets: redact.New()}.Run(t.Context(), "init", "--app", "--out", "-")
	require.NoError(t, err)
	return out.Bytes()
}

// newDispatched is a world whose App has a workflow run the benchmark. Its job
// goes on until the test ends it.
func newDispatched(t *testing.T) *world {
	t.Helper()
	config := strings.ReplaceAll(trial, "executor: local\n", "")
	w := newWorld(t, config, gitstore.Change{Path: ".github/workflows/bench.yml", Content: workflow(t)})
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "bench.yml", Hanging: true}}
	})
	w.serve()
	w.open()
	return w
}

// started waits for the workflow's run, and returns it.
func (w *world) started(count int) *model.Run {
	w.t.Helper()
	var run *model.Run
	w.until("the workflow runs", func() bool {
		found := 0
		w.Look(func(s *model.State) {
			for r := range s.Runs.All() {
				if r.Event == "workflow_dispatch" {
					run = r
					found++
				}
			}
		})
		return found == count
	})
	return run
}

// planOf returns what a workflow's run is to do.
func (w *world) planOf(run *model.Run) map[string]any {
	w.t.Helper()
	var plan map[string]any
	require.NoError(w.t, json.Unmarshal([]byte(run.Inputs["plan"]), &plan))
	return plan
}

// download writes the artifact that a plan names to a folder, as a workflow's
// step does.
func (w *world) download(plan map[string]any) string {
	w.t.Helper()
	folder := w.t.TempDir()
	w.Look(func(s *model.State) {
		for a := range s.Artifacts.All() {
			if a.Name == fmt.Sprint("bench-", plan["earlier-run"]) && fmt.Sprint(a.RunID) == plan["earlier-workflow-run"] {
				for name, text := range a.More {
					require.NoError(w.t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
				}
			}
		}
	})
	return folder
}

// play does what the workflow does: it runs the engine with the plan, and
// returns the files that it uploads. The flags are further ones.
func (w *world) play(run *model.Run, flags ...string) map[string]string {
	w.t.Helper()
	plan := w.planOf(run)
	assert.Equal(w.t, w.head, run.Inputs["sha"])
	assert.Equal(w.t, []any{"scripted", "pr-view-001", "agent_direct,ghx"}, []any{plan["provider"], plan["scenarios"], plan["modes"]})
	folder := w.t.TempDir()
	cmd, out := command(nil)
	flags = append([]string{
		"verify", "--output-dir", folder, "--scenario", "pr-view-001", "--repetitions", "2",
		"--git-repo", "owner/hello", "--git-commit", run.Inputs["sha"],
	}, flags...)
	if plan["earlier-run"] != nil {
		flags = append(flags, "--rows", w.download(plan))
	}
	cmd = exec.Command(cmd.Path, flags...)
	cmd.Env = []string{asBench + "=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + w.t.TempDir()}
	cmd.Stdout, cmd.Stderr = out, out
	_ = cmd.Run() // the gate may fail
	require.LessOrEqual(w.t, cmd.ProcessState.ExitCode(), 1, out)
	files := map[string]string{}
	for _, pattern := range []string{"summary.json", "run.json", "*-suite.jsonl"} {
		found, err := filepath.Glob(filepath.Join(folder, "*", pattern))
		require.NoError(w.t, err)
		for _, file := range found {
			text, err := os.ReadFile(file)
			require.NoError(w.t, err)
			files[filepath.Base(file)] = string(text)
		}
	}
	return files
}

// finish ends the workflow's run with an artifact of these files.
func (w *world) finish(run *model.Run, conclusion model.Conclusion, files map[string]string) {
	w.t.Helper()
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "bench.yml", Hanging: true}}
		if files != nil {
			s.Scripts[0].Uploads = []model.Upload{{Name: "bench-" + run.Inputs["run-id"], File: "report.html", Text: "x", More: files}}
		}
		s.FinishRun(s.Runs.Get(run.ID), conclusion)
	})
}

// base returns the pull request's base commit.
func (w *world) base() string {
	w.t.Helper()
	return w.As("writer").Get(fmt.Sprintf("%s/pulls/%d", sandboxtest.Path, w.number)).Text("base.sha")
}

func TestRowsOfTheBaseOnThisMachineAreOfItsCommit(t *testing.T) {
	w := newWorld(t, trial+"modes: [ghx@base, ghx]\nbaseline_mode: ghx@base\n")
	s := w.serve()
	w.open()
	w.concluded(1)
	s.stop(t)
	db, err := queue.OpenDB(t.Context(), w.database)
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.Query(t.Context(), "SELECT row FROM run_row")
	require.NoError(t, err)
	defer rows.Close()
	commits := map[bench.Mode]string{}
	for rows.Next() {
		var line []byte
		require.NoError(t, rows.Scan(&line))
		var row bench.Row
		require.NoError(t, json.Unmarshal(line, &row))
		commits[row.Mode] = *row.Git.Commit
	}
	require.NoError(t, rows.Err())
	assert.Equal(t, map[bench.Mode]string{bench.GHXBase: w.base(), bench.GHX: w.head}, commits)
}

func TestAWorkflowRunsTheBenchmark(t *testing.T) {
	w := newDispatched(t)
	run := w.started(1)
	assert.Equal(t, "bench "+run.Inputs["run-id"], run.DisplayTitle)
	assert.Equal(t, model.InProgress, w.last().Status)
	assert.Equal(t, w.base(), w.planOf(run)["base-commit"])
	w.finish(run, model.Success, w.play(run))
	check := w.concluded(1)
	assert.Equal(t, model.Conclusion("neutral"), check.Conclusion)
	assert.Contains(t, check.Output.Text, "Active tokens")
	w.said("imulated")
	w.started(1)
}

// timestamps returns when the cells of uploaded files were run.
func timestamps(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	at := map[string]string{}
	for name, text := range files {
		if !strings.HasSuffix(name, "-suite.jsonl") {
			continue
		}
		for line := range strings.Lines(text) {
			var row bench.Row
			require.NoError(t, json.Unmarshal([]byte(line), &row))
			at[row.Cell().String()] = row.Timestamp
		}
	}
	return at
}

func TestARetryGoesOnWithWhatAnEarlierWorkflowLeft(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newDispatched(t)
	earlier := func(run *model.Run) []any {
		plan := w.planOf(run)
		return []any{plan["earlier-run"], plan["earlier-workflow-run"]}
	}
	w.finish(w.started(1), model.Failure, nil)
	w.concluded(1)

	// The second one ends early: a row is missing, and one is a runner failure.
	w.comment("writer", "/bench retry")
	second := w.started(2)
	assert.Equal(t, []any{nil, nil}, earlier(second), "there is nothing to go on with")
	partial := w.play(second, "--script-fault", "ghx/pr-view-001/2=crash")
	delete(partial, "summary.json")
	for name, text := range partial {
		if strings.Contains(name, "agent_direct") {
			partial[name], _, _ = strings.Cut(text, "\n")
		}
	}
	w.finish(second, model.Failure, partial)
	assert.Contains(t, w.concluded(2).Output.Summary, "ended before the benchmark was complete")

	w.comment("writer", "/bench retry")
	third := w.started(3)
	here := []any{second.Inputs["run-id"], fmt.Sprint(second.ID)}
	assert.Equal(t, here, earlier(third))
	w.finish(third, model.Failure, nil)
	w.concluded(3)

	w.comment("writer", "/bench retry")
	fourth := w.started(4)
	assert.Equal(t, here, earlier(fourth), "the third one has left nothing")
	whole := w.play(fourth)
	before, now := timestamps(t, partial), timestamps(t, whole)
	require.Len(t, before, 3)
	require.Len(t, now, 4)
	for cell, at := range before {
		assert.Equal(t, at, now[cell], "%s: what was tried counts, also the runner failure", cell)
	}
	w.finish(fourth, model.Success, whole)
	check := w.concluded(4)
	assert.Equal(t, model.Conclusion("neutral"), check.Conclusion)
	assert.Contains(t, check.Output.Text, "| Runs | 2 | 2 |")
	w.comment("writer", "/bench retry")
	w.said("there is nothing to do")
}

func TestAWorkflowWithoutResults(t *testing.T) {
	for name, c := range map[string]struct {
		conclusion model.Conclusion
		files      map[string]string
		want       model.Conclusion
		says       string
	}{
		"it fails":            {model.Failure, nil, "action_required", "left no artifact"},
		"it is cancelled":     {model.Cancelled, nil, "cancelled", "Its workflow was cancelled"},
		"its results are odd": {model.Success, map[string]string{"summary.json": "{}"}, "action_required", "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newDispatched(t)
			run := w.started(1)
			w.finish(run, c.conclusion, c.files)
			check := w.concluded(1)
			assert.Equal(t, c.want, check.Conclusion)
			assert.Contains(t, check.Output.Summary, c.says)
			assert.Contains(t, check.Output.Summary, "/actions/runs/")
		})
	}
}

func TestACancelReachesTheWorkflow(t *testing.T) {
	w := newDispatched(t)
	run := w.started(1)
	w.comment("writer", "/bench cancel")
	assert.Equal(t, model.Conclusion("cancelled"), w.concluded(1).Conclusion)
	w.until("the workflow is cancelled", func() bool {
		cancelled := false
		w.Look(func(s *model.State) {
			now := s.Runs.Get(run.ID).Current()
			cancelled = now.Status == model.Completed && now.Conclusion == model.Cancelled
		})
		return cancelled
	})
}

func TestAWorkflowThatIsNotThere(t *testing.T) {
	w := newWorld(t, "model: scripted\n")
	w.serve()
	w.open()
	check := w.concluded(1)
	assert.Equal(t, model.Conclusion("action_required"), check.Conclusion)
	assert.Contains(t, check.Output.Summary, "bench init --app")
}
