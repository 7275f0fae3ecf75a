package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// inboxRig is an inbox, whose queue a test starts, and a GitHub that lists attempts.
type inboxRig struct {
	*service.Inbox
	*testing.T
	db   *queue.DB
	jobs *queue.Queue
	log  testkit.SyncBuffer
	now  time.Time
	app  *github.Client
	// secret is what deliveries are signed with, nil for none yet.
	secret []byte
	// ended has one for every job that has ended, with how.
	ended chan queue.Outcome

	mu sync.Mutex
	// attempts are GitHub's, the latest first, of which a page has so many.
	attempts []map[string]any
	page     int
	// refused are the ids that GitHub does not deliver again.
	refused  map[string]bool
	repeated []string
	listed   int
}

func newInboxRig(t *testing.T) *inboxRig {
	t.Helper()
	r := &inboxRig{T: t, now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), page: 2, ended: make(chan queue.Outcome, 100)}
	var err error
	r.db, err = queue.OpenDB(t.Context(), dbtest.SQLite(t))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.db.Close()) })
	r.jobs, err = queue.New(t.Context(), r.db, queue.Options{
		Process: "test", Lanes: map[string]int{"events": 1}, Log: slog.New(slog.DiscardHandler), Now: time.Now, Redact: redact,
		Poll: 5 * time.Millisecond, Pause: time.Millisecond, Ended: func(e queue.Ended) { r.ended <- e.Outcome },
	})
	require.NoError(t, err)
	r.Inbox, err = service.Open(t.Context(), service.InboxOptions{
		DB: r.db, Queue: r.jobs, Lane: "events", Secret: func() []byte { return r.secret }, Events: service.Events(),
		Log: slog.New(slog.NewTextHandler(&r.log, nil)), Now: func() time.Time { return r.now }, Redact: redact,
	})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /app/hook/deliveries", r.list)
	mux.HandleFunc("POST /app/hook/deliveries/{id}/attempts", r.repeat)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	r.app, err = github.New(github.Options{RESTURL: server.URL})
	require.NoError(t, err)
	return r
}

func (r *inboxRig) list(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listed++
	at := 0
	_, _ = fmt.Sscan(request.FormValue("cursor"), &at) // there is none at first
	end := min(at+r.page, len(r.attempts))
	if end < len(r.attempts) {
		w.Header().Set("Link", fmt.Sprintf(`<http://%s/app/hook/deliveries?cursor=%d>; rel="next"`, request.Host, end))
	}
	assert.NoError(r, json.NewEncoder(w).Encode(r.attempts[at:end]))
}

