package gate

import (
	"math"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// comparison is what the gate judges: two modes that both have rows.
type comparison struct {
	baseline, candidate *modeFigures
	thresholds          bench.Thresholds
	// scenarios are those seen in the two modes, sorted by id, so that nothing
	// depends on the order of the rows.
	scenarios []scenario
	// strata are the eligible scenarios, in the same order.
	strata strata
	// figures are those of the strata; NaN where there is none.
	figures    point
	efficiency bench.Efficiency
}

// scenario is one that was seen in the two modes.
type scenario struct {
	id                  string
	number              int
	baseline, candidate tally
}

// stratum has the stable rows of an eligible scenario.
type stratum struct {
	id                  string
	number              int
	baseline, candidate measures
	// reductions are those of its medians; NaN where they are left out.
	reductions point
	// totalReduction is that of its tokens in total; nil where the baseline has none.
	totalReduction *float64
}

type strata []stratum

// point has a value per measure: medians, reductions or the suite's figures.
type point [measureCount]float64

// at returns the values at a place of the sorted measures.
func (m *measures) at(place stats.Middle) point {
	var p point
	for i, sample := range m {
		p[i] = place.In(sample)
	}
	return p
}

func (m *measures) medians() point {
	var p point
	for i, sample := range m {
		p[i] = sample.Median()
	}
	return p
}

// reductionIn returns the reduction of a measure's medians. Without a cost on
// either side there is no cost data, hence no reduction (rule G5).
func reductionIn(m measure, baseline, candidate float64) (pct float64, ok bool) {
	if m == cost && candidate <= 0 {
		return 0, false
	}
	return reduction(baseline, candidate)
}

func reductions(baseline, candidate point) point {
	var p point
	for i := range p {
		p[i] = reductionOrNaN(measure(i), baseline[i], candidate[i])
	}
	return p
}

func reductionOrNaN(m measure, baseline, candidate float64) float64 {
	pct, ok := reductionIn(m, baseline, candidate)
	if !ok {
		return math.NaN()
	}
	return pct
}

// compare finds the eligible scenarios and the suite's figures (rule G4).
func compare(ids []string, baseline, candidate *modeFigures, thresholds bench.Thresholds) *comparison {
	c := &comparison{baseline: baseline, candidate: candidate, thresholds: thresholds}
	for number, id := range ids {
		s := scenario{id: id, number: number, baseline: baseline.rows.tallyOf(number), candidate: candidate.rows.tallyOf(number)}
		if s.baseline.runs+s.candidate.runs > 0 {
			c.scenarios = append(c.scenarios, s)
		}
	}
	slices.SortFunc(c.scenarios, func(a, b scenario) int { return strings.Compare(a.id, b.id) })
	for _, s := range c.scenarios {
		if min(s.baseline.stable, s.candidate.stable) < thresholds.MinSamplesPerScenarioPerMode {
			continue
		}
		base, cand := baseline.stable[s.number], candidate.stable[s.number]
		c.strata = append(c.strata, stratum{
			id: s.id, number: s.number, baseline: base, candidate: cand,
			reductions:     reductions(base.medians(), cand.medians()),
			totalReduction: ifThere(reductionOrNaN(tokensActive, baseline.stableTotals[s.number].Median(), candidate.stableTotals[s.number].Median())),
		})
	}
	c.figures = c.strata.figures()
	c.efficiency = c.efficiencyFigures()
	return c
}

// figures returns the suite's figures (rules G4 and G5).
func (s strata) figures() point {
	f := folder{strata: len(s)}
	for i := range s {
		f.add(s[i].baseline.medians(), s[i].candidate.medians())
	}
	return f.fold()
}

// efficiencyFigures returns the figures as a summary shows them.
func (c *comparison) efficiencyFigures() bench.Efficiency {
	comparable, wins := 0, 0
	var totals []float64
	for _, s := range c.strata {
		if s.totalReduction != nil {
			totals = append(totals, *s.totalReduction)
		}
		if r := s.reductions[tokensActive]; !math.IsNaN(r) {
			comparable++
			wins += one(r > 0)
		}
	}
	e := bench.Efficiency{
		MinSamplesPerScenarioPerMode:   c.thresholds.MinSamplesPerScenarioPerMode,
		EligibleScenarioCount:          len(c.strata),
		TotalScenarioCount:             len(c.scenarios),
		CoveragePct:                    percent(len(c.strata), len(c.scenarios)),
		TokensComparableScenarioCount:  comparable,
		TokensActiveReductionPct:       orZero(c.figures[tokensActive]),
		LatencyReductionPct:            orZero(c.figures[latency]),
		ToolCallReductionPct:           orZero(c.figures[toolCalls]),
		ScenarioWinRateTokensActivePct: percent(wins, comparable),
	}
	if len(totals) > 0 {
		e.TokensTotalReductionPct = new(stats.Median(totals))
	}
	return e
}

func orZero(figure float64) float64 {
	if math.IsNaN(figure) {
		return 0
	}
	return figure
}

// folder folds the reductions of the strata into the suite's figures. It is
// reused for every resample.
type folder struct {
	strata int
	values [measureCount][]float64
}

// add takes the medians of one stratum.
func (f *folder) add(baseline, candidate point) {
	for i := range f.values {
		if pct, ok := reductionIn(measure(i), baseline[i], candidate[i]); ok {
			f.values[i] = append(f.values[i], pct)
		}
	}
}

// fold returns the figures of the strata that were added and forgets them:
// the median over those with a reduction, for the cost the lowest if all have
// one. A figure that does not exist is NaN.
func (f *folder) fold() point {
	var p point
	for i, values := range f.values {
		switch {
		case len(values) == 0, measure(i) == cost && len(values) < f.strata:
			p[i] = math.NaN()
		case measure(i) == cost:
			p[i] = slices.Min(values)
		default:
			p[i] = stats.Median(values)
		}
		f.values[i] = values[:0]
	}
	return p
}
