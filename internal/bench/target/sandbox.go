package target

import (
	"cmp"
	"context"
	cryptorand "crypto/rand"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// The accounts of a sandbox.
const (
	// Owner owns the fixtures repository and seeds it.
	Owner = "aryeko"
	// Reviewer writes the seeded reviews.
	Reviewer = "bench-reviewer"
	// Agent is who the measured agent is.
	Agent = "bench-agent"
	// Verifier is who checkpoints read as.
	Verifier = "bench-verifier"
)

// Organization is the account of an organization that [Owner] owns.
const Organization = "bench-organization"

// FixturesName is the name of the fixtures repository.
const FixturesName = "ghx-bench-fixtures"

// FixturesRepo is the full name of the fixtures repository.
const FixturesRepo = Owner + "/" + FixturesName

//go:embed all:fixturesrepo
var fixturesFiles embed.FS

// failedRunLog is what the failing job of the fixtures prints.
const failedRunLog = `Run test "$GITHUB_RUN_ATTEMPT" -gt 1
attempt 1: the first attempt fails on purpose
`

// failedTestLog is what the tests of the branch print that fails them.
const failedTestLog = `Run npm test --if-present
not ok 1 - rounds half up
  location: 'test/round.test.js:7:1'
  error: Expected values to be strictly equal: 1 !== 1.01
  expected: 1.01
  actual: 1
# tests 1
# pass 0
# fail 1
`

// Sandbox is a target inside this process. Every place is a copy of a seeded
// world on a loopback port of its own.
type Sandbox struct {
	// base is the only world of the fixtures; nil where each variation has one
	// of its own.
	base   *sandbox.World
	varied worlds

	mu sync.Mutex
	// manifest is that of base.
	manifest bench.Manifest
	// places are those that are open; nil once the target is closed.
	places map[*sandbox.Server]bool
}

// NewSandbox returns a sandbox with the fixtures repository of one variation, not
// yet seeded; without one, with that which does not vary, as on GitHub.
func NewSandbox(v *bench.Variation) (*Sandbox, error) {
	world, err := newWorld(v)
	return &Sandbox{base: world, places: map[*sandbox.Server]bool{}}, err
}

// NewVariedSandbox returns a sandbox that has a world for each variation, and
// has it filled when it is first asked for.
func NewVariedSandbox(fill Fill) *Sandbox {
	return &Sandbox{varied: worlds{fill: fill}, places: map[*sandbox.Server]bool{}}
}

// newWorld returns a world with the fixtures repository, not yet seeded: that of
// a variation, or the one that does not vary for nil.
func newWorld(v *bench.Variation) (*sandbox.World, error) {
	world, err := sandbox.New()
	if err != nil {
		return nil, err
	}
	err = world.Setup(func(s *model.State) error {
		if v != nil {
			begin(s, *v)
		}
		return addFixturesRepo(s)
	})
	if err != nil {
		return nil, fmt.Errorf("make the fixtures repository: %w", err)
	}
	return world, nil
}

// How far ids and the clock of a variation's world may begin from where those
// of one that does not vary do.
const (
	idsAway  = 1_000_000_000
	daysAway = 500
)

// begin draws where a world's ids and its clock begin.
func begin(s *model.State, v bench.Variation) {
	random := drawn(v)
	s.LastID += random.Int64N(idsAway)
	s.Now = s.Now.AddDate(0, 0, -random.IntN(daysAway)).Add(time.Duration(random.IntN(secondsOfDay)) * time.Second)
}

// drawn are the random numbers of a variation.
func drawn(v bench.Variation) *rand.Rand { return rand.New(rand.NewPCG(v.Seed, uint64(v.Number))) }

// firstID draws how far the ids of a variation's world begin from where those
// of one that does not vary do.
func firstID(v bench.Variation) model.ID { return drawn(v).Int64N(idsAway) }

const secondsOfDay = 24 * 60 * 60

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
	return &Sandbox{base: world, manifest: manifest, places: map[*sandbox.Server]bool{}}, nil
}

