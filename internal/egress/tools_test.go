package egress_test

import (
	"cmp"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/egress"
)

// tool runs an unmodified program with the agent's environment.
func (r *rig) tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := r.try(t, name, args...)
	require.NoError(t, err, out)
	return out
}

// try is tool for a program that may fail.
func (r *rig) try(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("SKIPPED: " + name + " is not on PATH")
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_TERMINAL_PROMPT=0"}, r.env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestCurlReachesGitHub(t *testing.T) {
	p := serve(t, egress.Options{})
	a := p.Begin(echo)
	assert.Equal(t, "GET api.github.com/user ", p.tool(t, "curl", "-sS", "https://api.github.com/user"))
	assert.Equal(t, "GET api.github.com/user ", p.tool(t, "curl", "-sS", "--http1.1", "https://api.github.com/user"))
	// More than a megabyte, for which curl asks whether to go on.
	big := t.TempDir() + "/big"
	writeFile(t, big, strings.Repeat("x", 2<<20))
	assert.Len(t, p.tool(t, "curl", "-sS", "--http1.1", "--data-binary", "@"+big, "https://api.github.com/graphql"),
		len("POST api.github.com/graphql ")+2<<20)
	out, err := p.try(t, "curl", "-sS", "https://example.com/")
	require.Error(t, err)
	assert.Contains(t, out, "403")
	assert.Equal(t, []string{"example.com"}, a.Usage().Refused)
}

func TestGitClonesAndPushes(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("SKIPPED: git is not on PATH")
	}
	p := serve(t, egress.Options{})
	root := t.TempDir()
	p.tool(t, "git", "init", "-q", "--bare", "-b", "main", root+"/o/r.git")
	p.tool(t, "git", "-C", root+"/o/r.git", "config", "http.receivepack", "true")
	a := p.Begin(&cgi.Handler{Path: git, Args: []string{"http-backend"}, Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"}})

	work := t.TempDir()
	p.tool(t, "git", "clone", "-q", "https://github.com/o/r.git", work)
	writeFile(t, work+"/file", strings.Repeat("content ", 300_000))
	for _, args := range [][]string{
		{"add", "file"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "x"}, {"push", "-q", "origin", "HEAD:main"},
	} {
		p.tool(t, "git", append([]string{"-C", work}, args...)...)
	}
	assert.NotEmpty(t, p.tool(t, "git", "-C", root+"/o/r.git", "rev-parse", "main"))
	usage := a.Usage()
	assert.GreaterOrEqual(t, usage.Git, 3, "refs for cloning, refs for pushing, the push")
	assert.Zero(t, usage.REST)
	assert.Greater(t, usage.Bytes, int64(1000))
}

// nodeWithProxy is the first release whose fetch goes by HTTPS_PROXY.
const nodeWithProxy = "22.21"

func TestNodeReachesGitHub(t *testing.T) {
	p := serve(t, egress.Options{})
	p.Begin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { echo(w, r) }))
	node := cmp.Or(os.Getenv("BENCH_NODE"), "node")
	version := strings.TrimPrefix(strings.TrimSpace(p.tool(t, node, "--version")), "v")
	if !newer(version, nodeWithProxy) {
		t.Skip("SKIPPED: node is " + version + " and " + nodeWithProxy + " is needed")
	}
	got := p.tool(t, node, "-e", `
		const ok = await fetch("https://api.github.com/graphql", {method: "POST", body: "query"});
		console.log(ok.status, await ok.text());
		await fetch("https://example.com/").catch(e => console.log("refused", e.cause?.message ?? e.message));`)
	assert.Contains(t, got, "200 POST api.github.com/graphql query")
	assert.Contains(t, got, "refused")
}

// newer reports whether a version is another or a later one.
func newer(version, than string) bool {
	a, b := strings.Split(version, "."), strings.Split(than, ".")
	for i := range b {
		if len(a[i]) != len(b[i]) {
			return len(a[i]) > len(b[i])
		}
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return true
}
