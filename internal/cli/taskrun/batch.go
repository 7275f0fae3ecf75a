package taskrun

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// batch is what a side does at once.
type batch struct {
	run  *Run
	side Side
	// epoch is that of all tasks, unless epochs has those of each.
	epoch  int
	epochs map[string]int
	stop   context.CancelCauseFunc
	begun  time.Time
	// already is how many of the epoch's tasks were done before.
	already int
}

// errBudget is why a run is ended that has cost what it may.
var errBudget = errors.New("the budget is used up")

// batch has a side do those of the cells, tasks with their epochs, that have no row;
// nil is all tasks of the benchmark, in that epoch.
func (r *Run) batch(ctx context.Context, mode bench.Mode, epoch int, cells map[string]int) error {
	bounded, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	b := &batch{run: r, side: r.sideOf(mode), epoch: epoch, epochs: cells, stop: stop, begun: r.now()}
	ids := b.left()
	if ids != nil && len(ids) == 0 {
		return nil
	}
	b.already = len(cells) - len(ids)
	if r.overBudget() {
		return r.budgetError()
	}
	r.pen.stop = stop
	host := b.side.Host
	host.Observe, host.Planned, host.Epoch = b.told, b.planned, b.firstEpoch(ids)
	runner, err := b.side.Runner(host)
	if err != nil {
		return err
	}
	results, err := runner.Run(bounded, ids)
	if err == nil && bounded.Err() == nil {
		err = b.complete(ids, results)
	}
	if wrote := r.pen.flush(); wrote != nil {
		return wrote
	}
	switch cause := context.Cause(bounded); {
	case ctx.Err() != nil:
		r.stopped = bench.MissingStopped
		return context.Cause(ctx)
	case errors.Is(cause, errBudget):
		r.stopped = bench.MissingBudget
		return r.budgetError()
	case cause != nil:
		return cause
	}
	return err
}

func (r *Run) overBudget() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.options.MaxCostUSD > 0 && r.spent >= r.options.MaxCostUSD
}

func (r *Run) budgetError() error {
	r.stopped = bench.MissingBudget
	return fault.Infraf("%w: $%.2f are spent, and $%.2f may be; go on with --resume=%s and a higher --max-cost-usd", errBudget, r.spent, r.options.MaxCostUSD, r.options.RunID)
}

// left are the tasks without a row, in the order of the plan; nil is all.
func (b *batch) left() []string {
	if b.epochs == nil {
		return nil
	}
	b.run.mu.Lock()
	defer b.run.mu.Unlock()
	ids := []string{}
	for _, id := range b.run.tasks {
		epoch, wanted := b.epochs[id]
		if _, done := b.run.done[b.cell(id, epoch)]; wanted && !done {
			ids = append(ids, id)
		}
	}
	return ids
}

func (b *batch) cell(id string, epoch int) bench.Cell {
	return bench.Cell{ScenarioID: id, Mode: b.side.Mode, Iteration: epoch}
}

// firstEpoch returns the lowest epoch of tasks that are to be done; nil are all.
func (b *batch) firstEpoch(ids []string) int {
	first := b.epochOf("")
	for _, id := range ids {
		if epoch := b.epochOf(id); first == 0 || epoch < first {
			first = epoch
		}
	}
	return first
}

// epochOf returns a task's epoch, 0 for one that was not asked for.
func (b *batch) epochOf(id string) int {
	if b.epochs == nil {
		return b.epoch
	}
	return b.epochs[id]
}

// planned is told which tasks are run.
func (b *batch) planned(ids []string) {
	if b.epochs != nil {
		return
	}
	if err := b.run.learn(ids); err != nil {
		b.stop(err)
	}
}

// told is told of a task that is done. The first result of a task counts.
func (b *batch) told(p harness.Progress) {
	b.record(p)
	p.Done += b.already
	if p.Total > 0 {
		p.Total += b.already
	}
	b.side.Host.Done(p)
}

// record has a row written.
func (b *batch) record(p harness.Progress) {
	r := b.run
	epoch := b.epochOf(p.TaskID)
	if epoch == 0 {
		return
	}
	cell := b.cell(p.TaskID, epoch)
	r.mu.Lock()
	_, again := r.done[cell]
	position := len(r.done) + 1
	if !again {
		r.note(cell, p.Outcome)
		r.spent += p.Measured.CostUSD
	}
	r.mu.Unlock()
	if again {
		return
	}
	r.pen.write(kept{row: r.row(b.side, cell, p, position), measured: p.Measured, keep: b.side.Keep})
	if r.overBudget() {
		b.stop(errBudget)
	}
}

// complete records what the runner has told at its end alone. Tasks that are none of
// the run's are an error of kind invalid.
func (b *batch) complete(ids []string, results harness.Results) error {
	known := b.run.Planned()
	if ids == nil && known == nil {
		if err := b.run.learn(results.IDs()); err != nil {
			return err
		}
		known = results.IDs()
	}
	ours := map[string]bool{}
	for _, id := range known {
		ours[id] = true
	}
	var extra []string
	for id := range results {
		if !ours[id] {
			extra = append(extra, id)
		}
	}
	if slices.Sort(extra); len(extra) > 0 {
		return fault.Invalidf("the benchmark has told of %d tasks that are none of this run: %s; the sets of tasks must be equal", len(extra), strings.Join(extra[:min(5, len(extra))], ", "))
	}
	if ids == nil {
		ids = known
	}
	all, err := harness.Complete(ids, results)
	if err != nil {
		return err
	}
	for _, id := range ids {
		b.record(harness.Progress{TaskID: id, Outcome: all[id]})
	}
	return nil
}

// kept is a row with what is kept beside it.
type kept struct {
	row      *bench.Row
	measured harness.Measured
	keep     bool
}
