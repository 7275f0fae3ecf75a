package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/github"
)

// hasMinutes reports whether work ends in minutes: a slow answer of GitHub is waited for,
// and one that never comes holds no place for good.
func hasMinutes(ctx context.Context) bool {
	ends, limited := ctx.Deadline()
	left := time.Until(ends)
	return limited && left > time.Minute && left < 5*time.Minute
}

// limits passes on what is to be ended elsewhere, and keeps whether it had minutes.
type limits struct {
	service.Executor
	minutes chan bool
}

func (l limits) Abandon(ctx context.Context, r runs.Run, client *github.Client) error {
	l.minutes <- hasMinutes(ctx)
	return l.Executor.Abandon(ctx, r, client)
}

func TestWhoTellsOfAnEndHasMinutes(t *testing.T) {
	t.Parallel()
	var l limits
	r := newRig(t, config, func(o *service.Options) {
		l = limits{o.Executors[settings.Local], make(chan bool, 10)}
		o.Executors = map[settings.Executor]service.Executor{settings.Local: l}
	})
	r.executor.goesOn = []error{service.ErrElsewhere}
	r.store(func(*runs.Run) {})
	r.finishes("left", runs.Stopped, runs.Outcome{Reason: "It was cancelled by writer."})
	r.ahead.Store(int64(10 * time.Minute))
	r.reap()
	r.wait(1)
	assert.True(t, <-l.minutes, "by who tells of the end")
	assert.True(t, <-l.minutes, "by a job of its own")
}

// handling is a handler of deliveries.
type handling struct{ minutes chan bool }

func (h handling) Deliver(ctx context.Context, _ service.Delivery) error {
	h.minutes <- hasMinutes(ctx)
	return nil
}

func (h handling) GiveUp(context.Context, service.Delivery, error) {}

func TestADeliveryHasMinutes(t *testing.T) {
	t.Parallel()
	r, h := newInboxRig(t), handling{make(chan bool, 1)}
	r.Handle(h)
	r.stores("d")
	r.run()
	assert.True(t, <-h.minutes)
}
