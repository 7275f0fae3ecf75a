package stats

import (
	"math"
	"math/rand/v2"
)

// LeastPermutationP returns the smallest p-value that [RankPermutationP] can
// come near to for strata of these sizes, however many permutations there are:
// two over the number of labellings, at most 1.
func LeastPermutationP(strata []Pair) float64 { return min(1, 2*math.Exp(-logLabellings(strata))) }

// logLabellings returns the logarithm of the number of ways to label the values
// of all strata.
func logLabellings(strata []Pair) float64 {
	log := 0.0
	for _, s := range strata {
		log += logFactorial(len(s.A)+len(s.B)) - logFactorial(len(s.A)) - logFactorial(len(s.B))
	}
	return log
}

func logFactorial(n int) float64 {
	log, _ := math.Lgamma(float64(n) + 1)
	return log
}

// sameFigure is the relative difference below which two values of a figure
// count as equal: they may differ by rounding alone.
const sameFigure = 1e-12

// roundingOfLogs is more than the rounding of a number of labellings that is
// computed by logarithms.
const roundingOfLogs = 1e-9

// RankPermutationP returns the two-sided p-values of the stratified Wilcoxon
// test (van Elteren 1960) by the test's own statistic under permuted labels, for
// several measures of the same rows: their strata are of the same sizes. All
// labellings are tried if there are at most that many, else as many are drawn;
// then the observed one counts as one of them, so that p is never 0.
func RankPermutationP(measures [][]Pair, permutations int, seed, stream uint64) []float64 {
	shuffled := rankStrata(measures)
	ps := make([]float64, len(measures))
	if math.Exp(logLabellings(measures[0])) <= float64(permutations)*(1+roundingOfLogs) {
		for m, strata := range measures {
			all := every(shuffled, m)
			ps[m] = float64(asExtreme(all, strata)) / float64(len(all))
		}
		return ps
	}
	values := make([][]float64, len(measures))
	for m := range values {
		values[m] = make([]float64, permutations)
	}
	Replicate(seed, stream, permutations, func(r *rand.Rand, from, to int) {
		for _, s := range shuffled {
			order := s.order()
			for n := from; n < to; n++ {
				s.draw(r, order)
				for m, adds := range s.adds {
					for _, at := range order[:s.chosen] {
						values[m][n] += adds[at]
					}
				}
			}
		}
	})
	for m, strata := range measures {
		ps[m] = float64(asExtreme(values[m], strata)+1) / float64(permutations+1)
	}
	return ps
}

// asExtreme counts the values that are at least as far from 0 as the statistic
// of the strata.
func asExtreme(values []float64, strata []Pair) int {
	observed := 0.0
	for _, s := range strata {
		observed += s.rankDistance()
	}
	count := 0
	for _, v := range values {
		if math.Abs(v) >= math.Abs(observed)*(1-sameFigure) {
			count++
		}
	}
	return count
}

// rankStratum has what a labelling of a stratum's values adds to the statistic,
// by measure and place in the sorted sample: the midrank less the mean rank,
// times the stratum's weight.
type rankStratum struct {
	adds [][]float64
	// chosen is how many values the smaller group has. What it adds is what the
	// other one adds with its sign changed, so either tells the statistic.
	chosen int
}

func rankStrata(measures [][]Pair) []rankStratum {
	var all []rankStratum
	for i, p := range measures[0] {
		s := rankStratum{chosen: min(len(p.A), len(p.B))}
		for _, strata := range measures {
			s.adds = append(s.adds, strata[i].rankAdds())
		}
		all = append(all, s)
	}
	return all
}

func (p Pair) rankAdds() []float64 {
	pooled := Sorted(append(append([]float64(nil), p.A...), p.B...))
	adds := make([]float64, len(pooled))
	weight := 1 / float64(len(pooled)+1)
	if len(p.B) < len(p.A) {
		weight = -weight
	}
	for from := 0; from < len(pooled); {
		to := from
		for to < len(pooled) && pooled[to] == pooled[from] {
			to++
		}
		for i := from; i < to; i++ {
			adds[i] = weight * (float64(from+to+1) - float64(len(pooled)+1)) / 2
		}
		from = to
	}
	return adds
}

// order returns the places of the stratum's values.
func (s *rankStratum) order() []int32 {
	order := make([]int32, len(s.adds[0]))
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// draw puts places that are chosen at random first: the beginning of a shuffle
// (Fisher and Yates 1938), which may begin with any order.
func (s *rankStratum) draw(r *rand.Rand, order []int32) {
	for i := range s.chosen {
		j := i + r.IntN(len(order)-i)
		order[i], order[j] = order[j], order[i]
	}
}

// every returns the statistic of a measure in all labellings.
func every(strata []rankStratum, measure int) []float64 {
	totals := []float64{0}
	for _, s := range strata {
		sums := choices(nil, s.adds[measure], s.chosen, 0)
		next := make([]float64, 0, len(totals)*len(sums))
		for _, total := range totals {
			for _, sum := range sums {
				next = append(next, total+sum)
			}
		}
		totals = next
	}
	return totals
}

// choices appends what all ways to choose so many of the values add to a sum.
func choices(to, values []float64, left int, sum float64) []float64 {
	if left == 0 {
		return append(to, sum)
	}
	for i := 0; i <= len(values)-left; i++ {
		to = choices(to, values[i+1:], left-1, sum+values[i])
	}
	return to
}
