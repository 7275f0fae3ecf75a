package runner_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// bigRig has 12 cells in two modes, interleaved.
func bigRig() *rig {
	r := newRig(fake.Atomic("a-001"), fake.Atomic("b-001"), fake.Atomic("c-001"))
	r.plan(runner.PlanOptions{
		ScenarioIDs: []string{"a-001", "b-001", "c-001"}, Modes: []bench.Mode{bench.AgentDirect, bench.GHX},
		Repetitions: 2, Order: runner.Interleaved, Seed: 3,
	})
	return r
}

func TestN4CellsRunInTheOrderOfThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		rows := r.complete(t)
		assert.Equal(t, r.cfg.Plan, r.ledger.Cells())
		for i, row := range rows {
			assert.Equal(t, &bench.Order{Kind: "interleaved", Seed: 3, Position: i + 1}, row.Order)
		}
	})
}

func TestCellsAtOnce(t *testing.T) {
	for _, concurrency := range []int{1, 3, 5, 100} {
		t.Run(fmt.Sprint(concurrency, " at once"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := bigRig()
				r.cfg.Concurrency = concurrency
				var mu sync.Mutex
				running, most := 0, 0
				r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
					mu.Lock()
					running++
					most = max(most, running)
					mu.Unlock()
					err := fake.Sleep(ctx, second)
					mu.Lock()
					running--
					mu.Unlock()
					return s.Answer(p, fake.Envelope), err
				}
				r.complete(t)
				assert.Equal(t, min(concurrency, len(r.cfg.Plan)), most)
				assert.ElementsMatch(t, r.cfg.Plan, r.ledger.Cells(), "every cell once")
				for _, s := range r.provider.Sessions() {
					assert.Less(t, s.Setup.Worker, concurrency)
				}
			})
		})
	}
}

func TestN3EveryModeWarmsUpOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		r.cfg.SkipWarmup = false
		r.cfg.Price = &bench.Price{Input: 1e6 / 6}
		var saved []bench.Cell
		r.deps.SaveTranscript = func(cell bench.Cell, _ int, _ agent.Transcript) error {
			saved = append(saved, cell)
			return nil
		}
		out, err := r.run(t.Context(), t)
		require.NoError(t, err)
		assert.Equal(t, r.cfg.Plan, r.ledger.Cells(), "a warm-up has no row")
		assert.Equal(t, r.cfg.Plan, saved, "nor a transcript")
		assert.InDelta(t, float64(len(r.cfg.Plan)+2), out.CostUSD, 1e-9, "it costs")
		var warm []bench.Mode
		for _, s := range r.provider.Sessions()[:2] {
			warm = append(warm, s.Setup.Mode)
			assert.Zero(t, s.Prompts[0].Play.Iteration)
		}
		assert.ElementsMatch(t, []bench.Mode{bench.AgentDirect, bench.GHX}, warm)
		assert.Len(t, r.provider.Sessions(), len(r.cfg.Plan)+2)
	})
}

func TestN3AWarmUpThatFailsIsNoReasonToStop(t *testing.T) {
	for name, failing := range map[string]turn{"crash": crashes, "stall": stalls, "panic": panics} {
		t.Run("N3: "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(fake.Atomic("a-001"))
				r.cfg.SkipWarmup, r.cfg.RunnerRetries = false, 1
				r.provider.OnPrompt = turns(failing, says(fake.Envelope))
				assert.True(t, r.one(t).Success)
				assert.Equal(t, 2, r.attempts(), "a warm-up is not retried")
			})
		})
	}
}

func TestOnlyCellsWithoutARowRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		r.cfg.Done = map[bench.Cell]bool{}
		for _, c := range r.cfg.Plan[:5] {
			r.cfg.Done[c] = true
		}
		r.cfg.Done[bench.Cell{ScenarioID: "other-001", Mode: bench.GHX, Iteration: 1}] = true
		rows := r.complete(t)
		assert.Equal(t, r.cfg.Plan[5:], r.ledger.Cells())
		assert.Equal(t, 6, rows[0].Order.Position, "positions are those of the whole plan")
		assert.Equal(t, 5, r.events[0].Done)
	})
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		r.cfg.SkipWarmup = false
		r.cfg.Done = map[bench.Cell]bool{}
		for _, c := range r.cfg.Plan {
			r.cfg.Done[c] = true
		}
		r.complete(t)
		assert.Empty(t, r.target.Needs(), "where all is done, nothing is prepared")
		assert.Empty(t, r.events)
	})
}

func TestObserversAreToldInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fake.Atomic("a-001")
		s.AllowedRetries = 1
		r := newRig(s)
		r.cfg.SkipWarmup = false
		r.cfg.Price = &bench.Price{Input: 1e6 / 6}
		r.provider.OnPrompt = turns(says(fake.Envelope), crashes, says(fake.Envelope))
		r.one(t)
		cell := r.cfg.Plan[0]
		warm := cell
		warm.Iteration = 0
		row := r.events[3].Row
		require.NotNil(t, row)
		assert.Equal(t, []runner.Event{
			{Kind: runner.EventWarmup, Cell: warm, Total: 1},
			{Kind: runner.EventStart, Cell: cell, Total: 1, CostUSD: 1},
			{Kind: runner.EventRetry, Cell: cell, Total: 1, CostUSD: 1, Reason: "prompt agent: " + assert.AnError.Error()},
			{Kind: runner.EventRow, Cell: cell, Total: 1, CostUSD: 2, Row: row, Done: 1},
		}, r.events)
	})
}

func TestObserversAreToldOneCallAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		r.cfg.Concurrency = 4
		var inside sync.Mutex
		done := 0
		r.deps.Observe = func(e runner.Event) {
			require.True(t, inside.TryLock(), "two calls at once")
			defer inside.Unlock()
			for range 100 {
				runtime.Gosched() // let another call come, if it can
			}
			assert.GreaterOrEqual(t, e.Done, done)
			assert.Equal(t, e.Row != nil, e.Kind == runner.EventRow)
			done = e.Done
		}
		r.complete(t)
		assert.Equal(t, len(r.cfg.Plan), done)
	})
}

func TestTranscriptsOfAllAttemptsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.cfg.RunnerRetries = 1
		r.provider.OnPrompt = turns(stalls, says(fake.Envelope))
		var saved []string
		r.deps.SaveTranscript = func(cell bench.Cell, attempt int, tr agent.Transcript) error {
			saved = append(saved, fmt.Sprint(cell, " ", attempt, " ", tr.SessionID, " ", len(tr.Messages)))
			return nil
		}
		row := r.one(t)
		assert.Equal(t, []string{"a-001/agent_direct/1 1 session-1 1", "a-001/agent_direct/1 2 session-2 2"}, saved)
		assert.Equal(t, "session-2", *row.SessionID)
	})
}

func TestBudget(t *testing.T) {
	// Every attempt costs 1 USD.
	price := &bench.Price{Input: 1e6 / 6}
	failing := `{"ok":false,"data":null,"error":{"code":"X","message":"m"},"meta":{}}`
	cases := []struct {
		name       string
		budget     float64
		set        func(r *rig)
		rows       int
		cost       float64
		wholeOrder bool
	}{
		{"a run within its budget is complete", 12.5, func(*rig) {}, 12, 12, true},
		{"a run that needs just its budget is complete", 12, func(*rig) {}, 12, 12, true},
		{"no cell begins once the budget is spent", 5, func(*rig) {}, 5, 5, true},
		{"what was spent before counts", 5, func(r *rig) { r.cfg.SpentUSD = 3 }, 2, 5, true},
		{"where all was spent before, nothing runs", 5, func(r *rig) { r.cfg.SpentUSD, r.cfg.SkipWarmup = 5, false }, 0, 5, true},
		{"warm-ups count", 5, func(r *rig) { r.cfg.SkipWarmup = false }, 3, 5, true},
		{"a budget may end with the warm-ups", 1, func(r *rig) { r.cfg.SkipWarmup = false }, 0, 1, true},
		{"all attempts count, and a cell that may not have its retry makes no row", 3, func(r *rig) {
			for id, s := range r.cfg.Scenarios {
				s.AllowedRetries = 1
				r.cfg.Scenarios[id] = s
			}
			r.provider.OnPrompt = says(failing)
		}, 1, 3, true},
		{"cells under way are finished", 4, func(r *rig) {
			r.cfg.Concurrency = 3
			r.provider.OnPrompt = plays(0, step{second, agent.EventAnswer})
		}, 6, 6, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := bigRig()
				r.cfg.MaxCostUSD, r.cfg.Price = c.budget, price
				c.set(r)
				out, err := r.run(t.Context(), t)
				require.NoError(t, err)
				assert.InDelta(t, c.cost, out.CostUSD, 1e-9)
				assert.Equal(t, c.rows, out.Rows)
				assert.Len(t, out.Left, len(r.cfg.Plan)-c.rows)
				if c.rows == len(r.cfg.Plan) {
					assert.Empty(t, out.Stopped)
				} else {
					assert.Equal(t, bench.MissingBudget, out.Stopped)
				}
				if c.wholeOrder {
					assert.True(t, slices.Equal(r.cfg.Plan[c.rows:], out.Left), "what is left is the end of the plan")
				}
			})
		})
	}
}

