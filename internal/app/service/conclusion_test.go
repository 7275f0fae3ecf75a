package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestTheSettingsSayHowACheckEndsWithoutAVerdict(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{"": "neutral", "on_no_verdict: failure\n": "failure", "on_no_verdict: action_required\n": "action_required"} {
		r := newRig(t, config+set)
		r.judges(bench.VerdictInconclusive)
		r.pullEvent("opened")
		r.wait(1)
		assert.Equal(t, want, string(r.check().Conclusion), set)
	}
}

func TestARunThatNothingHereCanMeasureIsBroken(t *testing.T) {
	t.Parallel()
	r := newRig(t, config, func(o *service.Options) { o.Executors = nil })
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "action_required", string(r.check().Conclusion))
	assert.Contains(t, r.check().Output.Summary, `This App has no executor "local"`)
}

// A check run leads to what there is of the run.
// buttons are those of the last check run.
func (r *rig) buttons() (all []string) {
	for _, one := range r.check().Actions {
		all = append(all, one.Identifier)
	}
	return all
}

func TestACheckLeadsToWhatThereIs(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) {
		return runs.Outcome{}, fault.Invalidf("the model has no key: set one")
	})
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "https://bench.example/runs/run-1", r.check().DetailsURL)
	assert.Equal(t, []string{"retry", "full", "explain"}, r.buttons())
	assert.Equal(t, r.run("run-1").Ended.Unix(), r.check().CompletedAt.Unix(), "when it ended, not when that was told")
	assert.NotContains(t, r.comments()[0], "/explore", "there is no report")
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		o, err := passes(ctx, w)
		o.Summary.Gate.Checks = []bench.Check{{Name: bench.CheckNames()[0]}}
		o.Summary.Scenarios = []bench.ScenarioSummary{{ID: "pr-view-001"}} // it is bad, as it counts for nothing
		return o, err
	})
	r.comment("writer", "/bench run")
	r.wait(1)
	assert.Contains(t, r.comments()[0]+r.comments()[1], "/runs/run-2/explore")
	assert.Contains(t, r.comments()[0]+r.comments()[1], "/runs/run-2/scenarios/pr-view-001")

	without := newRig(t, config, func(o *service.Options) { o.PublicURL = "" })
	without.pullEvent("opened")
	without.wait(1)
	assert.NotContains(t, without.check().DetailsURL, "run-1", "there is no dashboard")
}

func TestACheckSaysHowFarARunIs(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	said := make(chan string, 1)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		if len(r.executor.works()) == 1 {
			r.ahead.Add(int64(90 * time.Second))
			w.Progress(3, w.Run.Cells, 0.25)
			return runs.Outcome{}, service.ErrElsewhere
		}
		said <- r.check().Output.Title + r.check().Output.Summary
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)
	shown := <-said
	for _, part := range []string{"3 of 16", "90 s", "0.25"} {
		assert.Contains(t, shown, part)
	}
}

// The end of a delivery and the measuring open a check run at the same time: of what the
// database knows one of, both end.
func TestBothCheckRunsOfARunEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.goesOn()
	known := r.check()
	r.Change(func(s *model.State, repo *model.Repo) {
		double, err := s.CreateCheckRun(s.Apps.Get(r.app), repo, known.HeadSHA, model.CheckChange{Name: &known.Name, ExternalID: &known.ExternalID})
		require.NoError(t, err)
		require.NotEqual(t, model.Completed, double.Status)
	})
	r.comment("writer", "/bench cancel")
	r.wait(1)
	for _, c := range r.checks() {
		assert.Equal(t, model.Completed, c.Status, c.Output)
	}
	assert.Len(t, r.checks(), 2)
}

// What was told, and what is not over, is not told.
func TestAnEndIsToldOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.goesOn()
	requests := &interruption{}
	r.transport = requests
	tell := func(id string) {
		require.NoError(t, r.service.Job(context.WithValue(t.Context(), deliveryOnly{}, true), "tell", id))
	}
	requests.next(1)
	tell("run-1")
	assert.Equal(t, "in_progress", string(r.check().Status))
	r.comment("writer", "/bench cancel")
	r.wait(1)
	tell("run-1")
	tell("nobody's")
	assert.False(t, requests.came(), "GitHub is not asked")
}

func TestWhyARunWasEndedForAnother(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	begun := r.goesOn()
	r.pullEvent("reopened")
	assert.True(t, r.run("run-1").State.Alive(), "it is of this commit")
	r.comment("writer", "/bench run")
	<-begun
	assert.Equal(t, comment.Replaced, r.reason("run-1"))
	r.push("src/b.ts")
	r.pullEvent("synchronize")
	<-begun
	assert.Equal(t, comment.Superseded, r.reason("run-2"))
}

