package verify_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// simulated is what every output of a run without a model says (rule G15).
const simulated = "no model was involved"

func (r *rig) source(t *testing.T) verify.Source {
	t.Helper()
	r.run(t.Context(), t)
	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	return source
}

func TestG15EveryOutputIsWrittenAndSaysThatNoModelWasInvolved(t *testing.T) {
	source := newRig(t).source(t)
	how := judging()
	how.Outputs = verify.OutputsIn(filepath.Join(t.TempDir(), "deep", "reports"))
	reported, err := verify.Report(source, how)
	require.NoError(t, err)

	read := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	out := how.Outputs
	for _, path := range []string{out.SummaryMarkdown, out.HTML, out.JUnit} {
		assert.Contains(t, read(path), simulated, path)
	}
	assert.Contains(t, read(out.CSV), "simulated\n")
	assert.Contains(t, read(out.CSV), "a-001,default,1,")
	var summary bench.Summary
	require.NoError(t, json.Unmarshal([]byte(read(out.SummaryJSON)), &summary))
	assert.True(t, summary.Simulated)
	assert.Equal(t, reported.Summary.Gate.Verdict, summary.Gate.Verdict)
	assert.True(t, reported.Summary.Simulated)
}

func TestAReportMayBeAFolder(t *testing.T) {
	source := newRig(t).source(t)
	how := judging()
	how.Outputs.HTML = filepath.Join(t.TempDir(), "report")
	require.True(t, how.Outputs.InFolder())
	_, err := verify.Report(source, how)
	require.NoError(t, err)
	page, err := os.ReadFile(how.Outputs.Page())
	require.NoError(t, err)
	assert.Contains(t, string(page), simulated, "it is whole")
	assert.Equal(t, how.Outputs.HTML, filepath.Dir(how.Outputs.Page()))
	assert.Equal(t, "a/report.html", verify.Outputs{HTML: "a/report.html"}.Page())
	assert.Empty(t, verify.Outputs{}.Page())

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	how.Outputs.HTML = filepath.Join(file, "report")
	_, err = verify.Report(source, how)
	assert.ErrorContains(t, err, file)
}

// A file may have rows of other runs, which evidence does not judge.
func TestV7RowsOfOtherRunsInAFileAreNamedAndNotJudged(t *testing.T) {
	r := byEvidence(t)
	r.suite.OutputJSONL = filepath.Join(r.suite.Dir, "rows.jsonl")
	r.runMode(t, "run-1", bench.AgentDirect)
	r.runMode(t, "run-2", bench.GHX)
	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	how := judging()
	how.Profile = bench.ProfileRegression
	reported, err := verify.Report(source, how)
	require.NoError(t, err)
	require.NotEmpty(t, reported.Summary.LeftOut)
	left := map[string]int{}
	for _, l := range reported.Summary.LeftOut {
		left[l.Reason] = l.Rows
	}
	assert.Equal(t, 8, left["the row is of a run that is not judged here"], left)
	assert.Zero(t, reported.Summary.Evidence.Baseline.Sessions)

	alone, err := verify.Report(verify.Source{Files: source.Files}, how)
	require.NoError(t, err)
	assert.Equal(t, 8, alone.Summary.Evidence.Baseline.Sessions, "of ledgers alone all are judged")
	assert.NotContains(t, strings.Join(alone.Summary.Warnings, " "), "not known by its content", "nobody counts their runs")
}

func TestEvidenceOfAModeAndItselfIsRefused(t *testing.T) {
	how := judging()
	how.Profile, how.Baseline, how.Candidate = bench.ProfileRegression, bench.GHX, bench.GHX
	_, err := verify.Report(newRig(t).source(t), how)
	require.ErrorContains(t, err, "evidence compares two modes")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	how.Baseline = bench.MCP
	_, err = verify.Report(verify.Source{Files: newRig(t).source(t).Files}, how)
	require.ErrorContains(t, err, "there is nothing to judge: no repetition of a scenario has rows of both mcp, the baseline, and ghx, the candidate")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestOnlyTheOutputsThatAreNamedAreWritten(t *testing.T) {
	source := newRig(t).source(t)
	folder := t.TempDir()
	how := judging()
	how.Outputs.CSV = filepath.Join(folder, "rows.csv")
	_, err := verify.Report(source, how)
	require.NoError(t, err)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestOutputsThatCannotBeWrittenAreNamed(t *testing.T) {
	source := newRig(t).source(t)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	set := map[string]func(o *verify.Outputs, path string){
		"summary.json": func(o *verify.Outputs, path string) { o.SummaryJSON = path },
		"summary.md":   func(o *verify.Outputs, path string) { o.SummaryMarkdown = path },
		"rows.csv":     func(o *verify.Outputs, path string) { o.CSV = path },
		"report.html":  func(o *verify.Outputs, path string) { o.HTML = path },
		"junit.xml":    func(o *verify.Outputs, path string) { o.JUnit = path },
	}
	for name, set := range set {
		for why, path := range map[string]string{
			"a full disk": "/dev/full", "a folder": t.TempDir(), "a file where a folder is to be": filepath.Join(file, "out"),
		} {
			t.Run(name+" on "+why, func(t *testing.T) {
				how := judging()
				how.Outputs.OnePage = true // elsewhere a folder is what is asked for
				set(&how.Outputs, path)
				_, err := verify.Report(source, how)
				require.Error(t, err)
				assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
				assert.ErrorContains(t, err, path)
				if strings.Contains(why, "where a folder is to be") {
					assert.ErrorContains(t, err, "write report "+path+": mkdir ", "what is in the way is named")
				}
			})
		}
	}
}

func TestWhatCannotBeReadIsAnInvalidInput(t *testing.T) {
	folder := t.TempDir()
	broken := filepath.Join(folder, "broken.jsonl")
	require.NoError(t, os.WriteFile(broken, []byte("{}\nnot a row\n{}\n"), 0o600))
	for name, path := range map[string]string{"no such file": filepath.Join(folder, "none.jsonl"), "no rows": broken, "a folder": folder} {
		t.Run(name, func(t *testing.T) {
			_, err := verify.Report(verify.Source{Files: []string{path}}, judging())
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.ErrorContains(t, err, path)
		})
	}
}

// tear cuts a ledger off in the middle of its last row.
func tear(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text[:len(text)-20], 0o600))
}

