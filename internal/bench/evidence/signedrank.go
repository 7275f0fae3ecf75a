package evidence

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// maxExact is the number of blocks up to which the signed-rank test is exact
// (rule V4).
const maxExact = 60

// signed is a difference's distance from what is tested, of one scenario.
type signed struct {
	size     float64
	sign     int8
	scenario int32
}

// distances puts the differences d − m in the order of their sizes.
func distances(d []difference, m float64) []signed {
	all := make([]signed, len(d))
	for i, x := range d {
		v := x.log - m
		all[i] = signed{size: math.Abs(v), scenario: x.scenario}
		switch {
		case v > 0:
			all[i].sign = 1
		case v < 0:
			all[i].sign = -1
		}
	}
	slices.SortFunc(all, func(a, b signed) int { return cmp.Compare(a.size, b.size) })
	return all
}

// The sides of what is tested.
const (
	above int8 = 1
	below int8 = -1
)

// none is a scenario's number that no scenario has.
const none = -1

// signedRankZ returns how far the differences of all scenarios but one lie on a
// side of what is tested, by Wilcoxon's signed-rank test, as the standard normal
// value with the test's one-sided p. Equal sizes share a midrank, and a
// difference of 0 takes a rank and counts for neither side (Pratt 1959). It is
// 0 where nothing differs.
func signedRankZ(all []signed, side int8, without int32) float64 {
	left := len(all)
	for i := range all {
		left -= one(all[i].scenario == without)
	}
	if left > maxExact {
		return normalRankZ(all, side, without)
	}
	ranks := make([]rank, 0, left)
	eachRank(all, without, func(doubled int, sign int8) { ranks = append(ranks, rank{doubled, sign == side}) })
	if len(ranks) == 0 {
		return 0
	}
	return exactRankZ(ranks)
}

// eachRank visits the differences of all scenarios but one that are not 0, with
// twice their midranks, which are whole.
func eachRank(all []signed, without int32, visit func(doubled int, sign int8)) {
	place := 0
	for from := 0; from < len(all); {
		to, members := from, 0
		for to < len(all) && all[to].size == all[from].size {
			members += one(all[to].scenario != without)
			to++
		}
		doubled := 2*place + members + 1
		for i := from; i < to; i++ {
			if all[i].scenario != without && all[i].sign != 0 {
				visit(doubled, all[i].sign)
			}
		}
		place += members
		from = to
	}
}

// rank is twice a midrank, of a difference on the side that is tested or not.
type rank struct {
	doubled int
	onSide  bool
}

// normalRankZ is the one by the normal distribution.
func normalRankZ(all []signed, side int8, without int32) float64 {
	distance, squares := 0, 0
	eachRank(all, without, func(doubled int, sign int8) {
		squares += doubled * doubled
		distance += doubled * int(sign*side)
	})
	return normalZ(distance, squares)
}

// normalZ divides the sum of signed ranks by its deviation where signs are random.
func normalZ(distance, squares int) float64 {
	if squares == 0 {
		return 0
	}
	return float64(distance) / math.Sqrt(float64(squares))
}

// exactRankZ returns the z of the probability that random signs would give a
// sum of ranks on the side at least as high. At the ends, where the probability
// is 1, z is as far out as it is at the other one.
func exactRankZ(ranks []rank) float64 {
	sum := 0
	for _, r := range ranks {
		if r.onSide {
			sum += r.doubled
		}
	}
	upper, lower := rankTails(ranks, sum)
	if upper <= 0.5 {
		return upperQuantile(upper)
	}
	return -upperQuantile(max(lower, math.Pow(0.5, float64(len(ranks)))))
}

// rankTails returns the probabilities that the sum is at least as high, and
// that it is lower.
func rankTails(ranks []rank, sum int) (upper, lower float64) {
	if untied(ranks) {
		lowerThan := untiedBelow(len(ranks))
		// The sum of ranks is symmetrical.
		total := len(ranks) * (len(ranks) + 1) / 2
		return lowerThan[total-sum/2+1], lowerThan[sum/2]
	}
	chance := []float64{1}
	for _, r := range ranks {
		chance = shifted(chance, r.doubled)
	}
	for i, c := range chance {
		if i < sum {
			lower += c
		} else {
			upper += c
		}
	}
	return upper, lower
}

// untied reports whether the ranks are 1, 2, … in order.
func untied(ranks []rank) bool {
	for i, r := range ranks {
		if r.doubled != 2*(i+1) {
			return false
		}
	}
	return true
}

