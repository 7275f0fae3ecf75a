package state_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestWriteIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "f.json")
	require.NoError(t, state.WriteJSON(path, map[string]string{"a": "<b>"}))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "{\n  \"a\": \"<b>\"\n}\n", string(data))
	before, err := os.Open(path)
	require.NoError(t, err)
	defer before.Close()

	require.NoError(t, state.Write(path, []byte("new")))
	old := make([]byte, len(data))
	_, err = before.ReadAt(old, 0)
	require.NoError(t, err)
	assert.Equal(t, data, old, "a reader of the old file is not disturbed")

	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left beside the file")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode())
}

func TestAWriteThatFailsLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	require.NoError(t, os.Mkdir(path, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(path, "x"), nil, 0o600))
	err := state.Write(path, []byte("new"))
	require.Error(t, err)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestReadJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.json")
	var v struct{ A int }
	found, err := state.ReadJSON(path, &v)
	require.NoError(t, err)
	assert.False(t, found)
	for text, place := range map[string]string{"{\n\"a\": 1,\n}": path + ":3", "{\n\"a\": \"x\"}": path + ":2", "": path + ":1"} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err = state.ReadJSON(path, &v)
		require.ErrorContains(t, err, place)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}

func TestOnlyFoldersThatWeMadeArePruned(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"job-1", "job-2"} {
		require.NoError(t, state.Make(filepath.Join(dir, name), "job"))
	}
	require.NoError(t, state.Make(filepath.Join(dir, "other"), "something else"))
	theirs := filepath.Join(dir, "train", "precious")
	require.NoError(t, os.MkdirAll(theirs, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	outside := t.TempDir()
	require.NoError(t, state.Make(filepath.Join(outside, "job-3"), "job"))
	require.NoError(t, os.Symlink(filepath.Join(outside, "job-3"), filepath.Join(dir, "link")))

	require.NoError(t, state.Prune(dir, "job", "job-2"))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{"file", "job-2", "link", "other", "train"}, names)
	assert.DirExists(t, theirs)
	assert.True(t, state.Ours(filepath.Join(outside, "job-3"), "job"), "what a link leads to is not ours to remove")
	assert.False(t, state.Ours(filepath.Join(dir, "link"), "job"))
	require.NoError(t, state.Prune(filepath.Join(dir, "missing"), "job"))
}

func TestAFolderInUseIsNotPruned(t *testing.T) {
	dir := t.TempDir()
	end, err := state.Begin(filepath.Join(dir, "job-1"), "job")
	require.NoError(t, err)
	require.NoError(t, state.Prune(dir, "job"))
	assert.True(t, state.Ours(filepath.Join(dir, "job-1"), "job"))
	end()
	require.NoError(t, state.Prune(dir, "job"))
	assert.NoDirExists(t, filepath.Join(dir, "job-1"))
	_, err = state.Begin(dir, "job")
	require.ErrorIs(t, err, os.ErrExist)
}

func TestMakeRefusesAFolderThatIsThere(t *testing.T) {
	require.ErrorIs(t, state.Make(t.TempDir(), "job"), os.ErrExist)
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "locks", "l")
	release, err := state.Lock(path, "run 1 (process 7)")
	require.NoError(t, err)
	_, err = state.Lock(path, "run 2")
	require.ErrorContains(t, err, "in use by run 1 (process 7)")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	release()
	release, err = state.Lock(path, "run 3")
	require.NoError(t, err)
	release()
}

// lockVariable has a process of the test hold the lock that it names.
const lockVariable = "STATE_TEST_LOCK"

func TestMain(m *testing.M) {
	path := os.Getenv(lockVariable)
	if path == "" {
		os.Exit(m.Run())
	}
	if _, err := state.Lock(path, "another process"); err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("locked\n")
	// Until the test is done with it.
	_, _ = os.Stdin.Read(make([]byte, 1))
}

func TestLockIsForAllProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), lockVariable+"="+path)
	in, err := holder.StdinPipe()
	require.NoError(t, err)
	out, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	said := make([]byte, len("locked\n"))
	_, err = out.Read(said)
	require.NoError(t, err)
	_, err = state.Lock(path, "we")
	require.ErrorContains(t, err, "another process")
	require.NoError(t, errors.Join(in.Close(), holder.Wait()))
	release, err := state.Lock(path, "we")
	require.NoError(t, err, "a process that has ended holds no lock")
	release()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "we", strings.TrimSpace(string(data)))
}
