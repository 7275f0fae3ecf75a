package rest_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestArtifacts(t *testing.T) {
	w := withCI(t)
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "ci.yml", Job: "test", Uploads: []model.Upload{{Name: "report", File: "report.txt", Text: "fine\n"}, {Name: "log", File: "log.txt", Text: "x"}}}}
	})
	reader, writer := w.As("reader"), w.As("writer")
	require.Equal(t, http.StatusNoContent, writer.Do("POST", base+"/actions/workflows/ci.yml/dispatches", `{"ref":"main"}`).Status)
	run := reader.Get(base + "/actions/runs").Int("workflow_runs.0.id")
	list := reader.Get(fmt.Sprint(base, "/actions/runs/", run, "/artifacts"))
	assert.Equal(t, []any{2, "log", "report", run}, []any{list.Int("total_count"), list.Text("artifacts.0.name"), list.Text("artifacts.1.name"), list.Int("artifacts.1.workflow_run.id")}, "the newest comes first")
	assert.Equal(t, 2, reader.Get(base+"/actions/artifacts").Int("total_count"))
	one := fmt.Sprint(base, "/actions/artifacts/", reader.Get(base+"/actions/artifacts?name=report").Int("artifacts.0.id"))
	assert.Equal(t, "report", reader.Get(one).Text("name"))

	found := reader.Get(one + "/zip")
	content := []byte(found.Body)
	assert.Equal(t, len(content), reader.Get(one).Int("size_in_bytes"), "a client is sent on to the archive")
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	require.Len(t, archive.File, 1)
	file, err := archive.File[0].Open()
	require.NoError(t, err)
	text, err := io.ReadAll(file)
	require.NoError(t, err)
	assert.Equal(t, []string{"report.txt", "fine\n"}, []string{archive.File[0].Name, string(text)})

	assert.Equal(t, http.StatusForbidden, reader.Do("DELETE", one, nil).Status)
	assert.Equal(t, http.StatusNoContent, writer.Do("DELETE", one, nil).Status)
	assert.Equal(t, http.StatusNotFound, reader.Get(one).Status)
	assert.Equal(t, 1, reader.Get(base+"/actions/artifacts").Int("total_count"))
}

func TestScriptsForABranch(t *testing.T) {
	w := withCI(t)
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "ci.yml", Job: "test", Branch: "broken/*", Outcomes: []model.Conclusion{model.Failure}}}
	})
	openPull(t, w, "broken/x", "broken.txt", "x")
	openPull(t, w, "fine/x", "fine.txt", "x")
	for branch, want := range map[string]string{"broken/x": "failure", "fine/x": "success"} {
		assert.Equal(t, want, w.As("reader").Get(base+"/actions/runs?branch="+branch).Text("workflow_runs.0.conclusion"), branch)
	}
}

func TestMilestonesAreMadeAndChanged(t *testing.T) {
	w := withCI(t)
	writer, reader := w.As("writer"), w.As("reader")
	made := writer.Do("POST", base+"/milestones", `{"title":"v1","description":"first","due_on":"2026-02-01T00:00:00Z"}`)
	require.Equal(t, http.StatusCreated, made.Status, made.Body)
	assert.Equal(t, []any{1, "open", "first", "writer"}, []any{made.Int("number"), made.Text("state"), made.Text("description"), made.Text("creator.login")})
	assert.Equal(t, "2026-02-01T00:00:00Z", made.Text("due_on"))
	for body, message := range map[string]string{
		`{"title":"v1"}`: "Validation Failed", `{}`: "Invalid request.\n\n\"title\" wasn't supplied.",
		`{"title":"v2","state":"x"}`: "Invalid request.\n\nx is not a member of [\"open\", \"closed\"].",
	} {
		refused := writer.Do("POST", base+"/milestones", body)
		assert.Equal(t, []any{http.StatusUnprocessableEntity, message}, []any{refused.Status, refused.Text("message")}, body)
	}
	assert.Equal(t, "already_exists", writer.Do("POST", base+"/milestones", `{"title":"v1"}`).Text("errors.0.code"))
	assert.Equal(t, http.StatusForbidden, reader.Do("POST", base+"/milestones", `{"title":"v3"}`).Status)

	writer.Do("POST", base+"/issues", `{"title":"x","milestone":1}`)
	changed := writer.Do("PATCH", base+"/milestones/1", `{"title":"v1.0","state":"closed","due_on":null}`)
	assert.Equal(t, []any{"v1.0", "closed", nil, 1}, []any{changed.Text("title"), changed.Text("state"), changed.At("due_on"), changed.Int("open_issues")})
	assert.NotNil(t, changed.At("closed_at"))
	assert.Equal(t, "[]", reader.Get(base+"/milestones").Body, "lists have the open ones")
	assert.Equal(t, http.StatusForbidden, reader.Do("DELETE", base+"/milestones/1", nil).Status)
	assert.Equal(t, http.StatusNoContent, writer.Do("DELETE", base+"/milestones/1", nil).Status)
	assert.Equal(t, http.StatusNotFound, reader.Get(base+"/milestones/1").Status)
	assert.Nil(t, reader.Get(base+"/issues/1").At("milestone"))
}
