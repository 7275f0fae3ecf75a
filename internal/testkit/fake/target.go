package fake

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
)

// Agent is the login of a [Target]'s agent.
const Agent = "agent"

// Target is a [target.Target] that counts its places. The zero value is ready.
type Target struct {
	// Changes are what attempts change; nil means that it cannot be seen.
	Changes func() []bench.Change
	// Look is what a verifier sees of that; nil means that it does not look.
	Look func(context.Context) (target.Seen, error)
	// Resources are those of the manifest.
	Resources map[string]map[string]any
	// Unsupported is what every agent asked for in vain.
	Unsupported []string
	// Usage is what every agent asked for, at least one request unless they are
	// Silent. Asked are the texts that they named in requests.
	Usage  target.Usage
	Silent bool
	Asked  []string
	// Refused reports what GitHub has refused them; nil means that it cannot be
	// seen.
	Refused func(things [][]string, missing bool) bool
	// OnPrepare is asked before a place is made, OnClose before one is given
	// back; nil means yes.
	OnPrepare func(ctx context.Context, needs target.Needs) error
	OnClose   func() error

	mu     sync.Mutex
	needs  []target.Needs
	places []*place
}

type place struct {
	env     []string
	written func()
	closed  bool
}

// Prepare makes a place.
func (t *Target) Prepare(ctx context.Context, needs target.Needs) (*target.Place, error) {
	t.mu.Lock()
	t.needs = append(t.needs, needs)
	p := &place{env: []string{fmt.Sprintf("PLACE=%d", len(t.needs))}}
	t.mu.Unlock()
	if t.OnPrepare != nil {
		if err := t.OnPrepare(ctx, needs); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.places = append(t.places, p)
	return &target.Place{
		Variation: needs.Variation,
		Manifest: bench.Manifest{
			Version:   bench.ManifestVersion,
			Repo:      bench.ManifestRepo{Owner: "o", Name: "n", FullName: "o/n", DefaultBranch: "main"},
			Resources: t.Resources,
		},
		Env:         p.env,
		OnWrite:     func(f func()) { p.written = f },
		Usage:       t.usage,
		Asked:       func(text string) bool { return slices.Contains(t.Asked, text) },
		Refused:     t.Refused,
		Agent:       Agent,
		Changes:     t.Changes,
		Look:        t.Look,
		Unsupported: func() []string { return t.Unsupported },
		Close:       func() error { return t.close(p) },
	}, nil
}

func (t *Target) usage() target.Usage {
	usage := t.Usage
	if !t.Silent && usage.Requests.REST == 0 {
		usage.Requests.REST = 1
	}
	return usage
}

func (t *Target) close(p *place) error {
	t.mu.Lock()
	twice := p.closed
	p.closed = true
	t.mu.Unlock()
	if twice {
		panic("fake: a place was closed twice")
	}
	if t.OnClose != nil {
		return t.OnClose()
	}
	return nil
}

// Write is a write of the agent that has the environment of a place.
func (t *Target) Write(env []string) {
	t.mu.Lock()
	i := slices.IndexFunc(t.places, func(p *place) bool { return slices.Equal(p.env, env) })
	written := t.places[i].written
	t.mu.Unlock()
	if written != nil {
		written()
	}
}

// Needs returns what places were asked for, in order; the first is that of the
// check before a run.
func (t *Target) Needs() []target.Needs {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.needs)
}

// Open counts the places that are not closed.
func (t *Target) Open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	open := 0
	for _, p := range t.places {
		if !p.closed {
			open++
		}
	}
	return open
}

// Close does nothing.
func (t *Target) Close() error { return nil }

var _ target.Target = (*Target)(nil)
