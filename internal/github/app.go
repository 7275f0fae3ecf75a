package github

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// App is a GitHub App in one of its installations. It is safe for concurrent
// use.
type App struct {
	settings AppSettings
	// client asks as the App itself.
	client *Client
	opts   AppOptions

	asking turn
	// granted is what the installation may do, nil before it was asked for.
	granted map[string]string
}

// AppOptions say where GitHub is, and what else an App works with.
type AppOptions struct {
	// Options are those of the clients that an App asks with. Their token is
	// not used.
	Options
	// Now tells when tokens end.
	Now func() time.Time
	// Issued is told every token that is made, so that it can be kept out of
	// logs; it may be nil.
	Issued func(token string)
}

// NewApp returns an App. It asks GitHub nothing yet. An error is of kind
// invalid: the key is none, or an address is no URL.
func NewApp(settings AppSettings, opts AppOptions) (*App, error) {
	next := opts.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	key, err := ghinstallation.NewAppsTransport(next, settings.AppID, settings.PrivateKey)
	if err != nil {
		// What was read is not repeated: it may be half a key.
		return nil, fault.Invalidf("the private key of App %d is none that GitHub makes: give the whole of its .pem file, from BEGIN to END", settings.AppID)
	}
	rest, err := address(orDefault(opts.RESTURL, DefaultRESTURL))
	if err != nil {
		return nil, fault.Invalidf("address of GitHub's REST API: %w", err)
	}
	asApp := opts.Options
	asApp.Token, asApp.Tokens, asApp.Transport = "", nil, signed{rest, key, next}
	client, err := New(asApp)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err)
	}
	return &App{settings: settings, client: client, opts: opts, asking: newTurn()}, nil
}

// signed signs requests with an App's key, but only those for GitHub's own
// origin.
type signed struct {
	rest *url.URL
	key  *ghinstallation.AppsTransport
	next http.RoundTripper
}

// RoundTrip sends a signed copy of the request: the transport of the key
// writes into the one that it is given.
func (s signed) RoundTrip(r *http.Request) (*http.Response, error) {
	if origin(r.URL) != origin(s.rest) {
		return s.next.RoundTrip(r)
	}
	return s.key.RoundTrip(r.Clone(r.Context()))
}

// Client returns what asks as the App itself, not as one of its installations.
func (a *App) Client() *Client { return a.client }

// Credential returns a token for one use of one repository, which is made when
// it is first asked for. Repo is "owner/name".
func (a *App) Credential(repo string, use Use) *Credential {
	return &Credential{app: a, repo: repo, use: use, asking: newTurn()}
}

// doing says what an App is about, for errors.
func (a *App) doing(what string) string {
	return fmt.Sprintf("%s as installation %d of App %d", what, a.settings.InstallationID, a.settings.AppID)
}

// permissions returns those of a use that the installation has. Those that it
// must have and has not are an error of kind invalid.
func (a *App) permissions(ctx context.Context, use Use) (map[string]string, error) {
	granted, err := a.grants(ctx)
	if err != nil {
		return nil, err
	}
	asked := map[string]string{}
	var missing []string
	for _, p := range permissionsOf(use) {
		switch {
		case granted[p.name] == levelWrite || granted[p.name] == levelAdmin || granted[p.name] == p.level:
			asked[p.name] = p.level
		case !p.optional:
			missing = append(missing, p.name+": "+p.level)
		}
	}
	if len(missing) > 0 {
		return nil, fault.Invalidf("installation %d of App %d lacks what %s needs: grant the App %s, and accept it in the installation's settings",
			a.settings.InstallationID, a.settings.AppID, use, strings.Join(missing, ", "))
	}
	return asked, nil
}

// grants asks, once, what the installation may do.
func (a *App) grants(ctx context.Context) (map[string]string, error) {
	if err := a.asking.take(ctx); err != nil {
		return nil, err
	}
	defer a.asking.give()
	if a.granted != nil {
		return a.granted, nil
	}
	request, err := a.client.REST.NewRequest(http.MethodGet, fmt.Sprintf("app/installations/%d", a.settings.InstallationID), nil)
	if err != nil {
		return nil, fault.Internalf("make request: %w", err)
	}
	var installation struct{ Permissions map[string]string }
	if _, err := a.client.REST.Do(ctx, request, &installation); err != nil {
		return nil, a.explain("look up what is granted", err)
	}
	a.granted = maps.Clone(installation.Permissions)
	if a.granted == nil {
		a.granted = map[string]string{}
	}
	return a.granted, nil
}

