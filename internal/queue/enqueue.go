package queue

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// JobSpec is a job that is to be stored. Its methods return it with more said.
type JobSpec struct {
	kind, lane         string
	attempts, priority int
	payload            any
	unique             string
}

// New returns a job of this kind.
func (k Kind[T]) New(payload T) JobSpec {
	return JobSpec{
		kind: k.Name, lane: k.Lane, payload: payload,
		attempts: cmp.Or(k.Attempts, DefaultAttempts), priority: cmp.Or(k.Priority, First),
	}
}

// Once has the job not be stored if one of its kind with the same name waits
// or runs.
func (s JobSpec) Once(name string) JobSpec { s.unique = name; return s }

// InLane changes the lane that the kind has.
func (s JobSpec) InLane(lane string) JobSpec { s.lane = lane; return s }

// WithPriority changes the priority that the kind has.
func (s JobSpec) WithPriority(priority int) JobSpec { s.priority = priority; return s }

// Stored is what became of a [JobSpec].
type Stored struct {
	// ID is the job's, or that of the one that waits or runs already.
	ID int64
	// Known says that there is such a job already; see [JobSpec.Once].
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
func (s JobSpec) arguments() (arguments, error) {
	payload, err := json.Marshal(s.payload)
	if err != nil {
		return arguments{}, fault.Internalf("write the payload of a job %q: %w", s.kind, err)
	}
	return arguments{s.kind, s.unique, payload}, nil
}

// params writes a job as River takes it.
func (s JobSpec) params() (river.InsertManyParams, error) {
	args, err := s.arguments()
	if err != nil {
		return river.InsertManyParams{}, err
	}
	opts := &river.InsertOpts{Queue: s.lane, MaxAttempts: s.attempts, Priority: s.priority}
	if s.unique != "" {
		opts.UniqueOpts = river.UniqueOpts{ByArgs: true, ByState: unfinished()}
	}
	return river.InsertManyParams{Args: args, InsertOpts: opts}, nil
}

// Enqueue stores jobs with the transaction, and returns what became of each.
func (q *Queue) Enqueue(ctx context.Context, tx *Tx, jobs ...JobSpec) ([]Stored, error) {
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
func (q *Queue) EnqueueMany(ctx context.Context, tx *Tx, jobs []JobSpec) error {
	if len(jobs) == 0 {
		return nil
	}
	plain := true
	for _, job := range jobs {
		plain = plain && job.plain()
	}
	if plain && q.db.Dialect() == SQLite {
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
