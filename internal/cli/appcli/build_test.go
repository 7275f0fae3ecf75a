package appcli_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/cli/appcli"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// built has the server build what a pull request proposes, and returns the log
// of the run and its check run. The run goes no further: there is no OpenCode.
func built(t *testing.T, script string) (string, model.CheckRun) {
	t.Helper()
	w := newWorld(t, "model: openai/gpt-5.3-codex\nexecutor: local\nscenarios: [pr-view-001]\nmodes: [agent_direct, ghx]\n")
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Apps.Get(w.app).CallbackURLs = []string{"http://bench.example/login/callback"}
	})
	s := w.serveBuilding("BENCH_APP_CLIENT_ID=Iv1.bench", "BENCH_APP_CLIENT_SECRET=a-client-secret", "BENCH_MODEL_API_KEY=the-key-of-the-model", "BENCH_APP_BUILD_COMMAND="+script)
	w.open()
	check := w.concluded(1)
	browser := w.browser("owner", s)
	page(t, browser, "/login?next=/")
	status, log := page(t, browser, "/runs/"+check.ExternalID+"/log")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, log, "fetch "+w.head+" of owner/hello")
	return log, check
}

func TestWhatIsProposedIsBuiltWithoutSecrets(t *testing.T) {
	log, _ := built(t, "env; ls src; cat /proc/$PPID/environ || true")
	assert.Contains(t, log, "a.ts")
	assert.Contains(t, log, "$ bench verify", "the run goes on with what was built")
	for _, hidden := range []string{"BENCH_APP", "the-key-of-the-model", "BEGIN RSA"} {
		assert.NotContains(t, log, hidden)
	}
}

func TestWhatCannotBeBuiltIsSaid(t *testing.T) {
	log, check := built(t, "echo no such module; exit 3")
	assert.Contains(t, log, "no such module")
	assert.Equal(t, model.Failure, check.Conclusion)
	assert.Contains(t, check.Output.Summary, "build ghx with")
	assert.Contains(t, check.Output.Summary, "its last lines: no such module")
}

func TestARunThatWasEndedDoesNotWaitForAnothersBuild(t *testing.T) {
	began, goOn := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		close(began)
		<-goOn
		out.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(slow.Close)
	client, err := github.New(github.Options{RESTURL: slow.URL})
	require.NoError(t, err)
	build, work := appcli.Builds(settings.LocalRuns{Build: ghxbuild.Auto}), service.Work{Run: runs.Run{Repo: "owner/hello"}, Client: client}

	first := make(chan error, 1)
	go func() { first <- build(t.Context(), work) }()
	<-began
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() { second <- build(ctx, work) }()
	cancel()
	select {
	case err := <-second:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(soon):
		assert.Fail(t, "it waits for the build of another run")
	}
	close(goOn)
	assert.ErrorContains(t, <-first, "find the files of commit")
}
