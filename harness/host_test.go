package harness_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
)

// ours is an environment with much that is not for agents.
func ours() []string {
	return append([]string{
		"AGENT_MODEL=gpt-5.4-mini", "AGENT_REASONING_EFFORT=high", "HARNESS_SAVE_TRACE=1",
		"OPENAI_API_KEY=sk-our-model-key", "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "ANTHROPIC_API_KEY=sk-other-key",
		"GITHUB_TOKEN=ghp_not_for_agents", "E2B_API_KEY=e2b-not-for-agents", "PGPASSWORD=123123", "MY_FLAG=1",
		"HOME=/old", "HOME=/home/me", "BROKEN",
	}, "PATH="+os.Getenv("PATH"))
}

func TestAgentEnv(t *testing.T) {
	h := harness.Host{Environ: ours()}
	child := func(a harness.Agent) []string {
		cmd := exec.CommandContext(t.Context(), "/usr/bin/env")
		cmd.Env = h.AgentEnv(a)
		printed, err := cmd.Output()
		require.NoError(t, err)
		return strings.Split(strings.TrimSpace(string(printed)), "\n")
	}
	path := "PATH=" + os.Getenv("PATH")
	tests := []struct {
		name  string
		agent harness.Agent
		want  []string
	}{
		{
			"a process reads the model, the effort, whether to save traces, the model's key, and nothing else of ours",
			harness.Agent{Model: "gpt-5.4", SaveTrace: true},
			[]string{
				"AGENT_MODEL=gpt-5.4", "AGENT_REASONING_EFFORT=high", "HARNESS_SAVE_TRACE=1", "HOME=/home/me",
				"OPENAI_API_KEY=sk-our-model-key", "OPENAI_BASE_URL=http://127.0.0.1:1/v1", path,
			},
		},
		{
			"traces of other splits are not saved, whatever our environment says",
			harness.Agent{Model: "claude-sonnet-4-5", ReasoningEffort: "low"},
			[]string{
				"AGENT_MODEL=claude-sonnet-4-5", "AGENT_REASONING_EFFORT=low", "ANTHROPIC_API_KEY=sk-other-key",
				"HARNESS_SAVE_TRACE=0", "HOME=/home/me", path,
			},
		},
		{
			"keys and variables can be named",
			harness.Agent{Model: "m", KeyVariables: []string{"ANTHROPIC_API_KEY", "MISSING_API_KEY"}, Allow: []string{"MY_FLAG"}},
			[]string{
				"AGENT_MODEL=m", "AGENT_REASONING_EFFORT=high", "ANTHROPIC_API_KEY=sk-other-key",
				"HARNESS_SAVE_TRACE=0", "HOME=/home/me", "MY_FLAG=1", path,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, slices.Sorted(slices.Values(child(tt.agent))))
		})
	}
	t.Run("without a reasoning effort the variable is there, and empty", func(t *testing.T) {
		assert.Contains(t, harness.Host{}.AgentEnv(harness.Agent{Model: "m"}), "AGENT_REASONING_EFFORT=")
	})
}

func TestAgentModel(t *testing.T) {
	h := harness.Host{Environ: ours()}
	assert.Equal(t, "mine", h.AgentModel("mine"))
	assert.Equal(t, "gpt-5.4-mini", h.AgentModel(""), "AGENT_MODEL")
	assert.Equal(t, "gpt-5.4", harness.Host{}.AgentModel(""))
}

func TestKeyVariable(t *testing.T) {
	for model, want := range map[string]string{
		"gpt-5.4": "OPENAI_API_KEY", "openai/stub": "OPENAI_API_KEY", "o3": "OPENAI_API_KEY", "unknown/x": "OPENAI_API_KEY",
		"claude-sonnet-4-5": "ANTHROPIC_API_KEY", "anthropic/claude-haiku-4-5": "ANTHROPIC_API_KEY",
		"gemini-2.5-pro": "GEMINI_API_KEY", "gemini/gemini-2.5-pro": "GEMINI_API_KEY", "openrouter/x/y": "OPENROUTER_API_KEY",
	} {
		assert.Equal(t, want, harness.KeyVariable(model), model)
	}
}

func TestProgramEnv(t *testing.T) {
	h := harness.Host{Environ: ours()}
	env := h.ProgramEnv([]string{"MY_FLAG", "HOME"}, map[string]string{"HOME": "/set"})
	assert.Equal(t, []string{"HOME=/set", "MY_FLAG=1", "PATH=" + os.Getenv("PATH")}, env)
}

func TestStream(t *testing.T) {
	t.Run("lines come as they are complete, with the prefix and without secrets", func(t *testing.T) {
		var log bytes.Buffer
		s := harness.Host{Environ: ours(), Log: &log}.Stream("[tau2] ", "a-password")
		fmt.Fprint(s, "key is sk-our-mod")
		assert.Empty(t, log.String())
		fmt.Fprint(s, "el-key, token ghp_not_for_agents\r\nand a-password")
		assert.Equal(t, "[tau2] key is [redacted], token [redacted]\n", log.String())
		s.Close()
		assert.Equal(t, "[tau2] key is [redacted], token [redacted]\n[tau2] and [redacted]\n", log.String())
		assert.Equal(t, "key is [redacted], token [redacted]\nand [redacted]", s.Tail())
	})
	t.Run("a line without an end does not fill the memory", func(t *testing.T) {
		var log bytes.Buffer
		s := harness.Host{Log: &log}.Stream("")
		fmt.Fprint(s, strings.Repeat("x", 100_000))
		assert.Greater(t, log.Len(), 80_000, "it is shown before its end")
		s.Close()
		assert.Equal(t, 100_000, strings.Count(log.String(), "x"))
	})
	t.Run("only the last lines are remembered", func(t *testing.T) {
		s := harness.Host{}.Stream("")
		for i := range 1000 {
			fmt.Fprintln(s, i)
		}
		assert.True(t, strings.HasSuffix(s.Tail(), "998\n999"))
		assert.Equal(t, 20, len(strings.Split(s.Tail(), "\n")))
	})
	t.Run("a log that is gone ends nothing", func(t *testing.T) {
		s := harness.Host{Log: gone{}}.Stream("")
		n, err := fmt.Fprintln(s, "line")
		require.NoError(t, err)
		assert.Equal(t, 5, n)
		s.Close()
		assert.Equal(t, "line", s.Tail())
	})
}

