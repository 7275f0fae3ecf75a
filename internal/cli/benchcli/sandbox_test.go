package benchcli_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// served is a sandbox that is served by a process of its own.
type served struct {
	t testing.TB
	*exec.Cmd
	stderr      bytes.Buffer
	stdin       io.Closer
	API         string
	GraphQL     string
	Page        string
	Control     string
	Token       string `json:"control_token"`
	Proxy       string
	Accounts    []struct{ Login, Token string }
	Environment map[string]string
	Fixtures    struct {
		Resources map[string]map[string]any
	}
	ended bool
}

func serve(t testing.TB, flags ...string) *served {
	t.Helper()
	s := &served{t: t, Cmd: exec.Command("bench", append([]string{"sandbox", "serve", "--json", "--until-eof"}, flags...)...)}
	s.Cmd.Stderr = &s.stderr
	stdin, err := s.StdinPipe()
	require.NoError(t, err)
	stdout, err := s.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.Start())
	s.stdin = stdin
	t.Cleanup(func() { s.end() })
	if err := json.NewDecoder(stdout).Decode(s); err != nil {
		_ = s.Wait()
		require.NoError(t, err, s.stderr.String())
	}
	return s
}

// end ends the sandbox, and returns its exit status.
func (s *served) end() int {
	if s.ended {
		return s.ProcessState.ExitCode()
	}
	s.ended = true
	_ = s.stdin.Close()
	_ = s.Wait()
	return s.ProcessState.ExitCode()
}

// ask sends a request as the agent and returns status and body.
func (s *served) ask(method, path, body string) (int, string) {
	s.t.Helper()
	return answer(s.t, http.DefaultClient, method, s.API+path, body, s.Environment["GH_TOKEN"])
}

