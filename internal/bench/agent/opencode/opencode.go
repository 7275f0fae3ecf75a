// Package opencode drives agents of OpenCode (https://opencode.ai): it runs
// `opencode serve`, one server for each mode and worker, and has a session of
// it for each attempt.
//
// A server runs on a [agent.Host], with nothing of ours around it: its environment
// is what the session is set up with, its home and its work folder are emptied
// before each session, its configuration is complete and is given to it
// directly, and it keeps its sessions in memory. What it tells of the agent is
// evidence from the agent's side, which runs as the same user: it is bounded,
// and read without trust.
//
// Before its first session a server has a turn with a model that is a canned
// answer, so that what it loads late is loaded, and every endpoint is known to
// work, before a token is spent.
package opencode

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Name is the provider's name on the command line.
const Name = "opencode"

// Version is the version of OpenCode that this package was made for.
const Version = "1.18.33"

// The defaults of [Options].
const (
	DefaultStartTimeout   = 60 * time.Second
	DefaultRequestTimeout = 10 * time.Second
	DefaultAbortTimeout   = 5 * time.Second
)

// Options say which agent runs, and where.
type Options struct {
	// Bin is the program, a path or a name that is looked up.
	Bin string
	// Model is named as OpenCode names it. Its Mode is OpenCode's variant of
	// the model, such as "high".
	Model bench.ModelRef
	// ModelBaseURL is that of an OpenAI-compatible endpoint which has the
	// model. Empty means that the model's provider is one that OpenCode knows.
	ModelBaseURL string
	// ModelKey is what the agent's side presents as its API key. The agent can
	// read it, so it is to be a placeholder for which the real key is put in
	// outside of it.
	ModelKey string
	// ModelKeyFrom says where people set the key that is put in, such as "the
	// environment variable OPENAI_API_KEY", for the error that the provider
	// refuses it. It may be empty.
	ModelKeyFrom string
	// Hosts makes the host of a worker in a mode; the provider closes it. Nil
	// runs the agent as a child of this process, see [agent.NewLocal].
	Hosts func(mode bench.Mode, worker int) (agent.Host, error)
	// Env is added to the environment of every session.
	Env []string
	// Versions are the versions of OpenCode that may run; nil means [Version].
	Versions []string

	// StartTimeout bounds the start of a server, RequestTimeout what it takes
	// to answer a request, and AbortTimeout what it takes to stop a session.
	// Zero means the defaults.
	StartTimeout, RequestTimeout, AbortTimeout time.Duration
}

// Provider runs the agents. It implements [agent.Provider].
type Provider struct {
	options Options
	closing chan struct{}

	close func() error

	mu    sync.Mutex
	info  agent.Info
	slots map[slotKey]*slot
}

var _ agent.Provider = (*Provider)(nil)

var errClosed = errors.New("the provider of agents is closed")

// slot has the server of one worker in one mode.
type slot struct {
	// mu is held while a server starts or ends.
	mu     sync.Mutex
	host   agent.Host
	server *server
}

type slotKey struct {
	mode   bench.Mode
	worker int
}

// New returns a provider. It starts nothing. Errors are of kind invalid: a
// program that is not there, a model that is not named.
func New(options Options) (*Provider, error) {
	if options.Model.ProviderID == "" || options.Model.ModelID == "" {
		return nil, fault.Invalidf("model %q is none: name it as provider/model, such as openai/gpt-5.3-codex", options.Model.Key())
	}
	bin, err := exec.LookPath(options.Bin)
	if err != nil {
		return nil, fault.Invalidf("OpenCode is not there (%w): install it with `%s`, or say where it is", err, install)
	}
	options.Bin = bin
	if options.Hosts == nil {
		options.Hosts = func(bench.Mode, int) (agent.Host, error) { return agent.NewLocal("") }
	}
	if options.Versions == nil {
		options.Versions = []string{Version}
	}
	defaults := []struct {
		set *time.Duration
		to  time.Duration
	}{
		{&options.StartTimeout, DefaultStartTimeout},
		{&options.RequestTimeout, DefaultRequestTimeout},
		{&options.AbortTimeout, DefaultAbortTimeout},
	}
	for _, d := range defaults {
		if *d.set == 0 {
			*d.set = d.to
		}
	}
	p := &Provider{
		options: options, closing: make(chan struct{}), slots: map[slotKey]*slot{},
		info: agent.Info{Name: Name, Model: options.Model},
	}
	p.close = sync.OnceValue(p.shutDown)
	return p, nil
}

