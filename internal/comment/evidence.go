package comment

import (
	"fmt"
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
	if open := e.NotRuledOut(); open != "" {
		parts = append(parts, "**Not ruled out:** "+markdown.Text(open, maxReason)+"\n")
	}
	parts = append(parts, r.nextStep()+"\n")
	return section{open: strings.Join(parts, "\n")}
}

// endpointsTable is a line per endpoint of a verdict by evidence; it is never
// left out.
func (r Run) endpointsTable() section {
	if r.Summary == nil || r.Summary.Evidence == nil || len(r.Summary.Evidence.Endpoints) == 0 {
		return section{}
	}
	s := section{open: "| Shown | Endpoint | Change | 95% interval | Too much |\n|:---|:---|---:|---:|---:|\n"}
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
	for _, look := range r.Summary.Evidence.Looks {
		if r.Summary.NothingCompared() != "" {
			break
		}
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
