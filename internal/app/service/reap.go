package service

import (
	"context"
	"errors"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/queue"
)

const (
	// settled is how old something is that ought to have its job by now.
	settled = 2 * time.Minute
	// overtime is how long a run may go on after its time is over, before it
	// is taken for dead.
	overtime = 15 * time.Minute
)

// Reap finds what was left behind: runs without a job get one, runs that
// should have ended long ago are ended, and what GitHub does not show yet is
// published. It is called every now and then.
func (s *Service) Reap(ctx context.Context) error {
	now := s.opts.Now()
	alive, err := s.opts.Runs.AliveAll(ctx)
	if err != nil {
		return err
	}
	var problem error
	for _, r := range alive {
		problem = errors.Join(problem, s.reap(ctx, r, now))
	}
	problem = errors.Join(problem, s.Admit(ctx), s.showLine(ctx))
	unpublished, err := s.opts.Runs.Unpublished(ctx, now.Add(-settled))
	if err != nil || len(unpublished) == 0 {
		return errors.Join(problem, err)
	}
	return errors.Join(problem, s.opts.DB.Write(ctx, func(tx *queue.Tx) error {
		for _, r := range unpublished {
			if _, err := s.opts.Queue.Enqueue(ctx, tx, s.newPublishJob(r.ID)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// reap looks after a run that has not ended.
func (s *Service) reap(ctx context.Context, r runs.Run, now time.Time) error {
	switch {
	case s.overdue(r, overtime):
		return s.end(ctx, r.ID, runs.Stopped, runs.Outcome{Reason: comment.FellSilent})
	case now.Sub(r.Created) <= settled:
		return nil
	case r.HasPlace:
		return s.opts.DB.Write(ctx, func(tx *queue.Tx) error {
			_, err := s.opts.Queue.Enqueue(ctx, tx, s.newMeasureJob(r.ID, r.Request.Plan.Executor))
			return err
		})
	default:
		return s.enter(ctx, r.ID)
	}
}