// Describe tells the version and the price after [Provider.Prepare] alone.
func (p *Provider) Describe() agent.Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.info
}

// Prepare starts the server that sessions of this setup will have, and so
// finds out what cannot work before anything is spent: errors are those of
// [Provider.Start].
func (p *Provider) Prepare(ctx context.Context, setup agent.Setup) error {
	sl := p.slot(setup)
	sl.mu.Lock()
	defer sl.mu.Unlock()
	server, err := p.serverFor(ctx, sl, setup)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.info.Version, p.info.Price = server.version, server.price
	return nil
}

// Start begins a session, on the server that there is, or on a new one where
// there is none, it has died, or it was set up for another.
//
// An OpenCode of another version and a model that it does not know are errors
// of kind invalid and [agent.ErrStopSuite]; what else keeps a server from
// starting is of kind infrastructure.
func (p *Provider) Start(ctx context.Context, setup agent.Setup) (agent.Session, error) {
	sl := p.slot(setup)
	sl.mu.Lock()
	defer sl.mu.Unlock()
	server, err := p.serverFor(ctx, sl, setup)
	if err != nil {
		return nil, err
	}
	if err := sl.host.Folders().Reset(homeFiles()); err != nil {
		return nil, fault.Infraf("empty the agent's folders: %w", err)
	}
	s, err := server.open(ctx, p.options.Model, setup.Instructions)
	if err != nil {
		// A server that cannot do that is of no use to the next session either.
		return nil, fault.Infraf("begin a session of OpenCode: %w", errors.Join(err, server.end()))
	}
	return s, nil
}

// slot returns the slot of a setup.
func (p *Provider) slot(setup agent.Setup) *slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := slotKey{setup.Mode, setup.Worker}
	if p.slots[key] == nil {
		p.slots[key] = &slot{}
	}
	return p.slots[key]
}

// serverFor returns a server that works. It is called with the slot's lock
// held.
func (p *Provider) serverFor(ctx context.Context, sl *slot, setup agent.Setup) (*server, error) {
	select {
	case <-p.closing:
		return nil, errClosed
	default:
	}
	setup.Env = slices.Concat(setup.Env, p.options.Env)
	if sl.server != nil {
		if sl.server.works() && sl.server.fits(setup) {
			return sl.server, nil
		}
		if err := sl.server.end(); err != nil {
			return nil, fault.Infraf("end a server of OpenCode: %w", err)
		}
		sl.server = nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.options.StartTimeout,
		fmt.Errorf("it took longer than %s", p.options.StartTimeout))
	defer cancel()
	ctx, stop := p.untilClosed(ctx)
	defer stop()
	if sl.host == nil {
		host, err := p.options.Hosts(setup.Mode, setup.Worker)
		if err != nil {
			return nil, fault.Infraf("make a place for the agent: %w", err)
		}
		sl.host = host
	}
	server, err := launch(ctx, sl.host, p.options, setup)
	if err != nil {
		return nil, fault.Wrap(fault.Infrastructure, fmt.Errorf("start OpenCode: %w", err))
	}
	sl.server = server
	return server, nil
}

// untilClosed returns a context that ends with the provider.
func (p *Provider) untilClosed(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-p.closing:
			cancel(errClosed)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Close ends every server, and with it the prompts that are being answered.
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
	if sl.server != nil {
		problems = append(problems, sl.server.end())
	}
	if sl.host != nil {
		problems = append(problems, sl.host.Close())
	}
	return errors.Join(problems...)
}
