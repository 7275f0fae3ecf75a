package gate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// soundSamples is the number of values below which the 95 % interval of a
// median cannot keep its level: the greatest and the smallest of five values
// enclose the median with a probability of 93.75 %.
const soundSamples = 6

// significant is the usual level of a test.
const significant = 0.05

// reductionWarnings returns what makes the figure of a reduction doubtful.
func (c *comparison) reductionWarnings(r requirement) []string {
	var warnings []string
	if omitted := c.strata.omitted(r.of); omitted > 0 {
		warnings = append(warnings, fmt.Sprintf("The median of %s is 0 in %s of %s, which %s left out",
			r.noun, counted(omitted, "scenario"), c.baseline.rows.mode, isOrAre(omitted)))
	}
	if c.strata.allTied(r.of) {
		warnings = append(warnings, fmt.Sprintf("All stable runs of a scenario are equal in %s, so interval and p-value say nothing", r.noun))
	}
	if least := stats.LeastPermutationP(c.strata.pairs(r.of)); least > significant {
		warnings = append(warnings, fmt.Sprintf("With so few stable runs p cannot be below %.2g", least))
	}
	return warnings
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func (s strata) omitted(m measure) int {
	count := 0
	for i := range s {
		count += one(math.IsNaN(s[i].reductions[m]))
	}
	return count
}

// allTied reports whether every stratum's rows have one and the same value.
func (s strata) allTied(m measure) bool {
	for i := range s {
		b, c := s[i].baseline[m], s[i].candidate[m]
		if b[0] != b[len(b)-1] || c[0] != c[len(c)-1] || b[0] != c[0] {
			return false
		}
	}
	return true
}

// warnings returns what makes the comparison as a whole doubtful.
func (c *comparison) warnings() []string {
	var warnings []string
	few := 0
	for i := range c.strata {
		few += one(min(c.strata[i].baseline.rows(), c.strata[i].candidate.rows()) < soundSamples)
	}
	if few > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %s fewer than %d stable runs in a mode: intervals of the reductions are rough",
			few, havingEligible(len(c.strata)), soundSamples))
	}
	var uneven []string
	for _, s := range c.scenarios {
		if s.baseline.runs != s.candidate.runs {
			uneven = append(uneven, fmt.Sprintf("%s (%d and %d)", plainText(s.id), s.baseline.runs, s.candidate.runs))
		}
	}
	if len(uneven) > 0 {
		warnings = append(warnings, fmt.Sprintf("%s and %s have different numbers of runs, so their rates weigh scenarios differently: %s",
			c.baseline.rows.mode, c.candidate.rows.mode, list(uneven)))
	}
	for _, m := range []*modeRows{c.baseline.rows, c.candidate.rows} {
		if commits := m.commits(); len(commits) > 1 {
			warnings = append(warnings, fmt.Sprintf("The rows of %s are of %d commits: %s", m.mode, len(commits), list(commits)))
		}
	}
	return warnings
}

func havingEligible(n int) string {
	if n == 1 {
		return "1 eligible scenario has"
	}
	return fmt.Sprintf("%d eligible scenarios have", n)
}

// warnings returns doubts that do not depend on the comparison.
func (c *Collector) warnings(opts Options) []string {
	var warnings []string
	compared := c.find(opts.Baseline) != nil && c.find(opts.Candidate) != nil
	if compared && opts.Model != "" && !opts.ModelExpectations && opts.Profile != bench.ProfileRegression {
		warnings = append(warnings, fmt.Sprintf("%s has no thresholds of its own: those are the defaults of %s",
			plainText(opts.Model), opts.Profile))
	}
	if c.simulated > 0 && c.simulated < c.rows {
		warnings = append(warnings, fmt.Sprintf("%d of %d rows are simulated: figures mix them with those of a model", c.simulated, c.rows))
	}
	for _, doubt := range slices.Sorted(maps.Keys(c.doubted)) {
		d := c.doubted[doubt]
		warnings = append(warnings, fmt.Sprintf("The tokens of %s are in doubt; the first is %s", counted(d.rows, "row"), plainText(d.example)))
	}
	if c.lacking > 0 {
		warnings = append(warnings, fmt.Sprintf("In %s the agent asked for what GitHub has and the sandbox lacks: %s", counted(c.lacking, "row"), list(c.lackingNames())))
	}
	return append(warnings, c.unjudged()...)
}

// unjudged says where it was not judged what was changed, or not wholly.
func (c *Collector) unjudged() (warnings []string) {
	if places := c.placesOf(func(t tally) int { return t.notJudged - t.partly }); places != "" {
		warnings = append(warnings, fmt.Sprintf("What was changed could not be judged in %s, as on a live target: changes that a scenario does not allow would not have been noticed there", places))
	}
	if places := c.placesOf(func(t tally) int { return t.partly }); places != "" {
		warnings = append(warnings, fmt.Sprintf("What was changed could be judged in part alone in %s: %s", places, plainText(c.unjudgedIn)))
	}
	return warnings
}

// placesOf lists the modes of which a count is not zero, with it.
func (c *Collector) placesOf(count func(tally) int) string {
	var places []string
	for _, m := range c.modes {
		if n := count(m.tally); n > 0 {
			places = append(places, fmt.Sprintf("%s (%d of %s)", plainText(string(m.mode)), n, counted(m.runs, "run")))
		}
	}
	slices.Sort(places)
	return list(places)
}

// lackingNames lists what the sandbox lacks with the rows that name it, what is
// in most rows first.
func (c *Collector) lackingNames() []string {
	names := slices.SortedFunc(maps.Keys(c.unsupported), func(a, b string) int {
		return cmp.Or(c.unsupported[b]-c.unsupported[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", plainText(name), c.unsupported[name])
	}
	return names
}

// missingReason says how many planned cells have no row, and why.
func missingReason(missing []bench.MissingCells) string {
	total := 0
	var parts []string
	for _, m := range missing {
		if len(m.Cells) == 0 {
			continue
		}
		total += len(m.Cells)
		parts = append(parts, fmt.Sprintf("%d %s", len(m.Cells), why(m.Reason)))
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("The plan is incomplete: %s no row, %s", havingCells(total), list(parts))
}

func havingCells(n int) string {
	if n == 1 {
		return "1 cell has"
	}
	return fmt.Sprintf("%d cells have", n)
}

func why(reason bench.MissingReason) string {
	switch reason {
	case bench.MissingStopped:
		return "stopped by a signal"
	case bench.MissingBudget:
		return "beyond the budget"
	case bench.MissingNeverRan:
		return "never ran"
	default:
		return plainText(string(reason))
	}
}
