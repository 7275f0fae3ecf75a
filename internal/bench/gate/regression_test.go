package gate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
)

// entry is a history entry with one mode's figures.
func entry(latencyMS, successRate float64, changes ...func(*bench.HistoryEntry)) bench.HistoryEntry {
	e := bench.HistoryEntry{
		Profile: bench.VerifyPR, Model: "openai/gpt-5.3-codex", ScenarioSet: "all",
		Modes: map[bench.Mode]bench.ModeSummary{bench.GHX: {MedianLatencyMS: latencyMS, SuccessRate: successRate}},
	}
	for _, alter := range changes {
		alter(&e)
	}
	return e
}

func TestG14RegressionsAreAgainstTheAverageOfTheLastFiveAlike(t *testing.T) {
	calm := []bench.HistoryEntry{entry(900, 100), entry(1100, 90), entry(1000, 95)}
	otherModel := func(e *bench.HistoryEntry) { e.Model = "openai/gpt-5.4" }
	otherSet := func(e *bench.HistoryEntry) { e.ScenarioSet = "issues" }
	otherProfile := func(e *bench.HistoryEntry) { e.Profile = bench.VerifyRelease }
	simulated := func(e *bench.HistoryEntry) { e.Simulated = true }
	old := func(e *bench.HistoryEntry) { e.Model, e.ScenarioSet = "", "" }
	sameRun := func(e *bench.HistoryEntry) { e.RunID = "run-1" }
	slow := bench.Regression{Metric: "median_latency_ms", Mode: bench.GHX, Current: 1200, RecentAverage: 1000, DeltaPct: 20, ThresholdPct: 15}
	cases := []struct {
		name    string
		current bench.HistoryEntry
		history []bench.HistoryEntry
		want    []bench.Regression
	}{
		{"no history", entry(9999, 0), nil, nil},
		{"15 % slower and 5 points lower are within bounds", entry(1150, 90), calm, nil},
		{"slower", entry(1200, 95), calm, []bench.Regression{slow}},
		{"fewer successes", entry(1000, 89), calm, []bench.Regression{
			{Metric: "success_rate_pct", Mode: bench.GHX, Current: 89, RecentAverage: 95, DeltaPct: -6, ThresholdPct: -5},
		}},
		{"faster and better is none", entry(10, 100), calm, nil},
		{"entries before the last five do not count", entry(1200, 95),
			append([]bench.HistoryEntry{entry(9000, 95), entry(9000, 95)}, entry(1000, 95), entry(1000, 95), entry(1000, 95), entry(1000, 95), entry(1000, 95)),
			[]bench.Regression{slow}},
		{"another model", entry(1200, 95), []bench.HistoryEntry{entry(1000, 95, otherModel)}, nil},
		{"another scenario set", entry(1200, 95), []bench.HistoryEntry{entry(1000, 95, otherSet)}, nil},
		{"another profile", entry(1200, 95), []bench.HistoryEntry{entry(1000, 95, otherProfile)}, nil},
		{"unlike entries make room for older ones", entry(1200, 95), append(calm, entry(1200, 95, otherModel)), []bench.Regression{slow}},
		{"an old entry states neither model nor set", entry(1200, 95), []bench.HistoryEntry{entry(1000, 95, old)}, []bench.Regression{slow}},
		{"simulated and real runs are not compared", entry(1200, 95), []bench.HistoryEntry{entry(1000, 95, simulated)}, nil},
		{"nor real and simulated ones", entry(1200, 95, simulated), []bench.HistoryEntry{entry(1000, 95)}, nil},
		{"simulated runs are compared with their like", entry(1200, 95, simulated), []bench.HistoryEntry{entry(1000, 95, simulated)}, []bench.Regression{slow}},
		{"a run is not its own history", entry(1200, 95, sameRun), []bench.HistoryEntry{entry(1000, 95), entry(1200, 95, sameRun)}, []bench.Regression{slow}},
		{"a history without latencies", entry(1200, 95), []bench.HistoryEntry{entry(0, 95)}, nil},
	}
	for _, c := range cases {
		t.Run("G14: "+c.name, func(t *testing.T) {
			got := gate.Regressions(c.current, c.history)
			require.Len(t, got, len(c.want))
			for i := range c.want {
				assert.Equal(t, c.want[i].Metric, got[i].Metric)
				assert.InDelta(t, c.want[i].DeltaPct, got[i].DeltaPct, 1e-9)
				assert.InDelta(t, c.want[i].RecentAverage, got[i].RecentAverage, 1e-9)
				assert.Equal(t, c.want[i].ThresholdPct, got[i].ThresholdPct)
				assert.Equal(t, c.want[i].Current, got[i].Current)
			}
		})
	}
}

func TestG14ASummaryHasItsRegressionsAndTheGateIsUnmoved(t *testing.T) {
	opts := quick()
	opts.Model = "openai/gpt-5.3-codex"
	opts.History = []bench.HistoryEntry{entry(500, 100)}
	summary := summarize(t, better("a-001"), opts)
	require.Len(t, summary.Regressions, 1)
	assert.Equal(t, 1000.0, summary.Regressions[0].Current)
	assert.Equal(t, 100.0, summary.Regressions[0].DeltaPct)
	assert.True(t, summary.Gate.Passed)

	opts.Model = "openai/gpt-5.4"
	assert.Empty(t, summarize(t, better("a-001"), opts).Regressions, "the history is of another model")
}
