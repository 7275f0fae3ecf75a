package sandboxtest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Key returns a private key of an App, PEM in form as GitHub gives it, and its
// public half as [model.NewApp] takes it.
func Key(t testing.TB) (private, public []byte) {
	t.Helper()
	// It is small, to be made fast: it protects nothing.
	key, err := rsa.GenerateKey(rand.Reader, 1024) //nolint:gosec // see above
	require.NoError(t, err)
	half, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
		pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: half})
}

// Received is a webhook as it came.
type Received struct {
	Header http.Header
	Body   []byte
}

// Receiver takes webhooks.
type Receiver struct {
	URL string

	mu       sync.Mutex
	received []Received
	status   int
}

// Receive sends the world's webhooks from now on, until the test ends, and
// returns who takes them.
func (w *World) Receive() *Receiver {
	w.t.Helper()
	r := &Receiver{status: http.StatusOK}
	server := httptest.NewServer(r)
	stop := w.Deliver(server.Client())
	w.t.Cleanup(func() {
		stop()
		server.Close()
	})
	r.URL = server.URL + "/webhook"
	return r
}

// ServeHTTP takes one webhook.
func (r *Receiver) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		out.WriteHeader(http.StatusBadRequest)
		return
	}
	r.received = append(r.received, Received{in.Header.Clone(), body})
	out.WriteHeader(r.status)
}

// Answer sets the status that further webhooks are answered with.
func (r *Receiver) Answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// Received waits until the world has sent what there is to send, and returns
// what has come since the last time.
func (w *World) Received(r *Receiver) []Received {
	w.t.Helper()
	require.NoError(w.t, w.Delivered(w.t.Context()))
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.received
	r.received = nil
	return all
}

// AsApp returns a client that asks as an App, with a JSON web token by the
// world's own clock that is good for the next five minutes of it.
func (w *World) AsApp(app model.ID, private []byte) *Client {
	w.t.Helper()
	block, _ := pem.Decode(private)
	require.NotNil(w.t, block)
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	require.NoError(w.t, err)
	var now time.Time
	w.Look(func(s *model.State) { now = s.Now })
	return w.With(SignedJWT(w.t, key, map[string]any{"iss": app, "iat": now.Add(-time.Minute).Unix(), "exp": now.Add(5 * time.Minute).Unix()}))
}

// SignedJWT returns a JSON web token that says so.
func SignedJWT(t testing.TB, key *rsa.PrivateKey, claims map[string]any) string {
	t.Helper()
	part := func(v any) string {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	signed := part(map[string]string{"alg": "RS256", "typ": "JWT"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	require.NoError(t, err)
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}
