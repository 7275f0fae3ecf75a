package evidence

import (
	"math"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// power is how surely what is detectable is detected, as a normal quantile: 80 %
// (rule V8).
const power80 = 0.8416212335729143

// rankLoss is what a signed-rank test needs more of a standard deviation than a
// test of means, where differences are normal: √(π/3).
var rankLoss = math.Sqrt(math.Pi / 3)

// detectableDrop returns the least drop of the success rate that a look with as
// many scenarios and blocks shows in four cases of five, given the baseline's
// rate; ok is false where even a drop to 0 would not be shown.
func detectableDrop(scenarios, n int, rate, bound float64) (drop float64, ok bool) {
	runs := float64(n * scenarios)
	shown := func(δ float64) bool {
		low, mean := rate-δ, rate-δ/2
		null := math.Sqrt(2 * mean * (1 - mean) / runs * correctionOf(n))
		actual := math.Sqrt((rate*(1-rate) + low*(1-low)) / runs)
		return δ >= bound*null+power80*actual
	}
	if rate <= 0 || !shown(rate) {
		return 0, false
	}
	return bisect(0, rate, shown), true
}

// correctionOf is [table.correction] for n attempts in each mode.
func correctionOf(n int) float64 { return 2 * float64(n) / (2*float64(n) - 1) }

// detectableLog returns the least logarithm above a hypothesis that a look over
// that many blocks shows in four cases of five, given a difference's standard
// deviation; ok is false where nothing would be shown.
func detectableLog(blocks int, noise, bound float64) (log float64, ok bool) {
	if !reachable(blocks, bound) {
		return 0, false
	}
	return (bound + power80) * noise * rankLoss / math.Sqrt(float64(blocks)), true
}

// reachable reports whether the signed-rank test of so many blocks can reach a
// bound at all.
func reachable(blocks int, bound float64) bool {
	return math.Pow(0.5, float64(blocks)) <= upperTail(bound)
}

func (l *look) detectableDrop() (drop float64, ok bool) {
	rate := l.success.sum(table.baselineSuccesses) / float64(l.window.blocks())
	return detectableDrop(len(l.window.scenarios), l.window.n, rate, l.design.failBound(bench.EndpointSuccess, l.number))
}

// further foresees at which of the looks that remain z would reach its bounds
// if it went on growing as it has, with the root of the blocks.
func (l *look) further(j judgement) *bench.Further {
	last := len(l.design.looks) - 1
	if !moreMayTell(j.kind) || l.number == last {
		return nil
	}
	f := &bench.Further{Blocks: l.design.looks[last]}
	for number := l.number + 1; number <= last; number++ {
		if l.wouldTell(l.design, number) {
			f.Blocks, f.Enough = l.design.looks[number], true
			break
		}
	}
	scenarios := len(l.window.scenarios)
	f.Sessions = 2 * scenarios * (f.Blocks - l.window.n)
	if l.ratios[0].measure == bench.MeasureCost {
		baseline, candidate := l.window.totals()
		perSession := (baseline.CostUSD + candidate.CostUSD) / float64(baseline.Sessions+candidate.Sessions)
		f.CostUSD = pointer(perSession * float64(f.Sessions))
	}
	return f
}

// enoughRepetitions foresees in the same way how many repetitions a plan of one look
// would take; 0 before the last look, where more would not help, and where no number
// of them would.
func (l *look) enoughRepetitions(j judgement) int {
	if !moreMayTell(j.kind) || l.number != len(l.design.looks)-1 {
		return 0
	}
	for n := l.window.n + 1; n <= MaxBlocks; n++ {
		// A single look has the same bounds whatever n is.
		single := *l.design
		single.looks, single.bounds = []int{n}, singleBounds()
		if l.wouldTell(&single, 0) {
			return n
		}
	}
	return 0
}

// wouldTell reports whether a look of a design would be a PASS or a FAIL.
func (l *look) wouldTell(d *Design, number int) bool {
	growth := math.Sqrt(float64(d.looks[number]) / float64(l.window.n))
	tests := l.tests(none)
	passes := len(l.harmed) == 0
	for i := range tests {
		t := &tests[i]
		t.Harm = testOf(t.Harm.Z*growth, d.failBound(t.Name, number))
		t.NotWorse = testOf(t.NotWorse.Z*growth, d.bounds.pass[number])
		passes = passes && t.NotWorse.Shown
	}
	return passes || len(choose(tests, failed)) > 0
}
