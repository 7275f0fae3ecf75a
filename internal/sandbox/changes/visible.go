package changes

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible writes characters that cannot be seen, that change the order of
// others, or that a terminal obeys, as their numbers, so that a person reads
// what an agent wrote. Newlines and tabs stay.
func Visible(text string) string {
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if hidden(r) {
			fmt.Fprintf(&out, "⟨U+%04X⟩", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// fillers are letters that show nothing.
const fillers = "\u115F\u1160\u3164\uFFA0"

// hidden reports whether a character shows nothing of its own: control and
// format characters, separators, fillers, and those that select rare variants.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r >= 0xE0100 && r <= 0xE01EF || strings.ContainsRune(fillers, r):
		return true
	default:
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}
}
