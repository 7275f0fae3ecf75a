package benchcli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench/target/live"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// The names of the environment variables with tokens for a repository on
// GitHub. No flag takes one: other users of a machine see command lines.
const (
	FixturesTokenVariable = "BENCH_FIXTURES_TOKEN"
	AgentTokenVariable    = "BENCH_AGENT_TOKEN"    //nolint:gosec // it is a name
	VerifierTokenVariable = "BENCH_VERIFIER_TOKEN" //nolint:gosec // it is a name
)

// FixtureApp returns the variables of a GitHub App that makes all tokens.
func FixtureApp() github.AppVariables {
	return github.AppVariables{
		AppID: "BENCH_FIXTURE_GH_APP_ID", InstallationID: "BENCH_FIXTURE_GH_APP_INSTALLATION_ID",
		PrivateKey: "BENCH_FIXTURE_GH_APP_PRIVATE_KEY", PrivateKeyPath: "BENCH_FIXTURE_GH_APP_PRIVATE_KEY_PATH",
	}
}

// credentials are the tokens for a repository on GitHub, as the environment
// has them. Nothing is asked of GitHub until a token is.
type credentials struct {
	repo string
	// app is nil where there is none.
	app *github.App
	// given are the tokens in the environment, by variable.
	given map[string]string
	// issued are the tokens that the App makes.
	issued []*github.Credential
}

// hasCredentials reports whether the environment has what fixtures on GitHub
// can be seeded with.
func (a *app) hasCredentials() bool {
	app := FixtureApp()
	for _, name := range []string{FixturesTokenVariable, app.AppID, app.InstallationID, app.PrivateKey, app.PrivateKeyPath} {
		if strings.TrimSpace(a.getenv(name)) != "" {
			return true
		}
	}
	return false
}

// credentials reads the environment. An error is of kind invalid and says
// which variable to set.
func (a *app) credentials(repo string, at address) (*credentials, error) {
	c := &credentials{repo: repo, given: map[string]string{}}
	for _, name := range []string{FixturesTokenVariable, AgentTokenVariable, VerifierTokenVariable} {
		if token := strings.TrimSpace(a.getenv(name)); token != "" {
			a.secrets.Add(token)
			c.given[name] = token
		}
	}
	settings, given, err := FixtureApp().Read(a.getenv)
	if err != nil || !given {
		return c, err
	}
	a.secrets.Add(string(settings.PrivateKey))
	c.app, err = github.NewApp(settings, github.AppOptions{Options: a.gitHubOptions(at), Now: a.now, Issued: a.secrets.Add})
	return c, err
}

// check says which credentials of a run are missing, all at once, and that
// agents and checkpoints do not share one.
func (c *credentials) check() error {
	var missing []string
	app := FixtureApp()
	if c.app == nil {
		if c.given[FixturesTokenVariable] == "" {
			missing = append(missing, FixturesTokenVariable+" (a token that seeds fixtures: read and write for contents, issues, pull requests and actions, and for projects where scenarios need them)")
		}
		if c.given[AgentTokenVariable] == "" {
			missing = append(missing, AgentTokenVariable+" (another token, of the repository alone, which agents work with)")
		}
	}
	if len(missing) > 0 {
		return fault.Invalidf("there is no credential for %s: set %s; or let a GitHub App make all tokens: set %s, %s and %s or %s",
			c.repo, strings.Join(missing, " and "), app.AppID, app.InstallationID, app.PrivateKey, app.PrivateKeyPath)
	}
	agent, verifier := c.given[AgentTokenVariable], c.verifier()
	if agent != "" && agent == verifier {
		name := VerifierTokenVariable
		if c.given[name] == "" {
			name = FixturesTokenVariable
		}
		return fault.Invalidf("%s and %s are the same token: checkpoints read with another token than the agent's, so that the system under test does not grade itself; make a second one", AgentTokenVariable, name)
	}
	return nil
}

// verifier returns the token in the environment that checkpoints read with,
// empty if the App makes one.
func (c *credentials) verifier() string {
	if token := c.given[VerifierTokenVariable]; token != "" || c.app != nil {
		return token
	}
	return c.given[FixturesTokenVariable]
}

// seeding, agent and reading return the tokens of their use.
func (c *credentials) seeding() (live.Tokens, error) {
	return c.tokens(c.given[FixturesTokenVariable], FixturesTokenVariable, github.UseSeeding)
}

func (c *credentials) agent() (live.Tokens, error) {
	return c.tokens(c.given[AgentTokenVariable], AgentTokenVariable, github.UseAgent)
}

func (c *credentials) reading() (live.Tokens, error) {
	return c.tokens(c.verifier(), VerifierTokenVariable, github.UseVerifier)
}

func (c *credentials) tokens(given, variable string, use github.Use) (live.Tokens, error) {
	switch {
	case given != "":
		return func(context.Context) (string, error) { return given, nil }, nil
	case c.app != nil:
		credential := c.app.Credential(c.repo, use)
		c.issued = append(c.issued, credential)
		return credential.Token, nil
	default:
		return nil, fault.Invalidf("there is no token of %s for %s: set %s, or the variables of a GitHub App, which begin with BENCH_FIXTURE_GH_APP_", c.repo, use, variable)
	}
}

// revokeTime bounds the revocation of tokens.
const revokeTime = 30 * time.Second

// revoke ends the tokens that the App has made, also where ctx has ended.
func (c *credentials) revoke(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTime)
	defer cancel()
	var problems []error
	for _, credential := range c.issued {
		problems = append(problems, credential.Revoke(ctx))
	}
	return errors.Join(problems...)
}
