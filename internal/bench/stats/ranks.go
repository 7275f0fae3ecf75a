package stats

import "math"

// Pair is two samples to be compared.
type Pair struct{ A, B Sample }

// pairwise is what comparing every value of A with every value of B finds.
type pairwise struct {
	greater, less float64
	// ties is Σ(t³−t) over the groups of t equal values of A and B together.
	ties float64
}

func (p Pair) compare() pairwise {
	var found pairwise
	i, j := 0, 0
	for i < len(p.A) || j < len(p.B) {
		startA, startB := i, j
		v := p.smallest(i, j)
		for i < len(p.A) && p.A[i] == v {
			i++
		}
		for j < len(p.B) && p.B[j] == v {
			j++
		}
		inA, inB := float64(i-startA), float64(j-startB)
		found.greater += inA * float64(startB)
		found.less += inB * float64(startA)
		t := inA + inB
		found.ties += t*t*t - t
	}
	return found
}

// smallest returns the smallest value from i on in A and from j on in B.
func (p Pair) smallest(i, j int) float64 {
	if i == len(p.A) || (j < len(p.B) && p.B[j] < p.A[i]) {
		return p.B[j]
	}
	return p.A[i]
}

// CliffsDelta returns the share of pairs in which A's value is greater, less
// the share in which it is smaller: from −1 to 1 (Cliff 1993). It is 0 if a
// sample is empty.
func (p Pair) CliffsDelta() float64 {
	if len(p.A) == 0 || len(p.B) == 0 {
		return 0
	}
	found := p.compare()
	return (found.greater - found.less) / (float64(len(p.A)) * float64(len(p.B)))
}

// VanElteren returns the two-sided p-value of the stratified Wilcoxon test
// (van Elteren 1960): the strata's rank sums, each weighted by 1/(N+1), by
// their normal approximation with mid-ranks for ties. It is 1 where all values
// of every stratum are equal.
func VanElteren(strata []Pair) float64 {
	distance, variance := 0.0, 0.0
	for _, s := range strata {
		a, b := float64(len(s.A)), float64(len(s.B))
		if a == 0 || b == 0 {
			continue
		}
		n := a + b
		weight := 1 / (n + 1)
		distance += s.rankDistance()
		variance += weight * weight * a * b / 12 * (n + 1 - s.compare().ties/(n*(n-1)))
	}
	if variance <= 0 {
		return 1
	}
	return math.Erfc(math.Abs(distance) / math.Sqrt(2*variance))
}

// rankDistance returns (U − E(U))/(N+1), where U counts the pairs in which A's
// value is greater whole and those in which both are equal half.
// It is 0 if a group is empty.
func (p Pair) rankDistance() float64 {
	found := p.compare()
	return (found.greater - found.less) / 2 / float64(len(p.A)+len(p.B)+1)
}
