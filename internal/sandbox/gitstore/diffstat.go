package gitstore

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/filemode"
)

const (
	// statWidth is the width of the overview of changes in a mail.
	statWidth = 72
	// minGraphWidth is the least width of the graph of added and removed lines.
	minGraphWidth = 6
	// minStatNames is the least width of the names and the graph together.
	minStatNames = 16
	// statSeparators is the width of what stands between the columns.
	statSeparators = 6
	ellipsis       = "..."
)

// stat is one file's line in the overview of changes.
type stat struct {
	name           string
	added, removed int
	// binary says that added and removed are sizes in bytes.
	binary bool
}

// writeStat writes what git diff --stat --summary prints.
func (s *Store) writeStat(b *bytes.Buffer, files []FileDiff) {
	stats := s.stats(files)
	layout := newStatLayout(stats)
	var added, removed int
	for _, t := range stats {
		layout.write(b, t)
		if !t.binary {
			added, removed = added+t.added, removed+t.removed
		}
	}
	b.WriteString(" " + count(len(stats), "file") + " changed")
	if added > 0 || removed == 0 {
		b.WriteString(", " + count(added, "insertion") + "(+)")
	}
	if removed > 0 || added == 0 {
		b.WriteString(", " + count(removed, "deletion") + "(-)")
	}
	b.WriteByte('\n')
	writeSummary(b, files)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// retyped reports whether files[i] and the next are one file that became a
// symbolic link, or the other way round.
func retyped(files []FileDiff, i int) bool {
	return i+1 < len(files) && files[i].Path == files[i+1].Path
}

func (s *Store) stats(files []FileDiff) []stat {
	var list []stat
	for i := 0; i < len(files); i++ {
		f := files[i]
		t := stat{name: statName(f), added: f.Additions, removed: f.Deletions}
		old, new := f.OldBlob, f.NewBlob
		if retyped(files, i) {
			i++
			t.added, new = files[i].Additions, files[i].NewBlob
		}
		before, after := s.blobText(old), s.blobText(new)
		if isBinary(before) || isBinary(after) {
			t.binary = true
			if old != new {
				t.removed, t.added = len(before), len(after)
			}
		}
		list = append(list, t)
	}
	return list
}

// statName returns a file's name, for a renamed one as dir/{old => new}/rest.
func statName(f FileDiff) string {
	if f.Status != StatusRenamed {
		return quotePath(f.Path)
	}
	old, new := f.PreviousPath, f.Path
	if quotePath(old) != old || quotePath(new) != new {
		return quotePath(old) + " => " + quotePath(new)
	}
	n := 0
	for i := 0; i < min(len(old), len(new)) && old[i] == new[i]; i++ {
		if old[i] == '/' {
			n = i + 1
		}
	}
	prefix := old[:n]
	// The slash at the end of the prefix may begin the suffix as well.
	a, b := old[max(0, n-1):], new[max(0, n-1):]
	m := 0
	for i := 1; i <= min(len(a), len(b)) && a[len(a)-i] == b[len(b)-i]; i++ {
		if a[len(a)-i] == '/' {
			m = i
		}
	}
	suffix := old[len(old)-m:]
	if prefix == "" && suffix == "" {
		return old + " => " + new
	}
	middle := func(path string) string { return path[n:max(n, len(path)-m)] }
	return prefix + "{" + middle(old) + " => " + middle(new) + "}" + suffix
}

// statLayout is the widths of the overview's columns.
type statLayout struct {
	names, numbers, graph int
	// most is the greatest number of changed lines of a file.
	most int
}

func newStatLayout(stats []stat) statLayout {
	var l statLayout
	bytesWidth := 0
	for _, t := range stats {
		l.names = max(l.names, len(t.name))
		if t.binary {
			l.numbers = max(l.numbers, len("Bin"))
			bytesWidth = max(bytesWidth, len(fmt.Sprintf("Bin %d -> %d bytes", t.removed, t.added)))
			continue
		}
		l.most = max(l.most, t.added+t.removed)
	}
	l.numbers = max(l.numbers, len(fmt.Sprint(l.most)))
	width := max(statWidth, minStatNames+minGraphWidth+l.numbers)
	l.graph = max(l.most, bytesWidth-len("Bin "))
	fixed := l.numbers + statSeparators
	if l.names+fixed+l.graph > width {
		l.graph = min(l.graph, max(width*3/8-fixed, minGraphWidth))
		if l.names > width-fixed-l.graph {
			l.names = width - fixed - l.graph
		} else {
			l.graph = width - fixed - l.names
		}
	}
	return l
}

func (l statLayout) write(b *bytes.Buffer, t stat) {
	fmt.Fprintf(b, " %-*s | ", l.names, l.shorten(t.name))
	if t.binary {
		fmt.Fprintf(b, "%*s", l.numbers, "Bin")
		if t.added+t.removed > 0 {
			fmt.Fprintf(b, " %d -> %d bytes", t.removed, t.added)
		}
		b.WriteByte('\n')
		return
	}
	fmt.Fprintf(b, "%*d", l.numbers, t.added+t.removed)
	if t.added+t.removed > 0 {
		added, removed := l.bars(t.added, t.removed)
		b.WriteString(" " + strings.Repeat("+", added) + strings.Repeat("-", removed))
	}
	b.WriteByte('\n')
}

// shorten cuts a name at the front, at a slash if there is one.
func (l statLayout) shorten(name string) string {
	if len(name) <= l.names {
		return name
	}
	name = name[len(name)-(l.names-len(ellipsis)):]
	if slash := strings.IndexByte(name, '/'); slash >= 0 {
		name = name[slash:]
	}
	return ellipsis + name
}

// bars scales numbers of lines to the graph.
func (l statLayout) bars(added, removed int) (int, int) {
	if l.graph > l.most {
		return added, removed
	}
	scale := func(n int) int {
		if n == 0 {
			return 0
		}
		return 1 + n*(l.graph-1)/l.most
	}
	total := scale(added + removed)
	if total < 2 && added > 0 && removed > 0 {
		total = 2
	}
	if added < removed {
		return scale(added), total - scale(added)
	}
	return total - scale(removed), scale(removed)
}

// writeSummary writes a line for each file that came, went, moved or changed
// its mode.
func writeSummary(b *bytes.Buffer, files []FileDiff) {
	for i := 0; i < len(files); i++ {
		f := files[i]
		name := quotePath(f.Path)
		switch {
		case retyped(files, i):
			i++
			fmt.Fprintf(b, " mode change %06o => %06o %s\n", uint32(f.OldMode), uint32(files[i].NewMode), name)
		case f.OldMode == filemode.Empty:
			fmt.Fprintf(b, " create mode %06o %s\n", uint32(f.NewMode), name)
		case f.NewMode == filemode.Empty:
			fmt.Fprintf(b, " delete mode %06o %s\n", uint32(f.OldMode), name)
		default:
			if f.Status == StatusRenamed {
				fmt.Fprintf(b, " rename %s (%d%%)\n", statName(f), f.Similarity)
				name = ""
			}
			if f.OldMode != f.NewMode {
				line := fmt.Sprintf(" mode change %06o => %06o %s", uint32(f.OldMode), uint32(f.NewMode), name)
				b.WriteString(strings.TrimSuffix(line, " ") + "\n")
			}
		}
	}
}
