package conduct

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// What an executor's error is while a run is not over, and it is to be called
// again.
var (
	// ErrElsewhere: the run goes on elsewhere.
	ErrElsewhere = errors.New("the run goes on elsewhere")
	// ErrNotNow: GitHub does not answer. It is waited for as long as the run
	// may take.
	ErrNotNow = errors.New("GitHub does not answer now")
)

var (
	// errEnded is the cause of a context whose run was ended by others.
	errEnded = errors.New("the run was ended")
	// errTimeout is that of one that took too long.
	errTimeout = errors.New("the run took too long")
)

// doMeasure has a run measured and stores how it ended.
func (c *Conductor) doMeasure(ctx context.Context, j queue.Job[job]) error {
	r, err := c.opts.Runs.Get(ctx, j.Payload.Run)
	if errors.Is(err, runs.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	turn, err := c.opts.Runs.Begin(ctx, r, c.opts.Parallel, c.opts.Now())
	if err != nil || turn == runs.Over {
		return err
	}
	if turn == runs.Waits {
		return queue.Later(c.opts.Wait)
	}
	if r, err = c.opts.Runs.Get(ctx, r.ID); err != nil {
		return err
	}
	outcome, err := c.execute(ctx, r)
	switch {
	case err == nil && outcome.Reason != "":
		return c.end(ctx, r.ID, runs.Stopped, outcome)
	case err == nil:
		return c.end(ctx, r.ID, runs.Finished, outcome)
	case errors.Is(err, ErrElsewhere):
		return queue.Later(c.opts.Elsewhere)
	case errors.Is(err, ErrNotNow):
		c.opts.Log.WarnContext(ctx, "a run waits for GitHub", "run", r.ID, "problem", c.opts.Redact(err.Error()))
		return queue.Later(c.opts.Elsewhere)
	case errors.Is(err, errEnded):
		return nil // whoever ended it has it told
	case errors.Is(err, errTimeout):
		outcome.Reason = comment.TimedOut
		return c.end(ctx, r.ID, runs.Stopped, outcome)
	case ctx.Err() != nil:
		return err // the process stops: another one goes on
	case fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Tool && !queue.IsPermanent(err) && j.Attempt < measureTries:
		return err // it is tried again
	default:
		outcome.Problem, outcome.ProblemKind = fault.Public(err), fault.KindOf(err)
		return c.end(context.WithoutCancel(ctx), r.ID, runs.Broken, outcome)
	}
}

// execute has the run's executor work, as long as the run is not ended by
// others and has time left.
func (c *Conductor) execute(ctx context.Context, r runs.Run) (runs.Outcome, error) {
	executor, known := c.opts.Executors[r.Request.Plan.Executor]
	if !known {
		return runs.Outcome{}, fault.Invalidf("This App has no executor %q: set another one in the settings", r.Request.Plan.Executor)
	}
	client, publisher, err := c.publisher(ctx, r)
	if err != nil {
		return runs.Outcome{}, err
	}
	if err := c.show(ctx, client, &r); errors.Is(err, errEnded) {
		return runs.Outcome{}, err
	} else if err != nil {
		c.opts.Log.WarnContext(ctx, "the check run does not show the progress", "run", r.ID, "problem", c.opts.Redact(err.Error()))
	}
	if r.Request.Continues != "" && r.WorkflowRun == 0 { // later looks at a workflow find them
		kept, err := c.reusable(ctx, r.Request.Continues, r.Request.BaseSHA)
		if err != nil {
			return runs.Outcome{}, err
		}
		if err := c.opts.Runs.TakeOver(ctx, r.ID, kept); err != nil {
			return runs.Outcome{}, err
		}
	}
	rows, err := c.opts.Runs.Rows(ctx, r.ID)
	if err != nil {
		return runs.Outcome{}, err
	}
	before, err := c.before(ctx, r)
	if err != nil {
		return runs.Outcome{}, err
	}
	watched, stop := c.watch(ctx, r)
	defer stop()
	progress := &progress{conductor: c, run: r, check: publisher.Check(c.checkStart(r))}
	outcome, err := executor.Execute(watched, Work{Run: r, Client: client, Rows: rows, Before: before, Keep: progress.keep(watched), Progress: progress.at(watched), Surface: progress.surface(watched)})
	progress.done()
	if cause := context.Cause(watched); err != nil && ctx.Err() == nil && cause != nil {
		err = cause
	}
	return outcome, err
}

// before returns the runs that a run goes on with, the latest first.
func (c *Conductor) before(ctx context.Context, r runs.Run) (before []runs.Run, err error) {
	for r.Request.Continues != "" {
		r, err = c.opts.Runs.Get(ctx, r.Request.Continues)
		if errors.Is(err, runs.ErrNone) {
			return before, nil
		}
		if err != nil {
			return nil, err
		}
		before = append(before, r)
	}
	return before, nil
}

// reusable returns the rows of another run that a run on a base commit may take
// over; the commit is empty where it is not known.
func (c *Conductor) reusable(ctx context.Context, id, base string) (map[bench.Cell][]byte, error) {
	all, err := c.opts.Runs.Rows(ctx, id)
	if err != nil {
		return nil, err
	}
	var of bench.GitRef
	if base != "" {
		of.Commit = &base
	}
	kept := map[bench.Cell][]byte{}
	for _, raw := range all {
		var row bench.Row
		if err := json.Unmarshal(raw, &row); err != nil {
			return nil, fault.Internalf("read a row: %w", err)
		}
		if row.Reusable(of) {
			kept[row.Cell()] = raw
		}
	}
	return kept, nil
}

// watch returns a context that ends when the run is ended by others, or when
// its time is over.
func (c *Conductor) watch(ctx context.Context, r runs.Run) (context.Context, func()) {
	watched, cancel := context.WithCancelCause(ctx)
	var ticking sync.WaitGroup
	ticking.Go(func() {
		ticker := time.NewTicker(c.opts.Watch)
		defer ticker.Stop()
		for {
			select {
			case <-watched.Done():
				return
			case <-ticker.C:
			}
			now, err := c.opts.Runs.Get(watched, r.ID)
			switch {
			case err == nil && !now.State.Alive():
				cancel(errEnded)
			case r.Request.Plan.Timeout > 0 && c.opts.Now().Sub(r.Started) > r.Request.Plan.Timeout:
				cancel(errTimeout)
			}
		}
	})
	return watched, func() {
		cancel(nil)
		ticking.Wait()
	}
}

// progress tells how far a run is. It keeps no run waiting for GitHub.
type progress struct {
	conductor *Conductor
	run       runs.Run
	check     *publish.Check

	mu     sync.Mutex
	stored time.Time
	// found is what changed for agents, nil until it is known.
	found *bench.SurfaceChange
	told  sync.WaitGroup
}

// storeEvery is the least time between two updates of the table.
const storeEvery = time.Second

// keep returns what stores a row.
func (p *progress) keep(ctx context.Context) func(bench.Cell, []byte) {
	c := p.conductor
	return func(cell bench.Cell, row []byte) {
		// A row that was paid for is kept although the run was ended meanwhile.
		if err := c.opts.Runs.AddRow(context.WithoutCancel(ctx), p.run.ID, cell, []byte(c.opts.Redact(string(row)))); err != nil {
			c.opts.Log.ErrorContext(ctx, "a row is not kept", "run", p.run.ID, "cell", cell.String(), "problem", c.opts.Redact(err.Error()))
		}
	}
}

// at returns what tells how far the run is.
func (p *progress) at(ctx context.Context) func(done, cells int, costUSD float64) {
	return func(done, cells int, costUSD float64) {
		p.mu.Lock()
		defer p.mu.Unlock()
		c, now := p.conductor, p.conductor.opts.Now()
		p.run.State, p.run.Done, p.run.Cells, p.run.CostUSD = runs.Running, done, cells, costUSD
		if now.Sub(p.stored) >= storeEvery || done == cells {
			p.stored = now
			if err := c.opts.Runs.Progress(context.WithoutCancel(ctx), p.run.ID, done, cells, costUSD); err != nil {
				c.opts.Log.WarnContext(ctx, "progress is not stored", "run", p.run.ID, "problem", c.opts.Redact(err.Error()))
			}
		}
		p.show(ctx)
	}
}

// surface returns what tells what changed for agents.
func (p *progress) surface(ctx context.Context) func(*bench.SurfaceChange) {
	return func(found *bench.SurfaceChange) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.run.State, p.found = runs.Running, found
		p.show(ctx)
	}
}

// show shows the run's check as it is. Its caller holds mu.
func (p *progress) show(ctx context.Context) {
	c, now := p.conductor, p.conductor.opts.Now()
	shown := comment.Check(c.said(p.run, runs.Outcome{Surface: p.found})).Output
	run := p.run // it changes with the next row
	p.told.Go(func() { c.warn(ctx, run, p.check.Progress(ctx, now, shown)) })
}

// done waits for what is being told.
func (p *progress) done() { p.told.Wait() }
