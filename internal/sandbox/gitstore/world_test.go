package gitstore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// world makes random histories: files of code-like lines that are edited,
// added, deleted, moved and made executable, on branches that are merged.
type world struct {
	tb    testing.TB
	rand  *rand.Rand
	store *gitstore.Store
	now   time.Time
	// plain leaves out what is rare: binary files, links, odd names, lines
	// without a newline.
	plain bool
	// ties gives some commits the same time.
	ties   bool
	serial int
}

type file struct {
	content string
	mode    filemode.FileMode
}

// fixedName begins the names of files that are only ever edited. They may lack
// a newline at their end: git before 2.44 left such a last line out when it
// rated the similarity of renamed files.
const fixedName = "fixed"

type files map[string]file

func newWorld(tb testing.TB, seed uint64) *world {
	return &world{
		tb: tb, rand: rand.New(rand.NewPCG(seed, 7)), store: gitstore.New(),
		now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func (w *world) chance(percent int) bool { return w.rand.IntN(100) < percent }

func pick[T any](w *world, list ...T) T { return list[w.rand.IntN(len(list))] }

// line is a line of made-up code; few enough different ones that some repeat.
func (w *world) line() string {
	indent := strings.Repeat("\t", w.rand.IntN(4))
	switch w.rand.IntN(8) {
	case 0:
		return "\n"
	case 1:
		return indent + "}\n"
	case 2:
		return fmt.Sprintf("func f%d() {\n", w.rand.IntN(20))
	case 3:
		return indent + "if err != nil {\n"
	case 4:
		return indent + "return err\n"
	default:
		w.serial++
		return fmt.Sprintf("%sx%d := y%d\n", indent, w.rand.IntN(30), w.rand.IntN(1+w.serial))
	}
}

func (w *world) text(lines int) string {
	var b strings.Builder
	for range lines {
		b.WriteString(w.line())
	}
	return b.String()
}

func (w *world) newFile() file {
	f := file{content: w.text(1 + w.rand.IntN(40)), mode: filemode.Regular}
	if w.plain {
		return f
	}
	switch w.rand.IntN(20) {
	case 0:
		f.content = "\x00\x01" + f.content
	case 1:
		f = file{"target/" + fmt.Sprint(w.rand.IntN(5)), filemode.Symlink}
	case 2:
		f.mode = filemode.Executable
	case 3:
		f.content = ""
	}
	return f
}

func (w *world) path() string {
	dir := pick(w, "", "", "src/", "src/pkg/", "docs/", "a/")
	names := []string{"main.go", "util.go", "README.md", "a", "a.b", "x", "list", "config.yml"}
	if !w.plain {
		names = append(names, "with space.txt", "ünïcode", "quote\"d", "tab\tbed", "back\\slash")
	}
	if !w.plain && w.chance(10) {
		return dir + fixedName + fmt.Sprint(w.rand.IntN(3))
	}
	if w.chance(60) {
		return dir + fmt.Sprintf("f%d.go", w.rand.IntN(30))
	}
	return dir + pick(w, names...)
}

// edit changes a few places of a text.
func (w *world) edit(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + w.rand.IntN(3) {
		at := w.rand.IntN(len(lines) + 1)
		n := min(w.rand.IntN(4), len(lines)-at)
		var added []string
		for range w.rand.IntN(4) {
			added = append(added, w.line())
		}
		if n == 0 && len(added) == 0 {
			added = []string{w.line()}
		}
		if w.chance(20) && at+n <= len(lines) && n > 0 {
			added = slices.Concat(lines[at:at+n], lines[at:at+n])
		}
		lines = slices.Replace(lines, at, at+n, added...)
	}
	return strings.Join(lines, "")
}

// free reports whether a file can be put at path beside the others.
func (f files) free(path string) bool {
	for other := range f {
		if other == path || strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
			return false
		}
	}
	return true
}

// mutate makes a few random changes.
func (w *world) mutate(before files, times int) files {
	after := maps.Clone(before)
	for range times {
		paths := slices.Sorted(maps.Keys(after))
		if len(paths) < 3 || w.chance(20) {
			if p := w.path(); after.free(p) {
				after[p] = w.newFile()
				if strings.Contains(p, fixedName) {
					after[p] = file{strings.TrimSuffix(w.text(10), "\n"), filemode.Regular}
				}
			}
			continue
		}
		p := pick(w, paths...)
		f := after[p]
		switch k := w.rand.IntN(20); {
		case k < 12 || strings.Contains(p, fixedName):
			if f.mode == filemode.Symlink {
				f.content += "x"
			} else {
				f.content = w.edit(f.content)
			}
			after[p] = f
		case k < 14:
			delete(after, p)
		case k < 18:
			delete(after, p)
			if to := w.path(); after.free(to) && !strings.Contains(to, fixedName) {
				if w.chance(50) && f.mode != filemode.Symlink {
					f.content = w.edit(f.content)
				}
				after[to] = f
			}
		case k == 18 && f.mode == filemode.Regular:
			f.mode = filemode.Executable
			after[p] = f
		case k == 19 && !w.plain:
			after[p] = w.newFile()
		}
	}
	return after
}

// tree writes files as changes of the tree they came from.
func (w *world) tree(base gitstore.Hash, before, after files) gitstore.Hash {
	w.tb.Helper()
	var changes []gitstore.Change
	for p := range before {
		if _, kept := after[p]; !kept {
			changes = append(changes, gitstore.Change{Path: p, Delete: true})
		}
	}
	for p, f := range after {
		if f != before[p] {
			changes = append(changes, gitstore.Change{Path: p, Content: []byte(f.content), Mode: f.mode})
		}
	}
	h, err := w.store.WriteTree(base, changes)
	require.NoError(w.tb, err)
	return h
}

func (w *world) signature(name string) gitstore.Signature {
	return gitstore.Signature{Name: name, Email: strings.ToLower(name) + "@example.com", When: w.now}
}

func (w *world) commit(tree gitstore.Hash, parents ...gitstore.Hash) gitstore.Hash {
	w.tb.Helper()
	if !w.ties || w.chance(60) {
		w.now = w.now.Add(time.Minute)
	}
	w.serial++
	h, err := w.store.WriteCommit(gitstore.CommitSpec{
		Tree: tree, Parents: parents,
		Author: w.signature("Alice"), Committer: w.signature("Carol"),
		Message: fmt.Sprintf("change %d\n", w.serial),
	})
	require.NoError(w.tb, err)
	return h
}

// snapshot is a commit with the files in it.
type snapshot struct {
	commit gitstore.Hash
	files  files
}

func (w *world) first() snapshot {
	f := w.mutate(files{}, 12)
	return snapshot{w.commit(w.tree(gitstore.Hash{}, nil, f)), f}
}

func (w *world) next(from snapshot) snapshot {
	f := w.mutate(from.files, 1+w.rand.IntN(4))
	return snapshot{w.commit(w.tree(from.commit, from.files, f), from.commit), f}
}

// merge joins two snapshots with the files of the first and a few changes.
func (w *world) merge(a, b snapshot) snapshot {
	f := w.mutate(a.files, w.rand.IntN(2))
	if w.chance(30) {
		f = maps.Clone(b.files)
	}
	return snapshot{w.commit(w.tree(gitstore.Hash{}, nil, f), a.commit, b.commit), f}
}

// history makes that many commits on several branches, all of them kept by
// references refs/keep/0, 1 and so on.
func (w *world) history(commits int) []snapshot {
	w.tb.Helper()
	all := []snapshot{w.first()}
	tips := []snapshot{all[0], all[0]}
	for len(all) < commits {
		k := w.rand.IntN(len(tips))
		switch {
		case w.chance(15):
			other := pick(w, tips...)
			if other.commit == tips[k].commit {
				continue
			}
			tips[k] = w.merge(tips[k], other)
		case w.chance(8):
			// Both merge each other: a criss-cross.
			a, b := tips[0], tips[1]
			if a.commit == b.commit {
				continue
			}
			tips[0], tips[1] = w.merge(a, b), w.merge(b, a)
			all = append(all, tips...)
			continue
		case w.chance(10):
			tips[k] = pick(w, all...)
			continue
		default:
			tips[k] = w.next(tips[k])
		}
		all = append(all, tips[k])
	}
	for i, s := range all {
		require.NoError(w.tb, w.store.SetRef(fmt.Sprintf("refs/keep/%d", i), s.commit))
	}
	return all
}
