package rest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const ci = `
name: CI
on:
  pull_request:
  workflow_dispatch:
    inputs: {level: {default: 3}}
jobs:
  lint: {steps: [{run: make lint}]}
  test: {steps: [{run: make test}]}
`

// withCI is a world whose test job fails at first and hangs on its third
// attempt, with a pull request.
func withCI(t *testing.T) *sandboxtest.World {
	t.Helper()
	w := sandboxtest.New(t, gitstore.Change{Path: ".github/workflows/ci.yml", Content: []byte(ci)})
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "ci.yml", Job: "test", Outcomes: []model.Conclusion{model.Failure, model.Success}, Log: "no\n"}}
	})
	openPull(t, w, "f", "f", "x")
	return w
}

func TestRunsWithGoGitHub(t *testing.T) {
	w := withCI(t)
	ctx, actions := t.Context(), w.As("writer").REST.Actions
	runs, _, err := actions.ListRepositoryWorkflowRuns(ctx, "owner", "hello", nil)
	require.NoError(t, err)
	require.Equal(t, 1, runs.GetTotalCount())
	run := runs.WorkflowRuns[0]
	assert.Equal(t, []any{"CI", "Add f", "pull_request", "completed", "failure", 1, 1}, []any{
		run.GetName(), run.GetDisplayTitle(), run.GetEvent(), run.GetStatus(), run.GetConclusion(), run.GetRunAttempt(), run.PullRequests[0].GetNumber(),
	})
	jobs := func(filter string) (all []string) {
		found, _, err := actions.ListWorkflowJobs(ctx, "owner", "hello", run.GetID(), &github.ListWorkflowJobsOptions{Filter: filter})
		require.NoError(t, err)
		for _, j := range found.Jobs {
			all = append(all, fmt.Sprint(j.GetName(), " ", j.GetRunAttempt(), " ", j.GetConclusion()))
		}
		return all
	}
	assert.Equal(t, []string{"lint 1 success", "test 1 failure"}, jobs("latest"))

	_, err = actions.RerunFailedJobsByID(ctx, "owner", "hello", run.GetID())
	require.NoError(t, err)
	assert.Equal(t, []string{"lint 1 success", "test 2 success"}, jobs("latest"))
	assert.Equal(t, []string{"lint 1 success", "test 1 failure", "test 2 success"}, jobs("all"))
	again, _, err := actions.GetWorkflowRunByID(ctx, "owner", "hello", run.GetID())
	require.NoError(t, err)
	assert.Equal(t, []any{2, "success", run.GetURL() + "/attempts/1"}, []any{again.GetRunAttempt(), again.GetConclusion(), again.GetPreviousAttemptURL()})
	first, _, err := actions.GetWorkflowRunAttempt(ctx, "owner", "hello", run.GetID(), 1, nil)
	require.NoError(t, err)
	assert.Equal(t, "failure", first.GetConclusion())

	path := base + "/actions/runs/" + itoa(run.GetID())
	reader, writer := w.As("reader"), w.As("writer")
	assert.Equal(t, 2, reader.Get(path+"/attempts/1/jobs").Int("total_count"))
	assert.Equal(t, http.StatusNotFound, reader.Get(path+"/attempts/3").Status)
	assert.Equal(t, http.StatusForbidden, writer.Do("POST", path+"/rerun-failed-jobs", nil).Status)
	assert.Equal(t, http.StatusConflict, writer.Do("POST", path+"/cancel", nil).Status)
	assert.Equal(t, http.StatusForbidden, reader.Do("POST", path+"/rerun", nil).Status)

	w.Change(func(s *model.State, _ *model.Repo) { s.Scripts[0].Hanging = true })
	_, err = actions.RerunWorkflowByID(ctx, "owner", "hello", run.GetID())
	require.NoError(t, err)
	assert.Equal(t, []string{"lint 3 success", "test 3 "}, jobs("latest"))
	assert.Equal(t, "in_progress", reader.Get(path).Text("status"))
	assert.Nil(t, reader.Get(path).At("conclusion"))
	assert.Equal(t, http.StatusAccepted, writer.Do("POST", path+"/cancel", nil).Status)
	assert.Equal(t, "cancelled", reader.Get(path).Text("conclusion"))
	_, err = actions.RerunWorkflowByID(ctx, "owner", "hello", run.GetID())
	require.NoError(t, err)
	assert.Equal(t, http.StatusAccepted, writer.Do("POST", path+"/force-cancel", nil).Status)
	assert.Equal(t, "cancelled", reader.Get(path).Text("conclusion"))
}

