package opencode_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// launched starts a fake server and returns its command, its environment by
// name, and its configuration.
func launched(t *testing.T, setup agent.Setup, change ...func(*opencode.Options)) (command agent.Command, env map[string]string, config map[string]any) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		host := newFakeHost(t, nil)
		p := newFake(t, host, change...)
		require.NoError(t, p.Prepare(t.Context(), setup))
		command = host.last().command
		require.NoError(t, p.Close())
	})
	env = map[string]string{}
	for _, entry := range command.Env {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	require.NoError(t, json.Unmarshal([]byte(env["OPENCODE_CONFIG_CONTENT"]), &config))
	return command, env, config
}

func TestTheEnvironmentIsThatOfTheSessionAndOpenCodesOwn(t *testing.T) {
	t.Setenv("BENCH_SECRET", "of this process")
	setup := agent.Setup{Mode: bench.GHX, Env: []string{"GH_TOKEN=placeholder", "HOME=/root", "OPENCODE_CONFIG=/etc/evil.json", "XDG_CONFIG_HOME=/root/.config"}}
	_, env, _ := launched(t, setup, func(o *opencode.Options) { o.Env = []string{"HTTPS_PROXY=http://127.0.0.1:2"} })
	assert.Equal(t, "placeholder", env["GH_TOKEN"])
	assert.Equal(t, "http://127.0.0.1:2", env["HTTPS_PROXY"])
	assert.NotContains(t, env, "BENCH_SECRET")
	assert.NotContains(t, env, "OPENCODE_CONFIG", "nothing else configures OpenCode")
	assert.NotContains(t, env, "PATH", "what a session is not given is not there")
	assert.NotEqual(t, "/root", env["HOME"])
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		assert.True(t, strings.HasPrefix(env[name], env["HOME"]+"/"), "%s is in the home folder", name)
	}
	assert.NotEmpty(t, env["TMPDIR"])
	assert.GreaterOrEqual(t, len(env["OPENCODE_SERVER_PASSWORD"]), 20)
}

func TestEachServerHasAPasswordOfItsOwn(t *testing.T) {
	_, one, _ := launched(t, fakeSetup)
	_, two, _ := launched(t, fakeSetup)
	assert.NotEqual(t, one["OPENCODE_SERVER_PASSWORD"], two["OPENCODE_SERVER_PASSWORD"])
}

func TestTheServerListensOnLoopback(t *testing.T) {
	command, _, _ := launched(t, fakeSetup)
	assert.Equal(t, []string{"serve", "--hostname", "127.0.0.1", "--port", "0"}, command.Args)
}

func TestPermissionsDifferByTheShellAlone(t *testing.T) {
	want := map[string]any{
		"*": "allow", "edit": "deny", "webfetch": "deny", "websearch": "deny", "question": "deny", "plan_enter": "deny", "plan_exit": "deny",
		"task": "deny", "skill": "deny", "glob": "deny", "grep": "deny",
	}
	for _, shell := range []bool{false, true} {
		setup := fakeSetup
		setup.Shell = shell
		_, _, config := launched(t, setup)
		got, ok := config["permission"].(map[string]any)
		require.True(t, ok)
		assert.Equal(t, !shell, got["bash"] == "deny")
		delete(got, "bash")
		assert.Equal(t, want, got)
		assert.NotContains(t, got, "ask")
	}
}

func TestSearchingIsAllowedWhereRipgrepIs(t *testing.T) {
	folder := t.TempDir()
	setup := fakeSetup
	setup.Env = []string{"PATH=/nowhere:" + folder}
	searches := func() []any {
		_, _, config := launched(t, setup)
		permission, ok := config["permission"].(map[string]any)
		require.True(t, ok)
		return []any{permission["glob"], permission["grep"]}
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "rg"), nil, 0o600))
	assert.Equal(t, []any{"deny", "deny"}, searches(), "a file that is no program")
	require.NoError(t, os.Chmod(filepath.Join(folder, "rg"), 0o700))
	assert.Equal(t, []any{nil, nil}, searches())
}

