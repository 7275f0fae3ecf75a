// Package gate turns rows and thresholds into a summary with a verdict.
//
// A [Collector] takes the rows in, [Collector.Summarize] computes figures per
// mode, compares two modes by checks and says beside each check how sure it is.
// The package is pure: no clock, file, network or environment, and the same rows
// in any order, with the same options, give the same verdict and the same figures.
package gate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// DefaultResamples is the number of bootstrap resamples and of permutations
// (rule G13).
const DefaultResamples = 10_000

// maxPassHatK is the greatest k of pass^k in a scenario's summary.
const maxPassHatK = 8

// Options say what is compared, and how.
type Options struct {
	// Profile names the thresholds, for display.
	Profile    bench.GateProfile
	Thresholds bench.Thresholds
	// Baseline and Candidate are the compared modes; empty means
	// [bench.AgentDirect] and [bench.GHX] (rule G10).
	Baseline, Candidate bench.Mode
	// Model is the "provider/model" whose thresholds were asked for, for
	// display; ModelExpectations tells whether it has any of its own.
	Model             string
	ModelExpectations bool
	// GeneratedAt is RFC 3339 in UTC with milliseconds.
	GeneratedAt string
	// Seed decides all random draws.
	Seed uint64
	// Resamples is the number of bootstrap resamples and of permutations; 0
	// means [DefaultResamples].
	Resamples int
	// Missing are the planned cells without a row. If there are any, figures
	// and checks are shown, but there is no verdict (rule R9).
	Missing []bench.MissingCells
	// History is what former runs came to, the oldest first (rule G14).
	History []bench.HistoryEntry
}

func (o Options) withDefaults() Options {
	o.Baseline = cmp.Or(o.Baseline, bench.AgentDirect)
	o.Candidate = cmp.Or(o.Candidate, bench.GHX)
	o.Resamples = cmp.Or(o.Resamples, DefaultResamples)
	// A scenario without stable rows has no medians to compare.
	o.Thresholds.MinSamplesPerScenarioPerMode = max(1, o.Thresholds.MinSamplesPerScenarioPerMode)
	return o
}

// Summarize computes the summary of the rows that were added. Rows of the two
// compared modes that cannot be compared are an error of kind [fault.Invalid]
// that names the difference (rule G11); too few rows are not.
func (c *Collector) Summarize(opts Options) (bench.Summary, error) {
	opts = opts.withDefaults()
	c.settle()
	if opts.Baseline == opts.Candidate {
		return bench.Summary{}, fault.Invalidf("baseline and candidate are both %s: name two modes", opts.Baseline)
	}
	baseline, candidate := c.find(opts.Baseline), c.find(opts.Candidate)
	both := baseline != nil && candidate != nil
	if both {
		if err := c.checkComparable(baseline, candidate, opts.Missing); err != nil {
			return bench.Summary{}, err
		}
	}
	all := figuresOf(c.modes, len(c.scenarios.names))
	summary := c.describe(all, opts)
	summary.Gate = bench.Gate{
		Profile: opts.Profile, Checks: []bench.Check{}, Verdict: bench.VerdictNone,
		Baseline: opts.Baseline, Candidate: opts.Candidate, Model: opts.Model, ModelExpectations: opts.ModelExpectations,
	}
	var eligible strata
	if !both {
		summary.Gate.Reason = c.whyNothing(opts)
	} else {
		summary.ToolChanges = toolChanges(&baseline.uses, &candidate.uses)
		eligible = judge(&summary, c.scenarios.names, all[slices.Index(c.modes, baseline)], all[slices.Index(c.modes, candidate)], opts)
	}
	summary.Scenarios = c.scenarioSummaries(all, eligible)
	summary.Regressions = Regressions(c.historyEntry(summary, opts), opts.History)
	return summary, nil
}

// describe returns the parts of the summary that need no comparison.
func (c *Collector) describe(all []*modeFigures, opts Options) bench.Summary {
	summary := bench.Summary{
		GeneratedAt:   opts.GeneratedAt,
		Modes:         make(map[bench.Mode]bench.ModeSummary, len(all)),
		Profiling:     map[bench.Mode]bench.Profiling{},
		SchemaVersion: bench.SummarySchemaVersion,
		Simulated:     c.simulated > 0,
		RunIDs:        c.runIDs(),
		Missing:       append([]bench.MissingCells{}, opts.Missing...),
		CostUSD:       c.costUSD(),
		Warnings:      append([]string{}, c.warnings(opts)...),
	}
	for _, f := range all {
		summary.Modes[f.rows.mode] = f.summary
		if f.profiling.RunsWithProfiling > 0 {
			summary.Profiling[f.rows.mode] = f.profiling
		}
	}
	return summary
}

