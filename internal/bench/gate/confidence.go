package gate

import (
	"math"
	"math/rand/v2"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// maxPermutedRows is the number of rows up to which p-values come from
// permutations (rule G17).
const maxPermutedRows = 2000

// The random streams.
const (
	bootstrapStream uint64 = iota + 1
	permutationStream
	pooledStream
	coverageStream
)

// sampling says how much is drawn, and from which seed.
type sampling struct {
	seed      uint64
	resamples int
}

// confidence is what stands beside the figure of a reduction (rule G13).
type confidence struct {
	interval *bench.Interval
	// pValue and effectSize are nil if the figure does not exist.
	pValue, effectSize *float64
}

// confidence returns the confidence in every measure's figure.
func (c *comparison) confidence(by sampling) [measureCount]confidence {
	var all [measureCount]confidence
	intervals := c.strata.bootstrap(by, bootstrapStream)
	intervals[cost] = c.strata.costInterval()
	pValues, effects := c.strata.test(by)
	for i := range all {
		if !math.IsNaN(c.figures[i]) {
			all[i] = confidence{interval: intervals[i], pValue: &pValues[i], effectSize: &effects[i]}
		}
	}
	return all
}

// addIntervals adds the intervals of the pooled reductions.
func (c *comparison) addIntervals(d *bench.Delta, by sampling) {
	d.TokensActiveReductionCI = c.pooledInterval(tokensActive, by)
	d.LatencyReductionCI = c.pooledInterval(latency, by)
}

// pooledInterval returns the percentile interval of the reduction of a
// measure's medians over all rows, zeros if nothing has it. Rows are
// resampled within scenario and mode, and then pooled.
func (c *comparison) pooledInterval(of measure, by sampling) bench.Interval {
	var modes [2]*stats.PooledMedianResampler
	stats.InParallel(len(modes), func(i int) {
		rows := []*modeRows{c.baseline.rows, c.candidate.rows}[i]
		modes[i] = stats.NewPooledMedianResampler(c.samples(rows, of))
	})
	figures := make([]float64, by.resamples)
	stats.Replicate(by.seed, pooledStream, by.resamples, func(r *rand.Rand, from, to int) {
		baseline, candidate := modes[0].Draw(r, to-from), modes[1].Draw(r, to-from)
		for i := range baseline {
			figures[from+i] = reductionOrNaN(of, baseline[i], candidate[i])
		}
	})
	lo, hi, _ := stats.Interval95(figures)
	figure := reductionOrZero(medianOf(&c.baseline.summary, of), medianOf(&c.candidate.summary, of))
	return bench.Interval{min(lo, figure), max(hi, figure)}
}

// medianOf returns one of the two pooled medians that have an interval.
func medianOf(m *bench.ModeSummary, of measure) float64 {
	if of == latency {
		return m.MedianLatencyMS
	}
	return m.MedianTokensActive
}

// samples returns a measure of all rows of a mode by scenario, in the order
// of the scenarios.
func (c *comparison) samples(m *modeRows, of measure) [][]float64 {
	byNumber := make([][]float64, len(m.groups))
	for i := range byNumber {
		byNumber[i] = make([]float64, 0, m.groups[i].runs)
	}
	for r := range m.records.all() {
		byNumber[r.scenario] = append(byNumber[r.scenario], r.of(of))
	}
	var samples [][]float64
	for _, s := range c.scenarios {
		if m.tallyOf(s.number).runs > 0 {
			samples = append(samples, byNumber[s.number])
		}
	}
	return samples
}

// bootstrap returns the percentile interval of every figure, nil if no
// resample has it. Rows are resampled within scenario and mode. One draw
// serves all measures: each interval is right, but nothing is said about
// several figures together.
func (s strata) bootstrap(by sampling, stream uint64) [measureCount]*bench.Interval {
	type resamplers struct{ baseline, candidate stats.MedianResampler }
	of := make([]resamplers, len(s))
	for i := range s {
		of[i] = resamplers{
			stats.NewMedianResampler(s[i].baseline.rows()), stats.NewMedianResampler(s[i].candidate.rows()),
		}
	}
	figures := s.replicate(by, stream, func(r *rand.Rand, i int) (baseline, candidate point) {
		return s[i].baseline.at(of[i].baseline.Draw(r)), s[i].candidate.at(of[i].candidate.Draw(r))
	})
	var intervals [measureCount]*bench.Interval
	stats.InParallel(len(figures), func(i int) {
		if lo, hi, ok := stats.Interval95(figures[i]); ok {
			intervals[i] = &bench.Interval{lo, hi}
		}
	})
	return intervals
}

// replicate returns the suite's figures for medians that draw makes up for
// every stratum, again and again.
func (s strata) replicate(
	by sampling, stream uint64, draw func(r *rand.Rand, stratum int) (baseline, candidate point),
) [measureCount][]float64 {
	var figures [measureCount][]float64
	for i := range figures {
		figures[i] = make([]float64, by.resamples)
	}
	stats.Replicate(by.seed, stream, by.resamples, func(r *rand.Rand, from, to int) {
		f := folder{strata: len(s)}
		for n := from; n < to; n++ {
			for i := range s {
				f.add(draw(r, i))
			}
			for i, figure := range f.fold() {
				figures[i][n] = figure
			}
		}
	})
	return figures
}

// test returns the two-sided p-values of the stratified Wilcoxon test and the
// effect sizes: the median over the strata of Cliff's delta, positive where the
// candidate needs less. The test asks whether the candidate's stable rows need
// more, or less, than the baseline's of the same scenario, by rank; it does not
// ask whether the figure reaches its threshold.
func (s strata) test(by sampling) (pValues, effects point) {
	rows := 0
	for i := range s {
		rows += s[i].baseline.rows() + s[i].candidate.rows()
	}
	pairs := make([][]stats.Pair, measureCount)
	for i := range pairs {
		pairs[i] = s.pairs(measure(i))
		deltas := make([]float64, len(s))
		for j, pair := range pairs[i] {
			deltas[j] = pair.CliffsDelta()
		}
		effects[i] = stats.Median(deltas)
	}
	if rows <= maxPermutedRows {
		copy(pValues[:], stats.RankPermutationP(pairs, by.resamples, by.seed, permutationStream))
		return pValues, effects
	}
	for i := range pairs {
		pValues[i] = stats.VanElteren(pairs[i])
	}
	return pValues, effects
}

func (s strata) pairs(m measure) []stats.Pair {
	pairs := make([]stats.Pair, len(s))
	for i := range s {
		pairs[i] = stats.Pair{A: s[i].baseline[m], B: s[i].candidate[m]}
	}
	return pairs
}
