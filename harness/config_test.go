package harness_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestEveryKeyOfTheConfiguration(t *testing.T) {
	tests := []struct {
		key, value string
		get        func(harness.Config) any
		want       any
	}{
		{"benchmark", "bird-interact", func(c harness.Config) any { return c.Benchmark }, "bird-interact"},
		{"agent_model", "gpt-5.4", func(c harness.Config) any { return c.AgentModel }, "gpt-5.4"},
		{"user_model", "gpt-5.4-mini", func(c harness.Config) any { return c.UserModel }, "gpt-5.4-mini"},
		{"domain", "airline", func(c harness.Config) any { return c.Domain }, "airline"},
		{"split", "base", func(c harness.Config) any { return c.Split }, "base"},
		{"split", "null", func(c harness.Config) any { return c.Split }, harness.WholeDataset},
		{"gate_split", "dev", func(c harness.Config) any { return c.GateSplit }, "dev"},
		{"max_concurrency", "7", func(c harness.Config) any { return c.MaxConcurrency }, 7},
		{"threshold", "0.95", func(c harness.Config) any { return c.Threshold }, 0.95},
		{"threshold", "1", func(c harness.Config) any { return c.Threshold }, 1.0},
		{"reasoning_effort", "medium", func(c harness.Config) any { return c.ReasoningEffort }, "medium"},
		{"env_provider", "docker", func(c harness.Config) any { return c.EnvProvider }, "docker"},
		{"env_provider", "my.env:Env", func(c harness.Config) any { return c.EnvProvider }, "my.env:Env"},
		{"dataset", "full", func(c harness.Config) any { return c.Dataset }, "full"},
		{"mode", "c-interact", func(c harness.Config) any { return c.Mode }, "c-interact"},
		{"patience", "5", func(c harness.Config) any { return c.Patience }, 5},
		{"per_task_timeout", "90", func(c harness.Config) any { return c.PerTaskTimeout }, 90 * time.Second},
		{"system_agent_port", "7100", func(c harness.Config) any { return c.SystemAgentPort }, 7100},
		{"user_sim_port", "7101", func(c harness.Config) any { return c.UserSimPort }, 7101},
		{"db_env_port", "7102", func(c harness.Config) any { return c.DBEnvPort }, 7102},
		{"bird_repo", "/opt/bird", func(c harness.Config) any { return c.BirdRepo }, "/opt/bird"},
		{"bird_python_bin", "/opt/python", func(c harness.Config) any { return c.BirdPythonBin }, "/opt/python"},
		{"bird_data_path", "~/d.jsonl", func(c harness.Config) any { return c.BirdDataPath }, "~/d.jsonl"},
		{"pg_host", "db", func(c harness.Config) any { return c.PGHost }, "db"},
		{"pg_port", "5433", func(c harness.Config) any { return c.PGPort }, 5433},
		{"pg_user", "root", func(c harness.Config) any { return c.PGUser }, "root"},
		{"pg_password", `"123123"`, func(c harness.Config) any { return c.PGPassword }, "123123"},
		{"timeout_policy", "infra", func(c harness.Config) any { return c.TimeoutPolicy }, harness.BlameInfrastructure},
		{"command", "[python, b.py]", func(c harness.Config) any { return c.Command }, []string{"python", "b.py"}},
		{"command", "./bench", func(c harness.Config) any { return c.Command }, []string{"./bench"}},
		{"agent_env", "[MY_FLAG]", func(c harness.Config) any { return c.AgentEnv }, []string{"MY_FLAG"}},
		{"model_key_env", "MY_KEY", func(c harness.Config) any { return c.ModelKeyEnv }, "MY_KEY"},
		{"seed", "1", func(c harness.Config) any { return c.Seed }, 1},
		{"agent_import_path", "a.b:C", func(c harness.Config) any { return c.AgentImportPath }, "a.b:C"},
		{"env_provider", "modal", func(c harness.Config) any { return c.EnvProvider }, "modal"},
		{"env_provider", "a-new-one", func(c harness.Config) any { return c.EnvProvider }, "a-new-one"},
		{"epochs", "4", func(c harness.Config) any { return c.Epochs }, 4},
		{"options", "{retry: {max_retries: 2}, agent.kwargs: {a: 1}, timeout_multiplier: 2.5}", func(c harness.Config) any { return c.Options },
			harness.Options{"retry.max_retries": int64(2), "agent.kwargs": map[string]any{"a": uint64(1)}, "timeout_multiplier": 2.5}},
		{"agent", "claude-code", func(c harness.Config) any { return c.Agent }, "claude-code"},
		{"gate", "{policy: evidence, epochs: 10, margin: 7.5, baseline: main}", func(c harness.Config) any { return c.Gate },
			harness.GateConfig{Policy: harness.GateEvidence, Epochs: "10", MarginPoints: 7.5, Baseline: "main"}},
		{"gate", "{epochs: 2..6, margin: 20}", func(c harness.Config) any { return c.Gate },
			harness.GateConfig{Policy: harness.GateSeed, Epochs: "2..6", MarginPoints: 20}},
		{"jobs_dir", "out", func(c harness.Config) any { return c.JobsDir }, "out"},
		{"tau2_python", "/opt/tau/python", func(c harness.Config) any { return c.Tau2Python }, "/opt/tau/python"},
		{"harbor", "/opt/harbor", func(c harness.Config) any { return c.Harbor }, "/opt/harbor"},
	}
	tested := map[string]bool{}
	for _, tt := range tests {
		tested[tt.key] = true
		t.Run(tt.key+" "+tt.value, func(t *testing.T) {
			text := tt.key + ": " + tt.value + "\n"
			if of := harness.KeyBenchmarks(tt.key); tt.key != "benchmark" && !slices.Contains(of, harness.TauBench) || tt.key == "options" {
				text += "benchmark: " + of[len(of)/2] + "\n"
			}
			c, err := harness.ParseConfig("c.yaml", []byte(text))
			require.NoError(t, err)
			assert.Equal(t, tt.want, tt.get(c))
		})
	}
	for _, key := range harness.ConfigKeys() {
		assert.True(t, tested[key], "%s has no test", key)
	}
}