// shifted returns the distribution of a sum with one more rank, which counts
// with probability ½.
func shifted(chance []float64, by int) []float64 {
	longer := make([]float64, len(chance)+by)
	for i, c := range chance {
		longer[i] += c / 2
		longer[i+by] += c / 2
	}
	return longer
}

// untiedBelow returns the probabilities that the sum of those of n untied
// ranks on a side is below 0, 1, … It is computed once.
func untiedBelow(n int) []float64 { return untiedTables[n-1]() }

var untiedTables = func() (tables [maxExact]func() []float64) {
	for i := range tables {
		tables[i] = sync.OnceValue(func() []float64 {
			chance := []float64{1}
			for r := 1; r <= i+1; r++ {
				chance = shifted(chance, r)
			}
			lowerThan := make([]float64, len(chance)+1)
			for j, c := range chance {
				lowerThan[j+1] = lowerThan[j] + c
			}
			return lowerThan
		})
	}
	return tables
}()

// walsh are sorted differences, seen as the means of all their pairs, each
// difference with itself included (Walsh 1949).
type walsh []float64

func walshOf(d []difference) walsh {
	values := make([]float64, len(d))
	for i, x := range d {
		values[i] = x.log
	}
	slices.Sort(values)
	return values
}

func (w walsh) pairs() int { return len(w) * (len(w) + 1) / 2 }

// median returns Hodges and Lehmann's estimate: the median of the means.
func (w walsh) median() float64 {
	n := w.pairs()
	return (w.nth((n-1)/2) + w.nth(n/2)) / 2
}

// nth returns the k-th smallest mean, counted from 0. It halves the range of
// floating-point numbers, counting the means up to its middle, until there are no
// more in it than differences, and sorts those.
func (w walsh) nth(k int) float64 {
	lo, hi := ordinal(w[0])-1, ordinal(w[len(w)-1])
	below, upTo := 0, w.pairs()
	for upTo-below > len(w) && hi-lo > 1 {
		// The mean of two whole numbers that does not overflow.
		middle := lo&hi + (lo^hi)>>1
		if count := w.upTo(fromOrdinal(middle)); count > k {
			hi, upTo = middle, count
		} else {
			lo, below = middle, count
		}
	}
	if hi-lo == 1 {
		return fromOrdinal(hi)
	}
	means := w.between(fromOrdinal(lo), fromOrdinal(hi), upTo-below)
	slices.Sort(means)
	return means[k-below]
}

// between returns the means that are above lo and at most hi, of which there are
// count.
func (w walsh) between(lo, hi float64, count int) []float64 {
	means := make([]float64, 0, count)
	from, to := len(w), len(w)
	for i := range w {
		for to > i && (w[i]+w[to-1])/2 > hi {
			to--
		}
		for from > i && (w[i]+w[from-1])/2 > lo {
			from--
		}
		for j := max(from, i); j < to; j++ {
			means = append(means, (w[i]+w[j])/2)
		}
	}
	return means
}

// upTo counts the means that are at most x.
func (w walsh) upTo(x float64) int {
	count, j := 0, len(w)-1
	for i := 0; i <= j; i++ {
		for j >= i && (w[i]+w[j])/2 > x {
			j--
		}
		count += j - i + 1
	}
	return count
}

// ordinal numbers the finite floating-point numbers in ascending order.
func ordinal(x float64) int64 {
	bits := int64(math.Float64bits(x))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}

func fromOrdinal(n int64) float64 {
	if n < 0 {
		n = math.MinInt64 - n
	}
	return math.Float64frombits(uint64(n))
}

// interval returns the differences that a two-sided signed-rank test with the
// bound z does not reject; ok is false where it rejects none, because there
// are too few blocks.
func (w walsh) interval(bound float64) (lo, hi float64, ok bool) {
	cut := rejected(len(w), bound)
	if cut < 1 {
		return 0, 0, false
	}
	return w.nth(cut - 1), w.nth(w.pairs() - cut), true
}

// rejected returns how many of the lowest sums of untied ranks have together a
// probability that a bound allows: the sums 0, 1, …
func rejected(n int, bound float64) int {
	if n > maxExact {
		ranks := float64(n)
		mean := ranks * (ranks + 1) / 4
		deviation := math.Sqrt(mean * (2*ranks + 1) / 6)
		return int(math.Floor(mean-bound*deviation)) + 1
	}
	// All sums together have probability 1, which no bound allows.
	lowerThan, allowed := untiedBelow(n), upperTail(bound)
	cut := 0
	for lowerThan[cut+1] <= allowed {
		cut++
	}
	return cut
}
