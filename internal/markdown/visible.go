package markdown

import (
	"fmt"
	"strings"
)

// Visible makes a text of many lines fit to show whole: what controls a terminal, is not
// seen, or turns the direction of writing around is written as its number. Newlines and
// tabs stay. It escapes nothing.
func Visible(s string) string {
	isHidden := func(r rune) bool { return r != '\n' && r != '\t' && isUnseen(r) }
	if strings.IndexFunc(s, isHidden) < 0 {
		return s
	}
	var out strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		if isHidden(r) {
			fmt.Fprintf(&out, "⟨U+%04X⟩", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}
