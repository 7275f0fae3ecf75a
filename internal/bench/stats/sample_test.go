package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

const exact = 1e-12

func TestG2OrderStatistics(t *testing.T) {
	cases := []struct {
		name, reason     string
		values           []float64
		median, p90, iqr float64
	}{
		{"no values give zeros", "a mode without stable rows has no median", nil, 0, 0, 0},
		{"one value is every percentile", "the smallest sample", []float64{7}, 7, 7, 0},
		{"an odd number has one middle value", "ranks 0.5, 1.5 and 1.8 between three values", []float64{9, 1, 5}, 5, 8.2, 4},
		{"an even number has the mean of two", "ranks 0.75, 2.25 and 2.7 between four values", []float64{40, 10, 20, 30}, 25, 37, 15},
		{"a percentile at a value is that value", "rank 9 of eleven values is whole", []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5, 9, 5},
	}
	for _, c := range cases {
		t.Run("G2: "+c.name, func(t *testing.T) {
			s := stats.Sorted(slices.Clone(c.values))
			assert.InDelta(t, c.median, s.Median(), exact, c.reason)
			assert.InDelta(t, c.median, stats.Median(slices.Clone(c.values)), exact, c.reason)
			assert.InDelta(t, c.p90, s.Percentile(90), exact, c.reason)
			assert.InDelta(t, c.iqr, s.IQR(), exact, c.reason)
		})
	}
}

func TestG2CVIsThePopulationsDeviationOverTheMean(t *testing.T) {
	// Mean 5, squared deviations 32 over 8 values: deviation 2.
	assert.InDelta(t, 40, stats.Sorted([]float64{2, 4, 4, 4, 5, 5, 7, 9}).CV(), exact)
	assert.Zero(t, stats.Sorted([]float64{3, 3, 3}).CV(), "equal values do not vary")
	assert.Zero(t, stats.Sorted([]float64{-1, 1}).CV(), "a mean of 0 has no coefficient")
	assert.Zero(t, stats.Sample{}.CV(), "nor has an empty sample")
}

func TestMedianOfUnorderedValuesIsThatOfTheSortedOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		for _, distinct := range []int{1, 2, 5, 1000} {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(r.IntN(distinct))
			}
			want := stats.Sorted(slices.Clone(values)).Median()
			require.Equal(t, want, stats.Median(values), "%d values, %d distinct", n, distinct)
		}
	}
}

func TestMedianOfShapesThatAreHardOnPivots(t *testing.T) {
	const n = 200_000
	shapes := map[string]func(i int) float64{
		"ascending":  func(i int) float64 { return float64(i) },
		"descending": func(i int) float64 { return float64(n - i) },
		"organ pipe": func(i int) float64 { return float64(min(i, n-i)) },
		"all equal":  func(int) float64 { return 1 },
	}
	for name, shape := range shapes {
		values := make([]float64, n)
		for i := range values {
			values[i] = shape(i)
		}
		want := stats.Sorted(slices.Clone(values)).Median()
		assert.Equal(t, want, stats.Median(values), name)
	}
}

func TestInterval95IsThePercentilesOfWhatThereIs(t *testing.T) {
	values := make([]float64, 0, 1002)
	for i := range 1001 {
		values = append(values, float64((i*37)%1001))
	}
	values = append(values, math.NaN())
	lo, hi, ok := stats.Interval95(values)
	require.True(t, ok)
	assert.InDelta(t, 25, lo, exact)
	assert.InDelta(t, 975, hi, exact)

	lo, hi, ok = stats.Interval95([]float64{7})
	assert.Equal(t, []any{7.0, 7.0, true}, []any{lo, hi, ok}, "one resample has the figure")
	lo, hi, ok = stats.Interval95([]float64{math.NaN()})
	assert.Equal(t, []any{0.0, 0.0, false}, []any{lo, hi, ok}, "resamples that all lack the figure have no interval")

	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 300; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = r.NormFloat64()
		}
		sorted := stats.Sorted(slices.Clone(values))
		lo, hi, _ := stats.Interval95(values)
		require.InDelta(t, sorted.Percentile(2.5), lo, exact, "%d values, between two of them", n)
		require.InDelta(t, sorted.Percentile(97.5), hi, exact, "%d values, between two of them", n)
	}
}
