package github_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	gh "github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// answering makes a transport of a function that answers with a status, a body
// and headers in turn.
func answering(answer func(r *http.Request) (status int, body string, header []string)) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		status, body, header := answer(r)
		response := &http.Response{
			StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)), Request: r,
			Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
		}
		for i := 0; i+1 < len(header); i += 2 {
			response.Header.Set(header[i], header[i+1])
		}
		return response, nil
	}
}

func TestWhereEachAPIIs(t *testing.T) {
	for rest, want := range map[string][2]string{
		"":                               {"https://api.github.com/user", "https://api.github.com/graphql"},
		"https://api.github.com/":        {"https://api.github.com/user", "https://api.github.com/graphql"},
		"https://ghe.example.com":        {"https://ghe.example.com/api/v3/user", "https://ghe.example.com/api/graphql"},
		"https://ghe.example.com/api/v3": {"https://ghe.example.com/api/v3/user", "https://ghe.example.com/api/graphql"},
		"https://api.tenant.ghe.com":     {"https://api.tenant.ghe.com/user", "https://api.tenant.ghe.com/graphql"},
		"http://127.0.0.1:9":             {"http://127.0.0.1:9/user", "http://127.0.0.1:9/graphql"},
	} {
		var asked []string
		c := client(t, github.Options{RESTURL: rest, Token: "secret", Transport: answering(func(r *http.Request) (int, string, []string) {
			asked = append(asked, r.URL.String())
			assert.Equal(t, "bench-action", r.Header.Get("User-Agent"))
			assert.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
			return 200, `{"data":{}}`, nil
		})})
		_, _, err := c.REST.Users.Get(t.Context(), "")
		require.NoError(t, err)
		require.NoError(t, c.GraphQL(t.Context(), "{ viewer { login } }", nil, nil))
		assert.Equal(t, want[:], asked, rest)
	}
}

func TestAServerThatDoesNotAnswerIsGivenUp(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	transport := github.NewTransport()
	defer transport.CloseIdleConnections()
	assert.Positive(t, transport.TLSHandshakeTimeout)
	require.Less(t, transport.ResponseHeaderTimeout, time.Minute)
	transport.ResponseHeaderTimeout /= 1000 // the test is not to take that long
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, _, err := client(t, github.Options{RESTURL: server.URL, Transport: transport}).REST.Users.Get(ctx, "")
	require.Error(t, err)
	assert.NoError(t, ctx.Err())
}

func TestRequestsNameTheAPIsVersion(t *testing.T) {
	url, asked := serve(t, 200, `{}`)
	_, _, err := client(t, github.Options{RESTURL: url}).REST.Users.Get(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, "2022-11-28", (*asked)[0].Header.Get("X-GitHub-Api-Version"))
}

func TestRepliesOfRESTAreBounded(t *testing.T) {
	for size, wrong := range map[int]bool{32 << 20: false, 32<<20 + 1: true} {
		url, _ := serve(t, 200, `"`+strings.Repeat("x", size-2)+`"`)
		response, err := client(t, github.Options{RESTURL: url}).REST.Client().Get(url)
		require.NoError(t, err)
		read, err := io.Copy(io.Discard, response.Body)
		require.NoError(t, response.Body.Close())
		if wrong {
			assert.ErrorContains(t, err, "GitHub's reply is larger than 33554432 bytes")
			continue
		}
		require.NoError(t, err)
		assert.EqualValues(t, size, read)
	}
}

// What has not changed is not sent again, and what has is seen at once.
func TestTheSandboxIsAskedWithETags(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	var statuses []int
	c := client(t, github.Options{RESTURL: w.URL, Token: sandboxtest.Token("owner"), Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			statuses = append(statuses, response.StatusCode)
		}
		return response, err
	})})
	description := func() string {
		repo, response, err := c.REST.Repositories.Get(t.Context(), "owner", "hello")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode)
		return repo.GetUpdatedAt().String()
	}
	first := description()
	assert.Equal(t, first, description())
	assert.Equal(t, []int{200, 304}, statuses)
	owner.Do("PUT", sandboxtest.Path+"/contents/a", `{"message":"m","content":"eA=="}`)
	description()
	assert.Equal(t, []int{200, 304, 200}, statuses)
}

