package evidence

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// spending says how much of a probability of error may be spent up to the time
// t, from 0 to 1, of a sequence of looks (Lan and DeMets 1983).
type spending func(t float64) float64

// The spending functions of rule V7, all one-sided.
func failSpending(alpha float64) spending {
	return func(t float64) float64 { return alpha * t * t }
}

func passSpending(alpha float64) spending {
	return func(t float64) float64 { return alpha * math.Log1p((math.E-1)*t) }
}

// What may be spent on a whole sequence.
const (
	failAlphaMain    = 0.02 // success and cost
	failAlphaLatency = 0.01
	passAlpha        = 0.05
	// intervalAlpha is of each side of the repeated 95 % intervals.
	intervalAlpha = 0.025
)

// boundaries are the values that z must reach, by look.
type boundaries struct {
	failMain, failLatency, pass, interval []float64
}

// usualBoundaries are those of looks after 2, 4, 6, 8, 10 and 12 blocks.
var usualBoundaries = boundaries{
	failMain:    []float64{3.2608, 2.9070, 2.6846, 2.5089, 2.3594, 2.2271},
	failLatency: []float64{3.4524, 3.1209, 2.9169, 2.7575, 2.6231, 2.5051},
	pass:        []float64{2.2386, 2.2000, 2.1645, 2.1368, 2.1150, 2.0973},
	interval:    []float64{2.4951, 2.4769, 2.4550, 2.4373, 2.4233, 2.4121},
}

// boundariesOf returns the boundaries of looks after that many blocks.
func boundariesOf(looks []int) boundaries {
	if isUsual(looks) {
		return usualBoundaries
	}
	return integrated(looks)
}

// singleBounds are the boundaries of one look.
var singleBounds = sync.OnceValue(func() boundaries { return integrated([]int{1}) })

func isUsual(looks []int) bool {
	if len(looks) != len(usualBoundaries.pass) {
		return false
	}
	for i, n := range looks {
		if n != 2*(i+1) {
			return false
		}
	}
	return true
}

func integrated(looks []int) boundaries {
	times := make([]float64, len(looks))
	for i, n := range looks {
		times[i] = float64(n) / float64(looks[len(looks)-1])
	}
	return boundaries{
		failMain:    upperBounds(times, failSpending(failAlphaMain)),
		failLatency: upperBounds(times, failSpending(failAlphaLatency)),
		pass:        upperBounds(times, passSpending(passAlpha)),
		interval:    upperBounds(times, passSpending(intervalAlpha)),
	}
}

// Numerical integration of upperBounds.
const (
	// nodesPerLook times the number of looks is added to the nodes, since the
	// steps between looks become smaller.
	nodes, nodesPerLook = 96, 8
	// farBelow is where nothing is left of a standard normal distribution.
	farBelow = -8.5
	// bisections halve an interval until nothing is left of it.
	bisections = 60
)

// upperBounds returns the bounds that a Brownian motion, seen at the times as z
// values, first reaches with the probabilities that are spent: the recursive
// numerical integration of Armitage, McPherson and Rowe (1969), with Gauss and
// Legendre's nodes. Nothing stops the sequence from below.
func upperBounds(times []float64, spent spending) []float64 {
	bounds := make([]float64, len(times))
	bounds[0] = upperQuantile(spent(times[0]))
	at, weight := make([]float64, nodes+nodesPerLook*len(times)), make([]float64, nodes+nodesPerLook*len(times))
	density := make([]float64, len(at))
	next := make([]float64, len(at))
	nextAt, nextWeight := make([]float64, len(at)), make([]float64, len(at))
	place(at, weight, times[0], bounds[0])
	for i, x := range at {
		density[i] = weight[i] * normalDensity(x, times[0])
	}
	for k := 1; k < len(times); k++ {
		step := times[k] - times[k-1]
		wanted := spent(times[k]) - spent(times[k-1])
		bounds[k] = bisect(-3, 12, func(z float64) bool {
			return reaching(at, density, z*math.Sqrt(times[k]), step) <= wanted
		})
		place(nextAt, nextWeight, times[k], bounds[k])
		for i, x := range nextAt {
			sum := 0.0
			for j, y := range at {
				sum += density[j] * normalDensity(x-y, step)
			}
			next[i] = nextWeight[i] * sum
		}
		at, nextAt = nextAt, at
		density, next = next, density
	}
	return bounds
}

// place puts the nodes between far below and a bound of z at a time.
func place(at, weight []float64, time, bound float64) {
	scale := math.Sqrt(time)
	quad.Legendre{}.FixedLocations(at, weight, farBelow*scale, bound*scale)
}

// reaching returns the probability to be above x one step later.
func reaching(at, density []float64, x, step float64) float64 {
	sum := 0.0
	for i, y := range at {
		sum += density[i] * upperTail((x-y)/math.Sqrt(step))
	}
	return sum
}

func normalDensity(x, variance float64) float64 {
	return math.Exp(-x*x/(2*variance)) / math.Sqrt(2*math.Pi*variance)
}

// upperQuantile returns the value that a standard normal variable is above
// with that probability.
func upperQuantile(p float64) float64 { return -distuv.UnitNormal.Quantile(p) }

// upperTail returns the probability that it is above z.
func upperTail(z float64) float64 { return distuv.UnitNormal.Survival(z) }

// bisect returns where in [lo, hi] a condition begins to hold.
func bisect(lo, hi float64, holds func(float64) bool) float64 {
	for range bisections {
		if middle := (lo + hi) / 2; holds(middle) {
			hi = middle
		} else {
			lo = middle
		}
	}
	return (lo + hi) / 2
}
