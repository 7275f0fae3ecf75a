package report

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
)

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// HTML writes the summary as one page that needs nothing else: no request, no
// script. Its content security policy allows the page's own style sheet alone.
func HTML(w io.Writer, s bench.Summary) error {
	if err := pageTemplate.Execute(w, newPage(s)); err != nil {
		return fault.Infraf("write HTML report: %w", err)
	}
	return nil
}

// HTMLBody writes what [HTML] writes, without the page around it, for pages that
// have [Style]. Scenario returns the address of a scenario's page.
func HTMLBody(w io.Writer, s bench.Summary, scenario func(id string) string) error {
	p := newPage(s)
	for i := range p.Scenarios.Rows {
		p.Scenarios.Rows[i][0].Link = scenario(s.Scenarios[i].ID)
	}
	if err := pageTemplate.ExecuteTemplate(w, "body", p); err != nil {
		return fault.Infraf("write HTML report: %w", err)
	}
	return nil
}

// Style returns the style sheet of summaries, AttemptStyle what attempts need beside it.
func Style() string { return pageCSS }

// AttemptStyle is said above.
func AttemptStyle() string { return attemptCSS }

// page is what the template shows.
type page struct {
	Policy string
	CSS    template.CSS

	Icon     string // pass, fail or none
	Tone     tone
	Headline string
	Reason   string
	// Comparison and Consequences are of a verdict by evidence alone.
	Comparison   string
	Consequences [][2]string
	Simulated    string
	Candidate    string
	Baseline     string
	Facts        [][2]string
	Gates        []gateCard
	Checks       []checkLine
	// CheckCount is how many there are, as a word.
	CheckCount string
	Missing    []missingPart
	// Regressions and Warnings are sentences.
	Regressions, Warnings []string
	Endpoints             grid
	Forests               []forest
	Strips                []strips
	Evidence              []grid
	Modes                 grid
	Scenarios             grid
	Profiling             grid
	Failures              []failureLine
	MoreFailures          int
	Noun                  noun
	// Explore is nil without attempts.
	Explore *explore
}

// gateCard is one of the two gates.
type gateCard struct {
	Title, Passed string
	OK            bool
	Facts         [][2]string
}

// checkLine is a check of the gate.
type checkLine struct {
	OK                 bool
	Label, Value, Rule string
	// Link leads to the attempts that it is about, empty for nowhere.
	Link               string
	Doubt, Note        string // empty where there is none
	Interval, Evidence string // likewise
	Drawing            *drawing
}

// grid is a [table] for the template, without rows if there is none.
type grid struct {
	Title, About string
	Head         []string
	// Labels is how many first columns have labels; those from Notes on have notes.
	Labels, Notes int
	Rows          [][]cell
}

type missingPart struct {
	Text  string
	Cells []string
	More  int
}

type failureLine struct {
	Scenario, Mode, Types, Example string
	Unallowed                      []string
	// Link leads to the attempts, empty for nowhere; id is the scenario's, not cleaned.
	Link, id string
}

