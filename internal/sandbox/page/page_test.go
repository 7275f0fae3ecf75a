package page_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/page"
)

const secret = "s3cret-of-the-page"

// hostile is what agents may write to whoever looks: markup, a script, a way
// out of attributes, text that runs backwards and text that cannot be seen.
const hostile = `"><script>document.title='stolen'</script><img src=x onerror=alert(1)>{{.}}` + "\u202Eevil\u200B\x1b[2J"

// site is a world with its pages, and a person who looks.
type site struct {
	t     *testing.T
	world *sandbox.World
	url   string
	*http.Client
	pages *page.Pages
}

func open(t *testing.T, world *sandbox.World) *site {
	t.Helper()
	pages := page.New(page.Options{World: world, Token: secret, Style: report.Style()})
	server := httptest.NewServer(pages.Before(world))
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &site{t, world, server.URL, &http.Client{Jar: jar}, pages}
}

// A person who follows an App's link to a pull request finds it; a client that
// asks for the same path of the API does not.
func TestAddressesOfGitHubLeadToThePages(t *testing.T) {
	plain := open(t, inhabited(t, "Some text")).enter()
	status, _ := plain.get("/octocat/hello/pull/2")
	assert.Equal(t, http.StatusNotFound, status, "unless that is asked for")

	world := inhabited(t, "Some text")
	pages := page.New(page.Options{World: world, Token: secret, Links: true})
	server := httptest.NewServer(pages.Before(world))
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	s := &site{t, world, server.URL, &http.Client{Jar: jar}, pages}
	status, _ = s.get("/octocat/hello/pull/2")
	assert.Equal(t, http.StatusNotFound, status, "nor to those who were not let in")
	s.enter()
	status, body := s.get("/octocat/hello/pull/2")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "resolved by octocat")
	for _, path := range []string{"/repositories/1/issues/2", "/octocat/hello/pull/x", "/octocat/hello/pull/2/files"} {
		_, body = s.get(path)
		assert.NotContains(t, body, "<!doctype html>", path)
	}
}

// enter lets the person in.
func (s *site) enter() *site {
	s.t.Helper()
	status, _ := s.get(strings.TrimPrefix(s.pages.Address(s.url), s.url))
	require.Equal(s.t, http.StatusOK, status)
	return s
}

func (s *site) get(path string) (int, string) {
	s.t.Helper()
	answer, err := s.Get(s.url + path)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	return answer.StatusCode, string(body)
}

// ask has an agent send a request to the API.
func (s *site) ask(method, path, body string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	r.Header.Set("Authorization", "token "+agentToken)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	said, _ := io.ReadAll(answer.Body)
	require.Less(s.t, answer.StatusCode, 300, "%s %s: %s", method, path, said)
}

const agentToken = "ghp_agent"

// inhabited is a world with something of every kind, with texts that are all
// the same.
func inhabited(t *testing.T, text string) *sandbox.World {
	t.Helper()
	w, err := sandbox.New()
	require.NoError(t, err)
	require.NoError(t, w.Setup(func(s *model.State) error { return inhabit(s, text) }))
	w.AddToken(agentToken, sandbox.Token{User: "agent", Scopes: []string{"repo", "workflow", "project"}})
	return w
}

