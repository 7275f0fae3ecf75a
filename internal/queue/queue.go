// Package queue keeps jobs in the App's database, a [DB], until they are done. A job is
// stored in the same transaction as what it is about, is tried again with
// growing pauses, and is given to another process if the one that runs it dies.
//
// It is built on River (https://riverqueue.com), none of whose types its users
// see. What River leaves to others is added here: jobs of a process that died
// are found by its silence, within seconds.
//
//	q, err := queue.New(ctx, db, queue.Options{…})
//	queue.Handle(q, measure, func(ctx context.Context, job queue.Job[Plan]) error {…})
//	q.Start(ctx)
//	db.Write(ctx, func(tx *database.Tx) error {
//		_, err := q.Enqueue(ctx, tx, measure.New(plan).Once("owner/name#7"))
//		return err
//	})
package queue

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Options say how a queue works. Those that say nothing else must be given.
type Options struct {
	// Process names this process, unlike every other one on the database.
	Process string
	// Lanes are how many jobs of each lane this process runs at a time. Jobs of
	// one lane do not keep those of another waiting.
	Lanes map[string]int
	// Prompt are lanes whose workers take the next job as soon as they are free.
	// Others wait for a moment, which is cheaper where jobs are short and many.
	Prompt []string
	Log    *slog.Logger
	Now    func() time.Time
	// Redact takes secrets out of the texts of errors, which are stored.
	Redact func(string) string
	// Ended is told of every job that a process stops working on; nil if
	// nobody wants to know.
	Ended func(Ended)
	// Later returns of an error, for how long its job is to be put off, as if
	// its handler had returned [Later]; false if it is an error like others. It
	// may be nil.
	Later func(error) (pause time.Duration, is bool)
	// Beat is how often a process says that it lives, and Silence after how
	// long it counts as dead, which is several beats. 0 means [DefaultBeat] and
	// [DefaultSilence].
	Beat, Silence time.Duration
	// Poll is how often new jobs are looked for; 0 means [DefaultPoll].
	Poll time.Duration
	// Pause is the pause before the second attempt; 0 means [DefaultPause].
	Pause time.Duration
}

// The defaults of options.
const (
	DefaultBeat    = 3 * time.Second
	DefaultSilence = 15 * time.Second
	DefaultPoll    = 100 * time.Millisecond
	DefaultPause   = 2 * time.Second
)

const (
	// longestPause is the longest pause between attempts: what an outage held
	// up is done soon after it.
	longestPause = 2 * time.Minute
	// promptCooldown is the least time between two looks for jobs of a prompt lane.
	promptCooldown = 5 * time.Millisecond
	// stuckAfter is when River takes a job for abandoned on its own; processes
	// that die are found long before.
	stuckAfter = 7 * 24 * time.Hour
	// keepCompleted is how long jobs are kept that came to a good end.
	keepCompleted = time.Minute
	// graceAfterCancel is how long jobs have to end once they are told to.
	graceAfterCancel = 10 * time.Second
)

// Ended is how one attempt at a job ended.
type Ended struct {
	Kind    string
	Outcome Outcome
	Took    time.Duration
	Attempt int
	// Problem is what went wrong, redacted; empty if nothing.
	Problem string
}

// Outcome says how an attempt ended.
type Outcome string

// The outcomes.
const (
	Succeeded Outcome = "succeeded"
	// Retried is an error after which the job is tried again, GaveUp one after
	// which it is not.
	Retried Outcome = "retried"
	GaveUp  Outcome = "gave_up"
	// Postponed is a job that asked to be tried later.
	Postponed Outcome = "postponed"
	// Interrupted is a job that the end of its process stopped.
	Interrupted Outcome = "interrupted"
	// Panicked is a defect of a handler. The job is tried again, as after
	// other errors.
	Panicked Outcome = "panicked"
)