func answer(t testing.TB, client *http.Client, method, address, body, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	require.NoError(t, err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	got, err := client.Do(r)
	require.NoError(t, err)
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	return got.StatusCode, string(text)
}

const fixtures = "/repos/aryeko/ghx-bench-fixtures"

func TestASandboxIsServed(t *testing.T) {
	s := serve(t)
	_, user := s.ask("GET", "/user", "")
	assert.Contains(t, user, `"login":"dana-reyes"`)
	_, viewer := s.ask("POST", "/graphql", `{"query": "{viewer{login}}"}`)
	assert.JSONEq(t, `{"data": {"viewer": {"login": "dana-reyes"}}}`, viewer)
	assert.Equal(t, s.API+"/graphql", s.GraphQL)
	assert.Equal(t, s.API+"/api/v3", s.Environment["GITHUB_API_URL"])
	logins := map[string]bool{}
	for _, account := range s.Accounts {
		_, who := answer(t, http.DefaultClient, "GET", s.API+"/user", "", account.Token)
		assert.Contains(t, who, `"login":"`+account.Login+`"`, "each token is of its account")
		logins[account.Login] = true
	}
	assert.Len(t, logins, 4)
	assert.InDelta(t, 2, s.Fixtures.Resources["pr"]["number"], 0, "the fixtures' numbers are told")
	status, _ := s.ask("GET", fixtures+"/pulls/2", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Zero(t, s.end(), "it ends well when its input does")
}

// What an agent did is on the page; the page is there for the person alone.
func TestASandboxHasAPage(t *testing.T) {
	s := serve(t)
	s.ask("POST", fixtures+"/issues", `{"title": "<b>Made by an agent</b>"}`)
	status, body := s.ask("GET", "/_sandbox/", "")
	assert.Equal(t, http.StatusNotFound, status)
	assert.Contains(t, body, `"message"`, "to agents there is no page")
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	status, body = answer(t, &http.Client{Jar: jar}, "GET", s.Page, "", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "created issue <bdi>aryeko/ghx-bench-fixtures#21</bdi>: <bdi>&lt;b&gt;Made by an agent&lt;/b&gt;</bdi>")
}

func TestASandboxEndsWellOnASignalAndKeepsItsWorld(t *testing.T) {
	file := filepath.Join(t.TempDir(), "world.sandbox")
	first := serve(t, "--save", file)
	status, _ := first.ask("POST", fixtures+"/issues", `{"title": "It stays"}`)
	require.Equal(t, http.StatusCreated, status)
	require.NoError(t, first.Process.Signal(os.Interrupt))
	_ = first.Wait()
	first.ended = true
	assert.Equal(t, 130, first.ProcessState.ExitCode(), first.stderr.String())
	assert.Contains(t, first.stderr.String(), "saved as "+file)

	second := serve(t, "--snapshot", file)
	_, issue := second.ask("GET", fixtures+"/issues/21", "")
	assert.Contains(t, issue, `"title":"It stays"`)
	unknown, _ := answer(t, http.DefaultClient, "GET", second.API+"/user", "", first.Environment["GH_TOKEN"])
	assert.Equal(t, http.StatusUnauthorized, unknown, "a token of one sandbox is nothing in another")
}

func TestASandboxGoesWrongOnDemand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "faults.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"rules": [{"kind": "502", "path": "/user", "count": 1}]}`), 0o644))
	s := serve(t, "--faults", file, "--latency", "30ms", "--enforce-limits")
	began := time.Now()
	status, _ := s.ask("GET", "/user", "")
	assert.Equal(t, http.StatusBadGateway, status)
	assert.GreaterOrEqual(t, time.Since(began), 30*time.Millisecond)
	status, _ = s.ask("GET", "/user", "")
	assert.Equal(t, http.StatusOK, status)
	_, limits := s.ask("GET", "/rate_limit", "")
	var used struct {
		Resources struct{ Core struct{ Used int } }
	}
	require.NoError(t, json.Unmarshal([]byte(limits), &used))
	assert.Positive(t, used.Resources.Core.Used, "requests count")

	status, _ = answer(t, http.DefaultClient, "PUT", s.Control, `{"rules": [{"kind": "404", "path": "/user"}]}`, s.Token)
	assert.Equal(t, http.StatusOK, status)
	status, _ = s.ask("GET", "/user", "")
	assert.Equal(t, http.StatusNotFound, status, "faults are set while it runs")
	status, _ = s.ask("DELETE", "/_sandbox/faults", "")
	assert.Equal(t, http.StatusNotFound, status, "agents cannot")
}

// Webhooks go to the address that was named, and nowhere else.
func TestASandboxSendsWebhooks(t *testing.T) {
	type delivery struct{ event, signature, body string }
	got := make(chan delivery, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- delivery{r.Header.Get("X-GitHub-Event"), r.Header.Get("X-Hub-Signature-256"), string(body)}
	}))
	defer receiver.Close()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("an agent chose where a webhook goes") }))
	defer elsewhere.Close()
	s := serve(t, "--webhooks-to", receiver.URL+"/hook")
	status, hook := s.ask("POST", fixtures+"/hooks", `{"events": ["issues"], "config": {"url": "`+elsewhere.URL+`", "content_type": "json"}}`)
	require.Equal(t, http.StatusCreated, status, hook)
	status, hooks := s.ask("GET", fixtures+"/hooks", "")
	require.Equal(t, http.StatusOK, status)
	assert.NotContains(t, hooks, receiver.URL, "agents find no webhook that nobody made")
	status, made := s.ask("POST", "/user/repos", `{"name": "later", "has_discussions": true}`)
	require.Equal(t, http.StatusCreated, status, made)
	later := strings.Replace(fixtures, "aryeko/ghx-bench-fixtures", "dana-reyes/later", 1)
	s.ask("POST", later+"/issues", `{"title": "Third"}`)
	for _, title := range []string{"First", "Second"} {
		s.ask("POST", fixtures+"/issues", `{"title": "`+title+`"}`)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for third := false; ; {
		select {
		case d := <-got:
			assert.True(t, strings.HasPrefix(d.signature, "sha256="))
			third = third || d.event == "issues" && strings.Contains(d.body, `"Third"`)
			if d.event == "issues" && strings.Contains(d.body, `"Second"`) {
				assert.True(t, third, "so are those of repositories that are made later")
				return
			}
		case <-ctx.Done():
			t.Fatal("the webhook did not come")
		}
	}
}

// Whoever reaches the sandbox could be anybody, so that is asked for.
func TestASandboxLetsNobodySignInUnlessItIsForAnApp(t *testing.T) {
	form := "manifest=" + url.QueryEscape(`{"name": "Mine", "url": "http://127.0.0.1:1", "redirect_url": "http://127.0.0.1:1/done"}`)
	_, page := serve(t).ask("POST", "/settings/apps/new?"+form, "")
	assert.Contains(t, page, "Nobody may sign in")
	_, page = serve(t, "--app", "http://127.0.0.1:1").ask("POST", "/settings/apps/new?"+form, "")
	for _, login := range []string{"aryeko", "dana-reyes"} {
		assert.Contains(t, page, "login="+login)
	}
}

