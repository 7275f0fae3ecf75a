package opencode

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// serverUser is the user of the server's basic authentication.
const serverUser = "opencode"

// What a permission comes to. There is nobody to be asked.
const (
	allow = "allow"
	deny  = "deny"
)

// settings are OpenCode's configuration, as far as it is set. See
// https://opencode.ai/config.json.
type settings struct {
	Model            string                   `json:"model"`
	EnabledProviders []string                 `json:"enabled_providers"`
	Provider         map[string]modelProvider `json:"provider"`
	Permission       map[string]string        `json:"permission"`
	MCP              map[string]mcpSettings   `json:"mcp"`
	Agent            map[string]agentSettings `json:"agent"`
	Plugin           []string                 `json:"plugin"`
	Share            string                   `json:"share"`
	Autoupdate       bool                     `json:"autoupdate"`
	Snapshot         bool                     `json:"snapshot"`
	LSP              bool                     `json:"lsp"`
	Formatter        bool                     `json:"formatter"`
}

type modelProvider struct {
	NPM     string                   `json:"npm,omitempty"`
	Name    string                   `json:"name,omitempty"`
	Options providerOptions          `json:"options"`
	Models  map[string]modelSettings `json:"models,omitempty"`
}

type providerOptions struct {
	BaseURL string `json:"baseURL,omitempty"`
	APIKey  string `json:"apiKey,omitempty"`
}

type modelSettings struct {
	Name string `json:"name"`
}