func TestOptionsAreThoseOfTheBenchmark(t *testing.T) {
	for text, want := range map[string]string{
		"benchmark: tau-bench\noptions:\n  user: dummy_user\n  n_attempts: 2":                         "c.yaml:4: options.n_attempts is of benchmark terminal-bench",
		"benchmark: terminal-bench\noptions:\n  max_steps: 5":                                         `c.yaml:3: options.max_steps is of benchmark tau-bench, and benchmark is "terminal-bench": leave it out`,
		"benchmark: terminal-bench\noptions:\n  retry:\n    max_retrys: 5":                            `c.yaml:4: options.retry.max_retrys is none of the settings of terminal-bench: did you mean "retry.max_retries"?`,
		"benchmark: terminal-bench\noptions: {n_attempts: 5}":                                         "c.yaml:2: options.n_attempts is what the key epochs says: write that one",
		"benchmark: tau-bench\noptions: {task_ids: [a]}":                                              "c.yaml:2: options.task_ids is what the flag --task-ids says: leave it out",
		"benchmark: tau-bench\noptions: {retry: {max_retries: 2}}":                                    "options.retry is of benchmark terminal-bench",
		"benchmark: bird-interact\noptions: {pg_maxconn: many}":                                       `options.pg_maxconn is "many", want a whole number from 1`,
		"benchmark: terminal-bench\noptions: {agent: {kwargs: 5}}":                                    "options.agent.kwargs is 5, want a mapping of names to values",
		"benchmark: terminal-bench\noptions: {timeout_multiplier: 0}":                                 "options.timeout_multiplier is 0, want a number above 0",
		"benchmark: command\ncommand: a\noptions: {a: 1}":                                             `c.yaml:3: options is of benchmark tau-bench and terminal-bench and bird-interact, and benchmark is "command": leave it out`,
		"benchmark: tau-bench\noptions: 5":                                                            "c.yaml:2: options is 5, want a mapping of the program's own settings",
		"benchmark: tau-bench\noptions: {enforce_communication_protocol: \"yes\"}":                    `options.enforce_communication_protocol is "yes", want true or false`,
		"benchmark: terminal-bench\noptions: {retry.include_exceptions: [1]}":                         "options.retry.include_exceptions has 1 in it, want a list of texts",
		"benchmark: terminal-bench\noptions: {agent.env: {A: b}, environment.override_cpus: \"two\"}": `options.environment.override_cpus is "two", want a number above 0`,
	} {
		_, err := harness.ParseConfig("c.yaml", []byte(text))
		require.ErrorContains(t, err, want)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
		assert.NotContains(t, err.Error(), "\n", "it is one sentence")
	}
	t.Run("what they hold that is secret is known", func(t *testing.T) {
		c, err := harness.ParseConfig("c.yaml", []byte("benchmark: terminal-bench\noptions: {agent.env: {SOME_TOKEN: of-mine, PLAIN: text}}"))
		require.NoError(t, err)
		assert.Equal(t, []string{"of-mine"}, c.Options.Secrets())
	})
	t.Run("all are documented", func(t *testing.T) {
		page, err := os.ReadFile("../docs/runners.md")
		require.NoError(t, err)
		for _, benchmark := range harness.Benchmarks() {
			for _, name := range harness.OptionNames(benchmark) {
				assert.Contains(t, string(page), name[strings.LastIndex(name, ".")+1:], benchmark)
			}
		}
	})
}

