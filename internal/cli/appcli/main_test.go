package appcli_test

import (
	"io"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// run runs bench-app to its end.
func run(t *testing.T, env []string, args ...string) (code int, said string) {
	t.Helper()
	cmd, out := command(env, args...)
	cmd.Dir = t.TempDir()
	_ = cmd.Run() // the code says it
	return cmd.ProcessState.ExitCode(), out.String()
}

func TestTheCommandLine(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "bench-app.yml")
	require.NoError(t, os.WriteFile(file, []byte("workers: many\ncolour: blue\n"), 0o600))
	for name, c := range map[string]struct {
		env  []string
		args []string
		code int
		says []string
	}{
		"nothing shows the help":          {nil, nil, 0, []string{"bench-app [command]", "serve", "check", "version"}},
		"the version":                     {nil, []string{"version"}, 0, nil},
		"the version, asked as usual":     {nil, []string{"--version"}, 0, nil},
		"help of serve lists settings":    {nil, []string{"serve", "--help"}, 0, []string{"BENCH_APP_WEBHOOK_SECRET", "webhook-secret", "Examples:"}},
		"an unknown command":              {nil, []string{"server"}, 2, []string{`"server"`, "--help"}},
		"an unknown flag":                 {nil, []string{"serve", "--port", "1"}, 2, []string{"--port", "serve --help"}},
		"an argument too many":            {nil, []string{"serve", "now"}, 2, []string{`"now"`}},
		"settings that are fine":          {credentials(), []string{"check"}, 0, []string{"settings: fine, 2 workers\n", "database: SQLite\n", "App: 1\n", "GitHub: could not be asked", "connection refused\n"}},
		"an App that is not set up":       {nil, []string{"check"}, 0, []string{"App: not set up", "/setup\n", "GitHub: not asked"}},
		"a name that is misspelt":         {[]string{"BENCH_APP_WORKER=3"}, []string{"check"}, 0, []string{`- BENCH_APP_WORKER is no setting and has no effect: did you mean "BENCH_APP_WORKERS"?`}},
		"a data folder that is a file":    {append(credentials(), "BENCH_APP_DATA_DIR="+file), []string{"check"}, 2, []string{file, "set BENCH_APP_DATA_DIR"}},
		"a data folder below a file":      {append(credentials(), "BENCH_APP_DATA_DIR="+file+"/data"), []string{"serve"}, 2, []string{file + "/data", "set BENCH_APP_DATA_DIR"}},
		"no file of expectations":         {[]string{"BENCH_APP_EXPECTATIONS=" + file}, []string{"serve"}, 2, []string{"BENCH_APP_EXPECTATIONS", file + ":1:"}},
		"all that is wrong is said":       {[]string{"PORT=x", "BENCH_APP_ID=7", "BENCH_APP_WEBHOOK_SECRET=short"}, []string{"check", "--config", file}, 2, []string{"PORT", "workers in " + file, "colour", "BENCH_APP_PRIVATE_KEY_PATH", "openssl rand -hex 32"}},
		"a file that is not there":        {[]string{"BENCH_APP_CONFIG=/nowhere.yml"}, []string{"serve"}, 2, []string{"/nowhere.yml"}},
		"a database that does not answer": {[]string{"DATABASE_URL=postgres://u:hunter22@127.0.0.1:1/x"}, []string{"check"}, 3, []string{"127.0.0.1 does not answer", "DATABASE_URL"}},
		"a port that is taken":            {[]string{"BENCH_APP_ADDR=256.0.0.1:80"}, []string{"serve"}, 2, []string{"BENCH_APP_ADDR"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, said := run(t, c.env, c.args...)
			assert.Equal(t, c.code, code, said)
			for _, part := range c.says {
				assert.Contains(t, said, part)
			}
			assert.NotContains(t, said, "hunter22")
		})
	}
}

// What root builds could read the keys of the App.
func TestRootWithoutAUserWhoBuildsIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	if _, err := user.Lookup("bench"); err == nil {
		code, said := run(t, append(credentials(), "BENCH_APP_BUILD_COMMAND=auto"), "check")
		assert.Zero(t, code, said)
		return
	}
	for _, name := range []string{"serve", "check"} {
		code, said := run(t, append(credentials(), "BENCH_APP_BUILD_COMMAND=auto"), name)
		assert.Equal(t, 2, code, said)
		for _, part := range []string{`a user "bench"`, "useradd --system bench", "BENCH_APP_BUILD_COMMAND=none"} {
			assert.Contains(t, said, part)
		}
	}
}

