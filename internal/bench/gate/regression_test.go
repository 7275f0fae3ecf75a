package gate_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

var long = flag.Bool("long", false, "simulate 1,000 runs instead of 200")

// entry is a history entry with one mode's figures of 96 sessions.
func entry(latencyMS, successRate float64, changes ...func(*bench.HistoryEntry)) bench.HistoryEntry {
	e := bench.HistoryEntry{
		Profile: bench.VerifyPR, Model: "openai/gpt-5.3-codex", ScenarioSet: "all",
		Modes: map[bench.Mode]bench.ModeSummary{bench.GHX: {MedianLatencyMS: latencyMS, SuccessRate: successRate, Runs: 96}},
	}
	for _, alter := range changes {
		alter(&e)
	}
	return e
}

func TestG14RegressionsAreBeyondWhatTheLastFiveAlikeDifferBy(t *testing.T) {
	of := func(changes ...func(*bench.HistoryEntry)) []bench.HistoryEntry {
		return []bench.HistoryEntry{
			entry(1000*math.Exp(0.05), 96, changes...), entry(1000, 95, changes...), entry(1000*math.Exp(-0.05), 94, changes...),
		}
	}
	calm := of()
	// One of two figures at 5 % in all: Student's 97.5 % of two degrees of freedom,
	// 4.302653, times 0.05 · √(1 + 1/3).
	bound := 100 * math.Expm1(4.302652729749464*0.05*math.Sqrt(4.0/3))
	otherModel := func(e *bench.HistoryEntry) { e.Model = "openai/gpt-5.4" }
	otherSet := func(e *bench.HistoryEntry) { e.ScenarioSet = "issues" }
	otherProfile := func(e *bench.HistoryEntry) { e.Profile = bench.VerifyRelease }
	simulated := func(e *bench.HistoryEntry) { e.Simulated = true }
	old := func(e *bench.HistoryEntry) { e.Model, e.ScenarioSet = "", "" }
	sameRun := func(e *bench.HistoryEntry) { e.RunID = "run-1" }
	slow := bench.Regression{Metric: "median_latency_ms", Mode: bench.GHX, Current: 1400, RecentAverage: 1000, DeltaPct: 40, ThresholdPct: bound}
	long := append([]bench.HistoryEntry{entry(9000, 95), entry(10, 95)}, calm[0], calm[1], calm[2], calm[1], calm[1])
	cases := []struct {
		name    string
		current bench.HistoryEntry
		history []bench.HistoryEntry
		want    []string
	}{
		{"no history", entry(9999, 0), nil, nil},
		{"two runs do not tell how much runs differ", entry(9999, 0), calm[:2], nil},
		{"within what runs differ by", entry(1279, 88), calm, nil},
		{"slower", entry(1400, 95), calm, []string{"median_latency_ms"}},
		{"fewer successes", entry(1000, 60), calm, []string{"success_rate_pct"}},
		{"both", entry(1400, 60), calm, []string{"median_latency_ms", "success_rate_pct"}},
		{"faster and better is none", entry(10, 100), calm, nil},
		{"entries before the last five do not count", entry(1400, 95), long, []string{"median_latency_ms"}},
		{"another model", entry(1400, 95), of(otherModel), nil},
		{"another scenario set", entry(1400, 95), of(otherSet), nil},
		{"another profile", entry(1400, 95), of(otherProfile), nil},
		{"unlike entries make room for older ones", entry(1400, 95), append(of(), of(otherModel)...), []string{"median_latency_ms"}},
		{"an old entry states neither model nor set", entry(1400, 95), of(old), []string{"median_latency_ms"}},
		{"simulated and real runs are not compared", entry(1400, 95), of(simulated), nil},
		{"nor real and simulated ones", entry(1400, 95, simulated), of(), nil},
		{"simulated runs are compared with their like", entry(1400, 95, simulated), of(simulated), []string{"median_latency_ms"}},
		{"a run is not its own history", entry(1400, 95, sameRun), append(of()[:2], entry(1400, 95, sameRun)), nil},
		{"a history without latencies", entry(1400, 95), []bench.HistoryEntry{entry(0, 95), entry(0, 95), entry(0, 95)}, nil},
		{"equal runs differ by luck all the same", entry(1040, 93), []bench.HistoryEntry{entry(1000, 95), entry(1000, 95), entry(1000, 95)}, nil},
		{"figures that are none", entry(math.NaN(), math.NaN()), calm, nil},
		{"nor in the history", entry(1400, 10), []bench.HistoryEntry{entry(math.NaN(), math.NaN()), entry(1, 95), entry(1, 95)}, nil},
	}
	for _, c := range cases {
		t.Run("G14: "+c.name, func(t *testing.T) {
			var got []string
			for _, r := range gate.Regressions(c.current, c.history) {
				got = append(got, r.Metric)
			}
			assert.Equal(t, c.want, got)
		})
	}
	got := gate.Regressions(entry(1400, 95), calm)
	require.Len(t, got, 1)
	assert.Equal(t, 3, got[0].Runs)
	for _, pair := range [][2]float64{
		{slow.Current, got[0].Current}, {slow.RecentAverage, got[0].RecentAverage}, {slow.DeltaPct, got[0].DeltaPct}, {slow.ThresholdPct, got[0].ThresholdPct},
		{100 * (1.4/(1+bound/100) - 1), got[0].Interval[0]}, {100 * (1.4*(1+bound/100) - 1), got[0].Interval[1]},
	} {
		assert.InDelta(t, pair[0], pair[1], 1e-6)
	}
	fewer := gate.Regressions(entry(1000, 60), calm)
	require.Len(t, fewer, 1)
	assert.InDelta(t, -35, fewer[0].DeltaPct, 1e-9)
	assert.Less(t, fewer[0].DeltaPct, fewer[0].ThresholdPct)
	assert.Less(t, fewer[0].Interval[1], 0.0)
}

