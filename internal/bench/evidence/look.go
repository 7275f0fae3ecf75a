package evidence

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// testOf compares z with its bound. Adding 0 makes a 0 of −0.
func testOf(z, bound float64) bench.Test {
	return bench.Test{Z: z + 0, Bound: bound, Shown: z >= bound}
}

// failed reports whether the endpoint alone makes a FAIL (rule V6).
func failed(t bench.EndpointTests) bool { return t.Harm.Shown && !t.NotWorse.Shown }

// look is what a look sees, and what its tests need.
type look struct {
	design *Design
	number int
	window window
	voids  bench.Voids
	// sideBySide is false if the modes do not overlap in time.
	sideBySide bool
	// success is of all scenarios, withVoids of them with the voids of one mode
	// as its failures; sound and unsound are the same by scenario.
	success, withVoids tables
	sound, unsound     []table
	ratios             [2]ratio
	// harmed are the scenarios that withhold a PASS.
	harmed []harmed
}

// ratio is what is known of the cost or the latency.
type ratio struct {
	name    bench.EndpointName
	measure bench.Measure
	// differences are in the order of the scenarios, which split them.
	differences []difference
	scenarios   [][]float64
	// noise is the standard deviation of a difference within a scenario.
	noise          float64
	harm, notWorse *ranking
	// untold says that no session has a figure.
	untold bool
}

// lookAt evaluates a window at a look, which is numbered from 0.
func (d *Design) lookAt(number int, w window) *look {
	l := &look{design: d, number: number, window: w, voids: w.countVoids(), sideBySide: w.sideBySide()}
	for i, s := range w.scenarios {
		l.sound = append(l.sound, count(s.blocks))
		l.unsound = append(l.unsound, countWithVoids(l.sound[i], w.voids[i].blocks))
		l.success.add(l.sound[i])
		l.withVoids.add(l.unsound[i])
	}
	measure := bench.MeasureCost
	if !w.priced() {
		measure = bench.MeasureTokens
	}
	l.ratios[0] = d.ratioOf(bench.EndpointCost, measure, &w)
	l.ratios[1] = d.ratioOf(bench.EndpointLatency, bench.MeasureLatency, &w)
	l.harmed = l.findHarmed()
	return l
}

func (d *Design) ratioOf(name bench.EndpointName, measure bench.Measure, w *window) ratio {
	hypotheses := d.tested[one(name == bench.EndpointLatency)]
	r := ratio{name: name, measure: measure, differences: w.differences(measure)}
	r.untold = w.untold(measure)
	r.scenarios = byScenario(r.differences, w.n)
	r.noise = noise(r.scenarios, w.n)
	r.harm = &ranking{all: distances(r.differences, hypotheses.harm)}
	r.notWorse = r.harm
	if hypotheses.notWorse != hypotheses.harm {
		r.notWorse = &ranking{all: distances(r.differences, hypotheses.notWorse)}
	}
	return r
}

// tests returns the tests of the three endpoints without a scenario, or with all
// if that is [none].
func (l *look) tests(without int32) [3]bench.EndpointTests {
	d, success := l.design, l.success
	if without != none {
		success = success.without(l.sound[without])
	}
	pass := d.bounds.pass[l.number]
	all := [3]bench.EndpointTests{{
		Name: bench.EndpointSuccess, Measure: bench.MeasureSuccess,
		Harm:     testOf(success.harmZ(), d.failBound(bench.EndpointSuccess, l.number)),
		NotWorse: testOf(success.notWorseZ(d.successMargin()), pass),
	}}
	for i, r := range l.ratios {
		all[i+1] = bench.EndpointTests{
			Name: r.name, Measure: r.measure, Untold: r.untold,
			Harm:     testOf(r.harm.z(above, without), d.failBound(r.name, l.number)),
			NotWorse: testOf(r.notWorse.z(below, without), pass),
		}
		if r.untold {
			all[i+1].Harm.Shown = false // what nobody tells cannot break a claim
		}
	}
	return all
}

// judgement is what a look comes to.
type judgement struct {
	word bench.Verdict
	kind bench.CauseKind
	// endpoints are those that the cause is about.
	endpoints []bench.EndpointTests
	harmed    []harmed
}

// judge says what the tests without a scenario come to (rules V6, V9, V11 and
// N10).
func (l *look) judge(tests [3]bench.EndpointTests, without int32) judgement {
	cannotTell := func(kind bench.CauseKind) judgement { return judgement{word: bench.VerdictInconclusive, kind: kind} }
	switch {
	case l.success.sum(table.candidateSuccesses) == 0 && l.success.sum(table.baselineSuccesses) == 0:
		return cannotTell(bench.CauseNothingSucceeded)
	case l.success.sum(table.baselineSuccesses) == 0:
		return cannotTell(bench.CauseDeadBaseline)
	case tooManyVoid(l.voids):
		return cannotTell(bench.CauseVoid)
	case !l.sideBySide:
		return cannotTell(bench.CauseNotSideBySide)
	}
	if worse := choose(tests, failed); len(worse) > 0 {
		return judgement{word: bench.VerdictFail, kind: bench.CauseHarm, endpoints: worse}
	}
	if unsure := choose(tests, func(t bench.EndpointTests) bool { return !t.NotWorse.Shown }); len(unsure) > 0 {
		j := cannotTell(bench.CauseNotShown)
		j.endpoints = unsure
		return j
	}
	if voidsApart(l.voids) {
		return cannotTell(bench.CauseVoidsApart)
	}
	withVoids := l.withVoids
	if without != none {
		withVoids = withVoids.without(l.unsound[without])
	}
	if withVoids.notWorseZ(l.design.successMargin()) < l.design.bounds.pass[l.number] {
		return cannotTell(bench.CauseVoidsMatter)
	}
	others := slices.DeleteFunc(slices.Clone(l.harmed), func(h harmed) bool { return h.scenario == int(without) })
	if len(others) > 0 {
		j := cannotTell(bench.CauseScenarioHarmed)
		j.harmed = others
		return j
	}
	if worse := choose(tests, func(t bench.EndpointTests) bool { return t.Harm.Shown }); len(worse) > 0 {
		return judgement{word: bench.VerdictPass, kind: bench.CauseWorseWithinMargin, endpoints: worse}
	}
	return judgement{word: bench.VerdictPass, kind: bench.CauseNotWorse}
}

func choose(tests [3]bench.EndpointTests, wanted func(bench.EndpointTests) bool) []bench.EndpointTests {
	var chosen []bench.EndpointTests
	for _, t := range tests {
		if wanted(t) {
			chosen = append(chosen, t)
		}
	}
	return chosen
}
