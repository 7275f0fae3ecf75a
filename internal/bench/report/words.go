package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// headline is the verdict in a word or two, marked if it is for show.
func headline(s bench.Summary) string {
	if s.Simulated {
		return s.Gate.Verdict.Word() + " (simulated)"
	}
	return s.Gate.Verdict.Word()
}

// reasonOf is the one cause of the verdict, as a sentence.
func reasonOf(s bench.Summary) string {
	if s.Evidence != nil {
		return sentence(s.Evidence.Cause.Text)
	}
	return sentence(cmp.Or(s.NothingCompared(), s.Gate.Reason))
}

// checksOf are the checks that people are shown: none where there was nothing to
// compare, which is one cause and not six failed checks (rule V11).
func checksOf(s bench.Summary) []bench.Check {
	if s.NothingCompared() != "" {
		return nil
	}
	return s.Gate.Checks
}

// comparison says what a verdict by evidence is about; empty without one. Names
// are written by name.
func comparison(s bench.Summary, name func(string) string) string {
	if s.Evidence == nil {
		return ""
	}
	return s.Evidence.Comparison(name)
}

// consequences are what a verdict by evidence leaves open, and what to do now,
// label and text; none without one.
func consequences(s bench.Summary) [][2]string {
	if s.Evidence == nil {
		return nil
	}
	var all [][2]string
	if label, text := s.Evidence.NotRuledOut(); text != "" {
		all = append(all, [2]string{label, oneLine(text)})
	}
	return append(all, [2]string{"Next step", oneLine(s.Evidence.NextStep())})
}

// toneOf is the colour of the verdict; one that is for show has none.
func toneOf(s bench.Summary) tone {
	switch {
	case s.Simulated:
		return neutral
	case s.Gate.Verdict == bench.VerdictPass:
		return good
	case s.Gate.Verdict == bench.VerdictFail:
		return bad
	default:
		return neutral
	}
}

// uncertainNote is why a check is uncertain (rule G13).
const uncertainNote = "The interval lies on both sides of the threshold."

// noteOf says what there is to know about a check besides its figures.
func noteOf(c bench.Check) string {
	var notes []string
	if c.Uncertain {
		notes = append(notes, "Uncertain.")
	}
	switch {
	case c.Reason != "":
		notes = append(notes, sentence(c.Reason))
	case c.Uncertain:
		notes = append(notes, uncertainNote)
	}
	for _, w := range c.Warnings {
		notes = append(notes, sentence(w))
	}
	return strings.Join(notes, " ")
}

// sentence cleans a text and has it end as a sentence does.
func sentence(text string) string { return bench.Sentence(oneLine(text)) }

// plural counts things; the noun's plural is regular.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return bench.NumberText(float64(n), 0) + " " + noun + "s"
}

// andMore ends a list that was cut short.
func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + bench.NumberText(float64(n), 0) + " more"
}

// someCells lists the first cells and says how many more there are.
func someCells(cells []bench.Cell) (listed []string, more int) {
	for _, c := range cells[:min(mostCells, len(cells))] {
		listed = append(listed, oneLine(c.String()))
	}
	return listed, len(cells) - len(listed)
}

// failure is what went wrong in one scenario and mode.
type failure struct {
	// id is the scenario's, scenario the same to be shown.
	id, scenario, mode, types, example string
	// unallowed are sentences on changes that were not allowed.
	unallowed []string
}

// failuresOf lists the failures, scenario by scenario.
func failuresOf(s bench.Summary) []failure {
	var all []failure
	for _, scenario := range s.Scenarios {
		for _, mode := range bench.BaselineFirst(scenario.Modes, s.Gate.Baseline) {
			m := scenario.Modes[mode]
			if len(m.Errors) == 0 {
				continue
			}
			var types []string
			for _, t := range slices.Sorted(maps.Keys(m.Errors)) {
				types = append(types, fmt.Sprintf("%d × %s", m.Errors[t], oneLine(string(t))))
			}
			f := failure{
				id: scenario.ID, scenario: oneLine(scenario.ID), mode: oneLine(string(mode)),
				types: strings.Join(types, ", "), example: oneLine(m.ExampleError),
			}
			for _, change := range m.UnallowedChanges[:min(bench.MaxUnallowedChanges, len(m.UnallowedChanges))] {
				f.unallowed = append(f.unallowed, oneLine(change))
			}
			all = append(all, f)
		}
	}
	return all
}

// roleOf says what a mode is in the comparison, empty if nothing.
func roleOf(s bench.Summary, mode bench.Mode) string {
	switch mode {
	case s.Gate.Baseline:
		return "baseline"
	case s.Gate.Candidate:
		return "candidate"
	default:
		return ""
	}
}
