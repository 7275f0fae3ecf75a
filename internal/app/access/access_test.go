package access_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/access"
	"github.com/ghx-dev/bench-action/internal/app/config"
	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// rig is an App in all repositories of the owner, of which one is private.
type rig struct {
	*sandboxtest.World
	*access.Access
	now          time.Time
	credentials  config.Credentials
	installation int64
	tokens       map[string]bool
	limits       []string
	// sent is told every request; nil is told none.
	sent func(*http.Request)
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{World: sandboxtest.New(t), now: time.Now(), tokens: map[string]bool{}}
	r.Use(sandbox.Outside{Now: time.Now})
	private, public := sandboxtest.Key(t)
	r.Change(func(s *model.State, repo *model.Repo) {
		secret := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "secret", Private: true})
		app := s.AddApp(model.NewApp{
			Slug: "bench", Owner: repo.OwnerID, Repos: []model.ID{repo.ID, secret.ID}, PublicKey: string(public), ClientID: "Iv1.bench", ClientSecret: "client-secret",
			CallbackURLs: []string{"http://127.0.0.1/login/callback"},
			Permissions: map[string]string{
				"metadata": "read", "contents": "write", "checks": "write", "issues": "write", "pull_requests": "write", "administration": "write",
			},
			Events: []string{"pull_request", "issue_comment"},
		})
		r.credentials = config.Credentials{AppID: app.ID, PrivateKey: string(private), WebhookSecret: "0123456789abcdef"}
		r.installation = s.InstallationIn(app, repo).ID
	})
	r.Access = access.New(access.Options{
		Credentials: func() config.Credentials { return r.credentials }, APIURL: r.URL, Transport: r,
		Now: func() time.Time { return r.now }, Random: func() float64 { return 0 },
		Limit: func(installation, resource string, _ int) { r.limits = append(r.limits, installation+" "+resource) },
	})
	return r
}

// RoundTrip notes the tokens that are shown to GitHub.
func (r *rig) RoundTrip(request *http.Request) (*http.Response, error) {
	r.tokens[request.Header.Get("Authorization")] = true
	if r.sent != nil {
		r.sent(request)
	}
	return http.DefaultTransport.RoundTrip(request)
}

func TestAClientReachesOneRepository(t *testing.T) {
	r := newRig(t)
	client, err := r.Client(t.Context(), r.installation, sandboxtest.Owner, sandboxtest.Name)
	require.NoError(t, err)
	assert.Empty(t, r.tokens, "nothing is asked before it is needed")
	_, _, err = client.REST.Repositories.Get(t.Context(), sandboxtest.Owner, sandboxtest.Name)
	require.NoError(t, err)
	_, _, err = client.REST.Repositories.Get(t.Context(), sandboxtest.Owner, "secret")
	assert.Equal(t, http.StatusNotFound, github.StatusOf(err), "the App is there, the token is not")
	_, _, err = client.REST.Repositories.DeleteFile(t.Context(), sandboxtest.Owner, sandboxtest.Name, "README.md", nil)
	assert.Equal(t, http.StatusForbidden, github.StatusOf(err), "contents are read")
	assert.NotEmpty(t, r.limits)

	again, err := r.Client(t.Context(), r.installation, sandboxtest.Owner, sandboxtest.Name)
	require.NoError(t, err)
	assert.Same(t, client, again)
	count := len(r.tokens)
	r.now = r.now.Add(59 * time.Minute)
	_, _, err = client.REST.Repositories.Get(t.Context(), sandboxtest.Owner, sandboxtest.Name)
	require.NoError(t, err, "whoever has a client for long has its token renewed")
	assert.Greater(t, len(r.tokens), count)
	fresh, err := r.Client(t.Context(), r.installation, sandboxtest.Owner, sandboxtest.Name)
	require.NoError(t, err)
	assert.NotSame(t, client, fresh, "what was granted since is asked for")
}

// roundTrip is a transport that is a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func TestALongLimitIsNotWaitedFor(t *testing.T) {
	private, _ := sandboxtest.Key(t)
	synctest.Test(t, func(t *testing.T) {
		limits := access.New(access.Options{
			Credentials: func() config.Credentials {
				return config.Credentials{AppID: 1, PrivateKey: string(private), WebhookSecret: "x"}
			},
			Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				answer := httptest.NewRecorder()
				answer.Header().Set("Retry-After", "60")
				answer.WriteHeader(http.StatusTooManyRequests)
				return answer.Result(), nil
			}),
			Now: time.Now, Random: func() float64 { return 1 },
		})
		began := time.Now()
		client, err := limits.Client(t.Context(), 5, "o", "r")
		require.NoError(t, err)
		_, _, err = client.REST.PullRequests.Get(t.Context(), "o", "r", 1)
		until, is := github.LimitedUntil(err)
		assert.True(t, is, "whoever asks can come back: %v", err)
		assert.Equal(t, began.Add(time.Minute), until)
		assert.Zero(t, time.Since(began), "others need its worker")
	})
}

