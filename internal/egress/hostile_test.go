package egress_test

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/egress"
)

// rawConn is a connection to the proxy on which anything can be sent.
type rawConn struct {
	net.Conn
	in   *bufio.Reader
	auth string // the header line that the proxy asks for
}

func dial(t testing.TB, p *rig) *rawConn {
	conn, err := net.Dial("tcp", p.addr.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	proxy, err := url.Parse(p.variable("HTTPS_PROXY"))
	require.NoError(t, err)
	auth := base64.StdEncoding.EncodeToString([]byte(proxy.User.String()))
	return &rawConn{conn, bufio.NewReader(conn), "Proxy-Authorization: Basic " + auth + "\r\n"}
}

func (c *rawConn) send(t testing.TB, text string) {
	_, err := io.WriteString(c, text)
	require.NoError(t, err)
}

// receive reads a response, whose body is read and replaced.
func (c *rawConn) receive(t testing.TB) *http.Response {
	t.Helper()
	response, err := http.ReadResponse(c.in, nil)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	response.Body = io.NopCloser(strings.NewReader(string(body)))
	return response
}

// inside is a connection in which TLS with host has begun.
func inside(t testing.TB, p *rig, host string) *rawConn {
	t.Helper()
	c := dial(t, p)
	c.send(t, "CONNECT "+host+" HTTP/1.1\r\nHost: "+host+"\r\n"+c.auth+"\r\n")
	response, err := http.ReadResponse(c.in, &http.Request{Method: http.MethodConnect})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	config := p.transport(t).TLSClientConfig
	config.ServerName, _, _ = net.SplitHostPort(host)
	secure := tls.Client(c.Conn, config)
	return &rawConn{secure, bufio.NewReader(secure), ""}
}

// plainly asks for a URL as a client that does not know what is refused, and
// returns the proxy's own answer.
func plainly(t testing.TB, p *rig, address string) (int, string) {
	t.Helper()
	c := dial(t, p)
	u, err := url.Parse(address)
	require.NoError(t, err)
	if u.Scheme == "http" {
		c.send(t, "GET "+address+" HTTP/1.1\r\nHost: "+u.Host+"\r\n"+c.auth+"\r\n")
	} else {
		host := u.Host
		if u.Port() == "" {
			host += ":443"
		}
		c.send(t, "CONNECT "+host+" HTTP/1.1\r\nHost: "+host+"\r\n"+c.auth+"\r\n")
	}
	response := c.receive(t)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

func writeFile(t testing.TB, path, content string) {
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func TestARequestReachesTheHostOfItsConnectionOnly(t *testing.T) {
	var reached []string
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Key: "key", Transport: tripper(
		func(r *http.Request) (*http.Response, error) {
			reached = append(reached, "model")
			return respond(r, 200, ""), nil
		})}})
	p.Begin(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached = append(reached, r.Host) }))
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"another of GitHub's names":           {"GET / HTTP/1.1\r\nHost: uploads.github.com\r\n\r\n", 421},
		"the model":                           {"GET /v1/models HTTP/1.1\r\nHost: api.model.example\r\n\r\n", 421},
		"a host that is refused":              {"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n", 421},
		"another port":                        {"GET / HTTP/1.1\r\nHost: api.github.com:80\r\n\r\n", 421},
		"the model by an absolute URL":        {"GET https://api.model.example/v1/models HTTP/1.1\r\nHost: api.github.com\r\n\r\n", 400},
		"its own host by an absolute URL":     {"GET https://api.github.com/ HTTP/1.1\r\nHost: api.github.com\r\n\r\n", 400},
		"a URL with a password":               {"GET https://u:p@api.github.com/ HTTP/1.1\r\nHost: api.github.com\r\n\r\n", 400},
		"a tunnel in the tunnel":              {"CONNECT example.com:443 HTTP/1.1\r\nHost: api.github.com\r\n\r\n", 400},
		"no path":                             {"GET urn:x HTTP/1.1\r\nHost: api.github.com\r\n\r\n", 400},
		"a tunnel to its own host":            {"CONNECT api.github.com:443 HTTP/1.1\r\nHost: api.github.com\r\n\r\n", 400},
		"a tunnel by a path":                  {"CONNECT /x HTTP/1.1\r\nHost: api.github.com\r\n\r\n", 400},
		"no host":                             {"GET / HTTP/1.0\r\n\r\n", 400},
		"two hosts":                           {"GET / HTTP/1.1\r\nHost: api.github.com\r\nHost: example.com\r\n\r\n", 400},
		"a WebSocket":                         {"GET / HTTP/1.1\r\nHost: api.github.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 403},
		"a huge header":                       {"GET / HTTP/1.1\r\nHost: api.github.com\r\nX: " + strings.Repeat("x", 100_000) + "\r\n\r\n", 431},
		"a header with a space in its name":   {"GET / HTTP/1.1\r\nHost: api.github.com\r\nContent-Length : 5\r\n\r\nabcde", 400},
		"two different lengths":               {"POST / HTTP/1.1\r\nHost: api.github.com\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", 400},
		"an unknown transfer encoding":        {"POST / HTTP/1.1\r\nHost: api.github.com\r\nTransfer-Encoding: xchunked\r\n\r\n", 501},
		"something that is no HTTP":           {"\x16\x03\x01 hello\r\n\r\n", 400},
		"a name that is none":                 {"GET / HTTP/1.1\r\nHost: api.github.com@example.com\r\n\r\n", 400},
		"a path that is an address elsewhere": {"GET //example.com/x HTTP/1.1\r\nHost: uploads.github.com\r\n\r\n", 421},
	} {
		t.Run(name, func(t *testing.T) {
			reached = nil
			conn := inside(t, p, "api.github.com:443")
			go func() { _, _ = io.WriteString(conn, c.request) }()
			assert.Equal(t, c.status, conn.receive(t).StatusCode)
			assert.Empty(t, reached)
		})
	}
}

