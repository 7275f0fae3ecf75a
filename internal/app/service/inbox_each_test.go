package service_test

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// moves renames a table, which is away by its other name.
func (r *inboxRig) moves(table, to string) {
	r.Helper()
	require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) error {
		_, err := tx.Exec(r.Context(), "ALTER TABLE "+table+" RENAME TO "+to)
		return err
	}))
}

// stores keeps a delivery that is new.
func (r *inboxRig) stores(id string) {
	r.Helper()
	_, err := r.Keep(r.Context(), []service.Delivery{{ID: id, Event: "pull_request", Action: "opened", Received: r.now, Body: service.Pack([]byte("{}"))}})
	require.NoError(r, err)
}

// becomes waits until a job has ended as wanted.
func (r *inboxRig) becomes(want queue.Outcome) {
	r.Helper()
	for {
		select {
		case got := <-r.ended:
			if got == want {
				return
			}
		case <-time.After(soon):
			require.Fail(r, "no job ends so", want)
		}
	}
}

// Neither a delivery nor what became of it is lost while the database does not answer.
func TestADeliveryOutlivesAnOutageOfTheDatabase(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]string{"it is read": "before", "what became of it is stored": "within"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newInboxRig(t)
			delivered := 0
			r.Handle(doing{deliver: func(d service.Delivery) error {
				body, err := d.Body.Unpack()
				assert.NoError(t, err)
				assert.Equal(t, "{}", string(body))
				if delivered++; delivered == 1 && away == "within" {
					r.moves("delivery_body", "away")
				}
				return nil
			}})
			r.stores("d")
			if away == "before" {
				r.moves("delivery_body", "away")
			}
			r.run()
			r.becomes(queue.Retried)
			is, err := r.Recent(t.Context(), "", 1)
			require.NoError(t, err)
			assert.Equal(t, service.Queued, is[0].State)
			r.moves("away", "delivery_body")
			r.becomes(queue.Succeeded)
			is, err = r.Recent(t.Context(), "", 1)
			require.NoError(t, err)
			assert.Equal(t, service.Handled, is[0].State)
			assert.Positive(t, delivered)
		})
	}
}

func TestTheInboxAnswersWhoSends(t *testing.T) {
	t.Parallel()
	r := newInboxRig(t)
	w := httptest.NewRecorder()
	r.ServeHTTP(w, delivery(payload))
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Equal(t, "the App has no webhook secret yet\n", w.Body.String())
	assert.Zero(t, r.Waiting())

	r.secret = []byte(secret)
	ctx, stop := context.WithCancel(t.Context())
	var receiving sync.WaitGroup
	receiving.Go(func() { r.Receive(ctx) })
	w = httptest.NewRecorder()
	r.ServeHTTP(w, delivery(payload))
	assert.Equal(t, http.StatusAccepted, w.Code)
	stop()
	receiving.Wait()
	known, err := r.Knows(t.Context(), id)
	require.NoError(t, err)
	assert.True(t, known, "it is stored")
}

// What a delivery leads to, by what its handler says, attempt after attempt, of which
// there are as many as are allowed.
func TestWhatBecomesOfADelivery(t *testing.T) {
	t.Parallel()
	outage, mistake, wrong := fault.Infraf("no answer"), fault.Invalidf("the settings hold hunter2"), fault.Internalf("a slip")
	for name, c := range map[string]struct {
		says     []error
		want     service.State
		problem  string
		attempts int
		allowed  int
	}{
		"it is done":                   {[]error{nil}, service.Handled, "", 1, 25},
		"an outage passes":             {[]error{outage, outage, outage, outage, outage, outage, nil}, service.Handled, "", 7, 25},
		"an outage lasts":              {[]error{outage, outage}, service.Failed, fault.Public(outage), 2, 2},
		"nothing mends it":             {[]error{queue.Permanent(mistake)}, service.Failed, "the settings hold [redacted]", 1, 25},
		"it fails again and again":     {[]error{wrong, wrong, wrong, wrong, wrong}, service.Failed, fault.Public(wrong), 5, 25},
		"it is mended in the meantime": {[]error{mistake, mistake, mistake, mistake, nil}, service.Handled, "", 5, 25},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newInboxRig(t)
			attempts, givenUp := 0, []error{}
			r.Handle(doing{
				func(d service.Delivery) error {
					assert.Equal(t, "d", d.ID)
					attempts++
					return c.says[min(attempts, len(c.says))-1]
				},
				func(_ service.Delivery, problem error) { givenUp = append(givenUp, problem) },
			})
			_, err := r.Keep(t.Context(), []service.Delivery{{ID: "d", Event: "pull_request", Action: "opened", Received: r.now, Body: service.Pack(nil)}})
			require.NoError(t, err)
			require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
				_, err := tx.Exec(t.Context(), "UPDATE river_job SET max_attempts = $1", c.allowed)
				return err
			}))
			r.run()
			var last queue.Outcome
			for range c.says {
				last = <-r.ended
			}
			assert.Equal(t, map[service.State]queue.Outcome{service.Handled: queue.Succeeded, service.Failed: queue.GaveUp}[c.want], last, "it does not come again")
			is, err := r.Delivery(t.Context(), "d")
			require.NoError(t, err)
			assert.Equal(t, c.want, is.State)
			assert.Equal(t, c.problem, is.Problem)
			assert.Equal(t, r.now, is.Finished)
			assert.Equal(t, c.attempts, attempts)
			if c.want == service.Handled {
				assert.Empty(t, givenUp)
				return
			}
			require.Len(t, givenUp, 1)
			assert.ErrorIs(t, givenUp[0], cmp.Or(errors.Unwrap(c.says[0]), c.says[0]), "who asked is told")
			assert.Contains(t, r.log.String(), "a delivery failed")
			assert.NotContains(t, r.log.String(), "hunter2")
		})
	}
}

