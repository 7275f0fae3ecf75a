package evidence

import (
	"fmt"
	"math"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Data is what a verdict is about.
type Data struct {
	Blocks []Block
	// LeftOut are the rows that are in no block.
	LeftOut []bench.LeftOut
	// Baseline and Candidate are the sides of the blocks.
	Baseline, Candidate bench.Side
}

// Judge looks at blocks, in any order, as often as the design says and as they
// allow, and stops at the first PASS or FAIL. It never changes its mind: the
// same blocks and any later ones give the same PASS or FAIL.
func (d *Design) Judge(data Data) bench.Evidence {
	v, last, judged := d.decide(data.Blocks)
	v.LeftOut = d.leftOut(data, last, v.Final)
	v.Compared.Baseline, v.Compared.Candidate = data.Baseline, data.Candidate
	if last != nil && !nothingCompared(judged.kind) {
		v.Described = last.described(v.Baseline, v.Candidate)
		v.Scenarios = last.scenarios()
		v.Further, v.EnoughRepetitions = last.further(judged), last.enoughRepetitions(judged)
	}
	v.Sentence = sentence(&v)
	return v
}

// leftOut adds to the rows that are in no block those of blocks that the last look
// does not see; nil is no look. Void ones among them are named already.
func (d *Design) leftOut(data Data, last *look, final bool) []bench.LeftOut {
	rest, next := []series{{blocks: data.Blocks}}, 0
	if last != nil {
		rest, next = last.window.rest, last.number+1
	}
	reason := ReasonAfterEnd
	if !final {
		reason = fmt.Sprintf("not judged: the look after %d repetitions of every scenario is not whole", d.looks[next])
	}
	var out bench.Omissions
	out.Merge(data.LeftOut...)
	for _, s := range rest {
		for i := range s.blocks {
			b := &s.blocks[i]
			if b.void() {
				continue
			}
			for _, side := range []bench.Side{data.Baseline, data.Candidate} {
				out.Add(reason, bench.Cell{ScenarioID: b.Scenario, Mode: side.Mode, Iteration: b.Iteration})
			}
		}
	}
	return out.List()
}

// Withhold makes a PASS that does not count a can't tell, and says why. Other
// verdicts stay, and so do the figures.
func Withhold(v *bench.Evidence, why bench.Cause) {
	if v.Verdict == bench.VerdictPass {
		v.Verdict, v.Cause, v.Further, v.EnoughRepetitions = bench.VerdictInconclusive, why, nil, 0
		v.Sentence = sentence(v)
	}
}

// Uphold has a verdict be the FAIL that was told before, and says why; the figures
// stay.
func Uphold(v *bench.Evidence, why bench.Cause) {
	if v.Verdict != bench.VerdictFail {
		v.Verdict, v.Cause, v.Further, v.EnoughRepetitions = bench.VerdictFail, why, nil, 0
		v.Sentence = sentence(v)
	}
}

// CutShort has a can't tell that more looks might have ended say that there was no
// money for them. Other verdicts and causes stay.
func CutShort(v *bench.Evidence) {
	if v.Verdict != bench.VerdictInconclusive || v.Final || !moreMayTell(v.Cause.Kind) && v.Cause.Kind != bench.CauseNoLook {
		return
	}
	seen := 0
	if n := len(v.Looks); n > 0 {
		seen = v.Looks[n-1].Blocks
	}
	v.Cause.Text = fmt.Sprintf("The budget was used up after %d of at most %d repetitions that could be judged. %s", seen, v.Schedule[len(v.Schedule)-1], v.Cause.Text)
	v.Cause.Kind = bench.CauseBudget
	v.Sentence = sentence(v)
}

// decide returns the verdict without what stands beside it, and the last look
// with what it came to; nil if there is none.
func (d *Design) decide(blocks []Block) (v bench.Evidence, last *look, judged judgement) {
	all := seriesOf(blocks)
	v = d.undecided(blocks)
	v.Compared.Tasks = len(all)
	var tests [3]bench.EndpointTests
	for number, n := range d.looks {
		window, whole := windowOf(all, n)
		if !whole {
			break
		}
		last = d.lookAt(number, window)
		tests = last.tests(none)
		judged = last.judge(tests, none)
		v.Verdict, v.Cause = judged.word, last.cause(judged)
		v.Looks = append(v.Looks, bench.Look{Blocks: n, Verdict: v.Verdict, Cause: v.Cause, Tests: slices.Clone(tests[:]), Voids: last.voids})
		if v.Verdict != bench.VerdictInconclusive {
			break
		}
	}
	if last == nil {
		v.Cause = d.noLook(all)
		return v, nil, judged
	}
	v.BlocksNotJudged -= last.window.blocks() + last.voids.Blocks
	v.Final = v.Verdict != bench.VerdictInconclusive || last.number == len(d.looks)-1
	v.Baseline, v.Candidate = last.window.totals()
	if !nothingCompared(judged.kind) {
		v.Endpoints = last.endpoints(tests)
	}
	return v, last, judged
}

// undecided is the verdict before the first look.
func (d *Design) undecided(blocks []Block) bench.Evidence {
	return bench.Evidence{
		Profile: d.profile, Verdict: bench.VerdictInconclusive, Margins: d.margins, Schedule: d.Looks(),
		Looks: []bench.Look{}, Endpoints: []bench.Endpoint{}, Described: []bench.Described{}, Scenarios: []bench.ScenarioEvidence{},
		BlocksNotJudged: len(blocks),
	}
}

// endpoints returns the figures of the three endpoints.
func (l *look) endpoints(tests [3]bench.EndpointTests) []bench.Endpoint {
	bound := l.design.bounds.interval[l.number]
	lo, hi := l.success.interval(bound)
	all := []bench.Endpoint{{
		EndpointTests: tests[0], Change: points(l.success.drop()), Interval: &bench.Interval{points(hi), points(lo)},
		Margin: -l.design.margins.SuccessDropPct,
	}}
	if drop, ok := l.detectableDrop(); ok {
		all[0].Detectable = pointer(points(drop))
	}
	for i := range l.ratios {
		r := &l.ratios[i]
		if r.untold {
			all = append(all, bench.Endpoint{EndpointTests: tests[i+1], Margin: l.design.marginPct(i)})
			continue
		}
		w := walshOf(r.differences)
		e := bench.Endpoint{EndpointTests: tests[i+1], Change: changePct(w.median()), Margin: l.design.marginPct(i)}
		if lo, hi, ok := w.interval(bound); ok {
			e.Interval = &bench.Interval{changePct(lo), changePct(hi)}
			if fails := l.design.failBound(r.name, l.number); reachable(l.window.blocks(), fails) {
				deviation := (hi - lo) / 2 / bound // of the estimate, as scenarios differ too
				e.Detectable = pointer(changePct(l.design.tested[i].harm + (fails+power80)*deviation))
			}
		}
		all = append(all, e)
	}
	return all
}

func pointer(v float64) *float64 { return &v }

// points returns a drop of a rate as a change in percentage points.
func points(drop float64) float64 { return 0 - 100*drop }

// mostChange is the logarithm beyond which a change is shown as if it were
// that, a million times as much, so that nothing overflows.
const mostChange = 6 * math.Ln10

// changePct returns a logarithm of a ratio as a change in percent. Adding 0
// makes a 0 of −0.
func changePct(log float64) float64 { return 100*math.Expm1(clamp(log, -mostChange, mostChange)) + 0 }

// scenarios returns the figures of every scenario.
func (l *look) scenarios() []bench.ScenarioEvidence {
	all := make([]bench.ScenarioEvidence, len(l.window.scenarios))
	bound := l.design.bounds.interval[l.number]
	for i, s := range l.window.scenarios {
		t := l.sound[i]
		lo, hi := tables{{t, 1}}.interval(bound)
		all[i] = bench.ScenarioEvidence{
			ID: s.id, BaselineSuccesses: t.baseline, CandidateSuccesses: t.candidate,
			Success: bench.Figure{Change: points(t.drop()), Interval: bench.Interval{points(hi), points(lo)}},
			Cost:    l.ratios[0].figure(i, bound), Latency: l.ratios[1].figure(i, bound),
		}
		if l.voids.Of <= bench.MaxBlocksTold {
			all[i].Blocks = l.told(i)
		}
		if len(all) > 1 {
			all[i].Without = l.judge(l.tests(int32(i)), int32(i)).word
		}
	}
	for _, h := range l.harmed {
		all[h.scenario].Harmed = append(all[h.scenario].Harmed, h.endpoint)
	}
	return all
}

// told returns the blocks of a scenario, void ones last.
func (l *look) told(scenario int) []bench.BlockEvidence {
	session := func(s *Session) bench.SessionEvidence {
		return bench.SessionEvidence{Solved: s.Success, Void: s.Void != "", Cost: s.of(l.ratios[0].measure), LatencyMS: s.LatencyMS}
	}
	var all []bench.BlockEvidence
	for _, blocks := range [][]Block{l.window.scenarios[scenario].blocks, l.window.voids[scenario].blocks} {
		for i := range blocks {
			b := &blocks[i]
			all = append(all, bench.BlockEvidence{Iteration: b.Iteration, Baseline: session(&b.Baseline), Candidate: session(&b.Candidate)})
		}
	}
	return all
}

// figure returns the median change in a scenario. Its interval is Student's, of
// the mean, as wide as it must be to have the median in it.
func (r *ratio) figure(scenario int, bound float64) bench.Figure {
	if r.untold {
		return bench.Figure{Untold: true}
	}
	values := r.scenarios[scenario]
	median := medianOf(values)
	lo, hi := studentInterval(values, bound)
	return bench.Figure{
		Change:   changePct(median),
		Interval: bench.Interval{changePct(min(lo, median)), changePct(max(hi, median))},
	}
}