// checkWorld refuses a world without the accounts of a sandbox or the
// manifest's repository.
func checkWorld(s *model.State, repo bench.ManifestRepo) error {
	for _, login := range []string{Owner, Reviewer, Agent, Verifier} {
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

func addFixturesRepo(s *model.State) error {
	owner := s.AddUser(model.NewUser{Login: Owner})
	repo := s.AddRepo(model.NewRepo{
		Owner: owner.ID, Name: FixturesName, Description: "Fixtures that benchmark scenarios act on",
	})
	// GitHub shows drafts of releases only to those who may write, so the
	// verifier may, and does not.
	for _, member := range []struct {
		login      string
		permission model.Permission
	}{{Reviewer, model.PermWrite}, {Agent, model.PermAdmin}, {Verifier, model.PermWrite}} {
		user := s.AddUser(model.NewUser{Login: member.login})
		repo.Collaborators[user.ID] = member.permission
	}
	org := s.AddUser(model.NewUser{Login: Organization, Type: model.TypeOrganization})
	s.SetMember(org, owner.ID, model.OrgOwner)
	s.Scripts = append(s.Scripts, fixturesScripts()...)
	changes, err := fixturesChanges()
	if err != nil {
		return err
	}
	return s.PushInitial(owner.ID, repo, changes, "chore: fixtures repository")
}

// fixturesScripts say how the jobs of the fixtures' workflows end.
func fixturesScripts() []model.Script {
	return []model.Script{
		{
			Workflow: "bench-rerun-failed.yml", Job: "flaky", Outcomes: []model.Conclusion{model.Failure, model.Success},
			FailingStep: "Fail on the first attempt", Log: failedRunLog,
		},
		{
			Workflow: "ci.yml", Job: "test", Branch: "bench-fixture/*/failing", Outcomes: []model.Conclusion{model.Failure},
			FailingStep: "Test", Log: failedTestLog,
		},
		{Workflow: "bench-long.yml", Job: "wait", Hanging: true},
		{Workflow: "bench-artifacts.yml", Job: "report", Uploads: []model.Upload{
			{Name: "test-report", File: "report.txt", Text: "12 tests passed\n"},
		}},
	}
}

func fixturesChanges() ([]gitstore.Change, error) {
	const root = "fixturesrepo"
	var changes []gitstore.Change
	err := fs.WalkDir(fixturesFiles, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fixturesFiles.ReadFile(path)
		changes = append(changes, gitstore.Change{Path: strings.TrimPrefix(path, root+"/"), Content: content})
		return err
	})
	return changes, err
}

// Keys give access to the world that places are copied from. They are closed
// by their user.
type Keys struct {
	// Owner and Reviewer are accounts that may write.
	Owner, Reviewer Access
	server          *sandbox.Server
}

// Close ends the access.
func (k *Keys) Close() error { return k.server.Close() }

// Open serves the world itself, so that it can be seeded. Places that are
// prepared later have what was changed.
func (t *Sandbox) Open(ctx context.Context) (*Keys, error) { return open(ctx, t.base) }

func open(ctx context.Context, world *sandbox.World) (*Keys, error) {
	server, err := world.Listen(ctx)
	if err != nil {
		return nil, fault.Infraf("serve the sandbox on loopback: %w", err)
	}
	return &Keys{
		Owner: grant(world, server, Owner, NewToken()), Reviewer: grant(world, server, Reviewer, NewToken()), server: server,
	}, nil
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
	server, err := world.Listen(ctx)
	if err != nil {
		return nil, fault.Infraf("serve the sandbox on loopback: %w", err)
	}
	if !t.keep(server) {
		return nil, fault.Internalf("the sandbox is closed")
	}
	agent := grant(world, server, seeded.agent, cmp.Or(needs.Token, NewToken()))
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
		Verifier:    grant(world, server, seeded.verifier, NewToken()),
		OnWrite:     func(f func()) { world.OnWrite(agent.Token, f) },
		Usage:       func() Usage { return usage(world, agent.Token) },
		Asked:       func(text string) bool { return world.Asked(agent.Token, text) },
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
			Kind: bench.ChangeKind(e.Kind), Object: e.Object.Kind, Name: e.Name, Title: e.Title, ID: e.ID, Actor: e.Actor, Cause: e.Cause,
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

// NewToken returns a random token in the form of a classic one of GitHub's.
func NewToken() string { return "ghp_" + cryptorand.Text() + cryptorand.Text()[:10] }

// tokenScopes are those of the tokens that people make for tools.
func tokenScopes() []string { return []string{"gist", "project", "read:org", "repo", "workflow"} }

// grant makes a token one of an account.
func grant(world *sandbox.World, server *sandbox.Server, login, token string) Access {
	world.AddToken(token, sandbox.Token{
		User: login, Scopes: tokenScopes(),
	})
	return Access{RESTURL: server.URL, GraphQLURL: server.URL + "/graphql", Token: token}
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
