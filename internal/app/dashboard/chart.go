package dashboard

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// chart is a figure's course over time.
type chart struct {
	Title string
	// Label says the same in words.
	Label string
	// Line is the points attribute of the polyline; Zero and Threshold are where
	// these are, nil where they are not within the range.
	Line            string
	Zero, Threshold *float64
	Dots            []dot
	// Changes are where the figure's level changed.
	Changes []change
	// Range says between what the figures lie, From and To when the first and the
	// last run ended.
	Range    string
	From, To time.Time
}

// dot is a run. Top and Bottom are the ends of its interval, equal where it has none.
type dot struct {
	X, Y, Top, Bottom float64
	Tone              string
	RunID             string
	Text              string
	// Aside is true of a pull request's run where others are of the default branch.
	Aside bool
}

// change is where a figure's level changed, at X, and in words, with the run of which
// it was seen first.
type change struct {
	X           float64
	Title, Text string
	RunID       string
}

const (
	chartWidth  = 320.0
	chartHeight = 90.0
	chartMargin = 8.0
)

// figure is one of a run's.
type figure struct {
	title string
	of    func(Point) *float64
	text  func(float64) string
	// check is the one that the figure is of, empty for none.
	check bench.CheckName
	// lessIsBetter is true of what is spent; of what is saved more is better.
	lessIsBetter bool
}

func figures() []figure {
	return []figure{
		{title: bench.CheckSuccessRate.Label(), of: func(p Point) *float64 { return p.SuccessPP }, text: bench.PointsText, check: bench.CheckSuccessRate},
		{title: bench.CheckTokensReduction.Label(), of: func(p Point) *float64 { return p.TokensPct }, text: bench.PercentText, check: bench.CheckTokensReduction},
		{title: "All tokens, reduction", of: func(p Point) *float64 { return p.TotalPct }, text: bench.PercentText},
		{title: bench.CheckLatencyReduction.Label(), of: func(p Point) *float64 { return p.LatencyPct }, text: bench.PercentText, check: bench.CheckLatencyReduction},
		{title: bench.CheckToolCallReduction.Label(), of: func(p Point) *float64 { return p.CallsPct }, text: bench.PercentText, check: bench.CheckToolCallReduction},
		{title: "Cost of a run", of: Point.spent, text: func(v float64) string { return bench.USDText(v) + " USD" }, lessIsBetter: true},
	}
}

// charts returns the course of each figure that has at least two points.
func charts(course []Point) []chart {
	var all []chart
	for _, f := range figures() {
		if c, ok := f.chart(course); ok {
			all = append(all, c)
		}
	}
	return all
}

// spent is what the run has cost, nil where that is simulated or not known.
func (p Point) spent() *float64 {
	if p.Simulated || p.CostUSD == 0 {
		return nil
	}
	return &p.CostUSD
}

// value returns a run's figure; it reports false if it has none.
func (f figure) value(p Point) (float64, bool) {
	v := f.of(p)
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return 0, false
	}
	return *v, true
}

