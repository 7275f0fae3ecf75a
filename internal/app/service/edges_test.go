package service_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// jobs returns how many jobs of a kind there are, those that are done too.
func (r *rig) jobs(kind string) (n int) {
	r.Helper()
	require.NoError(r, r.db.QueryRow(r.Context(), "SELECT count(*) FROM river_job WHERE kind = $1", kind).Scan(&n))
	return n
}

// line has a stored run wait for a place.
func (r *rig) line() {
	r.Helper()
	require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) error { return r.table.Enter(r.Context(), tx, "left") }))
}

// finishes has a stored run be over.
func (r *rig) finishes(id string, state runs.State, o runs.Outcome) {
	r.Helper()
	require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) error {
		_, err := r.table.End(r.Context(), tx, id, state, o, r.now())
		return err
	}))
}

// When a run begins that a workflow does is not for the App's workers to say; and one
// that has just come is told where it is by who asked for it.
func TestARunOfAWorkflowSaysWhereItWaitsAndNotWhenItBegins(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		r.ahead.Add(int64(time.Hour))
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)
	begun := make(chan string, 1)
	r.executor.set(goesOn(begun))
	r.comment("writer", "/bench run")
	<-begun
	r.store(func(run *runs.Run) {
		run.Suite, run.Request.Plan.Executor, run.Created = "elsewhere", settings.Dispatch, r.now()
	})
	r.line()
	waits := func() (said []string) {
		r.Look(func(s *model.State) {
			for c := range s.CheckRuns.All() {
				if c.Status == model.Queued {
					said = append(said, c.Output.Summary)
				}
			}
		})
		return said
	}
	r.reap()
	assert.Empty(t, waits(), "it has just come")
	r.ahead.Add(int64(3 * time.Minute))
	r.reap()
	require.Len(t, waits(), 1)
	assert.Contains(t, waits()[0], "Waiting for a place to run: it is next in line.")
}

// Two minutes are what a run has to get its job by itself.
func TestTheReaperLeavesARunItsTime(t *testing.T) {
	t.Parallel()
	for age, looks := range map[time.Duration]bool{2 * time.Minute: false, 2*time.Minute + time.Millisecond: true} {
		at := time.Now().Truncate(time.Second)
		r := newRig(t, config, func(o *service.Options) { o.Now = func() time.Time { return at } })
		r.store(func(run *runs.Run) { run.Created = at.Add(-age) })
		r.reap()
		if looks {
			r.wait(1)
			continue
		}
		assert.Zero(t, r.jobs("measure"), age)
		assert.False(t, r.run("left").HasPlace)
	}
}

// A run that was ended while it was measured is told once.
func TestTheEndOfARunThatHasEndedIsNotToldAgain(t *testing.T) {
	t.Parallel()
	for name, comes := range map[string]error{"it passes": nil, "it is killed": errors.New("signal: killed")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var of context.Context
			r := newRig(t, config, func(o *service.Options) { o.Watch = time.Millisecond })
			r.store(func(*runs.Run) {})
			r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
				of = ctx
				r.comment("writer", "/bench cancel")
				if comes != nil {
					<-ctx.Done()
					return runs.Outcome{}, comes
				}
				return passes(ctx, w)
			})
			require.NoError(t, r.service.Job(t.Context(), "measure", "left"))
			r.wait(1)
			assert.Equal(t, 1, r.jobs("tell"))
			assert.Equal(t, runs.Stopped, r.run("left").State)
			require.Error(t, of.Err(), "nobody watches it any more")
		})
	}
}

// What a run took over at its beginning, later looks at its workflow find.
func TestAWorkflowThatRunsTakesNothingOver(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.store(func(run *runs.Run) { run.State = runs.Finished })
	require.NoError(t, r.table.AddRow(t.Context(), "left", cellOf("pr-merge-001", 1), []byte(`{"scenario_id":"pr-merge-001","mode":"ghx","iteration":1}`)))
	r.finishes("left", runs.Finished, runs.Outcome{})
	r.store(func(run *runs.Run) { run.ID, run.Cause, run.Request.Continues = "next", "next", "left" })
	require.NoError(t, r.table.SetWorkflowRun(t.Context(), "next", 7))
	require.NoError(t, r.service.Job(t.Context(), "measure", "next"))
	require.Len(t, r.executor.works(), 1)
	assert.Empty(t, r.executor.works()[0].Rows)
}

