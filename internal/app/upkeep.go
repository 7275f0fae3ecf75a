package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/ghx-dev/bench-action/internal/queue"
)

// nothing is the payload of jobs that need none.
type nothing struct{}

const (
	pruneEvery     = time.Hour
	redeliverEvery = 5 * time.Minute
	shrinkEvery    = time.Minute
	upkeepTimeout  = 10 * time.Minute
	// upkeepAttempts is small: the next one comes soon anyway.
	upkeepAttempts = 3
)

func upkeep(name string) queue.Kind[nothing] {
	return queue.Kind[nothing]{Name: name, Lane: LaneUpkeep, Timeout: upkeepTimeout, Attempts: upkeepAttempts}
}

// addUpkeep has what is needed every now and then done, on one machine.
func (a *App) addUpkeep() error {
	prune, redeliver, shrink := upkeep("prune"), upkeep("redeliver"), upkeep("shrink")
	queue.Handle(a.queue, prune, func(ctx context.Context, _ queue.Job[nothing]) error {
		count, err := a.inbox.Prune(ctx, a.opts.Now().Add(-a.opts.Config.Keep))
		if count > 0 {
			a.opts.Log.InfoContext(ctx, "old deliveries were removed", slog.Int64("count", count))
		}
		return err
	})
	queue.Handle(a.queue, redeliver, func(ctx context.Context, _ queue.Job[nothing]) error {
		who := a.github.Load()
		if who == nil {
			return nil // nothing is delivered to an App that is not set up
		}
		count, err := a.inbox.Redeliver(ctx, who.Client())
		if count > 0 {
			a.metrics.redelivered.Add(float64(count))
			a.opts.Log.InfoContext(ctx, "missed deliveries were asked for again", slog.Int("count", count))
		}
		return err
	})
	queue.Handle(a.queue, shrink, func(ctx context.Context, _ queue.Job[nothing]) error {
		pages, err := a.db.Shrink(ctx)
		if pages > 0 {
			a.opts.Log.DebugContext(ctx, "the database gave pages back to the disk", slog.Int64("pages", pages))
		}
		return err
	})
	if err := a.queue.Every(shrinkEvery, shrink.New(nothing{})); err != nil {
		return err
	}
	if err := a.queue.Every(pruneEvery, prune.New(nothing{})); err != nil {
		return err
	}
	return a.queue.Every(redeliverEvery, redeliver.New(nothing{}))
}