func TestG14AScenarioThatIsNotInAllRunsIsNotCompared(t *testing.T) {
	run := func(latencies map[string]float64) bench.HistoryEntry {
		e := entry(1000, 100)
		e.Scenarios = map[string]bench.HistoryScenario{}
		for id, ms := range latencies {
			e.Scenarios[id] = bench.HistoryScenario{Modes: map[bench.Mode]bench.HistorySessions{bench.GHX: {Runs: 8, Successes: 8, MedianLatencyMS: ms}}}
		}
		return e
	}
	past := []bench.HistoryEntry{run(map[string]float64{"a": 100, "b": 1000}), run(map[string]float64{"a": 102, "b": 1020}), run(map[string]float64{"a": 98, "b": 980})}
	assert.Empty(t, gate.Regressions(run(map[string]float64{"a": 100, "b": 1000, "c": 90000}), past), "c is new")
	assert.Empty(t, gate.Regressions(run(map[string]float64{"b": 1000}), past), "a is gone, and what is left is slower than both were")
	got := gate.Regressions(run(map[string]float64{"a": 200, "b": 1000}), past)
	require.Len(t, got, 1, "a takes twice as long, which the median of all sessions does not show")
	assert.InDelta(t, 100*(math.Sqrt2-1), got[0].DeltaPct, 0.1)
}

// The bounds are Student's 95 or 97.5 % of two degrees of freedom: 5 % are divided
// among the figures that can be compared.
const (
	studentOne = 2.919985580353726
	studentTwo = 4.302652729749464
)

func TestG14BoundsOfRunsThatAreEqualAreThoseOfLuck(t *testing.T) {
	three := func(changes ...func(*bench.HistoryEntry)) []bench.HistoryEntry {
		return []bench.HistoryEntry{entry(1000, 95, changes...), entry(1000, 95, changes...), entry(1000, 95, changes...)}
	}
	got := gate.Regressions(entry(1055, 40), three())
	require.Len(t, got, 2)
	assert.InDelta(t, 100*math.Expm1(studentTwo*0.01*math.Sqrt(4.0/3)), got[0].ThresholdPct, 1e-9, "latencies differ by 1 % at least")
	// Jeffreys' estimate of 288 sessions, and the standard error of 96 against them.
	rate := (0.05*288 + 0.5) / (288 + 1)
	bound := 100 * studentTwo * math.Sqrt(rate*(1-rate)*(1.0/96+1.0/288))
	assert.InDelta(t, -bound, got[1].ThresholdPct, 1e-9)
	assert.InDelta(t, 40, got[1].Current, 1e-9)
	assert.InDelta(t, 95, got[1].RecentAverage, 1e-9)
	assert.InDelta(t, -55, got[1].DeltaPct, 1e-9)
	assert.InDelta(t, -55-bound, got[1].Interval[0], 1e-9)
	assert.InDelta(t, -55+bound, got[1].Interval[1], 1e-9)
	none := gate.Regressions(entry(1000, 0), three())
	require.Len(t, none, 1)
	assert.InDelta(t, -100, none[0].Interval[0], 1e-9, "a rate does not fall by more than that")

	unstated := func(e *bench.HistoryEntry) {
		e.Modes = map[bench.Mode]bench.ModeSummary{bench.GHX: {MedianLatencyMS: 1000, SuccessRate: e.Modes[bench.GHX].SuccessRate}}
	}
	for _, c := range []struct {
		current bench.HistoryEntry
		history []bench.HistoryEntry
	}{{entry(1000, 90, unstated), three()}, {entry(1000, 90), three(unstated)}} {
		got := gate.Regressions(c.current, c.history)
		require.Len(t, got, 1, "without the number of sessions what runs differ by is all that is known")
		assert.Zero(t, got[0].ThresholdPct)
	}
	assert.Empty(t, gate.Regressions(entry(1000, 95, unstated), three(unstated)), "what is equal is not worse")
}

