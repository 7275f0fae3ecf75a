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
	out.WriteString("\nA command is the first line of a new comment; what follows is for people. It needs write permission and holds for the commit that was the head when the comment was written.\n")
	return out.String()
}

// inCell writes a text of ours as code in a table's cell.
func inCell(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }
