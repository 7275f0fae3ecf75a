package stats

import (
	"math"
	"math/bits"
	"slices"
)

// Median returns the median of values in any order, 0 if there are none. It
// takes linear time and reorders values.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	m := middleOf(len(values))
	hi := nth(values, m.Hi)
	if m.Lo == m.Hi {
		return hi
	}
	return (slices.Max(values[:m.Hi]) + hi) / 2
}

// Interval95 returns the 2.5th and the 97.5th percentile of values in any
// order: the percentile bootstrap's interval if they are a figure's values in
// resamples. NaN stands for a resample without the figure and is left out; ok
// is false, and both are 0, if nothing else is there. It reorders values.
func Interval95(values []float64) (lo, hi float64, ok bool) {
	values = slices.DeleteFunc(values, math.IsNaN)
	if len(values) == 0 {
		return 0, 0, false
	}
	return percentile(values, 2.5), percentile(values, 97.5), true
}

// percentile is [Sample.Percentile] of values in any order, which it reorders.
func percentile(values []float64, p float64) float64 {
	below, part := rank(len(values), p)
	lo := nth(values, below)
	if part == 0 {
		return lo
	}
	return lo + (slices.Min(values[below+1:])-lo)*part
}

// smallEnoughToSort is the length below which sorting by insertion beats
// partitioning.
const smallEnoughToSort = 12

// nth reorders values so that the k-th smallest, counted from 0, is at k with
// none greater before and none smaller behind it, and returns it. It is
// Hoare's quickselect; after too many poor pivots it sorts instead.
func nth(values []float64, k int) float64 {
	rest, at := values, k
	for range 2 * bits.Len(uint(len(values))) {
		if len(rest) <= smallEnoughToSort {
			break
		}
		lo, hi := partition(rest)
		switch {
		case at <= lo:
			rest = rest[:lo+1]
		case at >= hi:
			rest, at = rest[hi:], at-hi
		default:
			return rest[at]
		}
	}
	slices.Sort(rest)
	return rest[at]
}

// partition reorders values so that those up to lo are at most, those from hi
// on at least, and those between equal to a pivot.
func partition(values []float64) (lo, hi int) {
	pivot := medianOfThree(values[0], values[len(values)/2], values[len(values)-1])
	i, j := 0, len(values)-1
	for i <= j {
		for values[i] < pivot {
			i++
		}
		for pivot < values[j] {
			j--
		}
		if i <= j {
			values[i], values[j] = values[j], values[i]
			i++
			j--
		}
	}
	return j, i
}

func medianOfThree(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}
