package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// written is what somebody writes, which is not touched.
const written = `see https://github.com/owner/hello "html_url":"https://github.com/owner" https://api.github.com/x`

// addresses returns the values of all fields that are addresses, with their names.
func addresses(value any, name string, found map[string][]string) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			addresses(inner, key, found)
		}
	case []any:
		for _, inner := range value {
			addresses(inner, name, found)
		}
	case string:
		if strings.HasPrefix(value, "http") && value != written {
			found[name] = append(found[name], value)
		}
	}
}

// A client that has been given a base URL, as of an enterprise server, finds nothing that
// leads anywhere else.
func TestAnswersLeadClientsWithABaseURLBack(t *testing.T) {
	w := sandboxtest.New(t)
	w.AddToken("t", sandbox.Token{User: "owner", Scopes: []string{"repo", "gist", "workflow"}})
	client, err := github.NewClient(nil).WithAuthToken("t").WithEnterpriseURLs(w.URL, w.URL)
	require.NoError(t, err)
	ctx := t.Context()
	issue, _, err := client.Issues.Create(ctx, "owner", "hello", &github.IssueRequest{Title: github.String("a"), Body: github.String(written)})
	require.NoError(t, err)
	assert.Equal(t, written, issue.GetBody())
	assert.Equal(t, w.URL+"/owner/hello/issues/1", issue.GetHTMLURL())
	assert.Equal(t, w.URL+"/api/v3/repos/owner/hello/issues/1", issue.GetURL())
	release, _, err := client.Repositories.CreateRelease(ctx, "owner", "hello", &github.RepositoryRelease{TagName: github.String("v1")})
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(release.GetUploadURL(), w.URL+"/api/uploads/repos/owner/hello/releases/"), release.GetUploadURL())
	file := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("content"), 0o600))
	open, err := os.Open(file)
	require.NoError(t, err)
	defer open.Close()
	asset, _, err := client.Repositories.UploadReleaseAsset(ctx, "owner", "hello", release.GetID(), &github.UploadOptions{Name: "a.txt"}, open)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(asset.GetURL(), w.URL+"/api/v3/"), asset.GetURL())

	get := func(address string) (int, []byte) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer t")
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, body
	}
	found := map[string][]string{}
	for _, path := range []string{"", "/issues", "/releases", "/commits", "/branches", "/contents/README.md", "/contents/"} {
		status, body := get(w.URL + "/api/v3" + sandboxtest.Path + path)
		require.Equal(t, http.StatusOK, status, "%s: %s", path, body)
		var value any
		require.NoError(t, json.Unmarshal(body, &value))
		addresses(value, "", found)
	}
	graph := w.With("t").Do("POST", "/api/graphql", `{"query": "{ repository(owner: \"owner\", name: \"hello\") { url sshUrl issue(number: 1) { url body author { avatarUrl } } } }"}`)
	var value any
	require.NoError(t, json.Unmarshal([]byte(graph.Body), &value))
	addresses(value, "", found)
	require.NotEmpty(t, found["avatarUrl"])
	require.NotEmpty(t, found["upload_url"])
	for name, all := range found {
		for _, address := range all {
			assert.True(t, strings.HasPrefix(address, w.URL+"/"), "%s leads to %s", name, address)
			if name == "url" && strings.Contains(address, "/api/v3/") || name == "download_url" {
				status, body := get(address)
				assert.Equal(t, http.StatusOK, status, "%s: %s", address, body)
			}
		}
	}
	t.Run("with git", func(t *testing.T) {
		clone := found["clone_url"][0]
		out, err := exec.Command("git", "clone", "-q", strings.Replace(clone, "http://", "http://x:t@", 1), filepath.Join(t.TempDir(), "clone")).CombinedOutput()
		assert.NoError(t, err, string(out))
	})
}
