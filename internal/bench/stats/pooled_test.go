package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// layout returns strata whose values are powers of 2, so that a median tells
// which two values it is the mean of: the i-th letter names the stratum of the
// i-th smallest value.
func layout(letters string) [][]float64 {
	strata := make([][]float64, slices.Max([]byte(letters))-'a'+1)
	for i, letter := range []byte(letters) {
		strata[letter-'a'] = append(strata[letter-'a'], math.Ldexp(1, i))
	}
	return strata
}

// everyStratifiedResample returns how many of the equally likely resamples
// within strata have a median.
func everyStratifiedResample(strata [][]float64) map[float64]float64 {
	weights := map[float64]float64{}
	var resample []float64
	var drawFrom func(stratum, drawn int)
	drawFrom = func(stratum, drawn int) {
		switch {
		case stratum == len(strata):
			weights[stats.Median(slices.Clone(resample))]++
		case drawn == len(strata[stratum]):
			drawFrom(stratum+1, 0)
		default:
			for _, v := range strata[stratum] {
				resample = append(resample, v)
				drawFrom(stratum, drawn+1)
				resample = resample[:len(resample)-1]
			}
		}
	}
	drawFrom(0, 0)
	return weights
}

func TestG13PooledMediansAreDistributedAsAllStratifiedResamplesSay(t *testing.T) {
	cases := []struct {
		name, reason string
		strata       [][]float64
	}{
		{"one value", "nothing is below the cut", layout("a")},
		{"one stratum of an even number", "as without strata", layout("aaaaaa")},
		{"one stratum of an odd number", "as without strata", layout("aaaaaaa")},
		{"strata apart with the median between them", "the greatest of one and the smallest of the other", layout("aaaabbbb")},
		{"strata apart with the median in one of them", "the others are never drawn from", layout("aabbbbc")},
		{"strata that alternate", "both sides of the cut have values of each", layout("abababab")},
		{"strata of unlike sizes", "the small one hardly matters", layout("abbbbba")},
		{"strata of one value each", "every resample is the pool", layout("abcdefg")},
		{"a stratum without values", "a mode may lack a scenario", layout("aacca")},
		{"equal values in two strata", "their order makes no difference", [][]float64{{1, 2, 2, 4}, {2, 4, 4}}},
	}
	for i, c := range cases {
		t.Run("G13: "+c.name, func(t *testing.T) {
			counts := map[float64]int{}
			for _, median := range stats.NewPooledMedianResampler(c.strata).Draw(stats.Stream(uint64(i)), 100_000) {
				counts[median]++
			}
			requireDistribution(t, everyStratifiedResample(c.strata), counts, c.reason)
		})
	}
}

// levels returns strata of these sizes, each of values that spread over the
// same range above a level of its own.
func levels(r *rand.Rand, step float64, sizes ...int) [][]float64 {
	strata := make([][]float64, len(sizes))
	for i, size := range sizes {
		for range size {
			strata[i] = append(strata[i], float64(i)*step+r.ExpFloat64())
		}
	}
	return strata
}

func TestG13PooledMediansAreDistributedAsThoseOfNaiveStratifiedResampling(t *testing.T) {
	r := stats.Stream(1)
	cases := []struct {
		name, reason string
		strata       [][]float64
	}{
		{"a suite of the usual size", "5 repetitions of 4 scenarios", levels(r, 0.3, 5, 5, 5, 5)},
		{"an odd number of values", "one middle value", levels(r, 0.5, 30, 12, 59)},
		{"more values than are kept around the middle", "5·√3000 are 274 on either side", levels(r, 0.2, 700, 1200, 1100)},
		{"a large pool whose median is between its strata", "no draw is on the other side", levels(r, 100, 500, 500)},
		{"many small strata", "the pool's spread is much more than the median's", levels(r, 0.05, slices.Repeat([]int{3}, 100)...)},
		{"few distinct values", "most values around the middle are equal", [][]float64{
			slices.Repeat([]float64{1, 2, 3, 4}, 50), slices.Repeat([]float64{3, 3, 9}, 60)}},
	}
	for _, c := range cases {
		t.Run("G13: "+c.name, func(t *testing.T) {
			drawn := stats.NewPooledMedianResampler(c.strata).Draw(r, 4000)
			requireSameDistribution(t, drawn, naivePooledMedians(r, c.strata, len(drawn)), c.reason)
		})
	}
}

// naivePooledMedians draws resamples value by value.
func naivePooledMedians(r *rand.Rand, strata [][]float64, n int) []float64 {
	medians := make([]float64, n)
	for i := range medians {
		var resample []float64
		for _, values := range strata {
			for range values {
				resample = append(resample, values[r.IntN(len(values))])
			}
		}
		medians[i] = stats.Median(resample)
	}
	return medians
}

func TestG13PooledMediansOfOneStratumAreThoseOfTheWholeSample(t *testing.T) {
	const draws = 20_000
	r := stats.Stream(2)
	for _, n := range []int{6, 35, 1000, 50_001} {
		values := levels(r, 0, n)[0]
		pooled := stats.NewPooledMedianResampler([][]float64{values}).Draw(r, draws)
		sample, whole := stats.Sorted(values), make([]float64, draws)
		resampler := stats.NewMedianResampler(n)
		for i := range whole {
			whole[i] = resampler.Draw(r).In(sample)
		}
		requireSameDistribution(t, pooled, whole, "n = %d", n)
	}
}

func TestPooledMediansDoNotDependOnTheOrderOfValues(t *testing.T) {
	r := stats.Stream(3)
	strata := levels(r, 0.2, 40, 60, 80)
	for _, values := range strata {
		for i := range values {
			values[i] = math.Round(values[i] * 4)
		}
	}
	want := stats.NewPooledMedianResampler(strata).Draw(stats.Stream(4), 1000)
	for _, values := range strata {
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	}
	assert.Equal(t, want, stats.NewPooledMedianResampler(strata).Draw(stats.Stream(4), 1000))
}
