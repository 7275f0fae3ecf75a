package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Run works through the cells. When ctx ends, cells under way are dropped and
// the outcome tells what is left; that is no error.
//
// Errors before anything has run are of kind invalid where scenarios and
// fixtures do not fit, or where a budget is to be kept for a model without a
// price. Later ones are of kind infrastructure: the provider says that no
// attempt can succeed, a row was not taken, see [UnsavedRow], or a transcript
// was not. The outcome is valid beside an error.
func Run(ctx context.Context, cfg Config, deps Deps) (Outcome, error) {
	r := newRun(cfg, deps)
	if len(r.queue) == 0 {
		return r.outcome(""), nil
	}
	if err := r.preflight(ctx); err != nil && ctx.Err() == nil {
		return r.outcome(bench.MissingNeverRan), err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.cancel = cancel
	take, end, err := r.begin(ctx)
	if err != nil {
		return r.outcome(bench.MissingNeverRan), err
	}
	if !cfg.SkipWarmup {
		r.warmUp(ctx)
	}
	var workers sync.WaitGroup
	for worker := range max(1, cfg.Concurrency) {
		workers.Go(func() { r.work(ctx, worker, take) })
	}
	workers.Wait()
	end()
	if r.broke {
		return r.outcome(bench.MissingBudget), r.err
	}
	return r.outcome(bench.MissingStopped), r.err
}

// run is a run under way.
type run struct {
	cfg    Config
	deps   Deps
	info   agent.Info
	cancel context.CancelCauseFunc
	// position maps cells to their place in the plan.
	position map[bench.Cell]int
	// names is what the modes' ghx call capabilities, as the preflight found
	// out.
	names map[bench.Mode]scenario.Names

	mu sync.Mutex
	// queue has the cells that nobody has taken yet.
	queue    []bench.Cell
	recorded map[bench.Cell]bool
	// done counts the cells to run that are recorded, rows those of this run.
	done, rows int
	// spent is the cost of all attempts, rowsUSD the part in rows; underway is what
	// attempts that go on have cost so far.
	spent, rowsUSD, underway float64
	// broke is true if the budget kept something from being done.
	broke   bool
	breaker breaker
	err     error
	// shared is nil where no other machine works on the run.
	shared *sharing

	observing sync.Mutex
}

func newRun(cfg Config, deps Deps) *run {
	r := &run{
		cfg: cfg, deps: deps, info: deps.Provider.Describe(), position: map[bench.Cell]int{},
		recorded: map[bench.Cell]bool{}, spent: cfg.SpentUSD,
	}
	maps.Copy(r.recorded, cfg.Done)
	for i, c := range cfg.Plan {
		r.position[c] = i + 1
	}
	for _, c := range cfg.Cells {
		if r.recorded[c] {
			r.done++
		} else {
			r.queue = append(r.queue, c)
		}
	}
	return r
}

// preflight finds out what cannot work before anything is spent: it binds
// every scenario to the fixtures, and has the tools tried.
func (r *run) preflight(ctx context.Context) (err error) {
	if r.cfg.MaxCostUSD > 0 && r.cfg.Price == nil {
		return fault.Invalidf("a budget of %g USD cannot be kept, because model %s has no price: state its price in the expectations, or run without a budget",
			r.cfg.MaxCostUSD, r.info.Model.Key())
	}
	groups := r.groups()
	var problems []error
	for i, g := range groups {
		place, err := r.deps.Target.Prepare(ctx, g.needs)
		if err != nil {
			return fault.Wrap(fault.Infrastructure, fmt.Errorf("prepare fixtures: %w", err))
		}
		for _, s := range g.scenarios {
			_, err := scenario.Resolve(s, place.Manifest)
			problems = append(problems, err)
		}
		if last := i == len(groups)-1; last && r.deps.Preflight != nil && errors.Join(problems...) == nil {
			r.names, err = r.deps.Preflight(ctx, place, r.modes(), capabilitiesOf(groups))
			problems = append(problems, err)
		}
		if err := place.Close(); err != nil {
			problems = append(problems, fault.Wrap(fault.Infrastructure, fmt.Errorf("give fixtures back: %w", err)))
		}
	}
	return errors.Join(problems...)
}

// group are the scenarios of one world, and what they need there.
type group struct {
	needs     target.Needs
	scenarios []bench.Scenario
}

// groups returns the scenarios of the cells to run by their world, in order of
// first appearance, after those that are not about GitHub, each by itself.
func (r *run) groups() []*group {
	var all []*group
	seen := map[string]bool{}
	for _, c := range r.queue {
		s := r.cfg.Scenarios[c.ScenarioID]
		if seen[s.ID] {
			continue
		}
		seen[s.ID] = true
		if s.Target != nil {
			alone := target.Needs{Task: TaskOf(s), Variation: r.cfg.Variations.Of(c.Iteration)}
			all = slices.Insert(all, 0, &group{needs: alone, scenarios: []bench.Scenario{s}})
			continue
		}
		at := slices.IndexFunc(all, func(g *group) bool { return g.needs.Task == nil && g.needs.World == s.World() })
		if at < 0 {
			at = len(all)
			all = append(all, &group{needs: target.Needs{World: s.World(), Variation: r.cfg.Variations.Of(c.Iteration)}})
		}
		all[at].scenarios = append(all[at].scenarios, s)
		all[at].needs.Resources = append(all[at].needs.Resources, s.Requires()...)
	}
	return all
}

// modes returns the modes of the cells to run, in the order in which reports
// show them.
func (r *run) modes() []bench.Mode {
	queued := map[bench.Mode]bool{}
	for _, c := range r.queue {
		queued[c.Mode] = true
	}
	return bench.SortedModes(queued)
}

// capabilitiesOf returns the capabilities that scenarios use, sorted.
func capabilitiesOf(groups []*group) []string {
	var all []string
	for _, g := range groups {
		for _, s := range g.scenarios {
			all = append(all, s.Capabilities()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// warmUp runs the first cell of each mode once, unrecorded (rule N3). What it
// costs counts. A warm-up that fails is no reason to stop: the cells will tell.
func (r *run) warmUp(ctx context.Context) {
	warm := map[bench.Mode]bool{}
	for _, c := range r.queue {
		if warm[c.Mode] {
			continue
		}
		if ctx.Err() != nil || !r.mayGoOn() {
			return
		}
		warm[c.Mode] = true
		c.Iteration = 0
		r.observe(Event{Kind: EventWarmup, Cell: c})
		r.attempt(ctx, c, 1, 0)
	}
}

// work runs the blocks that take returns, until that returns none.
func (r *run) work(ctx context.Context, worker int, take func(context.Context) *Block) {
	for ctx.Err() == nil {
		block := take(ctx)
		if block == nil {
			return
		}
		if whole := r.block(ctx, block, worker); !r.finish(ctx, block, whole) {
			return
		}
	}
}

// block runs the cells of a block, and reports whether all of them have a row.
func (r *run) block(ctx context.Context, block *Block, worker int) bool {
	for i, cell := range block.Cells {
		if i > 0 && !r.mayGoOn() {
			return false
		}
		r.observe(Event{Kind: EventStart, Cell: cell})
		row := r.cell(ctx, cell, worker)
		if row == nil || !r.keep(row, false) {
			return false
		}
	}
	return true
}

// next takes a cell from the queue, if there is one and money for it.
func (r *run) next(context.Context) *Block {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) == 0 || r.overBudget() {
		return nil
	}
	var cell bench.Cell
	cell, r.queue = r.queue[0], r.queue[1:]
	return &Block{Cells: []bench.Cell{cell}}
}

// keep adds a row, which may be another machine's, to the ledger, and reports whether
// the run can go on. A cell that has a row keeps that.
func (r *run) keep(row *bench.Row, others bool) bool {
	cell := row.Cell()
	r.mu.Lock()
	known := r.recorded[cell]
	r.recorded[cell] = true
	r.mu.Unlock()
	if known {
		return true
	}
	if err := r.deps.Ledger.Append(row); err != nil {
		r.mu.Lock()
		delete(r.recorded, cell)
		r.mu.Unlock()
		r.fail(&UnsavedRow{Row: row, Err: err})
		return false
	}
	r.mu.Lock()
	r.done++
	r.rows++
	r.rowsUSD += row.SpentUSD()
	if others {
		r.shared.rowsUSD += row.SpentUSD()
	}
	r.mu.Unlock()
	r.observe(Event{Kind: EventRow, Cell: cell, Row: row})
	return true
}

// fail ends the run with an error; the first one counts.
func (r *run) fail(err error) {
	r.mu.Lock()
	if r.err == nil {
		r.err = fault.Wrap(fault.Infrastructure, err)
	}
	r.mu.Unlock()
	r.cancel(err)
}

func (r *run) observe(e Event) {
	if r.deps.Observe == nil {
		return
	}
	r.observing.Lock()
	defer r.observing.Unlock()
	r.mu.Lock()
	e.Done, e.Total, e.CostUSD = r.done, len(r.cfg.Cells), r.costUSD()
	r.mu.Unlock()
	r.deps.Observe(e)
}

// outcome returns what the run came to. The reason is why cells are left, if
// any are.
func (r *run) outcome(reason bench.MissingReason) Outcome {
	out := Outcome{Rows: r.rows, CostUSD: r.costUSD(), RowsUSD: r.rowsUSD}
	for _, c := range r.cfg.Cells {
		if !r.recorded[c] {
			out.Left = append(out.Left, c)
			out.Stopped = reason
		}
	}
	return out
}
