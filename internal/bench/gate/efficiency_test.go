package gate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestG4UnstableRowsDoNotCountForEfficiency(t *testing.T) {
	cases := map[string]change{
		"a failure":                       func(r *bench.Row) { r.Success = false },
		"invalid output":                  func(r *bench.Row) { r.OutputValid = false },
		"a success with a runner failure": func(r *bench.Row) { r.Error = &bench.RowError{Type: bench.RunnerError} },
	}
	for name, alter := range cases {
		t.Run("G4: "+name, func(t *testing.T) {
			rows := join(
				runs(3, bench.AgentDirect, "a-001", need(4)), runs(5, bench.AgentDirect, "a-001", need(99), alter),
				runs(3, bench.GHX, "a-001", need(1)), runs(5, bench.GHX, "a-001", need(77), alter),
			)
			summary := summarize(t, rows, quick())
			assert.Equal(t, 75.0, check(t, summary, bench.CheckTokensReduction).Value)
			assert.Equal(t, 100*300/5400.0, *summary.Gate.Efficiency.TokensTotalReductionPct)
			assert.Equal(t, 3, summary.Scenarios[0].Modes[bench.GHX].Stable)
		})
	}
}

func TestG4TheSuitesFigureIsTheMedianOverEligibleScenarios(t *testing.T) {
	rows := join(
		runs(3, bench.AgentDirect, "a-001", need(4)), runs(3, bench.GHX, "a-001", need(1)), // 75 %
		runs(3, bench.AgentDirect, "b-001", need(4)), runs(3, bench.GHX, "b-001", need(3)), // 25 %
		runs(3, bench.AgentDirect, "c-001", need(4)), runs(3, bench.GHX, "c-001", need(5)), // -25 %
		runs(9, bench.AgentDirect, "d-001", need(9)), runs(2, bench.GHX, "d-001", need(1)), // not eligible
	)
	summary := summarize(t, rows, quick())
	assert.Equal(t, &bench.Efficiency{
		MinSamplesPerScenarioPerMode: 3, EligibleScenarioCount: 3, TotalScenarioCount: 4, CoveragePct: 75,
		TokensComparableScenarioCount: 3, TokensActiveReductionPct: 25, LatencyReductionPct: 25, ToolCallReductionPct: 25,
		TokensTotalReductionPct:        new(100 * 100 / 5400.0), // 5,000 more of each are read from a cache
		ScenarioWinRateTokensActivePct: 100 * 2.0 / 3,
	}, summary.Gate.Efficiency)
	assert.Equal(t, -25.0, *summary.Scenarios[2].LatencyReductionPct)
	assert.Equal(t, -100*100/5400.0, *summary.Scenarios[2].TokensTotalReductionPct)
	assert.Equal(t, 5500.0, *summary.Scenarios[2].Modes[bench.GHX].MedianTokensTotal)
	assert.True(t, summary.Scenarios[2].Eligible)
	assert.False(t, summary.Scenarios[3].Eligible)
	assert.Nil(t, summary.Scenarios[3].LatencyReductionPct)
	assert.Nil(t, summary.Scenarios[3].TokensTotalReductionPct)
}

func TestG4TotalTokensAreComparedWhereTheBaselineHasSome(t *testing.T) {
	none := func(r *bench.Row) { r.Tokens = bench.Tokens{} }
	without := join(runs(3, bench.AgentDirect, "b-001", none), runs(3, bench.GHX, "b-001"))
	got := summarize(t, join(runs(3, bench.AgentDirect, "a-001", need(4)), runs(3, bench.GHX, "a-001", need(1)), without), quick())
	assert.Equal(t, 100*300/5400.0, *got.Gate.Efficiency.TokensTotalReductionPct, "of the other scenario alone")
	assert.Nil(t, summarize(t, without, quick()).Gate.Efficiency.TokensTotalReductionPct)
}

func TestG4AScenarioWhoseBaselineIsZeroIsLeftOut(t *testing.T) {
	noTools := func(r *bench.Row) { r.ToolCalls = 0 }
	rows := join(better("a-001"), runs(3, bench.AgentDirect, "b-001", need(2), noTools), runs(3, bench.GHX, "b-001"))
	summary := summarize(t, rows, quick())
	got := check(t, summary, bench.CheckToolCallReduction)
	assert.Equal(t, 50.0, got.Value, "of the other scenario alone")
	assert.True(t, got.Passed)
	assert.Contains(t, got.Warnings, "The median of tool calls is 0 in 1 scenario of agent_direct, which is left out")
	assert.Nil(t, summary.Scenarios[1].ToolCallReductionPct)
	assert.NotNil(t, summary.Scenarios[1].LatencyReductionPct)
}