func TestN2ToolsAreTriedOnceBeforeAnythingIsSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		tried := 0
		r.deps.Preflight = func(_ context.Context, place *target.Place, modes []bench.Mode, capabilities []string) (map[bench.Mode]scenario.Names, error) {
			tried++
			assert.NotNil(t, place)
			assert.Equal(t, []bench.Mode{bench.AgentDirect, bench.GHX}, modes)
			assert.Equal(t, []string{"repo.view"}, capabilities)
			assert.Empty(t, r.events, "nothing has begun")
			return nil, nil
		}
		out, err := r.run(t.Context(), t)
		require.NoError(t, err)
		assert.Empty(t, out.Left)
		assert.Equal(t, 1, tried, "once per suite, not per call")
	})
}

func TestN2ToolsThatDoNotWorkStopTheRunBeforeItBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		broken := fault.Invalidf("ghx 0.1.2 lacks repo.view: install a newer one")
		r.deps.Preflight = func(context.Context, *target.Place, []bench.Mode, []string) (map[bench.Mode]scenario.Names, error) {
			return nil, broken
		}
		out, err := r.run(t.Context(), t)
		require.ErrorIs(t, err, broken)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
		assert.Equal(t, bench.MissingNeverRan, out.Stopped)
		assert.Empty(t, r.events)
	})
}

func TestN2AgentsAreToldTheNamesOfTheirGHX(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fake.Atomic("view-001")
		r := newRig(s)
		r.plan(runner.PlanOptions{ScenarioIDs: []string{s.ID}, Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Repetitions: 1, Order: runner.Sequential})
		r.deps.Preflight = func(context.Context, *target.Place, []bench.Mode, []string) (map[bench.Mode]scenario.Names, error) {
			return map[bench.Mode]scenario.Names{bench.GHX: {"repo.view": "repo.get"}}, nil
		}
		r.complete(t)
		for _, session := range r.provider.Sessions() {
			named := map[bench.Mode]string{bench.AgentDirect: "repo.view", bench.GHX: "repo.get"}[session.Setup.Mode]
			assert.Contains(t, session.Prompts[0].Text, named, session.Setup.Mode)
		}
	})
}

func TestS18EachScenarioIsInItsWorld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := fake.Atomic("here-001"), fake.Atomic("there-001")
		there.Fixture = &bench.Fixture{World: "shop", Requires: []string{"pr"}}
		r := newRig(here, there)
		r.target.Resources = map[string]map[string]any{"pr": {"number": 1}}
		r.plan(runner.PlanOptions{ScenarioIDs: []string{here.ID, there.ID}, Modes: []bench.Mode{bench.GHX}, Repetitions: 1, Order: runner.Sequential})
		tried := 0
		r.deps.Preflight = func(_ context.Context, _ *target.Place, _ []bench.Mode, capabilities []string) (map[bench.Mode]scenario.Names, error) {
			tried++
			assert.Equal(t, []string{"repo.view"}, capabilities)
			return nil, nil
		}
		r.cfg.SkipWarmup = true
		r.complete(t)
		var worlds []string
		for _, needs := range r.target.Needs() {
			worlds = append(worlds, needs.World+" "+strings.Join(needs.Resources, ","))
		}
		assert.Equal(t, []string{" ", "shop pr", " ", "shop pr"}, worlds, "both are tried before anything is spent")
		assert.Equal(t, 1, tried)
	})
}
