package gate

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// What counts as a regression (rule G14).
const (
	// RecentEntries is how many history entries a run is compared with at most.
	RecentEntries = 5
	// leastEntries is how many it takes to know how much runs differ.
	leastEntries = 3
	// falseWarnings is in how many runs without a change there may be any
	// warning.
	falseWarnings = 0.05
	// leastSpread is the least standard deviation of the logarithm of the latency
	// between runs that is believed: a few runs may be equal by luck.
	leastSpread = 0.01
)

// The metrics that are compared with the history.
const (
	metricLatency = "median_latency_ms"
	metricSuccess = "success_rate_pct"
)

// Regressions compares every mode of a run with the last [RecentEntries] history
// entries that are like the run and have the mode. A figure is a regression if
// it is worse by more than one run differs from others of the kind: beyond the
// prediction interval of their mean, which knows of what changes around runs from
// one to the next (rule V9). Its level is divided among all figures, so that one
// run of 20 without a change has a warning at most. History is in order of time.
// It is empty, not nil, if nothing is worse.
func Regressions(current bench.HistoryEntry, history []bench.HistoryEntry) []bench.Regression {
	alike := slices.DeleteFunc(slices.Clone(history), func(past bench.HistoryEntry) bool { return !sameKind(past, current) })
	var all []recent
	for _, mode := range slices.Sorted(maps.Keys(current.Modes)) {
		entries := recentOf(mode, alike)
		all = append(all, latencies(mode, current, entries), successes(mode, current, entries))
	}
	all = slices.DeleteFunc(all, func(r recent) bool { return len(r.before) < leastEntries })
	found := []bench.Regression{}
	for _, r := range all {
		if worse, is := r.regression(falseWarnings / float64(len(all))); is {
			found = append(found, worse)
		}
	}
	return found
}

// sameKind reports whether a past run can be compared with the current one.
// Entries of the original harness do not state model, scenario set and run;
// what is not stated on either side is no difference. A run is not its own
// history.
func sameKind(past, current bench.HistoryEntry) bool {
	agree := func(a, b string) bool { return a == "" || b == "" || a == b }
	itself := past.RunID != "" && past.RunID == current.RunID
	return !itself && past.Simulated == current.Simulated &&
		agree(string(past.Profile), string(current.Profile)) &&
		agree(past.Model, current.Model) && agree(past.ScenarioSet, current.ScenarioSet)
}

// recentOf returns the last entries that have figures of the mode.
func recentOf(mode bench.Mode, history []bench.HistoryEntry) []bench.HistoryEntry {
	var entries []bench.HistoryEntry
	for _, entry := range slices.Backward(history) {
		if _, has := entry.Modes[mode]; has && len(entries) < RecentEntries {
			entries = append(entries, entry)
		}
	}
	return entries
}

// recent is a figure of a run, and of those before it, on a scale where more is
// worse and differences are alike wherever they are.
type recent struct {
	metric string
	mode   bench.Mode
	now    float64
	before []float64
	// least is the least standard error of the difference that is believed.
	least float64
}

// latencies are logarithms. Where the runs tell of scenarios, each of those that
// all have weighs the same; else they are of the median of all sessions.
func latencies(mode bench.Mode, current bench.HistoryEntry, entries []bench.HistoryEntry) recent {
	r := recent{metric: metricLatency, mode: mode}
	ids, told := shared(mode, current, entries, func(s bench.HistorySessions) bool { return s.MedianLatencyMS > 0 })
	level := func(e bench.HistoryEntry) float64 {
		if !told {
			return math.Log(e.Modes[mode].MedianLatencyMS)
		}
		return meanOf(mode, e, ids, func(s bench.HistorySessions) float64 { return math.Log(s.MedianLatencyMS) })
	}
	r.fill(level, current, entries)
	r.least = leastSpread * math.Sqrt(1+1/float64(len(r.before)))
	return r
}

// successes are rates of failure, from 0 to 1.
func successes(mode bench.Mode, current bench.HistoryEntry, entries []bench.HistoryEntry) recent {
	r := recent{metric: metricSuccess, mode: mode}
	ids, told := shared(mode, current, entries, func(s bench.HistorySessions) bool { return s.Runs > 0 })
	level := func(e bench.HistoryEntry) float64 {
		if !told {
			return 1 - e.Modes[mode].SuccessRate/100
		}
		return meanOf(mode, e, ids, func(s bench.HistorySessions) float64 { return 1 - float64(s.Successes)/float64(s.Runs) })
	}
	r.fill(level, current, entries)
	runs := 0.0
	for _, e := range entries {
		runs += float64(e.Modes[mode].Runs)
	}
	if own := float64(current.Modes[mode].Runs); own > 0 && runs > 0 {
		// Not even runs of one and the same rate are all equal.
		const half = 0.5 // Jeffreys' prior
		rate := (stat.Mean(r.before, nil)*runs + half) / (runs + 2*half)
		r.least = math.Sqrt(rate * (1 - rate) * (1/own + 1/runs))
	}
	return r
}

