package ghxbuild

import (
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

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
		"next to nothing":    {[]string{"1\n"}, 1},
		"more":               {[]string{"9223372036854771712\n"}, has},
		"what is no limit":   {[]string{"0\n", "-1\n"}, has},
	} {
		assert.Equal(t, c.want, leastOf(has, c.limits), name)
	}
}

func TestTheMemoryOfASystemIsWhatItsContainerMayUse(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"of a machine":                       {},
		"of a container":                     {"sys/fs/cgroup/memory.max": "max\n"},
		"of a container with a limit":        {"sys/fs/cgroup/memory.max": "4096\n"},
		"of an older container with a limit": {"sys/fs/cgroup/memory/memory.limit_in_bytes": "4096\n"},
	} {
		system := fstest.MapFS{"proc/meminfo": {Data: []byte("MemFree: 1 kB\nMemTotal:       8 kB\n")}}
		want := int64(8192)
		for file, text := range files {
			system[file] = &fstest.MapFile{Data: []byte(text)}
			if text != "max\n" {
				want = 4096
			}
		}
		assert.Equal(t, want, memoryOfSystem(system), name)
	}
}

// Files without content fill a disk, too.
func TestADiskIsFullWhereItHasRoomForNoMoreFiles(t *testing.T) {
	for name, c := range map[string]struct {
		files, left uint64
		want        int64
	}{
		"more files than bytes":        {1000, 900, 50 << 10},
		"fewer files than bytes":       {1000, 10, 1 << 10},
		"no more files":                {1000, 0, 0},
		"files as there are bytes":     {0, 0, 50 << 10},
		"more left than it may have":   {1000, 1 << 40, 50 << 10},
		"as many as there are numbers": {math.MaxUint64, math.MaxUint64, 50 << 10},
	} {
		assert.Equal(t, c.want, freeOf(unix.Statfs_t{Bsize: 1 << 10, Blocks: 100, Bavail: 50, Files: c.files, Ffree: c.left}), name)
	}
}

// It is looked anew at what a build has written, however little that is of the disk, before
// it is told.
func TestWhatIsToldOfABuildsDiskIsWhatItHasWritten(t *testing.T) {
	const size = 1 << 20
	b := &Builder{Home: t.TempDir()}
	write := func(name string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(b.Home, name), make([]byte, size), 0o600))
	}
	write("a")
	h := &held{}
	h.bounds, _ = Bounds{Disk: math.MaxInt64}.settled(0, 0)
	done := make(chan struct{})
	defer close(done)
	look := b.meter(h, -1, done)
	until := func(least int64) {
		t.Helper()
		for begun := time.Now(); look(false).disk < least; {
			require.Less(t, time.Since(begun), 10*time.Second)
		}
	}
	until(size)
	write("b")
	look(true)
	until(2 * size)
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
