package runner_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

func TestR2ARowSaysAllThatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fake.Atomic("a-001")
		s.Assertions.Checkpoints = []bench.Checkpoint{{Name: "there", VerificationTask: "repo.view", Condition: bench.ConditionNonEmpty}}
		r := newRig(s)
		r.reader.Says = map[string]any{"id": 1}
		repo, commit, variant := "o/n", "c0ffee", "high"
		r.cfg.Variations = bench.Variations{Seed: 6}
		r.cfg.ScenarioSet, r.cfg.SeedID, r.cfg.Git = "default", "local", bench.GitRef{Repo: &repo, Commit: &commit}
		r.cfg.Tools = map[string]string{"agent": "fake 1"}
		r.provider.Info.Model.Mode = &variant
		r.provider.Info.Simulated = true
		r.plan(runner.PlanOptions{ScenarioIDs: []string{"a-001"}, Modes: []bench.Mode{bench.GHX}, Repetitions: 3, Order: runner.Interleaved, Seed: 9})
		r.cfg.Cells = r.cfg.Plan[2:]
		r.target.Usage = target.Usage{Requests: bench.APIRequests{REST: 2, GraphQL: 3, Bytes: 400}, RefusedHosts: []string{"example.com"}}
		r.target.Unsupported = []string{"GET /user"}
		r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
			begin := time.Now()
			p.Notify(agent.EventAnswer)
			err := fake.Sleep(ctx, second)
			s.Say(agent.Message{
				Role: agent.Assistant, Start: begin, End: time.Now(), Cost: 0.5, Tokens: bench.Tokens{Input: 3, Output: 2, CacheRead: 1, Total: 6},
				Parts: []agent.Part{
					{Type: agent.PartTool, Start: begin, End: time.Now(), Tool: &agent.ToolCall{Name: "bash", Error: "exit status 1"}},
					{Type: agent.PartText, Text: fake.Envelope},
				},
			})
			return agent.Turn{Text: `{"ok":true,"data":{},"error":null,"meta":{"attempts":[{"status":"error"},{"status":"success"}]}}`}, err
		}
		began := bench.FormatTime(time.Now())
		set, session, took := "default", "session-1", 1000.0
		row := r.one(t)
		requireSet(t, row)
		assert.Equal(t, bench.Row{
			Timestamp: began, RunID: "run-1", Mode: bench.GHX, ScenarioID: "a-001", ScenarioSet: &set, Iteration: 3,
			SessionID: &session, Success: true, OutputValid: true, LatencyMSWall: 1000, SDKLatencyMS: &took,
			TimingBreakdown: &bench.TimingBreakdown{AssistantTotalMS: 1000, ToolTotalMS: 1000, ToolBashMS: 1000, ObservedAssistantTurns: 1},
			Tokens:          bench.Tokens{Input: 3, Output: 2, CacheRead: 1, Total: 6}, Cost: 0.5, ToolCalls: 1, APICalls: 5,
			InternalRetryCount: 1, Model: bench.ModelRef{ProviderID: "fake", ModelID: "one", Mode: &variant},
			Git:           bench.GitRef{Repo: &repo, Commit: &commit},
			SchemaVersion: bench.RowSchemaVersion,
			Attempts:      []bench.Attempt{{LatencyMSWall: 1000, Tokens: bench.Tokens{Input: 3, Output: 2, CacheRead: 1, Total: 6}, Cost: 0.5}},
			Checkpoints:   []bench.CheckpointResult{{Name: "there", Passed: true, Detail: `the answer is {"id":1}, expected it not to be empty`}},
			Turns:         1, ToolErrors: 1, ToolUse: []bench.ToolUse{{Name: "bash", Calls: 1, Errors: 1, DeadEnds: 1}}, APIRequests: &bench.APIRequests{REST: 2, GraphQL: 3, Bytes: 400}, RefusedHosts: []string{"example.com"}, Unsupported: []string{"GET /user"},
			SeedID: "local", Order: &bench.Order{Kind: "interleaved", Seed: 9, Position: 3}, Variation: &bench.Variation{Seed: 6, Number: 3}, Tools: map[string]string{"agent": "fake 1"},
			Simulated: true, ScenarioHash: s.Hash, FootprintJudged: new(true),
		}, row)
	})
}

// What a run of one attempt that succeeds has not, and tests of other runs have.
var setElsewhere = []string{"ExternalRetryCount", "Error", "Continuations", "Wire", "ModeHash", "Changes", "FootprintUnjudged", "RouteOK", "Extra", "Reward"}

