package gate

import (
	"cmp"
	"math"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// checks returns the checks in the order of [bench.CheckRules] (rule G6). One of
// them that is not made here is missing, and a test says so.
func (c *comparison) checks(by sampling) []bench.Check {
	checks := []bench.Check{c.successCheck()}
	for _, r := range rates() {
		checks = append(checks, c.rateCheck(r))
	}
	confidences := c.confidence(by)
	for _, r := range requirements() {
		checks = append(checks, c.reductionCheck(r, confidences[r.of]))
	}
	checks = append(checks, c.coverageCheck(by))
	order := bench.CheckNames()
	slices.SortFunc(checks, func(a, b bench.Check) int {
		return cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name))
	})
	return checks
}

// check compares a value with its threshold, as the check's rule says, and tells
// whether the ends of its interval, nil if it has none, would be judged
// differently. The value is never outside of it.
func (c *comparison) check(name bench.CheckName, value float64, interval *bench.Interval) bench.Check {
	rule := name.Rule()
	op, threshold := rule.Operator, rule.Threshold(c.thresholds)
	if interval != nil {
		interval = &bench.Interval{min(interval[0], value), max(interval[1], value)}
	}
	return bench.Check{
		Name: name, Value: value, Operator: op, Threshold: threshold,
		Passed:    holds(value, op, threshold),
		Interval:  interval,
		Uncertain: interval != nil && holds(interval[0], op, threshold) != holds(interval[1], op, threshold),
	}
}

func holds(value float64, op bench.Operator, threshold float64) bool {
	if op == bench.AtMost {
		return value <= threshold
	}
	return value >= threshold
}

// successCheck asks that the candidate's success rate is not much lower than
// the baseline's.
func (c *comparison) successCheck() bench.Check {
	b, d := c.baseline.rows.tally, c.candidate.rows.tally
	lo, hi := stats.Newcombe(d.successes, d.runs, b.successes, b.runs)
	check := c.check(bench.CheckSuccessRate, successDelta(b, d), &bench.Interval{100 * lo, 100 * hi})
	return explained(check, c.successReason)
}

// rate is a check of one of the candidate's rates.
type rate struct {
	check bench.CheckName
	count func(tally) int
	// bad counts the rows that speak against the candidate, did says what
	// they did, and blame picks the errors that belong to it, nil for none.
	bad   func(tally) int
	did   string
	blame func(errorTally) bool
}

// rates returns the checks of rates (rule G3).
func rates() []rate {
	runnerFailures := func(t tally) int { return t.runnerFailures }
	timeouts := func(t tally) int { return t.timeouts }
	retried := func(t tally) int { return t.retried }
	return []rate{
		{
			check: bench.CheckOutputValidity, count: func(t tally) int { return t.valid }, bad: func(t tally) int { return t.runs - t.valid },
			did: "had no valid output", blame: anyError,
		},
		{
			check: bench.CheckRunnerFailureRate, count: runnerFailures, bad: runnerFailures,
			did: "were runner failures", blame: func(e errorTally) bool { return e.runnerFailure },
		},
		{
			check: bench.CheckTimeoutStallRate, count: timeouts, bad: timeouts,
			did: "timed out or stalled", blame: func(e errorTally) bool { return e.timeout },
		},
		{
			check: bench.CheckRetryRate, count: retried, bad: retried, did: "needed a retry",
		},
	}
}

func (c *comparison) rateCheck(r rate) bench.Check {
	t := c.candidate.rows.tally
	lo, hi := stats.Wilson(r.count(t), t.runs)
	check := c.check(r.check, percent(r.count(t), t.runs), &bench.Interval{100 * lo, 100 * hi})
	return explained(check, func() string { return c.rateReason(r) })
}

func (c *comparison) coverageCheck(by sampling) bench.Check {
	check := c.check(bench.CheckCoverage, c.efficiency.CoveragePct, c.coverageInterval(by))
	return explained(check, c.coverageReason)
}

// requirement is a check of a reduction.
type requirement struct {
	check bench.CheckName
	of    measure
	noun  string
}

// requirements returns the checks of reductions (rules G4 and G5).
func requirements() []requirement {
	return []requirement{
		{bench.CheckTokensReduction, tokensActive, "active tokens"},
		{bench.CheckLatencyReduction, latency, "latency"},
		{bench.CheckToolCallReduction, toolCalls, "tool calls"},
		{bench.CheckCostReduction, cost, "cost"},
	}
}

// reductionCheck compares a reduction with its minimum. A figure that does not
// exist is shown as 0 and never passes, whatever the minimum.
func (c *comparison) reductionCheck(r requirement, beside confidence) bench.Check {
	figure := c.figures[r.of]
	check := c.check(r.check, orZero(figure), beside.interval)
	check.PValue, check.EffectSize = beside.pValue, beside.effectSize
	if math.IsNaN(figure) {
		check.Passed = false
		check.Reason = c.noFigureReason(r)
		return check
	}
	check.Warnings = c.reductionWarnings(r)
	return explained(check, func() string { return c.reductionReason(r, check) })
}

// explained gives a check its reason: why it failed, or that it is in doubt.
func explained(check bench.Check, whyFailed func() string) bench.Check {
	switch {
	case !check.Passed:
		check.Reason = whyFailed()
	case check.Uncertain:
		check.Reason = "Passes, but the 95% interval, " + check.IntervalText() + ", reaches across the threshold, " + check.ThresholdText()
	}
	return check
}