func TestPagesShowWhatThereIs(t *testing.T) {
	s := open(t, inhabited(t, "Some text")).enter()
	s.ask("POST", "/repos/octocat/hello/issues/1/comments", `{"body": "From the agent"}`)
	s.ask("PATCH", "/repos/octocat/hello/issues/1", `{"state": "closed"}`)
	for path, want := range map[string][]string{
		"/_sandbox/":                             {"octocat/hello", "1 open pull request<", "octocat/1 Some text", "changed issue <bdi>octocat/hello#1</bdi>", "/_sandbox/requests?account=agent"},
		"/_sandbox/requests":                     {"PATCH /repos/octocat/hello/issues/1<", "POST /repos/octocat/hello/issues/1/comments", "created comment", "<dt>state</dt><dd><del>open</del><ins>closed</ins>"},
		"/_sandbox/requests?writes=1":            {"PATCH /repos/octocat/hello/issues/1<"},
		"/_sandbox/requests?account=octocat":     {"There is none."},
		"/_sandbox/repos/octocat/hello":          {"Default branch", "main", "feature", "ci.yml", "bug"},
		"/_sandbox/repos/octocat/hello/issues":   {"#1 Some text", ">closed<"},
		"/_sandbox/repos/octocat/hello/pulls":    {"#2 Some text", "feature → main", ">open<"},
		"/_sandbox/repos/octocat/hello/issues/1": {"From the agent", "<b><bdi>agent</bdi></b> <bdi>closed</bdi>", "Labels", "bug"},
		"/_sandbox/repos/octocat/hello/issues/2": {"changes requested", "a.txt, line 1", "resolved by octocat", "Checks", ">failure<", "Commits", "&#43;new line", "Closes"},
		"/_sandbox/repos/octocat/hello/runs":     {"CI", "failure", "2 attempts"},
		"/_sandbox/repos/octocat/hello/releases": {"v1.0.0", "pre-release", "tool.tar.gz", "7 bytes"},
		"/_sandbox/style.css":                    {"--page: #", ".pill"},
	} {
		status, body := s.get(path)
		assert.Equal(t, http.StatusOK, status, path)
		for _, text := range want {
			assert.Contains(t, body, text, path)
		}
	}
	_, home := s.get("/_sandbox/")
	_, project := s.get(find(t, home, `/_sandbox/projects/\d+`))
	for _, text := range []string{"#1 Some text", "Status", "In Progress", "draft"} {
		assert.Contains(t, project, text)
	}
	_, runs := s.get("/_sandbox/repos/octocat/hello/runs")
	_, run := s.get(find(t, runs, `/_sandbox/repos/octocat/hello/runs/\d+`))
	for _, text := range []string{"Attempt 2", "Attempt 1", "it broke", "test"} {
		assert.Contains(t, run, text)
	}
}

func find(t *testing.T, body, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindString(body)
	require.NotEmpty(t, found, "%s in\n%s", pattern, body)
	return found
}

// pages are those of an inhabited world, found by their links.
func (s *site) all() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	links := regexp.MustCompile(`href="(/_sandbox/[^"]*)"`)
	for open := []string{"/_sandbox/"}; len(open) > 0; open = open[1:] {
		if _, seen := found[open[0]]; seen {
			continue
		}
		status, body := s.get(open[0])
		require.Equal(s.t, http.StatusOK, status, "a link leads to %s", open[0])
		found[open[0]] = body
		for _, link := range links.FindAllStringSubmatch(body, -1) {
			open = append(open, strings.ReplaceAll(link[1], "&amp;", "&"))
		}
	}
	return found
}

func TestWhatAgentsWroteIsShownAndDoesNothing(t *testing.T) {
	s := open(t, inhabited(t, hostile)).enter()
	s.ask("POST", "/repos/octocat/hello/issues/1/comments", `{"body": "<script>alert(2)</script>"}`)
	shown := 0
	pages := s.all()
	assert.Greater(t, len(pages), 10)
	for path, body := range pages {
		assert.NotContains(t, body, "<script", path)
		assert.NotContains(t, body, "<img", path)
		assert.NotRegexp(t, "[\u202A-\u202E\u2066-\u2069\u200B\x1b]", body, path)
		if strings.Contains(body, "⟨U+202E⟩evil⟨U+200B⟩⟨U+001B⟩[2J") {
			shown++
		}
	}
	assert.Greater(t, shown, 6, "the text is shown where it stands")
}

func TestPagesTellTheBrowserToLoadAndRunNothing(t *testing.T) {
	s := open(t, inhabited(t, "x")).enter()
	for _, path := range []string{"/_sandbox/", "/_sandbox/none", "/_sandbox/style.css"} {
		answer, err := s.Get(s.url + path)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		policy := answer.Header.Get("Content-Security-Policy")
		assert.True(t, strings.HasPrefix(policy, "default-src 'none'; style-src 'self';"), policy)
		assert.NotContains(t, policy, "script")
		assert.Contains(t, policy, "frame-ancestors 'none'")
		assert.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"))
		assert.Equal(t, "no-referrer", answer.Header.Get("Referrer-Policy"), "the address that lets a person in has a token")
	}
}

