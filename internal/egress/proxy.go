// Package egress is the forward proxy between an agent and the world.
//
// An agent's tools are told of a [Proxy] by the variables of [Proxy.Env]. The
// proxy answers for GitHub's names itself, with a certificate authority of its
// own, by a handler that is the sandbox's or, for GitHub itself, [Live]; it
// adds the key to calls of the model's API; it passes connections to the
// hosts on the allow-list through unseen; and it refuses everything else with
// 403 and a sentence. It counts what an [Attempt] asks of GitHub.
//
// elazarl/goproxy takes the CONNECT requests and runs the tunnels. What comes
// in on an intercepted connection is served by net/http, not by goproxy's own
// interception, because that has no time limits, no limit on headers, lets a
// request name another host than its connection, and does not answer
// "Expect: 100-continue", which makes curl wait for a second.
package egress

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/elazarl/goproxy"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// maxConnections bounds the agent's open connections; more wait.
	maxConnections = 512
	// headerTime is how long a client may take for a TLS handshake or a
	// request's header, idleTime how long it may say nothing between two
	// requests.
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	// maxHeader bounds a request's header, in bytes.
	maxHeader = 64 << 10
)

// Options say what a proxy lets through.
type Options struct {
	// Model is the provider of the agent's model, nil if there is none.
	Model *Model
	// Allow lists further hosts that may be reached at port 443, unseen and
	// uncounted: a name, or "*.name" for everything below one.
	Allow []string
	// Tunnels says that nothing is intercepted, so that GitHub's names are as all
	// others, and what may be reached: the end of "The benchmark's proxy refuses
	// HOST: ". Empty is for an agent.
	Tunnels string
	// Now is the clock, for the times in certificates.
	Now func() time.Time
	// Dial connects to allowed hosts. Nil dials, but not to private, loopback
	// and other special addresses, whatever a name resolves to.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// OnRefused is told the hosts that were refused, each once an attempt and
	// also while there is none. It may be nil.
	OnRefused func(host string)
	// Log hears of clients that break the protocol. It may be nil.
	Log *slog.Logger
}

// Proxy is a forward proxy for one agent. It is safe for concurrent use.
type Proxy struct {
	opts     Options
	password string
	ca       *authority
	allow    allowList
	model    *modelAPI // nil without a model
	tunnels  *goproxy.ProxyHttpServer
	front    *http.Server // what clients connect to
	inside   *http.Server // what they speak to in intercepted connections
	handoff  *handoff
	slots    chan struct{}
	attempt  atomic.Pointer[Attempt]

	mu     sync.Mutex
	conns  map[*clientConn]struct{}
	fronts []*http.Server // the model's, for programs that use no proxy
	closed bool
	ended  sync.WaitGroup // the goroutines that serve
}

// New makes a proxy and its certificate authority. The caller closes it. The
// error is of kind invalid if the options are wrong.
func New(opts Options) (*Proxy, error) {
	allow, err := newAllowList(opts.Allow)
	if err != nil {
		return nil, err
	}
	if opts.Now == nil {
		return nil, fault.Internalf("the agent's proxy needs a clock")
	}
	opts.Log = cmp.Or(opts.Log, slog.New(slog.DiscardHandler))
	if opts.Dial == nil {
		opts.Dial = publicDialer().DialContext
	}
	p := &Proxy{
		opts: opts, password: rand.Text(), allow: allow,
		handoff: newHandoff(), slots: make(chan struct{}, maxConnections),
		conns: map[*clientConn]struct{}{},
	}
	names := slices.Clone(gitHubNames)
	if opts.Model != nil {
		if p.model, err = newModelAPI(*opts.Model, opts.Log); err != nil {
			return nil, err
		}
		names = append(names, p.model.names()...)
	}
	if p.ca, err = newAuthority(names, opts.Now); err != nil {
		return nil, err
	}
	p.tunnels = p.newTunnels()
	p.front = p.newServer(http.HandlerFunc(p.serveFront))
	p.inside = p.newServer(http.HandlerFunc(p.serveInside))
	p.inside.ConnContext = withTarget
	p.ended.Go(func() { _ = p.inside.Serve(p.handoff) })
	return p, nil
}

