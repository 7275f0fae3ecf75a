package runner_test

import (
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/scenarios"
)

// nonces returns a source of nonces that are numbered.
func nonces() func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("nonce-%d", n.Add(1)) }
}

func TestEveryShippedScenarioSaysTheSameInEveryMode(t *testing.T) {
	library, err := scenario.Load(scenarios.Files)
	require.NoError(t, err)
	sandbox := verify.VariedSandbox(fixture.Options{
		Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID, Now: time.Date(2026, 2, 25, 17, 0, 0, 0, time.UTC),
	})
	sandbox.FindWorlds(library.World, nil)
	resources := map[string]map[string]any{}
	for _, world := range []string{"", "parcelkit"} {
		place, err := sandbox.Prepare(t.Context(), target.Needs{Variation: &bench.Variation{Seed: 1}, World: world})
		require.NoError(t, err)
		maps.Copy(resources, place.Manifest.Resources)
		require.NoError(t, place.Close())
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(library.All()...)
		r.target.Resources = resources
		r.deps.Nonce = nonces()
		var ids []string
		for _, s := range library.All() {
			ids = append(ids, s.ID)
		}
		r.plan(runner.PlanOptions{ScenarioIDs: ids, Modes: bench.Modes(), Repetitions: 1, Order: runner.Sequential})
		r.complete(t)
		texts := map[string]map[bench.Mode]string{}
		for _, session := range r.provider.Sessions() {
			first := session.Prompts[0]
			if texts[first.Play.ScenarioID] == nil {
				texts[first.Play.ScenarioID] = map[bench.Mode]string{}
			}
			_, texts[first.Play.ScenarioID][session.Setup.Mode], _ = strings.Cut(first.Text, "\n")
		}
		require.Len(t, texts, len(ids))
		for id, byMode := range texts {
			require.Len(t, byMode, len(bench.Modes()))
			for mode, text := range byMode {
				assert.Equal(t, byMode[bench.GHX], text, "%s in %s", id, mode)
			}
		}
	})
}

func TestEveryAttemptHasANonceOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		r.cfg.SkipWarmup, r.cfg.RunnerRetries = false, 1
		r.deps.Nonce = nonces()
		r.provider.OnPrompt = turns(stalls, says("no envelope"))
		r.complete(t)
		sessions := r.provider.Sessions()
		require.Greater(t, len(sessions), len(r.cfg.Plan)+1, "a warm-up and a retry are attempts too")
		seen := map[string]bool{}
		for _, session := range sessions {
			line, _, _ := strings.Cut(session.Prompts[0].Text, "\n")
			require.Contains(t, line, "nonce-")
			assert.False(t, seen[line], line)
			seen[line] = true
			for _, p := range session.Prompts[1:] {
				assert.NotContains(t, p.Text, "nonce-", "a conversation has one nonce")
			}
		}
	})
}
