package evidence

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// Suites are judged in the order in which they were drawn: where a block was in its run
// says nothing.
func TestV12BlocksThatAreDrawnCountInTheOrderOfTheDraws(t *testing.T) {
	of := func(iteration int, void string) Block {
		return Block{Scenario: "a-001", Iteration: iteration, Baseline: Session{Success: true, CostUSD: 1}, Candidate: Session{Success: true, CostUSD: 1, Void: void}}
	}
	d := drawn{scenarios: []pooled{
		{id: "a-001", blocks: []Block{of(7, ""), of(3, ""), of(5, "the provider")}, rate: 1},
		{id: "b-001", blocks: []Block{of(9, ""), of(9, "")}, rate: 1},
	}}
	const most = 20
	blocks := d.blocks(most, stats.Stream(1))
	sound, clock, before := 0, int64(0), [2]bool{}
	for i, b := range blocks {
		want := 1
		if i > 0 && blocks[i-1].Scenario == b.Scenario {
			want = blocks[i-1].Iteration + 1
		}
		assert.True(t, b.Iteration == want || b.Iteration == 1, "%d after %d", b.Iteration, want-1)
		assert.ElementsMatch(t, []int64{clock + 1, clock + 2}, []int64{b.Baseline.EndedMS, b.Candidate.EndedMS}, "the two are next to each other")
		before[one(b.Candidate.EndedMS < b.Baseline.EndedMS)] = true
		clock += 2
		sound += one(!b.void())
	}
	assert.Equal(t, 2*most, sound, "void ones are drawn beyond what is wanted")
	assert.Greater(t, len(blocks), sound)
	assert.Equal(t, [2]bool{true, true}, before, "either is the first")
}

func TestV12WhatIsTrueOfSuitesIsWhatWasDoneToThem(t *testing.T) {
	d := drawn{scenarios: []pooled{{rate: 0.1}, {rate: 0.9}}, effect: Effect{SuccessDrop: 0.3}}
	assert.InDeltaSlice(t, []float64{-20, 0, 0}, truthOf(d), 1e-9, "no rate drops below 0")
	d.effect = Effect{CostLog: 0.5, LatencyLog: -0.5}
	assert.InDeltaSlice(t, []float64{0, changePct(0.5), changePct(-0.5)}, truthOf(d), 1e-9)
}

func truthOf(d drawn) []float64 { truth := d.truth(); return truth[:] }

// What a calibration says of a candidate is what is done to its sessions.
func TestV12EffectsAreThoseThatAreNamed(t *testing.T) {
	d, err := NewDesign(bench.ProfileRegression, DefaultMargins(bench.Thresholds{}), 2, 12)
	assert.NoError(t, err)
	effects := map[string]Effect{}
	for _, e := range d.effects() {
		effects[e.Candidate] = e.effect
	}
	cost, latency := d.tested[0].notWorse, d.tested[1].notWorse
	assert.Equal(t, map[string]Effect{
		"does not differ":               {},
		"succeeds 15 points less often": {SuccessDrop: 0.15}, "costs × 1.2": {CostLog: cost}, "takes × 1.25": {LatencyLog: latency},
		"succeeds 30 points less often": {SuccessDrop: 0.3}, "costs × 1.44": {CostLog: 2 * cost}, "takes × 1.56": {LatencyLog: 2 * latency},
	}, effects)

	claimed := DefaultMargins(bench.Thresholds{MinCostReductionPct: 20, MinLatencyReductionPct: 10})
	d, err = NewDesign(bench.ProfileClaim, claimed, 2, 12)
	assert.NoError(t, err)
	cost, latency = d.tested[0].notWorse, d.tested[1].notWorse
	var all []Effect
	for _, e := range d.effects() {
		all = append(all, e.effect)
	}
	assert.Equal(t, []Effect{
		{CostLog: cost, LatencyLog: latency}, {CostLog: 2 * cost, LatencyLog: 2 * latency}, {SuccessDrop: 0.15, CostLog: 2 * cost, LatencyLog: 2 * latency}, {},
	}, all)
}

