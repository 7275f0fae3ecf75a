package target

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// The accounts that every sandbox has, beside those of its scene.
const (
	// Owner owns the fixtures repository and seeds it.
	Owner = fixture.Owner
	// Agent is who the measured agent is.
	Agent = fixture.Agent
	// Verifier is who checkpoints read as.
	Verifier = fixture.Verifier
	// Reviewer writes the seeded reviews where fixtures do not vary.
	Reviewer = fixture.Reviewer
)

// FixturesName is the name of the fixtures repository.
const FixturesName = fixture.Name

// FixturesRepo is the full name of the fixtures repository.
const FixturesRepo = Owner + "/" + FixturesName

// Sandbox is a target inside this process. Every place is a copy of a seeded
// world on a loopback port of its own.
type Sandbox struct {
	// base is the only world of the fixtures; nil where each variation has one
	// of its own.
	base *sandbox.World
	// now is the clock of the machine that agents work on, nil to leave the times
	// of worlds alone.
	now func() time.Time
	// clients times requests, nil for nothing.
	clients func() time.Time
	// variation is that of base, nil if that does not vary.
	variation *bench.Variation
	varied    worlds

	mu sync.Mutex
	// manifest is that of base.
	manifest bench.Manifest
	// places are those that are open; nil once the target is closed.
	places map[*sandbox.Server]bool
}

// NewSandbox returns a sandbox with the fixtures repository of one variation, not
// yet seeded; without one, with that which does not vary, as on GitHub.
func NewSandbox(v *bench.Variation) (*Sandbox, error) {
	base, err := newWorld(fixture.Of("", v).Ground)
	return &Sandbox{base: base, variation: v, places: map[*sandbox.Server]bool{}}, err
}

// NewVariedSandbox returns a sandbox that has a world for each variation, and
// has it filled when it is first asked for.
func NewVariedSandbox(fill Fill) *Sandbox {
	return &Sandbox{varied: worlds{fill: fill}, places: map[*sandbox.Server]bool{}}
}

// LoadSandbox returns a sandbox from a snapshot and the manifest that was made
// with it. An error of kind invalid means that the data is no snapshot, or one
// of another world.
func LoadSandbox(snapshot []byte, manifest bench.Manifest) (*Sandbox, error) {
	world, err := sandbox.Load(snapshot)
	if err != nil {
		return nil, err
	}
	world.Look(func(s *model.State) { err = checkWorld(s, manifest.Repo) })
	if err != nil {
		return nil, err
	}
	return &Sandbox{base: world, variation: manifest.Variation(), manifest: manifest, places: map[*sandbox.Server]bool{}}, nil
}

// checkWorld refuses a world without the accounts of a sandbox or the
// manifest's repository.
func checkWorld(s *model.State, repo bench.ManifestRepo) error {
	for _, login := range []string{Owner, Agent, Verifier} {
		if s.User(login) == nil {
			return fault.Invalidf("it has no account %q", login)
		}
	}
	if s.Repo(repo.Owner, repo.Name) == nil {
		return fault.Invalidf("it has no repository %s/%s, which the manifest is about", repo.Owner, repo.Name)
	}
	return nil
}

// Save writes a snapshot of the seeded world.
func (t *Sandbox) Save(w io.Writer) error { return t.base.Save(w) }

// Use sets the manifest of the seeded world.
func (t *Sandbox) Use(manifest bench.Manifest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.manifest = manifest
}

// Manifest returns the manifest of the seeded world.
func (t *Sandbox) Manifest() bench.Manifest {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.manifest
}

// Keys give access to the world that places are copied from. They are closed
// by their user.
type Keys struct {
	// Owner and Reviewer are accounts that may write.
	Owner, Reviewer Access
	// server is nil for access from within this process.
	server *sandbox.Server
}

// Close ends the access.
func (k *Keys) Close() error {
	if k.server == nil {
		return nil
	}
	return k.server.Close()
}

