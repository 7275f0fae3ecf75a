package model_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// world is a state with one repository and a user for each permission in it.
type world struct {
	t *testing.T
	*model.State
	repo                                     *model.Repo
	owner, writer, triager, reader, stranger model.ID
}

const mathFile = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

func newWorld(t *testing.T, files ...gitstore.Change) *world {
	t.Helper()
	w := &world{t: t, State: model.New()}
	user := func(login string) model.ID { return w.AddUser(model.NewUser{Login: login}).ID }
	w.owner, w.writer, w.triager, w.reader, w.stranger =
		user("owner"), user("writer"), user("triager"), user("reader"), user("stranger")
	w.repo = w.AddRepo(model.NewRepo{Owner: w.owner, Name: "hello"})
	w.repo.Collaborators[w.writer] = model.PermWrite
	w.repo.Collaborators[w.triager] = model.PermTriage
	w.repo.Collaborators[w.reader] = model.PermRead
	files = append([]gitstore.Change{
		{Path: "README.md", Content: []byte("# hello\n")}, {Path: "math.txt", Content: []byte(mathFile)},
	}, files...)
	require.NoError(t, w.PushInitial(w.owner, w.repo, files, "first"))
	return w
}

func (w *world) head(branch string) string {
	w.t.Helper()
	hash, known := w.BranchHead(w.repo, branch)
	require.True(w.t, known, "there is no branch %s", branch)
	return hash.String()
}

// branch makes a branch off main.
func (w *world) branch(name string) {
	w.t.Helper()
	main, _ := w.BranchHead(w.repo, "main")
	require.NoError(w.t, w.CreateRef(w.owner, w.repo, "refs/heads/"+name, main))
}

// write commits a file on a branch and returns the commit.
func (w *world) write(branch, path, content, message string) gitstore.Commit {
	w.t.Helper()
	sha := ""
	at, _ := w.BranchHead(w.repo, branch)
	if entry, err := w.repo.Git.Entry(at, path); err == nil {
		sha = entry.Hash.String()
	}
	commit, err := w.WriteFile(w.owner, w.repo, model.FileWrite{
		Path: path, Content: []byte(content), Branch: branch, Message: message, BlobSHA: sha,
	})
	require.NoError(w.t, err)
	return commit
}

// pull opens a pull request of the writer's from a new branch with one file.
func (w *world) pull(branch, path, content string) *model.Issue {
	w.t.Helper()
	w.branch(branch)
	w.write(branch, path, content, "add "+path+"\n\nwith a body")
	return w.open(branch)
}

func (w *world) open(branch string) *model.Issue {
	w.t.Helper()
	i, err := w.OpenPull(w.writer, w.repo, model.NewPull{Title: "Change " + branch, Body: "what it does", Head: branch, Base: "main"})
	require.NoError(w.t, err)
	return i
}

func (w *world) issue(title string) *model.Issue {
	w.t.Helper()
	i, err := w.OpenIssue(w.reader, w.repo, model.NewIssue{Title: title})
	require.NoError(w.t, err)
	return i
}

// refusal returns the problem that an error is.
func refusal(t *testing.T, err error) *model.Problem {
	t.Helper()
	problem, ok := errors.AsType[*model.Problem](err)
	require.True(t, ok, "want a refusal, got %v", err)
	return problem
}

// said returns a refusal's text, whatever form it has.
func said(t *testing.T, err error) string {
	t.Helper()
	problem := refusal(t, err)
	switch {
	case len(problem.Reasons) > 0:
		return problem.Reasons[0]
	case len(problem.Errors) > 0 && problem.Errors[0].Message != "":
		return problem.Errors[0].Message
	default:
		return problem.Message
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

func ptr[T any](v T) *T { return &v }
