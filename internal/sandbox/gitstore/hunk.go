package gitstore

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Hunk is a run of changed lines with the lines around it. Line numbers count
// from 1; the start of an empty range is the line before it.
type Hunk struct {
	OldStart, OldLines, NewStart, NewLines int
	// Section is the nearest line above the hunk that begins with a letter, an
	// underscore or a dollar sign, cut to 80 bytes of UTF-8; empty if there is
	// none.
	Section string
	Lines   []Line
}

// Line is one line of a hunk.
type Line struct {
	// Kind is ' ' for a line of both files, '-' of the old and '+' of the new
	// one.
	Kind byte
	// Old and New are the line's numbers in the two files, counted from 1; 0
	// where it is not in the file.
	Old, New int
	// Text has no newline at its end.
	Text string
	// NoNewline says that the line in the file has none either.
	NoNewline bool
}

const (
	// contextLines is the number of unchanged lines around changes.
	contextLines = 3
	maxSection   = 80
)

// hunks groups edits whose context would meet.
func hunks(old, new []string, edits []edit) []Hunk {
	var list []Hunk
	var section sectionFinder
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].oldStart-edits[n-1].oldEnd() <= 2*contextLines {
			n++
		}
		h := newHunk(old, new, edits[:n])
		first := edits[0].oldStart - min(edits[0].oldStart, contextLines)
		h.Section = section.above(old, first)
		list = append(list, h)
		edits = edits[n:]
	}
	return list
}

func newHunk(old, new []string, edits []edit) Hunk {
	first, last := edits[0], edits[len(edits)-1]
	before := min(first.oldStart, contextLines)
	past := min(len(old)-last.oldEnd(), contextLines)
	i, j := first.oldStart-before, first.newStart-before
	h := Hunk{OldLines: last.oldEnd() + past - i, NewLines: last.newEnd() + past - j}
	h.OldStart, h.NewStart = hunkStart(i, h.OldLines), hunkStart(j, h.NewLines)
	h.Lines = make([]Line, 0, h.OldLines+last.newEnd()-first.newStart)
	for _, e := range append(edits[:len(edits):len(edits)], edit{oldStart: last.oldEnd() + past}) {
		for ; i < e.oldStart; i, j = i+1, j+1 {
			h.Lines = append(h.Lines, newLine(' ', i+1, j+1, old[i]))
		}
		for ; i < e.oldEnd(); i++ {
			h.Lines = append(h.Lines, newLine('-', i+1, 0, old[i]))
		}
		for ; j < e.newEnd(); j++ {
			h.Lines = append(h.Lines, newLine('+', 0, j+1, new[j]))
		}
	}
	return h
}

// hunkStart returns the number of the line at index i, or of the line before it
// if the range is empty.
func hunkStart(i, lines int) int {
	if lines == 0 {
		return i
	}
	return i + 1
}

func newLine(kind byte, old, new int, text string) Line {
	l := Line{Kind: kind, Old: old, New: new, Text: text}
	if end := len(text) - 1; end >= 0 && text[end] == '\n' {
		l.Text = text[:end]
	} else {
		l.NoNewline = true
	}
	return l
}

// sectionFinder finds the sections of hunks from the first to the last.
type sectionFinder struct {
	seen    int
	section string
}

// above returns the section for a hunk that begins at the line index. A hunk
// without a section line since the hunk before has that one's.
func (f *sectionFinder) above(lines []string, index int) string {
	for i := index - 1; i >= f.seen; i-- {
		line := lines[i]
		if c := line[0]; c == '_' || c == '$' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			f.section = validPrefix(trimSpaceRight(line[:min(len(line), maxSection)]))
			break
		}
	}
	f.seen = max(f.seen, index)
	return f.section
}

// validPrefix cuts text off where it is not UTF-8, in the midst of a character
// for example.
func validPrefix(text string) string {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return text[:i]
		}
	}
	return text
}

// trimSpaceRight removes the ASCII space that C's isspace knows.
func trimSpaceRight(s string) string {
	for s != "" && (s[len(s)-1] == ' ' || '\t' <= s[len(s)-1] && s[len(s)-1] <= '\r') {
		s = s[:len(s)-1]
	}
	return s
}

// patchText writes hunks in the unified format, without the last newline. size
// is a guess at its length.
func patchText(hunks []Hunk, size int) string {
	if len(hunks) == 0 {
		return ""
	}
	b := make([]byte, 0, size)
	for _, h := range hunks {
		b = append(b, "@@ -"...)
		b = appendRange(b, h.OldStart, h.OldLines)
		b = append(b, " +"...)
		b = appendRange(b, h.NewStart, h.NewLines)
		b = append(b, " @@"...)
		if h.Section != "" {
			b = append(append(b, ' '), h.Section...)
		}
		b = append(b, '\n')
		for _, l := range h.Lines {
			b = append(append(append(b, l.Kind), l.Text...), '\n')
			if l.NoNewline {
				b = append(b, "\\ No newline at end of file\n"...)
			}
		}
	}
	return string(b[:len(b)-1])
}

func appendRange(b []byte, start, lines int) []byte {
	b = strconv.AppendInt(b, int64(start), 10)
	if lines == 1 {
		return b
	}
	return strconv.AppendInt(append(b, ','), int64(lines), 10)
}
