package queue

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// rescueLock is the number of the lock under which one machine at a time
	// looks for jobs of dead ones.
	rescueLock = 0x72657363
	// mostRunning is how many running jobs are looked at together.
	mostRunning = 10_000
	// orphanBeats is how many beats in a row see an orphan before it is given back:
	// for so long that River has tried again, in vain, to store its end. It does
	// that four times a second, so no orphan is younger than orphanAge.
	orphanBeats = 5
	orphanAge   = time.Second
)

// orphan is an attempt that is this process's, as the database says, and that
// the process does not work on. It has just been taken, or its end is being
// stored; but if it stays, the database was away when either was told.
type orphan struct {
	attempt, beats int
	since          time.Time
}

// rescue gives back jobs of processes that are not there any more, and orphans.
// If it buries, it first removes processes that have been silent.
func (q *Queue) rescue(ctx context.Context, removeSilent bool) error {
	return q.db.Write(ctx, func(tx *Tx) error {
		if only, err := q.alone(ctx, tx); err != nil || !only {
			return err
		}
		if removeSilent {
			if _, err := tx.Exec(ctx, "DELETE FROM queue_process WHERE seen < "+q.clock()+" - $1", q.opts.Silence.Milliseconds()); err != nil {
				return err
			}
		}
		alive, err := processes(ctx, tx)
		if err != nil {
			return err
		}
		jobs, err := q.engine.list(ctx, tx, river.NewJobListParams().States(rivertype.JobStateRunning).First(mostRunning))
		if err != nil {
			return fault.Infraf("list the jobs that run: %w", err)
		}
		seen := map[int64]orphan{}
		for _, job := range jobs {
			switch by := worksOn(job); {
			case by == q.opts.Process:
				err = q.look(ctx, tx, job, seen)
			case !slices.Contains(alive, by):
				err = q.giveBack(ctx, tx, job)
			}
			if err != nil {
				return err
			}
		}
		q.orphans = seen
		return nil
	})
}

// worksOn returns which process has a job.
func worksOn(job *rivertype.JobRow) string {
	if n := len(job.AttemptedBy); n > 0 {
		return job.AttemptedBy[n-1]
	}
	return ""
}

// alone reports whether no other machine looks for dead ones right now.
func (q *Queue) alone(ctx context.Context, tx *Tx) (only bool, err error) {
	if q.db.Dialect() == SQLite {
		return true, nil
	}
	if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", int64(rescueLock)).Scan(&only); err != nil {
		return false, fault.Infraf("lock the search for dead processes: %w", err)
	}
	return only, nil
}

// processes returns those that live.
func processes(ctx context.Context, tx *Tx) ([]string, error) {
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
func (q *Queue) giveBack(ctx context.Context, tx *Tx, job *rivertype.JobRow) error {
	change, outcome := "state = 'available'", Retried
	if job.Attempt >= job.MaxAttempts {
		change, outcome = "state = 'discarded', finalized_at = CURRENT_TIMESTAMP", GaveUp
	}
	changed, err := q.change(ctx, tx, job, change)
	if err != nil || !changed {
		return err
	}
	q.opts.Log.WarnContext(ctx, "a process died during a job", slog.Int64("job", job.ID), slog.String("kind", job.Kind), slog.String("outcome", string(outcome)))
	return nil
}

// look looks at a job of this process, and gives it back if it has been an orphan
// for long. The attempt does not count, as nothing is known against the job.
// Seen collects the orphans that are left.
func (q *Queue) look(ctx context.Context, tx *Tx, job *rivertype.JobRow, seen map[int64]orphan) error {
	if q.running.has(job.ID) {
		return nil
	}
	now := q.opts.Now()
	s, known := q.orphans[job.ID]
	if !known || s.attempt != job.Attempt {
		s = orphan{attempt: job.Attempt, since: now}
	}
	if s.beats++; s.beats < orphanBeats || now.Sub(s.since) < orphanAge {
		seen[job.ID] = s
		return nil
	}
	changed, err := q.change(ctx, tx, job, "state = 'available', attempt = attempt - 1")
	if err != nil || !changed {
		return err
	}
	q.opts.Log.WarnContext(ctx, "how a job ended could not be stored: it is done again", slog.Int64("job", job.ID), slog.String("kind", job.Kind))
	return nil
}

// change changes the state of a job that still runs in the same attempt.
func (q *Queue) change(ctx context.Context, tx *Tx, job *rivertype.JobRow, set string) (bool, error) {
	changed, err := tx.Exec(ctx, "UPDATE river_job SET "+set+" WHERE id = $1 AND state = 'running' AND attempt = $2", job.ID, job.Attempt)
	return changed > 0, err
}
