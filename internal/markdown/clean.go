// Package markdown writes texts of unknown origin so that GitHub shows them as
// they are and makes nothing else of them.
//
// GitHub reads a text several times: as Markdown, then, in the page that came
// of it, for mentions, references, addresses, emoji and mathematics. What a
// workflow prints is read once more, for commands to the runner. A text is
// written with [Text], or as code with [Code] where nothing is looked for.
package markdown

import (
	"strings"
	"unicode"
)

const (
	// maxWord is how many characters a word has at most; longer ones break
	// layouts and are cut.
	maxWord = 100
	// maxMarks is how many accents a letter may carry; more of them paint over
	// the lines around.
	maxMarks = 2

	ellipsis = "…"
)

// Clean makes a text fit to show anywhere in one line of at most that many
// characters: white space becomes single spaces; what controls a terminal, is
// not seen, or turns the direction of writing around is left out; what is too
// long is cut. It escapes nothing.
func Clean(s string, most int) string {
	var out strings.Builder
	var kept, word, marks int
	var space bool
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space, word = true, 0
			continue
		case isUnseen(r):
			continue
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks {
				continue
			}
		default:
			marks = 0
		}
		if kept >= most {
			out.WriteString(ellipsis)
			break
		}
		if word++; word > maxWord {
			if word == maxWord+1 {
				out.WriteString(ellipsis)
			}
			continue
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

// isUnseen reports whether r has no shape of its own: control and formatting
// characters, among them those for the direction of writing (Unicode Standard
// Annex 9), fillers, variation selectors.
func isUnseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Log is [Clean] for a line of a workflow's log: GitHub's runner takes no
// command from it ("::error::", "##[group]").
func Log(s string, most int) string {
	s = Clean(s, most)
	if rest, found := strings.CutPrefix(s, "::"); found {
		s = ": :" + rest
	}
	return strings.ReplaceAll(s, "##[", "# #[")
}
