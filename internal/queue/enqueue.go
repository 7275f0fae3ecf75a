package queue

import (
	"cmp"
	"context"
	"encoding/json"

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
	unique             string
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
	return arguments{o.kind, o.unique, payload}, nil
}

// params writes a job as River takes it.
func (o Order) params() (river.InsertManyParams, error) {
	args, err := o.arguments()
	if err != nil {
		return river.InsertManyParams{}, err
	}
	opts := &river.InsertOpts{Queue: o.lane, MaxAttempts: o.attempts, Priority: o.priority}
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
		stored = append(stored, Stored{ID: results[0].Job.ID, Known: results[0].UniqueSkippedAsDuplicate})
	}
	return stored, nil
}

// EnqueueMany stores many jobs at once, in a fraction of the time. Nothing is
// told of them.
func (q *Queue) EnqueueMany(ctx context.Context, tx *database.Tx, jobs []Order) error {
	if len(jobs) == 0 {
		return nil
	}
	plain := true
	for _, job := range jobs {
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
