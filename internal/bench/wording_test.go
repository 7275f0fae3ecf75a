package bench_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestEqualIsNotWorseThanClaimed(t *testing.T) {
	shown := bench.Test{Shown: true}
	for _, c := range []struct {
		want string
		of   bench.Endpoint
	}{
		{"not as claimed", bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointCost, Harm: shown}, Margin: -10, Interval: &bench.Interval{0, 0}}},
		{"worse", bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointCost, Harm: shown}, Margin: -10, Interval: &bench.Interval{0.1, 4}}},
		{"as claimed", bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointLatency, NotWorse: shown}, Margin: 0}},
		{"not worse", bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointSuccess, NotWorse: shown}, Margin: -15}},
		{"worse", bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointSuccess, Harm: shown}, Margin: -15}},
		{"worse", bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointCost, Harm: shown}, Margin: 20}},
		{"not worse", bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointCost, NotWorse: shown}, Margin: 20}},
		{"worse, within the margin", bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointCost, NotWorse: shown, Harm: shown}, Margin: 20}},
		{"not shown", bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointCost}, Margin: -10}},
	} {
		assert.Equal(t, c.want, c.of.ResultText(), "%+v", c.of)
	}
}

func TestTheBaselineStandsFirst(t *testing.T) {
	modes := map[bench.Mode]int{"files": 1, "shell": 2, bench.GHX: 3}
	assert.Equal(t, []bench.Mode{"shell", bench.GHX, "files"}, bench.BaselineFirst(modes, "shell"))
	assert.Equal(t, []bench.Mode{bench.GHX, "files", "shell"}, bench.BaselineFirst(modes, bench.AgentDirect))
}

func TestFiguresAreWrittenForPeople(t *testing.T) {
	for _, c := range []struct{ name, want, got string }{
		{"a rate of many digits", "16.7%", bench.PercentText(16.666666666666664)},
		{"minus nought has no sign", "0", bench.NumberText(-0.001, 1)},
		{"a negative number has a real minus", "−1,234.6", bench.NumberText(-1234.56, 1)},
		{"an endless time", bench.NoFigure, bench.DurationText(math.Inf(1))},
		{"no difference in points", "0 pp", bench.PointsText(0)},
		{"a count in groups of three", "1,234,567.5", bench.CountText(1234567.5)},
		{"no noughts at the end", "4", bench.CountText(4.04)},
		{"none as a word", "no", bench.CountWord(0)},
		{"a small count as a word", "twelve", bench.CountWord(12)},
		{"a greater count in digits", "13", bench.CountWord(13)},
		{"not a number", bench.NoFigure, bench.CountText(math.NaN())},
		{"percent", "27.5%", bench.PercentText(27.5459)},
		{"a small percentage keeps its digits", "0.08%", bench.PercentText(0.08)},
		{"infinite percent", bench.NoFigure, bench.PercentText(math.Inf(1))},
		{"points gained", "+5 pp", bench.PointsText(5)},
		{"points lost", "−12.5 pp", bench.PointsText(-12.5)},
		{"milliseconds", "940 ms", bench.DurationText(940)},
		{"seconds", "25.4 s", bench.DurationText(25410.5)},
		{"minutes", "2.2 min", bench.DurationText(132705)},
		{"hours", "3.5 h", bench.DurationText(3.5 * 3600e3)},
		{"a large amount", "1,234.5", bench.USDText(1234.5)},
		{"a small amount", "0.0131", bench.USDText(0.01311)},
		{"0 USD is no cost data", bench.NoFigure, bench.USDText(0)},
		{"less", "27.5% less", bench.ReductionText(27.5)},
		{"more", "4.3% more", bench.ReductionText(-4.26)},
		{"neither", "the same", bench.ReductionText(0.0001)},
		{"unknown", bench.NoFigure, bench.ReductionText(math.NaN())},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, c.got) })
	}
}