func (p *Proxy) newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: asLogger(p.opts.Log),
	}
}

// asLogger is for packages that log in lines.
func asLogger(l *slog.Logger) *log.Logger { return slog.NewLogLogger(l.Handler(), slog.LevelDebug) }

// Serve serves the proxy on l until Close. The error is then nil.
func (p *Proxy) Serve(l net.Listener) error {
	err := p.front.Serve(&clientListener{Listener: l, proxy: p})
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fault.Infraf("serve the agent's proxy: %w", err)
}

// Close stops serving and closes all connections. It may be called more than
// once.
func (p *Proxy) Close() error {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.handoff.done)
	}
	conns := make([]*clientConn, 0, len(p.conns))
	for c := range p.conns {
		conns = append(conns, c)
	}
	fronts := p.fronts
	p.mu.Unlock()
	// Both only close listeners and connections, which may be closed already.
	_, _ = p.front.Close(), p.inside.Close()
	for _, front := range fronts {
		_ = front.Close()
	}
	for _, c := range conns {
		_ = c.Close()
	}
	p.ended.Wait()
	if p.model != nil {
		p.model.close()
	}
	return nil
}

// clientListener gives connections that the proxy knows of, and not too many.
type clientListener struct {
	net.Listener
	proxy *Proxy
}

func (l *clientListener) Accept() (net.Conn, error) {
	select {
	case l.proxy.slots <- struct{}{}:
	case <-l.proxy.handoff.done:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.proxy.slots
		return nil, err
	}
	return l.proxy.track(conn), nil
}

func (p *Proxy) track(conn net.Conn) net.Conn {
	c := &clientConn{Conn: conn, proxy: p}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = struct{}{}
	if p.closed {
		// Close has looked at the connections already.
		_ = conn.Close()
	}
	return c
}

// clientConn is a connection of the agent's.
type clientConn struct {
	net.Conn
	proxy *Proxy
	once  sync.Once
}

// Close closes the connection and makes room for another.
func (c *clientConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.proxy.mu.Lock()
		delete(c.proxy.conns, c)
		c.proxy.mu.Unlock()
		<-c.proxy.slots
	})
	return err
}

// CloseRead and CloseWrite close half of the connection, for tunnels.
func (c *clientConn) CloseRead() error { return closeHalf(c.Conn, halfCloser.CloseRead) }

// CloseWrite is as CloseRead.
func (c *clientConn) CloseWrite() error { return closeHalf(c.Conn, halfCloser.CloseWrite) }

type halfCloser interface {
	CloseRead() error
	CloseWrite() error
}

func closeHalf(conn net.Conn, half func(halfCloser) error) error {
	if c, ok := conn.(halfCloser); ok {
		return half(c)
	}
	return conn.Close()
}

// handoff is a listener for connections that are there already.
type handoff struct {
	conns chan net.Conn
	done  chan struct{}
}

func newHandoff() *handoff {
	return &handoff{conns: make(chan net.Conn), done: make(chan struct{})}
}

// give hands a connection over, or closes it if nobody serves any more.
func (h *handoff) give(conn net.Conn) {
	select {
	case h.conns <- conn:
	case <-h.done:
		_ = conn.Close()
	}
}

// Accept returns the next connection.
func (h *handoff) Accept() (net.Conn, error) {
	select {
	case conn := <-h.conns:
		return conn, nil
	case <-h.done:
		return nil, net.ErrClosed
	}
}

// Close does nothing: the proxy's Close ends the handoff.
func (h *handoff) Close() error { return nil }

// Addr returns an address that means nothing.
func (h *handoff) Addr() net.Addr { return &net.TCPAddr{} }
