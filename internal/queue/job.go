package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Kind is a kind of job whose payload is a T, kept as JSON.
type Kind[T any] struct {
	// Name is in the database: at least two letters, digits, dots, dashes or
	// underscores.
	Name string
	// Lane is one of [Options.Lanes].
	Lane string
	// Timeout ends the context of an attempt; 0 means none.
	Timeout time.Duration
	// Attempts is how often the job is tried; 0 means [DefaultAttempts].
	Attempts int
	// Priority is from [First] to [Last]; 0 means First. Within a lane jobs of
	// a lower number are taken first.
	Priority int
}

// DefaultAttempts is how often a job is tried. With the pauses between them
// that takes some hours.
const DefaultAttempts = 200

// The priorities.
const (
	First = 1
	Last  = 4
)

// Job is one attempt at a job.
type Job[T any] struct {
	ID      int64
	Payload T
	// Attempt counts from 1; Final says that there will be no other.
	Attempt int
	Final   bool
}

// Handle sets what is done with a kind of job. It is called before
// [Queue.Start], once for each kind, by all processes alike.
//
// An error has the job tried again later, unless it is made by [Permanent] or
// [Later]. The context ends when its time is over, or with [ErrStopping] or
// [ErrLost]; [context.Cause] tells which. As a process may die after the work
// and before that is stored, and the database may be away then, a handler must
// bear to be called again.
func Handle[T any](q *Queue, kind Kind[T], do func(context.Context, Job[T]) error) {
	q.handle(handler{
		kind: kind.Name, timeout: kind.Timeout,
		do: func(ctx context.Context, job Job[json.RawMessage]) error {
			typed := Job[T]{ID: job.ID, Attempt: job.Attempt, Final: job.Final}
			if err := json.Unmarshal(job.Payload, &typed.Payload); err != nil {
				return Permanent(fault.Internalf("read the payload of job %d: %w", job.ID, err))
			}
			return do(ctx, typed)
		},
	})
}

// The causes of a context that ended.
var (
	// ErrStopping is that of a process that ends.
	ErrStopping = errors.New("the process stops")
	// ErrLost is that of a process that was silent for so long that others
	// take its jobs.
	ErrLost = errors.New("the process was taken for dead")
)

// permanent is an error that another attempt would not mend.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// Permanent returns an error after which a job is not tried again.
func Permanent(err error) error { return permanent{err} }

// later asks for another attempt.
type later struct{ pause time.Duration }

func (l later) Error() string { return fmt.Sprintf("to be tried again in %s", l.pause) }

// Later returns an error that has the job tried again after a pause; the
// attempt does not count.
func Later(pause time.Duration) error { return later{pause} }

// IsPermanent reports whether an error was made by [Permanent].
func IsPermanent(err error) bool {
	var lasting permanent
	return errors.As(err, &lasting)
}
