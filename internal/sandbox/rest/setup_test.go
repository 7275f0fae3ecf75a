package rest_test

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// openPull opens a pull request of the writer's from a new branch that adds a
// file.
func openPull(t *testing.T, w *sandboxtest.World, branch, path, content string) sandboxtest.Reply {
	t.Helper()
	writer := w.As("writer")
	sha := writer.Get(base + "/git/ref/heads/main").Text("object.sha")
	reply := writer.Do("POST", base+"/git/refs", map[string]any{"ref": "refs/heads/" + branch, "sha": sha})
	require.Equal(t, http.StatusCreated, reply.Status, reply.Body)
	reply = writer.Do("PUT", base+"/contents/"+path, map[string]any{
		"message": "add " + path, "content": base64.StdEncoding.EncodeToString([]byte(content)), "branch": branch,
	})
	require.Equal(t, http.StatusCreated, reply.Status, reply.Body)
	reply = writer.Do("POST", base+"/pulls", map[string]any{"title": "Add " + path, "head": branch, "base": "main"})
	require.Equal(t, http.StatusCreated, reply.Status, reply.Body)
	return reply
}

func itoa(id int64) string { return strconv.FormatInt(id, 10) }