func TestATornLedgerHasNoVerdict(t *testing.T) {
	source := newRig(t).source(t)
	tear(t, source.Files[0])
	t.Run("its cell is missing where the run is known", func(t *testing.T) {
		reported, err := verify.Report(source, judging())
		require.NoError(t, err)
		require.Len(t, reported.Notes, 1)
		assert.Contains(t, reported.Notes[0], source.Files[0]+" line 4 was not written whole")
		require.Len(t, reported.Summary.Missing, 1)
		assert.Len(t, reported.Summary.Missing[0].Cells, 1)
		assert.Equal(t, bench.VerdictNone, reported.Summary.Gate.Verdict)
	})
	t.Run("it is incomplete where the run is not known", func(t *testing.T) {
		reported, err := verify.Report(verify.Source{Files: source.Files}, judging())
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
		assert.ErrorContains(t, err, source.Files[0]+" line 4")
		assert.ErrorContains(t, err, "finish the run with --resume")
		assert.Len(t, reported.Notes, 1)
	})
}

func TestG8TheModelDecidesTheThresholds(t *testing.T) {
	source := newRig(t).source(t)
	reported, err := verify.Report(source, judging())
	require.NoError(t, err)
	assert.Equal(t, "fake/one", reported.Summary.Gate.Model, "that of the rows")
	assert.False(t, reported.Summary.Gate.ModelExpectations)

	how := judging()
	how.Model = "other/model"
	reported, err = verify.Report(source, how)
	require.NoError(t, err)
	assert.Equal(t, "other/model", reported.Summary.Gate.Model)

	how.Model = "nonsense"
	_, err = verify.Report(source, how)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestG11RowsOfOtherScenariosAreNotCompared(t *testing.T) {
	r := newRig(t)
	first := r.runMode(t, "run-1", bench.AgentDirect)
	r.suite.Scenarios = r.suite.Scenarios[:1]
	second := r.runMode(t, "run-2", bench.GHX)
	_, err := verify.Report(verify.Source{Files: append(first.Files, second.Files...)}, judging())
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "b-001 in agent_direct only")
}

func TestACellThatIsReportedTwiceIsAnErrorUnlessTheRowsAreEqual(t *testing.T) {
	source := newRig(t).source(t)
	copied := filepath.Join(t.TempDir(), "copy-suite.jsonl")
	text, err := os.ReadFile(source.Files[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(copied, text, 0o600))
	source.Files = append(source.Files, copied)
	reported, err := verify.Report(source, judging())
	require.NoError(t, err)
	assert.Equal(t, 4, reported.Summary.Modes[bench.AgentDirect].Runs)

	rows, _, err := ledger.Read([]string{copied})
	require.NoError(t, err)
	rows[0].LatencyMSWall++
	changed := filepath.Join(t.TempDir(), "changed-suite.jsonl")
	require.NoError(t, appendRow(changed, rows[0]))
	source.Files = append(source.Files, changed)
	_, err = verify.Report(source, judging())
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, rows[0].Cell().String()+" is reported twice")
}

func TestTheTenChecksNameWhatTheyDoNotLookAt(t *testing.T) {
	r := newRig(t)
	r.suite.Modes = append(r.suite.Modes, bench.MCP)
	result := r.run(t.Context(), t)
	rows, file := rowsOf(t, result.Files), filepath.Join(t.TempDir(), "rows.jsonl")
	set, err := ledger.OpenSingle(file)
	require.NoError(t, err)
	for i := range rows {
		if rows[i].Cell() == (bench.Cell{ScenarioID: "b-001", Mode: bench.GHX, Iteration: 2}) {
			rows[i].ExternalRetryCount = 1
		}
		require.NoError(t, set.Append(&rows[i]))
	}
	require.NoError(t, set.Close())
	reported, err := verify.Report(verify.Source{Files: []string{file}}, judging())
	require.NoError(t, err)
	var named []string
	for _, l := range reported.Summary.LeftOut {
		named = append(named, l.Reason+": "+l.CellsText(9, func(cell string) string { return cell }))
	}
	assert.Equal(t, []string{
		"another mode: a-001/mcp/1, a-001/mcp/2, b-001/mcp/1, b-001/mcp/2",
		"attempts before the last one count in the retry rate and the cost alone: b-001/ghx/2",
	}, named)
}

// What the evidence leaves out is in no figure of it.
func TestV10AScenarioThatIsNotCountedIsInNoFigure(t *testing.T) {
	r := byEvidence(t)
	r.suite.NotCounted = map[string]string{"b-001": "the scenario is not counted: it is new"}
	r.run(t.Context(), t)
	s := r.report(t, judging())
	require.Len(t, s.Evidence.Scenarios, 1)
	assert.Equal(t, "a-001", s.Evidence.Scenarios[0].ID)
	assert.Equal(t, 8, rowsLeftOut(s.LeftOut, "the scenario is not counted: it is new"))
	assert.Contains(t, s.Warnings, "1 of 2 scenarios run and are not counted: b-001 (it is new)")
}
