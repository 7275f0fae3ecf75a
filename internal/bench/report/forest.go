package report

import (
	"math"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// forest is a picture of an endpoint: its change over all blocks and in every
// scenario, with intervals. Places are in units of the picture.
type forest struct {
	Noun  noun
	Title string
	// Axis says what the axis has, and where it is better.
	Axis string
	// Label says in words what is drawn.
	Label         string
	Width, Height float64
	// Top and Bottom are those of the plot, PlotLeft and PlotRight its sides.
	Top, Bottom, PlotLeft, PlotRight float64
	// AxisY is where the text below the ticks stands, TickY where they do.
	AxisY, TickY, AxisX float64
	Zero, Margin        float64
	Ticks               []forestTick
	Lines               []forestLine
	// More counts the scenarios that there is no room for.
	More int
}

type forestTick struct {
	X    float64
	Text string
}

// forestLine is a change with its interval. An end that is cut off lies outside
// of the picture and is an arrow.
type forestLine struct {
	Name string
	// Label has name and figures in words.
	Label             string
	Y, X, From, To    float64
	CutLeft, CutRight bool
	// All is the line over all blocks; Harmed tells of a scenario that withholds a
	// pass here.
	All, Harmed bool
	// Bare has no interval.
	Bare bool
}

const (
	forestNames  = 250.0
	forestPlot   = 460.0
	forestEdge   = 28.0
	forestRow    = 22.0
	forestHead   = 10.0
	forestFoot   = 44.0
	forestHalf   = 7.0
	mostInForest = 60
	maxNameRunes = 34
)

// forestScale is a range of changes, the same to both sides of none, and the
// changes that are marked.
type forestScale struct {
	// most is the change at the end of the axis: a ratio where changes are in
	// percent, else points.
	most  float64
	ticks []float64
}

// The scales from the narrowest on: of changes in percent, which are drawn by
// their logarithms, and in points.
var (
	percentScales = []forestScale{
		{1.6, []float64{-30, -15, 0, 20, 50}}, {3.2, []float64{-60, -40, 0, 50, 100, 200}}, {10, []float64{-80, -50, 0, 100, 400}},
	}
	pointScales = []forestScale{
		{25, []float64{-20, -10, 0, 10, 20}}, {50, []float64{-40, -20, 0, 20, 40}}, {100, []float64{-100, -50, 0, 50, 100}},
	}
)

// forests are the pictures of the endpoints; none where nothing was compared.
func forests(e *bench.Evidence) []forest {
	if e == nil {
		return nil
	}
	var all []forest
	for _, p := range e.Endpoints {
		if !p.Untold {
			all = append(all, newForest(e, p))
		}
	}
	return all
}

func newForest(e *bench.Evidence, p bench.Endpoint) forest {
	scenarios := e.Scenarios[:min(len(e.Scenarios), mostInForest)]
	f := forest{
		Title: p.Label(), Width: forestNames + forestPlot + 2*forestEdge, Top: forestHead,
		PlotLeft: forestNames + forestEdge, PlotRight: forestNames + forestEdge + forestPlot, More: len(e.Scenarios) - len(scenarios),
	}
	f.Bottom = f.Top + forestRow*float64(len(scenarios)+1)
	f.TickY, f.AxisY, f.Height = f.Bottom+16, f.Bottom+36, f.Bottom+forestFoot
	f.AxisX = (f.PlotLeft + f.PlotRight) / 2
	figures := []bench.Figure{{Change: p.Change, Interval: bench.Interval{math.NaN(), math.NaN()}}}
	if p.Interval != nil {
		figures[0].Interval = *p.Interval
	}
	for _, s := range scenarios {
		figures = append(figures, figureOf(s, p.Name))
	}
	scale, place := pointScales, func(v float64) float64 { return v }
	f.Axis = "Difference in percentage points; right of 0 the candidate is better"
	if p.Name != bench.EndpointSuccess {
		scale, place = percentScales, func(v float64) float64 { return math.Log1p(max(v, -99.9999) / 100) }
		f.Axis = "Change in % of the baseline (logarithmic); left of 0 the candidate is better"
	}
	chosen := scaleFor(scale, figures, p, place)
	end := chosen.end(p)
	at := func(v float64) float64 {
		x := f.AxisX + min(max(place(v)/end, -1), 1)*forestPlot/2
		return math.Round(10*x) / 10
	}
	f.Zero, f.Margin = at(0), at(p.Margin)
	for _, t := range chosen.ticks {
		f.Ticks = append(f.Ticks, forestTick{at(t), p.Text(t)})
	}
	for i, figure := range figures {
		line := forestLine{Name: "All", All: i == 0, Y: f.Top + forestRow*(float64(i)+0.5), X: at(figure.Change)}
		if i > 0 {
			line.Name, line.Harmed = cutName(oneLine(scenarios[i-1].ID)), harmedOn(scenarios[i-1], p.Name)
		}
		line.Label = line.Name + ": " + p.Text(figure.Change)
		if lo, hi := figure.Interval[0], figure.Interval[1]; math.IsNaN(lo) || math.IsNaN(hi) {
			line.Bare = true
		} else {
			line.From, line.To, line.CutLeft, line.CutRight = at(lo), at(hi), place(lo) < -end, place(hi) > end
			line.Label += ", 95% interval " + p.Text(lo) + " to " + p.Text(hi)
		}
		f.Lines = append(f.Lines, line)
	}
	f.Label = p.Label() + ", by scenario. " + f.Lines[0].Label
	return f
}

func figureOf(s bench.ScenarioEvidence, name bench.EndpointName) bench.Figure {
	switch name {
	case bench.EndpointSuccess:
		return s.Success
	case bench.EndpointCost:
		return s.Cost
	default:
		return s.Latency
	}
}

func harmedOn(s bench.ScenarioEvidence, name bench.EndpointName) bool {
	for _, harmed := range s.Harmed {
		if harmed == name {
			return true
		}
	}
	return false
}

// end is the place of the end of the axis.
func (s forestScale) end(p bench.Endpoint) float64 {
	if p.Name == bench.EndpointSuccess {
		return s.most
	}
	return math.Log(s.most)
}

// scaleFor returns the narrowest scale that has the margin, all changes and half
// of the intervals' ends on it, or the widest.
func scaleFor(scales []forestScale, figures []bench.Figure, p bench.Endpoint, place func(float64) float64) forestScale {
	for _, s := range scales[:len(scales)-1] {
		end, inside, ends := s.end(p), true, 0
		on := func(v float64) bool { return !(math.Abs(place(v)) > end) }
		for _, f := range figures {
			inside = inside && on(f.Change)
			for _, v := range f.Interval {
				if on(v) {
					ends++
				}
			}
		}
		if inside && on(p.Margin) && ends >= len(figures) {
			return s
		}
	}
	return scales[len(scales)-1]
}

// High and Low are the ends of the diamond that stands for all.
func (l forestLine) High() float64 { return l.Y - forestHalf }

// Low is the lower one.
func (l forestLine) Low() float64 { return l.Y + forestHalf }

func cutName(name string) string {
	runes := []rune(name)
	if len(runes) > maxNameRunes {
		return string(runes[:maxNameRunes-1]) + "…"
	}
	return name
}
