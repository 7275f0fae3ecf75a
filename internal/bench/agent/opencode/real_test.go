package opencode_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// realBin returns OpenCode's program, and skips a test where there is none.
func realBin(t testing.TB) string {
	t.Helper()
	testkit.NeedComplete(t)
	testkit.NeedShell(t)
	bin := os.Getenv("BENCH_OPENCODE")
	if bin == "" {
		bin = "opencode"
	}
	path, err := exec.LookPath(bin)
	if err != nil {
		t.Skipf("NOT TESTED: OpenCode is not there (%v): `npm install -g opencode-ai@%s`, or set BENCH_OPENCODE", err, opencode.Version)
	}
	return path
}

// placeholder is the key that agents present to the model.
const placeholder = "a-placeholder"

// listen serves a model.
func listen(t testing.TB, model *stubmodel.Server) string {
	t.Helper()
	model.Key = placeholder
	endpoint, err := model.Listen(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, endpoint.Close()) })
	return endpoint.URL
}

// testModel names the stub model.
var testModel = bench.ModelRef{ProviderID: "stub", ModelID: "m"}

// newReal returns a provider of real agents, whose model is the stub.
func newReal(t testing.TB, model *stubmodel.Server, change ...func(*opencode.Options)) *opencode.Provider {
	t.Helper()
	options := opencode.Options{
		Bin: realBin(t), Model: testModel, ModelBaseURL: listen(t, model), ModelKey: placeholder,
		Hosts: func(bench.Mode, int) (agent.Host, error) { return agent.NewLocal(t.TempDir()) },
	}
	for _, c := range change {
		c(&options)
	}
	provider, err := opencode.New(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, provider.Close()) })
	return provider
}

// shellEnv is the environment of sessions.
func shellEnv() []string { return []string{"PATH=" + os.Getenv("PATH"), "GH_TOKEN=placeholder"} }

func setup() agent.Setup {
	return agent.Setup{Mode: bench.AgentDirect, Env: shellEnv(), Instructions: "Work with the gh command.", Shell: true}
}

// bash is the call of a shell command.
func bash(command string) []stubmodel.Call {
	return []stubmodel.Call{{Name: "bash", Arguments: map[string]string{"command": command, "description": "test"}}}
}

// kept is a provider that a check does not close: the next one works with the
// server that is there, as the next scenario does.
type kept struct{ *opencode.Provider }

func (kept) Close() error { return nil }

// The checks have one provider, as starting a server takes longer than all that
// a check does with it. The first check finds it fresh, the last one closes it.
func TestExercise(t *testing.T) {
	heard := make(chan struct{})
	model := &stubmodel.Server{}
	model.Plan = func(r stubmodel.Request) []stubmodel.Step {
		switch r.Prompt() {
		case "be silent":
			close(heard)
			return []stubmodel.Step{{Hang: &stubmodel.Hang{}}}
		case "stall":
			return []stubmodel.Step{{Text: "I am thi", ChunkBytes: 5, Hang: &stubmodel.Hang{Before: 1}}}
		case "crash":
			return []stubmodel.Step{{Text: "Bye.", Calls: bash("kill -9 $OPENCODE_PID")}}
		default:
			return []stubmodel.Step{
				{Reasoning: "A tool!", Text: "I look.", Calls: bash("echo " + r.Prompt()), Usage: stubmodel.Usage{Prompt: 100, Cached: 40, Completion: 20, Reasoning: 5}},
				{Text: "done: " + r.Prompt(), Usage: stubmodel.Usage{Prompt: 150, Cached: 90, Completion: 7}},
			}
		}
	}
	provider := newReal(t, model)
	realtool.Exercise(t, func(t *testing.T) realtool.Harness {
		h := realtool.Harness{
			Provider: kept{provider}, Setup: setup(),
			First:  realtool.Exchange{Prompt: agent.Prompt{Text: "say apple"}, Answer: "done: say apple"},
			Second: realtool.Exchange{Prompt: agent.Prompt{Text: "say pear"}, Answer: "done: say pear"},
			Silent: agent.Prompt{Text: "be silent"}, Heard: heard,
			Stall: agent.Prompt{Text: "stall"}, Crash: agent.Prompt{Text: "crash"},
			Spent: func(session string) (bench.Tokens, float64) {
				u := model.Charged(func(r stubmodel.Request) bool { return r.Session() == session })
				return tokens(u), 0
			},
		}
		if strings.HasSuffix(t.Name(), "/closes_more_than_once") {
			h.Provider = provider
		}
		return h
	})
	_, err := provider.Start(t.Context(), setup())
	require.ErrorContains(t, err, "is closed", "the last check has closed it")
}

// tokens are what a provider is to report of a usage.
func tokens(u stubmodel.Usage) bench.Tokens {
	return bench.Tokens{
		Input: u.Prompt - u.Cached, Output: u.Completion - u.Reasoning, Reasoning: u.Reasoning, CacheRead: u.Cached, Total: u.Total(),
	}
}
