package rest_test

import (
	"archive/zip"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// lastRun is the id of the newest run, and of its last job.
func lastRun(t *testing.T, w *sandboxtest.World) (run, job string) {
	t.Helper()
	w.Look(func(s *model.State) {
		for r := range s.Runs.All() {
			run, job = itoa(r.ID), itoa(r.Current().Jobs[len(r.Current().Jobs)-1])
		}
	})
	return run, job
}

// address asks without following, and returns where to go on.
func address(t *testing.T, w *sandboxtest.World, path string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+path, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+sandboxtest.Token("reader"))
	w.As("reader")
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusFound, response.StatusCode)
	return response.Header.Get("Location")
}

func TestLogsAreElsewhere(t *testing.T) {
	w := withCI(t)
	run, job := lastRun(t, w)
	to := address(t, w, base+"/actions/jobs/"+job+"/logs")
	require.True(t, strings.HasPrefix(to, w.URL), "a client on loopback stays there: %s", to)
	log := w.As("").Get(strings.TrimPrefix(to, w.URL))
	assert.Equal(t, http.StatusOK, log.Status, "the address is enough")
	assert.Equal(t, "text/plain; charset=utf-8", log.Header.Get("Content-Type"))
	assert.Contains(t, log.Body, "Z no\n")
	assert.Contains(t, log.Body, "##[error]Process completed with exit code 1.")

	unsigned, _, _ := strings.Cut(strings.TrimPrefix(to, w.URL), "?")
	for _, path := range []string{unsigned, unsigned + "?token=00", strings.Replace(strings.TrimPrefix(to, w.URL), job, "1", 1)} {
		assert.Equal(t, http.StatusForbidden, w.As("owner").Get(path).Status, path)
	}
	assert.Equal(t, http.StatusForbidden, sandboxtest.Serve(t, w.Clone()).As("").Get(strings.TrimPrefix(to, w.URL)).Status,
		"the address is nothing in another world")
	all := w.As("reader").Get(base + "/actions/runs/" + run + "/logs")
	assert.Equal(t, "application/zip", all.Header.Get("Content-Type"))
}

func TestLogsOfARun(t *testing.T) {
	w := withCI(t)
	run, _ := lastRun(t, w)
	for _, path := range []string{"/actions/runs/" + run + "/logs", "/actions/runs/" + run + "/attempts/1/logs"} {
		body := w.As("reader").Get(base + path).Body
		archive, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
		require.NoError(t, err)
		files := map[string]string{}
		var names []string
		for _, f := range archive.File {
			file, err := f.Open()
			require.NoError(t, err)
			content, err := io.ReadAll(file)
			require.NoError(t, err)
			files[f.Name] = string(content)
			names = append(names, f.Name)
		}
		slices.Sort(names)
		assert.Equal(t, []string{
			"0_lint.txt", "1_test.txt", "lint/1_Set up job.txt", "lint/2_Run make lint.txt", "lint/3_Complete job.txt",
			"test/1_Set up job.txt", "test/2_Run make test.txt", "test/3_Complete job.txt",
		}, names)
		assert.Equal(t, files["test/1_Set up job.txt"]+files["test/2_Run make test.txt"]+files["test/3_Complete job.txt"], files["1_test.txt"])
	}
	assert.Equal(t, http.StatusNotFound, w.As("reader").Get(base+"/actions/runs/"+run+"/attempts/2/logs").Status)
}

func TestLogsThatAreNotThere(t *testing.T) {
	w := withCI(t)
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "ci.yml", Job: "test", Hanging: true}}
	})
	require.Equal(t, http.StatusNoContent, w.As("writer").Do("POST", base+"/actions/workflows/ci.yml/dispatches", map[string]string{"ref": "main"}).Status)
	run, job := lastRun(t, w)
	for _, path := range []string{"/actions/jobs/" + job + "/logs", "/actions/runs/" + run + "/logs"} {
		assert.Equal(t, http.StatusNotFound, w.As("reader").Get(base+path).Status, "%s is still running", path)
	}
	running := w.As("writer").Do("DELETE", base+"/actions/runs/"+run+"/logs", nil)
	assert.Equal(t, http.StatusConflict, running.Status)
	assert.Nil(t, w.As("reader").Get(base+"/actions/runs/"+run+"/timing").At("run_duration_ms"))

	require.Equal(t, http.StatusAccepted, w.As("writer").Do("POST", base+"/actions/runs/"+run+"/cancel", nil).Status)
	assert.Equal(t, http.StatusOK, w.As("reader").Get(base+"/actions/runs/"+run+"/logs").Status)
	assert.Equal(t, 3000, w.As("reader").Get(base+"/actions/runs/"+run+"/timing").Int("run_duration_ms"))
	assert.Equal(t, http.StatusForbidden, w.As("reader").Do("DELETE", base+"/actions/runs/"+run+"/logs", nil).Status)
	require.Equal(t, http.StatusNoContent, w.As("writer").Do("DELETE", base+"/actions/runs/"+run+"/logs", nil).Status)
	for _, path := range []string{"/actions/jobs/" + job + "/logs", "/actions/runs/" + run + "/logs"} {
		assert.Equal(t, http.StatusNotFound, w.As("reader").Get(base+path).Status, "%s was deleted", path)
	}
}

func TestJobNamesInArchives(t *testing.T) {
	var archive strings.Builder
	long := strings.Repeat("😅", 60)
	require.NoError(t, model.WriteLogs(&archive, []*model.Job{{
		Name: "build / a:b", Steps: []model.Step{{Number: 1, Name: "x/y", Log: "one"}, {Number: 2, Name: "silent"}},
	}, {Name: long, Steps: []model.Step{{Number: 1, Name: "z", Log: "two"}}}}))
	read, err := zip.NewReader(strings.NewReader(archive.String()), int64(archive.Len()))
	require.NoError(t, err)
	var names []string
	for _, f := range read.File {
		names = append(names, f.Name)
	}
	cut := strings.Repeat("😅", 45)
	assert.Equal(t, []string{"0_build  ab.txt", "build  ab/1_xy.txt", "1_" + cut + ".txt", cut + "/1_z.txt"}, names)
}