// An effect on success takes away as many successes as it says.
func TestV12AnEffectIsAsLargeAsItIsCalled(t *testing.T) {
	const draws, rate = 20_000, 0.8
	effect := Effect{SuccessDrop: 0.3, CostLog: 1, LatencyLog: 2}
	r, succeeded := stats.Stream(3), 0
	for range draws {
		s := Session{Success: r.Float64() < rate}
		effect.on(&s, rate, r)
		succeeded += one(s.Success)
	}
	assert.InDelta(t, rate-0.3, float64(succeeded)/draws, 0.015)
	s := Session{CostUSD: 1, TokensTotal: 10, TokensActive: 5, LatencyMS: 100}
	effect.on(&s, rate, r)
	assert.InDeltaSlice(t, []float64{math.E, 10 * math.E, 5 * math.E, 100 * math.Exp(2)}, []float64{s.CostUSD, s.TokensTotal, s.TokensActive, s.LatencyMS}, 1e-9)
}

func TestV13IntervalsThatHaveTheTruthInThemAreCounted(t *testing.T) {
	interval := func(lo, hi float64) bench.Endpoint { return bench.Endpoint{Interval: &bench.Interval{lo, hi}} }
	for name, c := range map[string]struct {
		in      bench.Endpoint
		covered int
	}{
		"in it": {interval(-1, 3), 1}, "its lower end": {interval(2, 3), 1}, "its upper end": {interval(1, 2), 1}, "below it": {interval(2.5, 3), 0}, "above it": {interval(0, 1.5), 0},
	} {
		var got Characteristics
		got.count([]bench.Endpoint{{}, c.in}, [3]float64{0, 2, 0})
		assert.Equal(t, Characteristics{Covered: [3]int{0, c.covered, 0}, Intervals: [3]int{0, 1, 0}}, got, name)
	}
}

func TestV13EverySimulatedScenarioHasANameOfItsOwn(t *testing.T) {
	before := ""
	for i := range 200 {
		name := scenarioName(i)
		assert.Regexp(t, `^scenario-[a-z]{2}$`, name)
		assert.Greater(t, name, before, "in the order of their numbers")
		before = name
	}
}

func TestV4NoiseIsOfWhatSessionsOfAScenarioDifferIn(t *testing.T) {
	alone := noise([][]float64{{0, 1, 3}, {0, 1, 3}}, 3)
	assert.InDelta(t, 1.4826*math.Sqrt(1.5), alone, 1e-9)
	assert.InDelta(t, alone, noise([][]float64{{10, 11, 13}, {-5, -4, -2}}, 3), 1e-9, "not of what scenarios differ in")
}

// A block that is drawn whole has been one.
func TestV12WholeBlocksAreOfOneRunAndIteration(t *testing.T) {
	row := func(mode bench.Mode, run string, iteration int) bench.Row {
		return bench.Row{ScenarioID: "a-001", Mode: mode, RunID: run, Iteration: iteration, Success: true}
	}
	for name, c := range map[string]struct {
		rows []bench.Row
		want int
	}{
		"one":                    {[]bench.Row{row(bench.GHX, "run-1", 1), row(bench.GHXBase, "run-1", 1)}, 1},
		"of two runs":            {[]bench.Row{row(bench.GHXBase, "run-1", 1), row(bench.GHX, "run-2", 1)}, 0},
		"of two iterations":      {[]bench.Row{row(bench.GHXBase, "run-1", 1), row(bench.GHX, "run-1", 2)}, 0},
		"of one mode":            {[]bench.Row{row(bench.GHX, "run-1", 1), row(bench.GHX, "run-1", 1)}, 0},
		"of a row that is twice": {[]bench.Row{row(bench.GHXBase, "run-1", 1), row(bench.GHX, "run-1", 1), row(bench.GHX, "run-1", 1)}, 1},
	} {
		p := NewPool(bench.GHXBase, bench.GHX)
		for i := range c.rows {
			p.Add(&c.rows[i])
		}
		assert.Len(t, p.blocks("a-001"), c.want, name)
	}
}
