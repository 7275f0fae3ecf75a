package gate_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestG17PIsThatOfTheStratifiedRankTestByPermutation(t *testing.T) {
	rows := noisy(8, 5, 0.8, "a-001", "b-001", "c-001")
	got := check(t, summarize(t, rows, seeded(1, gate.DefaultResamples)), bench.CheckLatencyReduction)
	want := stats.VanElteren(sortedPairs(rows))
	require.Greater(t, want, 0.01, "a p-value near 0 could hide an error")
	require.Less(t, want, 0.5, "and so could one near 1")
	assert.InDelta(t, want, *got.PValue, 0.02, "its normal approximation is near")
}

func TestG17PerfectSeparationIsNotDoubted(t *testing.T) {
	rows := noisy(1, 4, 0.01, "a-001")
	got := check(t, summarize(t, rows, seeded(1, gate.DefaultResamples)), bench.CheckLatencyReduction)
	assert.Equal(t, 1.0, *got.EffectSize)
	assert.InDelta(t, 2.0/70, *got.PValue, 1e-12, "two of the labellings are as extreme")
}

func TestG17CoverageIsNeverCertain(t *testing.T) {
	of := func(stable, failing int, scenarios ...string) bench.Check {
		var rows []*bench.Row
		for _, s := range scenarios {
			for _, mode := range []bench.Mode{bench.AgentDirect, bench.GHX} {
				rows = append(rows, join(runs(stable, mode, s), runs(failing, mode, s, failed(bench.CheckpointFailed, "x")))...)
			}
		}
		return check(t, summarize(t, rows, seeded(1, 4000)), bench.CheckCoverage)
	}
	all := of(8, 0, "a-001")
	assert.Equal(t, 100.0, all.Value)
	assert.Equal(t, 100.0, all.Interval[1])
	assert.InDelta(t, 98.56, all.Interval[0], 0.2, "8 of 8 do not make it certain: so say 400,000 draws with SciPy")

	few := of(3, 0, "a-001")
	assert.InDelta(t, 3.43, few.Interval[0], 1, "of 3 rows all must be stable again")
	assert.True(t, few.Uncertain)
	assert.Less(t, of(3, 0, "a-001", "b-001", "c-001", "d-001").Interval[1]-100, 1e-9)
	assert.Greater(t, of(3, 0, "a-001", "b-001", "c-001", "d-001").Interval[0], few.Interval[0]+10, "more scenarios, less doubt")

	none := of(0, 8, "a-001")
	assert.Zero(t, none.Value)
	assert.Zero(t, none.Interval[0])
	assert.Positive(t, none.Interval[1])
	assert.Equal(t, &bench.Interval{0, 0}, of(2, 0, "a-001").Interval, "of 2 rows 3 are never stable")
}

// The lowest of the scenarios' true reductions in cost is in the interval; that
// of resampling held 0 to 92 % of them.
func TestG17CostIntervalHoldsTheLowestReduction(t *testing.T) {
	testkit.NeedComplete(t)
	ids := []string{"a-001", "b-001", "c-001", "d-001", "e-001", "f-001"}
	for _, c := range []struct {
		name       string
		scenarios  int
		perMode    int
		reductions []float64
	}{
		{"one scenario", 1, 4, []float64{20}},
		{"equal scenarios", 6, 4, []float64{20, 20, 20, 20, 20, 20}},
		{"unlike scenarios", 6, 8, []float64{40, 35, 30, 25, 20, 15}},
	} {
		t.Run(c.name, func(t *testing.T) {
			held := 0
			const suites = 300
			for seed := range uint64(suites) {
				r := rand.New(rand.NewPCG(seed, 7))
				var rows []*bench.Row
				for i, id := range ids[:c.scenarios] {
					for range c.perMode {
						for _, mode := range []bench.Mode{bench.AgentDirect, bench.GHX} {
							row := runs(1, mode, id)[0]
							row.Cost = 0.02 * math.Exp(0.3*r.NormFloat64())
							if mode == bench.GHX {
								row.Cost *= 1 - c.reductions[i]/100
							}
							rows = append(rows, row)
						}
					}
				}
				got := check(t, summarize(t, rows, quick()), bench.CheckCostReduction)
				require.NotNil(t, got.Interval)
				lowest := slices.Min(c.reductions)
				if got.Interval[0] <= lowest && lowest <= got.Interval[1] {
					held++
				}
			}
			assert.GreaterOrEqual(t, held, suites*93/100)
		})
	}
}

