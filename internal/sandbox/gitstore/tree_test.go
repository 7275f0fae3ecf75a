package gitstore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

func TestTreeListsWhatGitLists(t *testing.T) {
	eachHistory(t, func(*world) {}, func(t *testing.T, w *world, all []snapshot, g *realGit) {
		head := all[len(all)-1].commit
		for _, options := range [][]string{nil, {"-r", "-t"}} {
			list, err := w.store.Tree(head, options != nil)
			require.NoError(t, err)
			var ours strings.Builder
			for _, e := range list {
				size := "-"
				if e.Type == "blob" {
					size = fmt.Sprint(e.Size)
				}
				fmt.Fprintf(&ours, "%06o %s %s %7s\t%s\x00", uint32(e.Mode), e.Type, e.Hash, size, e.Path)
			}
			assert.Equal(t, g.run(nil, append(append([]string{"ls-tree", "-z", "-l"}, options...), head.String())...), ours.String())
		}
	})
}

// paths returns the files below a tree.
func paths(tb testing.TB, s *gitstore.Store, tree gitstore.Hash) []string {
	tb.Helper()
	list, err := s.Tree(tree, true)
	require.NoError(tb, err)
	found := []string{}
	for _, e := range list {
		if e.Type != "tree" {
			found = append(found, e.Path)
		}
	}
	return found
}

func TestEntryFindsFilesAndDirectories(t *testing.T) {
	s := gitstore.New()
	root := tree(t, s, map[string]string{"src/pkg/f.go": "package pkg\n", "README": "hi"})

	e, err := s.Entry(root, "src/pkg/f.go")
	require.NoError(t, err)
	assert.Equal(t, "src/pkg/f.go", e.Path)
	assert.Equal(t, "f.go", e.Name)
	assert.Equal(t, "blob", e.Type)
	assert.Equal(t, filemode.Regular, e.Mode)
	assert.EqualValues(t, 12, e.Size)

	e, err = s.Entry(root, "src")
	require.NoError(t, err)
	assert.Equal(t, "tree", e.Type)

	e, err = s.Entry(root, "")
	require.NoError(t, err)
	assert.Equal(t, root, e.Hash)

	for _, path := range []string{"no", "src/no", "README/below", "src/", "/src", "src//pkg", "../x"} {
		_, err = s.Entry(root, path)
		assert.ErrorIs(t, err, gitstore.ErrNotFound, path)
	}
}

func TestWriteTreeEdits(t *testing.T) {
	s := gitstore.New()
	base := tree(t, s, map[string]string{"a": "1", "d/x": "1", "d/y": "1", "e/deep/z": "1"})
	sub, err := s.Entry(base, "d")
	require.NoError(t, err)
	for _, test := range []struct {
		name    string
		changes []gitstore.Change
		want    []string
	}{
		{"nothing", nil, []string{"a", "d/x", "d/y", "e/deep/z"}},
		{"a new file in new directories", []gitstore.Change{put("n/m/f", "")}, []string{"a", "d/x", "d/y", "e/deep/z", "n/m/f"}},
		{"a directory that loses its last file", []gitstore.Change{remove("e/deep/z")}, []string{"a", "d/x", "d/y"}},
		{"a deleted directory", []gitstore.Change{remove("d")}, []string{"a", "e/deep/z"}},
		{"a directory in the place of a file, in any order", []gitstore.Change{put("a/b", ""), remove("a")},
			[]string{"a/b", "d/x", "d/y", "e/deep/z"}},
		{"a file in the place of a directory", []gitstore.Change{put("d", ""), remove("d")}, []string{"a", "d", "e/deep/z"}},
		{"a directory given by its tree", []gitstore.Change{{Path: "copy", Mode: filemode.Dir, Blob: sub.Hash}},
			[]string{"a", "copy/x", "copy/y", "d/x", "d/y", "e/deep/z"}},
		{"a directory replaced by a tree", []gitstore.Change{{Path: "e", Mode: filemode.Dir, Blob: sub.Hash}},
			[]string{"a", "d/x", "d/y", "e/x", "e/y"}},
		{"everything deleted", []gitstore.Change{remove("a"), remove("d"), remove("e")}, []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, err := s.WriteTree(base, test.changes)
			require.NoError(t, err)
			assert.Equal(t, test.want, paths(t, s, h))
		})
	}
}

