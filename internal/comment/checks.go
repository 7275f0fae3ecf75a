package comment

import (
	"fmt"
	"math"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// checksTable is a line per check; it is never left out.
func (r Run) checksTable() section {
	checks := r.checks()
	if len(checks) == 0 {
		return section{}
	}
	s := section{open: "| Result | Check | Value | Rule | 95% interval |\n|:---|:---|---:|---:|---:|\n"}
	for _, c := range checks {
		label := markdown.Text(c.Name.Label(), maxName)
		if !c.Passed {
			label = strong(label)
		}
		s.items = append(s.items, fmt.Sprintf("| %s | %s | %s | %s | %s |\n",
			resultText(c), label, c.ValueText(), c.RuleText(), c.IntervalText()))
	}
	return r.inTheOpen(s)
}

// inTheOpen folds figures that may be invented, so that no row of ticks stands below
// a sentence that says so.
func (r Run) inTheOpen(s section) section {
	if r.Unverified {
		return s.folded("Figures that nobody vouches for")
	}
	return s
}

func resultText(c bench.Check) string {
	text := "❌ fail"
	if c.Passed {
		text = "✅ pass"
	}
	if c.Uncertain {
		text += ", in doubt"
	}
	return text
}

// reasons say why checks failed.
func (r Run) reasons() section {
	s := section{rank: rankReasons, title: "why checks failed", noun: "failed check"}
	for _, c := range r.checks() {
		if c.Passed {
			continue
		}
		s.items = append(s.items, fmt.Sprintf("- **%s** is %s, the rule is %s. %s\n",
			markdown.Text(c.Name.Label(), maxName), c.ValueText(), c.RuleText(), markdown.Text(bench.Sentence(c.Reason), maxReason)))
	}
	return s.under("Why it failed")
}

// uncertain lists the checks whose interval lies on both sides of the
// threshold (rule G13).
func (r Run) uncertain() section {
	s := section{rank: rankDoubts, title: "what is in doubt", noun: "check"}
	for _, c := range r.checks() {
		if !c.Uncertain {
			continue
		}
		text := fmt.Sprintf("- **%s** is %s, and its interval, %s, lies on both sides of %s.",
			markdown.Text(c.Name.Label(), maxName), c.ValueText(), c.IntervalText(), strings.TrimLeft(c.RuleText(), "≤≥ "))
		if evidence := c.EvidenceText(); evidence != "" {
			text += " " + markdown.Text(evidence, maxName) + "."
		}
		s.items = append(s.items, text+"\n")
	}
	return s.folded(fmt.Sprintf("In doubt (%s): the interval lies on both sides of the threshold", counted(len(s.items), "check")))
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// under gives a section with items a heading; without items it becomes empty.
func (s section) under(heading string) section {
	if len(s.items) == 0 {
		return section{}
	}
	s.open = "### " + heading + "\n\n" + s.open
	return s
}

// folded hides a section with items behind its summary, which is a text of
// ours; without items it becomes empty.
func (s section) folded(summary string) section {
	if len(s.items) == 0 {
		return section{}
	}
	s.open = "<details><summary>" + summary + "</summary>\n\n" + s.open
	s.shut += "\n</details>\n"
	return s
}

// warnings are doubts about the figures, those of single checks behind the
// general ones.
func (r Run) warnings() section {
	s := section{rank: rankWarnings, title: "warnings", noun: "warning"}
	if r.Summary == nil {
		return section{}
	}
	for _, w := range r.Summary.Warnings {
		s.add(func() string { return "- " + markdown.Text(bench.Sentence(w), maxSentence) + "\n" })
	}
	for _, c := range r.checks() {
		for _, w := range c.Warnings {
			s.add(func() string {
				return "- " + markdown.Text(c.Name.Label(), maxName) + ": " + markdown.Text(bench.Sentence(w), maxSentence) + "\n"
			})
		}
	}
	return s
}

func (r Run) regressions() section {
	s := section{rank: rankRegressions, title: "what is worse than recent runs", noun: "figure"}
	if r.Summary == nil {
		return section{}
	}
	for _, regression := range r.Summary.Regressions {
		s.add(func() string { return "- " + markdown.Text(regression.Sentence(), maxSentence) + "\n" })
	}
	return s.under("Worse than recent runs")
}

// maxCells is how many missing cells, and rows that are left out, are named of each
// reason.
const maxCells = 5

func (r Run) missing() section {
	s := section{rank: rankMissing, title: "missing cells", noun: "reason"}
	if r.Summary == nil {
		return section{}
	}
	for _, part := range r.Summary.Missing {
		s.add(func() string { return "- " + missingText(part) + "\n" })
	}
	return s.under("Missing cells")
}

func missingText(m bench.MissingCells) string {
	var cells []string
	for _, cell := range m.Cells[:min(maxCells, len(m.Cells))] {
		cells = append(cells, markdown.Code(cell.String(), maxName))
	}
	if more := len(m.Cells) - len(cells); more > 0 {
		cells = append(cells, counted(more, "other"))
	}
	return markdown.Text(m.Text(), maxSentence) + ": " + strings.Join(cells, ", ")
}
