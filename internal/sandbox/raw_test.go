package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// raw asks a world for a file as raw.githubusercontent.com.
func raw(w *sandboxtest.World, method, path, token string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, "https://raw.githubusercontent.com"+path, nil)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	out := httptest.NewRecorder()
	w.ServeHTTP(out, request)
	return out
}

func TestRawFiles(t *testing.T) {
	w := sandboxtest.New(t,
		gitstore.Change{Path: "src/a b.ts", Content: []byte("let a\n")}, gitstore.Change{Path: "logo.png", Content: []byte("\x89PNG")},
		gitstore.Change{Path: "data.bin", Content: []byte{0xff, 0}})
	w.Change(func(s *model.State, repo *model.Repo) {
		head, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/a/b", head))
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/tags/v1", head))
	})
	sha := w.As("reader").Get(sandboxtest.Path + "/git/ref/heads/main").Text("object.sha")
	for _, ref := range []string{"main", "HEAD", "refs/heads/main", "a/b", "refs/heads/a/b", "v1", "refs/tags/v1", sha} {
		out := raw(w, http.MethodGet, "/owner/hello/"+ref+"/src/a%20b.ts", "")
		assert.Equal(t, http.StatusOK, out.Code, ref)
		assert.Equal(t, "let a\n", out.Body.String(), ref)
		assert.Equal(t, "text/plain; charset=utf-8", out.Header().Get("Content-Type"), ref)
		assert.Empty(t, out.Header().Get("X-RateLimit-Limit"), "it is not the API")
	}
	for path, want := range map[string]string{"logo.png": "image/png", "data.bin": "application/octet-stream"} {
		assert.Equal(t, want, raw(w, http.MethodGet, "/owner/hello/main/"+path, "").Header().Get("Content-Type"), path)
	}
	for _, path := range []string{"/", "/owner/hello", "/owner/hello/main", "/owner/hello/main/", "/owner/hello/main/src", "/owner/hello/main/none", "/owner/hello/none/README.md", "/owner/none/main/README.md"} {
		out := raw(w, http.MethodGet, path, "")
		assert.Equal(t, http.StatusNotFound, out.Code, path)
		assert.Equal(t, "404: Not Found\n", out.Body.String(), path)
	}
	assert.Equal(t, http.StatusMethodNotAllowed, raw(w, http.MethodPost, "/owner/hello/main/README.md", "").Code)
}

func TestRawFilesOfPrivateRepositories(t *testing.T) {
	w := sandboxtest.New(t)
	w.As("reader")
	w.As("stranger")
	w.Change(func(_ *model.State, repo *model.Repo) { repo.Private = true })
	for login, want := range map[string]int{"": http.StatusNotFound, "stranger": http.StatusNotFound, "reader": http.StatusOK, "unknown": http.StatusNotFound} {
		token := ""
		if login != "" {
			token = sandboxtest.Token(login)
		}
		assert.Equal(t, want, raw(w, http.MethodGet, "/owner/hello/main/README.md", token).Code, login)
	}
	assert.Equal(t, 1, w.Usage(sandboxtest.Token("reader")).REST, "tools ask for it in place of the API")
}

func TestLogsAreDownloads(t *testing.T) {
	w := sandboxtest.New(t)
	out := httptest.NewRecorder()
	w.ServeHTTP(out, httptest.NewRequest(http.MethodGet, "https://results-receiver.actions.githubusercontent.com/jobs/1/logs.txt", nil))
	assert.Equal(t, http.StatusForbidden, out.Code, "an address that nobody was given")
	assert.Equal(t, http.StatusForbidden, w.As("").Get("/_downloads/results-receiver.actions.githubusercontent.com/jobs/1/logs.txt").Status)
}
