package conduct_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/conduct"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// often is more often than a run that fails is tried.
const often = 6

func TestARunWaitsForGitHubAndForWhatGoesOnElsewhere(t *testing.T) {
	for _, err := range []error{conduct.ErrElsewhere, fmt.Errorf("%w: %w", conduct.ErrNotNow, fault.Infraf("no answer"))} {
		t.Run(err.Error(), func(t *testing.T) {
			r := newRig(t, config)
			var asked atomic.Int64
			r.executor.set(func(ctx context.Context, w conduct.Work) (runs.Outcome, error) {
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
					assert.NoError(t, r.conductor.Deliver(t.Context(), conduct.Delivery{ID: fmt.Sprint(i), Event: "pull_request", Body: body}))
				})
			}
			all.Wait()
			r.wait(1)
			assert.Len(t, r.checks(), 1)
		})
	}
}

func TestWhatIsOfNoUseIsNotTriedAgain(t *testing.T) {
	r := newRig(t, config)
	r.executor.set(func(context.Context, conduct.Work) (runs.Outcome, error) {
		return runs.Outcome{Log: "why"}, queue.Permanent(fault.Infraf("It was all in vain"))
	})
	r.pullEvent("opened")
	r.wait(1)
	assert.Len(t, r.executor.works(), 1)
	assert.Equal(t, "neutral", string(r.check().Conclusion))
	assert.Contains(t, r.check().Output.Summary, "It was all in vain")
}

func TestNobodyWorksOnARunThatWasCancelled(t *testing.T) {
	r := newRig(t, config)
	r.executor.set(func(context.Context, conduct.Work) (runs.Outcome, error) { return runs.Outcome{}, conduct.ErrElsewhere })
	r.pullEvent("opened")
	r.comment("writer", "/bench cancel")
	r.wait(1)
	assert.Equal(t, "cancelled", string(r.check().Conclusion))
	assert.Equal(t, []string{"run-1"}, r.executor.abandoned)
}
