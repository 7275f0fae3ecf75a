package gitstore_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// mergesOfGit returns what git makes of merges, in one run of git.
func mergesOfGit(t *testing.T, g *realGit, pairs [][2]gitstore.Hash) []gitMerge {
	t.Helper()
	g.needMerges(t)
	var stdin bytes.Buffer
	for _, p := range pairs {
		fmt.Fprintf(&stdin, "%s %s\n", p[0], p[1])
	}
	merges := parseMerges(t, g.run(&stdin, "-c", "merge.directoryRenames=false",
		"merge-tree", "--write-tree", "-z", "--name-only", "--messages", "--stdin"))
	require.Len(t, merges, len(pairs))
	return merges
}

// compareMerge compares a merge with what git makes of it, and reports whether
// it is clean.
func compareMerge(t *testing.T, s *gitstore.Store, pair [2]gitstore.Hash, want gitMerge) bool {
	t.Helper()
	tree, conflicts, err := s.MergeTrees(pair[0], pair[1])
	require.NoError(t, err)
	paths := []string{}
	for _, c := range conflicts {
		paths = append(paths, c.Path)
		assert.Contains(t, want.kinds[c.Path], c.Kind, "merge %s: %s", pair, c.Path)
	}
	assert.Equal(t, append([]string{}, slices.Sorted(maps.Keys(want.kinds))...), paths, "merge %s", pair)
	if len(want.kinds) > 0 {
		assert.True(t, tree.IsZero(), "a merge with conflicts has no tree")
		return false
	}
	assert.Equal(t, want.tree, tree.String(), "merge %s", pair)
	return true
}

// gitMerge is what git merge-tree says of a merge.
type gitMerge struct {
	tree string
	// kinds has the kinds of conflict of each path that has any.
	kinds map[string][]string
}

// parseMerges reads the output of git merge-tree --stdin -z --name-only.
func parseMerges(t *testing.T, out string) []gitMerge {
	t.Helper()
	tokens := strings.Split(out, "\x00")
	next := func() string {
		require.NotEmpty(t, tokens)
		first := tokens[0]
		tokens = tokens[1:]
		return first
	}
	// A file that has no room at its path is listed as path~commit.
	path := func() string {
		p, _, _ := strings.Cut(next(), "~")
		return p
	}
	var list []gitMerge
	for len(tokens) > 1 {
		_ = next() // whether it is clean; the list of paths says that too
		m := gitMerge{tree: next(), kinds: map[string][]string{}}
		for p := path(); p != ""; p = path() {
			m.kinds[p] = []string{}
		}
		for n := next(); n != ""; n = next() {
			count, err := strconv.Atoi(n)
			require.NoError(t, err)
			var about []string
			for range count {
				about = append(about, path())
			}
			next()
			if kind, found := strings.CutPrefix(next(), "CONFLICT ("); found {
				kind, _, _ = strings.Cut(kind, ")")
				for _, p := range about {
					if _, listed := m.kinds[p]; listed {
						m.kinds[p] = append(m.kinds[p], kind)
					}
				}
			}
		}
		list = append(list, m)
	}
	return list
}

func TestMergeTreesIsGitMergeForRandomHistories(t *testing.T) {
	var clean, conflicting, crissCross int
	eachHistory(t, func(*world) {}, func(t *testing.T, w *world, all []snapshot, g *realGit) {
		var pairs [][2]gitstore.Hash
		for range 60 {
			pairs = append(pairs, [2]gitstore.Hash{pick(w, all...).commit, pick(w, all...).commit})
		}
		for i, want := range mergesOfGit(t, g, pairs) {
			if compareMerge(t, w.store, pairs[i], want) {
				clean++
			} else {
				conflicting++
			}
		}
		for _, p := range pairs[:10] {
			if len(g.words("merge-base", "--all", p[0].String(), p[1].String())) > 1 {
				crissCross++
			}
		}
	})
	t.Logf("%d clean merges, %d with conflicts; of a sixth of them %d have several merge bases", clean, conflicting, crissCross)
}

