// Package claudecode drives agents of Claude Code
// (https://github.com/anthropics/claude-code): it runs `claude -p` with streams
// of JSON for its input and its output, a process for each session.
//
// A process has a home folder of its own, which is empty, no configuration but
// what it is given, and no traffic but to the API of its model. It works with
// its smallest set of tools: a shell, where the agent may have one, and those
// of the MCP servers.
package claudecode

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/talk"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Name is the provider's name on the command line.
const Name = "claude-code"

// Bin is the program's usual name.
const Bin = "claude"

// Version is the version of Claude Code that this package was made for.
const Version = "2.1.197"

// Install is the command that installs it.
const Install = "npm install -g @anthropic-ai/claude-code@" + Version

// New returns the provider of Claude Code's agents, see [talk.New].
func New(options talk.Options) (*talk.Provider, error) {
	if _, err := apiRoot(options.ModelBaseURL); err != nil {
		return nil, err
	}
	return talk.New(talk.Program{Name: Name, Title: "Claude Code", Version: Version, Install: Install, Open: open}, options)
}

// apiRoot returns the address below which Claude Code asks for v1/messages.
func apiRoot(baseURL string) (string, error) {
	root, ok := strings.CutSuffix(strings.TrimSuffix(baseURL, "/"), "/v1")
	if !ok {
		return "", fault.Invalidf("the model's base URL %q cannot be used: Claude Code asks for /v1/messages, so it must end in /v1", baseURL)
	}
	return root, nil
}

// shell is the tool with which commands are run.
const shell = "Bash"

func open(o talk.Options, setup agent.Setup, folders agent.Folders) (talk.Launch, talk.Dialect, error) {
	root, err := apiRoot(o.ModelBaseURL)
	if err != nil {
		return talk.Launch{}, nil, err
	}
	servers, err := json.Marshal(map[string]any{"mcpServers": servers(setup.MCP)})
	if err != nil {
		return talk.Launch{}, nil, fmt.Errorf("write the configuration: %w", err)
	}
	id := newID()
	args := []string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--include-partial-messages", "--verbose",
		"--bare", "--dangerously-skip-permissions", "--disable-slash-commands", "--no-session-persistence",
		"--session-id", id, "--model", o.Model.ModelID,
		"--strict-mcp-config", "--mcp-config", string(servers), "--tools", map[bool]string{true: shell}[setup.Shell],
	}
	if setup.Instructions != "" {
		args = append(args, "--append-system-prompt", setup.Instructions)
	}
	if o.Model.Mode != nil {
		args = append(args, "--effort", *o.Model.Mode)
	}
	d := &dialect{session: id, servers: slices.Sorted(maps.Keys(setup.MCP)), blocks: map[int]*block{}, priced: strings.HasPrefix(o.Model.ModelID, "claude-")}
	return talk.Launch{Args: args, Env: environment(o, setup.Env, folders, root)}, d, nil
}

// server is an MCP server as Claude Code is told of it.
type server struct {
	Type    string            `json:"type"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

func servers(all map[string]agent.MCPServer) map[string]server {
	told := map[string]server{}
	for name, s := range all {
		if s.URL != "" {
			told[name] = server{Type: "http", URL: s.URL, Headers: s.Headers}
			continue
		}
		told[name] = server{Type: "stdio", Command: s.Command[0], Args: s.Command[1:], Env: s.Env}
	}
	return told
}

// environment returns the environment of a process: that of the session, and
// what Claude Code is told besides.
func environment(o talk.Options, env []string, folders agent.Folders, root string) []string {
	whole := slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		return strings.HasPrefix(entry, "ANTHROPIC_") || strings.HasPrefix(entry, "CLAUDE_")
	})
	return append(whole,
		"HOME="+folders.Home, "TMPDIR="+folders.Temp, "CLAUDE_CODE_TMPDIR="+folders.Temp, "SHELL=/bin/sh",
		"ANTHROPIC_BASE_URL="+root, "ANTHROPIC_API_KEY="+o.ModelKey,
		// As root it would refuse to work without asking, and nobody is asked.
		"IS_SANDBOX=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
	)
}

// newID returns a random UUID, version 4.
func newID() string {
	var b [16]byte
	// It never fails.
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