// A program that knows nothing of the sandbox reaches it under GitHub's names.
func TestASandboxIsBehindAProxy(t *testing.T) {
	s := serve(t, "--proxy")
	proxy, err := url.Parse(s.Environment["HTTPS_PROXY"])
	require.NoError(t, err)
	authority, err := os.ReadFile(s.Environment["SSL_CERT_FILE"])
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(authority))
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: pool}}}
	status, user := answer(t, client, "GET", "https://api.github.com/user", "", s.Environment["GH_TOKEN"])
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, user, "dana-reyes")
	_, err = client.Get("https://example.org/")
	require.ErrorContains(t, err, "Forbidden")
	status, _ = answer(t, client, "GET", strings.Replace(s.Page, s.API, "https://api.github.com", 1), "", "")
	assert.Equal(t, http.StatusNotFound, status, "the page is not below GitHub's names")
	s.end()
	_, err = os.Stat(s.Environment["SSL_CERT_FILE"])
	assert.ErrorIs(t, err, os.ErrNotExist, "nothing is left behind")
}

// asAgent is the variable by which a test's process is an agent.
const asAgent = "SANDBOX_TEST_AGENT"

// TestAnAgentOfASandbox is the agent of other tests, and nothing by itself: an
// unmodified client that is led to the sandbox by its environment alone.
func TestAnAgentOfASandbox(t *testing.T) {
	if os.Getenv(asAgent) == "" {
		return
	}
	ask := func(method, path, body string) {
		answer(t, http.DefaultClient, method, "https://api.github.com"+path, body, os.Getenv("GH_TOKEN"))
	}
	ask("GET", fixtures+"/issues/6", "")
	ask("POST", fixtures+"/issues/6/comments", `{"body": "\u001b[31mDone"}`)
	ask("PATCH", fixtures+"/issues/6", `{"state": "closed"}`)
	ask("GET", fixtures+"/issues/999", "")
	ask("GET", fixtures+"/dependency-graph/sbom", "")
	ask("HEAD", fixtures+"/dependency-graph/sbom", "")
	ask("POST", "/graphql", `{"query": "{ viewer { sponsors(first: 1) { totalCount } } }"}`)
	if os.Getenv("BENCH_TEST_SECRET") != "" || os.Getenv("OPENAI_API_KEY") != "" {
		t.Error("the user's variables are the agent's")
	}
	if _, err := http.Get("https://example.org/"); err == nil {
		t.Error("the agent reaches the world")
	}
	os.Exit(9)
}

// execute runs the agent in a sandbox.
func execute(t *testing.T, flags ...string) (stdout, stderr string, code int) {
	t.Helper()
	args := append([]string{"sandbox", "exec", "--env", asAgent + "=1"}, flags...)
	cmd := exec.Command("bench", append(args, "--", os.Args[0], "-test.run=^TestAnAgentOfASandbox$")...)
	cmd.Env = append(os.Environ(), "BENCH_TEST_SECRET=x", "OPENAI_API_KEY=sk-of-the-user")
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return out.String(), complaints.String(), cmd.ProcessState.ExitCode()
}

func TestExecTellsWhatACommandDid(t *testing.T) {
	_, told, code := execute(t)
	assert.Equal(t, 9, code, "the exit status is the command's: %s", told)
	testkit.CheckGolden(t, "what a person reads after a command has commented on an issue, closed it, and asked for what the sandbox lacks", "testdata/sandbox_exec.txt", []byte(told))
}

func TestExecTellsItAsJSON(t *testing.T) {
	out, told, code := execute(t, "--json")
	assert.Equal(t, 9, code, told)
	var report struct {
		ExitCode int `json:"exit_code"`
		Changes  []struct {
			Change, Object, Name string
			Fields               []struct {
				Name          string
				Before, After any
			}
		}
		Events []struct {
			Request     int
			Actor, Name string
		}
		Requests []struct {
			Login, Method, Path string
			Status              int
			Write               bool
			Objects             []string
		}
		RefusedHosts []string `json:"refused_hosts"`
		Unsupported  []string
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report), out)
	assert.Equal(t, 9, report.ExitCode)
	require.Len(t, report.Changes, 2)
	assert.Equal(t, "comment", report.Changes[0].Object)
	assert.Equal(t, "aryeko/ghx-bench-fixtures#6", report.Changes[1].Name)
	require.Len(t, report.Events, 2)
	assert.Equal(t, "dana-reyes", report.Events[1].Actor)
	assert.Equal(t, 3, report.Events[1].Request)
	assert.Equal(t, "aryeko/ghx-bench-fixtures#6", report.Events[1].Name)
	require.Len(t, report.Requests, 7)
	assert.Equal(t, []string{"issue aryeko/ghx-bench-fixtures#6"}, report.Requests[0].Objects)
	assert.False(t, report.Requests[0].Write)
	assert.True(t, report.Requests[2].Write)
	assert.Equal(t, []string{"issue aryeko/ghx-bench-fixtures#6"}, report.Requests[2].Objects)
	assert.Equal(t, http.StatusNotFound, report.Requests[3].Status)
	assert.Equal(t, []string{"example.org"}, report.RefusedHosts)
	assert.Equal(t, []string{"GET /repos/{owner}/{repo}/dependency-graph/sbom", "User.sponsors"}, report.Unsupported)
}

