package app_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
	gh "github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

const opened = `{"action":"opened","installation":{"id":7},"repository":{"full_name":"octo/hello"}}`

// becomes waits until a delivery is in a state, and returns it.
func (r *rig) becomes(id string, want service.State) service.Delivery {
	r.t.Helper()
	var found service.Delivery
	require.Eventually(r.t, func() (is bool) {
		var err error
		found, err = r.Inbox().Delivery(r.t.Context(), id)
		return assert.NoError(r.t, err) && found.State == want
	}, soon, 5*time.Millisecond, "delivery %s becomes %s", id, want)
	return found
}

// handler does what a test wants done with deliveries of an event.
type handler struct {
	event   string
	do      func(context.Context, service.Delivery) error
	givenUp func(context.Context, service.Delivery, error)
}

func (h *handler) Deliver(ctx context.Context, d service.Delivery) error {
	if d.Event != h.event {
		return nil
	}
	return h.do(ctx, d)
}

func (h *handler) GiveUp(ctx context.Context, d service.Delivery, problem error) {
	if h.givenUp != nil {
		h.givenUp(ctx, d, problem)
	}
}

// on sets what is done with deliveries of an event.
func (r *rig) on(event string, do func(context.Context, service.Delivery) error) {
	r.handler.event, r.handler.do = event, do
	r.Inbox().Handle(r.handler)
}

// onFailure sets what is done with those that failed for good.
func (r *rig) onFailure(do func(context.Context, service.Delivery, error)) { r.handler.givenUp = do }

func TestADeliveryReachesItsHandler(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := newRig(t, address, nil)
		got := make(chan service.Delivery, 1)
		r.on("pull_request", func(_ context.Context, d service.Delivery) error {
			got <- d
			return nil
		})
		r.start()
		assert.Equal(t, http.StatusAccepted, r.deliver(guid(1), "pull_request", opened))
		d := receive(t, got)
		body, err := d.Body.Unpack()
		require.NoError(t, err)
		assert.Equal(t, opened, string(body))
		assert.Equal(t, []any{guid(1), "pull_request", "opened", int64(7), "octo/hello"}, []any{d.ID, d.Event, d.Action, d.Installation, d.Repository})
		assert.False(t, r.becomes(guid(1), service.Handled).Finished.IsZero())

		assert.Equal(t, http.StatusAccepted, r.deliver(guid(2), "ping", `{"zen":"Design for failure."}`))
		r.becomes(guid(2), service.Handled)
		recent, err := r.Inbox().Recent(t.Context(), "", 10)
		require.NoError(t, err)
		assert.Equal(t, []string{guid(2), guid(1)}, []string{recent[0].ID, recent[1].ID})
		recent, err = r.Inbox().Recent(t.Context(), "octo/hello", 10)
		require.NoError(t, err)
		assert.Len(t, recent, 1)
	})
}

func TestADeliveryThatIsRepeatedAHundredTimesMakesOneJob(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := newRig(t, address, nil)
		var calls atomic.Int32
		r.on("pull_request", func(context.Context, service.Delivery) error {
			calls.Add(1)
			return nil
		})
		r.start()
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() { assert.Equal(t, http.StatusAccepted, r.deliver(guid(1), "pull_request", opened)) })
		}
		all.Wait()
		r.becomes(guid(1), service.Handled)
		assert.EqualValues(t, 1, calls.Load())
		var jobs int
		require.NoError(t, r.DB().QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'delivery'").Scan(&jobs))
		assert.Equal(t, 1, jobs)
		_, metrics := r.get("/metrics")
		assert.Contains(t, metrics, `bench_app_deliveries_total{event="pull_request",outcome="replayed"} 99`)
		assert.Contains(t, metrics, `bench_app_deliveries_total{event="pull_request",outcome="stored"} 1`)
	})
}

