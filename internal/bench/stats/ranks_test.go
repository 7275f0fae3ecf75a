package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

func pair(a, b []float64) stats.Pair { return stats.Pair{A: stats.Sorted(a), B: stats.Sorted(b)} }

func TestG13CliffsDeltaIsTheShareOfPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		a, b := make([]float64, 1+r.IntN(12)), make([]float64, 1+r.IntN(12))
		for i := range a {
			a[i] = float64(r.IntN(6))
		}
		for i := range b {
			b[i] = float64(r.IntN(6))
		}
		sum := 0.0
		for _, x := range a {
			for _, y := range b {
				sum += float64(cmpFloat(x, y))
			}
		}
		assert.InDelta(t, sum/float64(len(a)*len(b)), pair(a, b).CliffsDelta(), exact)
	}
	assert.Zero(t, pair(nil, []float64{1}).CliffsDelta(), "an empty sample shows no effect")
	assert.Zero(t, pair([]float64{1}, nil).CliffsDelta(), "nor does it on the other side")
	assert.Equal(t, 1.0, pair([]float64{5, 6}, []float64{1, 2}).CliffsDelta(), "A greater throughout")
}

func cmpFloat(x, y float64) int {
	switch {
	case x > y:
		return 1
	case x < y:
		return -1
	default:
		return 0
	}
}

func TestG13VanElterenOfOneStratumIsTheWilcoxonTest(t *testing.T) {
	// Mann and Whitney by hand: A = 1 2 4 5 7, B = 3 6 8 9 10 11; U counts 4
	// of 30 pairs, E(U) = 15, Var(U) = 5·6·12/12 = 30, z = −11/√30 = −2.0083.
	p := stats.VanElteren([]stats.Pair{pair([]float64{1, 2, 4, 5, 7}, []float64{3, 6, 8, 9, 10, 11})})
	assert.InDelta(t, math.Erfc(11/math.Sqrt(60)), p, exact)

	// With ties: A = 1 2 2, B = 2 3 3; pairs won 0, tied 2, so U = 1, E(U) =
	// 4.5, Var(U) = 9/12·(7 − (24+6)/30) = 4.5.
	p = stats.VanElteren([]stats.Pair{pair([]float64{1, 2, 2}, []float64{2, 3, 3})})
	assert.InDelta(t, math.Erfc(3.5/math.Sqrt(9)), p, exact)
}

func TestG13VanElterenWeighsStrataByTheirSize(t *testing.T) {
	// Stratum 1: N = 4, U − E(U) = −2, Var = 4·5/12. Stratum 2: N = 2,
	// U − E(U) = 0.5, Var = 3/12. Weights 1/5 and 1/3.
	p := stats.VanElteren([]stats.Pair{
		pair([]float64{1, 2}, []float64{3, 4}),
		pair([]float64{9}, []float64{8}),
	})
	distance := -2.0/5 + 0.5/3
	variance := 20.0/12/25 + 3.0/12/9
	assert.InDelta(t, math.Erfc(math.Abs(distance)/math.Sqrt(2*variance)), p, exact)
}

func TestG13VanElterenFindsNothingWhereThereIsNothing(t *testing.T) {
	assert.Equal(t, 1.0, stats.VanElteren(nil), "no strata")
	assert.Equal(t, 1.0, stats.VanElteren([]stats.Pair{pair([]float64{4, 4}, []float64{4, 4, 4})}), "all values equal")
	assert.Equal(t, 1.0, stats.VanElteren([]stats.Pair{pair(nil, []float64{4})}), "one group alone")
	assert.Equal(t, 1.0, stats.VanElteren([]stats.Pair{pair([]float64{4}, nil)}), "the other group alone")
}

func TestG13VanElterenAgreesWithPermutation(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	draw := func(n int, shift float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = r.NormFloat64() + shift
		}
		return values
	}
	strata := []stats.Pair{pair(draw(40, 0.2), draw(60, 0)), pair(draw(9, 0.1), draw(30, 0)), pair(nil, draw(3, 0))}
	assert.InDelta(t, permutationP(strata, 20_000), stats.VanElteren(strata), 0.01)
}

func permutationP(strata []stats.Pair, permutations int) float64 {
	return stats.RankPermutationP([][]stats.Pair{strata}, permutations, 1, 1)[0]
}

func TestG17MeasuresOfTheSameRowsHaveTheirOwnP(t *testing.T) {
	apart, mixed := pair([]float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}), pair([]float64{1, 3, 5, 7}, []float64{2, 4, 6, 8})
	for _, permutations := range []int{70, 30_000} {
		strata := [][]stats.Pair{{apart}, {mixed}}
		if permutations == 30_000 {
			silent := pair(make([]float64, 20), make([]float64, 20))
			strata = [][]stats.Pair{{apart, silent}, {mixed, silent}}
		}
		got := stats.RankPermutationP(strata, permutations, 1, 1)
		assert.InDelta(t, 2.0/70, got[0], 0.005)
		assert.InDelta(t, permutationP([]stats.Pair{mixed}, 70), got[1], 0.015)
		assert.Greater(t, got[1], 0.5)
	}
}

func TestG17PermutationTriesAllLabellingsWhereTheyAreFew(t *testing.T) {
	low, high := []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}
	for _, c := range []struct {
		name   string
		strata []stats.Pair
		want   float64
	}{
		{"perfect separation of four and four", []stats.Pair{pair(low, high)}, 2.0 / 70},
		{"either way", []stats.Pair{pair(high, low)}, 2.0 / 70},
		{"of two strata", []stats.Pair{pair(low, high), pair(low, high)}, 2.0 / 4900},
		{"that point apart", []stats.Pair{pair(low, high), pair(high, low)}, 1},
		{"two values change places", []stats.Pair{pair([]float64{1, 2, 3, 5}, []float64{4, 6, 7, 8})}, 4.0 / 70},
		{"groups of unlike sizes", []stats.Pair{pair([]float64{9, 8, 7}, []float64{1, 2})}, 2.0 / 10},
		{"ties", []stats.Pair{pair([]float64{1, 1, 2}, []float64{2, 3, 3})}, 4.0 / 20},
		{"nothing but ties", []stats.Pair{pair([]float64{1, 1}, []float64{1, 1})}, 1},
		{"ties in strata whose smaller groups are not the same", []stats.Pair{pair([]float64{5}, []float64{1, 1}), pair([]float64{5, 5}, []float64{1})}, 1.0 / 9},
		{"no strata", nil, 1},
		{"one group alone", []stats.Pair{pair(nil, low)}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.InDelta(t, c.want, permutationP(c.strata, 10_000), exact)
			if c.want < 1 {
				assert.InDelta(t, c.want, permutationP(append(c.strata, pair(make([]float64, 20), make([]float64, 20))), 30_000), 0.005,
					"beside a stratum that says nothing, with draws")
			}
		})
	}
}

func TestG17PermutationDrawsAsManyAsAskedForWhereLabellingsAreMore(t *testing.T) {
	// 70 labellings of which 60 are drawn: with the observed one, of 61.
	p := permutationP([]stats.Pair{pair([]float64{1, 2, 3, 5}, []float64{4, 6, 7, 8})}, 60)
	assert.InDelta(t, math.Round(p*61), p*61, 1e-9)

	ascending := make([]float64, 80)
	for i := range ascending {
		ascending[i] = float64(i)
	}
	apart := []stats.Pair{pair(ascending[:40], ascending[40:])}
	assert.InDelta(t, 1.0/100, permutationP(apart, 99), exact, "none of the drawn is as far apart, and p is not 0")
}