// requireSet looks for fields of a row that nobody sets.
func requireSet(t *testing.T, row bench.Row) {
	t.Helper()
	of := reflect.ValueOf(row)
	for i := range of.NumField() {
		if name := of.Type().Field(i).Name; !slices.Contains(setElsewhere, name) {
			assert.False(t, of.Field(i).IsZero(), "nobody sets Row.%s: run.row in cell.go and Figures.Report make a row", name)
		}
	}
}

// Every mode of an iteration has the same fixtures, and so have all attempts.
func TestS15FixturesAreThoseOfTheIteration(t *testing.T) {
	for name, c := range map[string]struct {
		variations bench.Variations
		want       map[int]*bench.Variation
	}{
		"each iteration its own": {bench.Variations{Seed: 9}, map[int]*bench.Variation{0: {Seed: 9}, 1: {Seed: 9, Number: 1}, 2: {Seed: 9, Number: 2}}},
		"one for all":            {bench.Variations{Seed: 9, Number: new(int)}, map[int]*bench.Variation{0: {Seed: 9}, 1: {Seed: 9}, 2: {Seed: 9}}},
		"none":                   {bench.Variations{}, map[int]*bench.Variation{}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(fake.Atomic("a-001"))
				r.cfg.Variations, r.cfg.SkipWarmup = c.variations, false
				r.plan(runner.PlanOptions{ScenarioIDs: []string{"a-001"}, Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Repetitions: 2, Order: runner.Interleaved})
				rows := r.complete(t)
				for _, row := range rows {
					assert.Equal(t, c.want[row.Iteration], row.Variation)
				}
				needs := r.target.Needs()
				require.Len(t, needs, 7, "the check before the run, two warm-ups, and four cells")
				for n, iteration := range append([]int{1, 0, 0}, iterations(rows)...) {
					assert.Equal(t, c.want[iteration], needs[n].Variation)
				}
			})
		})
	}
}

func iterations(rows []bench.Row) (all []int) {
	for i := range rows {
		all = append(all, rows[i].Iteration)
	}
	return all
}

func TestR2ASequentialOrderHasNoSeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.cfg.OrderSeed = 5
		assert.Equal(t, &bench.Order{Kind: "sequential", Position: 1}, r.one(t).Order)
	})
}

func TestR4TokensAreThoseOfAllMessagesOfTheReportedAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.cfg.RunnerRetries = 1
		r.provider.OnPrompt = turns(stalls, says("one"), says(fake.Envelope))
		row := r.one(t)
		assert.Equal(t, bench.Tokens{Input: 12, Output: 8, Total: 20}, row.Tokens)
		assert.Equal(t, 2, row.Turns)
	})
}

// slow makes everything around the agent's turn take time.
func (r *rig) slow(d time.Duration) {
	r.target.OnPrepare = func(ctx context.Context, _ target.Needs) error { return fake.Sleep(ctx, d) }
	r.target.OnClose = func() error { time.Sleep(d); return nil }
	r.provider.OnStart = func(ctx context.Context, _ agent.Setup) error { return fake.Sleep(ctx, d) }
	r.provider.OnTranscript = func(ctx context.Context) error { return fake.Sleep(ctx, d) }
	r.provider.OnClose = func(*fake.Session) error { time.Sleep(d); return nil }
	r.deps.Reader = func(target.Access) (checkpoint.Reader, error) { time.Sleep(d); return &r.reader, nil }
	r.deps.Poll = checkpoint.Poll{Attempts: 2, Pause: func(ctx context.Context) error { return fake.Sleep(ctx, d) }}
}

func TestR5LatencyIsThatOfTheAgentsTurnAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Workflow("a-wf-001"))
		r.slow(9 * second)
		r.cfg.RunnerRetries = 1
		r.provider.OnPrompt = turns(silent, plays(4*second, step{3 * second, agent.EventAnswer}))
		row := r.one(t)
		assert.InDelta(t, 7000, row.LatencyMSWall, 1e-6)
		require.Len(t, row.Attempts, 2)
		assert.InDelta(t, 15_000, row.Attempts[0].LatencyMSWall, 1e-6, "the attempt that is not reported has its own")
		assert.InDelta(t, 7000, row.Attempts[1].LatencyMSWall, 1e-6)
	})
}

func TestR5LatencyHasTheContinuationsInIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.provider.OnPrompt = turns(func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
			err := fake.Sleep(ctx, 2*second)
			return s.Answer(p, "done"), err
		}, plays(3*second))
		assert.InDelta(t, 5000, r.one(t).LatencyMSWall, 1e-6)
	})
}

