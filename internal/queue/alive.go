package queue

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// schema is the queue's own tables, beside River's.
func schema() Schema {
	return Schema{Name: "queue", Steps: []string{`
		CREATE TABLE queue_process (process TEXT PRIMARY KEY, seen BIGINT NOT NULL);
	`, `
		ALTER TABLE queue_process ADD COLUMN lanes TEXT NOT NULL DEFAULT '{}';
	`}}
}

// clock is an expression for the database's time in milliseconds: the clocks
// of machines differ.
func (q *Queue) clock() string {
	if q.db.Dialect() == Postgres {
		return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
	}
	return "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
}

// enter says that this process lives. A SQLite file has one process, so those
// that are known from before are dead.
func (q *Queue) enter(ctx context.Context) error {
	if q.db.Dialect() == SQLite {
		if err := q.db.Write(ctx, func(tx *Tx) error {
			_, err := tx.Exec(ctx, "DELETE FROM queue_process")
			return err
		}); err != nil {
			return err
		}
	}
	if err := q.beat(ctx); err != nil {
		return err
	}
	return q.rescue(ctx, false)
}

// leave says that this process has no jobs any more.
func (q *Queue) leave(ctx context.Context) error {
	return q.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM queue_process WHERE process = $1", q.opts.Process)
		return err
	})
}

// live says that the process lives until the context ends, and looks for those
// that do not. As long as it cannot say so it has no jobs: they are let go
// before others take them.
func (q *Queue) live(ctx context.Context) {
	last := q.opts.Now() // it has just entered
	fence := time.AfterFunc(q.fenceAfter(), q.fence)
	defer fence.Stop()
	ticker := time.NewTicker(q.opts.Beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		began := q.opts.Now()
		err := q.inTime(ctx, q.beat)
		if err == nil {
			// Others count from a moment after it began.
			fence.Reset(q.fenceAfter() - q.opts.Now().Sub(began))
			q.running.lift()
			// Who was away itself cannot tell who else was.
			removeSilent := began.Sub(last) < q.opts.Silence
			last = began
			err = q.inTime(ctx, func(ctx context.Context) error { return q.rescue(ctx, removeSilent) })
		}
		if err != nil && ctx.Err() == nil {
			q.orphans = nil
			q.opts.Log.WarnContext(ctx, "the queue could not say that this process lives", slog.String("error", q.opts.Redact(err.Error())))
		}
	}
}

// fenceAfter is how long after its last beat a process lets go of its jobs.
func (q *Queue) fenceAfter() time.Duration {
	return max(q.opts.Silence-q.opts.Beat, q.opts.Silence/2)
}

// fence lets go of the jobs of a process that has not been able to say that it
// lives. Nobody else has a SQLite file.
func (q *Queue) fence() {
	if q.db.Dialect() == Postgres {
		q.running.fence()
	}
}

// inTime gives a statement as long as the process may be silent: the connection
// may be one that never answers.
func (q *Queue) inTime(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, q.opts.Silence/2)
	defer cancel()
	return do(ctx)
}

// beat stores when this process was last seen. Where it has been taken for
// dead, its jobs are no longer its own.
func (q *Queue) beat(ctx context.Context) error {
	return q.db.Write(ctx, func(tx *Tx) error {
		known, err := tx.Exec(ctx, "UPDATE queue_process SET seen = "+q.clock()+" WHERE process = $1", q.opts.Process)
		if err != nil || known > 0 {
			return err
		}
		q.running.cancelAll(ErrLost)
		lanes, err := json.Marshal(q.opts.Lanes)
		if err != nil {
			return fault.Internalf("write the lanes of the queue: %w", err)
		}
		_, err = tx.Exec(ctx, "INSERT INTO queue_process (process, seen, lanes) VALUES ($1, "+q.clock()+", $2)", q.opts.Process, string(lanes))
		return err
	})
}
