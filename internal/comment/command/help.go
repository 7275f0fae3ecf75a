package command

import (
	"fmt"
	"slices"
	"strings"
)

// HelpText returns the help in Markdown: a table of these commands, of all of
// them if none is given, and their options. Commands that are not listed by
// [Names] are left out.
func HelpText(only ...Name) string {
	var out strings.Builder
	out.WriteString("| Comment | What it does |\n|:---|:---|\n")
	var options []option
	for _, v := range table {
		if len(only) > 0 && !slices.Contains(only, v.name) {
			continue
		}
		fmt.Fprintf(&out, "| %s | %s |\n", inCell(strings.TrimSpace(prefix+" "+string(v.name)+" "+v.usage)), v.about)
		options = append(options, v.options...)
	}
	if len(options) > 0 {
		out.WriteString("\n| Option | What it sets |\n|:---|:---|\n")
	}
	for _, o := range options {
		fmt.Fprintf(&out, "| %s | %s |\n", inCell("--"+o.name+" "+o.value), o.about)
	}
	fmt.Fprintf(&out, "\nA command is the first line of a new comment; what follows is for people. It holds for the commit that was the head when the comment was written. Anybody may ask for %s; the others need write permission.\n", forAll(only))
	return out.String()
}

// forAll names those of some commands, of all if there are none, that anybody may give.
func forAll(only []Name) string {
	var free []Name
	for _, name := range Names() {
		if name.ForAll() && (len(only) == 0 || slices.Contains(only, name)) {
			free = append(free, name)
		}
	}
	last := len(free) - 1
	return joined(free[:last]) + " and " + joined(free[last:])
}

// inCell writes a text of ours as code in a table's cell.
func inCell(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }
