package report

import (
	"strings"
	"unicode"
)

// maxText is how many characters of a text that is not ours are shown.
const maxText = 300

// oneLine makes a text of unknown origin fit to show: white space becomes
// single spaces, and control characters (a terminal obeys them) and marks that
// turn the direction of writing around are left out. What is too long is cut.
func oneLine(s string) string {
	var out strings.Builder
	kept, space := 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case unicode.IsControl(r), turnsAround(r):
			continue
		}
		if kept == maxText {
			out.WriteString("…")
			break
		}
		if space && out.Len() > 0 {
			out.WriteByte(' ')
		}
		space = false
		out.WriteRune(r)
		kept++
	}
	return out.String()
}

// turnsAround reports whether r controls the direction of writing (Unicode
// Standard Annex 9) and so can make a text look like another.
func turnsAround(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x61c
}
