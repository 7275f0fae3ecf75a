package service_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// goesOn is an executor whose runs go on until they are ended by others. It
// says which head they are of.
func goesOn(begun chan<- string) func(context.Context, service.Work) (runs.Outcome, error) {
	return func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		begun <- w.Run.Head
		<-ctx.Done()
		return runs.Outcome{}, context.Cause(ctx)
	}
}

// goesOn has the pull request measured until others end that. It returns a channel that
// has the head of each run that begins after it.
func (r *rig) goesOn() <-chan string {
	r.Helper()
	begun := make(chan string, 10)
	r.executor.set(goesOn(begun))
	r.pullEvent("opened")
	<-begun
	return begun
}

// none asserts that no run has an id.
func (r *rig) none(id, why string) {
	r.Helper()
	_, err := r.table.Get(r.Context(), id)
	assert.ErrorIs(r, err, runs.ErrNone, why)
}

// branch makes a branch at another one.
func (r *rig) branch(name, of string) {
	r.Helper()
	r.Change(func(s *model.State, repo *model.Repo) {
		at, _ := s.BranchHead(repo, of)
		require.NoError(r, s.CreateRef(repo.OwnerID, repo, "refs/heads/"+name, at))
	})
}

// pushBack has the pull request's branch be at an older commit again.
func (r *rig) pushBack(head string) {
	r.Helper()
	back := r.As("writer").Do("PATCH", sandboxtest.Path+"/git/refs/heads/change", map[string]any{"sha": head, "force": true})
	require.Equal(r, http.StatusOK, back.Status, back.Body)
	r.head = head
}

// pushedAt is the pull request as an event has it that says when it was pushed.
func (r *rig) pushedAt(at time.Time) map[string]any {
	r.Helper()
	pull := r.pull()
	pull["updated_at"] = at.UTC().Format(time.RFC3339)
	return pull
}

func TestALateEventOfAnOlderPushEndsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	begun := make(chan string, 10)
	r.executor.set(goesOn(begun))
	old := r.pull()
	r.push("src/b.ts")
	r.pullEvent("synchronize")
	require.Equal(t, r.head, <-begun)
	r.deliver("pull_request", map[string]any{"action": "opened", "pull_request": old})
	assert.True(t, r.run("run-1").State.Alive())
	r.none("run-2", "the older push is not measured any more")
}

func TestAClosedPullRequestIsNotMeasured(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	open := r.pull()
	closed := r.As("writer").Do("PATCH", fmt.Sprintf("%s/pulls/%d", sandboxtest.Path, r.number), `{"state":"closed"}`)
	require.Equal(t, http.StatusOK, closed.Status)
	r.deliver("pull_request", map[string]any{"action": "opened", "pull_request": open})
	r.none("run-1", "it was closed since")
}

func TestAPushBackToAMeasuredCommitEndsTheRunOfTheOther(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.pullEvent("opened")
	r.wait(1)
	first := r.head
	begun := make(chan string, 10)
	r.executor.set(goesOn(begun))
	r.push("src/b.ts")
	r.pullEvent("synchronize")
	<-begun
	r.pushBack(first)
	r.pullEvent("synchronize")
	assert.Equal(t, runs.Stopped, r.run("run-2").State)
	r.none("run-3", "the commit has its run")
}

// A run by the settings of another branch says nothing of this one's.
func TestEachBaseHasACommitMeasuredByItsOwnSettings(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.branch("lax", "main")
	lax := r.As("writer").Do("PUT", sandboxtest.Path+"/contents/"+settings.Path, map[string]any{
		"message": "lax", "branch": "lax", "sha": r.As("writer").Get(sandboxtest.Path + "/contents/" + settings.Path + "?ref=lax").Text("sha"),
		"content": base64.StdEncoding.EncodeToString([]byte("model: x/cheap\nexecutor: local\nscenarios: [pr-view-001]\nrepetitions: 1\n")),
	})
	require.Equal(t, http.StatusOK, lax.Status, lax.Body)
	main := r.number
	pull := r.As("writer").Do("POST", sandboxtest.Path+"/pulls", `{"title":"To lax","head":"change","base":"lax"}`)
	require.Equal(t, http.StatusCreated, pull.Status, pull.Body)
	r.number = pull.Int("number")
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "x/cheap", r.run("run-1").Request.Plan.Model)
	r.number = main
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "main", r.run("run-2").Request.BaseRef)
	assert.NotEqual(t, "x/cheap", r.run("run-2").Request.Plan.Model)
}

