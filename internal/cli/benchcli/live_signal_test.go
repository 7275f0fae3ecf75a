package benchcli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestG16ASignalStopsARunOnARepositoryWhichLeavesNothing(t *testing.T) {
	testkit.NeedComplete(t)
	r := newRemote(t)
	cmd := benchIn(t.TempDir(), r.suite("--json", "--script-pause", "50ms")...)
	cmd.Env = os.Environ()
	for name, value := range r.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	events := json.NewDecoder(stdout)
	var steps []string
	signalled := false
	for events.More() {
		var event struct{ Event, Step string }
		require.NoError(t, events.Decode(&event))
		switch {
		case event.Event == "step":
			steps = append(steps, event.Step)
		case event.Event == "row" && !signalled:
			signalled = true
			require.NotEmpty(t, r.left())
			require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		}
	}
	var exit *exec.ExitError
	require.True(t, errors.As(cmd.Wait(), &exit), stderr.String())
	assert.Equal(t, 130, exit.ExitCode())
	assert.Equal(t, []string{"seed", "run", "clean-up"}, steps)
	assert.Contains(t, stderr.String(), "stopped by interrupt")
	assert.Contains(t, stderr.String(), "--target aryeko/ghx-bench-fixtures`")
	assert.Empty(t, r.left())
}
