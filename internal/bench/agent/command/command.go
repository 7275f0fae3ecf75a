// Package command drives agents that are any program: one that reads a prompt on
// its standard input, works, prints its answer on its standard output and ends.
//
// The program is run anew for each turn; from the second on its input begins
// with what was said before. What it used is not asked of it: it is counted on
// the way to its model, so the transcript has its words alone.
package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Name is the provider's name on the command line.
const Name = "command"

// Options say which agent runs, and where.
type Options struct {
	// Line is the program with its arguments, as for a POSIX shell.
	Line  string
	Model bench.ModelRef
	// ModelBaseURL is that of the model's API, ModelKey what the program presents
	// there as its key: a placeholder.
	ModelBaseURL, ModelKey string
	// Hosts makes the host of a worker in a mode; the provider closes it. Nil
	// runs the program as a child of this process, see [agent.NewLocal].
	Hosts func(mode bench.Mode, worker int) (agent.Host, error)
	// Now is the clock, by which messages are timed.
	Now func() time.Time
}

// Provider runs the programs. It implements [agent.Provider].
type Provider struct {
	options Options

	mu     sync.Mutex
	closed bool
	slots  map[slotKey]*slot
}

var _ agent.Provider = (*Provider)(nil)

type slotKey struct {
	mode   bench.Mode
	worker int
}

// slot is where one worker's programs run in one mode.
type slot struct {
	host    agent.Host
	current *session
}

// New returns a provider. It starts nothing. Errors are of kind invalid: no
// program, or no model.
func New(options Options) (*Provider, error) {
	if strings.TrimSpace(options.Line) == "" {
		return nil, fault.Invalidf("the agent's command is empty: name a program that reads a prompt and prints an answer with --agent-command LINE")
	}
	if options.Model.ProviderID == "" || options.Model.ModelID == "" {
		return nil, fault.Invalidf("model %q is none: name it as provider/model", options.Model.Key())
	}
	if options.Hosts == nil {
		options.Hosts = func(bench.Mode, int) (agent.Host, error) { return agent.NewLocal("") }
	}
	return &Provider{options: options, slots: map[slotKey]*slot{}}, nil
}

// Describe tells the command in the place of a version.
func (p *Provider) Describe() agent.Info {
	return agent.Info{Name: Name, Model: p.options.Model, Version: p.options.Line, Metered: true}
}

// Prepare makes the place of the first session of this setup.
func (p *Provider) Prepare(_ context.Context, setup agent.Setup) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.slot(setup)
	return err
}

var errClosed = errors.New("the provider of agents is closed")

// slot returns the place of a setup's sessions. It is called with the lock held.
func (p *Provider) slot(setup agent.Setup) (*slot, error) {
	if p.closed {
		return nil, errClosed
	}
	key := slotKey{setup.Mode, setup.Worker}
	if sl := p.slots[key]; sl != nil {
		return sl, nil
	}
	host, err := p.options.Hosts(setup.Mode, setup.Worker)
	if err != nil {
		return nil, fault.Infraf("make a place for the agent: %w", err)
	}
	p.slots[key] = &slot{host: host}
	return p.slots[key], nil
}

// configFile is the file in the home folder with the MCP servers, in the form
// that many programs read: {"mcpServers": {NAME: {"command", "args", "env"}}}.
const configFile = "mcp.json"

// Start begins a session in empty folders. It starts no program.
func (p *Provider) Start(_ context.Context, setup agent.Setup) (agent.Session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sl, err := p.slot(setup)
	if err != nil {
		return nil, err
	}
	if sl.current != nil {
		if err := sl.current.Close(); err != nil {
			return nil, fault.Infraf("end the agent's program: %w", err)
		}
	}
	servers, err := json.Marshal(map[string]any{"mcpServers": servers(setup.MCP)})
	if err != nil {
		return nil, fault.Internalf("write the MCP servers: %w", err)
	}
	folders := sl.host.Folders()
	if err := folders.Reset([]agent.File{{Name: configFile, Content: string(servers)}}); err != nil {
		return nil, fault.Infraf("empty the agent's folders: %w", err)
	}
	sl.current = &session{
		options: p.options, host: sl.host, env: p.environment(setup, folders), instructions: setup.Instructions, gone: make(chan struct{}),
	}
	return sl.current, nil
}

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

// environment returns the environment of a program: that of the session, where
// its model is, by the names that clients of the three protocols read, and where
// its MCP servers are written.
func (p *Provider) environment(setup agent.Setup, folders agent.Folders) []string {
	base := strings.TrimSuffix(p.options.ModelBaseURL, "/")
	return append(slices.Clone(setup.Env),
		"HOME="+folders.Home, "TMPDIR="+folders.Temp, "SHELL=/bin/sh",
		"BENCH_MODEL="+p.options.Model.ModelID, "BENCH_MODEL_BASE_URL="+base, "BENCH_MODEL_KEY="+p.options.ModelKey,
		"BENCH_MCP_CONFIG="+folders.Home+"/"+configFile,
		"OPENAI_BASE_URL="+base, "OPENAI_API_KEY="+p.options.ModelKey,
		// Anthropic's clients add the version themselves.
		"ANTHROPIC_BASE_URL="+strings.TrimSuffix(base, "/v1"), "ANTHROPIC_API_KEY="+p.options.ModelKey,
	)
}

// Close ends every program, and with it the prompts that are being answered.
func (p *Provider) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	var problems []error
	for _, key := range slices.SortedFunc(maps.Keys(p.slots), func(a, b slotKey) int {
		return cmp.Or(strings.Compare(string(a.mode), string(b.mode)), cmp.Compare(a.worker, b.worker))
	}) {
		sl := p.slots[key]
		if sl.current != nil {
			problems = append(problems, sl.current.Close())
		}
		problems = append(problems, sl.host.Close())
	}
	clear(p.slots)
	return errors.Join(problems...)
}

// shellOf starts the line in the agent's place and tells, on a line of standard
// error of its own, how it ended: a host does not tell.
func shellOf(line string) []string {
	return []string{"-c", "(\n" + line + "\n)\nstatus=$?\nprintf '\\n" + ended + "%s\\n' \"$status\" >&2"}
}

// ended begins the line that says how a program ended.
const ended = "bench: the command ended with "

// outcome takes how a program ended off what it printed on standard error; empty
// means that it was ended.
func outcome(errorOutput string) (said, status string) {
	at := strings.LastIndex(errorOutput, ended)
	if at < 0 {
		return strings.TrimSpace(errorOutput), ""
	}
	status, _, _ = strings.Cut(errorOutput[at+len(ended):], "\n")
	return strings.TrimSpace(errorOutput[:at]), status
}

func failure(said, status string) error {
	if said != "" {
		said = fmt.Sprintf("; the end of what it said: %q", said)
	}
	if status == "" {
		return fmt.Errorf("the agent's command was ended%s", said)
	}
	return fmt.Errorf("the agent's command ended with status %s%s", status, said)
}
