package model_test

import (
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

var merging = model.Merge{Method: model.MethodMerge}

func (w *world) approve(by model.ID, pr *model.Issue) *model.Review {
	w.t.Helper()
	r, err := w.CreateReview(by, pr, model.NewReview{Event: model.EventApprove})
	require.NoError(w.t, err)
	return r
}

func (w *world) as(by model.ID, branch, path string) error {
	_, err := w.WriteFile(by, w.repo, model.FileWrite{Path: path, Content: []byte("x\n"), Branch: branch, Message: "m"})
	return err
}

// Approvals of something else than what is merged are dismissed where a rule
// wants that; to be brought up to date changes nothing of what was approved.
func TestStaleReviewsAreDismissed(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	w.repo.Protection["main"] = model.Protection{RequiredApprovals: 1, DismissStale: true}
	r := w.approve(w.owner, pr)
	require.NoError(t, w.as(w.owner, "main", "other"))
	require.NoError(t, w.UpdatePullBranch(w.writer, pr, model.BranchUpdate{}))
	assert.Equal(t, model.ReviewApproved, r.State)
	assert.Equal(t, "APPROVED", w.ReviewDecision(pr))
	require.NoError(t, w.as(w.writer, "f", "smuggled"))
	assert.Equal(t, model.ReviewDismissed, r.State)
	assert.Equal(t, "REVIEW_REQUIRED", w.ReviewDecision(pr))
	assert.Contains(t, said(t, w.MergePull(w.writer, pr, merging)), "At least 1 approving review")

	w.repo.Protection["main"] = model.Protection{RequiredApprovals: 1}
	r = w.approve(w.owner, pr)
	require.NoError(t, w.as(w.writer, "f", "more"))
	assert.Equal(t, model.ReviewApproved, r.State, "the rule does not ask for it")
}

// Whoever pushed last cannot approve that himself.
func TestApprovalOfTheLastPush(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	w.repo.Protection["main"] = model.Protection{RequiredApprovals: 1, LastPushApproval: true}
	w.repo.Collaborators[w.triager] = model.PermWrite
	require.NoError(t, w.as(w.triager, "f", "g"))
	w.approve(w.triager, pr)
	assert.Equal(t, "New changes require approval from someone other than the last pusher.", said(t, w.MergePull(w.writer, pr, merging)))
	w.approve(w.owner, pr)
	assert.NoError(t, w.MergePull(w.writer, pr, merging))
}

func TestCodeOwners(t *testing.T) {
	w := newWorld(t, gitstore.Change{Path: ".github/CODEOWNERS", Content: []byte("# who owns what\n* @owner\n/docs/ @triager @reader # the last line counts\nfree.txt\n")})
	w.repo.Collaborators[w.triager] = model.PermWrite
	w.repo.Protection["main"] = model.Protection{PullsAsked: true, CodeOwners: true}
	docs := w.pull("docs", "docs/a/b.md", "x\n")
	assert.Equal(t, "Waiting on code owner review from triager.", said(t, w.MergePull(w.writer, docs, merging)), "a reader cannot own code")
	w.approve(w.owner, docs)
	assert.Equal(t, "Waiting on code owner review from triager.", said(t, w.MergePull(w.writer, docs, merging)))
	state, err := w.MergeState(docs)
	require.NoError(t, err)
	assert.Equal(t, model.MergeBlocked, state)
	w.approve(w.triager, docs)
	assert.NoError(t, w.MergePull(w.writer, docs, merging))

	free := w.pull("free", "free.txt", "x\n")
	assert.NoError(t, w.MergePull(w.writer, free, merging), "nobody owns it")
}

func TestConversationsMustBeResolved(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	w.repo.Protection["main"] = model.Protection{Conversations: true}
	c, err := w.CreateThread(w.owner, pr, model.NewThread{Path: "f", Line: 1, Body: "why?"})
	require.NoError(t, err)
	assert.Equal(t, "All comments must be resolved.", said(t, w.MergePull(w.writer, pr, merging)))
	require.NoError(t, w.ResolveThread(w.writer, w.Threads.Get(c.ThreadID), true))
	assert.NoError(t, w.MergePull(w.writer, pr, merging))
}

func TestChecksOfAnApp(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	right := w.AddApp(model.NewApp{Slug: "right", Owner: w.owner, Repos: []model.ID{w.repo.ID}})
	wrong := w.AddApp(model.NewApp{Slug: "wrong", Owner: w.owner, Repos: []model.ID{w.repo.ID}})
	w.repo.Protection["main"] = model.Protection{RequiredChecks: []string{"ci", "lint", "docs"}, CheckApps: map[string]model.ID{"ci": right.ID}}
	check := func(app *model.App, name string, conclusion *model.Conclusion) {
		_, err := w.CreateCheckRun(app, w.repo, pr.Pull.HeadSHA, model.CheckChange{Name: &name, Conclusion: conclusion})
		require.NoError(t, err)
	}
	check(wrong, "ci", ptr(model.Success))
	check(wrong, "lint", ptr(model.Failure))
	check(wrong, "docs", nil)
	assert.Equal(t, "3 of 3 required status checks have not succeeded: 1 expected, 1 failing, and 1 pending.", said(t, w.MergePull(w.writer, pr, merging)),
		"a check of another App does not count")
	check(wrong, "lint", ptr(model.Success))
	check(wrong, "docs", ptr(model.Skipped))
	assert.Equal(t, "1 of 3 required status checks are expected.", said(t, w.MergePull(w.writer, pr, merging)))
	check(right, "ci", ptr(model.Success))
	assert.NoError(t, w.MergePull(w.writer, pr, merging))
}

// What an agent may try instead of having its pull request reviewed.
func TestWaysAroundRules(t *testing.T) {
	const noPull = "Changes must be made through a pull request."
	w := newWorld(t)
	evil := w.pull("evil", "evil", "x\n")
	w.branch("kept")
	w.repo.Protection["main"] = model.Protection{RequiredApprovals: 1}
	w.repo.Protection["kep[a-z]"] = model.Protection{ID: 1, RequiredApprovals: 1, RequiredChecks: []string{"ci"}, Deletions: true}
	head := plumbing.NewHash(evil.Pull.HeadSHA)
	before := w.head("main")
	for name, try := range map[string]struct {
		do   func() error
		want string
	}{
		"write a file":                {func() error { return w.as(w.writer, "main", "evil") }, noPull},
		"move the branch to the head": {func() error { return w.UpdateRef(w.writer, w.repo, "refs/heads/main", head, false) }, "At least 1 approving review"},
		"by force":                    {func() error { return w.UpdateRef(w.writer, w.repo, "refs/heads/main", head, true) }, "At least 1 approving review"},
		"merge the branch": {func() error {
			return second(w.MergeBranch(w.writer, w.repo, model.BranchMerge{Base: "main", Head: "evil"}))
		}, noPull},
		"merge unreviewed": {func() error { return w.MergePull(w.writer, evil, merging) }, "At least 1 approving review"},
		"approve it himself": {func() error {
			return second(w.CreateReview(w.writer, evil, model.NewReview{Event: model.EventApprove}))
		}, "Can not approve your own pull request"},
		"delete the branch":           {func() error { return w.DeleteRef(w.writer, w.repo, "refs/heads/main") }, "Cannot delete the default branch"},
		"unprotect it":                {func() error { return w.Unprotect(w.writer, w.repo, "main") }, "Must have admin rights to Repository."},
		"weaken the rule":             {func() error { return w.Protect(w.writer, w.repo, "main", model.Protection{}) }, "Must have admin rights to Repository."},
		"a rule of his own that wins": {func() error { return w.Protect(w.writer, w.repo, "kept", model.Protection{}) }, "Must have admin rights to Repository."},
		"a ruleset to bypass":         {func() error { return second(w.SetRuleset(w.writer, w.repo, model.Ruleset{Name: "x"})) }, "Must have admin rights to Repository."},
		"delete and make the branch anew": {func() error {
			require.NoError(t, w.DeleteRef(w.writer, w.repo, "refs/heads/kept"), "the rule lets branches be deleted")
			return w.CreateRef(w.writer, w.repo, "refs/heads/kept", head)
		}, `Required status check "ci" is expected.`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Contains(t, said(t, try.do()), try.want)
			assert.Equal(t, before, w.head("main"))
		})
	}
	t.Run("a pull request whose own base is another one", func(t *testing.T) {
		// The review of a pull request into an unprotected branch is none of main's.
		w.branch("free")
		other, err := w.OpenPull(w.triager, w.repo, model.NewPull{Title: "x", Head: "evil", Base: "free"})
		if err == nil {
			w.approve(w.writer, other)
		}
		assert.Contains(t, said(t, w.UpdateRef(w.writer, w.repo, "refs/heads/main", head, false)), "At least 1 approving review")
	})
}