func TestR6Cost(t *testing.T) {
	price := &bench.Price{Input: 1, Output: 10}
	cases := []struct {
		name     string
		reported float64
		tokens   bench.Tokens
		price    *bench.Price
		want     float64
	}{
		{"what the provider reports counts", 0.25, bench.Tokens{Input: 1_000_000, Total: 1_000_000}, price, 0.25},
		{"tokens without a cost are priced", 0, bench.Tokens{Input: 1_000_000, Output: 100_000, Total: 1_100_000}, price, 2},
		{"reasoning is priced as output", 0, bench.Tokens{Reasoning: 100_000, Total: 100_000}, price, 1},
		{"without a price it is 0", 0, bench.Tokens{Input: 1_000_000, Total: 1_000_000}, nil, 0},
		{"without tokens it is 0", 0, bench.Tokens{}, price, 0},
	}
	for _, c := range cases {
		t.Run("R6: "+c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(fake.Atomic("a-001"))
				r.cfg.Price = c.price
				r.provider.OnPrompt = func(_ context.Context, s *fake.Session, _ agent.Prompt) (agent.Turn, error) {
					s.Say(agent.Message{Role: agent.Assistant, Tokens: c.tokens, Cost: c.reported})
					return agent.Turn{Text: fake.Envelope}, nil
				}
				row := r.one(t)
				assert.InDelta(t, c.want, row.Cost, 1e-12)
				assert.InDelta(t, c.want, row.Attempts[0].Cost, 1e-12)
			})
		})
	}
}

// uncounted is a target whose requests nobody counts.
type uncounted struct{ fake.Target }

func (u *uncounted) Prepare(ctx context.Context, needs target.Needs) (*target.Place, error) {
	place, err := u.Target.Prepare(ctx, needs)
	if place != nil {
		place.Usage = nil
	}
	return place, err
}

func TestR7APICallsAreThoseCountedOutsideElseToolCalls(t *testing.T) {
	api := func(_ context.Context, s *fake.Session, _ agent.Prompt) (agent.Turn, error) {
		for _, name := range []string{"http_get", "bash", "github_api"} {
			s.Say(agent.Message{Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartTool, Tool: &agent.ToolCall{Name: name}}}})
		}
		return agent.Turn{Text: fake.Envelope}, nil
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.provider.OnPrompt, r.target.Silent = api, true
		row := r.one(t)
		assert.Equal(t, &bench.APIRequests{}, row.APIRequests)
		assert.Zero(t, row.APICalls, "none was made, whatever tools are called")
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.target.Usage.Requests = bench.APIRequests{REST: 2, GraphQL: 3}
		assert.Equal(t, 5, r.one(t).APICalls)
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.provider.OnPrompt = api
		r.deps.Target = &uncounted{}
		out, err := runner.Run(t.Context(), r.cfg, r.deps)
		require.NoError(t, err)
		require.Empty(t, out.Left)
		row := r.ledger.Rows()[0]
		assert.Nil(t, row.APIRequests)
		assert.Equal(t, 2, row.APICalls)
	})
}

func TestG10GHXOfTheBaseHasTheCommitOfTheBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		head, base := "head", "base"
		r.cfg.Git, r.cfg.BaseCommit = bench.GitRef{Commit: &head}, &base
		r.plan(runner.PlanOptions{ScenarioIDs: []string{"a-001"}, Modes: []bench.Mode{bench.GHX, bench.GHXBase}, Repetitions: 1, Order: runner.Sequential})
		rows := r.complete(t)
		assert.Equal(t, "head", *rows[0].Git.Commit)
		assert.Equal(t, "base", *rows[1].Git.Commit)
	})
	t.Run("a mode of the user's has its own, or none", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(fake.Atomic("a-001"))
			head, own := "head", "own"
			r.cfg.Git = bench.GitRef{Commit: &head}
			r.cfg.ModeFiles = map[bench.Mode]bench.ModeFact{"mine": {Hash: "file", Git: bench.GitRef{Commit: &own}}, "theirs": {Hash: "other"}}
			r.plan(runner.PlanOptions{ScenarioIDs: []string{"a-001"}, Modes: []bench.Mode{bench.AgentDirect, "mine", "theirs"}, Repetitions: 1, Order: runner.Sequential})
			rows := r.complete(t)
			assert.Equal(t, []string{"", "file", "other"}, []string{rows[0].ModeHash, rows[1].ModeHash, rows[2].ModeHash})
			assert.Equal(t, "head", *rows[0].Git.Commit)
			assert.Equal(t, "own", *rows[1].Git.Commit)
			assert.Nil(t, rows[2].Git.Commit)
		})
	})
}

