package evidence

import (
	"math"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Expected is what is known of sessions before any is run: from history, else
// [Unknown].
type Expected struct {
	Scenarios int
	// NotCounted are further scenarios that run and that the verdict leaves out.
	NotCounted int
	// Modes is how many run, at least the two that are compared.
	Modes int
	// SuccessRate is the baseline's, from 0 to 1.
	SuccessRate float64
	// CostCV and LatencyCV are coefficients of variation between sessions of one
	// scenario and mode; 0.3 is 30 %.
	CostCV, LatencyCV float64
	// CostUSD and LatencyMS are of a session, 0 where they are not known.
	CostUSD, LatencyMS float64
	// Concurrency is how many sessions run at once, at least 1.
	Concurrency int
}

// What is expected without a history (rule V8).
const (
	UnknownCV          = 0.3
	UnknownSuccessRate = 0.95
)

// Unknown returns what is expected of scenarios without a history.
func Unknown(scenarios int) Expected {
	return Expected{Scenarios: scenarios, Modes: 2, SuccessRate: UnknownSuccessRate, CostCV: UnknownCV, LatencyCV: UnknownCV, Concurrency: 1}
}

// Plan says what a design takes, and what it could see.
type Plan struct {
	Scenarios int `json:"scenarios"`
	// Expected is for a candidate that does not differ, AtMost for one of which
	// it cannot be told.
	Expected Spending `json:"expected"`
	AtMost   Spending `json:"atMost"`
	// PassPct is the probability in percent that a candidate that does not differ
	// from the baseline ends in a PASS; of a claim that of one that saves the
	// claimed and as much again. Nil where no such test decides.
	PassPct *float64      `json:"passPct"`
	Looks   []PlannedLook `json:"looks"`
}

// Spending is what sessions take. CostUSD and Minutes are nil where they are not
// known.
type Spending struct {
	Sessions float64  `json:"sessions"`
	CostUSD  *float64 `json:"costUsd"`
	Minutes  *float64 `json:"minutes"`
}

// PlannedLook is what a look could see: the least changes for the worse that it
// shows in four cases of five, in units of [Endpoint]; nil where it shows none.
type PlannedLook struct {
	Blocks   int      `json:"blocks"`
	Sessions int      `json:"sessions"`
	Success  *float64 `json:"success"`
	Cost     *float64 `json:"cost"`
	Latency  *float64 `json:"latency"`
	// PassPct is the probability in percent of a PASS by then; see [Plan].
	PassPct *float64 `json:"passPct"`
}

// Plan foresees what a design takes, by normal approximations. What is expected
// has a scenario, a success rate from 0 to 1 and no negative figure.
func (d *Design) Plan(e Expected) Plan {
	p := Plan{Scenarios: e.Scenarios, Looks: make([]PlannedLook, 0, len(d.looks))}
	passed, blocks := 0.0, 0.0
	for number, n := range d.looks {
		// What the look adds is run unless an earlier one was a PASS.
		before := 0
		if number > 0 {
			before = d.looks[number-1]
		}
		blocks += float64(n-before) * (1 - passed)
		passed = max(passed, d.passProbability(e, number))
		p.Looks = append(p.Looks, d.plannedLook(e, number, passed))
	}
	p.PassPct = pointer(100 * passed)
	p.Expected = e.Takes(blocks)
	p.AtMost = e.Takes(float64(d.Most()))
	return p
}

func (d *Design) plannedLook(e Expected, number int, passed float64) PlannedLook {
	n := d.looks[number]
	l := PlannedLook{Blocks: n, Sessions: e.Modes * n * (e.Scenarios + e.NotCounted), PassPct: pointer(100 * passed)}
	if drop, ok := detectableDrop(e.Scenarios, n, e.SuccessRate, d.failBound(bench.EndpointSuccess, number)); ok {
		l.Success = pointer(points(drop))
	}
	for i, to := range []**float64{&l.Cost, &l.Latency} {
		if log, ok := detectableLog(n*e.Scenarios, e.noise(i), d.failBound(ratioNames[i], number)); ok {
			*to = pointer(changePct(d.tested[i].harm + log))
		}
	}
	return l
}

// ratioNames are the endpoints that are ratios, in order.
var ratioNames = [2]bench.EndpointName{bench.EndpointCost, bench.EndpointLatency}

// noise returns the standard deviation of a block's difference, of the cost or
// the latency, which are log-normal.
func (e Expected) noise(i int) float64 {
	cv := [2]float64{e.CostCV, e.LatencyCV}[i]
	return math.Sqrt(2 * math.Log1p(cv*cv))
}

// passProbability returns that of showing at a look, on all endpoints, that a
// candidate which does not differ is not worse; of a claim, that one which saves
// the claimed and as much again does.
func (d *Design) passProbability(e Expected, number int) float64 {
	n, bound := float64(d.looks[number]), d.bounds.pass[number]
	scenarios := float64(e.Scenarios)
	δ, rate := d.successMargin(), e.SuccessRate
	pc, pb := likeliest(rate*n, n, rate*n, n, δ)
	null := math.Sqrt((pc*(1-pc) + pb*(1-pb)) / (n * scenarios) * correctionOf(d.looks[number]))
	probability := chanceAbove(δ-bound*null, math.Sqrt(2*rate*(1-rate)/(n*scenarios)))
	for i, t := range d.tested {
		if !reachable(e.Scenarios*d.looks[number], bound) {
			return 0
		}
		distance := t.notWorse - t.harm
		if distance == 0 {
			distance = -t.notWorse
		}
		deviation := e.noise(i) * rankLoss / math.Sqrt(n*scenarios)
		probability *= chanceAbove(distance-bound*deviation, deviation)
	}
	return probability
}

// chanceAbove returns the probability that a normal variable with that mean and
// deviation is above 0.
func chanceAbove(mean, deviation float64) float64 {
	if deviation <= 0 {
		return float64(one(mean > 0))
	}
	return upperTail(-mean / deviation)
}

// Takes returns what so many repetitions of every scenario take.
func (e Expected) Takes(repetitions float64) Spending {
	s := Spending{Sessions: repetitions * float64(e.Modes*(e.Scenarios+e.NotCounted))}
	if e.CostUSD > 0 {
		s.CostUSD = pointer(s.Sessions * e.CostUSD)
	}
	if e.LatencyMS > 0 {
		s.Minutes = pointer(s.Sessions * e.LatencyMS / 60_000 / float64(max(1, e.Concurrency)))
	}
	return s
}

// Refuse returns an error of kind [fault.Invalid] if no result whatever of so
// many scenarios would be a PASS (rule V8). It names the least number of
// scenarios and the least margin with which one would.
func (d *Design) Refuse(scenarios int) error {
	if scenarios < 1 {
		return fault.Invalidf("there is no scenario to judge")
	}
	if d.canPass(scenarios, d.successMargin()) {
		return nil
	}
	least := scenarios
	for !d.canPass(least, d.successMargin()) {
		least++
	}
	with := "%d scenario(s) with %s repetitions cannot pass profile %s: not even without a failure would it be shown that success drops by less than %g points: take at least %d scenarios"
	margin, ok := d.leastMargin(scenarios)
	if !ok {
		return fault.Invalidf(with, scenarios, d.repetitions(), d.profile, d.margins.SuccessDropPct, least)
	}
	return fault.Invalidf(with+", or a margin of at least %.1f points", scenarios, d.repetitions(), d.profile, d.margins.SuccessDropPct, least, margin)
}

// canPass reports whether there is a look at which flawless sessions would be a
// PASS.
func (d *Design) canPass(scenarios int, margin float64) bool {
	for number, n := range d.looks {
		bound := d.bounds.pass[number]
		if flawlessZ(scenarios, n, margin) >= bound && reachable(scenarios*n, bound) {
			return true
		}
	}
	return false
}

// flawlessZ is the z of not being worse where no session failed.
func flawlessZ(scenarios, n int, margin float64) float64 {
	return math.Sqrt(float64(scenarios*n) * margin / (1 - margin) / correctionOf(n))
}

// leastMargin returns the least margin in percentage points, rounded up to a
// tenth, with which so many scenarios can pass; ok is false if none can.
func (d *Design) leastMargin(scenarios int) (points float64, ok bool) {
	const tenths = 1000
	for tenth := 1; tenth < tenths; tenth++ {
		if margin := float64(tenth) / tenths; d.canPass(scenarios, margin) {
			return 100 * margin, true
		}
	}
	return 0, false
}

// PlanOfChecks is the plan of a profile with fixed thresholds: what it takes, and
// what a test could see in as many sessions.
func PlanOfChecks(e Expected, repetitions int) Plan {
	test, err := NewDesign(bench.ProfileRegression, DefaultMargins(bench.Thresholds{}), repetitions, repetitions)
	if err != nil { // too few, or more than any test takes
		takes := e.Takes(float64(repetitions))
		return Plan{Scenarios: e.Scenarios, Expected: takes, AtMost: takes, Looks: []PlannedLook{}}
	}
	plan := test.Plan(e)
	// The checks do not pass as the test does.
	plan.PassPct = nil
	for i := range plan.Looks {
		plan.Looks[i].PassPct = nil
	}
	return plan
}
