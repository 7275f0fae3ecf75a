package settings_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/scenarios"
)

func library(t *testing.T) *scenario.Library {
	t.Helper()
	l, err := scenario.Load(scenarios.Files)
	require.NoError(t, err)
	return l
}

func set(change func(*settings.Settings)) settings.Settings {
	s := settings.Defaults()
	s.Model = "openai/gpt-5.3-codex"
	if change != nil {
		change(&s)
	}
	return s
}

func TestTheSettingsMakeThePlan(t *testing.T) {
	p, err := settings.Resolve(set(nil), command.Command{Name: command.Run}, library(t))
	require.NoError(t, err)
	assert.Equal(t, settings.Plan{
		Profile: bench.VerifyPR, Set: "ci-verify-pr", Scenarios: []string{"pr-checks-rerun-all-001", "pr-merge-001"},
		Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Baseline: bench.AgentDirect, Candidate: bench.GHX, Agent: "opencode", Repetitions: bench.Repetitions{First: 4, Most: 4}, Model: "openai/gpt-5.3-codex",
		Benchmark: "ghx", Target: "sandbox", Executor: settings.Dispatch, Workflow: "bench.yml", Timeout: time.Hour, MaxUSD: 10,
	}, p)
	assert.Equal(t, 16, p.Cells())
	assert.Empty(t, p.Shown().Scenarios, "a set is named, not listed")
}

func TestAPlanIsShownWithWhatItMayCost(t *testing.T) {
	p, err := settings.Resolve(set(nil), command.Command{Name: command.Run}, library(t))
	require.NoError(t, err)
	p.EstimateUSD, p.MaxUSD, p.EstimateTime = 1.5, 9, time.Minute
	shown := p.Shown()
	assert.Equal(t, []any{1.5, 9.0, time.Minute, 16, false}, []any{shown.CostUSD, shown.MaxUSD, shown.Duration, shown.Cells, shown.Simulated})
	assert.NotNil(t, shown.Foreseen)
	assert.Equal(t, []any{p.Profile, "ci-verify-pr", p.Modes, p.Repetitions, p.Model},
		[]any{shown.Profile, shown.Set, shown.Modes, shown.Repetitions, shown.Model})
	p.Model, p.Set = settings.Scripted, ""
	shown = p.Shown()
	assert.True(t, shown.Simulated)
	assert.Equal(t, p.Scenarios, shown.Scenarios)
}

func TestOnlyADispatchedPlanHasAWorkflow(t *testing.T) {
	p, err := settings.Resolve(set(func(s *settings.Settings) { s.Executor = settings.Local }), command.Command{Name: command.Run}, library(t))
	require.NoError(t, err)
	assert.Empty(t, p.Workflow)
}