func TestTwoServersDoNotShareAFile(t *testing.T) {
	folder := t.TempDir()
	serve(t, append(credentials(), "BENCH_APP_DATA_DIR="+folder)...)
	code, said := run(t, append(credentials(), "BENCH_APP_DATA_DIR="+folder), "serve")
	assert.Equal(t, 2, code)
	assert.Contains(t, said, "another process uses the database")
}

// That a server does not do what it should is when its settings are checked.
func TestSettingsAreCheckedBesideAServer(t *testing.T) {
	w := newWorld(t, trial)
	w.Change(func(s *model.State, _ *model.Repo) { s.Apps.Get(w.app).Permissions["merge_queues"] = "read" })
	w.serve()
	code, said := run(t, w.env(), "check")
	assert.Zero(t, code, said)
	assert.Contains(t, said, "database: SQLite, in use by a server\n")
	assert.Contains(t, said, "GitHub: the App has all permissions and events\n")
}

func TestAServerSaysWhichNamesAreMisspelt(t *testing.T) {
	s := serve(t, append(credentials(), "BENCH_APP_DATA_DIR="+t.TempDir(), "BENCH_APP_WORKER=3")...)
	assert.Contains(t, s.out.String(), `BENCH_APP_WORKER is no setting and has no effect: did you mean \"BENCH_APP_WORKERS\"?`)
}

func TestAServerStopsWhenItIsTold(t *testing.T) {
	folder := t.TempDir()
	s := serve(t, append(credentials(), "BENCH_APP_DATA_DIR="+folder)...)
	status, err := dial(t, s.address).deliver(guid(1))
	require.NoError(t, err)
	assert.Equal(t, http.StatusAccepted, status)
	assert.Zero(t, s.stop(t), s.out)
	assert.Equal(t, map[string]bool{guid(1): true}, ids(t, databaseIn(folder)))
	for _, hidden := range []string{secret, "BEGIN RSA"} {
		assert.NotContains(t, s.out.String(), hidden)
	}
}

func TestAClientThatIsSlowIsCutOff(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel() // it waits for the server's limit of five seconds
	s := serve(t, append(credentials(), "BENCH_APP_DATA_DIR="+t.TempDir())...)
	slow := dial(t, s.address)
	_, err := slow.conn.Write(slow.request[:40])
	require.NoError(t, err)
	require.NoError(t, slow.conn.SetReadDeadline(time.Now().Add(soon)))
	_, err = io.ReadAll(slow.answers)
	assert.NoError(t, err, "the server closes the connection")
}

// killedDuringLoad is how long a server takes deliveries before it is killed.
const killedDuringLoad = 300 * time.Millisecond

func TestWhatWasAcceptedSurvivesTheDeathOfTheProcess(t *testing.T) {
	testkit.NeedComplete(t)
	dbtest.Each(t, func(t *testing.T, address string) {
		folder := t.TempDir()
		if strings.HasPrefix(address, "sqlite:") {
			address = databaseIn(folder)
		}
		env := append(credentials(), "BENCH_APP_DATA_DIR="+folder, "DATABASE_URL="+address)
		s := serve(t, env...)
		first, err := dial(t, s.address).deliver(guid(1 << 40))
		require.NoError(t, err)
		require.Equal(t, http.StatusAccepted, first)
		kill := time.AfterFunc(killedDuringLoad, func() { _ = s.cmd.Process.Kill() })
		defer kill.Stop()
		accepted, _ := deliverWhile(t, s.address, func(int) bool { return true })
		require.NotEmpty(t, accepted)
		s.kill() // it has ended, or is about to
		stored := ids(t, address)
		for _, id := range accepted {
			assert.True(t, stored[id], "%s was accepted and is lost", id)
		}
		t.Logf("%d accepted, %d stored", len(accepted), len(stored))

		again := serve(t, env...)
		status, err := dial(t, again.address).deliver(accepted[0])
		require.NoError(t, err)
		assert.Equal(t, http.StatusAccepted, status)
		assert.Zero(t, again.stop(t))
		assert.Len(t, ids(t, address), len(stored), "a replay is not stored again")
	})
}
