package egress_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestGitHubsNamesLeadToTheHandler(t *testing.T) {
	p := serve(t, egress.Options{})
	p.Begin(echo)
	c := p.client(t)
	for _, host := range []string{
		"api.github.com", "github.com", "uploads.github.com", "raw.githubusercontent.com", "codeload.github.com",
		"results-receiver.actions.githubusercontent.com", "productionresultssa19.blob.core.windows.net",
	} {
		got := do(t, c, "POST", "https://"+host+"/a%2Fb?q=1", "body")
		assert.Equal(t, answer{200, "POST " + host + "/a%2Fb?q=1 body", got.header}, got)
	}
}

func TestHandlersSeeAServerForHTTPS(t *testing.T) {
	for name, http2 := range map[string]bool{"with HTTP/2": true, "with HTTP/1.1": false} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, egress.Options{})
			var seen *http.Request
			p.Begin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen = r
				http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
				w.WriteHeader(http.StatusTeapot)
			}))
			c := p.client(t)
			c.Transport.(*http.Transport).ForceAttemptHTTP2 = http2
			got := do(t, c, "GET", "https://API.GitHub.com:443/user", "", "Authorization", "token x")
			assert.Equal(t, http.StatusTeapot, got.status)
			assert.Equal(t, "a=b", got.header.Get("Set-Cookie"))
			assert.Equal(t, "api.github.com", seen.Host)
			assert.Equal(t, "token x", seen.Header.Get("Authorization"))
			assert.NotNil(t, seen.TLS)
			assert.Equal(t, http2, seen.ProtoMajor == 2)
			assert.Empty(t, seen.URL.Host)
			for _, host := range []string{"github.com", "gist.github.com"} {
				do(t, c, "GET", "https://"+host+"/", "")
				assert.Equal(t, 1, seen.ProtoMajor, "%s, where git pushes", host)
			}
		})
	}
}

func TestR7RequestsAreCountedOutsideTheAgent(t *testing.T) {
	p := serve(t, egress.Options{})
	c := p.client(t)
	const body, reply = "12345", "1234567890"
	a := p.Begin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, reply)
	}))
	for _, request := range []string{
		"GET https://api.github.com/user",
		"GET https://api.github.com/graphql",
		"POST https://api.github.com/graphql",
		"POST https://api.github.com/graphql/",
		"POST https://uploads.github.com/graphql",
		"GET https://raw.githubusercontent.com/o/r/main/README.md",
		"GET https://github.com/o/r.git/info/refs",
		"POST https://github.com/o/r.git/git-upload-pack",
		"GET https://codeload.github.com/o/r/zip/main",
	} {
		method, url, _ := strings.Cut(request, " ")
		require.Equal(t, 200, do(t, c, method, url, body).status)
	}
	assert.Equal(t, egress.Usage{
		REST: 5, GraphQL: 1, Git: 2, Downloads: 1, Bytes: 9 * int64(len(body)+len(reply)),
	}, a.Usage())

	do(t, c, "HEAD", "https://api.github.com/user", "")
	assert.Equal(t, 9*int64(len(body)+len(reply)), a.Usage().Bytes, "a HEAD request has no body, whatever its handler writes")

	assert.Equal(t, egress.Usage{}, p.Begin(echo).Usage(), "an attempt begins at zero")
}

func TestEverythingElseIsRefusedWithASentence(t *testing.T) {
	var heard []string
	p := serve(t, egress.Options{Allow: []string{"*.npmjs.org"}, OnRefused: func(host string) { heard = append(heard, host) }})
	a := p.Begin(echo)
	refused := []string{
		"https://example.com/", "https://api.github.com.evil.example/", "https://api.github.com:8443/",
		"https://140.82.121.6/", "https://[2606:50c0:8000::153]/", "https://npmjs.org/", "https://evilnpmjs.org/",
		"https://registry.npmjs.org:444/", "http://example.com/", "http://registry.npmjs.org/",
		"https://productionresultssa20.blob.core.windows.net/",
		"http://127.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://api.github.com:8080/",
	}
	for range 2 {
		for _, url := range refused {
			status, text := plainly(t, p, url)
			assert.Equal(t, http.StatusForbidden, status, url)
			assert.Contains(t, text, "refuses", url)
		}
	}
	hosts := []string{
		"example.com", "api.github.com.evil.example", "api.github.com:8443", "140.82.121.6", "2606:50c0:8000::153",
		"npmjs.org", "evilnpmjs.org", "registry.npmjs.org:444", "registry.npmjs.org",
		"productionresultssa20.blob.core.windows.net",
		"127.0.0.1", "169.254.169.254", "api.github.com:8080",
	}
	assert.Equal(t, hosts, a.Usage().Refused)
	assert.Equal(t, hosts, heard)
}

