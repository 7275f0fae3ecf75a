package queue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// silent is a process that says only once that it lives, and does nothing
// beside its first job.
func silent(o *queue.Options) { o.Beat, o.Lanes = time.Hour, map[string]int{lane: 1} }

// watchful is a process that soon takes others for dead.
func watchful(o *queue.Options) { o.Beat, o.Silence = 20*time.Millisecond, 600*time.Millisecond }

func TestAJobOfADeadProcessIsTakenByAnother(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db := open(t, address)
		k := kind()
		dead, its := newRig(t, db, "dead", silent), newBlocking()
		queue.Handle(dead.Queue, k, its.do)
		require.NoError(t, dead.Start(t.Context()))
		stored := dead.enqueue(t, k.New(plan{"x"}))
		receive(t, its.began)

		other, others := newRig(t, db, "other", watchful), newBlocking()
		queue.Handle(other.Queue, k, others.do)
		other.start(t)
		job := receive(t, others.began)
		assert.Equal(t, stored.ID, job.ID)
		assert.Equal(t, 2, job.Attempt)
		close(others.let)
		other.reaches(t, stored.ID, done)
		close(its.let)
		dead.stop(t)
	})
}

func TestAJobThatKillsItsProcessEachTimeIsGivenUp(t *testing.T) {
	db := open(t, dbtest.SQLite(t))
	k := kind()
	k.Attempts = 1
	dead, its := newRig(t, db, "dead", silent), newBlocking()
	queue.Handle(dead.Queue, k, its.do)
	require.NoError(t, dead.Start(t.Context()))
	stored := dead.enqueue(t, k.New(plan{"x"}))
	receive(t, its.began)
	other := newRig(t, db, "other", watchful)
	queue.Handle(other.Queue, k, newBlocking().do)
	other.start(t)
	other.reaches(t, stored.ID, discarded)
	close(its.let)
	dead.stop(t)
}

func TestAProcessThatWasTakenForDeadLetsGoOfItsJobs(t *testing.T) {
	r, b := newRig(t, open(t, dbtest.SQLite(t)), "a", watchful), newBlocking()
	queue.Handle(r.Queue, kind(), b.do)
	r.start(t)
	r.enqueue(t, kind().New(plan{"x"}))
	receive(t, b.began)
	require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
		_, err := tx.Exec(t.Context(), "DELETE FROM queue_process")
		return err
	}))
	require.ErrorIs(t, receive(t, b.cause), queue.ErrLost)
	close(b.let)
}

func TestTwoMachinesShareTheWork(t *testing.T) {
	testkit.NeedComplete(t)
	db := open(t, dbtest.Postgres(t))
	b := newBlocking()
	one := func(o *queue.Options) { o.Lanes = map[string]int{lane: 1} }
	for _, name := range []string{"one", "two"} {
		r := newRig(t, db, name, one)
		queue.Handle(r.Queue, kind(), b.do)
		r.start(t)
	}
	asks := newRig(t, db, "asks", nil)
	queue.Handle(asks.Queue, kind(), b.do)
	var jobs []int64
	for range 3 {
		jobs = append(jobs, asks.enqueue(t, kind().New(plan{})).ID)
	}
	assert.ElementsMatch(t, jobs[:2], []int64{receive(t, b.began).ID, receive(t, b.began).ID}, "each works on one")
	depths, err := asks.Depths(t.Context())
	require.NoError(t, err)
	assert.Contains(t, depths, queue.Depth{Kind: "plan", State: queue.Waiting, Count: 1})
	close(b.let)
	for _, job := range jobs {
		asks.reaches(t, job, done)
	}
}
