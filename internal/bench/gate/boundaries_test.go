package gate_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
)

func retried(r *bench.Row) { r.ExternalRetryCount = 1 }

func at(timestamp string) change { return func(r *bench.Row) { r.Timestamp = timestamp } }

func priced(mode bench.Mode, scenario string, costs ...float64) []*bench.Row {
	rows := runs(len(costs), mode, scenario)
	for i, c := range costs {
		rows[i].Cost = c
	}
	return rows
}

// unbound are options with which a check fails at nothing but its own figure.
func unbound() gate.Options {
	opts := quick()
	opts.Thresholds = bench.Thresholds{MaxSuccessRateDropPct: 100, MaxRunnerFailureRatePct: 100, MaxTimeoutStallRatePct: 100, MaxRetryRatePct: 100}
	return opts
}

// Newcombe 1998: table II, method 10, and "Two-sided confidence intervals for
// the single proportion", table I, method 3.
func TestG13IntervalsOfRatesAreInPercent(t *testing.T) {
	bad := failed(bench.CheckpointFailed, "x")
	summary := summarize(t, join(runs(3, bench.AgentDirect, "a-001"), runs(7, bench.AgentDirect, "a-001", bad),
		runs(9, bench.GHX, "a-001"), runs(1, bench.GHX, "a-001", bad)), quick())
	got := check(t, summary, bench.CheckSuccessRate).Interval
	assert.InDelta(t, 17.05, got[0], 0.005)
	assert.InDelta(t, 80.90, got[1], 0.005)

	summary = summarize(t, join(runs(1, bench.AgentDirect, "a-001"), runs(15, bench.GHX, "a-001", retried), runs(133, bench.GHX, "a-001")), quick())
	got = check(t, summary, bench.CheckRetryRate).Interval
	assert.InDelta(t, 6.24, got[0], 0.005)
	assert.InDelta(t, 16.05, got[1], 0.005)
}

func TestG3ARateAtItsGreatestPasses(t *testing.T) {
	opts := unbound()
	opts.Thresholds.MaxRetryRatePct = 25
	rows := join(runs(4, bench.AgentDirect, "a-001"), runs(3, bench.GHX, "a-001"), runs(1, bench.GHX, "a-001", retried))
	assert.True(t, check(t, summarize(t, rows, opts), bench.CheckRetryRate).Passed)
	opts.Thresholds.MaxRetryRatePct = 24.99
	assert.False(t, check(t, summarize(t, rows, opts), bench.CheckRetryRate).Passed)
}

func TestReasonsNameTheRowsThatSpeakAgainstTheCandidate(t *testing.T) {
	rows := join(runs(4, bench.AgentDirect, "a-001"), runs(1, bench.GHX, "a-001"),
		runs(1, bench.GHX, "a-001", at("2026-01-01"), failed(bench.AssertionFailed, "no JSON")),
		runs(1, bench.GHX, "a-001", at("2026-01-02"), failed(bench.RunnerError, "gone")),
		runs(1, bench.GHX, "a-001", at("2026-01-03"), failed(bench.TimeoutStalled, "quiet"), retried))
	summary := summarize(t, rows, quick())
	for name, want := range map[bench.CheckName]string{
		bench.CheckOutputValidity:    "3 of 4 ghx runs had no valid output: a-001 (3 of 4; " + string(bench.AssertionFailed) + ": no JSON)",
		bench.CheckRunnerFailureRate: "2 of 4 ghx runs were runner failures: a-001 (2 of 4; " + string(bench.RunnerError) + ": gone)",
		bench.CheckTimeoutStallRate:  "1 of 4 ghx run timed out or stalled: a-001 (1 of 4; " + string(bench.TimeoutStalled) + ": quiet)",
		bench.CheckRetryRate:         "1 of 4 ghx runs needed a retry: a-001 (1 of 4)",
	} {
		if name == bench.CheckTimeoutStallRate {
			want = strings.Replace(want, "run timed", "runs timed", 1)
		}
		assert.Equal(t, want, check(t, summary, name).Reason)
	}
}

