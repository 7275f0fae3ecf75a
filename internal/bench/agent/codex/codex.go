// Package codex drives agents of Codex (https://github.com/openai/codex): it
// runs `codex app-server`, a process for each session, which tells what its
// model says as it is said and what each answer of the model's is charged with.
//
// A process has a home folder of its own, which is empty, and no configuration
// but what it is given. It works with a shell, where the agent may have one,
// and the tools of the MCP servers; nothing holds it but the host that it runs
// on.
package codex

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/talk"
)

// Name is the provider's name on the command line.
const Name = "codex"

// Bin is the program's usual name.
const Bin = "codex"

// Version is the version of Codex that this package was made for.
const Version = "0.169.0"

// Install is the command that installs it.
const Install = "npm install -g @openai/codex@" + Version

// New returns the provider of Codex' agents, see [talk.New].
func New(options talk.Options) (*talk.Provider, error) {
	options.Bin = Program(options.Bin)
	return talk.New(talk.Program{Name: Name, Title: "Codex", Version: Version, Install: Install, Open: open}, options)
}

// Program returns the program that does the work where bin is the script that
// npm installs for it, which needs Node.js, and bin itself if it is not.
func Program(bin string) string {
	path, err := lookPath(bin)
	if err != nil || filepath.Base(path) != "codex.js" {
		return bin
	}
	// Below the package of the script, or beside it.
	for _, folder := range []string{"../node_modules/@openai", "../.."} {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(path), folder, "codex-*", "vendor", "*", "bin", "codex"))
		if err == nil && len(found) == 1 {
			return found[0]
		}
	}
	return bin
}

const (
	// modelProvider is the name of the model's provider: one of Codex' own would
	// try more ways to its API than are there.
	modelProvider = "bench"
	// keyVariable is the variable with the key of the model's API.
	keyVariable = "BENCH_MODEL_KEY"
	homeFolder  = ".codex"
)

// withoutShell are the features that let an agent work without the tools that
// it is given; commands has those of the shell.
var (
	withoutShell = []string{"multi_agent", "goals", "plugins", "apps", "view_image", "image_generation", "hooks", "memories"}
	commands     = []string{"shell_tool", "unified_exec"}
)

func open(o talk.Options, setup agent.Setup, folders agent.Folders) (talk.Launch, talk.Dialect, error) {
	settings := map[string]any{
		"model_provider":                 modelProvider,
		"model_providers.bench.name":     modelProvider,
		"model_providers.bench.base_url": o.ModelBaseURL,
		"model_providers.bench.env_key":  keyVariable,
		"model_providers.bench.wire_api": "responses",
		"check_for_update_on_startup":    false,
		"analytics.enabled":              false,
		"web_search":                     "disabled",
		"skills.bundled.enabled":         false,
		"allow_login_shell":              false,
		"history.persistence":            "none",
		// Commands have the session's environment, tokens included.
		"shell_environment_policy.inherit":                 "all",
		"shell_environment_policy.ignore_default_excludes": true,
	}
	for _, name := range withoutShell {
		settings["features."+name] = false
	}
	for _, name := range commands {
		settings["features."+name] = setup.Shell
	}
	if o.Model.Mode != nil {
		settings["model_reasoning_effort"] = *o.Model.Mode
	}
	args := []string{"app-server"}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		// These texts are the same in JSON and TOML.
		value, err := json.Marshal(settings[name])
		if err != nil {
			return talk.Launch{}, nil, fmt.Errorf("write the configuration: %w", err)
		}
		args = append(args, "-c", name+"="+string(value))
	}
	env := environment(o, setup.Env, folders)
	d := &dialect{
		model: o.Model.ModelID, instructions: setup.Instructions, folder: folders.Work,
		servers: servers(setup.MCP, env), starting: slices.Sorted(maps.Keys(setup.MCP)),
	}
	return talk.Launch{Args: args, Env: env, Home: []agent.File{{Name: homeFolder + "/"}}}, d, nil
}

// server is an MCP server as Codex is told of it.
type server struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"http_headers,omitempty"`
}

// servers returns the servers. Codex keeps most of its environment from them, so
// they are given it.
func servers(all map[string]agent.MCPServer, env []string) map[string]server {
	told := map[string]server{}
	for name, s := range all {
		if s.URL != "" {
			told[name] = server{URL: s.URL, Headers: s.Headers}
			continue
		}
		whole := map[string]string{}
		for _, entry := range env {
			if name, value, ok := strings.Cut(entry, "="); ok && name != keyVariable {
				whole[name] = value
			}
		}
		maps.Copy(whole, s.Env)
		told[name] = server{Command: s.Command[0], Args: s.Command[1:], Env: whole}
	}
	return told
}

// environment returns the environment of a process: that of the session, and
// what Codex is told besides.
func environment(o talk.Options, env []string, folders agent.Folders) []string {
	whole := slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		return strings.HasPrefix(entry, "CODEX_") || strings.HasPrefix(entry, "OPENAI_")
	})
	for _, entry := range env {
		if file, ok := strings.CutPrefix(entry, "SSL_CERT_FILE="); ok {
			whole = append(whole, "CODEX_CA_CERTIFICATE="+file)
		}
	}
	return append(whole,
		"HOME="+folders.Home, "TMPDIR="+folders.Temp, "CODEX_HOME="+filepath.Join(folders.Home, homeFolder), "SHELL=/bin/sh",
		keyVariable+"="+o.ModelKey,
	)
}

// lookPath returns the file that a program's name leads to.
func lookPath(bin string) (string, error) {
	path, err := exec.LookPath(bin)
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
