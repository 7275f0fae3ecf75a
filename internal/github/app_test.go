package github_test

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

const (
	appID        = 77
	installation = 4242
	fixturesRepo = "owner/fixtures"
)

// appKey is a private key, which takes a moment to make.
var appKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func appKeyPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(appKey())})
}

// appServer is the part of GitHub that makes tokens for Apps.
type appServer struct {
	*httptest.Server
	now time.Time
	// granted are the permissions of the installation.
	granted map[string]string
	// otherKey is true if the App has another key than the one here.
	otherKey bool
	// repository is the one that tokens are said to be for.
	repository string

	mu sync.Mutex
	// asked are the bodies of requests for tokens, live the tokens that there
	// are, seen those that clients have shown.
	asked []map[string]any
	live  map[string]bool
	seen  []string
}

func newAppServer(t *testing.T) *appServer {
	s := &appServer{
		now: time.Date(2026, 2, 25, 12, 0, 0, 0, time.UTC), live: map[string]bool{}, repository: fixturesRepo,
		granted: map[string]string{
			"metadata": "read", "contents": "write", "issues": "write", "pull_requests": "write", "actions": "write", "checks": "write",
			"administration": "write", "organization_projects": "admin",
		},
	}
	mux := http.NewServeMux()
	asApp := func(handle http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if s.otherKey || !signedByApp(r) {
				http.Error(w, `{"message":"A JSON web token could not be decoded"}`, http.StatusUnauthorized)
				return
			}
			handle(w, r)
		}
	}
	path := fmt.Sprintf("/app/installations/%d", installation)
	mux.HandleFunc("GET "+path, asApp(func(w http.ResponseWriter, _ *http.Request) {
		assert.NoError(t, json.NewEncoder(w).Encode(map[string]any{"id": installation, "permissions": s.granted}))
	}))
	mux.HandleFunc("POST "+path+"/access_tokens", asApp(s.makeToken))
	mux.HandleFunc("DELETE /installation/token", s.endToken)
	mux.HandleFunc("GET /repos/"+fixturesRepo, s.show)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// signedByApp checks a JSON web token as GitHub does.
func signedByApp(r *http.Request) bool {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	at := strings.LastIndex(token, ".")
	if at < 0 {
		return false
	}
	signature, err := base64.RawURLEncoding.DecodeString(token[at+1:])
	hash := sha256.Sum256([]byte(token[:at]))
	return err == nil && rsa.VerifyPKCS1v15(&appKey().PublicKey, crypto.SHA256, hash[:], signature) == nil
}

func (s *appServer) makeToken(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body map[string]any
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.asked = append(s.asked, body)
	token := fmt.Sprintf("ghs_token%d", len(s.asked))
	s.live[token] = true
	w.WriteHeader(http.StatusCreated)
	// The client is gone if this fails.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"token": token, "expires_at": s.now.Add(time.Hour), "permissions": body["permissions"],
		"repositories": []map[string]string{{"full_name": s.repository}},
	})
}

