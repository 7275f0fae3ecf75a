package sandbox

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// installationTokenLife is how long an App's token is good.
const installationTokenLife = time.Hour

// now is what time it is in the world. The caller holds no lock.
func (w *World) now() time.Time {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.state.Time()
}

// credential is a token with the value that the client sent; the zero value is
// that of clients without one.
type credential struct {
	value string
	Token
	// app is that of a JSON web token, 0 for other credentials.
	app model.ID
}

// authenticate reads the Authorization header. A refusal is the answer to a
// credential that is no good; it is nil for a good one and for none.
func (w *World) authenticate(r *http.Request) (c credential, refusal *rest.Response) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return credential{}, nil
	}
	_, value, isBasic := r.BasicAuth()
	if scheme, rest, _ := strings.Cut(header, " "); strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "token") {
		value = strings.TrimSpace(rest)
	} else if !isBasic {
		return credential{}, badCredentials()
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	now := w.state.Time()
	token, known := w.tokens[value]
	switch {
	case !known && isJWT(value):
		app, refusal := appOfJWT(w.state, value, w.outside.clients(now))
		if refusal != nil {
			return credential{value: value}, refusal
		}
		return credential{value: value, app: app.ID}, nil
	case !known, w.state.User(token.User) == nil, !token.Expires.IsZero() && !now.Before(token.Expires):
		return credential{value: value}, badCredentials()
	}
	return credential{value: value, Token: token}, w.uninstalled(token)
}

// uninstalled refuses tokens of an installation that is suspended or no more.
func (w *World) uninstalled(t Token) *rest.Response {
	if t.Installation == 0 {
		return nil
	}
	switch i := w.state.Installations.Get(t.Installation); {
	case i == nil:
		return badCredentials()
	case i.SuspendedAt != nil:
		return failing(http.StatusForbidden, "This installation has been suspended")
	default:
		return nil
	}
}

func badCredentials() *rest.Response { return failing(http.StatusUnauthorized, "Bad credentials") }

// office makes and ends tokens of installations for requests that hold the
// world's lock for writing.
type office struct{ world *World }

// Issue makes a token that is good for an hour.
func (o office) Issue(i *model.Installation, repos []model.ID, permissions map[string]string) (value string, expires time.Time) {
	now := o.world.state.Time()
	app := o.world.state.Apps.Get(i.AppID)
	value, expires = newToken("ghs_"), now.Add(installationTokenLife).Truncate(time.Second)
	o.world.tokens[value] = Token{
		User: app.Slug + "[bot]", App: app.Slug, Installation: i.ID, Repos: slices.Clone(repos), Permissions: permissions, Expires: expires,
	}.clone()
	return value, expires
}

// Revoke ends a token.
func (o office) Revoke(value string) { delete(o.world.tokens, value) }

func idsOf(repos []*model.Repo) []model.ID {
	ids := []model.ID{}
	for _, r := range repos {
		ids = append(ids, r.ID)
	}
	return ids
}

// unscoped reports whether a classic token lacks the scope for repositories,
// which leaves public ones to read, or with another scope to change.
func (t Token) unscoped() bool { return t.Scopes != nil && !slices.Contains(t.Scopes, "repo") }

// publicRepos returns the public repositories, or none.
func publicRepos(s *model.State, wanted bool) []model.ID {
	repos := []model.ID{}
	for r := range s.Repos.All() {
		if wanted && !r.Private {
			repos = append(repos, r.ID)
		}
	}
	return repos
}

// newToken returns a token of a kind, which GitHub tells by how it begins.
func newToken(prefix string) string { return prefix + rand.Text() + rand.Text()[:10] }

// narrowed returns the state as a token sees it, and whether that is less than
// all: its user then has no more than anybody in other repositories. The caller
// holds the lock.
func (w *World) narrowed(s *model.State, t Token) (*model.State, bool) {
	user := s.User(t.User)
	switch {
	case user != nil && t.unscoped():
		return s.Narrow(user.ID, publicRepos(s, slices.Contains(t.Scopes, "public_repo"))), true
	case user != nil && t.Repos != nil:
		return s.Narrow(user.ID, t.Repos), true
	case user == nil || t.Installation == 0 && t.OAuth == "":
		return s, false
	}
	if i := s.Installations.Get(t.Installation); i != nil {
		return s.Narrow(user.ID, idsOf(s.InstalledRepos(i))), true
	}
	// A user's token of an App reaches what both reach.
	app, repos := s.App(t.OAuth), []model.ID{}
	for r := range s.Repos.All() {
		if i := s.InstallationIn(app, r); i != nil && i.SuspendedAt == nil {
			repos = append(repos, r.ID)
		}
	}
	return s.Narrow(user.ID, repos), true
}
