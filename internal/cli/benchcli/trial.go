package benchcli

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// trialFlags say which scenarios are tried on a sandbox, and on which of its
// variations.
type trialFlags struct {
	scenarios     string
	plans         string
	variationSeed uint64
}

func (f *trialFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.scenarios, "scenarios", "", "read scenarios from this `DIR` instead of the built-in ones")
	flags.StringVar(&f.plans, "script-plans", "", "read more plans of the scripted agent from this `DIR`")
	flags.Uint64Var(&f.variationSeed, "variation-seed", 0, "draw the variations of the fixtures from this `SEED` (default: one that is drawn now)")
	flags.Lookup("variation-seed").DefValue = ""
}

// trial is a scenario on a sandbox, for attempts by themselves.
type trial struct {
	scenario bench.Scenario
	// scripted plays the plans of the scenario.
	scripted   *scripted.Provider
	sandbox    target.Target
	deps       runner.Deps
	variations bench.Variations
}

// openTrial makes what a scenario is tried with. The caller closes it.
func (a *app) openTrial(ctx context.Context, f trialFlags, id string) (*trial, error) {
	library, err := loadLibrary(f.scenarios)
	if err != nil {
		return nil, err
	}
	s, err := library.Scenario(id)
	if err != nil {
		return nil, err
	}
	if f.variationSeed > bench.MaxVariationSeed {
		return nil, fault.Invalidf("--variation-seed is %d, want at most %d", f.variationSeed, uint64(bench.MaxVariationSeed))
	}
	t := &trial{scenario: s, variations: bench.Variations{Seed: f.variationSeed}}
	if t.variations.Seed == 0 {
		t.variations.Seed = newSeed(a.random())
	}
	opts := scripted.Options{Pause: -1, Now: a.now}
	if f.plans != "" {
		opts.Plans = os.DirFS(f.plans)
	}
	if t.scripted, err = scripted.New(opts); err != nil {
		return nil, err
	}
	suite := verify.Suite{
		RunID: verify.NewRunID(a.now(), a.random()), SeedID: fixture.DefaultSeedID, Scenarios: []bench.Scenario{s}, Variations: t.variations,
	}
	sandbox, err := a.sandboxFor(ctx, &suite, &suiteFlags{})
	if err != nil {
		return nil, err
	}
	sandbox.FindWorlds(library.World, a.runWorldScript)
	t.sandbox = a.withCommands(library, sandbox)
	t.deps = runner.Deps{
		Setups: toolset.Shipped().Setups(), Now: a.now, Wait: wait, Reader: a.checkpoints, Redact: a.secrets.String,
	}
	return t, nil
}

// ready refuses a scenario that cannot be bound to the fixtures of a variation.
func (t *trial) ready(ctx context.Context, mode bench.Mode, variation int) error {
	place, err := t.sandbox.Prepare(ctx, target.Needs{
		Resources: t.scenario.Requires(), Mode: mode, World: t.scenario.World(), Task: runner.TaskOf(t.scenario), Variation: t.of(variation).Of(variation),
	})
	if err != nil {
		return err
	}
	_, err = scenario.Resolve(t.scenario, place.Manifest)
	return errors.Join(err, place.Close())
}

// of returns the variations of attempts on one of them.
func (t *trial) of(variation int) bench.Variations {
	return bench.Variations{Seed: t.variations.Seed, Number: &variation}
}

// once has an agent make one attempt in a mode, on a variation of the fixtures.
func (t *trial) once(ctx context.Context, by agent.Provider, on target.Target, mode bench.Mode, variation int) runner.Tried {
	deps := t.deps
	deps.Provider, deps.Target = by, on
	return runner.Once(ctx, runner.Config{Scenarios: map[string]bench.Scenario{t.scenario.ID: t.scenario}, Variations: t.of(variation)}, deps,
		bench.Cell{ScenarioID: t.scenario.ID, Mode: mode, Iteration: 1})
}

func (t *trial) close() error { return t.sandbox.Close() }

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
