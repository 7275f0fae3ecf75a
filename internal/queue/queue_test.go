package queue_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

func TestMain(m *testing.M) { os.Exit(dbtest.Main(m)) }

const (
	lane = "work"
	soon = 20 * time.Second
)

// plan is a payload.
type plan struct{ Name string }

func kind() queue.Kind[plan] { return queue.Kind[plan]{Name: "plan", Lane: lane} }

// rig is a queue on an empty database, that is not started.
type rig struct {
	*queue.Queue
	db    *queue.DB
	ended chan queue.Ended
}

func open(t *testing.T, address string) *queue.DB {
	t.Helper()
	db, err := queue.OpenDB(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

// newRig returns a process on a database. Change may be nil.
func newRig(t *testing.T, db *queue.DB, process string, change func(*queue.Options)) *rig {
	t.Helper()
	r := &rig{db: db, ended: make(chan queue.Ended, 1000)}
	opts := queue.Options{
		Process: process, Lanes: map[string]int{lane: 4}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") },
		Ended:  func(e queue.Ended) { r.ended <- e },
		Poll:   10 * time.Millisecond, Pause: time.Millisecond,
	}
	if change != nil {
		change(&opts)
	}
	var err error
	r.Queue, err = queue.New(t.Context(), db, opts)
	require.NoError(t, err)
	return r
}

func (r *rig) start(t *testing.T) {
	t.Helper()
	require.NoError(t, r.Start(t.Context()))
	t.Cleanup(func() { r.stop(t) })
}

func (r *rig) stop(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	assert.NoError(t, r.Stop(ctx))
}

func (r *rig) enqueue(t *testing.T, spec queue.JobSpec) queue.Stored {
	t.Helper()
	var stored []queue.Stored
	require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) (err error) {
		stored, err = r.Enqueue(t.Context(), tx, spec)
		return err
	}))
	return stored[0]
}

// The states of jobs that have ended, as River names them.
const (
	done      = "completed"
	discarded = "discarded"
	cancelled = "cancelled"
)

func (r *rig) reaches(t *testing.T, id int64, want string) {
	t.Helper()
	require.Eventually(t, func() bool {
		var got string
		err := r.db.QueryRow(t.Context(), "SELECT state FROM river_job WHERE id = $1", id).Scan(&got)
		return assert.NoError(t, err) && got == want
	}, soon, 5*time.Millisecond, "job %d becomes %s", id, want)
}

// next returns the next end of an attempt.
func (r *rig) next(t *testing.T) queue.Ended {
	t.Helper()
	return receive(t, r.ended)
}

func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(soon):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

// blocking is a handler that runs until its context ends or it is let go.
type blocking struct {
	began chan queue.Job[plan]
	cause chan error
	let   chan struct{}
}

func newBlocking() *blocking {
	return &blocking{began: make(chan queue.Job[plan], 100), cause: make(chan error, 100), let: make(chan struct{})}
}

func (b *blocking) do(ctx context.Context, job queue.Job[plan]) error {
	b.began <- job
	select {
	case <-b.let:
		return nil
	case <-ctx.Done():
		b.cause <- context.Cause(ctx)
		return ctx.Err()
	}
}

func TestAJobIsRunOnceWithItsPayload(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := newRig(t, open(t, address), "a", nil)
		b := newBlocking()
		close(b.let)
		queue.Handle(r.Queue, kind(), b.do)
		r.start(t)
		stored := r.enqueue(t, kind().New(plan{"first"}))
		job := receive(t, b.began)
		assert.Equal(t, queue.Job[plan]{ID: stored.ID, Payload: plan{"first"}, Attempt: 1}, job)
		r.reaches(t, stored.ID, done)
		assert.Equal(t, queue.Succeeded, r.next(t).Outcome)
	})
}

func TestAJobIsStoredWithItsTransactionOrNotAtAll(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := newRig(t, open(t, address), "a", nil)
		queue.Handle(r.Queue, kind(), newBlocking().do)
		refused := errors.New("no")
		err := r.db.Write(t.Context(), func(tx *queue.Tx) error {
			_, err := r.Enqueue(t.Context(), tx, kind().New(plan{}))
			require.NoError(t, err)
			require.NoError(t, r.EnqueueMany(t.Context(), tx, []queue.JobSpec{kind().New(plan{}), kind().New(plan{})}))
			return refused
		})
		require.ErrorIs(t, err, refused)
		depths, err := r.Depths(t.Context())
		require.NoError(t, err)
		assert.Empty(t, depths)
		require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
			return r.EnqueueMany(t.Context(), tx, []queue.JobSpec{kind().New(plan{}), kind().New(plan{})})
		}))
		depths, err = r.Depths(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []queue.Depth{{Kind: "plan", State: queue.Waiting, Count: 2}}, depths)
	})
}

