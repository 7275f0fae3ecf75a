package terminalbench_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/terminalbench"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestAHungRunIsEnded(t *testing.T) {
	const hang = `trap '' TERM; setsid sleep 1000 & echo $! >grandchild; passed cobol
mkdir $job/chess__y; echo '{"task": {"path": "/t/chess"}}' >$job/chess__y/config.json; while :; do sleep 1; done`
	gone := func(t *testing.T, r *rig) {
		t.Helper()
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(r.file(t, "grandchild")) + "/stat")
		assert.True(t, err != nil || strings.Contains(string(stat), ") Z "), "what it has started is gone too")
	}
	over := make(chan time.Time)
	close(over)
	t.Run("at its deadline, after 60 s for its sandboxes", func(t *testing.T) {
		r := newRig(t, hang)
		deadline := make(chan time.Time)
		var graces []time.Duration
		r.After = func(d time.Duration) <-chan time.Time {
			if d == 3060*time.Second {
				return deadline
			}
			graces = append(graces, d)
			return over
		}
		r.Host.Observe = sync.OnceValue(func() func(harness.Progress) {
			return func(p harness.Progress) {
				if p.TaskID == "cobol" {
					close(deadline)
				}
			}
		})()
		results, err := r.run(t, []string{"cobol", "chess", "third"})
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["cobol"], "what is there when the time is over counts")
		for _, id := range []string{"chess", "third"} {
			assert.Equal(t, harness.Timeout, results[id].Status)
			assert.Contains(t, results[id].Reason, "after 51m0s")
		}
		assert.Equal(t, []time.Duration{60 * time.Second}, graces)
		gone(t, r)
	})
	t.Run("when its caller has enough", func(t *testing.T) {
		r := newRig(t, hang)
		r.Grace = time.Nanosecond
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		r.Host.Observe = func(harness.Progress) { cancel(why) }
		runner, err := terminalbench.New(r.Options)
		require.NoError(t, err)
		_, err = runner.Run(ctx, nil)
		require.ErrorIs(t, err, why)
		gone(t, r)
	})
	t.Run("a harbor that listens leaves what it cancels", func(t *testing.T) {
		r := newRig(t, `trap 'trial chess__y "$(cat cancelled)"; exit 130' TERM; passed cobol; while :; do sleep 0.01; done`)
		cancelled, err := filepath.Glob(recorded(t) + "/agent-cancelled__*/result.json")
		require.NoError(t, err)
		data, err := os.ReadFile(cancelled[0])
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(r.Host.Dir, "cancelled"), bytes.ReplaceAll(data, []byte("agent-cancelled"), []byte("chess")), 0o600))
		deadline := make(chan time.Time)
		r.After = func(d time.Duration) <-chan time.Time {
			if d == 3060*time.Second {
				return deadline
			}
			return nil
		}
		once := sync.OnceFunc(func() { close(deadline) })
		r.Host.Observe = func(harness.Progress) { once() }
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Timeout, results["chess"].Status)
		assert.Equal(t, harness.Reward(1), results["cobol"])
	})
}

// 600 trials are read in less than 100 ms, and 1,000 in less than the 200 ms
// that may be ours of a run.
func TestReadingManyTrials(t *testing.T) {
	testkit.NeedComplete(t)
	if testkit.RaceDetector {
		t.Skip("the race detector costs more than what is measured")
	}
	one, err := filepath.Glob(recorded(t) + "/agent-slow__*/result.json")
	require.NoError(t, err)
	shape, err := os.ReadFile(one[0])
	require.NoError(t, err)
	r := newRig(t, "")
	r.Host.Observe = nil
	var ids []string
	for _, test := range []struct {
		trials int
		most   time.Duration
	}{{600, 100 * time.Millisecond}, {1000, 200 * time.Millisecond}} {
		for i := len(ids); i < test.trials; i++ {
			ids = append(ids, fmt.Sprintf("task-%d", i))
			dir := filepath.Join(r.Host.Dir, "job", ids[i]+"__abcdefg")
			require.NoError(t, os.MkdirAll(dir, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "result.json"), bytes.ReplaceAll(shape, []byte("agent-slow"), []byte(ids[i])), 0o600))
		}
		least := time.Hour
		for range 5 {
			took, results := terminalbench.TimeToRead(t, r.Options, filepath.Join(r.Host.Dir, "job"), ids)
			require.Equal(t, test.trials, results.Count(harness.Scored))
			least = min(least, took)
		}
		assert.Less(t, least, testkit.TimeLimit(test.most))
		t.Logf("%s for %d trials of %d bytes", least, test.trials, len(shape))
	}
}
