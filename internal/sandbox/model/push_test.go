package model_test

import (
	"bytes"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// packed is a packfile with a commit on top of a branch, as a client makes it.
func (w *world) packed(branch, path, message string) (gitstore.Hash, []byte) {
	w.t.Helper()
	client := w.repo.Git.Clone()
	tip, _ := w.BranchHead(w.repo, branch)
	tree, err := client.WriteTree(tip, []gitstore.Change{{Path: path, Content: []byte("x\n")}})
	require.NoError(w.t, err)
	signature := gitstore.Signature{Name: "a", Email: "b", When: model.Epoch}
	commit, err := client.WriteCommit(gitstore.CommitSpec{
		Tree: tree, Parents: []gitstore.Hash{tip}, Author: signature, Committer: signature, Message: message,
	})
	require.NoError(w.t, err)
	var pack bytes.Buffer
	require.NoError(w.t, client.WritePack(&pack))
	return commit, pack.Bytes()
}

// A push does what the API does when it moves a ref.
func TestPushes(t *testing.T) {
	w := newWorld(t)
	issue, err := w.OpenIssue(w.owner, w.repo, model.NewIssue{Title: "broken"})
	require.NoError(t, err)
	pr := w.pull("f", "a.txt", "one\n")
	main, _ := w.BranchHead(w.repo, "main")
	commit, pack := w.packed("main", "b.txt", "mend\n\nFixes #1")
	updates := []model.RefUpdate{{Ref: "refs/heads/main", From: main, To: commit}, {Ref: "refs/tags/v1", To: commit}}
	require.NoError(t, w.Push(w.writer, w.repo, bytes.NewReader(pack), updates))
	assert.Empty(t, updates[0].Refused+updates[1].Refused)
	assert.Equal(t, commit.String(), w.head("main"))
	assert.True(t, issue.Closed, "by the commit's message")

	commit, pack = w.packed("f", "c.txt", "more")
	require.NoError(t, w.Push(w.writer, w.repo, bytes.NewReader(pack), []model.RefUpdate{{Ref: "refs/heads/f", From: plumbing.NewHash(pr.Pull.HeadSHA), To: commit}}))
	assert.Equal(t, commit.String(), pr.Pull.HeadSHA)
	require.NoError(t, w.Push(w.writer, w.repo, nil, []model.RefUpdate{{Ref: "refs/heads/f", From: commit}}))
	assert.True(t, pr.Closed, "with its branch")
}

func TestPushesThatAreRefused(t *testing.T) {
	w := newWorld(t)
	main, _ := w.BranchHead(w.repo, "main")
	commit, pack := w.packed("main", "b.txt", "more")
	update := func() []model.RefUpdate { return []model.RefUpdate{{Ref: "refs/heads/main", From: commit, To: commit}} }
	assert.Error(t, w.Push(w.reader, w.repo, bytes.NewReader(pack), update()))
	assert.Error(t, w.Push(w.writer, w.repo, bytes.NewReader(pack[:len(pack)-1]), update()), "a packfile cut short")
	updates := update()
	require.NoError(t, w.Push(w.writer, w.repo, bytes.NewReader(pack), updates))
	assert.Equal(t, "cannot lock ref 'refs/heads/main': is at "+main.String()+" but expected "+commit.String(), updates[0].Refused)
	assert.Equal(t, main.String(), w.head("main"))
	_, kept := w.repo.Git.Type(commit)
	assert.False(t, kept, "what no ref leads to is dropped")
}

func TestPublishedRefs(t *testing.T) {
	w := newWorld(t)
	clean, closed, conflict := w.pull("f", "a.txt", "one\n"), w.pull("g", "b.txt", "two\n"), w.pull("h", "c.txt", "three\n")
	require.NoError(t, w.EditIssue(w.owner, w.repo, closed, model.IssueEdit{State: ptr("closed")}))
	w.write("main", "c.txt", "other\n", "in the way")
	git, err := w.Published(w.repo)
	require.NoError(t, err)
	var names []string
	for _, ref := range git.Refs("refs/pull/") {
		names = append(names, ref.Name)
	}
	assert.Equal(t, []string{"refs/pull/1/head", "refs/pull/1/merge", "refs/pull/2/head", "refs/pull/3/head"}, names)
	head, _ := git.Ref("refs/pull/3/head")
	assert.Equal(t, conflict.Pull.HeadSHA, head.String())

	merge, _ := git.Ref("refs/pull/1/merge")
	commit, err := git.Commit(merge)
	require.NoError(t, err)
	assert.Equal(t, []gitstore.Hash{plumbing.NewHash(w.head("main")), plumbing.NewHash(clean.Pull.HeadSHA)}, commit.Parents)
	assert.Equal(t, "Merge "+clean.Pull.HeadSHA+" into "+w.head("main"), commit.Message)
	again, err := w.Published(w.repo)
	require.NoError(t, err)
	same, _ := again.Ref("refs/pull/1/merge")
	assert.Equal(t, merge, same)
	_, kept := w.repo.Git.Type(merge)
	assert.False(t, kept, "the repository itself is not written to")
}
