package service_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const head = "1111111111111111111111111111111111111111"

// asked is a run of two cells.
func asked() runs.Run {
	return runs.Run{ID: "run-1", Repo: "o/r", Head: head, Request: runs.Request{Owner: "o", Name: "r", BaseSHA: base, Plan: settings.Plan{
		Profile: bench.VerifyPR, Scenarios: []string{"a"}, Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Baseline: bench.AgentDirect, Candidate: bench.GHX,
		Repetitions: bench.Repetitions{First: 1, Most: 1}, Model: "openai/m", Executor: settings.Dispatch, Workflow: "bench.yml",
	}}}
}

func rowOf(mode bench.Mode) bench.Row {
	commit := head
	return bench.Row{
		RunID: "x", Mode: mode, ScenarioID: "a", Iteration: 1, Model: bench.ModelRef{ProviderID: "openai", ModelID: "m"}, Git: bench.GitRef{Commit: &commit},
	}
}

func summary() bench.Summary {
	return bench.Summary{
		Modes:     map[bench.Mode]bench.ModeSummary{bench.AgentDirect: {Runs: 1}, bench.GHX: {Runs: 1}},
		Scenarios: []bench.ScenarioSummary{{ID: "a"}},
		Gate:      bench.Gate{Profile: bench.VerifyPR, Baseline: bench.AgentDirect, Candidate: bench.GHX, Verdict: bench.VerdictPass, Passed: true},
	}
}

// file is one in an archive.
type file struct {
	name    string
	content any
}

func lines(t *testing.T, rows ...bench.Row) string {
	t.Helper()
	var text strings.Builder
	for i := range rows {
		line, err := json.Marshal(rows[i])
		require.NoError(t, err)
		text.Write(append(line, '\n'))
	}
	return text.String()
}

func archive(t *testing.T, files ...file) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for _, f := range files {
		text, is := f.content.(string)
		if !is {
			data, err := json.Marshal(f.content)
			require.NoError(t, err)
			text = string(data)
		}
		w, err := writer.Create(f.name)
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return out.Bytes()
}

func TestAnArtifactIsReadAsItWasAskedFor(t *testing.T) {
	both := file{"rows-suite.jsonl", lines(t, rowOf(bench.AgentDirect), rowOf(bench.GHX))}
	rows, judged, err := service.Read(archive(t, file{"summary.json", summary()}, both, file{"report.html", "<script>"}, file{"../../etc/passwd", "x"}, file{"../x-suite.jsonl", "x"}), asked())
	require.NoError(t, err)
	assert.Equal(t, []any{2, true}, []any{rows, judged}, "what is not known does not count, wherever it would lead")

	rows, judged, err = service.Read(archive(t, file{"a-suite.jsonl", lines(t, rowOf(bench.GHX))}), asked())
	require.NoError(t, err)
	assert.Equal(t, []any{1, false}, []any{rows, judged}, "a run that ended early leaves its rows")
}

