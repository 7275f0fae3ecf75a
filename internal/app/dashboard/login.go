package dashboard

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Account is who a user's token belongs to, and what it shows.
type Account struct {
	Login string
	// Repos are the full names of the repositories of the App's installations
	// that the user may see.
	Repos []string
}

// Login lets people in by GitHub's web flow for Apps.
// https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
type Login struct {
	// ClientID and ClientSecret are the App's.
	ClientID, ClientSecret string
	// ServerURL is GitHub's, such as https://github.com; PublicURL is ours.
	ServerURL, PublicURL string
	// HTTP asks GitHub for tokens.
	HTTP *http.Client
	// Lookup asks GitHub about a user's token. A token that GitHub does not
	// take any more is [ErrLoggedOut].
	Lookup func(ctx context.Context, token string) (Account, error)
	// Revoke ends a user's token at GitHub.
	Revoke func(ctx context.Context, token string) error
	Now    func() time.Time

	mu sync.Mutex
	// accounts are answers of Lookup, by token.
	accounts map[string]remembered
}

// ErrLoggedOut is about a token that GitHub does not take any more.
var ErrLoggedOut = errors.New("the token is not valid any more")

var errNoSession = errors.New("nobody is logged in")

type remembered struct {
	account Account
	until   time.Time
}

const (
	sessionCookie = "bench_session"
	stateCookie   = "bench_login"
	// sessionLife is as long as GitHub's tokens that expire.
	sessionLife = 8 * time.Hour
	stateLife   = 10 * time.Minute
	// ended takes a cookie away.
	ended = -time.Second
	// accountLife is how long it takes until a loss of access is seen.
	accountLife = time.Minute
	// awayLife is how much longer what was seen counts while GitHub cannot be asked.
	awayLife = time.Hour
	// maxRemembered bounds how many accounts are remembered.
	maxRemembered = 1000
	maxAnswer     = 1 << 20
)

// session is what the cookie of somebody who has logged in holds, sealed.
type session struct {
	Token string    `json:"token"`
	Until time.Time `json:"until"`
}

// attempt is what the cookie of somebody who is logging in holds, sealed.
type attempt struct {
	State string    `json:"state"`
	Next  string    `json:"next"`
	Until time.Time `json:"until"`
}

func (l *Login) mount(mux *http.ServeMux, d *pages) {
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) { l.begin(w, r, d) })
	mux.HandleFunc("GET /login/callback", func(w http.ResponseWriter, r *http.Request) { l.end(w, r, d) })
	mux.HandleFunc("POST /logout", func(w http.ResponseWriter, r *http.Request) { l.logout(w, r, d) })
}

