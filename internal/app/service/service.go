// Package service runs benchmarks for webhook events: it decides, makes runs, has
// them measured, and publishes on GitHub how they go.
//
// Where to look: receiver.go checks who sends a delivery, and the inbox answers once it
// is stored with a job, has a worker take it to [Service.Deliver], stores what became of
// it, and has GitHub deliver again what never arrived; events.go says which events lead
// to something, and on_….go has what each leads to. What a pull request is measured for
// is in policy.go, the /bench commands in commands.go. A run begins in start.go, is
// measured in measure.go, by several workers as shared.go has it, ends in end.go, and
// publish.go shows all of that.
//
// A run is stored before anything is done for it, and ends once. Everything
// else is done by jobs that may be done again: one measures the run, one publishes
// how it ended. [Service.Reap] finds what has neither.
//
// A [Dispatcher] has runs measured by a workflow of the repository that they are
// about, on GitHub's machines and with the repository's own secrets. It starts the
// workflow by the event workflow_dispatch with the inputs run-id, sha and plan, and
// finds its run by the id in its title: one that the App itself has started on the
// default branch, as everybody who may push can start other ones. When that has
// completed, its artifact bench-<run id> has the summary and the rows. Both are what
// somebody else has written: they are read within limits and must be what was asked
// for.
package service

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/queue"
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

// Helper is an executor that several machines can use for one run.
type Helper interface {
	Executor
	// Help runs cells of a run that another machine leads, and returns once there is no
	// more to do for this one.
	Help(ctx context.Context, w Work) error
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
	// Begun is what code that is not trusted was about when a server died, nil for nothing,
	// and KeepBegun stores it; if it begins anew, the rows that there are go.
	Begun     []byte
	KeepBegun func(begun []byte, anew bool) error
	// Shared has the cells of a run that other machines work on, too; nil if none does.
	Shared runner.Shared
	// KeepTranscript stores what was said and done in the session that a row tells of.
	KeepTranscript func(cell bench.Cell, t agent.Transcript)
	// Surface says what changed for agents, where that is found before the first
	// session.
	Surface func(*bench.SurfaceChange)
}

// Options are what a service works with.
type Options struct {
	Runs  *runs.Table
	DB    *queue.DB
	Queue *queue.Queue
	// Clients returns a client for one repository of an installation.
	Clients func(ctx context.Context, installation int64, owner, name string) (*github.Client, error)
	// App returns the id of this App.
	App       func() int64
	Library   *scenario.Library
	Executors map[settings.Executor]Executor
	// PublicURL is where the dashboard is, empty if there is none.
	PublicURL string
	// Lane is the queue's for measuring on the App's machines, WatchLane the one
	// for looking at what is measured elsewhere, PublishLane that for publishing.
	Lane, WatchLane, PublishLane string
	// Parallel is how many runs of one installation go on at a time.
	Parallel int
	// MaxRunUSD and MaxDayUSD bound the budgets that settings name, in USD: of a
	// run, and of a repository's runs of a day. 0 is no bound.
	MaxRunUSD, MaxDayUSD float64
	Now                  func() time.Time
	// Elapsed returns the time since some moment, by a clock that nobody sets.
	Elapsed func() time.Duration
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
	// Refused is how often it is tried to publish what GitHub refuses; 0 means
	// [DefaultRefused].
	Refused time.Duration
}

// The defaults of options.
const (
	DefaultWatch     = time.Second
	DefaultElsewhere = time.Minute
	DefaultRefused   = 10 * time.Minute
)

// Service does what deliveries start. It is safe for concurrent use.
type Service struct {
	opts       Options
	measuring  queue.Kind[job]
	publishing queue.Kind[job]
	abandoning queue.Kind[job]
	helping    queue.Kind[helpJob]
	// noDefaults has when an account was found to have no defaults of settings.
	noDefaults sync.Map
	// going has how long runs have been going on.
	going ages
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
	publishTimeout  = 2 * time.Minute
)

// New returns a service and has the queue work for it. It is called before
// the queue starts.
func New(opts Options) *Service {
	opts.Watch = cmp.Or(opts.Watch, DefaultWatch)
	opts.Elsewhere = cmp.Or(opts.Elsewhere, DefaultElsewhere)
	opts.Refused = cmp.Or(opts.Refused, DefaultRefused)
	s := &Service{
		opts:      opts,
		measuring: queue.Kind[job]{Name: "measure", Lane: opts.Lane, Attempts: measureAttempts},
		// Jobs of that name are stored.
		publishing: queue.Kind[job]{Name: "tell", Lane: opts.PublishLane, Timeout: publishTimeout},
		abandoning: queue.Kind[job]{Name: "abandon", Lane: opts.PublishLane, Timeout: publishTimeout},
		// A run that is to begin goes before those that help another one.
		helping: queue.Kind[helpJob]{Name: "help", Lane: opts.Lane, Attempts: measureAttempts, Priority: queue.Last},
	}
	queue.Handle(opts.Queue, s.helping, s.helpWith)
	queue.Handle(opts.Queue, s.measuring, s.measureJob)
	queue.Handle(opts.Queue, s.publishing, s.publishJob)
	queue.Handle(opts.Queue, s.abandoning, s.abandonJob)
	return s
}

// newMeasureJob returns the job that measures a run, once at a time.
func (s *Service) newMeasureJob(id string, by settings.Executor) queue.JobSpec {
	made := s.measuring.New(job{id}).Once(id)
	if by != settings.Local {
		made = made.InLane(s.opts.WatchLane)
	}
	return made
}

func (s *Service) newPublishJob(id string) queue.JobSpec { return s.publishing.New(job{id}).Once(id) }

// client returns a client for the repository of an event.
func (s *Service) client(ctx context.Context, e ghevent.Event) (*github.Client, error) {
	return s.opts.Clients(ctx, e.InstallationID, e.Repo.Owner, e.Repo.Name)
}

// publisher returns what publishes in a run's repository, and its client.
func (s *Service) publisher(ctx context.Context, r runs.Run) (*github.Client, *publish.Publisher, error) {
	client, err := s.opts.Clients(ctx, r.Installation, r.Owner(), r.Name())
	if err != nil {
		return nil, nil, err
	}
	return client, publish.New(client, r.Owner(), r.Name()), nil
}

func (s *Service) warn(ctx context.Context, r runs.Run, notices []publish.Notice) {
	for _, n := range notices {
		s.opts.Log.WarnContext(ctx, "not published", slog.String("run", r.ID), slog.String("problem", s.opts.Redact(n.Err.Error())))
	}
}
