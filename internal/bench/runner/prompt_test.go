package runner_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
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

// named finds the values of the manifest that a scenario's file names.
var named = regexp.MustCompile(`resources\.(\w+)\.(\w+)`)

// resourcesOf returns fixtures that scenarios can be bound to: every value that
// they name is there, as a text where a capability takes no number for it.
func resourcesOf(t *testing.T, all []bench.Scenario) map[string]map[string]any {
	t.Helper()
	resources := map[string]map[string]any{}
	put := func(path string, value any, anew bool) {
		for _, found := range named.FindAllStringSubmatch(path, -1) {
			if resources[found[1]] == nil {
				resources[found[1]] = map[string]any{}
			}
			if _, there := resources[found[1]][found[2]]; anew || !there {
				resources[found[1]][found[2]] = value
			}
		}
	}
	for _, s := range all {
		text, err := json.Marshal(s)
		require.NoError(t, err)
		put(string(text), 1, false)
		for _, name := range s.Requires() {
			put("resources."+name+".number", 1, false)
		}
		texts := func(task, field, source string) {
			if capability, _ := scenario.FindCapability(task); slices.Contains(capability.Input[field].Types, "string") {
				put(source, "text", true)
			}
		}
		for destination, source := range s.Fixture.Bindings {
			texts(s.Task, strings.TrimPrefix(destination, "input."), source)
		}
		for _, c := range s.Assertions.Checkpoints {
			for field, value := range c.VerificationInput {
				texts(c.VerificationTask, field, fmt.Sprint(value))
			}
		}
	}
	return resources
}

func TestEveryShippedScenarioSaysTheSameInEveryMode(t *testing.T) {
	library, err := scenario.Load(scenarios.Files)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		r := newRig(library.All()...)
		r.target.Resources = resourcesOf(t, library.All())
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
