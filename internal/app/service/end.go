package service

import (
	"context"
	"errors"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// recordEnded makes a run that ends at once.
func (s *Service) recordEnded(ctx context.Context, req runRequest, state runs.State, o runs.Outcome) error {
	req.atOnce = func(tx *queue.Tx, r runs.Run) error { return s.endIn(ctx, tx, r.ID, state, o) }
	_, err := s.create(ctx, req, nil)
	if errors.Is(err, errTaken) {
		return nil
	}
	return err
}

// recordSkipped makes a run that was skipped.
func (s *Service) recordSkipped(ctx context.Context, req runRequest, why comment.Skip) error {
	return s.recordEnded(ctx, req, runs.Skipped, runs.Outcome{Skip: why})
}

// recordStopped makes a run that is not begun, for a reason.
func (s *Service) recordStopped(ctx context.Context, req runRequest, reason string) error {
	return s.recordEnded(ctx, req, runs.Stopped, runs.Outcome{Reason: reason})
}

// recordBroken makes a run that is broken by its settings, and points at the line.
func (s *Service) recordBroken(ctx context.Context, req runRequest, problems jsondoc.Problems) error {
	first := problems.Sorted()[0]
	err := s.recordEnded(ctx, req, runs.Broken, runs.Outcome{
		Problem: fault.Public(problems.Err()), ProblemKind: fault.Invalid, ProblemPath: first.File, ProblemLine: first.Line,
	})
	if err == nil {
		s.leave(ctx, req.event, brokenSettings)
	}
	return err
}

// recordUnresolved makes a run that is broken by its settings, which no plan can be made
// of.
func (s *Service) recordUnresolved(ctx context.Context, req runRequest, problem error) error {
	return s.recordBroken(ctx, req, jsondoc.Problems{{File: settings.Path, Line: 1, Column: 1, Message: fault.Public(problem)}})
}

// end stores how a run ended and has it published. A run that has ended already
// stays as it is.
func (s *Service) end(ctx context.Context, id string, state runs.State, o runs.Outcome) error {
	return s.opts.DB.Write(ctx, func(tx *queue.Tx) error { return s.endIn(ctx, tx, id, state, o) })
}

func (s *Service) endIn(ctx context.Context, tx *queue.Tx, id string, state runs.State, o runs.Outcome) error {
	o.Problem, o.Log = s.opts.Redact(o.Problem), s.opts.Redact(o.Log)
	if err := s.opts.Runs.LockLine(ctx, tx); err != nil {
		return err
	}
	ended, err := s.opts.Runs.End(ctx, tx, id, state, o, s.opts.Now())
	if err != nil || !ended {
		return err
	}
	if _, err := s.opts.Queue.Enqueue(ctx, tx, s.newPublishJob(id)); err != nil {
		return err
	}
	return s.admit(ctx, tx)
}
