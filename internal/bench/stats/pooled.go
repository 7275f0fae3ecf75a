package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// PooledMedianResampler draws the medians of stratified bootstrap resamples
// without drawing the resamples: from each stratum as many values as it has,
// with replacement, and then the median of all together.
//
// The sorted pool is cut in the middle. How many of a stratum's draws fall
// below the cut is binomial, its share of values there being the probability.
// These numbers tell on which side of the cut the median is and how many draws
// are nearer to the cut; a walk outwards from the cut counts them. Let a
// stratum have c draws on this side, each equally likely at any of its a
// values from here on. If they are put as −ln U for c uniform U, those at the
// nearest value are below −ln(1−1/a). In ascending order c such exponential
// variables have the gaps E/c, E/(c−1), … for independent exponential E (Rényi
// 1953), so they are drawn one by one until one is beyond. All that are left
// are again equally likely at any of the a−1 values beyond, and the walk goes
// on. So a draw for each stratum and a walk over some 0.4·√n of n values give
// a median that is distributed exactly as that of n draws.
type PooledMedianResampler struct {
	// sizes are the numbers of values of the strata.
	sizes  []int
	middle Middle
	// below are the numbers of draws below the cut. Strata of the same size and
	// share have the same one, which keeps what many of them need near the
	// processor.
	below []*binomial
	// down and up are the values on either side of the cut, the nearest first.
	down, up []place
}

// place is a value of the pool.
type place struct {
	value   float64
	stratum int
	// width is −ln(1−1/a), where a is the number of the stratum's values from
	// this one on, away from the cut.
	width float64
}

// reach times √n is how many of n values are kept on either side of the cut.
// A median is farther off with a probability below exp(−2·reach²), which is
// 2·10⁻²² (Hoeffding 1963); then it is taken to be the last one kept.
const reach = 5

// NewPooledMedianResampler returns the resampler of strata that have their
// values in any order and at least one in all.
func NewPooledMedianResampler(strata [][]float64) *PooledMedianResampler {
	pool := slices.Concat(strata...)
	cut, kept := len(pool)/2, int(math.Ceil(reach*math.Sqrt(float64(len(pool)))))
	from, to := max(0, cut-kept), min(cut+kept, len(pool)-1)
	lo := nth(pool, from)
	hi := nth(pool[from:], to-from)
	near, smaller, greater := between(lo, hi, strata)
	for _, count := range smaller {
		cut -= count
	}
	m := &PooledMedianResampler{middle: middleOf(len(pool))}
	m.down = places(near[:cut], smaller)
	slices.Reverse(near[cut:])
	m.up = places(near[cut:], greater)
	shared := map[[2]int]*binomial{}
	for i, values := range strata {
		share := [2]int{len(values), smaller[i]}
		if shared[share] == nil {
			shared[share] = newBinomial(len(values), smaller[i])
		}
		m.sizes = append(m.sizes, len(values))
		m.below = append(m.below, shared[share])
	}
	return m
}

// member is a stratum's value.
type member struct {
	value   float64
	stratum int
}

// between returns the values from lo to hi in ascending order, equal ones in
// that of the strata, and how many of every stratum are smaller and greater.
func between(lo, hi float64, strata [][]float64) (near []member, smaller, greater []int) {
	smaller, greater = make([]int, len(strata)), make([]int, len(strata))
	for i, values := range strata {
		for _, v := range values {
			switch {
			case v < lo:
				smaller[i]++
			case v > hi:
				greater[i]++
			default:
				near = append(near, member{v, i})
			}
		}
	}
	slices.SortFunc(near, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.stratum, b.stratum))
	})
	return near, smaller, greater
}

// places returns the places of one side of the cut, whose members come the
// farthest first. It adds their numbers to those of the strata's values beyond
// them.
func places(members []member, beyond []int) []place {
	found := make([]place, len(members))
	for i, v := range members {
		beyond[v.stratum]++
		found[len(found)-1-i] = place{v.value, v.stratum, -math.Log1p(-1 / float64(beyond[v.stratum]))}
	}
	return found
}

// Draw returns the medians of n resamples. Calls with random streams of their
// own may run at once.
func (m *PooledMedianResampler) Draw(r *rand.Rand, n int) []float64 {
	medians := make([]float64, n)
	down := walk{places: m.down, left: make([]int, len(m.sizes))}
	up := walk{places: m.up, left: make([]int, len(m.sizes))}
	for i := range medians {
		medians[i] = m.draw(r, &down, &up)
	}
	return medians
}

// draw returns the median of a resample. The walks are its scratch space.
func (m *PooledMedianResampler) draw(r *rand.Rand, down, up *walk) float64 {
	down.passed, down.found, up.passed, up.found = 0, 0, 0, 0
	below := 0
	for i := range m.below {
		count := m.below[i].draw(r)
		down.left[i], up.left[i] = count, m.sizes[i]-count
		below += count
	}
	var lo, hi float64
	switch {
	case m.middle.Hi < below:
		hi = down.nth(r, below-m.middle.Hi)
		lo = down.nth(r, below-m.middle.Lo)
	case m.middle.Lo >= below:
		lo = up.nth(r, m.middle.Lo-below+1)
		hi = up.nth(r, m.middle.Hi-below+1)
	default: // The two middle draws are on either side of the cut.
		lo, hi = down.nth(r, 1), up.nth(r, 1)
	}
	return (lo + hi) / 2
}

// walk goes through a resample's draws on one side of the cut.
type walk struct {
	places []place
	// left are the draws that are farther off, by stratum.
	left []int
	// passed and found count the places and the draws that are not.
	passed, found int
}

// nth returns the n-th draw from the cut, counted from 1. Later calls do not
// ask for a nearer one.
func (w *walk) nth(r *rand.Rand, n int) float64 {
	for w.found < n && w.passed < len(w.places) {
		p := &w.places[w.passed]
		count := p.draws(r, w.left[p.stratum])
		w.left[p.stratum] -= count
		w.found += count
		w.passed++
	}
	return w.places[w.passed-1].value
}

// draws returns how many of the stratum's draws are at this place, given the
// number of those here or farther off.
func (p *place) draws(r *rand.Rand, left int) int {
	count, width := 0, p.width
	for ; count < left; count++ {
		rest := float64(left - count)
		gap := r.ExpFloat64()
		if gap >= width*rest {
			break
		}
		width -= gap / rest
	}
	return count
}
