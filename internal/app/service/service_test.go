package service_test

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const config = "model: scripted\nexecutor: local\n"

func TestAPullRequestIsMeasuredAndTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	during := make(chan string, 1)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		during <- string(r.check().Status)
		w.Progress(3, w.Run.Cells, 0.1)
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)

	assert.Equal(t, "in_progress", <-during)
	check := r.check()
	assert.Equal(t, []any{"completed", "success", r.head}, []any{string(check.Status), string(check.Conclusion), check.HeadSHA})
	run := r.run("run-1")
	assert.Equal(t, []any{runs.Finished, true, "opened by writer", 16}, []any{run.State, run.Published, run.Request.Asked, run.Cells})
	require.Len(t, r.comments(), 1)
	assert.Contains(t, r.comments()[0], "https://bench.example/runs/run-1")
}

// Sessions may end faster than the table and GitHub are to be written to.
func TestHowFarARunIsIsShownAndStoredNowAndThen(t *testing.T) {
	t.Parallel()
	began, later := time.Now(), atomic.Int64{}
	r := newRig(t, config, func(o *service.Options) {
		o.Now = func() time.Time { return began.Add(time.Duration(later.Load())) }
	})
	shown := make(chan struct{})
	r.transport = &before{text: "1 of 16", do: func() { close(shown) }}
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		w.Progress(1, 16, 0.5)
		assert.Equal(t, 1, r.run("run-1").Done)
		select {
		case <-shown:
		case <-time.After(soon):
			assert.Fail(t, "the check does not say it")
		}
		for _, step := range []struct {
			done, stored int
			later        time.Duration
		}{{2, 1, 0}, {3, 1, time.Second - 1}, {4, 4, 1}, {5, 4, 0}, {16, 16, 0}} {
			later.Add(int64(step.later))
			w.Progress(step.done, 16, 0.5)
			assert.Equal(t, step.stored, r.run("run-1").Done, "%d are done", step.done)
		}
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)
}

// What is looked at elsewhere takes no worker from what is measured here, and is taken up
// as often as a server may die.
func TestWhereAndHowOftenARunIsTakenUp(t *testing.T) {
	t.Parallel()
	for by, want := range map[string][]any{"local": {"runs", 50}, "dispatch": {"workflows", 50}} {
		r := newRig(t, "model: openai/gpt-5.3-codex\nexecutor: "+by+"\n", helped)
		r.pullEvent("opened")
		r.wait(1)
		var lane string
		var attempts int
		require.NoError(t, r.db.QueryRow(t.Context(), "SELECT queue, max_attempts FROM river_job WHERE kind = 'measure'").Scan(&lane, &attempts))
		assert.Equal(t, want, []any{lane, attempts})
	}
}

// What changed for agents is in the check before the first session, and is told of a
// run that ends without a summary too.
func TestWhatChangedForAgentsIsToldAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	found := &bench.SurfaceChange{Baseline: bench.GHXBase, Candidate: bench.GHX, Edits: []bench.SurfaceEdit{{Kind: bench.SurfaceRenamed, Was: "issue.view", Name: "issue.show"}}}
	const said = "renamed `issue.view` to `issue.show`"
	seen := make(chan string, 1)
	r.transport = &before{text: said, do: func() { seen <- "" }}
	r.executor.set(func(_ context.Context, w service.Work) (runs.Outcome, error) {
		w.Surface(found)
		select {
		case <-seen:
		case <-time.After(soon):
			assert.Fail(t, "the check does not say it")
		}
		return runs.Outcome{Surface: found}, fault.Invalidf("the model's key is refused")
	})
	r.pullEvent("opened")
	r.wait(1)
	check := r.check()
	assert.Equal(t, "action_required", string(check.Conclusion))
	assert.Contains(t, check.Output.Summary, said)
	assert.Contains(t, check.Output.Summary, "run id `run-1`", "the operator finds it in the log")
	require.Len(t, r.comments(), 1)
	assert.Contains(t, r.comments()[0], said)
}

func TestACommitIsMeasuredOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	id := r.pullEvent("opened")
	r.wait(1)
	r.again(id, "pull_request", map[string]any{"action": "opened", "pull_request": r.pull()})
	r.pullEvent("synchronize")
	r.deliver("check_suite", map[string]any{"action": "requested", "check_suite": map[string]any{
		"id": 1, "head_sha": r.head, "app": map[string]any{"id": r.app}, "pull_requests": r.mentioned(),
	}})
	assert.Len(t, r.executor.works(), 1)
	assert.Len(t, r.checks(), 1)
}

func TestALostEventIsMadeUpForByItsSuite(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.deliver("check_suite", map[string]any{"action": "requested", "check_suite": map[string]any{
		"id": 1, "head_sha": r.head, "app": map[string]any{"id": r.app}, "pull_requests": r.mentioned(),
	}})
	r.wait(1)
	assert.Equal(t, "success", string(r.check().Conclusion))
}

func TestAPushTakesTheOlderRunsPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	first := r.head
	begun := make(chan struct{}, 1)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		if w.Run.Head != first {
			return passes(ctx, w)
		}
		begun <- struct{}{}
		<-ctx.Done()
		return runs.Outcome{}, ctx.Err()
	})
	r.pullEvent("opened")
	<-begun
	r.push("src/b.ts")
	r.pullEvent("synchronize")
	r.wait(2)

	checks := r.checks()
	require.Len(t, checks, 2)
	assert.Equal(t, []string{first, "cancelled"}, []string{checks[0].HeadSHA, string(checks[0].Conclusion)})
	assert.Equal(t, []string{r.head, "success"}, []string{checks[1].HeadSHA, string(checks[1].Conclusion)})
}

func TestWithoutSettingsTheAppIsSilent(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	r.pullEvent("opened")
	assert.Empty(t, r.checks())
	r.comment("writer", "/bench")
	assert.Contains(t, r.answer(), "there is no `.github/bench.yml` on the base branch `main`")
}

func TestAMistakeInTheSettingsPointsAtItsLine(t *testing.T) {
	t.Parallel()
	r := newRig(t, "model: a/b\nrepetitions: 1000\n")
	r.pullEvent("opened")
	r.wait(1)
	check := r.check()
	assert.Equal(t, "action_required", string(check.Conclusion))
	require.Len(t, check.Annotations, 1)
	assert.Equal(t, []any{settings.Path, 2}, []any{check.Annotations[0].Path, check.Annotations[0].StartLine})
	assert.Empty(t, r.executor.works())
}

// A pull request cannot change what it is measured by.
func TestTheSettingsAreThoseOfTheBaseBranch(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	old := r.get(sandboxtest.Path + "/contents/" + settings.Path)
	reply := r.As("writer").Do("PUT", sandboxtest.Path+"/contents/"+settings.Path, map[string]any{
		"message": "mine", "content": "Ym9vCg==", "branch": "change", "sha": old["sha"],
	})
	require.Equal(t, 200, reply.Status, reply.Body)
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "success", string(r.check().Conclusion))
}

func TestWhatIsNotMeasuredConcludes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, config, conclusion string
	}{
		{"other paths", config + "paths: [docs/**]\n", "neutral"},
		{"a label that is missing", config + "labels: {run: bench}\n", "skipped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.config)
			r.pullEvent("opened")
			r.wait(1)
			assert.Equal(t, c.conclusion, string(r.check().Conclusion))
			assert.Empty(t, r.comments())
			assert.Empty(t, r.executor.works())
		})
	}
}

// Whoever opened a pull request may write its title.
func TestATitleSkipsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.As("writer").Do("PATCH", fmt.Sprintf("%s/pulls/%d", sandboxtest.Path, r.number), `{"title":"[skip bench] x"}`)
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "success", string(r.check().Conclusion))
	assert.Len(t, r.executor.works(), 1)
}

func TestABrokenRunIsTriedAgainAndThenTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) {
		return runs.Outcome{}, fault.Infraf("reach the model with hunter2")
	})
	r.pullEvent("opened")
	r.wait(1)
	assert.Len(t, r.executor.works(), 5)
	assert.Equal(t, "action_required", string(r.check().Conclusion))
	o, err := r.table.Outcome(t.Context(), "run-1")
	require.NoError(t, err)
	assert.NotContains(t, o.Problem, "hunter2")
	assert.NotContains(t, r.comments()[0], "hunter2")
}

func TestWhatAPersonHasToMendIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) {
		return runs.Outcome{}, fault.Invalidf("the model has no key: set one")
	})
	r.pullEvent("opened")
	r.wait(1)
	assert.Len(t, r.executor.works(), 1)
	assert.Equal(t, "action_required", string(r.check().Conclusion))
}

func TestARunThatGoesOnElsewhereIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	looks := 0
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		if looks++; looks < 3 {
			return runs.Outcome{}, service.ErrElsewhere
		}
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "success", string(r.check().Conclusion))
}

func TestARetryTakesOverWhatWasJudged(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	row := func(iteration int, failure bench.ErrorType) []byte {
		text := fmt.Sprintf(`{"scenario_id":"pr-merge-001","mode":"ghx","iteration":%d`, iteration)
		if failure != "" {
			text += fmt.Sprintf(`,"error":{"type":%q,"message":"x"}`, failure)
		}
		return []byte(text + "}")
	}
	cell := func(i int) bench.Cell { return bench.Cell{ScenarioID: "pr-merge-001", Mode: bench.GHX, Iteration: i} }
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		w.Keep(cell(1), row(1, ""))
		w.Keep(cell(2), row(2, bench.RunnerError))
		w.Keep(cell(3), row(3, "assertion_failed"))
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)
	r.comment("writer", "/bench retry")
	r.wait(1)
	works := r.executor.works()
	require.Len(t, works, 2)
	assert.Len(t, works[1].Rows, 3, "a runner failure was tried, and counts")
	assert.Equal(t, "run-1", works[1].Run.Request.Continues)
	assert.Contains(t, r.answer(), "👍 `/bench retry`")
}

func TestN1RowsOfABaseThatHasMovedAreNotTakenOver(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		for i, commit := range []string{w.Run.Request.BaseSHA, "another"} {
			cell := bench.Cell{ScenarioID: "pr-merge-001", Mode: bench.GHXBase, Iteration: i + 1}
			w.Keep(cell, fmt.Appendf(nil, `{"scenario_id":"pr-merge-001","mode":"ghx@base","iteration":%d,"git":{"commit":%q}}`, i+1, commit))
		}
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)
	r.comment("writer", "/bench retry")
	r.wait(1)
	works := r.executor.works()
	require.Len(t, works, 2)
	require.Len(t, works[1].Rows, 1)
	assert.Contains(t, string(works[1].Rows[0]), works[1].Run.Request.BaseSHA)
}

func TestARunIsStoppedByItsBudget(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"budget: {run: 1, pull_request: 1, day: 1}\n")
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		assert.InDelta(t, 1, w.Run.Request.Plan.MaxUSD, 1e-9)
		w.Progress(w.Run.Cells, w.Run.Cells, 2)
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)
	r.comment("writer", "/bench")
	assert.Contains(t, r.answer(), "budget")
	assert.Len(t, r.executor.works(), 1)
	r.push("src/b.ts")
	r.pullEvent("synchronize")
	r.wait(1)
	assert.Len(t, r.executor.works(), 1)
	checks := r.checks()
	assert.Equal(t, "cancelled", string(checks[len(checks)-1].Conclusion))
}

func TestAMergeQueueGetsItsCheck(t *testing.T) {
	t.Parallel()
	for config, conclusion := range map[string]string{config: "skipped", config + "triggers: {merge_group: true}\n": "success"} {
		r := newRig(t, config)
		r.deliver("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{
			"head_sha": r.head, "head_ref": "refs/heads/gh-readonly-queue/main/pr-1", "base_sha": r.head, "base_ref": "refs/heads/main",
		}})
		r.wait(1)
		assert.Equal(t, conclusion, string(r.check().Conclusion))
		assert.Empty(t, r.comments())
		run := r.run("run-1")
		assert.Equal(t, []any{"merge queue", r.head, r.head, "main", repo, 0}, []any{run.Request.Asked, run.Head, run.Request.BaseSHA, run.Request.BaseRef, run.Request.HeadRepo, run.Pull})
	}
}