// Held from outside, a command is in an empty folder and reaches the sandbox
// all the same.
func TestExecHoldsACommand(t *testing.T) {
	cmd := exec.Command("bench", "sandbox", "exec", "--confine", "--", "/bin/sh", "-c", "ls -A; echo $HOME; echo hello >&2; exit 5")
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	require.Error(t, cmd.Run())
	assert.Equal(t, 5, cmd.ProcessState.ExitCode(), told.String())
	assert.Regexp(t, `^/\S+\n$`, out.String(), "the folder is empty and the home is its own")
	assert.Contains(t, told.String(), "the command is held")
	assert.Contains(t, told.String(), "what it changed\n  nothing\n")
	_, told2, code := execute(t, "--confine")
	assert.Equal(t, 9, code, told2)
	assert.Contains(t, told2, "changed issue aryeko/ghx-bench-fixtures#6")
}

// gh and git, unmodified, work in it, and what they change is told.
func TestExecWithRealPrograms(t *testing.T) {
	testkit.NeedComplete(t)
	t.Run("gh", func(t *testing.T) {
		gh := realtool.Find(t, realtool.GH())
		out, err := exec.Command("bench", "sandbox", "exec", "--", gh, "issue", "create", "-R", "aryeko/ghx-bench-fixtures", "-t", "By gh", "-b", "x", "-l", "bug").CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Contains(t, string(out), "https://github.com/aryeko/ghx-bench-fixtures/issues/21\n")
		assert.Contains(t, string(out), "created issue aryeko/ghx-bench-fixtures#21: By gh")
		assert.Contains(t, string(out), "labels: bug")
	})
	t.Run("git", func(t *testing.T) {
		git := realtool.Find(t, realtool.Git())
		cmd := exec.Command("bench", "sandbox", "exec", "--", "sh", "-ec", strings.ReplaceAll(`
			GIT clone -q git@github.com:aryeko/ghx-bench-fixtures.git
			cd ghx-bench-fixtures
			GIT checkout -q -b topic
			echo x > x && GIT add x && GIT commit -q -m 'Add x'
			GIT push -q origin topic :bench-fixture/default/basic`, "GIT", git))
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Contains(t, string(out), "created branch aryeko/ghx-bench-fixtures: topic: Add x")
		assert.Contains(t, string(out), "deleted branch aryeko/ghx-bench-fixtures: bench-fixture/default/basic")
	})
}

// The document's test is the one that is run here.
func TestTheDocumentShowsATestThatWorks(t *testing.T) {
	code, err := os.ReadFile("sandboxdoc_test.go")
	require.NoError(t, err)
	document, err := os.ReadFile("../../../docs/sandbox.md")
	require.NoError(t, err)
	want := strings.Replace(string(code), "package benchcli_test", "package yours_test", 1)
	assert.Contains(t, string(document), "```go\n"+want+"```")
}

// A sandbox answers in less than 50 ms after its process has started.
func BenchmarkSandboxStart(b *testing.B) {
	for b.Loop() {
		s := serve(b)
		require.NotEmpty(b, s.API)
		b.StopTimer()
		s.end()
		b.StartTimer()
	}
}

// A command that is stopped is told so, and what it did until then is told.
func TestExecStoppedBySignalTellsWhatWasDone(t *testing.T) {
	cmd := exec.Command("bench", "sandbox", "exec", "--", "sh", "-c", "trap 'echo told; exit 0' TERM; echo ready; while :; do sleep 0.01; done")
	var told bytes.Buffer
	cmd.Stderr = &told
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	ready := make([]byte, len("ready\n"))
	_, err = io.ReadFull(stdout, ready)
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	rest, err := io.ReadAll(stdout)
	require.NoError(t, err)
	require.Error(t, cmd.Wait())
	assert.Equal(t, "told\n", string(rest))
	assert.Equal(t, 143, cmd.ProcessState.ExitCode())
	assert.Contains(t, told.String(), "what it changed\n  nothing\n")
}
