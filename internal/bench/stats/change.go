package stats

import (
	"cmp"
	"math"
	"slices"
)

// Change is where the level of a series changed: values from index At on differ from
// those before.
type Change struct {
	At int
	// Before and After are the medians of the values between this change and its
	// neighbours.
	Before, After float64
}

// changeLevel is the level of each test for a change. It is low because a series is
// looked at again with every run. Fewer than nine values on a side cannot reach it.
const changeLevel = 0.001

// Changes returns where the level of a series changed, in order. Values are in the order
// of time and independent, whatever their distribution.
//
// It is Pettitt's test (A Non-parametric Approach to the Change-point Problem, Applied
// Statistics 28, 1979), by ranks, with his approximation of the significance, applied to
// the series and then to both sides of each change that it finds (binary segmentation).
// Ranks tell that there is a change better than where: each is then put where the
// values differ least from the medians of its two sides.
func Changes(values []float64) []Change {
	var at []int
	segment(values, 0, &at)
	slices.Sort(at)
	ends := append(append([]int{0}, at...), len(values))
	for i := range at {
		from, to := ends[i], ends[i+2]
		at[i] = from + boundary(values[from:to], medianOf(values[from:at[i]]), medianOf(values[at[i]:to]))
		ends[i+1] = at[i]
	}
	changes := make([]Change, len(at))
	for i, k := range at {
		changes[i] = Change{At: k, Before: medianOf(values[ends[i]:k]), After: medianOf(values[k:ends[i+2]])}
	}
	return changes
}

// boundary returns the index from which on values are nearer to the level after than to
// the one before, in sum.
func boundary(values []float64, before, after float64) (k int) {
	var sum float64
	least := math.MaxFloat64
	for i, v := range values {
		sum += math.Abs(v-before) - math.Abs(v-after)
		if sum < least {
			k, least = i+1, sum
		}
	}
	return k
}

func medianOf(values []float64) float64 { return Median(slices.Clone(values)) }

// segment appends the changes within values, of which the first has an index in the
// series.
func segment(values []float64, first int, at *[]int) {
	k, p := pettitt(values)
	if k == 0 || p > changeLevel {
		return
	}
	*at = append(*at, first+k)
	segment(values[:k], first, at)
	segment(values[k:], first+k, at)
}

// pettitt returns the index at which a second level most likely begins, 0 where there
// are too few values or all are equal, and the probability of as clear a change in a
// series without one.
func pettitt(values []float64) (k int, p float64) {
	n := float64(len(values))
	var sum, largest float64
	for i, rank := range midRanks(values) {
		if math.Abs(sum) > largest {
			k, largest = i, math.Abs(sum)
		}
		sum += 2*rank - (n + 1)
	}
	return k, 2 * math.Exp(-6*largest*largest/(n*n*n+n*n))
}

// midRanks returns each value's rank from 1; equal values share the mean of theirs.
func midRanks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return ranks
}