func TestACheckShowsOnWhichSideOfItsThresholdItIs(t *testing.T) {
	for _, c := range []struct {
		name        string
		check       bench.Check
		value, rule string
	}{
		{"far below", bench.Check{Name: bench.CheckTokensReduction, Value: 7.123456, Threshold: 15, Operator: bench.AtLeast}, "7.1%", "≥ 15%"},
		{"just below", bench.Check{Name: bench.CheckTokensReduction, Value: 14.996, Threshold: 15, Operator: bench.AtLeast}, "14.996%", "≥ 15%"},
		{"just above the most", bench.Check{Name: bench.CheckRetryRate, Value: 15.04, Threshold: 15, Operator: bench.AtMost}, "15.04%", "≤ 15%"},
		{"at the threshold", bench.Check{Name: bench.CheckRetryRate, Value: 15, Threshold: 15, Operator: bench.AtMost}, "15%", "≤ 15%"},
		{"the success rate is in points", bench.Check{Name: bench.CheckSuccessRate, Value: -3.04, Threshold: -3, Operator: bench.AtLeast}, "−3.04 pp", "≥ −3 pp"},
		{"a gain has its sign", bench.Check{Name: bench.CheckSuccessRate, Value: 5, Threshold: -3, Operator: bench.AtLeast}, "+5 pp", "≥ −3 pp"},
		{"a threshold with decimals", bench.Check{Name: bench.CheckRetryRate, Value: 1, Threshold: 2.25, Operator: bench.AtMost}, "1%", "≤ 2.25%"},
		{"G17: a reduction without data", bench.Check{Name: bench.CheckCostReduction, Threshold: 10, Operator: bench.AtLeast, Reason: "No cost data"}, bench.NoFigure, "≥ 10%"},
		{"a rate of 0 is a figure", bench.Check{Name: bench.CheckRetryRate, Threshold: 10, Operator: bench.AtMost, Reason: "why"}, "0%", "≤ 10%"},
		{"a reduction of 0 in a summary of the original harness", bench.Check{Name: bench.CheckCostReduction, Threshold: 10, Operator: bench.AtLeast}, "0%", "≥ 10%"},
		{"no number", bench.Check{Name: bench.CheckRetryRate, Value: math.NaN(), Threshold: 2, Operator: bench.AtMost}, bench.NoFigure, "≤ 2%"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.value, c.check.ValueText())
			assert.Equal(t, c.rule, c.check.RuleText())
			assert.Equal(t, bench.NoFigure, c.check.IntervalText())
		})
	}
	t.Run("the ends of an interval too", func(t *testing.T) {
		c := bench.Check{Name: bench.CheckTokensReduction, Value: 20, Threshold: 15, Operator: bench.AtLeast, Interval: &bench.Interval{14.96, 24.04}}
		assert.Equal(t, "14.96 to 24%", c.IntervalText())
	})
}

func TestG6ACheckHasALabelForPeople(t *testing.T) {
	for _, name := range bench.CheckNames() {
		assert.NotEqual(t, string(name), name.Label())
	}
	assert.True(t, bench.CheckRetryRate.OfReliability())
	assert.False(t, bench.CheckCoverage.OfReliability())
	assert.Equal(t, "of_another_version", bench.CheckName("of_another_version").Label())
}

func TestTextsSayWhatIsMissingAndWorse(t *testing.T) {
	for _, c := range []struct{ name, want, got string }{
		{"one cell", "1 cell without a row, because the run was stopped", bench.MissingCells{Reason: bench.MissingStopped, Cells: make([]bench.Cell, 1)}.Text()},
		{"many cells", "1,200 cells without a row, because the budget was used up", bench.MissingCells{Reason: bench.MissingBudget, Cells: make([]bench.Cell, 1200)}.Text()},
		{"another reason", "2 cells without a row, because of rain", bench.MissingCells{Reason: "rain", Cells: make([]bench.Cell, 2)}.Text()},
		{
			"G14: latency", "ghx: median latency is 25.4 s, 26.4% above the recent average of 20.1 s (more than 15% is a warning).",
			bench.Regression{Metric: "median_latency_ms", Mode: bench.GHX, Current: 25410.5, RecentAverage: 20100, DeltaPct: 26.42, ThresholdPct: 15}.Sentence(),
		},
		{
			"G14: success rate", "ghx: success rate is 85%, 12.5 pp below the recent average of 97.5% (more than 5 pp is a warning).",
			bench.Regression{Metric: "success_rate_pct", Mode: bench.GHX, Current: 85, RecentAverage: 97.5, DeltaPct: -12.5, ThresholdPct: -5}.Sentence(),
		},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, c.got) })
	}
}

