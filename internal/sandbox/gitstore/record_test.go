package gitstore_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// recorded is a Store with two commits, of which main and old name the first,
// whose changes are recorded.
func recorded(t *testing.T) (s *gitstore.Store, first, second gitstore.Hash) {
	t.Helper()
	s = gitstore.New()
	author := gitstore.Signature{Name: "a", Email: "b", When: time.Unix(0, 0)}
	commit := func(content string) gitstore.Hash {
		tree, err := s.WriteTree(gitstore.Hash{}, []gitstore.Change{{Path: "a", Content: []byte(content)}})
		require.NoError(t, err)
		hash, err := s.WriteCommit(gitstore.CommitSpec{Tree: tree, Author: author, Committer: author, Message: content})
		require.NoError(t, err)
		return hash
	}
	first, second = commit("one"), commit("two")
	for _, name := range []string{"refs/heads/main", "refs/heads/old"} {
		require.NoError(t, s.SetRef(name, first))
	}
	s.Record()
	return s, first, second
}

func saved(t *testing.T, s *gitstore.Store) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, s.Save(&out))
	return out.Bytes()
}

func TestARecordingTellsWhatMoved(t *testing.T) {
	s, first, second := recorded(t)
	assert.Empty(t, s.Moved())
	require.NoError(t, s.SetRef("refs/heads/main", second))
	require.NoError(t, s.SetRef("refs/heads/new", second))
	assert.True(t, s.DeleteRef("refs/heads/old"))
	assert.Equal(t, map[string]gitstore.Hash{"refs/heads/main": first, "refs/heads/new": {}, "refs/heads/old": first}, s.Moved())
	assert.Equal(t, map[string]gitstore.Hash{"refs/heads/main": first, "refs/heads/old": first}, s.AtCut())
	s.Record()
	assert.Len(t, s.Moved(), 3, "a recording goes on")

	s.Cut()
	assert.Empty(t, s.Moved())
	require.NoError(t, s.SetRef("refs/heads/main", first))
	assert.Equal(t, map[string]gitstore.Hash{"refs/heads/main": second}, s.Moved())
	require.NoError(t, s.SetRef("refs/heads/main", second))
	assert.Empty(t, s.Moved(), "what is back again has not moved")
	assert.Empty(t, s.Clone().Moved(), "a copy starts without")
	s.Keep()
	require.NoError(t, s.SetRef("refs/heads/main", first))
	assert.Empty(t, s.Moved())
	assert.Equal(t, map[string]gitstore.Hash{"refs/heads/main": first, "refs/heads/new": second}, s.AtCut())
}

func TestARecordingIsUndone(t *testing.T) {
	s, _, second := recorded(t)
	before := saved(t, s)
	_, err := s.WriteBlob([]byte("three"))
	require.NoError(t, err)
	require.NoError(t, s.SetRef("refs/heads/main", second))
	s.Cut()
	require.NoError(t, s.SetRef("refs/heads/new", second))
	require.NoError(t, s.SetRef("refs/heads/main", second))
	s.DeleteRef("refs/heads/old")
	s.Undo()
	assert.Equal(t, before, saved(t, s))
	s.Undo()
	assert.Equal(t, before, saved(t, s), "without a recording there is nothing to undo")
}

func TestObjectsAreForgotten(t *testing.T) {
	s, _, _ := recorded(t)
	before, objects := saved(t, s), s.Objects()
	_, err := s.WriteBlob([]byte("three"))
	require.NoError(t, err)
	assert.NotEqual(t, before, saved(t, s))
	s.Forget(objects)
	assert.Equal(t, before, saved(t, s))
}
