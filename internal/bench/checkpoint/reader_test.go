package checkpoint_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/fault"
	githubclient "github.com/ghx-dev/bench-action/internal/github"
)

// server is a GitHub that answers by path, and keeps what it is asked.
type server struct {
	handler http.ServeMux
	// asked are paths with their queries, or the bodies of GraphQL requests.
	asked []string
}

func (s *server) reader(t *testing.T) *checkpoint.GitHubReader {
	t.Helper()
	http := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.asked = append(s.asked, strings.TrimSpace(r.URL.RequestURI()+" "+string(body)))
		s.handler.ServeHTTP(w, r)
	}))
	t.Cleanup(http.Close)
	client, err := githubclient.New(githubclient.Options{RESTURL: http.URL, GraphQLURL: http.URL + "/graphql"})
	require.NoError(t, err)
	return checkpoint.NewGitHubReader(client)
}

// says has the server answer a path with JSON.
func (s *server) says(path, body string) {
	s.handler.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, body)
	})
}

// lists has the server answer a path with pages of one element each, numbered
// from 1, below a field if that is not empty.
func (s *server) lists(path, field string, pages int) {
	s.handler.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		page := 1
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
		if page < pages {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=%d>; rel="next"`, r.Host, path, page+1))
		}
		w.Header().Set("Content-Type", "application/json")
		var body any = []int{page}
		if field != "" {
			body = map[string]any{"total_count": pages, field: body}
		}
		_ = json.NewEncoder(w).Encode(body)
	})
}

func TestS17AReadIsAPathOrAQueryWithJQ(t *testing.T) {
	s := &server{}
	s.says("/user", `{"login": "octocat", "id": 9007199254740993}`)
	s.says("/http:/example.com/user", `"here"`)
	s.says("/a:b", `"here"`)
	s.says("/graphql", `{"data": {"viewer": {"login": "hubot"}}}`)
	s.lists("/list", "", 3)
	s.lists("/runs", "workflow_runs", 3)
	s.handler.HandleFunc("/log", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.github.raw+json; charset=utf-8")
		_, _ = io.WriteString(w, "2026 "+r.Header.Get("Accept"))
	})
	s.handler.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	reader := s.reader(t)
	tests := []struct {
		name string
		read bench.Read
		want any
	}{
		{"a body", bench.Read{Path: "/user"}, map[string]any{"login": "octocat", "id": 9007199254740993}},
		{"a value of it", bench.Read{Path: "/user", JQ: ".login"}, "octocat"},
		{"null is a value", bench.Read{Path: "/user", JQ: ".name"}, nil},
		{"the input in jq", bench.Read{Path: "/user", Input: map[string]any{"n": int64(7)}, JQ: "$input.n + 1"}, 8},
		{"data", bench.Read{Query: "{ viewer { login } }"}, map[string]any{"viewer": map[string]any{"login": "hubot"}}},
		{"a value of them", bench.Read{Query: "{ viewer { login } }", JQ: ".viewer.login"}, "hubot"},
		{"a page", bench.Read{Path: "/list"}, []any{1}},
		{"one page as asked", bench.Read{Path: "/list", Pages: 1}, []any{1}},
		{"an address within a path", bench.Read{Path: "/http://example.com/user"}, "here"},
		{"a name with a colon", bench.Read{Path: "/a:b"}, "here"},
		{"whether there is a next one", bench.Read{Path: "/list", JQ: "[.[], $next]"}, []any{1, 2}},
		{"whether there is none", bench.Read{Path: "/list?page=3", JQ: "[.[], $next]"}, []any{3, nil}},
		{"all pages", bench.Read{Path: "/list", Pages: 3, JQ: "[.[], $next]"}, []any{1, 2, 3, nil}},
		{"all pages of an object's list", bench.Read{Path: "/runs?status=x", Pages: 9}, map[string]any{"total_count": 3, "workflow_runs": []any{1, 2, 3}}},
		{"text", bench.Read{Path: "/log", Accept: "application/vnd.github.raw+json"}, "2026 application/vnd.github.raw+json"},
		{"text of GitHub's own type", bench.Read{Path: "/log"}, "2026 application/vnd.github.v3+json"},
		{"no body", bench.Read{Path: "/nothing"}, ""},
		{"what is not there", bench.Read{Path: "/other", JQ: "error"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			answer, err := reader.Read(t.Context(), tt.read)
			require.NoError(t, err)
			assert.Equal(t, tt.want, answer)
		})
	}
	assert.Contains(t, s.asked, "/runs?page=3&status=x")
}

func TestWhatCannotBeReadSaysWhy(t *testing.T) {
	s := &server{}
	s.lists("/list", "", 3)
	s.says("/user", `{"login": "octocat"}`)
	s.says("/large", `"`+strings.Repeat("x", checkpoint.MaxAnswer-1)+`"`)
	s.says("/almost", `"`+strings.Repeat("x", checkpoint.MaxAnswer-2)+`"`)
	s.says("/graphql", `{"data": "`+strings.Repeat("x", checkpoint.MaxAnswer)+`"}`)
	s.handler.HandleFunc("/halves", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Link", fmt.Sprintf(`<http://%s/halves?page=2>; rel="next"`, r.Host))
		_, _ = io.WriteString(w, `["`+strings.Repeat("x", checkpoint.MaxAnswer/2)+`"]`)
	})
	s.says("/broken", `{"login": `)
	s.handler.HandleFunc("/zip", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("PK\x03\x04\xff\xfe")) })
	s.handler.HandleFunc("/away", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	reader := s.reader(t)
	const tooLarge = "the answer has more than 4 MiB: select less, or read fewer pages"
	tests := []struct {
		name string
		read bench.Read
		want string
		kind fault.Kind
	}{
		{"more pages than are read", bench.Read{Path: "/list", Pages: 2}, "read /list: the list goes on after 2 pages: raise pages, or ask for less", fault.Invalid},
		{"pages that are large together", bench.Read{Path: "/halves", Pages: 2}, "read /halves: " + tooLarge, fault.Invalid},
		{"no escape", bench.Read{Path: "/%zz"}, "is no path of the REST API", fault.Invalid},
		{"an input that is not JSON", bench.Read{Path: "/user", Input: map[string]any{"n": math.NaN()}, JQ: ".login"}, "read /user: json: unsupported value: NaN", fault.Infrastructure},
		{"an input of a task that is not JSON", bench.Read{Task: "pr.view", Input: map[string]any{"n": math.NaN()}}, "read pr.view: json: unsupported value: NaN", fault.Infrastructure},
		{"a large body", bench.Read{Path: "/large"}, "read /large: " + tooLarge, fault.Invalid},
		{"large data", bench.Read{Query: "{ viewer { login } }"}, "read GraphQL: " + tooLarge, fault.Invalid},
		{"jq that fails", bench.Read{Path: "/user", JQ: ".login.name"}, `read /user: jq ".login.name": expected an object but got: string ("octocat")`, fault.Invalid},
		{"jq that is none", bench.Read{Path: "/user", JQ: ".login |"}, `read /user: unexpected EOF in ".login |"`, fault.Invalid},
		{"half a body", bench.Read{Path: "/broken"}, "read /broken: unexpected EOF", fault.Infrastructure},
		{"no text", bench.Read{Path: "/zip"}, "read /zip: the answer is neither JSON nor text", fault.Invalid},
		{"a server that fails", bench.Read{Path: "/away"}, "502", fault.Infrastructure},
		{"another host", bench.Read{Path: "//example.com/user"}, "is no path of the REST API", fault.Invalid},
		{"another host, in full", bench.Read{Path: "https://example.com/user"}, "is no path of the REST API", fault.Invalid},
		{"a path without its slash", bench.Read{Path: "user"}, "is no path of the REST API", fault.Invalid},
		{"another task", bench.Read{Task: "pr.vew"}, `read pr.vew: verification task "pr.vew" is unknown: use one of`, fault.Invalid},
		{"a task without its input", bench.Read{Task: "pr.diff.view"}, "input.owner is empty, and the path /repos/{{input.owner}}/", fault.Invalid},
		{"a cursor of something else", bench.Read{Task: "release.list", Input: map[string]any{"owner": "o", "name": "n", "after": "Y3"}},
			`the input "after" is "Y3", want the end of an earlier page`, fault.Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := reader.Read(t.Context(), tt.read)
			require.ErrorContains(t, err, tt.want)
			assert.Equal(t, tt.kind, fault.KindOf(err), err)
		})
	}
	answer, err := reader.Read(t.Context(), bench.Read{Path: "/almost"})
	require.NoError(t, err)
	assert.Len(t, answer, checkpoint.MaxAnswer-2)
}