func TestARowThatCannotBeReadIsNotTakenOver(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.store(func(*runs.Run) {})
	require.NoError(t, r.table.AddRow(t.Context(), "left", cellOf("pr-merge-001", 1), []byte(`{"scenario_id": 7}`)))
	r.finishes("left", runs.Broken, runs.Outcome{Problem: "It broke."})
	r.store(func(run *runs.Run) { run.ID, run.Cause, run.Request.Continues = "next", "next", "left" })
	err := r.service.Job(t.Context(), "measure", "next")
	require.ErrorContains(t, err, "read a row")
	assert.Equal(t, fault.Internal, fault.KindOf(err))
	assert.Empty(t, r.executor.works())
}

func TestABodyThatCannotBeUnpackedIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	d := service.Delivery{ID: "delivery", Event: "issue_comment", Body: service.Packed{0xff}}
	err := r.service.Deliver(t.Context(), d)
	require.Error(t, err)
	assert.True(t, queue.IsPermanent(err))
	assert.NotContains(t, err.Error(), "JSON", "it is not read")
	r.service.GiveUp(t.Context(), d, err)
	assert.Empty(t, r.comments())
}

// What cannot be said in the conversation is given up sooner than the check run.
func TestACommentThatGitHubRefusesLeavesTheCheckRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.AddToken(appToken, sandbox.Token{App: appSlug, Permissions: map[string]string{"checks": "write", "pull_requests": "read", "contents": "read"}})
	r.pullEvent("opened")
	r.wait(1)
	assert.True(t, r.run("run-1").Published)
	assert.Equal(t, "success", string(r.check().Conclusion))
	assert.Empty(t, r.comments())
	assert.NotEmpty(t, r.logged("not published", "run=run-1"))
}

// An attempt made a run, which ended before the next one: it is not begun again.
func TestARunThatHasEndedIsNotBegunAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	r.store(func(run *runs.Run) { run.Cause = "delivery" })
	r.finishes("left", runs.Stopped, runs.Outcome{Reason: "It was cancelled by writer."})
	require.NoError(t, r.try("delivery", "issue_comment", r.says("writer", "/bench run")))
	assert.Empty(t, r.checks())
	assert.Zero(t, r.jobs("measure")+r.jobs("tell"))
}

// Where there is no dashboard, what leads on is the check run.
func TestAnAnswerLeadsToTheCheckRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, config, func(o *service.Options) { o.PublicURL = "" })
	r.pullEvent("opened")
	r.wait(1)
	r.comment("writer", "/bench status")
	url := r.run("run-1").CheckURL
	require.NotEmpty(t, url)
	assert.Contains(t, r.answer(), url)
}

// How far a run came is what it says while it goes on.
func TestAStoppedRunSaysWhyAndNotHowFarItCame(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.store(func(*runs.Run) {})
	r.executor.set(func(_ context.Context, w service.Work) (runs.Outcome, error) {
		w.Progress(3, w.Run.Cells, 0.25)
		return runs.Outcome{Reason: "It has spent what it may."}, nil
	})
	require.NoError(t, r.service.Job(t.Context(), "measure", "left"))
	r.wait(1)
	assert.Contains(t, r.check().Output.Summary, "It has spent what it may.")
	assert.NotContains(t, r.check().Output.Summary, "It had come to")
}

// An executor's reason is that of a run that went well: an error goes before it.
func TestAnErrorGoesBeforeAReason(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) {
		return runs.Outcome{Reason: "It was stopped."}, fault.Invalidf("The plan names no model")
	})
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, runs.Broken, r.run("run-1").State)
}

func TestOneMistakeInProposedSettingsIsNoPlural(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.propose("model: a/b\ncolour: blue\n")
	r.pullEvent("opened")
	require.Len(t, r.proposed(), 1)
	assert.Equal(t, "A mistake in the proposed .github/bench.yml", r.proposed()[0].Output.Title)
	assert.Contains(t, r.proposed()[0].Output.Summary, "the settings of `main`")
}

// Whichever answer is missing: the mistakes are told, or the log says that they are not.
// Of a head GitHub tells twice, and its mistakes are told with what it says of the pull request.
func TestProposedSettingsAreNotToldOfASuite(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.propose("model: none\n")
	r.deliver("check_suite", map[string]any{"action": "requested", "check_suite": map[string]any{
		"id": 1, "head_sha": r.head, "app": map[string]any{"id": r.app}, "pull_requests": r.mentioned(),
	}})
	r.wait(1)
	assert.Empty(t, r.proposed())
}

