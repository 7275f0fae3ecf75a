// Package conduct has what deliveries start done: it decides, makes runs, has
// them measured, and tells on GitHub how they go.
//
// A run is stored before anything is done for it, and ends once. Everything
// else is done by jobs that may be done again: one measures the run, one tells
// how it ended. [Conductor.Reap] finds what has neither.
package conduct

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// Executor has a run measured.
type Executor interface {
	// Execute returns when the run is over, or with [ErrElsewhere] while it
	// goes on elsewhere; then it is called again after a while. It is called
	// again, too, after the process that it ran in died. The error of a run
	// that cannot be measured is of kind invalid if a person has to mend it;
	// after others it is tried again, unless [queue.Permanent] made them.
	Execute(ctx context.Context, w Work) (runs.Outcome, error)
	// Abandon ends what still goes on elsewhere of a run that was ended by
	// others. With [ErrElsewhere], as long as that takes, it is called again
	// after a while; after an error of kind infrastructure it is tried again.
	Abandon(ctx context.Context, r runs.Run, client *github.Client) error
}

// Work is a run to be measured.
type Work struct {
	Run runs.Run
	// Client asks GitHub in the run's repository.
	Client *github.Client
	// Rows are those that are there already, as lines of JSON.
	Rows [][]byte
	// Before are the runs that this one goes on with: the one whose rows it
	// takes over, the one that that one went on with, and so on.
	Before []runs.Run
	// Keep stores a row, and Progress says how far the run is, and what all of
	// its rows have cost, also those that it took over.
	Keep     func(cell bench.Cell, row []byte)
	Progress func(done, cells int, costUSD float64)
	// Surface says what changed for agents, where that is found before the first
	// session.
	Surface func(*bench.SurfaceChange)
}

// Options are what a conductor works with.
type Options struct {
	Runs  *runs.Table
	DB    *database.DB
	Queue *queue.Queue
	// Clients returns a client for one repository of an installation.
	Clients func(ctx context.Context, installation int64, owner, name string) (*github.Client, error)
	// App returns the id of this App.
	App       func() int64
	Library   *scenario.Library
	Executors map[settings.Executor]Executor
	// PublicURL is where the dashboard is, empty if there is none.
	PublicURL string
	// Lane is the queue's for measuring, TellLane the one for telling.
	Lane, TellLane string
	// Parallel is how many runs of one installation go on at a time.
	Parallel int
	Now      func() time.Time
	// NewID returns a new run's id.
	NewID func() string
	Log   *slog.Logger
	// Redact takes secrets out of what is stored and shown.
	Redact func(string) string
	// Count is told what a command, or a button, came to, and why another event
	// led to nothing; then the command is empty. Each text is one of a few.
	Count func(event, command, outcome string)
	// Watch is how often a run looks whether it was stopped; 0 means
	// [DefaultWatch].
	Watch time.Duration
	// Elsewhere is how often a run that goes on elsewhere is looked at; 0
	// means [DefaultElsewhere].
	Elsewhere time.Duration
	// Wait is how often a run that waits for its turn looks for it; 0 means
	// [DefaultWait].
	Wait time.Duration
	// Refused is how often it is tried to tell what GitHub refuses; 0 means
	// [DefaultRefused].
	Refused time.Duration
}

// The defaults of options.
const (
	DefaultWatch     = time.Second
	DefaultElsewhere = time.Minute
	DefaultWait      = 5 * time.Second
	DefaultRefused   = 10 * time.Minute
)

// Conductor does what deliveries start. It is safe for concurrent use.
type Conductor struct {
	opts       Options
	measure    queue.Kind[job]
	telling    queue.Kind[job]
	abandoning queue.Kind[job]
}

// job is the payload of all kinds of jobs.
type job struct {
	Run string `json:"run"`
}

const (
	// measureAttempts is how often a run is taken up, also after the death of
	// a process; measureTries is after how many an error counts for good.
	measureAttempts = 50
	measureTries    = 5
	tellTimeout     = 2 * time.Minute
)

// New returns a conductor and has the queue work for it. It is called before
// the queue starts.
func New(opts Options) *Conductor {
	opts.Watch = cmp.Or(opts.Watch, DefaultWatch)
	opts.Elsewhere = cmp.Or(opts.Elsewhere, DefaultElsewhere)
	opts.Wait = cmp.Or(opts.Wait, DefaultWait)
	opts.Refused = cmp.Or(opts.Refused, DefaultRefused)
	c := &Conductor{
		opts:       opts,
		measure:    queue.Kind[job]{Name: "measure", Lane: opts.Lane, Attempts: measureAttempts},
		telling:    queue.Kind[job]{Name: "tell", Lane: opts.TellLane, Timeout: tellTimeout},
		abandoning: queue.Kind[job]{Name: "abandon", Lane: opts.TellLane, Timeout: tellTimeout},
	}
	queue.Handle(opts.Queue, c.measure, c.doMeasure)
	queue.Handle(opts.Queue, c.telling, c.doTell)
	queue.Handle(opts.Queue, c.abandoning, c.doAbandon)
	return c
}

// measureJob returns the job that measures a run, once at a time.
func (c *Conductor) measureJob(r runs.Run) queue.JobSpec { return c.measure.New(job{r.ID}).Once(r.ID) }

func (c *Conductor) tellJob(id string) queue.JobSpec { return c.telling.New(job{id}).Once(id) }

// client returns a client for the repository of an event.
func (c *Conductor) client(ctx context.Context, e ghevent.Event) (*github.Client, error) {
	return c.opts.Clients(ctx, e.InstallationID, e.Repo.Owner, e.Repo.Name)
}

// publisher returns what tells in a run's repository.
func (c *Conductor) publisher(ctx context.Context, r runs.Run) (*github.Client, *publish.Publisher, error) {
	client, err := c.opts.Clients(ctx, r.Installation, r.Owner(), r.Name())
	if err != nil {
		return nil, nil, err
	}
	return client, publish.New(client, r.Owner(), r.Name()), nil
}

func (c *Conductor) warn(ctx context.Context, r runs.Run, notices []publish.Notice) {
	for _, n := range notices {
		c.opts.Log.WarnContext(ctx, "not published", slog.String("run", r.ID), slog.String("problem", c.opts.Redact(n.Err.Error())))
	}
}