func TestAnAgentCannotFillTheRowWithRefusedHosts(t *testing.T) {
	p := serve(t, egress.Options{})
	a := p.Begin(echo)
	conn := dial(t, p)
	for i := range 150 {
		conn.send(t, "GET http://host"+strings.Repeat("x", i)+".example/ HTTP/1.1\r\nHost: x\r\n"+conn.auth+"\r\n")
		require.Equal(t, http.StatusForbidden, conn.receive(t).StatusCode)
	}
	assert.Len(t, a.Usage().Refused, 100)
}

func TestPlainHTTPToGitHubIsSentToHTTPS(t *testing.T) {
	p := serve(t, egress.Options{})
	a := p.Begin(echo)
	got := do(t, p.client(t), "GET", "http://github.com/o/r?x=1", "")
	assert.Equal(t, http.StatusMovedPermanently, got.status)
	assert.Equal(t, "https://github.com/o/r?x=1", got.header.Get("Location"))
	assert.Empty(t, a.Usage().Refused)
}

func TestAllowedHostsAreReachedUnseen(t *testing.T) {
	outside := httptest.NewTLSServer(echo)
	defer outside.Close()
	p := serve(t, egress.Options{
		Allow: []string{"registry.npmjs.org", "*.example.org"}, Dial: to(outside.Listener.Addr().String()),
	})
	a := p.Begin(echo)
	c := p.client(t)
	// The server's own certificate comes through.
	roots := x509.NewCertPool()
	roots.AddCert(outside.Certificate())
	config := c.Transport.(*http.Transport).TLSClientConfig
	config.RootCAs, config.ServerName = roots, "example.com"
	for _, host := range []string{"registry.npmjs.org", "a.example.org", "a.b.example.org"} {
		got := do(t, c, "POST", "https://"+host+"/x", strings.Repeat("y", 100_000))
		assert.Equal(t, "POST "+host+"/x "+strings.Repeat("y", 100_000), got.body)
	}
	assert.Equal(t, egress.Usage{}, a.Usage())
}

// What no agent uses has no GitHub of its own.
func TestGitHubIsAHostLikeAllOthersWhereNothingIsIntercepted(t *testing.T) {
	outside := httptest.NewTLSServer(echo)
	defer outside.Close()
	p := serve(t, egress.Options{
		Allow: []string{"github.com"}, Tunnels: "a build reaches the hosts of build-hosts only", Dial: to(outside.Listener.Addr().String()),
	})
	c := p.client(t)
	roots := x509.NewCertPool()
	roots.AddCert(outside.Certificate())
	config := c.Transport.(*http.Transport).TLSClientConfig
	config.RootCAs, config.ServerName = roots, "example.com"
	assert.Equal(t, "GET github.com/o/r ", do(t, c, "GET", "https://github.com/o/r", "").body)
	for _, url := range []string{"https://api.github.com/", "http://github.com/"} {
		status, text := plainly(t, p, url)
		assert.Equal(t, http.StatusForbidden, status, url)
		assert.Contains(t, text, "a build reaches the hosts of build-hosts only.")
	}
	for _, variable := range p.ProxyEnv(p.addr) {
		assert.Contains(t, p.env, variable)
		name, _, _ := strings.Cut(variable, "=") // the password may have any letters
		assert.NotContains(t, name, "CA")
	}
}

func TestAllowedHostsOnPrivateAddressesAreNotReached(t *testing.T) {
	outside, err := net.Listen("tcp", "127.0.0.1:443")
	if err == nil {
		defer outside.Close()
	}
	p := serve(t, egress.Options{Allow: []string{"host.localhost"}})
	_, err = p.client(t).Get("https://host.localhost/")
	require.ErrorContains(t, err, "Bad Gateway")
	status, text := plainly(t, p, "https://host.localhost/")
	assert.Equal(t, http.StatusBadGateway, status)
	assert.Contains(t, text, "The proxy cannot reach host.localhost:443: ")
}

