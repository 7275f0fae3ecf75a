package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// past is a run of scenario a-001 whose baseline came to those outcomes.
func past(outcomes string, changes ...func(*bench.HistoryEntry)) bench.HistoryEntry {
	e := bench.HistoryEntry{Model: "fake/one", Scenarios: map[string]bench.HistoryScenario{"a-001": {
		Hash: "hash of a-001", Modes: map[bench.Mode]bench.HistorySessions{bench.GHXBase: {Outcomes: outcomes}, bench.GHX: {Outcomes: "--------------------"}},
	}}}
	for _, change := range changes {
		change(&e)
	}
	return e
}

func TestV10WhichScenariosCount(t *testing.T) {
	const bad, good = "--------------------", "++++++++++++++++++++"
	half := strings.Repeat("+-", 10)
	for _, c := range []struct {
		name    string
		history []bench.HistoryEntry
		own     bool
		reason  string
	}{
		{"no history", nil, false, ""},
		{"one of somebody's own", nil, true, "it is new, with 0 of the 20 blocks that it takes"},
		{"nearly", []bench.HistoryEntry{past("+++++++++++"), past("++++++++")}, true, "it is new, with 19 of the 20 blocks that it takes"},
		{"enough", []bench.HistoryEntry{past("+++++++++++"), past("+++++++++")}, true, ""},
		{"10 of 20", []bench.HistoryEntry{past(half)}, false, "it is in quarantine, as the baseline succeeded in 10 of its last 20 blocks"},
		{"10 of 20 of one's own", []bench.HistoryEntry{past(half)}, true, "it is in quarantine, as the baseline succeeded in 10 of its last 20 blocks"},
		{"11 of 20", []bench.HistoryEntry{past("+" + half[:19])}, false, ""},
		{"19 failures are too few", []bench.HistoryEntry{past(bad[1:])}, false, ""},
		{"it was bad once", []bench.HistoryEntry{past(bad), past("++++++"), past("+++++")}, false, ""},
		{"it has become bad", []bench.HistoryEntry{past(good), past("----------")}, false, "it is in quarantine, as the baseline succeeded in 10 of its last 20 blocks"},
		{"with another model", []bench.HistoryEntry{past(bad, func(e *bench.HistoryEntry) { e.Model = "fake/two" })}, false, ""},
		{"on another branch", []bench.HistoryEntry{past(bad, func(e *bench.HistoryEntry) { e.Aside = true })}, false, ""},
		{"with another content", []bench.HistoryEntry{past(bad, func(e *bench.HistoryEntry) { changed(e, "a-001") })}, false, ""},
	} {
		t.Run("V10: "+c.name, func(t *testing.T) {
			got := verify.HealthOf(c.history, verify.Expecting{Model: "fake/one", Baseline: bench.GHXBase},
				[]bench.Scenario{fake.Atomic("a-001")}, func(bench.Scenario) bool { return !c.own })
			if c.reason == "" {
				assert.Empty(t, got.NotCounted)
				assert.Empty(t, got.Warning(1))
				return
			}
			assert.Equal(t, map[string]string{"a-001": "the scenario is not counted: " + c.reason}, got.NotCounted)
			assert.Equal(t, "1 of 3 scenarios run and are not counted: a-001 ("+c.reason+")", got.Warning(3))
			assert.Equal(t, strings.Contains(c.reason, "new"), got.Incubating == 1)
		})
	}
}

func TestV8WhatVariesIsOfTheHistoryWhereItHasEnough(t *testing.T) {
	of := verify.Expecting{Model: "fake/one", ScenarioSet: "all", Baseline: bench.GHXBase, Modes: []bench.Mode{bench.GHXBase, bench.GHX}, Scenarios: 5, NotCounted: 2, Concurrency: 1}
	run := func(sessions int, deviation float64) bench.HistoryEntry {
		e := bench.HistoryEntry{Model: "fake/one", ScenarioSet: "all", Modes: map[bench.Mode]bench.ModeSummary{}, Noise: map[bench.Mode]bench.HistoryNoise{}}
		for _, mode := range of.Modes {
			e.Modes[mode] = bench.ModeSummary{Runs: sessions, SuccessRate: 75}
			e.Noise[mode] = bench.HistoryNoise{Sessions: sessions, CostLog: deviation, LatencyLog: 2 * deviation}
		}
		return e
	}
	few, basis := verify.Expect([]bench.HistoryEntry{run(39, 0.1)}, of)
	assert.Equal(t, 0.3, few.CostCV)
	assert.Equal(t, 0.95, few.SuccessRate)
	assert.Contains(t, basis, "for want of history")
	assert.Equal(t, 3, few.Scenarios)
	assert.Equal(t, 10.0, few.Takes(1).Sessions, "what is not counted runs too")

	aside := run(1000, 3)
	aside.Aside = true
	enough, basis := verify.Expect([]bench.HistoryEntry{run(20, 0.1), run(60, 0.2), aside}, of)
	// √(e^v − 1) of v = (20 · 0.01 + 60 · 0.04) / 80 = 0.0325, and of 0.13.
	assert.InDelta(t, 0.1817523, enough.CostCV, 1e-6)
	assert.InDelta(t, 0.3725968, enough.LatencyCV, 1e-6)
	assert.InDelta(t, 60.5/81, enough.SuccessRate, 1e-9)
	assert.Equal(t, "160 earlier ones did (cost 18 %, latency 37 %, of which 75 % succeed)", basis)
}