func TestOtherCredentialsMakeOtherClients(t *testing.T) {
	r := newRig(t)
	first, err := r.Client(t.Context(), r.installation, sandboxtest.Owner, sandboxtest.Name)
	require.NoError(t, err)
	r.credentials.WebhookSecret = "another-secret-of-16"
	second, err := r.Client(t.Context(), r.installation, sandboxtest.Owner, sandboxtest.Name)
	require.NoError(t, err)
	assert.NotSame(t, first, second)
	r.credentials = config.Credentials{}
	_, err = r.Client(t.Context(), r.installation, sandboxtest.Owner, sandboxtest.Name)
	assert.ErrorContains(t, err, "not set up")
}

func TestWhereTheAppIsInstalled(t *testing.T) {
	r := newRig(t)
	found, err := r.InstallationFor(t.Context(), "owner/secret")
	require.NoError(t, err)
	assert.Equal(t, r.installation, found)
	_, err = r.InstallationFor(t.Context(), "owner/nothing")
	assert.ErrorContains(t, err, "is not installed in owner/nothing")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestWhatTheAppLacks(t *testing.T) {
	r := newRig(t)
	lacks, err := r.Lacks(t.Context(), map[string]string{"contents": "read", "actions": "write", "checks": "write"}, []string{"pull_request", "workflow_run"})
	require.NoError(t, err)
	require.Len(t, lacks, 2)
	assert.Contains(t, lacks[0], "the permission actions: write")
	assert.Contains(t, lacks[1], "the event workflow_run")
	key, _ := sandboxtest.Key(t)
	r.credentials.PrivateKey = string(key)
	_, err = r.Lacks(t.Context(), nil, nil)
	assert.ErrorContains(t, err, "does not accept the key")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

// token has somebody sign in.
func (r *rig) token(t *testing.T, login string) string {
	t.Helper()
	r.AllowSignIn(login)
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	page, err := browser.Get(r.URL + "/login/oauth/authorize?client_id=Iv1.bench&login=" + login)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	to, err := page.Location()
	require.NoError(t, err)
	form := url.Values{"client_id": {"Iv1.bench"}, "client_secret": {"client-secret"}, "code": {to.Query().Get("code")}}
	return r.With("").Do("POST", "/login/oauth/access_token", form.Encode(), "Accept", "application/json").Text("access_token")
}

func TestWhatAUserSees(t *testing.T) {
	r := newRig(t)
	owner := r.token(t, "owner")
	account, err := r.Account(t.Context(), owner)
	require.NoError(t, err)
	assert.Equal(t, dashboard.Account{Login: "owner", Repos: []string{"owner/hello", "owner/secret"}}, account)
	account, err = r.Account(t.Context(), r.token(t, "stranger"))
	require.NoError(t, err)
	assert.Equal(t, dashboard.Account{Login: "stranger"}, account)
	_, err = r.Account(t.Context(), "nonsense")
	assert.ErrorIs(t, err, dashboard.ErrLoggedOut)
}

func TestAUsersTokenIsEnded(t *testing.T) {
	status := http.StatusNoContent
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		id, secret, _ := r.BasicAuth()
		asked = append(asked, fmt.Sprint(r.Method, " ", r.URL.Path, " ", id, ":", secret, " ", strings.TrimSpace(string(body)), err))
		w.WriteHeader(status)
	}))
	defer server.Close()
	a := access.New(access.Options{APIURL: server.URL, Transport: http.DefaultTransport})
	require.NoError(t, a.Revoke(t.Context(), "Iv1.bench", "client-secret", "ghu_x"))
	assert.Equal(t, []string{`DELETE /applications/Iv1.bench/token Iv1.bench:client-secret {"access_token":"ghu_x"}<nil>`}, asked)
	status = http.StatusUnprocessableEntity
	require.NoError(t, a.Revoke(t.Context(), "Iv1.bench", "client-secret", "ghu_x"), "it has ended")
	status = http.StatusNotFound
	require.Error(t, a.Revoke(t.Context(), "Iv1.other", "client-secret", "ghu_x"))
}

func TestWhoTheAppIs(t *testing.T) {
	r := newRig(t)
	var asked int
	r.sent = func(q *http.Request) {
		if q.URL.Path == "/app" {
			asked++
		}
	}
	for range 2 {
		login, err := r.Bot(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "bench[bot]", login)
	}
	assert.Equal(t, 1, asked, "it is not asked for each time")
	r.Change(func(s *model.State, _ *model.Repo) { s.Apps.Get(r.credentials.AppID).Slug = "renamed" })
	r.now = r.now.Add(time.Minute)
	login, err := r.Bot(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "renamed[bot]", login)
	r.credentials = config.Credentials{}
	_, err = r.Bot(t.Context())
	assert.ErrorContains(t, err, "not set up")
}
