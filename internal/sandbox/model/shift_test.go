package model_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// What is shifted is the same world at another time: its commits have other
// names, and so does all that is said of them.
func TestShift(t *testing.T) {
	s := model.New()
	owner := s.AddUser(model.NewUser{Login: "owner"})
	repo := s.AddRepo(model.NewRepo{Owner: owner.ID, Name: "hello"})
	require.NoError(t, s.PushInitial(owner.ID, repo, []gitstore.Change{{Path: "a", Content: []byte("a")}}, "first"))
	first, _ := s.BranchHead(repo, "main")
	tree := must(repo.Git.Commit(first)).Tree
	second, err := repo.Git.WriteCommit(gitstore.CommitSpec{
		Tree: tree, Parents: []gitstore.Hash{first}, Message: "after " + first.String() + "\n\nand " + first.String()[:9],
		Author:    gitstore.Signature{Name: "a", Email: "a", When: s.Now.In(time.FixedZone("", 2*3600))},
		Committer: gitstore.Signature{Name: "a", Email: "a", When: s.Now},
	})
	require.NoError(t, err)
	tag, err := repo.Git.WriteTag(gitstore.TagSpec{Target: second, Name: "v1", Tagger: gitstore.Signature{Name: "a", Email: "a", When: s.Now}, Message: "x"})
	require.NoError(t, err)
	require.NoError(t, repo.Git.SetRef("refs/heads/main", second))
	require.NoError(t, repo.Git.SetRef("refs/tags/v1", tag))
	issue, err := s.OpenIssue(owner.ID, repo, model.NewIssue{Title: "since " + first.String()[:7], Body: "at 2026-01-05T09:00:00Z, of " + second.String()})
	require.NoError(t, err)
	s.Index()

	before, err := json.Marshal(s)
	require.NoError(t, err)
	const by = 40*24*time.Hour + time.Hour
	later := s.CloneIndexed()
	moved, err := later.Shift(by)
	require.NoError(t, err)
	require.NoError(t, later.CheckIndexes())

	now := later.Repos.Get(repo.ID)
	head, _ := later.BranchHead(now, "main")
	assert.NotEqual(t, second, head)
	assert.Equal(t, moved.Hash(second), head)
	commit := must(now.Git.Commit(head))
	assert.Equal(t, []gitstore.Hash{moved.Hash(first)}, commit.Parents)
	assert.Equal(t, tree, commit.Tree)
	assert.Equal(t, "after "+moved.Hash(first).String()+"\n\nand "+moved.Hash(first).String()[:9], commit.Message)
	assert.Equal(t, s.Now.Add(by-model.Tick).Unix(), commit.Author.When.Unix(), "the issue came a tick later")
	_, zone := commit.Author.When.Zone()
	assert.Equal(t, 2*3600, zone)
	gone, _ := now.Git.Type(second)
	assert.NotEqual(t, "commit", gone.String(), "the old commits are no more")
	named, _ := now.Git.Ref("refs/tags/v1")
	assert.Equal(t, head, must(now.Git.Tag(named)).Target)

	shown := later.Issues.Get(issue.ID)
	assert.Equal(t, "since "+moved.Hash(first).String()[:7], shown.Title)
	assert.Equal(t, "at 2026-02-14T10:00:00Z, of "+head.String(), shown.Body)
	assert.Equal(t, issue.CreatedAt.Add(by), shown.CreatedAt)
	assert.Equal(t, s.Now.Add(by), later.Now)
	assert.Nil(t, shown.ClosedAt)
	assert.Equal(t, "2026-03-13", moved.Text("2026-02-01"), "a day moves by days")

	same, err := json.Marshal(s)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(before, same), "what it was copied from stays")
	_, err = later.Shift(-by)
	require.NoError(t, err)
	back, err := json.Marshal(later)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(back), "and there is a way back")
	again, _ := later.BranchHead(later.Repos.Get(repo.ID), "main")
	assert.Equal(t, second, again)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func TestTheClockFollowsAnother(t *testing.T) {
	s := model.New()
	at := model.Epoch.Add(time.Hour + time.Millisecond)
	s.Follow(func() time.Time { return at })
	assert.Equal(t, model.Epoch.Add(time.Hour), s.Time())
	assert.Equal(t, model.Epoch, s.Now, "asking what time it is moves nothing")
	assert.Equal(t, model.Epoch.Add(time.Hour), s.Advance())
	assert.Equal(t, model.Epoch.Add(time.Hour), s.Advance(), "writes do not move it")
	at = model.Epoch
	assert.Equal(t, model.Epoch.Add(time.Hour), s.Time(), "it never goes back")
	at = model.Epoch.Add(48 * time.Hour)
	assert.Equal(t, at, s.Clone().Advance())
}
