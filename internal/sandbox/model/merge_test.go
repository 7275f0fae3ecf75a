package model_test

import (
	"sync"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestMergeMethods(t *testing.T) {
	for _, c := range []struct {
		name     string
		in       model.Merge
		commits  int
		parents  int
		messages []string
		author   string
	}{
		{"a merge commit", model.Merge{Method: model.MethodMerge}, 2, 2,
			[]string{"Merge pull request #1 from owner/f\n\nChange f"}, "owner"},
		{"a merge commit with words of one's own", model.Merge{Method: model.MethodMerge, Title: "T", Message: "M"}, 1, 2,
			[]string{"T\n\nM"}, "owner"},
		{"one commit squashed", model.Merge{Method: model.MethodSquash}, 1, 1, []string{"add f (#1)\n\nwith a body"}, "writer"},
		{"two commits squashed", model.Merge{Method: model.MethodSquash}, 2, 1,
			[]string{"Change f (#1)\n\n* add f\n\nwith a body\n\n* more"}, "writer"},
		{"squashed with words of one's own", model.Merge{Method: model.MethodSquash, Title: "T", Message: "M"}, 2, 1,
			[]string{"T\n\nM"}, "writer"},
		{"two commits rebased", model.Merge{Method: model.MethodRebase}, 2, 1, []string{"more", "add f\n\nwith a body"}, "owner"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			pr := w.pull("f", "f", "x\n")
			if c.commits == 2 {
				w.write("f", "f", "y\n", "more")
			}
			base := w.write("main", "g", "x\n", "g").Hash
			require.NoError(t, w.MergePull(w.owner, pr, c.in))

			tip := w.head("main")
			assert.Equal(t, tip, pr.Pull.MergeCommitSHA)
			assert.Equal(t, base.String(), pr.Pull.BaseSHA, "the base is as it was before the merge")
			assert.True(t, pr.Closed && pr.Pull.Merged())
			assert.Equal(t, w.owner, pr.Pull.MergedBy)
			history, err := w.repo.Git.Log(plumbing.NewHash(tip), "", len(c.messages))
			require.NoError(t, err)
			var messages []string
			for _, commit := range history {
				messages = append(messages, commit.Message)
			}
			assert.Equal(t, c.messages, messages)
			assert.Len(t, history[0].Parents, c.parents)
			assert.Equal(t, base, history[len(history)-1].Parents[0], "it lies on top of the base")
			assert.Equal(t, c.author, history[0].Author.Name)
			assert.Equal(t, "owner", history[0].Committer.Name)
			content, err := w.repo.Git.Entry(plumbing.NewHash(tip), "f")
			require.NoError(t, err)
			assert.NotZero(t, content.Size)
			files, err := w.PullDiff(pr)
			require.NoError(t, err)
			assert.Len(t, files, 1, "what it changed can still be seen")
			assert.Equal(t, "Pull Request is not mergeable", said(t, w.MergePull(w.owner, pr, c.in)), "once is enough")
		})
	}
}

func TestMergesThatAreRefused(t *testing.T) {
	plain := model.Merge{Method: model.MethodMerge}
	protect := func(rule model.Protection) func(*world, *model.Issue) {
		return func(w *world, _ *model.Issue) { w.repo.Protection["main"] = rule }
	}
	for _, c := range []struct {
		name    string
		prepare func(w *world, pr *model.Issue)
		in      model.Merge
		kind    model.ProblemKind
		say     string
		state   model.MergeState
	}{
		{"changes conflict", func(w *world, _ *model.Issue) { w.write("main", "math.txt", "other\n", "m") }, plain,
			model.NotAllowed, "Pull Request is not mergeable", model.MergeDirty},
		{"the head is another", nil, model.Merge{Method: model.MethodMerge, ExpectedHead: "0123"},
			model.Conflict, "Head branch was modified. Review and try the merge again.", model.MergeClean},
		{"the method is unknown", nil, model.Merge{Method: "octopus"}, model.Invalid, "Validation Failed", model.MergeClean},
		{"merge commits are not allowed", func(w *world, _ *model.Issue) { w.repo.AllowMerge = false }, plain,
			model.NotAllowed, "Merge commits are not allowed on this repository.", model.MergeClean},
		{"squashing is not allowed", func(w *world, _ *model.Issue) { w.repo.AllowSquash = false },
			model.Merge{Method: model.MethodSquash}, model.NotAllowed, "Squash merges are not allowed on this repository.", model.MergeClean},
		{"rebasing is not allowed", func(w *world, _ *model.Issue) { w.repo.AllowRebase = false },
			model.Merge{Method: model.MethodRebase}, model.NotAllowed, "Rebase merges are not allowed on this repository.", model.MergeClean},
		{"it is a draft", func(_ *world, pr *model.Issue) { pr.Pull.Draft = true }, plain,
			model.NotAllowed, "Pull Request is still a draft", model.MergeDraft},
		{"a required check is missing", protect(model.Protection{RequiredChecks: []string{"build"}}), plain,
			model.NotAllowed, `Required status check "build" is expected.`, model.MergeBlocked},
		{"an approval is missing", protect(model.Protection{RequiredApprovals: 1}), plain,
			model.NotAllowed, "At least 1 approving review is required by reviewers with write access.", model.MergeBlocked},
		{"two approvals are missing", protect(model.Protection{RequiredApprovals: 2}), plain,
			model.NotAllowed, "At least 2 approving reviews are required by reviewers with write access.", model.MergeBlocked},
		{"the head is behind and the rule is strict", func(w *world, pr *model.Issue) {
			w.write("main", "g", "x\n", "g")
			protect(model.Protection{Strict: true})(w, pr)
		}, plain, model.NotAllowed, "Head branch is out of date. Review and try the merge again.", model.MergeBehind},
		{"it is closed", func(w *world, pr *model.Issue) {
			require.NoError(w.t, w.EditIssue(w.owner, w.repo, pr, model.IssueEdit{State: ptr("closed")}))
		}, plain, model.NotAllowed, "Pull Request is not mergeable", model.MergeUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			pr := w.pull("f", "math.txt", "changed\n")
			if c.prepare != nil {
				c.prepare(w, pr)
			}
			state, err := w.MergeState(pr)
			require.NoError(t, err)
			assert.Equal(t, c.state, state)
			before := w.head("main")
			err = w.MergePull(w.writer, pr, c.in)
			assert.Equal(t, c.kind, refusal(t, err).Kind)
			assert.Equal(t, c.say, said(t, err))
			assert.Equal(t, before, w.head("main"))
			assert.False(t, pr.Pull.Merged())
		})
	}
}