func TestG17CostIntervalNeedsCostsToCompare(t *testing.T) {
	opts := quick()
	opts.Thresholds.MinSamplesPerScenarioPerMode = 1
	single := join(runs(1, bench.AgentDirect, "a-001"), runs(3, bench.GHX, "a-001"))
	assert.Nil(t, check(t, summarize(t, single, opts), bench.CheckCostReduction).Interval, "one row has no noise to see")
	free := better("a-001", "b-001")
	free[0].Cost = 0
	assert.Nil(t, check(t, summarize(t, free, quick()), bench.CheckCostReduction).Interval, "a cost of 0 has no logarithm")
	constant := better("a-001")
	for _, row := range constant {
		row.Cost = 1
	}
	assert.Equal(t, &bench.Interval{0, 0}, check(t, summarize(t, constant, quick()), bench.CheckCostReduction).Interval)
	wild := better("a-001")
	for i, row := range wild {
		row.Cost = math.Pow(10, float64(i%2*200))
	}
	got := check(t, summarize(t, wild, quick()), bench.CheckCostReduction)
	require.NotNil(t, got.Interval)
	assert.False(t, math.IsInf(got.Interval[0], 0))
}

func TestG17NoValueIsOutsideItsInterval(t *testing.T) {
	for seed := range uint64(40) {
		rows := noisy(seed, 3+int(seed%4), 0.8, "a-001", "b-001", "c-001")
		r := rand.New(rand.NewPCG(seed, 3))
		for _, row := range rows {
			if r.IntN(4) == 0 {
				need(20)(row)
			}
			if r.IntN(6) == 0 {
				failed(bench.RunnerError, "x")(row)
			}
		}
		// Few resamples reach no far values.
		summary := summarize(t, rows, seeded(seed, 5))
		for _, c := range summary.Gate.Checks {
			if c.Interval != nil {
				assert.LessOrEqual(t, c.Interval[0], c.Value, c.Name)
				assert.GreaterOrEqual(t, c.Interval[1], c.Value, c.Name)
			}
		}
		d := summary.Delta
		assert.LessOrEqual(t, d.LatencyReductionCI[0], d.LatencyReductionPct)
		assert.GreaterOrEqual(t, d.LatencyReductionCI[1], d.LatencyReductionPct)
		assert.LessOrEqual(t, d.TokensActiveReductionCI[0], d.TokensActiveReductionPct)
		assert.GreaterOrEqual(t, d.TokensActiveReductionCI[1], d.TokensActiveReductionPct)
	}
}

func TestG17SameRowsInAnyOrderGiveTheSameBytes(t *testing.T) {
	var rows []*bench.Row
	for i, row := range join(noisy(1, 7, 0.8, "b-001", "a-001", "c-001"), noisy(2, 3, 0.8, "d-001")) {
		row.RunID = []string{"run-2", "run-0", "run-1"}[i%3]
		row.Timestamp = bench.FormatTime(time.Date(2026, 3, 1, 12, 0, (7*i)%60, i%2, time.UTC))
		row.Attempts = []bench.Attempt{{Cost: 0.1 * row.LatencyMSWall}, {Cost: 1e-9 * row.LatencyMSWall}}
		if i%4 == 0 {
			failed([]bench.ErrorType{bench.RunnerError, bench.CheckpointFailed}[i/4%2], []string{"timed out", "no comment", "gone"}[i%3])(row)
			changed(i%8 == 0, bench.Change{Kind: bench.ChangeDeleted, Object: "branch", Name: row.Timestamp, Unallowed: "nothing may"})(row)
		}
		rows = append(rows, row)
	}
	text := func() string {
		written, err := json.Marshal(summarize(t, rows, seeded(5, 200)))
		require.NoError(t, err)
		return string(written)
	}
	want := text()
	for seed := range uint64(20) {
		rand.New(rand.NewPCG(seed, 9)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		require.Equal(t, want, text())
	}
}

func TestG17ReductionWithoutDataIsNoFigure(t *testing.T) {
	free := better("a-001")
	for _, row := range free {
		row.Cost, row.ToolCalls = 0, 0
	}
	summary := summarize(t, free, quick())
	for _, name := range reductionChecks {
		want := name == bench.CheckTokensReduction || name == bench.CheckLatencyReduction
		assert.Equal(t, want, check(t, summary, name).HasFigure(), name)
	}
	opts := quick()
	opts.Thresholds.MinToolCallReductionPct = -1
	assert.False(t, check(t, summarize(t, free, opts), bench.CheckToolCallReduction).HasFigure(), "whatever the threshold")
}