// A job that comes again after what it did was stored does nothing more.
func TestADeliveryThatWasHandledIsNotHandledAgain(t *testing.T) {
	t.Parallel()
	r := newInboxRig(t)
	r.Handle(doing{deliver: func(service.Delivery) error {
		assert.Fail(t, "it was handled")
		return nil
	}})
	r.stores("d")
	require.NoError(t, r.Store.Finish(t.Context(), []service.Finished{{ID: "d", State: service.Handled, At: r.now}}))
	r.run()
	r.becomes(queue.Succeeded)
}

// Neither does one that was removed meanwhile.
func TestADeliveryThatWasRemovedIsNotHandled(t *testing.T) {
	t.Parallel()
	r := newInboxRig(t)
	r.Handle(doing{deliver: func(service.Delivery) error {
		assert.Fail(t, "it was handled")
		return nil
	}})
	r.stores("d")
	removed, err := r.Prune(t.Context(), r.now.Add(time.Hour))
	require.NoError(t, err)
	require.EqualValues(t, 1, removed)
	r.run()
	assert.Equal(t, queue.Succeeded, <-r.ended, "and not tried again")
}

// Whichever statement fails, nothing is said of the database that is not so, and what was
// not done is done the next time.
func TestTheInboxSaysWhicheverStatementFails(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, act := range map[string]func(*inboxRig, *without) (any, error){
		"deliveries are kept": func(r *inboxRig, ctx *without) (any, error) {
			return r.Keep(ctx, []service.Delivery{{ID: "new", Event: "pull_request", Received: r.now, Body: service.Pack(nil)}, {ID: "old", Event: "ping", Body: service.Pack(nil)}})
		},
		"one is read":            func(r *inboxRig, ctx *without) (any, error) { return r.Delivery(ctx, "old") },
		"one is looked for":      func(r *inboxRig, ctx *without) (any, error) { return r.Knows(ctx, "old") },
		"they are listed":        func(r *inboxRig, ctx *without) (any, error) { return r.Recent(ctx, "", 10) },
		"the oldest are removed": func(r *inboxRig, ctx *without) (any, error) { _, err := r.Prune(ctx, r.now); return nil, err },
		"a time is noted":        func(r *inboxRig, ctx *without) (any, error) { return nil, r.NoteTime(ctx, "t", r.now) },
		"a time is read":         func(r *inboxRig, ctx *without) (any, error) { return r.NotedTime(ctx, "noted") },
		"missed ones are wanted": func(r *inboxRig, ctx *without) (any, error) { _, err := r.Redeliver(ctx, r.app); return nil, err },
		"what became is stored": func(r *inboxRig, ctx *without) (any, error) {
			return nil, r.Store.Finish(ctx, []service.Finished{{ID: "old", State: service.Handled}})
		},
		"the tables are made out": func(r *inboxRig, ctx *without) (any, error) { _, err := service.OpenStore(ctx, r.db); return nil, err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []any
			for n, came := 0, true; came; n++ {
				r := newInboxRig(t)
				r.attempts = []map[string]any{r.attempt(1, "lost", 502, time.Minute, "pull_request", "opened"), r.attempt(2, "OLD", 502, time.Minute, "pull_request", "opened")}
				require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
					_, err := r.Add(t.Context(), tx, []service.Delivery{{ID: "old", Event: "ping", Received: r.now.Add(-day), Body: service.Pack([]byte("{}"))}})
					return err
				}))
				require.NoError(t, r.NoteTime(t.Context(), "noted", r.now))
				ctx := &without{Context: t.Context(), at: n}
				got, err := act(r, ctx)
				if came = n == 0 || ctx.came(); n > 0 && came {
					require.Error(t, err, "statement %d", n)
					assert.Equal(t, fault.Infrastructure, fault.KindOf(err), err)
					got, err = act(r, &without{Context: t.Context()})
				}
				require.NoError(t, err)
				known, err := r.Recent(t.Context(), "", 10)
				require.NoError(t, err)
				var bodies int
				require.NoError(t, r.db.QueryRow(t.Context(), "SELECT COUNT(*) FROM delivery_body").Scan(&bodies))
				seen := []any{got, known, bodies, slices.Compact(r.repeated)}
				if n == 0 {
					want = seen
				}
				require.Equal(t, want, seen, "statement %d", n)
			}
		})
	}
}
