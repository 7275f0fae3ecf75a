package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Nobody has a commit of a fork run that was not approved, whoever asks and however.
func TestACommitOfAForkIsRunByNobodyBeforeItIsApproved(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.fork()
	r.pullEvent("opened")
	r.wait(1)
	for _, command := range []string{"run", "retry", "run pr-view-001"} {
		r.comment("owner", "/bench "+command)
		assert.Contains(t, r.answer(), "/bench approve", command)
	}
	r.press("owner", "requested_action", "full", r.check().ID)
	r.press("owner", "rerequested", "", r.check().ID)
	assert.Equal(t, []int{1, 1}, []int{r.counted("check_run", "run", string(comment.NotApproved)), r.counted("check_run", "retry", string(comment.NotApproved))})
	assert.Equal(t, []int{2, 1}, []int{r.counted("issue_comment", "run", string(comment.NotApproved)), r.counted("issue_comment", "retry", string(comment.NotApproved))})
	r.comment("stranger", "/bench approve "+r.head)
	assert.Contains(t, r.answer(), "it needs write permission")
	r.press("owner", "requested_action", "full", r.check().ID)
	assert.Empty(t, r.executor.works())
}

// minutesBefore has a comment be older than it is.
func minutesBefore(payload map[string]any, minutes int) map[string]any {
	at := time.Now().Add(-time.Duration(minutes) * time.Minute).UTC().Format(time.RFC3339)
	said := payload["comment"].(map[string]any)
	said["created_at"], said["updated_at"] = at, at
	return payload
}

// GitHub makes a check suite of each App when there is a push, and of ours also when it
// makes its first check run: then it says nothing of the push.
func TestACommandIsForWhatWasThereWhenItWasWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before  func(r *rig)
		outcome string
	}{
		"none":              {func(*rig) {}, "carried_out"},
		"ours, of the push": {func(r *rig) { r.suite() }, string(comment.Outdated)},
		"a label since": {func(r *rig) {
			r.deliver("pull_request", map[string]any{"action": "opened", "pull_request": r.pushedAt(time.Now().Add(-time.Hour))})
			r.deliver("pull_request", map[string]any{"action": "labeled", "label": map[string]any{"name": "x"}, "pull_request": r.pushedAt(time.Now().Add(time.Hour))})
		}, "carried_out"},
		"a push since": {func(r *rig) {
			r.deliver("pull_request", map[string]any{"action": "synchronize", "pull_request": r.pushedAt(time.Now().Add(time.Hour))})
		}, string(comment.Outdated)},
		"ours, of its checks": {func(r *rig) { r.queued(); r.wait(1) }, "carried_out"},
		"another App's, since": {func(r *rig) {
			r.queued()
			r.wait(1)
			r.suiteOf(r.app + 1)
		}, string(comment.Outdated)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, manual)
			c.before(r)
			r.deliver("issue_comment", minutesBefore(r.says("writer", "/bench run"), 5))
			assert.Equal(t, 1, r.counted("issue_comment", "run", c.outcome), r.answer())
		})
	}
}

// suite makes our check suite of the head commit, as GitHub does at a push.
func (r *rig) suite() { r.suiteOf(r.app) }

func (r *rig) suiteOf(app int64) {
	r.Change(func(s *model.State, repo *model.Repo) {
		s.CheckSuites.Add(1<<40, &model.CheckSuite{ID: 1 << 40, RepoID: repo.ID, AppID: app, HeadSHA: r.head, CreatedAt: time.Now(), UpdatedAt: time.Now()})
	})
}

// queued has the head commit be a merge queue's.
func (r *rig) queued() {
	r.Helper()
	r.deliver("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{
		"head_sha": r.head, "head_ref": "refs/heads/gh-readonly-queue/main/pr-1", "base_sha": r.head, "base_ref": "refs/heads/main",
	}})
}

// Where evidence decides, a retry is for a verdict that is not final.
func TestWhatEvidenceHasNotDecidedIsRetried(t *testing.T) {
	t.Parallel()
	for _, final := range []bool{false, true} {
		r := newRig(t, paid+"profile: regression\nscenarios: [pr-view-001, repo-view-001, issue-view-001]\n")
		r.executor.set(func(_ context.Context, w service.Work) (runs.Outcome, error) {
			w.Keep(cellOf("pr-view-001", 1), []byte(`{"scenario_id":"pr-view-001","mode":"ghx","iteration":1}`))
			return runs.Outcome{Summary: &bench.Summary{
				Gate:     bench.Gate{Profile: bench.ProfileRegression, Verdict: bench.VerdictInconclusive},
				Evidence: &bench.Evidence{Verdict: bench.VerdictInconclusive, Final: final},
			}}, nil
		})
		r.comment("writer", "/bench run")
		r.wait(1)
		r.comment("writer", "/bench retry")
		if final {
			assert.Equal(t, 1, r.counted("issue_comment", "retry", string(comment.NothingToDo)))
			continue
		}
		r.wait(1)
		assert.Equal(t, "run-1", r.run("run-2").Request.Continues)
	}
}
