package stats

import (
	"math/rand/v2"
	"slices"
)

// binomial draws from a binomial distribution by an indexed search (Chen and
// Asau 1974), which seldom takes more than one comparison, whatever the spread.
type binomial struct {
	// first is the least number of successes that is drawn, and upTo the
	// probability of at most first, first+1, … of them.
	first int
	upTo  []float64
	// guide says for equal parts of the unit interval where in upTo to start.
	guide []int32
}

// negligible is a probability relative to the mode's below which a number of
// successes is left out: a uniform draw has 53 bits and would not find it.
const negligible = 1e-18

// guidePartsPerNumber is the length of a guide for every number of successes
// that may be drawn: the more, the fewer searches go beyond their start.
const guidePartsPerNumber = 4

// newBinomial returns the distribution of successes in n trials of
// probability k/n. Where k is 0 or n, draws take no random number.
func newBinomial(n, k int) *binomial {
	odds := float64(k) / float64(n-k)
	var fewer, more []float64
	for c, weight := k, 1.0; c > 0; c-- {
		if weight *= float64(c) / float64(n-c+1) / odds; weight < negligible {
			break
		}
		fewer = append(fewer, weight)
	}
	for c, weight := k, 1.0; c < n; c++ {
		if weight *= float64(n-c) / float64(c+1) * odds; weight < negligible {
			break
		}
		more = append(more, weight)
	}
	slices.Reverse(fewer)
	b := &binomial{first: k - len(fewer), upTo: slices.Concat(fewer, []float64{1}, more)}
	b.normalize()
	return b
}

// normalize turns upTo from weights into probabilities and fills in the guide.
func (b *binomial) normalize() {
	sum := 0.0
	for i, weight := range b.upTo {
		sum += weight
		b.upTo[i] = sum
	}
	for i := range b.upTo {
		b.upTo[i] /= sum
	}
	b.guide = make([]int32, guidePartsPerNumber*len(b.upTo))
	at := 0
	for i := range b.guide {
		for b.upTo[at] <= float64(i)/float64(len(b.guide)) {
			at++
		}
		b.guide[i] = int32(at)
	}
}

func (b *binomial) draw(r *rand.Rand) int {
	if len(b.upTo) == 1 {
		return b.first
	}
	u := r.Float64()
	at := int(b.guide[int(u*float64(len(b.guide)))])
	for b.upTo[at] <= u {
		at++
	}
	return b.first + at
}
