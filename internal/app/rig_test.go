package app_test

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/redact"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

func TestMain(m *testing.M) { os.Exit(dbtest.Main(m)) }

const (
	secret = "the-secret-of-the-webhook"
	soon   = 20 * time.Second
)

// privateKey is a key as GitHub makes them.
var privateKey = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
})

func credentials() settings.Credentials {
	return settings.Credentials{AppID: 1, PrivateKey: privateKey(), WebhookSecret: secret}
}

// github is a server that knows of an App what these tests need.
type github struct {
	*httptest.Server
	mu sync.Mutex
	// attempts are GitHub's attempts to deliver, the latest first.
	attempts []map[string]any
	// repeated are the ids of attempts that were asked for again.
	repeated []string
	refuses  bool
	// codes are the codes that it has given out for manifests.
	codes map[string]bool
}

func newGitHub(t *testing.T) *github {
	t.Helper()
	g := &github{codes: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /app", func(w http.ResponseWriter, r *http.Request) { g.reply(w, r, http.StatusOK, map[string]any{"id": 1}) })
	mux.HandleFunc("GET /app/hook/deliveries", g.list)
	mux.HandleFunc("POST /app/hook/deliveries/{id}/attempts", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.repeated = append(g.repeated, r.PathValue("id"))
		g.mu.Unlock()
		g.reply(w, r, http.StatusAccepted, map[string]any{})
	})
	mux.HandleFunc("POST /app-manifests/{code}/conversions", g.convert)
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

// reply answers a request that is signed as an App.
func (g *github) reply(w http.ResponseWriter, r *http.Request, status int, value any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refuses || !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ey") {
		status, value = http.StatusUnauthorized, map[string]any{"message": "Bad credentials"}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// list answers two attempts a page.
func (g *github) list(w http.ResponseWriter, r *http.Request) {
	at := 0
	_, _ = fmt.Sscan(r.FormValue("cursor"), &at)
	end := min(at+2, len(g.attempts))
	if end < len(g.attempts) {
		w.Header().Set("Link", fmt.Sprintf(`<%s/app/hook/deliveries?per_page=2&cursor=%d>; rel="next"`, g.URL, end))
	}
	g.reply(w, r, http.StatusOK, g.attempts[at:end])
}

func (g *github) convert(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.codes[r.PathValue("code")] {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	delete(g.codes, r.PathValue("code"))
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": 42, "slug": "bench-octo", "pem": privateKey(), "webhook_secret": secret, "client_id": "Iv1.x", "client_secret": "a-client-secret",
	})
}

// rig is a server that is not started yet.
type rig struct {
	*app.App
	handler *handler
	t       *testing.T
	github  *github
	log     *testkit.SyncBuffer
	url     string
	folder  string
	stop    func() error
	stopped bool
}

func newRig(t *testing.T, address string, change func(*settings.Server)) *rig {
	t.Helper()
	r := &rig{t: t, handler: &handler{}, github: newGitHub(t), log: &testkit.SyncBuffer{}, folder: t.TempDir()}
	c, err := settings.ReadServer(func(string) string { return "" }, "")
	require.NoError(t, err)
	c.Database, c.DataDir, c.Credentials, c.APIURL, c.GitHubURL = address, r.folder, credentials(), r.github.URL, r.github.URL
	c.StopTimeout = soon
	if change != nil {
		change(&c)
	}
	secrets := redact.New()
	r.App, err = app.New(t.Context(), app.Options{
		Config: c, Events: service.Events(), Process: rand.Text(), Log: slog.New(slog.NewJSONHandler(secrets.Writer(r.log), nil)), Secrets: secrets,
		Now: time.Now, Random: rand.Text, Version: "test", Transport: http.DefaultTransport,
		Polling: app.Polling{Poll: 10 * time.Millisecond},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		r.end()
		assert.NoError(t, r.Close())
	})
	return r
}

// start serves until the test ends.
func (r *rig) start() *rig {
	r.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(r.t, err)
	r.url = "http://" + listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Serve(ctx, listener) }()
	r.stop = func() error {
		cancel()
		return <-done
	}
	return r
}

func (r *rig) end() {
	if r.stop != nil && !r.stopped {
		r.stopped = true
		assert.NoError(r.t, r.stop())
	}
}

// guid returns the n-th id of a test.
func guid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n) }

// deliver sends a delivery as GitHub does and returns the status.
func (r *rig) deliver(id, event, body string) int {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	request, err := http.NewRequest(http.MethodPost, r.url+"/webhook", strings.NewReader(body))
	if !assert.NoError(r.t, err) {
		return 0
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-GitHub-Event", event)
	request.Header.Set("X-GitHub-Delivery", id)
	request.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	response, err := http.DefaultClient.Do(request)
	if !assert.NoError(r.t, err) {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// get returns a page.
func (r *rig) get(path string) (int, string) {
	r.t.Helper()
	response, err := http.Get(r.url + path)
	require.NoError(r.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(r.t, err)
	return response.StatusCode, string(body)
}

func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(soon):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}
