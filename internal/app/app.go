// Package app is the server of the GitHub App: it receives deliveries of
// webhooks, stores each with its job, and works on the jobs.
//
// The way of a delivery: the [service.Inbox] checks it and stores it together with a
// job, and a worker takes that to whoever handles deliveries ([service.Inbox.Handle]).
package app

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// Options say how a server works. All must be given.
type Options struct {
	Config settings.Server
	// Events are those that start something. An App that is set up in the browser
	// subscribes to these.
	Events service.Subscriptions
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
	// LaneWorkflows is for looks at what workflows do.
	LaneWorkflows = "workflows"
	// LaneUpkeep is for what is done every now and then.
	LaneUpkeep = "upkeep"
)

const (
	eventWorkers    = 16
	workflowWorkers = 8
	upkeepWorkers   = 4
)

// App is a server that is set up but does not serve yet: see [App.Serve].
type App struct {
	opts    Options
	db      *queue.DB
	queue   *queue.Queue
	inbox   *service.Inbox
	clients *github.Clients
	metrics *metrics
	mux     *http.ServeMux
	// github is who asks GitHub as the App; nil as long as it is not set up.
	github      atomic.Pointer[github.App]
	credentials atomic.Pointer[settings.Credentials]
	// asApp is what the credentials are for clients of GitHub, nil like github.
	asApp    atomic.Pointer[github.AppSettings]
	ready    readiness
	stopping atomic.Bool
	// started is called once the queue works.
	started func(context.Context) error
}

// New opens the database and sets up a server.
func New(ctx context.Context, opts Options) (*App, error) {
	db, err := queue.OpenDB(ctx, opts.Config.Database)
	if err != nil {
		return nil, err
	}
	a := &App{opts: opts, db: db, mux: http.NewServeMux(), started: func(context.Context) error { return nil }}
	if err := a.build(ctx); err != nil {
		_ = db.Close() // the error that matters is the other one
		return nil, err
	}
	return a, nil
}

func (a *App) build(ctx context.Context) (err error) {
	a.metrics = newMetrics(a.opts.Events, a.depths)
	a.clients = github.NewClients(github.ClientsOptions{
		App: a.settings, RESTURL: a.opts.Config.APIURL, Transport: a.opts.Transport, Now: a.opts.Now, Random: rand.Float64, Limit: a.RateLimit,
	})
	a.queue, err = queue.New(ctx, a.db, queue.Options{
		Process: a.opts.Process,
		Lanes:   map[string]int{LaneEvents: eventWorkers, LaneRuns: a.opts.Config.Workers, LaneWorkflows: workflowWorkers, LaneUpkeep: upkeepWorkers},
		Prompt:  []string{LaneRuns},
		Log:     a.opts.Log, Now: a.opts.Now, Redact: a.opts.Secrets.String, Ended: a.metrics.jobEnded, Later: a.limited,
		Poll: a.opts.Polling.Poll, Beat: a.opts.Polling.Beat, Silence: a.opts.Polling.Silence,
	})
	if err != nil {
		return err
	}
	a.inbox, err = service.Open(ctx, service.InboxOptions{
		DB: a.db, Queue: a.queue, Lane: LaneEvents, Secret: a.webhookSecret, Events: a.opts.Events, Log: a.opts.Log, Now: a.opts.Now,
		Redact: a.opts.Secrets.String, Count: a.metrics.delivered,
	})
	if err != nil {
		return err
	}
	if err := a.addUpkeep(); err != nil {
		return err
	}
	a.metrics.watch(a.inbox)
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
func (a *App) DB() *queue.DB { return a.db }

// Inbox returns where the server's deliveries arrive.
func (a *App) Inbox() *service.Inbox { return a.inbox }

// Clients returns what makes the App's clients of GitHub. Their error is of kind
// infrastructure as long as the App is not set up.
func (a *App) Clients() *github.Clients { return a.clients }

// ID returns the App's id, 0 as long as it is not set up.
func (a *App) ID() int64 {
	settings, _ := a.settings() // there is none then
	return settings.AppID
}

// settings returns the App as clients know it.
func (a *App) settings() (github.AppSettings, error) {
	if set := a.asApp.Load(); set != nil {
		return *set, nil
	}
	return github.AppSettings{}, fault.Infraf("the App is not set up: see /setup")
}

// Started sets what is done once the server works on jobs. It is called before
// [App.Serve].
func (a *App) Started(do func(context.Context) error) { a.started = do }

// Page adds a page, with a pattern of [http.ServeMux]. It is called before
// [App.Serve].
func (a *App) Page(pattern string, page http.Handler) { a.mux.Handle(pattern, page) }

// Use has the server work with an App's credentials from now on.
func (a *App) Use(c settings.Credentials) error {
	for _, secret := range c.Secrets() {
		a.opts.Secrets.Add(secret)
	}
	who, err := newIdentity(c, a.opts)
	if err != nil {
		return fault.Wrap(fault.Invalid, err)
	}
	settings := c.App()
	a.asApp.Store(&settings)
	a.credentials.Store(&c)
	a.github.Store(who)
	return nil
}

// Credentials returns the App's credentials; they are empty as long as it is
// not set up.
func (a *App) Credentials() settings.Credentials {
	if c := a.credentials.Load(); c != nil {
		return *c
	}
	return settings.Credentials{}
}

// webhookSecret is what deliveries are signed with.
func (a *App) webhookSecret() []byte { return []byte(a.Credentials().WebhookSecret) }
