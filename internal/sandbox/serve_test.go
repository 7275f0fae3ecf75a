package sandbox_test

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const viewer = `{ viewer { login } }`

func TestTokens(t *testing.T) {
	w := sandboxtest.New(t)
	w.As("writer")
	w.AddToken("token-of-the-dead", sandbox.Token{User: "gone"})
	basic := func(password string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+password))
	}
	known := sandboxtest.Token("writer")
	for header, want := range map[string]int{
		"Bearer " + known:          http.StatusOK,
		"token " + known:           http.StatusOK,
		"BEARER  " + known:         http.StatusOK,
		basic(known):               http.StatusOK,
		"Bearer other":             http.StatusUnauthorized,
		"Bearer":                   http.StatusUnauthorized,
		"Bearer token-of-the-dead": http.StatusUnauthorized,
		known:                      http.StatusUnauthorized,
		"Digest " + known:          http.StatusUnauthorized,
		basic("other"):             http.StatusUnauthorized,
		"Basic !":                  http.StatusUnauthorized,
	} {
		reply := w.With("").Get("/user", "Authorization", header)
		assert.Equal(t, want, reply.Status, header)
		if want == http.StatusUnauthorized {
			assert.Equal(t, "Bad credentials", reply.Text("message"), header)
			assert.Equal(t, "401", reply.Text("status"))
			assert.NotEmpty(t, reply.Text("documentation_url"))
		} else {
			assert.Equal(t, "writer", reply.Text("login"))
		}
	}
}

func TestNobodyMayReadButNotWrite(t *testing.T) {
	w := sandboxtest.New(t)
	nobody := w.As("")
	assert.Equal(t, http.StatusOK, nobody.Get(sandboxtest.Path).Status)
	for _, reply := range []sandboxtest.Reply{
		nobody.Get("/user"), nobody.Do("POST", sandboxtest.Path+"/issues", map[string]any{"title": "x"}),
	} {
		assert.Equal(t, http.StatusUnauthorized, reply.Status)
		assert.Equal(t, "Requires authentication", reply.Text("message"))
	}
	reply := nobody.Do("POST", "/graphql", map[string]any{"query": viewer})
	assert.Equal(t, http.StatusUnauthorized, reply.Status)
	assert.Equal(t, "This endpoint requires you to be authenticated.", reply.Text("message"))
}

// GitHub answers so before it looks at anything else: credentials, limits, paths.
func TestAClientWithoutAName(t *testing.T) {
	w := sandboxtest.New(t)
	w.EnforceLimits(sandbox.Limits{Core: 1, GraphQL: 1})
	writer := w.As("writer")
	for name, c := range map[string]struct {
		client             *sandboxtest.Client
		method, path, body string
	}{
		"REST": {writer, "GET", sandboxtest.Path, ""}, "a write": {writer, "POST", sandboxtest.Path + "/issues", `{"title":"x"}`},
		"GraphQL": {writer, "POST", "/graphql", `{"query":"{ viewer { login } }"}`}, "a search": {writer, "GET", "/search/issues?q=x", ""},
		"an enterprise's path": {writer, "GET", "/api/v3" + sandboxtest.Path, ""}, "what is not there": {writer, "GET", "/none", ""},
		"nobody": {w.As(""), "GET", sandboxtest.Path, ""}, "no such token": {w.With("other"), "GET", sandboxtest.Path, ""},
	} {
		reply := c.client.Do(c.method, c.path, c.body, "User-Agent", "")
		assert.Equal(t, http.StatusForbidden, reply.Status, name)
		assert.Equal(t, "text/html", reply.Header.Get("Content-Type"), name)
		assert.Equal(t, "\r\nRequest forbidden by administrative rules. Please make sure your request has a User-Agent header "+
			"(https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required). Check https://developer.github.com for other possible causes.\r\n", reply.Body, name)
	}
	assert.Equal(t, 1, writer.Do("POST", sandboxtest.Path+"/issues", `{"title":"x"}`, "User-Agent", "x").Int("number"), "nothing was done, and it is the first that counts")
	for path, status := range map[string]int{
		"/owner/hello.git/info/refs?service=git-upload-pack": http.StatusOK, "/login/oauth/authorize?client_id=none": http.StatusNotFound,
	} {
		assert.Equal(t, status, writer.Get(path, "User-Agent", "").Status, "%s is not of the API", path)
	}
}

