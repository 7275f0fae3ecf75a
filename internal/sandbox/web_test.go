package sandbox_test

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// onWeb sends a request to github.com, with a token's user if it is not empty.
// Headers are names and values in turn.
func onWeb(t *testing.T, w *sandboxtest.World, token, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Host = "github.com"
	if token != "" {
		request.SetBasicAuth("anybody", token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(answer)
}

const (
	fetchRefs = "/owner/hello.git/info/refs?service=git-upload-pack"
	pushRefs  = "/owner/hello.git/info/refs?service=git-receive-pack"
	push      = "/owner/hello.git/git-receive-pack"
)

// needGit skips a test where there is no git.
func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: there is no git on PATH")
	}
}

func TestHosts(t *testing.T) {
	w := sandboxtest.New(t)
	for host, want := range map[string]string{
		"api.github.com": `"current_user_url"`, "API.GitHub.com:443": `"current_user_url"`, "ghe.example.com": `"current_user_url"`,
		"github.com": "Not Found\n", "GitHub.com:443": "Not Found\n",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+"/", nil)
		require.NoError(t, err)
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Contains(t, string(body), want, host)
		assert.Equal(t, strings.Contains(want, "url"), response.Header.Get("X-RateLimit-Limit") != "", "%s: only the API has limits", host)
	}
}

func TestWhoMayUseGit(t *testing.T) {
	needGit(t)
	w := sandboxtest.New(t)
	for _, login := range []string{"writer", "reader", "stranger"} {
		w.As(login)
	}
	w.Change(func(s *model.State, repo *model.Repo) {
		s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "secret", Private: true})
		s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "old"}).Archived = true
	})
	secret := strings.Replace(fetchRefs, "hello", "secret", 1)
	for name, c := range map[string]struct {
		login, path string
		status      int
		said        string
	}{
		"nobody reads":                         {"", fetchRefs, http.StatusOK, ""},
		"nobody pushes":                        {"", pushRefs, http.StatusUnauthorized, "No anonymous write access."},
		"a stranger reads":                     {"stranger", fetchRefs, http.StatusOK, ""},
		"a reader does not push":               {"reader", pushRefs, http.StatusForbidden, "Permission to owner/hello.git denied to reader."},
		"a writer pushes":                      {"writer", pushRefs, http.StatusOK, ""},
		"an unknown token reads nothing":       {"unknown", fetchRefs, http.StatusUnauthorized, "Invalid username or token. Password authentication is not supported for Git operations."},
		"a private repository is not there":    {"stranger", secret, http.StatusNotFound, "Repository not found."},
		"and nobody is asked who he is":        {"", secret, http.StatusUnauthorized, "Repository not found."},
		"an archived one is not pushed to":     {"owner", strings.Replace(pushRefs, "hello", "old", 1), http.StatusForbidden, "This repository was archived so it is read-only."},
		"a repository without a commit":        {"owner", secret, http.StatusOK, ""},
		"a page is not there":                  {"writer", "/owner/hello", http.StatusNotFound, "Not Found"},
		"nor is the protocol without services": {"writer", "/owner/hello.git/info/refs", http.StatusNotFound, "Not Found"},
	} {
		w.As("owner")
		token := ""
		if c.login != "" {
			token = sandboxtest.Token(c.login)
		}
		response, said := onWeb(t, w, token, http.MethodGet, c.path, "")
		assert.Equal(t, c.status, response.StatusCode, name)
		if c.said != "" {
			assert.Equal(t, c.said+"\n", said, name)
			assert.Equal(t, "text/plain; charset=utf-8", response.Header.Get("Content-Type"), "git shows only such text")
		}
		assert.Equal(t, c.status == http.StatusUnauthorized, response.Header.Get("WWW-Authenticate") == `Basic realm="GitHub"`, name)
	}
}

func command(from, to, ref string) string {
	text := fmt.Sprintf("%s %s %s\x00 report-status\n", from, to, ref)
	return fmt.Sprintf("%04x%s0000", len(text)+4, text)
}