// Long files, and files whose lines are all frequent, reach the limits of the
// histogram.
func TestMergeTreesIsGitMergeForLargeFiles(t *testing.T) {
	w := newWorld(t, *firstSeed)
	frequent := ""
	for range 500 {
		frequent += pick(w, "a\n", "b\n", "c\n")
	}
	var pairs [][2]gitstore.Hash
	add := func(base, ours, theirs string) {
		root := w.commit(tree(t, w.store, map[string]string{"f": base}))
		pairs = append(pairs, [2]gitstore.Hash{
			w.commit(tree(t, w.store, map[string]string{"f": ours}), root),
			w.commit(tree(t, w.store, map[string]string{"f": theirs}), root),
		})
	}
	for _, base := range []string{w.text(200), w.text(1000), w.text(4000), frequent} {
		for _, edits := range []int{2, 10, 60} {
			ours, theirs := base, base
			for range edits {
				ours, theirs = w.edit(ours), w.edit(theirs)
			}
			add(base, ours, theirs)
		}
	}
	var base, everyOther strings.Builder
	for i := range 3000 {
		fmt.Fprintln(&base, i)
		fmt.Fprintln(&everyOther, i, strings.Repeat("changed", i%2))
	}
	odd := strings.ReplaceAll(everyOther.String(), " \n", "\n")
	add(base.String(), odd, "first\n"+base.String())
	add(base.String(), odd, strings.Replace(base.String(), "\n1234\n", "\nother\n", 1))
	for i, want := range mergesOfGit(t, materialise(t, w.store), pairs) {
		compareMerge(t, w.store, pairs[i], want)
	}
}

// Every second line of a long file is the worst that histogram can be given.
func TestMergeTreesOfHostileFilesIsQuick(t *testing.T) {
	var base, ours strings.Builder
	for i := range 40000 {
		fmt.Fprintf(&base, "%d\n", i)
		fmt.Fprintf(&ours, "%d%s\n", i, strings.Repeat("!", i%2))
	}
	b := newBranches(t, []gitstore.Change{put("f", base.String())},
		[]gitstore.Change{put("f", ours.String())}, []gitstore.Change{put("f", "first\n"+base.String())})
	got, conflicts, err := b.store.MergeTrees(b.ours, b.theirs)
	require.NoError(t, err)
	assert.Empty(t, conflicts)
	assert.Equal(t, tree(t, b.store, map[string]string{"f": "first\n" + ours.String()}), got)
}

// branches is a repository with one commit and two branches from it.
type branches struct {
	*world
	base, ours, theirs gitstore.Hash
}

func newBranches(t *testing.T, base, ours, theirs []gitstore.Change) branches {
	t.Helper()
	w := newWorld(t, 1)
	write := func(on gitstore.Hash, changes []gitstore.Change, parents ...gitstore.Hash) gitstore.Hash {
		tree, err := w.store.WriteTree(on, changes)
		require.NoError(t, err)
		return w.commit(tree, parents...)
	}
	b := branches{world: w, base: write(gitstore.Hash{}, base)}
	b.ours = write(b.base, ours, b.base)
	b.theirs = write(b.base, theirs, b.base)
	return b
}

func put(path, content string) gitstore.Change {
	return gitstore.Change{Path: path, Content: []byte(content)}
}

func remove(path string) gitstore.Change { return gitstore.Change{Path: path, Delete: true} }

