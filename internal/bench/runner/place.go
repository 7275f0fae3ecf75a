package runner

import (
	"context"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/target"
)

// TaskOf returns what a target has to know of a scenario that is not about
// GitHub, nil for the others.
func TaskOf(s bench.Scenario) *target.Task {
	if s.Target == nil {
		return nil
	}
	return &target.Task{ScenarioID: s.ID, Commands: *s.Target}
}

// readerOf returns what reads the state of things at a place.
func (r *run) readerOf(place *target.Place) (checkpoint.Reader, error) {
	if place.Read != nil {
		return placeReader(place.Read), nil
	}
	return r.deps.Reader(place.Verifier)
}

// placeReader reads what a place says itself.
type placeReader func(ctx context.Context, read bench.Read) (any, error)

// Read asks the place.
func (f placeReader) Read(ctx context.Context, read bench.Read) (any, error) { return f(ctx, read) }
