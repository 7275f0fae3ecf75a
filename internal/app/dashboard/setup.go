package dashboard

import (
	"crypto/subtle"
	"html/template"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// SetupOptions say how an App is set up. All must be given but for PublicURL.
type SetupOptions struct {
	// Token is what the user must know.
	Token string
	// PublicURL is where GitHub and browsers reach the server. If it is empty,
	// it is what the user's browser calls it.
	PublicURL string
	// GitHubURL and APIURL are GitHub's site and its API.
	GitHubURL, APIURL string
	// Events are those that the App subscribes to.
	Events []string
	// Random returns a text that nobody can guess.
	Random func() string
	Now    func() time.Time
	Client *http.Client
	Log    *slog.Logger
	// Done takes the credentials over.
	Done func(settings.Credentials) error
}

// stateTime is how long the user may take at GitHub. Its codes are good for an
// hour.
const stateTime = time.Hour

// cookie is the name of the cookie with the state.
const cookie = "bench_setup"

// Setup is the pages below /setup, which set a GitHub App up by GitHub's manifest
// flow: a page sends the user to GitHub with a manifest, GitHub makes the App and
// sends the user back with a code, and the code is exchanged for credentials. See
// https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest.
//
// Whoever knows the token that the server has logged may do that, once. The state
// that goes through GitHub is kept in the same browser too, so that nobody can have
// another's browser finish an App that is not its user's. It is safe for concurrent
// use.
type Setup struct {
	opts  SetupOptions
	pages *template.Template
	mux   *http.ServeMux

	mu sync.Mutex
	// state is what GitHub must send back, empty if nothing is under way.
	state string
	until time.Time
	// install is where the App is installed, empty until it is set up.
	install string
}

// NewSetup returns the pages.
func NewSetup(opts SetupOptions) (*Setup, error) {
	pages, err := template.New("").Parse(texts)
	if err != nil {
		return nil, fault.Internalf("read the pages of the set-up: %w", err)
	}
	s := &Setup{opts: opts, pages: pages, mux: http.NewServeMux()}
	s.mux.HandleFunc("GET /setup", s.begin)
	s.mux.HandleFunc("GET /setup/callback", s.finish)
	return s, nil
}

// ServeHTTP answers a request, until the App is set up.
func (s *Setup) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer") // the address has the token
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self' 'unsafe-inline'; form-action "+s.opts.GitHubURL+" 'self'; frame-ancestors 'none'; base-uri 'none'")
	s.mu.Lock()
	install := s.install
	s.mu.Unlock()
	if install != "" {
		s.show(w, http.StatusGone, "already", install)
		return
	}
	s.mux.ServeHTTP(w, request)
}

// begin shows the form that leads to GitHub.
func (s *Setup) begin(w http.ResponseWriter, request *http.Request) {
	if !same(request.FormValue("token"), s.opts.Token) {
		s.show(w, http.StatusForbidden, "problem", "Open the address with the token that the server has logged.")
		return
	}
	base := s.base(request)
	owner := strings.TrimSpace(request.FormValue("organization"))
	manifest, err := s.manifest(base, owner)
	if err != nil {
		s.show(w, http.StatusInternalServerError, "problem", fault.Public(err))
		return
	}
	target := s.opts.GitHubURL + "/settings/apps/new"
	if owner != "" {
		target = s.opts.GitHubURL + "/organizations/" + url.PathEscape(owner) + "/settings/apps/new"
	}
	state := s.newState()
	http.SetCookie(w, &http.Cookie{
		Name: cookie, Value: state, Path: "/setup", MaxAge: int(stateTime.Seconds()),
		HttpOnly: true, Secure: isSecure(base), SameSite: http.SameSiteLaxMode,
	})
	s.show(w, http.StatusOK, "begin", map[string]any{
		"Target": target + "?state=" + url.QueryEscape(state), "Manifest": manifest, "Base": base, "Owner": owner, "Token": s.opts.Token,
		"Near": isNear(base) && !isNear(s.opts.GitHubURL),
	})
}

// finish takes the code that GitHub sends the user back with.
func (s *Setup) finish(w http.ResponseWriter, request *http.Request) {
	sent, err := request.Cookie(cookie)
	if err != nil || !s.takeState(request.FormValue("state"), sent.Value) {
		s.show(w, http.StatusForbidden, "problem", "This answer of GitHub's belongs to no set-up of this browser, or to one of more than an hour ago. Begin again.")
		return
	}
	made, err := s.exchange(request.Context(), request.FormValue("code"))
	if err == nil {
		err = s.opts.Done(made.credentials())
	}
	if err != nil {
		s.opts.Log.ErrorContext(request.Context(), "the App could not be set up", slog.String("error", err.Error()))
		s.show(w, http.StatusBadGateway, "problem", fault.Public(err)+". Begin again.")
		return
	}
	install := s.opts.GitHubURL + "/apps/" + url.PathEscape(made.Slug) + "/installations/new"
	s.mu.Lock()
	s.install = install
	s.mu.Unlock()
	s.opts.Log.InfoContext(request.Context(), "the App is set up", slog.Int64("app", made.ID), slog.String("slug", made.Slug))
	s.show(w, http.StatusOK, "done", map[string]string{"Name": made.Slug, "Install": install})
}

// newState begins a set-up; one that was under way is forgotten.
func (s *Setup) newState() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.until = s.opts.Random(), s.opts.Now().Add(stateTime)
	return s.state
}

// takeState reports whether a state is that of the set-up under way, both as
// GitHub and as the browser sent it. It is good for once.
func (s *Setup) takeState(fromGitHub, fromBrowser string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	good := s.state != "" && same(fromGitHub, s.state) && same(fromBrowser, s.state) && s.opts.Now().Before(s.until)
	if good {
		s.state = ""
	}
	return good
}

// base returns where the server is reached.
func (s *Setup) base(request *http.Request) string {
	if s.opts.PublicURL != "" {
		return s.opts.PublicURL
	}
	scheme := "http"
	if request.TLS != nil || request.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return (&url.URL{Scheme: scheme, Host: request.Host}).String()
}

func isSecure(base string) bool {
	u, err := url.Parse(base)
	return err == nil && u.Scheme == "https"
}

// isNear reports whether an address is of this machine or of a network of its
// own, where GitHub does not reach it.
func isNear(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	at, err := netip.ParseAddr(host)
	if err != nil {
		return !strings.Contains(host, ".")
	}
	return at.IsLoopback() || at.IsPrivate() || at.IsLinkLocalUnicast() || at.IsUnspecified()
}

// same compares in constant time.
func same(got, want string) bool { return subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 1 }

// show writes a page.
func (s *Setup) show(w http.ResponseWriter, status int, page string, data any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if err := s.pages.ExecuteTemplate(w, page, data); err != nil {
		s.opts.Log.Debug("a page of the set-up was not written", slog.String("error", err.Error()))
	}
}
