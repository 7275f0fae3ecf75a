package gate_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

var reductionChecks = []bench.CheckName{
	bench.CheckTokensReduction, bench.CheckLatencyReduction, bench.CheckToolCallReduction, bench.CheckCostReduction,
}

// noisy returns rows of both modes in which the candidate needs that share of
// what the baseline needs, give or take.
func noisy(seed uint64, perCell int, share float64, scenarios ...string) []*bench.Row {
	r := rand.New(rand.NewPCG(seed, 0))
	var rows []*bench.Row
	for _, s := range scenarios {
		for range perCell {
			rows = append(rows, runs(1, bench.AgentDirect, s, need(2+3*r.Float64()))...)
			rows = append(rows, runs(1, bench.GHX, s, need(share*(2+3*r.Float64())))...)
		}
	}
	return rows
}

func seeded(seed uint64, resamples int) gate.Options {
	opts := quick()
	opts.Seed, opts.Resamples = seed, resamples
	return opts
}

func TestG13EveryCheckHasAnIntervalAndReductionsAlsoPAndEffect(t *testing.T) {
	summary := summarize(t, noisy(1, 10, 0.6, "a-001", "b-001", "c-001"), seeded(1, 1000))
	for _, c := range summary.Gate.Checks {
		require.NotNil(t, c.Interval, c.Name)
		assert.LessOrEqual(t, c.Interval[0], c.Value, c.Name)
		assert.GreaterOrEqual(t, c.Interval[1], c.Value, c.Name)
		isReduction := slices.Contains(reductionChecks, c.Name)
		assert.Equal(t, isReduction, c.PValue != nil, c.Name)
		assert.Equal(t, isReduction, c.EffectSize != nil, c.Name)
	}
	latency := check(t, summary, bench.CheckLatencyReduction)
	assert.Less(t, *latency.PValue, 0.01)
	assert.Greater(t, *latency.EffectSize, 0.5, "positive where the candidate needs less")
	assert.Greater(t, latency.Interval[0], 0.0)
}

func TestG13ConfidenceNeverChangesTheVerdict(t *testing.T) {
	for seed := range uint64(20) {
		rows := noisy(seed, 4, 0.85, "a-001", "b-001")
		one, many := summarize(t, rows, seeded(seed, 1)), summarize(t, rows, seeded(seed+99, 400))
		for i := range one.Gate.Checks {
			assert.Equal(t, one.Gate.Checks[i].Passed, many.Gate.Checks[i].Passed)
			assert.Equal(t, one.Gate.Checks[i].Value, many.Gate.Checks[i].Value)
		}
		assert.Equal(t, one.Gate.Verdict, many.Gate.Verdict)
	}
}