func TestDataMayBeAsLongAsABody(t *testing.T) {
	s := &server{}
	s.says("/graphql", `{"data": "`+strings.Repeat("x", checkpoint.MaxAnswer-2)+`"}`)
	answer, err := s.reader(t).Read(t.Context(), bench.Read{Query: "{ viewer { login } }"})
	require.NoError(t, err)
	assert.Len(t, answer, checkpoint.MaxAnswer-2)
}

func TestWhatGitHubSaysOfAQueryIsTold(t *testing.T) {
	s := &server{}
	s.says("/graphql", `{"data": null, "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible"}]}`)
	_, err := s.reader(t).Read(t.Context(), bench.Read{Query: "{ viewer { login } }"})
	require.ErrorContains(t, err, "read GraphQL: ")
	require.ErrorContains(t, err, "Resource not accessible")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestATaskMakesItsRequests(t *testing.T) {
	s := &server{}
	s.says("/graphql", `{"data": {"repository": {"issues": {"totalCount": 0, "nodes": [], "pageInfo": {"hasNextPage": false, "endCursor": null}}}}}`)
	s.says("/repos/o/n/actions/runs", `{"workflow_runs": []}`)
	reader := s.reader(t)
	read := func(task string, input map[string]any) string {
		t.Helper()
		input["owner"], input["name"] = "o", "n"
		_, err := reader.Read(t.Context(), bench.Read{Task: task, Input: input})
		require.NoError(t, err)
		return s.asked[len(s.asked)-1]
	}
	variables := func(request string) map[string]any {
		var body struct{ Variables map[string]any }
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(request, "/graphql ")), &body))
		return body.Variables
	}
	assert.Equal(t, map[string]any{"owner": "o", "name": "n", "states": []any{"OPEN"}}, variables(read("issue.list", map[string]any{"after": nil})))
	assert.Equal(t, map[string]any{"owner": "o", "name": "n", "states": []any{"OPEN", "CLOSED"}, "state": "all", "first": 2.0},
		variables(read("issue.list", map[string]any{"state": "all", "first": 2})))
	assert.Equal(t, "/repos/o/n/actions/runs?branch=a%2Fb+c&per_page=5&page=2",
		read("workflow.runs.list", map[string]any{"branch": "a/b c", "first": 5, "after": "2"}))
}

