package birdinteract_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/birdinteract"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestAHungRunIsEnded(t *testing.T) {
	const hang = `trap '' TERM; setsid sleep 1000 & echo $! >fake/grandchild
echo '{"results": [{"task_id": "alien_1", "total_reward": 1.0}]}' >"$OUTPUT"; while :; do sleep 1; done`
	gone := func(t *testing.T, r *rig) {
		t.Helper()
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(r.file(t, r.adk, "fake", "grandchild")) + "/stat")
		assert.True(t, err != nil || strings.Contains(string(stat), ") Z "), "what it has started is gone too")
		r.stopped(t)
	}
	t.Run("at its deadline, with services that do not listen", func(t *testing.T) {
		r := newRig(t, hang)
		for _, module := range []string{agentModule, userModule, dbModule} {
			r.write(t, "fake/"+module+".stubborn", "")
		}
		deadline, over := make(chan time.Time), make(chan time.Time)
		close(over)
		var mu sync.Mutex
		graces := map[time.Duration]int{}
		r.After = func(d time.Duration) <-chan time.Time {
			mu.Lock()
			defer mu.Unlock()
			if d == 2100*time.Second {
				return deadline
			}
			graces[d]++
			return over
		}
		once := sync.OnceFunc(func() { close(deadline) })
		r.Host.Observe = func(harness.Progress) { once() }
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["alien_1"], "what is there when the time is over counts")
		for _, id := range []string{"alien_2", "robot_1"} {
			assert.Equal(t, harness.Timeout, results[id].Status)
			assert.Contains(t, results[id].Reason, "after 35m0s")
		}
		assert.Equal(t, map[time.Duration]int{60 * time.Second: 1, 10 * time.Second: 3}, graces, "70 s in all: the services are stopped at once")
		gone(t, r)
	})
	t.Run("when its caller has enough", func(t *testing.T) {
		r := newRig(t, hang)
		r.Grace = time.Nanosecond
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		r.Host.Observe = func(harness.Progress) { cancel(why) }
		runner, err := birdinteract.New(r.Options)
		require.NoError(t, err)
		_, err = runner.Run(ctx, nil)
		require.ErrorIs(t, err, why)
		gone(t, r)
	})
}

// What is ours of a run of 1,000 tasks takes less than 100 ms of the processor more than
// one of a single task, which starts services too.
func TestOverheadOfAThousandTasks(t *testing.T) {
	testkit.NeedComplete(t)
	if testkit.RaceDetector {
		t.Skip("the race detector costs more than what is measured")
	}
	var tasks, results []string
	for i := range 1000 {
		tasks = append(tasks, fmt.Sprintf(`{"instance_id": "t%d", "sol_sql": ["SELECT 1"]}`, i))
		results = append(results, fmt.Sprintf(`{"task_id": "t%d", "instance_id": "t%d", "total_reward": 1.0, "dialogue_history": []}`, i, i))
	}
	measure := func(n int) time.Duration {
		r := newRig(t, `cp fake/output.json "$OUTPUT"`)
		r.Split = harness.WholeDataset
		r.write(t, "bird-interact-lite/bird_interact_data.jsonl", strings.Join(tasks[:n], "\n"))
		r.write(t, "fake/output.json", `{"results": [`+strings.Join(results[:n], ",\n")+`]}`)
		return testkit.LeastProcessorTime(t, 3, func() {
			got, err := r.run(t, nil)
			require.NoError(t, err)
			require.Equal(t, n, got.Passed())
		})
	}
	one, thousand := measure(1), measure(1000)
	assert.Less(t, thousand-one, testkit.TimeLimit(100*time.Millisecond))
	t.Logf("%s for one task, %s for 1,000", one, thousand)
}
