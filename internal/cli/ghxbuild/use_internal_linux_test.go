package ghxbuild

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// pnpm gives files of its store further names.
func TestAFileWithSeveralNamesTakesTheDiskOnce(t *testing.T) {
	const size = 1 << 20
	folder := t.TempDir()
	file := filepath.Join(folder, "a")
	require.NoError(t, os.WriteFile(file, make([]byte, size), 0o600))
	require.NoError(t, os.Link(file, filepath.Join(folder, "b")))
	assert.InDelta(t, size, diskOf([]string{folder}, nil), size/2)
	require.NoError(t, os.Link(file, filepath.Join(folder, "c")))
	require.NoError(t, os.Symlink(file, filepath.Join(folder, "d")))
	assert.InDelta(t, size, diskOf([]string{folder, filepath.Join(folder, "gone")}, nil), size/2)
	// What is no more than its size takes nothing.
	require.NoError(t, os.Truncate(file, 1<<40))
	assert.InDelta(t, size, diskOf([]string{folder}, nil), size/2)

	// A build that ends is not waited for.
	ended := make(chan struct{})
	close(ended)
	assert.Zero(t, diskOf([]string{folder}, ended))
}

func TestAContainerHasNoMoreMemoryThanItsLimit(t *testing.T) {
	const has = 100
	for name, c := range map[string]struct {
		limits []string
		want   int64
	}{
		"none that is known": {[]string{"", ""}, has},
		"none":               {[]string{"max\n", ""}, has},
		"less":               {[]string{"", "40\n"}, 40},
		"more":               {[]string{"9223372036854771712\n"}, has},
		"what is no limit":   {[]string{"0\n", "-1\n"}, has},
	} {
		assert.Equal(t, c.want, leastOf(has, c.limits), name)
	}
}

func TestTheMemoryOfABuildIsThatOfItsProcesses(t *testing.T) {
	own := &Builder{}
	group, err := unix.Getpgid(0)
	require.NoError(t, err)
	assert.Positive(t, own.memoryOf(group))
	assert.Zero(t, own.memoryOf(-1), "others do not count")
	assert.Zero(t, (&Builder{User: &syscall.Credential{Uid: 59252}}).memoryOf(group))
	assert.Positive(t, (&Builder{User: &syscall.Credential{Uid: uint32(os.Getuid())}}).memoryOf(-1))
}
