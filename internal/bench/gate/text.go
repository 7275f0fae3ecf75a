package gate

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/ghx-dev/bench-action/internal/bench"
)

const (
	// maxQuoted is the greatest number of characters that a reason quotes of a
	// text that an agent may have written.
	maxQuoted = 200
	// maxListed is the greatest number of names that a sentence lists.
	maxListed = 3
)

// plainText makes a text from outside safe to quote in a sentence: control and
// formatting characters, which could hide or reorder text, are removed, runs
// of white space become one space, and what is too long is cut.
func plainText(text string) string {
	var b strings.Builder
	length, space := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = length > 0
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			continue
		}
		if length >= maxQuoted {
			b.WriteRune('…')
			break
		}
		if space {
			b.WriteByte(' ')
			length++
			space = false
		}
		b.WriteRune(r)
		length++
	}
	return b.String()
}

// list joins names as a sentence does, and counts those beyond the first few.
func list(names []string) string {
	shown := names
	if len(names) > maxListed {
		shown = append(names[:maxListed:maxListed], strconv.Itoa(len(names)-maxListed)+" more")
	}
	return bench.JoinWords(shown)
}

// counted returns "1 run" or "3 runs".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
