package model_test

import (
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// pipeline is a workflow whose last job is written first.
const pipeline = `
name: Pipeline
on:
  pull_request:
    types: [opened, synchronize, reopened, closed, ready_for_review]
  workflow_dispatch:
    inputs:
      level: {type: choice, options: [low, high], default: low}
      name: {required: true}
run-name: Pipeline for ${{ inputs.name }}
jobs:
  deploy:
    needs: [build, test]
    steps: [{run: "make deploy\nmore"}]
  build:
    name: Build it
    steps: [{uses: actions/checkout@v4}, {name: Compile, run: make}]
  test:
    needs: build
    steps: [{run: make test}]
  lint:
    steps: [{run: make lint}]
`

func workflow(name, text string) gitstore.Change {
	return gitstore.Change{Path: ".github/workflows/" + name, Content: []byte(text)}
}

func (w *world) dispatch(name string, inputs map[string]string) *model.Run {
	w.t.Helper()
	run, err := w.Dispatch(w.writer, w.repo, w.WorkflowByRef(w.repo, name), "main", inputs)
	require.NoError(w.t, err)
	return run
}

// jobs returns how the jobs of a run's current attempt stand, as "key attempt
// state".
func (w *world) jobs(run *model.Run) []string {
	var jobs []string
	for _, id := range run.Current().Jobs {
		j := w.Jobs.Get(id)
		state := string(j.Status)
		if j.Status == model.Completed {
			state = string(j.Conclusion)
		}
		jobs = append(jobs, j.Key+" "+itoa(j.Attempt)+" "+state)
		check := w.CheckRuns.Get(id)
		assert.Equal(w.t, []any{j.Name, j.Status, j.Conclusion}, []any{check.Name, check.Status, check.Conclusion}, "a job is a check run")
	}
	return jobs
}

func TestRunsStart(t *testing.T) {
	w := newWorld(t, workflow("p.yml", pipeline), workflow("push.yaml", "on: push\njobs: {x: {}}"), workflow("notes.txt", "on: push"),
		workflow("broken.yml", "on: [push\njobs: {"), workflow("nojobs.yml", "on: push"), workflow("off.yml", "on: push\njobs: {x: {}}"))
	w.WorkflowByRef(w.repo, "off.yml").Disabled = true
	before := w.Runs.Len()
	pr := w.pull("f", "f", "x\n")
	var events []string
	for r := range w.Runs.All() {
		events = append(events, r.Event+" "+w.Workflows.Get(r.WorkflowID).Name+": "+r.DisplayTitle)
	}
	assert.Equal(t, []string{
		"push .github/workflows/push.yaml: first", "push .github/workflows/push.yaml: add f", "pull_request Pipeline: Pipeline for ${{ inputs.name }}",
	}, events[before:], "runs are of files that are workflows, known to the default branch and enabled")

	actions := func(change func()) int {
		n := len(w.Runs.Where(func(r *model.Run) bool { return r.Event == "pull_request" }))
		change()
		return len(w.Runs.Where(func(r *model.Run) bool { return r.Event == "pull_request" })) - n
	}
	edit := func(e model.IssueEdit) func() {
		return func() { require.NoError(t, w.EditIssue(w.writer, w.repo, pr, e)) }
	}
	assert.Equal(t, 1, actions(func() { w.write("f", "g", "x", "g") }), "a push to its head")
	assert.Equal(t, 0, actions(edit(model.IssueEdit{Title: ptr("new")})))
	assert.Equal(t, 1, actions(edit(model.IssueEdit{State: ptr("closed")})))
	assert.Equal(t, 1, actions(edit(model.IssueEdit{State: ptr("open")})))
	assert.Equal(t, 0, actions(func() { require.NoError(t, w.SetDraft(w.writer, pr, true)) }))
	assert.Equal(t, 1, actions(func() { require.NoError(t, w.SetDraft(w.writer, pr, false)) }))
	run := w.Runs.First(func(r *model.Run) bool { return r.Event == "pull_request" })
	assert.Equal(t, pr.ID, run.PullID)
	assert.Equal(t, 1, run.Number)
}

func TestFilters(t *testing.T) {
	for _, c := range []struct {
		on, event string
		runs      bool
	}{
		{"push", "push", true},
		{"[pull_request, push]", "push", true},
		{"pull_request", "push", false},
		{"{push: }", "push", true},
		{"{push: {branches: [feature/**]}}", "push", true},
		{"{push: {branches: feature/*}}", "push", false},
		{"{push: {branches: ['feature/*/c']}}", "push", true},
		{"{push: {branches: ['**', '!feature/**']}}", "push", false},
		{"{push: {branches: ['!feature/**', '**/c']}}", "push", true},
		{"{push: {branches-ignore: [main]}}", "push", true},
		{"{push: {branches-ignore: ['feature/b/[a-c]']}}", "push", false},
		{"{push: {branches: ['(']}}", "push", false},
		{"{push: {tags: [v1]}}", "push", false},
		{"{pull_request: {branches: [main]}}", "pull_request", true},
		{"{pull_request: {branches: [feature/**]}}", "pull_request", false},
		{"{pull_request: {types: [closed]}}", "pull_request", false},
		{"{pull_request: {types: opened}}", "pull_request", true},
		{"5", "push", false},
	} {
		w := newWorld(t, workflow("c.yml", "on: "+c.on+"\njobs: {x: {}}\n"))
		w.branch("feature/b/c")
		w.write("feature/b/c", "f", "x", "f")
		head := w.head("feature/b/c")
		w.open("feature/b/c")
		runs := w.Runs.Where(func(r *model.Run) bool { return r.Event == c.event && r.HeadSHA == head })
		assert.Equal(t, c.runs, len(runs) > 0, "%s on %s", c.event, c.on)
	}
}

func TestJobsWaitForThoseTheyNeed(t *testing.T) {
	for _, c := range []struct {
		name    string
		scripts []model.Script
		jobs    []string
		status  model.Status
		ended   model.Conclusion
	}{
		{"all is well", nil,
			[]string{"build 1 success", "test 1 success", "deploy 1 success", "lint 1 success"}, model.Completed, model.Success},
		{"the first fails", []model.Script{{Workflow: "p.yml", Job: "build", Outcomes: []model.Conclusion{model.Failure}}},
			[]string{"build 1 failure", "test 1 skipped", "deploy 1 skipped", "lint 1 success"}, model.Completed, model.Failure},
		{"one times out", []model.Script{{Workflow: "p.yml", Job: "lint", Outcomes: []model.Conclusion{model.TimedOut}}},
			[]string{"build 1 success", "test 1 success", "deploy 1 success", "lint 1 timed_out"}, model.Completed, model.Failure},
		{"one hangs", []model.Script{{Workflow: "p.yml", Job: "test", Hanging: true}},
			[]string{"build 1 success", "test 1 in_progress", "deploy 1 queued", "lint 1 success"}, model.InProgress, ""},
		{"one waits for a machine", []model.Script{{Workflow: "p.yml", Job: "test", Waiting: true}},
			[]string{"build 1 success", "test 1 queued", "deploy 1 queued", "lint 1 success"}, model.InProgress, ""},
		{"all wait for a machine", []model.Script{{Workflow: "p.yml", Waiting: true}},
			[]string{"build 1 queued", "test 1 queued", "deploy 1 queued", "lint 1 queued"}, model.Queued, ""},
		{"everything is skipped", []model.Script{{Workflow: "p.yml", Outcomes: []model.Conclusion{model.Skipped}}},
			[]string{"build 1 skipped", "test 1 skipped", "deploy 1 skipped", "lint 1 skipped"}, model.Completed, model.Skipped},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, workflow("p.yml", pipeline))
			w.Scripts = c.scripts
			run := w.dispatch("p.yml", map[string]string{"name": "x"})
			assert.Equal(t, c.jobs, w.jobs(run))
			assert.Equal(t, c.status, run.Current().Status)
			assert.Equal(t, c.ended, run.Current().Conclusion)
		})
	}
}

