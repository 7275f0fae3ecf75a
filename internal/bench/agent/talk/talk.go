// Package talk drives agents whose program speaks JSON, a message a line, on
// its standard input and output. Such a program has one conversation: it is
// started for a session, in folders that are empty but for what the program
// needs, and it is ended with it.
//
// What a program says is the business of a [Dialect]; the rest is the same for
// all of them. What they tell of the agent is evidence from the agent's side:
// it is bounded, and read without trust.
package talk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// DefaultStartTimeout bounds the start of a program.
const DefaultStartTimeout = 60 * time.Second

// Program is a kind of agent.
type Program struct {
	// Name is the provider's name on the command line, Title what people call
	// the program.
	Name, Title string
	// Version is the one that it is driven for, Install the command that gets
	// it.
	Version, Install string
	// Open returns how a session's program is started, and the dialect that it
	// speaks then.
	Open func(options Options, setup agent.Setup, folders agent.Folders) (Launch, Dialect, error)
}

// Launch is how a program is started.
type Launch struct {
	Args []string
	// Env is the whole environment.
	Env []string
	// Home are the files that the home folder begins with.
	Home []agent.File
}

// Dialect is one conversation with a program. It is called from one goroutine
// at a time.
type Dialect interface {
	// Greet returns the messages that open the conversation.
	Greet() []any
	// Ask returns those that begin a turn.
	Ask(prompt string) []any
	// Take reads a line of the program's and says in the record what it means.
	// What it returns is sent.
	Take(line []byte, record *Record) []any
}

// Later is a message that is sent after a while.
type Later struct {
	After   time.Duration
	Message any
}

// Options say which agent runs, and where.
type Options struct {
	// Bin is the program, a path or a name that is looked up.
	Bin string
	// Model's Mode is how hard it is to think, as the program names that.
	Model bench.ModelRef
	// ModelBaseURL is that of the model's API.
	ModelBaseURL string
	// ModelKey is what the agent's side presents as its API key. The agent can
	// read it, so it is to be a placeholder for which the real key is put in
	// outside of it.
	ModelKey string
	// ModelKeyFrom says where people set the key that is put in, for the error
	// that the provider refuses it. It may be empty.
	ModelKeyFrom string
	// Hosts makes the host of a worker in a mode; the provider closes it. Nil
	// runs the agent as a child of this process, see [agent.NewLocal].
	Hosts func(mode bench.Mode, worker int) (agent.Host, error)
	// Now is the clock, by which messages and tools are timed.
	Now func() time.Time
	// StartTimeout is [DefaultStartTimeout] if it is 0.
	StartTimeout time.Duration
}

// Provider runs the agents. It implements [agent.Provider].
type Provider struct {
	program Program
	options Options
	info    agent.Info
	closing chan struct{}
	close   func() error

	mu    sync.Mutex
	slots map[slotKey]*slot
}

var _ agent.Provider = (*Provider)(nil)

// slot is where one worker's agents run in one mode.
type slot struct {
	// mu is held while a program starts or ends.
	mu   sync.Mutex
	host agent.Host
	// ready is a session that nobody has had, nil if there is none, and setup
	// what it was started with.
	ready *session
	setup agent.Setup
	// current is the session that was begun last.
	current *session
}

type slotKey struct {
	mode   bench.Mode
	worker int
}

// New returns a provider. It starts nothing of the agent's, but asks the
// program for its version. Errors are of kind invalid: a program that is not
// there or of another version, a model that is not named.
func New(program Program, options Options) (*Provider, error) {
	if options.Model.ProviderID == "" || options.Model.ModelID == "" {
		return nil, fault.Invalidf("model %q is none: name it as provider/model", options.Model.Key())
	}
	bin, err := exec.LookPath(options.Bin)
	if err != nil {
		return nil, fault.Invalidf("%s is not there (%w): install it with `%s`, or say where it is", program.Title, err, program.Install)
	}
	options.Bin = bin
	if options.Hosts == nil {
		options.Hosts = func(bench.Mode, int) (agent.Host, error) { return agent.NewLocal("") }
	}
	if options.StartTimeout == 0 {
		options.StartTimeout = DefaultStartTimeout
	}
	p := &Provider{
		program: program, options: options, closing: make(chan struct{}), slots: map[slotKey]*slot{},
		info: agent.Info{Name: program.Name, Model: options.Model, Version: program.Version},
	}
	p.close = sync.OnceValue(p.shutDown)
	return p, nil
}

// Describe tells the version that alone may run.
func (p *Provider) Describe() agent.Info { return p.info }

