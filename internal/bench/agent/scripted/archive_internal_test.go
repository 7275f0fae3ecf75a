package scripted

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// zipped makes an archive of files that are so many bytes long.
func zipped(t *testing.T, files map[string]int) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for name, size := range files {
		file, err := archive.Create(name)
		require.NoError(t, err)
		_, err = file.Write(bytes.Repeat([]byte("x"), size))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	return out.Bytes()
}

func TestArchivesOfLogsAreReadAsTexts(t *testing.T) {
	files, is := unzipped(zipped(t, map[string]int{"test/1_Run tests.txt": 3, "0_test.txt": 4}))
	assert.True(t, is)
	assert.Equal(t, map[string]any{"test/1_Run tests.txt": "xxx", "0_test.txt": "xxxx"}, files)

	_, is = unzipped([]byte("no archive"))
	assert.False(t, is)
}

func TestArchivesDoNotUnpackToMoreThanIsBearable(t *testing.T) {
	files, is := unzipped(zipped(t, map[string]int{"bomb.txt": maxUnzipped + 1}))
	assert.True(t, is)
	assert.Empty(t, files)
}