func TestG13FiguresDependOnRowsAndSeedNotOnOrderOrProcessors(t *testing.T) {
	rows := noisy(1, 7, 0.8, "b-001", "a-001", "c-001")
	want := summarize(t, rows, seeded(5, 1000))
	rand.New(rand.NewPCG(9, 9)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	got := summarize(t, rows, seeded(5, 1000))
	assert.Equal(t, want.Gate, got.Gate)
	assert.Equal(t, want.Delta, got.Delta)
	assert.Equal(t, want.Modes, got.Modes)
	other := summarize(t, rows, seeded(6, 1000))
	assert.NotEqual(t, want.Delta.LatencyReductionCI, other.Delta.LatencyReductionCI, "another seed")
}

// latenciesOf returns the latencies of both modes by scenario, in order of
// appearance.
func latenciesOf(rows []*bench.Row) []stats.Pair {
	var found []stats.Pair
	numbers := map[string]int{}
	for _, row := range rows {
		n, known := numbers[row.ScenarioID]
		if !known {
			n = len(found)
			numbers[row.ScenarioID] = n
			found = append(found, stats.Pair{})
		}
		if row.Mode == bench.AgentDirect {
			found[n].A = append(found[n].A, row.LatencyMSWall)
		} else {
			found[n].B = append(found[n].B, row.LatencyMSWall)
		}
	}
	return found
}

// naively returns a figure of the scenarios' latencies in many alterations of
// them.
func naively(
	latencies []stats.Pair, alter func(*rand.Rand, stats.Pair) stats.Pair, figure func([]stats.Pair) float64,
) []float64 {
	r := rand.New(rand.NewPCG(4, 4))
	figures := make([]float64, gate.DefaultResamples)
	altered := make([]stats.Pair, len(latencies))
	for i := range figures {
		for j, scenario := range latencies {
			altered[j] = alter(r, scenario)
		}
		figures[i] = figure(altered)
	}
	return figures
}

// medianReduction returns the median over the scenarios of their reductions.
func medianReduction(scenarios []stats.Pair) float64 {
	var reductions []float64
	for _, s := range scenarios {
		b, c := stats.Median(s.A), stats.Median(s.B)
		reductions = append(reductions, (b-c)/b*100)
	}
	return stats.Median(reductions)
}

// pooledReduction returns the reduction of all scenarios together.
func pooledReduction(scenarios []stats.Pair) float64 {
	return medianReduction([]stats.Pair{pool(scenarios)})
}

func pool(scenarios []stats.Pair) stats.Pair {
	var pooled stats.Pair
	for _, s := range scenarios {
		pooled.A, pooled.B = append(pooled.A, s.A...), append(pooled.B, s.B...)
	}
	return pooled
}

func resampled(r *rand.Rand, p stats.Pair) stats.Pair {
	draw := func(from stats.Sample) stats.Sample {
		values := make(stats.Sample, len(from))
		for i := range values {
			values[i] = from[r.IntN(len(from))]
		}
		return values
	}
	return stats.Pair{A: draw(p.A), B: draw(p.B)}
}

func TestG13IntervalIsThatOfResamplingWithinScenarioAndMode(t *testing.T) {
	rows := noisy(3, 9, 0.7, "a-001", "b-001", "c-001", "d-001")
	got := check(t, summarize(t, rows, seeded(1, gate.DefaultResamples)), bench.CheckLatencyReduction).Interval
	lo, hi, _ := stats.Interval95(naively(latenciesOf(rows), resampled, medianReduction))
	assert.InDelta(t, lo, got[0], 1)
	assert.InDelta(t, hi, got[1], 1)
}

// sortedPairs returns the latencies by scenario, in ascending order.
func sortedPairs(rows []*bench.Row) []stats.Pair {
	pairs := latenciesOf(rows)
	for _, pair := range pairs {
		slices.Sort(pair.A)
		slices.Sort(pair.B)
	}
	return pairs
}

func TestG17AboveTwoThousandRowsPIsVanElterens(t *testing.T) {
	p := func(rows []*bench.Row) float64 {
		return *check(t, summarize(t, rows, seeded(1, 50)), bench.CheckLatencyReduction).PValue
	}
	atLimit, above := noisy(2, 500, 0.98, "a-001", "b-001"), noisy(2, 501, 0.98, "a-001", "b-001")
	assert.Less(t, p(above), 1.0/51, "50 permutations cannot tell this")
	assert.InEpsilon(t, stats.VanElteren(sortedPairs(above)), p(above), 1e-9)
	assert.GreaterOrEqual(t, p(atLimit), 1.0/51)
}

func TestG13EqualModesShowNoEffect(t *testing.T) {
	rows := noisy(1, 6, 1, "a-001", "b-001")
	for i := range rows {
		if rows[i].Mode == bench.GHX {
			need(rows[i-1].LatencyMSWall / 1000)(rows[i])
		}
	}
	summary := summarize(t, rows, seeded(1, 2000))
	for _, name := range reductionChecks {
		got := check(t, summary, name)
		assert.InDelta(t, 0, got.Value, 1e-9, name)
		assert.Zero(t, *got.EffectSize, name)
		assert.Greater(t, *got.PValue, 0.5, name)
		assert.Less(t, got.Interval[0], 0.0, name)
		assert.Greater(t, got.Interval[1], 0.0, name)
	}
}

func TestG13ReductionsDoNotDependOnTheUnit(t *testing.T) {
	rows := noisy(1, 6, 0.8, "a-001", "b-001")
	inMS := check(t, summarize(t, rows, seeded(1, 500)), bench.CheckLatencyReduction)
	for _, row := range rows {
		row.LatencyMSWall *= 4096 // A power of 2 multiplies without rounding.
	}
	assert.Equal(t, inMS, check(t, summarize(t, rows, seeded(1, 500)), bench.CheckLatencyReduction))
}

func TestG13AnIntervalAcrossTheThresholdIsUncertain(t *testing.T) {
	sure := summarize(t, better("a-001", "b-001"), quick())
	assert.False(t, check(t, sure, bench.CheckLatencyReduction).Uncertain)
	assert.Empty(t, check(t, sure, bench.CheckLatencyReduction).Reason)

	got := check(t, sure, bench.CheckRunnerFailureRate)
	assert.True(t, got.Passed)
	assert.True(t, got.Uncertain, "0 of 16 is compatible with more than 7 %")
	assert.Equal(t, "Passes, but the 95% interval, 0 to 19.4%, reaches across the threshold, 7%", got.Reason)
	assert.Contains(t, check(t, sure, bench.CheckSuccessRate).Reason, " pp, reaches across the threshold, −3 pp")

	lost := summarize(t, join(runs(40, bench.AgentDirect, "a-001"), runs(40, bench.GHX, "a-001", failed(bench.RunnerError, "x"))), quick())
	assert.False(t, check(t, lost, bench.CheckRunnerFailureRate).Uncertain, "all 40 failed")
}

// apart returns noisy rows of scenarios that need a hundred times as much from
// one to the next.
func apart(perCell int, scenarios ...string) []*bench.Row {
	var rows []*bench.Row
	for i, s := range scenarios {
		for _, row := range noisy(uint64(i), perCell, 0.6, s) {
			need(row.LatencyMSWall / 1000 * math.Pow(100, float64(i)))(row)
			rows = append(rows, row)
		}
	}
	return rows
}

func TestG13PooledReductionsHaveTheIntervalOfResamplingWithinScenarioAndMode(t *testing.T) {
	failing := noisy(2, 7, 0.9, "b-001")
	for _, row := range failing {
		failed(bench.CheckpointFailed, "x")(row)
	}
	cases := []struct {
		name, reason string
		rows         []*bench.Row
	}{
		{"scenarios of one level", "their rows mix around the median", noisy(1, 15, 0.6, "a-001", "b-001")},
		{"scenarios of levels apart", "the median is of the middle one", apart(15, "a-001", "b-001", "c-001")},
		{"rows that failed", "the pooled reductions are over all rows", join(noisy(1, 8, 0.6, "a-001", "b-001"), failing)},
		{"scenarios of unlike sizes", "each keeps its share of a resample",
			join(noisy(1, 5, 0.6, "a-001"), noisy(2, 30, 0.7, "b-001"), apart(3, "c-001", "d-001"))},
	}
	for _, c := range cases {
		t.Run("G13: "+c.name, func(t *testing.T) {
			got := summarize(t, c.rows, seeded(1, gate.DefaultResamples)).Delta
			lo, hi, _ := stats.Interval95(naively(latenciesOf(c.rows), resampled, pooledReduction))
			// Tokens and latency of these rows are in proportion.
			for _, interval := range []bench.Interval{got.LatencyReductionCI, got.TokensActiveReductionCI} {
				assert.InDelta(t, lo, interval[0], 1.5, c.reason)
				assert.InDelta(t, hi, interval[1], 1.5, c.reason)
			}
		})
	}
}

func TestG13PooledIntervalOfOneScenarioIsThatOfAllRows(t *testing.T) {
	rows := noisy(1, 25, 0.6, "a-001")
	got := summarize(t, rows, seeded(1, gate.DefaultResamples))
	want := check(t, got, bench.CheckLatencyReduction).Interval
	assert.InDelta(t, want[0], got.Delta.LatencyReductionCI[0], 1)
	assert.InDelta(t, want[1], got.Delta.LatencyReductionCI[1], 1)
}

func TestG13LevelsOfScenariosDoNotWidenThePooledInterval(t *testing.T) {
	rows := apart(15, "a-001", "b-001")
	got := summarize(t, rows, seeded(1, gate.DefaultResamples)).Delta.LatencyReductionCI
	whole := []stats.Pair{pool(latenciesOf(rows))}
	lo, hi, _ := stats.Interval95(naively(whole, resampled, pooledReduction))
	assert.Less(t, got[1]-got[0], (hi-lo)/20, "the median is between the levels in every resample")
	assert.Greater(t, got[1], got[0])
}

func TestG13TooSmallASampleIsAWarning(t *testing.T) {
	few := summarize(t, noisy(1, 3, 0.5, "a-001"), seeded(1, 200))
	assert.Contains(t, few.Warnings, "1 of 1 eligible scenario has fewer than 6 stable runs in a mode: intervals of the reductions are rough")
	assert.Contains(t, check(t, few, bench.CheckLatencyReduction).Warnings, "With so few stable runs p cannot be below 0.1")

	enough := summarize(t, noisy(1, 6, 0.5, "a-001"), seeded(1, 200))
	assert.Empty(t, enough.Warnings)
	assert.Empty(t, check(t, enough, bench.CheckLatencyReduction).Warnings)
}

func TestG13TiesAreAWarning(t *testing.T) {
	rows := noisy(1, 6, 0.5, "a-001")
	for _, row := range rows {
		row.LatencyMSWall = 1000
	}
	summary := summarize(t, rows, seeded(1, 200))
	got := check(t, summary, bench.CheckLatencyReduction)
	assert.Contains(t, got.Warnings, "All stable runs of a scenario are equal in latency, so interval and p-value say nothing")
	assert.Equal(t, 1.0, *got.PValue)
	assert.Empty(t, check(t, summary, bench.CheckTokensReduction).Warnings)
}

func TestUnevenModesAndMixedCommitsAreWarnings(t *testing.T) {
	sha := func(sha string) change { return func(r *bench.Row) { r.Git.Commit = &sha } }
	rows := join(
		runs(7, bench.AgentDirect, "a-001", sha("aaa")), runs(1, bench.AgentDirect, "a-001", sha("bbb")),
		runs(6, bench.GHX, "a-001", sha("aaa")), runs(1, bench.GHX, "a-001", sha("bbb")),
	)
	warnings := strings.Join(summarize(t, rows, quick()).Warnings, "\n")
	assert.Contains(t, warnings, "different numbers of runs, so their rates weigh scenarios differently: a-001 (8 and 7)")
	assert.Contains(t, warnings, "The rows of ghx are of 2 commits: aaa and bbb")
}
