package publish_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// From the last result to the published verdict: at most eight calls, and
// under two seconds where a call takes 50 ms, with fifty annotations and a
// hundred comments in the conversation.
func TestTheVerdictIsSoonThere(t *testing.T) {
	const latency, mostCalls, mostTime = 50 * time.Millisecond, 8, 2 * time.Second
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprintf("with a comment of ours: %t", again), func(t *testing.T) {
			p := newPlace(t)
			if again {
				_, notices := p.publisher(everything).Comment(t.Context(), p.number, comment.Always, said("before"))
				require.Empty(t, notices)
			}
			for i := range 100 {
				p.comment("owner", fmt.Sprint(i))
			}
			synctest.Test(t, func(t *testing.T) {
				p.wire.next, p.wire.latency = inside{p.World}, latency
				publisher := p.with(fmt.Sprint("actions ", everything), p.URL)
				if !again {
					p.publisher(everything)
				}
				check, notices := publisher.StartCheck(t.Context(), p.start(), working("0 of 9"))
				require.Empty(t, notices)

				began, before := time.Now(), p.wire.count()
				require.Empty(t, check.Complete(t.Context(), passed(50)))
				posted, notices := publisher.Comment(t.Context(), p.number, comment.Always, said("now"))
				require.Empty(t, notices)
				require.True(t, posted.Written)
				calls, took := p.wire.count()-before, time.Since(began)
				t.Logf("%d calls, %s", calls, took)
				assert.LessOrEqual(t, calls, mostCalls)
				assert.Less(t, took, testkit.TimeLimit(mostTime))
			})
			assert.Len(t, p.comments(), 101)
		})
	}
}
