package runner

import (
	"context"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
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

// verify has a place judge what an agent has left. An agent cannot buy a failure
// of the infrastructure by leaving what the place's commands stumble over: where
// it changed what it may not, that is why it failed.
func verify(ctx context.Context, place *target.Place, s bench.Scenario, answer string) ([]bench.CheckpointResult, error) {
	if place.End == nil {
		return nil, nil
	}
	results, err := place.End(ctx, answer)
	if err == nil || ctx.Err() != nil || place.Changes == nil {
		return results, err
	}
	judged := footprint.Judge(s.Footprint, place.Agent, place.Changes())
	if !slices.ContainsFunc(judged, func(c bench.Change) bool { return c.Unallowed != "" }) {
		return nil, err
	}
	return []bench.CheckpointResult{{Name: "what is left can be judged", Detail: fault.Public(err)}}, nil
}