func TestSuccessIsLostWhereItIsLowerThanTheBaselines(t *testing.T) {
	bad := failed(bench.CheckpointFailed, "x")
	opts := quick()
	opts.Missing = []bench.MissingCells{{Reason: bench.MissingStopped, Cells: []bench.Cell{{ScenarioID: "c-001", Mode: bench.AgentDirect, Iteration: 1}}}}
	rows := join(runs(4, bench.AgentDirect, "a-001"), runs(4, bench.AgentDirect, "a-001", bad), runs(4, bench.GHX, "a-001"), runs(4, bench.GHX, "a-001", bad),
		runs(8, bench.AgentDirect, "b-001"), runs(6, bench.GHX, "b-001"), runs(2, bench.GHX, "b-001", bad),
		runs(7, bench.GHX, "c-001"), runs(1, bench.GHX, "c-001", bad))
	summary := summarize(t, rows, opts)
	got := check(t, summary, bench.CheckSuccessRate).Reason
	assert.Equal(t, "7 of 24 ghx runs failed, against 4 of 16 of agent_direct: b-001 (2 of 8; checkpoint_failed: x) and c-001 (1 of 8; checkpoint_failed: x)", got)
	assert.Equal(t, "The plan is incomplete: 1 cell has no row, 1 stopped by a signal", summary.Gate.Reason)

	opts = unbound()
	opts.Thresholds.MaxSuccessRateDropPct = -10
	got = check(t, summarize(t, better("a-001"), opts), bench.CheckSuccessRate).Reason
	assert.Equal(t, "0 of 8 ghx runs failed, against 0 of 8 of agent_direct", got, "a rise is asked for, and nothing was lost")
}

func TestCoverageNamesFirstWhereMostIsLacking(t *testing.T) {
	rows := join(runs(2, bench.AgentDirect, "a-001"), runs(2, bench.GHX, "a-001"),
		runs(1, bench.AgentDirect, "b-001", failed(bench.RunnerError, "x")), runs(8, bench.GHX, "b-001"),
		runs(8, bench.AgentDirect, "c-001"), runs(8, bench.GHX, "c-001"))
	got := check(t, summarize(t, rows, quick()), bench.CheckCoverage)
	assert.Equal(t, "2 of 3 scenarios lack 3 stable runs in each mode: b-001 (0 in agent_direct and 8 in ghx) and a-001 (2 in agent_direct and 2 in ghx)", got.Reason)
}

func TestReasonsOfReductionsTellWhatIsReduced(t *testing.T) {
	rows := join(runs(3, bench.AgentDirect, "a-001", need(4)), runs(3, bench.GHX, "a-001", need(4)),
		runs(3, bench.AgentDirect, "b-001", need(10)), runs(3, bench.GHX, "b-001", need(9)))
	opts := quick()
	opts.Thresholds.MinTokensActiveReductionPct, opts.Thresholds.MinCostReductionPct = 10, 10
	summary := summarize(t, rows, opts)
	assert.Equal(t, "The reduction in active tokens is 5% in the median of 2 scenarios, the minimum is 10%; furthest from it: a-001 (0%)",
		check(t, summary, bench.CheckTokensReduction).Reason)
	assert.Equal(t, "The lowest reduction in cost is 0%, the minimum is 10%; furthest from it: a-001 (0%)", check(t, summary, bench.CheckCostReduction).Reason)

	tiny := join(priced(bench.AgentDirect, "a-001", 1, 1, 1), priced(bench.GHX, "a-001", 0.9+1e-10, 0.9+1e-10, 0.9+1e-10))
	got := check(t, summarize(t, tiny, opts), bench.CheckCostReduction).Reason
	assert.Contains(t, got, "is 10%, the minimum is 10%", "six decimals do not tell them apart")
	tiny = join(priced(bench.AgentDirect, "a-001", 1, 1, 1), priced(bench.GHX, "a-001", 1.0001, 1.0001, 1.0001))
	got = check(t, summarize(t, tiny, opts), bench.CheckCostReduction).Reason
	assert.Contains(t, got, "a-001 (−0.01%)", "as elsewhere, not −0%")
}