// To whoever has no token there are no pages: the answer is GitHub's.
func TestAgentsFindNoPages(t *testing.T) {
	w := inhabited(t, "x")
	s := open(t, w)
	address := strings.TrimPrefix(s.pages.Address(s.url), s.url)
	elsewhere := func(host string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "http://"+host+address, http.NoBody)
		r.Host = host
		return r
	}
	for name, r := range map[string]*http.Request{
		"no token":          httptest.NewRequest(http.MethodGet, s.url+"/_sandbox/", http.NoBody),
		"a wrong token":     httptest.NewRequest(http.MethodGet, s.url+"/_sandbox/enter?token=ghp_agent", http.NoBody),
		"a name of GitHub":  elsewhere("api.github.com"),
		"a rebound name":    elsewhere("evil.example:80"),
		"an agent's token":  with(httptest.NewRequest(http.MethodGet, s.url+"/_sandbox/", http.NoBody), "Authorization", "token "+agentToken),
		"the token as such": with(httptest.NewRequest(http.MethodGet, s.url+"/_sandbox/", http.NoBody), "Cookie", "sandbox-page-"+port(s.url)+"="+secret),
	} {
		out := httptest.NewRecorder()
		s.pages.Before(w).ServeHTTP(out, with(r, "User-Agent", "reader"))
		assert.Equal(t, http.StatusNotFound, out.Code, name)
		assert.Contains(t, out.Body.String(), `"message"`, name)
		assert.Empty(t, out.Result().Cookies(), name)
		assert.Empty(t, out.Header().Get("Content-Security-Policy"), name)
	}
}

func with(r *http.Request, name, value string) *http.Request {
	r.Header.Set(name, value)
	return r
}

func port(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Port()
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	s := open(t, inhabited(t, "x")).enter()
	for _, path := range []string{
		"none", "repos/octocat/none", "repos/octocat/hello/issues/99", "repos/octocat/hello/issues/x", "repos/octocat/hello/runs/1",
		"projects/1", "projects/x", "repos/octocat/none/releases", "repos/octocat/none/pulls", "repos/octocat/none/runs",
	} {
		status, body := s.get("/_sandbox/" + path)
		assert.Equal(t, http.StatusNotFound, status, path)
		assert.Contains(t, body, "It is not there", path)
	}
}

// Looking changes nothing: neither the world nor its log.
func TestLookingLeavesNoTrace(t *testing.T) {
	w := inhabited(t, "x")
	s := open(t, w).enter()
	var before, after *model.State
	w.Look(func(state *model.State) { before = state.Clone() })
	s.all()
	w.Look(func(state *model.State) { after = state })
	assert.Equal(t, before.Now, after.Now)
	assert.Empty(t, w.Audit())
}

func TestLongListsAndTextsAreCut(t *testing.T) {
	w := inhabited(t, "x")
	require.NoError(t, w.Setup(func(s *model.State) error {
		repo, owner := s.Repo("octocat", "hello"), s.User("octocat")
		for range 120 {
			if _, err := s.OpenIssue(owner.ID, repo, model.NewIssue{Title: "one of many", Body: strings.Repeat("é", 60000)}); err != nil {
				return err
			}
		}
		return nil
	}))
	s := open(t, w).enter()
	_, first := s.get("/_sandbox/repos/octocat/hello/issues")
	assert.Equal(t, 50, strings.Count(first, "one of many"))
	_, second := s.get("/_sandbox/repos/octocat/hello/issues" + find(t, first, `\?skip=50`))
	assert.Equal(t, 50, strings.Count(second, "one of many"))
	_, body := s.get("/_sandbox/repos/octocat/hello/issues/40")
	assert.Contains(t, body, "… 54464 more bytes")
	for range 60 {
		s.ask("GET", "/repos/octocat/hello", "")
	}
	_, requests := s.get("/_sandbox/requests")
	assert.Equal(t, 50, strings.Count(requests, "GET /repos/octocat/hello<"))
	_, older := s.get(find(t, requests, `/_sandbox/requests\?before=\d+`))
	assert.Equal(t, 10, strings.Count(older, "GET /repos/octocat/hello<"))
}
