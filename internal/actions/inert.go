package actions

import (
	"strings"
	"unicode"
)

// lines splits a text as the runner does, which takes a carriage return for
// the end of a line too. An end at the very end begins no further line.
func lines(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// inert returns a line that the runner does not take for a workflow command,
// and that looks like the given one. A command begins with "::", after space,
// or has "##[" anywhere, and the runner compares as people read: characters
// that cannot be seen do not count. They are left out.
// https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
func inert(line string) string {
	line = strings.Map(visible, line)
	line = strings.ReplaceAll(line, "##[", "## [")
	if rest := strings.TrimLeftFunc(line, unicode.IsSpace); strings.HasPrefix(rest, "::") {
		line = line[:len(line)-len(rest)] + ": " + rest[1:]
	}
	return line
}

// visible returns the character, or -1 if it cannot be seen.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return r
	case !unicode.IsGraphic(r), unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return -1
	}
	return r
}
