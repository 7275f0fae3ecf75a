package benchcli_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

// view shows a run until the test ends, and returns where.
func view(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command("bench", "view", "--output-dir", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		_ = cmd.Wait()
		assert.Equal(t, 128+int(syscall.SIGTERM), cmd.ProcessState.ExitCode(), stderr.String())
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err, stderr.String())
	return strings.TrimSpace(line)
}

// goingOn is a folder with a run whose last row is held back; the other result adds it.
func goingOn(t *testing.T) (dir string, goOn func()) {
	t.Helper()
	dir = t.TempDir()
	out, err := exec.Command("bench", "verify", "--scenario", "pr-view-001", "--repetitions", "2", "--output-dir", dir).CombinedOutput()
	require.NotContains(t, string(out), "bench: ", "%v", err)
	ledgers, err := filepath.Glob(filepath.Join(dir, "*", "*-ghx-suite.jsonl"))
	require.NoError(t, err)
	require.Len(t, ledgers, 1)
	whole, err := os.ReadFile(ledgers[0])
	require.NoError(t, err)
	first, _, _ := bytes.Cut(whole, []byte("\n"))
	require.NoError(t, os.WriteFile(ledgers[0], append(first, '\n'), 0o600))
	return dir, func() { require.NoError(t, os.WriteFile(ledgers[0], whole, 0o600)) }
}

func TestARunIsShownWhileItGoesOn(t *testing.T) {
	testkit.NeedComplete(t)
	ctx := testkit.OpenBrowser(t)
	dir, goOn := goingOn(t)
	address := view(t, dir)
	var before, after, verdict string
	const last = `a.cell[aria-label="ghx, repetition 2: passed"]`
	require.NoError(t, chromedp.Run(ctx,
		chromedp.Navigate(address+"#attempts?mode=ghx"),
		chromedp.WaitVisible(`#live progress[value="3"]`, chromedp.ByQuery),
		chromedp.Text(`#live`, &before, chromedp.ByQuery),
		chromedp.WaitVisible(`span.cell[aria-label="ghx, repetition 2: not run"]`, chromedp.ByQuery),
		chromedp.ActionFunc(func(context.Context) error { goOn(); return nil }),
		chromedp.WaitVisible(last, chromedp.ByQuery),
		chromedp.Text(`#live`, &after, chromedp.ByQuery),
		chromedp.Click(last, chromedp.ByQuery), chromedp.WaitVisible(`#shown details`, chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelector("#overview h1").innerText`, &verdict),
	))
	assert.Contains(t, before, "3 of 4 attempts are done")
	assert.Contains(t, before, "(simulated). The verdict is not the last one.")
	assert.Contains(t, after, "4 of 4 attempts are done")
	assert.Contains(t, verdict, "simulated")
	assert.NotContains(t, verdict, "NO VERDICT", "the verdict has been taken up too")
}

// What is served is read by whoever was told the address, by that name alone: not by a
// page of others whose name leads to this machine, and not by who tries addresses.
func TestOnlyWhoWasToldTheAddressSeesARun(t *testing.T) {
	testkit.NeedComplete(t)
	dir, _ := goingOn(t)
	address := view(t, dir)
	status := func(address, host string) (int, http.Header) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		require.NoError(t, err)
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, answer.Body)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode, answer.Header
	}
	at, _ := strings.CutSuffix(address, "/")
	root := at[:strings.LastIndex(at, "/")+1]
	code, header := status(address, "")
	assert.Equal(t, http.StatusOK, code)
	assert.Contains(t, header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	for _, refused := range [][2]string{{root, ""}, {root + "data/index.js", ""}, {root + "guess/", ""}, {address, "evil.example"}, {address, "localhost"}, {address + "../../etc/passwd", ""}} {
		code, _ := status(refused[0], refused[1])
		assert.Equal(t, http.StatusNotFound, code, refused)
	}
}