// Open serves the world itself, so that it can be seeded. Places that are
// prepared later have what was changed.
func (t *Sandbox) Open(ctx context.Context) (*Keys, error) { return open(ctx, t.base, t.variation) }

func open(ctx context.Context, world *sandbox.World, v *bench.Variation) (*Keys, error) {
	server, err := world.Listen(ctx)
	if err != nil {
		return nil, fault.Infraf("serve the sandbox on loopback: %w", err)
	}
	return &Keys{
		Owner: grant(world, server.URL, Owner, NewToken()), Reviewer: grant(world, server.URL, fixture.Of("", v).Ground.Reviewer, NewToken()), server: server,
	}, nil
}

// inside gives access from within this process, to a world that is filled and
// then copied.
func inside(world *sandbox.World, v *bench.Variation) *Keys {
	world.Unlogged()
	at := func(login string) Access {
		access := grant(world, "https://api.github.com", login, NewToken())
		access.Transport = within{world}
		return access
	}
	return &Keys{Owner: at(Owner), Reviewer: at(fixture.Of("", v).Ground.Reviewer)}
}

// StartNow has the world of every place begin at the time that it is by a clock:
// what was seeded moves with it, so that it is as long ago as before, and an agent
// that asks its machine for the date and GitHub for the issues of the last week
// finds both to be of one time. It is called before places are prepared.
func (t *Sandbox) StartNow(now func() time.Time) { t.now = now }

// Time has what agents ask be timed by a clock, that of their machine. It is called
// before places are prepared.
func (t *Sandbox) Time(clock func() time.Time) { t.clients = clock }

// shifted moves a world of a place to its time, and returns the manifest as it is
// there.
func (t *Sandbox) shifted(world *sandbox.World, manifest bench.Manifest) (bench.Manifest, error) {
	if t.now == nil {
		return manifest, nil
	}
	moved, err := world.ShiftTo(t.now())
	if err != nil {
		return manifest, fault.Internalf("move the world to the time that it is now: %w", err)
	}
	manifest.Resources, _ = moved.Value(manifest.Resources).(map[string]map[string]any)
	return manifest, nil
}

// Prepare copies the seeded world and serves the copy. Places share the
// manifest, which nobody changes, and nothing else.
func (t *Sandbox) Prepare(ctx context.Context, needs Needs) (*Place, error) {
	seeded, err := t.world(ctx, needs)
	if err != nil {
		return nil, err
	}
	manifest := seeded.manifest
	for _, name := range needs.Resources {
		if _, there := manifest.Resources[name]; !there {
			return nil, seeded.lacks(name)
		}
	}
	world := seeded.Clone()
	world.Use(sandbox.Outside{Clients: t.clients})
	if manifest, err = t.shifted(world, manifest); err != nil {
		return nil, err
	}
	server, err := world.Listen(ctx)
	if err != nil {
		return nil, fault.Infraf("serve the sandbox on loopback: %w", err)
	}
	if !t.keep(server) {
		return nil, fault.Internalf("the sandbox is closed")
	}
	agent := grant(world, server.URL, seeded.agent, cmp.Or(needs.Token, NewToken()))
	return &Place{
		Manifest: manifest, Variation: seeded.variation,
		Env: []string{
			"GH_TOKEN=" + agent.Token,
			"GITHUB_TOKEN=" + agent.Token,
			"GITHUB_API_URL=" + agent.RESTURL,
			"GITHUB_GRAPHQL_URL=" + agent.GraphQLURL,
			"GITHUB_REPOSITORY=" + manifest.Repo.FullName,
		},
		GitHub:      world,
		Verifier:    grant(world, server.URL, seeded.verifier, NewToken()),
		OnWrite:     func(f func()) { world.OnWrite(agent.Token, f) },
		Usage:       func() Usage { return usage(world, agent.Token) },
		Requests:    func() []bench.Request { return requests(world, agent.Token) },
		Asked:       func(text string) bool { return world.Asked(agent.Token, text) },
		Refused:     func(things [][]string, missing bool) bool { return world.Refused(agent.Token, things, missing) },
		Agent:       seeded.agent,
		Changes:     func() []bench.Change { return seen(world.Changes()) },
		Unsupported: func() []string { return world.Unsupported(agent.Token) },
		Close:       func() error { return t.giveBack(server) },
	}, nil
}