func (r *inboxRig) repeat(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused[request.PathValue("id")] {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	r.repeated = append(r.repeated, request.PathValue("id"))
	w.WriteHeader(http.StatusAccepted)
}

// attempt is one of GitHub's as its API lists them.
func (r *inboxRig) attempt(id int, delivery string, status int, ago time.Duration, event, action string) map[string]any {
	return map[string]any{
		"id": id, "guid": delivery, "status_code": status, "delivered_at": r.now.Add(-ago).Format(time.RFC3339), "event": event, "action": action,
	}
}

// redeliver looks for missed deliveries, and returns how many were asked for.
func (r *inboxRig) redeliver() int {
	r.Helper()
	count, err := r.Redeliver(r.Context(), r.app)
	require.NoError(r, err)
	return count
}

func TestDeliveriesThatNeverArrivedAreAskedForAgain(t *testing.T) {
	t.Parallel()
	r := newInboxRig(t)
	_, err := r.Keep(t.Context(), []service.Delivery{{ID: "stored", Event: "pull_request", Action: "opened", Received: r.now, Body: service.Pack(nil)}})
	require.NoError(t, err)
	const minute, day = time.Minute, 24 * time.Hour
	r.attempts = []map[string]any{
		r.attempt(20, "lost", 502, 1*minute, "pull_request", "opened"),      // asked for by its latest attempt
		r.attempt(19, "late", 200, 2*minute, "pull_request", "opened"),      // it arrived at last
		r.attempt(18, "late", 504, 3*minute, "pull_request", "opened"),      //
		r.attempt(17, "lost", 502, 4*minute, "pull_request", "opened"),      //
		r.attempt(16, "closed", 500, 5*minute, "pull_request", "closed"),    // it starts nothing
		r.attempt(15, "star", 500, 6*minute, "star", "created"),             // nor does this
		r.attempt(14, "STORED", 504, 7*minute, "pull_request", "opened"),    // GitHub had no answer
		r.attempt(13, "unsent", 0, 8*minute, "issue_comment", "created"),    // no connection at all
		r.attempt(12, "moved", 301, 9*minute, "issue_comment", "created"),   // an answer, and none of ours
		r.attempt(11, "ever", 401, 9*minute, "check_run", "rerequested"),    // five times are enough
		r.attempt(10, "ever", 401, 10*minute, "check_run", "rerequested"),   //
		r.attempt(9, "ever", 401, 11*minute, "check_run", "rerequested"),    //
		r.attempt(8, "ever", 401, 12*minute, "check_run", "rerequested"),    //
		r.attempt(7, "ever", 401, 13*minute, "check_run", "rerequested"),    //
		r.attempt(6, "once", 401, 14*minute, "check_run", "rerequested"),    // and four are not
		r.attempt(5, "once", 401, 15*minute, "check_run", "rerequested"),    //
		r.attempt(4, "once", 401, 16*minute, "check_run", "rerequested"),    //
		r.attempt(3, "once", 401, 17*minute, "check_run", "rerequested"),    //
		r.attempt(2, "oldest", 502, 3*day, "pull_request", "opened"),        // GitHub delivers it again
		r.attempt(1, "older", 502, 3*day+minute, "pull_request", "opened"),  // and does not deliver this
		r.attempt(99, "no page", 502, 4*day, "pull_request", "synchronize"), // nor is it looked for
		r.attempt(98, "no page", 502, 4*day, "pull_request", "synchronize"), //
		r.attempt(97, "no page", 502, 4*day, "pull_request", "synchronize"), //
	}
	assert.Equal(t, 5, r.redeliver())
	assert.Equal(t, []string{"20", "13", "12", "6", "2"}, r.repeated)
	assert.Equal(t, 10, r.listed)

	// A second look begins an hour before the first.
	r.repeated = nil
	r.attempts = []map[string]any{
		r.attempt(31, "under way", 502, time.Hour, "pull_request", "opened"), r.attempt(30, "before", 502, time.Hour+minute, "pull_request", "opened"),
	}
	assert.Equal(t, 1, r.redeliver())
	assert.Equal(t, []string{"31"}, r.repeated)
}

// A clock that ran ahead for a while noted a look that is to come.
func TestALookThatIsToComeLosesNoDelivery(t *testing.T) {
	t.Parallel()
	r := newInboxRig(t)
	require.NoError(t, r.NoteTime(t.Context(), "deliveries.looked_at", r.now.Add(365*24*time.Hour)))
	r.attempts = []map[string]any{r.attempt(1, "lost", 502, 2*24*time.Hour, "pull_request", "opened")}
	assert.Equal(t, 1, r.redeliver())
}

func TestALookThatIsRefusedIsTakenAgain(t *testing.T) {
	t.Parallel()
	r := newInboxRig(t)
	r.attempts = []map[string]any{
		r.attempt(2, "a", 502, 2*time.Hour, "pull_request", "opened"), r.attempt(1, "b", 502, 2*time.Hour, "pull_request", "opened"),
	}
	r.refused = map[string]bool{"2": true}
	count, err := r.Redeliver(t.Context(), r.app)
	require.ErrorContains(t, err, "ask for a delivery again")
	assert.Equal(t, 1, count, "one is not kept from its chance by another")
	r.refused = nil
	assert.Equal(t, 2, r.redeliver())

	r.app, err = github.New(github.Options{RESTURL: "http://127.0.0.1:1"})
	require.NoError(t, err)
	count, err = r.Redeliver(t.Context(), r.app)
	require.ErrorContains(t, err, "list the App's deliveries")
	assert.Zero(t, count)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestAnAppWithTooManyDeliveriesSaysSo(t *testing.T) {
	t.Parallel()
	r := newInboxRig(t)
	r.page = 1
	for i := range 101 {
		r.attempts = append(r.attempts, r.attempt(1000-i, fmt.Sprint("lost ", i), 502, time.Hour, "pull_request", "opened"))
	}
	assert.Equal(t, 100, r.redeliver(), "those that were looked at")
	assert.Contains(t, r.log.String(), "there were too many deliveries to look for missed ones among all")
	assert.Contains(t, r.log.String(), "looked_at=100")
}

func TestTimesAreNoted(t *testing.T) {
	t.Parallel()
	r := newInboxRig(t)
	none, err := r.NotedTime(t.Context(), "x")
	require.NoError(t, err)
	assert.Zero(t, none)
	for _, at := range []time.Time{r.now, r.now.Add(time.Millisecond)} {
		require.NoError(t, r.NoteTime(t.Context(), "x", at))
		noted, err := r.NotedTime(t.Context(), "x")
		require.NoError(t, err)
		assert.Equal(t, at, noted)
	}
	require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE note SET value = 'soon'")
		return err
	}))
	_, err = r.NotedTime(t.Context(), "x")
	assert.ErrorContains(t, err, `read the note "x"`)
}

