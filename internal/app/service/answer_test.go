package service_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// once has GitHub fail once when the App does something.
func (r *rig) once(kind faults.Kind, path string) {
	r.Helper()
	_, err := r.Faults().Add(faults.Rule{Kind: kind, Method: http.MethodPost, Path: path, Token: appToken, Count: 1})
	require.NoError(r, err)
}

// silent is manual without the comment on runs, so that all that is said are
// answers.
const silent = manual + "comment: never\n"

const (
	commenting = "/repos/{owner}/{repo}/issues/{number}/comments"
	reacting   = "/repos/{owner}/{repo}/issues/comments/{id}/reactions"
)

func TestACommandThatIsTriedAgainIsAnsweredOnceAndAsTheFirstTime(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	for name, fails := range map[string]func(*rig){
		"the answer is refused":   func(r *rig) { r.once(faults.Unavailable, commenting) },
		"the answer is not heard": func(r *rig) { r.once(faults.LostAnswer, commenting) },
		"the reaction is refused": func(r *rig) { r.once(faults.Unavailable, reacting) },
	} {
		for _, c := range []struct {
			command, opened, outcome, reaction, says string
			checks                                   int
		}{
			{"cancel", "opened", "carried_out", "+1", "👍 `/bench cancel`", 1},
			{"status", "opened", "carried_out", "+1", "RUNNING", 1},
			{"run", "", "carried_out", "+1", "👍 `/bench run`", 1},
			{"retry", "", "carried_out", "+1", "👍 `/bench run`", 1},
			{"retry", "opened", "nothing_to_do", "-1", "there is nothing to do", 1},
			{"cancel", "", "nothing_to_do", "-1", "there is nothing to do", 0},
			{"run isues", "", "mistaken", "confused", "There is no scenario set", 0},
		} {
			t.Run(name+": "+c.command+" "+c.outcome, func(t *testing.T) {
				r := newRig(t, silent)
				begun := make(chan string, 10_000)
				r.executor.set(func(_ context.Context, w service.Work) (runs.Outcome, error) {
					begun <- w.Run.ID
					return runs.Outcome{}, service.ErrElsewhere
				})
				if c.opened != "" {
					r.comment("writer", "/bench run")
					<-begun
				}
				before := len(r.answers())
				payload := r.says("writer", "/bench "+c.command)
				fails(r)
				if err := r.try("delivery", "issue_comment", payload); c.outcome == "carried_out" || strings.Contains(name, "reaction") {
					require.Error(t, err, "the queue tries it again")
				} else {
					require.NoError(t, err, "that it is there is seen at once")
				}
				require.NoError(t, r.try("delivery", "issue_comment", payload))
				require.Len(t, r.answers(), before+1)
				assert.Contains(t, r.answer(), c.says)
				assert.Len(t, r.reactions(), before+1)
				assert.Equal(t, c.reaction, r.reactions()[before])
				assert.Len(t, r.checks(), c.checks, "no run was made twice")
				name, _, _ := strings.Cut(c.command, " ")
				assert.Positive(t, r.counted("issue_comment", name, c.outcome))
			})
		}
	}
}

// The push comes between two attempts at the same command.
func TestAnAnswerStandsWhateverHappensMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRig(t, silent)
	payload := r.says("writer", "/bench run")
	r.once(faults.Unavailable, commenting)
	require.Error(t, r.try("delivery", "issue_comment", payload))
	r.wait(1)
	r.push("src/later.ts")
	r.deliver("pull_request", map[string]any{"action": "synchronize", "pull_request": r.pushedAt(time.Now().Add(time.Hour))})
	require.NoError(t, r.try("delivery", "issue_comment", payload))
	require.Len(t, r.answers(), 1)
	assert.Contains(t, r.answer(), "👍 `/bench run`", "it was carried out")
	assert.Equal(t, []string{"+1"}, r.reactions())
	assert.Equal(t, 1, r.counted("issue_comment", "run", "carried_out"))
	assert.Len(t, r.executor.works(), 1)
}

// The process dies after the run was made, before anything was said of it.
func TestAnAnswerIsKeptWithWhatIsDone(t *testing.T) {
	t.Parallel()
	r := newRig(t, silent)
	payload := r.says("writer", "/bench run")
	ctx, die := context.WithCancel(t.Context())
	r.transport = &before{text: `"queued"`, do: die}
	require.Error(t, r.service.Deliver(ctx, r.delivery("delivery", "issue_comment", payload)))
	r.transport = nil
	assert.Empty(t, r.answers())
	assert.Equal(t, runs.Queued, r.run("run-1").State)
	r.close()
	require.NoError(t, r.try("delivery", "issue_comment", payload))
	assert.Contains(t, r.answer(), "👍 `/bench run`", "it was commanded while the pull request was open")
	assert.Equal(t, []string{"+1"}, r.reactions())
	r.wait(1)
	assert.Len(t, r.checks(), 1)
}