// judge fills in the comparison of two modes and returns the scenarios that
// count for efficiency.
func judge(summary *bench.Summary, ids []string, baseline, candidate *modeFigures, opts Options) strata {
	by := sampling{seed: opts.Seed, resamples: opts.Resamples}
	summary.Delta = delta(baseline, candidate)
	c := compare(ids, baseline, candidate, opts.Thresholds)
	c.addIntervals(summary.Delta, by)
	summary.Warnings = append(summary.Warnings, c.warnings()...)
	gate := &summary.Gate
	gate.Efficiency = &c.efficiency
	gate.Reliability = &bench.Reliability{
		SuccessRateDeltaPct:   summary.Delta.SuccessRateDeltaPct,
		OutputValidityRatePct: candidate.summary.OutputValidityRate,
		RunnerFailureRatePct:  candidate.summary.RunnerFailureRate,
		TimeoutStallRatePct:   candidate.summary.TimeoutStallRate,
		RetryRatePct:          candidate.summary.RetryRate,
	}
	if opts.Profile.ByEvidence() { // there are no checks to resample for
		return c.strata
	}
	gate.Checks = c.checks(by)
	if gate.Reason = missingReason(opts.Missing); gate.Reason == "" {
		gate.Verdict, gate.Reason = verdict(gate.Checks)
	}
	gate.Passed = gate.Verdict == bench.VerdictPass
	return c.strata
}

// whyNothing says why there is no verdict where a mode has no rows.
func (c *Collector) whyNothing(opts Options) string {
	var absent []string
	for _, mode := range []bench.Mode{opts.Baseline, opts.Candidate} {
		if c.find(mode) == nil {
			absent = append(absent, string(mode))
		}
	}
	if incomplete := missingReason(opts.Missing); incomplete != "" {
		return incomplete + "; there are no rows of " + list(absent) + " to compare"
	}
	if opts.Baseline == bench.NoBaseline {
		return "One agent was run alone, so there is nothing to compare: `bench compare` compares two runs, and a gate by evidence (`bench harness gate --policy evidence`) runs the baseline beside the agent"
	}
	return "There are no rows of " + list(absent) + ", so there is nothing to compare"
}

// scenarioSummaries returns the figures of every scenario, sorted by id.
func (c *Collector) scenarioSummaries(all []*modeFigures, eligible strata) []bench.ScenarioSummary {
	summaries := make([]bench.ScenarioSummary, len(c.scenarios.names))
	for number, id := range c.scenarios.names {
		modes := map[bench.Mode]bench.ScenarioModeSummary{}
		for _, f := range all {
			if f.rows.tallyOf(number).runs > 0 {
				modes[f.rows.mode] = f.scenario(number)
			}
		}
		summaries[number] = bench.ScenarioSummary{ID: id, Modes: modes}
	}
	for _, s := range eligible {
		summary := &summaries[s.number]
		summary.Eligible = true
		summary.TokensActiveReductionPct = ifThere(s.reductions[tokensActive])
		summary.TokensTotalReductionPct = s.totalReduction
		summary.LatencyReductionPct = ifThere(s.reductions[latency])
		summary.ToolCallReductionPct = ifThere(s.reductions[toolCalls])
		summary.CostReductionPct = ifThere(s.reductions[cost])
	}
	slices.SortFunc(summaries, func(a, b bench.ScenarioSummary) int { return strings.Compare(a.ID, b.ID) })
	return summaries
}

func ifThere(figure float64) *float64 {
	if math.IsNaN(figure) {
		return nil
	}
	return &figure
}

// scenario returns the figures of one scenario, which has rows in the mode.
func (f *modeFigures) scenario(number int) bench.ScenarioModeSummary {
	g := &f.rows.groups[number]
	medians := f.stable[number].medians()
	summary := bench.ScenarioModeSummary{
		Runs: g.runs, Successes: g.successes, Stable: g.stable, MeanReward: g.meanReward(),
		MedianTokensActive: medians[tokensActive],
		MedianTokensTotal:  new(f.stableTotals[number].Median()),
		MedianLatencyMS:    medians[latency],
		MedianToolCalls:    medians[toolCalls],
		MedianCostUSD:      medians[cost],
		UnallowedChanges:   slices.Clone(g.unallowed),
	}
	for k := 1; k <= min(g.runs, maxPassHatK); k++ {
		summary.PassHatK = append(summary.PassHatK, stats.PassHatK(g.successes, g.runs, k))
	}
	for i, e := range g.errors {
		if i == 0 {
			summary.Errors = make(map[bench.ErrorType]int, len(g.errors))
			summary.ExampleError = e.example
		}
		summary.Errors[e.kind] = e.rows
	}
	return summary
}
