package gitstore_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// binaryContent is the content of a binary file in a patch. Compressors differ,
// so that it is compared by applying it.
var binaryContent = regexp.MustCompile(`(?m)^(literal|delta) \d+\n([A-Za-z].*\n)+\n`)

func patch(tb testing.TB, s *gitstore.Store, base, head gitstore.Hash) string {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, s.WritePatch(&b, base, head))
	return b.String()
}

func comparePatch(t *testing.T, s *gitstore.Store, g *realGit, base, head gitstore.Hash) {
	t.Helper()
	want := g.run(nil, "format-patch", "--stdout", "--no-signature", "--abbrev=7", base.String()+".."+head.String())
	sameText(t, binaryContent.ReplaceAllString(want, "…\n"), binaryContent.ReplaceAllString(patch(t, s, base, head), "…\n"),
		base, "..", head)
}

func TestWritePatchIsGitFormatPatch(t *testing.T) {
	eachHistory(t, func(*world) {}, func(t *testing.T, w *world, all []snapshot, g *realGit) {
		for range 10 {
			comparePatch(t, w.store, g, pick(w, all...).commit, pick(w, all...).commit)
		}
	})
}

func TestWritePatchWritesMailHeadersAsGitDoes(t *testing.T) {
	long := strings.Repeat("many words ", 20)
	for _, test := range []struct{ name, author, message string }{
		{"a plain subject without a body", "Alice", "fix it"},
		{"a body after blank lines, with space at line ends", "Alice", "\n\nfix it  \n\n\nbecause  \n\nof this \n\n\n"},
		{"a subject of several lines", "Alice", "fix\nit\nnow\n\nbody\n"},
		{"a subject that must be folded", "Alice", long},
		{"a word that is longer than a line", "Alice", strings.Repeat("x", 100) + " " + strings.Repeat("y", 100)},
		{"a subject that is not ASCII", "Alice", "größer = schöner? ja_nein\n"},
		{"a long subject that is not ASCII", "Alice", strings.Repeat("ünïcödé wörds 漢字 ", 12)},
		{"a body that is not ASCII", "Alice", "plain\n\nschön\n"},
		{"a subject that looks like an encoded word", "Alice", "=?UTF-8?q?x?="},
		{"a name with special characters", "Alice B. (the \"first\")", "m"},
		{"a name that is not ASCII", "Ålice Öberg", "m"},
		{"a name that is not ASCII and has special characters", "Ålice (Ö) = x", "m"},
		{"a long name", strings.Repeat("Alice ", 14) + "A", "m"},
		{"no message at all", "Alice", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, 1)
			w.plain = true
			root := w.first()
			next := w.mutate(root.files, 2)
			author := w.signature("Alice")
			author.Name = test.author
			h, err := w.store.WriteCommit(gitstore.CommitSpec{
				Tree: w.tree(root.commit, root.files, next), Parents: []gitstore.Hash{root.commit},
				Author: author, Committer: author, Message: test.message,
			})
			require.NoError(t, err)
			comparePatch(t, w.store, materialise(t, w.store), root.commit, h)
		})
	}
}

// The overview has columns that shrink when names are long or changes many.
func TestWritePatchScalesTheOverviewAsGitDoes(t *testing.T) {
	w := newWorld(t, 3)
	deep := strings.Repeat("directory/", 9)
	before := tree(t, w.store, map[string]string{
		deep + "old/name.go": w.text(200), "small": w.text(3), "gone": w.text(400), "bin": "\x00" + w.text(1000),
		"a/b/c": "1\n2\n3\n", "x/y": "4\n5\n6\n", "quote\"d": "7\n8\n9\n",
	})
	e, err := w.store.Entry(before, deep+"old/name.go")
	require.NoError(t, err)
	content, err := w.store.Blob(e.Hash)
	require.NoError(t, err)
	after := tree(t, w.store, map[string]string{
		deep + "new/name.go": w.edit(string(content)), "small": w.text(4), "many": w.text(900), "bin": "\x00",
		"a/b/b/c": "1\n2\n3\n", "y/x/y": "4\n5\n6\n", "plain": "7\n8\n9\n",
	})
	base := w.commit(before)
	head := w.commit(after, base)
	comparePatch(t, w.store, materialise(t, w.store), base, head)
}

func TestWritePatchIsGitFormatPatchForRareChanges(t *testing.T) {
	s, before, after := rareChanges(t)
	w := newWorld(t, 1)
	w.store = s
	base := w.commit(before)
	there := w.commit(after, base)
	back := w.commit(before, there)
	comparePatch(t, s, materialise(t, s), base, back)
}

func TestWritePatchAppliesWithBinaryFiles(t *testing.T) {
	w := newWorld(t, 1)
	before := tree(t, w.store, map[string]string{"bin": "\x00" + w.text(300), "gone": "\x00x", "text": "a\n"})
	after := tree(t, w.store, map[string]string{"bin": "\x00" + w.text(299), "new": "\x00", "text": "b\n"})
	base := w.commit(before)
	head := w.commit(after, base)
	g := materialise(t, w.store)
	g.env = append(g.env, "GIT_INDEX_FILE="+filepath.Join(t.TempDir(), "index"))
	g.run(nil, "read-tree", before.String())
	g.run(bytes.NewBufferString(patch(t, w.store, base, head)), "apply", "--cached")
	assert.Equal(t, []string{after.String()}, g.words("write-tree"))
}

// The same for machines without git.
func TestWritePatchWritesMails(t *testing.T) {
	w := newWorld(t, 1)
	base := w.commit(tree(t, w.store, map[string]string{"f": "1\n2\n"}))
	var head gitstore.Hash
	for i, content := range []string{"1\n2\n3\n", "1\n3\n"} {
		parent := base
		if i > 0 {
			parent = head
		}
		var err error
		head, err = w.store.WriteCommit(gitstore.CommitSpec{
			Tree: tree(t, w.store, map[string]string{"f": content}), Parents: []gitstore.Hash{parent},
			Author: w.signature("Alice"), Committer: w.signature("Alice"), Message: "step\n\nwhy\n",
		})
		require.NoError(t, err)
		w.now = w.now.AddDate(0, 0, 1)
	}
	c, err := w.store.Commit(head)
	require.NoError(t, err)
	assert.Equal(t, `From `+c.Parents[0].String()+` Mon Sep 17 00:00:00 2001
From: Alice <alice@example.com>
Date: Fri, 2 Jan 2026 03:05:05 +0000
Subject: [PATCH 1/2] step

why
---
 f | 1 +
 1 file changed, 1 insertion(+)

diff --git a/f b/f
index 1191247..01e79c3 100644
--- a/f
+++ b/f
@@ -1,2 +1,3 @@
 1
 2
+3

From `+head.String()+` Mon Sep 17 00:00:00 2001
From: Alice <alice@example.com>
Date: Sat, 3 Jan 2026 03:05:05 +0000
Subject: [PATCH 2/2] step

why
---
 f | 1 -
 1 file changed, 1 deletion(-)

diff --git a/f b/f
index 01e79c3..2b2f2e1 100644
--- a/f
+++ b/f
@@ -1,3 +1,2 @@
 1
-2
 3
`, patch(t, w.store, base, head))
}
