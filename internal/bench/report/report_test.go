package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

type writeFunc func(io.Writer, bench.Summary) error

// formats has every way to write a summary, by the ending of its files.
func formats() map[string]writeFunc {
	return map[string]writeFunc{
		"json": report.JSON,
		"md":   report.Markdown,
		"html": report.HTML,
		"txt":  func(w io.Writer, s bench.Summary) error { return report.Text(w, s, report.TextOptions{}) },
		"xml":  writeJUnit,
		"csv":  writeCSV,
	}
}

func writeJUnit(w io.Writer, s bench.Summary) error {
	j := report.NewJUnit(w)
	for _, row := range rowsFor(s) {
		if err := j.Write(&row); err != nil {
			return err
		}
	}
	return j.Close(s)
}

func writeCSV(w io.Writer, s bench.Summary) error {
	c := report.NewRowsCSV(w)
	for _, row := range rowsFor(s) {
		if err := c.Write(&row); err != nil {
			return err
		}
	}
	return c.Close()
}

func written(t testing.TB, write writeFunc, s bench.Summary) string {
	var out bytes.Buffer
	require.NoError(t, write(&out, s))
	return out.String()
}

func TestGolden(t *testing.T) {
	for _, e := range examples() {
		endings := []string{"md", "txt", "html", "xml"}
		if e.name == "fail" || e.name == "hostile" {
			endings = append(endings, "json", "csv")
		}
		for _, ending := range endings {
			t.Run(e.name+"."+ending, func(t *testing.T) {
				testkit.CheckGolden(t, e.reason, "testdata/"+e.name+"."+ending, []byte(written(t, formats()[ending], e.summary)))
			})
		}
	}
}

func TestTheVerdictIsTheFirstThingToRead(t *testing.T) {
	for _, c := range []struct {
		name    string
		summary bench.Summary
		want    string
	}{
		{"pass", passing(), "PASS"},
		{"fail", failing(), "FAIL"},
		{"no verdict", noVerdict(), "NO VERDICT"},
		{"a missing part of the plan", incomplete(), "NO VERDICT"},
		{"nothing at all", bench.Summary{}, "NO VERDICT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			md, _, _ := strings.Cut(written(t, report.Markdown, c.summary), "\n")
			assert.True(t, strings.HasSuffix(md, " "+c.want), md)
			txt, _, _ := strings.Cut(written(t, formats()["txt"], c.summary), "\n")
			assert.True(t, strings.HasPrefix(txt, c.want+"  "), txt)
			assert.Contains(t, written(t, report.HTML, c.summary), "<h1>"+c.want+"</h1>")
		})
	}
}

func TestG6TheTenChecksAreShownInOrder(t *testing.T) {
	labels := []string{
		"Success rate, difference", "Valid output", "Runner failures", "Timeouts and stalls", "Retries",
		"Scenarios compared", "Active tokens, reduction", "Latency, reduction", "Tool calls, reduction", "Cost, reduction",
	}
	for ending, begin := range map[string]string{"md": "| Result |", "txt": "\nChecks\n", "html": `id="checks"`, "xml": `name="gate"`} {
		_, rest, found := strings.Cut(written(t, formats()[ending], failing()), begin)
		require.True(t, found, ending)
		for i, label := range labels {
			if ending == "xml" || ending == "txt" {
				label = string(failing().Gate.Checks[i].Name)
			}
			_, rest, found = strings.Cut(rest, label)
			require.True(t, found, "%s does not show %q after the ones before", ending, label)
		}
	}
}

func TestG13DoubtIsShownBesideTheVerdict(t *testing.T) {
	for _, ending := range []string{"md", "txt", "html"} {
		text := written(t, formats()[ending], uncertain())
		assert.Contains(t, text, "PASS")
		assert.Contains(t, strings.ToLower(text), "uncertain")
		assert.Contains(t, text, "−3.9 to 28.4%")
		assert.Contains(t, text, "p = 0.087, effect 0.22")
	}
}

func TestG15EveryOutputOfASimulatedRunSaysSo(t *testing.T) {
	says := map[string]string{
		"json": `"simulated": true`, "csv": ",true\n", "xml": "no model was involved",
		"md": "no model was involved", "html": "no model was involved", "txt": "no model was involved",
	}
	for ending, write := range formats() {
		assert.Contains(t, written(t, write, simulated()), says[ending], ending)
		assert.NotContains(t, written(t, write, passing()), says[ending], ending)
	}
	assert.NotContains(t, written(t, report.Markdown, simulated()), "✅ PASS", "the verdict is for show")
}

