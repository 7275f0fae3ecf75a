package sandbox

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// The pages of github.com with which Apps let users sign in, are made, and are
// installed.
const (
	authorizePath   = "/login/oauth/authorize"
	accessTokenPath = "/login/oauth/access_token" //nolint:gosec // it is a path
	newAppPath      = "/settings/apps/new"
	// installationPath begins that of the page of an installation.
	installationPath = "/settings/installations/"
)

const (
	// codeLife is how long a code of the web flow is good, manifestLife one of
	// an App's manifest.
	codeLife     = 10 * time.Minute
	manifestLife = time.Hour
)

// signIn is what a world knows of users who sign in through Apps.
type signIn struct {
	mu sync.Mutex
	// allowed are the logins that may sign in without a password.
	allowed []string
	codes   map[string]code
	// manifests are Apps whose credentials have not been fetched, by code.
	manifests map[string]manifest
}

// code is what a user let an App exchange for a token.
type code struct {
	app, login, redirect string
	challenge            string
	expires              time.Time
}

// AllowSignIn lets anybody who reaches github.com of this world sign in as one
// of these users, as there are no passwords. At first nobody can. Pages choose
// the user by the parameter login, or ask which one if there are several.
func (w *World) AllowSignIn(logins ...string) {
	w.signIn.mu.Lock()
	defer w.signIn.mu.Unlock()
	w.signIn.allowed = append(w.signIn.allowed, logins...)
}

// isPage reports whether a path is that of one of the pages, which clients on
// loopback have no other name for.
func isPage(path string) bool {
	return path == authorizePath || path == accessTokenPath || isNewApp(path) || installedApp(path) != "" ||
		strings.HasPrefix(path, installationPath)
}

// answerPage answers a request for one of the pages; ok is false for others.
func (w *World) answerPage(x *exchange) (answer rest.Response, ok bool) {
	path, isGet := x.in.URL.Path, x.in.Method == http.MethodGet
	switch {
	case path == authorizePath && isGet:
		return w.authorize(x.in.URL.Query()), true
	case path == accessTokenPath && x.in.Method == http.MethodPost:
		return w.exchangeCode(x), true
	case isNewApp(path):
		return w.newApp(x), true
	case installedApp(path) != "" && isGet:
		return w.installApp(x), true
	case strings.HasPrefix(path, installationPath) && isGet:
		return w.showInstallation(path), true
	default:
		return rest.Response{}, false
	}
}

// who returns the user that a page is for, or else the page that asks. Links of
// the page lead to where the user was, with his login.
func (w *World) who(at *url.URL, title string) (login string, ask *rest.Response) {
	w.signIn.mu.Lock()
	allowed := slices.Clone(w.signIn.allowed)
	w.signIn.mu.Unlock()
	query := at.Query()
	login = query.Get("login")
	if login == "" && len(allowed) == 1 {
		login = allowed[0]
	}
	known := false
	w.Look(func(s *model.State) { known = s.User(login) != nil && slices.Contains(allowed, login) })
	if known {
		return login, nil
	}
	type choice struct{ Login, Address string }
	var choices []choice
	for _, one := range allowed {
		query.Set("login", one)
		choices = append(choices, choice{one, at.Path + "?" + query.Encode()})
	}
	answer := shownPage(map[string]any{"Title": title, "Choices": choices})
	return "", &answer
}

// shownPage answers with a page of this view.
func shownPage(view map[string]any) rest.Response {
	var page bytes.Buffer
	// A buffer takes what is written to it.
	_ = sitePage.Execute(&page, view)
	return htmlPage(http.StatusOK, page.Bytes())
}