func TestVerdictCountsTheChecksInDoubt(t *testing.T) {
	opts := unbound()
	opts.Thresholds.MaxRetryRatePct = 30
	one := join(better("a-001"), nil)
	one[15].ExternalRetryCount = 1
	assert.Equal(t, allPassed+"; 1 check in doubt", summarize(t, one, opts).Gate.Reason)
	assert.Equal(t, allPassed, summarize(t, better("a-001"), unbound()).Gate.Reason)
}

func TestExamplesAndRunsAreThoseOfTheEarliestRows(t *testing.T) {
	of := func(run, timestamp, message string) []*bench.Row {
		return runs(1, bench.GHX, "a-001", at(timestamp), failed(bench.CheckpointFailed, message), func(r *bench.Row) { r.RunID = run })
	}
	for _, rows := range [][]*bench.Row{
		join(of("run-1", "2026-01-02", "first"), of("run-2", "2026-01-02", "second")),
		join(of("run-1", "2026-01-02", "first"), of("run-1", "2026-01-02", "second")),
		join(of("run-2", "2026-01-01", "first"), of("run-1", "2026-01-02", "second")),
	} {
		want := slices.Compact([]string{rows[0].RunID, rows[1].RunID})
		for range 2 {
			summary := summarize(t, rows, quick())
			assert.Equal(t, "first", summary.Scenarios[0].Modes[bench.GHX].ExampleError)
			assert.Equal(t, want, summary.RunIDs)
			slices.Reverse(rows)
		}
	}
}

func TestS12ARowTellsOnlyItsUnallowedChanges(t *testing.T) {
	deleted := bench.Change{Kind: bench.ChangeDeleted, Object: "branch", Name: "o/r: a", Unallowed: "nothing may"}
	closed := bench.Change{Kind: bench.ChangeChanged, Object: "issue", Name: "o/r#1", Title: "A title", Unallowed: "nothing may"}
	allowed := bench.Change{Kind: bench.ChangeCreated, Object: "comment", Name: "1 on o/r#1"}
	bad := failed(bench.CheckpointFailed, "x")
	for _, c := range []struct {
		changes []bench.Change
		want    []string
	}{
		{[]bench.Change{deleted, allowed}, []string{"deleted branch o/r: a: nothing may"}},
		{[]bench.Change{closed}, []string{"changed issue o/r#1 (A title): nothing may"}},
	} {
		rows := join(runs(1, bench.GHX, "a-001", at("2026-01-02"), bad, changed(true, c.changes...)), runs(1, bench.GHX, "a-001", at("2026-01-01"), bad))
		assert.Equal(t, c.want, summarize(t, rows, quick()).Scenarios[0].Modes[bench.GHX].UnallowedChanges)
	}
}

func TestG11TheErrorNamesWhatDiffersAlone(t *testing.T) {
	refused := func(baseline, candidate bench.Mode, missing []bench.MissingCells, rows ...*bench.Row) string {
		var c gate.Collector
		for _, row := range rows {
			require.NoError(t, c.Add(row))
		}
		opts := quick()
		opts.Baseline, opts.Candidate, opts.Missing = baseline, candidate, missing
		_, err := c.Summarize(opts)
		require.Error(t, err)
		return err.Error()
	}
	alike := join(runs(1, bench.AgentDirect, "a-001"), runs(1, bench.GHX, "a-001"))
	more := join(alike, runs(1, bench.GHX, "b-001"))
	assert.True(t, strings.HasSuffix(refused(bench.AgentDirect, bench.GHX, nil, more...), "have different scenarios: b-001 in ghx only"))
	assert.True(t, strings.HasSuffix(refused(bench.GHX, bench.AgentDirect, nil, more...), "have different scenarios: b-001 in ghx only"))
	ofGHX := []bench.MissingCells{{Reason: bench.MissingStopped, Cells: []bench.Cell{{ScenarioID: "b-001", Mode: bench.GHX, Iteration: 1}}}}
	assert.Contains(t, refused(bench.AgentDirect, bench.GHX, ofGHX, alike...), "b-001 in ghx only", "the other mode was not to run it")

	sha := "aaa"
	alike[1].Git.Commit = &sha
	assert.Contains(t, refused(bench.GHX, bench.AgentDirect, nil, alike...), "different commits")
	for _, pair := range [][2]bench.Mode{{"mine", bench.AgentDirect}, {bench.AgentDirect, "mine"}} {
		rows := join(runs(1, pair[0], "a-001"), runs(1, pair[1], "a-001"))
		rows[1].Git.Commit = &sha
		var c gate.Collector
		for _, row := range rows {
			require.NoError(t, c.Add(row))
		}
		opts := quick()
		opts.Baseline, opts.Candidate = pair[0], pair[1]
		_, err := c.Summarize(opts)
		assert.NoError(t, err, "a mode of a file has a tool of its own, and so a commit")
	}
}

