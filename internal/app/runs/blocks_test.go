package runs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// blockOf is one of two modes, at a position.
func blockOf(position int) runner.Block {
	return runner.Block{Position: position, Cells: []bench.Cell{
		{ScenarioID: "pr-view-001", Mode: bench.GHX, Iteration: position}, {ScenarioID: "pr-view-001", Mode: bench.AgentDirect, Iteration: position},
	}}
}

// take returns what a part takes, nil for nothing.
func (r *rig) takeBlock(run, part string) *runner.Block {
	r.Helper()
	block, err := r.Take(r.Context(), run, part)
	require.NoError(r, err)
	return block
}

func (r *rig) row(run string, cell bench.Cell) {
	r.Helper()
	require.NoError(r, r.AddRow(r.Context(), run, cell, []byte(`{"cell":"`+cell.String()+`"}`)))
}

// openBlocks returns how many blocks of a run nobody has.
func (r *rig) openBlocks(run string) int {
	r.Helper()
	open, err := r.OpenBlocks(r.Context(), run)
	require.NoError(r, err)
	return open
}

func TestEachBlockIsTakenByOnePart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		for _, id := range []string{"a", "b"} {
			r.run(id, nil)
			require.NoError(t, r.Offer(t.Context(), id, []runner.Block{blockOf(3), blockOf(1)}))
		}
		require.NoError(t, r.Offer(t.Context(), "a", []runner.Block{blockOf(1), blockOf(5)}))
		assert.Equal(t, blockOf(1), *r.takeBlock("a", runs.Lead), "the first of the plan")
		assert.Equal(t, blockOf(3), *r.takeBlock("a", "help-1"))
		assert.Equal(t, blockOf(5), *r.takeBlock("a", "help-2"))
		assert.Nil(t, r.takeBlock("a", "help-3"))
		assert.Equal(t, []int{0, 2}, []int{r.openBlocks("a"), r.openBlocks("b")})

		r.row("a", blockOf(3).Cells[0])
		r.row("a", blockOf(3).Cells[1])
		require.NoError(t, r.FinishBlock(t.Context(), "a", 3))
		require.NoError(t, r.TakeOver(t.Context(), "a", "b", map[bench.Cell][]byte{blockOf(9).Cells[0]: []byte("{}")}))
		made, err := r.RowsBut(t.Context(), "a", map[bench.Cell]bool{blockOf(3).Cells[1]: true})
		require.NoError(t, err)
		assert.Equal(t, map[bench.Cell][]byte{blockOf(3).Cells[0]: []byte(`{"cell":"pr-view-001/ghx/3"}`)}, made)

		r.row("a", blockOf(5).Cells[0])
		for _, part := range []string{"help-1", "help-2"} {
			require.NoError(t, r.GiveBack(t.Context(), "a", part))
		}
		assert.Equal(t, blockOf(5).Cells[1:], r.takeBlock("a", "help-1").Cells, "who had it died after the first cell")
		assert.Equal(t, 2, r.openBlocks("b"), "it is another run")

		require.True(t, r.end("a", runs.Finished, runs.Outcome{}))
		assert.Zero(t, r.openBlocks("a"))
		require.NoError(t, r.Offer(t.Context(), "a", []runner.Block{blockOf(1)}))
		assert.Zero(t, r.openBlocks("a"), "it has ended")
	})
}

func TestABlockWhoseCellsAllHaveRowsIsFinished(t *testing.T) {
	r := open(t)
	r.run("a", nil)
	require.NoError(t, r.Offer(t.Context(), "a", []runner.Block{blockOf(1), blockOf(3)}))
	r.row("a", blockOf(1).Cells[0])
	r.row("a", blockOf(1).Cells[1])
	assert.Equal(t, 3, r.takeBlock("a", "help-1").Position)
	require.NoError(t, r.GiveBack(t.Context(), "a", "help-1"))
	assert.Equal(t, 1, r.openBlocks("a"))
}

