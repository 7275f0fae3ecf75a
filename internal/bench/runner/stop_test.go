package runner_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

var errSignal = errors.New("stopped by interrupt")

// A run of which everything takes time is stopped at many moments, so in every
// phase that there is. Goroutines that are left over would end the bubble with
// a deadlock.
func TestR9AStopAtAnyMomentLeavesAValidLedger(t *testing.T) {
	for _, concurrency := range []int{1, 3} {
		rows := map[int]bool{}
		for at := time.Duration(0); ; at += 700 * time.Millisecond {
			var out runner.Outcome
			synctest.Test(t, func(t *testing.T) { out = stopAt(t, at, concurrency) })
			rows[out.Rows] = true
			if len(out.Left) == 0 {
				break
			}
			require.Less(t, at, time.Hour)
		}
		assert.Greater(t, len(rows), 4/concurrency, "it was stopped after different numbers of rows")
	}
}

// stopAt stops a run of four cells after some time and returns its outcome. A
// cell has a first attempt that stalls and a second one with a continuation.
func stopAt(t *testing.T, at time.Duration, concurrency int) runner.Outcome {
	r := newRig(fake.Workflow("a-wf-001"), fake.Atomic("b-001"), fake.Atomic("c-001"), fake.Atomic("d-001"))
	r.reader.Says = map[string]any{"merged": true}
	r.slow(2 * second)
	r.cfg.SkipWarmup, r.cfg.Concurrency, r.cfg.RunnerRetries = false, concurrency, 1
	r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		switch {
		case p.Play.Attempt == 1:
			return stalls(ctx, s, p)
		case len(s.Prompts) == 1:
			return plays(2*second, step{second, agent.EventToolStart}, step{second, agent.EventToolEnd})(ctx, s, agent.Prompt{})
		default:
			return s.Answer(p, fake.Envelope), nil
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(at, func() { cancel(errSignal) })
	out, err := r.run(ctx, t)
	require.NoError(t, err, "a stop is no error")
	if len(out.Left) > 0 {
		assert.Equal(t, bench.MissingStopped, out.Stopped)
	}
	assert.ElementsMatch(t, r.cfg.Plan, append(r.ledger.Cells(), out.Left...), "every cell has a row or is left")
	for _, row := range r.ledger.Rows() {
		assert.True(t, row.Success, "no row says that an agent failed because it was stopped")
	}
	return out
}

func TestAStopDoesNotWaitForATranscriptForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.provider.OnPrompt = silent
		r.provider.OnTranscript = func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		ctx, cancel := context.WithTimeout(t.Context(), second)
		defer cancel()
		began := time.Now()
		_, err := r.run(ctx, t)
		require.NoError(t, err)
		assert.Equal(t, 11*second, time.Since(began))
	})
}

func TestWhatADroppedCellHasCostIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.cfg.Price = &bench.Price{Input: 1e6 / 6}
		ctx, cancel := context.WithCancelCause(t.Context())
		r.provider.OnPrompt = func(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
			cancel(errSignal)
			return s.Answer(p, fake.Envelope), nil
		}
		out, err := r.run(ctx, t)
		require.NoError(t, err)
		assert.InDelta(t, 1, out.CostUSD, 1e-9)
		assert.Equal(t, r.cfg.Plan, out.Left)
	})
}

func TestARunThatIsStoppedBeforeItBeginsDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		r.slow(second)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errSignal)
		out, err := r.run(ctx, t)
		require.NoError(t, err)
		assert.Equal(t, runner.Outcome{Stopped: bench.MissingStopped, Left: r.cfg.Plan}, out)
		assert.Empty(t, r.provider.Sessions())
	})
}

func TestNoOtherModeWarmsUpAfterAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		r.cfg.SkipWarmup = false
		r.provider.OnPrompt = silent
		ctx, cancel := context.WithTimeout(t.Context(), second)
		defer cancel()
		_, err := r.run(ctx, t)
		require.NoError(t, err)
		assert.Len(t, r.events, 1)
	})
}

func TestAnErrorStopsTheOtherWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		r.cfg.Concurrency = 3
		r.provider.OnPrompt = plays(0, step{second, agent.EventAnswer}, step{5 * second, agent.EventProgress})
		r.provider.OnStart = func(ctx context.Context, s agent.Setup) error {
			if s.Worker == 2 {
				_ = fake.Sleep(ctx, 3*second)
				return agent.ErrStopSuite
			}
			return nil
		}
		began := time.Now()
		_, err := r.run(t.Context(), t)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
		assert.Equal(t, 3*second, time.Since(began), "they do not finish what they do")
		assert.Empty(t, r.ledger.Rows())
	})
}