// The limits were computed by the formulas of Welch (1947) in another program.
func TestG17CostLimitsAreThoseOfWelch(t *testing.T) {
	opts := unbound()
	opts.Thresholds.MinSamplesPerScenarioPerMode = 1
	of := func(one, other string) []*bench.Row {
		return join(priced(bench.AgentDirect, one, 1, 1.1, 1.3), priced(bench.GHX, one, 0.6, 0.7),
			priced(bench.AgentDirect, other, 10, 12), priced(bench.GHX, other, 2, 2.2, 2.5))
	}
	got := check(t, summarize(t, of("a-001", "b-001")[:5], opts), bench.CheckCostReduction).Interval
	assert.InDelta(t, 16.50019, got[0], 1e-4)
	assert.InDelta(t, 60.37161, got[1], 1e-4)
	for _, rows := range [][]*bench.Row{of("a-001", "b-001"), of("b-001", "a-001")} {
		got := check(t, summarize(t, rows, opts), bench.CheckCostReduction).Interval
		assert.InDelta(t, 16.50019, got[0], 1e-4)
		assert.InDelta(t, 65.12569, got[1], 1e-4, "of two, each has half of the error")
	}
	got = check(t, summarize(t, of("a-001", "b-001")[5:], opts), bench.CheckCostReduction).Interval
	assert.InDelta(t, 67.20080, got[0], 1e-4)
	assert.InDelta(t, 87.43342, got[1], 1e-4)
	lone := join(priced(bench.AgentDirect, "a-001", 1, 2), priced(bench.GHX, "a-001", 1))
	assert.Nil(t, check(t, summarize(t, lone, opts), bench.CheckCostReduction).Interval, "one row has no noise to see")
	exact := join(priced(bench.AgentDirect, "a-001", 1, 1), priced(bench.GHX, "a-001", 0.5, 0.5))
	got = check(t, summarize(t, exact, opts), bench.CheckCostReduction).Interval
	assert.InDelta(t, 50, got[0], 1e-9)
	assert.InDelta(t, 50, got[1], 1e-9)
	same := join(priced(bench.AgentDirect, "a-001", 1, 1), priced(bench.GHX, "a-001", 1, 1))
	got = check(t, summarize(t, same, opts), bench.CheckCostReduction).Interval
	assert.False(t, math.Signbit(got[0]) || math.Signbit(got[1]), "not -0")
}

func TestG17CoverageNeedsBothModes(t *testing.T) {
	of := func(baseline, candidate int) *bench.Interval {
		return check(t, summarize(t, join(runs(baseline, bench.AgentDirect, "a-001"), runs(candidate, bench.GHX, "a-001")), quick()), bench.CheckCoverage).Interval
	}
	assert.Equal(t, &bench.Interval{0, 0}, of(2, 8), "2 rows are never 3")
	assert.Equal(t, &bench.Interval{0, 0}, of(8, 2), "2 rows are never 3")
	many := of(300, 300)
	assert.InDelta(t, 100, many[0], 1e-6, "of 300 rows 3 are as good as sure")
	assert.InDelta(t, 100, many[1], 1e-6)
}

