package github

import (
	"context"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// turn is a lock for what may take long: who waits for it waits no longer than
// its context.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take waits for the lock. An error is of kind infrastructure, and the lock is
// not taken then.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.Infraf("wait for a token: %w", context.Cause(ctx))
	}
}

// give lets go of the lock.
func (t turn) give() { <-t }
