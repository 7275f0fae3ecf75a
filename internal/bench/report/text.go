package report

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// paint is how a text looks on a terminal: an SGR code of ECMA-48.
type paint string

const (
	plain  paint = ""
	bold   paint = "1"
	faint  paint = "2"
	red    paint = "31"
	green  paint = "32"
	yellow paint = "33"
)

var paints = map[tone]paint{good: green, bad: red, doubtful: yellow}

// TextOptions say where a text is read.
type TextOptions struct {
	// Colour is for terminals.
	Colour bool
	// Columns is how wide lines may be, but for words that are wider; 0 is as
	// wide as they come.
	Columns int
}

// Text writes the summary for a terminal or a log: the verdict first, then
// the checks, aligned.
func Text(w io.Writer, s bench.Summary, opts TextOptions) error {
	t := terminal{TextOptions: opts}
	t.verdict(s)
	t.checks(checksOf(s))
	t.section(endpointsTable(s.Evidence))
	t.consequences(s)
	for _, part := range evidenceTables(s) {
		t.section(part)
	}
	t.doubts(s)
	t.section(modesTable(s))
	t.section(scenariosTable(s))
	t.failures(failuresOf(s))
	if _, err := io.WriteString(w, t.String()); err != nil {
		return fault.Infraf("write text report: %w", err)
	}
	return nil
}

// terminal is a text in the making.
type terminal struct {
	strings.Builder
	TextOptions
}

func (t *terminal) painted(p paint, s string) string {
	if !t.Colour || p == plain || s == "" {
		return s
	}
	return "\x1b[" + string(p) + "m" + s + "\x1b[0m"
}

func (t *terminal) verdict(s bench.Summary) {
	if versus := comparison(s, inLog); versus != "" {
		t.prose(versus, "")
	}
	look := bold + ";" + cmp.Or(paints[toneOf(s)], yellow)
	t.prose(t.painted(look, headline(s))+"  "+inLog(reasonOf(s)), "  ")
	if s.Simulated {
		t.prose(t.painted(yellow, bench.SimulatedNotice), "")
	}
	var parts []string
	for _, f := range contextFacts(s) {
		parts = append(parts, f[0]+": "+inLog(f[1]))
	}
	t.prose(t.painted(faint, strings.Join(parts, " · ")), "  ")
}

// consequences stand below the endpoints.
func (t *terminal) consequences(s bench.Summary) {
	all := consequences(s)
	if len(all) > 0 {
		fmt.Fprintln(t)
	}
	for _, c := range all {
		t.bullet(c[0], c[1])
	}
}

func (t *terminal) checks(checks []bench.Check) {
	if len(checks) == 0 {
		return
	}
	t.title("Checks")
	g := table{head: []string{"", "Check", "Value", "Rule", "95% interval", "p-value and effect"}, labels: 2, notes: 1}
	for _, c := range checks {
		line := plainCells("pass", oneLine(string(c.Name)), c.ValueText(), c.RuleText(), c.IntervalText(), c.EvidenceText())
		line[0].Tone = good
		switch {
		case !c.Passed:
			line[0] = cell{Text: "FAIL", Tone: bad}
		case c.Uncertain:
			line[0].Tone = doubtful
		}
		g.rows = append(g.rows, line)
	}
	t.grid(g)
	for _, c := range checks {
		if note := noteOf(c); note != "" {
			t.bullet(string(c.Name), note)
		}
	}
}

// doubts lists what speaks against the figures.
func (t *terminal) doubts(s bench.Summary) {
	if len(s.Missing)+len(s.Regressions)+len(s.Warnings) > 0 {
		t.title("Warnings")
	}
	for _, part := range s.Missing {
		listed, more := someCells(part.Cells)
		t.bullet("missing", oneLine(part.Text())+": "+strings.Join(listed, ", ")+andMore(more))
	}
	for _, r := range s.Regressions {
		t.bullet("worse than recent runs", oneLine(r.Sentence()))
	}
	for _, warning := range s.Warnings {
		t.bullet("warning", sentence(warning))
	}
}

