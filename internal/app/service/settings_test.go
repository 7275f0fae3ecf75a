package service_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// change changes the pull request.
func (r *rig) change(fields string) {
	r.Helper()
	reply := r.As("writer").Do("PATCH", fmt.Sprintf("%s/pulls/%d", sandboxtest.Path, r.number), fields)
	require.Equal(r, http.StatusOK, reply.Status, reply.Body)
}

func (r *rig) close() {
	r.Helper()
	r.change(`{"state":"closed"}`)
}

// fork has the stranger open a pull request from a fork, which the rig is about
// from then on.
func (r *rig) fork() {
	r.Helper()
	stranger := r.As("stranger")
	forked := stranger.Do("POST", sandboxtest.Path+"/forks", nil)
	require.Equal(r, http.StatusAccepted, forked.Status, forked.Body)
	pushed := stranger.Do("PUT", "/repos/stranger/"+sandboxtest.Name+"/contents/evil.ts", `{"message":"evil","content":"eA==","branch":"main"}`)
	require.Equal(r, http.StatusCreated, pushed.Status, pushed.Body)
	pull := stranger.Do("POST", sandboxtest.Path+"/pulls", `{"title":"Add evil","head":"stranger:main","base":"main"}`)
	require.Equal(r, http.StatusCreated, pull.Status, pull.Body)
	r.number, r.head = pull.Int("number"), pushed.Text("commit.sha")
}

// reason returns why a run was stopped.
func (r *rig) reason(id string) string {
	r.Helper()
	o, err := r.table.Outcome(r.Context(), id)
	require.NoError(r, err)
	return o.Reason
}

func TestADraftIsMeasuredOnceItIsReady(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.Change(func(s *model.State, repo *model.Repo) {
		s.Issues.Where(func(i *model.Issue) bool { return i.RepoID == repo.ID && i.Number == r.number })[0].Pull.Draft = true
	})
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "action_required", string(r.check().Conclusion))
	assert.Contains(t, r.check().Output.Title, "draft")
	r.Change(func(s *model.State, repo *model.Repo) {
		s.Issues.Where(func(i *model.Issue) bool { return i.RepoID == repo.ID && i.Number == r.number })[0].Pull.Draft = false
	})
	r.pullEvent("ready_for_review")
	r.wait(1)
	checks := r.checks()
	assert.Equal(t, "success", string(checks[len(checks)-1].Conclusion))
}

func TestALabelHasAPullRequestMeasured(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"labels: {run: bench}\ntriggers: {pull_request: [opened, labeled]}\n")
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "skipped", string(r.check().Conclusion))
	added := r.As("owner").Do("POST", fmt.Sprintf("%s/issues/%d/labels", sandboxtest.Path, r.number), `{"labels":["bench"]}`)
	require.Equal(t, http.StatusOK, added.Status, added.Body)
	r.deliver("pull_request", map[string]any{"action": "labeled", "pull_request": r.pull(), "label": map[string]any{"name": "other"}})
	assert.Len(t, r.checks(), 1, "another label says nothing")
	r.deliver("pull_request", map[string]any{"action": "labeled", "pull_request": r.pull(), "label": map[string]any{"name": "bench"}})
	r.wait(1)
	checks := r.checks()
	assert.Equal(t, "success", string(checks[len(checks)-1].Conclusion))
}

func TestARunThatTakesTooLongIsEnded(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"timeout_minutes: 5\n")
	begun := make(chan string, 1)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		_, _ = goesOn(begun)(ctx, w)
		return runs.Outcome{}, fault.Invalidf("the agent was killed") // what it sees of it
	})
	r.pullEvent("opened")
	<-begun
	r.ahead.Store(int64(6 * time.Minute))
	r.wait(1)
	assert.Equal(t, runs.Stopped, r.run("run-1").State)
	assert.Equal(t, comment.TimedOut, r.reason("run-1"))
	assert.Equal(t, "cancelled", string(r.check().Conclusion))
}

func TestRunsOfARepositoryThatWasTakenAwayEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.goesOn()
	removed := func(name string) map[string]any {
		return map[string]any{"action": "removed", "repositories_removed": []any{map[string]any{"full_name": name}}}
	}
	r.deliver("installation_repositories", removed(sandboxtest.Owner+"/other"))
	assert.True(t, r.run("run-1").State.Alive(), "that is another repository")
	r.deliver("installation_repositories", removed(repo))
	r.wait(1)
	assert.Equal(t, runs.Stopped, r.run("run-1").State)
	assert.Equal(t, comment.ShutOut, r.reason("run-1"))
}

func TestACommandOnAClosedPullRequestIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	r.close()
	for _, command := range []string{"run", "retry", "approve " + r.head} {
		r.comment("writer", "/bench "+command)
		assert.Contains(t, r.answer(), "the pull request is closed", command)
	}
	assert.Empty(t, r.checks())
}

func TestForksAreNeverMeasuredWhereTheSettingsSaySo(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"forks: never\n")
	r.fork()
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "action_required", string(r.check().Conclusion))
	for _, command := range []string{"run", "retry", "approve " + r.head} {
		r.comment("owner", "/bench "+command)
		assert.Contains(t, r.answer(), "the settings say `forks: never`", command)
	}
	r.press("owner", "requested_action", "full", r.check().ID)
	assert.Equal(t, 1, r.counted("check_run", "run", "no_forks"))
	assert.Len(t, r.checks(), 1)
	assert.Empty(t, r.executor.works())
}

// Who approves has seen the commit that he names; what was pushed since he has not.
func TestWhoApprovesAnotherCommitApprovesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.fork()
	r.pullEvent("opened")
	r.wait(1)
	approved := func() bool {
		is, err := r.table.Approved(t.Context(), repo, r.number, r.head)
		require.NoError(t, err)
		return is
	}
	r.comment("writer", "/bench approve "+strings.Repeat("0", 40))
	assert.Equal(t, 1, r.counted("issue_comment", "approve", string(comment.UnknownCommit)))
	assert.False(t, approved())
	assert.Empty(t, r.executor.works())
	r.comment("writer", "/bench approve "+r.head)
	r.wait(1)
	assert.True(t, approved())
	assert.Len(t, r.executor.works(), 1)
}

func TestACheckRunHasTheNameOfTheSettings(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"check_name: agents\n")
	r.pullEvent("opened")
	r.wait(1)
	var names []string
	r.Look(func(s *model.State) {
		for c := range s.CheckRuns.All() {
			if c.AppID == r.app {
				names = append(names, c.Name)
			}
		}
	})
	assert.Equal(t, []string{"agents"}, names)
	require.Len(t, r.comments(), 1)
	assert.Contains(t, r.comments()[0], "agents")
	r.comment("writer", "/bench status")
	assert.Contains(t, r.answer(), "**agents**")
}

// propose pushes settings to the pull request's branch.
func (r *rig) propose(text string) {
	r.Helper()
	push := map[string]any{"message": "settings", "content": base64.StdEncoding.EncodeToString([]byte(text)), "branch": "change"}
	if old := r.As("writer").Do("GET", sandboxtest.Path+"/contents/"+settings.Path+"?ref=change", nil); old.Status == http.StatusOK {
		push["sha"] = old.Text("sha")
	}
	reply := r.As("writer").Do("PUT", sandboxtest.Path+"/contents/"+settings.Path, push)
	require.Contains(r, []int{http.StatusOK, http.StatusCreated}, reply.Status, reply.Body)
	r.head = reply.Text("commit.sha")
}

// proposed returns the check runs about proposed settings.
func (r *rig) proposed() []model.CheckRun {
	var all []model.CheckRun
	r.Look(func(s *model.State) {
		for c := range s.CheckRuns.All() {
			if c.AppID == r.app && c.Name == "bench (settings)" {
				all = append(all, *c)
			}
		}
	})
	return all
}

func TestEachMistakeInProposedSettingsIsToldOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.propose("model: a/b\nrepetitions: 1000\ncolour: blue\n")
	r.pullEvent("opened")
	r.pullEvent("reopened")
	r.wait(1)
	assert.Equal(t, "success", string(r.check().Conclusion), "the settings of the base count")
	told := r.proposed()
	require.Len(t, told, 1)
	assert.Equal(t, []string{r.head, "failure"}, []string{told[0].HeadSHA, string(told[0].Conclusion)})
	assert.Equal(t, "2 mistakes in the proposed .github/bench.yml", told[0].Output.Title)
	var lines []int
	for _, a := range told[0].Annotations {
		assert.Equal(t, settings.Path, a.Path)
		lines = append(lines, a.StartLine)
	}
	assert.Equal(t, []int{2, 3}, lines)

	r.propose(config + "# they are fine\n")
	r.pullEvent("synchronize")
	r.wait(1)
	assert.Len(t, r.proposed(), 1)
}

func TestMistakesInTheFirstSettingsAreTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	r.propose("model: 7\n")
	r.pullEvent("opened")
	require.Len(t, r.proposed(), 1)
	assert.Empty(t, r.checks())
}