func TestWriteTreeTakesTheLastOfTwoContents(t *testing.T) {
	s := gitstore.New()
	h, err := s.WriteTree(gitstore.Hash{}, []gitstore.Change{put("f", "1"), put("f", "2")})
	require.NoError(t, err)
	assert.Equal(t, tree(t, s, map[string]string{"f": "2"}), h)
}

func TestWriteTreeRefuses(t *testing.T) {
	s := gitstore.New()
	base := tree(t, s, map[string]string{"a": "1", "d/x": "1"})
	blob, err := s.WriteBlob(nil)
	require.NoError(t, err)
	for name, c := range map[string]gitstore.Change{
		"a file below a file":             put("a/b", ""),
		"a file over a directory":         put("d", ""),
		"a directory over a file":         {Path: "a", Mode: filemode.Dir, Blob: base},
		"an unknown blob":                 {Path: "f", Blob: gitstore.Hash{1}},
		"no content at all":               {Path: "f"},
		"a tree as a file":                {Path: "f", Blob: base},
		"a blob as a directory":           {Path: "f", Mode: filemode.Dir, Blob: blob},
		"content for a directory":         {Path: "f", Mode: filemode.Dir, Content: []byte{}},
		"a submodule without a commit":    {Path: "f", Mode: filemode.Submodule},
		"a mode that git does not have":   {Path: "f", Mode: 0o100600, Content: []byte{}},
		"git's old group-writable mode":   {Path: "f", Mode: filemode.Deprecated, Content: []byte{}},
		"deleting what is not there":      remove("no"),
		"deleting below a file":           remove("a/b"),
		"an absolute path":                put("/a", ""),
		"an empty path":                   put("", ""),
		"an empty segment":                put("x//y", ""),
		"a slash at the end":              put("x/", ""),
		"a dot":                           put("./x", ""),
		"a way out":                       put("x/../../y", ""),
		"git's directory":                 put(".git/config", ""),
		"git's directory, spelled .GIT":   put("x/.GIT/config", ""),
		"git's directory as NTFS sees it": put("git~1", ""),
		"git's directory with a stream":   put(".git::$INDEX_ALLOCATION/x", ""),
		"a NUL":                           put("a\x00b", ""),
		"a path that is too long":         put(strings.Repeat("x", gitstore.MaxPathLength+1), ""),
		"a path that is too deep":         put(strings.Repeat("x/", gitstore.MaxPathDepth)+"x", ""),
	} {
		_, err := s.WriteTree(base, []gitstore.Change{c})
		require.Error(t, err, name)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
	_, err = s.WriteTree(base, []gitstore.Change{remove("no")})
	assert.ErrorIs(t, err, gitstore.ErrNotFound)
}

// A few small trees can name each other so often that no listing of them ends.
func TestWriteTreeRefusesATreeBomb(t *testing.T) {
	s := gitstore.New()
	level := tree(t, s, map[string]string{"f": ""})
	for {
		var changes []gitstore.Change
		for i := range 20 {
			changes = append(changes, gitstore.Change{Path: fmt.Sprint(i), Mode: filemode.Dir, Blob: level})
		}
		next, err := s.WriteTree(gitstore.Hash{}, changes)
		if err != nil {
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			break
		}
		level = next
	}
	list, err := s.Tree(level, true)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(list), gitstore.MaxTreeEntries)
}

func TestWriteTreeRefusesDepthByNestedTrees(t *testing.T) {
	s := gitstore.New()
	level := tree(t, s, map[string]string{"f": ""})
	var err error
	for depth := 1; err == nil; depth++ {
		require.LessOrEqual(t, depth, gitstore.MaxPathDepth)
		level, err = s.WriteTree(gitstore.Hash{}, []gitstore.Change{{Path: "d", Mode: filemode.Dir, Blob: level}})
	}
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}
