package gitstore

import "strings"

// joinConflicts is the number of lines between two conflicts up to which they
// are shown as one.
const joinConflicts = 3

// region is a part of our text that the merged text does not just take over.
type region struct {
	ours, theirs span
	// conflict says that both sides changed it in different ways; otherwise
	// their lines take the place of ours.
	conflict bool
}

// markers are the lines that git puts around conflicts.
type markers struct {
	ours, theirs string
	// size is the number of characters of a marker.
	size int
}

// merge3 merges the changes that two sides made to base. Where they conflict,
// the text has both, between markers, and clean is false.
func merge3(base, ours, theirs string, mark markers) (text string, clean bool) {
	o, a, b := splitLines(base), splitLines(ours), splitLines(theirs)
	regions := mergeRegions(o, a, b)
	regions, clean = refine(regions, a, b)
	var out strings.Builder
	out.Grow(len(ours) + len(theirs)/8)
	write := func(lines []string) {
		for _, line := range lines {
			out.WriteString(line)
		}
	}
	at := 0
	for _, r := range regions {
		write(a[at:r.ours.lo])
		if at = r.ours.hi; r.conflict {
			mark.write(&out, a[r.ours.lo:r.ours.hi], b[r.theirs.lo:r.theirs.hi])
		} else {
			write(b[r.theirs.lo:r.theirs.hi])
		}
	}
	write(a[at:])
	return out.String(), clean
}

// write writes a conflict. Lines without a newline get one.
func (m markers) write(out *strings.Builder, ours, theirs []string) {
	marker := func(c, label string) {
		out.WriteString(strings.Repeat(c, m.size))
		if label != "" {
			out.WriteString(" " + label)
		}
		out.WriteByte('\n')
	}
	lines := func(list []string) {
		for _, line := range list {
			out.WriteString(strings.TrimSuffix(line, "\n"))
			out.WriteByte('\n')
		}
	}
	marker("<", m.ours)
	lines(ours)
	marker("=", "")
	lines(theirs)
	marker(">", m.theirs)
}

// mergeRegions returns, in order, where their text or a conflict takes the
// place of ours. Edits of the two sides that overlap or touch belong together.
func mergeRegions(base, ours, theirs []string) []region {
	a := compareLines(base, ours, histogram, false)
	b := compareLines(base, theirs, histogram, false)
	var list []region
	var oursShift, theirsShift int
	for len(a) > 0 || len(b) > 0 {
		i, j, base := touching(a, b)
		r := region{
			ours:     span{base.lo + oursShift, 0},
			theirs:   span{base.lo + theirsShift, 0},
			conflict: i > 0 && j > 0,
		}
		oursShift, theirsShift = oursShift+growth(a[:i]), theirsShift+growth(b[:j])
		r.ours.hi, r.theirs.hi = base.hi+oursShift, base.hi+theirsShift
		if j > 0 {
			list = append(list, r)
		}
		a, b = a[i:], b[j:]
	}
	return list
}

// touching returns how many of the first edits of each side form one run, and
// the base lines that it covers.
func touching(a, b []edit) (i, j int, base span) {
	first := func() {
		if len(b) == 0 || len(a) > 0 && a[0].oldStart <= b[0].oldStart {
			base, i = span{a[0].oldStart, a[0].oldEnd()}, 1
		} else {
			base, j = span{b[0].oldStart, b[0].oldEnd()}, 1
		}
	}
	// The edits of one side never touch each other, so an edit that touches the
	// run touches the other side's part of it.
	for first(); ; {
		switch {
		case i < len(a) && a[i].oldStart <= base.hi:
			base.hi = max(base.hi, a[i].oldEnd())
			i++
		case j < len(b) && b[j].oldStart <= base.hi:
			base.hi = max(base.hi, b[j].oldEnd())
			j++
		default:
			return i, j, base
		}
	}
}

// growth returns by how many lines edits lengthen a text.
func growth(edits []edit) int {
	n := 0
	for _, e := range edits {
		n += e.newLen - e.oldLen
	}
	return n
}

// refine cuts conflicts down to the lines in which the sides differ, and drops
// those in which they do not.
func refine(regions []region, ours, theirs []string) (list []region, clean bool) {
	clean = true
	for _, r := range regions {
		if !r.conflict {
			list = append(list, r)
			continue
		}
		for _, e := range compareLines(ours[r.ours.lo:r.ours.hi], theirs[r.theirs.lo:r.theirs.hi], histogram, false) {
			clean = false
			list = appendConflict(list, region{
				ours:     span{r.ours.lo + e.oldStart, r.ours.lo + e.oldEnd()},
				theirs:   span{r.theirs.lo + e.newStart, r.theirs.lo + e.newEnd()},
				conflict: true,
			})
		}
	}
	return list, clean
}

// appendConflict adds a conflict, joined to the one before if it is near.
func appendConflict(list []region, r region) []region {
	if n := len(list); n > 0 && list[n-1].conflict && r.ours.lo-list[n-1].ours.hi <= joinConflicts {
		list[n-1].ours.hi, list[n-1].theirs.hi = r.ours.hi, r.theirs.hi
		return list
	}
	return append(list, r)
}
