package conduct

import (
	"context"
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
	r, err := c.Runs.Get(ctx, j.Payload.Run)
	if errors.Is(err, runs.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	turn, err := c.Runs.Begin(ctx, r, c.Parallel, c.Now())
	if err != nil || turn == runs.Over {
		return err
	}
	if turn == runs.Waits {
		return queue.Later(c.Wait)
	}
	if r, err = c.Runs.Get(ctx, r.ID); err != nil {
		return err
	}
	outcome, err := c.execute(ctx, r)
	switch {
	case err == nil && outcome.Reason != "":
		return c.end(ctx, r.ID, runs.Stopped, outcome)
	case err == nil:
		return c.end(ctx, r.ID, runs.Finished, outcome)
	case errors.Is(err, ErrElsewhere):
		return queue.Later(c.Elsewhere)
	case errors.Is(err, ErrNotNow):
		c.Log.WarnContext(ctx, "a run waits for GitHub", "run", r.ID, "problem", c.Redact(err.Error()))
		return queue.Later(c.Elsewhere)
	case errors.Is(err, errEnded):
		return nil // whoever ended it has it told
	case errors.Is(err, errTimeout):
		outcome.Reason = "It took longer than timeout_minutes in the settings allows."
		return c.end(ctx, r.ID, runs.Stopped, outcome)
	case ctx.Err() != nil:
		return err // the process stops: another one goes on
	case fault.KindOf(err) != fault.Invalid && !queue.IsPermanent(err) && j.Attempt < measureTries:
		return err // it is tried again
	default:
		outcome.Problem, outcome.ProblemKind = fault.Public(err), fault.KindOf(err)
		return c.end(context.WithoutCancel(ctx), r.ID, runs.Broken, outcome)
	}
}

// execute has the run's executor work, as long as the run is not ended by
// others and has time left.
func (c *Conductor) execute(ctx context.Context, r runs.Run) (runs.Outcome, error) {
	executor, known := c.Executors[r.Request.Plan.Executor]
	if !known {
		return runs.Outcome{}, fault.Invalidf("This App has no executor %q: set another one in the settings", r.Request.Plan.Executor)
	}
	client, publisher, err := c.publisher(ctx, r)
	if err != nil {
		return runs.Outcome{}, err
	}
	if err := c.show(ctx, client, &r, publish.InProgress); err != nil {
		c.Log.WarnContext(ctx, "the check run does not show the progress", "run", r.ID, "problem", c.Redact(err.Error()))
	}
	rows, err := c.Runs.Rows(ctx, r.ID)
	if err != nil {
		return runs.Outcome{}, err
	}
	if len(rows) == 0 && r.Request.Continues != "" {
		if rows, err = c.takeOver(ctx, r.Request.Continues); err != nil {
			return runs.Outcome{}, err
		}
	}
	watched, stop := c.watch(ctx, r)
	defer stop()
	progress := &progress{conductor: c, run: r, check: publisher.Check(c.checkStart(r)), ctx: watched}
	outcome, err := executor.Execute(watched, Work{Run: r, Client: client, Rows: rows, Keep: progress.keep, Progress: progress.at})
	progress.done()
	if cause := context.Cause(watched); err != nil && ctx.Err() == nil && cause != nil {
		err = cause
	}
	return outcome, err
}

// takeOver returns the rows of another run that are worth keeping: all but
// those of runner failures.
func (c *Conductor) takeOver(ctx context.Context, id string) ([][]byte, error) {
	all, err := c.Runs.Rows(ctx, id)
	if err != nil {
		return nil, err
	}
	var kept [][]byte
	for _, raw := range all {
		if good, err := judged(raw); err != nil {
			return nil, err
		} else if good {
			kept = append(kept, raw)
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
		ticker := time.NewTicker(c.Watch)
		defer ticker.Stop()
		for {
			select {
			case <-watched.Done():
				return
			case <-ticker.C:
			}
			now, err := c.Runs.Get(watched, r.ID)
			switch {
			case err == nil && !now.State.Alive():
				cancel(errEnded)
			case r.Request.Plan.Timeout > 0 && c.Now().Sub(r.Started) > r.Request.Plan.Timeout:
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
	//nolint:containedctx // what a run tells has no context of its own
	ctx context.Context

	mu     sync.Mutex
	stored time.Time
	told   sync.WaitGroup
}

// storeEvery is the least time between two updates of the table.
const storeEvery = time.Second

func (p *progress) keep(cell bench.Cell, row []byte) {
	c := p.conductor
	// A row that was paid for is kept although the run was ended meanwhile.
	if err := c.Runs.AddRow(context.WithoutCancel(p.ctx), p.run.ID, cell, []byte(c.Redact(string(row)))); err != nil {
		c.Log.ErrorContext(p.ctx, "a row is not kept", "run", p.run.ID, "cell", cell.String(), "problem", c.Redact(err.Error()))
	}
}

func (p *progress) at(done, cells int, costUSD float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, now := p.conductor, p.conductor.Now()
	p.run.State, p.run.Done, p.run.Cells, p.run.CostUSD = runs.Running, done, cells, costUSD
	if now.Sub(p.stored) >= storeEvery || done == cells {
		p.stored = now
		if err := c.Runs.Progress(context.WithoutCancel(p.ctx), p.run.ID, done, cells, costUSD); err != nil {
			c.Log.WarnContext(p.ctx, "progress is not stored", "run", p.run.ID, "problem", c.Redact(err.Error()))
		}
	}
	shown := output(comment.Check(c.said(p.run, runs.Outcome{})).Output)
	p.told.Go(func() { c.warn(p.ctx, p.run, p.check.Progress(p.ctx, now, shown)) })
}

// done waits for what is being told.
func (p *progress) done() { p.told.Wait() }
