package benchcli

import (
	"context"
	"errors"
	"io/fs"

	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// targetFor makes the target that a suite runs on, as its agents reach it.
func (a *app) targetFor(ctx context.Context, s *verify.Suite, p *prepared) (target.Target, error) {
	sandbox, err := a.sandboxFor(ctx, s, p.flags)
	if err != nil || p.route == nil {
		return sandbox, err
	}
	return p.route(sandbox), nil
}

// sandboxFor makes the sandbox that a suite runs on: from the manifest and the
// snapshot beside it, or freshly seeded in memory.
func (a *app) sandboxFor(ctx context.Context, s *verify.Suite, f *suiteFlags) (target.Target, error) {
	var resources []string
	for _, sc := range s.Scenarios {
		resources = append(resources, sc.Requires()...)
	}
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
		Repo: target.FixturesRepo, SeedID: s.SeedID, Resources: append([]string{}, resources...), RunID: s.RunID, Now: a.now(),
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