func TestModesAreInTheOrderOfReports(t *testing.T) {
	assert.Equal(t, []bench.Mode{bench.AgentDirect, bench.GHX, bench.GHXBase, "abc", "xyz"},
		bench.SortedModes(map[bench.Mode]int{"xyz": 0, bench.GHXBase: 0, bench.GHX: 0, "abc": 0, bench.AgentDirect: 0}))
}

func TestEvidenceOfACheckIsInWords(t *testing.T) {
	likely, tiny, effect := 0.0871, 0.00000001, 0.613
	for want, c := range map[string]bench.Check{
		"":                       {},
		"p = 0.087":              {PValue: &likely},
		"p < 0.001, effect 0.61": {PValue: &tiny, EffectSize: &effect},
		"effect 0.61":            {EffectSize: &effect},
	} {
		assert.Equal(t, want, c.EvidenceText())
	}
}

func TestASentenceEnds(t *testing.T) {
	for given, want := range map[string]string{" why ": "why.", "Why?": "Why?", "So.": "So.", "No!\n": "No!", " ": ""} {
		assert.Equal(t, want, bench.Sentence(given))
	}
}

// What is shown to be worse is said with both its ends, what is not with its worst.
func TestHowMuchWorseIsSaidWithBothEnds(t *testing.T) {
	success := bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointSuccess, Harm: bench.Test{Shown: true}}, Interval: &bench.Interval{-30.9, -3.8}}
	cost := bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointCost, Harm: bench.Test{Shown: true}}, Interval: &bench.Interval{19.4, 74.4}}
	latency := bench.Endpoint{EndpointTests: bench.EndpointTests{Name: bench.EndpointLatency}, Interval: &bench.Interval{-5, 12.5}}
	e := bench.Evidence{Verdict: bench.VerdictFail, Endpoints: []bench.Endpoint{success, cost, latency}}
	label, text := e.NotRuledOut()
	assert.Equal(t, "How much worse", label)
	assert.Equal(t, "3.8 to 30.9 points less success and 19.4 to 74.4% more cost, with 95% confidence for each. That it stays below what is too much is not shown. Up to 12.5% more latency is not ruled out.", text)

	e.Endpoints[2].Interval = &bench.Interval{-5, -1}
	_, text = e.NotRuledOut()
	assert.Equal(t, "3.8 to 30.9 points less success and 19.4 to 74.4% more cost, with 95% confidence for each. That it stays below what is too much is not shown.", text)

	e.Verdict, e.Endpoints[0].Harm.Shown = bench.VerdictPass, false
	label, text = e.NotRuledOut()
	assert.Equal(t, "Not ruled out", label)
	assert.Equal(t, "Up to 30.9 points less success and 74.4% more cost, with 95% confidence for each.", text)
}

func TestTheWorstScenarioIsWorstInWhatTheVerdictIsAbout(t *testing.T) {
	e := bench.Evidence{Scenarios: []bench.ScenarioEvidence{
		{ID: "dear", Cost: bench.Figure{Change: 40}}, {ID: "fails", Success: bench.Figure{Change: -50}}, {ID: "slow", Latency: bench.Figure{Change: 30}},
	}}
	ids := func() (ids []string) {
		for _, s := range e.WorstFirst() {
			ids = append(ids, s.ID)
		}
		return ids
	}
	assert.Equal(t, []string{"fails", "dear", "slow"}, ids(), "success, then cost, where it is about nothing else")
	assert.Empty(t, e.WorstScenario())
	for endpoint, worst := range map[bench.EndpointName]string{bench.EndpointSuccess: "fails", bench.EndpointCost: "dear", bench.EndpointLatency: "slow"} {
		e.Cause.Endpoints = []bench.EndpointName{endpoint}
		assert.Equal(t, worst, ids()[0])
		assert.Equal(t, worst, e.WorstScenario())
	}
	e.Cause.Endpoints = []bench.EndpointName{bench.EndpointLatency, bench.EndpointCost}
	assert.Equal(t, []string{"slow", "dear", "fails"}, ids())
	e.Scenarios = e.Scenarios[:1]
	assert.Empty(t, e.WorstScenario(), "none is slower")
	e.Scenarios = nil
	assert.Empty(t, e.WorstScenario())
}
