package verify_test

import (
	"context"
	"hash/fnv"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

func TestMain(m *testing.M) {
	testkit.CollectLess()
	os.Exit(m.Run())
}

// rig is a suite on fakes, in a folder of its own. Time is what the agent's
// turns say.
type rig struct {
	suite    verify.Suite
	deps     runner.Deps
	target   *fake.Target
	provider *fake.Provider
	now      time.Time
	// afterRow is called after each row, with the number of rows so far.
	afterRow func(rows int)
	rows     int
}

// newRig has two scenarios, two modes and two repetitions: eight cells.
func newRig(t *testing.T) *rig {
	t.Helper()
	commit := "c0ffee"
	r := &rig{
		target: &fake.Target{}, provider: &fake.Provider{}, now: time.Date(2026, 2, 25, 12, 0, 0, 0, time.UTC),
		suite: verify.Suite{
			Dir: t.TempDir(), RunID: "run-1", ScenarioSet: "default", Scenarios: []bench.Scenario{fake.Atomic("a-001"), fake.Atomic("b-001")},
			Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Repetitions: 2, Order: runner.Interleaved, OrderSeed: 3,
			Profile: bench.VerifyPR, Provider: "fake", SeedID: "local", Variations: bench.Variations{Seed: 7}, Git: bench.GitRef{Commit: &commit},
			Run: runner.Config{Routes: []bench.Mode{bench.GHX, bench.GHXBase},
				Concurrency: 1, SkipWarmup: true, FirstAnswer: time.Hour, Stall: time.Hour, Price: &bench.Price{Input: 1, Output: 1},
			},
		},
	}
	r.provider.Info = agent.Info{Name: "fake", Model: bench.ModelRef{ProviderID: "fake", ModelID: "one"}, Simulated: true}
	r.provider.OnPrompt = r.turn
	r.deps = runner.Deps{
		Target: r.target, Provider: r.provider,
		Reader: func(target.Access) (checkpoint.Reader, error) { return &fake.Reader{}, nil },
		Now:    func() time.Time { return r.now },
		Wait:   func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) },
		Observe: func(e runner.Event) {
			if e.Kind == runner.EventRow {
				r.rows++
				if r.afterRow != nil {
					r.afterRow(r.rows)
				}
			}
		},
	}
	return r
}

// turn takes a time and as many tokens as are the cell's own, with ghx half of
// them.
func (r *rig) turn(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.Play.ScenarioID + string(s.Setup.Mode) + string(rune('0'+p.Play.Iteration))))
	size := int64(1000 + h.Sum32()%100)
	if s.Setup.Mode == bench.GHX {
		size /= 2
	}
	r.now = r.now.Add(time.Duration(size) * time.Millisecond)
	tool := agent.Part{Type: agent.PartTool, Tool: &agent.ToolCall{Name: "bash"}}
	message := agent.Message{Role: agent.Assistant, Tokens: bench.Tokens{Input: size, Total: size}}
	for range size / 500 {
		message.Parts = append(message.Parts, tool)
	}
	s.Say(message)
	return agent.Turn{Text: fake.Envelope}, nil
}

// stopAfter returns a context that ends after so many rows.
func (r *rig) stopAfter(t *testing.T, rows int) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	if rows == 0 {
		cancel()
	}
	r.afterRow = func(n int) {
		if n == rows {
			cancel()
		}
	}
	return ctx
}

// run runs the suite and expects no error.
func (r *rig) run(ctx context.Context, t *testing.T) verify.Result {
	t.Helper()
	result, err := verify.RunSuite(ctx, r.suite, r.deps)
	require.NoError(t, err)
	assert.Zero(t, r.target.Open())
	assert.Zero(t, r.provider.Open())
	return result
}

// next makes the rig's next run another one, a minute later.
func (r *rig) next(runID string) {
	r.suite.RunID = runID
	r.now = r.now.Add(time.Minute)
	r.rows, r.afterRow = 0, nil
}

// judging is how the tests judge.
func judging() verify.JudgeOptions {
	return verify.JudgeOptions{Profile: bench.VerifyPR, Expectations: &gate.Expectations{DefaultModel: "fake/one"}, Seed: 1}
}

// rowsOf reads ledgers.
func rowsOf(t *testing.T, files []string) []bench.Row {
	t.Helper()
	rows, report, err := ledger.Read(files)
	require.NoError(t, err)
	assert.Zero(t, report.Duplicates)
	assert.Empty(t, report.Torn)
	return rows
}

func cellsOf(rows []bench.Row) (cells []bench.Cell) {
	for _, row := range rows {
		cells = append(cells, row.Cell())
	}
	return cells
}
