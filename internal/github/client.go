// Package github talks to GitHub's APIs: REST through go-github, and GraphQL.
package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"
)

// Options say where GitHub is and who asks.
type Options struct {
	// RESTURL and GraphQLURL are the APIs' addresses. Empty means github.com.
	RESTURL, GraphQLURL string
	// Token is sent with every request; empty means none.
	Token string
	// Transport sends the requests; nil means [http.DefaultTransport].
	Transport http.RoundTripper
}

// The addresses of github.com's APIs.
const (
	DefaultRESTURL    = "https://api.github.com"
	DefaultGraphQLURL = "https://api.github.com/graphql"
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
	graphql, err := address(orDefault(opts.GraphQLURL, DefaultGraphQLURL))
	if err != nil {
		return nil, fmt.Errorf("address of GitHub's GraphQL API: %w", err)
	}
	next := opts.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	client := &http.Client{Transport: authorized{
		token: opts.Token, origins: []string{origin(rest), origin(graphql)}, next: next,
	}}
	c := &Client{REST: github.NewClient(client), http: client, graphqlURL: graphql.String()}
	c.REST.BaseURL = rest.JoinPath("/")
	return c, nil
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// address reads an absolute URL of HTTP or HTTPS.
func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address that begins with https:// or http://", text)
	}
	return u, nil
}

// origin is the scheme and host of an address.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// authorized adds the token to requests, but only to those for GitHub's own
// origins: a redirect may lead to another host, which must not learn it.
type authorized struct {
	token   string
	origins []string
	next    http.RoundTripper
}

// RoundTrip sends a copy of the request with the token.
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.token != "" && slices.Contains(a.origins, origin(r.URL)) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	return a.next.RoundTrip(r)
}

// GraphQLErrors are the errors of a GraphQL reply.
type GraphQLErrors []GraphQLError

// GraphQLError is one error of a GraphQL reply.
type GraphQLError struct {
	// Type is NOT_FOUND, FORBIDDEN and so on; empty for errors in the query.
	Type    string `json:"type"`
	Message string `json:"message"`
}

// Error joins the messages.
func (e GraphQLErrors) Error() string {
	messages := make([]string, 0, len(e))
	for _, one := range e {
		messages = append(messages, one.Message)
	}
	return strings.Join(messages, "; ")
}

// NotFound reports whether an error of either API says that something does not
// exist, is not visible, or was deleted, and nothing else.
func NotFound(err error) bool {
	if response, ok := errors.AsType[*github.ErrorResponse](err); ok {
		return response.Response != nil &&
			(response.Response.StatusCode == http.StatusNotFound || response.Response.StatusCode == http.StatusGone)
	}
	graph, ok := errors.AsType[GraphQLErrors](err)
	return ok && len(graph) > 0 && !slices.ContainsFunc(graph, func(e GraphQLError) bool { return e.Type != "NOT_FOUND" })
}

// maxReply is the largest GraphQL reply that is read, in bytes.
const maxReply = 32 << 20

// GraphQL runs a query or mutation and decodes its data into out, which may be
// nil. Errors in the reply are [GraphQLErrors].
func (c *Client) GraphQL(ctx context.Context, query string, variables map[string]any, out any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return fmt.Errorf("encode GraphQL request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.graphqlURL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make GraphQL request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("ask GitHub: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxReply+1))
	switch {
	case err != nil:
		return fmt.Errorf("read GitHub's reply: %w", err)
	case len(text) > maxReply:
		return fmt.Errorf("GitHub's reply is larger than %d bytes", maxReply)
	case response.StatusCode != http.StatusOK:
		return refusal(response.Status, text)
	default:
		return decode(text, out)
	}
}

// refusal is the error of a reply that is not OK, with what GitHub says about
// it.
func refusal(status string, text []byte) error {
	var reply struct{ Message string }
	if json.Unmarshal(text, &reply) != nil || reply.Message == "" {
		return fmt.Errorf("GitHub's GraphQL API answered %s", status)
	}
	return fmt.Errorf("GitHub's GraphQL API answered %s: %s", status, reply.Message)
}

// decode reads a reply's data into out.
func decode(text []byte, out any) error {
	var reply struct {
		Data   json.RawMessage
		Errors GraphQLErrors
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return fmt.Errorf("decode GitHub's reply: %w", err)
	}
	if len(reply.Errors) > 0 {
		return reply.Errors
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(reply.Data, out); err != nil {
		return fmt.Errorf("decode GitHub's reply: %w", err)
	}
	return nil
}
