package gitstore_test

import (
	"bytes"
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
// none: a copy of a single object would go beyond either limit. What is allowed beside,
// 2.3 MB (2.5 MB under the race detector), does not grow with objects.
func TestMemoryOfPacks(t *testing.T) {
	const files, size = 2, 8 << 20
	s := gitstore.New()
	random := rand.NewChaCha8([32]byte{1})
	for range files {
		content := make([]byte, size)
		_, err := random.Read(content)
		require.NoError(t, err)
		_, err = s.WriteBlob(content)
		require.NoError(t, err)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "pack"))
	require.NoError(t, err)
	defer file.Close()
	var index bytes.Buffer
	wrote := allocated(func() { require.NoError(t, s.WritePackSince(file, &index, gitstore.Objects{})) })
	assert.Less(t, wrote, size)
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	back := gitstore.New()
	read := allocated(func() { require.NoError(t, back.ReadPack(file)) })
	assert.Less(t, read, (files+1)*size)
	t.Logf("%d bytes to write, %d beside the objects to read", wrote, read-files*size)
	added, _ := back.Since(s.Objects())
	assert.Zero(t, added)
}
