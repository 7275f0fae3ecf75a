package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/store"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// lastingAfter is after how many attempts an error counts that an outage does
// not explain.
const lastingAfter = 5

// received is the payload of the job of a delivery.
type received struct {
	ID string `json:"id"`
}

// deliveryTimeout is how long what a delivery starts may take. It is some
// requests, each of which is answered within seconds or not at all.
const deliveryTimeout = 2 * time.Minute

func deliveries() queue.Kind[received] {
	return queue.Kind[received]{Name: "delivery", Lane: LaneEvents, Timeout: deliveryTimeout}
}

// Keep stores deliveries, and a job for each that is new, or none of them. It
// reports which are new.
func (a *App) Keep(ctx context.Context, arrived []store.Delivery) (fresh []bool, err error) {
	err = a.db.Write(ctx, func(tx *database.Tx) error {
		if fresh, err = a.store.Add(ctx, tx, arrived); err != nil {
			return err
		}
		var jobs []queue.Order
		for i, d := range arrived {
			if fresh[i] {
				e, _ := eventNamed(d.Event)
				jobs = append(jobs, deliveries().New(received{d.ID}).Prior(e.Priority))
			}
		}
		return a.queue.EnqueueMany(ctx, tx, jobs)
	})
	return fresh, err
}

// giveUpTimeout is how long it may take to tell that a delivery has failed; the
// time of the delivery may be over.
const giveUpTimeout = 30 * time.Second

func (a *App) giveUp(ctx context.Context, delivery store.Delivery, problem error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpTimeout)
	defer cancel()
	a.givenUp(ctx, delivery, problem)
}

// handle does what a delivery starts, and stores what became of it.
func (a *App) handle(ctx context.Context, job queue.Job[received]) error {
	delivery, err := a.store.Delivery(ctx, job.Payload.ID)
	if errors.Is(err, store.ErrNone) {
		return nil // it was so old that it was removed
	}
	if err != nil {
		return err
	}
	do := a.handlers[delivery.Event]
	if do != nil && delivery.State == store.Queued {
		err = do(ctx, delivery)
	}
	state, problem := store.Handled, ""
	if err != nil {
		lasting := queue.IsPermanent(err) || fault.KindOf(err) != fault.Infrastructure && job.Attempt >= lastingAfter
		if !job.Final && !lasting {
			return err
		}
		a.giveUp(ctx, delivery, err)
		err = queue.Permanent(err)
		state, problem = store.Failed, a.opts.Secrets.String(fault.Public(err))
		a.opts.Log.ErrorContext(ctx, "a delivery failed", slog.String("delivery", delivery.ID),
			slog.String("event", delivery.Event), slog.String("error", a.opts.Secrets.String(err.Error())))
	}
	return errors.Join(err, a.finisher.finish(ctx, store.Finished{ID: delivery.ID, State: state, Problem: problem, At: a.opts.Now()}))
}
