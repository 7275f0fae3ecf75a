package appcli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newcomer is a user who follows "Try it without GitHub" of docs/app.md. The
// commands are the document's, but for the ports and the folder of files.
type newcomer struct {
	t       *testing.T
	text    string
	folder  string
	browser *http.Client
	// github and server are addresses.
	github, server string
}

func newNewcomer(t *testing.T) *newcomer {
	t.Helper()
	text, err := os.ReadFile(docsFile)
	require.NoError(t, err)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	r := &newcomer{t: t, folder: t.TempDir(), browser: &http.Client{Jar: jar}, github: freeAddress(t), server: freeAddress(t)}
	_, port, err := net.SplitHostPort(r.github)
	require.NoError(t, err)
	r.text = strings.NewReplacer("127.0.0.1:9000", r.github, "--port 9000", "--port "+port, "127.0.0.1:8080", r.server, "/tmp/", r.folder+"/").Replace(string(text))
	// What "go run" would build is this very program.
	self, err := os.Executable()
	require.NoError(t, err)
	script := fmt.Sprintf("#!/bin/sh\ncase \"$1 $2\" in\n'run ./cmd/bench') export %s=1;;\n'run ./cmd/app') export %s=1;;\n*) exit 9;;\nesac\nshift 2\nexec '%s' \"$@\"\n", asBench, asProgram, self)
	require.NoError(t, os.WriteFile(filepath.Join(r.folder, "go"), []byte(script), 0o755))
	return r
}

// freeAddress is one of loopback that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

// commands returns those of the document below a mark.
func (r *newcomer) commands(mark string) string {
	r.t.Helper()
	_, rest, found := strings.Cut(r.text, "<!-- trial: "+mark+" -->\n```sh\n")
	require.True(r.t, found, "docs/app.md has no commands of the trial's %s", mark)
	commands, _, found := strings.Cut(rest, "```\n")
	require.True(r.t, found)
	return commands
}

func (r *newcomer) shell(ctx context.Context, commands string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-euc", commands)
	cmd.Dir = r.folder
	cmd.Env = []string{"PATH=" + r.folder + ":" + os.Getenv("PATH"), "HOME=" + r.folder, "TMPDIR=" + r.folder}
	return cmd
}

// start runs commands in a terminal of their own, until the test ends.
func (r *newcomer) start(commands string) *output {
	r.t.Helper()
	out := &output{}
	cmd := r.shell(context.WithoutCancel(r.t.Context()), commands)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(r.t, cmd.Start())
	r.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) // as Ctrl-C does
		_ = cmd.Wait()
	})
	return out
}

// open returns a page, and the address at which redirects ended.
func (r *newcomer) open(address string) (page, at string) {
	r.t.Helper()
	return r.read(r.browser.Get(address))
}

func (r *newcomer) read(answer *http.Response, err error) (page, at string) {
	r.t.Helper()
	require.NoError(r.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(r.t, err)
	require.Less(r.t, answer.StatusCode, 500, "%s", body)
	return string(body), answer.Request.URL.String()
}

// follow returns where the first link of a page leads that matches.
func (r *newcomer) follow(page, at, link string) string {
	r.t.Helper()
	found := regexp.MustCompile(link).FindStringSubmatch(page)
	require.NotNil(r.t, found, "no %s in %s", link, page)
	base, err := url.Parse(at)
	require.NoError(r.t, err)
	to, err := base.Parse(html.UnescapeString(found[1]))
	require.NoError(r.t, err)
	return to.String()
}

const asOwner = `href="([^"]*login=aryeko[^"]*)"`

// setUp makes the App in the browser, and installs it.
func (r *newcomer) setUp(address string) {
	r.t.Helper()
	page, at := r.open(address)
	target := r.follow(page, at, `<form method="post" action="([^"]+)"`)
	manifest := regexp.MustCompile(`name="manifest" value="([^"]+)"`).FindStringSubmatch(page)
	require.NotNil(r.t, manifest, page)
	page, at = r.read(r.browser.PostForm(target, url.Values{"manifest": {html.UnescapeString(manifest[1])}}))
	page, at = r.open(r.follow(page, at, asOwner))
	page, at = r.open(r.follow(page, at, `href="([^"]*/installations/new)"`))
	_, at = r.open(r.follow(page, at, asOwner))
	assert.True(r.t, strings.HasPrefix(at, "http://"+r.server+"/"), "who has installed it comes to the dashboard, not to %s", at)
}

// get asks the sandbox's API as its owner.
func (r *newcomer) get(path string, into any) {
	r.t.Helper()
	exports := r.shell(r.t.Context(), `eval "$(grep ^export "$HOME/sandbox.txt")"; printf %s "$GITHUB_TOKEN"`)
	token, err := exports.Output()
	require.NoError(r.t, err)
	request, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, "http://"+r.github+"/repos/aryeko/ghx-bench-fixtures/"+path, nil)
	require.NoError(r.t, err)
	request.Header.Set("Authorization", "Bearer "+string(token))
	body, _ := r.read(http.DefaultClient.Do(request))
	require.NoError(r.t, json.Unmarshal([]byte(body), into), body)
}

