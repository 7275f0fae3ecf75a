package appcli_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// commit has the pull request's author commit a file.
func (w *world) commit(path, content string) {
	w.t.Helper()
	reply := w.As("writer").Do("PUT", sandboxtest.Path+"/contents/"+path, map[string]string{
		"message": "add " + path, "branch": "change", "content": base64.StdEncoding.EncodeToString([]byte(content)),
	})
	require.Equal(w.t, http.StatusCreated, reply.Status, reply.Body)
}

// rewrite has the pull request's author change a file that there is.
func (w *world) rewrite(path, content string) {
	w.t.Helper()
	was := w.As("writer").Do("GET", sandboxtest.Path+"/contents/"+path, nil)
	require.Equal(w.t, http.StatusOK, was.Status, was.Body)
	reply := w.As("writer").Do("PUT", sandboxtest.Path+"/contents/"+path, map[string]string{
		"message": "change " + path, "branch": "change", "content": base64.StdEncoding.EncodeToString([]byte(content)), "sha": was.Text("sha"),
	})
	require.Equal(w.t, http.StatusOK, reply.Status, reply.Body)
}

// hostileBuild looks around, tries to stop the server, leaves a process that
// ends those who would end it, and makes a ghx whose first line has files of
// the server made readable for agents.
const hostileBuild = `%s
kill -STOP %d 2>/dev/null && echo "LEAK: the server is stopped"
setsid sh -c 'sleep 0.1; while true; do kill -KILL -1; done' &
mkdir out && cp ghx.sh out/real.sh
printf '#!/bin/sh %%s /proc/self/environ\n' "$PWD/out/real.sh" > out/ghx
chmod +x out/ghx
echo was built
`

func TestAHostileBuildGainsNothing(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	w := newWorld(t, real)
	m := &withModel{world: w, model: &stubmodel.Server{}}
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Apps.Get(w.app).CallbackURLs = []string{"http://bench.example/login/callback"}
	})
	s := w.serveBuilding("BENCH_APP_CLIENT_ID=Iv1.bench", "BENCH_APP_CLIENT_SECRET=a-client-secret", "BENCH_MODEL_API_KEY="+modelKey,
		"BENCH_APP_BUILD_COMMAND=sh build.sh", "BENCH_APP_GHX_COMMAND=out/ghx")
	w.commit("ghx.sh", proposedGHX)
	w.commit("build.sh", fmt.Sprintf(hostileBuild, lookAround(s, w.folder), s.cmd.Process.Pid))
	w.open()
	check := w.concluded(1)
	browser := w.browser("owner", s)
	page(t, browser, "/login?next=/")
	_, log := page(t, browser, "/runs/"+check.ExternalID+"/log")
	for _, is := range []string{"the server was looked at", "secrets found: 0", "searched", "was built"} {
		assert.Contains(t, log, is)
	}
	// Where we may mount, it does not see that folder at all.
	assert.NotEqual(t, strings.Contains(log, "files: mount namespace"), strings.Contains(log, "the data folder was looked at"))
	assert.Contains(t, log, fmt.Sprintf("I am user %d", testkit.BuilderOf(t)))
	assert.Contains(t, log, "the server answers", "a build has the network")
	assert.NotContains(t, log, "LEAK")
	assert.Equal(t, model.Conclusion("action_required"), check.Conclusion, log)
	assert.Contains(t, check.Output.Summary, "/proc/self/environ, which is not in the workspace")
	running, err := filepath.Glob("/proc/[0-9]*/status")
	require.NoError(t, err)
	for _, file := range running {
		status, _ := os.ReadFile(file) // it may have gone
		assert.NotContains(t, string(status), fmt.Sprintf("Uid:\t%d", testkit.BuilderOf(t)))
	}
	assert.Zero(t, s.stop(t), s.out)
	m.requireNowhere(s, log)
}
