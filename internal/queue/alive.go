package queue

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// schema is the queue's own tables, beside River's.
func schema() database.Schema {
	return database.Schema{Name: "queue", Steps: []string{`
		CREATE TABLE queue_process (process TEXT PRIMARY KEY, seen BIGINT NOT NULL);
	`}}
}

const (
	// rescueLock is the number of the lock under which one machine at a time
	// looks for jobs of dead ones.
	rescueLock = 0x72657363
	// mostRunning is how many running jobs are looked at together.
	mostRunning = 10_000
)

// clock is an expression for the database's time in milliseconds: the clocks
// of machines differ.
func (q *Queue) clock() string {
	if q.db.Dialect() == database.Postgres {
		return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
	}
	return "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
}

// enter says that this process lives. A SQLite file has one process, so those
// that are known from before are dead.
func (q *Queue) enter(ctx context.Context) error {
	return q.db.Write(ctx, func(tx *database.Tx) error {
		if q.db.Dialect() == database.SQLite {
			if _, err := tx.Exec(ctx, "DELETE FROM queue_process"); err != nil {
				return err
			}
		}
		if err := q.beat(ctx, tx); err != nil {
			return err
		}
		return q.rescue(ctx, tx)
	})
}

// leave says that this process has no jobs any more.
func (q *Queue) leave(ctx context.Context) error {
	return q.db.Write(ctx, func(tx *database.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM queue_process WHERE process = $1", q.opts.Process)
		return err
	})
}

// live says that the process lives until the context ends, and looks for those
// that do not.
func (q *Queue) live(ctx context.Context) {
	ticker := time.NewTicker(q.opts.Beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := q.db.Write(ctx, func(tx *database.Tx) error {
			if err := q.beat(ctx, tx); err != nil {
				return err
			}
			return q.rescue(ctx, tx)
		})
		if err != nil && ctx.Err() == nil {
			q.opts.Log.WarnContext(ctx, "the queue could not say that this process lives", slog.String("error", q.opts.Redact(err.Error())))
		}
	}
}

// beat stores when this process was last seen. Where it has been taken for
// dead, its jobs are no longer its own.
func (q *Queue) beat(ctx context.Context, tx *database.Tx) error {
	known, err := tx.Exec(ctx, "UPDATE queue_process SET seen = "+q.clock()+" WHERE process = $1", q.opts.Process)
	if err != nil || known > 0 {
		return err
	}
	q.running.cancelAll(ErrLost)
	_, err = tx.Exec(ctx, "INSERT INTO queue_process (process, seen) VALUES ($1, "+q.clock()+")", q.opts.Process)
	return err
}

// rescue gives jobs of dead processes back.
func (q *Queue) rescue(ctx context.Context, tx *database.Tx) error {
	if only, err := q.alone(ctx, tx); err != nil || !only {
		return err
	}
	alive, err := q.bury(ctx, tx)
	if err != nil {
		return err
	}
	jobs, err := q.engine.list(ctx, tx, river.NewJobListParams().States(rivertype.JobStateRunning).First(mostRunning))
	if err != nil {
		return fault.Infraf("list the jobs that run: %w", err)
	}
	for _, job := range jobs {
		by := ""
		if n := len(job.AttemptedBy); n > 0 {
			by = job.AttemptedBy[n-1]
		}
		if slices.Contains(alive, by) {
			continue
		}
		if err := q.giveBack(ctx, tx, job); err != nil {
			return err
		}
	}
	return nil
}

// alone reports whether no other machine looks for dead ones right now.
func (q *Queue) alone(ctx context.Context, tx *database.Tx) (only bool, err error) {
	if q.db.Dialect() == database.SQLite {
		return true, nil
	}
	if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", int64(rescueLock)).Scan(&only); err != nil {
		return false, fault.Infraf("lock the search for dead processes: %w", err)
	}
	return only, nil
}

// bury removes dead processes, and returns those that live.
func (q *Queue) bury(ctx context.Context, tx *database.Tx) ([]string, error) {
	if _, err := tx.Exec(ctx, "DELETE FROM queue_process WHERE seen < "+q.clock()+" - $1", q.opts.Silence.Milliseconds()); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, "SELECT process FROM queue_process")
	if err != nil {
		return nil, fault.Infraf("list the processes that live: %w", err)
	}
	defer rows.Close()
	var alive []string
	for rows.Next() {
		var process string
		if err := rows.Scan(&process); err != nil {
			return nil, fault.Infraf("list the processes that live: %w", err)
		}
		alive = append(alive, process)
	}
	return alive, fault.Wrap(fault.Infrastructure, rows.Err())
}

// giveBack has a job of a dead process taken by another one. If it has used up
// its attempts it may be what kills them, and is given up.
func (q *Queue) giveBack(ctx context.Context, tx *database.Tx, job *rivertype.JobRow) error {
	change, outcome := "state = 'available'", Retried
	if job.Attempt >= job.MaxAttempts {
		change, outcome = "state = 'discarded', finalized_at = CURRENT_TIMESTAMP", GaveUp
	}
	changed, err := tx.Exec(ctx, "UPDATE river_job SET "+change+" WHERE id = $1 AND state = 'running' AND attempt = $2", job.ID, job.Attempt)
	if err != nil || changed == 0 {
		return err
	}
	q.opts.Log.WarnContext(ctx, "a process died during a job", slog.Int64("job", job.ID), slog.String("kind", job.Kind), slog.String("outcome", string(outcome)))
	return nil
}