func TestG14AFigureThatIsNoneIsNotCountedAmongThoseCompared(t *testing.T) {
	for _, none := range []float64{0, math.NaN()} {
		got := gate.Regressions(entry(1000, 86), []bench.HistoryEntry{entry(none, 95), entry(none, 95), entry(1000, 95)})
		require.Len(t, got, 1, "success has the 5 %% for itself where a latency is %g", none)
		rate := (0.05*288 + 0.5) / (288 + 1)
		assert.InDelta(t, -100*studentOne*math.Sqrt(rate*(1-rate)*(1.0/96+1.0/288)), got[0].ThresholdPct, 1e-9)
	}
}

// ofScenarios is an entry whose scenarios have these figures.
func ofScenarios(of map[string]bench.HistorySessions) bench.HistoryEntry {
	e := entry(1000, 100)
	e.Scenarios = map[string]bench.HistoryScenario{}
	for id, sessions := range of {
		e.Scenarios[id] = bench.HistoryScenario{Modes: map[bench.Mode]bench.HistorySessions{bench.GHX: sessions}}
	}
	return e
}

func TestG14ScenariosWithoutAFigureInARunAreLeftOutAndOthersAreCompared(t *testing.T) {
	type sessions = bench.HistorySessions
	past := func(a, b sessions) []bench.HistoryEntry {
		var runs []bench.HistoryEntry
		for range 3 {
			runs = append(runs, ofScenarios(map[string]sessions{"a": a, "b": b}))
		}
		return runs
	}
	well := sessions{Runs: 8, Successes: 8, MedianLatencyMS: 100}
	now := func(a sessions) bench.HistoryEntry {
		return ofScenarios(map[string]sessions{"a": a, "b": well, "c": {Runs: 8, Successes: 8, MedianLatencyMS: 1}})
	}
	unsolved, absent := sessions{Runs: 8}, sessions{}
	for name, b := range map[string]sessions{"it was never solved": unsolved, "it was not run": absent} {
		got := gate.Regressions(now(sessions{Runs: 8, Successes: 8, MedianLatencyMS: 200}), past(well, b))
		require.Len(t, got, 1, name)
		assert.Equal(t, "median_latency_ms", got[0].Metric)
		assert.InDelta(t, 100, got[0].DeltaPct, 1e-9, "a alone: b has no latency, and c is new")
	}
	got := gate.Regressions(now(sessions{Runs: 8, Successes: 1, MedianLatencyMS: 100}), past(well, absent))
	require.Len(t, got, 1, "the success rate of the whole run is as it was")
	assert.Equal(t, "success_rate_pct", got[0].Metric)
	assert.InDelta(t, -87.5, got[0].DeltaPct, 1e-9)
	once := sessions{Runs: 1, Successes: 1, MedianLatencyMS: 100}
	got = gate.Regressions(now(sessions{Runs: 8, MedianLatencyMS: 100}), past(once, absent))
	require.Len(t, got, 1, "one session is one")
	assert.InDelta(t, -100, got[0].DeltaPct, 1e-9)
}

// seen is a run of 12 scenarios with 8 sessions each in two modes: its latency is
// level times as long as usual, with log-normal sessions of CV 0.3, of which 3 %
// take ten times as long, and scenarios that differ by up to four times.
func seen(r *rand.Rand, drift, slower, success float64) bench.HistoryEntry {
	const scenarios, sessions, cv, outliers = 12, 8, 0.3, 0.03
	e := entry(0, 0)
	e.Modes, e.Scenarios = map[bench.Mode]bench.ModeSummary{}, map[string]bench.HistoryScenario{}
	level := drift * r.NormFloat64()
	for _, mode := range []bench.Mode{bench.AgentDirect, bench.GHX} {
		var all []float64
		solved := 0
		own := level
		rate := 0.95
		if mode == bench.GHX {
			own, rate = level+math.Log(slower), success
		}
		for s := range scenarios {
			id := fmt.Sprintf("s-%03d", s)
			var of bench.HistorySessions
			var latencies []float64
			for range sessions {
				log := own + math.Log(4)*float64(s)/scenarios + math.Sqrt(math.Log1p(cv*cv))*r.NormFloat64()
				if r.Float64() < outliers {
					log += math.Log(10)
				}
				of.Runs++
				if r.Float64() < rate {
					of.Successes++
					latencies = append(latencies, 10_000*math.Exp(log))
				}
			}
			of.MedianLatencyMS = stats.Median(latencies)
			solved += of.Successes
			all = append(all, latencies...)
			if e.Scenarios[id].Modes == nil {
				e.Scenarios[id] = bench.HistoryScenario{Modes: map[bench.Mode]bench.HistorySessions{}}
			}
			e.Scenarios[id].Modes[mode] = of
		}
		e.Modes[mode] = bench.ModeSummary{Runs: scenarios * sessions, MedianLatencyMS: stats.Median(all), SuccessRate: 100 * float64(solved) / scenarios / sessions}
	}
	return e
}