// explain says what is wrong with an App's own requests.
func (a *App) explain(what string, err error) error {
	switch StatusOf(err) {
	case http.StatusUnauthorized:
		return fault.Because(fault.Invalid, scrubbed{err}, a.doing(what)+": GitHub does not accept the App's key (401): the App's id and its private key do not belong together, or the clock of this machine is wrong")
	case http.StatusNotFound:
		return fault.Because(fault.Invalid, scrubbed{err}, a.doing(what)+": GitHub knows no such installation of the App (404): its id is the number at the end of the installation's settings page")
	default:
		return Explain(a.doing(what), err)
	}
}

// Credential is a token of an installation that is good for one repository. It
// is renewed before it ends. It is safe for concurrent use.
type Credential struct {
	app  *App
	repo string
	use  Use

	asking turn
	// issued are the tokens that have not ended, the current one last.
	issued  []*github.InstallationToken
	revoked bool
}

// renewal is how long before its end a token is not given any more: whoever
// gets one can work with it for as long. GitHub's last for an hour.
const renewal = 20 * time.Minute

// Token returns the token as it is now. Errors are of kind invalid where the
// App's settings or permissions would mend them, else of kind infrastructure.
func (c *Credential) Token(ctx context.Context) (string, error) {
	if err := c.asking.take(ctx); err != nil {
		return "", err
	}
	defer c.asking.give()
	now := c.app.opts.Now()
	c.issued = slices.DeleteFunc(c.issued, func(t *github.InstallationToken) bool { return !t.GetExpiresAt().After(now) })
	if n := len(c.issued); n > 0 && c.issued[n-1].GetExpiresAt().Sub(now) > renewal {
		return c.issued[n-1].GetToken(), nil
	}
	if c.revoked {
		return "", fault.Internalf("a token of %s is asked for after the end", c.repo)
	}
	token, err := c.issue(ctx)
	if err != nil {
		return "", err
	}
	c.issued = append(c.issued, token)
	return token.GetToken(), nil
}

// issue makes a token. The transport of ghinstallation for installations does
// not: it renews a token a minute before its end, asks without our retries,
// revokes nothing, and changes the App's transport, which credentials share.
func (c *Credential) issue(ctx context.Context) (*github.InstallationToken, error) {
	permissions, err := c.app.permissions(ctx, c.use)
	if err != nil {
		return nil, err
	}
	_, name, _ := strings.Cut(c.repo, "/")
	what := fmt.Sprintf("make a token of %s for %s", c.repo, c.use)
	request, err := c.app.client.REST.NewRequest(http.MethodPost, fmt.Sprintf("app/installations/%d/access_tokens", c.app.settings.InstallationID),
		map[string]any{"repositories": []string{name}, "permissions": permissions})
	if err != nil {
		return nil, fault.Internalf("make request: %w", err)
	}
	token := &github.InstallationToken{}
	// A token more does no harm, so the request may be repeated.
	if _, err := c.app.client.REST.Do(context.WithValue(ctx, readsOnly{}, true), request, token); err != nil {
		return nil, c.app.explain(what, err)
	}
	if c.app.opts.Issued != nil {
		c.app.opts.Issued(token.GetToken())
	}
	if err := c.narrow(token); err != nil {
		return nil, errors.Join(err, c.app.end(ctx, token.GetToken()))
	}
	return token, nil
}

// narrow checks that a token is good for its repository alone.
func (c *Credential) narrow(token *github.InstallationToken) error {
	if token.GetToken() == "" {
		return fault.Infraf("GitHub made an empty token for %s", c.repo)
	}
	for _, repo := range token.Repositories {
		if full := repo.GetFullName(); full != "" && !strings.EqualFold(full, c.repo) {
			return fault.Invalidf("installation %d of App %d is in %s, not in %s: install the App for the owner of %s, and name that installation",
				c.app.settings.InstallationID, c.app.settings.AppID, full, c.repo, c.repo)
		}
	}
	return nil
}

// Revoke ends the tokens that have been made, and makes no more. It tries all
// of them. A token that has ended already is no error.
func (c *Credential) Revoke(ctx context.Context) error {
	if err := c.asking.take(ctx); err != nil {
		return err
	}
	defer c.asking.give()
	c.revoked = true
	var problem error
	for _, token := range c.issued {
		if err := c.app.end(ctx, token.GetToken()); err != nil {
			problem = err
		}
	}
	c.issued = nil
	return problem
}

// end revokes a token.
func (a *App) end(ctx context.Context, token string) error {
	opts := a.opts.Options
	opts.Token, opts.Tokens = token, nil
	client, err := New(opts)
	if err != nil {
		return err
	}
	_, err = client.REST.Apps.RevokeInstallationToken(ctx)
	if err == nil || StatusOf(err) == http.StatusUnauthorized {
		return nil
	}
	return Explain(a.doing("revoke a token"), err)
}