func TestWithoutAnAttemptNothingPasses(t *testing.T) {
	var calls int
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Transport: tripper(
		func(r *http.Request) (*http.Response, error) { calls++; return respond(r, 200, "{}"), nil })}})
	c := p.client(t)
	urls := []string{"https://api.github.com/user", "https://api.model.example/v1/models"}
	for _, url := range urls {
		assert.Contains(t, do(t, c, "GET", url, "").body, "No attempt is under way", "before the first")
	}
	a := p.Begin(echo)
	for _, url := range urls {
		assert.Equal(t, http.StatusOK, do(t, c, "GET", url, "").status)
	}
	a.End()
	for _, url := range urls {
		assert.Equal(t, http.StatusForbidden, do(t, c, "GET", url, "").status, "after the last")
	}
	assert.Equal(t, 1, a.Usage().REST)
	assert.Equal(t, 1, a.Usage().Model)

	warmUp := p.Begin(nil)
	assert.Equal(t, http.StatusForbidden, do(t, c, "GET", urls[0], "").status)
	assert.Equal(t, http.StatusOK, do(t, c, "GET", urls[1], "").status)
	a.End()
	assert.Equal(t, http.StatusOK, do(t, c, "GET", urls[1], "").status, "an old attempt does not end a new one")
	assert.Equal(t, egress.Usage{Model: 2}, warmUp.Usage())
	assert.Equal(t, 2, calls-1)
}

func TestARequestStaysWithTheAttemptInWhichItBegan(t *testing.T) {
	p := serve(t, egress.Options{})
	arrived, goOn := make(chan struct{}), make(chan struct{})
	first := p.Begin(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-goOn
		_, _ = io.WriteString(w, "the first")
	}))
	c := p.client(t)
	done := make(chan string)
	go func() { done <- do(t, c, "GET", "https://api.github.com/a", "").body }()
	<-arrived
	second := p.Begin(echo)
	assert.Contains(t, do(t, c, "GET", "https://api.github.com/b", "").body, "/b")
	close(goOn)
	assert.Equal(t, "the first", <-done)
	assert.Equal(t, egress.Usage{REST: 1, Bytes: int64(len("the first"))}, first.Usage())
	assert.Equal(t, 1, second.Usage().REST)
}

func TestBodiesAreStreamedBothWays(t *testing.T) {
	for name, http2 := range map[string]bool{"with HTTP/2": true, "with HTTP/1.1": false} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, egress.Options{})
			const size = 50 << 20
			a := p.Begin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				control := http.NewResponseController(w)
				// HTTP/1.1 handlers read and write in turns otherwise.
				_ = control.EnableFullDuplex()
				buffer := make([]byte, 1)
				_, _ = io.ReadFull(r.Body, buffer)
				_, _ = w.Write(buffer)
				_ = control.Flush()
				_, _ = io.Copy(w, r.Body)
			}))
			c := p.client(t)
			c.Transport.(*http.Transport).ForceAttemptHTTP2 = http2
			body, send := io.Pipe()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://uploads.github.com/repos/o/r/releases/1/assets", body)
			require.NoError(t, err)
			go func() { _, _ = send.Write([]byte("x")) }()
			response, err := c.Do(request)
			require.NoError(t, err)
			defer response.Body.Close()
			first := make([]byte, 1)
			_, err = io.ReadFull(response.Body, first)
			require.NoError(t, err, "the answer's first byte comes before the request's second")

			go func() {
				block := make([]byte, 1<<20)
				for range size / len(block) {
					_, _ = send.Write(block)
				}
				_ = send.Close()
			}()
			n, err := io.Copy(io.Discard, response.Body)
			require.NoError(t, err)
			assert.EqualValues(t, size, n)
			assert.EqualValues(t, 2*(size+1), a.Usage().Bytes)
		})
	}
}

// certificate returns the authority's own.
func certificate(t *testing.T, p *rig) *x509.Certificate {
	block, rest := pem.Decode(p.CACert())
	require.Empty(t, rest)
	ca, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	return ca
}

func TestTheAuthorityCanSignForTheProxysNamesOnly(t *testing.T) {
	t.Run("without a model", func(t *testing.T) {
		ca := certificate(t, serve(t, egress.Options{}))
		assert.True(t, ca.PermittedDNSDomainsCritical)
		assert.Contains(t, ca.PermittedDNSDomains, "api.github.com")
		assert.NotContains(t, ca.PermittedDNSDomains, "")
		assert.Len(t, ca.ExcludedIPRanges, 2, "all addresses")
		assert.Equal(t, x509.KeyUsageCertSign, ca.KeyUsage)
		assert.True(t, ca.MaxPathLenZero, "it makes no other authority")
		assert.Less(t, ca.NotAfter.Sub(ca.NotBefore), 8*24*time.Hour)
	})
	t.Run("with a model at an address", func(t *testing.T) {
		ca := certificate(t, serve(t, egress.Options{Model: &egress.Model{BaseURL: "http://127.0.0.1:1234/v1"}}))
		assert.Contains(t, ca.PermittedDNSDomains, "model.egress.internal")
		assert.NotContains(t, ca.PermittedDNSDomains, "127.0.0.1")
		assert.Equal(t, "127.0.0.1/32", ca.PermittedIPRanges[0].String())
	})
}