func TestACommandChangesWhatItNames(t *testing.T) {
	l := library(t)
	for _, c := range []struct {
		name     string
		settings func(*settings.Settings)
		command  string
		want     func(*testing.T, settings.Plan)
	}{
		{"a profile brings its own set", func(s *settings.Settings) { s.ScenarioSet = "default" }, "/bench run verify_release", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, "ci-verify-release", p.Set)
			assert.Equal(t, bench.VerifyRelease, p.Profile)
		}},
		{"a set", nil, "/bench run default", func(t *testing.T, p settings.Plan) { assert.Len(t, p.Scenarios, 6) }},
		{"scenarios", nil, "/bench run pr-view-001 repo-view-001", func(t *testing.T, p settings.Plan) {
			assert.Empty(t, p.Set)
			assert.ElementsMatch(t, []string{"pr-view-001", "repo-view-001"}, p.Shown().Scenarios)
		}},
		{"repetitions and a model", nil, "/bench run --repetitions 8 --model a/b", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, bench.Repetitions{First: 8, Most: 8}, p.Repetitions)
			assert.Equal(t, "a/b", p.Model)
		}},
		{"a profile that decides by evidence", func(s *settings.Settings) { s.Repetitions = bench.Repetitions{First: 8, Most: 8} }, "/bench run regression", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, "ci-evidence", p.Set)
			assert.Equal(t, bench.Repetitions{First: 8, Most: 8}, p.Repetitions, "the settings' are fit for it")
			assert.Equal(t, settings.Margins{Success: 15, Cost: 1.2, Latency: 1.25}, p.Margins)
			assert.Equal(t, []bench.Mode{bench.GHXBase, bench.GHX}, p.Modes, "the settings' are for another question")
			assert.Equal(t, bench.GHXBase, p.Baseline)
		}},
		{"a profile that asks what the settings do keeps their modes", func(s *settings.Settings) {
			s.Modes, s.BaselineMode = []bench.Mode{bench.MCP, bench.GHX}, bench.MCP
		}, "/bench run claim", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, []bench.Mode{bench.MCP, bench.GHX}, p.Modes)
			assert.Equal(t, bench.MCP, p.Baseline)
		}},
		{"modes that have the settings' baseline alone", nil, "/bench run regression --modes agent_direct,ghx", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, []bench.Mode{bench.AgentDirect, bench.GHX}, p.Modes)
			assert.Equal(t, bench.AgentDirect, p.Baseline)
		}},
		{"as many repetitions as it takes", nil, "/bench run claim", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, bench.Repetitions{First: 2, Most: 12}, p.Repetitions)
		}},
		{"fixed thresholds after evidence", func(s *settings.Settings) {
			s.Profile, s.Repetitions, s.ScenarioSet = bench.ProfileRegression, bench.Repetitions{First: 2, Most: 12}, "ci-evidence"
		}, "/bench run verify_pr", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, bench.Repetitions{First: 4, Most: 4}, p.Repetitions)
			assert.Zero(t, p.Margins)
		}},
		{"modes", nil, "/bench run --modes agent_direct,mcp,ghx", func(t *testing.T, p settings.Plan) { assert.Equal(t, 24, p.Cells()) }},
		{"modes that have both baselines", nil, "/bench run regression --modes agent_direct,ghx@base,ghx", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, bench.GHXBase, p.Baseline, "that of the profile")
		}},
		{"another candidate is what every profile is about", func(s *settings.Settings) {
			s.ModeFiles, s.Modes, s.CandidateMode = []string{"tools/mytool.yml"}, []bench.Mode{bench.AgentDirect, "mytool"}, "mytool"
		}, "/bench run regression", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, []bench.Mode{bench.AgentDirect, "mytool"}, p.Modes)
			assert.Equal(t, bench.AgentDirect, p.Baseline)
		}},
		{"the settings' set stays", func(s *settings.Settings) { s.ScenarioSet = "default" }, "/bench", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, "default", p.Set)
			assert.Len(t, p.Scenarios, 6)
		}},
		{"modes of files", func(s *settings.Settings) {
			s.ModeFiles, s.Modes, s.CandidateMode, s.Agent = []string{"tools/mytool.yml"}, []bench.Mode{bench.AgentDirect, "mytool"}, "mytool", "codex"
		}, "/bench run regression --modes agent_direct,mytool,other", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, []bench.Mode{bench.AgentDirect, "mytool", "other"}, p.Modes)
			assert.Equal(t, []bench.Mode{bench.AgentDirect, "mytool"}, []bench.Mode{p.Baseline, p.Candidate}, "what regression usually compares has no mytool")
			assert.Equal(t, []string{"tools/mytool.yml"}, p.ModeFiles)
			assert.Equal(t, "codex", p.Agent)
		}},
		{"a trial has no agent with a model", func(s *settings.Settings) { s.Model, s.Agent = settings.Scripted, "codex" }, "/bench", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, settings.Scripted, p.Agent)
		}},
		{"the settings' scenarios stay", func(s *settings.Settings) { s.Scenarios = []string{"pr-view-001"} }, "/bench", func(t *testing.T, p settings.Plan) {
			assert.Equal(t, []string{"pr-view-001"}, p.Scenarios)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd, is, err := command.Parse(c.command)
			require.NoError(t, err)
			require.True(t, is)
			p, err := settings.Resolve(set(c.settings), cmd, l)
			require.NoError(t, err)
			c.want(t, p)
		})
	}
}