// What is pushed is checked before it becomes a part of the world.
func TestPushesOfAnything(t *testing.T) {
	const zero = "0000000000000000000000000000000000000000"
	w := sandboxtest.New(t)
	w.As("writer")
	var main, first string
	w.Look(func(s *model.State) {
		repo := s.Repo("owner", "hello")
		head, _ := s.BranchHead(repo, "main")
		entry, err := repo.Git.Entry(head, "README.md")
		require.NoError(t, err)
		main, first = head.String(), entry.Hash.String()
	})
	var told atomic.Int32
	w.OnWrite(sandboxtest.Token("writer"), func() { told.Add(1) })
	for name, c := range map[string]struct {
		body   string
		status int
		said   string
		header []string
	}{
		"nothing":                           {"", http.StatusBadRequest, "it ends within its commands", nil},
		"a question":                        {"0000", http.StatusOK, "", nil},
		"words":                             {"hello, world", http.StatusBadRequest, "read push", nil},
		"what is not compressed as it says": {"x", http.StatusBadRequest, "unpack the body", []string{"Content-Encoding", "gzip"}},
		"a packfile that is none":           {command(zero, main, "refs/heads/x") + "PACKxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", http.StatusOK, "ng refs/heads/x unpacker error", nil},
		"a commit that is not there":        {command(zero, strings.Repeat("1", 40), "refs/heads/x"), http.StatusOK, "ng refs/heads/x Object does not exist", nil},
		"a branch at a file":                {command(zero, first, "refs/heads/x"), http.StatusOK, "ng refs/heads/x Object is not a commit", nil},
		"a ref that is elsewhere":           {command(strings.Repeat("2", 40), main, "refs/heads/x"), http.StatusOK, "is at " + zero + " but expected 2222", nil},
		"a name with two dots":              {command(zero, main, "refs/heads/../../x"), http.StatusOK, "ng refs/heads/../../x refs/heads/../../x is not a valid ref name.", nil},
		"a ref outside of refs":             {command(zero, main, "HEAD"), http.StatusOK, "ng HEAD Reference name must start with", nil},
		"a pull request's ref":              {command(zero, main, "refs/pull/1/head"), http.StatusOK, "deny updating a hidden ref", nil},
		"no ref, which is to be deleted":    {command(zero, zero, "refs/heads/x"), http.StatusOK, "ng refs/heads/x", nil},
		"the default branch to be deleted":  {command(main, zero, "refs/heads/main"), http.StatusOK, "refusing to delete the current branch", nil},
	} {
		response, said := onWeb(t, w, sandboxtest.Token("writer"), http.MethodPost, push, c.body, c.header...)
		assert.Equal(t, c.status, response.StatusCode, name)
		assert.Contains(t, said, c.said, name)
	}
	assert.Zero(t, told.Load())
	w.Look(func(s *model.State) {
		repo := s.Repo("owner", "hello")
		require.Len(t, repo.Git.Refs(""), 1)
		assert.Equal(t, main, repo.Git.Refs("")[0].Hash.String())
	})
	_, said := onWeb(t, w, sandboxtest.Token("writer"), http.MethodPost, push, command(zero, main, "refs/heads/x"))
	assert.Contains(t, said, "ok refs/heads/x\n", "and what is right is taken")
	assert.EqualValues(t, 1, told.Load())
	usage := w.Usage(sandboxtest.Token("writer"))
	assert.Equal(t, []int{14, 0, 0}, []int{usage.Git, usage.REST, usage.GraphQL})
	last := w.Audit()[len(w.Audit())-1]
	assert.True(t, last.Write)
	assert.Equal(t, sandbox.PartGit, last.Part)
}

func TestFetchingWithoutGit(t *testing.T) {
	w := sandboxtest.New(t)
	t.Setenv("PATH", t.TempDir())
	response, said := onWeb(t, w, "", http.MethodGet, fetchRefs, "")
	assert.Equal(t, http.StatusNotImplemented, response.StatusCode)
	assert.Equal(t, "fetching from the sandbox needs the program git on PATH\n", said)
	w.As("writer")
	response, _ = onWeb(t, w, sandboxtest.Token("writer"), http.MethodGet, pushRefs, "")
	assert.Equal(t, http.StatusOK, response.StatusCode, "pushing does not")
}

func TestFetchesOfAnything(t *testing.T) {
	needGit(t)
	w := sandboxtest.New(t)
	for body, status := range map[string]int{
		"": http.StatusOK, "0000": http.StatusOK, "zzzz": http.StatusBadRequest, "ffff": http.StatusBadRequest,
		"0014command=ls-refs\n0000": http.StatusOK, "0012command=x\n0000": http.StatusBadRequest,
	} {
		response, said := onWeb(t, w, "", http.MethodPost, "/owner/hello.git/git-upload-pack", body, "Git-Protocol", "version=2")
		assert.Equal(t, status, response.StatusCode, "%q: %s", body, said)
	}
}

// A workflow's token pushes only what it was granted.
func TestPushesWithTokensOfApps(t *testing.T) {
	w := sandboxtest.New(t)
	for level, want := range map[string]int{"write": http.StatusOK, "read": http.StatusForbidden, "": http.StatusForbidden} {
		w.AddToken("job", sandbox.Token{App: "github-actions", Permissions: map[string]string{"contents": level}})
		response, body := onWeb(t, w, "job", "GET", pushRefs, "")
		assert.Equal(t, want, response.StatusCode, level)
		if want != http.StatusOK {
			assert.Equal(t, "Permission to owner/hello.git denied to github-actions[bot].\n", body)
		}
	}
}
