package service_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// lands commits a file to the default branch, and returns what GitHub delivers then.
func (r *rig) lands(path, message string) map[string]any {
	r.Helper()
	before := r.As("writer").Get(sandboxtest.Path + "/git/ref/heads/main").Text("object.sha")
	made := r.As("writer").Do("PUT", sandboxtest.Path+"/contents/"+path, map[string]any{"message": message, "content": "eA==", "branch": "main"})
	require.Equal(r, http.StatusCreated, made.Status, made.Body)
	r.head = made.Text("commit.sha")
	return map[string]any{
		"ref": "refs/heads/main", "before": before, "after": r.head, "head_commit": map[string]any{"message": message},
		"commits": []any{map[string]any{"message": message, "added": []any{path}}},
	}
}

func TestAPushToTheDefaultBranchIsMeasuredIfThatIsWanted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings, path, message string
		change                  map[string]any
		why                     string
	}{
		"wanted":                {"baseline: {push: true}\n", "src/b.ts", "Add b", nil, ""},
		"not wanted":            {"", "src/b.ts", "Add b", nil, "baseline"},
		"another branch":        {"baseline: {push: true}\n", "src/b.ts", "Add b", map[string]any{"ref": "refs/heads/other"}, "branch"},
		"a tag":                 {"baseline: {push: true}\n", "src/b.ts", "Add b", map[string]any{"ref": "refs/tags/main"}, "branch"},
		"the branch is deleted": {"baseline: {push: true}\n", "src/b.ts", "Add b", map[string]any{"after": "0000000000000000000000000000000000000000"}, "branch"},
		"marked":                {"baseline: {push: true}\n", "src/b.ts", "Add b [skip bench]", nil, "marker"},
		"touches nothing":       {"baseline: {push: true}\npaths: [src/**]\n", "docs/b.md", "Add b", nil, "paths"},
		"touches something":     {"baseline: {push: true}\npaths: [src/**]\n", "src/b.ts", "Add b", nil, ""},
		"broken settings":       {"baseline: {push: 1}\n", "src/b.ts", "Add b", nil, "broken_settings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, config+c.settings)
			push := r.lands(c.path, c.message)
			for key, value := range c.change {
				push[key] = value
			}
			r.deliver("push", push)
			if c.why != "" {
				r.none("run-1", name)
				assert.Equal(t, 1, r.counted("push", "", c.why))
				return
			}
			r.wait(1)
			run := r.run("run-1")
			assert.Equal(t, []any{r.head, 0, true, "bench (baseline)", "push by writer"}, []any{run.Head, run.Pull, run.Request.DefaultBranch, run.Suite, run.Request.Asked})
			assert.Equal(t, push["before"], run.Request.BaseSHA)
			assert.Equal(t, []string{"success"}, r.concluded("bench (baseline)"))
			assert.Empty(t, r.comments(), "there is no pull request")
			r.deliver("push", push)
			r.none("run-2", "a commit is measured once")
		})
	}
}

// Where many land while one is measured, the newest is measured next.
func TestOfManyPushesTheNewestIsMeasured(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"baseline: {push: true}\n")
	begun, let := make(chan string, 10), make(chan struct{})
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		begun <- w.Run.ID
		<-let
		return passes(ctx, w)
	})
	r.deliver("push", r.lands("src/1.ts", "One"))
	require.Equal(t, "run-1", <-begun)
	r.deliver("push", r.lands("src/2.ts", "Two"))
	r.deliver("push", r.lands("src/3.ts", "Three"))
	assert.Equal(t, runs.Running, r.run("run-1").State, "what was begun is of use")
	assert.Equal(t, runs.Stopped, r.run("run-2").State)
	assert.Equal(t, comment.Superseded, r.reason("run-2"))
	close(let)
	r.wait(3)
	assert.Equal(t, runs.Finished, r.run("run-3").State)
}

func TestAPushPassesOverAllThatWaits(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"baseline: {push: true}\n")
	for i, id := range []string{"one", "two"} {
		r.store(func(run *runs.Run) {
			run.ID, run.Cause, run.Suite, run.Pull, run.Head, run.Request.DefaultBranch = id, id, id, 0, strings.Repeat(strconv.Itoa(i), 40), true
		})
	}
	r.deliver("push", r.lands("src/1.ts", "One"))
	assert.Equal(t, []runs.State{runs.Stopped, runs.Stopped}, []runs.State{r.run("one").State, r.run("two").State})
}

