package stats_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// noise is a series of a level, with a deviation of a tenth of it.
func noise(r *rand.Rand, n int, level func(i int) float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = level(i) * (1 + 0.1*r.NormFloat64())
	}
	return values
}

// Beside the change stands a value that is a little lower than those before it, as
// there is one by chance now and then.
func TestAChangeIsWhereValuesComeNearerToTheNewLevel(t *testing.T) {
	high := []float64{58, 57, 59, 58.5, 57.5, 58.2, 57.8, 59.1, 57.2, 58.8, 57.4, 58.6}
	low := []float64{42, 43, 41, 42.5, 41.5, 42.2, 41.8, 43.1, 41.2, 42.8, 41.4, 42.6}
	at := func(between ...float64) []stats.Change { return stats.Changes(slices.Concat(high, between, low)) }
	assert.Equal(t, []stats.Change{{At: 12, Before: 58.1, After: 42.1}}, at())
	assert.Equal(t, 13, at(54)[0].At, "it is nearer to what was before")
	assert.Equal(t, 12, at(46)[0].At)
	assert.Equal(t, 14, at(54, 53)[0].At)
	assert.Equal(t, 12, at(46, 47)[0].At)
	assert.Equal(t, 14, at(46, 58)[0].At, "the two together are nearer to what was before")
	uneven := []float64{60, 58, 60, 60, 60, 60, 58, 58, 60, 60, 60, 51, 50, 40, 40, 40, 50, 40, 40, 50, 50, 40}
	assert.Equal(t, 12, stats.Changes(uneven)[0].At, "the level after is the median of all values after")
	down := stats.Changes(slices.Concat(low, []float64{46}, high))
	assert.Equal(t, 13, down[0].At)
	both := stats.Changes(slices.Concat(high, high, high, []float64{54}, low, low, []float64{46}, high, high))
	require.Len(t, both, 2)
	assert.Equal(t, []int{37, 62}, []int{both[0].At, both[1].At})
}

// A regression of 10 %, as much as the noise, in ten thousand runs is one alert, and
// most often within three runs of where it is.
func TestARegressionIsFoundOnceWhereItIs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	exactly, near := 0, 0
	const series, regression = 100, 6000
	for range series {
		changes := stats.Changes(noise(r, 10_000, func(i int) float64 {
			if i >= regression {
				return 90
			}
			return 100
		}))
		require.NotEmpty(t, changes)
		if len(changes) == 1 {
			exactly++
			assert.InDelta(t, regression, changes[0].At, 40)
			if off := changes[0].At - regression; -3 <= off && off <= 3 {
				near++
			}
			assert.InDelta(t, 100, changes[0].Before, 1)
			assert.InDelta(t, 90, changes[0].After, 1)
		}
	}
	assert.GreaterOrEqual(t, exactly, series-1, "of %d series", series)
	assert.Greater(t, near, series/2)
}

func TestWithoutAChangeThereIsNoAlert(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{10, 30, 200, 2000} {
		alerts := 0
		for range 500 {
			if len(stats.Changes(noise(r, n, func(int) float64 { return 100 }))) > 0 {
				alerts++
			}
		}
		assert.LessOrEqual(t, alerts, 3, "of 500 series of %d runs", n)
	}
}

func TestSeveralChangesAreFoundInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	level := func(i int) float64 { return []float64{100, 150, 80}[i/50] }
	changes := stats.Changes(noise(r, 150, level))
	require.Len(t, changes, 2)
	for i, want := range []int{50, 100} {
		assert.InDelta(t, want, changes[i].At, 2)
		assert.InDelta(t, level(want-1), changes[i].Before, 8)
		assert.InDelta(t, level(want), changes[i].After, 8)
	}
}

func TestFewOrEqualValuesHaveNoChange(t *testing.T) {
	same := make([]float64, 100)
	assert.Empty(t, stats.Changes(nil))
	assert.Empty(t, stats.Changes(same))
	step := make([]float64, 30)
	for i := 22; i < 30; i++ {
		step[i] = 1
	}
	assert.Empty(t, stats.Changes(step), "eight runs are too few to tell")
	step[21] = 1
	assert.Equal(t, []stats.Change{{At: 21, Before: 0, After: 1}}, stats.Changes(step))
	for i := 60; i < 100; i++ {
		same[i] = 1
	}
	values := append([]float64(nil), same...)
	assert.Equal(t, []stats.Change{{At: 60, Before: 0, After: 1}}, stats.Changes(values), "ties do not hide a change")
	assert.Equal(t, same, values, "the series stays as it is")
}

// changesByDefinition are those of Pettitt's statistic as he defines it: how many pairs,
// one of each side, go up less how many go down.
func changesByDefinition(values []float64, first int) (at []int) {
	k, largest, n := 0, 0.0, float64(len(values))
	for split := range len(values) {
		u := 0.0
		for _, before := range values[:split] {
			for _, after := range values[split:] {
				u += float64(cmp.Compare(before, after))
			}
		}
		if math.Abs(u) > largest {
			k, largest = split, math.Abs(u)
		}
	}
	if largest == 0 || 2*math.Exp(-6*largest*largest/(math.Pow(n, 3)+math.Pow(n, 2))) > 0.001 {
		return nil
	}
	return slices.Concat(changesByDefinition(values[:k], first), []int{first + k}, changesByDefinition(values[k:], first+k))
}

// nearest is the index between from and to at which values differ least, in sum, from the
// medians of the two sides of a change.
func nearest(values []float64, from, change, to int) (at int) {
	before, after := stats.Median(slices.Clone(values[from:change])), stats.Median(slices.Clone(values[change:to]))
	least := math.Inf(1)
	for k := from + 1; k < to; k++ {
		sum := 0.0
		for _, v := range values[from:k] {
			sum += math.Abs(v - before)
		}
		for _, v := range values[k:to] {
			sum += math.Abs(v - after)
		}
		if sum < least {
			at, least = k, sum
		}
	}
	return at
}

func TestChangesAreThoseOfTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	found := map[int]int{}
	for series := range 4000 {
		var values []float64
		for range 1 + r.IntN(4) {
			level, spread := r.IntN(12), 1+r.IntN(6)
			for range r.IntN(25) {
				value := float64(level + r.IntN(spread))
				if series%2 == 0 {
					value += r.Float64() // no two are equal
				}
				values = append(values, value)
			}
		}
		want := changesByDefinition(values, 0)
		got := stats.Changes(values)
		require.Len(t, got, len(want), "%v", values)
		ends := slices.Concat([]int{0}, want, []int{len(values)})
		for i := range want {
			want[i] = nearest(values, ends[i], ends[i+1], ends[i+2])
			ends[i+1] = want[i]
		}
		for i, c := range got {
			before, after := slices.Clone(values[ends[i]:ends[i+1]]), slices.Clone(values[ends[i+1]:ends[i+2]])
			require.Equal(t, stats.Change{At: want[i], Before: stats.Median(before), After: stats.Median(after)}, c, "%v", values)
		}
		found[len(got)]++
	}
	assert.Greater(t, min(found[0], found[1], found[2], found[3]), 20, "%v", found)
}
