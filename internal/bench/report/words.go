package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// simulatedNotice is in every output of a run with simulated rows (rule G15).
const simulatedNotice = "Simulated: no model was involved, and the verdict is for show."

// verdictWord is the verdict as the first thing to read.
func verdictWord(v bench.Verdict) string {
	switch v {
	case bench.VerdictPass:
		return "PASS"
	case bench.VerdictFail:
		return "FAIL"
	default:
		return "NO VERDICT"
	}
}

// headline is the verdict in a word or two, marked if it is for show.
func headline(s bench.Summary) string {
	if s.Simulated {
		return verdictWord(s.Gate.Verdict) + " (simulated)"
	}
	return verdictWord(s.Gate.Verdict)
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

// checkLabels names the checks for people. A reduction is how much less the
// candidate needs.
var checkLabels = map[bench.CheckName]string{
	bench.CheckSuccessRate:       "Success rate, difference",
	bench.CheckOutputValidity:    "Valid output",
	bench.CheckRunnerFailureRate: "Runner failures",
	bench.CheckTimeoutStallRate:  "Timeouts and stalls",
	bench.CheckRetryRate:         "Retries",
	bench.CheckCoverage:          "Scenarios compared",
	bench.CheckTokensReduction:   "Active tokens, reduction",
	bench.CheckLatencyReduction:  "Latency, reduction",
	bench.CheckToolCallReduction: "Tool calls, reduction",
	bench.CheckCostReduction:     "Cost, reduction",
}

func labelOf(name bench.CheckName) string { return cmp.Or(checkLabels[name], oneLine(string(name))) }

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

// evidenceOf writes p-value and effect size, empty without any.
func evidenceOf(c bench.Check) string {
	var parts []string
	if c.PValue != nil {
		parts = append(parts, pText(*c.PValue))
	}
	if c.EffectSize != nil {
		const effectDecimals = 2
		parts = append(parts, "effect "+number(*c.EffectSize, effectDecimals))
	}
	return strings.Join(parts, ", ")
}

func pText(p float64) string {
	const least, decimals = 0.001, 3
	if p < least {
		return "p < 0.001"
	}
	return "p = " + number(p, decimals)
}

// sentence cleans a text and has it end as a sentence does.
func sentence(s string) string {
	s = oneLine(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// modesOf returns the modes of a map in the order of reports.
func modesOf[T any](m map[bench.Mode]T) []bench.Mode {
	order := bench.Modes()
	return slices.SortedFunc(maps.Keys(m), func(a, b bench.Mode) int {
		i, j := slices.Index(order, a), slices.Index(order, b)
		if i < 0 || j < 0 {
			return cmp.Or(cmp.Compare(j, i), cmp.Compare(a, b))
		}
		return cmp.Compare(i, j)
	})
}

// missingText says how many cells have no row, and why.
func missingText(m bench.MissingCells) string {
	why := map[bench.MissingReason]string{
		bench.MissingStopped:  "because the run was stopped",
		bench.MissingBudget:   "because the budget was used up",
		bench.MissingNeverRan: "because they never ran",
	}[m.Reason]
	return fmt.Sprintf("%s without a row, %s", plural(len(m.Cells), "cell"), cmp.Or(why, "because of "+oneLine(string(m.Reason))))
}

// plural counts things; the noun's plural is regular.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(float64(n), 0) + " " + noun + "s"
}

// andMore ends a list that was cut short.
func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + number(float64(n), 0) + " more"
}

// someCells lists the first cells and says how many more there are.
func someCells(cells []bench.Cell, most int) (listed []string, more int) {
	for _, c := range cells[:min(most, len(cells))] {
		listed = append(listed, oneLine(c.String()))
	}
	return listed, len(cells) - len(listed)
}

// regressionText tells a regression in one sentence.
func regressionText(r bench.Regression) string {
	mode := oneLine(string(r.Mode))
	switch r.Metric {
	case "median_latency_ms":
		return fmt.Sprintf("%s: median latency is %s, %s above the recent average of %s (more than %s is a warning).",
			mode, duration(r.Current), percent(math.Abs(r.DeltaPct)), duration(r.RecentAverage), percent(math.Abs(r.ThresholdPct)))
	case "success_rate_pct":
		return fmt.Sprintf("%s: success rate is %s, %s pp below the recent average of %s (more than %s pp is a warning).",
			mode, percent(r.Current), number(math.Abs(r.DeltaPct), fewDecimals), percent(r.RecentAverage), number(math.Abs(r.ThresholdPct), fewDecimals))
	default:
		return fmt.Sprintf("%s: %s is %s, the recent average %s.",
			mode, oneLine(r.Metric), number(r.Current, fewDecimals), number(r.RecentAverage, fewDecimals))
	}
}

// failure is what went wrong in one scenario and mode.
type failure struct {
	scenario, mode, types, example string
}

// failuresOf lists the failures, scenario by scenario.
func failuresOf(s bench.Summary) []failure {
	var all []failure
	for _, scenario := range s.Scenarios {
		for _, mode := range modesOf(scenario.Modes) {
			m := scenario.Modes[mode]
			if len(m.Errors) == 0 {
				continue
			}
			var types []string
			for _, t := range slices.Sorted(maps.Keys(m.Errors)) {
				types = append(types, fmt.Sprintf("%d × %s", m.Errors[t], oneLine(string(t))))
			}
			all = append(all, failure{
				scenario: oneLine(scenario.ID), mode: oneLine(string(mode)),
				types: strings.Join(types, ", "), example: oneLine(m.ExampleError),
			})
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