// Prepare starts the program for the first session of this setup, and so finds
// out what cannot work before anything is spent: errors are those of
// [Provider.Start].
func (p *Provider) Prepare(ctx context.Context, setup agent.Setup) error {
	sl := p.slot(setup)
	sl.mu.Lock()
	defer sl.mu.Unlock()
	s, err := p.begin(ctx, sl, setup)
	if err != nil {
		return err
	}
	sl.ready, sl.setup = s, setup
	return nil
}

// Start begins a session. A program of another version is an error of kind
// invalid and [agent.ErrStopSuite]; an MCP server that does not start is
// [agent.ErrTool]; what else keeps a program from starting is of kind
// infrastructure.
func (p *Provider) Start(ctx context.Context, setup agent.Setup) (agent.Session, error) {
	sl := p.slot(setup)
	sl.mu.Lock()
	defer sl.mu.Unlock()
	if s := sl.ready; s != nil {
		sl.ready = nil
		if s.works() && reflect.DeepEqual(sl.setup, setup) {
			return s, nil
		}
	}
	s, err := p.begin(ctx, sl, setup)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (p *Provider) slot(setup agent.Setup) *slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := slotKey{setup.Mode, setup.Worker}
	if p.slots[key] == nil {
		p.slots[key] = &slot{}
	}
	return p.slots[key]
}

var errClosed = errors.New("the provider of agents is closed")

// begin starts a program and opens its conversation. It is called with the
// slot's lock held.
func (p *Provider) begin(ctx context.Context, sl *slot, setup agent.Setup) (*session, error) {
	select {
	case <-p.closing:
		return nil, errClosed
	default:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.options.StartTimeout, fmt.Errorf("it took longer than %s", p.options.StartTimeout))
	defer cancel()
	if sl.host == nil {
		host, err := p.options.Hosts(setup.Mode, setup.Worker)
		if err != nil {
			return nil, fault.Infraf("make a place for the agent: %w", err)
		}
		sl.host = host
	}
	if sl.current != nil {
		if err := sl.current.Close(); err != nil {
			return nil, fault.Infraf("end %s: %w", p.program.Title, err)
		}
		sl.current = nil
	} else if err := p.checkVersion(ctx, sl.host, setup); err != nil {
		return nil, err
	}
	s, err := p.open(ctx, sl.host, setup)
	if err != nil {
		return nil, fault.Wrap(fault.Infrastructure, fmt.Errorf("start %s: %w", p.program.Title, err))
	}
	sl.current = s
	return s, nil
}

var versionNumber = regexp.MustCompile(`\d+\.\d+\.\d+\S*`)

// checkVersion asks the program on a host for its version.
func (p *Provider) checkVersion(ctx context.Context, host agent.Host, setup agent.Setup) error {
	if err := host.Folders().Reset(nil); err != nil {
		return fault.Infraf("empty the agent's folders: %w", err)
	}
	out := newTail()
	env := append(slices.Clone(setup.Env), "HOME="+host.Folders().Home, "TMPDIR="+host.Folders().Temp)
	process, err := host.Start(ctx, agent.Command{Path: p.options.Bin, Args: []string{"--version"}, Env: env, Output: out})
	if err != nil {
		return fault.Infraf("start %s: %w", p.program.Title, err)
	}
	select {
	case <-process.Done():
	case <-ctx.Done():
		return errors.Join(fault.Infraf("ask %s for its version: %w", p.program.Title, context.Cause(ctx)), process.End())
	}
	found := versionNumber.FindString(out.String())
	if found == p.program.Version {
		return process.End()
	}
	problem := fault.Invalidf("%s of version %q cannot be used: this is made for another version: install it with `%s`: %w",
		p.program.Title, found, p.program.Install, agent.ErrStopSuite)
	if found == "" {
		problem = fault.Invalidf("%s does not run%s: install it with `%s`: %w", p.program.Title, out.last(), p.program.Install, agent.ErrStopSuite)
	}
	return errors.Join(problem, process.End())
}

// Close ends every program, and with it the prompts that are being answered.
func (p *Provider) Close() error { return p.close() }

func (p *Provider) shutDown() error {
	close(p.closing)
	p.mu.Lock()
	slots := slices.Collect(maps.Values(p.slots))
	p.mu.Unlock()
	var problems []error
	for _, sl := range slots {
		problems = append(problems, sl.close())
	}
	return errors.Join(problems...)
}

func (sl *slot) close() error {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	var problems []error
	if sl.current != nil {
		problems = append(problems, sl.current.Close())
	}
	if sl.host != nil {
		problems = append(problems, sl.host.Close())
	}
	return errors.Join(problems...)
}
