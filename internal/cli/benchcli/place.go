package benchcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// targetFor makes the target that a suite runs on, as its agents reach it.
func (a *app) targetFor(ctx context.Context, s *verify.Suite, p *prepared) (place target.Target, err error) {
	if p.remote != nil {
		place, err = a.liveFor(ctx, s, p)
	} else {
		place, err = a.sandboxFor(ctx, s, p.flags)
	}
	for _, sentence := range s.NotRunnable {
		fmt.Fprintf(a.stderr, "bench: %s\n", sentence)
	}
	if err != nil || p.route == nil {
		return place, err
	}
	return p.route(place), nil
}

// sandboxFor makes the sandbox that a suite runs on: from the manifest and the
// snapshot beside it, or freshly seeded in memory.
func (a *app) sandboxFor(ctx context.Context, s *verify.Suite, f *suiteFlags) (target.Target, error) {
	resources := requiredBy(s.Scenarios)
	if f.manifest != "" {
		sandbox, err := a.loadSandbox(f.manifest, resources)
		if err == nil || !f.seedIfMissing {
			return sandbox, err
		}
		var missing missingFixtures
		if !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &missing) {
			return nil, err
		}
	}
	sandbox, err := target.NewSandbox()
	if err != nil {
		return nil, err
	}
	_, err = verify.SeedSandbox(ctx, sandbox, fixture.Options{
		Repo: target.FixturesRepo, SeedID: s.SeedID, Resources: resources, RunID: s.RunID, Now: a.now(),
	})
	if err != nil {
		return nil, err
	}
	if f.manifest != "" {
		if err := a.saveSandbox(sandbox, f.manifest); err != nil {
			return nil, err
		}
	}
	return sandbox, nil
}
