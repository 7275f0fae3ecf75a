package live

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// graphqlPath is where the GraphQL API is at github.com's API, and at ours on
// loopback.
const graphqlPath = "/graphql"

const (
	dialTime = 10 * time.Second
	idleTime = 90 * time.Second
)

// upstream carries requests for GitHub's names to where that GitHub is.
type upstream struct {
	rest, graphql *url.URL
	next          http.RoundTripper
}

// newUpstream reads where the APIs are.
func newUpstream(opts Options) (*upstream, error) {
	rest, err := url.Parse(opts.RESTURL)
	if err != nil || rest.Host == "" {
		return nil, fault.Invalidf("the address of GitHub's REST API is no URL: give one such as https://api.github.com")
	}
	graphql, err := url.Parse(opts.GraphQLURL)
	if err != nil || graphql.Host == "" {
		return nil, fault.Invalidf("the address of GitHub's GraphQL API is no URL: give one such as https://api.github.com/graphql")
	}
	next := opts.Transport
	if next == nil {
		// It leaves bodies as they are and does not go by our environment.
		next = &http.Transport{
			DialContext:         (&net.Dialer{Timeout: dialTime}).DialContext,
			TLSHandshakeTimeout: dialTime, IdleConnTimeout: idleTime,
			ForceAttemptHTTP2: true, DisableCompression: true,
		}
	}
	return &upstream{rest: rest, graphql: graphql, next: next}, nil
}

// agentHost is the name by which an agent asked, in a request's context.
type agentHost struct{}

// RoundTrip sends a request for one of GitHub's names.
func (u *upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	to := r.Clone(r.Context())
	base, name := u.rest.Hostname(), to.URL.Hostname()
	switch {
	case base == apiHost:
		// The names are the real ones.
	case isAddress(base):
		u.byName(to)
	case strings.HasPrefix(base, "api."):
		// A GitHub of its own below ghe.com, which has names like github.com's.
		if !strings.HasSuffix(name, webHost) {
			return nil, fmt.Errorf("%s has nothing in the place of %s", base, name)
		}
		to.URL.Host = strings.TrimSuffix(name, webHost) + strings.TrimPrefix(base, "api.")
		to.Host = to.URL.Host
	default:
		if err := u.enterprise(to, name); err != nil {
			return nil, err
		}
	}
	return u.next.RoundTrip(to)
}

// byName sends a request to the one address there is, where the name that the
// agent asked for says which part of GitHub is meant.
func (u *upstream) byName(to *http.Request) {
	if to.URL.Host == apiHost {
		u.api(to)
	} else {
		to.URL.Scheme, to.URL.Host = u.rest.Scheme, u.rest.Host
	}
	if asked, ok := to.Context().Value(agentHost{}).(string); ok {
		to.Host = asked
	}
}

// api sends a request to one of the APIs.
func (u *upstream) api(to *http.Request) {
	if to.URL.Path == graphqlPath {
		graphql := *u.graphql
		to.URL = &graphql
	} else {
		prefix := strings.TrimSuffix(u.rest.EscapedPath(), "/")
		to.URL.RawPath = prefix + to.URL.EscapedPath()
		to.URL.Path = strings.TrimSuffix(u.rest.Path, "/") + to.URL.Path
		to.URL.Scheme, to.URL.Host = u.rest.Scheme, u.rest.Host
	}
	to.Host = to.URL.Host
}

// enterprise sends a request to an enterprise server, which has all of GitHub
// under one name.
func (u *upstream) enterprise(to *http.Request, name string) error {
	prefix := ""
	switch name {
	case apiHost:
		u.api(to)
		return nil
	case uploadHost:
		prefix = "/api/uploads"
	case webHost:
	default:
		return fmt.Errorf("an enterprise server has nothing in the place of %s", name)
	}
	to.URL.RawPath = prefix + to.URL.EscapedPath()
	to.URL.Path = prefix + to.URL.Path
	to.URL.Scheme, to.URL.Host, to.Host = u.rest.Scheme, u.rest.Host, u.rest.Host
	return nil
}

// isAddress reports whether a host is named by its IP address, or is this
// machine.
func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost"
}

// withHost notes by which name an agent asked.
func withHost(ctx context.Context, host string) context.Context {
	return context.WithValue(ctx, agentHost{}, host)
}