func TestNothingIsSharedUpdatedOrInstalled(t *testing.T) {
	_, env, config := launched(t, fakeSetup)
	assert.Equal(t, "disabled", config["share"])
	for _, name := range []string{"autoupdate", "snapshot", "lsp", "formatter"} {
		assert.Equal(t, false, config[name], name)
	}
	assert.Empty(t, config["plugin"])
	assert.Equal(t, map[string]any{"title": map[string]any{"disable": true}}, config["agent"])
	assert.Equal(t, "1", env["OPENCODE_DISABLE_MODELS_FETCH"])
	assert.Equal(t, ":memory:", env["OPENCODE_DB"])
}

func TestTheModelIsOpenCodesOrAnEndpoints(t *testing.T) {
	provider := func(config map[string]any) any {
		all, ok := config["provider"].(map[string]any)
		require.True(t, ok)
		return all["stub"]
	}
	_, env, config := launched(t, fakeSetup)
	assert.Equal(t, "stub/m", config["model"])
	assert.Equal(t, []any{"stub", "warm-up"}, config["enabled_providers"])
	assert.Equal(t, map[string]any{
		"npm": "@ai-sdk/openai-compatible", "name": "stub",
		"options": map[string]any{"baseURL": "http://127.0.0.1:1/v1", "apiKey": placeholder},
		"models":  map[string]any{"m": map[string]any{"name": "m"}},
	}, provider(config))
	assert.Contains(t, env, "OPENCODE_MODELS_PATH")

	_, env, config = launched(t, fakeSetup, func(o *opencode.Options) { o.ModelBaseURL = "" })
	assert.Equal(t, map[string]any{"options": map[string]any{"apiKey": placeholder}}, provider(config))
	assert.NotContains(t, env, "OPENCODE_MODELS_PATH", "what OpenCode knows of its own models is needed")
}

func TestMCPServersAreThoseOfTheSetup(t *testing.T) {
	for name, c := range map[string]struct {
		server agent.MCPServer
		want   map[string]any
	}{
		"one with a command": {
			agent.MCPServer{Command: []string{"github-mcp-server", "stdio"}, Env: map[string]string{"A": "b"}},
			map[string]any{"type": "local", "enabled": true, "command": []any{"github-mcp-server", "stdio"}, "environment": map[string]any{"A": "b"}},
		},
		"one with a URL": {
			agent.MCPServer{URL: "http://127.0.0.1:1/mcp", Headers: map[string]string{"X-A": "b"}},
			map[string]any{"type": "remote", "enabled": true, "url": "http://127.0.0.1:1/mcp", "headers": map[string]any{"X-A": "b"}, "oauth": false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				setup := fakeSetup
				host := newFakeHost(t, func(s *fakeServer) { s.MCP = `{"github":{"status":"connected"}}` })
				p := newFake(t, host)
				assert.Empty(t, configured(t, host, p, setup)["mcp"])
				setup.MCP = map[string]agent.MCPServer{"github": c.server}
				assert.Equal(t, map[string]any{"github": c.want}, configured(t, host, p, setup)["mcp"], "a server of another setup is not taken")
				require.NoError(t, p.Close())
			})
		})
	}
}

// configured has a server started and returns its configuration.
func configured(t *testing.T, host *fakeHost, p *opencode.Provider, setup agent.Setup) (config map[string]any) {
	t.Helper()
	require.NoError(t, p.Prepare(t.Context(), setup))
	for _, entry := range host.last().command.Env {
		if text, ok := strings.CutPrefix(entry, "OPENCODE_CONFIG_CONTENT="); ok {
			require.NoError(t, json.Unmarshal([]byte(text), &config))
		}
	}
	return config
}

func TestWhatCannotRunIsRefusedAtOnce(t *testing.T) {
	_, err := opencode.New(opencode.Options{Bin: "/no/such/opencode", Model: testModel})
	require.ErrorContains(t, err, "npm install -g opencode-ai@"+opencode.Version)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))

	_, err = opencode.New(opencode.Options{Bin: os.Args[0], Model: bench.ModelRef{ModelID: "gpt"}})
	require.ErrorContains(t, err, "provider/model")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}
