package actioncli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
)

// rowsIn returns the rows below a folder, by their cells.
func rowsIn(t *testing.T, folder string) map[bench.Cell]bench.Row {
	t.Helper()
	files, err := ledger.FilesBelow(folder)
	require.NoError(t, err)
	rows, _, err := ledger.Read(files)
	require.NoError(t, err)
	byCell := map[bench.Cell]bench.Row{}
	for _, row := range rows {
		byCell[row.Cell()] = row
	}
	require.Len(t, byCell, len(rows))
	return byCell
}

func TestRowsOfAnEarlierRunAreNotRunAgain(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.inputs["scenarios"], r.inputs["repetitions"], r.inputs["output-dir"] = "pr-view-001", "2", "first"
	first := r.run()
	require.Zero(t, first.code, first.log)
	earlier := rowsIn(t, filepath.Join(r.workspace, "first"))
	require.Len(t, earlier, 4)

	// Of those of ghx one is missing, and the other was a runner failure.
	files, err := filepath.Glob(filepath.Join(r.workspace, "first", "*", "*-ghx-suite.jsonl"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	line, _, _ := strings.Cut(string(text), "\n")
	failed := strings.Replace(line, `"error":null`, `"error":{"type":"runner_error","message":"the machine broke"}`, 1)
	require.NotEqual(t, line, failed)
	require.NoError(t, os.WriteFile(files[0], []byte(failed+"\n"), 0o600))

	r.inputs["rows"], r.inputs["output-dir"] = "first", ".bench"
	second := r.run()
	require.Zero(t, second.code, second.log)
	assert.Contains(t, second.log, "3 rows of an earlier run are taken over, whatever became of them")
	assert.NotContains(t, second.log, "pr-view-001/agent_direct/", "no cell of it runs")
	assert.NotContains(t, second.log, "so all cells are run")
	now := rowsIn(t, filepath.Join(r.workspace, second.outputs["rows"]))
	require.Len(t, now, 4, "a third run finds them all")
	missing, failure := bench.Cell{ScenarioID: "pr-view-001", Mode: bench.GHX, Iteration: 2}, bench.Cell{ScenarioID: "pr-view-001", Mode: bench.GHX, Iteration: 1}
	for cell, row := range now {
		assert.Equal(t, cell == failure, row.Error != nil, "%s: what was tried counts", cell)
		assert.Equal(t, second.outputs["run-id"], row.RunID)
		same := row.Timestamp == earlier[cell].Timestamp && row.LatencyMSWall == earlier[cell].LatencyMSWall
		assert.Equal(t, cell != missing, same, "%s: the row is the earlier one", cell)
	}
	assert.Contains(t, second.summary, "| Runs | 2 | 2 |")
	folder, err := os.Stat(filepath.Join(r.workspace, "first"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), folder.Mode().Perm(), "agents see nothing of earlier attempts")
}

func TestWithoutRowsOfAnEarlierRunAllCellsRun(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*runner){
		"the download failed":  func(*runner) {},
		"the artifact is bare": func(r *runner) { r.write("earlier/summary.json", "{}", 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			prepare(r)
			r.inputs["scenarios"], r.inputs["repetitions"], r.inputs["rows"] = "pr-view-001", "1", "earlier"
			ended := r.run()
			require.Zero(t, ended.code, ended.log)
			assert.Contains(t, ended.log, "::notice title=bench::There are no rows of an earlier run in earlier, so all cells are run.")
			assert.Len(t, rowsIn(t, filepath.Join(r.workspace, ended.outputs["rows"])), 2)
		})
	}
}

func TestRowsThatAreNotOfThisWorkspaceAreRefused(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(r.workspace, "earlier")))
	r.inputs["rows"] = "earlier"
	ended := r.run()
	assert.Equal(t, 2, ended.code, ended.log)
	assert.Contains(t, ended.log, "input rows: ")
	assert.Contains(t, ended.log, "name a folder of the workspace")
	assert.Equal(t, "action_required", r.checks()[0]["conclusion"])
}

func TestRowsOfAnotherCommitAreRefused(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.inputs["scenarios"], r.inputs["repetitions"], r.inputs["output-dir"] = "pr-view-001", "1", "first"
	require.Zero(t, r.run().code)
	files, err := ledger.FilesBelow(filepath.Join(r.workspace, "first"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), r.head, strings.Repeat("0", 40))), 0o600))
	}
	r.inputs["rows"], r.inputs["output-dir"] = "first", ".bench"
	ended := r.run()
	assert.Equal(t, 2, ended.code, ended.log)
	assert.Contains(t, ended.log, "git.commit of cell")
}

func TestN1RowsOfTheBaseAreOfItsCommit(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	commits := func(of ended) map[bench.Mode]string {
		byMode := map[bench.Mode]string{}
		for cell, row := range rowsIn(t, filepath.Join(r.workspace, of.outputs["rows"])) {
			byMode[cell.Mode] = *row.Git.Commit
		}
		return byMode
	}
	r.inputs["scenarios"], r.inputs["repetitions"], r.inputs["modes"], r.inputs["baseline-mode"] = "pr-view-001", "1", "ghx@base,ghx", "ghx@base"
	r.inputs["output-dir"] = "first"
	base, moved := strings.Repeat("b", 40), strings.Repeat("c", 40)
	r.pullRequest("synchronize", map[string]any{"base": map[string]any{"ref": "main", "sha": base}})
	first := r.run()
	require.Zero(t, first.code, first.log)
	assert.Equal(t, map[bench.Mode]string{bench.GHXBase: base, bench.GHX: r.head}, commits(first))

	r.inputs["rows"], r.inputs["output-dir"], r.inputs["base-commit"] = "first", ".bench", moved
	second := r.run()
	require.Zero(t, second.code, second.log)
	assert.Contains(t, second.log, "1 rows of an earlier run are taken over, whatever became of them")
	assert.Contains(t, second.log, "not taken over: 1 row: the base commit was another")
	assert.Equal(t, map[bench.Mode]string{bench.GHXBase: moved, bench.GHX: r.head}, commits(second), "the input comes first")
}