// Queue is the jobs in a database, as one process sees them. It is safe for
// concurrent use once it is started.
type Queue struct {
	db      *DB
	opts    Options
	engine  *engine
	workers *river.Workers
	running running
	// orphans are those of the last beat, by id.
	orphans map[int64]orphan
	// stopping is true from when jobs are told that the process ends.
	stopping atomic.Bool
	// endBeat ends the goroutine that says that the process lives.
	endBeat context.CancelFunc
	beating sync.WaitGroup
}

// New returns the queue of a database and makes its tables. Before it is
// started, every kind of job needs its handler: see [Handle].
func New(ctx context.Context, db *DB, opts Options) (*Queue, error) {
	q := &Queue{db: db, opts: opts.withDefaults(), workers: river.NewWorkers(), endBeat: func() {}}
	lanes := map[string]river.QueueConfig{}
	for lane, workers := range opts.Lanes {
		lanes[lane] = river.QueueConfig{MaxWorkers: workers}
		if slices.Contains(opts.Prompt, lane) {
			lanes[lane] = river.QueueConfig{MaxWorkers: workers, FetchCooldown: promptCooldown}
		}
	}
	config := &river.Config{
		ID: opts.Process, Queues: lanes, Workers: q.workers, Logger: slog.New(quiet{opts.Log.Handler()}),
		FetchCooldown: q.opts.Poll, FetchPollInterval: q.opts.Poll,
		JobTimeout: -1, RescueStuckJobsAfter: stuckAfter, CompletedJobRetentionPeriod: keepCompleted,
	}
	var err error
	if db.Dialect() == Postgres {
		q.engine, err = newEngine(guarded[pgx.Tx]{riverpgxv5.New(db.Pool()), q}, config, (*Tx).Postgres)
	} else {
		q.engine, err = newEngine(guarded[*sql.Tx]{riversqlite.New(db.Writer()), q}, config, (*Tx).SQLite)
	}
	if err != nil {
		return nil, fault.Internalf("set up the queue: %w", err)
	}
	if err := db.Exclusively(ctx, q.engine.migrate); err != nil {
		return nil, fault.Infraf("make the tables of the queue: %w", err)
	}
	return q, db.Migrate(ctx, schema())
}

func (o Options) withDefaults() Options {
	o.Beat = orDefault(o.Beat, DefaultBeat)
	o.Silence = orDefault(o.Silence, DefaultSilence)
	o.Poll = orDefault(o.Poll, DefaultPoll)
	o.Pause = orDefault(o.Pause, DefaultPause)
	if o.Ended == nil {
		o.Ended = func(Ended) {}
	}
	if o.Later == nil {
		o.Later = func(error) (time.Duration, bool) { return 0, false }
	}
	return o
}

func orDefault(value, otherwise time.Duration) time.Duration {
	if value == 0 {
		return otherwise
	}
	return value
}

// Start begins to work on jobs, first of all on those of processes that died.
// It ends with [Queue.Stop], not with the context.
func (q *Queue) Start(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := q.enter(ctx); err != nil {
		return err
	}
	beat, end := context.WithCancel(ctx)
	q.endBeat = end
	q.beating.Go(func() { q.live(beat) })
	if err := q.engine.start(ctx); err != nil {
		end()
		q.beating.Wait()
		return fault.Infraf("start the queue: %w", err)
	}
	return nil
}

// Stop takes no more jobs and waits for those that run. When the context ends
// they are told to stop too, and go back into the queue.
func (q *Queue) Stop(ctx context.Context) error {
	problem := q.engine.stop(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceAfterCancel)
	defer cancel()
	if problem != nil {
		q.stopping.Store(true)
		if problem = q.engine.stopAndCancel(last); problem != nil {
			problem = fault.Infraf("stop the queue: jobs do not end: %w", problem)
		}
	}
	q.endBeat()
	q.beating.Wait()
	if problem != nil {
		// Those jobs are another process's once this one is silent.
		return problem
	}
	return errors.Join(problem, q.leave(last))
}