func TestRunLists(t *testing.T) {
	w := withCI(t)
	writer := w.As("writer")
	assert.Equal(t, http.StatusNoContent, writer.Do("POST", base+"/actions/workflows/ci.yml/dispatches", `{"ref":"main","inputs":{"level":4}}`).Status)
	runs := writer.Get(base + "/actions/runs")
	assert.Greater(t, runs.Int("workflow_runs.0.id"), runs.Int("workflow_runs.1.id"), "the newest comes first")
	for query, want := range map[string]int{
		"": 2, "event=pull_request": 1, "event=push": 0, "branch=f": 1, "actor=WRITER": 2, "actor=owner": 0, "status=completed": 2,
		"status=failure": 2, "status=success": 0, "head_sha=" + runs.Text("workflow_runs.0.head_sha"): 1,
		fmt.Sprint("check_suite_id=", runs.Int("workflow_runs.0.check_suite_id")): 1,
	} {
		for _, path := range []string{"/actions/runs?", "/actions/workflows/ci.yml/runs?"} {
			assert.Equal(t, want, writer.Get(base+path+query).Int("total_count"), query)
		}
	}
	w.Look(func(s *model.State) {
		for r := range s.Runs.All() {
			if r.Event == "workflow_dispatch" {
				assert.Equal(t, map[string]string{"level": "4"}, r.Inputs, "a number is its text")
			}
		}
	})
	for body, message := range map[string]string{
		`{}`: "Invalid request.\n\n\"ref\" wasn't supplied.", `{"ref":"none"}`: "No ref found for: none",
		`{"ref":"main","inputs":{"x":"1"}}`: `Unexpected inputs provided: ["x"]`,
	} {
		reply := writer.Do("POST", base+"/actions/workflows/ci.yml/dispatches", body)
		assert.Equal(t, http.StatusUnprocessableEntity, reply.Status)
		assert.Equal(t, message, reply.Text("message"))
	}
	workflows := writer.Get(base + "/actions/workflows")
	assert.Equal(t, "CI", writer.Get(base+"/actions/workflows/"+itoa(int64(workflows.Int("workflows.0.id")))).Text("name"))
	assert.Equal(t, http.StatusNotFound, writer.Get(base+"/actions/workflows/none.yml").Status)
}

func TestChecksOverREST(t *testing.T) {
	w := withCI(t)
	reader := w.As("reader")
	checks := reader.Get(base + "/commits/f/check-runs")
	assert.Equal(t, 2, checks.Int("total_count"))
	assert.Equal(t, "github-actions", checks.Text("check_runs.0.app.slug"))
	assert.Equal(t, 1, checks.Int("check_runs.0.pull_requests.0.number"))
	assert.Equal(t, 1, reader.Get(base+"/commits/f/check-runs?check_name=test").Int("total_count"))
	assert.Equal(t, 0, reader.Get(base+"/commits/f/check-runs?status=queued").Int("total_count"))
	failed := itoa(int64(checks.Int("check_runs.1.id")))
	assert.Equal(t, "failure", reader.Get(base+"/check-runs/"+failed).Text("conclusion"))
	assert.Equal(t, "failure", reader.Get(base+"/actions/jobs/"+failed).Text("conclusion"), "a job and its check run have one id")
	assert.Equal(t, "Process completed with exit code 1.", reader.Get(base+"/check-runs/"+failed+"/annotations").Text("0.message"))
	run := reader.Get(base + "/actions/runs").Int("workflow_runs.0.id")
	w.As("writer").Do("POST", fmt.Sprint(base, "/actions/runs/", run, "/rerun"), nil)
	assert.Equal(t, 2, reader.Get(base+"/commits/f/check-runs").Int("total_count"))
	assert.Equal(t, 4, reader.Get(base+"/commits/f/check-runs?filter=all").Int("total_count"))
	assert.Equal(t, "pending", reader.Get(base+"/commits/f/status").Text("state"))
	assert.Equal(t, 0, reader.Get(fmt.Sprint(base, "/actions/runs/", run, "/artifacts")).Int("total_count"))
}
