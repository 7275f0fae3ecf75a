// Package github talks to GitHub's APIs: REST through go-github, and GraphQL.
//
// A [Client] sends its token to GitHub alone, asks again with the ETag of what
// it has (an answer that has not changed costs no rate limit) and, with
// [Patience], waits for rate limits and repeats what may be repeated.
package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/google/go-github/v60/github"
)

// Options say where GitHub is and who asks.
type Options struct {
	// RESTURL and GraphQLURL are the APIs' addresses. Empty means github.com,
	// or the API of the other kind at the same place. That of an enterprise
	// server may be given with or without its /api/v3.
	RESTURL, GraphQLURL string
	// Token is sent with every request; empty means none.
	Token string
	// Tokens returns the token to send with each request, in the place of
	// Token; nil means that Token stays.
	Tokens func(ctx context.Context) (string, error)
	// Transport sends the requests; nil means [http.DefaultTransport].
	Transport http.RoundTripper
	// Patience says how long to wait for rate limits and how often to repeat
	// requests. Nil means that every request is sent once.
	Patience *Patience
}

// The addresses of github.com's APIs.
const (
	DefaultRESTURL    = "https://api.github.com"
	DefaultGraphQLURL = "https://api.github.com/graphql"
)

// userAgent is how requests introduce themselves.
const userAgent = "bench-action"

// The paths of the APIs on an enterprise server.
const (
	enterpriseREST    = "/api/v3"
	enterpriseGraphQL = "/api/graphql"
	enterpriseUploads = "/api/uploads"
)

// The hosts of github.com's API.
const (
	apiHost     = "api.github.com"
	uploadsHost = "uploads.github.com"
)

// Client is a client of both APIs. It is safe for concurrent use.
type Client struct {
	// REST is the client of the REST API.
	REST       *github.Client
	http       *http.Client
	graphqlURL string
}

// New returns a client. It fails if an address is no URL.
func New(opts Options) (*Client, error) {
	rest, err := address(orDefault(opts.RESTURL, DefaultRESTURL))
	if err != nil {
		return nil, fmt.Errorf("address of GitHub's REST API: %w", err)
	}
	if enterprise(rest) && rest.Path == "" {
		rest.Path = enterpriseREST
	}
	graphql, err := address(orDefault(opts.GraphQLURL, beside(rest)))
	if err != nil {
		return nil, fmt.Errorf("address of GitHub's GraphQL API: %w", err)
	}
	if enterprise(graphql) && graphql.Path == "" {
		graphql.Path = enterpriseGraphQL
	}
	client := &http.Client{Transport: transport(opts, rest, graphql)}
	c := &Client{REST: github.NewClient(client), http: client, graphqlURL: graphql.String()}
	c.REST.BaseURL = rest.JoinPath("/")
	c.REST.UploadURL = uploads(rest).JoinPath("/")
	c.REST.UserAgent = userAgent
	return c, nil
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// uploads returns the address that takes files, which belongs to a REST
// address: github.com has a host for it, an enterprise server a path.
func uploads(rest *url.URL) *url.URL {
	at := *rest
	if server, found := strings.CutSuffix(at.Path, enterpriseREST); found {
		at.Path = server + enterpriseUploads
	}
	if at.Host == apiHost {
		at.Host = uploadsHost
	}
	return &at
}

// beside returns the GraphQL address that belongs to a REST address.
func beside(rest *url.URL) string {
	graphql := *rest
	graphql.Path = strings.TrimSuffix(graphql.Path, "/")
	if server, found := strings.CutSuffix(graphql.Path, enterpriseREST); found {
		graphql.Path = server + enterpriseGraphQL
	} else {
		graphql.Path += "/graphql"
	}
	return graphql.String()
}

// enterprise reports whether a host is an enterprise server, whose APIs are
// below /api; those of github.com and of ghe.com have a host of their own. What
// is named by an IP address is taken as it is.
func enterprise(u *url.URL) bool {
	_, err := netip.ParseAddr(u.Hostname())
	return err != nil && u.Hostname() != "localhost" && !strings.HasPrefix(u.Hostname(), "api.")
}

// address reads an absolute URL of HTTP or HTTPS. Its errors do not repeat
// what may be a secret.
func address(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	if wrong, ok := errors.AsType[*url.Error](err); ok {
		return nil, wrong.Err
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address that begins with https:// or http://", u.Redacted())
	}
	if u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("%q must have neither a user nor a query; a token is given apart", u.Host)
	}
	return u, nil
}

// origin is the scheme and host of an address.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }
