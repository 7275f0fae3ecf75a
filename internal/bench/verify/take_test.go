package verify_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestN1RowsOfAnotherMachineAreNotRunAgain(t *testing.T) {
	r := newRig(t)
	first := r.run(r.stopAfter(t, 3), t)
	taken := rowsOf(t, first.Files)

	r.suite.Dir, r.suite.Rows = t.TempDir(), taken
	r.next("run-2")
	second := r.run(t.Context(), t)
	assert.Equal(t, 5, second.Rows, "the others have their row")
	assert.Empty(t, second.Left)
	rows := rowsOf(t, second.Files)
	assert.ElementsMatch(t, r.suite.Plan(), cellsOf(rows))
	for _, row := range rows {
		assert.Equal(t, "run-2", row.RunID)
	}
	again := r.run(t.Context(), t)
	assert.Zero(t, again.Rows, "they are taken once")
	assert.Len(t, rowsOf(t, again.Files), 8)
}

func TestN1RowsOfAnotherSuiteAreNotTaken(t *testing.T) {
	r := newRig(t)
	rows := rowsOf(t, r.run(t.Context(), t).Files)
	other := "another"
	rows[0].Git.Commit = &other
	rows[1].ScenarioHash = "changed"
	rows[2].Iteration = 9
	rows[3].SeedID = "elsewhere"

	r.suite.Dir, r.suite.Rows = t.TempDir(), rows
	r.next("run-2")
	second := r.run(t.Context(), t)
	assert.Equal(t, 4, second.Rows)
	assert.ElementsMatch(t, r.suite.Plan(), cellsOf(rowsOf(t, second.Files)))
	assert.Equal(t, []bench.Cell(nil), second.Left)
}
