package service_test

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
)

func TestTheWorkflowReadsTheWholePlan(t *testing.T) {
	workflow, err := os.ReadFile("../../cli/benchcli/workflow/bench-app.yml")
	require.NoError(t, err)
	read := map[string]bool{}
	for _, found := range regexp.MustCompile(`fromJSON\(inputs\.plan\)\.([a-z-]+)`).FindAllStringSubmatch(string(workflow), -1) {
		read[found[1]] = true
	}
	written := map[string]bool{}
	for i := range reflect.TypeFor[service.Plan]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[service.Plan]().Field(i).Tag.Get("json"), ",")
		written[name] = true
	}
	assert.Equal(t, written, read)
	for _, file := range []string{"summary.json", "run.json", "*-suite.jsonl"} {
		assert.Contains(t, string(workflow), "${{ steps.bench.outputs.rows }}/"+file, "what a retry goes on with: a pass stands on what was planned")
	}
}

func TestMarginsAreGivenToTheWorkflow(t *testing.T) {
	w := service.Work{Run: asked()}
	w.Run.Request.Plan.Margins = settings.Margins{Success: 10, Cost: 1.1, Latency: 1.3}
	plan := planOf(t, w)
	assert.Equal(t, []float64{10, 1.1, 1.3}, []float64{plan.MarginSuccess, plan.MarginCost, plan.MarginLatency})
}

// planOf returns the plan that a workflow is given.
func planOf(t *testing.T, w service.Work) service.Plan {
	t.Helper()
	in, err := service.Inputs(t.Context(), w)
	require.NoError(t, err)
	var plan service.Plan
	require.NoError(t, json.Unmarshal([]byte(in["plan"].(string)), &plan))
	return plan
}

func TestRunsThatGoOnWithEachOtherHaveTheFixturesOfTheFirst(t *testing.T) {
	w := service.Work{Run: asked()}
	w.Run.ID, w.Run.Request.Plan.Target = "Run-3", "o/fixtures"
	assert.Equal(t, "run-3", planOf(t, w).SeedID)
	w.Before = []runs.Run{{ID: "Run-2"}}
	assert.Equal(t, "run-2", planOf(t, w).SeedID)
	w.Before = append(w.Before, runs.Run{ID: "Run-1"})
	assert.Equal(t, "run-1", planOf(t, w).SeedID)
	w.Run.Request.Plan.Target = settings.SandboxTarget
	assert.Empty(t, planOf(t, w).SeedID, "a sandbox is of one run")
}

func TestARunOnTheAppsMachineLeavesNothingToDownload(t *testing.T) {
	w := service.Work{Run: asked(), Before: []runs.Run{{ID: "local"}, {ID: "unseen", WorkflowRun: service.WorkflowAsked}}}
	w.Run.Request.Plan.MaxUSD = 3
	plan := planOf(t, w)
	assert.Empty(t, plan.EarlierRun)
	assert.Empty(t, plan.EarlierWorkflowRun)
	assert.InDelta(t, 3, plan.MaxCostUSD, 0, "all that the run may spend now")
}

// A retry that is not told of an earlier run's rows pays for them again.
func TestARetryIsToldOfTheLatestRunThatLeftAnArtifact(t *testing.T) {
	r := newDispatchRig(t)
	of := r.work.Run.Request
	r.work.Before = []runs.Run{
		{ID: "unseen", Request: of, WorkflowRun: service.WorkflowAccepted}, {ID: "broken", Request: of, WorkflowRun: 4}, {ID: "run-0", Request: of, WorkflowRun: 3},
	}
	plan := planOf(t, r.work)
	assert.Equal(t, []string{"run-0", "3"}, []string{plan.EarlierRun, plan.EarlierWorkflowRun})
}
