package gitstore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

func TestTakingACommitOfAnotherStore(t *testing.T) {
	origin := gitstore.New()
	signature := gitstore.Signature{Name: "a", Email: "b", When: time.Unix(0, 0)}
	commit := func(s *gitstore.Store, path string, parents ...gitstore.Hash) gitstore.Hash {
		t.Helper()
		var base gitstore.Hash
		if len(parents) > 0 {
			base = parents[0]
		}
		tree, err := s.WriteTree(base, []gitstore.Change{{Path: path, Content: []byte(path)}})
		require.NoError(t, err)
		h, err := s.WriteCommit(gitstore.CommitSpec{Tree: tree, Parents: parents, Author: signature, Committer: signature, Message: path})
		require.NoError(t, err)
		return h
	}
	first := commit(origin, "a")
	fork := origin.Clone()
	second := commit(fork, "dir/b", first)
	third := commit(fork, "dir/c", second)

	require.NoError(t, origin.Take(fork, third))
	commits, err := origin.Between(first, third)
	require.NoError(t, err)
	assert.Len(t, commits, 2, "with its history")
	for _, path := range []string{"a", "dir/b", "dir/c"} {
		entry, err := origin.Entry(third, path)
		require.NoError(t, err)
		_, err = origin.Blob(entry.Hash)
		assert.NoError(t, err, path)
	}
	assert.Equal(t, fault.Invalid, fault.KindOf(gitstore.New().Take(origin, gitstore.Hash{1})), "there is no such commit")
	_, isThere := gitstore.New().Type(third)
	assert.False(t, isThere)
}
