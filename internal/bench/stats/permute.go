package stats

import (
	"math"
	"math/rand/v2"
)

// LabelShuffler labels the values of a sorted sample at random, all labellings
// being equally likely, and finds the medians of the two groups.
type LabelShuffler struct {
	start labelling
	// all are the groups' medians in every labelling; empty where there are
	// too many to list.
	all [][2]Middle
}

// maxLabellings is the number of labellings up to which they are listed once
// rather than drawn label by label.
const maxLabellings = 1000

// NewLabelShuffler returns the shuffler for samples of a+b values, a of which
// get one label and b the other. Both are at least 1.
func NewLabelShuffler(a, b int) LabelShuffler {
	s := LabelShuffler{start: labelling{
		left: [2]int{a, b}, wanted: [2]Middle{middleOf(a), middleOf(b)},
	}}
	if logLabellings(a, b) < math.Log(maxLabellings) {
		s.list(s.start)
	}
	return s
}

// logLabellings returns the logarithm of the number of ways to label a+b
// values.
func logLabellings(a, b int) float64 { return logFactorial(a+b) - logFactorial(a) - logFactorial(b) }

func logFactorial(n int) float64 {
	log, _ := math.Lgamma(float64(n) + 1)
	return log
}

// list adds the medians of all labellings that go on from l.
func (s *LabelShuffler) list(l labelling) {
	if l.left == [2]int{} {
		s.all = append(s.all, l.found)
		return
	}
	for label, left := range l.left {
		if left > 0 {
			next := l
			next.give(label)
			s.list(next)
		}
	}
}

// Draw labels the sample anew and returns where in it the medians of the two
// groups are. The remark at [MedianResampler.Draw] on serving several measures
// holds here too.
func (s *LabelShuffler) Draw(r *rand.Rand) (a, b Middle) {
	if len(s.all) > 0 {
		found := s.all[r.IntN(len(s.all))]
		return found[0], found[1]
	}
	l := s.start
	for !l.complete() {
		label := 1
		if r.IntN(l.left[0]+l.left[1]) < l.left[0] {
			label = 0
		}
		l.give(label)
	}
	return l.found[0], l.found[1]
}

// labelling is a sample of which the values before at are labelled.
type labelling struct {
	at int
	// left and seen count the labels to be given and those that were.
	left, seen [2]int
	// wanted are the groups' medians by their place in the group, found by
	// their place in the sample.
	wanted, found [2]Middle
}

// complete reports whether both medians are found.
func (l *labelling) complete() bool {
	return l.seen[0] > l.wanted[0].Hi && l.seen[1] > l.wanted[1].Hi
}

// give labels the next value.
func (l *labelling) give(label int) {
	if l.seen[label] == l.wanted[label].Lo {
		l.found[label].Lo = l.at
	}
	if l.seen[label] == l.wanted[label].Hi {
		l.found[label].Hi = l.at
	}
	l.seen[label]++
	l.left[label]--
	l.at++
}

// LeastPermutationP returns the smallest p-value that [PermutationP] can come
// near to when the labels of strata of these sizes are permuted, however many
// permutations there are: two over the number of labellings, at most 1.
func LeastPermutationP(strata []Pair) float64 {
	log := 0.0
	for _, s := range strata {
		log += logLabellings(len(s.A), len(s.B))
	}
	return min(1, 2*math.Exp(-log))
}

// sameFigure is the relative difference below which two values of a figure
// count as equal: they may differ by rounding alone.
const sameFigure = 1e-12

// PermutationP returns the two-sided p-value of an observed figure, given its
// values under permuted labels. It is twice the smaller tail, at most 1: a
// relative reduction is asymmetric under swapped labels, so its size alone is
// no measure of extremeness. The observed labelling counts as one of the
// permutations, so p is never 0. NaN, a permutation without the figure, counts
// in both tails.
func PermutationP(observed float64, permuted []float64) float64 {
	slack := sameFigure * math.Abs(observed)
	lower, upper := 1, 1
	for _, v := range permuted {
		if !(v > observed+slack) {
			lower++
		}
		if !(v < observed-slack) {
			upper++
		}
	}
	return min(1, 2*float64(min(lower, upper))/float64(len(permuted)+1))
}
