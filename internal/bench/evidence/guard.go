package evidence

import (
	"cmp"
	"math"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"gonum.org/v1/gonum/stat/combin"
)

// guardAlpha is how often, over all scenarios, noise alone withholds a PASS.
const guardAlpha = 0.01

// harmed is a scenario in which the candidate is worse than noise explains.
type harmed struct {
	scenario int
	endpoint bench.EndpointName
	measure  bench.Measure
	// change is the scenario's median difference; of success, the drop of the
	// rate.
	change float64
}

// findHarmed returns the scenarios that withhold a PASS (rule V4), the one that
// is worst off first: where the median difference is more than noise explains,
// and more than the margin, which is allowed everywhere, or where success is
// that much rarer (Fisher's exact test).
func (l *look) findHarmed() []harmed {
	var found []harmed
	alpha := guardAlpha / float64(len(l.window.scenarios))
	for i, t := range l.sound {
		if t.drop() > l.design.successMargin() && t.exactP() < alpha {
			found = append(found, harmed{i, bench.EndpointSuccess, bench.MeasureSuccess, t.drop()})
		}
	}
	for k, r := range l.ratios {
		explained := upperQuantile(alpha) * medianToMean * r.noise / math.Sqrt(float64(l.window.n))
		for i, values := range r.scenarios {
			if median := medianOf(values); median > max(explained, l.design.tested[k].notWorse) {
				found = append(found, harmed{i, r.name, r.measure, median})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b harmed) int {
		return cmp.Or(-cmp.Compare(one(a.endpoint == bench.EndpointSuccess), one(b.endpoint == bench.EndpointSuccess)), -cmp.Compare(a.change, b.change))
	})
	return found
}

// exactP returns the probability that the candidate would have at most so many
// successes if both modes succeeded alike often (Fisher 1934).
func (t table) exactP() float64 {
	successes, runs := t.candidate+t.baseline, t.candidateRuns+t.baselineRuns
	p := 0.0
	for c := max(0, successes-t.baselineRuns); c <= t.candidate; c++ {
		p += math.Exp(logChoose(t.candidateRuns, c) + logChoose(t.baselineRuns, successes-c) - logChoose(runs, successes))
	}
	return min(p, 1)
}

func logChoose(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }

// mostApart is the share of pairs of a session of each mode in which one mode's
// may be the later one.
const mostApart = 0.95

// sideBySide reports whether the modes overlap in time (rule V9), so that what
// drifts meanwhile reaches both: that neither mode's sessions are later than the
// other's in nearly all pairs. Where a mode has no times it is not known, and
// false.
func (w *window) sideBySide() bool {
	var times []moment
	var sessions [2]int
	for _, s := range w.scenarios {
		for i := range s.blocks {
			for mode, at := range []int64{s.blocks[i].Baseline.EndedMS, s.blocks[i].Candidate.EndedMS} {
				if at != 0 {
					times = append(times, moment{at, mode})
					sessions[mode]++
				}
			}
		}
	}
	if sessions[0] == 0 || sessions[1] == 0 {
		return false
	}
	slices.SortFunc(times, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	pairs := float64(sessions[0]) * float64(sessions[1])
	later := laterPairs(times) / pairs
	return later <= mostApart && later >= 1-mostApart
}

// moment is when a session of the baseline, mode 0, or the candidate, ended.
type moment struct {
	at   int64
	mode int
}

// laterPairs counts the pairs in which the candidate's session is the later
// one; equal times count half.
func laterPairs(times []moment) float64 {
	pairs, earlier := 0.0, 0.0
	for from := 0; from < len(times); {
		to := from
		var now [2]float64
		for to < len(times) && times[to].at == times[from].at {
			now[times[to].mode]++
			to++
		}
		pairs += now[1] * (earlier + now[0]/2)
		earlier += now[0]
		from = to
	}
	return pairs
}
