package benchcli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// lists is a ghx up to what it does when it is run.
const lists = `#!/bin/sh
case "$1" in
--version) echo 0.9.1; exit ;;
capabilities) echo '[{"capability_id": "repo.view"}]'; exit ;;
esac
`

// tells is an MCP server up to what it does when it serves.
const tells = `#!/bin/sh
if [ "$1" = --version ]; then printf 'GitHub MCP Server\nVersion: 0.20.0\n'; exit; fi
`

// breakage is a set-up in which something is broken.
type breakage struct {
	rig *rig
	t   *testing.T
}

// write puts a program, or a text, into the rig's folder, and returns its path.
func (b breakage) write(name, text string, mode os.FileMode) string {
	b.t.Helper()
	path := filepath.Join(b.rig.dir, name)
	require.NoError(b.t, os.WriteFile(path, []byte(text), mode))
	require.NoError(b.t, os.Chmod(path, mode))
	return path
}

// model has the model's API be somewhere else.
func (b breakage) model(url string) []string {
	return []string{"--modes", "agent_direct", "--model-base-url", url + "/v1"}
}

// answers has the model's API answer all requests so.
func (b breakage) answers(status int, body string) []string {
	b.t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	b.t.Cleanup(server.Close)
	return b.model(server.URL)
}

// ghx has gh compared with a ghx that is this script.
func (b breakage) ghx(script string) []string {
	b.t.Helper()
	return []string{"--ghx-command", b.write("ghx", script, 0o755), "--ghx-skill", b.write("SKILL.md", "Run ghx.", 0o644)}
}

// mcp has gh compared with an MCP server that is this script.
func (b breakage) mcp(script string) []string {
	b.t.Helper()
	return []string{"--modes", "agent_direct,mcp", "--candidate-mode", "mcp", "--mcp-command", b.write("server", script, 0o755)}
}

