package gitstore_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// tree stores files as a tree of their own.
func tree(tb testing.TB, s *gitstore.Store, files map[string]string) gitstore.Hash {
	tb.Helper()
	var changes []gitstore.Change
	for path, content := range files {
		changes = append(changes, gitstore.Change{Path: path, Content: []byte(content)})
	}
	h, err := s.WriteTree(gitstore.Hash{}, changes)
	require.NoError(tb, err)
	return h
}

func diff(tb testing.TB, s *gitstore.Store, base, head gitstore.Hash) []gitstore.FileDiff {
	tb.Helper()
	files, err := s.Diff(base, head)
	require.NoError(tb, err)
	return files
}

func diffText(tb testing.TB, s *gitstore.Store, base, head gitstore.Hash) string {
	tb.Helper()
	var out bytes.Buffer
	require.NoError(tb, gitstore.WriteDiff(&out, diff(tb, s, base, head)))
	return out.String()
}

func treeOf(tb testing.TB, s *gitstore.Store, commit gitstore.Hash) gitstore.Hash {
	tb.Helper()
	c, err := s.Commit(commit)
	require.NoError(tb, err)
	return c.Tree
}

// compareDiffs compares the diffs of pairs of trees with git's, in one run of
// git.
func compareDiffs(t *testing.T, s *gitstore.Store, g *realGit, pairs [][2]gitstore.Hash) {
	t.Helper()
	var stdin bytes.Buffer
	var ours strings.Builder
	for _, p := range pairs {
		if p[0] != p[1] {
			fmt.Fprintf(&stdin, "%s %s\n", p[0], p[1])
			fmt.Fprintf(&ours, "%s %s\n%s", p[0], p[1], diffText(t, s, p[0], p[1]))
		}
	}
	// These options are git diff's defaults, which diff-tree does not have.
	theirs := g.run(&stdin, "diff-tree", "--stdin", "-r", "-p", "-M", "--abbrev=7", "--indent-heuristic")
	sameText(t, theirs, ours.String(), "diff")
}

func TestDiffIsGitDiffForRandomHistories(t *testing.T) {
	eachHistory(t, func(*world) {}, func(t *testing.T, w *world, all []snapshot, g *realGit) {
		var pairs [][2]gitstore.Hash
		for range 60 {
			a, b := pick(w, all...), pick(w, all...)
			pairs = append(pairs, [2]gitstore.Hash{treeOf(t, w.store, a.commit), treeOf(t, w.store, b.commit)})
		}
		compareDiffs(t, w.store, g, pairs)
	})
}

// Large, heavily edited files reach the shortcuts that keep a comparison from
// taking quadratic time.
func TestDiffIsGitDiffForLargeFiles(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+*rounds; seed++ {
		w := newWorld(t, seed)
		var pairs [][2]gitstore.Hash
		for _, edits := range []int{20, 200, 1000} {
			before := w.text(3000)
			after := before
			for range edits {
				after = w.edit(after)
			}
			pairs = append(pairs, [2]gitstore.Hash{
				tree(t, w.store, map[string]string{"large": before}),
				tree(t, w.store, map[string]string{"large": after}),
			})
		}
		unrelated := [2]gitstore.Hash{
			tree(t, w.store, map[string]string{"large": w.text(2000)}),
			tree(t, w.store, map[string]string{"large": w.text(2000)}),
		}
		compareDiffs(t, w.store, materialise(t, w.store), append(pairs, unrelated))
	}
}