func (t *terminal) failures(failures []failure) {
	if len(failures) > 0 {
		t.title("Failures")
	}
	for _, f := range failures[:min(mostFailures, len(failures))] {
		line := f.types
		if f.example != "" {
			line += ", for example: " + f.example
		}
		t.bullet(f.scenario+" in "+f.mode, line)
	}
	if more := len(failures) - mostFailures; more > 0 {
		fmt.Fprintf(t, "- and %d more\n", more)
	}
}

// prose writes a line, wrapped between words where it is too wide. What goes on
// is indented.
func (t *terminal) prose(line, indent string) {
	if t.Columns == 0 {
		fmt.Fprintf(t, "%s\n", line)
		return
	}
	out, width := &t.Builder, 0
	for i, word := range strings.Split(line, " ") {
		size := utf8.RuneCountInString(paintCode.ReplaceAllString(word, ""))
		switch {
		case i == 0:
		case size > 0 && width+1+size > t.Columns:
			out.WriteString("\n" + indent)
			width = utf8.RuneCountInString(indent)
		default:
			out.WriteByte(' ')
			width++
		}
		out.WriteString(word)
		width += size
	}
	out.WriteByte('\n')
}

// paintCode is what [terminal.painted] adds, which has no width.
var paintCode = regexp.MustCompile("\x1b\\[[0-9;]*m")

func (t *terminal) title(title string) { fmt.Fprintf(t, "\n%s\n", t.painted(bold, title)) }

func (t *terminal) bullet(label, text string) {
	t.prose("- "+t.painted(bold, inLog(label))+": "+inLog(text), "  ")
}

func (t *terminal) section(g table) {
	if g.empty() {
		return
	}
	t.title(g.title)
	if g.about != "" {
		t.prose(t.painted(faint, g.about), "")
	}
	t.grid(g)
}

// maxCell is how many characters of a text a column has room for.
const maxCell = 60

// inCell is a text as it stands in a column.
func inCell(s string) string {
	runes := []rune(inLog(s))
	if len(runes) > maxCell {
		return string(runes[:maxCell-1]) + "…"
	}
	return string(runes)
}

// grid writes a table in columns.
func (t *terminal) grid(g table) {
	head := plainCells(g.head...)
	widths := make([]int, len(head))
	for _, row := range append([][]cell{head}, g.rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(inCell(c.Text)))
		}
	}
	width := gap * (len(widths) - 1)
	for _, w := range widths {
		width += w
	}
	if t.Columns > 0 && width > t.Columns {
		t.stack(g)
		return
	}
	t.row(g, head, widths, faint)
	for _, row := range g.rows {
		t.row(g, row, widths, plain)
	}
}

// gap is how many blanks are between columns.
const gap = 2

// stack writes a table that is too wide for columns: each row's labels, and
// below them its figures with their names.
func (t *terminal) stack(g table) {
	for _, row := range g.rows {
		var labels, figures []string
		for i, c := range row {
			text := inCell(c.Text)
			painted := t.painted(paints[c.Tone], text)
			switch {
			case text == "":
			case i < g.labels:
				labels = append(labels, painted)
			case g.head[i] == "":
				figures = append(figures, painted)
			default:
				figures = append(figures, t.painted(faint, inLog(g.head[i])+":")+" "+painted)
			}
		}
		t.prose(strings.Join(labels, "  "), "  ")
		t.prose("    "+strings.Join(figures, " · "), "    ")
	}
}

// row writes labels and notes to the left and figures to the right.
func (t *terminal) row(g table, cells []cell, widths []int, look paint) {
	var line strings.Builder
	for i, c := range cells {
		text := inCell(c.Text)
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
		text = t.painted(cmp.Or(paints[c.Tone], look), text)
		if i > 0 {
			line.WriteString(strings.Repeat(" ", gap))
		}
		if i >= g.labels && i < len(cells)-g.notes {
			line.WriteString(pad + text)
		} else {
			line.WriteString(text + pad)
		}
	}
	fmt.Fprintf(t, "%s\n", strings.TrimRight(line.String(), " "))
}
