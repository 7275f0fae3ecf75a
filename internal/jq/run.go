package jq

import (
	"context"
	"errors"
)

// run is the context of one run. It counts steps: the interpreter asks before
// each of them whether the context is done.
type run struct {
	context.Context
	end  context.CancelFunc
	left int
}

// errTime is the cause of a run's end when it took too long.
var errTime = errors.New("out of time")

func newRun(ctx context.Context) *run {
	limited, end := context.WithTimeoutCause(ctx, MaxTime, errTime)
	return &run{limited, end, MaxSteps}
}

// ended is closed.
var ended = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Done counts a step. The channel that it returns is closed when there are none
// left, or when the context is done.
func (r *run) Done() <-chan struct{} {
	if r.left--; r.left < 0 {
		return ended
	}
	return r.Context.Done()
}

// errSteps is the error of a run that has no steps left.
var errSteps = errors.New("out of steps")

// Err returns why the run has to end, nil if it may go on.
func (r *run) Err() error {
	if r.left < 0 {
		return errSteps
	}
	return r.Context.Err()
}