func TestADeliveryThatCannotBeHandledSaysWhy(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil)
	r.on("pull_request", func(context.Context, service.Delivery) error {
		return queue.Permanent(fault.Because(fault.Invalid, errors.New(secret), "the settings hold "+secret))
	})
	r.start()
	r.deliver(guid(1), "pull_request", opened)
	assert.Equal(t, "the settings hold [redacted]", r.becomes(guid(1), service.Failed).Problem)
	assert.NotContains(t, r.log.String(), secret)
}

func TestADeliveryThatMeetsARateLimitGivesItsWorkerBack(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil)
	limited := roundTrip(func(*http.Request) (*http.Response, error) {
		answer := httptest.NewRecorder()
		answer.Header().Set("Retry-After", "60")
		answer.WriteHeader(http.StatusTooManyRequests)
		return answer.Result(), nil
	})
	client, err := gh.New(gh.Options{Transport: limited, Patience: &gh.Patience{Now: time.Now, Random: func() float64 { return 0 }, MaxWait: time.Second}})
	require.NoError(t, err)
	r.on("pull_request", func(ctx context.Context, _ service.Delivery) error {
		_, _, err := client.REST.Users.Get(ctx, "")
		return gh.Explain("look", err)
	})
	r.start()
	r.deliver(guid(1), "pull_request", opened)
	require.Eventually(t, func() bool {
		var attempt int
		var state string
		err := r.DB().QueryRow(t.Context(), "SELECT attempt, state FROM river_job WHERE kind = 'delivery'").Scan(&attempt, &state)
		return assert.NoError(t, err) && attempt == 0 && state == "scheduled"
	}, soon, 5*time.Millisecond, "it comes back, and has lost no attempt")
	assert.Contains(t, r.log.String(), "waits for GitHub's rate limit")
}

// roundTrip is a transport that is a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func TestOnlyADeliveryThatFailsForGoodIsGivenUp(t *testing.T) {
	testkit.NeedComplete(t)
	r := newRig(t, dbtest.SQLite(t), nil)
	problems := []error{fault.Infraf("GitHub does not answer"), queue.Permanent(fault.Invalidf("the settings are wrong"))}
	var attempts atomic.Int32
	r.on("pull_request", func(_ context.Context, d service.Delivery) error {
		if d.ID == guid(2) {
			return nil
		}
		return problems[attempts.Add(1)-1]
	})
	type failure struct {
		id      string
		problem error
	}
	failures := make(chan failure, 10)
	r.onFailure(func(ctx context.Context, d service.Delivery, problem error) {
		assert.NoError(t, ctx.Err())
		failures <- failure{d.ID, problem}
	})
	r.start()
	r.deliver(guid(2), "pull_request", opened)
	r.becomes(guid(2), service.Handled)
	r.deliver(guid(1), "pull_request", opened)
	r.becomes(guid(1), service.Failed)
	got := receive(t, failures)
	assert.Equal(t, guid(1), got.id)
	assert.ErrorIs(t, got.problem, problems[1])
	assert.Empty(t, failures)
}

func TestEveryEventOfTheTableStartsAJobAndNoOther(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil).start()
	n := 0
	for _, event := range service.Events() {
		actions := event.Actions
		if actions == nil {
			actions = []string{"created"}
		}
		for _, action := range actions {
			n++
			require.Equal(t, http.StatusAccepted, r.deliver(guid(n), event.Name, `{"action":"`+action+`"}`))
			r.becomes(guid(n), service.Handled)
		}
	}
	for event, action := range map[string]string{"pull_request": "closed", "issue_comment": "edited", "check_run": "completed", "star": "created"} {
		require.Equal(t, http.StatusAccepted, r.deliver(guid(1000), event, `{"action":"`+action+`"}`))
	}
	known, err := r.Inbox().Knows(t.Context(), guid(1000))
	require.NoError(t, err)
	assert.False(t, known)
}

