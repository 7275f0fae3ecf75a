package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
)

// attemptsInAnOutage are as many as ten minutes have, with pauses of two
// seconds that double.
const attemptsInAnOutage = 9

// down lets GitHub answer nothing of the App's any more; up ends that.
func (r *rig) down() {
	_, err := r.Faults().Add(faults.Rule{Kind: faults.Unavailable, Token: appToken})
	assert.NoError(r, err)
}

func (r *rig) up() { r.Faults().Clear() }

func TestAnOutageOfGitHubLosesNoDelivery(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	opened := map[string]any{"action": "opened", "pull_request": r.pull()}
	r.down()
	for range attemptsInAnOutage {
		require.Error(t, r.try("delivery", "pull_request", opened), "the queue tries it again")
	}
	r.up()
	require.NoError(t, r.try("delivery", "pull_request", opened))
	r.wait(1)
	assert.Len(t, r.executor.works(), 1)
	assert.Equal(t, "success", string(r.check().Conclusion))
}

func TestAnOutageOfGitHubLosesNoVerdict(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		r.down()
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	for range attemptsInAnOutage {
		select {
		case <-r.refused:
		case <-time.After(soon):
			require.Fail(t, "nobody tries to tell")
		}
	}
	assert.Equal(t, runs.Finished, r.run("run-1").State, "the verdict is stored")
	assert.False(t, r.run("run-1").Published)
	r.up()
	r.wait(1)
	assert.Equal(t, "success", string(r.check().Conclusion))
	assert.Len(t, r.comments(), 1)
}