func TestG4WhatCannotBeComputedIsZeroAndFailsWhateverTheThreshold(t *testing.T) {
	opts := quick()
	opts.Thresholds.MinToolCallReductionPct = -100
	opts.Thresholds.MinLatencyReductionPct = -100
	opts.Thresholds.MinCostReductionPct = -100

	t.Run("G4: no scenario with a baseline", func(t *testing.T) {
		noTools := func(r *bench.Row) { r.ToolCalls = 0 }
		summary := summarize(t, join(runs(3, bench.AgentDirect, "a-001", noTools), runs(3, bench.GHX, "a-001")), opts)
		got := check(t, summary, bench.CheckToolCallReduction)
		assert.False(t, got.Passed)
		assert.Zero(t, got.Value)
		assert.Contains(t, got.Reason, "median of tool calls is 0 in every eligible scenario of agent_direct")
		assert.Nil(t, got.Interval)
		assert.Nil(t, got.PValue)
		assert.Nil(t, got.EffectSize)
		assert.True(t, check(t, summary, bench.CheckLatencyReduction).Passed, "an equal latency is no rise of 100 %")
	})
	t.Run("G4: no eligible scenario", func(t *testing.T) {
		summary := summarize(t, join(runs(2, bench.AgentDirect, "a-001"), runs(2, bench.GHX, "a-001")), opts)
		for _, name := range []bench.CheckName{bench.CheckTokensReduction, bench.CheckLatencyReduction, bench.CheckToolCallReduction, bench.CheckCostReduction} {
			got := check(t, summary, name)
			assert.False(t, got.Passed, name)
			assert.Zero(t, got.Value, name)
			assert.Contains(t, got.Reason, "No scenario has 3 stable runs in each mode")
		}
		assert.Zero(t, check(t, summary, bench.CheckCoverage).Value)
	})
}

func TestG5TheLowestCostReductionCounts(t *testing.T) {
	rows := join(better("a-001"), runs(3, bench.AgentDirect, "b-001", need(4)), runs(3, bench.GHX, "b-001", need(3.8)))
	summary := summarize(t, rows, quick())
	got := check(t, summary, bench.CheckCostReduction)
	assert.InDelta(t, 5, got.Value, 1e-9)
	assert.False(t, got.Passed)
	assert.Equal(t, "The lowest reduction in cost is 5%, the minimum is 10%; furthest from it: b-001 (5%)", got.Reason)
}

func TestG5WithoutCostDataTheCheckFails(t *testing.T) {
	free := func(r *bench.Row) { r.Cost = 0 }
	cases := map[string][]*bench.Row{
		"on the baseline's side":  join(runs(3, bench.AgentDirect, "b-001", free), runs(3, bench.GHX, "b-001")),
		"on the candidate's side": join(runs(3, bench.AgentDirect, "b-001"), runs(3, bench.GHX, "b-001", free)),
		"on both sides":           join(runs(3, bench.AgentDirect, "b-001", free), runs(3, bench.GHX, "b-001", free)),
	}
	for name, rows := range cases {
		t.Run("G5: "+name+", in one scenario of two", func(t *testing.T) {
			opts := quick()
			opts.Thresholds.MinCostReductionPct = -100
			summary := summarize(t, join(better("a-001"), rows), opts)
			got := check(t, summary, bench.CheckCostReduction)
			assert.False(t, got.Passed)
			assert.Zero(t, got.Value)
			assert.Equal(t, "No cost data: the median cost is 0 in a mode of b-001", got.Reason)
			assert.Nil(t, summary.Scenarios[1].CostReductionPct)
		})
	}
}

func TestThresholdOfNoDropIsShownAsZero(t *testing.T) {
	opts := quick()
	opts.Thresholds.MaxSuccessRateDropPct = 0
	got := check(t, summarize(t, better("a-001"), opts), bench.CheckSuccessRate)
	assert.True(t, got.Passed)
	assert.False(t, 1/got.Threshold < 0, "not -0")
}