func TestProposedSettingsThatAreNotCheckedAreLogged(t *testing.T) {
	t.Parallel()
	requests := &interruption{more: 2}
	ctx := context.WithValue(t.Context(), deliveryOnly{}, true)
	logged := 0
	for n, came := 1, true; came; n++ {
		r := newRig(t, "")
		r.transport = requests
		r.propose("model: 7\n")
		requests.next(n)
		err := r.service.Deliver(ctx, r.delivery("delivery", "pull_request", map[string]any{"action": "opened", "pull_request": r.pull()}))
		came = requests.came()
		warned := r.logged("proposed settings were not checked", "502")
		assert.True(t, err != nil || len(r.proposed()) == 1 || len(warned) == 1, "request %d", n)
		logged += len(warned)
	}
	assert.Greater(t, logged, 2, "reading them, looking for what was told, and telling it")
}

// A set that there is, and one that there is not.
func TestSettingsMayNameASet(t *testing.T) {
	t.Parallel()
	all, err := library()
	require.NoError(t, err)
	r := newRig(t, config+"scenario_set: "+all.Sets()[0]+"\n")
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "success", string(r.check().Conclusion))
	other := newRig(t, config+"scenario_set: nothing-like-it\n")
	other.pullEvent("opened")
	other.wait(1)
	assert.Equal(t, "action_required", string(other.check().Conclusion))
}

// A workflow run is a run's own by its number, and by its title while that is not known.
func TestAWorkflowIsKnownByItsNumber(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.store(func(run *runs.Run) { run.Request.Plan.Executor = settings.Dispatch })
	require.NoError(t, r.table.SetWorkflowRun(t.Context(), "left", 1))
	ends := func(id int) {
		r.deliver("workflow_run", map[string]any{"action": "completed", "workflow_run": map[string]any{
			"id": id, "event": "workflow_dispatch", "display_title": "bench left", "conclusion": "success", "head_sha": r.head,
		}})
	}
	ends(2)
	assert.Zero(t, r.jobs("measure"))
	ends(1)
	assert.Equal(t, 1, r.jobs("measure"))
}

// What became of a failed command is kept, as what another attempt is to answer.
func TestAFailureIsTheAnswerThatIsKept(t *testing.T) {
	t.Parallel()
	r := newRig(t, silent)
	d := r.delivery("delivery", "issue_comment", r.says("writer", "/bench run"))
	r.service.GiveUp(t.Context(), d, fault.Infraf("GitHub does not answer"))
	kept, known, err := r.table.Answer(t.Context(), "delivery")
	require.NoError(t, err)
	assert.True(t, known)
	assert.Equal(t, []string{"failed", "confused"}, []string{kept.Outcome, kept.Reaction})
	assert.Contains(t, r.answer(), kept.Body)
}

// A delivery may be worked at more than once at the same time, where a worker was taken
// for dead. What it asks for is measured, and paid for, once.
func TestADeliveryThatSeveralWorkAtIsMeasuredOnce(t *testing.T) {
	t.Parallel()
	of := interruptibles()
	for _, name := range []string{"a pull request", "mistaken settings", "a push", "a merge queue", "a button for all", "a newer push"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := of[name]
			var want int
			for _, workers := range []int{1, 4} {
				r := newRig(t, c.config)
				event, payload := c.event(r)
				delivery := r.delivery("delivery-1000", event, payload)
				var all sync.WaitGroup
				for range workers {
					all.Go(func() { assert.NoError(t, r.service.Deliver(t.Context(), delivery)) })
				}
				all.Wait()
				r.wait(c.told)
				if workers == 1 {
					want = len(r.executor.works())
				}
				assert.Len(t, r.executor.works(), want)
			}
		})
	}
}

// Where the base is not known, no row is of another one.
func TestRowsOfAnUnknownBaseAreTakenOver(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.store(func(*runs.Run) {})
	require.NoError(t, r.table.AddRow(t.Context(), "left", bench.Cell{ScenarioID: "pr-merge-001", Mode: bench.GHXBase, Iteration: 1},
		[]byte(`{"scenario_id":"pr-merge-001","mode":"ghx@base","iteration":1}`)))
	r.finishes("left", runs.Broken, runs.Outcome{Problem: "It broke."})
	r.store(func(run *runs.Run) { run.ID, run.Cause, run.Request.Continues = "next", "next", "left" })
	require.NoError(t, r.service.Job(t.Context(), "measure", "next"))
	assert.Len(t, r.executor.works()[0].Rows, 1)
}

