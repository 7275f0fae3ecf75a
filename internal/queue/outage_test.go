package queue_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// lines are what a log says, one by one, as far as there is room.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	select {
	case l <- string(line):
	default:
	}
	return len(line), nil
}

// says waits until the log says something.
func (l lines) says(t *testing.T, text string) {
	t.Helper()
	for !strings.Contains(receive(t, l), text) {
	}
}

// lively is a process that is seen often.
func lively(o *queue.Options) { o.Beat = 20 * time.Millisecond }

// take makes a job one that a process works on, as far as the database knows.
func take(t *testing.T, db *queue.DB, job int64, process string) {
	t.Helper()
	by := "json('[\"" + process + "\"]')"
	if db.Dialect() == queue.Postgres {
		by = "ARRAY['" + process + "']"
	}
	require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
		count, err := tx.Exec(t.Context(), "UPDATE river_job SET state = 'running', finalized_at = NULL, attempt = attempt + 1, attempted_by = "+by+" WHERE id = $1", job)
		assert.EqualValues(t, 1, count)
		return err
	}))
}

// That is what is left where the database was away when a job ended.
func TestAJobWhoseEndWasNotStoredIsDoneAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r, b := newRig(t, open(t, address), "a", lively), newBlocking()
		close(b.let)
		k := kind()
		k.Attempts = 1
		queue.Handle(r.Queue, k, b.do)
		r.start(t)
		stored := r.enqueue(t, k.New(plan{"x"}).Once("x"))
		receive(t, b.began)
		r.reaches(t, stored.ID, done)
		require.Empty(t, b.began, "an end that is being stored is waited for")
		take(t, r.db, stored.ID, "a")
		again := receive(t, b.began)
		assert.Equal(t, stored.ID, again.ID)
		assert.Equal(t, 2, again.Attempt, "it was not the job's fault, so it is not given up after its only attempt")
		r.reaches(t, stored.ID, done)
		assert.False(t, r.enqueue(t, k.New(plan{"x"}).Once("x")).Known, "others of its name are not kept out")
	})
}

func TestAJobThatGoesOnIsLeftAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r, b := newRig(t, open(t, address), "a", lively), newBlocking()
		queue.Handle(r.Queue, kind(), b.do)
		r.start(t)
		r.enqueue(t, kind().New(plan{"long"}))
		receive(t, b.began)
		for range 12 {
			r.beats(t)
		}
		assert.Empty(t, b.began)
		assert.Empty(t, b.cause)
		close(b.let)
	})
}

// beats waits until a process has said again that it lives.
func (r *rig) beats(t *testing.T) {
	t.Helper()
	seen := func() (at int64) {
		assert.NoError(t, r.db.QueryRow(t.Context(), "SELECT seen FROM queue_process").Scan(&at))
		return at
	}
	last := seen()
	require.Eventually(t, func() bool { return seen() != last }, soon, time.Millisecond)
}

func TestAProcessThatCannotSayThatItLivesLetsGoOfItsJobs(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	l := dbtest.NewLine(t, dbtest.Postgres(t))
	r, b := newRig(t, open(t, l.Address), "a", watchful), newBlocking()
	queue.Handle(r.Queue, kind(), b.do)
	r.start(t)
	stored := r.enqueue(t, kind().New(plan{"x"}))
	receive(t, b.began)
	l.Cut()
	require.ErrorIs(t, receive(t, b.cause), queue.ErrLost)
	assert.Equal(t, queue.Interrupted, r.next(t).Outcome)
	l.Mend()
	assert.Equal(t, stored.ID, receive(t, b.began).ID, "it goes on once the database is back")
	close(b.let)
	r.reaches(t, stored.ID, done)
}

func TestTheEndOfAnAttemptThatWasLostDoesNotEndTheNextOne(t *testing.T) {
	t.Parallel()
	db := open(t, dbtest.Postgres(t))
	log := make(lines, 1000)
	r, b := newRig(t, db, "a", func(o *queue.Options) { o.Log = slog.New(slog.NewTextHandler(log, nil)) }), newBlocking()
	queue.Handle(r.Queue, kind(), b.do)
	r.start(t)
	stored := r.enqueue(t, kind().New(plan{"x"}))
	receive(t, b.began)
	require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
		_, err := tx.Exec(t.Context(), "INSERT INTO queue_process (process, seen) VALUES ('other', 9000000000000)")
		return err
	}))
	take(t, db, stored.ID, "other")
	close(b.let)
	log.says(t, "an attempt at a job ended that was taken from it")
	var state string
	require.NoError(t, db.QueryRow(t.Context(), "SELECT state FROM river_job WHERE id = $1", stored.ID).Scan(&state))
	assert.Equal(t, "running", state)
}

func TestWhoHasJustComeTakesNobodyForDead(t *testing.T) {
	t.Parallel()
	db := open(t, dbtest.Postgres(t))
	r := newRig(t, db, "a", silent)
	queue.Handle(r.Queue, kind(), newBlocking().do)
	require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
		_, err := tx.Exec(t.Context(), "INSERT INTO queue_process (process, seen) VALUES ('other', 0)")
		return err
	}))
	r.start(t)
	var count int
	require.NoError(t, db.QueryRow(t.Context(), "SELECT count(*) FROM queue_process WHERE process = 'other'").Scan(&count))
	assert.Equal(t, 1, count, "the database may have been away for both")
}
