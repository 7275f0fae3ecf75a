package comment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// evidence is what a finished run's verdict stands on; nil where it does not.
func (r Run) evidence() *bench.Evidence {
	if r.Phase != Finished || r.Summary == nil || r.Unverified || len(r.Contested) > 0 {
		return nil
	}
	return r.Summary.Evidence
}

// consequences are what the verdict leaves open, and what to do now.
func (r Run) consequences() section {
	e := r.evidence()
	if e == nil {
		return section{}
	}
	var parts []string
	if label, text := e.NotRuledOut(); text != "" {
		parts = append(parts, "**"+label+":** "+markdown.Text(text, maxReason)+"\n")
	}
	parts = append(parts, r.nextStep()+"\n")
	return section{open: strings.Join(parts, "\n")}
}

// worstByEvidence says of the scenarios that are worst off what is bad about them, where
// a verdict by evidence is no PASS.
func (r Run) worstByEvidence() section {
	s := section{rank: rankWorst, title: "the worst scenarios", noun: "scenario"}
	e := r.evidence()
	if e == nil || e.Verdict == bench.VerdictPass || len(e.Endpoints) == 0 {
		return section{}
	}
	s.items = r.complaintsByEvidence(func(_ bench.EndpointName, f bench.Figure) bool { return f.Interval[0] > 0 })
	if len(s.items) == 0 && e.Verdict == bench.VerdictFail {
		// What is shown for all of them together is shown for none alone.
		s.items = r.complaintsByEvidence(func(name bench.EndpointName, f bench.Figure) bool {
			return slices.Contains(e.Cause.Endpoints, name) && f.Change > 0
		})
	}
	s.items = s.items[:min(maxWorst, len(s.items))]
	return s.under("Worst scenarios")
}

// complaintsByEvidence are a line for each scenario that has something bad about it, the
// worst first: more runs that failed than the baseline's, or a figure that is worse.
func (r Run) complaintsByEvidence(worse func(bench.EndpointName, bench.Figure) bool) (lines []string) {
	for _, s := range r.Summary.Evidence.WorstFirst() {
		var all []string
		if i := slices.IndexFunc(r.Summary.Scenarios, func(of bench.ScenarioSummary) bool { return of.ID == s.ID }); i >= 0 && s.CandidateSuccesses < s.BaselineSuccesses {
			all = append(all, r.failedText(r.Summary.Scenarios[i], markdown.Code))
		}
		for _, figure := range []struct {
			name bench.EndpointName
			bench.Figure
		}{{bench.EndpointCost, s.Cost}, {bench.EndpointLatency, s.Latency}} {
			if !figure.Untold && worse(figure.name, figure.Figure) {
				all = append(all, bench.PercentText(figure.Change)+" more "+r.nounOf(figure.name))
			}
		}
		all = slices.DeleteFunc(all, func(text string) bool { return text == "" })
		if len(all) > 0 {
			lines = append(lines, "- "+r.scenarioLink(s.ID)+": "+strings.Join(all, "; ")+".\n")
		}
	}
	return lines
}

// nounOf is an endpoint within a sentence: tokens where they stand in for a cost.
func (r Run) nounOf(name bench.EndpointName) string {
	for _, e := range r.Summary.Evidence.Endpoints {
		if e.Name == name && e.Measure == bench.MeasureTokens {
			return "total tokens"
		}
	}
	return string(name)
}

// endpointsTable is a line per endpoint of a verdict by evidence; it is never
// left out.
func (r Run) endpointsTable() section {
	if r.Summary == nil || r.Summary.Evidence == nil || len(r.Summary.Evidence.Endpoints) == 0 {
		return section{}
	}
	s := section{open: "| Result | Figure | Change | 95% interval | Too much |\n|:---|:---|---:|---:|---:|\n"}
	for _, e := range r.Summary.Evidence.Endpoints {
		s.items = append(s.items, fmt.Sprintf("| %s | %s | %s | %s | %s |\n",
			shownIcon(e)+e.ResultText(), markdown.Text(e.Label(), maxName), e.ChangeText(), e.IntervalText(), e.Text(e.Margin)))
	}
	return r.inTheOpen(s)
}

func shownIcon(e bench.Endpoint) string {
	switch {
	case e.Untold:
		return ""
	case e.NotWorse.Shown:
		return "✅ "
	case e.Harm.Shown:
		return "❌ "
	default:
		return "⚪ "
	}
}

// looks say what was decided on the way.
func (r Run) looks() section {
	s := section{rank: rankDoubts, title: "what was decided when", noun: "look"}
	if r.Summary == nil || r.Summary.Evidence == nil {
		return section{}
	}
	looks := r.Summary.Evidence.Looks
	if len(looks) < 2 || r.Summary.NothingCompared() != "" {
		return section{} // the verdict itself, if any
	}
	for _, look := range looks {
		s.items = append(s.items, fmt.Sprintf("- After %s: **%s**. %s\n", counted(look.Blocks, "repetition"), look.Verdict.Word(), markdown.Text(bench.Sentence(look.Cause.Text), maxReason)))
	}
	return s.under("Decisions on the way")
}

// omissions are the rows that the verdict does not look at, of every profile.
func (r Run) omissions() section {
	s := section{rank: rankDoubts, title: "what is left out", noun: "reason"}
	if r.Summary == nil {
		return section{}
	}
	for _, l := range r.Summary.LeftOut {
		if l.Rows > 0 {
			s.items = append(s.items, "- "+leftOutText(l)+"\n")
		}
	}
	return s.under("Left out")
}

func leftOutText(l bench.LeftOut) string {
	return markdown.Text(l.Text(), maxReason) + ": " + l.CellsText(maxCells, func(cell string) string { return markdown.Code(cell, maxName) })
}
