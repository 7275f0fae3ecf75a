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
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

func TestN5ARetryableRunnerFailureIsRetried(t *testing.T) {
	for name, failing := range map[string]turn{"no first answer": silent, "stall": stalls, "no final answer": endless} {
		t.Run("N5: "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(fake.Atomic("a-001"))
				r.cfg.RunnerRetries = runner.DefaultRunnerRetries
				r.provider.OnPrompt = turns(failing, says(fake.Envelope))
				row := r.one(t)
				assert.True(t, row.Success)
				assert.Nil(t, row.Error)
				assert.Equal(t, 1, row.ExternalRetryCount)
				require.Len(t, row.Attempts, 2)
				assert.True(t, row.Attempts[0].Error.TimeoutOrStall())
				assert.Nil(t, row.Attempts[1].Error)
			})
		})
	}
}

func TestN5ThePauseGrowsWithEveryAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.cfg.RunnerRetries = 3
		var started []time.Time
		r.provider.OnStart = func(context.Context, agent.Setup) error {
			started = append(started, time.Now())
			return nil
		}
		r.provider.OnPrompt = stalls
		row := r.one(t)
		assert.Equal(t, 3, row.ExternalRetryCount)
		assert.Equal(t, bench.TimeoutStalled, row.Error.Type)
		var pauses []time.Duration
		for i := range len(started) - 1 {
			pauses = append(pauses, started[i+1].Sub(started[i])-runner.DefaultStall)
		}
		assert.Equal(t, []time.Duration{750 * time.Millisecond, 1500 * time.Millisecond, 2250 * time.Millisecond}, pauses)
	})
}

func TestN5RetriesAreBothKindsTogether(t *testing.T) {
	fails := says(`{"ok":false,"data":null,"error":{"code":"X","message":"m"},"meta":{}}`)
	cases := []struct {
		name            string
		runner, allowed int
		turns           []turn
		success         bool
		attempts        int
		// pauses is how long the cell waited in all.
		pauses time.Duration
	}{
		{"a success is not repeated", 1, 3, []turn{says(fake.Envelope)}, true, 1, 0},
		{"a failed assertion is repeated where the scenario allows it, at once", 1, 2, []turn{fails, fails, says(fake.Envelope)}, true, 3, 0},
		{"a failed assertion is not a runner failure", 5, 0, []turn{fails}, false, 1, 0},
		{"a crash is not retried by itself", 5, 0, []turn{crashes}, false, 1, 0},
		{"a crash is repeated where the scenario allows it", 0, 1, []turn{crashes, says(fake.Envelope)}, true, 2, 0},
		{"a timeout takes from the scenario's retries when the runner's are gone", 1, 1, []turn{silent, silent, says(fake.Envelope)}, true, 3,
			runner.DefaultRetryPause},
		{"a timeout leaves the scenario's retries to other failures", 1, 1, []turn{silent, fails, says(fake.Envelope)}, true, 3, runner.DefaultRetryPause},
		{"no failure is repeated for ever", 1, 1, []turn{stalls}, false, 3, runner.DefaultRetryPause},
	}
	for _, c := range cases {
		t.Run("N5: "+c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := fake.Atomic("a-001")
				s.AllowedRetries = c.allowed
				r := newRig(s)
				r.cfg.RunnerRetries = c.runner
				r.provider.OnPrompt = turns(c.turns...)
				var waited time.Duration
				r.deps.Wait = func(_ context.Context, d time.Duration) error {
					waited += d
					return nil
				}
				row := r.one(t)
				assert.Equal(t, c.success, row.Success)
				assert.Equal(t, c.attempts-1, row.ExternalRetryCount)
				assert.Len(t, row.Attempts, c.attempts)
				assert.Equal(t, row.Error, row.Attempts[c.attempts-1].Error, "the last attempt is reported")
				assert.Equal(t, c.pauses, waited)
			})
		})
	}
}

func TestN7EveryAttemptHasFreshFixturesAndASessionOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fake.Workflow("a-wf-001")
		s.AllowedRetries = 2
		s.Fixture = &bench.Fixture{Requires: []string{"pr"}}
		r := newRig(s)
		r.target.Resources = map[string]map[string]any{"pr": {"number": 1}}
		var places [][]string
		r.provider.OnStart = func(_ context.Context, setup agent.Setup) error {
			places = append(places, setup.Env)
			assert.Equal(t, 1, r.target.Open(), "one place at a time")
			return nil
		}
		row := r.one(t)
		require.Len(t, row.Attempts, 3)
		assert.Equal(t, [][]string{{"PLACE=2"}, {"PLACE=3"}, {"PLACE=4"}}, places)
		assert.Len(t, r.provider.Sessions(), 3)
		for _, needs := range r.target.Needs()[1:] {
			assert.True(t, needs.Mutating)
			assert.Equal(t, []string{"pr"}, needs.Resources)
			assert.Equal(t, bench.AgentDirect, needs.Mode)
		}
	})
}

func TestN8AnAnswerWithoutAnEnvelopeIsAskedFor(t *testing.T) {
	cases := []struct {
		name          string
		turns         []turn
		continuations int
		want          bench.ErrorType
	}{
		{"an envelope is not asked for again", []turn{says("Here: " + fake.Envelope)}, 0, ""},
		{"prose is followed by a request", []turn{says("Done!"), says(fake.Envelope)}, 1, ""},
		{"an incomplete envelope is followed by a request", []turn{says(`{"ok":true,"data":{}}`), says(fake.Envelope)}, 1, ""},
		{"three requests are made", []turn{says("1"), says("2"), says("3"), says(fake.Envelope)}, 3, ""},
		{"a fourth is not made", []turn{says("1"), says("2"), says("3"), says("4"), says(fake.Envelope)}, 3, bench.AssertionFailed},
		{"a request may fail as a prompt does", []turn{says("1"), crashes}, 1, bench.RunnerError},
	}
	for _, c := range cases {
		t.Run("N8: "+c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(fake.Atomic("a-001"))
				r.provider.OnPrompt = turns(c.turns...)
				row := r.one(t)
				assert.Equal(t, c.continuations, row.Continuations)
				if c.want == "" {
					assert.Nil(t, row.Error)
					assert.Equal(t, int64(10*(c.continuations+1)), row.Tokens.Total, "tokens of all turns count")
				} else {
					assert.Equal(t, c.want, row.Error.Type)
				}
				session := r.provider.Sessions()[0]
				assert.Len(t, session.Prompts, c.continuations+1)
				for _, p := range session.Prompts[1:] {
					assert.Equal(t, scenario.ContinuationPrompt(r.cfg.Scenarios["a-001"].Assertions), p.Text)
					assert.Equal(t, session.Prompts[0].Play, p.Play, "it is the same attempt")
				}
			})
		})
	}
}

func TestS9AWorkflowIsNotAskedForAnEnvelope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Workflow("a-wf-001"))
		r.reader.Says = map[string]any{"merged": true}
		r.provider.OnPrompt = says("Merged.")
		row := r.one(t)
		assert.True(t, row.Success)
		assert.True(t, row.OutputValid)
		assert.Zero(t, row.Continuations)
		assert.Equal(t, []bench.CheckpointResult{{Name: "merged", Passed: true, Detail: row.Checkpoints[0].Detail}}, row.Checkpoints)
	})
}