func TestASmuggledRequestIsPartOfABody(t *testing.T) {
	var bodies []string
	p := serve(t, egress.Options{})
	a := p.Begin(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, r.URL.Path+" "+string(body))
	}))
	conn := inside(t, p, "api.github.com:443")
	// The chunked body ends at once, and by the length the rest would belong
	// to it: a request of its own or a refusal are right, being hidden is not.
	conn.send(t, "POST /outer HTTP/1.1\r\nHost: api.github.com\r\nContent-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n"+
		"0\r\n\r\nGET /inner HTTP/1.1\r\nHost: api.github.com\r\n\r\n")
	require.Equal(t, 200, conn.receive(t).StatusCode)
	if _, err := http.ReadResponse(conn.in, nil); err == nil {
		assert.Equal(t, []string{"/outer ", "/inner "}, bodies)
	}
	assert.Equal(t, len(bodies), a.Usage().REST)
}

func TestTheProxyItselfTakesOddRequestsCalmly(t *testing.T) {
	p := serve(t, egress.Options{Allow: []string{"registry.npmjs.org"}})
	a := p.Begin(echo)
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"a server's request":             {"GET / HTTP/1.1\r\nHost: api.github.com\r\nAUTH\r\n", 400},
		"a URL with a password":          {"GET http://u:p@github.com/ HTTP/1.1\r\nHost: github.com\r\nAUTH\r\n", 400},
		"an https URL without a tunnel":  {"GET https://api.github.com/ HTTP/1.1\r\nHost: api.github.com\r\nAUTH\r\n", 400},
		"an ftp URL":                     {"GET ftp://github.com/ HTTP/1.1\r\nHost: github.com\r\nAUTH\r\n", 400},
		"a Host that is not the URL's":   {"GET http://example.com/ HTTP/1.1\r\nHost: github.com\r\nAUTH\r\n", 403},
		"a tunnel to a name with spaces": {"CONNECT a%20b:443 HTTP/1.1\r\nHost: a\r\nAUTH\r\n", 400},
		"a tunnel to port 0":             {"CONNECT api.github.com:0 HTTP/1.1\r\nHost: a\r\nAUTH\r\n", 400},
		"a tunnel to port 65537":         {"CONNECT api.github.com:65979 HTTP/1.1\r\nHost: a\r\nAUTH\r\n", 400},
		"a tunnel to an integer":         {"CONNECT 2130706433:443 HTTP/1.1\r\nHost: a\r\nAUTH\r\n", 403},
		"a tunnel by a URL":              {"CONNECT http://registry.npmjs.org/ HTTP/1.1\r\nHost: a\r\nAUTH\r\n", 400},
		"no password":                    {"CONNECT api.github.com:443 HTTP/1.1\r\nHost: api.github.com\r\n\r\n", 407},
		"a wrong password":               {"CONNECT api.github.com:443 HTTP/1.1\r\nHost: a\r\nProxy-Authorization: Basic YWdlbnQ6eA==\r\n\r\n", 407},
		"another user's name":            {"CONNECT api.github.com:443 HTTP/1.1\r\nHost: a\r\nOTHER\r\n", 407},
		"a request without a host":       {"GET http:///x HTTP/1.1\r\nHost: a\r\nAUTH\r\n", 400},
		"a name that is none":            {"GET http://a..github.com/ HTTP/1.1\r\nHost: a\r\nAUTH\r\n", 400},
		"a huge header":                  {"CONNECT api.github.com:443 HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 100_000) + "\r\nAUTH\r\n", 431},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, p)
			proxy, err := url.Parse(p.variable("HTTPS_PROXY"))
			require.NoError(t, err)
			password, _ := proxy.User.Password()
			other := "Proxy-Authorization: " + basic("other", password) + "\r\n"
			request := strings.NewReplacer("AUTH\r\n", conn.auth+"\r\n", "OTHER\r\n", other+"\r\n").Replace(c.request)
			go func() { _, _ = io.WriteString(conn, request) }()
			assert.Equal(t, c.status, conn.receive(t).StatusCode)
		})
	}
	assert.Zero(t, a.Usage().REST)

	conn := dial(t, p)
	conn.send(t, "GET / HTTP/1.1\r\nHost: a\r\n"+conn.auth+"\r\n")
	response := conn.receive(t)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, "This is a proxy, not a server.\n", string(text))
	assert.Equal(t, "text/plain; charset=utf-8", response.Header.Get("Content-Type"))

	conn = dial(t, p)
	conn.send(t, "CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n"+conn.auth+"\r\n")
	assert.True(t, conn.receive(t).Close, "a client does not wait for more after a refusal")
}

