package gitstore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// refNames has names and whether git takes them.
var refNames = map[string]bool{
	"refs/heads/main": true, "refs/tags/v1.0": true, "refs/heads/feature/x": true, "refs/pull/1/head": true,
	"refs/heads/ünïcode": true, "refs/heads/a{b}": true, "refs/heads/@": true, "refs/heads/-x": true,
	"refs/heads/x.lock.y": true,
	"refs/heads/":         false, "refs//main": false, "refs/heads/.x": false, "refs/heads/x.lock": false,
	"refs/heads/x.lock/y": false, "refs/heads/a..b": false, "refs/heads/a b": false, "refs/heads/a~1": false,
	"refs/heads/a^": false, "refs/heads/a:b": false, "refs/heads/a?": false, "refs/heads/a*": false,
	"refs/heads/a[": false, `refs/heads/a\b`: false, "refs/heads/a@{1}": false, "refs/heads/a.": false,
	"refs/heads/../../x": false, "refs/heads/a\x01": false, "refs/heads/a\x7f": false,
	"../../x": false, "": false, "/refs/heads/x": false,
}

func TestValidRefNameFollowsGitCheckRefFormat(t *testing.T) {
	for name, valid := range refNames {
		err := gitstore.ValidRefName(name)
		assert.Equal(t, valid, err == nil, "%q: %v", name, err)
		if err != nil {
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		}
	}
	assert.Error(t, gitstore.ValidRefName("main"), "a name must be full")
	g := findGit(t)
	for name, valid := range refNames {
		assert.Equal(t, valid, g.succeeds("check-ref-format", name), "%q", name)
	}
}

func TestRefsAreListedByNameAndPrefix(t *testing.T) {
	w := newWorld(t, 1)
	h := w.first().commit
	for _, name := range []string{"refs/tags/v1", "refs/heads/main", "refs/heads/a/b", "refs/heads/a-b"} {
		require.NoError(t, w.store.SetRef(name, h))
	}
	assert.Equal(t, []gitstore.Ref{
		{Name: "refs/heads/a-b", Hash: h}, {Name: "refs/heads/a/b", Hash: h}, {Name: "refs/heads/main", Hash: h},
	}, w.store.Refs("refs/heads/"))
	assert.Len(t, w.store.Refs(""), 4)
	assert.True(t, w.store.DeleteRef("refs/tags/v1"))
	assert.False(t, w.store.DeleteRef("refs/tags/v1"))
	_, ok := w.store.Ref("refs/tags/v1")
	assert.False(t, ok)
}

func TestSetRefRefuses(t *testing.T) {
	w := newWorld(t, 1)
	h := w.first().commit
	require.NoError(t, w.store.SetRef("refs/heads/a/b", h))
	blob, err := w.store.WriteBlob(nil)
	require.NoError(t, err)
	require.NoError(t, w.store.SetRef("refs/tags/blob", blob), "a tag may name anything")
	for name, err := range map[string]error{
		"a bad name":                    w.store.SetRef("refs/heads/..", h),
		"an unknown object":             w.store.SetRef("refs/heads/x", gitstore.Hash{1}),
		"a branch of a blob":            w.store.SetRef("refs/heads/x", blob),
		"a directory of another one":    w.store.SetRef("refs/heads/a", h),
		"one that is below another one": w.store.SetRef("refs/heads/a/b/c", h),
	} {
		require.Error(t, err, name)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
	assert.NoError(t, w.store.SetRef("refs/heads/a/b", h), "moving one is no clash with itself")
}

func TestResolveFindsCommits(t *testing.T) {
	w := newWorld(t, 1)
	one := w.first()
	two := w.next(one)
	three := w.next(two)
	tag, err := w.store.WriteTag(gitstore.TagSpec{Target: two.commit, Name: "v1", Tagger: w.signature("A")})
	require.NoError(t, err)
	nested, err := w.store.WriteTag(gitstore.TagSpec{Target: tag, Name: "v2", Tagger: w.signature("A")})
	require.NoError(t, err)
	for name, h := range map[string]gitstore.Hash{
		"refs/heads/main": one.commit, "refs/heads/v1": three.commit, "refs/tags/v1": tag, "refs/tags/v2": nested,
	} {
		require.NoError(t, w.store.SetRef(name, h))
	}
	for rev, want := range map[string]gitstore.Hash{
		"main": one.commit, "heads/main": one.commit, "refs/heads/main": one.commit,
		"v1": three.commit, "tags/v1": two.commit, "refs/tags/v1": two.commit, "v2": two.commit,
		two.commit.String(): two.commit, two.commit.String()[:7]: two.commit, tag.String(): two.commit,
		nested.String()[:12]: two.commit,
	} {
		got, err := w.store.Resolve(rev)
		require.NoError(t, err, rev)
		assert.Equal(t, want, got, rev)
	}
	tree := treeOf(t, w.store, one.commit)
	for _, rev := range []string{"", "no", "refs/heads/no", one.commit.String()[:3], "0000000", "zzzz", "../../x",
		tree.String(), one.commit.String() + "0"} {
		_, err := w.store.Resolve(rev)
		assert.ErrorIs(t, err, gitstore.ErrNotFound, rev)
	}
}

func TestResolveRefusesAnAbbreviationOfSeveralCommits(t *testing.T) {
	w := newWorld(t, 1)
	seen := map[string]bool{}
	for {
		h := w.commit(gitstore.Hash{}).String()
		if prefix := h[:4]; !seen[prefix] {
			seen[prefix] = true
			continue
		}
		_, err := w.store.Resolve(h[:4])
		require.ErrorContains(t, err, "ambiguous")
		assert.NotErrorIs(t, err, gitstore.ErrNotFound)
		got, err := w.store.Resolve(h)
		require.NoError(t, err)
		assert.Equal(t, h, got.String())
		return
	}
}
