package comment

import (
	"fmt"
	"math"
	"strings"
)

// bar is what the candidate needs of something, in percent of the baseline:
// the charts begin at 0, so reductions, which may be negative, are not drawn
// themselves.
type bar struct {
	label string
	// figures are the reduction and its rule.
	figures string
	// needs is 100 minus the reduction, at most maxBar; allowed is the most
	// that passes.
	needs, allowed float64
}

// maxBar is where a bar is cut off, in percent: a candidate that needs ten
// times as much would leave nothing to see of the others.
const maxBar = 200

// bars are of the gate's reductions that have a figure, and not of what may be
// invented.
func (r Run) bars() []bar {
	var bars []bar
	if r.Unverified {
		return nil
	}
	for _, c := range r.checks() {
		// Rates have no common scale with reductions.
		if c.Name.OfReduction() && c.HasFigure() && isFinite(c.Value) && isFinite(c.Threshold) {
			label, _, _ := strings.Cut(c.Name.Label(), ",")
			bars = append(bars, bar{label, "reduction " + c.ValueText() + ", rule " + c.RuleText(), drawable(100 - c.Value), drawable(100 - c.Threshold)})
		}
	}
	return bars
}

func drawable(percent float64) float64 { return min(max(percent, 0), maxBar) }

// chart draws the bars for places where GitHub draws Mermaid. Its text has the
// figures, so it can be read where it is not drawn.
func (r Run) chart() section {
	bars := r.bars()
	if len(bars) == 0 {
		return section{}
	}
	var labels, needs, allowed []string
	top := 100.0
	for _, b := range bars {
		labels = append(labels, fmt.Sprintf("%q", b.label))
		needs = append(needs, fmt.Sprintf("%.1f", b.needs))
		allowed = append(allowed, fmt.Sprintf("%.1f", b.allowed))
		top = max(top, b.needs, b.allowed)
	}
	const step = 10
	return section{rank: rankChart, title: "the chart", open: "```mermaid\n" +
		"xychart-beta\n" +
		"    title \"What the candidate needs, in % of the baseline. The line is the most allowed.\"\n" +
		"    x-axis [" + strings.Join(labels, ", ") + "]\n" +
		fmt.Sprintf("    y-axis \"%% of the baseline\" 0 --> %.0f\n", math.Ceil(top/step)*step) +
		"    bar [" + strings.Join(needs, ", ") + "]\n" +
		"    line [" + strings.Join(allowed, ", ") + "]\n```\n"}
}

// barWidth is how many characters a bar has at 100 %.
const barWidth = 40

// textChart draws the same with characters, for check runs. It is short, and never
// left out.
func (r Run) textChart() section {
	bars := r.bars()
	if len(bars) == 0 {
		return section{}
	}
	var out strings.Builder
	out.WriteString("What the candidate needs: · ends at what the baseline needs, │ is the most allowed.\n\n```text\n")
	for _, b := range bars {
		fmt.Fprintf(&out, "%-14s%s %s\n", b.label, b.drawn(), b.figures)
	}
	out.WriteString("```\n")
	return section{open: out.String()}
}

// drawn is the bar, dots from its end to 100 %, and a stroke at what is
// allowed.
func (b bar) drawn() string {
	at := func(percent float64) int { return int(math.Round(percent / 100 * barWidth)) }
	filled := at(b.needs)
	line := []rune(strings.Repeat("█", filled) + strings.Repeat("·", max(0, barWidth-filled)))
	for len(line) <= at(b.allowed) {
		line = append(line, ' ')
	}
	line[at(b.allowed)] = '│'
	return string(line)
}
