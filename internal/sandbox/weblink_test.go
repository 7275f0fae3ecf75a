package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// Whatever file an answer links is found there, by clients with a base URL of their own
// and by those that know GitHub's names.
func TestLinkedFiles(t *testing.T) {
	w := sandboxtest.New(t, gitstore.Change{Path: "src/a b.txt", Content: []byte("one\n")})
	w.AddToken("all", sandbox.Token{User: "owner"})
	owner := w.With("all")
	var asset string
	w.Change(func(s *model.State, repo *model.Repo) {
		tag, name := "v1/first", "First"
		r, err := s.CreateRelease(repo.OwnerID, repo, model.ReleaseEdit{TagName: &tag, Name: &name})
		require.NoError(t, err)
		_, err = s.AddAsset(repo.OwnerID, r, model.NewAsset{Name: "a.txt", ContentType: "text/plain", Content: []byte("asset")})
		require.NoError(t, err)
	})
	for _, api := range []string{"/api/v3", ""} {
		gist := owner.Do("POST", api+"/gists", `{"files": {"a b.py": {"content": "print(1)\n"}}}`)
		require.Equal(t, http.StatusCreated, gist.Status, gist.Body)
		first := address(t, gist.At("files"), "a b.py", "raw_url")
		changed := owner.Do("PATCH", api+"/gists/"+gist.Text("id"), `{"files": {"a b.py": {"content": "print(2)\n"}}}`)
		second := address(t, changed.At("files"), "a b.py", "raw_url")
		plain := first[:len(first)-len("/0123456789012345678901234567890123456789/a%20b.py")]
		asset = owner.Get(api + sandboxtest.Path + "/releases/latest").Text("assets.0.browser_download_url")
		diff := owner.Get(api + sandboxtest.Path + "/commits/main").Text("files.1.raw_url")
		for from, want := range map[string]string{
			first: "print(1)\n", second: "print(2)\n", plain + "/a%20b.py": "print(2)\n", plain: "print(2)\n", asset: "asset", diff: "one\n",
			plain + "/0123456789012345678901234567890123456789/a%20b.py": "404: Not Found\n", plain + "/none": "404: Not Found\n", asset + "x": "Not Found\n",
		} {
			assert.Equal(t, want, download(t, w, from), from)
		}
	}
	assert.Equal(t, "asset", download(t, w, "https://github.com/owner/hello/releases/latest/download/a.txt"))
	assert.Equal(t, "Not Found\n", download(t, w, "https://github.com/owner%2Fhello%2Fraw%2Fmain/src"), "a repository has two names")
	w.Change(func(_ *model.State, repo *model.Repo) { repo.Private = true })
	assert.Equal(t, "Not Found\n", download(t, w, asset), "nobody sees it")
}

func address(t *testing.T, files any, file, field string) string {
	t.Helper()
	all, _ := files.(map[string]any)
	one, _ := all[file].(map[string]any)
	found, _ := one[field].(string)
	require.NotEmpty(t, found, files)
	return found
}

// download gets what is at an address of the world's or of GitHub's, as nobody.
func download(t *testing.T, w *sandboxtest.World, from string) string {
	t.Helper()
	for range 3 {
		out, request := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, from, nil)
		w.ServeHTTP(out, request)
		if from = out.Header().Get("Location"); from == "" {
			return out.Body.String()
		}
	}
	t.Fatal("it leads on and on")
	return ""
}
