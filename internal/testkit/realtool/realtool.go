// Package realtool runs the real programs that agents use, unmodified, in
// tests: on a handler that stands for GitHub, behind the egress proxy. It also has the
// checks that every provider of agents passes, see [Exercise].
package realtool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/egress"
)

// Tool is a program that tests look for.
type Tool struct {
	// Name is looked up on PATH, unless the variable Variable names a file.
	Name, Variable string
	// Mend is the command that installs it.
	Mend string
	// Least is the oldest version that tests are for, such as 2.62; empty
	// means any. A program that tells no version counts as new.
	Least string
}

// GH is GitHub's command line tool, 2.62 or newer.
func GH() Tool {
	return Tool{Name: "gh", Variable: "BENCH_GH", Mend: "make clients", Least: "2.62"}
}

// OldGH is the one of Debian 12, 2.23.
func OldGH() Tool {
	return Tool{Name: "/usr/bin/gh", Variable: "BENCH_OLD_GH", Mend: "apt-get install gh"}
}

// MCPServer is GitHub's MCP server.
func MCPServer() Tool {
	return Tool{Name: "github-mcp-server", Variable: "BENCH_GITHUB_MCP_SERVER", Mend: "make clients"}
}

// GHX is ghx.
func GHX() Tool {
	return Tool{Name: "ghx", Variable: "BENCH_GHX", Mend: "npm install -g @ghx-dev/core"}
}

// Node is Node.js, which must be new enough to go by HTTPS_PROXY: 22.21.
func Node() Tool { return Tool{Name: "node", Variable: "BENCH_NODE", Mend: "npm install -g node@22"} }

// ClaudeCode is Claude Code.
func ClaudeCode() Tool {
	return Tool{Name: "claude", Variable: "BENCH_CLAUDE_CODE", Mend: "make clients"}
}

// Codex is Codex.
func Codex() Tool { return Tool{Name: "codex", Variable: "BENCH_CODEX", Mend: "make clients"} }

// FilesystemMCP is an MCP server of the files in a folder.
func FilesystemMCP() Tool {
	return Tool{Name: "mcp-server-filesystem", Variable: "BENCH_MCP_FILESYSTEM", Mend: "make clients"}
}

// Git is git.
func Git() Tool { return Tool{Name: "git", Variable: "BENCH_GIT", Mend: "apt-get install git"} }

// Find returns the path of a program. Where there is none the test is skipped,
// and says so.
func Find(t testing.TB, tool Tool) string {
	t.Helper()
	name := tool.Name
	if set := os.Getenv(tool.Variable); set != "" {
		name = set
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("NOT TESTED: %v: run `%s`, or set %s", err, tool.Mend, tool.Variable)
	}
	if tool.Least == "" {
		return path
	}
	if version := versionOf(path); older(version, tool.Least) {
		t.Skipf("NOT TESTED: %s is %s, and tests are for %s: run `%s`, or set %s", path, version, tool.Least, tool.Mend, tool.Variable)
	}
	return path
}

var version = regexp.MustCompile(`\d+\.\d+`)

// versions has what programs were asked for, by their paths: hundreds of tests
// of a package find the same one.
var versions sync.Map

// versionOf returns the first two numbers of a program's version, empty if it
// tells none.
func versionOf(path string) string {
	ask, _ := versions.LoadOrStore(path, sync.OnceValue(func() string {
		out, err := exec.CommandContext(context.Background(), path, "--version").Output()
		if err != nil {
			return ""
		}
		return version.FindString(string(out))
	}))
	return ask.(func() string)()
}

// older reports whether a version is older than another.
func older(version, than string) bool {
	var a, b [2]int
	if n, err := fmt.Sscanf(version, "%d.%d", &a[0], &a[1]); n != 2 || err != nil {
		return false
	}
	n, err := fmt.Sscanf(than, "%d.%d", &b[0], &b[1])
	return n == 2 && err == nil && slices.Compare(a[:], b[:]) < 0
}

// Bench is where programs run: a home folder, an environment that leads to the
// proxy, and the proxy. Its fields may be changed before Run.
type Bench struct {
	// Home is the programs' home folder, Work the folder that they run in.
	Home, Work string
	// Env is their whole environment, as NAME=value; of two entries with a
	// name the last one counts.
	Env     []string
	Attempt *egress.Attempt
}

// Open makes a bench whose GitHub is the handler, with env beside what leads to
// the proxy, until the test ends.
func Open(t testing.TB, github http.Handler, env ...string) *Bench {
	t.Helper()
	proxy, err := egress.New(egress.Options{Now: time.Now})
	require.NoError(t, err)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- proxy.Serve(listener) }()
	t.Cleanup(func() {
		require.NoError(t, proxy.Close())
		require.NoError(t, <-served)
	})
	trust := t.TempDir()
	bundle, err := proxy.Bundle("")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(trust+"/ca.pem", proxy.CACert(), 0o600))
	require.NoError(t, os.WriteFile(trust+"/bundle.pem", bundle, 0o600))
	b := &Bench{Home: t.TempDir(), Work: t.TempDir(), Attempt: proxy.Begin(github)}
	b.Env = append(proxy.Env(listener.Addr(), trust+"/ca.pem", trust+"/bundle.pem"),
		"PATH="+os.Getenv("PATH"), "HOME="+b.Home, "XDG_CACHE_HOME="+b.Home+"/.cache", "NO_COLOR=1",
		"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1")
	b.Env = append(b.Env, env...)
	return b
}

// outputDelay is how long a program's output is read after its end.
const outputDelay = 2 * time.Second

// Result is how a program ended.
type Result struct {
	// Code is its exit status.
	Code           int
	Stdout, Stderr string
}

// Run runs a program to its end. It fails the test only if the program cannot
// be started or does not end.
func (b *Bench) Run(t testing.TB, program string, args ...string) Result {
	t.Helper()
	return b.RunWith(t, "", program, args...)
}

// RunWith is Run with a text as standard input.
func (b *Bench) RunWith(t testing.TB, input, program string, args ...string) Result {
	t.Helper()
	const patience = 2 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = b.Work, b.Env, strings.NewReader(input)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// What a program leaves running may hold its output open for ever.
	cmd.WaitDelay = outputDelay
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		require.NoError(t, errors.Join(err, ctx.Err()), "%s %s\n%s%s", program, strings.Join(args, " "), &stdout, &stderr)
	}
	return Result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// Must is Run for a program that is to succeed; it returns what it printed.
func (b *Bench) Must(t testing.TB, program string, args ...string) string {
	t.Helper()
	r := b.Run(t, program, args...)
	require.Zero(t, r.Code, "%s %s\n%s%s", program, strings.Join(args, " "), r.Stdout, r.Stderr)
	return r.Stdout
}
