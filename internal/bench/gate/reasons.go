package gate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// successReason names the scenarios in which the candidate lost most.
func (c *comparison) successReason() string {
	b, d := c.baseline.rows, c.candidate.rows
	lost := func(s scenario) float64 {
		if s.baseline.runs == 0 {
			return percent(s.candidate.runs-s.candidate.successes, s.candidate.runs)
		}
		return -successDelta(s.baseline, s.candidate)
	}
	worst := c.worst(lost, func(s scenario) string {
		note := fmt.Sprintf("%d of %d", s.candidate.runs-s.candidate.successes, s.candidate.runs)
		return s.note(note, c.example(s, anyError))
	})
	return fmt.Sprintf("%d of %s failed, against %d of %d of %s%s",
		d.runs-d.successes, counted(d.runs, string(d.mode)+" run"), b.runs-b.successes, b.runs, b.mode, worst)
}

// rateReason counts the rows that speak against the candidate and names the
// scenarios with most of them.
func (c *comparison) rateReason(r rate) string {
	t := c.candidate.rows.tally
	worst := c.worst(func(s scenario) float64 { return float64(r.bad(s.candidate)) }, func(s scenario) string {
		return s.note(fmt.Sprintf("%d of %d", r.bad(s.candidate), s.candidate.runs), c.example(s, r.blame))
	})
	return fmt.Sprintf("%d of %s %s%s", r.bad(t), counted(t.runs, string(c.candidate.rows.mode)+" run"), r.did, worst)
}

// coverageReason names the scenarios with too few stable rows.
func (c *comparison) coverageReason() string {
	least := c.thresholds.MinSamplesPerScenarioPerMode
	short := func(s scenario) float64 {
		return float64(max(0, least-s.baseline.stable) + max(0, least-s.candidate.stable))
	}
	worst := c.worst(short, func(s scenario) string {
		return s.note(fmt.Sprintf("%d in %s and %d in %s",
			s.baseline.stable, c.baseline.rows.mode, s.candidate.stable, c.candidate.rows.mode), "")
	})
	return fmt.Sprintf("%d of %s lack %s in each mode%s", len(c.scenarios)-len(c.strata),
		counted(len(c.scenarios), "scenario"), counted(least, "stable run"), worst)
}

// worst lists the scenarios whose badness is above 0, the worst ones first,
// behind a colon; it is empty if there are none.
func (c *comparison) worst(badness func(scenario) float64, describe func(scenario) string) string {
	bad := slices.DeleteFunc(slices.Clone(c.scenarios), func(s scenario) bool { return badness(s) <= 0 })
	if len(bad) == 0 {
		return ""
	}
	slices.SortStableFunc(bad, func(a, b scenario) int { return cmp.Compare(badness(b), badness(a)) })
	names := make([]string, len(bad))
	for i, s := range bad[:min(len(bad), maxListed)] {
		names[i] = describe(s)
	}
	return ": " + list(names)
}

// note returns the scenario's id with what there is to say about it.
func (s scenario) note(count, example string) string {
	if example == "" {
		return plainText(s.id) + " (" + count + ")"
	}
	return plainText(s.id) + " (" + count + "; " + example + ")"
}

func anyError(errorTally) bool { return true }

// example returns the scenario's first error in the candidate's rows, of which
// there are some, that blame picks, as "type: message"; empty if there is none
// or blame is nil.
func (c *comparison) example(s scenario, blame func(errorTally) bool) string {
	if blame == nil {
		return ""
	}
	for _, e := range c.candidate.rows.groups[s.number].errors {
		if blame(e) {
			return strings.TrimSuffix(plainText(string(e.kind))+": "+e.example, ": ")
		}
	}
	return ""
}

// reductionReason says how far the check's figure is from the minimum, and which
// scenarios are furthest.
func (c *comparison) reductionReason(r requirement, check bench.Check) string {
	compared := slices.DeleteFunc(slices.Clone(c.strata), func(s stratum) bool { return math.IsNaN(s.reductions[r.of]) })
	slices.SortStableFunc(compared, func(a, b stratum) int { return cmp.Compare(a.reductions[r.of], b.reductions[r.of]) })
	names := make([]string, 0, len(compared))
	for _, s := range compared {
		if s.reductions[r.of] < check.Threshold {
			names = append(names, plainText(s.id)+" ("+bench.PercentText(s.reductions[r.of])+")")
		}
	}
	figure := "The reduction in " + r.noun + " is " + check.ValueText() + " in the median of " +
		counted(len(compared), "scenario")
	if r.of == cost {
		figure = "The lowest reduction in cost is " + check.ValueText()
	}
	return figure + ", the minimum is " + check.ThresholdText() + "; furthest from it: " + list(names)
}

// noFigureReason says why a reduction could not be computed.
func (c *comparison) noFigureReason(r requirement) string {
	if len(c.strata) == 0 {
		return fmt.Sprintf("No scenario has %s in each mode, so there is nothing to compare",
			counted(c.thresholds.MinSamplesPerScenarioPerMode, "stable run"))
	}
	if r.of != cost {
		return fmt.Sprintf("The median of %s is 0 in every eligible scenario of %s, so there is nothing to compare",
			r.noun, c.baseline.rows.mode)
	}
	var names []string
	for _, s := range c.strata {
		if math.IsNaN(s.reductions[cost]) {
			names = append(names, plainText(s.id))
		}
	}
	return "No cost data: the median cost is 0 in a mode of " + list(names)
}

// verdict judges the checks (rule G6) and says why in one sentence.
func verdict(checks []bench.Check) (bench.Verdict, string) {
	var failed []string
	uncertain := 0
	for _, check := range checks {
		if !check.Passed {
			failed = append(failed, string(check.Name))
		}
		uncertain += one(check.Uncertain)
	}
	doubt := ""
	if uncertain > 0 {
		doubt = "; " + counted(uncertain, "check") + " in doubt"
	}
	if len(failed) == 0 {
		return bench.VerdictPass, fmt.Sprintf("All %d checks passed%s", len(checks), doubt)
	}
	return bench.VerdictFail, fmt.Sprintf("%d of %d checks failed: %s%s", len(failed), len(checks), strings.Join(failed, ", "), doubt)
}
