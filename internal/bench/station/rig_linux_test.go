package station_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/station"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// token is what agents show GitHub.
const token = "ghp_worthless"

// The programs of the modes: scripts in a folder that nobody but us can enter.
const (
	ghScript = `case "$1" in
--version) echo 'gh version 2.62.0 (2024-11-14)' ;;
auth) exec curl -sS -f -H "Authorization: token $GH_TOKEN" https://api.github.com/user ;;
*) echo gh "$@" ;;
esac`
	ghxScript = `case "$1" in
--version) echo 0.9.1 ;;
capabilities) echo '[{"capability_id": "pr.view"}, {"capability_id": "pr.merge"}]' ;;
run) exec curl -sS -f https://api.github.com/rate_limit ;;
esac`
	mcpScript = `if [ "$1" = --version ]; then echo 'GitHub MCP Server
Version: 0.20.0'; exit; fi
` + answers
)

// rig is stations with a target whose places each tell their number.
type rig struct {
	*station.Stations
	target.Target
	base string

	mu     sync.Mutex
	places int
	asked  []string
}

// newRig opens stations, which are closed with the test.
func newRig(t *testing.T, change ...func(*station.Options)) *rig {
	t.Helper()
	realtool.Find(t, realtool.Tool{Name: "curl", Variable: "BENCH_CURL", Mend: "apt-get install curl"})
	closed := t.TempDir()
	require.NoError(t, os.Chmod(closed, 0o700))
	tool := func(name, script string) string {
		path := filepath.Join(closed, name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
		return path
	}
	skill := filepath.Join(closed, "SKILL.md")
	require.NoError(t, os.WriteFile(skill, []byte("Run ghx."), 0o600))
	tools := toolset.Find(toolset.Options{
		GH: tool("gh", ghScript), GHX: tool("ghx", ghxScript), GHXSkill: skill, MCPServer: tool("github-mcp-server", mcpScript),
	})
	require.NoError(t, tools.Check([]bench.Mode{bench.AgentDirect, bench.GHX, bench.MCP}))
	base, err := os.MkdirTemp("", "station-test-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.Remove(base), "everything in it was removed") })
	// Users of agents pass through it.
	require.NoError(t, os.Chmod(base, 0o711))
	options := station.Options{
		Tools: tools, Token: token, Login: "bench-agent", Repo: "o/r", Now: time.Now, Base: base,
	}
	for _, c := range change {
		c(&options)
	}
	stations, err := station.New(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stations.Close()) })
	r := &rig{Stations: stations, base: base}
	r.Target = stations.Target(r.inner())
	return r
}

// inner is the target behind the stations. It implements [target.Target].
type inner struct{ rig *rig }

func (r *rig) inner() target.Target { return inner{r} }

// Prepare makes a place that answers with its number.
func (i inner) Prepare(_ context.Context, needs target.Needs) (*target.Place, error) {
	i.rig.mu.Lock()
	defer i.rig.mu.Unlock()
	i.rig.places++
	number := i.rig.places
	return &target.Place{
		GitHub: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			i.rig.mu.Lock()
			i.rig.asked = append(i.rig.asked, r.Method+" "+r.Host+r.URL.Path+" "+r.Header.Get("Authorization"))
			i.rig.mu.Unlock()
			fmt.Fprintf(w, "place %d of %s\n", number, needs.Token)
		}),
		Close: func() error { return nil },
	}, nil
}

func (inner) Close() error { return nil }

// requests returns what GitHub was asked for.
func (r *rig) requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.asked...)
}

// prepare prepares a place.
func (r *rig) prepare(t *testing.T, mode bench.Mode, worker int) *target.Place {
	t.Helper()
	place, err := r.Prepare(t.Context(), target.Needs{Mode: mode, Worker: worker})
	require.NoError(t, err)
	return place
}

// start starts a command as a program of the agent's, and returns what it
// printed when it has ended.
func (r *rig) start(t *testing.T, mode bench.Mode, worker int, command string) (agent.Process, *output) {
	t.Helper()
	host, err := r.Host(mode, worker)
	require.NoError(t, err)
	env, err := r.Env(mode, worker)
	require.NoError(t, err)
	printed := &output{}
	p, err := host.Start(t.Context(), agent.Command{
		Path: "/bin/sh", Args: []string{"-c", command}, Output: printed,
		Env: append(env, "HOME="+host.Folders().Home, "TMPDIR="+host.Folders().Temp),
	})
	require.NoError(t, err)
	return p, printed
}

// does runs a command in a station to its end and returns what it printed.
func (r *rig) does(t *testing.T, mode bench.Mode, worker int, command string) string {
	t.Helper()
	p, printed := r.start(t, mode, worker, command)
	select {
	case <-p.Done():
	case <-time.After(20 * time.Second):
		require.Fail(t, "it does not end", "%s: %s", command, printed)
	}
	return printed.String()
}

// output is what a program prints.
type output struct {
	mu      sync.Mutex
	printed bytes.Buffer
}

// Write never fails.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.printed.Write(p)
}

// String returns what was printed so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.printed.String()
}

// running counts the processes that have the text in their command line or
// environment, or are in a folder that has it in its name.
func running(t *testing.T, text string) int {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	found := 0
	for _, folder := range folders {
		// What has ended meanwhile does not run.
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		environment, _ := os.ReadFile(filepath.Join(folder, "environ"))
		in, _ := os.Readlink(filepath.Join(folder, "cwd"))
		if strings.Contains(string(command)+"\n"+string(environment)+"\n"+in, text) {
			found++
		}
	}
	return found
}

// withGHX gives the modes ghx and ghx@base a ghx whose run does that, which begins
// with the cases of ghx alone.
func withGHX(t *testing.T, run, baseRun string, cases ...string) func(*station.Options) {
	t.Helper()
	folder := t.TempDir()
	write := func(name, run string, cases ...string) string {
		path := filepath.Join(folder, name)
		script := "#!/bin/sh\ncase \"$1\" in\n" + strings.Join(cases, "\n") + "\n--version) echo 0.9.1 ;;\n" +
			`capabilities) echo '[{"capability_id": "pr.view"}]' ;;` + "\nrun) " + run + " ;;\nesac\n"
		require.NoError(t, os.WriteFile(path, []byte(script), 0o700))
		return path
	}
	skill := write("SKILL.md", "")
	options := toolset.Options{
		GH: write("gh", ""), GHX: write("ghx", run, cases...), GHXSkill: skill, GHXBase: write("ghx-base", baseRun), GHXBaseSkill: skill,
	}
	require.NoError(t, os.WriteFile(options.GH, []byte("#!/bin/sh\n"+ghScript+"\n"), 0o700))
	return func(o *station.Options) { o.Tools = toolset.Find(options) }
}
