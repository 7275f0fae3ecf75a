package report

import (
	"slices"
	"strings"
	"unicode"
)

// invisible has no width. Put into a word it keeps GitHub from making a
// mention, a reference, a link or an emoji of it, which no backslash does,
// because GitHub looks for these in the text that Markdown has become.
const invisible = "\u200b"

// escape writes a text of unknown origin so that GitHub's Markdown shows it as
// it is, in one line: no mention, reference, link, image, HTML, mathematics,
// emoji or table cell comes of it, and no workflow command where the Markdown
// is printed.
func escape(s string) string {
	runes := []rune(oneLine(s))
	var out strings.Builder
	for i, r := range runes {
		before, after := runes[:i], runes[i+1:]
		switch {
		case r == '$':
			out.WriteString("<span>$</span>") // GitHub's documented way
			continue
		case strings.ContainsRune("\\`*_{}[]<>|~!&#^", r), beginsBlock(before, r, after):
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		if needsBreak(before, r, after) {
			out.WriteString(invisible)
		}
	}
	return out.String()
}

// beginsBlock reports whether r makes a line that begins with this text a list
// item, a rule or a heading's underline.
func beginsBlock(before []rune, r rune, after []rune) bool {
	ends := len(after) == 0 || after[0] == ' '
	switch r {
	case '-', '+', '=':
		return len(before) == 0 && (ends || after[0] == r)
	case '.', ')':
		return len(before) > 0 && ends && !slices.ContainsFunc(before, func(b rune) bool { return !unicode.IsDigit(b) })
	default:
		return false
	}
}

// needsBreak reports whether r, between these, could begin something that
// GitHub makes a link or a picture of.
func needsBreak(before []rune, r rune, after []rune) bool {
	switch r {
	case '@':
		return !harmlessAt(before, after)
	case '#':
		return len(after) > 0 && unicode.IsDigit(after[0])
	case '-':
		return endsWithWord(before, "gh") && len(after) > 0 && unicode.IsDigit(after[0])
	case ':':
		return startsWith(after, "//") || startsWith(after, ":") || isShortcode(after)
	case 'w', 'W':
		return endsWithWord(before, "ww") && startsWith(after, ".")
	default:
		return false
	}
}

// harmlessAt reports whether an @ stands between words that make neither a
// mention nor an address nor a commit, as in ghx@base.
func harmlessAt(before, after []rune) bool {
	if len(before) == 0 || !isWord(before[len(before)-1]) {
		return false
	}
	hexadecimal := true
	for i, r := range after {
		if !isWord(r) {
			return i > 0 && r != '.' && r != '-' && !hexadecimal
		}
		hexadecimal = hexadecimal && strings.ContainsRune("0123456789abcdefABCDEF", r)
	}
	return len(after) > 0 && !hexadecimal
}

// isShortcode reports whether an emoji's name and a colon follow.
func isShortcode(after []rune) bool {
	for i, r := range after {
		if r == ':' {
			return i > 0
		}
		if !isWord(r) && r != '+' && r != '-' {
			return false
		}
	}
	return false
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func startsWith(text []rune, prefix string) bool {
	n := len([]rune(prefix))
	return len(text) >= n && string(text[:n]) == prefix
}

// endsWithWord reports whether text ends with a word, in any case, that
// begins there.
func endsWithWord(text []rune, word string) bool {
	start := len(text) - len([]rune(word))
	return start >= 0 && strings.EqualFold(string(text[start:]), word) && (start == 0 || !isWord(text[start-1]))
}

// code writes a text of unknown origin as a code span, where GitHub makes
// nothing of it.
func code(s string) string {
	s = inLog(oneLine(s))
	if s == "" {
		return ""
	}
	longest, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}