func TestOldDeliveriesAreRemoved(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := newRig(t, address, nil)
		now := time.Now()
		for n, age := range []time.Duration{9 * 24 * time.Hour, 8 * 24 * time.Hour, time.Hour} {
			_, err := r.Inbox().Keep(t.Context(), []service.Delivery{{ID: guid(n), Event: "ping", Received: now.Add(-age), Body: service.Pack(nil)}})
			require.NoError(t, err)
		}
		count, err := r.Inbox().Prune(t.Context(), now.Add(-7*24*time.Hour))
		require.NoError(t, err)
		assert.EqualValues(t, 2, count)
		left, err := r.Inbox().Recent(t.Context(), "", 10)
		require.NoError(t, err)
		require.Len(t, left, 1)
		assert.Equal(t, guid(2), left[0].ID)
	})
}

func TestHealthAndReadiness(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil).start()
	status, body := r.get("/healthz")
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `{"status":"ok"}`, body)
	status, body = r.get("/readyz")
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `{"status":"ready","database":"ok","github":"ok","version":"test"}`, body)
}

// A disk that is full, or a replica, answers questions.
func TestAServerWhoseDatabaseTakesNothingIsNotReady(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil).start()
	readOnly := func(is string) {
		_, err := app.Database(r.App).Writer().ExecContext(t.Context(), "PRAGMA query_only = "+is)
		require.NoError(t, err)
	}
	status, _ := r.get("/healthz") // it serves
	require.Equal(t, http.StatusOK, status)
	readOnly("ON")
	status, body := r.get("/readyz")
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Contains(t, body, `"database":"the database does not take what is written"`)
	readOnly("OFF")
	status, _ = r.get("/readyz")
	assert.Equal(t, http.StatusOK, status)
}

func TestAServerThatGitHubRefusesIsNotReady(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil)
	r.github.refuses = true
	r.start()
	status, body := r.get("/readyz")
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Contains(t, body, "does not accept the App's key")
}

func TestAServerIsReadyWhileGitHubIsDown(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil)
	r.github.Close()
	r.start()
	status, body := r.get("/readyz")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "could not be asked")
}

func TestStoppingKeepsWhatWasAccepted(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), func(c *settings.Server) { c.StopTimeout = 0 })
	began := make(chan struct{}, 1)
	r.on("pull_request", func(ctx context.Context, _ service.Delivery) error {
		began <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	})
	r.start()
	r.deliver(guid(1), "pull_request", opened)
	receive(t, began)
	r.end()
	d, err := r.Inbox().Delivery(t.Context(), guid(1))
	require.NoError(t, err)
	assert.Equal(t, service.Queued, d.State)
	depths, err := r.Queue().Depths(t.Context())
	require.NoError(t, err)
	assert.Contains(t, depths, queue.Depth{Kind: "delivery", State: queue.Waiting, Count: 1})
}

func TestMetricsTellOfStrangersWithoutTheirNames(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil).start()
	r.deliver(guid(1), "made_up_by_anybody", `{}`)
	_, err := http.Post(r.url+"/webhook", "application/json", http.NoBody)
	require.NoError(t, err)
	r.RateLimit("7", "core", 4999)
	r.Count("issue_comment", "run", "no_permission")
	r.Count("check_run", "", "foreign")
	r.Count("made_up_by_anybody", "", "event")
	_, metrics := r.get("/metrics")
	assert.Contains(t, metrics, `bench_app_deliveries_total{event="other",outcome="ignored"} 1`)
	assert.Contains(t, metrics, `bench_app_deliveries_refused_total{reason="bad_header"} 1`)
	assert.Contains(t, metrics, `bench_app_github_rate_limit_remaining{installation="7",resource="core"} 4999`)
	assert.Contains(t, metrics, `bench_app_commands_total{command="run",outcome="no_permission"} 1`)
	assert.Contains(t, metrics, `bench_app_ignored_total{event="check_run",why="foreign"} 1`)
	assert.Contains(t, metrics, `bench_app_ignored_total{event="other",why="event"} 1`)
	assert.NotContains(t, metrics, "made_up_by_anybody")
}
