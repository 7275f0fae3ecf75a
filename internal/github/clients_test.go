package github_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// clientsRig is an App in all repositories of the owner, of which one is private.
type clientsRig struct {
	*sandboxtest.World
	*github.Clients
	now time.Time
	// settings are the App's, and missing is the error while there is none.
	settings github.AppSettings
	missing  error
	tokens   map[string]bool
	limits   []string
	// sent is told every request; nil is told none.
	sent func(*http.Request)
}

func newClients(t *testing.T) *clientsRig {
	t.Helper()
	world, settings := installed(t)
	r := &clientsRig{World: world, now: time.Now(), settings: settings, tokens: map[string]bool{}}
	r.Clients = github.NewClients(github.ClientsOptions{
		App: func() (github.AppSettings, error) { return r.settings, r.missing }, RESTURL: r.URL, Transport: r,
		Now: func() time.Time { return r.now }, Random: func() float64 { return 0 },
		Limit: func(installation, resource string, _ int) { r.limits = append(r.limits, installation+" "+resource) },
	})
	return r
}

// RoundTrip notes the tokens that are shown to GitHub.
func (r *clientsRig) RoundTrip(request *http.Request) (*http.Response, error) {
	r.tokens[request.Header.Get("Authorization")] = true
	if r.sent != nil {
		r.sent(request)
	}
	return http.DefaultTransport.RoundTrip(request)
}

// client returns a client for the repository of the world.
func (r *clientsRig) client() (*github.Client, error) {
	return r.Client(context.Background(), r.settings.InstallationID, sandboxtest.Owner, sandboxtest.Name)
}

func TestAClientReachesOneRepository(t *testing.T) {
	r := newClients(t)
	client, err := r.client()
	require.NoError(t, err)
	assert.Empty(t, r.tokens, "nothing is asked before it is needed")
	_, _, err = client.REST.Repositories.Get(t.Context(), sandboxtest.Owner, sandboxtest.Name)
	require.NoError(t, err)
	_, _, err = client.REST.Repositories.Get(t.Context(), sandboxtest.Owner, "secret")
	assert.Equal(t, http.StatusNotFound, github.StatusOf(err), "the App is there, the token is not")
	_, _, err = client.REST.Repositories.DeleteFile(t.Context(), sandboxtest.Owner, sandboxtest.Name, "README.md", nil)
	assert.Equal(t, http.StatusForbidden, github.StatusOf(err), "contents are read")
	assert.NotEmpty(t, r.limits)

	again, err := r.client()
	require.NoError(t, err)
	assert.Same(t, client, again)
	count := len(r.tokens)
	r.now = r.now.Add(59 * time.Minute)
	_, _, err = client.REST.Repositories.Get(t.Context(), sandboxtest.Owner, sandboxtest.Name)
	require.NoError(t, err, "whoever has a client for long has its token renewed")
	assert.Greater(t, len(r.tokens), count)
	fresh, err := r.client()
	require.NoError(t, err)
	assert.NotSame(t, client, fresh, "what was granted since is asked for")
}

// A request for which there can be no token is not worth its pauses: a check run waits.
func TestATokenThatIsRefusedIsAskedForOnce(t *testing.T) {
	r := newClients(t)
	asked := 0
	r.sent = func(request *http.Request) {
		if strings.HasSuffix(request.URL.Path, "/access_tokens") {
			asked++
		}
	}
	client, err := r.Client(t.Context(), r.settings.InstallationID, sandboxtest.Owner, "not-there")
	require.NoError(t, err)
	_, _, err = client.REST.Repositories.Get(t.Context(), sandboxtest.Owner, "not-there")
	assert.Equal(t, http.StatusUnprocessableEntity, github.StatusOf(err))
	assert.Equal(t, 1, asked)
}

func TestALongLimitIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := github.NewClients(github.ClientsOptions{
			App: func() (github.AppSettings, error) { return github.AppSettings{AppID: 1, PrivateKey: appKeyPEM()}, nil },
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

func TestAnotherAppHasOtherClients(t *testing.T) {
	r := newClients(t)
	first, err := r.client()
	require.NoError(t, err)
	key, _ := sandboxtest.Key(t)
	r.settings.PrivateKey = key
	second, err := r.client()
	require.NoError(t, err)
	assert.NotSame(t, first, second)
	r.missing = errors.New("there is no App")
	_, err = r.client()
	assert.ErrorIs(t, err, r.missing)
	_, err = r.InstallationFor(t.Context(), "owner/secret")
	assert.ErrorIs(t, err, r.missing)
}

func TestWhereTheAppIsInstalled(t *testing.T) {
	r := newClients(t)
	found, err := r.InstallationFor(t.Context(), "owner/secret")
	require.NoError(t, err)
	assert.Equal(t, r.settings.InstallationID, found)
	_, err = r.InstallationFor(t.Context(), "owner/nothing")
	assert.ErrorContains(t, err, "is not installed in owner/nothing")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestWhoTheAppIs(t *testing.T) {
	r := newClients(t)
	var asked int
	r.sent = func(q *http.Request) {
		if q.URL.Path == "/app" {
			asked++
		}
	}
	for range 2 {
		login, err := r.Bot(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "bench-fixtures[bot]", login)
	}
	assert.Equal(t, 1, asked, "it is not asked for each time")
	r.Change(func(s *model.State, _ *model.Repo) { s.Apps.Get(r.settings.AppID).Slug = "renamed" })
	r.now = r.now.Add(time.Minute)
	login, err := r.Bot(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "renamed[bot]", login)
	r.missing = errors.New("there is no App")
	_, err = r.Bot(t.Context())
	assert.ErrorIs(t, err, r.missing)
}
