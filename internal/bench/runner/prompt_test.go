package runner_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
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
	synctest.Test(t, func(t *testing.T) {
		r := newRig(library.All()...)
		r.target.Resources = map[string]map[string]any{
			"issue": {"number": 1, "url": "https://github.com/aryeko/ghx-bench-fixtures/issues/1"}, "pr": {"number": 2}, "pr_with_checks": {"number": 3, "run_id": 1000026},
			"workflow_run": {"id": 1000032}, "pr_mergeable": {"number": 4}, "pr_with_reviews": {"number": 5},
			"release":           {"id": 1000061, "tag_name": "bench-default.v1.1.0", "unused_tag_name": "bench-default.v1.2.0"},
			"release_published": {"tag_name": "bench-default.v1.0.0"},
			"project": {
				"id": "PVT_1", "number": 1, "owner": "aryeko", "item_id": "PVTI_1", "draft_item_id": "PVTI_2", "field_id": "PVTSSF_1", "option_id": "aa",
			},
			"org_project": {"number": 1, "owner": "bench-organization"},
		}
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
