package gate

import (
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// unknown stands for what a row does not state.
const unknown = "<null>"

// checkComparable returns an [fault.Invalid] error that names the difference
// if the two modes' rows cannot be compared (rule G11). A scenario whose cells
// are all missing in a mode counts as there: it was planned alike.
func (c *Collector) checkComparable(baseline, candidate *modeRows, missing []bench.MissingCells) error {
	for _, m := range []*modeRows{baseline, candidate} {
		if models := m.models(bench.ModelRef.Text); len(models) > 1 {
			return fault.Invalidf("rows are not comparable: those of mode %s are of %d models, %s: report them apart",
				m.mode, len(models), list(models))
		}
		if files := without(m.files(), []string{""}); len(files) > 1 {
			return fault.Invalidf("rows are not comparable: those of mode %s are of %d contents of its file, %s: report them apart",
				m.mode, len(files), list(files))
		}
	}
	differences := []struct {
		what                string
		baseline, candidate []string
	}{
		{"models", baseline.models(bench.ModelRef.Text), candidate.models(bench.ModelRef.Text)},
		{"scenario sets", baseline.scenarioSets(), candidate.scenarioSets()},
		{"scenarios", c.scenariosOf(baseline, missing), c.scenariosOf(candidate, missing)},
		{"commits", baseline.commits(), candidate.commits()},
	}
	if acrossCommits(baseline.mode, candidate.mode) {
		differences = differences[:3]
	}
	for _, d := range differences {
		if text := difference(baseline.mode, d.baseline, candidate.mode, d.candidate); text != "" {
			return fault.Invalidf("rows are not comparable: modes %s and %s have different %s: %s",
				baseline.mode, candidate.mode, d.what, text)
		}
	}
	return nil
}

// acrossCommits reports whether two modes compare tools of two commits.
func acrossCommits(a, b bench.Mode) bool {
	return a.OwnCommit() && b.OwnCommit() || !a.Shipped() || !b.Shipped()
}

// difference says what each list has that the other has not, "" if they are
// equal. The lists are sorted.
func difference(a bench.Mode, inA []string, b bench.Mode, inB []string) string {
	var parts []string
	if only := without(inA, inB); len(only) > 0 {
		parts = append(parts, list(only)+" in "+string(a)+" only")
	}
	if only := without(inB, inA); len(only) > 0 {
		parts = append(parts, list(only)+" in "+string(b)+" only")
	}
	return strings.Join(parts, "; ")
}

func without(from, others []string) []string {
	return slices.DeleteFunc(slices.Clone(from), func(s string) bool { return slices.Contains(others, s) })
}

func (m *modeRows) scenarioSets() []string {
	return m.distinct(func(o origin) string { return orUnknown(o.scenarioSet, o.hasSet) })
}

// files returns the contents of the mode's file, with an empty one for rows that
// tell none.
func (m *modeRows) files() []string { return m.distinct(func(o origin) string { return o.modeHash }) }

func (m *modeRows) commits() []string {
	return m.distinct(func(o origin) string { return orUnknown(o.commit, o.hasCommit) })
}

func orUnknown(text string, given bool) string {
	if !given {
		return unknown
	}
	return text
}

// scenariosOf returns the ids of the scenarios that the mode has rows or
// missing cells of, sorted.
func (c *Collector) scenariosOf(m *modeRows, missing []bench.MissingCells) []string {
	ids := map[string]struct{}{}
	for scenario, id := range c.scenarios.names {
		if m.tallyOf(scenario).runs > 0 {
			ids[id] = struct{}{}
		}
	}
	for _, cells := range missing {
		for _, cell := range cells.Cells {
			if cell.Mode == m.mode {
				ids[cell.ScenarioID] = struct{}{}
			}
		}
	}
	return slices.Sorted(maps.Keys(ids))
}