func TestDefaultsOfTheConfiguration(t *testing.T) {
	tau, err := harness.ParseConfig("c.yaml", nil)
	require.NoError(t, err)
	assert.Equal(t, harness.Config{
		File: "c.yaml", Benchmark: "tau-bench", Split: "train", GateSplit: "test", MaxConcurrency: 3, Threshold: 0.8,
		TimeoutPolicy: "agent", EnvProvider: "e2b", Mode: "a-interact", Patience: 3,
		SystemAgentPort: 6100, UserSimPort: 6101, DBEnvPort: 6102, Seed: 300, AgentImportPath: "agent.agent:HarnessAgent",
		Gate: harness.GateConfig{Policy: harness.GateSeed, Epochs: "2..10", MarginPoints: 15},
	}, tau)

	terminal, err := harness.ParseConfig("c.yaml", []byte("benchmark: terminal-bench"))
	require.NoError(t, err)
	assert.Equal(t, []any{50, 1200 * time.Second, "terminal-bench@2.0", "workspace/tbench_jobs"},
		[]any{terminal.MaxConcurrency, terminal.PerTaskTimeout, terminal.Dataset, terminal.JobsDir})

	assert.Equal(t, "tbench_data/task_split.json", harness.TerminalBenchSplitFile)
	assert.Equal(t, "bird_data/task_split.json", harness.BirdSplitFile)

	bird, err := harness.ParseConfig("c.yaml", []byte("max_concurrency: null\nbenchmark: bird-interact"))
	require.NoError(t, err)
	assert.Equal(t, []any{3, 1800 * time.Second, "lite", "workspace/bird_runs"},
		[]any{bird.MaxConcurrency, bird.PerTaskTimeout, bird.Dataset, bird.JobsDir})
	assert.Equal(t, []any{"", 0, "", ""}, []any{bird.PGHost, bird.PGPort, bird.PGUser, bird.PGPassword}, "the server is the ADK's to know")
}