func TestJobsThatNeedEachOther(t *testing.T) {
	w := newWorld(t, workflow("c.yml", "on: workflow_dispatch\njobs:\n  a: {needs: b}\n  b: {needs: [a, none]}\n  c: {needs: c}\n"))
	assert.Len(t, w.jobs(w.dispatch("c.yml", nil)), 3)
}

func TestSteps(t *testing.T) {
	w := newWorld(t, workflow("p.yml", pipeline))
	w.Scripts = []model.Script{{
		Workflow: "p.yml", Job: "build", Outcomes: []model.Conclusion{model.Failure}, FailingStep: "Run actions/checkout@v4", Log: "no such repository\n",
	}}
	job := w.Jobs.Get(w.dispatch("p.yml", map[string]string{"name": "x"}).Current().Jobs[0])
	var steps []string
	for _, s := range job.Steps {
		steps = append(steps, s.Name+": "+string(s.Conclusion))
	}
	assert.Equal(t, []string{
		"Set up job: success", "Run actions/checkout@v4: failure", "Compile: skipped", "Complete job: success",
	}, steps)
	assert.Equal(t, "Build it", job.Name)
	assert.Contains(t, job.Log(), "Z no such repository\n")
	assert.Contains(t, job.Log(), "Z ##[error]Process completed with exit code 1.\n")
	assert.NotContains(t, job.Log(), "Compile")
	for line := range strings.Lines(job.Log()) {
		assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z `, line)
	}
	assert.Len(t, w.CheckRuns.Get(job.ID).Annotations, 1)
}

func TestRunningAgain(t *testing.T) {
	w := newWorld(t, workflow("p.yml", pipeline))
	w.Scripts = []model.Script{{Workflow: "p.yml", Job: "test", Outcomes: []model.Conclusion{model.Failure, model.Success}}}
	run := w.dispatch("p.yml", map[string]string{"name": "x"})
	first := run.Current().Jobs
	assert.Equal(t, []string{"build 1 success", "test 1 failure", "deploy 1 skipped", "lint 1 success"}, w.jobs(run))

	require.NoError(t, w.Rerun(w.owner, run, true))
	assert.Equal(t, []string{"build 1 success", "lint 1 success", "test 2 success", "deploy 2 success"}, w.jobs(run),
		"what failed runs again with what needs it; the rest is kept")
	assert.Equal(t, model.Success, run.Current().Conclusion)
	assert.Equal(t, w.owner, run.Current().ActorID)
	assert.Equal(t, first, run.Attempts[0].Jobs, "the attempt before stays as it was")
	assert.Equal(t, model.Failure, run.Attempts[0].Conclusion)
	assert.Equal(t, "This workflow run has no failed jobs to retry", said(t, w.Rerun(w.owner, run, true)))

	require.NoError(t, w.Rerun(w.owner, run, false))
	assert.Equal(t, []string{"build 3 success", "test 3 success", "deploy 3 success", "lint 3 success"}, w.jobs(run))
	assert.Len(t, w.Rollup(w.repo, run.HeadSHA).Runs, 4, "a commit's checks are the latest of each name")
	assert.Equal(t, model.Success, w.Rollup(w.repo, run.HeadSHA).State())
}

func TestHangingRunsAreCancelled(t *testing.T) {
	w := newWorld(t, workflow("p.yml", pipeline))
	w.Scripts = []model.Script{{Workflow: "p.yml", Job: "build", Hanging: true}}
	run := w.dispatch("p.yml", map[string]string{"name": "x"})
	assert.Empty(t, w.Rollup(w.repo, run.HeadSHA).State())
	assert.Equal(t, "This workflow run is already running", said(t, w.Rerun(w.owner, run, false)))
	require.NoError(t, w.Cancel(w.owner, run))
	assert.Equal(t, []string{"build 1 cancelled", "test 1 cancelled", "deploy 1 cancelled", "lint 1 success"}, w.jobs(run))
	assert.Equal(t, model.Cancelled, run.Current().Conclusion)
	for _, s := range w.Jobs.Get(run.Current().Jobs[0]).Steps {
		assert.Equal(t, model.Completed, s.Status)
	}
	problem := refusal(t, w.Cancel(w.owner, run))
	assert.Equal(t, model.Conflict, problem.Kind)
	assert.Equal(t, "Cannot cancel a workflow run that is completed.", problem.Message)
}

func TestWaitingRunsAreCancelled(t *testing.T) {
	w := newWorld(t, workflow("p.yml", pipeline))
	w.Scripts = []model.Script{{Workflow: "p.yml", Waiting: true}}
	run := w.dispatch("p.yml", map[string]string{"name": "x"})
	assert.Empty(t, w.Jobs.Get(run.Current().Jobs[0]).Steps, "nothing has begun")
	require.NoError(t, w.Cancel(w.owner, run))
	assert.Equal(t, model.Cancelled, run.Current().Conclusion)
}

func TestDispatch(t *testing.T) {
	w := newWorld(t, workflow("p.yml", pipeline), workflow("push.yml", "on: push\njobs: {x: {}}"))
	w.branch("old")
	w.write("old", ".github/workflows/p.yml", "on: push\njobs: {x: {}}", "no dispatch")
	main := plumbing.NewHash(w.head("main"))
	tag, err := w.repo.Git.WriteTag(gitstore.TagSpec{Target: main, Name: "v1", Tagger: w.Signature(w.owner), Message: "v1\n"})
	require.NoError(t, err)
	require.NoError(t, w.CreateRef(w.owner, w.repo, "refs/tags/v1", tag))
	given := map[string]string{"name": "x"}
	for _, c := range []struct {
		name, file, ref string
		inputs          map[string]string
		want            string
	}{
		{"a branch", "p.yml", "main", given, ""},
		{"a full name", "p.yml", "refs/heads/main", given, ""},
		{"a tag", "p.yml", "v1", given, ""},
		{"a commit", "p.yml", main.String(), given, "No ref found for: " + main.String()},
		{"an unknown ref", "p.yml", "../../x", given, "No ref found for: ../../x"},
		{"a workflow that is for pushes", "push.yml", "main", nil, "Workflow does not have 'workflow_dispatch' trigger"},
		{"a branch whose file is for pushes", "p.yml", "old", given, "Workflow does not have 'workflow_dispatch' trigger"},
		{"a missing input", "p.yml", "main", nil, "Required input 'name' not provided"},
		{"unknown inputs", "p.yml", "main", map[string]string{"name": "x", "b": "", "a": ""}, `Unexpected inputs provided: ["a", "b"]`},
		{"a value that is no choice", "p.yml", "main", map[string]string{"name": "x", "level": "top"}, "Provided value 'top' for input 'level' not in the list of allowed values"},
	} {
		run, err := w.Dispatch(w.writer, w.repo, w.WorkflowByRef(w.repo, c.file), c.ref, c.inputs)
		if c.want != "" {
			assert.Equal(t, c.want, said(t, err), c.name)
			continue
		}
		require.NoError(t, err, c.name)
		assert.Equal(t, map[string]string{"name": "x", "level": "low"}, run.Inputs, c.name)
		assert.Equal(t, "Pipeline for x", run.DisplayTitle)
		assert.Equal(t, main.String(), run.HeadSHA, c.name)
	}
	p := w.WorkflowByRef(w.repo, "p.yml")
	assert.Same(t, p, w.WorkflowByRef(w.repo, itoa(int(p.ID))))
	p.Disabled = true
	_, err = w.Dispatch(w.writer, w.repo, p, "main", given)
	assert.Equal(t, "Cannot trigger a 'workflow_dispatch' on a disabled workflow", said(t, err))
}

func TestRequiredChecks(t *testing.T) {
	w := newWorld(t, workflow("ci.yml", "on: pull_request\njobs: {build: {}}"))
	w.Scripts = []model.Script{{Workflow: "ci.yml", Outcomes: []model.Conclusion{model.Failure, model.Success}}}
	w.repo.Protection["main"] = model.Protection{RequiredChecks: []string{"build"}, AdminsToo: true}
	pr := w.pull("f", "f", "x\n")
	merge := model.Merge{Method: model.MethodMerge}
	assert.Equal(t, `Required status check "build" is failing.`, said(t, w.MergePull(w.owner, pr, merge)))
	delete(w.repo.Protection, "main")
	state, err := w.MergeState(pr)
	require.NoError(t, err)
	assert.Equal(t, model.MergeUnstable, state, "a check that is not required does not block")
	w.repo.Protection["main"] = model.Protection{RequiredChecks: []string{"build"}, AdminsToo: true}
	require.NoError(t, w.Rerun(w.owner, w.Runs.First(func(*model.Run) bool { return true }), true))
	assert.NoError(t, w.MergePull(w.owner, pr, merge))
}

// Workflow files come from agents: nothing in them may take long or crash.
func TestHostileWorkflows(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for n := range 9 {
		l := string(rune('a' + n))
		next := string(rune('b' + n))
		bomb += next + ": &" + next + " [*" + l + ",*" + l + ",*" + l + ",*" + l + ",*" + l + ",*" + l + ",*" + l + ",*" + l + ",*" + l + "]\n"
	}
	for name, text := range map[string]string{
		"aliases that double": bomb + "on: push\njobs: *j\n",
		"deep nesting":        "on: push\njobs: " + strings.Repeat("[", 400_000),
		"deep maps":           "on: push\njobs: " + strings.Repeat("{a: ", 100_000),
		"an alias to itself":  "on: push\njobs: &j {a: *j}\n",
		"a list as jobs":      "on: push\njobs: [a, b]\n",
		"a null job":          "on: push\njobs: {a: }\n",
		"numbers as keys":     "on: push\njobs: {1: {steps: [5, null]}}\n",
		"a large file":        "on: push\njobs: {a: {name: " + strings.Repeat("x", 1<<20) + "}}\n",
		"null":                "null",
		"binary":              "\x00\xff\xfe",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write("main", ".github/workflows/h.yml", text, "hostile")
			assert.NoError(t, w.Validate())
		})
	}
}
