package ledger_test

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
)

// linesOf returns where the rows of a file stand, by cell.
func linesOf(t *testing.T, file string) map[bench.Cell]ledger.Line {
	t.Helper()
	lines := map[bench.Cell]ledger.Line{}
	_, err := ledger.ScanLines([]string{file}, func(row *bench.Row, line ledger.Line) error {
		lines[row.Cell()] = line
		return nil
	})
	require.NoError(t, err)
	return lines
}

func TestSumsAreThoseOfTheRowsAndOfNothingElse(t *testing.T) {
	const count = 600
	file := writeRows(t, count)
	before := linesOf(t, file)
	require.Len(t, before, count)
	info := ledger.RunInfo{RunID: "run-1", Sums: ledger.Sums{}}
	for cell, line := range before {
		assert.False(t, info.Sums.Other(cell, line.Sum), "nothing is known of it yet")
		info.Sums.Keep(cell, line.Sum)
	}
	dir := t.TempDir()
	require.NoError(t, info.Save(dir))
	kept, err := ledger.LoadRun(dir)
	require.NoError(t, err)

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	rows := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	rows[4] = strings.Replace(rows[4], `"success":true`, `"success":false`, 1)
	rows[0], rows[9] = rows[9], rows[0]
	changed := filepath.Join(t.TempDir(), "changed.jsonl")
	require.NoError(t, os.WriteFile(changed, []byte("\n"+strings.Join(rows, "\r\n")), 0o600))
	for cell, line := range linesOf(t, changed) {
		assert.Equal(t, changed, line.File)
		assert.Equal(t, line.Number == 4+2, kept.Sums.Other(cell, line.Sum), "%s in line %d", cell, line.Number)
		kept.Sums.Keep(cell, line.Sum)
		assert.Equal(t, line.Number == 4+2, kept.Sums.Other(cell, line.Sum), "what was known first stays")
	}
}

func TestSumsOfWhatNoPlanHasAreNotKept(t *testing.T) {
	sums, one, other := ledger.Sums{}, ledger.Sum{1}, ledger.Sum{2}
	for iteration, kept := range map[int]bool{-1: false, 0: false, 1: true, 10_000: true, 10_001: false, 1 << 40: false} {
		cell := bench.Cell{ScenarioID: "a-001", Mode: bench.GHX, Iteration: iteration}
		sums.Keep(cell, one)
		assert.Equal(t, kept, sums.Other(cell, other), iteration)
	}
	assert.False(t, sums.Other(bench.Cell{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 2}, other), "between them there is none")
}

func TestSumsAreWrittenOneAfterTheOther(t *testing.T) {
	sums := ledger.Sums{}
	for _, i := range []int{1, 3} {
		sums.Keep(bench.Cell{ScenarioID: "a-001", Mode: bench.GHX, Iteration: i}, ledger.Sum{0xab, 7: byte(i)})
	}
	text, err := json.Marshal(sums)
	require.NoError(t, err)
	assert.JSONEq(t, `{"ghx": {"a-001": "ab000000000000010000000000000000ab00000000000003"}}`, string(text))
	var read ledger.Sums
	require.NoError(t, json.Unmarshal(text, &read))
	assert.Equal(t, sums, read)
}

func TestSumsThatAreNoneAreRefused(t *testing.T) {
	for _, text := range []string{`"0123"`, `"zz"`, `"0123456789abcdef0"`, `7`} {
		var sums ledger.Sums
		require.Error(t, json.Unmarshal([]byte(`{"ghx": {"a-001": `+text+`}}`), &sums), text)
	}
}