// doing handles deliveries as a test says.
type doing struct {
	deliver func(service.Delivery) error
	givenUp func(service.Delivery, error)
}

// Deliver does what the test says.
func (d doing) Deliver(_ context.Context, delivery service.Delivery) error {
	return d.deliver(delivery)
}

// GiveUp tells the test.
func (d doing) GiveUp(_ context.Context, delivery service.Delivery, problem error) {
	d.givenUp(delivery, problem)
}

// run works until the test ends.
func (r *inboxRig) run() {
	r.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	var finishing sync.WaitGroup
	finishing.Go(func() { r.Finish(ctx) })
	require.NoError(r, r.jobs.Start(r.Context()))
	r.Cleanup(func() {
		assert.NoError(r, r.jobs.Stop(context.WithoutCancel(r.Context())))
		cancel()
		finishing.Wait()
	})
}

func TestDeliveriesAreKeptAndRemoved(t *testing.T) {
	t.Parallel()
	r := newInboxRig(t)
	const old = 600 // more than are removed at a time
	var all []service.Delivery
	for i := range old {
		all = append(all, service.Delivery{ID: fmt.Sprint("old ", i), Event: "ping", Received: r.now.Add(-time.Hour), Body: service.Pack(nil)})
	}
	first := service.Delivery{ID: "a", Event: "pull_request", Action: "opened", Installation: 7, Repository: "acme/tool", Received: r.now, Body: service.Pack([]byte("{}")), State: service.Queued}
	all = append(all, first, first, service.Delivery{ID: "b", Event: "ping", Received: r.now, Body: service.Pack(nil)})
	fresh, err := r.Keep(t.Context(), all)
	require.NoError(t, err)
	assert.Equal(t, []bool{true, false, true}, fresh[old:], "the same twice is one")
	fresh, err = r.Keep(t.Context(), all[old:old+1])
	require.NoError(t, err)
	assert.Equal(t, []bool{false}, fresh)

	removed, err := r.Prune(t.Context(), r.now)
	require.NoError(t, err)
	assert.EqualValues(t, old, removed)
	var bodies int
	require.NoError(t, r.db.QueryRow(t.Context(), "SELECT COUNT(*) FROM delivery_body").Scan(&bodies))
	assert.Equal(t, 2, bodies)
	recent, err := r.Recent(t.Context(), "", 10)
	require.NoError(t, err)
	require.Len(t, recent, 2)
	assert.Equal(t, []string{"b", "a"}, []string{recent[0].ID, recent[1].ID})
	recent, err = r.Recent(t.Context(), "", 1)
	require.NoError(t, err)
	assert.Len(t, recent, 1)
	recent, err = r.Recent(t.Context(), "acme/tool", 10)
	require.NoError(t, err)
	require.Len(t, recent, 1)
	kept, err := r.Delivery(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, first, kept)
	first.Body = nil
	assert.Equal(t, first, recent[0], "a list has no bodies")
	_, err = r.Delivery(t.Context(), "old 0")
	require.ErrorIs(t, err, service.ErrNone)
	known, err := r.Knows(t.Context(), "old 0")
	require.NoError(t, err)
	assert.False(t, known)
	known, err = r.Knows(t.Context(), "b")
	require.NoError(t, err)
	assert.True(t, known)
}

// What starts nothing is not stored.
func TestWhatMatters(t *testing.T) {
	t.Parallel()
	events := service.Events()
	assert.True(t, events.Event("pull_request"))
	assert.False(t, events.Event("star"))
	assert.True(t, events.Action("pull_request", "opened"))
	assert.True(t, events.Action("push", ""))
	assert.False(t, events.Action("pull_request", "assigned"))
	assert.False(t, events.Action("star", "created"))
	for _, e := range events {
		every := e.Name == "push" || e.Name == "ping"
		assert.Equal(t, every, events.Action(e.Name, "made_up"), e.Name)
		assert.NotEmpty(t, e.Starts, e.Name)
	}
}

