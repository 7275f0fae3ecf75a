package benchcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// targetFor makes the target that a suite runs on, as its agents reach it.
func (a *app) targetFor(ctx context.Context, s *verify.Suite, p *prepared) (place target.Target, err error) {
	if p.remote != nil {
		place, err = a.liveFor(ctx, s, p)
	} else {
		var sandbox *target.Sandbox
		if sandbox, err = a.sandboxFor(ctx, s, p.flags); err == nil {
			sandbox.FindWorlds(p.library.World, a.runWorldScript)
			sandbox.Time(a.now)
			if p.flags.provider != defaultProvider {
				// An agent can ask its machine for the date; the scripted one does
				// not, and its rows are the same every time.
				sandbox.StartNow(a.now)
			}
			place = a.withCommands(p.library, sandbox)
		}
	}
	p.suite.Variations = s.Variations
	for _, sentence := range s.NotRunnable {
		fmt.Fprintf(a.stderr, "bench: %s\n", sentence)
	}
	if err != nil || p.route == nil {
		return place, err
	}
	return p.route(place), nil
}

// withCommands returns a target that has tasks which are not about GitHub too.
func (a *app) withCommands(library *scenario.Library, github target.Target) target.Target {
	return target.NewFolder(target.FolderOptions{Files: library.Files(), Env: a.usualVariables()}, github)
}

// refuseScripted refuses to have the scripted agent play what it cannot.
func refuseScripted(scenarios []bench.Scenario) error {
	for _, s := range scenarios {
		if s.Target != nil {
			return fault.Invalidf("scenario %s is not about GitHub, and the scripted agent acts there alone: name an agent with --provider and --model, or play one with `bench scenarios try %s --script FILE`", s.ID, s.ID)
		}
	}
	return nil
}

// sandboxFor makes the sandbox that a suite runs on: from the manifest and the
// snapshot beside it, or freshly seeded in memory.
func (a *app) sandboxFor(ctx context.Context, s *verify.Suite, f *suiteFlags) (*target.Sandbox, error) {
	if f.manifest != "" {
		sandbox, err := a.loadSandbox(f.manifest, requiredBy(s.Scenarios))
		if err == nil {
			s.Variations = ofManifest(sandbox.Manifest())
		}
		if err == nil || !f.seedIfMissing {
			return sandbox, err
		}
		var missing missingFixtures
		if !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &missing) {
			return nil, err
		}
	}
	// All resources are seeded, whichever scenarios are chosen: numbers and ids
	// follow from what is made before, and a row's variation is the same again by
	// itself (rule S15).
	opts := fixture.Options{Repo: target.FixturesRepo, SeedID: s.SeedID, RunID: s.RunID, Now: a.now()}
	if f.manifest == "" {
		return verify.VariedSandbox(opts), nil
	}
	opts.Variation = s.Variations.Of(0)
	sandbox, err := verify.SeededSandbox(ctx, opts)
	if err != nil {
		return nil, err
	}
	s.Variations = ofManifest(sandbox.Manifest())
	return sandbox, a.saveSandbox(sandbox, f.manifest)
}

// ofManifest returns the variations of a suite on fixtures that a manifest
// names: one for all iterations.
func ofManifest(m bench.Manifest) (v bench.Variations) {
	if one := m.Variation(); one != nil {
		v = bench.Variations{Seed: one.Seed, Number: &one.Number}
	}
	return v
}
