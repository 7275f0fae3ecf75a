package gitstore_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// fixture is a repository of 100 files of 60 lines, with a main branch and one
// that changed two files.
func fixture(tb testing.TB) (w *world, main, topic snapshot) {
	w = newWorld(tb, 1)
	w.plain = true
	f := files{}
	for i := range 100 {
		f[fmt.Sprintf("src/d%d/f%d.go", i%7, i)] = file{w.text(60), 0o100644}
	}
	root := snapshot{w.commit(w.tree(gitstore.Hash{}, nil, f)), f}
	change := func(from snapshot, paths ...string) snapshot {
		after := files{}
		for p, f := range from.files {
			after[p] = f
		}
		for _, p := range paths {
			after[p] = file{w.edit(after[p].content), 0o100644}
		}
		return snapshot{w.commit(w.tree(from.commit, from.files, after), from.commit), after}
	}
	main = change(root, "src/d3/f3.go", "src/d1/f8.go")
	topic = change(root, "src/d5/f5.go", "src/d0/f0.go")
	return w, main, topic
}

func BenchmarkDiffOfTwoFiles(b *testing.B) {
	w, _, topic := fixture(b)
	c, err := w.store.Commit(topic.commit)
	require.NoError(b, err)
	for b.Loop() {
		files, err := w.store.Diff(c.Parents[0], topic.commit)
		require.NoError(b, err)
		require.Len(b, files, 2)
	}
}

func BenchmarkMergeOfSmallBranches(b *testing.B) {
	w, main, topic := fixture(b)
	for b.Loop() {
		_, conflicts, err := w.store.Clone().MergeTrees(main.commit, topic.commit)
		require.NoError(b, err)
		require.Empty(b, conflicts)
	}
}

// large is a repository of about 1,000 objects.
func large(tb testing.TB) *gitstore.Store {
	w := newWorld(tb, 2)
	w.plain = true
	at := w.first()
	for range 330 {
		at = w.next(at)
	}
	require.NoError(tb, w.store.SetRef("refs/heads/main", at.commit))
	return w.store
}

func BenchmarkClone(b *testing.B) {
	s := large(b)
	for b.Loop() {
		s.Clone()
	}
}

func BenchmarkSave(b *testing.B) {
	s := large(b)
	for b.Loop() {
		require.NoError(b, s.Save(io.Discard))
	}
}

func BenchmarkLoad(b *testing.B) {
	var saved bytes.Buffer
	require.NoError(b, large(b).Save(&saved))
	b.ReportMetric(float64(saved.Len()), "bytes")
	for b.Loop() {
		_, err := gitstore.Load(bytes.NewReader(saved.Bytes()))
		require.NoError(b, err)
	}
}

func BenchmarkLogOfAPath(b *testing.B) {
	s := large(b)
	head, _ := s.Ref("refs/heads/main")
	for b.Loop() {
		_, err := s.Log(head, "src", 0)
		require.NoError(b, err)
	}
}

func BenchmarkAheadBehind(b *testing.B) {
	s := large(b)
	head, _ := s.Ref("refs/heads/main")
	for b.Loop() {
		_, _, err := s.AheadBehind(head, head)
		require.NoError(b, err)
	}
}

func BenchmarkCommitOfOneFile(b *testing.B) {
	w, main, _ := fixture(b)
	for b.Loop() {
		s := w.store.Clone()
		tree, err := s.WriteTree(main.commit, []gitstore.Change{{Path: "src/d3/f3.go", Content: []byte("new\n")}})
		require.NoError(b, err)
		_, err = s.WriteCommit(gitstore.CommitSpec{Tree: tree, Parents: []gitstore.Hash{main.commit},
			Author: w.signature("A"), Committer: w.signature("A"), Message: "m"})
		require.NoError(b, err)
	}
}

// A Store as large as a seeded world's: about 200 objects.
func TestAFixtureSizedStoreTakesLessThanAMegabyte(t *testing.T) {
	w, main, topic := fixture(t)
	require.NoError(t, w.store.SetRef("refs/heads/main", main.commit))
	require.NoError(t, w.store.SetRef("refs/heads/topic", topic.commit))
	for i := range 80 {
		_, err := w.store.WriteBlob([]byte(fmt.Sprint(i, w.text(60))))
		require.NoError(t, err)
	}
	saved := save(t, w.store)
	heap := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	s, err := gitstore.Load(bytes.NewReader(saved))
	require.NoError(t, err)
	after := heap()
	t.Logf("%d bytes", int64(after)-int64(before))
	require.Less(t, int64(after)-int64(before), int64(1<<20))
	for _, kept := range []any{s, w, saved} {
		runtime.KeepAlive(kept)
	}
}