// fill notes the levels; none if one is no number.
func (r *recent) fill(level func(bench.HistoryEntry) float64, current bench.HistoryEntry, entries []bench.HistoryEntry) {
	r.now = level(current)
	for _, e := range entries {
		r.before = append(r.before, level(e))
	}
	if slices.ContainsFunc(append(r.before, r.now), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
		r.before = nil
	}
}

// shared returns the scenarios that all the runs have figures of; told is false
// if one of the runs does not tell of scenarios.
func shared(mode bench.Mode, current bench.HistoryEntry, entries []bench.HistoryEntry, has func(bench.HistorySessions) bool) (ids []string, told bool) {
	all := append([]bench.HistoryEntry{current}, entries...)
	if slices.ContainsFunc(all, func(e bench.HistoryEntry) bool { return e.Scenarios == nil }) {
		return nil, false
	}
	for _, id := range slices.Sorted(maps.Keys(current.Scenarios)) {
		if !slices.ContainsFunc(all, func(e bench.HistoryEntry) bool { return !has(e.Scenarios[id].Modes[mode]) }) {
			ids = append(ids, id)
		}
	}
	return ids, true
}

// meanOf returns the mean of scenarios, not a number without any.
func meanOf(mode bench.Mode, e bench.HistoryEntry, ids []string, of func(bench.HistorySessions) float64) float64 {
	sum := 0.0
	for _, id := range ids {
		sum += of(e.Scenarios[id].Modes[mode])
	}
	return sum / float64(len(ids))
}

// regression reports whether the figure is worse than chance explains, at a
// one-sided level.
func (r recent) regression(level float64) (bench.Regression, bool) {
	mean, deviation := stat.MeanStdDev(r.before, nil)
	runs := float64(len(r.before))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: runs - 1}.Quantile(1 - level)
	bound := t * max(deviation*math.Sqrt(1+1/runs), r.least)
	rise := r.now - mean
	if !(rise > bound) {
		return bench.Regression{}, false
	}
	found := bench.Regression{Metric: r.metric, Mode: r.mode, Runs: len(r.before)}
	if r.metric == metricLatency {
		pct := func(log float64) float64 { return 100 * math.Expm1(log) }
		found.Current, found.RecentAverage = math.Exp(r.now), math.Exp(mean)
		found.DeltaPct, found.ThresholdPct = pct(rise), pct(bound)
		found.Interval = &bench.Interval{pct(rise - bound), pct(rise + bound)}
		return found, true
	}
	points := func(rate float64) float64 { return -100 * rate }
	found.Current, found.RecentAverage = 100*(1-r.now), 100*(1-mean)
	found.DeltaPct, found.ThresholdPct = points(rise), points(bound)
	found.Interval = &bench.Interval{max(-100, points(rise+bound)), points(rise - bound)}
	return found, true
}

// HistoryScenarios returns what a history keeps of a summary's scenarios.
func HistoryScenarios(summary bench.Summary) map[string]bench.HistoryScenario {
	all := make(map[string]bench.HistoryScenario, len(summary.Scenarios))
	for _, s := range summary.Scenarios {
		modes := make(map[bench.Mode]bench.HistorySessions, len(s.Modes))
		for mode, m := range s.Modes {
			modes[mode] = bench.HistorySessions{Runs: m.Runs, Successes: m.Successes, MedianLatencyMS: m.MedianLatencyMS}
		}
		all[s.ID] = bench.HistoryScenario{Modes: modes}
	}
	return all
}

// historyEntry returns what [Regressions] compares of a summary.
func (c *Collector) historyEntry(summary bench.Summary, opts Options) bench.HistoryEntry {
	entry := bench.HistoryEntry{
		Profile: opts.Profile, Modes: summary.Modes, Model: opts.Model,
		ScenarioSet: c.ScenarioSet(), Simulated: summary.Simulated, Scenarios: HistoryScenarios(summary),
	}
	if len(summary.RunIDs) > 0 {
		entry.RunID = summary.RunIDs[0]
	}
	return entry
}
