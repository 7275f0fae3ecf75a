package appcli_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	_ "embed"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/actioncli"
	"github.com/ghx-dev/bench-action/internal/cli/appcli"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// asProgram has the test binary be bench-app, asBench the command line bench, and asAction
// the action.
const (
	asProgram = "BENCH_TEST_AS_APP"
	asBench   = "BENCH_TEST_AS_BENCH"
	asAction  = "BENCH_TEST_AS_ACTION"
)

func TestMain(m *testing.M) {
	testkit.CollectLess()
	// The gate of a benchmark has none of the server's variables.
	if os.Getenv(asProgram) != "" || len(os.Args) > 1 && os.Args[1] == appcli.GateCommand {
		os.Exit(appcli.Main())
	}
	if os.Getenv(asBench) != "" {
		os.Exit(benchcli.Main())
	}
	if os.Getenv(asAction) != "" {
		os.Exit(actioncli.Main())
	}
	os.Exit(dbtest.Main(m))
}

// comment is a delivery of GitHub's as npm's @octokit/webhooks-examples 7.6.1
// has it.
//
//go:embed testdata/issue_comment.json
var comment []byte

const (
	secret = "a-webhook-secret-of-a-test"
	soon   = 2 * time.Minute
)

// privateKey is a key as GitHub makes them, but shorter.
var privateKey = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
})

// output is what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	said chan struct{}
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.said <- struct{}{}:
	default:
	}
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// server is a running bench-app.
type server struct {
	cmd     *exec.Cmd
	out     *output
	address string
	waited  sync.Once
}

// command returns bench-app with nothing but these settings.
func command(env []string, args ...string) (*exec.Cmd, *output) {
	out := &output{said: make(chan struct{}, 1)}
	cmd := exec.Command(os.Args[0], args...)
	// The race detector has a program wait at its end unless it is told not to.
	cmd.Env = append([]string{
		asProgram + "=1", "PATH=" + os.Getenv("PATH"), "GORACE=" + os.Getenv("GORACE"),
		"BENCH_APP_BUILD_COMMAND=none", // tests run as root, who may have nobody to build as
	}, env...)
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out
}

// credentials are the settings of an App.
func credentials() []string {
	return []string{"BENCH_APP_ID=1", "BENCH_APP_PRIVATE_KEY=" + privateKey(), "BENCH_APP_WEBHOOK_SECRET=" + secret, "GITHUB_API_URL=http://127.0.0.1:1"}
}

var listens = regexp.MustCompile(`"the server listens","address":"([^"]+)"`)

// serve starts bench-app on a port of its own.
func serve(t testing.TB, env ...string) *server {
	t.Helper()
	cmd, out := command(append(env, "BENCH_APP_ADDR=127.0.0.1:0"), "serve")
	return start(t, cmd, out)
}

// start starts bench-app and waits until it listens.
func start(t testing.TB, cmd *exec.Cmd, out *output) *server {
	t.Helper()
	testkit.NeedCompleteBut(t, "TestAPullRequestGetsItsGate", "TestTheCommandLine")
	require.NoError(t, cmd.Start())
	s := &server{cmd: cmd, out: out}
	t.Cleanup(s.kill)
	late := time.After(soon)
	for {
		if found := listens.FindStringSubmatch(out.String()); found != nil {
			s.address = found[1]
			return s
		}
		select {
		case <-out.said:
		case <-late:
			require.FailNow(t, "bench-app does not listen", out.String())
		}
	}
}

// kill ends the process as if the power failed, if it has not ended.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	s.wait()
}

// wait waits for the end; how it was is in the process's state.
func (s *server) wait() { s.waited.Do(func() { _ = s.cmd.Wait() }) }

// stop ends the process as Docker does, and returns its exit code.
func (s *server) stop(t testing.TB) int {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.wait()
	return s.cmd.ProcessState.ExitCode()
}

// memory is the greatest resident size of the process so far, in MB.
func (s *server) memory(t testing.TB) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	require.NoError(t, err)
	var kB int
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscan(rest, &kB)
	require.NoError(t, err)
	return kB / 1024
}

func sign(body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// guid returns the n-th id of a test.
func guid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n) }

// sender delivers over one connection, and does little itself: the machine is
// shared with the server.
type sender struct {
	conn    net.Conn
	answers *bufio.Reader
	request []byte
	id      int
}

func dial(t testing.TB, address string) *sender {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	head := fmt.Sprintf("POST /webhook HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nX-GitHub-Event: issue_comment\r\n"+
		"X-Hub-Signature-256: %s\r\nContent-Length: %d\r\nX-GitHub-Delivery: ", sign(comment), len(comment))
	request := append([]byte(head+guid(0)+"\r\n\r\n"), comment...)
	return &sender{conn, bufio.NewReader(conn), request, len(head)}
}

// deliver sends a delivery and returns the status of the answer.
func (s *sender) deliver(id string) (int, error) {
	copy(s.request[s.id:], id)
	if _, err := s.conn.Write(s.request); err != nil {
		return 0, err
	}
	response, err := http.ReadResponse(s.answers, nil)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// ids returns the deliveries that a database has.
func ids(t testing.TB, address string) map[string]bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	db, err := queue.OpenDB(ctx, address)
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.Query(ctx, "SELECT guid FROM delivery")
	require.NoError(t, err)
	defer rows.Close()
	found := map[string]bool{}
	for rows.Next() {
		var id string
		require.NoError(t, rows.Scan(&id))
		found[id] = true
	}
	require.NoError(t, rows.Err())
	return found
}

func databaseIn(folder string) string { return "sqlite:" + filepath.Join(folder, "bench.db") }
