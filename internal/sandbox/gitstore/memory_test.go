package gitstore_test

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// allocated is how many bytes of memory an act takes in all, those that are free again
// included.
func allocated(act func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	act()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// Reading a packfile takes the memory that its objects need, and writing one next to
// none: a repository may be as large as half of what a machine has.
func TestMemoryOfPacks(t *testing.T) {
	const files, size = 8, 4 << 20
	s := gitstore.New()
	random := rand.NewChaCha8([32]byte{1})
	for range files {
		content := make([]byte, size)
		_, err := random.Read(content)
		require.NoError(t, err)
		_, err = s.WriteBlob(content)
		require.NoError(t, err)
	}
	path := filepath.Join(t.TempDir(), "pack")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	assert.Less(t, allocated(func() { require.NoError(t, s.WritePack(file)) }), 4<<20)
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	back := gitstore.New()
	assert.Less(t, allocated(func() { require.NoError(t, back.ReadPack(file)) }), files*(size+2<<20))
	added, _ := back.Since(s.Objects())
	assert.Zero(t, added)
}