func (s *appServer) endToken(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !s.live[token] {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	delete(s.live, token)
	w.WriteHeader(http.StatusNoContent)
}

func (s *appServer) show(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	// The client is gone if this fails.
	_, _ = io.WriteString(w, `{"full_name":"`+fixturesRepo+`"}`)
}

// app returns the App, which is told the server's time.
func (s *appServer) app(t *testing.T, change ...func(*github.AppSettings)) *github.App {
	t.Helper()
	settings := github.AppSettings{AppID: appID, InstallationID: installation, PrivateKey: appKeyPEM()}
	for _, c := range change {
		c(&settings)
	}
	app, err := github.NewApp(settings, github.AppOptions{
		Options: github.Options{RESTURL: s.URL}, Now: func() time.Time { return s.now },
	})
	require.NoError(t, err)
	return app
}

func TestAnAppsTokenIsForOneRepositoryAndOneUse(t *testing.T) {
	cases := map[github.Use]map[string]any{
		github.UseSeeding: {
			"metadata": "read", "contents": "write", "issues": "write", "pull_requests": "write", "actions": "write", "checks": "read", "organization_projects": "write",
		},
		github.UseAgent: {
			"metadata": "read", "contents": "write", "issues": "write", "pull_requests": "write", "actions": "write", "checks": "read", "organization_projects": "write",
		},
		github.UseVerifier: {
			"metadata": "read", "contents": "read", "issues": "read", "pull_requests": "read", "actions": "read", "checks": "read", "organization_projects": "read",
		},
	}
	for use, want := range cases {
		t.Run(string(use), func(t *testing.T) {
			s := newAppServer(t)
			token, err := s.app(t).Credential(fixturesRepo, use).Token(t.Context())
			require.NoError(t, err)
			assert.Equal(t, "ghs_token1", token)
			require.Len(t, s.asked, 1)
			assert.Equal(t, []any{"fixtures"}, s.asked[0]["repositories"])
			assert.Equal(t, want, s.asked[0]["permissions"], "and neither administration, which the App has, nor statuses, which it has not")
		})
	}
}

func TestAnAppsTokenIsRenewedBeforeItEnds(t *testing.T) {
	s := newAppServer(t)
	credential := s.app(t).Credential(fixturesRepo, github.UseAgent)
	client, err := github.New(github.Options{RESTURL: s.URL, Tokens: credential.Token})
	require.NoError(t, err)
	look := func() {
		t.Helper()
		_, _, err := client.REST.Repositories.Get(t.Context(), "owner", "fixtures")
		require.NoError(t, err)
	}
	look()
	s.now = s.now.Add(35 * time.Minute)
	look()
	s.now = s.now.Add(10 * time.Minute)
	look()
	assert.Equal(t, []string{"ghs_token1", "ghs_token1", "ghs_token2"}, s.seen, "the last 20 minutes are for who has the token already")

	require.NoError(t, credential.Revoke(t.Context()))
	assert.Empty(t, s.live, "the first one, which had 15 minutes left, is ended too")
	_, err = credential.Token(t.Context())
	require.ErrorContains(t, err, "after the end")
	require.NoError(t, credential.Revoke(t.Context()), "a second time")
}

func TestRevokingATokenThatHasEndedIsNoError(t *testing.T) {
	s := newAppServer(t)
	credential := s.app(t).Credential(fixturesRepo, github.UseVerifier)
	_, err := credential.Token(t.Context())
	require.NoError(t, err)
	clear(s.live)
	require.NoError(t, credential.Revoke(t.Context()))
}

func TestManyWhoAskAtOnceShareAToken(t *testing.T) {
	s := newAppServer(t)
	credential := s.app(t).Credential(fixturesRepo, github.UseAgent)
	var asking sync.WaitGroup
	for range 20 {
		asking.Go(func() {
			token, err := credential.Token(t.Context())
			assert.NoError(t, err)
			assert.Equal(t, "ghs_token1", token)
		})
	}
	asking.Wait()
	assert.Len(t, s.asked, 1)
}

func TestWhoWaitsForATokenWaitsNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan struct{})
		hangs := roundTrip(func(r *http.Request) (*http.Response, error) {
			select {
			case <-answers:
			case <-r.Context().Done():
			}
			return nil, errors.New("no answer")
		})
		app, err := github.NewApp(github.AppSettings{AppID: appID, InstallationID: installation, PrivateKey: appKeyPEM()},
			github.AppOptions{Options: github.Options{Transport: hangs}, Now: time.Now})
		require.NoError(t, err)
		credential, other := app.Credential(fixturesRepo, github.UseAgent), app.Credential("owner/other", github.UseAgent)
		var first sync.WaitGroup
		first.Go(func() {
			_, err := credential.Token(t.Context())
			assert.Error(t, err)
		})
		synctest.Wait()
		for name, wait := range map[string]func(context.Context) error{
			"the same token":                  func(ctx context.Context) error { _, err := credential.Token(ctx); return err },
			"another one of the installation": func(ctx context.Context) error { _, err := other.Token(ctx); return err },
			"the token's end":                 credential.Revoke,
		} {
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := wait(ctx)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded, name)
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err), name)
			assert.Equal(t, time.Second, time.Since(began), name)
		}
		close(answers)
		first.Wait()
	})
}

func TestWhatIsWrongWithAnAppIsSaid(t *testing.T) {
	cases := []struct {
		name   string
		change func(*appServer, *github.AppSettings)
		want   string
	}{
		{"the key is another App's", func(s *appServer, _ *github.AppSettings) { s.otherKey = true }, "the App's id and its private key do not belong together"},
		{"the installation is another App's", func(_ *appServer, in *github.AppSettings) { in.InstallationID = 1 }, "GitHub knows no such installation"},
		{"a permission was not granted", func(s *appServer, _ *github.AppSettings) {
			s.granted["issues"] = "read"
			delete(s.granted, "actions")
		}, "grant the App issues: write, actions: write"},
		{"the installation is in another account", func(s *appServer, _ *github.AppSettings) { s.repository = "other/fixtures" }, "is in other/fixtures, not in " + fixturesRepo},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newAppServer(t)
			app := s.app(t, func(in *github.AppSettings) { c.change(s, in) })
			_, err := app.Credential(fixturesRepo, github.UseSeeding).Token(t.Context())
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.NotContains(t, err.Error(), "ghs_")
			assert.Empty(t, s.live, "no token is left")
		})
	}
}

func TestAnAppsKeyGoesToGitHubAlone(t *testing.T) {
	var shown []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown = append(shown, r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, "{}")
	}))
	defer elsewhere.Close()
	gitHub := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer gitHub.Close()
	app, err := github.NewApp(github.AppSettings{AppID: appID, InstallationID: installation, PrivateKey: appKeyPEM()},
		github.AppOptions{Options: github.Options{RESTURL: gitHub.URL}, Now: time.Now})
	require.NoError(t, err)
	_, err = app.Credential(fixturesRepo, github.UseAgent).Token(t.Context())
	require.Error(t, err)
	assert.Equal(t, []string{""}, shown)
}

func TestAnAppOnAnEnterpriseServer(t *testing.T) {
	var asked []string
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.Method+" "+r.URL.String())
		answer := httptest.NewRecorder()
		_, _ = io.WriteString(answer, `{"permissions":{"metadata":"read","contents":"write","issues":"write","pull_requests":"write","actions":"write","checks":"read"},"token":"ghs_x","expires_at":"2126-01-01T00:00:00Z"}`)
		return answer.Result(), nil
	})
	app, err := github.NewApp(github.AppSettings{AppID: appID, InstallationID: installation, PrivateKey: appKeyPEM()},
		github.AppOptions{Options: github.Options{RESTURL: "https://ghe.example.com", Transport: transport}, Now: time.Now})
	require.NoError(t, err)
	_, err = app.Credential(fixturesRepo, github.UseAgent).Token(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{
		"GET https://ghe.example.com/api/v3/app/installations/4242",
		"POST https://ghe.example.com/api/v3/app/installations/4242/access_tokens",
	}, asked)
}
