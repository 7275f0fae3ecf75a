package stats_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

func TestG13WilsonIntervalIsThatOfTheLiterature(t *testing.T) {
	// Newcombe 1998, "Two-sided confidence intervals for the single
	// proportion", table I, method 3.
	cases := []struct {
		name         string
		successes, n int
		lo, hi       float64
	}{
		{"many trials", 81, 263, 0.2553, 0.3662},
		{"fewer trials", 15, 148, 0.0624, 0.1605},
		{"no success", 0, 20, 0, 0.1611},
		{"one success", 1, 29, 0.0061, 0.1718},
		{"successes alone", 20, 20, 0.8389, 1},
		{"no trials say nothing", 0, 0, 0, 1},
	}
	for _, c := range cases {
		t.Run("G13: "+c.name, func(t *testing.T) {
			lo, hi := stats.Wilson(c.successes, c.n)
			assert.InDelta(t, c.lo, lo, 5e-5)
			assert.InDelta(t, c.hi, hi, 5e-5)
		})
	}
}

func TestG13NewcombeIntervalIsThatOfTheLiterature(t *testing.T) {
	// Newcombe 1998, "Interval estimation for the difference between
	// independent proportions", table II, method 10.
	cases := []struct {
		name           string
		s1, n1, s2, n2 int
		lo, hi         float64
	}{
		{"two large groups", 56, 70, 48, 80, 0.0524, 0.3339},
		{"two small groups", 9, 10, 3, 10, 0.1705, 0.8090},
		{"one group without success", 5, 56, 0, 29, -0.0381, 0.1926},
		{"no success at all", 0, 10, 0, 20, -0.1611, 0.2775},
		{"the greatest difference", 10, 10, 0, 20, 0.6791, 1},
	}
	for _, c := range cases {
		t.Run("G13: "+c.name, func(t *testing.T) {
			lo, hi := stats.Newcombe(c.s1, c.n1, c.s2, c.n2)
			assert.InDelta(t, c.lo, lo, 5e-5)
			assert.InDelta(t, c.hi, hi, 5e-5)
			mirroredLo, mirroredHi := stats.Newcombe(c.s2, c.n2, c.s1, c.n1)
			assert.InDelta(t, -hi, mirroredLo, exact, "swapping the groups mirrors the interval")
			assert.InDelta(t, -lo, mirroredHi, exact)
		})
	}
}

func TestG13IntervalsOfProportionsAreWithinTheirRange(t *testing.T) {
	for n := range 200 {
		for successes := range n + 1 {
			lo, hi := stats.Wilson(successes, n)
			p := 0.5
			if n > 0 {
				p = float64(successes) / float64(n)
			}
			require.True(t, 0 <= lo && lo <= p+exact && p-exact <= hi && hi <= 1, "%d of %d: %g to %g", successes, n, lo, hi)
		}
	}
	lo, hi := stats.Newcombe(0, 0, 5, 10)
	bestLo, bestHi := stats.Newcombe(0, 10, 5, 10)
	assert.LessOrEqual(t, lo, bestLo, "without trials less is known")
	assert.Greater(t, hi, bestHi, "without trials less is known")
}

func TestG13PassHatKCountsTheSubsetsThatAllSucceed(t *testing.T) {
	for n := 1; n <= 8; n++ {
		for successes := range n + 1 {
			for k := 1; k <= n; k++ {
				good, all := 0, 0
				for subset := range 1 << n {
					if popCount(subset) != k {
						continue
					}
					all++
					if subset>>successes == 0 {
						good++
					}
				}
				assert.InDelta(t, float64(good)/float64(all), stats.PassHatK(successes, n, k), exact,
					"%d of %d, k = %d", successes, n, k)
			}
		}
	}
}

func popCount(x int) int {
	count := 0
	for ; x > 0; x &= x - 1 {
		count++
	}
	return count
}

func TestAtLeastIsTheBinomialTail(t *testing.T) {
	assert.InDelta(t, 1-1.0/32-5.0/32, stats.AtLeast(2, 5, 0.5), exact)
	assert.InDelta(t, 0.8*0.8*0.8, stats.AtLeast(3, 3, 0.8), exact)
	assert.Equal(t, 1.0, stats.AtLeast(3, 4, 1), "sure trials")
	assert.Zero(t, stats.AtLeast(1, 4, 0), "hopeless trials")
	assert.Zero(t, stats.AtLeast(5, 4, 1), "fewer trials than successes wanted")
	assert.Equal(t, 1.0, stats.AtLeast(0, 0, 0), "nothing wanted")
	assert.InDelta(t, 1, stats.AtLeast(3, 50_000, 0.5), exact, "terms too small for a float do no harm")
	assert.Zero(t, stats.AtLeast(3, 5, 0), "hopeless trials of several")
}
