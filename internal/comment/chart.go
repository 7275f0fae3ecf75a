package comment

import (
	"fmt"
	"math"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// bar is a reduction beside the least that is asked for, in percent.
type bar struct {
	label          string
	value, minimum float64
}

// bars are the gate's reductions that have a figure.
func (r Run) bars() []bar {
	var bars []bar
	for _, c := range r.checks() {
		switch c.Name {
		case bench.CheckTokensReduction, bench.CheckLatencyReduction, bench.CheckToolCallReduction, bench.CheckCostReduction:
			if isFinite(c.Value) && isFinite(c.Threshold) {
				label, _, _ := strings.Cut(c.Name.Label(), ",")
				bars = append(bars, bar{label, c.Value, c.Threshold})
			}
		default: // rates have no common scale with reductions
		}
	}
	return bars
}

// maxBar is where a bar is cut off, in percent: a candidate that needs ten
// times as much would leave nothing to see of the others.
const maxBar = 200

func (b bar) shown() float64 { return min(max(b.value, -maxBar), maxBar) }

// chart draws the reductions for places where GitHub draws Mermaid. Its text
// has the figures, so it can be read where it is not drawn.
func (r Run) chart() section {
	bars := r.bars()
	if len(bars) == 0 {
		return section{}
	}
	var labels, values, minimums []string
	low, high := 0.0, 0.0
	for _, b := range bars {
		labels = append(labels, fmt.Sprintf("%q", b.label))
		values = append(values, fmt.Sprintf("%.1f", b.shown()))
		minimums = append(minimums, fmt.Sprintf("%.1f", b.minimum))
		low, high = min(low, b.shown(), b.minimum), max(high, b.shown(), b.minimum)
	}
	const step = 10
	low, high = math.Floor(low/step)*step, math.Ceil(high/step)*step
	return section{rank: rankChart, title: "the chart", open: "```mermaid\n" +
		"xychart-beta\n" +
		"    title \"How much less the candidate needs, in %; the line is the minimum\"\n" +
		"    x-axis [" + strings.Join(labels, ", ") + "]\n" +
		fmt.Sprintf("    y-axis \"Reduction, %%\" %.0f --> %.0f\n", low, max(high, low+step)) +
		"    bar [" + strings.Join(values, ", ") + "]\n" +
		"    line [" + strings.Join(minimums, ", ") + "]\n```\n"}
}

// barWidth is how many characters a bar has at 100 %.
const barWidth = 40

// textChart draws the same with characters, for check runs.
func (r Run) textChart() section {
	bars := r.bars()
	if len(bars) == 0 {
		return section{}
	}
	var out strings.Builder
	out.WriteString("How much less the candidate needs; │ is the minimum.\n\n```text\n")
	for _, b := range bars {
		fmt.Fprintf(&out, "%-14s %s %s\n", b.label, drawn(b), bench.ReductionText(b.value))
	}
	out.WriteString("```\n")
	return section{rank: rankChart, title: "the chart", open: out.String()}
}

// drawn is a bar from 0 to 100 %, with a stroke at the minimum.
func drawn(b bar) string {
	at := func(v float64) int { return int(math.Round(min(max(v, 0), 100) / 100 * barWidth)) }
	line := []rune(strings.Repeat("█", at(b.value)) + strings.Repeat("·", barWidth-at(b.value)))
	line[min(at(b.minimum), barWidth-1)] = '│'
	return string(line)
}
