package confine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// rest is a duration that no other program sleeps for, by which to find the
// processes of a test.
func rest() string { return fmt.Sprintf("%d.%d", 1000+rand.IntN(1000), rand.Uint32()) }

func TestKillEndsWhateverAnAgentLeaves(t *testing.T) {
	tried := ways
	if !testkit.IsComplete() {
		tried = []way{ways[0], ways[len(ways)-1]}
	}
	for name, script := range map[string]string{
		"a child in the background":                `sleep %[1]s & echo ready; wait`,
		"a daemon in a session of its own":         `setsid sleep %[1]s & echo ready`,
		"a daemon by double fork":                  `(setsid sh -c 'sleep %[1]s & sleep %[1]s' &) ; echo ready`,
		"a daemon that has shed its environment":   `(setsid env -i sleep %[1]s &) ; echo ready`,
		"a process that ignores signals":           `trap '' TERM HUP INT; sleep %[1]s & echo ready; wait; sleep %[1]s`,
		"a daemon that ignores signals":            `(setsid sh -c "trap '' TERM HUP INT; sleep %[1]s; sleep %[1]s" &) ; echo ready`,
		"a process that is started again for ever": `(while :; do setsid sleep %[1]s; done &) ; echo ready; sleep %[1]s`,
		"processes that stop themselves":           `sh -c 'kill -STOP $$; sleep %[1]s' & echo ready; sleep %[1]s`,
	} {
		// Not in parallel: what has shed its mark is seen in every space.
		t.Run(name, func(t *testing.T) {
			inWays(t, tried, func(t *testing.T, s *confine.Space) {
				word := rest()
				startUntilLine(t.Context(), t, s, shell(fmt.Sprintf(script, word)))
				require.NoError(t, s.Kill(t.Context()))
				left, err := s.Processes()
				require.NoError(t, err)
				assert.Empty(t, left)
				assert.Zero(t, running(t, word), "processes found by their arguments")
				assert.Equal(t, []string{"still usable"}, run(t, s, shell("echo still usable")))
			})
		})
	}
}

func TestKillEndsAProcessThatHidesFromOthers(t *testing.T) {
	inEveryWay(t, func(t *testing.T, s *confine.Space) {
		p, line := startUntilLine(t.Context(), t, s, role(t, s, "unreadable"))
		require.Equal(t, "yes", line)
		require.NoError(t, s.Kill(t.Context()))
		require.ErrorContains(t, p.Wait(), "killed")
	})
}

func TestKillEndsAForkBomb(t *testing.T) {
	const bomb = `
import os
print("ready", flush=True)
while True:
    try: os.fork()
    except OSError: pass`
	testkit.NeedComplete(t)
	requirePython(t)
	s := ways[0].open(t)
	limits := strings.Join(run(t, s, shell("cat /proc/self/limits")), "\n")
	require.Regexp(t, `Max processes +2048 +2048`, limits, "without its limit a bomb takes the machine down")
	startUntilLine(t.Context(), t, s, confine.Command{Path: python, Args: []string{"-c", bomb}})
	require.Eventually(t, func() bool { return len(pids(t, s)) > 100 }, 10*time.Second, time.Millisecond, "the bomb goes off")
	started := time.Now()
	require.NoError(t, s.Kill(t.Context()))
	t.Log("ended in", time.Since(started))
}

func TestKillKeepsWhatItIsToldTo(t *testing.T) {
	inEveryWay(t, func(t *testing.T, s *confine.Space) {
		word, left := rest(), rest()
		startUntilLine(t.Context(), t, s, shell("sleep "+word+" & echo ready; wait"))
		server, err := s.Processes()
		require.NoError(t, err)
		require.Len(t, server, 2)
		startUntilLine(t.Context(), t, s, shell("setsid sleep "+left+" & echo ready"))

		require.NoError(t, s.Kill(t.Context(), server...))
		assert.Zero(t, running(t, left))
		assert.ElementsMatch(t, pids(t, s), []int{server[0].PID, server[1].PID})
	})
}