// What cannot be ended elsewhere in a day is left to end by itself.
func TestWhatGoesOnElsewhereIsLeftAfterADay(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) { return runs.Outcome{}, service.ErrElsewhere })
	for range 10_000 {
		r.executor.goesOn = append(r.executor.goesOn, service.ErrElsewhere)
	}
	r.pullEvent("opened")
	r.comment("writer", "/bench cancel")
	r.wait(1)
	require.Error(t, r.service.Job(t.Context(), "abandon", "run-1"), "it is tried again")
	require.NoError(t, r.service.Job(t.Context(), "abandon", "nobody's"))
	assert.Empty(t, r.logged("may go on elsewhere"))
	r.ahead.Store(int64(25 * time.Hour))
	select {
	case <-r.abandoned:
	case <-time.After(soon):
		require.Fail(t, "it is tried for ever")
	}
	assert.NotEmpty(t, r.logged("may go on elsewhere", "run-1"))
}

// What cannot be ended for a lasting reason is not tried for a day.
func TestWhatGitHubRefusesToEndGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	for range 10_000 {
		r.executor.goesOn = append(r.executor.goesOn, fault.Invalidf("GitHub refuses"))
	}
	r.store(func(*runs.Run) {})
	r.finishes("left", runs.Stopped, runs.Outcome{Reason: "It was cancelled by writer."})
	r.ahead.Store(int64(10 * time.Minute))
	r.reap()
	select {
	case <-r.abandoned:
	case <-time.After(soon):
		require.Fail(t, "it is tried for ever")
	}
	assert.NotEmpty(t, r.logged("may go on elsewhere", "left", "GitHub refuses"))
}

// Every group has its own run, and a delivery that comes again none.
func TestEachGroupOfAMergeQueueIsMeasuredOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"triggers: {merge_group: true}\n")
	group := func(head string) map[string]any {
		return map[string]any{"action": "checks_requested", "merge_group": map[string]any{
			"head_sha": head, "head_ref": "refs/heads/gh-readonly-queue/main/pr-1", "base_sha": r.head, "base_ref": "refs/heads/main",
		}}
	}
	first := r.head
	for range 2 {
		r.again("group", "merge_group", group(first))
	}
	r.push("src/b.ts")
	r.deliver("merge_group", group(r.head))
	r.wait(2)
	var heads []string
	for _, w := range r.executor.works() {
		heads = append(heads, w.Run.Head)
	}
	assert.ElementsMatch(t, []string{first, r.head}, heads)
}

// What has no row yet is begun, not gone on with.
func TestARunByEvidenceWithoutARowIsNotGoneOnWith(t *testing.T) {
	t.Parallel()
	r := newRig(t, paid+"profile: regression\nscenarios: [pr-view-001, repo-view-001, issue-view-001]\n")
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) {
		return runs.Outcome{Reason: "It has spent what it may."}, nil
	})
	for range 2 {
		r.comment("writer", "/bench run")
		r.wait(1)
	}
	assert.Empty(t, r.run("run-2").Request.Continues)
}

// An event comes late: of what was closed meanwhile nothing is measured or said.
func TestAPullRequestThatWasClosedMeanwhileIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{config, "model: [1]\n"} {
		r := newRig(t, text)
		opened := map[string]any{"action": "opened", "pull_request": r.pull()}
		r.close()
		r.deliver("pull_request", opened)
		_, err := r.table.Get(t.Context(), "run-1")
		assert.ErrorIs(t, err, runs.ErrNone)
	}
}

func TestWhatIsSkippedCanBeRunByAButton(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"labels: {run: bench}\n")
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "skipped", string(r.check().Conclusion))
	assert.Equal(t, []string{"full"}, r.buttons())
}

// What was removed meanwhile is not gone on with, nor missed.
func TestARunOutlivesTheOneThatItGoesOnWith(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.store(func(run *runs.Run) { run.ID, run.Cause, run.Request.Continues = "next", "next", "removed" })
	require.NoError(t, r.service.Job(t.Context(), "measure", "next"))
	require.Len(t, r.executor.works(), 1)
	assert.Empty(t, r.executor.works()[0].Before)
}

func TestAGroupWithoutSettingsIsLeftAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	r.queued()
	r.none("run-1", "nobody has asked for it")
}
