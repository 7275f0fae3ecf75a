package egress_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/egress"
)

// rig is a proxy that is served on loopback.
type rig struct {
	*egress.Proxy
	addr net.Addr
	env  []string
}

// serve serves a proxy until the test ends, and checks that nothing of it is
// left then.
func serve(t testing.TB, opts egress.Options) *rig {
	t.Helper()
	opts.Now = time.Now
	p, err := egress.New(opts)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error)
	go func() { served <- p.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, p.Close())
		require.NoError(t, p.Close(), "a second time")
		require.NoError(t, <-served)
		assert.Eventually(t, func() bool { return !strings.Contains(stacks(), "egress.(*") }, 5*time.Second, time.Millisecond,
			"goroutines are left")
	})
	dir := t.TempDir()
	bundle, err := p.Bundle("")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(dir+"/ca.pem", p.CACert(), 0o600))
	require.NoError(t, os.WriteFile(dir+"/bundle.pem", bundle, 0o600))
	return &rig{p, l.Addr(), p.Env(l.Addr(), dir+"/ca.pem", dir+"/bundle.pem")}
}

func stacks() string {
	buffer := make([]byte, 1<<20)
	return string(buffer[:runtime.Stack(buffer, true)])
}

// variable returns a variable of the agent's environment.
func (r *rig) variable(name string) string {
	for _, v := range r.env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// transport is what a tool that goes by the environment uses.
func (r *rig) transport(t testing.TB) *http.Transport {
	proxy, err := url.Parse(r.variable("HTTPS_PROXY"))
	require.NoError(t, err)
	roots := x509.NewCertPool()
	pem, err := os.ReadFile(r.variable("SSL_CERT_FILE"))
	require.NoError(t, err)
	require.True(t, roots.AppendCertsFromPEM(pem))
	transport := &http.Transport{
		Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2: true, DisableCompression: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

func (r *rig) client(t testing.TB) *http.Client {
	return &http.Client{
		Transport:     r.transport(t),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is what a client got.
type answer struct {
	status int
	body   string
	header http.Header
}

func do(t testing.TB, c *http.Client, method, url, body string, header ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := c.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return answer{response.StatusCode, string(content), response.Header}
}

// echo answers with what it was asked.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, _ = io.WriteString(w, r.Method+" "+r.Host+r.URL.RequestURI()+" "+string(body))
})

// tripper is a transport that does not go over a network.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// respond is a response to r.
func respond(r *http.Request, status int, body string, header ...string) *http.Response {
	response := &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: http.Header{},
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
	}
	for i := 0; i < len(header); i += 2 {
		response.Header.Set(header[i], header[i+1])
	}
	return response
}

// to is a Dial that always connects to one address.
func to(addr string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
}
