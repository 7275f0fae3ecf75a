package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// The most that a page lists of a kind: a longer list is not read, and GitHub
// does not show a job summary of more than 1 MiB at all.
const (
	mostCells    = 10
	mostFailures = 50
)

// Markdown writes the summary as a page for GitHub: the verdict first, then
// what it stands on. Texts that come from agents or files are escaped.
func Markdown(w io.Writer, s bench.Summary) error {
	var m document
	m.verdict(s)
	m.checks(checksOf(s))
	m.section(endpointsTable(s.Evidence))
	for _, c := range consequences(s) {
		fmt.Fprintf(&m, "**%s:** %s\n\n", c[0], escape(c[1]))
	}
	for _, part := range evidenceTables(s) {
		m.section(part)
	}
	if s.NothingCompared() == "" {
		m.facts("Reliability gate", reliabilityFacts(s.Gate))
		m.facts("Efficiency gate", efficiencyFacts(s.Gate))
	}
	m.missing(s.Missing)
	m.regressions(s.Regressions)
	m.warnings(s.Warnings)
	m.section(modesTable(s))
	m.section(scenariosTable(s))
	m.failures(failuresOf(s), nounOf(s))
	m.section(profilingTable(s))
	if _, err := io.WriteString(w, m.String()); err != nil {
		return fault.Infraf("write Markdown report: %w", err)
	}
	return nil
}

// document is a page of Markdown in the making.
type document struct{ strings.Builder }

func (m *document) verdict(s bench.Summary) {
	if versus := comparison(s, code); versus != "" {
		fmt.Fprintf(m, "%s\n\n", versus)
	}
	icon := map[tone]string{good: "✅", bad: "❌", neutral: "⚪"}[toneOf(s)]
	fmt.Fprintf(m, "## %s %s\n\n", icon, headline(s))
	if reason := reasonOf(s); reason != "" {
		fmt.Fprintf(m, "%s\n\n", escape(reason))
	}
	if s.Simulated {
		fmt.Fprintf(m, "> [!IMPORTANT]\n> **%s**\n\n", bench.SimulatedNotice)
	}
	m.facts("", contextFacts(s))
}

func (m *document) checks(checks []bench.Check) {
	if len(checks) == 0 {
		return
	}
	m.table(checksTable(checks))
}

// names are the labels of facts that are names. As code they can be copied as
// they are.
var names = [...]string{"Profile", "Candidate", "Baseline", "Model", "Run"}

// facts writes labels and figures as one paragraph.
func (m *document) facts(title string, facts [][2]string) {
	if len(facts) == 0 {
		return
	}
	var parts []string
	for _, f := range facts {
		text := escape(f[1])
		if slices.Contains(names[:], f[0]) {
			text = code(f[1])
		}
		parts = append(parts, f[0]+": "+text)
	}
	if title != "" {
		title = "**" + title + "** — "
	}
	fmt.Fprintf(m, "%s%s\n\n", title, strings.Join(parts, " · "))
}

func (m *document) section(t table) {
	if t.empty() {
		return
	}
	fmt.Fprintf(m, "### %s\n\n", t.title)
	if t.about != "" {
		fmt.Fprintf(m, "%s\n\n", t.about)
	}
	m.table(t)
}

// table writes the first columns to the left and those of figures to the
// right.
func (m *document) table(t table) {
	m.row(plainCells(t.head...))
	for i := range t.head {
		if i >= t.labels && i < len(t.head)-t.notes {
			fmt.Fprint(m, "|---:")
		} else {
			fmt.Fprint(m, "|:---")
		}
	}
	fmt.Fprint(m, "|\n")
	for _, row := range t.rows {
		m.row(row)
	}
	fmt.Fprint(m, "\n")
}

func (m *document) row(cells []cell) {
	for _, c := range cells {
		fmt.Fprintf(m, "| %s ", escape(c.Text))
	}
	fmt.Fprint(m, "|\n")
}

func (m *document) missing(missing []bench.MissingCells) {
	if len(missing) == 0 {
		return
	}
	fmt.Fprint(m, "### Missing cells\n\n")
	for _, part := range missing {
		listed, more := someCells(part.Cells)
		for i := range listed {
			listed[i] = code(listed[i])
		}
		fmt.Fprintf(m, "- %s: %s%s\n", escape(part.Text()), strings.Join(listed, ", "), andMore(more))
	}
	fmt.Fprint(m, "\n")
}

func (m *document) regressions(regressions []bench.Regression) {
	if len(regressions) == 0 {
		return
	}
	fmt.Fprint(m, "### Worse than recent runs\n\n")
	for _, r := range regressions {
		fmt.Fprintf(m, "- ⚠️ %s\n", escape(r.Sentence()))
	}
	fmt.Fprint(m, "\n")
}

func (m *document) warnings(warnings []string) {
	if len(warnings) == 0 {
		return
	}
	fmt.Fprint(m, "### Warnings\n\n")
	for _, w := range warnings {
		fmt.Fprintf(m, "- ⚠️ %s\n", escape(sentence(w)))
	}
	fmt.Fprint(m, "\n")
}

func (m *document) failures(failures []failure, of noun) {
	if len(failures) == 0 {
		return
	}
	fmt.Fprintf(m, "<details><summary>Failures by %s and mode (%d)</summary>\n\n", of, len(failures))
	for _, f := range failures[:min(mostFailures, len(failures))] {
		fmt.Fprintf(m, "- %s in %s: %s", code(f.scenario), code(f.mode), escape(f.types))
		if f.example != "" {
			fmt.Fprintf(m, ", for example %s", code(f.example))
		}
		fmt.Fprint(m, "\n")
		for _, change := range f.unallowed {
			fmt.Fprintf(m, "  - not allowed: %s\n", code(change))
		}
	}
	if more := len(failures) - mostFailures; more > 0 {
		fmt.Fprintf(m, "- and %d more\n", more)
	}
	fmt.Fprint(m, "\n</details>\n\n")
}
