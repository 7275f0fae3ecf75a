package appcli_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// sent returns the deliveries of an event's action, the newest first.
func (w *world) sent(event, action string) []rest.HookDelivery {
	return slices.DeleteFunc(w.Deliveries(), func(d rest.HookDelivery) bool { return d.Event != event || d.Action != action })
}

// GitHub does not try again by itself: the App's list of deliveries has what it
// missed.
func TestWhatAServerThatWasDownMissedIsDeliveredAgain(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newWorld(t, trial)
	first := w.serve()
	require.Zero(t, first.stop(t), first.out)
	w.open()
	require.NoError(t, w.Delivered(t.Context()))
	missed := w.sent("pull_request", "opened")
	require.Len(t, missed, 1)
	require.Equal(t, "failed to connect to host", missed[0].Status)
	require.Empty(t, w.checks())

	cmd, out := command(append(w.env(), "BENCH_APP_ADDR="+first.address), "serve")
	w.servers = append(w.servers, start(t, cmd, out))
	check := w.concluded(1)
	assert.Equal(t, []any{w.head, model.Conclusion("neutral")}, []any{check.HeadSHA, check.Conclusion})
	tries := w.sent("pull_request", "opened")
	require.Len(t, tries, 2)
	assert.Equal(t, []any{true, 202, missed[0].GUID}, []any{tries[0].Redelivery, tries[0].StatusCode, tries[0].GUID})
	assert.Contains(t, out.String(), "missed deliveries were asked for again")
}

// GitHub asks for a check suite too when there is a push.
func TestACheckSuiteThatIsRequestedStandsInForALostPush(t *testing.T) {
	t.Parallel()
	w := newWorld(t, trial)
	s := w.serve()
	_, err := w.Faults().Add(faults.Rule{Kind: faults.HookLost, Event: "pull_request"})
	require.NoError(t, err)
	w.open()
	w.push("src/b.ts")
	check := w.concluded(1)
	assert.Equal(t, []any{w.head, model.Conclusion("neutral")}, []any{check.HeadSHA, check.Conclusion}, "the suite of the first push knew of no pull request yet")
	assert.NotContains(t, s.out.String(), `"event":"pull_request"`)
}