// gitHub has agents act on a GitHub that answers all requests so.
func (b breakage) gitHub(status int) []string {
	b.t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"message": "Bad credentials"}`)
	}))
	b.t.Cleanup(server.Close)
	b.rig.env = append(b.rig.env, "BENCH_FIXTURES_TOKEN=seeds", "BENCH_AGENT_TOKEN=works")
	return append(b.mcp(tells+"exec "+realtool.Find(b.t, realtool.MCPServer())+" \"$@\"\n"), "--target", "o/r", "--api-url", server.URL)
}

// What is broken is named with its cause before a session, within 20 s, and is a
// verdict only where the candidate's tool alone is at fault (rule N9).
func TestN9ABrokenSetUpIsNamedBeforeASession(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		set  func(breakage) []string
		code int
		says []string
	}{
		"a dead port":             {func(b breakage) []string { return b.model("http://127.0.0.1:1") }, 3, []string{"the model's API at http://127.0.0.1:1/v1 cannot be asked", "refused the connection"}},
		"a name that is unknown":  {func(b breakage) []string { return b.model("http://no.such.host.bench") }, 3, []string{"the name of the model's API is not known"}},
		"a certificate of nobody": {func(b breakage) []string { return b.model(secured(b.t)) }, 3, []string{"the model's API has no valid certificate"}},
		"401":                     {func(b breakage) []string { return b.answers(401, `{"error":{"message":"wrong key"}}`) }, 2, []string{`refuses the API key (401: "wrong key")`, "STUB_KEY"}},
		"403":                     {func(b breakage) []string { return b.answers(403, "{}") }, 2, []string{"refuses the API key (403)", "may use model m"}},
		"404":                     {func(b breakage) []string { return b.answers(404, "{}") }, 2, []string{"has no model m", "check the model's name"}},
		"429 for ever":            {func(b breakage) []string { return b.answers(429, "{}") }, 3, []string{"answered 429", "its limit or the account's money is used up"}},
		"500 for ever":            {func(b breakage) []string { return b.answers(500, "{}") }, 3, []string{"cannot answer now (500)", "try later"}},
		"no answer":               {func(b breakage) []string { return b.model(silent(b.t)) }, 3, []string{"gave no answer to a short question"}},
		"no tool call": {func(b breakage) []string {
			return b.answers(200, `{"choices": [{"message": {"role": "assistant", "content": "Hello!"}}]}`)
		}, 2, []string{"model m answered without calling the function", "choose another one"}},

		"a build that does not start":        {func(b breakage) []string { return b.ghx("#!/bin/sh\necho Cannot find module core >&2; exit 1\n") }, 1, []string{"Cannot find module core"}},
		"a build that dies at its first use": {func(b breakage) []string { return b.ghx(lists + "echo TypeError: x is undefined >&2; exit 1\n") }, 1, []string{"TypeError: x is undefined"}},
		"a tool that prints nothing":         {func(b breakage) []string { return b.ghx(lists + "exit 0\n") }, 2, []string{"the proxy saw no request to GitHub"}},
		"a tool that ignores the proxy": {func(b breakage) []string {
			return b.ghx(lists + "exec curl -sS --noproxy '*' https://api.github.com/\n")
		}, 2, []string{"does not keep to HTTPS_PROXY"}},
		"a tool on Node 20":         {func(b breakage) []string { return b.oldNode() }, 2, []string{"ghx runs on Node.js 20.11.0, which ignores the proxy", "npm install -g node@22"}},
		"a tool that is no program": {func(b breakage) []string { return b.ghx("#!/bin/sh\nexec /etc/hostname\n") }, 1, []string{"ask ghx for its version", "/etc/hostname"}},
		"a tool that is not executable": {func(b breakage) []string {
			flags := b.ghx("")
			require.NoError(b.t, os.Chmod(flags[1], 0o644))
			return flags
		}, 2, []string{"mode ghx cannot run: ghx cannot be run", "may not be executed; mend: chmod +x "}},
		"capabilities that are none": {func(b breakage) []string {
			return b.ghx("#!/bin/sh\ncase $1 in --version) echo 1.0.0 ;; *) echo '[]' ;; esac\n")
		}, 1, []string{"it is empty"}},
		"a tool that lacks what is used": {func(b breakage) []string {
			return append(b.ghx(lists+"gh api user >/dev/null\n"), "--scenario", "pr-merge-001")
		}, 2, []string{"does not have what the scenarios use"}},
		"no skill": {func(b breakage) []string {
			return append(b.ghx(lists), "--ghx-skill", "no-such-skill.md")
		}, 2, []string{"the skill text is not there", "no-such-skill.md"}},

		"an MCP server that dies":              {func(b breakage) []string { return b.mcp(tells + "echo panic: nil map >&2; exit 1\n") }, 1, []string{"mode mcp: MCP server github does not work where the agent works", "panic: nil map"}},
		"an MCP server that is something else": {func(b breakage) []string { return b.mcp(tells + "echo usage: server serve; exit 0\n") }, 1, []string{`it prints something else than MCP: "usage: server serve"`}},
		"an MCP server that is silent":         {func(b breakage) []string { return b.mcp(tells + "exec sleep 1000\n") }, 3, []string{"mode mcp: MCP server github does not work where the agent works", "it takes longer than 15s"}},
		"an MCP server without a proxy": {func(b breakage) []string {
			return b.mcp(tells + "unset HTTPS_PROXY https_proxy; exec " + realtool.Find(b.t, realtool.MCPServer()) + " \"$@\"\n")
		}, 2, []string{"its canary, tool get_me of MCP server github, fails", "does not keep to HTTPS_PROXY"}},

		"a GitHub that refuses": {func(b breakage) []string { return b.gitHub(401) }, 2, []string{"o/r", "does not accept the token (401)"}},
		"a GitHub that is down": {func(b breakage) []string { return b.gitHub(503) }, 3, []string{"o/r", "503"}},
		"a disk that is full":   {func(b breakage) []string { return []string{"--modes", "agent_direct", "--output-dir", b.fullDisk()} }, 3, []string{"has only", "make room"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(stubmodel.Request) []stubmodel.Step { return nil })
			flags := c.set(breakage{r, t})
			args := append([]string{"verify", "--baseline-mode", "agent_direct", "--repetitions", "3", "--gh-command", realtool.Find(t, realtool.GH())}, flags...)
			if !strings.Contains(strings.Join(flags, " "), "--scenario") {
				args = append(args, "--scenario", "repo-view-001")
			}
			ran := r.run(t, args...)
			assert.Equal(t, c.code, ran.code, ran.stderr)
			for _, text := range c.says {
				assert.Contains(t, ran.stderr, text)
			}
			assert.Equal(t, c.code == 1, strings.Contains(ran.stderr, "FAIL: the candidate's tool does not work, and what it is compared with does"), ran.stderr)
			assert.Less(t, ran.took, testkit.TimeLimit(20*time.Second))
			t.Logf("exit %d after %s", ran.code, ran.took.Round(100*time.Millisecond))
			assert.LessOrEqual(t, len(r.model.Requests()), 1, "the model is tried, and no session begins")
			assert.Empty(t, r.rows(t))
			assert.Empty(t, running(t, r.temp))
		})
	}
}

// secured is an API with a certificate that nobody trusts.
func secured(t *testing.T) string {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	return server.URL
}

// silent is an API that takes requests and says nothing.
func silent(t *testing.T) string {
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-ended:
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(ended) })
	return server.URL
}

// oldNode has ghx run on a Node.js that says it is 20.
func (b breakage) oldNode() []string {
	b.t.Helper()
	b.write("node", "#!/bin/sh\necho v20.11.0\n", 0o755)
	b.rig.env = append(b.rig.env, "PATH="+b.rig.dir+":"+os.Getenv("PATH"))
	return b.ghx("#!/usr/bin/env node\n")
}

// fullDisk is a folder on a disk of its own that has no room.
func (b breakage) fullDisk() string {
	b.t.Helper()
	folder := filepath.Join(b.rig.dir, "full")
	require.NoError(b.t, os.Mkdir(folder, 0o755))
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=64k"); err != nil {
		b.t.Skip("needs to mount a disk of its own: " + err.Error())
	}
	b.t.Cleanup(func() { assert.NoError(b.t, unix.Unmount(folder, 0)) })
	return folder
}