func TestWhatTheCacheKeeps(t *testing.T) {
	for _, c := range []struct {
		name      string
		status    int
		header    []string
		wantAgain bool
	}{
		{"what has an ETag", 200, []string{"ETag", `"a"`, "Cache-Control", "max-age=60"}, true},
		{"not what has none", 200, []string{"Cache-Control", "max-age=60"}, false},
		{"not an error", 404, []string{"ETag", `"a"`}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tags []string
			client := client(t, github.Options{Transport: answering(func(r *http.Request) (int, string, []string) {
				tags = append(tags, r.Header.Get("If-None-Match"))
				return c.status, `{"login":"me"}`, c.header
			})})
			for range 2 {
				_, _, _ = client.REST.Users.Get(t.Context(), "")
			}
			require.Len(t, tags, 2, "GitHub is asked every time")
			assert.Equal(t, c.wantAgain, tags[1] != "")
		})
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	const url = "https://api.github.com/users/"
	asked := map[string]string{}
	c := client(t, github.Options{Transport: answering(func(r *http.Request) (int, string, []string) {
		asked[r.URL.Path] = r.Header.Get("If-None-Match")
		size := 2 << 20
		if strings.HasSuffix(r.URL.Path, "/large") {
			size = 5 << 20
		}
		return 200, strings.Repeat("x", size), []string{"ETag", `"a"`}
	})})
	get := func(login string) {
		response, err := c.REST.Client().Get(url + login)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
	}
	for i := range 9 {
		get(strconv.Itoa(i))
	}
	for _, login := range []string{"8", "0", "large", "large"} {
		get(login)
	}
	assert.Equal(t, []string{`"a"`, "", ""}, []string{asked["/users/8"], asked["/users/0"], asked["/users/large"]},
		"the newest is kept, the oldest forgotten, the largest never kept")
}

func TestPages(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	for i := range 205 {
		owner.Do("POST", sandboxtest.Path+"/issues", map[string]any{"title": strconv.Itoa(i)})
	}
	c := client(t, github.Options{RESTURL: w.URL, Token: sandboxtest.Token("owner")})
	pages := 0
	issues := github.Pages(func(page gh.ListOptions) ([]*gh.Issue, *gh.Response, error) {
		pages++
		return c.REST.Issues.ListByRepo(t.Context(), "owner", "hello", &gh.IssueListByRepoOptions{ListOptions: page})
	})
	seen := map[string]bool{}
	for issue, err := range issues {
		require.NoError(t, err)
		seen[issue.GetTitle()] = true
	}
	assert.Len(t, seen, 205)
	assert.Equal(t, 3, pages)
	for range issues {
		break
	}
	assert.Equal(t, 4, pages, "no page is asked for that nobody reads")
}

func TestPagesWithoutEnd(t *testing.T) {
	asked := 0
	var last error
	for _, err := range github.Pages(func(page gh.ListOptions) ([]int, *gh.Response, error) {
		asked++
		return []int{1}, &gh.Response{NextPage: page.Page + 1}, nil
	}) {
		last = err
	}
	assert.Equal(t, 100, asked)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(last))

	asked = 0
	for _, err := range github.Pages(func(gh.ListOptions) ([]int, *gh.Response, error) {
		asked++
		return nil, &gh.Response{NextPage: 1}, nil
	}) {
		require.NoError(t, err)
	}
	assert.Equal(t, 1, asked, "a next page that does not come next is none")
	for _, err := range github.Pages(func(gh.ListOptions) ([]int, *gh.Response, error) { return nil, nil, io.EOF }) {
		assert.ErrorIs(t, err, io.EOF)
	}
}

func TestRedirectsWithSecretsInTheirAddress(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	url := httptest.NewServer(http.RedirectHandler(gone.URL+"/blob?sig=hunter2", http.StatusFound))
	defer url.Close()
	_, _, err := client(t, github.Options{RESTURL: url.URL}).REST.Users.Get(t.Context(), "")
	require.ErrorContains(t, err, "hunter2", "go-github repeats the address")
	explained := github.Explain("read log", err)
	assert.NotContains(t, explained.Error(), "hunter2")
	assert.ErrorIs(t, explained, err)
}