func TestHeaders(t *testing.T) {
	w := sandboxtest.New(t)
	for name, c := range map[string]struct {
		reply           sandboxtest.Reply
		resource, limit string
	}{
		"REST":              {w.As("writer").Get(sandboxtest.Path), "core", "5000"},
		"REST for nobody":   {w.As("").Get(sandboxtest.Path), "core", "60"},
		"search":            {w.As("writer").Get("/search/repositories?q=hello"), "search", "30"},
		"GraphQL":           {w.As("writer").GraphQL(viewer), "graphql", "5000"},
		"what is not there": {w.As("writer").Get("/none"), "core", "5000"},
	} {
		h := c.reply.Header
		assert.Equal(t, c.resource, h.Get("X-RateLimit-Resource"), name)
		assert.Equal(t, c.limit, h.Get("X-RateLimit-Limit"), name)
		assert.Equal(t, c.limit, h.Get("X-RateLimit-Remaining"), name)
		assert.Equal(t, "0", h.Get("X-RateLimit-Used"), name)
		assert.Regexp(t, `^\d{10}$`, h.Get("X-RateLimit-Reset"), name)
		assert.NotEmpty(t, h.Get("X-GitHub-Request-Id"), name)
		assert.Equal(t, "application/json; charset=utf-8", h.Get("Content-Type"), "gh drops the message of any other type")
	}
	assert.Equal(t, "repo, workflow", w.As("writer").Get("/").Header.Get("X-OAuth-Scopes"))
	assert.Equal(t, "repo, workflow", w.As("writer").GraphQL(viewer).Header.Get("X-OAuth-Scopes"))
	w.AddToken("app", sandbox.Token{User: "writer"})
	assert.NotContains(t, w.With("app").Get("/").Header, "X-Oauth-Scopes", "tokens of Apps have no scopes, and gh tells them by that")
}

// All that a world tells is by one clock: headers, bodies, limits and tokens.
func TestOneClock(t *testing.T) {
	w := sandboxtest.New(t)
	date := func(r sandboxtest.Reply) time.Time {
		at, err := http.ParseTime(r.Header.Get("Date"))
		require.NoError(t, err)
		return at
	}
	reset := func(r sandboxtest.Reply) string {
		return strconv.FormatInt(date(r).Add(time.Hour).Unix(), 10)
	}
	writer := w.As("writer")
	made := writer.Do("POST", sandboxtest.Path+"/issues", `{"title":"x"}`)
	assert.Equal(t, made.Text("created_at"), date(made).Format(time.RFC3339))
	assert.Equal(t, reset(made), made.Header.Get("X-RateLimit-Reset"))
	assert.Equal(t, date(made), date(writer.Get(sandboxtest.Path)), "it stands still between writes")

	at := date(made).Add(48 * time.Hour)
	w.Use(sandbox.Outside{Now: func() time.Time { return at }})
	assert.Equal(t, at, date(writer.Get(sandboxtest.Path)), "or follows another")
	made = writer.Do("POST", sandboxtest.Path+"/issues", `{"title":"x"}`)
	assert.Equal(t, made.Text("created_at"), date(made).Format(time.RFC3339))
	assert.Equal(t, at.Format(time.RFC3339), made.Text("created_at"))
	w.EnforceLimits(sandbox.Limits{})
	limited := writer.Get(sandboxtest.Path)
	assert.Equal(t, reset(limited), limited.Header.Get("X-RateLimit-Reset"))
}