func TestG13ManyRowsAreTestedByTheNormalApproximation(t *testing.T) {
	of := func(rows int) bench.Check {
		return check(t, summarize(t, join(runs(rows, bench.AgentDirect, "a-001", need(2)), runs(1000, bench.GHX, "a-001")), quick()), bench.CheckLatencyReduction)
	}
	few, many := of(1000), of(1001)
	assert.InDelta(t, 1.0/21, *few.PValue, 1e-12, "20 permutations, and the rows as they are")
	assert.Less(t, *many.PValue, 1e-6)
	assert.Equal(t, 1.0, *many.EffectSize)
}

func TestG13AnIntervalThatNoResampleHasIsNotThere(t *testing.T) {
	rows := join(runs(2, bench.AgentDirect, "a-001"), runs(1, bench.AgentDirect, "a-001", func(r *bench.Row) { r.ToolCalls = 0 }), runs(3, bench.GHX, "a-001"))
	without := 0
	for seed := range uint64(20) {
		if check(t, summarize(t, rows, seeded(seed, 1)), bench.CheckToolCallReduction).Interval == nil {
			without++
		}
	}
	assert.Positive(t, without, "the median of a resample is 0 now and then")
	assert.Less(t, without, 20)
}

func TestG4WhatCountsAsAScenarioAndAsAWin(t *testing.T) {
	noTokens := func(r *bench.Row) { r.Tokens = bench.Tokens{Total: 5000, CacheRead: 5000} }
	summary := summarize(t, join(better("a-001"), runs(3, bench.AgentDirect, "b-001"), runs(3, bench.GHX, "b-001"),
		runs(3, bench.AgentDirect, "c-001", noTokens), runs(3, bench.GHX, "c-001"),
		runs(3, bench.MCP, "z-001")), quick())
	got := summary.Gate.Efficiency
	assert.Equal(t, 3, got.TotalScenarioCount, "another mode's scenarios are not compared")
	assert.Equal(t, 2, got.TokensComparableScenarioCount)
	assert.Equal(t, 50.0, got.ScenarioWinRateTokensActivePct, "the same is no win")

	summary = summarize(t, join(runs(3, bench.AgentDirect, "a-001", noTokens), runs(3, bench.GHX, "a-001")), quick())
	assert.Zero(t, summary.Gate.Efficiency.ScenarioWinRateTokensActivePct)
	assert.Zero(t, summary.Delta.TokensActiveReductionPct)
	assert.Equal(t, bench.Interval{}, summary.Delta.TokensActiveReductionCI)

	noCalls := func(r *bench.Row) { r.ToolCalls = 0 }
	summary = summarize(t, join(runs(3, bench.AgentDirect, "a-001"), runs(3, bench.GHX, "a-001", noCalls)), quick())
	assert.Equal(t, 100.0, check(t, summary, bench.CheckToolCallReduction).Value, "none at all is the most that can be saved")

	opts := quick()
	opts.Missing = []bench.MissingCells{{Reason: bench.MissingStopped, Cells: []bench.Cell{{ScenarioID: "b-001", Mode: bench.GHX, Iteration: 1}}}}
	summary = summarize(t, join(better("a-001"), runs(1, bench.AgentDirect, "b-001")), opts)
	assert.Equal(t, 2, summary.Gate.Efficiency.TotalScenarioCount, "a single row is of a scenario too")
}

func TestG4OneSampleIsTheLeast(t *testing.T) {
	opts := quick()
	opts.Thresholds.MinSamplesPerScenarioPerMode = 0
	got := summarize(t, join(runs(1, bench.AgentDirect, "a-001"), runs(1, bench.GHX, "a-001"),
		runs(1, bench.AgentDirect, "b-001"), runs(1, bench.GHX, "b-001", failed(bench.RunnerError, "x"))), opts).Gate.Efficiency
	assert.Equal(t, 1, got.MinSamplesPerScenarioPerMode)
	assert.Equal(t, 1, got.EligibleScenarioCount, "one stable run in each mode makes a scenario, none does not")
}

