package harness_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
)

// runnerFunc is a runner that is a function.
type runnerFunc func(context.Context, []string) (harness.Results, error)

func (f runnerFunc) Run(ctx context.Context, ids []string) (harness.Results, error) {
	return f(ctx, ids)
}

func TestAServedRunnerIsReadByTheCommandRunner(t *testing.T) {
	var out bytes.Buffer
	want := harness.Results{"a": harness.Reward(0.7), "b": harness.NoReward(harness.Crashed, "the agent raised KeyError")}
	err := harness.Serve(t.Context(), runnerFunc(func(ctx context.Context, ids []string) (harness.Results, error) {
		asked := harness.RequestOf(ctx)
		assert.Equal(t, []string{"a", "b"}, ids)
		assert.Equal(t, "test", asked.Split)
		assert.Equal(t, 4, asked.MaxConcurrency)
		harness.Tell(ctx, harness.Progress{TaskID: "a", Outcome: want["a"], Measured: harness.Measured{InputTokens: 5, CostUSD: 0.1}})
		return want, nil
	}), strings.NewReader(`{"task_ids": ["a", "b"], "split": "test", "max_concurrency": 4, "per_task_timeout": 90}`), &out)
	require.NoError(t, err)

	o, _ := shell(t, "cat answers")
	require.NoError(t, os.WriteFile(o.Host.Dir+"/answers", out.Bytes(), 0o600))
	var seen []harness.Progress
	o.Host.Observe = func(p harness.Progress) { seen = append(seen, p) }
	results, err := run(t, o, []string{"a", "b"})
	require.NoError(t, err)
	assert.Equal(t, want, results)
	assert.EqualValues(t, 5, seen[0].Measured.InputTokens)
}

func TestServeFails(t *testing.T) {
	boom := errors.New("boom")
	fails := runnerFunc(func(context.Context, []string) (harness.Results, error) { return nil, boom })
	require.ErrorIs(t, harness.Serve(t.Context(), fails, strings.NewReader(`{}`), &bytes.Buffer{}), boom)
	err := harness.Serve(t.Context(), fails, strings.NewReader("hello"), &bytes.Buffer{})
	require.ErrorContains(t, err, "`bench harness run` asks so")
	assert.True(t, harness.IsInvalid(err))
	closed, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	fine := runnerFunc(func(context.Context, []string) (harness.Results, error) {
		return harness.Results{"a": harness.Reward(1)}, nil
	})
	assert.True(t, harness.IsInfrastructure(harness.Serve(t.Context(), fine, strings.NewReader(`{}`), closed)))
}