func TestDiffIsGitDiffForRareTexts(t *testing.T) {
	s := gitstore.New()
	w := newWorld(t, 1)
	blank, deep := strings.Repeat("\n", 30), strings.Repeat("\t", 30)
	long := "func " + strings.Repeat("ö", 60) + "() {\n" + strings.Repeat("\t1\n", 5)
	var many []string
	for range 1000 {
		many = append(many, w.text(40))
	}
	backwards := strings.SplitAfter(strings.Join(many[900:915], ""), "\n")
	slices.Reverse(backwards)
	blocks := many[:40]
	moved := slices.Clone(blocks)
	w.rand.Shuffle(len(moved), func(i, j int) { moved[i], moved[j] = moved[j], moved[i] })
	var pairs [][2]gitstore.Hash
	for _, texts := range [][2]string{
		{"a\n" + blank + "b\n", "a\n" + blank + "b\n" + blank + "b\n"},
		{"\tx\n" + blank + blank + "\ty\n", "\tx\n" + blank + "\tx\n" + blank + "\ty\n"},
		{deep + "a\n" + deep + "b\n", deep + "a\n" + deep + "b\n" + deep + "a\n" + deep + "b\n"},
		{"a\r\nb\r\n", "a\r\nb\n"},
		{"\f\v \na\n", "\f\v \n\f\v \na\n"},
		{long + "old\n", long + "new\n"},
		{"_x:  \t\n 1\n 2\n 3\n 4\n", "_x:  \t\n 1\n 2\n 3\n 5\n"},
		{"", "a"}, {"a", "a\n"}, {"a\nb", "a\nb\nc"},
		{"if {\n}\n", "if {\n} else {\n}\nif {\n}\n"},
		{strings.Join(blocks, ""), strings.Join(moved, "")},
		// Here the search is costly, and finds a very long run of equal lines
		// from either side.
		{strings.Join(many, ""), strings.Join(slices.Concat(many[8:900], backwards, many[:8]), "")},
		{strings.Join(many, ""), strings.Join(slices.Concat(many[992:], backwards, many[100:992]), "")},
	} {
		pairs = append(pairs, [2]gitstore.Hash{
			tree(t, s, map[string]string{"f": texts[0]}), tree(t, s, map[string]string{"f": texts[1]}),
		})
	}
	compareDiffs(t, s, materialise(t, s), pairs)
}

func TestDiffAppliesWithGitApply(t *testing.T) {
	eachHistory(t, func(w *world) { w.plain = true }, func(t *testing.T, w *world, all []snapshot, g *realGit) {
		g.env = append(g.env, "GIT_INDEX_FILE="+filepath.Join(t.TempDir(), "index"))
		for range 8 {
			from, to := treeOf(t, w.store, pick(w, all...).commit), treeOf(t, w.store, pick(w, all...).commit)
			if from == to {
				continue
			}
			g.run(nil, "read-tree", from.String())
			g.run(bytes.NewBufferString(diffText(t, w.store, from, to)), "apply", "--cached")
			assert.Equal(t, []string{to.String()}, g.words("write-tree"))
		}
	})
}

func TestDiffTellsWhatBecameOfEachFile(t *testing.T) {
	s := gitstore.New()
	long := strings.Repeat("the same line\n", 10)
	base := tree(t, s, map[string]string{
		"changed": "one\ntwo\nthree\n", "gone": "x\n", "binary": "\x00a", "old/name": long + "end\n", "moved": long,
	})
	head := tree(t, s, map[string]string{
		"changed": "one\n2\nthree", "new.txt": "y\n", "binary": "\x00b", "new/name": long + "END\n", "elsewhere": long,
	})
	type row struct {
		path, previous, status string
		similarity, add, del   int
		binary                 bool
		patch                  string
	}
	var got []row
	for _, f := range diff(t, s, base, head) {
		got = append(got, row{f.Path, f.PreviousPath, f.Status, f.Similarity, f.Additions, f.Deletions, f.Binary, f.Patch})
	}
	assert.Equal(t, []row{
		{"binary", "", "modified", 0, 0, 0, true, ""},
		{"changed", "", "modified", 0, 2, 2, false,
			"@@ -1,3 +1,3 @@\n one\n-two\n-three\n+2\n+three\n\\ No newline at end of file"},
		{"elsewhere", "moved", "renamed", 100, 0, 0, false, ""},
		{"gone", "", "removed", 0, 0, 1, false, "@@ -1 +0,0 @@\n-x"},
		{"new.txt", "", "added", 0, 1, 0, false, "@@ -0,0 +1 @@\n+y"},
		{"new/name", "old/name", "renamed", 97, 1, 1, false,
			"@@ -8,4 +8,4 @@ the same line\n the same line\n the same line\n the same line\n-end\n+END"},
	}, got)
}