func newPage(s bench.Summary) page {
	p := page{
		Policy:   "default-src 'none'; style-src 'sha256-" + sumOf(pageCSS) + "'; base-uri 'none'; form-action 'none'",
		CSS:      template.CSS(pageCSS), //nolint:gosec // it is a file of ours
		Icon:     string(s.Gate.Verdict),
		Tone:     toneOf(s),
		Headline: headline(s),
		Reason:   withLabels(reasonOf(s)),

		Comparison:   comparison(s, oneLine),
		Consequences: consequences(s),
		Endpoints:    newGrid(endpointsTable(s.Evidence)),
		Forests:      forests(s.Evidence),
		Strips:       sessionStrips(s.Evidence),

		Noun:       nounOf(s),
		Candidate:  oneLine(string(s.Gate.Candidate)),
		Baseline:   oneLine(string(s.Gate.Baseline)),
		Facts:      slices.DeleteFunc(contextFacts(s), inHeading),
		Gates:      gateCards(s.Gate, checksOf(s)),
		Checks:     checkLines(checksOf(s)),
		CheckCount: bench.CountWord(len(checksOf(s))),
		Modes:      newGrid(modesTable(s)),
		Scenarios:  newGrid(scenariosTable(s)),
		Profiling:  newGrid(profilingTable(s)),
	}
	if ofBenchmark(s) && len(s.Modes) == 1 { // nobody was to compare or to judge it
		p.Baseline = ""
		p.Facts = slices.DeleteFunc(p.Facts, func(f [2]string) bool { return f[0] == "Profile" || f[0] == "Thresholds" })
	}
	for i := range p.Forests {
		f := &p.Forests[i]
		f.Noun, f.Label = p.Noun, strings.Replace(f.Label, "scenario", string(p.Noun), 1)
	}
	for i := range p.Strips {
		p.Strips[i].Noun = p.Noun
	}
	for _, part := range evidenceTables(s) {
		p.Evidence = append(p.Evidence, newGrid(part))
	}
	if s.Simulated {
		p.Simulated = bench.SimulatedNotice
	}
	p.addLists(s)
	return p
}

// withLabels names checks in a sentence by the beginning of their labels in the table.
func withLabels(text string) string {
	for _, name := range bench.CheckNames() {
		label, _, _ := strings.Cut(name.Label(), ",")
		text = strings.ReplaceAll(text, string(name), strings.ToLower(label))
	}
	return text
}

// inHeading reports whether the page's heading says the fact already.
func inHeading(fact [2]string) bool { return fact[0] == "Candidate" || fact[0] == "Baseline" }

func (p *page) addLists(s bench.Summary) {
	for _, part := range s.Missing {
		listed, more := someCells(part.Cells)
		p.Missing = append(p.Missing, missingPart{Text: oneLine(part.Text()), Cells: listed, More: more})
	}
	for _, r := range s.Regressions {
		p.Regressions = append(p.Regressions, oneLine(r.Sentence()))
	}
	for _, w := range s.Warnings {
		p.Warnings = append(p.Warnings, sentence(w))
	}
	failures := failuresOf(s)
	p.MoreFailures = max(0, len(failures)-mostFailures)
	for _, f := range failures[:len(failures)-p.MoreFailures] {
		p.Failures = append(p.Failures, failureLine{Scenario: f.scenario, Mode: f.mode, Types: f.types, Example: f.example, Unallowed: f.unallowed, id: f.id})
	}
}

func gateCards(g bench.Gate, checks []bench.Check) []gateCard {
	if len(checks) == 0 {
		return nil
	}
	reliability, efficiency := byGate(checks)
	return []gateCard{
		{"Reliability", passedOf(reliability), allPassed(reliability), reliabilityFacts(g)},
		{"Efficiency", passedOf(efficiency), allPassed(efficiency), efficiencyFacts(g)},
	}
}

func checkLines(checks []bench.Check) []checkLine {
	var lines []checkLine
	for _, c := range checks {
		line := checkLine{
			OK: c.Passed, Label: oneLine(c.Name.Label()), Value: c.ValueText(), Rule: c.RuleText(),
			Evidence: c.EvidenceText(), Note: strings.TrimPrefix(noteOf(c), "Uncertain. "),
		}
		if c.HasFigure() {
			d := draw(c)
			line.Drawing = &d
		}
		if c.Uncertain {
			line.Doubt = "uncertain"
		}
		if c.Interval != nil {
			line.Interval = c.IntervalText()
		}
		lines = append(lines, line)
	}
	return lines
}

func newGrid(t table) grid {
	if t.empty() {
		return grid{}
	}
	return grid{Title: t.title, About: t.about, Head: t.head, Labels: t.labels, Notes: len(t.head) - t.notes, Rows: t.rows}
}
