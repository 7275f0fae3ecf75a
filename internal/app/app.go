// Package app is the server of the GitHub App: it receives deliveries of
// webhooks, stores each with its job, and works on the jobs.
//
// The way of a delivery: [intake] checks it and has it stored together with a
// job ([App.Keep]); the table [Events] says which ones matter. A worker takes
// the job and calls the handler of the event ([App.On]).
package app

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/config"
	"github.com/ghx-dev/bench-action/internal/app/intake"
	"github.com/ghx-dev/bench-action/internal/app/store"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/queue/database"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// Options say how a server works. All must be given.
type Options struct {
	Config config.Config
	// Process names this process, unlike any other on the same database.
	Process string
	Log     *slog.Logger
	Secrets *redact.Redactor
	Now     func() time.Time
	// Random returns a text that nobody can guess.
	Random func() string
	// Version is shown to who asks for it.
	Version string
	// Transport sends requests to GitHub.
	Transport http.RoundTripper
	// Polling has other times than the usual ones in the queue; the zero value
	// is right but for tests.
	Polling Polling
}

// Polling is how often the queue looks for things; 0 means its defaults.
type Polling struct{ Poll, Beat, Silence time.Duration }

// The lanes of jobs.
const (
	// LaneEvents is for what deliveries start, which is short.
	LaneEvents = "events"
	// LaneRuns is for benchmark runs, which are long. Their number is set.
	LaneRuns = "runs"
	// LaneUpkeep is for what is done every now and then.
	LaneUpkeep = "upkeep"
)

const (
	eventWorkers  = 16
	upkeepWorkers = 4
)

// App is a server that is set up but does not serve yet: see [App.Serve].
type App struct {
	opts     Options
	db       *database.DB
	store    *store.Store
	queue    *queue.Queue
	receiver *intake.Receiver
	finisher *finisher
	metrics  *metrics
	handlers map[string]Handler
	givenUp  func(ctx context.Context, delivery store.Delivery, problem error)
	mux      *http.ServeMux
	// github is who asks GitHub as the App; nil as long as it is not set up.
	github      atomic.Pointer[identity]
	credentials atomic.Pointer[config.Credentials]
	ready       readiness
	stopping    atomic.Bool
}

// Handler does what a delivery of an event starts. It may be called again for
// the same delivery: see [queue.Handle].
type Handler func(ctx context.Context, delivery store.Delivery) error

// New opens the database and sets up a server.
func New(ctx context.Context, opts Options) (*App, error) {
	db, err := database.Open(ctx, opts.Config.Database)
	if err != nil {
		return nil, err
	}
	a := &App{opts: opts, db: db, handlers: map[string]Handler{}, givenUp: func(context.Context, store.Delivery, error) {}, mux: http.NewServeMux()}
	if err := a.build(ctx); err != nil {
		_ = db.Close() // the error that matters is the other one
		return nil, err
	}
	return a, nil
}

func (a *App) build(ctx context.Context) (err error) {
	a.metrics = newMetrics(a.depths)
	if a.store, err = store.Open(ctx, a.db); err != nil {
		return err
	}
	a.finisher = newFinisher(a.store)
	a.queue, err = queue.New(ctx, a.db, queue.Options{
		Process: a.opts.Process,
		Lanes:   map[string]int{LaneEvents: eventWorkers, LaneRuns: a.opts.Config.Workers, LaneUpkeep: upkeepWorkers},
		Log:     a.opts.Log, Now: a.opts.Now, Redact: a.opts.Secrets.String, Ended: a.metrics.jobEnded, Later: a.limited,
		Poll: a.opts.Polling.Poll, Beat: a.opts.Polling.Beat, Silence: a.opts.Polling.Silence,
	})
	if err != nil {
		return err
	}
	queue.Handle(a.queue, deliveries(), a.handle)
	if err := a.addUpkeep(); err != nil {
		return err
	}
	a.receiver = intake.New(intake.Options{
		Secret: a.webhookSecret, Route: routes{}, Keeper: a, Log: a.opts.Log, Now: a.opts.Now, Count: a.metrics.delivered,
	})
	a.metrics.watch(a.receiver)
	if !a.opts.Config.Credentials.Empty() {
		if err := a.Use(a.opts.Config.Credentials); err != nil {
			return err
		}
	}
	return a.addPages()
}

// Close closes the database of a server that does not serve (any more).
func (a *App) Close() error { return a.db.Close() }

// Queue returns the server's jobs. Handlers are added before [App.Serve].
func (a *App) Queue() *queue.Queue { return a.queue }

// DB returns the server's database.
func (a *App) DB() *database.DB { return a.db }

// Store returns the server's tables.
func (a *App) Store() *store.Store { return a.store }

// On sets what deliveries of an event start; the event is one of [Events]. It
// is called before [App.Serve]. Without it they are stored and nothing else.
func (a *App) On(event string, do Handler) { a.handlers[event] = do }

// OnFailure sets what is done once a delivery has failed for good. It may be
// done again for the same delivery. It is called before [App.Serve]; without it
// nothing is done.
func (a *App) OnFailure(do func(ctx context.Context, delivery store.Delivery, problem error)) {
	a.givenUp = do
}

// Page adds a page, with a pattern of [http.ServeMux]. It is called before
// [App.Serve].
func (a *App) Page(pattern string, page http.Handler) { a.mux.Handle(pattern, page) }

// Use has the server work with an App's credentials from now on.
func (a *App) Use(c config.Credentials) error {
	for _, secret := range c.Secrets() {
		a.opts.Secrets.Add(secret)
	}
	who, err := newIdentity(c, a.opts)
	if err != nil {
		return fault.Wrap(fault.Invalid, err)
	}
	a.credentials.Store(&c)
	a.github.Store(who)
	return nil
}

// Credentials returns the App's credentials; they are empty as long as it is
// not set up.
func (a *App) Credentials() config.Credentials {
	if c := a.credentials.Load(); c != nil {
		return *c
	}
	return config.Credentials{}
}

// webhookSecret is what deliveries are signed with.
func (a *App) webhookSecret() []byte { return []byte(a.Credentials().WebhookSecret) }
