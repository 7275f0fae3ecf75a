package evidence_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func withMargin(t *testing.T, points float64, first, last int) *evidence.Design {
	t.Helper()
	m := margins()
	m.SuccessDropPct = points
	d, err := evidence.NewDesign(bench.ProfileRegression, m, first, last)
	require.NoError(t, err)
	return d
}

func TestV8PlanThatCannotPassIsRefused(t *testing.T) {
	for _, c := range []struct {
		name        string
		points      float64
		first, last int
		scenarios   int
		want        string
	}{
		{"two scenarios and the usual margin", 15, 2, 12, 2,
			"2 scenario(s) with 2..12 repetitions cannot pass profile regression: not even without a failure would it be shown that success drops by less than 15 points: take at least 3 scenarios, or a margin of at least 16.1 points"},
		{"two and a wider one", 16.1, 2, 12, 2, ""},
		{"three and the usual one", 15, 2, 12, 3, ""},
		{"twelve and a narrow one", 3, 2, 12, 12, "take at least 13 scenarios"},
		{"thirteen and a narrow one", 3, 2, 12, 13, ""},
		{"so few blocks that no test can show anything", 99, 2, 2, 1, "take at least 3 scenarios"},
		{"a fixed number", 15, 4, 4, 2, "2 scenario(s) with 4 repetitions cannot pass"},
		{"none", 15, 2, 12, 0, "there is no scenario to judge"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := withMargin(t, c.points, c.first, c.last).Refuse(c.scenarios)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.NotContains(t, err.Error(), "\n")
		})
	}
	err := withMargin(t, 99, 2, 2).Refuse(1)
	assert.NotContains(t, err.Error(), "margin of at least", "no margin helps where a test of four cannot show anything")
}

// What is refused cannot pass, and what is not can, with flawless sessions.
func TestV8RefusalIsWhatWouldHappen(t *testing.T) {
	flawless := evidence.Truth{SuccessRate: 1, CostLog: -1, LatencyLog: -1, CV: 0.01}
	for _, points := range []float64{3, 8, 15, 30} {
		for scenarios := 1; scenarios <= 14; scenarios++ {
			flawless.Scenarios = scenarios
			for _, last := range []int{2, 4, 12} {
				d := withMargin(t, points, 2, last)
				passes := judge(t, d, blocks(flawless, last, 1)).Verdict == bench.VerdictPass
				assert.Equal(t, passes, d.Refuse(scenarios) == nil, "%g points, %d scenarios, 2..%d", points, scenarios, last)
			}
		}
	}
}

func TestV8PlanForeseesWhatSimulationsTake(t *testing.T) {
	for _, scenarios := range []int{4, 10, 12, 30} {
		d := regression(t)
		plan := d.Plan(evidence.Unknown(scenarios))
		c := d.Simulate(alike(scenarios), 300, 5)
		assert.InDelta(t, 2*float64(scenarios)*c.MeanBlocks, plan.Expected.Sessions, 0.15*plan.AtMost.Sessions, "%d scenarios", scenarios)
		assert.InDelta(t, 100*float64(c.Pass)/300, *plan.PassPct, 12, "%d scenarios", scenarios)
		assert.Equal(t, float64(24*scenarios), plan.AtMost.Sessions)
	}
}

func TestV13EverySuiteIsCountedOnce(t *testing.T) {
	worse := alike(12)
	worse.SuccessDrop = 0.3
	for name, truth := range map[string]evidence.Truth{"no difference": alike(12), "a fail": worse} {
		c := regression(t).Simulate(truth, 20, 5)
		assert.Equal(t, 20, c.Pass+c.Fail+c.CannotTell, name)
		assert.Equal(t, name == "a fail", c.Fail > c.Pass, name)
	}
	assert.Equal(t, 8.0, design(t, bench.ProfileRegression, 8, 8).Simulate(alike(3), 5, 1).MeanBlocks, "where there is one look")
	assert.Zero(t, regression(t).Simulate(evidence.Truth{}, 2, 1).MeanBlocks, "of no scenario there is none")
}

// A change that is said to be shown in four cases of five is.
func TestV8WhatIsDetectableIsDetected(t *testing.T) {
	testkit.NeedComplete(t)
	d := design(t, bench.ProfileRegression, 8, 8)
	plan := d.Plan(evidence.Unknown(12))
	require.Len(t, plan.Looks, 1)
	look := plan.Looks[0]
	assert.Equal(t, 192, look.Sessions)
	for _, c := range []struct {
		name  string
		index int
		alter func(*evidence.Truth)
	}{
		{"success", 0, func(w *evidence.Truth) { w.SuccessDrop = -*look.Success / 100 }},
		{"cost", 1, func(w *evidence.Truth) { w.CostLog = math.Log1p(*look.Cost / 100) }},
		{"latency", 2, func(w *evidence.Truth) { w.LatencyLog = math.Log1p(*look.Latency / 100) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			truth := alike(12)
			c.alter(&truth)
			shown := 0
			for seed := range uint64(300) {
				if judge(t, d, blocks(truth, 8, seed)).Endpoints[c.index].Harm.Shown {
					shown++
				}
			}
			assert.InDelta(t, 240, shown, 25)
		})
	}
}

