package runner

import (
	"context"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Shared is where the machines that work on one run find its cells, in blocks: all
// modes of one iteration of a scenario, which one machine runs, so that modes are
// compared on the same machine. One machine leads: it offers the blocks, and its
// ledger has all rows. The others help it, each with the same plan.
//
// A [Shared] is one machine's. Its methods may be called at the same time.
type Shared interface {
	// Offer has blocks taken by all machines; one that was offered before stays as
	// it is. It does nothing on a machine that helps.
	Offer(ctx context.Context, blocks []Block) error
	// Take gives this machine a block, without the cells that have a row already.
	// It is nil where there is none to take now.
	Take(ctx context.Context) (*Block, error)
	// Finish says that all cells of a block that was taken have their rows.
	Finish(ctx context.Context, block Block) error
	// News returns after a while, with how things stand then, and tells others how this
	// machine does.
	News(ctx context.Context, here Standing) (News, error)
}

// Standing is how a machine does.
type Standing struct {
	// UnrecordedUSD is what it has spent so far on what has no row, such as warm-ups.
	UnrecordedUSD float64
	// Leaves says that it takes no more blocks; with the one that leads no machine does.
	Leaves bool
}

// Block are cells that one machine runs, in order. Position is that of the first in
// the plan, from 1: blocks of lower ones are taken first.
type Block struct {
	Position int
	Cells    []bench.Cell
}

// News is what other machines have done.
type News struct {
	// Rows are those that other machines have made, told at least once since blocks were
	// offered; none where this machine helps.
	Rows []bench.Row
	// Open is the number of blocks that there are to take. Others is the number of those that
	// other machines work on, told where this machine leads and leaves: once it is 0, no more
	// rows come.
	Open, Others int
	// UnrecordedUSD is what they have spent so far on what has no row; 0 where this
	// machine helps.
	UnrecordedUSD float64
	// RunUSD is what the run has cost by what the machine knows that leads; 0 where
	// this is that one.
	RunUSD float64
	// Over says that this machine is not to take another block.
	Over bool
}

// sharing is how a run stands that other machines work on. The run's mu guards it.
type sharing struct {
	// news is the latest, and heard is closed when there are newer ones.
	news  News
	heard chan struct{}
	// rowsUSD is what the rows of other machines have cost.
	rowsUSD float64
	// told is what they know of this one.
	told Standing
	// mayTake is true if there may be a block to take.
	mayTake bool
	// leaves is true if this machine takes no more blocks: it is over its budget, or could
	// not finish one.
	leaves bool
	// wanted are the cells to run.
	wanted map[bench.Cell]bool
}

// begin returns what workers take blocks from, and what ends that.
func (r *run) begin(ctx context.Context) (take func(context.Context) *Block, end func(), err error) {
	if r.deps.Shared == nil {
		return r.next, func() {}, nil
	}
	r.shared = &sharing{heard: make(chan struct{}), mayTake: true, wanted: map[bench.Cell]bool{}}
	for _, c := range r.cfg.Cells {
		r.shared.wanted[c] = true
	}
	if err := r.deps.Shared.Offer(ctx, r.blocks()); err != nil {
		return nil, nil, err
	}
	listening, stop := context.WithCancel(ctx)
	var listener sync.WaitGroup
	listener.Go(func() { r.listen(listening) })
	return r.takeShared, func() {
		stop()
		listener.Wait()
		if here := r.standing(); here.UnrecordedUSD != r.shared.told.UnrecordedUSD {
			_, _ = r.deps.Shared.News(ctx, here) // an attempt was given up; that it is not told is no reason to fail
		}
	}, nil
}

// blocks returns the cells of the queue in blocks, in the order of their first cells.
func (r *run) blocks() []Block {
	type of struct {
		scenario  string
		iteration int
	}
	var all []Block
	at := map[of]int{}
	for _, c := range r.queue {
		key := of{c.ScenarioID, c.Iteration}
		i, known := at[key]
		if !known {
			i = len(all)
			at[key], all = i, append(all, Block{Position: r.position[c]})
		}
		all[i].Cells = append(all[i].Cells, c)
	}
	return all
}

// takeShared takes a block that no other machine has, and waits for one while others
// have theirs: a machine may die, and then its blocks are there to be taken. It
// returns nil once all cells have their row, or this machine is to take no more.
func (r *run) takeShared(ctx context.Context) *Block {
	for ctx.Err() == nil {
		r.mu.Lock()
		heard, news, told := r.shared.heard, r.shared.news, r.shared.told
		complete := r.done == len(r.cfg.Cells)
		r.shared.leaves = r.shared.leaves || !complete && r.overBudget()
		leaves := r.shared.leaves
		mayTake := r.shared.mayTake && !leaves
		r.mu.Unlock()
		if complete || news.Over || leaves && told.Leaves && news.Others == 0 {
			return nil
		}
		if mayTake {
			block, err := r.deps.Shared.Take(ctx)
			if err != nil && ctx.Err() == nil {
				r.fail(err)
			}
			if block != nil || err != nil {
				return block
			}
		}
		select {
		case <-heard:
		case <-ctx.Done():
		}
	}
	return nil
}

// finish says that a block is done with, if it is, and reports whether its worker is to
// take another one. One that shares its run waits for the rows of others first.
func (r *run) finish(ctx context.Context, block *Block, whole bool) (again bool) {
	switch {
	case r.shared == nil:
		return whole
	case !whole:
		r.mu.Lock()
		r.shared.leaves = true
		r.mu.Unlock()
		return true
	}
	if err := r.deps.Shared.Finish(ctx, *block); err != nil {
		r.fail(err)
		return false
	}
	return true
}

// listen takes in what other machines do, until the context ends.
func (r *run) listen(ctx context.Context) {
	for {
		here := r.standing()
		news, err := r.deps.Shared.News(ctx, here)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			r.fail(err)
			return
		}
		for i := range news.Rows {
			if row := &news.Rows[i]; r.shared.wanted[row.Cell()] && !r.keep(row, true) {
				return
			}
		}
		r.mu.Lock()
		r.shared.news, r.shared.mayTake, r.shared.told = news, news.Open > 0, here
		close(r.shared.heard)
		r.shared.heard = make(chan struct{})
		r.mu.Unlock()
	}
}

// standing is how this machine does.
func (r *run) standing() Standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Standing{UnrecordedUSD: r.spent - r.cfg.SpentUSD - (r.rowsUSD - r.shared.rowsUSD), Leaves: r.shared.leaves}
}

// costUSD is what the run has cost so far, as far as is known here, attempts under way
// aside. It is called with mu held, or when nobody works any more.
func (r *run) costUSD() float64 {
	if r.shared == nil {
		return r.spent
	}
	return max(r.spent+r.shared.rowsUSD+r.shared.news.UnrecordedUSD, r.shared.news.RunUSD)
}
