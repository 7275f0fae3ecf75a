package conduct

import (
	"context"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/queue/database"
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
// told. It is called every now and then.
func (c *Conductor) Reap(ctx context.Context) error {
	now := c.Now()
	alive, err := c.Runs.AliveAll(ctx)
	if err != nil {
		return err
	}
	for _, r := range alive {
		if dead(r, now) {
			err = c.end(ctx, r.ID, runs.Stopped, runs.Outcome{Reason: "It was silent for longer than it may take, so it was taken for dead."})
		} else if now.Sub(r.Created) > settled {
			err = c.DB.Write(ctx, func(tx *database.Tx) error {
				_, err := c.Queue.Enqueue(ctx, tx, c.measureJob(r))
				return err
			})
		}
		if err != nil {
			return err
		}
	}
	untold, err := c.Runs.Untold(ctx, now.Add(-settled))
	if err != nil || len(untold) == 0 {
		return err
	}
	return c.DB.Write(ctx, func(tx *database.Tx) error {
		for _, r := range untold {
			if _, err := c.Queue.Enqueue(ctx, tx, c.tellJob(r.ID)); err != nil {
				return err
			}
		}
		return nil
	})
}

func dead(r runs.Run, now time.Time) bool {
	return !r.Started.IsZero() && r.Request.Plan.Timeout > 0 && now.Sub(r.Started) > r.Request.Plan.Timeout+overtime
}
