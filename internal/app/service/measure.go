package service

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

// measureJob has a run measured and stores how it ended.
func (s *Service) measureJob(ctx context.Context, j queue.Job[job]) error {
	goes, err := s.opts.Runs.Begin(ctx, j.Payload.Run, s.opts.Now())
	if err != nil || !goes {
		return err
	}
	r, err := s.opts.Runs.Get(ctx, j.Payload.Run)
	if err != nil {
		return err
	}
	outcome, err := s.execute(ctx, r)
	switch {
	case err == nil:
		state := runs.Finished
		if outcome.Reason != "" {
			state = runs.Stopped
		}
		return s.end(ctx, r.ID, state, outcome)
	case errors.Is(err, ErrElsewhere):
		return queue.Later(s.opts.Elsewhere)
	case errors.Is(err, ErrNotNow):
		s.opts.Log.WarnContext(ctx, "a run waits for GitHub", "run", r.ID, "problem", s.opts.Redact(err.Error()))
		return queue.Later(s.opts.Elsewhere)
	case errors.Is(err, errEnded):
		return nil // whoever ended it has it told
	case errors.Is(err, errTimeout):
		outcome.Reason = comment.TimedOut
		return s.end(ctx, r.ID, runs.Stopped, outcome)
	case ctx.Err() != nil:
		return err // the process stops: another one goes on
	case fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Tool && !queue.IsPermanent(err) && j.Attempt < measureTries:
		return err // it is tried again
	default:
		outcome.Problem, outcome.ProblemKind = fault.Public(err), fault.KindOf(err)
		return s.end(context.WithoutCancel(ctx), r.ID, runs.Broken, outcome)
	}
}

// execute has the run's executor work, as long as the run is not ended by
// others and has time left.
func (s *Service) execute(ctx context.Context, r runs.Run) (runs.Outcome, error) {
	executor, known := s.opts.Executors[r.Request.Plan.Executor]
	if !known {
		return runs.Outcome{}, fault.Invalidf("This App has no executor %q: set another one in the settings", r.Request.Plan.Executor)
	}
	client, publisher, err := s.publisher(ctx, r)
	if err != nil {
		return runs.Outcome{}, err
	}
	if err := s.show(ctx, client, &r); errors.Is(err, errEnded) {
		return runs.Outcome{}, err
	} else if err != nil {
		s.opts.Log.WarnContext(ctx, "the check run does not show the progress", "run", r.ID, "problem", s.opts.Redact(err.Error()))
	}
	if r.Request.Continues != "" && r.WorkflowRun == 0 { // later looks at a workflow find them
		kept, err := s.reusable(ctx, r.Request.Continues, r.Request.BaseSHA)
		if err != nil {
			return runs.Outcome{}, err
		}
		if err := s.opts.Runs.TakeOver(ctx, r.ID, r.Request.Continues, kept); err != nil {
			return runs.Outcome{}, err
		}
	}
	rows, err := s.opts.Runs.Rows(ctx, r.ID)
	if err != nil {
		return runs.Outcome{}, err
	}
	begun, err := s.opts.Runs.Begun(ctx, r.ID)
	if err != nil {
		return runs.Outcome{}, err
	}
	before, err := s.before(ctx, r)
	if err != nil {
		return runs.Outcome{}, err
	}
	shared, err := s.lead(ctx, executor, r)
	if err != nil {
		return runs.Outcome{}, err
	}
	watched, stop := s.watch(ctx, r)
	defer stop()
	progress := &progress{service: s, run: r, check: publisher.Check(s.checkStart(r))}
	outcome, err := executor.Execute(watched, Work{
		Run: r, Client: client, Rows: rows, Before: before, Shared: shared, Begun: begun,
		KeepBegun: func(begun []byte, anew bool) error {
			return s.opts.Runs.SetBegun(context.WithoutCancel(watched), r.ID, []byte(s.opts.Redact(string(begun))), anew)
		},
		Keep: progress.keep(watched), KeepTranscript: progress.keepTranscript(watched), Progress: progress.at(watched), Surface: progress.surface(watched),
	})
	progress.done()
	if cause := context.Cause(watched); err != nil && ctx.Err() == nil && cause != nil {
		err = cause
	}
	return outcome, err
}

// before returns the runs that a run goes on with, the latest first.
func (s *Service) before(ctx context.Context, r runs.Run) (before []runs.Run, err error) {
	for r.Request.Continues != "" {
		r, err = s.opts.Runs.Get(ctx, r.Request.Continues)
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
func (s *Service) reusable(ctx context.Context, id, base string) (map[bench.Cell][]byte, error) {
	all, err := s.opts.Runs.Rows(ctx, id)
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

// overdue reports whether a run goes on for longer than it may, and some more.
func (s *Service) overdue(r runs.Run, more time.Duration) bool {
	limit := r.Request.Plan.Timeout
	return !r.Started.IsZero() && limit > 0 && s.going.of(r.ID, r.Started, s.opts.Now(), s.opts.Elapsed()) > limit+more
}

// watch returns a context that ends when the run is ended by others, or when
// its time is over.
func (s *Service) watch(ctx context.Context, r runs.Run) (context.Context, func()) {
	watched, cancel := context.WithCancelCause(ctx)
	s.overdue(r, 0) // its age grows from here on, whoever sets the clock
	var ticking sync.WaitGroup
	ticking.Go(func() {
		ticker := time.NewTicker(s.opts.Watch)
		defer ticker.Stop()
		for {
			select {
			case <-watched.Done():
				return
			case <-ticker.C:
			}
			now, err := s.opts.Runs.Get(watched, r.ID)
			switch {
			case err == nil && !now.State.Alive():
				cancel(errEnded)
			case s.overdue(r, 0):
				cancel(errTimeout)
			}
		}
	})
	return watched, func() {
		cancel(nil)
		ticking.Wait()
	}
}