// Neither wrong answers nor nothing come from a database that is gone.
func TestADatabaseThatIsGoneIsAnOutage(t *testing.T) {
	t.Parallel()
	r := newInboxRig(t)
	gone, err := queue.OpenDB(t.Context(), dbtest.SQLite(t))
	require.NoError(t, err)
	store, err := service.OpenStore(t.Context(), gone)
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	_, errNoted := store.NotedTime(t.Context(), "x")
	_, errDelivery := store.Delivery(t.Context(), "x")
	_, errRecent := store.Recent(t.Context(), "", 1)
	_, errKnows := store.Knows(t.Context(), "x")
	_, errPrune := store.Prune(t.Context(), r.now)
	_, errOpen := service.Open(t.Context(), service.InboxOptions{DB: gone, Queue: r.jobs, Events: service.Events()})
	for _, err := range []error{errNoted, errDelivery, errRecent, errKnows, errPrune, errOpen, store.NoteTime(t.Context(), "x", r.now), store.Finish(t.Context(), []service.Finished{{ID: "x"}})} {
		require.Error(t, err)
		assert.NotErrorIs(t, err, service.ErrNone)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err), err)
	}
}

// What GitHub sends has names and texts of people, and takes most of the room.
func TestBodiesAreDroppedOnceHandledButForASample(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db, err := queue.OpenDB(t.Context(), address)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		store, err := service.OpenStore(t.Context(), db)
		require.NoError(t, err)
		var all []service.Delivery
		var ends []service.Finished
		for i := range 1000 {
			id, state := fmt.Sprintf("00000000-0000-4000-8000-%012x", i), service.Handled
			if i%10 == 9 {
				state = service.Failed
			}
			all = append(all, service.Delivery{ID: id, Body: service.Pack([]byte("{}"))})
			ends = append(ends, service.Finished{ID: id, State: state})
		}
		require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
			_, err := store.Add(t.Context(), tx, all)
			return err
		}))
		require.NoError(t, store.Finish(t.Context(), ends))
		kept := map[service.State]int{}
		for _, end := range ends {
			d, err := store.Delivery(t.Context(), end.ID)
			require.NoError(t, err)
			require.Equal(t, end.State, d.State)
			if len(d.Body) > 0 {
				kept[d.State]++
			}
		}
		assert.Equal(t, 100, kept[service.Failed], "what failed is to be looked at")
		assert.InDelta(t, 9, kept[service.Handled], 8)
		assert.Positive(t, kept[service.Handled])
	})
}

// The tables of the server are those of the release before.
func TestDeliveriesOutliveTheMoveOfTheirBodies(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db, err := queue.OpenDB(t.Context(), address)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		require.NoError(t, db.Migrate(t.Context(), queue.Schema{Name: "app", Steps: []string{`
			CREATE TABLE delivery (
				seq {id}, guid TEXT NOT NULL UNIQUE, event TEXT NOT NULL, action TEXT NOT NULL, installation BIGINT NOT NULL, repository TEXT NOT NULL,
				received BIGINT NOT NULL, state TEXT NOT NULL, problem TEXT NOT NULL DEFAULT '', finished BIGINT NOT NULL DEFAULT 0, body {bytes} NOT NULL
			);
			CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL);
		`}}))
		body := service.Pack([]byte(`{"a": "b"}`))
		require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
			for _, state := range []service.State{service.Queued, service.Handled, service.Failed} {
				_, err := tx.Exec(t.Context(), `INSERT INTO delivery (guid, event, action, installation, repository, received, state, body)
					VALUES ($1, 'push', '', 1, 'a/b', 1, $2, $3)`, "is "+string(state), string(state), []byte(body))
				require.NoError(t, err)
			}
			return nil
		}))
		store, err := service.OpenStore(t.Context(), db)
		require.NoError(t, err)
		for state, want := range map[service.State]service.Packed{service.Queued: body, service.Handled: nil, service.Failed: body} {
			d, err := store.Delivery(t.Context(), "is "+string(state))
			require.NoError(t, err)
			assert.Equal(t, want, d.Body, state)
			assert.Equal(t, "a/b", d.Repository)
		}
	})
}

func TestTheBodyOfADeliveryIsPacked(t *testing.T) {
	t.Parallel()
	body := []byte(`{"a": "b"}`)
	text, err := service.Pack(body).Unpack()
	require.NoError(t, err)
	assert.Equal(t, body, text)
	for name, packed := range map[string]service.Packed{
		"nothing": nil, "no length": {0xff}, "no content": service.Pack(body)[:3], "too long": {0xff, 0xff, 0xff, 0xff, 0x0f, 0},
	} {
		_, err := packed.Unpack()
		require.Error(t, err, name)
		assert.Equal(t, fault.Internal, fault.KindOf(err))
	}
}
