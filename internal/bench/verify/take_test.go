package verify_test

import (
	"os"
	"path/filepath"
	"strings"
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
			assert.Len(t, earlier.Rows, 8-c.own)
			assert.Equal(t, c.own, rowsLeftOut(earlier.LeftOut, "the base commit was another"))
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

// rowsLeftOut returns how many rows are left out for a reason.
func rowsLeftOut(left []bench.LeftOut, reason string) (rows int) {
	for _, l := range left {
		if l.Reason == reason {
			rows += l.Rows
		}
	}
	return rows
}

func TestV3WhatFailedIsTakenOverWhateverTheReason(t *testing.T) {
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
		usd += rows[i].SpentUSD()
	}
	require.NoError(t, set.Close())
	require.NoError(t, os.WriteFile(filepath.Join(folder, "summary.json"), []byte("{}"), 0o600))

	earlier, err := r.suite.Earlier(r.provider.Info, filepath.Dir(folder))
	require.NoError(t, err)
	assert.ElementsMatch(t, cellsOf(rows), cellsOf(earlier.Rows), "runner failures and what is beyond the plan count too")
	assert.Empty(t, earlier.LeftOut)
	assert.InDelta(t, usd, earlier.SpentUSD(), 1e-12)

	r.suite.Dir, r.suite.Rows = t.TempDir(), earlier.Rows
	r.next("run-2")
	again := r.run(t.Context(), t)
	assert.Equal(t, 1, again.Rows, "the cell whose row became that of iteration 9")
	assert.ElementsMatch(t, append(r.suite.Plan(), rows[2].Cell()), cellsOf(rowsOf(t, again.Files)))
}

func TestV3RowsThatAreNotTakenOverAreCountedAndNamed(t *testing.T) {
	r := newRig(t)
	files := r.run(t.Context(), t).Files
	r.suite.Scenarios, r.suite.Modes = r.suite.Scenarios[:1], []bench.Mode{bench.GHX}
	earlier, err := r.suite.Earlier(r.provider.Info, files...)
	require.NoError(t, err)
	assert.Len(t, earlier.Rows, 2)
	assert.Equal(t, []int{4, 2}, []int{
		rowsLeftOut(earlier.LeftOut, "the mode is not one of this run"), rowsLeftOut(earlier.LeftOut, "the scenario is not one of this run"),
	})

	r.suite.Dir, r.suite.Rows, r.suite.LeftOut = t.TempDir(), earlier.Rows, earlier.LeftOut
	r.next("run-2")
	assert.Equal(t, earlier.LeftOut, r.run(t.Context(), t).Info.LeftOut)
	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	reported, err := verify.Report(source, judging())
	require.NoError(t, err)
	assert.Equal(t, earlier.LeftOut, reported.Summary.LeftOut, "the report of the run that took the others over says so")

	r.suite.Rows, r.suite.LeftOut = nil, nil
	assert.Equal(t, earlier.LeftOut, r.run(t.Context(), t).Info.LeftOut, "also where it goes on")

	r.suite.Rows = []bench.Row{{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1_000_000_000}}
	_, err = verify.RunSuite(t.Context(), r.suite, r.deps)
	require.ErrorContains(t, err, "repetitions are counted from 1 to")
}

// A moved base makes another sequence: half a block of the former one is none.
func TestV7ABlockBesideARowOfAnotherBaseIsNotTakenOver(t *testing.T) {
	r := newRig(t)
	before, now := "base-1", "base-2"
	r.suite.Modes, r.suite.BaseCommit = []bench.Mode{bench.GHXBase, bench.GHX}, &before
	files := r.run(t.Context(), t).Files
	r.suite.Profile, r.suite.BaseCommit = bench.ProfileRegression, &now
	earlier, err := r.suite.Earlier(r.provider.Info, files...)
	require.NoError(t, err)
	assert.Empty(t, earlier.Rows)
	assert.Equal(t, 4, rowsLeftOut(earlier.LeftOut, "the block has a row of another base commit"))
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

// One row that is left out is counted like many.
func TestV3OneRowThatIsLeftOutIsNamed(t *testing.T) {
	r := newRig(t)
	left := []bench.LeftOut{{Reason: "the mode is not one of this run", Rows: 1, Cells: []bench.Cell{{ScenarioID: "a-001", Mode: bench.MCP, Iteration: 1}}}}
	r.suite.LeftOut = left
	assert.Equal(t, left, r.run(t.Context(), t).Info.LeftOut)
	r = newRig(t)
	r.suite.Rows = []bench.Row{{ScenarioID: "a-001", Mode: bench.MCP, Iteration: 1}}
	assert.Equal(t, left, r.run(t.Context(), t).Info.LeftOut)
}

// A part of a plan begins with rows of its own cells alone.
func TestN1APartTakesItsOwnRowsOver(t *testing.T) {
	r := newRig(t)
	files := r.run(t.Context(), t).Files
	r.suite.Shard = &bench.Shard{Index: 2, Count: 2}
	earlier, err := r.suite.Earlier(r.provider.Info, files...)
	require.NoError(t, err)
	assert.ElementsMatch(t, r.suite.Cells(), cellsOf(earlier.Rows))
	assert.Equal(t, 4, rowsLeftOut(earlier.LeftOut, "another part of the plan has the cell"))
}

func TestV7RowsThatAreTakenOverBringTheirRuns(t *testing.T) {
	r := newRig(t)
	files := r.run(t.Context(), t).Files
	tear(t, files[0])
	earlier, err := r.suite.Earlier(r.provider.Info, r.suite.Folder())
	require.NoError(t, err)
	require.Len(t, earlier.Continues, 1)
	assert.Equal(t, "run-1", earlier.Continues[0].RunID)
	assert.Equal(t, 2, earlier.Continues[0].Repetitions)
	assert.Equal(t, 1, earlier.Continues[0].Lost, "whose row was cut off")
	require.Len(t, earlier.Torn, 1)
	assert.Equal(t, files[0], earlier.Torn[0].File)

	r.suite.Profile = bench.ProfileRegression
	same, err := r.suite.Earlier(r.provider.Info, r.suite.Folder())
	require.NoError(t, err)
	assert.Len(t, same.Rows, 7, "evidence takes rows of the same base, too")
	forge(t, files[1:], func(row map[string]any) {
		row["iteration"] = 10_001
		row["variation"].(map[string]any)["number"] = 10_001
	})
	text, err := os.ReadFile(files[1])
	require.NoError(t, err)
	line, _, _ := strings.Cut(string(text), "\n") // one of each scenario would be the same cell
	require.NoError(t, os.WriteFile(files[1], []byte(line+"\n"), 0o600))
	_, err = r.suite.Earlier(r.provider.Info, files[1])
	require.ErrorContains(t, err, "repetitions are counted from 1 to")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))

	_, err = r.suite.Earlier(r.provider.Info, filepath.Join(r.suite.Dir, "gone"))
	require.ErrorContains(t, err, "look for ledgers")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

// Where nothing limits a run, what its rows have cost before does not.
func TestARunWithoutALimitHasNone(t *testing.T) {
	r := newRig(t)
	r.suite.TakenUSD = 1e-9
	assert.Equal(t, 8, r.run(t.Context(), t).Rows)
}
