package comment

import (
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// notices stand above everything but the verdict. The one on simulated rows is
// always there (rule G15).
func (r Run) notices() section {
	var out strings.Builder
	if r.Summary != nil && r.Summary.Simulated {
		fmt.Fprintf(&out, "> [!IMPORTANT]\n> **%s**\n\n", bench.SimulatedNotice)
	}
	if suite, partial := strings.CutSuffix(r.Suite, PartialSuffix); partial {
		fmt.Fprintf(&out, "> [!NOTE]\n> This was asked for otherwise than the settings say. It changes nothing about %s, which says whether the change is good enough.\n\n", markdown.Code(suite, maxName))
	}
	for _, notice := range r.Notices[:min(len(r.Notices), maxNotices)] {
		fmt.Fprintf(&out, "> [!NOTE]\n> %s\n\n", markdown.Text(notice, maxSentence))
	}
	return section{open: strings.TrimSuffix(out.String(), "\n")}
}

// figure is a line in the table of modes.
type figure struct {
	label string
	of    func(bench.ModeSummary) string
	// change says how the candidate compares; nil where that is not computed.
	change func(bench.Delta) string
}

func figures() []figure {
	return []figure{
		{"Runs", func(m bench.ModeSummary) string { return bench.CountText(float64(m.Runs)) }, nil},
		{"Success rate", func(m bench.ModeSummary) string { return bench.PercentText(m.SuccessRate) }, func(d bench.Delta) string { return bench.PointsText(d.SuccessRateDeltaPct) }},
		{"Latency, median", func(m bench.ModeSummary) string { return bench.DurationText(m.MedianLatencyMS) }, func(d bench.Delta) string { return bench.ReductionText(d.LatencyReductionPct) }},
		{"Latency, p95", func(m bench.ModeSummary) string { return bench.DurationText(m.P95LatencyMS) }, nil},
		{"Active tokens, median", func(m bench.ModeSummary) string { return bench.CountText(m.MedianTokensActive) }, func(d bench.Delta) string { return bench.ReductionText(d.TokensActiveReductionPct) }},
		{"All tokens, median", func(m bench.ModeSummary) string { return bench.CountText(m.MedianTokensTotal) }, func(d bench.Delta) string { return bench.ReductionText(d.TokensReductionPct) }},
		{"Tool calls, median", func(m bench.ModeSummary) string { return bench.CountText(m.MedianToolCalls) }, func(d bench.Delta) string { return bench.ReductionText(d.ToolCallReductionPct) }},
		{"Cost in USD, median", func(m bench.ModeSummary) string { return bench.USDText(m.MedianCostUSD) }, func(d bench.Delta) string { return bench.ReductionText(d.CostReductionPct) }},
	}
}

// modesTable has a column per mode and one for how the candidate compares.
func (r Run) modesTable() section {
	s := section{rank: rankModes, title: "modes", noun: "figure"}
	if r.Summary == nil || len(r.Summary.Modes) == 0 {
		return section{}
	}
	modes := bench.BaselineFirst(r.Summary.Modes, r.Summary.Gate.Baseline)
	modes = modes[:min(len(modes), maxModes)]
	s.open = "| Figure |" + heads(modes) + " Candidate |\n|:---|" + strings.Repeat("---:|", len(modes)+1) + "\n"
	for _, f := range figures() {
		line := "| " + f.label + " |"
		for _, m := range modes {
			line += " " + f.of(r.Summary.Modes[m]) + " |"
		}
		s.items = append(s.items, line+" "+r.change(f)+" |\n")
	}
	title := "Modes, pooled over all runs"
	if r.Summary.Evidence != nil {
		title += " (what is judged above are runs in pairs, scenario by scenario)"
	}
	return s.folded(title)
}

// change is empty where there is no comparison, and [bench.NoFigure] where a
// figure to compare is missing.
func (r Run) change(f figure) string {
	s := r.Summary
	if s.Delta == nil || f.change == nil || s.NothingCompared() != "" {
		return ""
	}
	if f.of(s.Modes[s.Gate.Baseline]) == bench.NoFigure || f.of(s.Modes[s.Gate.Candidate]) == bench.NoFigure {
		return bench.NoFigure
	}
	return f.change(*s.Delta)
}

// table says what is run.
func (p Plan) table() string {
	var out strings.Builder
	out.WriteString("| Plan | |\n|:---|:---|\n")
	repetitions, benchmark := "Repetitions", ""
	if p.Benchmark != "" {
		repetitions, benchmark = "Epochs", markdown.CodeCell(p.Benchmark, maxName)
	}
	for _, line := range [][2]string{
		{"Benchmark", benchmark},
		{"Scenarios", p.scenariosText()},
		{"Modes", p.modesText()},
		{repetitions, p.Repetitions.String()},
		{"Cells", p.cellsText()},
		{"Model", markdown.CodeCell(p.Model, maxName)},
		{"Profile", markdown.CodeCell(string(p.Profile), maxName)},
		{"Cost", p.costText()},
		{"Duration", p.durationText()},
		{"Passes", p.passText()},
		{"Sees", p.seesText()},
	} {
		if line[1] != "" && line[1] != "0" {
			fmt.Fprintf(&out, "| %s | %s |\n", line[0], line[1])
		}
	}
	return out.String()
}

// facts are the plan's in one line.
func (p Plan) facts() []string {
	return []string{p.modesText(), markdown.Code(string(p.Profile), maxName), markdown.Code(p.Model, maxName)}
}

// maxListed is how many names a line lists.
const maxListed = 5

func (p Plan) scenariosText() string {
	if p.Set != "" {
		return "set " + markdown.CodeCell(p.Set, maxName)
	}
	var names []string
	for _, id := range p.Scenarios[:min(len(p.Scenarios), maxListed)] {
		names = append(names, markdown.CodeCell(id, maxName))
	}
	if more := len(p.Scenarios) - len(names); more > 0 {
		names = append(names, counted(more, "other"))
	}
	return strings.Join(names, ", ")
}

func (p Plan) modesText() string {
	var names []string
	for _, m := range p.Modes[:min(len(p.Modes), maxModes)] {
		names = append(names, markdown.CodeCell(string(m), maxName))
	}
	return strings.Join(names, ", ")
}

// costText is never empty: who commands is told what it may cost, also where
// that is not known.
func (p Plan) costText() string {
	about := "about " + bench.USDAmount(p.CostUSD)
	if share := p.share(); share < 1 {
		about += " where nothing differs, " + bench.USDAmount(p.CostUSD/share) + " for all"
	}
	switch {
	case p.Simulated:
		return "nothing: no model is involved"
	case p.CostUSD > 0 && p.MaxUSD > 0:
		return about + " (at most " + bench.USDAmount(p.MaxUSD) + ")"
	case p.CostUSD > 0:
		return about
	case p.MaxUSD > 0:
		return "not known yet, at most " + bench.USDAmount(p.MaxUSD)
	default:
		return "not known yet"
	}
}

func (p Plan) durationText() string {
	if p.Duration <= 0 {
		return ""
	}
	return "about " + duration(p.Duration)
}

// progressWidth is how many characters the bar of progress has.
const progressWidth = 20

// progressBar shows how far a run is.
func (r Run) progressBar() section {
	p := r.Progress
	if r.Phase != Running || p == nil || p.Cells < 1 {
		return section{}
	}
	done := min(max(p.Done, 0), p.Cells) // Blocks that take the place of void ones come on top.
	bar := done * progressWidth / p.Cells
	return section{open: "`" + strings.Repeat("█", bar) + strings.Repeat("░", progressWidth-bar) + "` " + bench.PercentText(float64(100*done/p.Cells)) + "\n"}
}

// maxVersions is the length of the longest text of versions.
const maxVersions = 500

// foot has cost, links, and what took part.
func (r Run) foot() section {
	var parts []string
	if s := r.Summary; s != nil {
		if s.CostUSD > 0 {
			parts = append(parts, "Cost "+r.spent(s.CostUSD))
		}
		runs := 0
		for _, m := range s.Modes {
			runs += m.Runs
		}
		if runs > 0 {
			parts = append(parts, counted(runs, "run")+" of agents")
		}
	}
	for _, link := range []struct{ text, address string }{
		{"Report", r.Links.Report}, {"Run", r.Links.Job}, {"Check", r.Links.Check},
	} {
		if linked := markdown.Link(link.text, link.address); linked != "" {
			parts = append(parts, linked)
		}
	}
	if r.ID != "" {
		parts = append(parts, "run id "+markdown.Code(r.ID, maxName))
	}
	if s := r.Summary; s != nil && len(s.Versions) > 0 {
		parts = append(parts, "measured with "+markdown.Text(s.Versions.Text(), maxVersions))
	}
	if len(parts) == 0 {
		return section{}
	}
	return section{open: "---\n" + strings.Join(parts, " · ") + "\n"}
}
