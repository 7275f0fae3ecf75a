package gate

import (
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// modeFigures is what the rows of a mode come to.
type modeFigures struct {
	rows      *modeRows
	summary   bench.ModeSummary
	profiling bench.Profiling
	// latencies and tokensActive are of all rows.
	latencies, tokensActive stats.Sample
	// stable has the stable rows' measures, by scenario number.
	stable []measures
	// stableTotals has the stable rows' tokens in total, by scenario number. They are
	// described, and nothing is judged by them.
	stableTotals []stats.Sample
}

// measure is one of the four that the efficiency checks compare.
type measure int

const (
	tokensActive measure = iota
	latency
	toolCalls
	cost
	measureCount
)

// measures has a sample per measure, all of the same rows.
type measures [measureCount]stats.Sample

func (m measures) rows() int { return len(m[tokensActive]) }

// of returns the record's value of a measure.
func (r *record) of(m measure) float64 {
	switch m {
	case tokensActive:
		return float64(r.tokensActive)
	case latency:
		return r.latencyMS
	case toolCalls:
		return float64(r.toolCalls)
	default:
		return r.costUSD
	}
}

// figuresOf computes what every mode comes to. The scenario numbers are below
// scenarios.
func figuresOf(modes []*modeRows, scenarios int) []*modeFigures {
	all := make([]*modeFigures, len(modes))
	var work []func()
	for i, m := range modes {
		f := &modeFigures{rows: m, stable: m.stableRows(scenarios), stableTotals: m.stableTotals(scenarios)}
		all[i] = f
		work = append(work, f.pooled()...)
		for scenario := range f.stable {
			work = append(work, func() { f.stable[scenario].sort(); slices.Sort(f.stableTotals[scenario]) })
		}
	}
	stats.InParallel(len(work), func(i int) { work[i]() })
	for _, f := range all {
		f.summarize()
	}
	return all
}

// stableRows returns the measures of every scenario's stable rows, unsorted.
func (m *modeRows) stableRows(scenarios int) []measures {
	samples := make([]measures, scenarios)
	backing := make([]float64, m.stable*int(measureCount))
	for scenario := range samples {
		count := m.tallyOf(scenario).stable
		for i := range samples[scenario] {
			samples[scenario][i], backing = backing[:0:count], backing[count:]
		}
	}
	for r := range m.records.all() {
		if !r.stable {
			continue
		}
		sample := &samples[r.scenario]
		for i := range sample {
			sample[i] = append(sample[i], r.of(measure(i)))
		}
	}
	return samples
}

// stableTotals returns the tokens in total of every scenario's stable rows, unsorted.
func (m *modeRows) stableTotals(scenarios int) []stats.Sample {
	samples := make([]stats.Sample, scenarios)
	for r := range m.records.all() {
		if r.stable {
			samples[r.scenario] = append(samples[r.scenario], float64(r.tokensTotal))
		}
	}
	return samples
}

func (m *measures) sort() {
	for _, sample := range m {
		slices.Sort(sample)
	}
}

// pooled returns the tasks that compute the figures over all rows (rule G1).
// They may run at once.
func (f *modeFigures) pooled() []func() {
	records, timings, s, p := &f.rows.records, &f.rows.timings, &f.summary, &f.profiling
	median := func(to *float64, of func(*record) float64) func() {
		return func() { *to = stats.Median(column(records, of)) }
	}
	medianTime := func(to *float64, of func(*timing) float64) func() {
		return func() { *to = stats.Median(column(timings, of)) }
	}
	sample := func(to *stats.Sample, of measure) func() {
		return func() { *to = stats.Sorted(column(records, func(r *record) float64 { return r.of(of) })) }
	}
	return []func(){
		sample(&f.latencies, latency),
		sample(&f.tokensActive, tokensActive),
		median(&s.MedianTokensTotal, func(r *record) float64 { return float64(r.tokensTotal) }),
		median(&s.MedianToolCalls, func(r *record) float64 { return float64(r.toolCalls) }),
		median(&s.MedianCostUSD, func(r *record) float64 { return r.costUSD }),
		medianTime(&p.MedianAssistantTotalMS, func(t *timing) float64 { return t.assistantTotal }),
		medianTime(&p.MedianAssistantReasoningMS, func(t *timing) float64 { return t.reasoning }),
		medianTime(&p.MedianAssistantBetweenReasoningAndToolMS, func(t *timing) float64 { return t.betweenReasoningAndTool }),
		medianTime(&p.MedianToolTotalMS, func(t *timing) float64 { return t.toolTotal }),
		medianTime(&p.MedianToolBashMS, func(t *timing) float64 { return t.toolBash }),
		medianTime(&p.MedianAssistantPostToolMS, func(t *timing) float64 { return t.postTool }),
	}
}

// summarize fills in what follows from the counts and the pooled samples.
func (f *modeFigures) summarize() {
	m, s := f.rows, &f.summary
	s.Mode = m.mode
	s.ModelSignature = strings.Join(m.models(bench.ModelRef.Signature), ",")
	s.Runs = m.runs
	s.SuccessRate = percent(m.successes, m.runs)
	s.OutputValidityRate = percent(m.valid, m.runs)
	s.RunnerFailureRate = percent(m.runnerFailures, m.runs)
	s.TimeoutStallRate = percent(m.timeouts, m.runs)
	s.RetryRate = percent(m.retried, m.runs)
	s.FootprintNotJudged = m.notJudged
	if m.routed > 0 {
		rate := percent(m.routeOK, m.routed)
		s.RouteOKRate = &rate
	}
	s.MeanReward = m.meanReward()
	s.MedianLatencyMS = f.latencies.Median()
	s.P90LatencyMS = f.latencies.Percentile(90)
	s.P95LatencyMS = f.latencies.Percentile(95)
	s.IQRLatencyMS = f.latencies.IQR()
	s.CVLatency = f.latencies.CV()
	s.MedianTokensActive = f.tokensActive.Median()
	s.P90TokensActive = f.tokensActive.Percentile(90)
	s.P95TokensActive = f.tokensActive.Percentile(95)
	f.profiling.RunsWithProfiling = m.timings.count
}

// models returns the distinct names of the mode's models, sorted.
func (m *modeRows) models(name func(bench.ModelRef) string) []string {
	return m.distinct(func(o origin) string {
		ref := bench.ModelRef{ProviderID: o.provider, ModelID: o.model}
		if o.hasVariant {
			ref.Mode = &o.variant
		}
		return name(ref)
	})
}

// distinct returns the distinct values over the mode's origins, sorted.
func (m *modeRows) distinct(of func(origin) string) []string {
	found := make(map[string]struct{}, len(m.origins))
	for o := range m.origins {
		found[of(o)] = struct{}{}
	}
	return slices.Sorted(maps.Keys(found))
}

// delta compares the pooled figures (rule G1).
func delta(baseline, candidate *modeFigures) *bench.Delta {
	b, c := baseline.summary, candidate.summary
	return &bench.Delta{
		TokensReductionPct:       reductionOrZero(b.MedianTokensTotal, c.MedianTokensTotal),
		TokensActiveReductionPct: reductionOrZero(b.MedianTokensActive, c.MedianTokensActive),
		LatencyReductionPct:      reductionOrZero(b.MedianLatencyMS, c.MedianLatencyMS),
		ToolCallReductionPct:     reductionOrZero(b.MedianToolCalls, c.MedianToolCalls),
		SuccessRateDeltaPct:      successDelta(baseline.rows.tally, candidate.rows.tally),
		OutputValidityRatePct:    c.OutputValidityRate,
		CostReductionPct:         reductionOrZero(b.MedianCostUSD, c.MedianCostUSD),
	}
}

// percent multiplies before it divides, as [reduction] and [successDelta] do:
// whole numbers then round once, so that a rate that equals its threshold on
// paper equals it here.
func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// successDelta returns the candidate's success rate less the baseline's, in
// percentage points. Both have rows.
func successDelta(baseline, candidate tally) float64 {
	difference := candidate.successes*baseline.runs - baseline.successes*candidate.runs
	return percent(difference, baseline.runs*candidate.runs)
}

// reduction returns how much less the candidate needs than the baseline, in
// percent of the baseline. ok is false if there is no baseline to compare
// with (rule G4); a negative one, which only broken rows have, is none.
func reduction(baseline, candidate float64) (pct float64, ok bool) {
	if baseline <= 0 {
		return 0, false
	}
	return 100 * (baseline - candidate) / baseline, true
}

func reductionOrZero(baseline, candidate float64) float64 {
	pct, _ := reduction(baseline, candidate)
	return pct
}

// rewardUnit is how many billionths are a whole reward.
const rewardUnit = 1e9

// meanReward returns nil where no row is of another system's benchmark. A task without a
// reward counts as 0.
func (t tally) meanReward() *float64 {
	if t.tasks == 0 {
		return nil
	}
	mean := float64(t.reward) / rewardUnit / float64(t.tasks)
	return &mean
}
