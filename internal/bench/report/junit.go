package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// JUnit writes rows and gate as JUnit XML: a test suite per mode with a case
// per cell, and the suite "gate" with a case per check. A runner failure is an
// error, another one a failure; a cell without a row is skipped, and so are
// the checks where there is no verdict.
//
// The suites say how many cases they have before they list them, so the cases
// are kept until Close, some 150 bytes each and no more than [maxDetail] of an
// error.
type JUnit struct {
	to     io.Writer
	suites map[bench.Mode]*suite
}

// maxDetail is how much of an error's text a case has, in bytes.
const maxDetail = 2000

// suite is a test suite in the making.
type suite struct {
	cases                            bytes.Buffer
	tests, failures, errors, skipped int
	seconds                          float64
}

// NewJUnit returns a writer to w.
func NewJUnit(w io.Writer) *JUnit {
	return &JUnit{to: w, suites: map[bench.Mode]*suite{}}
}

// Write adds a row. It keeps nothing of it.
func (j *JUnit) Write(row *bench.Row) error {
	const millisecondsPerSecond = 1000
	seconds := row.LatencyMSWall / millisecondsPerSecond
	s := j.suite(row.Mode)
	s.seconds += seconds
	s.open(row.ScenarioID, row.Cell().String(), seconds)
	switch {
	case row.Success:
	case row.Error.RunnerFailure():
		s.errors++
		s.outcome("error", string(row.Error.Type), row.Error.Message, row.Error.Message)
	case row.Error != nil:
		s.failures++
		s.outcome("failure", string(row.Error.Type), row.Error.Message, detailOf(row))
	default:
		s.failures++
		s.outcome("failure", "failed", "the cell did not succeed", detailOf(row))
	}
	s.close()
	return nil
}

// Close writes everything and leaves the writer below open. Of the summary it
// uses the gate, the missing cells and whether the run was simulated.
func (j *JUnit) Close(s bench.Summary) error {
	for _, part := range s.Missing {
		for _, cell := range part.Cells {
			missing := j.suite(cell.Mode)
			missing.open(cell.ScenarioID, cell.String(), 0)
			missing.skip(string(part.Reason))
			missing.close()
		}
	}
	var out bytes.Buffer
	out.WriteString(xml.Header + "<testsuites name=\"bench\">\n")
	for _, mode := range bench.SortedModes(j.suites) {
		j.suites[mode].write(&out, string(mode), s)
	}
	gateSuite(s).write(&out, "gate", s)
	out.WriteString("</testsuites>\n")
	if _, err := j.to.Write(out.Bytes()); err != nil {
		return fault.Infraf("write JUnit report: %w", err)
	}
	return nil
}

func (j *JUnit) suite(mode bench.Mode) *suite {
	s := j.suites[mode]
	if s == nil {
		s = &suite{}
		j.suites[mode] = s
	}
	return s
}

// gateSuite has the checks of the gate, also where they were not made. A verdict by
// evidence is one case, which is skipped where it cannot be told.
func gateSuite(summary bench.Summary) *suite {
	g := summary.Gate
	if summary.Evidence != nil {
		s := &suite{}
		s.open("gate", "evidence", 0)
		switch g.Verdict {
		case bench.VerdictPass:
		case bench.VerdictFail:
			s.failures++
			s.outcome("failure", "gate", summary.Evidence.Cause.Text, g.Reason)
		default:
			s.skip("can't tell: " + g.Reason)
		}
		s.close()
		return s
	}
	checks := map[bench.CheckName]bench.Check{}
	for _, c := range g.Checks {
		checks[c.Name] = c
	}
	s := &suite{}
	for _, name := range bench.CheckNames() {
		s.open("gate", string(name), 0)
		switch c, made := checks[name]; {
		case !made, g.Verdict == bench.VerdictNone:
			s.skip("no verdict: " + g.Reason)
		case !c.Passed:
			s.failures++
			message := name.Label() + " is " + c.ValueText() + ", the rule is " + c.RuleText()
			s.outcome("failure", "gate", message, noteOf(c))
		}
		s.close()
	}
	return s
}

func (s *suite) write(out *bytes.Buffer, name string, summary bench.Summary) {
	fmt.Fprintf(out, "<testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.3f\">\n",
		attribute(name), s.tests, s.failures, s.errors, s.skipped, s.seconds)
	fmt.Fprintf(out, "<properties><property name=\"verdict\" value=\"%s\"/>", attribute(string(summary.Gate.Verdict)))
	if summary.Simulated {
		fmt.Fprintf(out, "<property name=\"simulated\" value=\"%s\"/>", attribute(bench.SimulatedNotice))
	}
	out.WriteString("</properties>\n")
	out.Write(s.cases.Bytes())
	out.WriteString("</testsuite>\n")
}

func (s *suite) open(class, name string, seconds float64) {
	s.tests++
	fmt.Fprintf(&s.cases, "<testcase classname=\"%s\" name=\"%s\" time=\"%.3f\">", attribute(class), attribute(name), seconds)
}

func (s *suite) close() { s.cases.WriteString("</testcase>\n") }

func (s *suite) skip(why string) {
	s.skipped++
	fmt.Fprintf(&s.cases, "<skipped message=\"%s\"/>", attribute(oneLine(why)))
}

func (s *suite) outcome(element, kind, message, detail string) {
	fmt.Fprintf(&s.cases, "<%s type=\"%s\" message=\"%s\">%s</%s>",
		element, attribute(kind), attribute(oneLine(message)), attribute(cut(detail, maxDetail)), element)
}

// detailOf is the error's text and what the failed checkpoints found.
func detailOf(row *bench.Row) string {
	var lines []string
	if row.Error != nil {
		lines = append(lines, row.Error.Message)
	}
	for _, c := range row.Checkpoints {
		if !c.Passed {
			lines = append(lines, "checkpoint "+c.Name+": "+c.Detail)
		}
	}
	return strings.Join(lines, "\n")
}

// cut returns at most that many bytes of s, whole characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// attribute escapes a text for XML; what XML has no place for is replaced.
func attribute(s string) string {
	var out strings.Builder
	if err := xml.EscapeText(&out, []byte(s)); err != nil {
		return "" // a strings.Builder takes everything
	}
	return out.String()
}
