package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// lines are the lines of files that were changed, by the file's name relative
// to the module's folder. Nil is all lines of all files.
type lines map[string]map[int]bool

var (
	toFile = regexp.MustCompile(`^\+\+\+ b/(.*)$`)
	hunk   = regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)
)

// changedSince returns what differs between a commit and the files as they
// are.
func changedSince(ctx context.Context, root, commit string) (lines, error) {
	diff, err := output(ctx, root, "git", "-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--relative", "--src-prefix=a/", "--dst-prefix=b/",
		"-U0", commit, "--", "*.go")
	if err != nil {
		return nil, fmt.Errorf("find what changed since %s: %w", commit, err)
	}
	changed := lines{}
	var file string
	for line := range strings.Lines(string(diff)) {
		line = strings.TrimSuffix(line, "\n")
		if to := toFile.FindStringSubmatch(line); to != nil {
			file = filepath.FromSlash(to[1])
			changed[file] = map[int]bool{}
		} else if at := hunk.FindStringSubmatch(line); at != nil && file != "" {
			from, count := atoi(at[1]), 1
			if at[2] != "" {
				count = atoi(at[2])
			}
			for i := range count {
				changed[file][from+i] = true
			}
		}
	}
	return changed, nil
}

// atoi reads a number that a regular expression has found.
func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// touch reports whether a mutant is on a changed line.
func (l lines) touch(m *mutant) bool {
	if l == nil {
		return true
	}
	for line := m.position.Line; line <= m.lastLine; line++ {
		if l[m.source.name][line] {
			return true
		}
	}
	return false
}