func TestR9MissingCellsAreListedByReason(t *testing.T) {
	for _, ending := range []string{"md", "txt", "html"} {
		text := written(t, formats()[ending], incomplete())
		for _, want := range []string{
			"1 cell without a row, because the run was stopped", "pr-checks-rerun-001/ghx/3",
			"2 cells without a row, because the budget was used up", "pr-checks-rerun-001/ghx@base/4",
			"24 cells without a row, because they never ran", "and 14 more",
		} {
			assert.Contains(t, text, want, ending)
		}
	}
}

func TestS12UnallowedChangesStandByTheirFailure(t *testing.T) {
	s := failing()
	many := s.Scenarios[1].Modes[bench.GHX]
	for i := range 20 {
		many.UnallowedChanges = append(many.UnallowedChanges, "change "+strconv.Itoa(i))
	}
	s.Scenarios[1].Modes[bench.GHX] = many
	for _, ending := range []string{"md", "html"} {
		text := written(t, formats()[ending], s)
		_, text, found := strings.Cut(text, "3 × checkpoint")
		require.True(t, found, ending)
		assert.Contains(t, text, "deleted branch acme/tool: docs/old: nothing of the kind may be deleted", ending)
		assert.Contains(t, text, "change 2", ending)
		assert.NotContains(t, text, "change 3", "%s has %d of them", ending, bench.MaxUnallowedChanges)
	}
}

func TestS13TheRouteIsShownWhereItIsKnown(t *testing.T) {
	for _, ending := range []string{"md", "html", "txt"} {
		assert.Contains(t, written(t, formats()[ending], failing()), "87.5%", ending)
		assert.NotContains(t, written(t, formats()[ending], passing()), "Route as asked", ending)
	}
}

func TestTasksOfAnotherSystemsBenchmarkHaveTheirRewards(t *testing.T) {
	s := passing()
	for mode, m := range s.Modes {
		m.MeanReward = ref(0.6875)
		s.Modes[mode] = m
	}
	task := s.Scenarios[0].Modes[bench.GHX]
	task.MeanReward = ref(0.7 * float64(task.Successes) / float64(task.Runs))
	s.Scenarios[0].Modes[bench.GHX] = task
	for _, ending := range []string{"md", "html", "txt"} {
		text := written(t, formats()[ending], s)
		for _, want := range []string{"Reward, mean", "0.6875", ", reward 0.7", "Tasks"} {
			assert.Contains(t, text, want, ending)
		}
		for _, not := range []string{"Reward, mean", ", reward", "Tasks"} {
			assert.NotContains(t, written(t, formats()[ending], passing()), not, ending)
		}
		for _, not := range []string{"by scenario", "of one scenario", "all scenarios"} {
			assert.NotContains(t, text, not, ending)
		}
	}
}

func TestG12JSONHasTheOriginalsNamesAndNothingIsLost(t *testing.T) {
	s := failing()
	s.Missing = []bench.MissingCells{}
	text := written(t, report.JSON, s)
	var back bench.Summary
	require.NoError(t, json.Unmarshal([]byte(text), &back))
	assert.Equal(t, s, back)

	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &fields))
	for _, name := range []string{"generatedAt", "modes", "profiling", "deltaVsAgentDirect", "gateV2"} {
		assert.Contains(t, fields, name)
	}
	t.Run("lists are never null", func(t *testing.T) {
		text := written(t, report.JSON, bench.Summary{})
		for _, name := range []string{"checks", "runIds", "scenarios", "missing", "warnings", "regressions"} {
			assert.Contains(t, text, `"`+name+`": []`)
		}
		assert.Contains(t, text, `"modes": {}`)
		assert.Contains(t, text, `"deltaVsAgentDirect": null`)
	})
}

func TestHostileTextsStayTexts(t *testing.T) {
	for ending, never := range map[string][]string{
		"json": {"\x1b", "\x00"},
		"csv":  {"\x1b", "\x00", "\n::"},
		"xml":  {"\x1b", "\x00", "<script"},
		"txt":  {"\x1b", "\x00", "\x07", "\u202e", "\u2066", "\n::", "##["},
		"md":   {"\x1b", "\x00", "\x07", "\u202e", "\u2066", "\n::", "##[", "| <script", " <img", " [click](", " @octocat and @acme/team, see"},
		"html": {"\x1b", "\x00", "\x07", "\u202e", "\u2066", "<script", "<img", "{{"},
	} {
		text := written(t, formats()[ending], hostile())
		if ending == "html" {
			text = strings.ReplaceAll(text, "{{.}}", "") // it is shown as it is
		}
		if ending == "md" {
			text = regexp.MustCompile("(`+)[^`].*?[^`]`+").ReplaceAllString(text, "code")
		}
		assert.True(t, utf8.ValidString(text), "%s is UTF-8", ending)
		for _, n := range never {
			assert.False(t, strings.Contains(text, n), "%q in %s", n, ending)
		}
	}
}

