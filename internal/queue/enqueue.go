package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// Order is a job that is to be stored. Its methods return it with more said.
type Order struct {
	kind, lane         string
	attempts, priority int
	payload            any
	unique, key        string
	subject            string
	at                 time.Time
}

// New returns a job of this kind.
func (k Kind[T]) New(payload T) Order {
	return Order{
		kind: k.Name, lane: k.Lane, payload: payload,
		attempts: cmp.Or(k.Attempts, DefaultAttempts), priority: cmp.Or(k.Priority, First),
	}
}

// Once has the job not be stored if one of its kind with the same name waits
// or runs.
func (o Order) Once(name string) Order { o.unique = name; return o }

// About has the job take the place of the last one with the same subject: that
// one is cancelled if it waits or runs. A subject is shared by all kinds.
func (o Order) About(subject string) Order { o.subject = subject; return o }

// For says what the job is for, such as an installation: see [Kind.Parallel].
func (o Order) For(key string) Order { o.key = key; return o }

// At has the job wait until then.
func (o Order) At(t time.Time) Order { o.at = t; return o }

// Prior changes the priority that the kind has.
func (o Order) Prior(priority int) Order { o.priority = priority; return o }

// Stored is what became of an [Order].
type Stored struct {
	// ID is the job's, or that of the one that waits or runs already.
	ID int64
	// Known says that there is such a job already; see [Order.Once].
	Known bool
}

// arguments are what River keeps of a job. The short names save space.
type arguments struct {
	kind    string
	Unique  string          `json:"u,omitempty" river:"unique"`
	Key     string          `json:"k,omitempty"`
	Payload json.RawMessage `json:"p"`
}

// Kind returns the kind's name, for River.
func (a arguments) Kind() string { return a.kind }

// unfinished are the states of jobs that wait or run.
func unfinished() []rivertype.JobState {
	return []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
		rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}
}

// arguments writes what River keeps of a job.
func (o Order) arguments() (arguments, error) {
	payload, err := json.Marshal(o.payload)
	if err != nil {
		return arguments{}, fault.Internalf("write the payload of a job %q: %w", o.kind, err)
	}
	return arguments{o.kind, o.unique, o.key, payload}, nil
}

// params writes a job as River takes it.
func (o Order) params() (river.InsertManyParams, error) {
	args, err := o.arguments()
	if err != nil {
		return river.InsertManyParams{}, err
	}
	opts := &river.InsertOpts{Queue: o.lane, MaxAttempts: o.attempts, Priority: o.priority, ScheduledAt: o.at}
	if o.unique != "" {
		opts.UniqueOpts = river.UniqueOpts{ByArgs: true, ByState: unfinished()}
	}
	return river.InsertManyParams{Args: args, InsertOpts: opts}, nil
}

// Enqueue stores jobs with the transaction, and returns what became of each.
func (q *Queue) Enqueue(ctx context.Context, tx *database.Tx, jobs ...Order) ([]Stored, error) {
	stored := make([]Stored, 0, len(jobs))
	for _, job := range jobs {
		params, err := job.params()
		if err != nil {
			return nil, err
		}
		results, err := q.engine.insert(ctx, tx, []river.InsertManyParams{params})
		if err != nil {
			return nil, fault.Infraf("store a job %q: %w", job.kind, err)
		}
		one := Stored{ID: results[0].Job.ID, Known: results[0].UniqueSkippedAsDuplicate}
		if err := q.replace(ctx, tx, job.subject, one); err != nil {
			return nil, err
		}
		stored = append(stored, one)
	}
	return stored, nil
}

// EnqueueMany stores many jobs at once, in a fraction of the time. They have no
// subject ([Order.About] is an error of kind internal), and nothing is told of
// them.
func (q *Queue) EnqueueMany(ctx context.Context, tx *database.Tx, jobs []Order) error {
	if len(jobs) == 0 {
		return nil
	}
	plain := true
	for _, job := range jobs {
		if job.subject != "" {
			return fault.Internalf("jobs that are stored together have no subject, and one %q is about %q", job.kind, job.subject)
		}
		plain = plain && job.plain()
	}
	if plain && q.db.Dialect() == database.SQLite {
		return insertBulk(ctx, tx, jobs)
	}
	all := make([]river.InsertManyParams, 0, len(jobs))
	for _, job := range jobs {
		params, err := job.params()
		if err != nil {
			return err
		}
		all = append(all, params)
	}
	if err := q.engine.insertFast(ctx, tx, all); err != nil {
		return fault.Infraf("store %d jobs: %w", len(all), err)
	}
	return nil
}

// replace notes the job that a subject has now, and cancels the one before.
func (q *Queue) replace(ctx context.Context, tx *database.Tx, subject string, job Stored) error {
	if subject == "" {
		return nil
	}
	before, err := q.subject(ctx, tx, subject)
	if err != nil || before == job.ID {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE queue_subject SET job = $1 WHERE subject = $2", job.ID, subject); err != nil {
		return err
	}
	return q.Cancel(ctx, tx, before)
}

// subject returns a subject's job, 0 if it has none, and keeps others from
// changing it until the transaction ends.
func (q *Queue) subject(ctx context.Context, tx *database.Tx, subject string) (int64, error) {
	var job int64
	err := tx.QueryRow(ctx, `INSERT INTO queue_subject (subject, job) VALUES ($1, 0)
		ON CONFLICT (subject) DO UPDATE SET subject = excluded.subject RETURNING job`, subject).Scan(&job)
	if err != nil {
		return 0, fault.Infraf("look up the job about %q: %w", subject, err)
	}
	return job, nil
}

// Cancel cancels a job with the transaction: one that waits is never run, the
// context of one that runs ends. It is no error if the job has ended, or if
// there is none.
func (q *Queue) Cancel(ctx context.Context, tx *database.Tx, id int64) error {
	if id == 0 {
		return nil
	}
	if _, err := q.engine.cancel(ctx, tx, id); err != nil {
		return fault.Infraf("cancel job %d: %w", id, err)
	}
	tx.AfterCommit(func() { q.running.cancel(id, ErrCancelled) })
	return nil
}

// CancelAbout cancels the job with a subject, if there is one, and returns its
// id or 0.
func (q *Queue) CancelAbout(ctx context.Context, tx *database.Tx, subject string) (int64, error) {
	id, err := q.subject(ctx, tx, subject)
	if err != nil {
		return 0, err
	}
	return id, q.Cancel(ctx, tx, id)
}