var sitePage = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{{.Title}}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style>
<h1>{{.Title}}</h1>
{{if .Said}}<p>{{.Said}}</p>
{{else if .Choices}}<p>This is a sandbox. Continue as:</p>
<ul>{{range .Choices}}<li><a href="{{.Address}}">{{.Login}}</a></li>{{end}}</ul>
{{else}}<p>Nobody may sign in to this sandbox.</p>{{end}}
</html>
`))

func htmlPage(status int, page []byte) rest.Response {
	return rest.Response{Status: status, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: page}
}

// sendTo sends a browser to an address with more parameters.
func sendTo(address string, parameters map[string]string) rest.Response {
	to, err := url.Parse(address)
	if err != nil {
		return htmlPage(http.StatusNotFound, []byte("Not Found"))
	}
	query := to.Query()
	for name, value := range parameters {
		if value != "" {
			query.Set(name, value)
		}
	}
	to.RawQuery = query.Encode()
	return rest.Response{Status: http.StatusFound, Header: http.Header{"Location": {to.String()}}}
}

// authorize lets an App have a user's token, as in "Using the web application
// flow" of GitHub's documentation. The user agrees by signing in.
func (w *World) authorize(query url.Values) rest.Response {
	var app model.App
	w.Look(func(s *model.State) {
		if a := s.AppByClientID(query.Get("client_id")); a != nil {
			app = *a
		}
	})
	if app.ID == 0 || len(app.CallbackURLs) == 0 {
		return htmlPage(http.StatusNotFound, []byte("Not Found"))
	}
	state := query.Get("state")
	redirect := query.Get("redirect_uri")
	if redirect == "" {
		redirect = app.CallbackURLs[0]
	}
	if !slices.ContainsFunc(app.CallbackURLs, func(registered string) bool { return below(registered, redirect) }) {
		return sendTo(app.CallbackURLs[0], map[string]string{
			"error": "redirect_uri_mismatch", "state": state,
			"error_description": "The redirect_uri MUST match the registered callback URL for this application.",
		})
	}
	login, ask := w.who(&url.URL{Path: authorizePath, RawQuery: query.Encode()}, "Sign in to "+app.Name)
	if ask != nil {
		return *ask
	}
	one := code{app: app.Slug, login: login, redirect: redirect, expires: w.now().Add(codeLife)}
	if query.Get("code_challenge_method") == "S256" {
		one.challenge = query.Get("code_challenge")
	}
	value := newToken("")[:20]
	now := w.now()
	w.signIn.mu.Lock()
	defer w.signIn.mu.Unlock()
	if w.signIn.codes == nil {
		w.signIn.codes = map[string]code{}
	}
	maps.DeleteFunc(w.signIn.codes, func(_ string, c code) bool { return !now.Before(c.expires) })
	w.signIn.codes[value] = one
	return sendTo(redirect, map[string]string{"code": value, "state": state})
}

// below reports whether an address is a registered one or below it. On
// loopback, the port may be any.
func below(registered, address string) bool {
	want, err := url.Parse(registered)
	got, otherErr := url.Parse(address)
	if err != nil || otherErr != nil || want.Scheme != got.Scheme || got.User != nil {
		return false
	}
	at := net.ParseIP(want.Hostname())
	sameHost := strings.EqualFold(want.Host, got.Host) || at.IsLoopback() && want.Hostname() == got.Hostname()
	return sameHost && (got.Path == want.Path || strings.HasPrefix(got.Path, strings.TrimSuffix(want.Path, "/")+"/")) && !strings.Contains(got.Path, "..")
}

// exchangeCode gives an App the token for a code. Failures have status 200, as
// GitHub's have.
func (w *World) exchangeCode(x *exchange) rest.Response {
	in := parameters(x)
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.state.Time()
	app := w.state.AppByClientID(in.Get("client_id"))
	if app == nil || app.ClientSecret == "" || subtle.ConstantTimeCompare([]byte(app.ClientSecret), []byte(in.Get("client_secret"))) != 1 {
		return tokenAnswer(x, "incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")
	}
	w.signIn.mu.Lock()
	one, known := w.signIn.codes[in.Get("code")]
	delete(w.signIn.codes, in.Get("code"))
	w.signIn.mu.Unlock()
	switch {
	case !known || one.app != app.Slug || !now.Before(one.expires) || !one.verifies(in.Get("code_verifier")):
		return tokenAnswer(x, "bad_verification_code", "The code passed is incorrect or expired.")
	case in.Get("redirect_uri") != "" && in.Get("redirect_uri") != one.redirect:
		return tokenAnswer(x, "redirect_uri_mismatch", "The redirect_uri MUST match the registered callback URL for this application.")
	}
	token := newToken("ghu_")
	w.tokens[token] = Token{User: one.login, OAuth: app.Slug}
	return encoded(x, url.Values{"access_token": {token}, "scope": {""}, "token_type": {"bearer"}})
}

// verifies reports whether a verifier is that of the code's challenge (RFC
// 7636); without a challenge there is none.
func (c code) verifies(verifier string) bool {
	sum := sha256.Sum256([]byte(verifier))
	return c.challenge == "" || base64.RawURLEncoding.EncodeToString(sum[:]) == c.challenge
}

// parameters returns those of the address and of the body, which is a form or
// JSON.
func parameters(x *exchange) url.Values {
	all := x.in.URL.Query()
	var object map[string]string
	if json.Unmarshal(x.body, &object) == nil {
		for name, value := range object {
			all.Set(name, value)
		}
		return all
	}
	form, err := url.ParseQuery(string(x.body))
	for name := range form {
		if err == nil {
			all.Set(name, form.Get(name))
		}
	}
	return all
}

func tokenAnswer(x *exchange, failure, description string) rest.Response {
	return encoded(x, url.Values{
		"error": {failure}, "error_description": {description},
		"error_uri": {"https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/"},
	})
}

// encoded answers with JSON to those who ask for it, and else with a form.
func encoded(x *exchange, values url.Values) rest.Response {
	if !strings.Contains(x.in.Header.Get("Accept"), "json") {
		return rest.Response{
			Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"}}, Body: []byte(values.Encode()),
		}
	}
	flat := map[string]string{}
	for name := range values {
		flat[name] = values.Get(name)
	}
	// Texts can always be encoded.
	body, _ := json.Marshal(flat)
	return rest.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, Body: body}
}
