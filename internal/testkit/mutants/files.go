package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// named are the Go files that were named to be broken, by their absolute paths.
type named map[string]bool

// patterns returns the patterns of the packages that are broken. Of files that are
// named it has the folders.
func (o *options) patterns() (patterns []string, files named, err error) {
	files = named{}
	for _, name := range o.packages {
		if strings.HasSuffix(name, ".go") {
			file, err := filepath.Abs(filepath.Join(o.folder, name))
			if err != nil {
				return nil, nil, err
			}
			files[file] = true
			name = filepath.Dir(file)
		}
		patterns = append(patterns, name)
	}
	return patterns, files, nil
}

// leave has packages of which files are named keep the mutants of those.
func (n named) leave(p *program, all []*mutant) ([]*mutant, error) {
	missing, partly := maps.Clone(n), map[*target]bool{}
	for _, t := range p.targets {
		for _, s := range t.files {
			file := filepath.Join(p.root, s.name)
			partly[t] = partly[t] || n[file]
			delete(missing, file)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("no package is built of %s", strings.Join(slices.Sorted(maps.Keys(missing)), ", "))
	}
	return slices.DeleteFunc(all, func(m *mutant) bool {
		return partly[m.target] && !n[filepath.Join(p.root, m.source.name)]
	}), nil
}