func TestACommandThatFailsForGoodIsAnswered(t *testing.T) {
	t.Parallel()
	r := newRig(t, silent)
	payload := r.says("writer", "/bench run")
	d := r.delivery("delivery-x", "issue_comment", payload)
	for range 2 { // a process may die after the first time
		r.service.GiveUp(t.Context(), d, fault.Infraf("GitHub knows hunter2 but does not answer"))
	}
	require.Len(t, r.answers(), 1)
	assert.Contains(t, r.answer(), "👎 `/bench run`: it could not be carried out (GitHub knows \\[redacted\\] but does not answer): comment it again")
	assert.Contains(t, r.answer(), "`delivery-x`")
	assert.Equal(t, []string{"confused"}, r.reactions())
	assert.Positive(t, r.counted("issue_comment", "run", "failed"))
	assert.Empty(t, r.executor.works())
}

// Whichever request is not answered while it is told: the log says what could not be.
func TestWhatCannotBeToldOfAFailureIsLogged(t *testing.T) {
	t.Parallel()
	r := newRig(t, silent)
	requests := &interruption{}
	r.transport = requests
	ctx := context.WithValue(t.Context(), deliveryOnly{}, true)
	tried := 0
	for came := true; came; tried++ {
		requests.next(tried + 1)
		d := r.delivery(fmt.Sprintf("delivery-%d", tried), "issue_comment", r.says("writer", "/bench run"))
		r.service.GiveUp(ctx, d, fault.Infraf("GitHub does not answer"))
		came = requests.came()
		told := slices.ContainsFunc(r.answers(), func(a string) bool { return strings.Contains(a, "`"+d.ID+"`") })
		assert.True(t, told || strings.Contains(r.log.String(), "that a command failed cannot be told\" delivery="+d.ID), "request %d of %s", tried+1, d.ID)
	}
	assert.Greater(t, tried, 2)
}

func TestWhatWasCarriedOutDoesNotFailForGood(t *testing.T) {
	t.Parallel()
	r := newRig(t, silent)
	payload := r.says("writer", "/bench run")
	r.once(faults.Unavailable, commenting)
	require.Error(t, r.try("delivery", "issue_comment", payload))
	r.service.GiveUp(t.Context(), r.delivery("delivery", "issue_comment", payload), fault.Infraf("GitHub does not answer"))
	require.Len(t, r.answers(), 1)
	assert.Contains(t, r.answer(), "👍 `/bench run`")
}

// Who asks is answered once, also where it cannot be seen for a while what was answered.
func TestAnAnswerOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	help := r.says("writer", "/bench help")
	for _, away := range []string{fmt.Sprintf("/issues/%d/comments", r.number), "/graphql"} {
		r.transport = answering{path: away, status: http.StatusBadGateway}
		require.Error(t, r.try("delivery", "issue_comment", help), away)
	}
	r.transport = nil
	for range 2 {
		require.NoError(t, r.try("delivery", "issue_comment", help))
	}
	assert.Len(t, r.answers(), 1)
}

// A button has no comment that could be answered.
func TestAButtonThatFailsForGoodIsCounted(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.pullEvent("opened")
	r.wait(1)
	pressed := r.delivery("delivery", "check_run", r.presses("writer", "requested_action", "full", r.check().ID))
	r.service.GiveUp(t.Context(), pressed, fault.Infraf("GitHub does not answer"))
	assert.Equal(t, 1, r.counted("check_run", "run", "failed"))
	assert.Empty(t, r.answers())
	assert.Empty(t, r.logged("cannot be told"), "nothing is tried")
}

func TestWhatIsNoCommandFailsInSilence(t *testing.T) {
	t.Parallel()
	r := newRig(t, silent)
	for name, payload := range map[string]map[string]any{
		"issue_comment": r.says("writer", "it is /bench that fails"),
		"pull_request":  {"action": "opened", "pull_request": r.pull()},
		"check_run":     {"action": "opened"},
	} {
		r.service.GiveUp(t.Context(), r.delivery(name, name, payload), fault.Infraf("GitHub does not answer"))
	}
	assert.Empty(t, r.comments())
}
