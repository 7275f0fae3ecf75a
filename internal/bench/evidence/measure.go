package evidence

import (
	"math"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// of returns a session's figure of a measure.
func (s *Session) of(m bench.Measure) float64 {
	switch m {
	case bench.MeasureCost:
		return s.CostUSD
	case bench.MeasureTokens:
		return s.TokensTotal
	case bench.MeasureActive:
		return s.TokensActive
	default:
		return s.LatencyMS
	}
}

// priced reports whether every session that used tokens has a cost.
func (w *window) priced() bool {
	any := false
	for _, s := range w.scenarios {
		for i := range s.blocks {
			for _, side := range []*Session{&s.blocks[i].Baseline, &s.blocks[i].Candidate} {
				any = any || side.CostUSD > 0
				if side.CostUSD <= 0 && side.TokensTotal > 0 {
					return false
				}
			}
		}
	}
	return any
}

// difference is ln(candidate / baseline) of a block.
type difference struct {
	log      float64
	scenario int32
}

// differences returns those of all blocks. A session that needed nothing, since
// it never got so far, counts as much as the least that any other of its
// scenario needed: it counts (rule V3), and a logarithm is of more than 0.
func (w *window) differences(m bench.Measure) []difference {
	all := make([]difference, 0, w.blocks())
	for number, s := range w.scenarios {
		least := leastPositive(s.blocks, m)
		for i := range s.blocks {
			candidate := max(s.blocks[i].Candidate.of(m), least)
			baseline := max(s.blocks[i].Baseline.of(m), least)
			all = append(all, difference{math.Log(candidate) - math.Log(baseline), int32(number)})
		}
	}
	return all
}

// untold reports whether no session of either mode has such a figure.
func (w *window) untold(m bench.Measure) bool {
	for _, s := range w.scenarios {
		for i := range s.blocks {
			if s.blocks[i].Baseline.of(m) > 0 || s.blocks[i].Candidate.of(m) > 0 {
				return false
			}
		}
	}
	return true
}

// leastPositive returns the least figure above 0 of either mode, 1 if there is
// none.
func leastPositive(blocks []Block, m bench.Measure) float64 {
	least := math.Inf(1)
	for i := range blocks {
		for _, side := range []*Session{&blocks[i].Baseline, &blocks[i].Candidate} {
			if v := side.of(m); v > 0 {
				least = min(least, v)
			}
		}
	}
	if math.IsInf(least, 1) {
		return 1
	}
	return least
}

// byScenario splits differences, which are in the order of the scenarios.
func byScenario(d []difference, n int) [][]float64 {
	var all [][]float64
	for from := 0; from < len(d); from += n {
		values := make([]float64, n)
		for i := range values {
			values[i] = d[from+i].log
		}
		all = append(all, values)
	}
	return all
}

// noise returns the standard deviation of differences within a scenario, by the
// median distance from the scenario's median, which outliers do not move (rule
// V4).
func noise(scenarios [][]float64, n int) float64 {
	var distances []float64
	for _, values := range scenarios {
		median := medianOf(values)
		for _, v := range values {
			distances = append(distances, math.Abs(v-median))
		}
	}
	return madToDeviation * math.Sqrt(float64(n)/float64(n-1)) * stats.Median(distances)
}

// Of a normal distribution: the standard deviation over the median absolute
// deviation, and that of a median over that of a mean.
const (
	madToDeviation = 1.4826
	medianToMean   = 1.2533
)

func medianOf(values []float64) float64 {
	return stats.Median(append([]float64(nil), values...))
}
