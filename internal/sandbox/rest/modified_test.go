package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// What GitHub dates is dated, by the name and by the id of a repository, and is
// not sent again to those who have it; a version goes before a time.
func TestAnswersSayWhenTheyWereChanged(t *testing.T) {
	w := sandboxtest.New(t)
	reader := w.As("reader")
	require.Equal(t, http.StatusCreated, reader.Do("POST", base+"/issues", map[string]any{"title": "one"}).Status)
	comment := reader.Do("POST", base+"/issues/1/comments", map[string]any{"body": "x"})
	byID := "/repositories/" + itoa(int64(reader.Get(base).Int("id")))
	for _, path := range []string{base, byID, byID + "/issues/1", base + "/issues/1", base + "/issues/comments/" + itoa(int64(comment.Int("id"))), base + "/commits/main", "/users/owner", "/user"} {
		when := reader.Get(path).Header.Get("Last-Modified")
		_, err := http.ParseTime(when)
		require.NoError(t, err, path)
		assert.Equal(t, http.StatusNotModified, reader.Get(path, "If-Modified-Since", when).Status, path)
		assert.Equal(t, http.StatusOK, reader.Get(path, "If-Modified-Since", "Mon, 01 Jan 2001 00:00:00 GMT").Status, path)
		assert.Equal(t, http.StatusOK, reader.Get(path, "If-Modified-Since", when, "If-None-Match", `"other"`).Status, path)
	}
	for _, path := range []string{base + "/issues", base + "/labels", base + "/branches/main"} {
		assert.Empty(t, reader.Get(path).Header.Get("Last-Modified"), path)
	}
	when := reader.Get(base + "/issues/1").Header.Get("Last-Modified")
	require.Equal(t, http.StatusOK, reader.Do("PATCH", base+"/issues/1", map[string]any{"title": "two"}).Status)
	assert.Equal(t, "two", reader.Get(base+"/issues/1", "If-Modified-Since", when).Text("title"))
}