// pipeListener gives connections within the process, on which a test's clock
// counts.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// connect returns the client's end of a new connection once it is accepted.
func (l *pipeListener) connect() net.Conn {
	client, server := net.Pipe()
	l.conns <- server
	return client
}

// inBubble serves a proxy on pipes, with a clock of the test's own.
func inBubble(t *testing.T, test func(t *testing.T, l *pipeListener)) {
	synctest.Test(t, func(t *testing.T) {
		p, err := egress.New(egress.Options{Now: time.Now})
		require.NoError(t, err)
		l := newPipeListener()
		served := make(chan error)
		go func() { served <- p.Serve(l) }()
		test(t, l)
		require.NoError(t, p.Close())
		require.NoError(t, <-served)
	})
}

func TestAClientThatDawdlesIsCutOff(t *testing.T) {
	inBubble(t, func(t *testing.T, l *pipeListener) {
		conn := l.connect()
		_, err := io.WriteString(conn, "CONNECT api.github.com:443 HTTP/1.1\r\nHost: a\r\n")
		require.NoError(t, err)
		began := time.Now()
		var dawdling sync.WaitGroup
		dawdling.Go(func() {
			var err error
			for err == nil {
				time.Sleep(time.Second)
				_, err = io.WriteString(conn, "X: y\r\n")
			}
		})
		_, _ = io.ReadAll(conn)
		assert.Equal(t, 10*time.Second, time.Since(began))
		dawdling.Wait()
	})
}

func TestConnectionsAreBounded(t *testing.T) {
	inBubble(t, func(t *testing.T, l *pipeListener) {
		var open []net.Conn
		for range 512 {
			open = append(open, l.connect())
		}
		waiting := make(chan net.Conn)
		go func() { waiting <- l.connect() }()
		synctest.Wait()
		select {
		case <-waiting:
			t.Fatal("one more connection was taken")
		default:
		}
		require.NoError(t, open[0].Close())
		require.NoError(t, (<-waiting).Close())
		for _, conn := range open[1:] {
			_ = conn.Close()
		}
	})
}

func TestManyConnectionsAtOnceAreServed(t *testing.T) {
	p := serve(t, egress.Options{})
	a := p.Begin(echo)
	const clients, each = 16, 5
	var wg sync.WaitGroup
	for i := range clients {
		c := p.client(t)
		wg.Go(func() {
			for j := range each {
				got := do(t, c, "GET", fmt.Sprintf("https://api.github.com/%d/%d", i, j), "")
				assert.Equal(t, http.StatusOK, got.status)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, clients*each, a.Usage().REST)
}
