// Package stats has the statistics that a comparison of two small samples
// needs: order statistics, intervals, tests and effect sizes.
//
// Functions are pure. What is random takes a seed, and its result depends on
// that seed alone, not on the number of processors. Doubt about a sample, such
// as too few values, is never an error: callers know what to say about it.
// The package imports the standard library alone.
package stats

import (
	"math"
	"slices"
)

// Sample is a list of values in ascending order without NaN. Its figures are 0
// for an empty sample.
type Sample []float64

// Sorted sorts values in place and returns them as a sample.
func Sorted(values []float64) Sample {
	slices.Sort(values)
	return Sample(values)
}

// Median returns the middle value, or the mean of the two middle ones.
func (s Sample) Median() float64 {
	if len(s) == 0 {
		return 0
	}
	return middleOf(len(s)).In(s)
}

// Percentile returns the p-th percentile, p from 0 to 100, by linear
// interpolation between the two values around rank p/100·(n−1) (rule G2).
func (s Sample) Percentile(p float64) float64 {
	if len(s) == 0 {
		return 0
	}
	below, part := rank(len(s), p)
	if part == 0 {
		return s[below]
	}
	return s[below] + (s[below+1]-s[below])*part
}

// rank splits p/100·(n−1) into its whole and its fractional part.
func rank(n int, p float64) (below int, part float64) {
	whole, part := math.Modf(p / 100 * float64(n-1))
	return int(whole), part
}

// IQR returns the distance from the 25th to the 75th percentile.
func (s Sample) IQR() float64 { return s.Percentile(75) - s.Percentile(25) }

// Mean returns the arithmetic mean.
func (s Sample) Mean() float64 {
	if len(s) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range s {
		sum += v
	}
	return sum / float64(len(s))
}

// CV returns the coefficient of variation in percent: the population's
// standard deviation over the mean (rule G2); 0 if the mean is 0.
func (s Sample) CV() float64 {
	mean := s.Mean()
	if mean == 0 {
		return 0
	}
	squares := 0.0
	for _, v := range s {
		deviation := v - mean
		squares += deviation * deviation
	}
	return 100 * math.Sqrt(squares/float64(len(s))) / mean
}

// Middle is the place of a median in a sample of n values: the positions of
// the two middle values, which are equal where n is odd.
type Middle struct{ Lo, Hi int }

func middleOf(n int) Middle { return Middle{Lo: (n - 1) / 2, Hi: n / 2} }

// In returns the mean of the two values at the middle's positions.
func (m Middle) In(s Sample) float64 {
	return (s[m.Lo] + s[m.Hi]) / 2
}