func TestTextIsAlignedAndItsColourCanBeTakenAway(t *testing.T) {
	plain := written(t, formats()["txt"], failing())
	coloured := written(t, func(w io.Writer, s bench.Summary) error { return report.Text(w, s, report.TextOptions{Colour: true}) }, failing())
	assert.NotContains(t, plain, "\x1b")
	assert.Contains(t, coloured, "\x1b[1;31mFAIL\x1b[0m")
	assert.Equal(t, plain, regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured, ""))

	_, table, _ := strings.Cut(plain, "\nChecks\n")
	ends := map[int]bool{}
	for line := range strings.Lines(table) {
		if before, _, found := strings.Cut(line, "≥"); found && !strings.HasPrefix(line, "-") {
			ends[utf8.RuneCountInString(strings.TrimRight(before, " "))] = true
		}
	}
	assert.Len(t, ends, 1, "the values end in one column")
}

func TestCSVIsExactAndSafeInASpreadsheet(t *testing.T) {
	rows := rowsFor(hostile())
	lines, err := csv.NewReader(strings.NewReader(written(t, writeCSV, hostile()))).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, len(rows)+1)
	at := map[string]int{}
	for i, name := range lines[0] {
		at[name] = i
	}
	for i, row := range rows {
		line := lines[i+1]
		assert.Equal(t, strconv.Itoa(row.Iteration), line[at["iteration"]])
		assert.Equal(t, "0.0123456789", line[at["cost"]])
		assert.Equal(t, "22252.5", line[at["latency_ms_wall"]])
		assert.Equal(t, "", line[at["sdk_latency_ms"]], "null is empty")
		assert.Equal(t, "375", line[at["tokens_active"]])
		for _, field := range line {
			assert.False(t, field != "" && strings.ContainsAny(field[:1], "=+-@\t\r\n"), "%q is a formula", field)
		}
	}
	t.Run("a negative figure is a figure", func(t *testing.T) {
		row := rows[0]
		row.Cost = -1.5
		var out bytes.Buffer
		c := report.NewRowsCSV(&out)
		require.NoError(t, c.Write(&row))
		require.NoError(t, c.Close())
		assert.Contains(t, out.String(), ",-1.5,")
	})
	t.Run("without rows there are the names", func(t *testing.T) {
		var out bytes.Buffer
		require.NoError(t, report.NewRowsCSV(&out).Close())
		assert.Equal(t, strings.Join(lines[0], ",")+"\n", out.String())
	})
}

// Fields of a row that are no column, and why.
var notInCSV = map[string]string{
	"timing_breakdown": "nested, and medians are in the summary", "api_requests": "nested; api_calls is their sum",
	"tool_use": "a list that no count says anything of", "unsupported": "a list that no count says anything of", "refused_hosts": "a list that no count says anything of",
	"changes": "a list that no count says anything of", "wire": "nested; warnings tell where it is not as tokens are", "tools": "versions, which are the run's",
	"order": "about the plan", "schema_version": "about the form", "scenario_hash": "about the content", "mode_hash": "about the content",
	"footprint_judged": "the report has it", "footprint_unjudged": "the report has it", "route_ok": "the report has it", "reward": "columns that rows of other benchmarks have alone",
}

func TestRowsOfOtherBenchmarksHaveTheirReward(t *testing.T) {
	var out bytes.Buffer
	rows := report.NewRowsCSV(&out)
	for _, r := range []*bench.Reward{{Value: new(0.7), Status: "scored"}, {Status: "=timeout()"}} {
		require.NoError(t, rows.Write(&bench.Row{ScenarioID: "task", Reward: r}))
	}
	require.NoError(t, rows.Close())
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	assert.True(t, strings.HasSuffix(lines[0], ",simulated,reward_value,reward_status"))
	assert.True(t, strings.HasSuffix(lines[1], ",0.7,scored"))
	assert.True(t, strings.HasSuffix(lines[2], ",,'=timeout()"), "a text is no formula")
}

