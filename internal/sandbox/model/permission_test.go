package model_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

var dispatchable = gitstore.Change{
	Path: ".github/workflows/d.yml", Content: []byte("on: workflow_dispatch\njobs:\n  build:\n    steps: [{run: make}]\n"),
}

// operations are what needs a permission, with the least one that is enough.
// What they act on is somebody else's; preparing makes it.
var operations = []struct {
	name    string
	least   model.Permission
	prepare func(w *world, actor model.ID) (run func() error)
}{
	{"open an issue", model.PermRead, func(w *world, actor model.ID) func() error {
		return func() error { _, err := w.OpenIssue(actor, w.repo, model.NewIssue{Title: "x"}); return err }
	}},
	{"comment", model.PermRead, func(w *world, actor model.ID) func() error {
		i := w.othersIssue()
		return func() error { _, err := w.CreateComment(actor, w.repo, i, "hi"); return err }
	}},
	{"review", model.PermRead, func(w *world, actor model.ID) func() error {
		i := w.othersPull()
		return func() error {
			_, err := w.CreateReview(actor, i, model.NewReview{Event: model.EventComment, Body: "x"})
			return err
		}
	}},
	{"label an issue", model.PermTriage, func(w *world, actor model.ID) func() error {
		i := w.othersIssue()
		return func() error { return w.AddLabels(actor, w.repo, i, []string{"bug"}) }
	}},
	{"assign an issue", model.PermTriage, func(w *world, actor model.ID) func() error {
		i := w.othersIssue()
		return func() error { return w.AddAssignees(actor, w.repo, i, []model.ID{w.writer}) }
	}},
	{"close somebody's issue", model.PermTriage, func(w *world, actor model.ID) func() error {
		i := w.othersIssue()
		return func() error { return w.EditIssue(actor, w.repo, i, model.IssueEdit{State: ptr("closed")}) }
	}},
	{"rename somebody's issue", model.PermWrite, func(w *world, actor model.ID) func() error {
		i := w.othersIssue()
		return func() error { return w.EditIssue(actor, w.repo, i, model.IssueEdit{Title: ptr("y")}) }
	}},
	{"request a review", model.PermTriage, func(w *world, actor model.ID) func() error {
		i := w.othersPull()
		return func() error { return w.RequestReviewers(actor, i, []model.ID{w.reader}, true) }
	}},
	{"make a label", model.PermWrite, func(w *world, actor model.ID) func() error {
		return func() error { _, err := w.CreateLabel(actor, w.repo, model.NewLabel{Name: "new"}); return err }
	}},
	{"make a branch", model.PermWrite, func(w *world, actor model.ID) func() error {
		return func() error { return w.CreateRef(actor, w.repo, "refs/heads/new", plumbing.NewHash(w.head("main"))) }
	}},
	{"write a file", model.PermWrite, func(w *world, actor model.ID) func() error {
		return func() error {
			_, err := w.WriteFile(actor, w.repo, model.FileWrite{Path: "new", Content: []byte("x"), Message: "m"})
			return err
		}
	}},
	{"resolve a thread", model.PermWrite, func(w *world, actor model.ID) func() error {
		c, err := w.CreateThread(w.owner, w.othersPull(), model.NewThread{Path: "f", Line: 1, Body: "x"})
		require.NoError(w.t, err)
		return func() error { return w.ResolveThread(actor, w.Threads.Get(c.ThreadID), true) }
	}},
	{"make a draft of somebody's pull request", model.PermWrite, func(w *world, actor model.ID) func() error {
		i := w.othersPull()
		return func() error { return w.SetDraft(actor, i, true) }
	}},
	{"merge", model.PermWrite, func(w *world, actor model.ID) func() error {
		i := w.othersPull()
		return func() error { return w.MergePull(actor, i, model.Merge{Method: model.MethodMerge}) }
	}},
	{"dispatch a workflow", model.PermWrite, func(w *world, actor model.ID) func() error {
		return func() error {
			_, err := w.Dispatch(actor, w.repo, w.WorkflowByRef(w.repo, "d.yml"), "main", nil)
			return err
		}
	}},
	{"run a run again", model.PermWrite, func(w *world, actor model.ID) func() error {
		run, err := w.Dispatch(w.owner, w.repo, w.WorkflowByRef(w.repo, "d.yml"), "main", nil)
		require.NoError(w.t, err)
		return func() error { return w.Rerun(actor, run, false) }
	}},
	{"delete an issue", model.PermAdmin, func(w *world, actor model.ID) func() error {
		i := w.othersIssue()
		return func() error { return w.DeleteIssue(actor, w.repo, i) }
	}},
}

