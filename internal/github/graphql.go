package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"
)

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

// all reports whether there are errors and all of them are of a type.
func (e GraphQLErrors) all(kind string) bool {
	return len(e) > 0 && !slices.ContainsFunc(e, func(one GraphQLError) bool { return one.Type != kind })
}

// Refused reports whether an error of either API says that what was asked for is
// understood and not done, and nothing else: it will not be done later either.
func Refused(err error) bool {
	if graph, ok := errors.AsType[GraphQLErrors](err); ok {
		return graph.all("UNPROCESSABLE")
	}
	switch StatusOf(err) {
	case http.StatusMethodNotAllowed, http.StatusConflict, http.StatusUnprocessableEntity:
		return true
	default:
		return false
	}
}

// NotFound reports whether an error of either API says that something does not
// exist, is not visible, or was deleted, and nothing else.
func NotFound(err error) bool {
	if response, ok := errors.AsType[*github.ErrorResponse](err); ok {
		return response.Response != nil &&
			(response.Response.StatusCode == http.StatusNotFound || response.Response.StatusCode == http.StatusGone)
	}
	graph, ok := errors.AsType[GraphQLErrors](err)
	return ok && graph.all("NOT_FOUND")
}

// GraphQLURL returns the address of the GraphQL API.
func (c *Client) GraphQLURL() string { return c.graphqlURL }

// GraphQL runs a query or mutation and decodes its data into out, which may be
// nil. Errors in the reply are [GraphQLErrors].
func (c *Client) GraphQL(ctx context.Context, query string, variables map[string]any, out any) error {
	if !strings.Contains(query, "mutation") {
		ctx = context.WithValue(ctx, readsOnly{}, true)
	}
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return fmt.Errorf("encode GraphQL request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.graphqlURL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make GraphQL request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", userAgent)
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("ask GitHub: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return fmt.Errorf("read GitHub's reply: %w", err)
	case response.StatusCode != http.StatusOK:
		return newRefusal(response, text)
	default:
		return decode(text, out)
	}
}

// refusal is a reply of the GraphQL API that is not OK.
type refusal struct {
	response *http.Response
	// message is what GitHub says about it, possibly nothing.
	message string
}

func newRefusal(response *http.Response, text []byte) *refusal {
	var reply struct{ Message string }
	if json.Unmarshal(text, &reply) != nil {
		reply.Message = ""
	}
	return &refusal{response, reply.Message}
}

// Error says the status and what GitHub says about it.
func (r *refusal) Error() string {
	text := "GitHub's GraphQL API answered " + r.response.Status
	if r.message != "" {
		text += ": " + r.message
	}
	return text
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
