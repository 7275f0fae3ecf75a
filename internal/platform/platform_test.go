package platform_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/platform"
)

func TestOneAtATimeHasALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		require.NoError(t, err)
		t.Cleanup(func() { _ = file.Close() })
		return file
	}
	first, second := open(), open()
	require.NoError(t, platform.Lock(first, false))
	require.ErrorIs(t, platform.Lock(second, false), syscall.EWOULDBLOCK)
	_, err := first.WriteString("me")
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err, "who has it can be read")
	assert.Equal(t, "me", string(text))

	got := make(chan error, 1)
	go func() { got <- platform.Lock(second, true) }()
	require.NoError(t, first.Close())
	require.NoError(t, <-got)
}

func TestAProgramIsEnded(t *testing.T) {
	if os.Getenv("BENCH_TEST_WAITS") != "" {
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestAProgramIsEnded$")
	cmd.Env = append(os.Environ(), "BENCH_TEST_WAITS=1")
	cmd.SysProcAttr = platform.GroupLeader(nil)
	require.NoError(t, cmd.Start())
	require.NoError(t, platform.SignalGroup(cmd.Process.Pid, syscall.SIGKILL))
	require.Error(t, cmd.Wait())
	assert.ErrorIs(t, platform.SignalGroup(cmd.Process.Pid, syscall.SIGKILL), syscall.ESRCH)
}

func TestADiskHasRoom(t *testing.T) {
	free, err := platform.Free(t.TempDir())
	require.NoError(t, err)
	assert.Positive(t, free)
	_, err = platform.Free(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
