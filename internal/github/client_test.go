package github_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	gh "github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/github"
)

// serve answers every request with a status and a body, and notes the
// requests.
func serve(t *testing.T, status int, body string) (url string, asked *[]*http.Request) {
	t.Helper()
	asked = &[]*http.Request{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func client(t *testing.T, opts github.Options) *github.Client {
	t.Helper()
	c, err := github.New(opts)
	require.NoError(t, err)
	return c
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ rest, graphql, base, wrong string }{
		{"", "", "https://api.github.com/", ""},
		{"http://127.0.0.1:80", "", "http://127.0.0.1:80/", ""},
		{"https://ghe.example.com/api/v3/", "https://ghe.example.com/api/graphql", "https://ghe.example.com/api/v3/", ""},
		{"https://ghe.example.com", "", "https://ghe.example.com/api/v3/", ""},
		{"https://api.tenant.ghe.com", "", "https://api.tenant.ghe.com/", ""},
		{"http://localhost:1", "", "http://localhost:1/", ""},
		{"https://user:hunter2@ghe.example.com", "", "", "must have neither a user nor a query"},
		{"https://ghe.example.com?token=hunter2", "", "", "must have neither a user nor a query"},
		{"https://ghe.example.com:hunter2", "", "", "invalid port"},
		{"api.github.com", "", "", "address of GitHub's REST API: "},
		{"ftp://x", "", "", "address of GitHub's REST API: "},
		{"http://[", "", "", "address of GitHub's REST API: "},
		{"", "graphql", "", "address of GitHub's GraphQL API: "},
		{"", "https://", "", "address of GitHub's GraphQL API: "},
	} {
		got, err := github.New(github.Options{RESTURL: c.rest, GraphQLURL: c.graphql})
		if c.wrong != "" {
			assert.ErrorContains(t, err, c.wrong)
			assert.NotContains(t, err.Error(), "user:hunter2")
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.base, got.REST.BaseURL.String())
	}
}

func TestTheTokenGoesToGitHubAlone(t *testing.T) {
	other, asked := serve(t, http.StatusOK, `{}`)
	redirecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
		http.Redirect(w, r, other+"/logs", http.StatusFound)
	}))
	defer redirecting.Close()
	c := client(t, github.Options{RESTURL: redirecting.URL, GraphQLURL: redirecting.URL + "/graphql", Token: "secret"})
	_, _, err := c.REST.Users.Get(t.Context(), "")
	require.NoError(t, err)
	require.NoError(t, c.GraphQL(t.Context(), `{ viewer { login } }`, nil, nil))
	require.Len(t, *asked, 2)
	for _, r := range *asked {
		assert.Empty(t, r.Header.Get("Authorization"), "a redirect to another host must not carry the token")
	}

	here, asked := serve(t, http.StatusOK, `{}`)
	c = client(t, github.Options{RESTURL: here, GraphQLURL: here + "/graphql"})
	_, _, err = c.REST.Users.Get(t.Context(), "")
	require.NoError(t, err)
	assert.NotContains(t, (*asked)[0].Header, "Authorization", "no token, no header")
}

func TestRequestsAreNotChanged(t *testing.T) {
	here, _ := serve(t, http.StatusOK, `{}`)
	c := client(t, github.Options{RESTURL: here, Token: "secret"})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, here, nil)
	require.NoError(t, err)
	_, err = c.REST.Client().Do(request)
	require.NoError(t, err)
	assert.Empty(t, request.Header.Get("Authorization"), "the caller's request must not learn the token")
}

func TestGraphQLReplies(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   string
	}{
		{"data", 200, `{"data":{"viewer":{"login":"me"}}}`, ""},
		{"errors beside data", 200, `{"data":{"viewer":{"login":"me"}},"errors":[{"type":"FORBIDDEN","message":"no"},{"message":"never"}]}`, "no; never"},
		{"no data", 200, `{}`, "decode GitHub's reply: unexpected end of JSON input"},
		{"data of another shape", 200, `{"data":{"viewer":[]}}`, "decode GitHub's reply: "},
		{"no JSON", 200, `<html>`, "decode GitHub's reply: "},
		{"a refusal", 401, `{"message":"Bad credentials"}`, "GitHub's GraphQL API answered 401 Unauthorized: Bad credentials"},
		{"a broken gateway", 502, `<html>`, "GitHub's GraphQL API answered 502 Bad Gateway"},
		{"an endless reply", 200, `{"data":"` + strings.Repeat("x", 32<<20) + `"}`, "GitHub's reply is larger than 33554432 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, asked := serve(t, c.status, c.body)
			var out struct{ Viewer struct{ Login string } }
			err := client(t, github.Options{GraphQLURL: url + "/graphql", Token: "t"}).
				GraphQL(t.Context(), `query($n: Int) { viewer { login } }`, map[string]any{"n": 1}, &out)
			if c.want != "" {
				assert.ErrorContains(t, err, c.want)
			} else {
				require.NoError(t, err)
				assert.Equal(t, "me", out.Viewer.Login)
			}
			assert.Equal(t, "/graphql", (*asked)[0].URL.Path)
			assert.Equal(t, "Bearer t", (*asked)[0].Header.Get("Authorization"))
			assert.Equal(t, "application/json", (*asked)[0].Header.Get("Content-Type"))
		})
	}
}

func TestGraphQLWithoutANetwork(t *testing.T) {
	broken := errors.New("no route")
	c := client(t, github.Options{Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, broken })})
	err := c.GraphQL(t.Context(), `{ viewer { login } }`, nil, nil)
	assert.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, client(t, github.Options{}).GraphQL(ctx, `{ viewer { login } }`, nil, nil), context.Canceled)
	assert.ErrorContains(t, c.GraphQL(t.Context(), "", map[string]any{"f": func() {}}, nil), "encode GraphQL request")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNotFound(t *testing.T) {
	rest := func(status int) error {
		url, _ := serve(t, status, `{"message":"x"}`)
		_, _, err := client(t, github.Options{RESTURL: url}).REST.Users.Get(t.Context(), "me")
		return err
	}
	missing, other := github.GraphQLError{Type: "NOT_FOUND", Message: "x"}, github.GraphQLError{Message: "y"}
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"nil", nil, false},
		{"any error", errors.New("not found"), false},
		{"404", rest(http.StatusNotFound), true},
		{"410, for an issue that was deleted", rest(http.StatusGone), true},
		{"403", rest(http.StatusForbidden), false},
		{"a reply without a response", &gh.ErrorResponse{}, false},
		{"a GraphQL error of that type", github.GraphQLErrors{missing}, true},
		{"two of them, wrapped", fmt.Errorf("read: %w", github.GraphQLErrors{missing, missing}), true},
		{"one beside another error", github.GraphQLErrors{missing, other}, false},
		{"another error", github.GraphQLErrors{other}, false},
		{"no error at all", github.GraphQLErrors{}, false},
	} {
		assert.Equal(t, c.want, github.NotFound(c.err), c.name)
	}
}
