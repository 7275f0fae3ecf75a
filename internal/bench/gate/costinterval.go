package gate

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// costInterval returns the interval of the lowest reduction in cost (rule G17):
// from the lowest of the scenarios' lower limits to the lowest of their upper
// ones. To resample the lowest of several medians says little of it. A limit
// below holds for each scenario by itself; those above must hold for all at
// once, since the lowest of them counts. It is wide, and true. It is nil where a
// scenario has a single row in a mode, or a cost that is not above 0. Without
// scenarios it says nothing, as there is no figure either.
func (s strata) costInterval() *bench.Interval {
	lowest := bench.Interval{math.Inf(1), math.Inf(1)}
	for i := range s {
		lo, hi, ok := s[i].costLimits(oneSided / float64(len(s)))
		if !ok {
			return nil
		}
		lowest[0], lowest[1] = min(lowest[0], lo), min(lowest[1], hi)
	}
	return &lowest
}

// oneSided is the error of each side of an interval of 95 %.
const oneSided = 0.025

// costLimits returns the limits of a scenario's reduction in cost in percent, by
// the test of Welch (1947) on logarithms. The error of the upper one is given.
func (s *stratum) costLimits(upperError float64) (lo, hi float64, ok bool) {
	baseline, candidate := logarithms(s.baseline[cost]), logarithms(s.candidate[cost])
	if len(baseline) < 2 || len(candidate) < 2 {
		return 0, 0, false
	}
	mb, vb := stat.MeanVariance(baseline, nil)
	mc, vc := stat.MeanVariance(candidate, nil)
	vb /= float64(len(baseline))
	vc /= float64(len(candidate))
	difference, variance := mc-mb, vb+vc
	lo, hi = reductionOf(difference), reductionOf(difference)
	if variance > 0 {
		freedom := variance * variance / (vb*vb/float64(len(baseline)-1) + vc*vc/float64(len(candidate)-1))
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
		deviation := math.Sqrt(variance)
		lo = reductionOf(difference + t.Quantile(1-oneSided)*deviation)
		hi = reductionOf(difference - t.Quantile(1-upperError)*deviation)
	}
	return lo, hi, true
}

// logarithms returns those of a sample, none if it has a value that is not
// above 0.
func logarithms(sample stats.Sample) []float64 {
	logs := make([]float64, len(sample))
	for i, v := range sample {
		if v <= 0 {
			return nil
		}
		logs[i] = math.Log(v)
	}
	return logs
}

// mostRise is the logarithm of a ratio beyond which a rise is shown as if it
// were that, a million times as much, so that nothing overflows.
const mostRise = 6 * math.Ln10

// reductionOf returns the logarithm of candidate over baseline as a reduction in
// percent. Adding 0 makes a 0 of −0.
func reductionOf(log float64) float64 { return -100*math.Expm1(min(log, mostRise)) + 0 }
