package evidence

import (
	"math"

	"github.com/ghx-dev/bench-action/internal/bench"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// totals returns what the window's sessions came to.
func (w *window) totals() (baseline, candidate bench.SessionTotals) {
	for _, s := range w.scenarios {
		for i := range s.blocks {
			s.blocks[i].Baseline.addTo(&baseline)
			s.blocks[i].Candidate.addTo(&candidate)
		}
	}
	return baseline, candidate
}

// addTo adds the session to totals.
func (s *Session) addTo(t *bench.SessionTotals) {
	t.Sessions++
	t.Solved += one(s.Success)
	t.CostUSD += s.CostUSD
	t.LatencyMS += s.LatencyMS
	t.TokensActive += s.TokensActive
	t.TokensTotal += s.TokensTotal
}

func totalOf(t bench.SessionTotals, m bench.Measure) float64 {
	switch m {
	case bench.MeasureCost:
		return t.CostUSD
	case bench.MeasureTokens:
		return t.TokensTotal
	case bench.MeasureActive:
		return t.TokensActive
	default:
		return t.LatencyMS
	}
}

// described returns the changes that are told and not tested.
func (l *look) described(baseline, candidate bench.SessionTotals) []bench.Described {
	var all []bench.Described
	for _, m := range []bench.Measure{bench.MeasureCost, bench.MeasureTokens, bench.MeasureActive, bench.MeasureLatency} {
		b, c := totalOf(baseline, m), totalOf(candidate, m)
		d := bench.Described{Measure: m}
		if b > 0 && c > 0 {
			d.TypicalPct = pointer(changePct(walshOf(l.window.differences(m)).median()))
			d.TotalPct = pointer(changePct(math.Log(c) - math.Log(b)))
			if candidate.Solved > 0 { // of a baseline that solved nothing no changes are told
				perSolved := math.Log(c/float64(candidate.Solved)) - math.Log(b/float64(baseline.Solved))
				d.PerSolvedPct = pointer(changePct(perSolved))
			}
		}
		all = append(all, d)
	}
	return all
}

// studentInterval returns the interval of the mean of at least two values whose
// sides have the error that z has at a bound.
func studentInterval(values []float64, bound float64) (lo, hi float64) {
	mean, deviation := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1 - upperTail(bound))
	half := t * deviation / math.Sqrt(n)
	return mean - half, mean + half
}
