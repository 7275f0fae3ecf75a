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
	if opts.RESTURL == "" {
		opts.RESTURL = DefaultRESTURL
	}
	if opts.GraphQLURL == "" {
		opts.GraphQLURL = DefaultGraphQLURL
	}
	base, err := url.Parse(strings.TrimSuffix(opts.RESTURL, "/") + "/")
	if err != nil {
		return nil, fmt.Errorf("address of GitHub's REST API: %w", err)
	}
	transport := opts.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	client := &http.Client{Transport: authorized{token: opts.Token, next: transport}}
	rest := github.NewClient(client)
	rest.BaseURL = base
	return &Client{REST: rest, http: client, graphqlURL: opts.GraphQLURL}, nil
}

// authorized adds the token to requests.
type authorized struct {
	token string
	next  http.RoundTripper
}

// RoundTrip sends a copy of the request with the token.
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.token != "" {
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
// exist, or is not visible.
func NotFound(err error) bool {
	var response *github.ErrorResponse
	if errors.As(err, &response) {
		return response.Response != nil && response.Response.StatusCode == http.StatusNotFound
	}
	var graph GraphQLErrors
	if errors.As(err, &graph) {
		for _, e := range graph {
			if e.Type == "NOT_FOUND" {
				return true
			}
		}
	}
	return false
}

// maxReply is the largest GraphQL reply that is read.
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
		return fmt.Errorf("address of GitHub's GraphQL API: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("ask GitHub: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	if err != nil {
		return fmt.Errorf("read GitHub's reply: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GitHub's GraphQL API answered %s", response.Status)
	}
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