func TestHeadRequests(t *testing.T) {
	w := sandboxtest.New(t)
	get, head := w.As("writer").Get(sandboxtest.Path), w.As("writer").Do("HEAD", sandboxtest.Path, nil)
	assert.Equal(t, http.StatusOK, head.Status)
	assert.Empty(t, head.Body)
	for _, name := range []string{"Content-Length", "Content-Type", "ETag"} {
		assert.Equal(t, get.Header.Get(name), head.Header.Get(name), name)
	}
}

func TestGraphQLRequests(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	for name, c := range map[string]struct {
		body    string
		status  int
		message string
	}{
		"no JSON":              {`{`, http.StatusBadRequest, "Problems parsing JSON"},
		"a list":               {`[]`, http.StatusBadRequest, "Problems parsing JSON"},
		"two objects":          {`{"query":"{ viewer { login } }"}{}`, http.StatusBadRequest, "Problems parsing JSON"},
		"variables as a list":  {`{"query":"{ viewer { login } }","variables":[]}`, http.StatusBadRequest, "Problems parsing JSON"},
		"no query":             {`{"variables":{}}`, http.StatusBadRequest, "A query attribute must be specified and must be a string."},
		"a null query":         {`{"query":null}`, http.StatusBadRequest, "A query attribute must be specified and must be a string."},
		"nulls beside a query": {`{"query":"{ viewer { login } }","variables":null,"operationName":null}`, http.StatusOK, ""},
		"a query that is none": {`{"query":"{"}`, http.StatusOK, ""},
	} {
		reply := writer.Do("POST", "/graphql", c.body)
		assert.Equal(t, c.status, reply.Status, name)
		assert.Equal(t, c.message, reply.Text("message"), name)
	}
	assert.Equal(t, http.StatusNotFound, writer.Get("/graphql").Status)
	assert.Equal(t, "writer", writer.Do("POST", "/api/graphql", map[string]any{"query": viewer}).Text("data.viewer.login"))
}

func TestEnterprisePaths(t *testing.T) {
	w := sandboxtest.New(t)
	for n := range 3 {
		w.As("writer").Do("POST", "/api/v3"+sandboxtest.Path+"/issues", map[string]any{"title": n})
		w.As("writer").Do("POST", "/api/v3"+sandboxtest.Path+"/issues", map[string]any{"title": "x"})
	}
	reply := w.As("writer").Get("/api/v3" + sandboxtest.Path + "/issues?per_page=2")
	assert.Equal(t, http.StatusOK, reply.Status)
	next, _, _ := strings.Cut(strings.TrimPrefix(reply.Header.Get("Link"), "<"+w.URL), ">")
	assert.True(t, strings.HasPrefix(next, "/api/v3/repositories/"), next)
	assert.Equal(t, http.StatusOK, w.As("writer").Get(next).Status, "a client can follow its links")
	assert.Equal(t, http.StatusNotFound, w.As("writer").Get("/api/v3x"+sandboxtest.Path).Status)
}

func TestLinksBehindAProxy(t *testing.T) {
	w := sandboxtest.New(t)
	for range 2 {
		w.As("writer").Do("POST", sandboxtest.Path+"/issues", map[string]any{"title": "x"})
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+sandboxtest.Path+"/issues?per_page=1", nil)
	require.NoError(t, err)
	request.Host = "api.github.com"
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.True(t, strings.HasPrefix(response.Header.Get("Link"), "<https://api.github.com/repositories/"),
		"links lead back to where the client thinks it is")
}

func TestBodiesAreBounded(t *testing.T) {
	w := sandboxtest.New(t)
	reply := w.As("writer").Do("POST", sandboxtest.Path+"/issues", strings.Repeat("x", 64<<20+1))
	assert.Equal(t, http.StatusRequestEntityTooLarge, reply.Status)
}

func TestServersCanBeClosedTwice(t *testing.T) {
	world, err := sandbox.New()
	require.NoError(t, err)
	server, err := world.Listen(t.Context())
	require.NoError(t, err)
	assert.NoError(t, server.Close())
	assert.NoError(t, server.Close())
	_, err = http.Get(server.URL)
	assert.Error(t, err)
}
