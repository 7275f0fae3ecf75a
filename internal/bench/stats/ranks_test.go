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
}

func TestG13VanElterenAgreesWithPermutation(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	a, b := make([]float64, 40), make([]float64, 60)
	for i := range a {
		a[i] = r.NormFloat64() + 0.35
	}
	for i := range b {
		b[i] = r.NormFloat64()
	}
	pooled := append(append([]float64{}, a...), b...)
	observed := pair(a, b).CliffsDelta()
	permuted := make([]float64, 4000)
	for i := range permuted {
		r.Shuffle(len(pooled), func(i, j int) { pooled[i], pooled[j] = pooled[j], pooled[i] })
		permuted[i] = pair(append([]float64{}, pooled[:40]...), append([]float64{}, pooled[40:]...)).CliffsDelta()
	}
	assert.InDelta(t, stats.PermutationP(observed, permuted), stats.VanElteren([]stats.Pair{pair(a, b)}), 0.02)
}
