package toolset

import (
	"regexp"
	"slices"
)

// flag finds the long flags that a text of help names.
var flag = regexp.MustCompile(`(?m)(?:^|[\s\[(|,/])(--[A-Za-z][A-Za-z0-9_-]*)`)

// NewCommand returns a command of which the text of help is known. Its parameters
// are the long flags in it.
func NewCommand(name, help string) Item {
	item := Item{Kind: CommandHelp, Name: Clean(name, MaxName), Description: Clean(help, MaxText), Parameters: []Parameter{}}
	var names []string
	for _, found := range flag.FindAllStringSubmatch(item.Description, -1) {
		names = append(names, found[1])
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names[:min(MaxParameters, len(names))] {
		item.Parameters = append(item.Parameters, Parameter{Name: name})
	}
	return item
}