func TestBundleHasTheSystemsAuthoritiesToo(t *testing.T) {
	p := serve(t, egress.Options{})
	roots := t.TempDir() + "/roots.pem"
	writeFile(t, roots, "-----BEGIN CERTIFICATE-----\nroots\n-----END CERTIFICATE-----")
	bundle, err := p.Bundle(roots)
	require.NoError(t, err)
	assert.Equal(t, "-----BEGIN CERTIFICATE-----\nroots\n-----END CERTIFICATE-----\n"+string(p.CACert()), string(bundle))
	if system, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt"); err == nil {
		bundle, err = p.Bundle("")
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSpace(string(system))+"\n"+string(p.CACert()), string(bundle))
	}
	_, err = p.Bundle("/nowhere")
	require.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestEnvLeadsToolsToTheProxy(t *testing.T) {
	p := serve(t, egress.Options{})
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		assert.Regexp(t, `^http://agent:[A-Z0-9]+@`+p.addr.String()+`$`, p.variable(name))
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		assert.Equal(t, "localhost,127.0.0.1,::1", p.variable(name))
	}
	assert.IsIncreasing(t, p.env)
	assert.Equal(t, "1", p.variable("NODE_USE_ENV_PROXY"))
	assert.Contains(t, p.variable("NODE_EXTRA_CA_CERTS"), "ca.pem")
	for _, name := range []string{"SSL_CERT_FILE", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"} {
		assert.Contains(t, p.variable(name), "bundle.pem")
	}
}

func TestNewRefusesWhatItCannotHold(t *testing.T) {
	for name, opts := range map[string]egress.Options{
		"a URL as a host":              {Allow: []string{"https://example.com"}},
		"a port":                       {Allow: []string{"example.com:443"}},
		"an address":                   {Allow: []string{"10.0.0.1"}},
		"everything":                   {Allow: []string{"*"}},
		"a whole top-level domain":     {Allow: []string{"*.com"}},
		"a star within a name":         {Allow: []string{"a.*.com"}},
		"a model without a scheme":     {Model: &egress.Model{BaseURL: "api.openai.com/v1"}},
		"a model with a password":      {Model: &egress.Model{BaseURL: "https://u:p@api.openai.com/v1"}},
		"a model at one of GitHub's":   {Model: &egress.Model{BaseURL: "https://api.github.com/v1"}},
		"a model at no host":           {Model: &egress.Model{BaseURL: "https:///v1"}},
		"a model with a query":         {Model: &egress.Model{BaseURL: "https://api.openai.com/v1?key=x"}},
		"a model with a fragment":      {Model: &egress.Model{BaseURL: "https://api.openai.com/v1#x"}},
		"a model by FTP":               {Model: &egress.Model{BaseURL: "ftp://api.openai.com/v1"}},
		"a model with an unusual name": {Model: &egress.Model{BaseURL: "https://exa mple/v1"}},
	} {
		t.Run(name, func(t *testing.T) {
			opts.Now = time.Now
			_, err := egress.New(opts)
			require.Equal(t, fault.Invalid, fault.KindOf(err), err)
		})
	}
}

func TestAnAllowedNameIsNoAddress(t *testing.T) {
	p := serve(t, egress.Options{Allow: []string{"*.0.0.1"}})
	p.Begin(echo)
	status, text := plainly(t, p, "https://127.0.0.1/")
	assert.Equal(t, http.StatusForbidden, status)
	assert.Contains(t, text, "refuses 127.0.0.1")
}