func TestNobodyTakesABlockOfARunWhoseLeadHasTakenAll(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		for _, id := range []string{"a", "b"} {
			r.run(id, nil)
			require.NoError(t, r.Offer(t.Context(), id, []runner.Block{blockOf(1), blockOf(3), blockOf(5)}))
		}
		others := func() int {
			n, err := r.TakeAll(t.Context(), "a", runs.Lead)
			require.NoError(t, err)
			return n
		}
		require.NotNil(t, r.takeBlock("a", "help-1"))
		assert.Equal(t, 1, others(), "it goes on with what it has")
		assert.Nil(t, r.takeBlock("a", "help-2"))
		require.NoError(t, r.GiveBack(t.Context(), "a", "help-1"))
		assert.Zero(t, others())
		assert.Nil(t, r.takeBlock("a", "help-2"))
		assert.NotNil(t, r.takeBlock("b", "help-2"), "it is another run")
	})
}

// Who led the run had rows that it could not store, and died.
func TestAFinishedBlockThatLacksRowsIsOfferedAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		r.run("a", nil)
		both := []runner.Block{blockOf(1), blockOf(3)}
		require.NoError(t, r.Offer(t.Context(), "a", both))
		for _, block := range both {
			require.Equal(t, block, *r.takeBlock("a", runs.Lead))
			require.NoError(t, r.FinishBlock(t.Context(), "a", block.Position))
		}
		r.row("a", blockOf(1).Cells[0])
		require.Nil(t, r.takeBlock("a", runs.Lead))
		require.NoError(t, r.Offer(t.Context(), "a", both))
		assert.Equal(t, blockOf(1).Cells[1:], r.takeBlock("a", runs.Lead).Cells)
		assert.Equal(t, blockOf(3), *r.takeBlock("a", runs.Lead))
	})
}

func TestAPartIsAskedOnceUntilItLeaves(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		r.run("a", nil)
		ask := func(run, part string) (first bool) {
			require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) (err error) {
				first, err = r.Ask(t.Context(), tx, run, part)
				return err
			}))
			return first
		}
		require.NoError(t, r.SetUnrecorded(t.Context(), "a", "help-1", 0.25))
		assert.True(t, ask("a", "help-1"))
		assert.False(t, ask("a", "help-1"))
		assert.True(t, ask("a", "help-2"))
		require.NoError(t, r.SetUnrecorded(t.Context(), "a", "help-1", 0.5))
		require.NoError(t, r.SetUnrecorded(t.Context(), "a", "help-2", 1))
		require.NoError(t, r.SetUnrecorded(t.Context(), "a", runs.Lead, 16))
		usd, err := r.UnrecordedUSD(t.Context(), "a")
		require.NoError(t, err)
		assert.InDelta(t, 1.5, usd, 1e-9, "the others'")
		require.NoError(t, r.Leave(t.Context(), "a", "help-2"))
		asked, err := r.Asked(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, []string{"help-1"}, asked)
		assert.True(t, ask("a", "help-2"))
		require.True(t, r.end("a", runs.Stopped, runs.Outcome{}))
		assert.False(t, ask("a", "help-3"), "it has ended")
	})
}

func TestWorkersAreDividedAmongTheRunsThatHaveAPlace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		share := func(id string, workers int) int {
			n, err := r.Share(t.Context(), id, workers)
			require.NoError(t, err)
			return n
		}
		for _, id := range []string{"a", "b", "c", "d"} {
			r.asked(id, 5, "o/"+id)
		}
		assert.Zero(t, share("a", 8), "it waits")
		require.Len(t, r.admit(runs.Places{Local: 1, Installation: 9}), 1)
		assert.Equal(t, 8, share("a", 8))
		require.Len(t, r.admit(runs.Places{Local: 3, Installation: 9}), 2)
		for workers, want := range map[int][]int{8: {3, 3, 2, 0}, 3: {1, 1, 1, 0}, 4: {2, 1, 1, 0}, 2: {1, 1, 0, 0}} {
			assert.Equal(t, want, []int{share("a", workers), share("b", workers), share("c", workers), share("d", workers)}, "%d workers", workers)
		}
		require.True(t, r.end("a", runs.Finished, runs.Outcome{}))
		assert.Equal(t, []int{0, 4, 4}, []int{share("a", 8), share("b", 8), share("c", 8)})
	})
}