func TestAnArtifactThatIsSomethingElseIsRefused(t *testing.T) {
	good := []bench.Row{rowOf(bench.AgentDirect), rowOf(bench.GHX)}
	change := func(do func(*bench.Row)) string {
		row := rowOf(bench.GHX)
		do(&row)
		return lines(t, good[0], row)
	}
	changed := func(do func(*bench.Summary)) bench.Summary {
		s := summary()
		do(&s)
		return s
	}
	other := "2222222222222222222222222222222222222222"
	for name, c := range map[string]struct {
		summary any
		rows    string
		says    string
	}{
		"a row of another commit":          {summary(), change(func(r *bench.Row) { r.Git.Commit = &other }), "line 2 of rows-suite.jsonl: it is not of commit"},
		"a row without a commit":           {summary(), change(func(r *bench.Row) { r.Git.Commit = nil }), "it is not of commit"},
		"a row of another scenario":        {summary(), change(func(r *bench.Row) { r.ScenarioID = "b" }), "the plan has no cell b/ghx/1"},
		"a row of another repetition":      {summary(), change(func(r *bench.Row) { r.Iteration = 2 }), "the plan has no cell"},
		"a row of another mode":            {summary(), change(func(r *bench.Row) { r.Mode = bench.MCP }), "the plan has no cell"},
		"a row of another model":           {summary(), change(func(r *bench.Row) { r.Model.ModelID = "cheap" }), "it is of model openai/cheap, not of openai/m"},
		"a row without a model":            {summary(), change(func(r *bench.Row) { r.Simulated = true }), "whether a model was involved"},
		"a cell twice":                     {summary(), lines(t, good[1], good[1]), "cell a/ghx/1 has two rows"},
		"too many rows":                    {summary(), lines(t, good[0], good[1], good[0]), "more rows than the plan has cells"},
		"a row that is none":               {summary(), "{}}\n", "it is no row"},
		"rows that are missing":            {summary(), lines(t, good[0]), "the summary is of 2 rows, and there are 1"},
		"rows that are missing and unsaid": {changed(func(s *bench.Summary) { delete(s.Modes, bench.GHX) }), lines(t, good[0]), "there are 1 rows, and the plan has 2 cells"},
		"a row that was paid back":         {summary(), change(func(r *bench.Row) { r.Cost = -1 }), "it has a cost below 0"},
		"an attempt that was paid back":    {summary(), change(func(r *bench.Row) { r.Attempts = []bench.Attempt{{Cost: -1}, {Cost: 2}} }), "it has a cost below 0"},
		"a summary that was paid back":     {changed(func(s *bench.Summary) { s.CostUSD = -1 }), lines(t, good...), "the summary has a cost below 0"},
		"another profile":                  {changed(func(s *bench.Summary) { s.Gate.Profile = bench.VerifyRelease }), lines(t, good...), "which was not asked for"},
		"another baseline":                 {changed(func(s *bench.Summary) { s.Gate.Baseline = bench.MCP }), lines(t, good...), "which was not asked for"},
		"another candidate":                {changed(func(s *bench.Summary) { s.Gate.Candidate = bench.MCP }), lines(t, good...), "which was not asked for"},
		"other margins": {changed(func(s *bench.Summary) {
			s.Evidence = &bench.Evidence{Margins: bench.Margins{SuccessDropPct: 50}}
		}), lines(t, good...), "other margins than those that were asked for"},
		"a mode that was not asked for":     {changed(func(s *bench.Summary) { s.Modes[bench.MCP] = bench.ModeSummary{} }), lines(t, good...), "mode mcp"},
		"a scenario that was not asked for": {changed(func(s *bench.Summary) { s.Scenarios[0].ID = "z" }), lines(t, good...), "scenario z"},
		"a verdict without a model":         {changed(func(s *bench.Summary) { s.Simulated = true }), lines(t, good...), "whether a model was involved"},
		"fields that are not known":         {`{"gateV3": {}}`, lines(t, good...), "no summary of this version"},
		"something after the summary":       {`{} {}`, lines(t, good...), "something after the summary"},
		"a summary that is no JSON":         {"<html>", lines(t, good...), "no summary of this version"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := service.Read(archive(t, file{"summary.json", c.summary}, file{"rows-suite.jsonl", c.rows}), asked())
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
	_, _, err := service.Read([]byte("no zip"), asked())
	require.ErrorContains(t, err, "no zip archive")
	_, _, err = service.Read(archive(t, file{"summary.json", summary()}, file{"summary.json", summary()}), asked())
	require.ErrorContains(t, err, "2 files summary.json")
}

func TestRowsAreKeptAsTheyWereWritten(t *testing.T) {
	r := newDispatchRig(t)
	want, got := map[bench.Cell]string{}, map[bench.Cell]string{}
	var rows []bench.Row
	for _, mode := range []bench.Mode{bench.AgentDirect, bench.GHX} {
		row := rowOf(mode)
		row.RunID = strings.Repeat(string(mode[0]), 2500) // both do not fit where one is read
		rows, want[row.Cell()] = append(rows, row), strings.TrimSpace(lines(t, row))
	}
	kept := map[bench.Cell][]byte{}
	r.work.Keep = func(cell bench.Cell, line []byte) { kept[cell] = line }
	ended := own(9)
	ended.Status = "completed"
	r.shown, r.work.Run.WorkflowRun, r.artifact = []workflowRun{ended}, 9, archive(t, file{"a-suite.jsonl", lines(t, rows...)})
	require.NoError(t, r.execute(0))
	for cell, line := range kept {
		got[cell] = string(line)
	}
	assert.Equal(t, want, got)
}

// A few kilobytes may be gigabytes, unpacked.
func TestABombIsNotUnpacked(t *testing.T) {
	_, _, err := service.Read(archive(t, file{"summary.json", strings.Repeat(" ", 9<<20)}), asked())
	require.ErrorContains(t, err, "larger than 8 MiB")
	row := lines(t, rowOf(bench.GHX))
	rows, judged, err := service.Read(archive(t, file{"summary.json", padded(t, summary(), 8<<20)}, file{"a-suite.jsonl", lines(t, rowOf(bench.AgentDirect)) + strings.Repeat(" ", 4<<20) + row}), asked())
	require.NoError(t, err, "so large may a summary be, and a row")
	assert.Equal(t, []any{2, true}, []any{rows, judged})
	_, _, err = service.Read(archive(t, file{"a-suite.jsonl", strings.Repeat(" ", 9<<20)}), asked())
	require.ErrorContains(t, err, "damaged, or larger than it may be")
	left, err := service.ReadLedger(row, len(row)+10, asked())
	require.NoError(t, err)
	assert.EqualValues(t, 10, left, "for the next one")
	_, err = service.ReadLedger(row, len(row), asked())
	require.ErrorContains(t, err, "a-suite.jsonl is damaged, or larger than it may be")
	many := []file{{"a-suite.jsonl", lines(t, rowOf(bench.GHX))}}
	for range 999 {
		many = append(many, file{"x", ""})
	}
	_, _, err = service.Read(archive(t, many...), asked())
	require.NoError(t, err)
	many = append(many, file{"x", ""})
	_, _, err = service.Read(archive(t, many...), asked())
	require.ErrorContains(t, err, "more than 1000 files")
}

// padded returns a value as JSON of a length.
func padded(t *testing.T, value any, length int) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text) + strings.Repeat(" ", length-len(text))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("PK"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, _, err := service.Read(data, asked())
		if err == nil && rows > asked().Request.Plan.Cells() {
			t.Fatalf("%d rows", rows)
		}
	})
}

