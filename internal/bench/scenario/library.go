package scenario

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/scenarios"
)

// Library holds the scenarios and sets of a folder, checked. It is not changed
// after loading, and neither may the scenarios be that it returns.
type Library struct {
	scenarios map[string]bench.Scenario
	sets      map[string][]string
	worlds    map[string]*world.World
	files     fs.FS
}

// Load reads every scenario of a folder and its sub-folders, and its sets. If
// anything is wrong it returns one error of kind invalid that lists all
// problems, which can be had back from it as [jsondoc.Problems]. What ships with the
// program has been checked when it was built, and is only read.
//
// Numbers in the scenarios' inputs and expected values are int where they are
// whole, else float64.
func Load(fsys fs.FS) (*Library, error) {
	var read folder
	var report Report
	if fsys == fs.FS(scenarios.Files) {
		read, report.Problems = readFolder(fsys)
	} else {
		read, report = inspect(fsys, nil)
	}
	if err := report.Problems.Err(); err != nil {
		return nil, err
	}
	library := &Library{scenarios: map[string]bench.Scenario{}, sets: read.sets, worlds: read.worlds, files: fsys}
	for _, s := range read.sources {
		library.scenarios[s.scenario.ID] = s.scenario
	}
	return library, nil
}

// Scenario returns the scenario of that id. An unknown id is an error of kind
// invalid.
func (l *Library) Scenario(id string) (bench.Scenario, error) {
	s, known := l.scenarios[id]
	if !known {
		return bench.Scenario{}, fault.Invalidf("unknown scenario %q%s", id, jsondoc.DidYouMean(id, slices.Sorted(maps.Keys(l.scenarios))))
	}
	return s, nil
}

// Files returns the folder that the library was read from.
func (l *Library) Files() fs.FS { return l.files }

// World returns a world that a scenario is in. An unknown name is an error of
// kind invalid.
func (l *Library) World(name string) (*world.World, error) {
	w, known := l.worlds[name]
	if !known {
		return nil, fault.Invalidf("no scenario is in a world %q%s", name, jsondoc.DidYouMean(name, slices.Sorted(maps.Keys(l.worlds))))
	}
	return w, nil
}

// Set returns the scenarios of the named set, in its order. An unknown name is
// an error of kind invalid.
func (l *Library) Set(name string) ([]bench.Scenario, error) {
	ids, known := l.sets[name]
	if !known {
		return nil, fault.Invalidf("unknown scenario set %q%s", name, suggestSet(name, l.Sets()))
	}
	return l.pick(ids)
}

// Sets returns the names of the sets, sorted.
func (l *Library) Sets() []string { return slices.Sorted(maps.Keys(l.sets)) }

// All returns all scenarios, sorted by id.
func (l *Library) All() []bench.Scenario {
	all, _ := l.pick(slices.Sorted(maps.Keys(l.scenarios)))
	return all
}

func (l *Library) pick(ids []string) ([]bench.Scenario, error) {
	picked := make([]bench.Scenario, 0, len(ids))
	for _, id := range ids {
		s, err := l.Scenario(id)
		if err != nil {
			return nil, err
		}
		picked = append(picked, s)
	}
	return picked, nil
}

// Select returns the scenarios of the named set, or those with the ids, in
// that order; [DefaultSet] if neither is given. Both together, an unknown
// name, and an id given twice are errors of kind invalid.
func Select(library *Library, set string, ids []string) ([]bench.Scenario, error) {
	switch {
	case set != "" && len(ids) > 0:
		return nil, fault.Invalidf("both a scenario set (%q) and scenarios are named: want one of the two", set)
	case len(ids) > 0:
		for i, id := range ids {
			if slices.Contains(ids[:i], id) {
				return nil, fault.Invalidf("scenario %q is named twice: want each once, and repetitions for more runs", id)
			}
		}
		return library.pick(ids)
	case set == "":
		return library.Set(DefaultSet)
	default:
		return library.Set(set)
	}
}

// suggestSet names a likely set, or else all: there are few.
func suggestSet(name string, known []string) string {
	if suggestion := jsondoc.DidYouMean(name, known); suggestion != "" {
		return suggestion
	}
	return fmt.Sprintf(": want one of %q", known)
}