// world returns the world that a place is to be a copy of.
func (t *Sandbox) world(ctx context.Context, needs Needs) (*seededWorld, error) {
	v := needs.Variation
	if t.base != nil {
		fixtures := ofFixtures(t.base, t.Manifest())
		if needs.World == "" {
			return fixtures, nil
		}
		v = cmp.Or(v, fixtures.variation, &bench.Variation{})
	}
	if v == nil {
		return nil, fault.Internalf("no variation is named for a place of a sandbox that has one world for each")
	}
	return t.varied.get(ctx, worldKey{needs.World, *v})
}

// FindWorlds has the sandbox find the worlds that attempts name, and run their
// scripts with setup, which may be nil. It is called before places are prepared.
func (t *Sandbox) FindWorlds(find func(name string) (*world.World, error), setup Setup) {
	t.varied.find, t.varied.setup = find, setup
}

// seen are the events of a world's log as a row has them.
func seen(events []changes.Event) []bench.Change {
	all := make([]bench.Change, 0, len(events))
	for _, e := range events {
		c := bench.Change{
			Kind: bench.ChangeKind(e.Kind), Object: e.Object.Kind, Name: e.Name, Title: e.Title, ID: e.ID, Actor: e.Actor, Cause: e.Cause, Act: e.Act,
		}
		for _, t := range e.Told {
			c.Told = append(c.Told, bench.Told(t))
		}
		for _, f := range e.Fields {
			c.Fields = append(c.Fields, bench.FieldChange{Name: f.Name, Before: f.Before, After: f.After})
		}
		all = append(all, c)
	}
	return all
}

// keep notes a place's server, so that closing the target closes it. It
// reports false, and closes the server, if the target is closed.
func (t *Sandbox) keep(server *sandbox.Server) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.places == nil {
		_ = server.Close()
		return false
	}
	t.places[server] = true
	return true
}

func (t *Sandbox) giveBack(server *sandbox.Server) error {
	t.mu.Lock()
	delete(t.places, server)
	t.mu.Unlock()
	return server.Close()
}

func usage(world *sandbox.World, token string) Usage {
	u := world.Usage(token)
	return Usage{Requests: bench.APIRequests{REST: u.REST, GraphQL: u.GraphQL, Bytes: u.Bytes}}
}

// requests returns the first requests of a token.
func requests(world *sandbox.World, token string) []bench.Request {
	var all []bench.Request
	for _, e := range world.Audit() {
		if e.Token != token {
			continue
		}
		what := e.Method + " " + e.Path
		if e.Operation != "" {
			what = e.Operation
		}
		all = append(all, bench.Request{
			At: e.Began.UTC(), MS: float64(e.Took) / float64(time.Millisecond), What: what, Status: e.Status, Bytes: e.Bytes, Lacking: e.Unsupported,
		})
		if len(all) == bench.MaxRequests {
			break
		}
	}
	return all
}

// NewToken returns a random token in the form of a classic one of GitHub's.
func NewToken() string { return "ghp_" + rand.Text() + rand.Text()[:10] }

// tokenScopes are those of the tokens that people make for tools.
func tokenScopes() []string { return []string{"gist", "project", "read:org", "repo", "workflow"} }

// grant makes a token one of an account.
func grant(world *sandbox.World, url, login, token string) Access {
	world.AddToken(token, sandbox.Token{
		User: login, Scopes: tokenScopes(),
	})
	return Access{RESTURL: url, GraphQLURL: url + "/graphql", Token: token}
}

// Close ends every place that is still open.
func (t *Sandbox) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for server := range t.places {
		// Closing a listener twice or late harms nothing.
		_ = server.Close()
	}
	t.places = nil
	return nil
}

var _ Target = (*Sandbox)(nil)