func TestRowsOfTheBaseAreOfTheBaseCommit(t *testing.T) {
	r := asked()
	r.Request.BaseSHA = ""
	r.Request.Plan.Modes, r.Request.Plan.Baseline = []bench.Mode{bench.GHXBase, bench.GHX}, bench.GHXBase
	s := summary()
	s.Modes = map[bench.Mode]bench.ModeSummary{bench.GHXBase: {Runs: 1}, bench.GHX: {Runs: 1}}
	s.Gate.Baseline = bench.GHXBase
	read := func(commit *string) error {
		row := rowOf(bench.GHXBase)
		row.Git.Commit = commit
		_, _, err := service.Read(archive(t, file{"summary.json", s}, file{"a-suite.jsonl", lines(t, row, rowOf(bench.GHX))}), r)
		return err
	}
	require.NoError(t, read(nil), "nobody knows the base")
	r.Request.BaseSHA = base
	known, other := base, head
	require.NoError(t, read(&known))
	for _, commit := range []*string{nil, &other} {
		require.ErrorContains(t, read(commit), "it is not of commit "+base)
	}
}

// Its mode file says what a tool is of: the commit, another one, or none.
func TestRowsOfAnyToolAreOfTheirOwnCommit(t *testing.T) {
	r := asked()
	r.Request.Plan.Modes, r.Request.Plan.Candidate, r.Request.Plan.ModeFiles = []bench.Mode{bench.AgentDirect, "mytool"}, "mytool", []string{"t.yml"}
	s := summary()
	s.Modes = map[bench.Mode]bench.ModeSummary{bench.AgentDirect: {Runs: 1}, "mytool": {Runs: 1}}
	s.Gate.Candidate = "mytool"
	other := strings.Repeat("4", 40)
	for _, commit := range []*string{nil, &other} {
		row := rowOf("mytool")
		row.Git.Commit = commit
		_, _, err := service.Read(archive(t, file{"summary.json", s}, file{"a-suite.jsonl", lines(t, rowOf(bench.AgentDirect), row)}), r)
		require.NoError(t, err)
	}
}

func TestRowsOfBlocksThatTookThePlaceOfVoidOnesAreRead(t *testing.T) {
	r := asked()
	r.Request.Plan.Profile, r.Request.Plan.Repetitions = bench.ProfileRegression, bench.Repetitions{First: 2, Most: 4}
	read := func(blocks, counted int) error {
		var rows []bench.Row
		for _, mode := range r.Request.Plan.Modes {
			for i := range blocks {
				row := rowOf(mode)
				row.Iteration = i + 1
				rows = append(rows, row)
			}
		}
		s := summary()
		s.Gate.Profile = r.Request.Plan.Profile
		s.Modes = map[bench.Mode]bench.ModeSummary{bench.AgentDirect: {Runs: counted}, bench.GHX: {Runs: counted}}
		_, _, err := service.Read(archive(t, file{"summary.json", s}, file{"a-suite.jsonl", lines(t, rows...)}), r)
		return err
	}
	require.NoError(t, read(4, 4), "the plan")
	require.NoError(t, read(2, 2), "it was enough at the first look")
	require.NoError(t, read(5, 5), "one of four planned blocks was void")
	require.ErrorContains(t, read(6, 6), "the plan has no cell", "more cannot be refilled")
	require.ErrorContains(t, read(1, 1), "there are 2 rows, and the plan has 8 cells", "no look is so early")
	r.Request.Plan.Profile = bench.VerifyPR
	require.ErrorContains(t, read(5, 5), "the plan has no cell", "fixed thresholds refill nothing")
	require.ErrorContains(t, read(2, 2), "there are 4 rows, and the plan has 8 cells", "nor is it enough before their end")
}