func TestR2EveryFieldOfARowIsInTheCSVOrLeftOutForAReason(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.NewRowsCSV(&out).Close())
	columns := strings.Split(strings.TrimSpace(out.String()), ",")
	for i := range reflect.TypeFor[bench.Row]().NumField() {
		field := reflect.TypeFor[bench.Row]().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		nested := field.Type.Kind() == reflect.Struct || field.Type.Kind() == reflect.Pointer && field.Type.Elem().Kind() == reflect.Struct
		shown := slices.ContainsFunc(columns, func(column string) bool { return column == name || nested && strings.HasPrefix(column, name+"_") })
		assert.Equal(t, name == "-" || notInCSV[name] != "", !shown, "a row's %s is to be either a column of report/csv.go or in notInCSV", name)
	}
}

// junit is what readers of JUnit XML look at.
type junit struct {
	Suites []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string       `xml:"name,attr"`
			Failure *junitReason `xml:"failure"`
			Error   *junitReason `xml:"error"`
			Skipped *junitReason `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type junitReason struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func TestJUnitIsWellFormedAndCountsItsCases(t *testing.T) {
	for _, e := range examples() {
		t.Run(e.name, func(t *testing.T) {
			var all junit
			require.NoError(t, xml.Unmarshal([]byte(written(t, writeJUnit, e.summary)), &all))
			for _, s := range all.Suites {
				failures, runnerErrors, skipped := 0, 0, 0
				for _, c := range s.Cases {
					for counter, reason := range map[*int]*junitReason{&failures: c.Failure, &runnerErrors: c.Error, &skipped: c.Skipped} {
						if reason != nil {
							*counter++
						}
					}
				}
				assert.Equal(t, []int{len(s.Cases), failures, runnerErrors, skipped}, []int{s.Tests, s.Failures, s.Errors, s.Skipped}, s.Name)
			}
			gate := all.Suites[len(all.Suites)-1]
			assert.Equal(t, "gate", gate.Name)
			assert.Len(t, gate.Cases, len(bench.CheckNames()))
		})
	}
}

func TestR8JUnitTellsRunnerFailuresFromOthers(t *testing.T) {
	var all junit
	require.NoError(t, xml.Unmarshal([]byte(written(t, writeJUnit, incomplete())), &all))
	kinds := map[string]string{}
	for _, s := range all.Suites {
		for _, c := range s.Cases {
			switch {
			case c.Error != nil:
				kinds[c.Name] = "error " + c.Error.Type
			case c.Failure != nil:
				kinds[c.Name] = "failure " + c.Failure.Type + ": " + c.Failure.Text
			case c.Skipped != nil:
				kinds[c.Name] = "skipped " + c.Skipped.Message
			default:
				kinds[c.Name] = "passed"
			}
		}
	}
	assert.Equal(t, "passed", kinds["pr-checks-rerun-001/ghx/1"])
	assert.Equal(t, "failure assertion_failed: want ok true,\ngot false", kinds["pr-checks-rerun-001/agent_direct/1"])
	assert.Equal(t, "error runner_timeout_stalled_session", kinds["pr-checks-rerun-001/ghx/2"])
	assert.Equal(t, "failure checkpoint_failed: 1 of 2 checkpoints failed\ncheckpoint labelled: want bug, got none", kinds["pr-checks-rerun-001/ghx/4"])
	assert.Equal(t, "skipped never_ran", kinds["issue-triage-comment-wf-001/ghx/7"])
	assert.Contains(t, kinds[string(bench.CheckRetryRate)], "skipped no verdict: 27 of 67", "a check is no verdict")
}

func TestErrorsOfTheWriterArePassedOn(t *testing.T) {
	full := errors.New("the disk is full")
	for ending, write := range formats() {
		err := write(broken{full}, failing())
		assert.ErrorIs(t, err, full, ending)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err), ending)
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestAReaderOfAVerdictSeesWhatItWasMeasuredWith(t *testing.T) {
	s := passing()
	for name, write := range formats() {
		if name == "xml" || name == "csv" {
			continue // they have the rows, not the summary
		}
		assert.NotContains(t, written(t, write, s), "Measured with", "summaries of older versions do not tell")
		told := s
		told.Versions = bench.Versions{"agent": {"opencode 1.0"}, "gh": {"2.80.0"}, "harness": {"v1.2"}, "proxy": {"v1.2"}, "sandbox": {"v1.2"}}
		text := written(t, write, told)
		if name == "json" {
			assert.Contains(t, text, `"sandbox": [`)
			continue
		}
		for _, want := range []string{"Measured with", "opencode 1.0", "2.80.0", "harness, proxy, sandbox v1.2"} {
			assert.Contains(t, strings.ReplaceAll(text, `\`, ""), want, name)
		}
	}
}
