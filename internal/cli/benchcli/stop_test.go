package benchcli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// killings is how often a run is killed, each time at a random moment of
// another part of its first moments.
const killings, moments = 20, 600 * time.Millisecond

// benchIn runs the program in a folder of its own.
func benchIn(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("bench", args...)
	cmd.Dir = dir
	return cmd
}

// short are the flags of a run that takes a moment only: 12 cells.
func short(more ...string) []string {
	return append([]string{"verify", "--repetitions", "3", "--script-pause", "5ms"}, more...)
}

func TestN1ARunKilledAtAnyMomentGoesOnWithEveryCellOnce(t *testing.T) {
	testkit.NeedComplete(t)
	for i := range killings {
		t.Run(fmt.Sprintf("killing %d", i), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			const part = moments / killings
			killAfter(t, benchIn(dir, short()...), time.Duration(i)*part+rand.N(part))
			out, err := benchIn(dir, short("--resume")...).CombinedOutput()
			if strings.Contains(string(out), "no run") {
				// It was killed before it had begun.
				out, err = benchIn(dir, short()...).CombinedOutput()
			}
			requireVerdict(t, err, out)
			assertEveryCellOnce(t, dir)
		})
	}
}

// requireVerdict fails unless a command ended with a verdict. With pauses this
// short the verdict may be either.
func requireVerdict(t *testing.T, err error, out []byte) {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		require.NoError(t, err, "%s", out)
	}
}

// killAfter starts a command and kills it, if it has not ended by then.
func killAfter(t *testing.T, cmd *exec.Cmd, after time.Duration) {
	t.Helper()
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(after, func() {
		// It may have ended already, which is a moment too.
		_ = cmd.Process.Kill()
	})
	defer timer.Stop()
	_ = cmd.Wait()
}

func assertEveryCellOnce(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".bench", "*", "*-suite.jsonl"))
	require.NoError(t, err)
	seen := map[bench.Cell]int{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, bytes.HasSuffix(data, []byte("\n")), "%s ends in the middle of a line", file)
		for line := range strings.Lines(string(data)) {
			var row bench.Row
			require.NoError(t, json.Unmarshal([]byte(line), &row), "%s: %s", file, line)
			seen[row.Cell()]++
		}
	}
	assert.Len(t, seen, 12)
	for cell, times := range seen {
		assert.Equal(t, 1, times, "cell %s", cell)
	}
}

func TestG16ASignalStopsCleanly(t *testing.T) {
	testkit.NeedComplete(t)
	for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := benchIn(dir, short("--json", "--script-pause", "50ms")...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			events := json.NewDecoder(stdout)
			for {
				var event struct{ Event string }
				require.NoError(t, events.Decode(&event))
				if event.Event == "row" {
					break
				}
			}
			require.NoError(t, cmd.Process.Signal(signal))
			for events.More() {
				var event json.RawMessage
				require.NoError(t, events.Decode(&event))
			}
			var exit *exec.ExitError
			require.ErrorAs(t, cmd.Wait(), &exit)
			assert.Equal(t, code, exit.ExitCode())
			assert.Contains(t, stderr.String(), "stopped by "+signal.String())
			assert.Regexp(t, "of 12 cells have their row, cells under way are not recorded; go on with `bench verify --resume=", stderr.String())

			out, err := benchIn(dir, short("--resume", "--script-pause", "50ms")...).CombinedOutput()
			requireVerdict(t, err, out)
			assertEveryCellOnce(t, dir)
		})
	}
}
