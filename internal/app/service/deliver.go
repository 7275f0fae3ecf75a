package service

import (
	"context"
	"log/slog"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Deliver does what a delivery starts. It may be called again for the same
// delivery.
func (s *Service) Deliver(ctx context.Context, d Delivery) error {
	e, err := read(d)
	if err != nil {
		return queue.Permanent(err)
	}
	routed := route(e, s.opts.App())
	s.opts.Log.InfoContext(ctx, "delivery", slog.String("delivery", d.ID), slog.String("event", e.Name), slog.String("action", e.Action),
		slog.String("repository", e.Repo.FullName()), slog.String("leads_to", string(routed.kind)))
	if e.Name == ghevent.PullRequest && !e.Pull.UpdatedAt.IsZero() {
		if err := s.opts.Runs.See(ctx, e.Repo.FullName(), e.Pull.Number, e.Pull.HeadSHA, e.Pull.UpdatedAt, e.Action == "synchronize"); err != nil {
			return err
		}
	}
	if do := s.handler(routed.kind); do != nil {
		return do(ctx, d.ID, e, routed)
	}
	s.leave(ctx, e, routed.why)
	return nil
}

// handler does what an event leads to. Cause is the delivery's id.
type handler func(ctx context.Context, cause string, e ghevent.Event, routed routing) error

// handler returns what does what a kind stands for, nil where that is nothing.
func (s *Service) handler(k kind) handler {
	switch k {
	case kindConsidered:
		return s.consider
	case kindQueued:
		return s.mergeGroup
	case kindPushed:
		return s.pushed
	case kindCommanded:
		return s.command
	case kindPressed:
		return s.pressed
	case kindEnded:
		return s.workflowEnded
	case kindLost:
		return s.accessLost
	default:
		return nil
	}
}

// read returns the event of a delivery.
func read(d Delivery) (ghevent.Event, error) {
	body, err := d.Body.Unpack()
	if err != nil {
		return ghevent.Event{}, err
	}
	return ghevent.ParseDelivery(d.Event, body)
}

// leave counts and logs that an event leads to nothing.
func (s *Service) leave(ctx context.Context, e ghevent.Event, why string) {
	s.opts.Count(e.Name, "", why)
	s.opts.Log.InfoContext(ctx, "left alone", slog.String("event", e.Name), slog.String("action", e.Action), slog.String("repository", e.Repo.FullName()),
		slog.String("login", e.Sender.Login), slog.String("why", why))
}

// GiveUp tells who commanded that the delivery of the command failed for good,
// if GitHub lets it be told.
func (s *Service) GiveUp(ctx context.Context, d Delivery, problem error) {
	e, _ := read(d) // what cannot be read is no command
	routed := route(e, s.opts.App())
	if routed.kind != kindCommanded && routed.kind != kindPressed {
		return
	}
	c, err := s.newCommandRun(ctx, d.ID, e, routed)
	if err != nil {
		s.opts.Log.WarnContext(ctx, "that a command failed cannot be told", slog.String("delivery", d.ID), slog.String("problem", s.opts.Redact(err.Error())))
		return
	}
	defer c.count(ctx, failed)
	if routed.kind == kindPressed {
		return // there is no comment to answer
	}
	_, err = c.answerOnce(ctx, func(context.Context) (runs.Answer, error) {
		public := fault.Because(fault.KindOf(problem), problem, s.opts.Redact(fault.Public(problem)))
		return runs.Answer{Reaction: confused, Body: comment.Failed(c.command.Name, public, d.ID), Outcome: failed}, nil
	})
	if err != nil {
		s.opts.Log.WarnContext(ctx, "that a command failed cannot be told", slog.String("delivery", d.ID), slog.String("problem", s.opts.Redact(err.Error())))
	}
}
