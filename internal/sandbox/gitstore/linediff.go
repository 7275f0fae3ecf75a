package gitstore

import "strings"

// edit replaces a run of old lines by a run of new ones. Lines count from 0.
type edit struct {
	oldStart, oldLen int
	newStart, newLen int
}

func (e edit) oldEnd() int { return e.oldStart + e.oldLen }
func (e edit) newEnd() int { return e.newStart + e.newLen }

// algorithm finds which lines two texts do not share. It marks them in the
// comparison.
type algorithm func(c *comparison, old, new span)

// comparison is two texts under comparison, line by line.
type comparison struct {
	old, new side
	// classes is the number of distinct lines.
	classes int
}

// side is one of the two texts.
type side struct {
	lines []string
	// ids has a number for each line; equal lines have equal numbers.
	ids []int32
	// changed marks the lines that the other text does not share.
	changed []bool
}

// span is a run of lines, hi excluded.
type span struct{ lo, hi int }

func (s span) len() int { return s.hi - s.lo }

// splitLines cuts a text into lines, each with its newline; only the last may
// lack one.
func splitLines(text string) []string {
	lines := make([]string, 0, strings.Count(text, "\n")+1)
	for text != "" {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		lines = append(lines, text[:end])
		text = text[end:]
	}
	return lines
}

// compareLines returns the edits, in order, that make new of old. With indent,
// an edit that could as well be some lines higher or lower is put where
// indentation and blank lines suggest it, as git diff does and git merge does
// not.
func compareLines(old, new []string, find algorithm, indent bool) []edit {
	c := &comparison{}
	numbers := make(map[string]int32, len(old)+len(new))
	c.old = newSide(old, numbers)
	c.new = newSide(new, numbers)
	c.classes = len(numbers)
	find(c, span{0, len(old)}, span{0, len(new)})
	slideChanges(&c.old, &c.new, indent)
	slideChanges(&c.new, &c.old, indent)
	return c.edits()
}

func newSide(lines []string, numbers map[string]int32) side {
	ids := make([]int32, len(lines))
	for i, line := range lines {
		id, known := numbers[line]
		if !known {
			id = int32(len(numbers))
			numbers[line] = id
		}
		ids[i] = id
	}
	return side{lines: lines, ids: ids, changed: make([]bool, len(lines))}
}

// mark marks lines as changed.
func (s *side) mark(lines span) {
	for i := lines.lo; i < lines.hi; i++ {
		s.changed[i] = true
	}
}

// edits reads the marks.
func (c *comparison) edits() []edit {
	var list []edit
	i, j := 0, 0
	for i < len(c.old.ids) || j < len(c.new.ids) {
		e := edit{oldStart: i, newStart: j}
		for i < len(c.old.ids) && c.old.changed[i] {
			i++
		}
		for j < len(c.new.ids) && c.new.changed[j] {
			j++
		}
		e.oldLen, e.newLen = i-e.oldStart, j-e.newStart
		if e.oldLen > 0 || e.newLen > 0 {
			list = append(list, e)
		}
		i, j = i+1, j+1
	}
	return list
}