// logout ends the session, and the token with it: a copy of the cookie is of no use
// then. Where GitHub cannot be asked the cookie is gone nevertheless.
func (l *Login) logout(w http.ResponseWriter, r *http.Request, d *pages) {
	var s session
	if l.open(r, sessionCookie, &s) == nil {
		if err := l.Revoke(r.Context(), s.Token); err != nil {
			d.Failed(err)
		}
		l.mu.Lock()
		delete(l.accounts, s.Token)
		l.mu.Unlock()
	}
	l.set(w, sessionCookie, "", ended)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (l *Login) begin(w http.ResponseWriter, r *http.Request, d *pages) {
	try := attempt{State: rand.Text(), Next: localPath(r.FormValue("next")), Until: l.Now().Add(stateLife)}
	sealed, err := seal(l.ClientSecret, stateCookie, try)
	if err != nil {
		d.fail(w, err)
		return
	}
	l.set(w, stateCookie, sealed, stateLife)
	query := url.Values{"client_id": {l.ClientID}, "redirect_uri": {l.PublicURL + "/login/callback"}, "state": {try.State}}
	http.Redirect(w, r, l.ServerURL+"/login/oauth/authorize?"+query.Encode(), http.StatusSeeOther)
}

// localPath returns a path of ours, the root for anything else.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}

func (l *Login) end(w http.ResponseWriter, r *http.Request, d *pages) {
	var try attempt
	l.set(w, stateCookie, "", ended)
	err := l.open(r, stateCookie, &try)
	right := err == nil && l.Now().Before(try.Until) && subtle.ConstantTimeCompare([]byte(try.State), []byte(r.FormValue("state"))) == 1
	if !right || r.FormValue("code") == "" {
		d.render(w, http.StatusBadRequest, "refused", view{Title: "No login"})
		return
	}
	token, err := l.exchange(r.Context(), r.FormValue("code"))
	if err != nil {
		d.Failed(err)
		d.render(w, http.StatusBadRequest, "refused", view{Title: "No login"})
		return
	}
	sealed, err := seal(l.ClientSecret, sessionCookie, session{Token: token, Until: l.Now().Add(sessionLife)})
	if err != nil {
		d.fail(w, err)
		return
	}
	l.set(w, sessionCookie, sealed, sessionLife)
	http.Redirect(w, r, try.Next, http.StatusSeeOther)
}

// exchange gives a code for a user's token.
func (l *Login) exchange(ctx context.Context, code string) (string, error) {
	form := url.Values{"client_id": {l.ClientID}, "client_secret": {l.ClientSecret}, "code": {code}, "redirect_uri": {l.PublicURL + "/login/callback"}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.ServerURL+"/login/oauth/access_token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", fault.Internalf("log in: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	response, err := l.HTTP.Do(request)
	if err != nil {
		return "", fault.Infraf("log in at %s: %w", l.ServerURL, err)
	}
	defer response.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
		Error       string `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&answer); err != nil {
		return "", fault.Infraf("log in at %s: answer %d cannot be read", l.ServerURL, response.StatusCode)
	}
	if answer.AccessToken == "" {
		return "", fault.Infraf("log in at %s: %s", l.ServerURL, fmt.Sprintf("%.60q", answer.Error))
	}
	return answer.AccessToken, nil
}

// visitor returns who looks; [errNoSession] where nobody is logged in.
func (l *Login) visitor(r *http.Request) (visitor, error) {
	var s session
	if err := l.open(r, sessionCookie, &s); err != nil || !l.Now().Before(s.Until) {
		return visitor{}, errNoSession
	}
	account, err := l.account(r.Context(), s.Token)
	if errors.Is(err, ErrLoggedOut) {
		return visitor{}, errNoSession
	}
	if err != nil {
		return visitor{}, fmt.Errorf("ask what a visitor may see: %w", err)
	}
	return visitor{login: account.Login, repos: account.Repos}, nil
}

func (l *Login) account(ctx context.Context, token string) (Account, error) {
	now := l.Now()
	l.mu.Lock()
	known, ok := l.accounts[token]
	l.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.account, nil
	}
	account, err := l.Lookup(ctx, token)
	if ok && err != nil && !errors.Is(err, ErrLoggedOut) && now.Before(known.until.Add(awayLife)) {
		return known.account, nil // GitHub is away, and was not asked long ago
	}
	if err != nil {
		return Account{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accounts == nil || len(l.accounts) >= maxRemembered {
		l.accounts = map[string]remembered{}
	}
	l.accounts[token] = remembered{account, now.Add(accountLife)}
	return account, nil
}

// set sets a cookie, or takes it away if life is negative. It comes back with
// links from GitHub, but not with another site's forms.
func (l *Login) set(w http.ResponseWriter, name, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(life.Seconds()), HttpOnly: true,
		Secure: strings.HasPrefix(l.PublicURL, "https://"), SameSite: http.SameSiteLaxMode,
	})
}

// open reads a sealed cookie.
func (l *Login) open(r *http.Request, name string, into any) error {
	cookie, err := r.Cookie(name)
	if err != nil {
		return err
	}
	return unseal(l.ClientSecret, name, cookie.Value, into)
}
