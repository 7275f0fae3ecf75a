package settings_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// tasks are settings of a benchmark that brings its own tasks.
func tasks(t *testing.T, more, organisation string) settings.Settings {
	t.Helper()
	s, problems := settings.Parse([]byte("model: openai/m\nbenchmark: tau-bench\n"+more), organisation, settings.Known{})
	require.Empty(t, problems)
	return s
}

func resolved(t *testing.T, s settings.Settings, body string) settings.Plan {
	t.Helper()
	c, is, err := command.Parse(body)
	require.NoError(t, err)
	require.True(t, is)
	p, err := settings.Resolve(s, c, library(t))
	require.NoError(t, err)
	return p
}

func TestABenchmarkThatBringsItsTasksIsPlannedWithoutThem(t *testing.T) {
	p := resolved(t, tasks(t, "experiment_config: bench/tau.yaml\nrepetitions: 3..6\nmargins: {success: 10}\n", ""), "/bench run")
	assert.Equal(t, settings.Plan{
		Profile: bench.ProfileRegression, Repetitions: bench.Repetitions{First: 3, Most: 6}, Margins: settings.Margins{Success: 10, Cost: 1.2, Latency: 1.25},
		Model: "openai/m", Benchmark: "tau-bench", Experiment: "bench/tau.yaml", Target: "sandbox", Executor: settings.Dispatch, Workflow: "bench.yml",
		Timeout: time.Hour, MaxUSD: 10,
	}, p)
	assert.True(t, p.OfTasks())
	assert.False(t, p.Empty())
	assert.Zero(t, p.Cells(), "nobody knows them yet")
	assert.Nil(t, p.Foreseen())
	assert.Equal(t, 12, p.MostRepetitions(), "as many epochs again take the place of void ones")

	const base, head = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	both := p.Between(base, head)
	assert.Equal(t, []bench.Mode{"agent@1111111", "agent@2222222"}, both.Modes)
	shown := both.Shown()
	assert.Equal(t, []any{"tau-bench", both.Modes, p.Repetitions, 10.0}, []any{shown.Benchmark, shown.Modes, shown.Repetitions, shown.MaxUSD})

	var stored settings.Plan
	text, err := json.Marshal(p)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &stored))
	assert.True(t, p.Measures(stored), "a run of it is one as the settings say")
	other := p
	other.Experiment = "bench/other.yaml"
	assert.False(t, p.Measures(other))
}

func TestWhatIsLeftOutOfABenchmarkWithTasksIsItsOwnDefault(t *testing.T) {
	// What others of the organisation measure says nothing of this one.
	s := tasks(t, "", "profile: claim\nscenario_set: default\nmodes: [agent_direct, ghx]\nagent: codex\ntarget: o/fixtures\n")
	p := resolved(t, s, "/bench run")
	assert.Equal(t, []any{bench.ProfileRegression, bench.Repetitions{First: 2, Most: 12}, "experiment_config.yaml", settings.SandboxTarget, ""}, []any{p.Profile, p.Repetitions, p.Experiment, p.Target, p.Set})
	p = resolved(t, tasks(t, "", "repetitions: 1\n"), "/bench run")
	assert.Equal(t, bench.Repetitions{First: 2, Most: 12}, p.Repetitions)
	assert.Equal(t, settings.Local, resolved(t, tasks(t, "executor: local\n", ""), "/bench run").Executor, "it can be run on either")
}

func TestACommandNamesNoTasks(t *testing.T) {
	s := tasks(t, "", "")
	p := resolved(t, s, "/bench run regression --repetitions 8 --model openai/other")
	assert.Equal(t, []any{bench.Repetitions{First: 8, Most: 8}, "openai/other"}, []any{p.Repetitions, p.Model})
	for body, says := range map[string]string{
		"/bench run default":         "a command may name `--repetitions` and `--model`",
		"/bench run pr-merge-001":    "a command may name `--repetitions` and `--model`",
		"/bench run --modes ghx,mcp": "a command may name `--repetitions` and `--model`",
		"/bench run claim":           "a command may name `--repetitions` and `--model`",
		"/bench run --repetitions 1": "cannot judge 1 repetitions",
	} {
		c, _, err := command.Parse(body)
		require.NoError(t, err)
		_, err = settings.Resolve(s, c, library(t))
		require.ErrorContains(t, err, says, body)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}
