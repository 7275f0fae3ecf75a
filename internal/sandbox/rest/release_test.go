package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestReleases(t *testing.T) {
	w := sandboxtest.New(t)
	writer, reader := w.As("writer"), w.As("reader")
	draft := writer.Do("POST", base+"/releases", map[string]any{"tag_name": "v1.0.0", "name": "One", "body": "Notes", "draft": true})
	require.Equal(t, http.StatusCreated, draft.Status, draft.Body)
	assert.Equal(t, []any{"v1.0.0", "main", "One", "Notes", true, false, nil, nil, "writer"}, []any{
		draft.At("tag_name"), draft.At("target_commitish"), draft.At("name"), draft.At("body"), draft.At("draft"), draft.At("prerelease"),
		draft.At("published_at"), draft.At("zipball_url"), draft.At("author.login"),
	})
	assert.True(t, strings.HasPrefix(draft.Text("node_id"), "RE_"))
	assert.True(t, strings.HasPrefix(draft.Text("html_url"), "https://github.com/owner/hello/releases/tag/untagged-"))
	one := base + "/releases/" + itoa(int64(draft.Int("id")))
	assert.Equal(t, "https://uploads.github.com"+one+"/assets{?name,label}", draft.Text("upload_url"))
	for _, path := range []string{base + "/releases/tags/v1.0.0", base + "/releases/latest"} {
		assert.Equal(t, http.StatusNotFound, writer.Get(path).Status, "a draft is not there: %s", path)
	}
	assert.Equal(t, http.StatusNotFound, reader.Get(one).Status)
	assert.Equal(t, "[]", reader.Get(base+"/releases").Body)
	assert.Equal(t, "v1.0.0", writer.Get(base+"/releases").Text("0.tag_name"))

	published := writer.Do("PATCH", one, map[string]any{"draft": false, "name": "First"})
	require.Equal(t, http.StatusOK, published.Status)
	assert.Equal(t, "First", published.Text("name"))
	assert.NotEmpty(t, published.Text("published_at"))
	assert.Equal(t, "https://api.github.com/repos/owner/hello/zipball/v1.0.0", published.Text("zipball_url"))
	for _, path := range []string{one, base + "/releases/latest", base + "/releases/tags/v1.0.0"} {
		assert.Equal(t, "https://github.com/owner/hello/releases/tag/v1.0.0", reader.Get(path).Text("html_url"), path)
	}
	assert.Equal(t, http.StatusOK, reader.Do("HEAD", base+"/releases/tags/v1.0.0", nil).Status)
	require.Equal(t, http.StatusOK, reader.Get(base+"/git/ref/tags/v1.0.0").Status)

	nested := writer.Do("POST", base+"/releases", map[string]any{"tag_name": "rel/a b", "generate_release_notes": true})
	assert.Equal(t, http.StatusUnprocessableEntity, nested.Status)
	nested = writer.Do("POST", base+"/releases", map[string]any{"tag_name": "rel/ab", "generate_release_notes": true})
	assert.Equal(t, "rel/ab", nested.Text("name"))
	assert.Equal(t, "**Full Changelog**: https://github.com/owner/hello/compare/v1.0.0...rel/ab", nested.Text("body"))
	for _, path := range []string{"/releases/tags/rel/ab", "/releases/tags/rel%2Fab"} {
		assert.Equal(t, "rel/ab", reader.Get(base+path).Text("tag_name"), path)
	}
	assert.Equal(t, http.StatusForbidden, reader.Do("DELETE", one, nil).Status)
	require.Equal(t, http.StatusNoContent, writer.Do("DELETE", one, nil).Status)
	assert.Equal(t, http.StatusNotFound, reader.Get(one).Status)
}