// author is a user who made what others act on.
func (w *world) author() model.ID {
	u := w.AddUser(model.NewUser{Login: "author"})
	w.repo.Collaborators[u.ID] = model.PermWrite
	return u.ID
}

func (w *world) othersIssue() *model.Issue {
	i, err := w.OpenIssue(w.author(), w.repo, model.NewIssue{Title: "x"})
	require.NoError(w.t, err)
	return i
}

func (w *world) othersPull() *model.Issue {
	i := w.pull("f", "f", "x\n")
	i.AuthorID = w.author()
	return i
}

// outcome says in a word how an operation ended.
func outcome(err error) string {
	problem, refused := errors.AsType[*model.Problem](err)
	switch {
	case err == nil:
		return "done"
	case refused && problem.Kind == model.NotFound:
		return "not found"
	case refused && problem.Kind == model.Forbidden && problem.Lacking:
		return "forbidden"
	case refused && problem.Kind == model.Unauthorized:
		return "unauthorized"
	default:
		return err.Error()
	}
}

func TestOperationsNeedPermissions(t *testing.T) {
	permissions := map[string]model.Permission{
		"owner": model.PermAdmin, "writer": model.PermWrite, "triager": model.PermTriage, "reader": model.PermRead,
		// These two have no more than anybody has.
		"stranger": model.PermRead, "": model.PermRead,
	}
	for _, op := range operations {
		t.Run(op.name, func(t *testing.T) {
			for login, has := range permissions {
				for _, private := range []bool{false, true} {
					w := newWorld(t, dispatchable)
					var actor model.ID
					if u := w.User(login); u != nil {
						actor = u.ID
					}
					want := "done"
					switch {
					case private && (login == "stranger" || login == ""):
						want = "not found"
					case login == "":
						want = "unauthorized"
					case has < op.least:
						want = "forbidden"
					}
					run := op.prepare(w, actor)
					w.repo.Private = private
					assert.Equal(t, want, outcome(run()), "login %q, private %v", login, private)
				}
			}
			w := newWorld(t, dispatchable)
			run := op.prepare(w, w.owner)
			w.repo.Archived = true
			assert.Equal(t, "Repository was archived so is read-only.", outcome(run()))
		})
	}
}

func TestAuthorsActOnTheirOwn(t *testing.T) {
	w := newWorld(t)
	i := w.issue("mine")
	require.Equal(t, w.reader, i.AuthorID)
	edit := model.IssueEdit{
		Title: ptr("better"), State: ptr("closed"), Labels: &[]string{"bug"}, Assignees: &[]string{"writer"},
	}
	require.NoError(t, w.EditIssue(w.reader, w.repo, i, edit))
	assert.Equal(t, "better", i.Title)
	assert.True(t, i.Closed)
	assert.Empty(t, i.Labels, "labels are for those who may triage; from others they are dropped")
	assert.Empty(t, i.Assignees)

	w.repo.Private = true
	delete(w.repo.Collaborators, w.reader)
	assert.Equal(t, "not found", outcome(w.EditIssue(w.reader, w.repo, i, model.IssueEdit{Title: ptr("again")})),
		"an author who may not read any more may not write either")
}