func TestWhatThereIsNotIsAnswered(t *testing.T) {
	l := library(t)
	for body, says := range map[string]string{
		"/bench run isues":                      "There is no scenario set `isues`",
		"/bench run pr-merge-009":               "did you mean `pr-merge-001`?",
		"/bench run --modes ghx,gxh":            "`gxh` is no mode (did you mean `ghx`?). There are `agent_direct`, `mcp`, `ghx`, `ghx@base`.",
		"/bench run --modes ghx,mcp":            "The modes lack `agent_direct`",
		"/bench run --modes agent_direct":       "The modes lack `ghx`",
		"/bench run --modes ghx,ghx@base":       "The modes lack `agent_direct`",
		"/bench run regression --modes mcp,ghx": "The modes lack `ghx@base`",
		"/bench run --repetitions 2..12":        "The profile `verify_pr` cannot judge 2..12 repetitions",
		"/bench run claim --repetitions 1":      "cannot judge 1 repetitions",
		"/bench run regression ci-verify-pr":    "2 scenario(s) with 2..12 repetitions cannot pass profile regression",
		"/bench run verify_release pr-x-001":    "There is no scenario `pr-x-001`",
	} {
		t.Run(body, func(t *testing.T) {
			cmd, _, err := command.Parse(body)
			require.NoError(t, err)
			_, err = settings.Resolve(set(nil), cmd, l)
			require.ErrorContains(t, err, says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestTheLeastOfTheBudgetsHolds(t *testing.T) {
	budget := settings.Budget{Run: 10, PullRequest: 50, Day: 100}
	for _, c := range []struct {
		name     string
		spent    settings.Spent
		estimate float64
		left     float64
		ok       bool
	}{
		{"nothing was spent", settings.Spent{}, 0, 10, true},
		{"the pull request has little left", settings.Spent{PullRequest: 48}, 1, 2, true},
		{"the estimate is above what is left", settings.Spent{PullRequest: 48}, 3, 2, false},
		{"the estimate is above the run's own", settings.Spent{}, 11, 10, false},
		{"the estimate is what is left", settings.Spent{PullRequest: 48}, 2, 2, true},
		{"the day is used up", settings.Spent{Day: 100}, 0, 0, false},
		{"the day is overdrawn", settings.Spent{Day: 104}, 0, -4, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			left, ok := settings.Allowed(budget, c.spent, c.estimate, false)
			assert.InDelta(t, c.left, left, 1e-9)
			assert.Equal(t, c.ok, ok)
		})
	}
}

// A server that was updated goes on with what it has stored.
func TestAPlanOfAnEarlierVersionIsRead(t *testing.T) {
	for text, agent := range map[string]string{`{"model": "a/b"}`: "opencode", `{"model": "scripted"}`: settings.Scripted, `{"model": "a/b", "agent": "codex"}`: "codex"} {
		var p settings.Plan
		require.NoError(t, json.Unmarshal([]byte(text), &p))
		assert.Equal(t, bench.GHX, p.Candidate)
		assert.Equal(t, agent, p.Agent, text)
	}
}

func TestWhatOthersMeasureIsAnotherPlan(t *testing.T) {
	p, err := settings.Resolve(set(nil), command.Command{Name: command.Run}, library(t))
	require.NoError(t, err)
	for name, change := range map[string]func(*settings.Plan){
		"agent": func(q *settings.Plan) { q.Agent = "codex" }, "candidate": func(q *settings.Plan) { q.Candidate = bench.MCP },
		"profile": func(q *settings.Plan) { q.Profile = bench.VerifyRelease }, "benchmark": func(q *settings.Plan) { q.Benchmark = "tau" },
		"baseline": func(q *settings.Plan) { q.Baseline = bench.MCP }, "modes": func(q *settings.Plan) { q.Modes = []bench.Mode{bench.MCP, bench.GHX} },
		"repetitions": func(q *settings.Plan) { q.Repetitions.First = 3 }, "margins": func(q *settings.Plan) { q.Margins.Cost = 2 },
		"scenarios":  func(q *settings.Plan) { q.Scenarios = []string{"pr-merge-001"} },
		"mode files": func(q *settings.Plan) { q.ModeFiles = []string{"t.yml"} }, "model": func(q *settings.Plan) { q.Model = "a/b" },
	} {
		q := p
		assert.True(t, p.Measures(q))
		change(&q)
		assert.False(t, p.Measures(q), name)
	}
	q := p
	q.Modes, q.Scenarios = []bench.Mode{bench.GHX, bench.AgentDirect}, []string{"pr-merge-001", "pr-checks-rerun-all-001"}
	assert.True(t, p.Measures(q), "the order is nothing that is measured")
	q.MaxUSD, q.Timeout, q.Executor = 1, time.Minute, settings.Local
	assert.True(t, p.Measures(q), "nor what it may cost, and where it is done")
}

func TestAStoredPlanThatIsBrokenIsAnError(t *testing.T) {
	var p settings.Plan
	require.Error(t, json.Unmarshal([]byte(`{"scenarios": 5}`), &p))
}