type mcpSettings struct {
	// Type is "local" of a server that has a command, "remote" of one that has
	// a URL.
	Type        string            `json:"type"`
	Command     []string          `json:"command,omitempty"`
	Environment map[string]string `json:"environment,omitempty"`
	URL         string            `json:"url,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	// OAuth is false: nobody is there to log in.
	OAuth   *bool `json:"oauth,omitempty"`
	Enabled bool  `json:"enabled"`
}

func mcpSettingsOf(server agent.MCPServer) mcpSettings {
	if server.URL != "" {
		return mcpSettings{Type: "remote", URL: server.URL, Headers: server.Headers, OAuth: new(bool), Enabled: true}
	}
	return mcpSettings{Type: "local", Command: server.Command, Environment: server.Env, Enabled: true}
}

type agentSettings struct {
	Disable bool `json:"disable"`
}

// compatible is the client for OpenAI-compatible endpoints, which is a part of
// OpenCode's program.
const compatible = "@ai-sdk/openai-compatible"

// configuration returns what a server is configured with.
func (o Options) configuration(setup agent.Setup) settings {
	c := settings{
		Model:            o.Model.Key(),
		EnabledProviders: []string{o.Model.ProviderID, warmUpModel().ProviderID},
		Permission:       permissions(setup),
		MCP:              map[string]mcpSettings{},
		// A title would be made by a model call of its own.
		Agent:  map[string]agentSettings{"title": {Disable: true}},
		Plugin: []string{},
		Share:  "disabled",
	}
	provider := modelProvider{Options: providerOptions{BaseURL: o.ModelBaseURL, APIKey: o.ModelKey}}
	if o.ModelBaseURL != "" {
		provider.NPM, provider.Name = compatible, o.Model.ProviderID
		provider.Models = map[string]modelSettings{o.Model.ModelID: {Name: o.Model.ModelID}}
	}
	c.Provider = map[string]modelProvider{
		o.Model.ProviderID: provider,
		warmUpModel().ProviderID: {
			NPM: compatible, Name: warmUpModel().ProviderID, Options: providerOptions{BaseURL: cannedAnswer()},
			Models: map[string]modelSettings{warmUpModel().ModelID: {Name: warmUpModel().ModelID}},
		},
	}
	for name, server := range setup.MCP {
		c.MCP[name] = mcpSettingsOf(server)
	}
	return c
}

// permissions are the same for every setup, but for the shell.
//
// Denied is what would wait for a person (question, plan_exit), what would
// have another agent work (task), and what leaves the mode's tools (edit,
// skill, webfetch, websearch). All else is allowed, so that nothing asks.
// Searching needs ripgrep, which OpenCode would fetch from github.com in the
// agent's name, so it is allowed where that is installed.
func permissions(setup agent.Setup) map[string]string {
	p := map[string]string{"*": allow}
	for _, tool := range []string{"edit", "webfetch", "websearch", "question", "plan_enter", "plan_exit", "task", "skill"} {
		p[tool] = deny
	}
	if !setup.Shell {
		p["bash"] = deny
	}
	if !installed("rg", setup.Env) {
		p["glob"], p["grep"] = deny, deny
	}
	return p
}

// installed reports whether a program is in the path of an environment.
func installed(program string, env []string) bool {
	var folders string
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			folders = value
		}
	}
	for _, folder := range filepath.SplitList(folders) {
		info, err := os.Stat(filepath.Join(folder, program))
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return true
		}
	}
	return false
}

// environment returns the environment of a server: that of the session, and
// what OpenCode is told besides. What it is told goes before what the session
// says of the same.
func (o Options) environment(setup agent.Setup, folders agent.Folders, password string) ([]string, error) {
	config, err := json.Marshal(o.configuration(setup))
	if err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	home := folders.Home
	own := []string{
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, configFolder),
		"XDG_DATA_HOME=" + filepath.Join(home, dataFolder),
		"XDG_STATE_HOME=" + filepath.Join(home, stateFolder),
		"XDG_CACHE_HOME=" + filepath.Join(home, cacheFolder),
		"TMPDIR=" + folders.Temp,
		"OPENCODE_CONFIG_CONTENT=" + string(config),
		"OPENCODE_SERVER_USERNAME=" + serverUser,
		"OPENCODE_SERVER_PASSWORD=" + password,
		// One attempt is not to read what another one was told.
		"OPENCODE_DB=:memory:",
	}
	for _, name := range []string{
		"OPENCODE_DISABLE_AUTOUPDATE",
		"OPENCODE_DISABLE_CLAUDE_CODE",
		"OPENCODE_DISABLE_DEFAULT_PLUGINS",
		"OPENCODE_DISABLE_EXTERNAL_SKILLS",
		"OPENCODE_DISABLE_FFF",
		"OPENCODE_DISABLE_LSP_DOWNLOAD",
		"OPENCODE_DISABLE_MODELS_FETCH",
		"OPENCODE_DISABLE_PROJECT_CONFIG",
		"OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER",
	} {
		own = append(own, name+"=1")
	}
	if o.ModelBaseURL != "" {
		// Reading the list of all models takes most of a server's first turn.
		own = append(own, "OPENCODE_MODELS_PATH="+filepath.Join(home, modelsFile))
	}
	whole := make([]string, 0, len(setup.Env)+len(own))
	for _, entry := range setup.Env {
		if !strings.HasPrefix(entry, "OPENCODE_") {
			whole = append(whole, entry)
		}
	}
	return append(whole, own...), nil
}

// warmUpModel is the model of a server's first turn.
func warmUpModel() bench.ModelRef { return bench.ModelRef{ProviderID: "warm-up", ModelID: "canned"} }

// warmUpAnswer is what it says.
const warmUpAnswer = "ok"

// cannedAnswer is the address of an endpoint that is its own answer. OpenCode
// appends a path to it, which becomes a comment of the stream, so it asks
// nobody at all.
func cannedAnswer() string {
	const chunk = `{"id":"1","object":"chat.completion.chunk","created":1,"model":"canned","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`
	stream := fmt.Sprintf("data: "+chunk+"\n\ndata: "+chunk+"\n\ndata: [DONE]\n\n: ",
		`{"role":"assistant","content":"`+warmUpAnswer+`"}`, "null", "{}", `"stop"`)
	return "data:text/event-stream," + url.PathEscape(stream)
}