func TestWrongConfigurations(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"an unknown key, with the likely one", "domain: retail\nmax_concurency: 3", []string{`c.yaml:2: unknown key "max_concurency": did you mean "max_concurrency"?`}},
		{"several at once", "domian: retail\nthreshold: 2", []string{"c.yaml:1: unknown key", "c.yaml:2: threshold is 2, want a number from 0 to 1"}},
		{"a benchmark that there is none", "benchmark: tau", []string{`c.yaml:1: benchmark is "tau", want one of tau-bench, terminal-bench`}},
		{"a number for a text", "domain: 5", []string{"c.yaml:1: domain is 5, want a text"}},
		{"a text for a number", "max_concurrency: many", []string{`c.yaml:1: max_concurrency is "many", want a whole number from 1`}},
		{"no task at once", "max_concurrency: 0", []string{"want a whole number from 1"}},
		{"a fraction of a second", "per_task_timeout: 1.5", []string{"per_task_timeout is 1.5, want a whole number"}},
		{"a negative number", "\n\nseed: -1", []string{"c.yaml:3: seed is -1"}},
		{"a number that fits nowhere", "benchmark: bird-interact\npg_port: 18446744073709551615", []string{"pg_port is"}},
		{"a threshold in percent", "threshold: 80", []string{"threshold is 80, want a number from 0 to 1"}},
		{"a threshold that is no number", "threshold: .nan", []string{"want a number from 0 to 1"}},
		{"a port that there is none", "benchmark: bird-interact\ndb_env_port: 70000", []string{"want a whole number from 1 to 65535"}},
		{"one port for two services", "benchmark: bird-interact\ndb_env_port: 6100", []string{"want three different ones"}},
		{"a policy that there is none", "timeout_policy: infrastructure", []string{"want one of agent, infra"}},
		{"what is no sandbox", "benchmark: terminal-bench\nenv_provider: my sandbox", []string{`env_provider is "my sandbox", want the name of a sandbox of harbor's`}},
		{"a mode that there is none", "benchmark: bird-interact\nmode: b", []string{"want one of a-interact, c-interact, oracle"}},
		{"a class without a module", "benchmark: terminal-bench\nagent_import_path: HarnessAgent", []string{"module:Class"}},
		{"a key of another benchmark", "benchmark: terminal-bench\ndomain: retail", []string{`c.yaml:2: domain is of benchmark tau-bench, and benchmark is "terminal-bench": leave it out`}},
		{"a key of two others", "\ndataset: lite", []string{`c.yaml:2: dataset is of benchmark terminal-bench and bird-interact, and benchmark is "tau-bench"`}},
		{"an empty split", `split: ""`, []string{"or null for the whole dataset"}},
		{"a command that is missing", "benchmark: command", []string{"needs a command"}},
		{"a list with a number", "benchmark: command\ncommand: [a, 1]", []string{"c.yaml:2: command has 1 in it"}},
		{"a mapping for a list", "agent_env: {a: b}", []string{"agent_env is a mapping, want a list of texts"}},
		{"a key twice", "domain: a\ndomain: b", []string{"c.yaml:2:", "already defined"}},
		{"broken YAML", "domain: \"a", []string{"c.yaml:1:"}},
		{"a list", "- a", []string{"want one mapping"}},
		{"two documents", "domain: a\n---\ndomain: b", []string{"want one mapping"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := harness.ParseConfig("c.yaml", []byte(tt.text))
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			for _, want := range tt.want {
				assert.Contains(t, err.Error(), want)
			}
		})
	}
	t.Run("a password is not shown", func(t *testing.T) {
		_, err := harness.ParseConfig("c.yaml", []byte("benchmark: bird-interact\npg_password: 123123"))
		require.ErrorContains(t, err, "put it in quotes")
		assert.NotContains(t, err.Error(), "123123")
	})
}

func TestReadConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), harness.ConfigFile)
	_, err := harness.ReadConfig(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	require.NoError(t, os.WriteFile(path, []byte("# mine\ndomain: &d retail\nuser_model: *d\n"), 0o600))
	c, err := harness.ReadConfig(path)
	require.NoError(t, err)
	assert.Equal(t, "retail retail", strings.Join([]string{c.Domain, c.UserModel}, " "))
}

func FuzzParseConfig(f *testing.F) {
	for _, seed := range []string{"", "benchmark: tau-bench\ndomain: retail", "a: &b [1]\nc: *b", "threshold: .inf", "? x\n: y", "split: ~"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := harness.ParseConfig("c.yaml", data)
		if err != nil {
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		assert.Contains(t, harness.Benchmarks(), c.Benchmark)
		assert.True(t, c.Threshold >= 0 && c.Threshold <= 1)
		assert.Positive(t, c.MaxConcurrency)
		assert.NotEmpty(t, c.Split)
	})
}