func TestApprovals(t *testing.T) {
	review := func(w *world, pr *model.Issue, who model.ID, event model.ReviewEvent) {
		w.t.Helper()
		_, err := w.CreateReview(who, pr, model.NewReview{Event: event, Body: "x"})
		require.NoError(w.t, err)
	}
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	assert.Empty(t, w.ReviewDecision(pr), "no review is required")
	w.repo.Protection["main"] = model.Protection{RequiredApprovals: 1, AdminsToo: true}
	blocked := func(want string) {
		t.Helper()
		assert.Contains(t, said(t, w.MergePull(w.owner, pr, model.Merge{Method: model.MethodMerge})), want)
	}
	assert.Equal(t, "REVIEW_REQUIRED", w.ReviewDecision(pr))
	review(w, pr, w.reader, model.EventApprove)
	assert.Equal(t, "REVIEW_REQUIRED", w.ReviewDecision(pr), "only those who may write count")
	blocked("At least 1 approving review")
	review(w, pr, w.owner, model.EventRequestChanges)
	assert.Equal(t, "CHANGES_REQUESTED", w.ReviewDecision(pr))
	blocked("Changes have been requested.")
	review(w, pr, w.owner, model.EventApprove)
	review(w, pr, w.owner, model.EventComment)
	assert.Equal(t, "APPROVED", w.ReviewDecision(pr), "a later comment takes back nothing")
	require.NoError(t, w.MergePull(w.owner, pr, model.Merge{Method: model.MethodMerge}))
}

func TestMergingClosesIssues(t *testing.T) {
	for _, c := range []struct {
		name, base string
		closed     bool
	}{{"into the default branch", "main", true}, {"into another branch", "next", false}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			i := w.issue("broken")
			w.branch("next")
			pr := w.pull("f", "f", "x\n")
			pr.Body = "Fixes #" + itoa(i.Number)
			if c.base != "main" {
				require.NoError(t, w.EditIssue(w.owner, w.repo, pr, model.IssueEdit{Base: &c.base}))
			}
			assert.Equal(t, c.closed, len(w.Closes(pr)) == 1)
			require.NoError(t, w.MergePull(w.owner, pr, model.Merge{Method: model.MethodSquash, Title: "x"}))
			assert.Equal(t, c.closed, i.Closed)
		})
	}
}

func TestMergingDeletesTheBranch(t *testing.T) {
	w := newWorld(t)
	w.repo.DeleteBranchOnMerge = true
	pr := w.pull("f", "f", "x\n")
	at, _ := w.BranchHead(w.repo, "f")
	require.NoError(t, w.CreateRef(w.owner, w.repo, "refs/heads/stacked", at))
	w.write("stacked", "g", "x\n", "g")
	stacked, err := w.OpenPull(w.writer, w.repo, model.NewPull{Title: "x", Head: "stacked", Base: "f"})
	require.NoError(t, err)
	require.NoError(t, w.MergePull(w.owner, pr, model.Merge{Method: model.MethodMerge}))
	_, known := w.BranchHead(w.repo, "f")
	assert.False(t, known)
	assert.False(t, stacked.Closed)
	assert.Equal(t, "main", stacked.Pull.BaseRef, "a pull request into the branch goes where the branch has gone")
}

func TestRebaseable(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "math.txt", "there\n")
	w.write("f", "math.txt", mathFile, "and back")
	w.write("main", "math.txt", "elsewhere\n", "m")
	state, err := w.MergeState(pr)
	require.NoError(t, err)
	assert.Equal(t, model.MergeClean, state, "as a whole it changes nothing")
	rebaseable, err := w.Rebaseable(pr)
	require.NoError(t, err)
	assert.False(t, rebaseable, "its first commit alone conflicts")
	assert.Equal(t, "This branch can't be rebased", said(t, w.MergePull(w.owner, pr, model.Merge{Method: model.MethodRebase})))
}

// Reads may run at the same time, and merging in order to look must not write.
func TestMergeStateIsARead(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	w.write("main", "g", "x\n", "g")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			state, err := w.MergeState(pr)
			assert.NoError(t, err)
			assert.Equal(t, model.MergeClean, state)
			_, err = w.Rebaseable(pr)
			assert.NoError(t, err)
		})
	}
	all.Wait()
}
