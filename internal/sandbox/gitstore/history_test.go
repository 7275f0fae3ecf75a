package gitstore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

func hashes(commits []gitstore.Commit) []string {
	list := []string{}
	for _, c := range commits {
		list = append(list, c.Hash.String())
	}
	return list
}

func TestHistoryIsThatOfGit(t *testing.T) {
	eachHistory(t, func(w *world) { w.ties = true }, func(t *testing.T, w *world, all []snapshot, g *realGit) {
		for range 12 {
			a, b := pick(w, all...).commit, pick(w, all...).commit

			bases := g.words("merge-base", "--all", a.String(), b.String())
			base, found, err := w.store.MergeBase(a, b)
			require.NoError(t, err)
			assert.Equal(t, len(bases) > 0, found)
			assert.Contains(t, bases, base.String())

			ahead, behind, err := w.store.AheadBehind(a, b)
			require.NoError(t, err)
			assert.Equal(t, g.words("rev-list", "--left-right", "--count", a.String()+"..."+b.String()),
				[]string{fmt.Sprint(behind), fmt.Sprint(ahead)})

			between, err := w.store.Between(a, b)
			require.NoError(t, err)
			assert.Equal(t, append([]string{}, g.words("rev-list", "--date-order", "--reverse", a.String()+".."+b.String())...),
				hashes(between))

			log, err := w.store.Log(b, "", 0)
			require.NoError(t, err)
			assert.Equal(t, g.words("log", "--format=%H", b.String()), hashes(log))

			path := pick(w, "src", "src/pkg", "a", "docs/a", "main.go", "f1.go", "src/f2.go", "no/such/file")
			log, err = w.store.Log(b, path, 0)
			require.NoError(t, err)
			assert.Equal(t, append([]string{}, g.words("log", "--format=%H", b.String(), "--", path)...), hashes(log), path)
		}
	})
}

func TestLogReturnsAtMostTheLimit(t *testing.T) {
	w := newWorld(t, 1)
	at := w.first()
	for range 5 {
		at = w.next(at)
	}
	all, err := w.store.Log(at.commit, "", 0)
	require.NoError(t, err)
	require.Len(t, all, 6)
	some, err := w.store.Log(at.commit, "", 2)
	require.NoError(t, err)
	assert.Equal(t, all[:2], some)
}

func TestBetweenAZeroBaseReturnsTheWholeHistory(t *testing.T) {
	w := newWorld(t, 1)
	one := w.first()
	two := w.next(one)
	list, err := w.store.Between(gitstore.Hash{}, two.commit)
	require.NoError(t, err)
	assert.Equal(t, []string{one.commit.String(), two.commit.String()}, hashes(list))
}

// Clocks run apart: a child may seem older than its parent.
func TestBetweenPutsParentsFirstWhateverTheClocksSaid(t *testing.T) {
	w := newWorld(t, 1)
	var want []string
	var parents []gitstore.Hash
	for range 5 {
		h := w.commit(gitstore.Hash{}, parents...)
		w.now = w.now.AddDate(0, 0, -1)
		want, parents = append(want, h.String()), []gitstore.Hash{h}
	}
	list, err := w.store.Between(gitstore.Hash{}, parents[0])
	require.NoError(t, err)
	assert.Equal(t, want, hashes(list))
}

func TestUnrelatedHistoriesHaveNoMergeBase(t *testing.T) {
	w := newWorld(t, 1)
	_, found, err := w.store.MergeBase(w.commit(gitstore.Hash{}), w.commit(gitstore.Hash{}))
	require.NoError(t, err)
	assert.False(t, found)
}

func TestHistoryOfAnUnknownCommitIsNotFound(t *testing.T) {
	s := gitstore.New()
	unknown := gitstore.Hash{1}
	_, err := s.Log(unknown, "", 0)
	assert.ErrorIs(t, err, gitstore.ErrNotFound)
	_, err = s.Between(gitstore.Hash{}, unknown)
	assert.ErrorIs(t, err, gitstore.ErrNotFound)
	_, _, err = s.AheadBehind(unknown, unknown)
	assert.ErrorIs(t, err, gitstore.ErrNotFound)
	_, _, err = s.MergeBase(unknown, unknown)
	assert.ErrorIs(t, err, gitstore.ErrNotFound)
}

func TestACommitsParentsCannotBeChangedFromOutside(t *testing.T) {
	w := newWorld(t, 1)
	one := w.first()
	two := w.next(one)
	c, err := w.store.Commit(two.commit)
	require.NoError(t, err)
	c.Parents[0] = gitstore.Hash{}
	list, err := w.store.Log(two.commit, "", 0)
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(list, func(c gitstore.Commit) bool { return c.Hash == one.commit }))
	assert.True(t, strings.HasPrefix(list[0].Message, "change"))
}
