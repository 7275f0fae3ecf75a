package stats

import (
	"math"
	"math/rand/v2"
)

// MedianResampler draws the medians of bootstrap resamples of n values
// without drawing the resamples.
//
// Drawing a value with replacement is taking the value at position ⌊n·U⌋ of
// the sorted sample for a uniform U. The function is monotonous, so the k-th
// smallest value of a resample is at ⌊n·U₍ₖ₎⌋ for U₍ₖ₎ the k-th smallest of n
// uniform draws, which is distributed as Beta(k, n+1−k). Where n is even the
// median needs two neighbours, drawn jointly: given U₍ₖ₎ = u, the next one is
// the smallest of n−k uniform draws from (u, 1). So one or two draws give a
// median that is distributed exactly as that of n draws.
type MedianResampler struct {
	n           int
	first, rest gamma
}

// NewMedianResampler returns the resampler for samples of n values, n at
// least 1.
func NewMedianResampler(n int) MedianResampler {
	k := (n + 1) / 2
	return MedianResampler{n: n, first: newGamma(k), rest: newGamma(n + 1 - k)}
}

// Draw returns the place of a resample's median in the sorted sample. The
// same draw may serve several measures of the same rows where each is looked
// at on its own: then every one is distributed as it should be, but their
// dependence is not that of the rows.
func (m MedianResampler) Draw(r *rand.Rand) Middle {
	x, y := m.first.draw(r), m.rest.draw(r)
	u := x / (x + y)
	lo := m.position(u)
	if m.n%2 == 1 {
		return Middle{Lo: lo, Hi: lo}
	}
	// 1 − V^{1/(n−k)} for a uniform V, with n−k = n/2.
	smallest := -math.Expm1(-r.ExpFloat64() / float64(m.n/2))
	return Middle{Lo: lo, Hi: m.position(u + (1-u)*smallest)}
}

func (m MedianResampler) position(u float64) int {
	return min(int(u*float64(m.n)), m.n-1)
}

// gamma draws from a gamma distribution of a shape of at least 1 by the
// method of Marsaglia and Tsang (2000).
type gamma struct{ d, c float64 }

func newGamma(shape int) gamma {
	d := float64(shape) - 1.0/3
	return gamma{d: d, c: 1 / math.Sqrt(9*d)}
}

func (g gamma) draw(r *rand.Rand) float64 {
	for {
		x := r.NormFloat64()
		t := 1 + g.c*x
		if t <= 0 {
			continue
		}
		v := t * t * t
		u := r.Float64()
		if u < 1-0.0331*x*x*x*x || math.Log(u) < 0.5*x*x+g.d*(1-v+math.Log(v)) {
			return g.d * v
		}
	}
}
