package model_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestPullRequestsOfForksAreImportedWithThem(t *testing.T) {
	git := gitstore.New()
	commit := func(ref string, parents ...gitstore.Hash) gitstore.Hash {
		tree, err := git.WriteTree(gitstore.Hash{}, []gitstore.Change{{Path: "a", Content: []byte(ref)}})
		require.NoError(t, err)
		who := gitstore.Signature{Name: "a", Email: "a@x", When: time.Unix(1, 0)}
		hash, err := git.WriteCommit(gitstore.CommitSpec{Tree: tree, Parents: parents, Author: who, Committer: who, Message: ref})
		require.NoError(t, err)
		require.NoError(t, git.SetRef(ref, hash))
		return hash
	}
	base := commit("refs/heads/main")
	head := commit("refs/pull/1/head", base)
	pull := func(number int, change func(*model.ImportedIssue)) model.ImportedIssue {
		made := model.ImportedIssue{Author: "Contributor", Issue: model.Issue{
			Number: number, Title: "x", Pull: &model.Pull{HeadRef: "topic", HeadSHA: head.String(), BaseRef: "main", BaseSHA: base.String()},
		}}
		change(&made)
		return made
	}
	s := model.New()
	var repo *model.Repo
	require.NoError(t, s.Atomically(func() error {
		repo, _ = s.Import(model.Imported{Owner: "o", Name: "r", DefaultBranch: "main", Git: git, Issues: []model.ImportedIssue{
			pull(1, func(i *model.ImportedIssue) { i.HeadOwner = "contributor" }),
			pull(2, func(i *model.ImportedIssue) { i.HeadGone, i.Closed = true, true }),
			pull(3, func(i *model.ImportedIssue) { i.HeadOwner = "O" }),
		}})
		return nil
	}))
	assert.Len(t, repo.Git.Refs(""), 1, "refs of pull requests are GitHub's to make")
	fork := s.Repo("contributor", "r")
	require.NotNil(t, fork)
	tip, _ := s.BranchHead(fork, "topic")
	assert.Equal(t, head, tip)
	assert.Equal(t, fork, s.HeadRepo(s.Issue(repo, 1)))
	assert.Nil(t, s.HeadRepo(s.Issue(repo, 2)))
	assert.Equal(t, repo.ID, s.HeadRepo(s.Issue(repo, 3)).ID)
	assert.Equal(t, "Contributor", s.Login(s.Issue(repo, 1).AuthorID))
	issue, err := s.OpenIssue(repo.OwnerID, repo, model.NewIssue{Title: "next"})
	require.NoError(t, err)
	assert.Equal(t, 4, issue.Number)
}
