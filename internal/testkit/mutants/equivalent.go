package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// equivalents are the mutants that no test can tell from the original, by
// name, with the reason.
type equivalents map[string]string

// parseEquivalents reads their list: the name of each on a line, and the
// reason below it, behind a tab. A # begins a comment on a line of its own.
func parseEquivalents(text string) (equivalents, error) {
	listed := equivalents{}
	name, at := "", 0
	for line := range strings.Lines(text) {
		at++
		line = strings.TrimRight(line, "\n ")
		reason, isReason := strings.CutPrefix(line, "\t")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case isReason && name == "":
			return nil, fmt.Errorf("line %d: a reason without a mutant before it", at)
		case isReason:
			listed[name] = strings.TrimSpace(listed[name] + " " + reason)
		default:
			if _, twice := listed[line]; twice {
				return nil, fmt.Errorf("line %d: %s is listed twice", at, line)
			}
			name = line
			listed[name] = ""
		}
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if listed[name] == "" {
			return nil, fmt.Errorf("%s has no reason: write one below it, behind a tab", name)
		}
	}
	return listed, nil
}

// mark gives mutants their reasons. It returns the names, in packages that
// were looked at, which no mutant has.
func (e equivalents) mark(targets []*target, mutants []*mutant) []string {
	folders := map[string]bool{}
	for _, t := range targets {
		folders[t.folder] = true
	}
	gone := maps.Clone(e)
	for _, m := range mutants {
		m.equivalent = e[m.name()]
		delete(gone, m.name())
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		if folder, _, _ := strings.Cut(name, " "); folders[folder] {
			names = append(names, name)
		}
	}
	return names
}