// The bounds are those of rule V13: a share of 5 % is above them in one of a
// thousand tests.
func TestG14FewRunsWithoutAChangeAreWarnedOfAndMostWithOne(t *testing.T) {
	testkit.NeedComplete(t)
	runs, most := 200, 21
	if *long {
		runs, most = 1000, 73
	}
	warned := func(past int, scenarios bool, drift, slower, success float64, metric string) (count int) {
		r := rand.New(rand.NewPCG(14, uint64(past)))
		for range runs {
			var history []bench.HistoryEntry
			for range past {
				history = append(history, seen(r, drift, 1, 0.95))
			}
			now := seen(r, drift, slower, success)
			if !scenarios { // as the original harness keeps it
				now.Scenarios = nil
			}
			for _, found := range gate.Regressions(now, history) {
				if metric == "" || found.Metric == metric && found.Mode == bench.GHX {
					count++
					break
				}
			}
		}
		return count
	}
	for _, drift := range []float64{0, 0.05, 0.1} {
		for _, past := range []int{3, 5, 8} {
			for _, scenarios := range []bool{true, false} {
				got := warned(past, scenarios, drift, 1, 0.95, "")
				t.Logf("drift %g, %d earlier runs, scenarios %v: %d of %d runs without a change are warned of", drift, past, scenarios, got, runs)
				assert.LessOrEqual(t, got, most)
			}
		}
	}
	const mostOf = 0.8
	slow := warned(5, true, 0, 1.3, 0.95, "median_latency_ms")
	worse := warned(5, true, 0, 1, 0.80, "success_rate_pct")
	t.Logf("latency +30 %%: %d of %d; success -15 points: %d of %d", slow, runs, worse, runs)
	assert.Greater(t, float64(slow), mostOf*float64(runs))
	assert.Greater(t, float64(worse), mostOf*float64(runs))
}

func TestG14ASummaryHasItsRegressionsAndTheGateIsUnmoved(t *testing.T) {
	opts := quick()
	opts.Model = "openai/gpt-5.3-codex"
	opts.History = []bench.HistoryEntry{entry(500, 100), entry(500, 100), entry(500, 100)}
	summary := summarize(t, better("a-001"), opts)
	require.Len(t, summary.Regressions, 1)
	assert.InDelta(t, 1000, summary.Regressions[0].Current, 1e-9)
	assert.InDelta(t, 100, summary.Regressions[0].DeltaPct, 1e-9)
	assert.True(t, summary.Gate.Passed)

	opts.Model = "openai/gpt-5.4"
	assert.Empty(t, summarize(t, better("a-001"), opts).Regressions, "the history is of another model")
}

func TestG14ARunIsComparedByItsScenarios(t *testing.T) {
	opts := quick()
	before := summarize(t, better("a-001", "b-001"), opts)
	kept := gate.HistoryScenarios(before)
	sessions := func(ms float64) bench.HistorySessions {
		return bench.HistorySessions{Runs: 8, Successes: 8, MedianLatencyMS: ms}
	}
	each := bench.HistoryScenario{Modes: map[bench.Mode]bench.HistorySessions{bench.AgentDirect: sessions(2000), bench.GHX: sessions(1000)}}
	require.Equal(t, map[string]bench.HistoryScenario{"a-001": each, "b-001": each}, kept)

	past := bench.HistoryEntry{Profile: opts.Profile, Modes: before.Modes, Scenarios: kept}
	opts.History = []bench.HistoryEntry{past, past, past}
	slower := better("a-001", "b-001")
	for _, row := range slower {
		if row.Mode == bench.GHX && row.ScenarioID == "b-001" {
			row.LatencyMSWall *= 4
		}
	}
	got := summarize(t, slower, opts).Regressions
	require.Len(t, got, 1)
	assert.InDelta(t, 100, got[0].DeltaPct, 1e-9, "the mean of the logarithms of two scenarios")
	opts.Profile = bench.VerifyRelease
	assert.Empty(t, summarize(t, slower, opts).Regressions, "the history is of another profile")
}
