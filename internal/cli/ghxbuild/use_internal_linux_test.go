package ghxbuild

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pnpm gives files of its store further names.
func TestAFileWithSeveralNamesTakesTheDiskOnce(t *testing.T) {
	const size = 1 << 20
	folder := t.TempDir()
	file := filepath.Join(folder, "a")
	require.NoError(t, os.WriteFile(file, make([]byte, size), 0o600))
	for _, name := range []string{"b", "c"} {
		require.NoError(t, os.Link(file, filepath.Join(folder, name)))
	}
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
