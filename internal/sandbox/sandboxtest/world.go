// Package sandboxtest makes sandboxes for tests: a world on loopback with one
// repository, and clients in it. Its own tests run the real clients, unmodified,
// through a sandbox and compare what they print and leave with what GitHub does.
package sandboxtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// The repository of a test world.
const (
	Owner = "owner"
	Name  = "hello"
	// Path begins the paths of the repository's REST routes.
	Path = "/repos/" + Owner + "/" + Name
)

// World is a sandbox on loopback.
type World struct {
	*sandbox.World
	URL string

	t testing.TB
}

// New returns a world with a public repository that belongs to the user owner.
// The users writer, triager and reader are its collaborators, stranger is not.
// Besides the files, it has a README.md. The world ends with the test.
func New(t testing.TB, files ...gitstore.Change) *World {
	t.Helper()
	world, err := sandbox.New()
	require.NoError(t, err)
	require.NoError(t, world.Setup(func(s *model.State) error {
		owner := s.AddUser(model.NewUser{Login: Owner, Name: "The Owner", Email: "owner@example.com"}).ID
		repo := s.AddRepo(model.NewRepo{Owner: owner, Name: Name, Description: "A test"})
		for _, c := range []struct {
			login      string
			permission model.Permission
		}{{"writer", model.PermWrite}, {"triager", model.PermTriage}, {"reader", model.PermRead}} {
			repo.Collaborators[s.AddUser(model.NewUser{Login: c.login}).ID] = c.permission
		}
		s.AddUser(model.NewUser{Login: "stranger"})
		files = append([]gitstore.Change{{Path: "README.md", Content: []byte("# hello\n")}}, files...)
		return s.PushInitial(owner, repo, files, "first")
	}))
	return Serve(t, world)
}

// Serve puts a world on loopback until the test ends.
func Serve(t testing.TB, world *sandbox.World) *World {
	t.Helper()
	server, err := world.Listen(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	return &World{World: world, URL: server.URL, t: t}
}

// Change changes the world's repository directly.
func (w *World) Change(change func(s *model.State, repo *model.Repo)) {
	w.t.Helper()
	require.NoError(w.t, w.Setup(func(s *model.State) error {
		change(s, s.Repo(Owner, Name))
		return nil
	}))
}

// Token is the value of a user's token.
func Token(login string) string { return "token-of-" + login }

// As returns a client of a user; the empty login is nobody.
func (w *World) As(login string) *Client {
	w.t.Helper()
	token := ""
	if login != "" {
		token = Token(login)
		w.AddToken(token, sandbox.Token{User: login, Scopes: []string{"repo", "workflow"}})
	}
	return w.With(token)
}

// With returns a client that sends a token, whether or not the world knows it.
func (w *World) With(token string) *Client {
	w.t.Helper()
	rest := github.NewClient(nil)
	if token != "" {
		rest = rest.WithAuthToken(token)
	}
	base, err := url.Parse(w.URL + "/")
	require.NoError(w.t, err)
	rest.BaseURL = base
	return &Client{REST: rest, URL: w.URL, token: token, t: w.t}
}

// Client asks as one user.
type Client struct {
	// REST is go-github's client.
	REST *github.Client
	URL  string

	token string
	t     testing.TB
}

// Reply is an answer to a request.
type Reply struct {
	Status int
	Header http.Header
	Body   string

	t testing.TB
}

// Do sends a request. The body is text, or nil, or else becomes JSON. Headers
// are names and values in turn.
func (c *Client) Do(method, path string, body any, headers ...string) Reply {
	c.t.Helper()
	text, isText := body.(string)
	if body != nil && !isText {
		encoded, err := json.Marshal(body)
		require.NoError(c.t, err)
		text = string(encoded)
	}
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.URL+path, bytes.NewReader([]byte(text)))
	require.NoError(c.t, err)
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(c.t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	return Reply{Status: response.StatusCode, Header: response.Header, Body: string(answer), t: c.t}
}

// Get is [Client.Do] for a GET without a body.
func (c *Client) Get(path string, headers ...string) Reply {
	c.t.Helper()
	return c.Do(http.MethodGet, path, nil, headers...)
}

// GraphQL runs a document. Variables are names and values in turn.
func (c *Client) GraphQL(document string, variables ...any) Reply {
	c.t.Helper()
	named := map[string]any{}
	for i := 0; i+1 < len(variables); i += 2 {
		named[variables[i].(string)] = variables[i+1]
	}
	reply := c.Do(http.MethodPost, "/graphql", map[string]any{"query": document, "variables": named})
	require.Equal(c.t, http.StatusOK, reply.Status, reply.Body)
	return reply
}

// At returns what is at a dotted path of the JSON answer, such as
// "errors.0.code"; nil if there is nothing. Numbers are float64.
func (r Reply) At(path string) any {
	r.t.Helper()
	var at any
	require.NoError(r.t, json.Unmarshal([]byte(r.Body), &at), r.Body)
	for part := range strings.SplitSeq(path, ".") {
		switch v := at.(type) {
		case map[string]any:
			at = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}

// Text is [Reply.At] for texts, "" if there is none.
func (r Reply) Text(path string) string {
	r.t.Helper()
	text, _ := r.At(path).(string)
	return text
}

// Int is [Reply.At] for whole numbers, 0 if there is none.
func (r Reply) Int(path string) int {
	r.t.Helper()
	n, _ := r.At(path).(float64)
	return int(n)
}
