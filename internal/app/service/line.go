package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// enter has a run wait for a place, which it may get at once.
func (s *Service) enter(ctx context.Context, id string) error {
	return s.opts.DB.Write(ctx, func(tx *queue.Tx) error {
		if err := s.opts.Runs.LockLine(ctx, tx); err != nil {
			return err
		}
		if err := s.opts.Runs.Enter(ctx, tx, id); err != nil {
			return err
		}
		return s.admit(ctx, tx)
	})
}

// Admit has runs begin for which there are places. It is called when a machine
// begins to work; a run that ends gives its place away itself.
func (s *Service) Admit(ctx context.Context) error {
	return s.opts.DB.Write(ctx, func(tx *queue.Tx) error {
		if err := s.opts.Runs.LockLine(ctx, tx); err != nil {
			return err
		}
		return s.admit(ctx, tx)
	})
}

// admit is [Service.Admit] in a transaction that holds the line.
func (s *Service) admit(ctx context.Context, tx *queue.Tx) error {
	workers, err := s.opts.Queue.Workers(ctx, tx, s.opts.Lane)
	if err != nil {
		return err
	}
	admitted, err := s.opts.Runs.Admit(ctx, tx, runs.Places{Local: workers, Installation: s.opts.Parallel})
	if err != nil {
		return err
	}
	for _, run := range admitted {
		if _, err := s.opts.Queue.Enqueue(ctx, tx, s.newMeasureJob(run.ID, run.Executor)); err != nil {
			return err
		}
	}
	return nil
}

// waiting returns where a run waits, nil where it does not, or where that cannot be told.
// Where an error keeps it from saying when the run begins, the rest is there.
func (s *Service) waiting(ctx context.Context, r runs.Run) (*comment.Waiting, error) {
	line, err := s.opts.Runs.Line(ctx, &r)
	ahead := slices.Index(line, r.ID)
	if ahead < 0 {
		return nil, err
	}
	waiting := &comment.Waiting{Ahead: ahead}
	workers, err := s.opts.Queue.Workers(ctx, s.opts.DB, s.opts.Lane)
	if workers == 0 || r.Request.Plan.Executor != settings.Local {
		return waiting, err
	}
	mean, err := s.opts.Runs.MeanTime(ctx)
	if mean > 0 {
		waiting.Begins = s.opts.Now().Add(mean * time.Duration(ahead+1) / time.Duration(workers))
	}
	return waiting, err
}

// shownInLine is how many of those that wait are told again where they are: those
// that begin soon. GitHub limits how much is said.
const shownInLine = 20

// showLine tells those that begin soon where they are in line.
func (s *Service) showLine(ctx context.Context) error {
	line, err := s.opts.Runs.Line(ctx, nil)
	if err != nil {
		return err
	}
	var problem error
	for _, id := range line[:min(len(line), shownInLine)] {
		r, err := s.opts.Runs.Get(ctx, id)
		if err == nil && r.State == runs.Queued && s.opts.Now().Sub(r.Created) > settled {
			var client *github.Client
			if client, _, err = s.publisher(ctx, r); err == nil {
				err = s.show(ctx, client, &r)
			}
		}
		if err != nil && !errors.Is(err, errEnded) {
			problem = errors.Join(problem, err)
		}
	}
	return problem
}