func TestCertificatesAreAsToolsWantThem(t *testing.T) {
	p := serve(t, egress.Options{})
	p.Begin(echo)
	serials := map[string]bool{}
	for _, host := range []string{"api.github.com", "github.com"} {
		conn := inside(t, p, host+":443")
		conn.send(t, "GET / HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
		conn.receive(t)
		leaf := conn.Conn.(*tls.Conn).ConnectionState().PeerCertificates[0]
		assert.Equal(t, []string{host}, leaf.DNSNames)
		assert.Equal(t, "bench-action", leaf.Subject.CommonName)
		assert.Equal(t, x509.KeyUsageDigitalSignature, leaf.KeyUsage)
		assert.Equal(t, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, leaf.ExtKeyUsage)
		assert.Equal(t, certificate(t, p).NotBefore, leaf.NotBefore)
		assert.WithinDuration(t, time.Now().Add(-time.Hour), leaf.NotBefore, time.Minute)
		assert.Equal(t, certificate(t, p).NotAfter, leaf.NotAfter)
		serials[leaf.SerialNumber.String()] = true
	}
	assert.Len(t, serials, 2)
	old := p.transport(t)
	old.ForceAttemptHTTP2, old.TLSClientConfig.NextProtos = false, []string{"http/1.1"}
	assert.Equal(t, http.StatusOK, do(t, &http.Client{Transport: old}, "GET", "https://api.github.com/", "").status, "a client that knows no HTTP/2, and says so")
}

func TestATunnelLeadsToTheHostThatIsAllowed(t *testing.T) {
	var dialled []string
	p := serve(t, egress.Options{Allow: []string{"registry.npmjs.org"}, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		dialled = append(dialled, address)
		return nil, io.ErrUnexpectedEOF
	}})
	status, _ := plainly(t, p, "https://Registry.npmjs.org./")
	assert.Equal(t, http.StatusBadGateway, status)
	assert.Equal(t, []string{"registry.npmjs.org:443"}, dialled)
}

func TestCloseEndsTheTunnelsToo(t *testing.T) {
	outside := httptest.NewTLSServer(echo)
	defer outside.Close()
	p := serve(t, egress.Options{Allow: []string{"registry.npmjs.org"}, Dial: to(outside.Listener.Addr().String())})
	conn := dial(t, p)
	conn.send(t, "CONNECT registry.npmjs.org:443 HTTP/1.1\r\nHost: a\r\n"+conn.auth+"\r\n")
	response, err := http.ReadResponse(conn.in, &http.Request{Method: http.MethodConnect})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.NoError(t, p.Close())
	_, err = conn.in.ReadByte()
	require.Error(t, err)
}

func TestAProxyThatCannotListenIsAnError(t *testing.T) {
	p := serve(t, egress.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	assert.Equal(t, fault.Infrastructure, fault.KindOf(p.Serve(l)))
}

func TestNewNeedsAClockThatCertificatesCanTell(t *testing.T) {
	for _, c := range []struct {
		now  func() time.Time
		want fault.Kind
	}{
		{nil, fault.Internal},
		{func() time.Time { return time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC) }, fault.Infrastructure}, // they end in the year 10000
	} {
		_, err := egress.New(egress.Options{Now: c.now})
		require.Error(t, err)
		assert.Equal(t, c.want, fault.KindOf(err))
	}
}

func TestHTTP2IsSpokenWhereGitDoesNotPush(t *testing.T) {
	p := serve(t, egress.Options{})
	p.Begin(echo)
	for host, most := range map[string]string{"github.com": "http/1.1", "gist.github.com": "http/1.1", "api.github.com": "h2", "codeload.github.com": "h2"} {
		for _, offered := range [][]string{{"h2", "http/1.1"}, {"http/1.1"}} {
			transport := p.transport(t)
			transport.ForceAttemptHTTP2, transport.TLSClientConfig.NextProtos = offered[0] == "h2", offered
			response, err := (&http.Client{Transport: transport}).Get("https://" + host + "/")
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			want := "http/1.1"
			if len(offered) == 2 {
				want = most
			}
			assert.Equal(t, want, response.TLS.NegotiatedProtocol, "%s: %s", host, offered)
		}
	}
}

// shortWriter takes three bytes.
type shortWriter struct{ http.ResponseWriter }

func (shortWriter) Write([]byte) (int, error) { return 3, io.ErrClosedPipe }

func TestR7BytesThatDoNotLeaveDoNotCount(t *testing.T) {
	var bytes atomic.Int64
	w := egress.Count(shortWriter{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/", nil), &bytes)
	n, err := io.WriteString(w, "0123456789")
	assert.Equal(t, 3, n)
	require.ErrorIs(t, err, io.ErrClosedPipe)
	assert.Equal(t, int64(3), bytes.Load())

	// What passes a request on tells by its body whether there is one.
	for _, none := range []io.ReadCloser{http.NoBody, nil} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Body = none
		egress.Count(httptest.NewRecorder(), r, &bytes)
		assert.Equal(t, none, r.Body)
	}
}
