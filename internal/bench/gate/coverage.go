package gate

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// coverageInterval returns the interval of the share of scenarios that as many
// runs would make eligible, in percent. What is not known is how often a row of
// a scenario and mode is stable; its distribution is Jeffreys' posterior, so
// that 8 stable rows of 8 do not make it certain (rule G17).
func (c *comparison) coverageInterval(by sampling) *bench.Interval {
	least := c.thresholds.MinSamplesPerScenarioPerMode
	known := map[tallied]*chances{}
	both := make([][2]*chances, len(c.scenarios))
	for i, s := range c.scenarios {
		for mode, t := range []tally{s.baseline, s.candidate} {
			key := tallied{t.stable, t.runs}
			if known[key] == nil {
				known[key] = newChances(key, least)
			}
			both[i][mode] = known[key]
		}
	}
	shares := make([]float64, by.resamples)
	stats.Replicate(by.seed, coverageStream, by.resamples, func(r *rand.Rand, from, to int) {
		for n := from; n < to; n++ {
			sum := 0.0
			for _, modes := range both {
				sum += modes[0].draw(r) * modes[1].draw(r)
			}
			shares[n] = 100 * sum / float64(len(both))
		}
	})
	lo, hi, _ := stats.Interval95(shares)
	return &bench.Interval{lo, hi}
}

// tallied are the stable rows of a scenario and mode.
type tallied struct{ stable, runs int }

// chances are equally likely probabilities that a scenario and mode have enough
// stable rows again.
type chances [200]float64

func newChances(t tallied, least int) *chances {
	var c chances
	posterior := distuv.Beta{Alpha: float64(t.stable) + 0.5, Beta: float64(t.runs-t.stable) + 0.5}
	at := func(i int) float64 {
		return stats.AtLeast(least, t.runs, posterior.Quantile((float64(i)+0.5)/float64(len(c))))
	}
	first, last := at(0), at(len(c)-1)
	if last-first < sameChance {
		// Of many rows it is as good as certain, and a quantile takes its time.
		for i := range c {
			c[i] = first
		}
		return &c
	}
	for i := range c {
		c[i] = at(i)
	}
	return &c
}

// sameChance is a difference between probabilities that no figure shows.
const sameChance = 1e-9

func (c *chances) draw(r *rand.Rand) float64 { return c[r.IntN(len(c))] }