func TestAnotherBaseHasTheHeadMeasuredByItsSettings(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.branch("next", "main")
	r.pullEvent("opened")
	r.wait(1)
	r.deliver("pull_request", map[string]any{"action": "edited", "pull_request": r.pull(), "changes": map[string]any{"title": map[string]any{"from": "x"}}})
	r.none("run-2", "only its title was changed")
	moved := r.As("writer").Do("PATCH", fmt.Sprintf("%s/pulls/%d", sandboxtest.Path, r.number), `{"base":"next"}`)
	require.Equal(t, http.StatusOK, moved.Status, moved.Body)
	r.deliver("pull_request", map[string]any{
		"action": "edited", "pull_request": r.pull(), "changes": map[string]any{"base": map[string]any{"ref": map[string]any{"from": "main"}}},
	})
	r.wait(1)
	assert.Equal(t, "next", r.run("run-2").Request.BaseRef)
}

// Where no event told of a push, our own suite of the commit tells when it was.
func TestACommandOfBeforeAPushThatWasNotToldIsVoid(t *testing.T) {
	t.Parallel()
	for name, pushed := range map[string]time.Duration{"before the comment": -time.Hour, "after it": time.Hour} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, manual)
			r.Change(func(s *model.State, repo *model.Repo) {
				const id = 999_999
				s.CheckSuites.Add(id, &model.CheckSuite{ID: id, RepoID: repo.ID, AppID: r.app, HeadSHA: r.head, CreatedAt: s.Now.Add(pushed), UpdatedAt: s.Now})
			})
			r.comment("writer", "/bench run")
			_, err := r.table.Get(t.Context(), "run-1")
			assert.Equal(t, pushed < 0, err == nil)
		})
	}
}

// A suite is another word for a push.
func TestASuiteStartsWhatAPushDoes(t *testing.T) {
	t.Parallel()
	for trigger, measured := range map[string]bool{"opened": false, "synchronize": true} {
		t.Run(trigger, func(t *testing.T) {
			r := newRig(t, config+"triggers: {pull_request: ["+trigger+"]}\n")
			r.deliver("check_suite", map[string]any{"action": "requested", "check_suite": map[string]any{
				"id": 1, "head_sha": r.head, "app": map[string]any{"id": r.app}, "pull_requests": r.mentioned(),
			}})
			_, err := r.table.Get(t.Context(), "run-1")
			assert.Equal(t, measured, err == nil)
		})
	}
}

// Labels may be given by people who may not write.
func TestALabelOfSomebodyWhoMayNotWriteMeasuresNothing(t *testing.T) {
	t.Parallel()
	for login, state := range map[string]runs.State{"triager": runs.Skipped, "writer": runs.Queued} {
		t.Run(login, func(t *testing.T) {
			r := newRig(t, "model: a/b\nexecutor: local\ntriggers: {pull_request: [labeled]}\nlabels: {run: bench}\n")
			r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) { return runs.Outcome{}, service.ErrElsewhere })
			r.As("owner").Do("POST", sandboxtest.Path+"/labels", `{"name":"bench","color":"ffffff"}`)
			r.As("owner").Do("POST", fmt.Sprintf("%s/issues/%d/labels", sandboxtest.Path, r.number), `{"labels":["bench"]}`)
			r.deliver("pull_request", map[string]any{
				"action": "labeled", "label": map[string]any{"name": "bench"}, "pull_request": r.pull(), "sender": map[string]any{"login": login, "type": "User"},
			})
			assert.Equal(t, state.Alive(), r.run("run-1").State.Alive())
			if !state.Alive() {
				assert.Equal(t, state, r.run("run-1").State)
			}
		})
	}
}

func TestApprovalEndsWithTheNextPushAlsoIfThatIsTakenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	name, approved, noon := sandboxtest.Owner+"/"+sandboxtest.Name, r.head, time.Now()
	is := func() bool {
		t.Helper()
		is, err := r.table.Approved(t.Context(), name, r.number, approved)
		require.NoError(t, err)
		return is
	}
	r.deliver("pull_request", map[string]any{"action": "opened", "pull_request": r.pushedAt(noon)})
	require.NoError(t, r.table.Approve(t.Context(), name, r.number, approved, "writer", noon.Add(time.Minute)))
	require.True(t, is())
	r.push("src/b.ts")
	r.deliver("pull_request", map[string]any{"action": "synchronize", "pull_request": r.pushedAt(noon.Add(2 * time.Minute))})
	assert.False(t, is(), "there is a newer push")
	r.pushBack(approved)
	r.deliver("pull_request", map[string]any{"action": "synchronize", "pull_request": r.pushedAt(noon.Add(3 * time.Minute))})
	assert.False(t, is(), "the commit was pushed anew")
	require.NoError(t, r.table.Approve(t.Context(), name, r.number, approved, "writer", noon.Add(4*time.Minute)))
	assert.True(t, is())
}

func TestACommandOfBeforeAPushBackIsVoid(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	first, now := r.head, time.Now()
	r.deliver("pull_request", map[string]any{"action": "opened", "pull_request": r.pushedAt(now.Add(-time.Hour))})
	r.push("src/b.ts")
	r.deliver("pull_request", map[string]any{"action": "synchronize", "pull_request": r.pushedAt(now.Add(-time.Minute))})
	r.pushBack(first)
	r.deliver("pull_request", map[string]any{"action": "synchronize", "pull_request": r.pushedAt(now.Add(time.Minute))})
	r.deliver("issue_comment", minutesBefore(r.says("writer", "/bench run"), 0))
	r.none("run-1", "the author of the command saw another commit")
}

// What was taken over is the run's own: it is not paid for again when the run
// is taken up once more.
func TestRowsThatWereTakenOverStay(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	row := func(id string, i int) []byte {
		return fmt.Appendf(nil, `{"scenario_id":%q,"mode":"ghx","iteration":%d}`, id, i)
	}
	r.executor.set(func(_ context.Context, w service.Work) (runs.Outcome, error) {
		id := w.Run.Request.Plan.Scenarios[0]
		for i := 1; i <= 5; i++ {
			w.Keep(cellOf(id, i), row(id, i))
		}
		return runs.Outcome{Reason: "It was stopped."}, nil
	})
	r.comment("writer", "/bench")
	r.wait(1)
	var had []int
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		had = append(had, len(w.Rows))
		if len(had) > 1 {
			return passes(ctx, w)
		}
		id := w.Run.Request.Plan.Scenarios[0]
		w.Keep(cellOf(id, 6), row(id, 6))
		return runs.Outcome{}, fault.Infraf("the process died")
	})
	r.comment("writer", "/bench retry")
	r.wait(1)
	assert.Equal(t, []int{5, 6}, had)
}

// What workflows have spent that were ended is not known, and counts.
func TestPushAfterPushDoesNotSpendTheBudgetAgainAndAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, "model: a/b\nexecutor: local\nbudget: {run: 10, pull_request: 25, day: 100}\n")
	begun := make(chan string, 10)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		assert.NoError(t, r.table.SetWorkflowRun(context.WithoutCancel(ctx), w.Run.ID, 1))
		begun <- w.Run.ID
		<-ctx.Done()
		return runs.Outcome{}, context.Cause(ctx)
	})
	var may []float64
	for i := range 4 {
		r.push(fmt.Sprintf("src/%d.ts", i))
		r.pullEvent("synchronize")
		run := r.run(fmt.Sprintf("run-%d", i+1))
		if run.State.Alive() {
			may = append(may, run.Request.Plan.MaxUSD)
			<-begun
		}
	}
	assert.Equal(t, []float64{10, 10, 5}, may)
}
