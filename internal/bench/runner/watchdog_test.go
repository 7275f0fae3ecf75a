package runner

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// A clock may run out while an answer is being heard: its function then waits
// for the lock that the answer holds. Which of the two is first is up to the
// scheduler, so it is tried often.
func TestN6AClockThatRanOutWhileAnAnswerWasHeardDoesNotCount(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			ctx, dog := watch(t.Context(), limits{firstAnswer: time.Second, stall: time.Minute, total: time.Hour})
			defer dog.stop()
			dog.begin()
			dog.mu.Lock()
			time.Sleep(dog.limits.firstAnswer)
			dog.set(bench.TimeoutStalled, dog.limits.stall)
			dog.mu.Unlock()
			synctest.Wait()
			assert.NoError(t, context.Cause(ctx))
		})
	}
}

func TestN6AWatchdogThatHasStoppedIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, dog := watch(t.Context(), limits{firstAnswer: time.Second, stall: time.Minute, total: time.Hour})
		dog.begin()
		dog.stop()
		time.Sleep(2 * time.Hour)
		assert.Equal(t, context.Canceled, context.Cause(ctx))
	})
}