// gone is a log that nobody reads any more.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, os.ErrClosed }

// birdHost is an experiment's folder, and a log.
func birdHost(t *testing.T, environ ...string) (harness.Host, *bytes.Buffer) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "experiment")
	require.NoError(t, os.Mkdir(dir, 0o755))
	log := new(bytes.Buffer)
	return harness.Host{Dir: dir, Environ: environ, Log: log}, log
}

func touch(t *testing.T, mode os.FileMode, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, nil, mode))
	return file
}

func TestResolveBirdADKDir(t *testing.T) {
	// In the reverse of the order in which they are looked for: each one that
	// is added is found in place of those before.
	h, log := birdHost(t)
	_, err := harness.ResolveBirdADKDir(h, "")
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, place := range []string{
		"BIRD-Interact-ADK", "../BIRD-Interact/BIRD-Interact-ADK", "../BIRD-Interact", "bird_interact_adk", "bird_interact_adk/BIRD-Interact-ADK",
	} {
		dir := filepath.Join(h.Dir, place)
		touch(t, 0o644, dir, "orchestrator", "runner.py")
		found, err := harness.ResolveBirdADKDir(h, "")
		require.NoError(t, err)
		assert.Equal(t, dir, found)
	}
	t.Run("BIRD_REPO is before them", func(t *testing.T) {
		elsewhere := t.TempDir()
		touch(t, 0o644, elsewhere, "BIRD-Interact-ADK", "orchestrator", "runner.py")
		h.Environ = []string{"BIRD_REPO=" + elsewhere}
		found, err := harness.ResolveBirdADKDir(h, "")
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(elsewhere, "BIRD-Interact-ADK"), found, "a repository stands for the folder in it")
		mine := t.TempDir()
		touch(t, 0o644, mine, "orchestrator", "runner.py")
		found, err = harness.ResolveBirdADKDir(h, mine)
		require.NoError(t, err)
		assert.Equal(t, mine, found, "the configured path is before BIRD_REPO")
		assert.Empty(t, log.String())
		found, err = harness.ResolveBirdADKDir(h, "wrong")
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(elsewhere, "BIRD-Interact-ADK"), found, "a wrong one is passed over")
		assert.Contains(t, log.String(), "warning: the configured path wrong is passed over")
	})
}

func TestResolveBirdPythonBin(t *testing.T) {
	h, log := birdHost(t)
	adk := filepath.Join(h.Dir, "adk")
	assert.Empty(t, harness.ResolveBirdPythonBin(h, adk, ""), "there is none")
	bin := filepath.Join(h.Dir, "bin")
	h.Environ = []string{"PATH=" + bin, "HOME=" + h.Dir}
	for _, place := range []string{
		"bin/python", "bin/python3", "adk/.conda-py310/bin/python", "adk/.venv/bin/python", "adk/.venv-adk/bin/python",
	} {
		path := touch(t, 0o755, h.Dir, place)
		assert.Equal(t, path, harness.ResolveBirdPythonBin(h, adk, ""))
	}
	own := touch(t, 0o755, h.Dir, "env-python")
	h.Environ = append(h.Environ, "BIRD_PYTHON_BIN="+own)
	assert.Equal(t, own, harness.ResolveBirdPythonBin(h, adk, ""))
	configured := touch(t, 0o755, h.Dir, "mine")
	assert.Equal(t, configured, harness.ResolveBirdPythonBin(h, adk, "~/mine"))
	assert.Empty(t, log.String())

	plain := touch(t, 0o644, h.Dir, "no-program")
	assert.Equal(t, own, harness.ResolveBirdPythonBin(h, adk, plain), "a file that cannot be run is passed over")
	assert.Contains(t, log.String(), "warning: the configured path "+plain+" is passed over: it is no program")
}

func TestResolveBirdDataPath(t *testing.T) {
	h, _ := birdHost(t, "HOME=/home/me")
	assert.Equal(t, filepath.Join(h.Dir, "adk/bird-interact-lite/bird_interact_data.jsonl"), harness.ResolveBirdDataPath(h, "adk", "", ""))
	assert.Equal(t, "/adk/bird-interact-full/bird_interact_data.jsonl", harness.ResolveBirdDataPath(h, "/adk", "full", ""))
	assert.Equal(t, "/home/me/d.jsonl", harness.ResolveBirdDataPath(h, "/adk", "full", "~/d.jsonl"))
	assert.Equal(t, filepath.Join(h.Dir, "d.jsonl"), harness.ResolveBirdDataPath(h, "/adk", "full", "d.jsonl"))
}