func TestReleasesThatAreRefused(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	require.Equal(t, http.StatusCreated, writer.Do("POST", base+"/releases", `{"tag_name":"v1"}`).Status)
	for _, c := range []struct{ reason, body, message, code string }{
		{"a list's parameter makes no release", `{"per_page":30}`, "Invalid request.\n\n\"tag_name\" wasn't supplied.", ""},
		{"the tag has a release", `{"tag_name":"v1"}`, "Validation Failed", "already_exists"},
		{"its target is missing", `{"tag_name":"v2","draft":true,"target_commitish":"none"}`, "Validation Failed", "invalid"},
		{"it is made the latest in no known way", `{"tag_name":"v2","make_latest":"yes"}`, "Invalid request.\n\nyes is not a member of [\"true\", \"false\", \"legacy\"].", ""},
		{"a field is of another type", `{"tag_name":"v2","draft":"yes"}`, "Invalid request.\n\nFor 'properties/draft', \"yes\" is not a boolean.", ""},
	} {
		reply := writer.Do("POST", base+"/releases", c.body)
		assert.Equal(t, http.StatusUnprocessableEntity, reply.Status, c.reason)
		assert.Equal(t, c.message, reply.Text("message"), c.reason)
		assert.Equal(t, c.code, reply.Text("errors.0.code"), c.reason)
	}
	assert.Nil(t, writer.Get(base+"/releases").At("1"), "nothing was made")
	assert.Equal(t, http.StatusForbidden, w.As("triager").Do("POST", base+"/releases", `{"tag_name":"v2"}`).Status)
	assert.Equal(t, http.StatusUnauthorized, w.As("").Do("POST", base+"/releases", `{"tag_name":"v2"}`).Status)
}

func TestGeneratedNotes(t *testing.T) {
	w := sandboxtest.New(t)
	pull := openPull(t, w, "f", "f.txt", "x\n")
	require.Equal(t, http.StatusOK, w.As("owner").Do("PUT", base+"/pulls/1/merge", nil).Status, pull.Body)
	notes := w.As("writer").Do("POST", base+"/releases/generate-notes", `{"tag_name":"v1"}`)
	assert.Equal(t, "v1", notes.Text("name"))
	assert.Equal(t, "## What's Changed\n* Add f.txt by @writer in https://github.com/owner/hello/pull/1\n\n\n**Full Changelog**: https://github.com/owner/hello/commits/v1", notes.Text("body"))
	assert.Equal(t, http.StatusUnprocessableEntity, w.As("writer").Do("POST", base+"/releases/generate-notes", nil).Status)
}

func TestReleaseAssets(t *testing.T) {
	w := sandboxtest.New(t)
	writer, reader := w.As("writer"), w.As("reader")
	one := base + "/releases/" + itoa(int64(writer.Do("POST", base+"/releases", `{"tag_name":"v1"}`).Int("id")))
	content := "\x00\xff not text"
	added := writer.Do("POST", one+"/assets?name=a.bin&label=A", content, "Content-Type", "application/x-thing")
	require.Equal(t, http.StatusCreated, added.Status, added.Body)
	assert.Equal(t, []any{"a.bin", "A", "application/x-thing", len(content), "uploaded", "https://github.com/owner/hello/releases/download/v1/a.bin"}, []any{
		added.At("name"), added.At("label"), added.At("content_type"), added.Int("size"), added.At("state"), added.At("browser_download_url"),
	})
	asset := base + "/releases/assets/" + itoa(int64(added.Int("id")))
	assert.Equal(t, "a.bin", reader.Get(one+"/assets").Text("0.name"))
	assert.Equal(t, "a.bin", reader.Get(one).Text("assets.0.name"))
	assert.Equal(t, "a.bin", reader.Get(asset).Text("name"))
	file := reader.Get(asset, "Accept", "application/octet-stream")
	assert.Equal(t, []string{content, "application/x-thing"}, []string{file.Body, file.Header.Get("Content-Type")})
	w.Change(func(s *model.State, _ *model.Repo) { require.NoError(t, s.Validate()) })
	assert.Equal(t, http.StatusUnprocessableEntity, writer.Do("POST", one+"/assets?name=a.bin", "x").Status)
	writer.Do("POST", one+"/assets?name=other.bin", "x")
	assert.Equal(t, http.StatusUnprocessableEntity, writer.Do("PATCH", asset, map[string]any{"name": "other.bin"}).Status, "another has the name")
	assert.Equal(t, http.StatusForbidden, reader.Do("PATCH", asset, map[string]any{"name": "c.bin"}).Status)
	renamed := writer.Do("PATCH", asset, map[string]any{"name": "b.bin", "label": "B"})
	assert.Equal(t, []string{"b.bin", "B"}, []string{renamed.Text("name"), renamed.Text("label")})
	assert.Equal(t, "b.bin", reader.Get(asset).Text("name"))
	writer.Do("PATCH", asset, map[string]any{"name": "a.bin", "label": "A"})
	assert.Equal(t, http.StatusForbidden, reader.Do("DELETE", asset, nil).Status)
	require.Equal(t, http.StatusNoContent, writer.Do("DELETE", asset, nil).Status)
	assert.Equal(t, http.StatusNotFound, reader.Get(asset).Status)
	assert.Equal(t, http.StatusNotFound, reader.Get(one+"/other").Status)
}