// until waits for something that another process does.
func (r *newcomer) until(what string, is func() bool) {
	r.t.Helper()
	late := time.After(soon)
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for !is() {
		select {
		case <-ticker.C:
		case <-late:
			require.Fail(r.t, what+" did not come")
		}
	}
}

func (r *newcomer) commented(part string) bool {
	r.t.Helper()
	var comments []struct{ Body string }
	r.get("issues/2/comments", &comments)
	for _, c := range comments {
		if strings.Contains(c.Body, part) {
			return true
		}
	}
	return false
}

// Who does what docs/app.md says gets from a checkout to a gate, with nothing
// but Go, a shell with curl, and a browser.
func TestTheTrialOfTheDocumentation(t *testing.T) {
	testkit.NeedComplete(t)
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("NOT TESTED: the commands of docs/app.md: install " + program)
		}
	}
	t.Parallel()
	r := newNewcomer(t)
	sandbox := r.start(r.commands("sandbox"))
	r.until("the sandbox", func() bool { return strings.Contains(sandbox.String(), "export GITHUB_API_URL=") })
	server := r.start(r.commands("server"))
	r.until("the server", func() bool { return strings.Contains(server.String(), "the server listens") })
	r.setUp(regexp.MustCompile(`http://[^"]*/setup\?token=\w+`).FindString(server.String()))

	commands := r.commands("pull request")
	said, err := r.shell(t.Context(), commands).CombinedOutput()
	require.NoError(t, err, "%s", said)
	var head struct{ Head struct{ SHA string } }
	r.get("pulls/2", &head)
	r.until("the verdict", func() bool {
		var checks struct {
			Runs []struct{ Conclusion string } `json:"check_runs"`
		}
		r.get("commits/"+head.Head.SHA+"/check-runs?check_name=bench", &checks)
		return len(checks.Runs) == 1 && checks.Runs[0].Conclusion == "neutral"
	})
	r.until("the comment", func() bool { return r.commented("PASS (simulated)") })

	helper, _, _ := strings.Cut(commands, "\nsettings=")
	said, err = r.shell(t.Context(), helper+"\n"+r.commands("command")).CombinedOutput()
	require.NoError(t, err, "%s", said)
	r.until("the answer", func() bool { return r.commented("bench-answer") })

	page, at := r.open("http://" + r.server + "/login")
	page, _ = r.open(r.follow(page, at, asOwner))
	assert.Contains(t, page, "pass (simulated)", "the dashboard has the run")
	page, at = r.open(regexp.MustCompile(`http://\S+/_sandbox/enter\S+`).FindString(sandbox.String()))
	assert.Contains(t, page, "ghx-bench-fixtures", at)
	page, _ = r.open("http://" + r.github + "/aryeko/ghx-bench-fixtures/pull/2")
	assert.Contains(t, page, "bench-answer", "the dashboard's link to the pull request leads to the sandbox's page")
}
