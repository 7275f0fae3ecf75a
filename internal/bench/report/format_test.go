package report

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestNumbersAreForPeople(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"a rate of many digits", percent(16.666666666666664), "16.7%"},
		{"a whole rate", percent(100), "100%"},
		{"a small rate is not nought", percent(0.0421), "0.042%"},
		{"nought", percent(0), "0%"},
		{"a rate that is no number", percent(math.NaN()), "—"},
		{"minus nought has no sign", number(-0.001, 1), "0"},
		{"a negative number has a real minus", number(-1234.56, 1), "−1,234.6"},
		{"thousands", count(1234567.5), "1,234,567.5"},
		{"hundreds", count(999), "999"},
		{"milliseconds", duration(850.4), "850 ms"},
		{"seconds", duration(34072.5), "34.1 s"},
		{"minutes", duration(132705.95), "2.2 min"},
		{"an endless time", duration(math.Inf(1)), "—"},
		{"a small cost", dollars(0.01824), "0.0182"},
		{"a large cost", dollars(1234.567), "1,234.57"},
		{"no cost data", dollars(0), "—"},
		{"a gain in points", points(2.5), "+2.5 pp"},
		{"a loss in points", points(-2.5), "−2.5 pp"},
		{"no difference in points", points(0), "0 pp"},
		{"a reduction", lessOrMore(27.546).Text, "27.5% less"},
		{"a negative reduction", lessOrMore(-3.6).Text, "3.6% more"},
		{"a reduction of nothing", lessOrMore(0).Text, "the same"},
		{"a reduction to a good interval", withInterval(20, bench.Interval{9.2, 31.4}).Text, "20% less (9.2 to 31.4%)"},
		{"a reduction to a doubtful interval", withInterval(20, bench.Interval{-3, 31.4}).Text, "20% less (3% more to 31.4% less)"},
		{"a likely p", pText(0.0871), "p = 0.087"},
		{"a tiny p", pText(0.00000001), "p < 0.001"},
		{"one thing", plural(1, "cell"), "1 cell"},
		{"many things", plural(1200, "cell"), "1,200 cells"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, c.got) })
	}
}

func TestACheckShowsOnWhichSideOfItsThresholdItIs(t *testing.T) {
	for _, c := range []struct {
		name       string
		check      bench.Check
		value, law string
	}{
		{"far below", bench.Check{Name: bench.CheckTokensReduction, Value: 7.123456, Threshold: 15, Operator: bench.AtLeast}, "7.1%", "≥ 15%"},
		{"just below", bench.Check{Name: bench.CheckTokensReduction, Value: 14.996, Threshold: 15, Operator: bench.AtLeast}, "14.996%", "≥ 15%"},
		{"just above the most", bench.Check{Name: bench.CheckRetryRate, Value: 15.04, Threshold: 15, Operator: bench.AtMost}, "15.04%", "≤ 15%"},
		{"at the threshold", bench.Check{Name: bench.CheckRetryRate, Value: 15, Threshold: 15, Operator: bench.AtMost}, "15%", "≤ 15%"},
		{"the success rate is in points", bench.Check{Name: bench.CheckSuccessRate, Value: -3.04, Threshold: -3, Operator: bench.AtLeast}, "−3.04 pp", "≥ −3 pp"},
		{"a gain has its sign", bench.Check{Name: bench.CheckSuccessRate, Value: 5, Threshold: -3, Operator: bench.AtLeast}, "+5 pp", "≥ −3 pp"},
		{"a threshold with decimals", bench.Check{Name: bench.CheckRetryRate, Value: 1, Threshold: 2.25, Operator: bench.AtMost}, "1%", "≤ 2.25%"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.value, checkValue(c.check))
			assert.Equal(t, c.law, ruleText(c.check))
		})
	}
	t.Run("the ends of an interval too", func(t *testing.T) {
		c := bench.Check{Name: bench.CheckTokensReduction, Value: 20, Threshold: 15, Operator: bench.AtLeast, Interval: &bench.Interval{14.96, 24.04}}
		assert.Equal(t, "14.96 to 24%", intervalText(c))
	})
}

func TestADrawingStaysWithinItsPicture(t *testing.T) {
	for _, c := range []struct {
		name  string
		check bench.Check
	}{
		{"usual figures", bench.Check{Value: 20, Threshold: 15, Operator: bench.AtLeast, Interval: &bench.Interval{10, 30}}},
		{"everything at one place", bench.Check{Value: 15, Threshold: 15, Operator: bench.AtMost, Interval: &bench.Interval{15, 15}}},
		{"no interval", bench.Check{Value: -400, Threshold: 15, Operator: bench.AtLeast}},
		{"figures without an end", bench.Check{Value: math.NaN(), Threshold: 15, Operator: bench.AtLeast, Interval: &bench.Interval{math.Inf(-1), math.Inf(1)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := draw(c.check)
			for _, x := range []float64{d.Value, d.Threshold, d.PassFrom, d.PassFrom + d.PassWidth, d.From, d.From + d.Width} {
				assert.GreaterOrEqual(t, x, 0.0)
				assert.LessOrEqual(t, x, drawingWidth)
			}
			if !math.IsNaN(c.check.Value) {
				assert.Equal(t, meets(c.check.Value, c.check), d.Value >= d.PassFrom && d.Value <= d.PassFrom+d.PassWidth)
			}
			assert.Equal(t, c.check.Interval != nil, d.HasInterval)
		})
	}
}
