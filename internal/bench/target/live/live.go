// Package live is a target on a repository that is reached over GitHub's API.
//
// An agent's requests go through a [target.Place] of ours to GitHub. On the
// way, what is not about the repository is refused, the real token takes the
// place of the agent's placeholder, and requests are counted. What agents have
// changed is put back before it matters to an attempt.
package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// Tokens returns the token to show GitHub with the next request.
type Tokens func(ctx context.Context) (string, error)

// Options say which repository it is, and how it is reached.
type Options struct {
	// Manifest names the fixtures, which are as they were seeded.
	Manifest bench.Manifest
	// RepositoryID is the repository's number.
	RepositoryID int64
	// RESTURL and GraphQLURL are GitHub's APIs, without a final slash.
	RESTURL, GraphQLURL string
	// Agent and Verifier are the tokens of agents and of checkpoints, which
	// are not the same (rule S6).
	Agent, Verifier Tokens
	// AgentLogin is the agent's account, without the "[bot]" of an App's; empty
	// where it is not known.
	AgentLogin string
	// Reset puts fixtures back as they were seeded, verifies that, and returns
	// the manifest that names them now.
	Reset func(ctx context.Context, m bench.Manifest, resources []string) (bench.Manifest, error)
	// Remove removes what an agent has made, after its attempt.
	Remove func(ctx context.Context, made []Made) error
	// Patience is for what the verifier reads before and after attempts; nil means
	// that every request is sent once.
	Patience *github.Patience
	// Transport carries requests to GitHub; nil is one of its own.
	Transport http.RoundTripper
}

// Target is a repository on GitHub.
//
// An attempt that may change something has the repository to itself; others
// share it. It is the repository that is shared out, and not its resources one
// by one, because attempts meet in what belongs to none of them: lists and
// searches, the default branch, and whatever an agent changes by mistake.
type Target struct {
	opts  Options
	scope scope
	live  *egress.Live
	turns *turns

	mu       sync.Mutex
	manifest bench.Manifest
	// changed are the resources that an agent may have changed.
	changed map[string]bool
	// places are those that are open; nil once the target is closed.
	places map[*place]bool
}

// New returns a target. An error is of kind invalid: an address cannot be
// used.
func New(opts Options) (*Target, error) {
	to, err := newUpstream(opts)
	if err != nil {
		return nil, err
	}
	return &Target{
		opts: opts, scope: scopeOf(opts), live: egress.NewLive(opts.Agent, to), turns: newTurns(),
		manifest: opts.Manifest, changed: map[string]bool{}, places: map[*place]bool{},
	}, nil
}

// Manifest returns the manifest as it is now.
func (t *Target) Manifest() bench.Manifest {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.manifest
}

// Prepare waits for the repository, puts back what the attempt needs, and
// serves a place.
func (t *Target) Prepare(ctx context.Context, needs target.Needs) (*target.Place, error) {
	manifest := t.Manifest()
	for _, name := range needs.Resources {
		if _, seeded := manifest.Resources[name]; !seeded {
			return nil, fault.Invalidf("fixture resource %q is not seeded in %s: seed it with `bench fixtures seed --repo %s`, or add --seed-if-missing", name, manifest.Repo.FullName, manifest.Repo.FullName)
		}
	}
	leave, err := t.ready(ctx, needs)
	if err != nil {
		return nil, err
	}
	p, err := t.open(ctx, needs, leave)
	if err != nil {
		leave()
		return nil, err
	}
	return p, nil
}

// ready waits for the repository and returns when the fixtures are as seeded.
// The caller leaves it.
func (t *Target) ready(ctx context.Context, needs target.Needs) (leave func(), err error) {
	resources := needs.Resources
	if !needs.Mutating {
		leave, err := t.turns.share(ctx)
		if err != nil {
			return nil, err
		}
		if resources = t.changedOf(needs.Resources); len(resources) == 0 {
			return leave, nil
		}
		leave()
	}
	leave, err = t.turns.own(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.reset(ctx, resources); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

func (t *Target) changedOf(resources []string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(resources), func(name string) bool { return !t.changed[name] })
}

// reset puts resources back.
func (t *Target) reset(ctx context.Context, resources []string) error {
	if len(resources) == 0 {
		return nil
	}
	manifest, err := t.opts.Reset(ctx, t.Manifest(), resources)
	if err != nil {
		return fault.Wrap(fault.Infrastructure, fmt.Errorf("put fixtures back in %s: %w", t.scope.fullName(), err))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.manifest = manifest
	for _, name := range resources {
		delete(t.changed, name)
	}
	return nil
}

// touched notes that an agent has changed something. What, only GitHub knows:
// it may be what the attempt is about or, by mistake, anything else.
func (t *Target) touched() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name := range maps.Keys(t.manifest.Resources) {
		t.changed[name] = true
	}
}

// open serves a place.
func (t *Target) open(ctx context.Context, needs target.Needs, leave func()) (*target.Place, error) {
	verifier, err := t.opts.Verifier(ctx)
	if err != nil {
		return nil, fmt.Errorf("get a token for checkpoints: %w", err)
	}
	p, err := newPlace(ctx, t, needs.Token)
	if err != nil {
		return nil, err
	}
	if !t.keep(p) {
		return nil, errors.Join(fault.Internalf("the target is closed"), p.server.Close())
	}
	manifest := t.Manifest()
	access := target.Access{RESTURL: t.opts.RESTURL, GraphQLURL: t.opts.GraphQLURL, Token: verifier}
	look, err := t.looking(ctx, p, manifest, needs, access)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look at the fixtures before the attempt: %w", err), t.forget(p))
	}
	return &target.Place{
		Manifest: manifest,
		Agent:    t.opts.AgentLogin,
		Env: []string{
			"GH_TOKEN=" + p.token,
			"GITHUB_TOKEN=" + p.token,
			"GITHUB_API_URL=" + p.url,
			"GITHUB_GRAPHQL_URL=" + p.url + graphqlPath,
			"GITHUB_REPOSITORY=" + manifest.Repo.FullName,
		},
		GitHub:   p,
		Verifier: access,
		Look:     look,
		OnWrite:  p.watch,
		Usage:    p.usage,
		Close:    sync.OnceValue(func() error { return t.giveBack(p, leave) }),
	}, nil
}

func (t *Target) keep(p *place) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.places == nil {
		return false
	}
	t.places[p] = true
	return true
}

// forget ends a place's server.
func (t *Target) forget(p *place) error {
	t.mu.Lock()
	delete(t.places, p)
	t.mu.Unlock()
	return p.server.Close()
}

// removeTime bounds the removal of what an agent has made.
const removeTime = 2 * time.Minute

func (t *Target) giveBack(p *place, leave func()) error {
	defer leave()
	err := t.forget(p)
	p.mu.Lock()
	made := p.made
	p.mu.Unlock()
	if len(made) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), removeTime)
	defer cancel()
	return errors.Join(err, t.opts.Remove(ctx, made))
}

// Close ends every place that is still open. Fixtures and tokens are for
// whoever made them to remove.
func (t *Target) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for p := range t.places {
		// Closing a listener twice or late harms nothing.
		_ = p.server.Close()
	}
	t.places = nil
	return nil
}

var _ target.Target = (*Target)(nil)
