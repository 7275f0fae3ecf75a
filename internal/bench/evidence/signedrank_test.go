package evidence

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func differencesOf(values ...float64) []difference {
	all := make([]difference, len(values))
	for i, v := range values {
		all[i] = difference{log: v}
	}
	return all
}

// byEnumeration returns the probability that random signs of the values give a
// sum of positive ranks at least as high, trying all of them.
func byEnumeration(values []float64) float64 {
	n := len(values)
	ranks, observed := make([]float64, n), 0.0
	var moving []float64
	for i, v := range values {
		smaller, equal := 0, 0
		for _, w := range values {
			if math.Abs(w) < math.Abs(v) {
				smaller++
			} else if math.Abs(w) == math.Abs(v) {
				equal++
			}
		}
		ranks[i] = float64(smaller) + float64(equal+1)/2
		if v != 0 {
			moving = append(moving, ranks[i])
		}
		if v > 0 {
			observed += ranks[i]
		}
	}
	atLeast := 0
	for signs := range 1 << len(moving) {
		sum := 0.0
		for rest := uint(signs); rest != 0; rest &= rest - 1 {
			sum += moving[bits.TrailingZeros(rest)]
		}
		if sum >= observed {
			atLeast++
		}
	}
	return float64(atLeast) / float64(int(1)<<len(moving))
}

func TestV4SignedRankTestIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		values := make([]float64, 1+r.IntN(12))
		for i := range values {
			values[i] = r.NormFloat64() + 0.3
			if round%2 == 0 { // ties and zeros
				values[i] = math.Round(2 * values[i])
			}
		}
		p := byEnumeration(values)
		z := signedRankZ(distances(differencesOf(values...), 0), above, none)
		switch {
		case !slices.ContainsFunc(values, func(v float64) bool { return v != 0 }):
			assert.Zero(t, z, "%v", values)
		case p == 1:
			assert.LessOrEqual(t, z, 0.0, "%v", values)
		default:
			assert.InDelta(t, p, upperTail(z), 1e-12, "%v", values)
		}
		mirrored := make([]float64, len(values))
		for i, v := range values {
			mirrored[i] = -v
		}
		assert.Equal(t, z, signedRankZ(distances(differencesOf(mirrored...), 0), below, none))
	}
}

func TestV4SignedRankTestIsNormalAboveSixtyBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	values := make([]float64, maxExact+1)
	for i := range values {
		values[i] = r.NormFloat64() + 0.2
	}
	// The sum of ranks less its mean, over its deviation, by the textbook.
	sizes := slices.Clone(values)
	slices.SortFunc(sizes, func(a, b float64) int { return int(math.Copysign(1, math.Abs(a)-math.Abs(b))) })
	sum, n := 0.0, float64(len(values))
	for i, v := range sizes {
		if v > 0 {
			sum += float64(i + 1)
		}
	}
	want := (sum - n*(n+1)/4) / math.Sqrt(n*(n+1)*(2*n+1)/24)
	assert.InDelta(t, want, signedRankZ(distances(differencesOf(values...), 0), above, none), 1e-12)

	few := distances(differencesOf(values[:maxExact]...), 0)
	assert.InDelta(t, normalRankZ(few, above, none), signedRankZ(few, above, none), 0.02, "the two nearly agree where one takes over from the other")
}

// Leaving a scenario out is to rank the others anew, with ties and zeros, and on
// both sides of where the normal distribution takes over.
func TestV12SignedRankTestLeavesAScenarioOut(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{20, maxExact + 5, 80, 400} {
		for _, steps := range []float64{2, 4, 1e9} {
			var all []difference
			for range n {
				all = append(all, difference{log: math.Round(steps*r.NormFloat64()) / steps, scenario: int32(r.IntN(5))})
			}
			for _, m := range []float64{0, 0.1} {
				ranked := &ranking{all: distances(all, m)}
				for scenario := range int32(6) {
					others := slices.DeleteFunc(slices.Clone(all), func(d difference) bool { return d.scenario == scenario })
					for _, side := range []int8{above, below} {
						want := signedRankZ(distances(others, m), side, none)
						assert.Equal(t, want, signedRankZ(distances(all, m), side, scenario))
						assert.Equal(t, want, ranked.z(side, scenario), "n %d, steps %g, m %g, without %d", n, steps, m, scenario)
					}
				}
			}
		}
	}
}

func TestV4EstimateAndIntervalAreOfTheMeansOfAllPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for round := range 60 {
		n := 1 + r.IntN(70)
		values := make([]float64, n)
		for i := range values {
			values[i] = r.NormFloat64() - 0.5
			if round%3 == 0 {
				values[i] = math.Round(3*values[i]) / 3
			}
		}
		var means []float64
		w := walshOf(differencesOf(values...))
		for i := range w {
			for j := i; j < n; j++ {
				means = append(means, (w[i]+w[j])/2)
			}
		}
		slices.Sort(means)
		for _, k := range []int{0, len(means) / 3, len(means) / 2, len(means) - 1} {
			assert.Equal(t, means[k], w.nth(k))
		}
		assert.Equal(t, (means[(len(means)-1)/2]+means[len(means)/2])/2, w.median())
	}
}

// What an interval holds, the two tests with its bound do not reject, and what
// lies just outside one of them does.
func TestV7IntervalIsWhatTheTestsDoNotReject(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const bound, little = 2.41, 1e-9
	for _, n := range []int{9, 30, 60, 200} {
		values := make([]float64, n)
		for i := range values {
			values[i] = r.NormFloat64()
		}
		d := differencesOf(values...)
		lo, hi, ok := walshOf(d).interval(bound)
		assert.True(t, ok)
		z := func(m float64, side int8) float64 { return signedRankZ(distances(d, m), side, none) }
		assert.Less(t, z(lo+little, above), bound)
		assert.GreaterOrEqual(t, z(lo-little, above), bound)
		assert.Less(t, z(hi-little, below), bound)
		assert.GreaterOrEqual(t, z(hi+little, below), bound)
	}
	_, _, ok := walshOf(differencesOf(1, 2, 3, 4)).interval(bound)
	assert.False(t, ok, "four blocks have at best p = 1/16")
}

func TestV7OrdinalsAreInTheOrderOfTheNumbers(t *testing.T) {
	numbers := []float64{-math.MaxFloat64, -2, -1.5, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 1, 1e300}
	for i, x := range numbers {
		assert.Equal(t, x, fromOrdinal(ordinal(x)))
		if i > 0 {
			assert.Greater(t, ordinal(x), ordinal(numbers[i-1]))
		}
	}
}
