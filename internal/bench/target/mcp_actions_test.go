package target_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func (m *mcpBench) run(args map[string]any) map[string]any {
	m.t.Helper()
	args = m.in(args)
	args["run_id"] = resourceID(m.t, m.place, "workflow_run", "id")
	return args
}

// failed returns the fixtures' failed run.
func (m *mcpBench) failed() (run *model.Run) {
	m.t.Helper()
	lookAt(m.t, m.place, func(s *model.State, _ *model.Repo) { run = s.Runs.Get(resourceID(m.t, m.place, "workflow_run", "id")) })
	return run
}

func TestMCPReadsActions(t *testing.T) {
	m := openAllMCP(t)
	m.has(map[string]any{"total_count": 4, "workflows": []any{
		map[string]any{"name": "Bench artifacts"}, map[string]any{"name": "Bench long"},
		map[string]any{"name": "Bench rerun failed", "state": "active"}, map[string]any{"name": "CI"},
	}}, "list_workflows", m.in(nil))
	m.has(map[string]any{"total_count": 1, "workflow_runs": []any{map[string]any{"id": m.failed().ID, "conclusion": "failure", "event": "workflow_dispatch"}}},
		"list_workflow_runs", m.in(map[string]any{"workflow_id": "bench-rerun-failed.yml"}))
	m.has(map[string]any{"total_count": 0}, "list_workflow_runs", m.in(map[string]any{"workflow_id": "ci.yml", "status": "in_progress"}))
	m.has(map[string]any{"id": m.failed().ID, "run_attempt": 1, "head_sha": m.failed().HeadSHA, "conclusion": "failure"}, "get_workflow_run", m.run(nil))
	m.has(map[string]any{"jobs": map[string]any{"total_count": 2, "jobs": []any{
		map[string]any{"name": "prepare", "conclusion": "success"}, map[string]any{"name": "flaky", "conclusion": "failure"},
	}}}, "list_workflow_jobs", m.run(nil))
	m.has(map[string]any{"run_duration_ms": 3000}, "get_workflow_run_usage", m.run(nil))
	m.has(map[string]any{"total_count": 0}, "list_workflow_run_artifacts", m.run(nil))
}

func TestMCPReadsLogs(t *testing.T) {
	m := openAllMCP(t)
	job := resourceID(t, m.place, "workflow_job", "id")
	const printed = "attempt 1: the first attempt fails on purpose"
	for name, args := range map[string]map[string]any{
		"a job's": m.in(map[string]any{"job_id": job, "return_content": true}),
		"all that failed of a run, the last lines": m.run(map[string]any{"failed_only": true, "return_content": true, "tail_lines": 4}),
	} {
		assert.Contains(t, m.Call("get_job_logs", args), printed, name)
	}
	m.has(map[string]any{"total_jobs": 2, "failed_jobs": 1, "logs": []any{map[string]any{"job_id": job, "job_name": "flaky"}}},
		"get_job_logs", m.run(map[string]any{"failed_only": true}))
	const address = `https://results-receiver\.actions\.githubusercontent\.com/.+\?token=`
	assert.Regexp(t, address, m.Call("get_job_logs", m.in(map[string]any{"job_id": job})))
	assert.Regexp(t, address, m.Call("get_workflow_run_logs", m.run(nil)))

	m.Call("delete_workflow_run_logs", m.run(nil))
	gone := m.Try("get_job_logs", m.in(map[string]any{"job_id": job, "return_content": true}))
	assert.True(t, gone.IsError)
	assert.Contains(t, gone.Text, "404 Not Found")
}

func TestMCPRunsActions(t *testing.T) {
	m := openAllMCP(t)
	m.Call("rerun_failed_jobs", m.run(nil))
	assert.Len(t, m.failed().Attempts, 2)
	assert.Equal(t, model.Success, m.failed().Current().Conclusion)
	m.Call("rerun_workflow_run", m.run(nil))
	assert.Len(t, m.failed().Attempts, 3)
	ended := m.Try("cancel_workflow_run", m.run(nil))
	assert.True(t, ended.IsError)
	assert.Contains(t, ended.Text, "Cannot cancel a workflow run that is completed")

	change(t, m.place, func(s *model.State, _ *model.Repo) error {
		s.Scripts = []model.Script{{Workflow: "bench-rerun-failed.yml", Hanging: true}}
		return nil
	})
	m.Call("run_workflow", m.in(map[string]any{"workflow_id": "bench-rerun-failed.yml", "ref": "main", "inputs": map[string]any{"seed_id": "x"}}))
	var run *model.Run
	latest := func() {
		lookAt(t, m.place, func(s *model.State, _ *model.Repo) {
			for r := range s.Runs.All() {
				run = r
			}
		})
	}
	latest()
	assert.Equal(t, []any{map[string]string{"seed_id": "x"}, model.InProgress}, []any{run.Inputs, run.Current().Status})
	m.Call("cancel_workflow_run", m.in(map[string]any{"run_id": run.ID}))
	latest()
	assert.Equal(t, model.Cancelled, run.Current().Conclusion)
}
