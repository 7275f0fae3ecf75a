package dashboard

import (
	"fmt"
	"math"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// chart is a figure's course as a line.
type chart struct {
	Title string
	// Label says the same in words.
	Label string
	// Line is the points attribute of the polyline; Zero is where 0 is, if
	// HasZero.
	Line    string
	Zero    float64
	HasZero bool
	Dots    []dot
	// Range says between what the figures lie.
	Range string
}

type dot struct {
	X, Y  float64
	Tone  string
	RunID string
	Text  string
}

const (
	chartWidth  = 320.0
	chartHeight = 90.0
	chartMargin = 8.0
)

// charts returns the course of each figure that has at least two points.
func charts(course []Point) []chart {
	var all []chart
	for _, f := range []struct {
		title string
		of    func(Point) *float64
		text  func(float64) string
	}{
		{"Active tokens, reduction", func(p Point) *float64 { return p.TokensPct }, bench.PercentText},
		{"All tokens, reduction", func(p Point) *float64 { return p.TotalPct }, bench.PercentText},
		{"Latency, reduction", func(p Point) *float64 { return p.LatencyPct }, bench.PercentText},
		{"Tool calls, reduction", func(p Point) *float64 { return p.CallsPct }, bench.PercentText},
		{"Success rate, difference", func(p Point) *float64 { return p.SuccessPP }, bench.PointsText},
		{"Cost of a run", Point.spent, func(v float64) string { return bench.USDText(v) + " USD" }},
	} {
		if c, ok := newChart(f.title, course, f.of, f.text); ok {
			all = append(all, c)
		}
	}
	return all
}

// spent is what the run has cost, nil where that is simulated.
func (p Point) spent() *float64 {
	if p.Simulated {
		return nil
	}
	return &p.CostUSD
}

func newChart(title string, course []Point, of func(Point) *float64, text func(float64) string) (chart, bool) {
	var points []Point
	var values []float64
	for _, p := range course {
		if v := of(p); v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) {
			points, values = append(points, p), append(values, *v)
		}
	}
	if len(values) < 2 {
		return chart{}, false
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	span := text(low) + " to " + text(high)
	if !(high > low) {
		span = text(low)
		low, high = low-1, high+1
	}
	y := func(v float64) float64 {
		return round(chartHeight - chartMargin - (v-low)/(high-low)*(chartHeight-2*chartMargin))
	}
	c := chart{
		Title: title, Range: span, HasZero: low < 0 && high > 0, Zero: y(0),
		Label: fmt.Sprintf("%s over %d runs: from %s to %s", title, len(values), text(values[0]), text(values[len(values)-1])),
	}
	var line strings.Builder
	for i, v := range values {
		x := round(chartMargin + float64(i)/float64(len(values)-1)*(chartWidth-2*chartMargin))
		fmt.Fprintf(&line, "%g,%g ", x, y(v))
		c.Dots = append(c.Dots, dot{X: x, Y: y(v), Tone: toneOf(points[i]), RunID: points[i].RunID, Text: text(v)})
	}
	c.Line = strings.TrimSpace(line.String())
	return c, true
}

func toneOf(p Point) string {
	_, tone := wordOf(Run{State: Finished, Verdict: p.Verdict, Simulated: p.Simulated})
	return tone
}

func round(v float64) float64 { return math.Round(v*10) / 10 }