func TestS13TheRouteOfGHXIsReportedAndDecidesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fake.Atomic("a-001")
		s.Assertions.ExpectedRouteUsed = bench.RouteREST
		r := newRig(s)
		r.plan(runner.PlanOptions{ScenarioIDs: []string{"a-001"}, Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Repetitions: 1, Order: runner.Sequential})
		r.cfg.Routes = []bench.Mode{bench.GHX}
		rows := r.complete(t)
		assert.Nil(t, rows[0].RouteOK, "no other mode has a route")
		assert.Equal(t, new(bool), rows[1].RouteOK)
		for _, row := range rows {
			assert.True(t, row.Success)
			assert.True(t, row.OutputValid)
		}
	})
}

func TestS9AttemptsWhoseStateCannotBeReadSayNothingOfTheAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Workflow("a-wf-001"))
		r.reader.Err = errors.New("bad gateway")
		row := r.one(t)
		assert.False(t, row.Success)
		assert.False(t, row.OutputValid)
		assert.Equal(t, bench.RunnerError, row.Error.Type)
		assert.Contains(t, row.Error.Message, "merged: cannot be read")
		assert.Len(t, row.Checkpoints, 1)
	})
}

func TestS5AConditionMayHoldDuringTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fake.Workflow("a-wf-001")
		s.Assertions.Checkpoints[0].When = bench.During
		r := newRig(s)
		r.provider.OnPrompt = func(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
			r.reader.Says = map[string]any{"merged": true}
			r.target.Write(s.Setup.Env)
			r.reader.Says = map[string]any{"merged": false}
			r.target.Write(s.Setup.Env)
			return s.Answer(p, "Merged and reverted."), nil
		}
		assert.True(t, r.one(t).Success)
	})
}

func TestAFailedTurnIsNotJudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Workflow("a-wf-001"))
		r.reader.Says = map[string]any{"merged": true}
		r.provider.OnPrompt = silent
		row := r.one(t)
		assert.Equal(t, bench.TimeoutNoFirstAnswer, row.Error.Type)
		assert.Empty(t, row.Checkpoints, "what an agent left unfinished has no outcome")
		assert.False(t, row.OutputValid)
	})
}

func TestAnAgentIsToldItsTaskAndItsTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Atomic("a-001"))
		r.deps.Setups = map[bench.Mode]agent.Setup{bench.AgentDirect: {Instructions: "use gh", Shell: true}, bench.GHX: {Instructions: "use ghx"}}
		r.one(t)
		session := r.provider.Sessions()[0]
		assert.Equal(t, agent.Setup{Mode: bench.AgentDirect, Env: []string{"PLACE=2"}, Instructions: "use gh", Shell: true}, session.Setup)
		assert.True(t, strings.HasPrefix(session.Prompts[0].Text, "repo.view for a-001\n\n"), "the task comes first")
		assert.Equal(t, agent.Play{ScenarioID: "a-001", Input: map[string]any{"owner": "o", "name": "n"}, Iteration: 1, Attempt: 1}, session.Prompts[0].Play)
	})
}

func TestWhatARowSaysOfAFailureHasNoSecretAndAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fake.Atomic("a-001")
		s.AllowedRetries = 1
		r := newRig(s)
		r.deps.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }
		r.provider.OnPrompt = func(context.Context, *fake.Session, agent.Prompt) (agent.Turn, error) {
			return agent.Turn{}, errors.New("the password is hunter2:" + strings.Repeat("é", 1<<20))
		}
		row := r.one(t)
		assert.Less(t, len(row.Error.Message), 5000)
		for _, text := range []string{row.Error.Message, row.Attempts[0].Error.Message, r.events[1].Reason} {
			assert.Contains(t, text, "the password is [redacted]")
		}
		assert.True(t, utf8.ValidString(row.Error.Message), "no character is cut in half")
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(fake.Workflow("a-wf-001"))
		r.deps.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }
		r.reader.Says = map[string]any{"merged": "hunter2"}
		r.provider.OnPrompt = func(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
			s.Say(agent.Message{Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartTool, Tool: &agent.ToolCall{Name: "the_hunter2_tool"}}}})
			return s.Answer(p, fake.Envelope), nil
		}
		row := r.one(t)
		assert.Equal(t, "the_[redacted]_tool", row.ToolUse[0].Name)
		assert.Contains(t, row.Checkpoints[0].Detail, "[redacted]")
		assert.Contains(t, row.Error.Message, "[redacted]")
	})
}
