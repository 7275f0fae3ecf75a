package egress

import (
	"cmp"
	"crypto/subtle"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/elazarl/goproxy"
)

// proxyUser is the user's name in the proxy's URL; the password is random, so
// that other users of the machine cannot use the proxy where it listens on
// their loopback interface too.
const proxyUser = "agent"

// serveFront answers what clients send to the proxy as such.
func (p *Proxy) serveFront(w http.ResponseWriter, r *http.Request) {
	user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
	if user != proxyUser || subtle.ConstantTimeCompare([]byte(password), []byte(p.password)) != 1 {
		w.Header().Set("Proxy-Authenticate", `Basic realm="bench-action"`)
		say(w, http.StatusProxyAuthRequired, "This proxy is for the agent of a benchmark alone.")
		return
	}
	if r.Method == http.MethodConnect {
		p.tunnels.ServeHTTP(w, r)
	} else {
		p.servePlain(w, r)
	}
}

// servePlain answers requests for http URLs, which a client sends to its proxy
// whole.
func (p *Proxy) servePlain(w http.ResponseWriter, r *http.Request) {
	t, ok := parseTarget(r.URL.Host, httpPort)
	switch {
	case r.URL.Host == "":
		say(w, http.StatusBadRequest, "This is a proxy, not a server.")
	case !ok || r.URL.User != nil || r.URL.Scheme != "http":
		say(w, http.StatusBadRequest, "The proxy does not understand the request's URL.")
	case p.model != nil && p.model.isPlain(t):
		p.serveModel(w, r)
	case p.isGitHub(t) && t.port == httpPort:
		// As GitHub does.
		to := *r.URL
		to.Scheme, to.Host = "https", t.host
		http.Redirect(w, r, to.String(), http.StatusMovedPermanently)
	default:
		say(w, http.StatusForbidden, p.refuse(t))
	}
}

// newTunnels has goproxy take CONNECT requests.
func (p *Proxy) newTunnels() *goproxy.ProxyHttpServer {
	g := goproxy.NewProxyHttpServer()
	g.Logger = asLogger(p.opts.Log)
	// The ones that it has go by our own environment.
	g.Tr, g.ConnectDial = &http.Transport{}, nil
	g.ConnectDialWithReq = func(r *http.Request, network, addr string) (net.Conn, error) {
		return p.opts.Dial(r.Context(), network, addr)
	}
	g.ConnectionErrHandler = func(w io.Writer, ctx *goproxy.ProxyCtx, err error) {
		text := fmt.Sprintf("The proxy cannot reach %s: %v.\n", ctx.Req.URL.Host, err)
		// The client is gone if this fails.
		_, _ = fmt.Fprintf(w, "HTTP/1.1 502 Bad Gateway\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
			plainText, len(text), text)
	}
	g.OnRequest().HandleConnectFunc(p.connect)
	return g
}

// connect decides on a CONNECT request, and where a tunnel leads to.
func (p *Proxy) connect(address string, ctx *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) {
	t, ok := parseTarget(address, httpsPort)
	switch {
	case !ok:
		return reject(ctx, http.StatusBadRequest, "The proxy does not understand the name of the host."), ""
	case p.intercepts(t):
		return &goproxy.ConnectAction{
			Action: goproxy.ConnectHijack,
			Hijack: func(_ *http.Request, client net.Conn, _ *goproxy.ProxyCtx) { p.intercept(t, client) },
		}, ""
	case p.allow.has(t):
		return &goproxy.ConnectAction{Action: goproxy.ConnectAccept}, net.JoinHostPort(t.host, fmt.Sprint(t.port))
	default:
		return reject(ctx, http.StatusForbidden, p.refuse(t)), ""
	}
}

// intercepts reports whether the proxy answers for a target itself.
func (p *Proxy) intercepts(t target) bool {
	return p.isGitHub(t) && t.port == httpsPort || p.model != nil && p.model.isTLS(t)
}

// isGitHub reports whether a target is GitHub as agents know it.
func (p *Proxy) isGitHub(t target) bool { return p.opts.Tunnels == "" && t.isGitHub() }

// intercept ends the client's TLS and serves what it asks.
func (p *Proxy) intercept(t target, client net.Conn) {
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = client.Close()
		return
	}
	p.handoff.give(tls.Server(&insideConn{Conn: client, target: t}, p.ca.config(t)))
}

// refuse notes a refused host and returns the sentence to say.
func (p *Proxy) refuse(t target) string {
	if a := p.attempt.Load(); a == nil || a.noteRefused(t.String()) {
		if p.opts.OnRefused != nil {
			p.opts.OnRefused(t.String())
		}
	}
	return fmt.Sprintf("The benchmark's proxy refuses %s: %s.", t, cmp.Or(p.opts.Tunnels, "an agent reaches GitHub, its model and the hosts of --allow-host only"))
}

const plainText = "text/plain; charset=utf-8"

// reject has goproxy answer with a sentence, and not with a bare end of the
// connection, which hangs some clients.
func reject(ctx *goproxy.ProxyCtx, status int, text string) *goproxy.ConnectAction {
	ctx.Resp = goproxy.NewResponse(ctx.Req, plainText, status, text+"\n") //nolint:bodyclose // it is a string
	ctx.Resp.Close = true
	return &goproxy.ConnectAction{Action: goproxy.ConnectReject}
}

// say answers with a sentence.
func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", plainText)
	w.WriteHeader(status)
	// The client is gone if this fails.
	_, _ = io.WriteString(w, text+"\n")
}
