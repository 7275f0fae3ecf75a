package appcli_test

import (
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// builderOf returns the number of a test's own user bench: what runs as a
// builder is ended when another build begins.
func builderOf(t testing.TB) uint32 {
	const first, count = 20000, 20000
	return first + crc32.ChecksumIEEE(fmt.Append(nil, t.Name(), os.Getpid()))%count
}

// serveBuilding is [world.serve] for a server that builds: everybody can enter
// its folders, as those of the image. As root it needs the user bench; where
// there is none, it sees files of accounts that have one.
func (w *world) serveBuilding(env ...string) *server {
	w.t.Helper()
	require.NoError(w.t, os.Chmod(filepath.Dir(w.folder), 0o755))
	cmd, out := command(append(append(w.env(), "BENCH_APP_ADDR=127.0.0.1:0"), env...), "serve")
	if _, err := user.Lookup("bench"); err != nil && os.Geteuid() == 0 {
		withBuilder(w.t, cmd)
	}
	s := start(w.t, cmd, out)
	w.servers = append(w.servers, s)
	w.hook(s)
	return s
}

// withBuilder has a command see the user bench, by a mount of its own.
func withBuilder(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	folder, script, id := t.TempDir(), "", builderOf(t)
	for file, line := range map[string]string{
		"/etc/passwd": fmt.Sprintf("bench:x:%d:%[1]d::/nonexistent:/bin/sh\n", id),
		"/etc/group":  fmt.Sprintf("bench:x:%d:\n", id),
	} {
		was, err := os.ReadFile(file)
		require.NoError(t, err)
		ours := filepath.Join(folder, filepath.Base(file))
		require.NoError(t, os.WriteFile(ours, append(was, line...), 0o644))
		script += fmt.Sprintf("mount --bind %s %s && ", ours, file)
	}
	unshare, err := exec.LookPath("unshare")
	if err == nil {
		err = exec.CommandContext(t.Context(), unshare, "-m", "/bin/sh", "-c", script+"id bench").Run()
	}
	if err != nil {
		t.Skipf("NOT TESTED: as root a build needs the user bench, which the image has: %v", err)
	}
	cmd.Args = append([]string{unshare, "-m", "/bin/sh", "-c", script + `exec "$@"`, "sh", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = unshare
}
