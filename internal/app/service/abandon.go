package service

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// abandon has nobody work on a run any more that was ended by others. What
// cannot be ended now is not waited for: a job of its own tries it again.
func (s *Service) abandon(ctx context.Context, r runs.Run) {
	err := s.endElsewhere(ctx, r)
	if err == nil {
		return
	}
	if !errors.Is(err, ErrElsewhere) {
		s.warnOfGoingOn(ctx, r, err)
	}
	err = s.opts.DB.Write(ctx, func(tx *queue.Tx) error {
		_, err := s.opts.Queue.Enqueue(ctx, tx, s.abandoning.New(job{r.ID}).Once(r.ID))
		return err
	})
	if err != nil {
		s.warnOfGoingOn(ctx, r, err)
	}
}

// abandonJob tries again to end what goes on elsewhere of a run. What GitHub
// refuses to end is left to end by itself.
func (s *Service) abandonJob(ctx context.Context, j queue.Job[job]) error {
	r, err := s.opts.Runs.Get(ctx, j.Payload.Run)
	if errors.Is(err, runs.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	err = s.endElsewhere(ctx, r)
	ending := errors.Is(err, ErrElsewhere)
	switch {
	case ending && s.opts.Now().Sub(r.Ended) < abandonFor:
		return queue.Later(s.opts.Elsewhere)
	case err != nil && (ending || declined(err, j.Attempt)):
		s.warnOfGoingOn(ctx, r, err)
		return nil
	default:
		return err
	}
}

// abandonFor is the maximum wait for a remote run to stop.
const abandonFor = 24 * time.Hour

func (s *Service) endElsewhere(ctx context.Context, r runs.Run) error {
	executor, known := s.opts.Executors[r.Request.Plan.Executor]
	if r.State != runs.Stopped || !known {
		return nil
	}
	client, err := s.opts.Clients(ctx, r.Installation, r.Owner(), r.Name())
	if err != nil {
		return err
	}
	return executor.Abandon(ctx, r, client)
}

func (s *Service) warnOfGoingOn(ctx context.Context, r runs.Run, err error) {
	s.opts.Log.WarnContext(ctx, "a run that was stopped may go on elsewhere", slog.String("run", r.ID), slog.String("problem", s.opts.Redact(err.Error())))
}