func TestDiffNumbersLines(t *testing.T) {
	s := gitstore.New()
	base := tree(t, s, map[string]string{"f": "func a() {\n\t1\n\t2\n\t3\n\t4\n\told\n}\n"})
	head := tree(t, s, map[string]string{"f": "func a() {\n\t1\n\t2\n\t3\n\t4\n\tnew\n\tmore\n}"})
	files := diff(t, s, base, head)
	require.Len(t, files, 1)
	assert.Equal(t, []gitstore.Hunk{{
		OldStart: 3, OldLines: 5, NewStart: 3, NewLines: 6, Section: "func a() {",
		Lines: []gitstore.Line{
			{Kind: ' ', Old: 3, New: 3, Text: "\t2"},
			{Kind: ' ', Old: 4, New: 4, Text: "\t3"},
			{Kind: ' ', Old: 5, New: 5, Text: "\t4"},
			{Kind: '-', Old: 6, Text: "\told"},
			{Kind: '-', Old: 7, Text: "}"},
			{Kind: '+', New: 6, Text: "\tnew"},
			{Kind: '+', New: 7, Text: "\tmore"},
			{Kind: '+', New: 8, Text: "}", NoNewline: true},
		},
	}}, files[0].Hunks)
}

// rareChanges returns two trees with each kind of header between them.
func rareChanges(t *testing.T) (s *gitstore.Store, base, head gitstore.Hash) {
	t.Helper()
	s = gitstore.New()
	base, err := s.WriteTree(gitstore.Hash{}, []gitstore.Change{
		{Path: "run.sh", Content: []byte("echo\n")},
		{Path: "with space", Content: []byte("a\n")},
		{Path: "link", Content: []byte("target"), Mode: filemode.Symlink},
		{Path: "empty", Content: []byte{}},
	})
	require.NoError(t, err)
	head, err = s.WriteTree(base, []gitstore.Change{
		{Path: "run.sh", Content: []byte("echo\n"), Mode: filemode.Executable},
		{Path: "with space", Content: []byte("b\n")},
		{Path: "link", Content: []byte("now a file\n")},
		{Path: "empty", Delete: true},
		{Path: "vendor/lib", Mode: filemode.Submodule, Blob: base},
		{Path: "tab\tö", Content: []byte("\x00")},
	})
	require.NoError(t, err)
	return s, base, head
}

func TestWriteDiffIsGitDiffForRareChanges(t *testing.T) {
	s, base, head := rareChanges(t)
	compareDiffs(t, s, materialise(t, s), [][2]gitstore.Hash{{base, head}, {head, base}})
}

// The same for machines without git.
func TestWriteDiffWritesGitsFormat(t *testing.T) {
	s, base, head := rareChanges(t)
	assert.Equal(t, `diff --git a/empty b/empty
deleted file mode 100644
index e69de29..0000000
diff --git a/link b/link
deleted file mode 120000
index 1de5659..0000000
--- a/link
+++ /dev/null
@@ -1 +0,0 @@
-target
\ No newline at end of file
diff --git a/link b/link
new file mode 100644
index 0000000..3f899ea
--- /dev/null
+++ b/link
@@ -0,0 +1 @@
+now a file
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git "a/tab\t\303\266" "b/tab\t\303\266"
new file mode 100644
index 0000000..f76dd23
Binary files /dev/null and "b/tab\t\303\266" differ
diff --git a/vendor/lib b/vendor/lib
new file mode 160000
index 0000000..79d64bf
--- /dev/null
+++ b/vendor/lib
@@ -0,0 +1 @@
+Subproject commit `+base.String()+`
diff --git a/with space b/with space
index 7898192..6178079 100644
--- a/with space`+"\t"+`
+++ b/with space`+"\t"+`
@@ -1 +1 @@
-a
+b
`, diffText(t, s, base, head))
}

func TestDiffOfAFileOverTheLimitIsBinary(t *testing.T) {
	s := gitstore.New()
	huge := tree(t, s, map[string]string{"f": strings.Repeat("x\n", gitstore.MaxDiffSize/2+1)})
	small := tree(t, s, map[string]string{"f": "x\n"})
	files := diff(t, s, small, huge)
	require.Len(t, files, 1)
	assert.True(t, files[0].Binary)
}

// Worst cases for the two algorithms must not take seconds.
func TestDiffOfHostileFilesIsQuick(t *testing.T) {
	s := gitstore.New()
	w := newWorld(t, 1)
	lines := make([]string, 20000)
	for i := range lines {
		lines[i] = fmt.Sprintf("%d\n", w.rand.IntN(40))
	}
	a := strings.Join(lines, "")
	slices.Reverse(lines)
	b := strings.Join(lines, "")
	for range 300 {
		b = w.edit(b)
	}
	files := diff(t, s, tree(t, s, map[string]string{"f": a}), tree(t, s, map[string]string{"f": b}))
	require.Len(t, files, 1)
	assert.NotZero(t, files[0].Additions)
}
