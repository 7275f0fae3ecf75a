package audit_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/audit"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/scenarios"
)

func TestMain(m *testing.M) {
	testkit.CollectLess()
	os.Exit(m.Run())
}

// sandbox has all fixtures, in every variation.
var sandbox = sync.OnceValue(func() *target.Sandbox {
	varied := verify.VariedSandbox(fixture.Options{
		Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID, Now: time.Date(2026, 2, 25, 17, 0, 0, 0, time.UTC),
	})
	varied.FindWorlds(func(name string) (*world.World, error) { return world.Load(scenarios.Files, name) }, nil)
	return varied
})

// library has the scenarios that ship, weak those of testdata.
var (
	library = sync.OnceValues(func() (*scenario.Library, error) { return scenario.Load(scenarios.Files) })
	weak    = sync.OnceValues(func() (*scenario.Library, error) { return scenario.Load(os.DirFS("testdata/scenarios")) })
)

// playsOf returns what finds the plays of a folder and the shipped ones.
func playsOf(t *testing.T, options scripted.Options) func(id string) []audit.Play {
	t.Helper()
	options.Pause = -1
	provider, err := scripted.New(options)
	require.NoError(t, err)
	return func(id string) (plays []audit.Play) {
		for _, p := range provider.Plays(id) {
			plays = append(plays, audit.Play{Mode: p.Mode, Name: p.Alternative, Agent: provider.Playing(p.Alternative)})
		}
		return plays
	}
}

// optionsFor audits scenarios with the plays of testdata and the shipped ones.
func optionsFor(t *testing.T, chosen ...bench.Scenario) audit.Options {
	t.Helper()
	return audit.Options{
		Scenarios: chosen, Plays: playsOf(t, scripted.Options{Plans: os.DirFS("testdata/plans")}), Workers: 2,
		Config: runner.Config{Variations: bench.Variations{Seed: 2}},
		Deps: runner.Deps{
			Target: sandbox(), Now: time.Now, Wait: func(context.Context, time.Duration) error { return nil },
			Reader: func(access target.Access) (checkpoint.Reader, error) {
				client, err := verify.Client(access)
				return checkpoint.NewGitHubReader(client), err
			},
		},
	}
}

// run audits, and expects no error.
func run(t *testing.T, options audit.Options) audit.Report {
	t.Helper()
	report, err := audit.Run(t.Context(), options)
	require.NoError(t, err)
	return report
}

// namesOf returns the names of mutants, each once, in order.
func namesOf(mutants []audit.Mutant) []string {
	var names []string
	seen := map[string]bool{}
	for _, m := range mutants {
		if !seen[m.Name] {
			seen[m.Name] = true
			names = append(names, m.Name)
		}
	}
	return names
}