func TestG13ResamplesAreTenThousandUnlessSaid(t *testing.T) {
	assert.Equal(t, 10_000, gate.DefaultResamples)
	rows := noisy(1, 4, 0.8, "a-001")
	assert.Equal(t, summarize(t, rows, seeded(1, 10_000)).Gate, summarize(t, rows, seeded(1, 0)).Gate)
}

func TestSummaryTellsWhatItIsOf(t *testing.T) {
	opts := quick()
	opts.GeneratedAt = "2026-01-01T00:00:00.000Z"
	rows := better("a-001")
	failed(bench.CheckpointFailed, "no label")(rows[9])
	failed(bench.RunnerError, "gone")(rows[10])
	rows[9].Timestamp, rows[10].Timestamp, rows[8].Simulated = "2026-01-01", "2026-01-02", true
	summary := summarize(t, rows, opts)
	assert.Equal(t, opts.GeneratedAt, summary.GeneratedAt)
	assert.Equal(t, bench.SummarySchemaVersion, summary.SchemaVersion)
	assert.NotEmpty(t, summary.SchemaVersion)
	assert.True(t, summary.Simulated)
	assert.Contains(t, summary.Warnings, "1 of 16 rows are simulated: figures mix them with those of a model")
	assert.Empty(t, summary.Profiling, "no row has timings")

	scenario := summary.Scenarios[0]
	for name, got := range map[string]*float64{
		"tokens": scenario.TokensActiveReductionPct, "latency": scenario.LatencyReductionPct,
		"tool calls": scenario.ToolCallReductionPct, "cost": scenario.CostReductionPct,
	} {
		if assert.NotNil(t, got, name) {
			assert.InDelta(t, 50, *got, 1e-9, name)
		}
	}
	written, err := json.Marshal(scenario.Modes[bench.GHX])
	require.NoError(t, err)
	got := scenario.Modes[bench.GHX]
	assert.Equal(t, []int{8, 6, 6}, []int{got.Runs, got.Successes, got.Stable}, string(written))
	assert.Equal(t, []float64{100, 1000, 4, 0.01}, []float64{got.MedianTokensActive, got.MedianLatencyMS, got.MedianToolCalls, got.MedianCostUSD})
	assert.Equal(t, map[bench.ErrorType]int{bench.CheckpointFailed: 1, bench.RunnerError: 1}, got.Errors)
	assert.Equal(t, "no label", got.ExampleError)

	routed := runs(2, bench.GHX, "a-001")
	right := true
	routed[0].RouteOK = &right
	rate := summarize(t, routed, quick()).Modes[bench.GHX].RouteOKRate
	if assert.NotNil(t, rate) {
		assert.Equal(t, 100.0, *rate)
	}

	opts = quick()
	opts.Missing = []bench.MissingCells{
		{Reason: bench.MissingStopped},
		{Reason: "moved\naway", Cells: []bench.Cell{{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1}, {ScenarioID: "a-001", Mode: bench.GHX, Iteration: 2}}},
	}
	assert.Equal(t, "The plan is incomplete: 2 cells have no row, 2 moved away", summarize(t, better("a-001"), opts).Gate.Reason)
	assert.Equal(t, "There are no rows of agent_direct, so there is nothing to compare", summarize(t, runs(1, bench.GHX, "a-001"), quick()).Gate.Reason)
	alone := quick()
	alone.Baseline = bench.NoBaseline
	assert.Contains(t, summarize(t, runs(1, bench.GHX, "a-001"), alone).Gate.Reason, "One agent was run alone, so there is nothing to compare: `bench compare`")
}

