package target_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	gh "github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// counting returns a sandbox whose worlds have one issue each, and how often one
// was filled.
func counting(t *testing.T) (*target.Sandbox, *atomic.Int32) {
	t.Helper()
	filled := &atomic.Int32{}
	varied := target.NewVariedSandbox(func(ctx context.Context, keys *target.Keys, v bench.Variation) (bench.Manifest, error) {
		if filled.Add(1) == 1 && v.Number == 99 {
			return bench.Manifest{}, assert.AnError
		}
		client, err := verify.Client(keys.Owner)
		if err != nil {
			return bench.Manifest{}, err
		}
		made, _, err := client.REST.Issues.Create(ctx, target.Owner, target.FixturesName, &gh.IssueRequest{Title: gh.String(v.String())})
		return bench.Manifest{
			Repo:      bench.ManifestRepo{FullName: target.FixturesRepo},
			Resources: map[string]map[string]any{"issue": {"id": made.GetID(), "title": made.GetTitle()}},
		}, err
	})
	t.Cleanup(func() { _ = varied.Close() })
	return varied, filled
}

func varied(t *testing.T, sandbox *target.Sandbox, v bench.Variation) *target.Place {
	t.Helper()
	place, err := sandbox.Prepare(t.Context(), target.Needs{Resources: []string{"issue"}, Variation: &v})
	require.NoError(t, err)
	return place
}

func clock(place *target.Place) (now string) {
	world, _ := place.GitHub.(*sandbox.World)
	world.Look(func(s *model.State) { now = s.Now.String() })
	return now
}

func TestS15EachVariationHasOneWorld(t *testing.T) {
	sandbox, filled := counting(t)
	first := varied(t, sandbox, bench.Variation{Seed: 1, Number: 1})
	assert.Equal(t, &bench.Variation{Seed: 1, Number: 1}, first.Variation)
	same := varied(t, sandbox, bench.Variation{Seed: 1, Number: 1})
	assert.Equal(t, first.Manifest, same.Manifest)
	assert.Equal(t, int32(1), filled.Load(), "the modes of an iteration share it")
	for _, other := range []bench.Variation{{Seed: 1, Number: 2}, {Seed: 2, Number: 1}} {
		place := varied(t, sandbox, other)
		assert.NotEqual(t, first.Manifest.Resources["issue"]["id"], place.Manifest.Resources["issue"]["id"])
		assert.NotEqual(t, clock(first), clock(place))
	}
	assert.Equal(t, int32(3), filled.Load())
}

func TestS15AVariationThatWasDroppedIsMadeAgainAsItWas(t *testing.T) {
	sandbox, filled := counting(t)
	first := varied(t, sandbox, bench.Variation{Seed: 1})
	for n := range 40 {
		require.NoError(t, varied(t, sandbox, bench.Variation{Seed: 1, Number: n + 1}).Close())
	}
	assert.Equal(t, int32(41), filled.Load())
	again := varied(t, sandbox, bench.Variation{Seed: 1})
	assert.Equal(t, int32(42), filled.Load(), "only some worlds are kept")
	assert.Equal(t, first.Manifest, again.Manifest)
	assert.Equal(t, clock(first), clock(again))
	varied(t, sandbox, bench.Variation{Seed: 1, Number: 40})
	assert.Equal(t, int32(42), filled.Load(), "those that were used last are")
}

func TestAVariationIsMadeOnceForAllWhoWaitForIt(t *testing.T) {
	sandbox, filled := counting(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			place, err := sandbox.Prepare(t.Context(), target.Needs{Variation: &bench.Variation{Seed: 1}})
			if assert.NoError(t, err) {
				assert.NoError(t, place.Close())
			}
		})
	}
	all.Wait()
	assert.Equal(t, int32(1), filled.Load())
}

func TestAVariationThatCouldNotBeMadeIsTriedAgain(t *testing.T) {
	sandbox, _ := counting(t)
	_, err := sandbox.Prepare(t.Context(), target.Needs{Variation: &bench.Variation{Seed: 1, Number: 99}})
	require.ErrorIs(t, err, assert.AnError)
	varied(t, sandbox, bench.Variation{Seed: 1, Number: 99})
	_, err = sandbox.Prepare(t.Context(), target.Needs{})
	assert.ErrorContains(t, err, "no variation is named")
}
