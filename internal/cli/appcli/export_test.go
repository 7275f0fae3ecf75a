package appcli

import (
	"context"
	"io"

	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
)

// Builds returns what builds the programs of runs, and removes them again.
func Builds(settings settings.LocalRuns) func(context.Context, service.Work) error {
	b := newBuilds(settings, "")
	return func(ctx context.Context, w service.Work) error {
		made, err := b.build(ctx, w, io.Discard)
		made.remove()
		return err
	}
}

// GateCommand has the program be the gate of a benchmark.
const GateCommand = gateCommand
