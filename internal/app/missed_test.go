package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// try is an attempt of GitHub's as its API lists them.
func try(id int, delivery string, status int, ago time.Duration, event, action string) map[string]any {
	return map[string]any{
		"id": id, "guid": delivery, "status_code": status, "delivered_at": time.Now().Add(-ago).UTC().Format(time.RFC3339),
		"event": event, "action": action, "redelivery": false, "status": "x",
	}
}

func TestMissedDeliveriesAreAskedForAgain(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil)
	_, err := r.Inbox().Keep(t.Context(), []service.Delivery{{ID: guid(5), Event: "pull_request", Action: "opened", Body: service.Pack([]byte(opened))}})
	require.NoError(t, err)
	minute := time.Minute
	r.github.attempts = []map[string]any{
		try(19, guid(1), 502, 1*minute, "pull_request", "opened"),        // missed: asked for by its latest attempt
		try(18, guid(2), 200, 2*minute, "pull_request", "opened"),        // arrived at last
		try(17, guid(2), 504, 3*minute, "pull_request", "opened"),        //
		try(16, guid(1), 502, 4*minute, "pull_request", "opened"),        // an earlier attempt at the first
		try(15, guid(3), 500, 5*minute, "pull_request", "closed"),        // starts nothing
		try(14, guid(4), 500, 6*minute, "star", "created"),               // starts nothing
		try(13, guid(5), 504, 7*minute, "pull_request", "opened"),        // stored, though GitHub had no answer
		try(12, guid(6), 0, 8*minute, "issue_comment", "created"),        // missed: no connection at all
		try(11, guid(7), 401, 9*minute, "check_run", "rerequested"),      // tried too often
		try(10, guid(7), 401, 10*minute, "check_run", "rerequested"),     //
		try(9, guid(7), 401, 11*minute, "check_run", "rerequested"),      //
		try(8, guid(7), 401, 12*minute, "check_run", "rerequested"),      //
		try(7, guid(7), 401, 13*minute, "check_run", "rerequested"),      //
		try(6, guid(8), 502, 4*24*time.Hour, "pull_request", "reopened"), // too old for GitHub
	}
	count, err := app.Redeliver(t.Context(), r.App)
	require.NoError(t, err)
	assert.Equal(t, 2, count)
	assert.ElementsMatch(t, []string{"19", "12"}, r.github.repeated)
}

func TestASecondLookBeginsWhereTheFirstEnded(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil)
	r.github.attempts = []map[string]any{try(1, guid(1), 502, 2*time.Hour, "pull_request", "opened")}
	for range 2 {
		_, err := app.Redeliver(t.Context(), r.App)
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"1"}, r.github.repeated)
}

// A clock that ran ahead for a while noted a look that is to come.
func TestAClockThatWasWrongLosesNoDelivery(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil)
	require.NoError(t, r.Inbox().NoteTime(t.Context(), "deliveries.looked_at", time.Now().Add(365*24*time.Hour)))
	r.github.attempts = []map[string]any{try(1, guid(1), 502, 2*time.Hour, "pull_request", "opened")}
	count, err := app.Redeliver(t.Context(), r.App)
	require.NoError(t, err)
	assert.Equal(t, 1, count)
}

func TestALookThatFailsIsTakenAgain(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil)
	r.github.attempts = []map[string]any{try(1, guid(1), 502, 2*time.Hour, "pull_request", "opened")}
	r.github.refuses = true
	_, err := app.Redeliver(t.Context(), r.App)
	require.Error(t, err)
	r.github.refuses = false
	count, err := app.Redeliver(t.Context(), r.App)
	require.NoError(t, err)
	assert.Equal(t, 1, count)
}
