package gitstore_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// Large files of which compressing makes little are written as they are, which is
// quicker; all else is compressed. Either way it comes back as it was.
func TestLargeFilesInPacks(t *testing.T) {
	const size = 4 << 20
	noise := make([]byte, size)
	random := rand.NewChaCha8([32]byte{1})
	_, err := random.Read(noise)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		content     []byte
		least, most int
	}{
		"noise":       {noise, size, size + size/100},
		"text":        {[]byte(strings.Repeat("a line of a text\n", size/17)), 0, size / 50},
		"small noise": {noise[:1000], 1000, 1200},
	} {
		s := gitstore.New()
		blob, err := s.WriteBlob(c.content)
		require.NoError(t, err, name)
		var pack bytes.Buffer
		require.NoError(t, s.WritePack(&pack), name)
		assert.GreaterOrEqual(t, pack.Len(), c.least, name)
		assert.LessOrEqual(t, pack.Len(), c.most, name)
		back := gitstore.New()
		require.NoError(t, back.ReadPack(&pack), name)
		got, err := back.Blob(blob)
		require.NoError(t, err, name)
		assert.True(t, bytes.Equal(c.content, got), name)
	}
}
