package report

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestFiguresAreInWords(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"a reduction to a good interval", withInterval(20, bench.Interval{9.2, 31.4}).Text, "20% less (9.2 to 31.4%)"},
		{"a reduction to a doubtful interval", withInterval(20, bench.Interval{-3, 31.4}).Text, "20% less (3% more to 31.4% less)"},
		{"one thing", plural(1, "cell"), "1 cell"},
		{"many things", plural(1200, "cell"), "1,200 cells"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, c.got) })
	}
}

func TestEveryCheckLeadsToTheAttemptsThatItIsOf(t *testing.T) {
	for _, name := range bench.CheckNames() {
		assert.NotEmpty(t, checkQuery[name], "%s has no query in explorerindex.go", name)
	}
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
				assert.Equal(t, c.check.Value >= c.check.Threshold, d.Value >= d.PassFrom && d.Value <= d.PassFrom+d.PassWidth)
			}
			assert.Equal(t, c.check.Interval != nil, d.HasInterval)
		})
	}
}

func TestG17ComparedWithNothingThereIsNoChange(t *testing.T) {
	summary := func(baseline, candidate bench.ModeSummary) bench.Summary {
		return bench.Summary{
			Modes: map[bench.Mode]bench.ModeSummary{bench.AgentDirect: baseline, bench.GHX: candidate}, Delta: &bench.Delta{SuccessRateDeltaPct: 50},
			Gate: bench.Gate{Baseline: bench.AgentDirect, Candidate: bench.GHX},
		}
	}
	changes := func(s bench.Summary) map[string]string {
		found := map[string]string{}
		for _, m := range metrics() {
			found[m.label] = changeOf(s, m).Text
		}
		return found
	}
	none := changes(summary(bench.ModeSummary{}, bench.ModeSummary{}))
	for _, label := range []string{"Success rate", "Latency, median", "Active tokens, median", "All tokens, median", "Tool calls, median", "Cost in USD, median"} {
		assert.Equal(t, bench.NoFigure, none[label], label)
	}
	assert.Empty(t, none["Runs"])
	some := changes(summary(bench.ModeSummary{}, bench.ModeSummary{SuccessRate: 50, MedianToolCalls: 4}))
	assert.Equal(t, "+50 pp", some["Success rate"], "a rate of 0 is one to compare with")
	assert.Equal(t, bench.NoFigure, some["Tool calls, median"], "and nothing is a share of 0 calls")
	equal := changes(summary(bench.ModeSummary{MedianToolCalls: 4}, bench.ModeSummary{MedianToolCalls: 4}))
	assert.Equal(t, bench.ReductionText(0), equal["Tool calls, median"])
	assert.Equal(t, bench.NoFigure, winRateText(&bench.Efficiency{}))
}
