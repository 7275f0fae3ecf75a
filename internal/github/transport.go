package github

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gregjones/httpcache"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// How long GitHub may take, which itself gives requests up after ten seconds.
const (
	dialTimeout   = 10 * time.Second
	tlsTimeout    = 10 * time.Second
	headerTimeout = 20 * time.Second
)

// NewTransport returns what sends requests to GitHub and gives up waiting where
// nothing answers. How long the body of an answer may take is its reader's
// matter.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: tlsTimeout, ResponseHeaderTimeout: headerTimeout, IdleConnTimeout: idleTimeout, MaxIdleConnsPerHost: idlePerHost,
	}
}

// What is kept of connections that nobody uses.
const (
	idleTimeout = 90 * time.Second
	idlePerHost = 16
)

// transport is what requests go through: repetition, then the cache, then the
// token, then the limit on the size of answers.
func transport(opts Options, rest, graphql *url.URL) http.RoundTripper {
	next := opts.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	origins := []string{origin(rest), origin(graphql), origin(uploads(rest))}
	cache := httpcache.NewTransport(&memory{entries: map[string][]byte{}})
	cache.Transport = revalidated{origins, authorized{opts.tokens(), origins, bounded{next}}}
	if opts.Patience == nil {
		return finished{cache}
	}
	return newPatient(*opts.Patience, graphql.Path, finished{cache})
}

// tokens returns what tells the token of a request.
func (o Options) tokens() func(ctx context.Context) (string, error) {
	if o.Tokens != nil {
		return o.Tokens
	}
	return func(context.Context) (string, error) { return o.Token, nil }
}

// authorized adds the token to requests, but only to those for GitHub's own
// origins: a redirect may lead to another host, which must not learn it.
type authorized struct {
	token   func(ctx context.Context) (string, error)
	origins []string
	next    http.RoundTripper
}

// RoundTrip sends a copy of the request with the token.
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	if !slices.Contains(a.origins, origin(r.URL)) {
		return a.next.RoundTrip(r)
	}
	token, err := a.token(r.Context())
	if err != nil {
		if r.Body != nil {
			// The request is not sent, so nothing in it is lost.
			_ = r.Body.Close()
		}
		return nil, err
	}
	if token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return a.next.RoundTrip(r)
}

// maxReply is the largest reply that is read, in bytes.
const maxReply = 32 << 20

// bounded makes the reading of a reply that is too large fail.
type bounded struct{ next http.RoundTripper }

// RoundTrip puts a limit on the reply's body.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err == nil {
		response.Body = &boundedBody{ReadCloser: response.Body, left: maxReply}
	}
	return response, err
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

// Read fails after the limit; a body of just that size is whole.
func (b *boundedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fault.Infraf("GitHub's reply is larger than %d bytes", maxReply)
	}
	return n, err
}
