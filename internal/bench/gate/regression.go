package gate

import (
	"maps"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// What counts as a regression (rule G14).
const (
	// RecentEntries is how many history entries make up the recent average.
	RecentEntries = 5
	// MaxLatencyRisePct is the greatest rise of the median latency, in
	// percent, that is no regression.
	MaxLatencyRisePct = 15.0
	// MaxSuccessDropPct is the greatest drop of the success rate, in
	// percentage points, that is no regression.
	MaxSuccessDropPct = 5.0
)

// The metrics that are compared with the history.
const (
	metricLatency = "median_latency_ms"
	metricSuccess = "success_rate_pct"
)

// Regressions compares every mode of a run with its average over the last
// [RecentEntries] history entries that are like the run and have the mode.
// History is in order of time. Changes are signed, as their thresholds are: a
// success rate that drops by 7 points is a change of −7 against −5. It is
// empty, not nil, if nothing is worse.
func Regressions(current bench.HistoryEntry, history []bench.HistoryEntry) []bench.Regression {
	alike := slices.DeleteFunc(slices.Clone(history), func(past bench.HistoryEntry) bool { return !sameKind(past, current) })
	found := []bench.Regression{}
	for _, mode := range slices.Sorted(maps.Keys(current.Modes)) {
		// The average of nothing is no number, and nothing is worse than that.
		recent := recentOf(mode, alike)
		now := current.Modes[mode]
		before := average(recent, func(m bench.ModeSummary) float64 { return m.MedianLatencyMS })
		if fall := reductionOrZero(before, now.MedianLatencyMS); -fall > MaxLatencyRisePct {
			found = append(found, bench.Regression{
				Metric: metricLatency, Mode: mode, Current: now.MedianLatencyMS, RecentAverage: before,
				DeltaPct: -fall, ThresholdPct: MaxLatencyRisePct,
			})
		}
		before = average(recent, func(m bench.ModeSummary) float64 { return m.SuccessRate })
		if drop := before - now.SuccessRate; drop > MaxSuccessDropPct {
			found = append(found, bench.Regression{
				Metric: metricSuccess, Mode: mode, Current: now.SuccessRate, RecentAverage: before,
				DeltaPct: -drop, ThresholdPct: -MaxSuccessDropPct,
			})
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

// recentOf returns the mode's figures in the last entries that have any.
func recentOf(mode bench.Mode, history []bench.HistoryEntry) []bench.ModeSummary {
	var recent []bench.ModeSummary
	for _, entry := range slices.Backward(history) {
		if m, has := entry.Modes[mode]; has && len(recent) < RecentEntries {
			recent = append(recent, m)
		}
	}
	return recent
}

func average(summaries []bench.ModeSummary, of func(bench.ModeSummary) float64) float64 {
	sum := 0.0
	for _, s := range summaries {
		sum += of(s)
	}
	return sum / float64(len(summaries))
}

// historyEntry returns what [Regressions] compares of a summary.
func (c *Collector) historyEntry(summary bench.Summary, opts Options) bench.HistoryEntry {
	entry := bench.HistoryEntry{
		Profile: opts.Profile, Modes: summary.Modes, Model: opts.Model,
		ScenarioSet: c.ScenarioSet(), Simulated: summary.Simulated,
	}
	if len(summary.RunIDs) > 0 {
		entry.RunID = summary.RunIDs[0]
	}
	return entry
}
