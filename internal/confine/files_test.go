//go:build unix

package confine_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestFilesOfTheAgentsAreTakenIfTheyAreFiles(t *testing.T) {
	folder, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.jsonl")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "rows.jsonl"), []byte("rows"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "large.jsonl"), []byte("too large"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "other.txt"), []byte("not"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "link.jsonl")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(folder, "pipe.jsonl"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "folder.jsonl"), 0o700))
	found := map[string]string{}
	take := func(name string, text []byte) error {
		found[name] = string(text)
		return nil
	}
	wanted := func(name string) bool { return strings.HasSuffix(name, ".jsonl") }
	require.NoError(t, confine.EachFile(folder, ".", 8, wanted, take))
	assert.Equal(t, map[string]string{"rows.jsonl": "rows"}, found)

	clear(found)
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(folder, ".bench")))
	require.NoError(t, os.Symlink("folder.jsonl", filepath.Join(folder, "inside")))
	for _, out := range []string{".bench", "..", filepath.Join("..", filepath.Base(filepath.Dir(outside))), filepath.Dir(outside)} {
		require.NoError(t, confine.EachFile(folder, out, 8, wanted, take), out)
	}
	assert.Empty(t, found, "no link leads out")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "folder.jsonl", "more.jsonl"), []byte("more"), 0o600))
	require.NoError(t, confine.EachFile(folder, "inside", 8, wanted, take))
	assert.Equal(t, map[string]string{"more.jsonl": "more"}, found)

	require.NoError(t, confine.EachFile(filepath.Join(folder, "none"), ".", 8, wanted, take), "there are none")
	require.NoError(t, confine.EachFile(folder, "none", 8, wanted, take), "nor here")
	require.NoError(t, confine.EachFile(folder, "rows.jsonl", 8, wanted, take), "nor in a file")
	err := confine.EachFile(folder, ".", 8, wanted, func(string, []byte) error { return io.ErrShortWrite })
	require.ErrorIs(t, err, io.ErrShortWrite)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}
