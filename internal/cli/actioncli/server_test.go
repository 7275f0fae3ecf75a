package actioncli_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestARunGoesOnWhileGitHubHangs(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.inputs["scenarios"], r.inputs["repetitions"] = "pr-view-001", "2"
	var asked, gaveUp atomic.Bool
	release := make(chan struct{})
	r.through(func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPatch || asked.Swap(true) {
			return false
		}
		// Once the body is read, it is noticed that a client has gone.
		body, err := io.ReadAll(req.Body)
		assert.NoError(t, err)
		req.Body = io.NopCloser(bytes.NewReader(body))
		select {
		case <-release:
		case <-req.Context().Done():
			gaveUp.Store(true)
		}
		return false
	})
	cmd := r.command("bench-action")
	log, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	seen := readUntil(t, log, "4/4 ")
	assert.True(t, asked.Load(), "progress was to be shown")
	assert.False(t, gaveUp.Load(), "the last cell has run while the first update is on its way")
	close(release)
	seen += readUntil(t, log, "")
	require.NoError(t, cmd.Wait(), seen)
	assert.Equal(t, "neutral", r.checks()[0]["conclusion"])
}

func TestOnAnEnterpriseServerGraphQLIsBesideItsAPI(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	var asked atomic.Int32
	server := r.through(func(w http.ResponseWriter, req *http.Request) bool {
		if path, is := strings.CutPrefix(req.URL.Path, "/api/v3"); is {
			req.URL.Path, req.URL.RawPath = path, ""
			return false
		}
		if req.URL.Path != "/api/graphql" {
			w.WriteHeader(http.StatusTeapot)
			return true
		}
		asked.Add(1)
		req.URL.Path = "/graphql"
		return false
	})
	r.env["GITHUB_API_URL"], r.env["GITHUB_GRAPHQL_URL"] = server.URL+"/api/v3", ""
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.NotZero(t, asked.Load(), "the comment is looked for there, and the token goes nowhere else")
	assert.Len(t, r.comments(), 1)
	assert.NotContains(t, ended.log, "::warning")
}

func TestTheStatusIsWhatOurCommentSays(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	require.Zero(t, r.run().code)
	r.world.Change(func(s *model.State, repo *model.Repo) {
		s.AddApp(model.NewApp{Slug: "another-app", Owner: repo.OwnerID, Repos: []model.ID{repo.ID}})
	})
	r.world.AddToken("another-bot", sandbox.Token{App: "another-app", Permissions: map[string]string{"pull_requests": "write", "issues": "write"}})
	forged := strings.Replace(r.comments()[0], allPassed, "forged", 1)
	r.deleteComments()
	copied := r.world.With("another-bot").Do("POST", sandboxtest.Path+"/issues/1/comments", map[string]string{"body": forged})
	require.Equal(t, 201, copied.Status, copied.Body)

	r.commented("writer", "/bench status")
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	require.Len(t, r.comments(), 3)
	assert.Contains(t, r.comments()[2], "There is no run of **bench** on this pull request yet", "another bot's marker says nothing")
}

func TestNothingIsLeftOfABuildOrADownload(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.unprivileged = true
	temporary := t.TempDir()
	r.env["TMPDIR"] = temporary
	r.inputs["build-command"], r.inputs["scenarios"], r.inputs["repetitions"] = "mkdir -p made/b && touch made/b/c", "pr-view-001", "1"
	r.commented("writer", "/bench run")
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	require.Contains(t, ended.log, "$ mkdir -p made/b")
	left, err := filepath.Glob(filepath.Join(temporary, "bench-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
	_, err = os.Stat(temporary)
	assert.NoError(t, err)
}