// A check run that is shown too late has nothing measured.
func TestACheckRunThatIsShownTooLateHasNothingMeasured(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.store(func(*runs.Run) {})
	r.transport = &before{text: `"in_progress"`, do: func() {
		r.comment("writer", "/bench cancel")
		r.wait(1)
	}}
	require.NoError(t, r.service.Job(t.Context(), "measure", "left"))
	r.wait(1)
	assert.Empty(t, r.executor.works())
	for _, check := range r.checks() {
		assert.Equal(t, "cancelled", string(check.Conclusion))
	}
}

// What a closed pull request's run lacks is not measured any more.
func TestARunOfAClosedPullRequestIsNotRetried(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) {
		return runs.Outcome{Reason: "It was stopped."}, nil
	})
	r.pullEvent("opened")
	r.wait(1)
	r.close()
	r.comment("writer", "/bench retry")
	assert.Contains(t, r.answer(), "the pull request is closed")
	assert.Len(t, r.executor.works(), 1)
}

// What code that is not trusted was about is there for who goes on, without secrets.
func TestWhatIsRunIsKeptForWhoGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		if w.Begun == nil {
			return runs.Outcome{}, errors.Join(w.KeepBegun([]byte(`{"run_id":"hunter2"}`), true), service.ErrElsewhere)
		}
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)
	works := r.executor.works()
	require.Len(t, works, 2)
	assert.JSONEq(t, `{"run_id":"[redacted]"}`, string(works[1].Begun))
}

// Of an executor that the server has no more nothing goes on.
func TestNothingGoesOnElsewhereOfAnExecutorThatIsGone(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.store(func(run *runs.Run) { run.Request.Plan.Executor = "gone" })
	r.finishes("left", runs.Stopped, runs.Outcome{Reason: "It was cancelled by writer."})
	require.NoError(t, r.service.Job(t.Context(), "abandon", "left"))
	assert.Empty(t, r.executor.ended())
}

// Settings that want no day measured leave nothing that is due.
func TestABranchThatIsNotMeasuredEachDayIsNeverDue(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"baseline: {push: true}\n")
	r.deliver("push", r.lands("src/b.ts", "Add b"))
	r.wait(1)
	due, err := r.table.Due(t.Context(), time.Now().Add(1000*time.Hour))
	require.NoError(t, err)
	assert.Empty(t, due)
}

// A run that was over before it was shown has a check run that is known then.
func TestACheckRunThatIsMadeAtTheEndIsKnown(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.store(func(*runs.Run) {})
	r.finishes("left", runs.Stopped, runs.Outcome{Reason: "It was cancelled by writer."})
	require.NoError(t, r.service.Job(t.Context(), "tell", "left"))
	run := r.run("left")
	assert.Equal(t, r.check().ID, run.CheckID)
	require.NotEmpty(t, run.CheckURL)
	require.Len(t, r.comments(), 1)
	assert.Contains(t, r.comments()[0], run.CheckURL)
}

// The tasks of a benchmark of others are not ours to know.
func TestATaskOfAnotherBenchmarkIsExplained(t *testing.T) {
	t.Parallel()
	r := newRig(t, tau, byTasks)
	r.comment("writer", "/bench")
	r.wait(1)
	r.comment("writer", "/bench explain airline-refund-001")
	assert.Equal(t, 1, r.counted("issue_comment", "explain", "carried_out"), r.answer())
}

// A button for which nothing is left is counted as that.
func TestAButtonThatIsTooDearIsCounted(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"budget: {run: 1, pull_request: 1, day: 1}\n")
	r.costs(2, time.Second)
	r.pullEvent("opened")
	r.wait(1)
	r.press("writer", "requested_action", "full", r.check().ID)
	r.wait(1)
	assert.Equal(t, 1, r.counted("check_run", "run", "over_budget"))
}

// Where the App has no access any more no run goes on, and not only the first one ends.
func TestAllRunsOfAnInstallationThatIsGoneEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.store(func(*runs.Run) {})
	r.store(func(run *runs.Run) { run.ID, run.Cause, run.Suite = "next", "next", "other" })
	r.deliver("installation", map[string]any{"action": "deleted"})
	assert.Equal(t, []runs.State{runs.Stopped, runs.Stopped}, []runs.State{r.run("left").State, r.run("next").State})
}
