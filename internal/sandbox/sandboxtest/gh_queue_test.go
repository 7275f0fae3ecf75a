package sandboxtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// gh puts a pull request into the queue of its base where there is one.
func TestGHMergesByAQueue(t *testing.T) {
	testkit.NeedComplete(t)
	runCases(t, []ghCase{
		{name: "nothing is asked", before: func(_ *model.State, repo *model.Repo) error {
			sandboxtest.Queue(repo)
			return nil
		}, steps: []step{
			{"api -X PUT repos/acme/widgets/pulls/7/merge", refused, "Changes must be made through the merge queue"},
			{"pr merge 7", 0, ""},
			{"pr view 7 --json state", 0, `{"state":"MERGED"}`},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			assert.True(t, s.Issue(repo, 5).Closed, "it closes 5")
			assert.Equal(t, s.Pull(repo, 7).Pull.MergeCommitSHA, tip(s, repo, "main").String())
		}},
		{name: "a check is waited for", before: func(s *model.State, repo *model.Repo) error {
			sandboxtest.Queue(repo, "gate")
			_, err := s.CreateStatus(s.User(me).ID, repo, tip(s, repo, "topic").String(), model.NewStatus{State: model.StatusSuccess, Context: "gate"})
			return err
		}, steps: []step{
			{"pr merge 7", 0, ""},
			{"pr merge 7", 0, "already queued to merge"},
			{"pr view 7 --json state", 0, `{"state":"OPEN"}`},
			{"api repos/acme/widgets/branches -q .[].name", 0, "gh-readonly-queue/main/pr-7-"},
			{"api repos/acme/widgets/issues/7/timeline -q .[].event", 0, "added_to_merge_queue"},
		}},
	})
}
