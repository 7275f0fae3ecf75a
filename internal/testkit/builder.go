package testkit

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

// BuilderOf returns the number of a test's own user bench: what runs as a
// builder is ended when another build begins.
func BuilderOf(t testing.TB) uint32 {
	const first, count = 20000, 20000
	return first + crc32.ChecksumIEEE(fmt.Append(nil, t.Name(), os.Getpid()))%count
}

// Builder has a command that builds, which as root is done as the user bench, see a
// user bench of its test's own, by a mount of its own. Where there is no such mount
// the test is skipped; where the machine has that user it is shared by all.
func Builder(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if _, err := user.Lookup("bench"); err == nil || os.Geteuid() != 0 {
		return
	}
	folder, script, id := t.TempDir(), "", BuilderOf(t)
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
		err = exec.CommandContext(t.Context(), unshare, "-m", "bash", "-c", script+"id bench").Run() //nolint:gosec // of the test's own
	}
	if err != nil {
		t.Skipf("NOT TESTED: as root a build needs the user bench, which the image has: %v", err)
	}
	cmd.Args = append([]string{unshare, "-m", "bash", "-c", script + `exec "$@"`, "sh", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = unshare
}
