package runner_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

func TestATranscriptThatCannotBeKeptEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		r.deps.SaveTranscript = func(cell bench.Cell, _ int, _ agent.Transcript) error {
			if cell == r.cfg.Plan[2] {
				return fault.Infraf("no space left")
			}
			return nil
		}
		out, err := r.run(t.Context(), t)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
		assert.ErrorContains(t, err, "no space left")
		assert.Equal(t, r.cfg.Plan[:2], r.ledger.Cells())
		assert.Equal(t, r.cfg.Plan[2:], out.Left)
		assert.Equal(t, bench.MissingStopped, out.Stopped)
	})
}

func TestATranscriptThatCannotBeReadIsARunnerFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"), fake.Atomic("b-001"))
		r.provider.OnTranscript = func(context.Context) error { return errors.New("gone") }
		r.provider.OnPrompt = turns(says(fake.Envelope), silent)
		rows := r.complete(t)
		assert.Equal(t, &bench.RowError{Type: bench.RunnerError, Message: "read transcript: gone"}, rows[0].Error)
		assert.False(t, rows[0].Success, "its tokens are unknown, so it must not count as cheap")
		assert.Equal(t, bench.TimeoutNoFirstAnswer, rows[1].Error.Type, "the first failure is told")
	})
}

func TestWhatCannotBeClosedIsToldAndChangesNoRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		n := 0
		r.target.OnClose = func() error {
			if n++; n == 1 {
				return nil // that of the check before the run
			}
			return errors.New("bad gateway")
		}
		r.provider.OnClose = func(*fake.Session) error { return errors.New("it does not end") }
		assert.True(t, r.one(t).Success)
		var told []string
		for _, e := range r.events {
			if e.Kind == runner.EventLeftover {
				told = append(told, e.Reason)
			}
		}
		assert.Equal(t, []string{"end the agent's session: it does not end", "give fixtures back: bad gateway"}, told)
	})
}

func TestAPanicCostsAnAttemptAndNotTheRun(t *testing.T) {
	cases := []struct {
		name string
		set  func(r *rig)
	}{
		{"in a prompt", func(r *rig) { r.provider.OnPrompt = turns(panics, says(fake.Envelope)) }},
		{"at the start of a session", func(r *rig) {
			r.provider.OnStart = once(func() { panic("oh no") }, func(context.Context, agent.Setup) error { return nil })
		}},
		{"in a transcript", func(r *rig) {
			panicking := true
			r.provider.OnTranscript = func(context.Context) error {
				if panicking {
					panicking = false
					panic("oh no")
				}
				return nil
			}
		}},
		{"in a session's end", func(r *rig) {
			r.provider.OnClose = func(s *fake.Session) error {
				if s.Number == 1 {
					panic("oh no")
				}
				return nil
			}
		}},
		{"in the target", func(r *rig) {
			n := 0
			r.target.OnPrepare = func(context.Context, target.Needs) error {
				if n++; n == 2 {
					panic("oh no")
				}
				return nil
			}
		}},
		{"a nil map", func(r *rig) {
			r.provider.OnPrompt = turns(func(context.Context, *fake.Session, agent.Prompt) (agent.Turn, error) {
				bench.Row{}.Tools["oh no"] = "nil"
				return agent.Turn{}, nil
			}, says(fake.Envelope))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(fake.Atomic("a-001"), fake.Atomic("b-001"))
				c.set(r)
				rows := r.complete(t)
				require.Len(t, rows, 2)
				require.NotNil(t, rows[0].Error)
				assert.Equal(t, bench.RunnerError, rows[0].Error.Type)
				assert.Regexp(t, `panic in \S+ \(\w+\.go:\d+\): .*(oh no|nil map)`, rows[0].Error.Message)
				assert.Nil(t, rows[1].Error, "the run goes on")
			})
		})
	}
}

// panics is a turn in which the provider has a defect.
func panics(context.Context, *fake.Session, agent.Prompt) (agent.Turn, error) { panic("oh no") }

// once calls first on the first call, and then instead.
func once(first func(), then func(context.Context, agent.Setup) error) func(context.Context, agent.Setup) error {
	var before sync.Once
	return func(ctx context.Context, s agent.Setup) error {
		before.Do(first)
		return then(ctx, s)
	}
}

func TestAPanicNamesWhereItComesFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.provider.OnPrompt = panics
		assert.Contains(t, r.one(t).Error.Message, "runner_test.panics (failure_test.go:")
	})
}

func TestATargetThatFailsIsARunnerFailureOfItsCell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"), fake.Atomic("b-001"))
		n := 0
		r.target.OnPrepare = func(context.Context, target.Needs) error {
			if n++; n == 2 {
				return errors.New("bad gateway")
			}
			return nil
		}
		rows := r.complete(t)
		assert.Equal(t, &bench.RowError{Type: bench.RunnerError, Message: "prepare fixtures: bad gateway"}, rows[0].Error)
		assert.Nil(t, rows[0].SessionID)
		assert.Nil(t, rows[0].APIRequests)
		assert.True(t, rows[1].Success)
	})
}

