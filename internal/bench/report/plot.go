package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
)

//go:embed plot.svg
var plotSVG string

var plotTemplate = template.Must(template.New("plot").Parse(plotSVG))

// plot is a picture of its own, as SVG. Places are in its units.
type plot struct {
	Title, XAxis, YAxis string
	Width, Height       float64
	// Left, Right, Top and Bottom are those of what is drawn.
	Left, Right, Top, Bottom float64
	XTicks, YTicks           []plotTick
	Legend                   []plotLegend
	Lines                    []plotLine
	Bars                     []plotBar
	Names                    []plotTick
}

type plotTick struct {
	At   float64
	Text string
}

type plotLegend struct {
	X     float64
	Class string
	Text  string
}

type plotLine struct {
	Class, Points string
	Dots          []plotDot
}

type plotDot struct {
	X, Y  float64
	Label string
}

type plotBar struct {
	Class               string
	X, Y, Width, Middle float64
	Label, Inside       string
	Wrong               bool
}

const (
	plotWidth     = 760.0
	plotHead      = 84.0
	plotLineArea  = 300.0
	plotBarHeight = 26.0
	plotBarGap    = 3.0
	plotBarNames  = 330.0
	plotSide      = 64.0
	plotFoot      = 52.0
	mostPlotTicks = 8
	// fewPct is the share of a bar that has no room for its figure.
	fewPct = 8
)

// WritePlan writes what a run could see after so many sessions, as SVG.
func WritePlan(w io.Writer, p evidence.Plan, title string) error {
	drawn := plot{
		Title: title, XAxis: "Sessions", YAxis: "Least change for the worse that is shown in four runs of five",
		Width: plotWidth, Height: plotHead + plotLineArea + plotFoot,
		Left: plotSide, Right: plotWidth - plotSide/2, Top: plotHead, Bottom: plotHead + plotLineArea,
	}
	lines := []struct {
		class, text string
		of          func(evidence.PlannedLook) *float64
	}{
		{"success", "drop of success, in points", func(l evidence.PlannedLook) *float64 { return negated(l.Success) }},
		{"cost", "cost, in %", func(l evidence.PlannedLook) *float64 { return l.Cost }},
		{"latency", "latency, in %", func(l evidence.PlannedLook) *float64 { return l.Latency }},
	}
	low, high, most := 0.0, 0.0, 1.0
	for _, look := range p.Looks {
		most = max(most, float64(look.Sessions))
		for _, line := range lines {
			if v := line.of(look); v != nil {
				low, high = min(low, *v), max(high, *v)
			}
		}
	}
	if high-low == 0 {
		high = 1
	}
	x := func(v float64) float64 { return round1(drawn.Left + v/most*(drawn.Right-drawn.Left)) }
	y := func(v float64) float64 { return round1(drawn.Bottom - (v-low)/(high-low)*(drawn.Bottom-drawn.Top)) }
	for _, v := range linearTicks(0, most) {
		drawn.XTicks = append(drawn.XTicks, plotTick{x(v), bench.CountText(v)})
	}
	for _, v := range linearTicks(low, high) {
		drawn.YTicks = append(drawn.YTicks, plotTick{y(v), bench.CountText(v)})
	}
	for i, line := range lines {
		drawn.Legend = append(drawn.Legend, plotLegend{drawn.Left + 230*float64(i), line.class, line.text})
		l := plotLine{Class: line.class}
		for _, look := range p.Looks {
			v := line.of(look)
			if v == nil {
				continue
			}
			dot := plotDot{x(float64(look.Sessions)), y(*v), fmt.Sprintf("%d sessions: %s, %s", look.Sessions, line.text, bench.CountText(*v))}
			l.Points += fmt.Sprintf("%g,%g ", dot.X, dot.Y)
			l.Dots = append(l.Dots, dot)
		}
		drawn.Lines = append(drawn.Lines, l)
	}
	return plotTemplate.Execute(w, drawn)
}

// WriteCalibration writes how often a verdict would be which, as SVG.
func WriteCalibration(w io.Writer, c evidence.Calibration, title string) error {
	drawn := plot{
		Title: title, XAxis: "Share of suites, in %; hatched is wrong", YAxis: "If the candidate…",
		Width: plotWidth + 120, Height: plotHead + plotBarHeight*float64(len(c.Truths)) + plotFoot,
		Left: plotBarNames, Right: plotWidth + 120 - plotSide/2, Top: plotHead, Bottom: plotHead + plotBarHeight*float64(len(c.Truths)),
	}
	at := func(pct float64) float64 { return round1(drawn.Left + pct/100*(drawn.Right-drawn.Left)) }
	for _, v := range linearTicks(0, 100) {
		drawn.XTicks = append(drawn.XTicks, plotTick{at(v), bench.CountText(v)})
	}
	for i, l := range [][2]string{{"pass", "pass"}, {"unsure", "can't tell"}, {"fail", "fail"}} {
		drawn.Legend = append(drawn.Legend, plotLegend{drawn.Left + 130*float64(i), l[0], l[1]})
	}
	for i := range c.Truths {
		t := &c.Truths[i]
		top := drawn.Top + plotBarHeight*float64(i)
		drawn.Names = append(drawn.Names, plotTick{top + plotBarHeight/2, "… " + t.Candidate})
		from := 0.0
		for _, part := range []struct {
			class, word string
			count       int
			wrong       bool
		}{{"pass", "pass", t.Pass, t.WrongPass}, {"unsure", "can't tell", t.CannotTell, false}, {"fail", "fail", t.Fail, t.WrongFail}} {
			if part.count == 0 {
				continue
			}
			share := 100 * float64(part.count) / float64(t.Suites)
			bar := plotBar{
				Class: part.class, X: at(from), Y: top + plotBarGap, Width: round1(at(from+share) - at(from)), Middle: at(from + share/2), Wrong: part.wrong,
				Label: fmt.Sprintf("if the candidate %s: %s in %s of %d suites", t.Candidate, part.word, bench.PercentText(share), t.Suites),
			}
			if part.wrong {
				bar.Label += ", which is wrong"
			}
			if share >= fewPct {
				bar.Inside = bench.PercentText(share)
			}
			drawn.Bars = append(drawn.Bars, bar)
			from += share
		}
	}
	return plotTemplate.Execute(w, drawn)
}

func negated(v *float64) *float64 {
	if v == nil {
		return nil
	}
	return new(-*v)
}

func round1(v float64) float64 { return math.Round(10*v) / 10 }

// linearTicks returns round numbers from one to another, the steps 1, 2 or 5 of a
// power of ten.
func linearTicks(low, high float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/mostPlotTicks)))
	for _, times := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*times) <= mostPlotTicks {
			step *= times
			break
		}
	}
	var ticks []float64
	for i := math.Ceil(low / step); i*step <= high; i++ {
		ticks = append(ticks, i*step)
	}
	return ticks
}