// second is the error of what returns something too.
func second[T any](_ T, err error) error { return err }

// A head that was reviewed may be pushed: the pull request is merged by it.
func TestPushOfWhatWasReviewed(t *testing.T) {
	w := newWorld(t)
	pr := w.pull("f", "f", "x\n")
	w.repo.Protection["main"] = model.Protection{RequiredApprovals: 1, AdminsToo: true}
	w.approve(w.owner, pr)
	require.NoError(t, w.UpdateRef(w.writer, w.repo, "refs/heads/main", plumbing.NewHash(pr.Pull.HeadSHA), false))
	assert.True(t, pr.Pull.Merged())
}

// Automatic merges are bound by rules, and so are forks and releases.
func TestRulesForOtherWays(t *testing.T) {
	w := newWorld(t)
	w.repo.Rulesets = []model.Ruleset{{
		Name: "tags", Target: model.TargetTag, Enforcement: model.EnforcementActive, Include: []string{"refs/tags/v*"}, Rules: []model.Rule{{Type: model.RuleCreation}},
	}}
	_, err := w.CreateRelease(w.writer, w.repo, model.ReleaseEdit{TagName: ptr("v1")})
	assert.Contains(t, said(t, err), "Cannot create ref due to creations being restricted.")
	_, err = w.CreateRelease(w.writer, w.repo, model.ReleaseEdit{TagName: ptr("other")})
	assert.NoError(t, err)

	fork, err := w.Fork(w.stranger, w.repo, w.stranger, "", false)
	require.NoError(t, err)
	require.NoError(t, w.as(w.owner, "main", "news"))
	fork.Protection["main"] = model.Protection{Locked: true, AdminsToo: true}
	_, err = w.SyncFork(w.stranger, fork, "main")
	assert.Equal(t, "Cannot change this locked branch", said(t, err))
	fork.Protection["main"] = model.Protection{Locked: true, AdminsToo: true, LockAllowsSyncing: true}
	_, err = w.SyncFork(w.stranger, fork, "main")
	assert.NoError(t, err)
}

func TestPatternsOfBranches(t *testing.T) {
	w := newWorld(t)
	for pattern, c := range map[string]struct{ like, unlike []string }{
		"release/*":    {[]string{"release/1"}, []string{"release", "release/1/2"}},
		"release/**/*": {[]string{"release/1", "release/1/2"}, []string{"release"}},
		"v[0-9].?":     {[]string{"v1.2"}, []string{"v1.22", "va.1"}},
		"[!a]b":        {[]string{"cb"}, []string{"ab"}},
		"a.b":          {[]string{"a.b"}, []string{"axb"}},
		"*":            {[]string{"é"}, []string{"a/b"}},
	} {
		clear(w.repo.Protection)
		w.repo.Protection[pattern] = model.Protection{}
		for _, branch := range c.like {
			assert.True(t, w.repo.Protected(branch), "%s %s", pattern, branch)
		}
		for _, branch := range c.unlike {
			assert.False(t, w.repo.Protected(branch), "%s %s", pattern, branch)
		}
	}
}