func TestErrorsAreTriedAgainUntilTheyAreFinal(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := newRig(t, open(t, address), "a", nil)
		k := kind()
		k.Attempts = 3
		finals := make(chan bool, 10)
		queue.Handle(r.Queue, k, func(_ context.Context, job queue.Job[plan]) error {
			finals <- job.Final
			switch job.Payload.Name {
			case "permanent":
				return queue.Permanent(errors.New("wrong for ever"))
			case "panic":
				panic("hunter2")
			default:
				return errors.New("the password is hunter2")
			}
		})
		r.start(t)
		failing := r.enqueue(t, k.New(plan{"failing"}))
		r.reaches(t, failing.ID, cancelled)
		assert.Equal(t, []bool{false, false, true}, []bool{<-finals, <-finals, <-finals})
		assert.Equal(t, []queue.Outcome{queue.Retried, queue.Retried, queue.GaveUp}, []queue.Outcome{r.next(t).Outcome, r.next(t).Outcome, r.next(t).Outcome})

		permanent := r.enqueue(t, k.New(plan{"permanent"}))
		r.reaches(t, permanent.ID, cancelled)
		ended := r.next(t)
		assert.Equal(t, "wrong for ever", ended.Problem)
		assert.Equal(t, 1, ended.Attempt)

		panics := r.enqueue(t, k.New(plan{"panic"}))
		r.reaches(t, panics.ID, discarded)
		assert.Equal(t, queue.Panicked, r.next(t).Outcome)

		var kept int
		require.NoError(t, r.db.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE CAST(errors AS TEXT) LIKE '%hunter2%'").Scan(&kept))
		assert.Zero(t, kept, "a stored error holds a secret")
	})
}

func TestAJobThatAsksForLaterLosesNoAttempt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := newRig(t, open(t, address), "a", nil)
		k := kind()
		k.Attempts = 1
		var calls atomic.Int32
		queue.Handle(r.Queue, k, func(context.Context, queue.Job[plan]) error {
			if calls.Add(1) < 3 {
				return queue.Later(time.Millisecond)
			}
			return nil
		})
		r.start(t)
		stored := r.enqueue(t, k.New(plan{}))
		r.reaches(t, stored.ID, done)
		assert.EqualValues(t, 3, calls.Load())
	})
}

func TestAnErrorThatPassesPutsItsJobOff(t *testing.T) {
	busy := errors.New("busy")
	r := newRig(t, open(t, dbtest.SQLite(t)), "a", func(o *queue.Options) {
		o.Later = func(err error) (time.Duration, bool) { return time.Millisecond, errors.Is(err, busy) }
	})
	k := kind()
	k.Attempts = 1
	answers := make(chan error, 3)
	answers <- fmt.Errorf("ask: %w", busy)
	answers <- nil
	queue.Handle(r.Queue, k, func(context.Context, queue.Job[plan]) error { return <-answers })
	r.start(t)
	r.reaches(t, r.enqueue(t, k.New(plan{})).ID, done)
	assert.Equal(t, []queue.Outcome{queue.Postponed, queue.Succeeded}, []queue.Outcome{r.next(t).Outcome, r.next(t).Outcome})

	answers <- queue.Permanent(busy)
	r.reaches(t, r.enqueue(t, k.New(plan{})).ID, cancelled)
}

func TestOnceHoldsWhileAJobIsUnfinished(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := newRig(t, open(t, address), "a", nil)
		b := newBlocking()
		queue.Handle(r.Queue, kind(), b.do)
		r.start(t)
		first := r.enqueue(t, kind().New(plan{"x"}).Once("owner/name#1"))
		assert.False(t, first.Known)
		receive(t, b.began)
		again := r.enqueue(t, kind().New(plan{"y"}).Once("owner/name#1"))
		assert.Equal(t, queue.Stored{ID: first.ID, Known: true}, again)
		assert.False(t, r.enqueue(t, kind().New(plan{"x"}).Once("owner/name#2")).Known, "another name")
		close(b.let)
		r.reaches(t, first.ID, done)
		assert.False(t, r.enqueue(t, kind().New(plan{"x"}).Once("owner/name#1")).Known, "the first one has ended")
	})
}

func TestStoppingWaitsForJobsAndThenGivesThemBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db := open(t, address)
		r := newRig(t, db, "a", nil)
		b := newBlocking()
		k := kind()
		k.Attempts = 1
		queue.Handle(r.Queue, k, b.do)
		require.NoError(t, r.Start(t.Context()))
		stored := r.enqueue(t, k.New(plan{}))
		receive(t, b.began)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, r.Stop(over))
		assert.Equal(t, queue.Interrupted, r.next(t).Outcome)
		r.reaches(t, stored.ID, "available")

		again := newRig(t, db, "b", nil)
		next := newBlocking()
		close(next.let)
		queue.Handle(again.Queue, k, next.do)
		again.start(t)
		assert.Equal(t, 1, receive(t, next.began).Attempt, "the attempt was not the job's fault")
		again.reaches(t, stored.ID, done)
	})
}

func TestJobsAreRepeated(t *testing.T) {
	testkit.NeedComplete(t)
	r := newRig(t, open(t, dbtest.SQLite(t)), "a", nil)
	began := make(chan struct{}, 100)
	queue.Handle(r.Queue, kind(), func(context.Context, queue.Job[plan]) error {
		began <- struct{}{}
		return nil
	})
	require.NoError(t, r.Every(time.Second, kind().New(plan{})))
	r.start(t)
	receive(t, began)
}
