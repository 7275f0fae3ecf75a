package rest_test

import (
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// Who may not push deploys nothing; nor is a commit deployed whose checks have
// not passed, or a branch that lacks what the default branch has.
func TestDeploymentsThatAreRefused(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	openPull(t, w, "topic", "a.txt", "a")
	sha := writer.Get(base + "/git/ref/heads/topic").Text("object.sha")
	deploy := func(who string, body map[string]any) sandboxtest.Reply {
		return w.As(who).Do("POST", base+"/deployments", body)
	}
	assert.Equal(t, http.StatusForbidden, deploy("reader", map[string]any{"ref": "main"}).Status)
	assert.Equal(t, http.StatusUnprocessableEntity, deploy("writer", map[string]any{"ref": "nowhere"}).Status)
	assert.Equal(t, http.StatusUnprocessableEntity, deploy("writer", map[string]any{}).Status)

	require.Equal(t, http.StatusCreated, writer.Do("POST", base+"/statuses/"+sha, map[string]any{"state": "failure", "context": "ci"}).Status)
	reply := deploy("writer", map[string]any{"ref": "topic"})
	assert.Equal(t, http.StatusConflict, reply.Status)
	assert.Equal(t, "Conflict: Commit status checks failed for topic.", reply.Text("message"))
	assert.Equal(t, http.StatusConflict, deploy("writer", map[string]any{"ref": "topic", "required_contexts": []string{"other"}}).Status)
	assert.Equal(t, http.StatusCreated, deploy("writer", map[string]any{"ref": "topic", "required_contexts": []string{}}).Status)

	require.Equal(t, http.StatusCreated, writer.Do("PUT", base+"/contents/b.txt", map[string]any{"message": "b", "content": "Yg=="}).Status)
	reply = deploy("writer", map[string]any{"ref": "topic", "required_contexts": []string{}})
	assert.Equal(t, []any{http.StatusAccepted, "Auto-merged main into topic on deployment."}, []any{reply.Status, reply.Text("message")})
	reply = deploy("writer", map[string]any{"ref": "topic"})
	require.Equal(t, http.StatusCreated, reply.Status, reply.Body)
	assert.Equal(t, "production", reply.Text("environment"))
	assert.Equal(t, "production", w.As("reader").Get(base+"/environments").Text("environments.0.name"), "it is made")
	assert.Equal(t, http.StatusForbidden, writer.Do("PUT", base+"/environments/x", nil).Status, "administrators alone set environments")
}

// A deployment that is done makes earlier ones to its environment inactive.
func TestDeploymentsReplaceEarlierOnes(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	deploy := func(environment string) string {
		reply := writer.Do("POST", base+"/deployments", map[string]any{"ref": "main", "environment": environment})
		require.Equal(t, http.StatusCreated, reply.Status, reply.Body)
		at := base + "/deployments/" + itoa(int64(reply.Int("id")))
		require.Equal(t, http.StatusCreated, writer.Do("POST", at+"/statuses", map[string]any{"state": "success"}).Status)
		return at
	}
	state := func(at string) string { return writer.Get(at + "/statuses").Text("0.state") }
	first, elsewhere, second := deploy("test"), deploy("stage/1"), deploy("test")
	assert.Equal(t, "stage/1", writer.Get(base+"/environments/stage%2F1").Text("name"))
	assert.Equal(t, []string{"inactive", "success", "success"}, []string{state(first), state(elsewhere), state(second)})
	assert.Equal(t, "success", state(deploy("production")))
}

// What a repository is told from outside starts the workflows that wait for it.
func TestRepositoryDispatch(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	file := "on: {repository_dispatch: {types: [wanted]}}\njobs: {test: {runs-on: ubuntu-latest, steps: [{run: make}]}}\n"
	require.Equal(t, http.StatusCreated, writer.Do("PUT", base+"/contents/.github/workflows/d.yml", map[string]any{"message": "d", "content": base64.StdEncoding.EncodeToString([]byte(file))}).Status)
	for _, kind := range []string{"other", "wanted"} {
		assert.Equal(t, http.StatusNoContent, writer.Do("POST", base+"/dispatches", map[string]any{"event_type": kind}).Status)
	}
	runs := writer.Get(base + "/actions/runs")
	assert.Equal(t, []any{1, "repository_dispatch", "wanted"}, []any{runs.Int("total_count"), runs.Text("workflow_runs.0.event"), runs.Text("workflow_runs.0.display_title")})
	assert.Equal(t, http.StatusForbidden, w.As("reader").Do("POST", base+"/dispatches", map[string]any{"event_type": "wanted"}).Status)
}
