package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// ComparisonText writes a comparison for a terminal or a log: what is not the
// same in both runs first, then the figures.
func ComparisonText(w io.Writer, c bench.Comparison, opts TextOptions) error {
	t := terminal{TextOptions: opts}
	fmt.Fprintf(&t, "%s\n", t.painted(bold, "B against A"))
	for _, line := range comparedRuns(c) {
		t.prose(inLog(line), "  ")
	}
	if c.Simulated {
		t.prose(t.painted(yellow, bench.SimulatedNotice), "")
	}
	fmt.Fprintf(&t, "\n%s\n", t.painted(bold, comparability(c)))
	if settings := settingsTable(c); !settings.empty() {
		t.grid(settings)
	}
	t.prose(t.painted(faint, inLog(alikeText(c, oneLine))), "  ")
	for _, m := range c.Modes {
		t.title(modesCompared(m))
		fmt.Fprintf(&t, "%s\n", inLog(sentence(m.Evidence.Sentence)))
		for _, part := range comparisonTables(m) {
			t.section(part)
		}
	}
	if _, err := io.WriteString(w, t.String()); err != nil {
		return fault.Infraf("write comparison: %w", err)
	}
	return nil
}

// ComparisonMarkdown is [ComparisonText] as a page for GitHub.
func ComparisonMarkdown(w io.Writer, c bench.Comparison) error {
	var m document
	fmt.Fprint(&m, "## B against A\n\n")
	for _, line := range comparedRuns(c) {
		fmt.Fprintf(&m, "- %s\n", escape(line))
	}
	fmt.Fprint(&m, "\n")
	if c.Simulated {
		fmt.Fprintf(&m, "> [!IMPORTANT]\n> **%s**\n\n", bench.SimulatedNotice)
	}
	fmt.Fprintf(&m, "%s\n\n", escape(comparability(c)))
	if settings := settingsTable(c); !settings.empty() {
		m.table(settings)
	}
	fmt.Fprintf(&m, "%s\n\n", alikeText(c, escape))
	for _, compared := range c.Modes {
		fmt.Fprintf(&m, "## %s\n\n%s\n\n", escape(modesCompared(compared)), escape(sentence(compared.Evidence.Sentence)))
		for _, part := range comparisonTables(compared) {
			m.section(part)
		}
	}
	if _, err := io.WriteString(w, m.String()); err != nil {
		return fault.Infraf("write comparison: %w", err)
	}
	return nil
}

// comparedRuns says what A and B are.
func comparedRuns(c bench.Comparison) []string {
	var lines []string
	for _, r := range []struct {
		letter string
		run    bench.ComparedRun
	}{{"A", c.A}, {"B", c.B}} {
		line := fmt.Sprintf("%s: %s, %s", r.letter, oneLine(r.run.Name), plural(r.run.Rows, "row"))
		if len(r.run.RunIDs) > 0 {
			line += " of run " + runsText(r.run.RunIDs)
		}
		if r.run.From != "" {
			line += ", " + timeText(r.run.From) + " to " + timeText(r.run.To)
		}
		lines = append(lines, line)
	}
	return lines
}

// comparability says whether more than the tool may be why the runs differ.
func comparability(c bench.Comparison) string {
	if len(c.Differences) == 0 {
		return "Nothing that is recorded differs between the two but what they found."
	}
	return "What is not the same in both, and may be why they differ:"
}

func settingsTable(c bench.Comparison) table {
	t := table{head: []string{"Setting", "A", "B"}, labels: 1, notes: 2}
	for _, s := range c.Differences {
		t.rows = append(t.rows, plainCells(oneLine(s.Name), oneLine(s.A), oneLine(s.B)))
	}
	return t
}

func alikeText(c bench.Comparison, shown func(string) string) string {
	var parts []string
	for _, s := range c.Alike {
		parts = append(parts, shown(s.Name)+" "+shown(s.A))
	}
	if len(parts) == 0 {
		return "Nothing that is recorded is the same in both."
	}
	return "The same in both: " + strings.Join(parts, "; ") + "."
}

// modesCompared is the title of a pair of modes, with the verdict if there is
// one.
func modesCompared(m bench.ComparedModes) string {
	title := oneLine(string(m.B)) + " of B against " + oneLine(string(m.A)) + " of A"
	if m.SharedBlocks {
		title += ": " + m.Evidence.Verdict.Word()
	}
	return title
}

// comparisonTables are those of a report. Without a verdict they have neither
// what would be too much nor what would be without a scenario.
func comparisonTables(m bench.ComparedModes) []table {
	e := &m.Evidence
	if m.SharedBlocks {
		return append([]table{endpointsTable(e)}, evidenceTables(bench.Summary{Evidence: e, LeftOut: e.LeftOut})...)
	}
	endpoints, scenarios := endpointsTable(e), evidenceScenarios(e)
	endpoints.about = "B against A over the repetitions that both have. The intervals hold at whatever repetition the runs ended."
	endpoints.head, endpoints.labels = []string{"Figure", "Change", "95% interval"}, 1
	for i, row := range endpoints.rows {
		endpoints.rows[i] = row[1:4]
	}
	scenarios.about = "Changes with their intervals."
	scenarios.head = scenarios.head[:len(scenarios.head)-1]
	for i, row := range scenarios.rows {
		scenarios.rows[i] = row[:len(row)-1]
	}
	return []table{endpoints, describedTable(e), scenarios, leftOutTable(e.LeftOut)}
}
