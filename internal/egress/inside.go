package egress

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
)

// insideConn is an intercepted connection, below its TLS.
type insideConn struct {
	net.Conn
	target target
}

// targetKey is the key of the target in the context of an intercepted
// connection.
type targetKey struct{}

func withTarget(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, targetKey{}, conn.(*tls.Conn).NetConn().(*insideConn).target)
}

// serveInside answers a request in an intercepted connection.
func (p *Proxy) serveInside(w http.ResponseWriter, r *http.Request) {
	t := r.Context().Value(targetKey{}).(target)
	named, valid := parseTarget(r.Host, httpsPort)
	switch {
	case !valid || r.URL.IsAbs() || r.Method == http.MethodConnect:
		say(w, http.StatusBadRequest, "The proxy does not understand the request.")
	case named != t:
		// Else a connection to one host would reach what is behind another.
		say(w, http.StatusMisdirectedRequest, "The request is for another host than its connection.")
	case r.Header.Get("Upgrade") != "":
		say(w, http.StatusForbidden, "The proxy passes no WebSockets and no other upgrades of a connection.")
	case t.isGitHub():
		p.serveGitHub(w, r, t)
	default:
		p.serveModel(w, r)
	}
}

func (p *Proxy) serveGitHub(w http.ResponseWriter, r *http.Request, t target) {
	a := p.attempt.Load()
	if a == nil || a.github == nil {
		say(w, http.StatusForbidden, "No attempt is under way.")
		return
	}
	r.Host = t.host
	a.serveGitHub(w, r)
}