func TestAProviderThatCannotGoOnEndsTheRun(t *testing.T) {
	refused := fmt.Errorf("the key was refused: %w", agent.ErrStopSuite)
	for name, set := range map[string]func(r *rig){
		"at the start": func(r *rig) { r.provider.OnStart = func(context.Context, agent.Setup) error { return refused } },
		"in a prompt": func(r *rig) {
			r.provider.OnPrompt = func(context.Context, *fake.Session, agent.Prompt) (agent.Turn, error) { return agent.Turn{}, refused }
		},
		"while warming up": func(r *rig) {
			r.cfg.SkipWarmup = false
			r.provider.OnStart = func(context.Context, agent.Setup) error { return refused }
		},
		"when it is stopped": func(r *rig) {
			r.provider.OnPrompt = func(ctx context.Context, _ *fake.Session, _ agent.Prompt) (agent.Turn, error) {
				<-ctx.Done()
				return agent.Turn{}, refused
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := bigRig()
				r.cfg.Concurrency, r.cfg.RunnerRetries = 2, 5
				set(r)
				out, err := r.run(t.Context(), t)
				require.ErrorIs(t, err, agent.ErrStopSuite)
				assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
				assert.ErrorContains(t, err, "the key was refused")
				assert.Empty(t, r.ledger.Rows(), "no row says that an agent failed")
				assert.Equal(t, r.cfg.Plan, out.Left)
				assert.LessOrEqual(t, r.attempts(), 2)
			})
		})
	}
}

func TestARowThatIsNotTakenEndsTheRunAndIsInTheError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		r.cfg.Concurrency = 3
		full := fault.Infraf("no space left on device")
		taken := 0
		r.ledger.OnAppend = func(*bench.Row) error {
			if taken++; taken > 4 {
				return full
			}
			return nil
		}
		r.provider.OnPrompt = plays(second, step{0, agent.EventAnswer})
		out, err := r.run(t.Context(), t)
		require.ErrorIs(t, err, full)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
		var unsaved *runner.UnsavedRow
		require.ErrorAs(t, err, &unsaved)
		assert.True(t, unsaved.Row.Success)
		assert.Len(t, r.ledger.Rows(), 4, "earlier rows are there")
		assert.Contains(t, out.Left, unsaved.Row.Cell())
		assert.Len(t, out.Left, len(r.cfg.Plan)-4)
		assert.Equal(t, bench.MissingStopped, out.Stopped)
	})
}

func TestWhatDoesNotFitIsSaidBeforeAnythingRuns(t *testing.T) {
	needy := func(id, resource string) bench.Scenario {
		s := fake.Atomic(id)
		s.Fixture = &bench.Fixture{Requires: []string{resource}}
		return s
	}
	cases := []struct {
		name string
		set  func(r *rig)
		kind fault.Kind
		want []string
	}{
		{"fixtures that are missing, all of them", func(*rig) {}, fault.Invalid, []string{`"a-001"`, `"issue"`, `"b-001"`, `"pr"`}},
		{"a target that does not know a resource", func(r *rig) {
			r.target.OnPrepare = func(_ context.Context, needs target.Needs) error {
				return fault.Invalidf("resources %v are not seeded", needs.Resources)
			}
		}, fault.Invalid, []string{"prepare fixtures: resources [issue pr] are not seeded"}},
		{"a target that fails", func(r *rig) {
			r.target.OnPrepare = func(context.Context, target.Needs) error { return errors.New("bad gateway") }
		}, fault.Infrastructure, []string{"prepare fixtures: bad gateway"}},
		{"a target that cannot be given back", func(r *rig) {
			r.target.Resources = map[string]map[string]any{"issue": {}, "pr": {}}
			r.target.OnClose = func() error { return errors.New("bad gateway") }
		}, fault.Infrastructure, []string{"give fixtures back: bad gateway"}},
		{"a budget for a model without a price", func(r *rig) { r.cfg.MaxCostUSD = 1 }, fault.Invalid, []string{"fake/one has no price"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(needy("a-001", "issue"), needy("b-001", "pr"))
				r.cfg.SkipWarmup = false
				c.set(r)
				out, err := r.run(t.Context(), t)
				require.Error(t, err)
				assert.Equal(t, c.kind, fault.KindOf(err))
				for _, part := range c.want {
					assert.ErrorContains(t, err, part)
				}
				assert.Empty(t, r.provider.Sessions())
				assert.Equal(t, runner.Outcome{Stopped: bench.MissingNeverRan, Left: r.cfg.Plan}, out)
			})
		})
	}
}