func TestPathsAreFilledInEscaped(t *testing.T) {
	values := map[string]any{"input.owner": "a b", "input.path": "docs/a#b.md", "input.n": 7, "input.none": nil, "repo.name": "x..?y=z&w", "input.up": "a/../b"}
	lookup := func(reference string) (any, error) {
		value, known := values[reference]
		if !known {
			return nil, errors.New("there is no " + reference)
		}
		return value, nil
	}
	for path, want := range map[string]string{
		"/user":                                 "/user",
		"/u/{{input.owner}}/{{input.path}}":     "/u/a%20b/docs/a%23b.md",
		"/{{repo.name}}":                        "/x..%3Fy=z&w",
		"/r?a={{input.none}}&b={{input.n}}&c=d": "/r?b=7&c=d",
		"/r?a={{input.none}}":                   "/r",
		"/r?a={{input.none}}{{input.n}}&b":      "/r?b",
		"/r?a={{repo.name}}":                    "/r?a=x..%3Fy%3Dz%26w",
	} {
		filled, err := checkpoint.FillPath(path, lookup)
		require.NoError(t, err, path)
		assert.Equal(t, want, filled)
	}
	_, err := checkpoint.FillPath("/r/{{input.none}}", lookup)
	require.ErrorContains(t, err, "input.none is empty, and the path /r/{{input.none}} needs it")
	_, err = checkpoint.FillPath("/r/{{input.up}}", lookup)
	require.ErrorContains(t, err, `input.up is "a/../b", which leads out of the path /r/{{input.up}}`)
	_, err = checkpoint.FillPath("/r?x={{input.other}}", lookup)
	require.EqualError(t, err, "there is no input.other")
	_, err = checkpoint.FillPath("/{{input.first}}/{{input.second}}", lookup)
	require.EqualError(t, err, "there is no input.first")
}

