package stats_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// chiSquareLimit is above the 99.99 % point of χ² with that many degrees of
// freedom (Wilson-Hilferty), so a right generator fails once in 10,000 seeds,
// and the seeds here are fixed.
func chiSquareLimit(degrees int) float64 {
	d := float64(degrees)
	return d * math.Pow(1-2/(9*d)+3.72*math.Sqrt(2/(9*d)), 3)
}

// requireDistribution compares counts with the weights that they should have.
func requireDistribution[K comparable](t *testing.T, want map[K]float64, counts map[K]int, reason ...any) {
	t.Helper()
	total, drawn := 0.0, 0
	for _, weight := range want {
		total += weight
	}
	for place, count := range counts {
		require.Positive(t, want[place], "%v is impossible", place)
		drawn += count
	}
	chiSquare, degrees := 0.0, -1
	for place, weight := range want {
		expected := weight / total * float64(drawn)
		chiSquare += (float64(counts[place]) - expected) * (float64(counts[place]) - expected) / expected
		degrees++
	}
	if degrees > 0 {
		require.Less(t, chiSquare, chiSquareLimit(degrees), reason...)
	}
}

// everyResample returns how many of the nⁿ resamples of n values have their
// middle at a place.
func everyResample(n int) map[stats.Middle]float64 {
	weights := map[stats.Middle]float64{}
	positions := make([]int, n)
	for {
		sorted := slices.Sorted(slices.Values(positions))
		weights[stats.Middle{Lo: sorted[(n-1)/2], Hi: sorted[n/2]}]++
		at := 0
		for ; at < n && positions[at] == n-1; at++ {
			positions[at] = 0
		}
		if at == n {
			return weights
		}
		positions[at]++
	}
}

func TestG13MediansOfResamplesAreDistributedAsAllResamplesSay(t *testing.T) {
	for n := 1; n <= 7; n++ {
		r := stats.Stream(uint64(n))
		resampler := stats.NewMedianResampler(n)
		counts := map[stats.Middle]int{}
		for range 100_000 {
			counts[resampler.Draw(r)]++
		}
		requireDistribution(t, everyResample(n), counts)
	}
}

func TestG13MediansOfResamplesAreDistributedAsThoseOfNaiveResampling(t *testing.T) {
	const draws = 20_000
	for _, n := range []int{20, 21, 100, 301} {
		sample := make(stats.Sample, n)
		for i := range sample {
			sample[i] = float64(i * i)
		}
		r := stats.Stream(uint64(n))
		resampler := stats.NewMedianResampler(n)
		direct, naive := make([]float64, draws), make([]float64, draws)
		resample := make([]float64, n)
		for i := range draws {
			direct[i] = resampler.Draw(r).In(sample)
			for j := range resample {
				resample[j] = sample[r.IntN(n)]
			}
			naive[i] = stats.Median(resample)
		}
		requireSameDistribution(t, direct, naive, "n = %d", n)
	}
}

// requireSameDistribution compares two lists of as many draws by the test of
// Kolmogorov and Smirnov for a level of 0.01 %.
func requireSameDistribution(t *testing.T, a, b []float64, reason ...any) {
	t.Helper()
	require.Len(t, b, len(a))
	limit := math.Sqrt(-math.Log(0.0001/2) / float64(len(a)))
	require.Less(t, distance(stats.Sorted(a), stats.Sorted(b)), limit, reason...)
}

// distance returns the greatest difference of two distribution functions.
func distance(a, b stats.Sample) float64 {
	greatest := 0.0
	for _, v := range a {
		upToA, _ := slices.BinarySearch(a, math.Nextafter(v, math.Inf(1)))
		upToB, _ := slices.BinarySearch(b, math.Nextafter(v, math.Inf(1)))
		greatest = max(greatest, math.Abs(float64(upToA)/float64(len(a))-float64(upToB)/float64(len(b))))
	}
	return greatest
}