// A queue would wait for ever for a check that does not come.
func TestAMergeQueueIsToldOfMistakenSettings(t *testing.T) {
	t.Parallel()
	r := newRig(t, "model: [1]\n")
	r.deliver("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{
		"head_sha": r.head, "head_ref": "refs/heads/gh-readonly-queue/main/pr-1", "base_sha": r.head, "base_ref": "refs/heads/main",
	}})
	r.wait(1)
	assert.NotEqual(t, "success", string(r.check().Conclusion))
	assert.Contains(t, r.check().Output.Title+r.check().Output.Summary, "model")
	assert.Empty(t, r.executor.works())
}

// A run that a workflow does is looked at when that ends, and not at every end of one.
func TestTheEndOfAWorkflowHasItsRunLookedAt(t *testing.T) {
	t.Parallel()
	looked, over := make(chan string, 100), atomic.Bool{}
	r := newRig(t, "model: a/b\nexecutor: dispatch\nworkflow: bench.yml\nbudget: {run: 10, pull_request: 25, day: 100}\n", func(o *service.Options) {
		o.Executors[settings.Dispatch], o.Elsewhere = o.Executors[settings.Local], time.Hour
	})
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		looked <- w.Run.ID
		if !over.Load() {
			return runs.Outcome{}, service.ErrElsewhere
		}
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	require.Equal(t, "run-1", <-looked)
	ended := func(change map[string]any) {
		run := map[string]any{"id": 77, "event": "workflow_dispatch", "display_title": "bench run-1", "conclusion": "success", "head_sha": r.head}
		maps.Copy(run, change)
		r.deliver("workflow_run", map[string]any{"action": "completed", "workflow_run": run})
	}
	// None of these is its own: nothing looks before the last one is delivered.
	jobs := func() (n int) {
		require.NoError(t, r.db.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'measure'").Scan(&n))
		return n
	}
	ended(map[string]any{"event": "push"})
	ended(map[string]any{"display_title": "bench run-2"})
	assert.Empty(t, looked)
	assert.Equal(t, 1, jobs(), "the one that looks in an hour")
	over.Store(true)
	ended(nil)
	assert.Equal(t, "run-1", <-looked)
	r.wait(1)
	assert.Equal(t, runs.Finished, r.run("run-1").State)
	assert.Empty(t, looked)
}

func TestButtonsRunAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.pullEvent("opened")
	r.wait(1)
	check := r.check().ID
	r.press("reader", "requested_action", "full", check)
	assert.Len(t, r.checks(), 1, "who may not write may not spend")
	r.press("writer", "requested_action", "full", check)
	r.wait(1)
	r.press("writer", "rerequested", "", check)
	r.wait(1)
	assert.Len(t, r.executor.works(), 3)
	first := r.run("run-1").Request
	for _, id := range []string{"run-2", "run-3"} {
		again := r.run(id)
		assert.Equal(t, []any{r.head, first.BaseSHA, first.BaseRef, first.HeadRepo, "re-run by writer"}, []any{again.Head, again.Request.BaseSHA, again.Request.BaseRef, again.Request.HeadRepo, again.Request.Asked})
	}
	r.press("writer", "requested_action", "explain", check)
	assert.NotEmpty(t, r.answer())
	assert.Len(t, r.checks(), 3)
}

func TestWhereTheAppIsGoneRunsEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	begun := make(chan struct{}, 1)
	ended := make(chan struct{})
	r.executor.set(func(ctx context.Context, _ service.Work) (runs.Outcome, error) {
		begun <- struct{}{}
		<-ctx.Done()
		close(ended)
		return runs.Outcome{}, ctx.Err()
	})
	r.pullEvent("opened")
	<-begun
	r.deliver("installation", map[string]any{"action": "deleted"})
	<-ended
	r.wait(1)
	assert.Equal(t, runs.Stopped, r.run("run-1").State)
}

func TestPayloadsOfAnotherShapeAreNotTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	err := r.try("x", "pull_request", map[string]any{"action": "opened"})
	require.ErrorContains(t, err, "lacks pull_request")
}