func TestTheDefaultBranchIsMeasuredAgainWhenItIsDue(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"baseline: {every: day}\n")
	r.deliver("push", r.lands("src/1.ts", "One"))
	r.none("run-1", "each push is not wanted")
	due := func() { require.NoError(t, r.service.MeasureDue(t.Context())) }
	due()
	r.none("run-1", "it is not due")
	r.ahead.Store(int64(25 * time.Hour))
	due()
	r.wait(1)
	run := r.run("run-1")
	assert.Equal(t, []any{r.head, true, "once a day", runs.Finished}, []any{run.Head, run.Request.DefaultBranch, run.Request.Asked, run.State})
	assert.NotEmpty(t, run.Request.BaseSHA)
	assert.Equal(t, "main", run.Request.BaseRef)
	due()
	r.none("run-2", "it was measured today")
	r.ahead.Store(int64(24 * 10 * time.Hour))
	due()
	r.wait(1)
	due()
	assert.Len(t, r.executor.works(), 2, "what was missed is not made up for")

	gone := r.As("writer").Do("DELETE", sandboxtest.Path+"/contents/.github/bench.yml", map[string]any{
		"message": "No benchmark", "branch": "main", "sha": r.As("writer").Get(sandboxtest.Path + "/contents/.github/bench.yml").Text("sha"),
	})
	require.Equal(t, http.StatusOK, gone.Status, gone.Body)
	r.deliver("push", r.lands("src/2.ts", "Two"))
	r.ahead.Store(int64(24 * 30 * time.Hour))
	due()
	assert.Len(t, r.executor.works(), 2)
}

// What GitHub refuses is not asked for again until it is due again; after an outage it is.
func TestADefaultBranchThatCannotBeMeasuredIsPutOff(t *testing.T) {
	t.Parallel()
	for status, off := range map[int]bool{http.StatusForbidden: true, http.StatusUnprocessableEntity: true, http.StatusBadGateway: false} {
		r := newRig(t, config+"baseline: {every: day}\n")
		r.deliver("push", r.lands("src/1.ts", "One"))
		r.ahead.Store(int64(25 * time.Hour))
		r.transport = answering{path: sandboxtest.Path + "/contents/", status: status}
		err := r.service.MeasureDue(t.Context())
		assert.Equal(t, off, err == nil, "%d: %v", status, err)
		assert.Equal(t, off, len(r.logged("level=WARN", "a default branch is not measured", sandboxtest.Owner)) > 0, status)
		due, err := r.table.Due(t.Context(), r.now())
		require.NoError(t, err)
		assert.Equal(t, off, len(due) == 0, status)
	}
}

// A push that takes the settings away is late: nothing is measured by settings that are gone.
func TestADefaultBranchWithoutSettingsIsNotMeasured(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", config, "model: [1]\n"} {
		r := newRig(t, config+"baseline: {every: day}\n")
		r.deliver("push", r.lands("src/1.ts", "One"))
		r.sets(text)
		r.ahead.Store(int64(25 * time.Hour))
		require.NoError(t, r.service.MeasureDue(t.Context()))
		r.none("run-1", "after "+text)
		due, err := r.table.Due(t.Context(), r.now())
		require.NoError(t, err)
		assert.Empty(t, due)
	}
}

func TestTheDefaultBranchHasABudgetOfItsOwn(t *testing.T) {
	t.Parallel()
	r := newRig(t, "model: x/y\nexecutor: local\nbaseline: {push: true}\nbudget: {baseline: 3, run: 2, pull_request: 50, day: 100}\n")
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		w.Progress(16, 16, 1.5)
		return passes(ctx, w)
	})
	for _, name := range []string{"one", "two", "three"} {
		r.deliver("push", r.lands("src/"+name+".ts", name))
		r.wait(1)
	}
	assert.Equal(t, []float64{2, 1.5}, []float64{r.run("run-1").Request.Plan.MaxUSD, r.run("run-2").Request.Plan.MaxUSD})
	assert.Equal(t, runs.Stopped, r.run("run-3").State)
	assert.Len(t, r.executor.works(), 2)
	var said string
	r.Look(func(s *model.State) {
		for c := range s.CheckRuns.All() {
			said = c.Output.Summary
		}
	})
	assert.Contains(t, said, "budget")
}

func TestASuspendedInstallationIsNotMeasuredAnyMore(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"baseline: {every: week}\n")
	r.deliver("push", r.lands("src/1.ts", "One"))
	due := func() []runs.Schedule {
		all, err := r.table.Due(t.Context(), r.now().Add(8*24*time.Hour))
		require.NoError(t, err)
		return all
	}
	require.Len(t, due(), 1)
	r.deliver("installation", map[string]any{"action": "suspend"})
	assert.Empty(t, due())
}
