package report

import (
	"fmt"
	"math"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// drawing places a check's value, its interval and its threshold on a line.
// All are in units of the picture, which is drawingWidth wide.
type drawing struct {
	// Label says the same in words.
	Label string
	// Value is where the value is, Threshold where the rule begins.
	Value, Threshold float64
	// PassFrom and PassWidth are the part of the line that meets the rule.
	PassFrom, PassWidth float64
	// HasInterval tells whether From and Width are set.
	HasInterval bool
	From, Width float64
}

const (
	drawingWidth  = 240.0
	drawingMargin = 10.0
)

// draw places a check's figures, the outermost ones a margin from the ends.
func draw(c bench.Check) drawing {
	low, high := min(c.Value, c.Threshold), max(c.Value, c.Threshold)
	if c.Interval != nil {
		low, high = min(low, c.Interval[0]), max(high, c.Interval[1])
	}
	if !(high-low > 0) || math.IsInf(high-low, 0) {
		low, high = c.Threshold-1, c.Threshold+1
	}
	at := func(v float64) float64 {
		if math.IsNaN(v) {
			v = low
		}
		v = min(max(v, low), high)
		x := drawingMargin + (v-low)/(high-low)*(drawingWidth-2*drawingMargin)
		return math.Round(x*10) / 10
	}
	d := drawing{Value: at(c.Value), Threshold: at(c.Threshold), PassWidth: at(c.Threshold)}
	if c.Operator == bench.AtLeast {
		d.PassFrom, d.PassWidth = d.Threshold, drawingWidth-d.Threshold
	}
	d.Label = fmt.Sprintf("%s, the rule is %s", c.ValueText(), c.RuleText())
	if c.Interval != nil {
		d.HasInterval = true
		d.From = at(c.Interval[0])
		d.Width = math.Round((at(c.Interval[1])-d.From)*10) / 10
		d.Label += ", 95% interval " + c.IntervalText()
	}
	return d
}