func TestG14RunsAreComparedWithOthersOfTheirKind(t *testing.T) {
	past := func(run, set string, mode bench.Mode) bench.HistoryEntry {
		return entry(500, 100, func(e *bench.HistoryEntry) {
			e.RunID, e.ScenarioSet, e.Model = run, set, ""
			e.Modes = map[bench.Mode]bench.ModeSummary{mode: {MedianLatencyMS: 500, SuccessRate: 100, Runs: 96}}
		})
	}
	regressions := func(history ...bench.HistoryEntry) []bench.Regression {
		rows := better("a-001")
		set := "mine"
		for _, row := range rows {
			row.ScenarioSet = &set
		}
		opts := quick()
		for _, e := range history { // it takes three of a kind
			opts.History = append(opts.History, e, e, e)
		}
		return summarize(t, rows, opts).Regressions
	}
	got := regressions(past("run-0", "mine", bench.GHX), past("", "", bench.MCP))
	if assert.Len(t, got, 1, "an entry without the mode says nothing of it") {
		assert.Equal(t, bench.GHX, got[0].Mode)
		assert.InDelta(t, 500, got[0].RecentAverage, 1e-9)
	}
	assert.Empty(t, regressions(past("run-1", "mine", bench.GHX)), "it is the run itself")
	assert.Empty(t, regressions(past("run-0", "others", bench.GHX)))

	worse := gate.Regressions(entry(500, 80), []bench.HistoryEntry{entry(500, 100), entry(500, 100), entry(500, 100)})
	if assert.Len(t, worse, 1) {
		assert.Equal(t, bench.GHX, worse[0].Mode)
	}
}

func TestTextsFromOutsideAreCutAtTheirEnd(t *testing.T) {
	of := func(message string) string {
		return summarize(t, runs(1, bench.GHX, "a-001", failed(bench.CheckpointFailed, message)), quick()).Scenarios[0].Modes[bench.GHX].ExampleError
	}
	assert.Equal(t, "a b", of(" \n a \t b "))
	assert.Equal(t, strings.Repeat("x", 200), of(strings.Repeat("x", 200)))
	assert.Equal(t, strings.Repeat("x", 200)+"…", of(strings.Repeat("x", 201)))
	assert.Equal(t, strings.Repeat("ab ", 66)+"ab…", of(strings.Repeat("ab ", 68)), "spaces count too")
}

func TestWarningsSayHowManyAndWhere(t *testing.T) {
	noCalls := func(r *bench.Row) { r.ToolCalls = 0 }
	alike := func(id string) []*bench.Row {
		return join(runs(3, bench.AgentDirect, id, noCalls), runs(3, bench.GHX, id))
	}
	of := func(rows []*bench.Row) string {
		return strings.Join(check(t, summarize(t, rows, quick()), bench.CheckToolCallReduction).Warnings, "\n")
	}
	assert.Contains(t, of(join(better("a-001"), alike("b-001"))), "is 0 in 1 scenario of agent_direct, which is left out")
	assert.Contains(t, of(join(better("a-001"), alike("b-001"), alike("c-001"))), "is 0 in 2 scenarios of agent_direct, which are left out")

	equal := "All stable runs of a scenario are equal"
	same := func() []*bench.Row { return join(runs(6, bench.AgentDirect, "a-001"), runs(6, bench.GHX, "a-001")) }
	assert.Contains(t, of(same()), equal)
	assert.NotContains(t, of(better("a-001")), equal, "they differ from mode to mode")
	for _, i := range []int{0, 6} {
		for _, calls := range []int{3, 5} {
			rows := same()
			rows[i].ToolCalls = calls
			assert.NotContains(t, of(rows), equal)
		}
	}

	few := func(rows ...[]*bench.Row) string {
		return strings.Join(summarize(t, join(rows...), quick()).Warnings, "\n")
	}
	assert.Contains(t, few(runs(3, bench.AgentDirect, "a-001"), runs(8, bench.GHX, "a-001")), "1 of 1 eligible scenario has fewer than 6 stable runs")
	assert.Contains(t, few(better("a-001"), runs(8, bench.AgentDirect, "b-001"), runs(3, bench.GHX, "b-001")), "1 of 2 eligible scenarios have fewer than 6")

	live := func(r *bench.Row) {
		no := false
		r.FootprintJudged = &no
	}
	assert.Contains(t, few(runs(1, bench.GHX, "a-001", live), runs(1, bench.AgentDirect, "a-001", live)),
		"could not be judged in agent_direct (1 of 1 run) and ghx (1 of 1 run), as on a live target")
}