func pids(t *testing.T, s *confine.Space) []int {
	entries, err := s.Processes()
	require.NoError(t, err)
	var pids []int
	for _, e := range entries {
		pids = append(pids, e.PID)
	}
	return pids
}

func TestKillSaysWhatIsLeftWhenItsTimeIsUp(t *testing.T) {
	s := ways[len(ways)-1].open(t)
	startUntilLine(t.Context(), t, s, shell("echo ready; sleep 1000"))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("out of patience"))
	require.ErrorContains(t, s.Kill(ctx), "out of patience")
}

func TestKillLeavesOtherSpacesAndChildrenAlone(t *testing.T) {
	for _, w := range ways[2:] {
		t.Run(w.name, func(t *testing.T) {
			mine, other := w.open(t), w.open(t)
			kept, line := startUntilLine(t.Context(), t, other, shell("echo ready; exec sleep 1000"))
			require.Equal(t, "ready", line)
			child := exec.Command("/bin/sh", "-c", "exec sleep 1000")
			require.NoError(t, child.Start())
			defer func() { _ = child.Wait() }()

			startUntilLine(t.Context(), t, mine, shell("(setsid env -i sleep 1000 &); echo ready"))
			require.NoError(t, mine.Kill(t.Context()))

			select {
			case <-kept.Done():
				t.Error("the other space's process has ended")
			default:
			}
			require.NoError(t, child.Process.Signal(syscall.Signal(0)), "our own child has ended")
			require.NoError(t, child.Process.Kill())
		})
	}
}

func TestAContextsEndStopsTheWholeGroup(t *testing.T) {
	for name, script := range map[string]string{
		"a group that ends when told":     `sleep %[1]s & echo ready; wait`,
		"a group that ignores SIGTERM":    `trap '' TERM; sleep %[1]s & echo ready; wait`,
		"a group whose leader goes first": `(trap '' TERM; echo ready; sleep %[1]s; sleep %[1]s) & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ways[len(ways)-1].open(t)
			word := rest()
			ctx, cancel := context.WithCancelCause(t.Context())
			p, _ := startUntilLine(ctx, t, s, shell(fmt.Sprintf(script, word)))
			reason := errors.New("the attempt's time is up")
			cancel(reason)
			require.ErrorIs(t, p.Wait(), reason)
			assert.Zero(t, running(t, word))
		})
	}
}

func TestAContextsEndStopsAnotherUsersProcess(t *testing.T) {
	s := ways[0].open(t)
	ctx, cancel := context.WithCancel(t.Context())
	p, _ := startUntilLine(ctx, t, s, shell("echo ready; exec sleep 1000"))
	cancel()
	require.ErrorIs(t, p.Wait(), context.Canceled)
}

func TestWaitDoesNotWaitForThoseWhoHoldThePipes(t *testing.T) {
	s := ways[len(ways)-1].open(t)
	c := shell("sleep 1000 & echo done")
	var out testkit.SyncBuffer
	c.Stdout = &out
	p, err := s.Start(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, p.Wait())
	assert.Equal(t, "done\n", out.String())
}

func TestWaitTellsTheExitStatus(t *testing.T) {
	s := ways[len(ways)-1].open(t)
	p, err := s.Start(t.Context(), shell("exit 7"))
	require.NoError(t, err)
	var exit *exec.ExitError
	require.ErrorAs(t, p.Wait(), &exit)
	assert.Equal(t, 7, exit.ExitCode())
}

func TestZombiesOfDaemonsAreTakenAway(t *testing.T) {
	inEveryWay(t, func(t *testing.T, s *confine.Space) {
		startUntilLine(t.Context(), t, s, shell("(setsid sleep 1000 &); (sleep 0 &); echo ready"))
		require.NoError(t, s.Kill(t.Context()))
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", os.Getpid(), os.Getpid()))
		require.NoError(t, err)
		assert.Empty(t, string(content))
	})
}