func TestATaskOfSeveralRequestsPutsTheirAnswersTogether(t *testing.T) {
	s := &server{}
	const run = "/repos/o/n/actions/runs/"
	for id, attempt := range map[int]int{1: 1, 2: 2} {
		s.says(fmt.Sprint(run, id), fmt.Sprintf(`{"id": %d, "run_attempt": %d}`, id, attempt))
		s.handler.HandleFunc(fmt.Sprint(run, id, "/jobs"), func(w http.ResponseWriter, r *http.Request) {
			jobs := fmt.Sprintf(`{"id": 20, "run_attempt": %d}`, attempt)
			if r.URL.Query().Get("filter") == "all" {
				jobs += `, {"id": 10, "run_attempt": 1}`
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jobs": [`+jobs+`]}`)
		})
	}
	reader := s.reader(t)
	ids := func(id int) any {
		t.Helper()
		answer, err := reader.Read(t.Context(), bench.Read{
			Task: "workflow.run.view", Input: map[string]any{"owner": "o", "name": "n", "runId": id},
			JQ: "[.id, [.jobs[].id], [.attempts[] | [.jobs[].id]]]",
		})
		require.NoError(t, err)
		return answer
	}
	assert.Equal(t, []any{1, []any{20}, []any{[]any{20}}}, ids(1))
	assert.Equal(t, []string{run + "1", run + "1/jobs?filter=latest&per_page=100"}, s.asked, "all attempts are those of the one")
	assert.Equal(t, []any{2, []any{20}, []any{[]any{10}, []any{20}}}, ids(2))
	assert.Equal(t, []string{run + "2", run + "2/jobs?filter=latest&per_page=100", run + "2/jobs?filter=all&per_page=100"}, s.asked[2:])
}

func TestATaskAsksForItsTypeAndPages(t *testing.T) {
	s := &server{}
	s.handler.HandleFunc("/repos/o/n/pulls/7", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "as "+r.Header.Get("Accept"))
	})
	s.handler.HandleFunc("/repos/o/n/releases", func(w http.ResponseWriter, r *http.Request) {
		page := r.URL.Query().Get("page")
		if page == "" {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s/repos/o/n/releases?page=2>; rel="next"`, r.Host))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `[{"id": 1%s, "tag_name": "v%s"}]`, page, page)
	})
	reader := s.reader(t)
	for _, tt := range []struct {
		task, name string
		value      any
		jq         string
		want       any
	}{
		{"pr.diff.view", "prNumber", 7, ".", map[string]any{"diff": "as application/vnd.github.diff"}},
		{"release.view", "tagName", "v2", ".id", 12},
		{"release.list", "after", nil, "[.items[].id, .pageInfo.endCursor]", []any{1, "2"}},
		{"release.list", "after", "2", "[.items[].id, .pageInfo.endCursor]", []any{12, nil}},
	} {
		answer, err := reader.Read(t.Context(), bench.Read{Task: tt.task, Input: map[string]any{"owner": "o", "name": "n", tt.name: tt.value}, JQ: tt.jq})
		require.NoError(t, err, tt.task)
		assert.Equal(t, tt.want, answer, tt.task)
	}
}
