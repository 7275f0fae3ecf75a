package model_test

import (
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestPullRequestsThatCannotBeOpened(t *testing.T) {
	w := newWorld(t)
	w.pull("taken", "taken", "x\n")
	w.branch("same")
	w.branch("ready")
	w.write("ready", "ready", "x\n", "ready")
	alien, err := w.repo.Git.WriteCommit(gitstore.CommitSpec{
		Author: w.Signature(w.owner), Committer: w.Signature(w.owner), Message: "alien",
	})
	require.NoError(t, err)
	require.NoError(t, w.CreateRef(w.owner, w.repo, "refs/heads/alien", alien))
	for _, c := range []struct {
		name       string
		in         model.NewPull
		field, say string
	}{
		{"no title", model.NewPull{Head: "ready", Base: "main"}, "title", "missing_field"},
		{"no base", model.NewPull{Title: "x", Head: "ready"}, "base", "missing_field"},
		{"no head", model.NewPull{Title: "x", Base: "main"}, "head", "missing_field"},
		{"an unknown head", model.NewPull{Title: "x", Head: "none", Base: "main"}, "head", "invalid"},
		{"another owner's head", model.NewPull{Title: "x", Head: "else:ready", Base: "main"}, "head", "invalid"},
		{"an unknown base", model.NewPull{Title: "x", Head: "ready", Base: "none"}, "base", "invalid"},
		{"no commits", model.NewPull{Title: "x", Head: "same", Base: "main"}, "", "No commits between main and same"},
		{"itself", model.NewPull{Title: "x", Head: "main", Base: "main"}, "", "No commits between main and main"},
		{"another history", model.NewPull{Title: "x", Head: "alien", Base: "main"}, "", "The alien branch has no history in common with main"},
		{"one that is there", model.NewPull{Title: "x", Head: "taken", Base: "main"}, "", "A pull request already exists for owner:taken."},
	} {
		_, err := w.OpenPull(w.writer, w.repo, c.in)
		problem := refusal(t, err).Errors[0]
		assert.Equal(t, c.field, problem.Field, c.name)
		assert.Contains(t, []string{problem.Code, problem.Message}, c.say, c.name)
	}
	_, err = w.OpenPull(w.reader, w.repo, model.NewPull{Title: "x", Head: "ready", Base: "main"})
	assert.Equal(t, "must be a collaborator", said(t, err))
	i, err := w.OpenPull(w.writer, w.repo, model.NewPull{Title: "x", Head: "OWNER:ready", Base: "main", Draft: true})
	require.NoError(t, err)
	assert.Equal(t, "ready", i.Pull.HeadRef)
	assert.True(t, i.Pull.Draft)
	assert.NotEqual(t, i.ID, i.Pull.ID, "a pull request and its issue have ids of their own")
}

func TestRetargeting(t *testing.T) {
	w := newWorld(t)
	w.branch("next")
	pr := w.pull("f", "f", "x\n")
	assert.Equal(t, "invalid", refusal(t, w.EditIssue(w.writer, w.repo, pr, model.IssueEdit{Base: ptr("none"), Title: ptr("new")})).Errors[0].Code)
	assert.Equal(t, "No commits between f and f", said(t, w.EditIssue(w.writer, w.repo, pr, model.IssueEdit{Base: ptr("f")})))
	assert.Equal(t, "Change f", pr.Title, "a refused edit changes nothing")
	require.NoError(t, w.EditIssue(w.writer, w.repo, pr, model.IssueEdit{Base: ptr("next"), MaintainerCanModify: ptr(true)}))
	assert.Equal(t, "next", pr.Pull.BaseRef)
	assert.False(t, pr.Pull.MaintainerCanModify, "that is about forks")
	require.NoError(t, w.EditIssue(w.writer, w.repo, pr, model.IssueEdit{State: ptr("closed")}))
	assert.Equal(t, "Cannot change the base branch of a closed pull request.", said(t, w.EditIssue(w.writer, w.repo, pr, model.IssueEdit{Base: ptr("main")})))
}

func TestReopeningBesideASuccessor(t *testing.T) {
	w := newWorld(t)
	first := w.pull("f", "f", "x\n")
	require.NoError(t, w.EditIssue(w.writer, w.repo, first, model.IssueEdit{State: ptr("closed")}))
	w.open("f")
	assert.Equal(t, "state cannot be changed. There is already an open pull request from f to main.",
		said(t, w.EditIssue(w.writer, w.repo, first, model.IssueEdit{State: ptr("open")})))
}

func TestDrafts(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	require.NoError(t, w.SetDraft(w.writer, pr, true))
	require.NoError(t, w.SetDraft(w.writer, pr, true))
	assert.Equal(t, []string{"convert_to_draft"}, w.eventsOf(pr))
	assert.Equal(t, "Pull Request is still a draft", said(t, w.MergePull(w.writer, pr, model.Merge{Method: model.MethodMerge})))
	require.NoError(t, w.SetDraft(w.writer, pr, false))
	require.NoError(t, w.MergePull(w.writer, pr, model.Merge{Method: model.MethodMerge}))
	assert.Equal(t, "Pull request is closed", said(t, w.SetDraft(w.writer, pr, true)))
}

func TestRequestedReviewers(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	ask := func(keep bool, users ...model.ID) error { return w.RequestReviewers(w.owner, pr, users, keep) }
	assert.Equal(t, "Review cannot be requested from pull request author.", said(t, ask(true, w.writer)))
	for _, id := range []model.ID{w.stranger, 0} {
		assert.Contains(t, said(t, ask(true, w.reader, id)), "is not a collaborator of the owner/hello repository.")
	}
	assert.Empty(t, pr.Pull.RequestedReviewers, "a refused request asks nobody")
	require.NoError(t, ask(true, w.reader, w.reader))
	require.NoError(t, ask(true, w.owner))
	assert.Equal(t, []model.ID{w.reader, w.owner}, pr.Pull.RequestedReviewers)
	require.NoError(t, ask(false, w.triager))
	assert.Equal(t, []model.ID{w.triager}, pr.Pull.RequestedReviewers)
	_, err := w.CreateReview(w.triager, pr, model.NewReview{Event: model.EventApprove})
	require.NoError(t, err)
	assert.Empty(t, pr.Pull.RequestedReviewers, "who has reviewed is not asked any more")
}

func TestUpdatingTheBranch(t *testing.T) {
	update := func(w *world, pr *model.Issue, in model.BranchUpdate) error {
		return w.UpdatePullBranch(w.writer, pr, in)
	}
	t.Run("nothing is new", func(t *testing.T) {
		w := newWorld(t)
		assert.Equal(t, "There are no new commits on the base branch.", said(t, update(w, w.pull("f", "f", "x\n"), model.BranchUpdate{})))
	})
	t.Run("the base is merged into the head", func(t *testing.T) {
		w := newWorld(t)
		pr := w.pull("f", "f", "x\n")
		head, base := w.head("f"), w.write("main", "g", "x\n", "g").Hash
		assert.Contains(t, said(t, update(w, pr, model.BranchUpdate{ExpectedHead: base.String()})), "match current head ref")
		require.NoError(t, update(w, pr, model.BranchUpdate{ExpectedHead: head}))
		commit, err := w.repo.Git.Commit(plumbing.NewHash(w.head("f")))
		require.NoError(t, err)
		assert.Equal(t, []plumbing.Hash{plumbing.NewHash(head), base}, commit.Parents)
		assert.Equal(t, "Merge branch 'main' into f", commit.Message)
		assert.Equal(t, commit.Hash.String(), pr.Pull.HeadSHA)
		files, err := w.PullDiff(pr)
		require.NoError(t, err)
		assert.Len(t, files, 1, "the pull request still changes one file")
	})
	t.Run("the head is rebased onto the base", func(t *testing.T) {
		w := newWorld(t)
		pr := w.pull("f", "f", "x\n")
		base := w.write("main", "g", "x\n", "g").Hash
		require.NoError(t, update(w, pr, model.BranchUpdate{Rebase: true}))
		commit, err := w.repo.Git.Commit(plumbing.NewHash(pr.Pull.HeadSHA))
		require.NoError(t, err)
		assert.Equal(t, []plumbing.Hash{base}, commit.Parents)
		assert.False(t, pr.Closed)
	})
	t.Run("both changed the same lines", func(t *testing.T) {
		for _, rebase := range []bool{false, true} {
			w := newWorld(t)
			pr := w.pull("f", "math.txt", "1\n")
			w.write("main", "math.txt", "2\n", "2")
			head := pr.Pull.HeadSHA
			assert.Equal(t, "merge conflict between base and head", said(t, update(w, pr, model.BranchUpdate{Rebase: rebase})))
			assert.Equal(t, head, pr.Pull.HeadSHA)
		}
	})
	t.Run("the pull request is closed", func(t *testing.T) {
		w := newWorld(t)
		pr := w.pull("f", "f", "x\n")
		require.NoError(t, w.EditIssue(w.writer, w.repo, pr, model.IssueEdit{State: ptr("closed")}))
		assert.Equal(t, "Cannot update a closed pull request.", said(t, update(w, pr, model.BranchUpdate{})))
	})
}
