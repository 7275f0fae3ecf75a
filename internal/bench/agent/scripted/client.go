package scripted

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

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// The routes of ghx.
const (
	routeGraphQL = "graphql"
	routeCLI     = "cli"
)

const jsonType = "application/json"

// dialect is how one of the clients introduces itself.
type dialect struct {
	scheme string
	// always goes with every request, rest and graphql with those of one API.
	always, rest, graphql map[string]string
}

// The dialects are those of gh 2.62, ghx 0.8 and GitHub's MCP server 0.20.

func ghDialect() dialect {
	return dialect{
		scheme: "token",
		always: map[string]string{
			"User-Agent":   "GitHub CLI 2.62.0",
			"Accept":       "application/vnd.github.merge-info-preview+json, application/vnd.github.nebula-preview",
			"Content-Type": jsonType + "; charset=utf-8",
		},
		graphql: map[string]string{"GraphQL-Features": "merge_queue"},
	}
}

func ghxDialect() dialect {
	return dialect{
		scheme: "Bearer",
		always: map[string]string{"User-Agent": "ghx", "Accept": jsonType, "Content-Type": jsonType},
	}
}

func mcpDialect() dialect {
	return dialect{
		scheme:  "Bearer",
		always:  map[string]string{"User-Agent": "github-mcp-server/0.20.0", "Content-Type": jsonType},
		rest:    map[string]string{"Accept": "application/vnd.github.v3+json", "X-GitHub-Api-Version": "2022-11-28"},
		graphql: map[string]string{"Accept": jsonType},
	}
}

// dialectOf returns the dialect of a request. ghx has requests to the REST API
// sent by gh, and with route cli the others too.
func dialectOf(mode bench.Mode, route string, graphql bool) dialect {
	switch {
	case mode == bench.MCP:
		return mcpDialect()
	case (mode == bench.GHX || mode == bench.GHXBase) && graphql && route == routeGraphQL:
		return ghxDialect()
	default:
		return ghDialect()
	}
}

// environment is what the agent's process knows of GitHub.
type environment struct {
	restURL, graphqlURL, token, repo string
}

// readEnvironment reads the variables that every target sets.
func readEnvironment(env []string) (environment, error) {
	var e environment
	for _, known := range []struct {
		name  string
		value *string
	}{
		{"GITHUB_API_URL", &e.restURL}, {"GITHUB_GRAPHQL_URL", &e.graphqlURL}, {"GH_TOKEN", &e.token}, {"GITHUB_REPOSITORY", &e.repo},
	} {
		for _, variable := range env {
			if value, found := strings.CutPrefix(variable, known.name+"="); found {
				*known.value = value
			}
		}
		if *known.value == "" {
			return e, fault.Invalidf("the agent's environment has no %s: a scripted agent needs a target that sets it", known.name)
		}
	}
	return e, nil
}

// traffic is what the requests of a tool call sent and received, in bytes of
// bodies.
type traffic struct{ sent, received int64 }

// client sends requests as one of the clients does.
type client struct {
	http *http.Client
	env  environment
	mode bench.Mode
	// route is that of ghx, empty in other modes.
	route string
}

// request is one request, ready to be sent.
type request struct {
	method string
	// path is that of a REST request; a GraphQL request has none.
	path string
	// accept is the media type to ask for, empty for the client's usual one.
	accept string
	body   []byte
}

// send sends a request and returns the response's body. The error is a
// [failure] if the tool call failed; else it is why the agent cannot go on.
func (c *client) send(ctx context.Context, r request, t *traffic) ([]byte, error) {
	graphql := r.path == ""
	address := c.env.restURL + r.path
	if graphql {
		address = c.env.graphqlURL
	}
	out, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	c.introduce(out, graphql)
	if r.accept != "" {
		out.Header.Set("Accept", r.accept)
	}
	t.sent += int64(len(r.body))
	response, err := c.http.Do(out)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	t.received += int64(len(body))
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return body, refused(response.StatusCode, body)
	}
	return body, nil
}

func (c *client) introduce(r *http.Request, graphql bool) {
	d := dialectOf(c.mode, c.route, graphql)
	sets := []map[string]string{d.always, d.rest}
	if graphql {
		sets[1] = d.graphql
	}
	for _, set := range sets {
		for name, value := range set {
			r.Header.Set(name, value)
		}
	}
	r.Header.Set("Authorization", d.scheme+" "+c.env.token)
}

// unreachable says why no response came: because the agent was stopped, or
// because of the network, which fails the tool call.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var about *url.Error
	if errors.As(err, &about) {
		err = about.Err
	}
	return &failure{message: "network: " + err.Error()}
}

func refused(status int, body []byte) *failure {
	var problem struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &problem) != nil || problem.Message == "" {
		problem.Message = http.StatusText(status)
	}
	return &failure{status: status, message: problem.Message}
}

// rest sends a REST request with a body as JSON; nil is none. One without a
// method is a GET.
func (c *client) rest(ctx context.Context, r request, body any, t *traffic) (value any, shown string, err error) {
	if r.method == "" {
		r.method = http.MethodGet
	}
	if body != nil {
		if r.body, err = jq.Marshal(body); err != nil {
			return nil, "", fmt.Errorf("encode body: %w", err)
		}
	}
	data, err := c.send(ctx, r, t)
	if err != nil {
		return nil, "", err
	}
	if value, err := jq.Decode(data); err == nil {
		return value, string(data), nil
	}
	if files, is := unzipped(data); is {
		return files, "", nil
	}
	// Logs of jobs and diffs are texts.
	return string(data), string(data), nil
}

// graphql sends a GraphQL request and returns the reply's data.
func (c *client) graphql(ctx context.Context, query string, variables map[string]any, t *traffic) (value any, shown string, err error) {
	body, err := jq.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, "", fmt.Errorf("encode variables: %w", err)
	}
	data, err := c.send(ctx, request{method: http.MethodPost, body: body}, t)
	if err != nil {
		return nil, "", err
	}
	reply, err := jq.Decode(data)
	object, is := reply.(map[string]any)
	if err != nil || !is {
		return nil, "", &failure{status: http.StatusBadGateway, message: "the reply is not JSON"}
	}
	if errs, _ := object["errors"].([]any); len(errs) > 0 {
		first, _ := errs[0].(map[string]any)
		message, _ := first["message"].(string)
		kind, _ := first["type"].(string)
		return nil, "", &failure{status: http.StatusOK, kind: kind, message: message}
	}
	return object["data"], string(data), nil
}
