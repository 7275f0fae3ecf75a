// Package dbtest gives tests a database of their own: SQLite always, and
// PostgreSQL where there is one.
//
// PostgreSQL is the server that BENCH_DATABASE_URL names, whose user may create
// databases, or else a server that is started for the tests if its programs are
// installed. Where there is neither, the tests say loudly what is not tested.
package dbtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

// variable names the server that tests may use.
const variable = "BENCH_DATABASE_URL"

// Main runs a package's tests and then ends the server that they started. It
// is what TestMain of a package with [Each] or [Postgres] calls.
func Main(m *testing.M) int {
	testkit.CollectLess()
	defer func() {
		if began.Load() && shared().stop != nil {
			shared().stop()
		}
	}()
	return m.Run()
}

// Each runs a test on both databases, in parallel with each other and with
// other tests; address is that of an empty one.
func Each(t *testing.T, test func(t *testing.T, address string)) {
	t.Parallel()
	for name, database := range map[string]func(testing.TB) string{"SQLite": SQLite, "PostgreSQL": Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, database(t))
		})
	}
}

// SQLite returns the address of a file that does not exist yet.
func SQLite(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "bench.db") }

// Postgres returns the address of an empty database. The test is skipped,
// loudly, if there is no server, and where `go test` is to be quick.
func Postgres(t testing.TB) string {
	t.Helper()
	testkit.NeedComplete(t)
	s := shared()
	if s.missing {
		t.Skip("NOT TESTED: PostgreSQL: set " + variable + " to a server, or install one (Debian: postgresql)")
	}
	require.NoError(t, s.err)
	name := "bench_" + strings.ToLower(rand.Text())
	run(t, s.address, "CREATE DATABASE "+name)
	t.Cleanup(func() { run(t, s.address, "DROP DATABASE "+name+" WITH (FORCE)") })
	at, err := url.Parse(s.address)
	require.NoError(t, err)
	at.Path = "/" + name
	return at.String()
}

func run(t testing.TB, address, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	require.NoError(t, err)
	_, err = conn.Exec(ctx, statement)
	require.NoError(t, err)
	require.NoError(t, conn.Close(ctx))
}

// server is where databases are made.
type server struct {
	address string
	missing bool
	err     error
	// stop ends the server; nil if it is not ours.
	stop func()
}

// began is true once a test asked for the server.
var began atomic.Bool

// shared returns the server of this test binary, and starts it the first time.
var shared = sync.OnceValue(func() server {
	began.Store(true)
	if address := os.Getenv(variable); address != "" {
		return server{address: address}
	}
	programs := installed()
	if programs == "" {
		return server{missing: true}
	}
	return start(programs)
})

// installed returns the folder of PostgreSQL's programs, empty if there is
// none. Debian keeps them out of PATH, in a folder for each version.
func installed() string {
	if found, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(found)
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return ""
	}
	return filepath.Dir(slices.Max(found))
}

// start starts a server that listens on a socket in a folder of its own.
// PostgreSQL refuses to run as root, so it becomes somebody else then.
func start(programs string) server {
	folder, err := os.MkdirTemp("", "bench-postgres-")
	if err != nil {
		return server{err: err}
	}
	remove := func() { _ = os.RemoveAll(folder) } // a temporary folder
	become, err := unprivileged(folder)
	if err != nil {
		remove()
		return server{err: err}
	}
	data := filepath.Join(folder, "data")
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(context.Background(), filepath.Join(programs, name), args...) //nolint:gosec // a program of PostgreSQL's
		cmd.SysProcAttr, cmd.Dir = become, folder
		return cmd
	}
	if out, err := command("initdb", "-D", data, "-U", "bench", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C").CombinedOutput(); err != nil {
		remove()
		return server{err: fmt.Errorf("initdb: %w: %s", err, out)}
	}
	postgres := command("postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off")
	if err := postgres.Start(); err != nil {
		remove()
		return server{err: err}
	}
	s := server{address: "postgres:///postgres?user=bench&host=" + url.QueryEscape(folder)}
	s.stop = func() {
		_ = postgres.Process.Signal(syscall.SIGQUIT) // at once, the data is not needed
		_ = postgres.Wait()
		remove()
	}
	s.err = ready(s.address)
	return s
}

// ready waits until the server answers.
func ready(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, address)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// unprivileged returns how a process becomes another user where we are root,
// and gives that user the folder.
func unprivileged(folder string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}, nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(nobody.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(nobody.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(folder, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}
