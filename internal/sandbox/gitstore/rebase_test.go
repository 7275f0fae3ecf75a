package gitstore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

var committer = gitstore.Signature{Name: "C", Email: "c@example.com", When: time.Unix(1800000000, 0).UTC()}

func TestRebaseIsGitRebase(t *testing.T) {
	var clean, conflicting int
	for seed := *firstSeed; seed < *firstSeed+2**rounds; seed++ {
		w := newWorld(t, seed)
		w.plain = true
		root := w.first()
		main := w.next(w.next(root))
		topic := w.next(w.next(w.next(root)))
		g := materialise(t, w.store)
		g.needMerges(t)
		g.env = append(g.env, "GIT_WORK_TREE="+t.TempDir(),
			fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", committer.When.Unix()))
		g.run(nil, "checkout", "-q", "-f", topic.commit.String())
		out := g.run(nil, "-c", "merge.directoryRenames=false", "rebase", "-q", "--force-rebase", "--onto", main.commit.String(), root.commit.String())
		if strings.Contains(out, "CONFLICT") {
			conflicting++
		} else {
			clean++
		}

		commits, err := w.store.Between(root.commit, topic.commit)
		require.NoError(t, err)
		got, conflicts, err := w.store.Rebase(commits, main.commit, committer)
		require.NoError(t, err)
		assert.Equal(t, strings.Contains(out, "CONFLICT"), len(conflicts) > 0, "seed %d: %v", seed, conflicts)
		if len(conflicts) == 0 {
			assert.Equal(t, g.words("rev-parse", "HEAD"), []string{got.String()}, "seed %d", seed)
		}
	}
	t.Logf("%d rebases without conflicts, %d with", clean, conflicting)
}

func TestRebaseLeavesOutWhatTheNewBaseHas(t *testing.T) {
	b := newBranches(t, []gitstore.Change{put("f", "1\n"), put("g", "1\n")},
		[]gitstore.Change{put("f", "2\n")}, []gitstore.Change{put("f", "2\n")})
	tree, err := b.store.WriteTree(b.theirs, []gitstore.Change{put("g", "2\n")})
	require.NoError(t, err)
	second := b.commit(tree, b.theirs)
	empty := b.commit(tree, second)
	commits, err := b.store.Between(b.base, empty)
	require.NoError(t, err)
	require.Len(t, commits, 3)

	head, conflicts, err := b.store.Rebase(commits, b.ours, committer)
	require.NoError(t, err)
	assert.Empty(t, conflicts)
	rebased, err := b.store.Between(b.ours, head)
	require.NoError(t, err)
	require.Len(t, rebased, 2, "the change of f is there already; the empty commit was empty from the start")
	assert.Equal(t, commits[1].Message, rebased[0].Message)
	assert.Equal(t, commits[1].Author, rebased[0].Author)
	assert.Equal(t, committer, rebased[0].Committer)
	assert.Equal(t, rebased[0].Tree, rebased[1].Tree)
}

func TestRebaseStopsAtTheFirstConflict(t *testing.T) {
	b := newBranches(t, []gitstore.Change{put("f", "1\n")},
		[]gitstore.Change{put("f", "2\n")}, []gitstore.Change{put("f", "3\n")})
	commits, err := b.store.Between(b.base, b.theirs)
	require.NoError(t, err)
	head, conflicts, err := b.store.Rebase(commits, b.ours, committer)
	require.NoError(t, err)
	assert.True(t, head.IsZero())
	assert.Equal(t, []gitstore.Conflict{{Path: "f", Kind: "content"}}, conflicts)
}
