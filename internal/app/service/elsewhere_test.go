package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// often is more often than a run that fails is tried.
const often = 6

func TestARunWaitsForGitHubAndForWhatGoesOnElsewhere(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	for _, err := range []error{service.ErrElsewhere, fmt.Errorf("%w: %w", service.ErrNotNow, fault.Infraf("no answer"))} {
		t.Run(err.Error(), func(t *testing.T) {
			r := newRig(t, config)
			var asked atomic.Int64
			r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
				if asked.Add(1) <= often {
					return runs.Outcome{}, err
				}
				return passes(ctx, w)
			})
			r.pullEvent("opened")
			r.wait(1)
			assert.Equal(t, "success", string(r.check().Conclusion))
			assert.EqualValues(t, often+1, asked.Load())
		})
	}
}

// GitHub tells of a push by several events at once.
func TestEventsThatComeTogetherMakeOneRun(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]string{"it is measured": config, "it is left out": config + "labels: {run: bench}\n", "the settings are wrong": "model: [1]\n"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, set)
			const events = 8
			body, err := json.Marshal(map[string]any{
				"action": "synchronize", "pull_request": r.pull(), "repository": r.get(sandboxtest.Path),
				"installation": map[string]any{"id": installation}, "sender": map[string]any{"login": "writer", "type": "User"},
			})
			require.NoError(t, err)
			var all sync.WaitGroup
			for i := range events {
				all.Go(func() {
					assert.NoError(t, r.service.Deliver(t.Context(), service.Delivery{ID: fmt.Sprint(i), Event: "pull_request", Body: service.Pack(body)}))
				})
			}
			all.Wait()
			r.wait(1)
			assert.Len(t, r.checks(), 1)
		})
	}
}

// A run that a workflow does takes its place as well as one on this machine.
func TestARunThatGoesOnElsewhereHasTheNextOneWait(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	r := newRig(t, config+"triggers: {merge_group: true}\n")
	var over atomic.Bool
	looked := make(chan string, 1000)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		looked <- w.Run.ID
		if w.Run.ID == "run-1" && !over.Load() {
			return runs.Outcome{}, service.ErrElsewhere
		}
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	assert.Equal(t, "run-1", <-looked)
	r.deliver("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{
		"head_sha": r.head, "head_ref": "refs/heads/gh-readonly-queue/main/pr-1", "base_sha": r.head, "base_ref": "refs/heads/main",
	}})
	for range often {
		assert.Equal(t, "run-1", <-looked)
	}
	assert.Equal(t, runs.Queued, r.run("run-2").State)
	over.Store(true)
	r.wait(2)
	assert.Equal(t, runs.Finished, r.run("run-2").State)
}

// Runs that are asked for at the same time do not spend the same money.
func TestRunsThatAreAskedForTogetherShareTheBudget(t *testing.T) {
	t.Parallel()
	r := newRig(t, "model: a/b\nexecutor: local\nbudget: {run: 1, pull_request: 1, day: 1}\ntriggers: {merge_group: true}\n")
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) { return runs.Outcome{}, service.ErrElsewhere })
	const groups = 8
	payload, err := json.Marshal(map[string]any{"repository": r.get(sandboxtest.Path), "installation": map[string]any{"id": installation}})
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range groups {
		all.Go(func() {
			var event map[string]any
			assert.NoError(t, json.Unmarshal(payload, &event))
			event["action"], event["sender"] = "checks_requested", map[string]any{"login": "writer", "type": "User"}
			event["merge_group"] = map[string]any{
				"head_sha": fmt.Sprintf("%040d", i), "head_ref": "refs/heads/gh-readonly-queue/main/pr-1", "base_sha": r.head, "base_ref": "refs/heads/main",
			}
			body, err := json.Marshal(event)
			assert.NoError(t, err)
			assert.NoError(t, r.service.Deliver(t.Context(), service.Delivery{ID: fmt.Sprint(i), Event: "merge_group", Body: service.Pack(body)}))
		})
	}
	all.Wait()
	alive, err := r.table.AliveAll(t.Context())
	require.NoError(t, err)
	assert.Len(t, alive, 1, "the others would spend what the first one may")
}

func TestWhatIsOfNoUseIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) {
		return runs.Outcome{Log: "why"}, queue.Permanent(fault.Infraf("It was all in vain"))
	})
	r.pullEvent("opened")
	r.wait(1)
	assert.Len(t, r.executor.works(), 1)
	assert.Equal(t, "action_required", string(r.check().Conclusion))
	assert.Contains(t, r.check().Output.Summary, "It was all in vain")
}

func TestNobodyWorksOnARunThatWasCancelled(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) { return runs.Outcome{}, service.ErrElsewhere })
	r.pullEvent("opened")
	r.comment("writer", "/bench cancel")
	r.wait(1)
	assert.Equal(t, "cancelled", string(r.check().Conclusion))
	assert.Equal(t, []string{"run-1"}, slices.Compact(r.executor.ended()))
}

// Whoever stops a run is told so at once, also where its end takes a while.
func TestItIsTriedAgainToEndWhatGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.goesOn = []error{service.ErrElsewhere, fault.Infraf("no answer"), service.ErrElsewhere}
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) { return runs.Outcome{}, service.ErrElsewhere })
	r.pullEvent("opened")
	r.comment("writer", "/bench cancel")
	r.wait(1)
	assert.Equal(t, "cancelled", string(r.check().Conclusion))
	select {
	case <-r.abandoned:
	case <-time.After(soon):
		require.Fail(t, "nobody ended it")
	}
	assert.GreaterOrEqual(t, len(r.executor.ended()), 4)
}
