package gitstore

import (
	"cmp"
)

// The weights say how unlikely a place is to be the border of a change. They
// are git's, which Michael Haggerty fitted to changes rated by people
// (https://github.com/mhagger/diff-slider-tools).
const (
	startOfFilePenalty      = 1
	endOfFilePenalty        = 21
	blankWeight             = -30
	blankAfterWeight        = 6
	indentPenalty           = -4
	indentPenaltyWithBlank  = 10
	outdentPenalty          = 24
	outdentPenaltyWithBlank = 17
	dedentPenalty           = 23
	dedentPenaltyWithBlank  = 17
	indentWeight            = 60
	maxSlide                = 100
	maxIndent               = 200
	maxBlanks               = 20
	tabWidth                = 8
	noIndent                = -1
)

// bestEnd returns where a run of changed lines, now as far down as it can be,
// should end. highest is the least end that it can be moved to.
func bestEnd(lines []string, g span, highest int) int {
	best, bestScore := -1, borderScore{}
	for end := max(highest, g.hi-g.len()-1, g.hi-maxSlide); end <= g.hi; end++ {
		var score borderScore
		score.add(measureBorder(lines, end))
		score.add(measureBorder(lines, end-g.len()))
		if best < 0 || score.compare(bestScore) <= 0 {
			best, bestScore = end, score
		}
	}
	return best
}

// border is what surrounds the border before a line. Indents are noIndent where
// there is no such line.
type border struct {
	endOfFile bool
	// indent is that of the line after the border, noIndent if it is blank.
	indent int
	// blankBefore and blankAfter count the blank lines on both sides, without
	// the line after the border itself; indentBefore and indentAfter are the
	// indents of the lines beyond them.
	blankBefore, indentBefore int
	blankAfter, indentAfter   int
}

func measureBorder(lines []string, at int) border {
	b := border{indent: noIndent, indentBefore: noIndent, indentAfter: noIndent}
	if at >= len(lines) {
		b.endOfFile = true
	} else {
		b.indent = indentOf(lines[at])
	}
	for i := at - 1; i >= 0; i-- {
		if b.indentBefore = indentOf(lines[i]); b.indentBefore != noIndent {
			break
		}
		if b.blankBefore++; b.blankBefore == maxBlanks {
			b.indentBefore = 0
			break
		}
	}
	for i := at + 1; i < len(lines); i++ {
		if b.indentAfter = indentOf(lines[i]); b.indentAfter != noIndent {
			break
		}
		if b.blankAfter++; b.blankAfter == maxBlanks {
			b.indentAfter = 0
			break
		}
	}
	return b
}

// indentOf returns the columns of space before a line's text, noIndent for a
// blank line.
func indentOf(line string) int {
	columns := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			columns++
		case '\t':
			columns += tabWidth - columns%tabWidth
		case '\n', '\v', '\f', '\r':
		default:
			return columns
		}
		if columns >= maxIndent {
			return maxIndent
		}
	}
	return noIndent
}

// borderScore rates the two borders of a run; less is better.
type borderScore struct{ indent, penalty int }

func (s *borderScore) add(b border) {
	if b.indentBefore == noIndent && b.blankBefore == 0 {
		s.penalty += startOfFilePenalty
	}
	if b.endOfFile {
		s.penalty += endOfFilePenalty
	}
	indent, blankAfter := b.indent, 0
	if b.indent == noIndent {
		indent, blankAfter = b.indentAfter, 1+b.blankAfter
	}
	blanks := b.blankBefore + blankAfter
	s.penalty += blankWeight*blanks + blankAfterWeight*blankAfter
	s.indent += indent
	if indent == noIndent || b.indentBefore == noIndent {
		return
	}
	s.penalty += indentChangePenalty(indent, b, blanks > 0)
}

// indentChangePenalty rates the step from the indent before the border to the
// one after it.
func indentChangePenalty(indent int, b border, blank bool) int {
	pick := func(plain, withBlank int) int {
		if blank {
			return withBlank
		}
		return plain
	}
	switch {
	case indent > b.indentBefore:
		return pick(indentPenalty, indentPenaltyWithBlank)
	case indent == b.indentBefore:
		return 0
	case b.indentAfter > indent:
		// The line begins a block, such as an else.
		return pick(outdentPenalty, outdentPenaltyWithBlank)
	default:
		return pick(dedentPenalty, dedentPenaltyWithBlank)
	}
}

// compare is negative where s is better than t.
func (s borderScore) compare(t borderScore) int {
	return indentWeight*cmp.Compare(s.indent, t.indent) + s.penalty - t.penalty
}
