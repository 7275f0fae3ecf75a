package runner_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

const second = time.Second

func TestN6Deadlines(t *testing.T) {
	answer, progress := agent.EventAnswer, agent.EventProgress
	toolStart, toolEnd := agent.EventToolStart, agent.EventToolEnd
	cases := []struct {
		name string
		turn turn
		// want is empty where the attempt succeeds; took is its latency.
		want bench.ErrorType
		took time.Duration
	}{
		{"an agent that says nothing has 15 s", silent, bench.TimeoutNoFirstAnswer, 15 * second},
		{"an answer in the last moment is in time", plays(0, step{14999 * time.Millisecond, answer}), "", 14999 * time.Millisecond},
		{"signs of life are no first answer", plays(10*second, step{5 * second, progress}, step{5 * second, progress}),
			bench.TimeoutNoFirstAnswer, 15 * second},
		{"an agent that falls silent has 10 s", plays(second, step{4 * second, answer}, step{10*second + 1, progress}),
			bench.TimeoutStalled, 14 * second},
		{"anything heard starts the 10 s anew", plays(9*second, step{second, answer}, step{9 * second, progress}, step{9 * second, answer}), "", 28 * second},
		{"a tool that runs is progress", plays(9*second, step{second, answer}, step{second, toolStart}, step{40 * second, toolEnd}), "", 51 * second},
		{"a tool call is an answer", plays(9*second, step{14 * second, toolStart}, step{12 * second, toolEnd}), "", 35 * second},
		{"after a tool call without another word there may be a stall", plays(11*second, step{14 * second, toolStart}, step{12 * second, toolEnd}),
			bench.TimeoutStalled, 36 * second},
		{"after a tool the 10 s begin anew", plays(11*second, step{second, answer}, step{second, toolStart}, step{40 * second, toolEnd}),
			bench.TimeoutStalled, 52 * second},
		{"as long as one of two tools runs there is no stall",
			plays(9*second, step{second, answer}, step{0, toolStart}, step{0, toolStart}, step{second, toolEnd}, step{30 * second, toolEnd}), "", 41 * second},
		{"signs of life of a tool do not make it stall", plays(0, step{second, answer}, step{0, toolStart}, step{second, progress}, step{30 * second, toolEnd}), "", 32 * second},
		{"the end of a tool that was never begun is a sign of life alone",
			plays(0, step{second, answer}, step{0, toolEnd}, step{second, toolStart}, step{30 * second, toolEnd}), "", 32 * second},
		{"a tool that never ends is ended by the scenario's time", plays(0, step{second, answer}, step{second, toolStart}, step{time.Hour, toolEnd}),
			bench.TimeoutNoFinalAnswer, 60 * second},
		{"an agent that is never done has the scenario's time", endless, bench.TimeoutNoFinalAnswer, 60 * second},
	}
	for _, c := range cases {
		t.Run("N6: "+c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(fake.Atomic("a-001"))
				r.provider.OnPrompt = c.turn
				row := r.one(t)
				if c.want == "" {
					assert.Nil(t, row.Error)
				} else if assert.NotNil(t, row.Error) {
					assert.Equal(t, c.want, row.Error.Type, row.Error.Message)
					assert.True(t, row.Error.TimeoutOrStall())
				}
				assert.InDelta(t, milliseconds(c.took), row.LatencyMSWall, 1e-6)
			})
		})
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func TestN6EveryTurnHasAFirstAnswerOfItsOwn(t *testing.T) {
	late := func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		if err := fake.Sleep(ctx, 14*second); err != nil {
			return agent.Turn{}, err
		}
		return s.Answer(p, "wait"), nil
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.provider.OnPrompt = turns(says("hm"), late, late, plays(13*second, step{second, agent.EventProgress}))
		row := r.one(t)
		assert.Nil(t, row.Error, "14 s are more than a stall, but less than a first answer may take")
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.provider.OnPrompt = turns(says("hm"), silent)
		assert.Equal(t, bench.TimeoutNoFirstAnswer, r.one(t).Error.Type)
	})
}

func TestN6TheScenariosTimeIsThatOfAllTurnsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.cfg.Continuations = 100
		r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
			err := fake.Sleep(ctx, 7*second)
			return s.Answer(p, "not yet"), err
		}
		row := r.one(t)
		assert.Equal(t, bench.TimeoutNoFinalAnswer, row.Error.Type)
		assert.InDelta(t, 60_000, row.LatencyMSWall, 1e-6)
		assert.Equal(t, 8, row.Continuations)
	})
}

func TestN6AnAnswerInTheMomentInWhichTheTimeIsUpCounts(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(fake.Atomic("a-001"))
			r.provider.OnPrompt = func(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
				time.Sleep(15 * second)
				return s.Answer(p, fake.Envelope), nil
			}
			assert.Nil(t, r.one(t).Error)
		})
	}
}

func TestN6AToolLeftRunningInATurnDoesNotHideAStallInTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.provider.OnPrompt = turns(
			func(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
				p.Notify(agent.EventAnswer)
				p.Notify(agent.EventToolStart)
				return s.Answer(p, "no envelope"), nil
			},
			stalls,
		)
		assert.Equal(t, bench.TimeoutStalled, r.one(t).Error.Type)
	})
}

func TestR8FailuresAreClassified(t *testing.T) {
	cases := []struct {
		name string
		turn turn
		says any
		want bench.ErrorType
		text string
	}{
		{"the agent's process failed", crashes, nil, bench.RunnerError, "prompt agent: assert.AnError"},
		{"no first answer", silent, nil, bench.TimeoutNoFirstAnswer, "no first answer within 15s"},
		{"a stall", stalls, nil, bench.TimeoutStalled, "no sign of life for 10s"},
		{"no final answer", endless, nil, bench.TimeoutNoFinalAnswer, "no final answer within 1m0s"},
		{"an answer that is not as the scenario asks", says(`{"ok":false,"data":null,"error":{"code":"X","message":"m"},"meta":{}}`), nil,
			bench.AssertionFailed, "want success"},
		{"a checkpoint that does not hold", says(fake.Envelope), map[string]any{"merged": false}, bench.CheckpointFailed, "merged: "},
	}
	for _, c := range cases {
		t.Run("R8: "+c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := fake.Atomic("a-001")
				s.Assertions.Checkpoints = fake.Workflow("w").Assertions.Checkpoints
				r := newRig(s)
				r.reader.Says = map[string]any{"merged": true}
				if c.says != nil {
					r.reader.Says = c.says
				}
				r.provider.OnPrompt = c.turn
				row := r.one(t)
				require.NotNil(t, row.Error)
				assert.Equal(t, c.want, row.Error.Type)
				assert.Contains(t, row.Error.Message, c.text)
				assert.False(t, row.Success)
			})
		})
	}
}