func TestMergeTreesNamesTheConflict(t *testing.T) {
	const text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	base := []gitstore.Change{put("f", text), put("other", "x\n")}
	change := func(old, new string) gitstore.Change { return put("f", strings.Replace(text, old, new, 1)) }
	moved := func(to, old, new string) []gitstore.Change {
		return []gitstore.Change{remove("f"), put(to, strings.Replace(text, old, new, 1))}
	}
	link := gitstore.Change{Path: "f", Content: []byte("other"), Mode: filemode.Symlink}
	module := func(h byte) gitstore.Change {
		return gitstore.Change{Path: "m", Mode: filemode.Submodule, Blob: gitstore.Hash{h}}
	}
	for _, test := range []struct {
		name         string
		ours, theirs []gitstore.Change
		want         []gitstore.Conflict
	}{
		{"both sides change the same line in different ways",
			[]gitstore.Change{change("5\n", "five\n")}, []gitstore.Change{change("5\n", "V\n")},
			[]gitstore.Conflict{{Path: "f", Kind: "content"}}},
		{"both sides change neighbouring lines",
			[]gitstore.Change{change("5\n", "five\n")}, []gitstore.Change{change("6\n", "six\n")},
			[]gitstore.Conflict{{Path: "f", Kind: "content"}}},
		{"both sides add a file with different content",
			[]gitstore.Change{put("new", "a\n")}, []gitstore.Change{put("new", "b\n")},
			[]gitstore.Conflict{{Path: "new", Kind: "add/add"}}},
		{"they delete what we changed",
			[]gitstore.Change{change("5\n", "five\n")}, []gitstore.Change{remove("f")},
			[]gitstore.Conflict{{Path: "f", Kind: "modify/delete"}}},
		{"we delete what they changed",
			[]gitstore.Change{remove("f")}, []gitstore.Change{change("5\n", "five\n")},
			[]gitstore.Conflict{{Path: "f", Kind: "modify/delete"}}},
		{"they delete what we moved",
			moved("g", "5\n", "five\n"), []gitstore.Change{remove("f")},
			[]gitstore.Conflict{{Path: "g", Kind: "rename/delete"}}},
		{"we move a file to where they add another",
			moved("g", "5\n", "five\n"), []gitstore.Change{put("g", "new\n")},
			[]gitstore.Conflict{{Path: "g", Kind: "add/add"}}},
		{"we move to where they add another, and they delete it",
			moved("g", "5\n", "five\n"), []gitstore.Change{remove("f"), put("g", "new\n")},
			[]gitstore.Conflict{{Path: "g", Kind: "rename/delete"}}},
		{"we move a file of which they make a link",
			moved("g", "5\n", "five\n"), []gitstore.Change{link},
			[]gitstore.Conflict{{Path: "g", Kind: "modify/delete"}}},
		{"each side moves another file to the same place",
			moved("g", "5\n", "five\n"), []gitstore.Change{remove("other"), put("g", "x\n")},
			[]gitstore.Conflict{{Path: "g", Kind: "add/add"}}},
		{"both sides make the same file, one of them executable",
			[]gitstore.Change{put("new", "a\n")},
			[]gitstore.Change{{Path: "new", Content: []byte("a\n"), Mode: filemode.Executable}},
			[]gitstore.Conflict{{Path: "new", Kind: "add/add"}}},
		{"each side moves the file elsewhere",
			moved("g", "", ""), moved("h", "", ""),
			[]gitstore.Conflict{
				{Path: "f", Kind: "rename/rename"}, {Path: "g", Kind: "rename/rename"}, {Path: "h", Kind: "rename/rename"}}},
		{"we make a file where they make a directory",
			[]gitstore.Change{put("d", "file\n")}, []gitstore.Change{put("d/x", "inside\n")},
			[]gitstore.Conflict{{Path: "d", Kind: "file/directory"}}},
		{"one side makes a link of what the other changed",
			[]gitstore.Change{link}, []gitstore.Change{change("5\n", "five\n")},
			[]gitstore.Conflict{{Path: "f", Kind: "distinct types"}}},
		{"both sides move a submodule to different commits",
			[]gitstore.Change{module(1)}, []gitstore.Change{module(2)},
			[]gitstore.Conflict{{Path: "m", Kind: "submodule"}}},
		{"both sides change a binary file",
			[]gitstore.Change{put("other", "\x00a")}, []gitstore.Change{put("other", "\x00b")},
			[]gitstore.Conflict{{Path: "other", Kind: "content"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBranches(t, base, test.ours, test.theirs)
			before := save(t, b.store)
			tree, conflicts, err := b.store.MergeTrees(b.ours, b.theirs)
			require.NoError(t, err)
			assert.Equal(t, test.want, conflicts)
			assert.True(t, tree.IsZero())
			assert.Equal(t, before, save(t, b.store), "nothing of a failed merge is kept")
			_, mirrored, err := b.store.MergeTrees(b.theirs, b.ours)
			require.NoError(t, err)
			assert.Equal(t, test.want, mirrored, "the other way round")
			if test.want[0].Kind == "submodule" {
				return // Git prints advice in the midst of its records.
			}
			pairs := [][2]gitstore.Hash{{b.ours, b.theirs}, {b.theirs, b.ours}}
			for i, want := range mergesOfGit(t, materialise(t, b.store), pairs) {
				compareMerge(t, b.store, pairs[i], want)
			}
		})
	}
}

func TestMergeTreesJoinsWhatFitsTogether(t *testing.T) {
	const text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	five, nine := strings.Replace(text, "5", "five", 1), strings.Replace(text, "9", "nine", 1)
	both := strings.Replace(five, "9", "nine", 1)
	executable := gitstore.Change{Path: "f", Content: []byte(text), Mode: filemode.Executable}
	for _, test := range []struct {
		name         string
		ours, theirs []gitstore.Change
		want         []gitstore.Change
	}{
		{"changes of different lines", []gitstore.Change{put("f", five)}, []gitstore.Change{put("f", nine)},
			[]gitstore.Change{put("f", both)}},
		{"the same change on both sides", []gitstore.Change{put("f", five)}, []gitstore.Change{put("f", five)},
			[]gitstore.Change{put("f", five)}},
		{"the same new file on both sides", []gitstore.Change{put("n", "n\n")}, []gitstore.Change{put("n", "n\n")},
			[]gitstore.Change{put("f", text), put("n", "n\n")}},
		{"a change of the mode and one of the content", []gitstore.Change{executable}, []gitstore.Change{put("f", nine)},
			[]gitstore.Change{{Path: "f", Content: []byte(nine), Mode: filemode.Executable}}},
		{"a move and a change", []gitstore.Change{remove("f"), put("d/g", five)}, []gitstore.Change{put("f", nine)},
			[]gitstore.Change{put("d/g", both)}},
		{"a change and a move", []gitstore.Change{put("f", nine)}, []gitstore.Change{remove("f"), put("d/g", five)},
			[]gitstore.Change{put("d/g", both)}},
		{"a file that became a directory", []gitstore.Change{remove("f"), put("f/x", "x\n")}, []gitstore.Change{put("n", "n\n")},
			[]gitstore.Change{put("f/x", "x\n"), put("n", "n\n")}},
		{"deletions on both sides", []gitstore.Change{remove("f")}, []gitstore.Change{remove("f"), put("n", "n\n")},
			[]gitstore.Change{put("n", "n\n")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBranches(t, []gitstore.Change{put("f", text)}, test.ours, test.theirs)
			want, err := b.store.WriteTree(gitstore.Hash{}, test.want)
			require.NoError(t, err)
			tree, conflicts, err := b.store.MergeTrees(b.ours, b.theirs)
			require.NoError(t, err)
			assert.Empty(t, conflicts)
			assert.Equal(t, want, tree)
		})
	}
}

// Two branches that merged each other have two merge bases. Taking either one
// alone as the base would give a conflict.
func TestMergeTreesOfACrissCrossMergesTheBases(t *testing.T) {
	const text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	b := newBranches(t, []gitstore.Change{put("f", text)},
		[]gitstore.Change{put("f", strings.Replace(text, "1", "one", 1))},
		[]gitstore.Change{put("f", strings.Replace(text, "9", "nine", 1))})
	merged, conflicts, err := b.store.MergeTrees(b.ours, b.theirs)
	require.NoError(t, err)
	require.Empty(t, conflicts)
	left, right := b.commit(merged, b.ours, b.theirs), b.commit(merged, b.theirs, b.ours)
	change := func(on gitstore.Hash, old, new string) gitstore.Hash {
		e, err := b.store.Entry(on, "f")
		require.NoError(t, err)
		content, err := b.store.Blob(e.Hash)
		require.NoError(t, err)
		tree, err := b.store.WriteTree(on, []gitstore.Change{put("f", strings.Replace(string(content), old, new, 1))})
		require.NoError(t, err)
		return b.commit(tree, on)
	}
	left, right = change(left, "one", "ONE"), change(right, "nine", "NINE")
	tree, conflicts, err := b.store.MergeTrees(left, right)
	require.NoError(t, err)
	assert.Empty(t, conflicts)
	e, err := b.store.Entry(tree, "f")
	require.NoError(t, err)
	content, err := b.store.Blob(e.Hash)
	require.NoError(t, err)
	assert.Equal(t, "ONE\n2\n3\n4\n5\n6\n7\n8\nNINE\n", string(content))
}

func TestMergeTreesOfUnknownCommitsIsNotFound(t *testing.T) {
	b := newBranches(t, []gitstore.Change{put("f", "x\n")}, nil, nil)
	_, _, err := b.store.MergeTrees(b.ours, gitstore.Hash{1})
	assert.ErrorIs(t, err, gitstore.ErrNotFound)
}
