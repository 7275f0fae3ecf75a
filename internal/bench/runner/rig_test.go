package runner_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// rig is a run on fakes. Tests use it on the clock of testing/synctest, so no
// time passes.
type rig struct {
	cfg      runner.Config
	deps     runner.Deps
	target   fake.Target
	provider fake.Provider
	ledger   fake.Ledger
	reader   fake.Reader
	events   []runner.Event
}

// newRig returns a run of one iteration per scenario in mode agent_direct,
// without warm-up and without retries.
func newRig(scenarios ...bench.Scenario) *rig {
	r := &rig{cfg: runner.Config{
		Scenarios: map[string]bench.Scenario{}, Order: runner.Sequential, Concurrency: 1, SkipWarmup: true,
		RetryPause: runner.DefaultRetryPause, FirstAnswer: runner.DefaultFirstAnswer, Stall: runner.DefaultStall,
		Continuations: runner.DefaultContinuations, RunID: "run-1",
	}}
	var ids []string
	for _, s := range scenarios {
		r.cfg.Scenarios[s.ID] = s
		ids = append(ids, s.ID)
	}
	r.plan(runner.PlanOptions{ScenarioIDs: ids, Modes: []bench.Mode{bench.AgentDirect}, Repetitions: 1, Order: runner.Sequential})
	r.provider.Info = agent.Info{Name: "fake", Model: bench.ModelRef{ProviderID: "fake", ModelID: "one"}}
	r.deps = runner.Deps{
		Target: &r.target, Provider: &r.provider, Ledger: &r.ledger,
		Reader:  func(target.Access) (checkpoint.Reader, error) { return &r.reader, nil },
		Observe: func(e runner.Event) { r.events = append(r.events, e) },
		Now:     time.Now, Wait: fake.Sleep,
	}
	return r
}

func (r *rig) plan(opts runner.PlanOptions) {
	r.cfg.Plan = runner.Plan(opts)
	r.cfg.Cells, r.cfg.Order, r.cfg.OrderSeed = r.cfg.Plan, opts.Order, opts.Seed
}

// run runs and checks that nothing was left open.
func (r *rig) run(ctx context.Context, t *testing.T) (runner.Outcome, error) {
	t.Helper()
	out, err := runner.Run(ctx, r.cfg, r.deps)
	assert.Zero(t, r.target.Open(), "places that were not given back")
	assert.Zero(t, r.provider.Open(), "sessions that were not ended")
	assert.Equal(t, len(r.ledger.Rows()), out.Rows)
	return out, err
}

// complete runs, expects a row for every cell and returns them.
func (r *rig) complete(t *testing.T) []bench.Row {
	t.Helper()
	out, err := r.run(t.Context(), t)
	require.NoError(t, err)
	require.Empty(t, out.Left)
	require.Empty(t, out.Stopped)
	return r.ledger.Rows()
}

// one is complete for a run of one cell.
func (r *rig) one(t *testing.T) bench.Row {
	t.Helper()
	rows := r.complete(t)
	require.Len(t, rows, 1)
	return rows[0]
}

// attempts returns how many attempts were made.
func (r *rig) attempts() int { return len(r.target.Needs()) - 1 }

// turn is how an agent has a turn.
type turn func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error)

// turns returns an agent whose n-th turn, over all sessions, is the n-th of
// the list, and all later ones the last. It is for runs of one worker.
func turns(list ...turn) turn {
	n := 0
	return func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		n++
		return list[min(n, len(list))-1](ctx, s, p)
	}
}

// says is a turn that ends at once in a text.
func says(text string) turn {
	return func(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		return s.Answer(p, text), nil
	}
}

// silent is a turn in which nothing ever happens.
func silent(ctx context.Context, _ *fake.Session, _ agent.Prompt) (agent.Turn, error) {
	<-ctx.Done()
	return agent.Turn{}, context.Cause(ctx)
}

// stalls is a turn that begins to answer and falls silent.
func stalls(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
	p.Notify(agent.EventAnswer)
	return silent(ctx, s, p)
}

// endless is a turn that always shows signs of life.
func endless(ctx context.Context, _ *fake.Session, p agent.Prompt) (agent.Turn, error) {
	for p.Notify(agent.EventAnswer); ; p.Notify(agent.EventProgress) {
		if err := fake.Sleep(ctx, time.Second); err != nil {
			return agent.Turn{}, err
		}
	}
}

// crashes is a turn in which the agent's process ends.
func crashes(context.Context, *fake.Session, agent.Prompt) (agent.Turn, error) {
	return agent.Turn{}, assert.AnError
}

// step is something that a turn does: it waits, and then something is heard.
type step struct {
	wait  time.Duration
	event agent.Event
}

// plays is a turn of steps; it ends after a last wait with an envelope.
func plays(last time.Duration, steps ...step) turn {
	return func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		for _, st := range steps {
			if err := fake.Sleep(ctx, st.wait); err != nil {
				return agent.Turn{}, err
			}
			p.Notify(st.event)
		}
		if err := fake.Sleep(ctx, last); err != nil {
			return agent.Turn{}, err
		}
		return s.Answer(p, fake.Envelope), nil
	}
}
