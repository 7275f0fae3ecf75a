package benchcli

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v60/github"
	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/target/live"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// address is where GitHub's APIs are.
type address struct{ rest, graphql string }

// address returns where GitHub is: as the flag says, else as the environment
// does, as on a runner, else github.com.
func (a *app) address(flag string) (address, error) {
	at := address{rest: flag}
	if flag == "" {
		at = address{rest: a.getenv("GITHUB_API_URL"), graphql: a.getenv("GITHUB_GRAPHQL_URL")}
	}
	client, err := github.New(github.Options{RESTURL: at.rest, GraphQLURL: at.graphql})
	if err != nil {
		return at, fault.Invalidf("--api-url or GITHUB_API_URL: %w", err)
	}
	return address{rest: strings.TrimSuffix(client.REST.BaseURL.String(), "/"), graphql: client.GraphQLURL()}, nil
}

// isLocal reports whether GitHub is on this machine: a sandbox, which has none
// of GitHub's limits.
func (at address) isLocal() bool {
	u, err := url.Parse(at.rest)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || u.Hostname() == "localhost"
}

// gitHubOptions are those of clients that bear GitHub's limits.
func (a *app) gitHubOptions(at address) github.Options {
	return github.Options{RESTURL: at.rest, GraphQLURL: at.graphql, Patience: &github.Patience{Now: a.now, Random: rand.Float64}}
}

// client returns a client that shows these tokens.
func (a *app) client(at address, tokens live.Tokens) (*github.Client, error) {
	opts := a.gitHubOptions(at)
	opts.Tokens = tokens
	return github.New(opts)
}

// reader returns a client for what checkpoints read.
func (a *app) reader(access target.Access) (*github.Client, error) {
	opts := a.gitHubOptions(address{access.RESTURL, access.GraphQLURL})
	opts.Token = access.Token
	return github.New(opts)
}

// remote is a repository on GitHub.
type remote struct {
	repo        string
	at          address
	credentials *credentials
	// seeder makes and removes fixtures, at this pace.
	seeder *github.Client
	pace   *fixture.Pace
	// tags are those that were there before agents.
	tags []string
	// seedID is that of the fixtures that agents work on.
	seedID string
}

// remote reads the credentials of a repository, with those of agents if any
// are to work there. Nothing is asked of GitHub.
func (a *app) remote(repo, apiURL string, forAgents bool) (*remote, error) {
	if owner, name, ok := strings.Cut(repo, "/"); !ok || owner == "" || name == "" || strings.ContainsAny(name, "/ ") {
		return nil, fault.Invalidf("repository %q: want owner/name, for example %s", repo, target.FixturesRepo)
	}
	at, err := a.address(apiURL)
	if err != nil {
		return nil, err
	}
	r := &remote{repo: repo, at: at}
	if !at.isLocal() {
		r.pace = fixture.NewPace(a.now, wait)
	}
	if r.credentials, err = a.credentials(repo, at); err != nil {
		return nil, err
	}
	if forAgents {
		if err := r.credentials.check(); err != nil {
			return nil, err
		}
	}
	tokens, err := r.credentials.seeding()
	if err != nil {
		return nil, err
	}
	r.seeder, err = a.client(at, tokens)
	return r, err
}

// gitHubVersion is as what rows tell the version of the server that they were
// measured on.
const gitHubVersion = "github"

// look finds out whether the repository is there and can be written to, and
// returns its number, and the version that the server tells, as GitHub Enterprise
// Server does; empty if it tells none.
func (r *remote) look(ctx context.Context) (id int64, version string, err error) {
	found, response, err := r.get(ctx, r.seeder)
	switch {
	case github.StatusOf(err) == http.StatusNotFound:
		return 0, "", fault.Invalidf("repository %s is not there, or the token for seeding may not see it: check the name, and the repositories that the token was made for", r.repo)
	case err != nil:
		return 0, "", github.Explain("look up repository "+r.repo, err)
	case found.GetArchived():
		return 0, "", fault.Invalidf("repository %s is archived, so nothing can be seeded in it: name another one", r.repo)
	case r.credentials.given[FixturesTokenVariable] != "" && !found.GetPermissions()["push"]:
		return 0, "", fault.Invalidf("repository %s is read-only for the token in %s: give one that may write to it", r.repo, FixturesTokenVariable)
	default:
		return found.GetID(), response.Header.Get("X-GitHub-Enterprise-Version"), nil
	}
}

func (r *remote) get(ctx context.Context, client *github.Client) (*gh.Repository, *gh.Response, error) {
	owner, name, _ := strings.Cut(r.repo, "/")
	return client.REST.Repositories.Get(ctx, owner, name)
}

// lentTokens are those that a suite on a repository works with.
type lentTokens struct {
	agent, verifier live.Tokens
	// login is who the agent's token is, without the "[bot]" of an App's.
	login string
}

// tokens returns the tokens of agents and of checkpoints, after a look at who
// the agent's is and what it reaches.
func (a *app) tokens(ctx context.Context, r *remote) (t lentTokens, err error) {
	if t.agent, err = r.credentials.agent(); err != nil {
		return t, err
	}
	if t.verifier, err = r.credentials.reading(); err != nil {
		return t, err
	}
	client, err := a.client(r.at, t.agent)
	if err != nil {
		return t, err
	}
	_, response, err := r.get(ctx, client)
	if github.StatusOf(err) == http.StatusNotFound {
		return t, fault.Invalidf("the agent's token may not see %s: give %s one that was made for this repository", r.repo, AgentTokenVariable)
	}
	if err != nil {
		return t, github.Explain("look up repository "+r.repo+" with the agent's token", err)
	}
	// An App's token cannot read /user; GraphQL's viewer is its bot.
	var who struct{ Viewer struct{ Login string } }
	if err := client.GraphQL(ctx, "query { viewer { login } }", nil, &who); err != nil {
		return t, github.Explain("look up whose the agent's token is", err)
	}
	t.login = strings.TrimSuffix(who.Viewer.Login, "[bot]")
	if scopes := response.Header.Get("X-OAuth-Scopes"); scopes != "" {
		fmt.Fprintf(a.stderr, "bench: the agent's token is a classic one (scopes %s), which reaches more than %s: agents are kept to the repository by what can be seen in their requests alone; a token of a GitHub App, or a fine-grained one of the repository, is kept to it by GitHub\n",
			scopes, r.repo)
	}
	return t, nil
}

// repository returns the repository that a suite runs on.
func (f *suiteFlags) repository() string {
	if f.live() {
		return f.target
	}
	return target.FixturesRepo
}

// live reports whether a suite runs on GitHub.
func (f *suiteFlags) live() bool { return cmp.Or(f.target, sandboxTarget) != sandboxTarget }

// connectRemote finds the repository that a suite is to run on, if it is to
// run on GitHub, and says which credentials are missing.
func (a *app) connectRemote(p *prepared) (err error) {
	f := p.flags
	switch {
	case f.live():
		p.remote, err = a.remote(f.target, f.apiURL, true)
		return err
	case f.keepFixtures:
		return fault.Invalidf("--keep-fixtures is for runs on a repository: name it with --target OWNER/REPO")
	default:
		return nil
	}
}

func addAPIURL(flags *pflag.FlagSet, to *string) {
	flags.StringVar(to, "api-url", "", "the `URL` of GitHub's REST API (default $GITHUB_API_URL with $GITHUB_GRAPHQL_URL, else github.com's)")
}
