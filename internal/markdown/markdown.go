package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// invisible has no width. Put into a word it keeps GitHub from making a
// mention, a reference, a link or an emoji of it, which no backslash does,
// because GitHub looks for these in the page that Markdown has become.
const invisible = "\u200b"

// entities stand for characters that are markup to HTML or end a table's cell.
// A backslash would do for some, but not in every place.
var entities = map[rune]string{
	'&': "&amp;", '<': "&lt;", '>': "&gt;", '|': "&#124;",
	'$': "<span>$</span>", // as GitHub's manual says; mathematics is looked for before escapes
}

// Text writes s as inline Markdown of one line, cut to that many characters
// of s: no mention, reference, link, image, HTML, mathematics, emoji, block or
// table cell comes of it, and no workflow command where the Markdown is
// printed.
func Text(s string, most int) string {
	runes := []rune(Clean(s, most))
	var out strings.Builder
	for i, r := range runes {
		before, after := runes[:i], runes[i+1:]
		if entity, is := entities[r]; is {
			out.WriteString(entity)
			continue
		}
		if strings.ContainsRune("\\`*_{}[]~!#^", r) || beginsBlock(before, r, after) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		if isReference(before, r, after) {
			out.WriteString(invisible)
		}
	}
	return out.String()
}

// beginsBlock reports whether r makes a line that begins with this text a list
// item, a rule or a heading's underline.
func beginsBlock(before []rune, r rune, after []rune) bool {
	next := first(after)
	switch r {
	case '-', '+', '=':
		return len(before) == 0 && (next == ' ' || next == r)
	case '.', ')':
		return len(before) > 0 && next == ' ' && everyRune(before, unicode.IsDigit)
	default:
		return false
	}
}

// isReference reports whether r, between these, could be the beginning or the
// middle of something that GitHub makes a link or a picture of.
func isReference(before []rune, r rune, after []rune) bool {
	next := first(after)
	switch r {
	case '@':
		return next != ' '
	case '#':
		return isWord(next)
	case '-':
		return isWord(next) && endsWithWord(before, "gh", "ghsa", "cve")
	case ':':
		return next == '/' || isShortcode(after) || endsWithWord(before, "mailto", "xmpp")
	case 'w', 'W':
		return next == '.' && endsWithWord(before, "ww")
	default:
		return isHex(r) && breaksCommit(before, after)
	}
}

// first returns the first character of a text, and a space for none.
func first(text []rune) rune {
	if len(text) == 0 {
		return ' '
	}
	return text[0]
}

// isShortcode reports whether an emoji's name, or none, and a colon follow.
func isShortcode(after []rune) bool {
	for _, r := range after {
		if r == ':' {
			return true
		}
		if !isWord(r) && r != '+' && r != '-' {
			return false
		}
	}
	return false
}

const (
	// leastCommit is the shortest prefix of a commit's name that GitHub links.
	leastCommit = 7
	// brokenCommit is how much of it is left in one piece.
	brokenCommit = 4
)

// breaksCommit reports whether what may be a commit's name is to be broken
// after the digit between these.
func breaksCommit(before, after []rune) bool {
	head, tail := 0, 0
	for head < len(before) && isHex(before[len(before)-1-head]) {
		head++
	}
	for tail < len(after) && isHex(after[tail]) {
		tail++
	}
	whole := startsWord(before[:len(before)-head]) && (tail == len(after) || !isASCIIWord(after[tail]))
	return whole && head+1+tail >= leastCommit && (head+1)%brokenCommit == 0
}

func isHex(r rune) bool { return strings.ContainsRune("0123456789abcdefABCDEF", r) }

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func isASCIIWord(r rune) bool { return utf8.RuneLen(r) == 1 && isWord(r) }

func startsWord(before []rune) bool { return len(before) == 0 || !isASCIIWord(before[len(before)-1]) }

// endsWithWord reports whether text ends with one of the words, in any case,
// and the word begins there.
func endsWithWord(text []rune, words ...string) bool {
	for _, word := range words {
		start := len(text) - len([]rune(word))
		if start >= 0 && strings.EqualFold(string(text[start:]), word) && startsWord(text[:start]) {
			return true
		}
	}
	return false
}

func everyRune(text []rune, is func(rune) bool) bool {
	for _, r := range text {
		if !is(r) {
			return false
		}
	}
	return true
}

// Code writes s as a code span of one line, cut to that many characters, where
// GitHub makes nothing of it. It is not for a table's cells: see [CodeCell].
// An empty text stays empty.
func Code(s string, most int) string {
	s = Log(s, most)
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// CodeCell is [Code] for a table's cell. A text that a cell cannot hold as
// code is written with [Text]: there a pipe ends the cell before code is
// looked for, and a backslash before it is read as its escape.
func CodeCell(s string, most int) string {
	if strings.ContainsAny(s, "|\\`") {
		return Text(s, most)
	}
	return Code(s, most)
}

func longestRun(s string, of rune) (longest int) {
	run := 0
	for _, r := range s {
		if r != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
