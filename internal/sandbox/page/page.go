// Package page shows a sandbox's world in a browser, so that a person sees what
// an agent did: repositories with issues, pull requests, checks, runs and
// releases, projects, and the log of requests.
//
// Everything that is shown was written by agents. It is escaped, pages run no
// script and load nothing, and characters that cannot be seen are made visible.
// Pages change nothing, and exist for nobody but who has the token.
package page

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/hex"
	"html/template"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// prefix begins the paths of all pages. GitHub has none like it.
const prefix = "/_sandbox/"

const (
	enterPath   = prefix + "enter"
	stylePath   = prefix + "style.css"
	cookieName  = "sandbox-page-"
	sessionText = "bench sandbox page"
)

// Options are what pages are made from.
type Options struct {
	World *sandbox.World
	// Token lets a person in. It must not be empty, nor be known to agents.
	Token string
	// Style is put before the pages' own style sheet: the colours that it
	// goes by, as custom properties.
	Style string
	// Links has the addresses that github.com has for issues and pull requests
	// lead to the pages, for those who come from an App's.
	Links bool
}

// Pages are a world's pages.
type Pages struct {
	world          *sandbox.World
	token, session string
	style          []byte
	links          bool
	mux            *http.ServeMux
}

//go:embed style.css
var ownStyle string

//go:embed pages.html
var texts string

// New returns the pages of a world.
func New(opts Options) *Pages {
	mac := hmac.New(sha256.New, []byte(opts.Token))
	mac.Write([]byte(sessionText))
	p := &Pages{
		world: opts.World, token: opts.Token, session: hex.EncodeToString(mac.Sum(nil)),
		style: []byte(opts.Style + ownStyle), links: opts.Links, mux: http.NewServeMux(),
	}
	for pattern, page := range map[string]func(*look) (any, bool){
		"{$}":                                  world,
		"requests":                             requests,
		"repos/{owner}/{name}":                 repository,
		"repos/{owner}/{name}/issues":          issues,
		"repos/{owner}/{name}/pulls":           pulls,
		"repos/{owner}/{name}/issues/{number}": discussion,
		"repos/{owner}/{name}/runs":            runs,
		"repos/{owner}/{name}/runs/{id}":       run,
		"repos/{owner}/{name}/releases":        releases,
		"projects/{id}":                        project,
	} {
		p.mux.HandleFunc("GET "+prefix+pattern, func(out http.ResponseWriter, r *http.Request) { p.answer(out, r, page) })
	}
	p.mux.HandleFunc("GET "+stylePath, func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/css; charset=utf-8")
		// It fails if the client is gone, and there is nobody to tell.
		_, _ = out.Write(p.style)
	})
	p.mux.HandleFunc(prefix, func(out http.ResponseWriter, _ *http.Request) { missing(out) })
	return p
}

// Address returns the address that lets a person in, where the pages are served
// below a base such as "http://127.0.0.1:8080".
func (p *Pages) Address(base string) string {
	return base + enterPath + "?" + url.Values{"token": {p.token}}.Encode()
}

// Before returns a handler that answers for pages, to those who are let in, and
// leaves all else to the next one, so that to others there are no pages.
func (p *Pages) Before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		port, direct := loopbackPort(r)
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		link := ""
		if p.links {
			link = pageOf(r.URL.Path)
		}
		switch {
		case link != "" && direct && reads && r.Header.Get("Authorization") == "":
			http.Redirect(out, r, link, http.StatusSeeOther)
		case !strings.HasPrefix(r.URL.Path, prefix) || !direct || !reads || r.Header.Get("Authorization") != "":
			next.ServeHTTP(out, r)
		case r.URL.Path == enterPath && equal(r.URL.Query().Get("token"), p.token):
			secure(out.Header())
			http.SetCookie(out, &http.Cookie{ //nolint:gosec // it is plain HTTP, on loopback
				Name: cookieName + port, Value: p.session, Path: prefix, HttpOnly: true, SameSite: http.SameSiteLaxMode,
			})
			http.Redirect(out, r, prefix, http.StatusSeeOther)
		case p.knows(r, port):
			secure(out.Header())
			p.mux.ServeHTTP(out, r)
		default:
			next.ServeHTTP(out, r)
		}
	})
}

// pageOf returns the page for a path of github.com's, such as
// "/octo/hello/pull/7", empty for other paths.
func pageOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	isAPI := parts[0] == "repositories"
	if len(parts) != 4 || isAPI || parts[2] != "pull" && parts[2] != "issues" {
		return ""
	}
	if _, err := strconv.ParseUint(parts[3], 10, 64); err != nil {
		return ""
	}
	return prefix + "repos/" + url.PathEscape(parts[0]) + "/" + url.PathEscape(parts[1]) + "/issues/" + parts[3]
}

// knows reports whether who asks was let in.
func (p *Pages) knows(r *http.Request, port string) bool {
	cookie, err := r.Cookie(cookieName + port)
	return err == nil && equal(cookie.Value, p.session)
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// loopbackPort returns the port of a request by a loopback address. Cookies
// know no ports, so that the name of ours has it.
func loopbackPort(r *http.Request) (port string, ok bool) {
	at, err := netip.ParseAddrPort(r.Host)
	if r.TLS != nil || err != nil || !at.Addr().IsLoopback() {
		return "", false
	}
	_, port, _ = strings.Cut(at.String(), ":")
	return port, true
}

// secure says to a browser: nothing from elsewhere, no script, no frame.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// look is one look at the world.
type look struct {
	*http.Request
	state    *model.State
	requests []sandbox.Entry
	tokens   map[string]sandbox.Token
}

// answer shows a page. It is made from a state that does not change meanwhile,
// and sent when that may change again.
func (p *Pages) answer(out http.ResponseWriter, r *http.Request, page func(*look) (any, bool)) {
	at := &look{Request: r, requests: p.world.Audit(), tokens: p.world.Tokens()}
	var view any
	var found bool
	p.world.Look(func(s *model.State) {
		at.state = s
		view, found = page(at)
	})
	if !found {
		missing(out)
		return
	}
	show(out, http.StatusOK, view)
}

func missing(out http.ResponseWriter) { show(out, http.StatusNotFound, missingView{}) }

// missingView is for what is not there.
type missingView struct{}

// show writes a page; its template is named after the view.
func show(out http.ResponseWriter, status int, view any) {
	var text bytes.Buffer
	if err := templates().ExecuteTemplate(&text, templateOf(view), view); err != nil {
		http.Error(out, "The page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	out.WriteHeader(status)
	// It fails if the client is gone, and there is nobody to tell.
	_, _ = io.WriteString(out, changes.Visible(text.String()))
}

func templateOf(view any) string {
	switch view.(type) {
	case worldView:
		return "world"
	case requestsView:
		return "requests"
	case repositoryView:
		return "repository"
	case listView:
		return "list"
	case discussionView:
		return "discussion"
	case runView:
		return "run"
	case releasesView:
		return "releases"
	case projectView:
		return "project"
	default:
		return "missing"
	}
}

// templates parses the pages anew: that takes less than a person notices, and
// nothing is kept for a page that nobody opens.
func templates() *template.Template { return template.Must(template.New("").Parse(texts)) }
