package actioncli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestModelKeyAndAddressAreWhereTheHarnessLooks(t *testing.T) {
	step := []string{"OPENAI_API_KEY=of-the-step", "E2B_API_KEY=e2b", "INPUT_MODEL-API-KEY=k", "GITHUB_TOKEN=t", "ACTIONS_RUNTIME_TOKEN=t", "RUNNER_TEMP=/t", "STATE_external-id=1"}
	for _, c := range []struct {
		name   string
		config harness.Config
		in     actions.Inputs
		model  string
		want   map[string]string
	}{
		{"a key of the step's is enough", harness.Config{Benchmark: harness.TauBench}, actions.Inputs{}, harness.DefaultAgentModel, map[string]string{"OPENAI_API_KEY": "of-the-step"}},
		{"the input counts before it", harness.Config{Benchmark: harness.TauBench}, actions.Inputs{ModelKey: "k"}, harness.DefaultAgentModel, map[string]string{"OPENAI_API_KEY": "k"}},
		{"the model says whose key it is", harness.Config{Benchmark: harness.TauBench, AgentModel: "claude-x"}, actions.Inputs{ModelKey: "k"}, "claude-x", map[string]string{"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "of-the-step"}},
		{"or the configuration does", harness.Config{Benchmark: harness.TauBench, ModelKeyEnv: "MY_API_KEY"}, actions.Inputs{ModelKey: "k", Model: "m"}, "m", map[string]string{"MY_API_KEY": "k", "AGENT_MODEL": "m"}},
		{"a gateway", harness.Config{Benchmark: harness.TauBench}, actions.Inputs{Model: "gemini-x", ModelBaseURL: "https://g/v1"}, "gemini-x", map[string]string{"GEMINI_BASE_URL": "https://g/v1", "GEMINI_API_BASE": "https://g/v1", "GEMINI_API_KEY": ""}},
		{"a program needs none", harness.Config{Benchmark: harness.Command, AgentModel: "claude-x"}, actions.Inputs{}, "claude-x", map[string]string{"ANTHROPIC_API_KEY": ""}},
		{"BIRD-Interact's oracle neither", harness.Config{Benchmark: harness.BirdInteract, AgentModel: "claude-x", Mode: "oracle"}, actions.Inputs{}, "claude-x", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := experimentOf(c.config, c.in, step)
			require.NoError(t, err)
			assert.Equal(t, c.model, e.model)
			for name, value := range c.want {
				assert.Equal(t, value, e.host().Getenv(name), name)
			}
			assert.Equal(t, "e2b", e.host().Getenv("E2B_API_KEY"))
			for _, never := range []string{"INPUT_MODEL-API-KEY", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "RUNNER_TEMP", "STATE_external-id"} {
				assert.Empty(t, e.host().Getenv(never), never)
			}
		})
	}
}

func TestInputsThatDoNotFitTheConfigurationAreRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		config harness.Config
		in     actions.Inputs
		want   string
	}{
		{"two models", harness.Config{File: "e.yaml", AgentModel: "a"}, actions.Inputs{Model: "b"}, "e.yaml: agent_model is a, and the input model is b: say it in one place"},
		{"no key", harness.Config{Benchmark: harness.TerminalBench, AgentModel: "claude-x"}, actions.Inputs{}, "input model-api-key: it is required for model claude-x, or ANTHROPIC_API_KEY in the step's env"},
		{"an address of nobody", harness.Config{File: "e.yaml", Benchmark: harness.Command, ModelKeyEnv: "SECRET"}, actions.Inputs{Model: "m", ModelBaseURL: "https://g"}, "input model-base-url: the key of model m is SECRET, which says nothing of the address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := experimentOf(c.config, c.in, nil)
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}
