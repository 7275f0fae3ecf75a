package service_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// What GitHub refuses for two weeks is not tried for ever.
func TestAnEndThatGitHubRefusesIsGivenUpInTheEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	_, err := r.Faults().Add(faults.Rule{Kind: faults.NotFound, Method: http.MethodPost, Path: sandboxtest.Path + "/check-runs", Token: appToken})
	require.NoError(t, err)
	r.store(func(*runs.Run) {})
	r.finishes("left", runs.Stopped, runs.Outcome{Reason: "It was cancelled by writer."})
	r.ahead.Store(int64(24 * time.Hour))
	r.reap()
	<-r.postponed
	assert.False(t, r.run("left").Published, "an installation may be suspended for a while")
	r.ahead.Store(int64(15 * 24 * time.Hour))
	assert.Eventually(t, func() bool { return r.run("left").Published }, soon, 5*time.Millisecond)
	assert.NotEmpty(t, r.logged("it cannot be told", "left"))
}

// A verdict is told also where GitHub refuses to say which other pull requests have the
// commit, and what was stopped says nothing of them.
func TestAnEndIsToldWithoutWhatGitHubDoesNotSay(t *testing.T) {
	t.Parallel()
	for state, c := range map[runs.State]struct {
		kind faults.Kind
		want string
	}{runs.Finished: {faults.NotFound, "success"}, runs.Stopped: {faults.BadGateway, "cancelled"}} {
		r := newRig(t, config)
		_, err := r.Faults().Add(faults.Rule{Kind: c.kind, Method: http.MethodGet, Path: sandboxtest.Path + "/commits/{sha}/pulls", Token: appToken})
		require.NoError(t, err)
		r.store(func(run *runs.Run) { run.Request.Plan.Modes = []bench.Mode{bench.GHX, bench.GHXBase} })
		o, err := passes(t.Context(), service.Work{})
		require.NoError(t, err)
		r.finishes("left", state, o)
		r.ahead.Store(int64(10 * time.Minute))
		r.reap()
		r.wait(1)
		assert.Equal(t, c.want, string(r.check().Conclusion))
	}
}

// A commit of the default branch is compared with its parent, whatever pull requests have it.
func TestNoPullRequestContestsTheDefaultBranch(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.store(func(run *runs.Run) {
		run.Pull, run.Request.DefaultBranch, run.Request.Plan.Modes = 0, true, []bench.Mode{bench.GHX, bench.GHXBase}
	})
	o, err := passes(t.Context(), service.Work{})
	require.NoError(t, err)
	r.finishes("left", runs.Finished, o)
	r.ahead.Store(int64(10 * time.Minute))
	r.reap()
	r.wait(1)
	assert.Equal(t, "success", string(r.check().Conclusion))
	assert.NotContains(t, r.check().Output.Summary, "#"+strconv.Itoa(r.number))
}
