package scripted_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/scenarios"
)

// seeded is a sandbox with all fixtures, which every test takes places from.
var seeded = sync.OnceValues(func() (*target.Sandbox, error) {
	ctx := context.Background()
	sandbox, err := target.NewSandbox(nil)
	if err != nil {
		return nil, err
	}
	keys, err := sandbox.Open(ctx)
	if err != nil {
		return nil, err
	}
	owner, err := clientOf(keys.Owner)
	if err != nil {
		return nil, err
	}
	reviewer, err := clientOf(keys.Reviewer)
	if err != nil {
		return nil, err
	}
	manifest, err := fixture.Seed(ctx, fixture.Clients{Owner: owner, Reviewer: reviewer}, fixture.Options{
		Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID, Now: time.Date(2026, 2, 25, 17, 0, 0, 0, time.UTC),
	})
	if err != nil {
		return nil, err
	}
	sandbox.Use(manifest)
	sandbox.FindWorlds(func(name string) (*world.World, error) { return world.Load(scenarios.Files, name) }, nil)
	return sandbox, keys.Close()
})

func clientOf(access target.Access) (*github.Client, error) {
	return github.New(github.Options{RESTURL: access.RESTURL, GraphQLURL: access.GraphQLURL, Token: access.Token})
}

// newPlace returns a fresh copy of the seeded sandbox.
func newPlace(t *testing.T) *target.Place {
	t.Helper()
	return newPlaceFor(t, bench.Scenario{})
}

// newPlaceFor returns a fresh copy of the world that a scenario is in.
func newPlaceFor(t *testing.T, s bench.Scenario) *target.Place {
	t.Helper()
	sandbox, err := seeded()
	require.NoError(t, err)
	place, err := sandbox.Prepare(t.Context(), target.Needs{World: s.World()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, place.Close()) })
	return place
}