// A fourth of what is planned may be void and run anew, and no scenario more than twice.
func TestN10RefillsAreBounded(t *testing.T) {
	for _, c := range [][3]int{{4, 1, 5}, {2, 1, 2}, {12, 2, 18}, {2, 12, 4}, {6, 4, 12}} {
		assert.Equal(t, c[2], evidence.WithRefills(c[0], c[1]), "%d blocks of %d scenarios", c[0], c[1])
	}
}

// A simulated world is as it is described.
func TestV13OutliersNeedSoMuchMore(t *testing.T) {
	truth := evidence.Truth{Scenarios: 2, SuccessRate: 1, CV: 0.3, OutlierShare: 1, OutlierFactor: 1}
	usual := blocks(truth, 3, 1)
	truth.OutlierFactor = 10
	for i, b := range blocks(truth, 3, 1) {
		for _, s := range [][2]evidence.Session{{usual[i].Baseline, b.Baseline}, {usual[i].Candidate, b.Candidate}} {
			assert.InEpsilon(t, 10*s[0].CostUSD, s[1].CostUSD, 1e-9)
			assert.InEpsilon(t, 10*s[0].LatencyMS, s[1].LatencyMS, 1e-9)
		}
	}
}

func TestV8PlanIsPriced(t *testing.T) {
	d := regression(t)
	expected := evidence.Unknown(12)
	assert.Nil(t, d.Plan(expected).Expected.CostUSD)
	assert.Nil(t, d.Plan(expected).AtMost.Minutes)
	expected.CostUSD, expected.LatencyMS, expected.Concurrency = 0.03, 33_000, 4
	plan := d.Plan(expected)
	assert.InDelta(t, 288*0.03, *plan.AtMost.CostUSD, 1e-9)
	assert.InDelta(t, 288*33.0/60/4, *plan.AtMost.Minutes, 1e-9)
	assert.InDelta(t, plan.Expected.Sessions*0.03, *plan.Expected.CostUSD, 1e-9)
	expected.NotCounted, expected.Modes = 2, 3
	plan = d.Plan(expected)
	assert.Equal(t, 14*12*3.0, plan.AtMost.Sessions, "what is not counted runs all the same")
	assert.Equal(t, 14*12*3, plan.Looks[5].Sessions)
	assert.InDelta(t, *d.Plan(evidence.Unknown(12)).PassPct, *plan.PassPct, 1e-9, "and decides nothing")
}

func TestV8PlansHaveNoNonsense(t *testing.T) {
	for _, profile := range []bench.GateProfile{bench.ProfileRegression, bench.ProfileClaim} {
		for _, e := range []evidence.Expected{
			{Scenarios: 1, Modes: 2}, {Scenarios: 1, Modes: 2, SuccessRate: 1}, {Scenarios: 500, Modes: 3, SuccessRate: 1, CostCV: 3, LatencyCV: 0.01},
			{Scenarios: 12, Modes: 2, SuccessRate: 0.02, CostCV: 0.3, LatencyCV: 0.3},
		} {
			plan := design(t, profile, 2, 12).Plan(e)
			_, err := json.Marshal(plan)
			require.NoError(t, err)
			before := 0.0
			for _, look := range plan.Looks {
				assert.GreaterOrEqual(t, *look.PassPct, before)
				assert.LessOrEqual(t, *look.PassPct, 100.0)
				before = *look.PassPct
			}
			assert.LessOrEqual(t, plan.Expected.Sessions, plan.AtMost.Sessions)
		}
	}
	assert.Nil(t, regression(t).Plan(evidence.Expected{Scenarios: 12, Modes: 2}).Looks[5].Success, "what never succeeds does not drop")
	nothing, err := evidence.NewDesign(bench.ProfileClaim, evidence.DefaultMargins(bench.Thresholds{}), 2, 12)
	require.NoError(t, err)
	exact := evidence.Unknown(12)
	exact.CostCV, exact.LatencyCV = 0, 0
	assert.Zero(t, *nothing.Plan(exact).PassPct, "to save nothing is not shown where nothing is saved")
	claim := design(t, bench.ProfileClaim, 2, 12).Plan(evidence.Unknown(12))
	assert.Greater(t, *claim.Looks[5].Cost, -10.0, "a change above the claimed one is shown to be no such saving")
	assert.Greater(t, *claim.PassPct, 30.0, "of a candidate that saves as much again")
}

// The checks may have any number of repetitions, also such as no test takes.
func TestV8APlanOfChecksIsToldWhateverItsRepetitions(t *testing.T) {
	expected := evidence.Unknown(3)
	expected.CostUSD = 0.5
	for _, repetitions := range []int{1, evidence.MaxBlocks + 1} {
		plan := evidence.PlanOfChecks(expected, repetitions)
		assert.Equal(t, float64(6*repetitions), plan.AtMost.Sessions)
		assert.Equal(t, plan.AtMost, plan.Expected)
		assert.InDelta(t, 3*float64(repetitions), *plan.AtMost.CostUSD, 1e-9)
		assert.Equal(t, 3, plan.Scenarios)
		assert.NotNil(t, plan.Looks, "who reads it finds a list")
		assert.Empty(t, plan.Looks)
	}
	plan := evidence.PlanOfChecks(expected, 4)
	assert.Equal(t, 24.0, plan.AtMost.Sessions)
	require.Len(t, plan.Looks, 1)
	assert.NotNil(t, plan.Looks[0].Cost, "what a test of as many sessions would see")
	assert.Nil(t, plan.Looks[0].PassPct, "the checks do not pass as the test does")
	assert.Nil(t, plan.PassPct)
}
