package target_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestGHXReadsOfActionsWhatTheVerifierReads(t *testing.T) {
	sandbox := seeded(t)
	resources := sandbox.Manifest().Resources
	for capability, input := range map[string]map[string]any{
		"workflow.list":               {"first": 20},
		"workflow.runs.list":          {"status": "failure", "first": 20},
		"workflow.run.view":           {"runId": resources["workflow_run"]["id"]},
		"workflow.run.artifacts.list": {"runId": resources["workflow_run_artifacts"]["id"]},
	} {
		t.Run(capability, func(t *testing.T) {
			t.Parallel()
			g := openGHX(t, sandbox)
			reply := g.run(capability, g.in(input))
			require.True(t, reply.OK, "%+v", reply.Error)
			assert.Equal(t, byCLI, reply.Meta.Route)
			if capability == "workflow.runs.list" {
				withoutAddresses(reply.Data)
			}
			agree(t, reply.Data, g.read(capability, g.in(input)), capability)
		})
	}
}

// withoutAddresses takes the runs' addresses out of a list: those of ghx are
// the API's.
func withoutAddresses(list any) {
	object, _ := list.(map[string]any)
	items, _ := object["items"].([]any)
	for _, item := range items {
		run, _ := item.(map[string]any)
		delete(run, "url")
	}
}

func TestTheVerifierReadsActions(t *testing.T) {
	place := prepare(t, seeded(t))
	t.Cleanup(func() { require.NoError(t, place.Close()) })
	reader := checkpoint.NewGitHubReader(verifier(t, place))
	read := func(task string, input map[string]any) (any, error) {
		named := map[string]any{"owner": target.Owner, "name": target.FixturesName}
		for key, value := range input {
			named[key] = value
		}
		answer, err := reader.Read(t.Context(), bench.Read{Task: task, Input: named})
		return plain(t, answer), err
	}
	job, run := place.Manifest.Resources["workflow_job"]["id"], place.Manifest.Resources["workflow_run"]["id"]

	log, err := read("workflow.job.logs.raw", map[string]any{"jobId": job})
	require.NoError(t, err)
	assert.Contains(t, log.(map[string]any)["log"], "attempt 1: the first attempt fails on purpose")
	assert.Equal(t, false, log.(map[string]any)["truncated"])
	summary, err := read("workflow.job.logs.view", map[string]any{"jobId": job})
	require.NoError(t, err)
	partOf(t, summary, plain(t, map[string]any{"jobId": job, "summary": map[string]any{"warningCount": 0}}), "summary")

	byFile, err := read("workflow.view", map[string]any{"workflowId": "bench-rerun-failed.yml"})
	require.NoError(t, err)
	partOf(t, byFile, map[string]any{"name": "Bench rerun failed", "state": "active"}, "workflow")
	byNumber, err := read("workflow.view", map[string]any{"workflowId": byFile.(map[string]any)["id"]})
	require.NoError(t, err)
	assert.Equal(t, byFile, byNumber)

	first, err := read("workflow.runs.list", map[string]any{"first": 1})
	require.NoError(t, err)
	page := first.(map[string]any)["pageInfo"].(map[string]any)
	assert.Equal(t, true, page["hasNextPage"])
	second, err := read("workflow.runs.list", map[string]any{"first": 1, "after": page["endCursor"]})
	require.NoError(t, err)
	assert.NotEqual(t, first.(map[string]any)["items"], second.(map[string]any)["items"])
	failed, err := read("workflow.runs.list", map[string]any{"status": "failure", "event": "workflow_dispatch"})
	require.NoError(t, err)
	partOf(t, failed.(map[string]any)["items"].([]any)[0], plain(t, map[string]any{
		"id": run, "workflowName": "Bench rerun failed", "event": "workflow_dispatch", "attempt": 1, "actorLogin": target.Owner,
	}), "run")

	missing, err := read("workflow.view", map[string]any{"workflowId": "no-such.yml"})
	require.NoError(t, err)
	assert.Nil(t, missing)
	_, err = read("workflow.runs.list", map[string]any{"after": "Y3Vyc29y"})
	assert.Equal(t, fault.Invalid, fault.KindOf(err), err)
}