func TestG13LeastPermutationPIsTwoLabellings(t *testing.T) {
	sizes := func(a, b int) stats.Pair { return stats.Pair{A: make(stats.Sample, a), B: make(stats.Sample, b)} }
	assert.InDelta(t, 2.0/20, stats.LeastPermutationP([]stats.Pair{sizes(3, 3)}), exact, "20 ways to choose 3 of 6")
	assert.InDelta(t, 2.0/400, stats.LeastPermutationP([]stats.Pair{sizes(3, 3), sizes(3, 3)}), exact, "strata multiply")
	assert.Equal(t, 1.0, stats.LeastPermutationP([]stats.Pair{sizes(1, 1)}), "a probability is at most 1")
	assert.Equal(t, 1.0, stats.LeastPermutationP(nil), "there is one way to label nothing")
}

func TestReplicatesDependOnSeedAndStreamNotOnProcessors(t *testing.T) {
	draw := func(processors int, seed, stream uint64) []float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		values := make([]float64, 1013)
		stats.Replicate(seed, stream, len(values), func(r *rand.Rand, from, to int) {
			for i := from; i < to; i++ {
				values[i] = r.Float64()
			}
		})
		return values
	}
	alone := draw(1, 7, 1)
	assert.Equal(t, alone, draw(4, 7, 1))
	assert.NotEqual(t, alone, draw(1, 8, 1), "another seed")
	assert.NotEqual(t, alone, draw(1, 7, 2), "another stream")
	assert.Len(t, slices.Compact(stats.Sorted(alone)), len(alone), "every replicate has draws of its own")
}

func TestReplicatesAreSharedOut(t *testing.T) {
	for _, n := range []int{0, 1, 249, 250, 251, 999, 1000} {
		var guard sync.Mutex
		times := make([]int, n)
		stats.Replicate(1, 1, n, func(_ *rand.Rand, from, to int) {
			guard.Lock()
			defer guard.Unlock()
			assert.Less(t, from, to, "of %d", n)
			for i := from; i < to; i++ {
				times[i]++
			}
		})
		assert.Equal(t, slices.Repeat([]int{1}, n), times, "each of %d once", n)
	}
}

func TestWorkIsDoneByAllProcessorsAtOnce(t *testing.T) {
	const processors = 3
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	synctest.Test(t, func(t *testing.T) {
		var arrived sync.WaitGroup
		arrived.Add(processors)
		var guard sync.Mutex
		var done []int
		stats.InParallel(processors, func(i int) {
			guard.Lock()
			done = append(done, i)
			guard.Unlock()
			// Each waits for all the others.
			arrived.Done()
			arrived.Wait()
		})
		slices.Sort(done)
		assert.Equal(t, []int{0, 1, 2}, done)
	})
	assert.Equal(t, processors, runtime.GOMAXPROCS(0), "it is asked for, not set")
}

// A report says with which seed its numbers were made. Who computes them again,
// with a later version, is to get the same.
func TestSeedsGiveTheSameNumbersInEveryVersion(t *testing.T) {
	r := stats.Stream(1, 2, 3)
	assert.Equal(t, []uint64{0x39326f18945ac3d9, 0xd981469958ce0cce, 0x22697b0feb95c434}, []uint64{r.Uint64(), r.Uint64(), stats.Stream(0).Uint64()})

	values := make([]float64, 502)
	stats.Replicate(7, 1, len(values), func(r *rand.Rand, from, to int) {
		for i := from; i < to; i++ {
			values[i] = r.Float64()
		}
	})
	assert.Equal(t, []float64{0.30489039572330034, 0.2609933707321652, 0.8138078713753814}, []float64{values[249], values[250], values[501]})

	sums := map[string]int{}
	for _, n := range []int{1, 2, 3, 10, 101} {
		r, resampler := stats.Stream(uint64(n)), stats.NewMedianResampler(n)
		for range 20_000 {
			middle := resampler.Draw(r)
			sums["lower"] += middle.Lo
			sums["upper"] += middle.Hi
		}
		// What was drawn at the end depends on how much was before.
		sums["next"] ^= r.Int()
	}
	assert.Equal(t, map[string]int{"lower": 1105537, "upper": 1133627, "next": 1978302510081224463}, sums)

	r = stats.Stream(5)
	strata := [][]float64{{1, 2, 4, 8, 16}, {3, 5, 7}, {6}}
	assert.Equal(t, []float64{6, 6, 4, 4, 6}, stats.NewPooledMedianResampler(strata).Draw(r, 5))
	assert.Equal(t, uint64(0x745e238f6728543a), r.Uint64())
}