func (f figure) chart(course []Point) (chart, bool) {
	var points []Point
	var values []float64
	onDefault := false
	for _, p := range course {
		if v, has := f.value(p); has {
			points, values = append(points, p), append(values, v)
			onDefault = onDefault || p.DefaultBranch
		}
	}
	if len(values) < 2 {
		return chart{}, false
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	span := f.text(low) + " to " + f.text(high)
	if !(high > low) {
		span = f.text(low)
		low, high = low-1, high+1
	}
	for _, p := range points {
		if l := p.Limits[f.check]; l.Low != nil && l.High != nil {
			low, high = min(low, *l.Low), max(high, *l.High)
		}
	}
	latest := points[len(points)-1].Limits[f.check]
	if latest.Threshold != nil {
		low, high = min(low, *latest.Threshold), max(high, *latest.Threshold)
	}
	s := scale{low, high, points[0].At, points[len(points)-1].At}
	c := chart{
		Title: f.title, Range: span, From: s.from, To: s.to,
		Label: fmt.Sprintf("%s over %d runs: from %s to %s", f.title, len(values), f.text(values[0]), f.text(values[len(values)-1])),
	}
	if low < 0 && high > 0 {
		c.Zero = new(s.y(0))
	}
	if latest.Threshold != nil {
		c.Threshold = new(s.y(*latest.Threshold))
		c.Label += ", where " + f.text(*latest.Threshold) + " is the threshold"
	}
	var line strings.Builder
	for i, v := range values {
		p := points[i]
		d := dot{X: s.x(p.At, i, len(values)), Y: s.y(v), Tone: f.tone(p, v), RunID: p.RunID, Text: f.text(v) + " · " + p.what(), Aside: onDefault && !p.DefaultBranch}
		d.Top, d.Bottom = d.Y, d.Y
		if l := p.Limits[f.check]; l.Low != nil && l.High != nil {
			d.Top, d.Bottom = s.y(*l.High), s.y(*l.Low)
			d.Text += " · " + f.text(*l.Low) + " to " + f.text(*l.High)
		}
		c.Dots = append(c.Dots, d)
		if !d.Aside {
			fmt.Fprintf(&line, "%g,%g ", d.X, d.Y)
		}
	}
	c.Line = strings.TrimSpace(line.String())
	c.Changes = f.changes(points, s)
	return c, true
}

// changes finds where a figure's level changed in the runs of the default branch; those
// of pull requests are of many proposals.
func (f figure) changes(points []Point, s scale) []change {
	var values []float64
	var on []Point
	for _, p := range points {
		if v, has := f.value(p); has && p.DefaultBranch {
			values, on = append(values, v), append(on, p)
		}
	}
	var found []change
	for _, c := range stats.Changes(values) {
		p, word := on[c.At], "better"
		if (c.After < c.Before) != f.lessIsBetter {
			word = "worse"
		}
		found = append(found, change{X: s.x(p.At, 0, 2), Title: f.title, Text: word + ", from " + f.text(c.Before) + " to " + f.text(c.After), RunID: p.RunID})
	}
	return found
}

// scale places figures and times on a chart.
type scale struct {
	low, high float64
	from, to  time.Time
}

// y is where a figure is.
func (s scale) y(v float64) float64 {
	return round(chartHeight - chartMargin - (v-s.low)/(s.high-s.low)*(chartHeight-2*chartMargin))
}

// x is where a time is; runs of one moment stand side by side.
func (s scale) x(at time.Time, index, count int) float64 {
	part := float64(index) / float64(count-1)
	if span := s.to.Sub(s.from); span > 0 {
		part = float64(at.Sub(s.from)) / float64(span)
	}
	return round(chartMargin + part*(chartWidth-2*chartMargin))
}

// what says which commit a run was of, and when.
func (p Point) what() string {
	about := short(p.Commit)
	if p.Pull > 0 {
		about += fmt.Sprintf(" · #%d", p.Pull)
	}
	if p.DefaultBranch {
		about += " · default branch"
	}
	return strings.TrimPrefix(about+" · "+p.At.UTC().Format("2006-01-02 15:04")+" UTC", " · ")
}

// tone is the colour of a run's dot: whether the figure is as its own check asks. What no
// check asks for has none, nor has what is for show.
func (f figure) tone(p Point, v float64) string {
	threshold := p.Limits[f.check].Threshold
	switch {
	case p.Simulated || threshold == nil:
		return "quiet"
	case v < *threshold:
		return "bad"
	default:
		return "good"
	}
}

func round(v float64) float64 { return math.Round(v*10) / 10 }

// courseRow is a run in the table of a course.
type courseRow struct {
	RunID, What, Word, Tone string
	At                      time.Time
	Figures                 []string
}

// table returns a course as a table, the newest run first, of the figures that any of
// its runs has.
func table(course []Point) (heads []string, rows []courseRow) {
	var shown []figure
	for _, f := range figures() {
		for _, p := range course {
			if _, has := f.value(p); has {
				shown, heads = append(shown, f), append(heads, f.title)
				break
			}
		}
	}
	for i := len(course) - 1; i >= 0; i-- {
		p := course[i]
		row := courseRow{RunID: p.RunID, At: p.At, What: short(p.Commit)}
		row.Word, row.Tone = wordOf(Run{State: Finished, Verdict: p.Verdict, Simulated: p.Simulated})
		switch {
		case p.Pull > 0:
			row.What += fmt.Sprintf(" #%d", p.Pull)
		case p.DefaultBranch:
			row.What += " default branch"
		}
		if row.What == "" {
			row.What = p.RunID
		}
		for _, f := range shown {
			text := ""
			if v, has := f.value(p); has {
				text = f.text(v)
			}
			row.Figures = append(row.Figures, text)
		}
		rows = append(rows, row)
	}
	return heads, rows
}