func TestOpeningWithoutTriageDropsSettings(t *testing.T) {
	w := newWorld(t)
	i, err := w.OpenIssue(w.stranger, w.repo, model.NewIssue{
		Title: "x", Labels: []string{"bug"}, Assignees: []string{"nobody-known"}, Milestone: 7,
	})
	require.NoError(t, err)
	assert.Empty(t, i.Labels)
	assert.Empty(t, i.Assignees)
	assert.Nil(t, w.Label(w.repo, "bug"))
}

func TestAssignableUsers(t *testing.T) {
	w := newWorld(t)
	bot := w.AddUser(model.NewUser{Login: "helper[bot]", Type: model.TypeBot})
	w.repo.Collaborators[bot.ID] = model.PermWrite
	var logins []string
	for _, u := range w.Assignable(w.repo) {
		logins = append(logins, u.Login)
	}
	assert.Equal(t, []string{"owner", "writer", "triager"}, logins)
}

func TestAssociation(t *testing.T) {
	w := newWorld(t)
	for user, want := range map[model.ID]string{w.owner: "OWNER", w.reader: "COLLABORATOR", w.stranger: "NONE", 0: "NONE"} {
		assert.Equal(t, want, w.Association(user, w.repo))
	}
	i := w.pull("f", "f", "x\n")
	i.AuthorID = w.stranger
	assert.Equal(t, "NONE", w.Association(w.stranger, w.repo), "it is not merged yet")
	require.NoError(t, w.MergePull(w.owner, i, model.Merge{Method: model.MethodSquash}))
	assert.Equal(t, "CONTRIBUTOR", w.Association(w.stranger, w.repo))
	assert.Equal(t, "NONE", w.Association(0, w.repo))
}

// GitHub calls those contributors who have committed to the default branch.
func TestAssociationByCommits(t *testing.T) {
	w := newWorld(t)
	commit := func(branch, email string, more ...gitstore.Hash) gitstore.Hash {
		head, _ := w.BranchHead(w.repo, "main")
		tree, err := w.repo.Git.WriteTree(head, []gitstore.Change{{Path: "x.txt", Content: []byte(email)}})
		require.NoError(t, err)
		by := gitstore.Signature{Name: "Somebody", Email: email, When: w.Now}
		made, err := w.repo.Git.WriteCommit(gitstore.CommitSpec{Message: "x", Tree: tree, Parents: append([]gitstore.Hash{head}, more...), Author: by, Committer: by})
		require.NoError(t, err)
		require.NoError(t, w.repo.Git.SetRef("refs/heads/"+branch, made))
		return made
	}
	by := func(login string) string { return w.Association(w.User(login).ID, w.repo) }
	for _, login := range []string{"ada", "bob", "eve", "ida", "tom"} {
		w.AddUser(model.NewUser{Login: login})
	}
	w.User("ada").Email = "ada@example.com"
	commit("main", "ada@example.com")
	assert.Equal(t, "CONTRIBUTOR", by("ada"), "by the address that is shown")
	commit("main", fmt.Sprintf("%d+bob@users.noreply.github.com", w.User("bob").ID))
	assert.Equal(t, "CONTRIBUTOR", by("bob"), "by the address that shows nothing, now")
	side := commit("side", "eve@users.noreply.github.com")
	assert.Equal(t, "NONE", by("eve"), "it is not on the default branch")
	commit("main", "ida@users.noreply.github.com", side)
	assert.Equal(t, []string{"CONTRIBUTOR", "NONE"}, []string{by("eve"), by("ida")}, "a merge is nobody's")
	commit("main", "")
	assert.Equal(t, "NONE", by("tom"), "who shows no address is not who gave none")
	assert.Equal(t, "NONE", w.Association(w.stranger, w.AddRepo(model.NewRepo{Owner: w.owner, Name: "empty"})))
	w.repo.DefaultBranch = "side"
	assert.Equal(t, []string{"CONTRIBUTOR", "CONTRIBUTOR"}, []string{by("ada"), by("eve")})
}
