package verify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
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
	rows[4].Variation = &bench.Variation{Seed: 8, Number: rows[4].Iteration}

	r.suite.Dir, r.suite.Rows = t.TempDir(), rows
	r.next("run-2")
	second := r.run(t.Context(), t)
	assert.Equal(t, 5, second.Rows)
	assert.ElementsMatch(t, r.suite.Plan(), cellsOf(rowsOf(t, second.Files)))
	assert.Equal(t, []bench.Cell(nil), second.Left)
}

func TestN1TheBaseIsRunAgainWhereItHasMoved(t *testing.T) {
	r := newRig(t)
	before, now := "base-1", "base-2"
	r.suite.Modes, r.suite.BaseCommit = []bench.Mode{bench.GHXBase, bench.GHX}, &before
	files := r.run(t.Context(), t).Files
	for name, c := range map[string]struct {
		base *string
		own  int
	}{"it has not": {&before, 0}, "it has": {&now, 4}, "it is not known": {nil, 0}} {
		t.Run(name, func(t *testing.T) {
			r.suite.Dir, r.suite.BaseCommit, r.suite.Rows = t.TempDir(), c.base, nil
			earlier, err := r.suite.Earlier(r.provider.Info, files...)
			require.NoError(t, err)
			assert.Equal(t, []int{c.own, 8 - c.own}, []int{earlier.OtherBase, len(earlier.Rows)})
			r.suite.Rows = rowsOf(t, files)
			r.next("run-2")
			again := r.run(t.Context(), t)
			assert.Equal(t, c.own, again.Rows)
			for _, row := range rowsOf(t, again.Files) {
				if row.Mode == bench.GHXBase && c.base != nil {
					assert.Equal(t, c.base, row.Git.Commit)
				}
			}
		})
	}

	r.suite.Dir, r.suite.BaseCommit, r.suite.Rows = t.TempDir(), &before, rowsOf(t, files)
	for i := range r.suite.Rows {
		r.suite.Rows[i].Git.Commit = nil
	}
	r.next("run-3")
	assert.Equal(t, 4, r.run(t.Context(), t).Rows, "rows of a base that nobody knows are not taken")
}

func TestR8WhatFailedForInfrastructureIsNotTakenOver(t *testing.T) {
	r := newRig(t)
	rows := rowsOf(t, r.run(t.Context(), t).Files)
	rows[0].Error = &bench.RowError{Type: bench.TimeoutStalled}
	rows[1].Error = &bench.RowError{Type: bench.AssertionFailed}
	rows[2].Iteration, rows[2].Variation.Number = 9, 9
	folder := filepath.Join(t.TempDir(), "shards", "one")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	set, err := ledger.OpenSet(folder, r.now)
	require.NoError(t, err)
	var usd float64
	for i := range rows {
		require.NoError(t, set.Append(&rows[i]))
		if i != 0 && i != 2 {
			usd += rows[i].SpentUSD()
		}
	}
	require.NoError(t, set.Close())
	require.NoError(t, os.WriteFile(filepath.Join(folder, "summary.json"), []byte("{}"), 0o600))

	earlier, err := r.suite.Earlier(r.provider.Info, filepath.Dir(folder))
	require.NoError(t, err)
	assert.ElementsMatch(t, append(cellsOf(rows[1:2]), cellsOf(rows[3:])...), cellsOf(earlier.Rows), "an agent's failure is a result")
	assert.Equal(t, []int{1, 1}, []int{earlier.Failed, earlier.Unplanned})
	assert.InDelta(t, usd, earlier.SpentUSD(), 1e-12)
}

func TestN1RowsOfAnotherSuiteAreRefusedWhereTheyAreNamed(t *testing.T) {
	r := newRig(t)
	files := r.run(t.Context(), t).Files
	for name, c := range map[string]struct {
		change func(*verify.Suite, *agent.Info)
		says   string
	}{
		"another commit":        {func(s *verify.Suite, _ *agent.Info) { other := "other"; s.Git.Commit = &other }, "git.commit of cell"},
		"another model":         {func(_ *verify.Suite, by *agent.Info) { by.Model.ModelID = "two" }, "model of cell"},
		"other fixtures":        {func(s *verify.Suite, _ *agent.Info) { s.SeedID = "other" }, "seed_id of cell"},
		"S15: other variations": {func(s *verify.Suite, _ *agent.Info) { s.Variations.Seed = 8 }, "variation of cell"},
		"another content": {func(s *verify.Suite, _ *agent.Info) {
			s.Scenarios = []bench.Scenario{s.Scenarios[0]}
			s.Scenarios[0].Hash = "other"
		}, "scenario_hash of cell"},
		"G15: an agent that is a model's": {func(_ *verify.Suite, by *agent.Info) { by.Simulated = false }, "another kind of agent"},
	} {
		t.Run(name, func(t *testing.T) {
			suite, by := r.suite, r.provider.Info
			c.change(&suite, &by)
			_, err := suite.Earlier(by, files...)
			require.ErrorContains(t, err, c.says)
			assert.ErrorContains(t, err, "line 1: ")
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
	_, err := r.suite.Earlier(r.provider.Info, t.TempDir())
	require.ErrorContains(t, err, "there is no ledger below")
}

// What rows have cost another run is not spent again, also where the run goes
// on later.
func TestTheLimitLeavesOutWhatRowsHaveCost(t *testing.T) {
	r := newRig(t)
	first := r.run(r.stopAfter(t, 3), t)
	r.suite.Rows = rowsOf(t, first.Files)
	r.suite.TakenUSD = verify.Earlier{Rows: r.suite.Rows}.SpentUSD()
	require.Positive(t, r.suite.TakenUSD)
	r.suite.Dir, r.suite.Run.MaxCostUSD = t.TempDir(), r.suite.TakenUSD/2
	r.next("run-2")
	second := r.run(t.Context(), t)
	assert.Equal(t, bench.MissingBudget, second.Stopped)
	assert.Positive(t, second.Rows, "the limit was not reached before the first of its own")

	r.suite.Rows, r.suite.TakenUSD = nil, 0
	r.suite.Run.MaxCostUSD = second.CostUSD - second.Info.TakenUSD + second.RowsUSD/2
	third := r.run(t.Context(), t)
	assert.Positive(t, third.Rows)
}
