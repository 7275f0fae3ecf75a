package gitstore

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// shortHash is the number of hexadecimal digits of hashes in diffs.
const shortHash = 7

// devNull stands for the file on the side where there is none.
const devNull = "/dev/null"

// WriteDiff writes what git diff prints for the files.
func WriteDiff(w io.Writer, files []FileDiff) error {
	var b bytes.Buffer
	for _, f := range files {
		writeFileDiff(&b, f)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fault.Infraf("write diff: %w", err)
	}
	return nil
}

func writeFileDiff(b *bytes.Buffer, f FileDiff) {
	f.writeHeader(b, shortHash)
	old, new := f.labels()
	switch {
	case f.Binary:
		fmt.Fprintf(b, "Binary files %s and %s differ\n", old, new)
	case f.Patch != "":
		fmt.Fprintf(b, "--- %s\n+++ %s\n%s\n", tabbed(old), tabbed(new), f.Patch)
	}
}

// oldPath returns the path before the change.
func (f *FileDiff) oldPath() string {
	if f.PreviousPath != "" {
		return f.PreviousPath
	}
	return f.Path
}

// labels returns the names of both sides.
func (f *FileDiff) labels() (old, new string) {
	old, new = quotePath("a/"+f.oldPath()), quotePath("b/"+f.Path)
	if f.OldMode == filemode.Empty {
		old = devNull
	}
	if f.NewMode == filemode.Empty {
		new = devNull
	}
	return old, new
}

// tabbed marks the end of a name with spaces in it for patch programs.
func tabbed(label string) string {
	if strings.Contains(label, " ") {
		return label + "\t"
	}
	return label
}

// writeHeader writes the lines before the content, hashes with that many
// digits.
func (f *FileDiff) writeHeader(b *bytes.Buffer, digits int) {
	fmt.Fprintf(b, "diff --git %s %s\n", quotePath("a/"+f.oldPath()), quotePath("b/"+f.Path))
	switch {
	case f.OldMode == filemode.Empty:
		fmt.Fprintf(b, "new file mode %06o\n", uint32(f.NewMode))
	case f.NewMode == filemode.Empty:
		fmt.Fprintf(b, "deleted file mode %06o\n", uint32(f.OldMode))
	case f.OldMode != f.NewMode:
		fmt.Fprintf(b, "old mode %06o\nnew mode %06o\n", uint32(f.OldMode), uint32(f.NewMode))
	}
	if f.Status == StatusRenamed {
		fmt.Fprintf(b, "similarity index %d%%\nrename from %s\nrename to %s\n",
			f.Similarity, quotePath(f.PreviousPath), quotePath(f.Path))
	}
	if f.OldBlob != f.NewBlob {
		fmt.Fprintf(b, "index %s..%s", f.OldBlob.String()[:digits], f.NewBlob.String()[:digits])
		if f.OldMode == f.NewMode {
			fmt.Fprintf(b, " %06o", uint32(f.NewMode))
		}
		b.WriteByte('\n')
	}
}

// quotePath returns the path as git prints it: in double quotes with C's
// escapes if it has quotes, backslashes, control or non-ASCII bytes.
func quotePath(path string) string {
	plain := func(c byte) bool { return ' ' <= c && c < 0x7f && c != '"' && c != '\\' }
	quoted := false
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		c := path[i]
		if plain(c) {
			b.WriteByte(c)
			continue
		}
		quoted = true
		if k := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); k >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[k])
			continue
		}
		fmt.Fprintf(&b, `\%03o`, c)
	}
	if !quoted {
		return path
	}
	b.WriteByte('"')
	return b.String()
}
