package appcli

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/app"
	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/scenarios"
)

// runsFolder is where the executor local keeps its files, in the data folder.
const runsFolder = "runs"

// protect has nobody but the server's user read what it keeps: builds and
// agents are other users of this machine.
func protect(c settings.Server) error {
	const folderPerm, filePerm = 0o700, 0o600
	if err := os.MkdirAll(filepath.Join(c.DataDir, runsFolder), folderPerm); err != nil {
		return fault.Infraf("make the folder of runs: %w", err)
	}
	file, is := strings.CutPrefix(c.Database, "sqlite:")
	if !is {
		return nil
	}
	for _, part := range []string{"", "-wal", "-shm"} {
		if err := os.Chmod(file+part, filePerm); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Infraf("close the database to others: %w", err)
		}
	}
	return nil
}

// wiring puts the parts of the App together.
type wiring struct {
	*program
	config   settings.Server
	log      *slog.Logger
	server   *app.App
	table    *runs.Table
	seedings *seedings
	service  *service.Service
	// began is when this process began, with a monotonic clock.
	began time.Time
}

// elapsed is how long this process has run, also if somebody has set the clock.
func (w *wiring) elapsed() time.Duration { return w.now().Sub(w.began) }

// wire has the server do what deliveries start, and show it.
func (p *program) wire(ctx context.Context, server *app.App, c settings.Server, log *slog.Logger) error {
	w := &wiring{program: p, config: c, log: log, server: server, began: p.now()}
	if err := protect(c); err != nil {
		return err
	}
	var err error
	if w.table, err = runs.Open(ctx, server.DB()); err != nil {
		return err
	}
	w.seedings = w.keepAccount()
	if err := w.addService(); err != nil {
		return err
	}
	for _, sentence := range p.lacks(c) {
		log.Warn(sentence)
	}
	server.Inbox().Handle(w.service)
	server.Started(w.service.Admit)
	server.Page("/", w.dashboard())
	return w.upkeep()
}

func (w *wiring) addService() error {
	library, err := scenario.Load(scenarios.Files)
	if err != nil {
		return err
	}
	w.service = service.New(service.Options{
		Runs: w.table, DB: w.server.DB(), Queue: w.server.Queue(), Clients: w.server.Clients().Client, App: w.server.ID,
		Library: library, Executors: map[settings.Executor]service.Executor{settings.Local: w.local(), settings.Dispatch: w.dispatch()},
		PublicURL: w.config.PublicURL, Lane: app.LaneRuns, WatchLane: app.LaneWorkflows, PublishLane: app.LaneEvents, Parallel: w.config.Parallel,
		MaxRunUSD: w.config.MaxRunUSD, MaxDayUSD: w.config.MaxDayUSD,
		Now: w.now, Elapsed: w.elapsed, NewID: func() string { return verify.NewRunID(w.now(), w.random()) }, Log: w.log, Redact: w.secrets.String, Count: w.server.Count,
	})
	return nil
}

func (w *wiring) local() service.Executor {
	return &local{
		dir: filepath.Join(w.config.DataDir, runsFolder), settings: w.config.Local, keep: w.config.Keep, apiURL: w.config.APIURL,
		getenv: w.getenv, now: w.now, random: w.random, secrets: w.secrets, fixtures: w.fixtures, seedings: w.seedings,
		builds: newBuilds(w.config.Local, w.getenv("PATH")), reaches: make(chan struct{}, 1),
	}
}

func (w *wiring) dispatch() service.Executor {
	return &service.Dispatcher{
		Asks: w.table.AskWorkflow, Started: w.table.SetWorkflowRun, Bot: w.server.Clients().Bot, Now: w.now, Elapsed: w.elapsed, HTTP: &http.Client{Transport: w.gitHub},
		Settle: func(ctx context.Context, run string, rows map[bench.Cell][]byte) error {
			for cell, row := range rows {
				rows[cell] = []byte(w.secrets.String(string(row)))
			}
			return w.table.Settle(ctx, run, rows)
		},
	}
}

// fixtures returns the variables by which the engine makes tokens of the App
// for a run's fixtures repository. That must be in the same installation as the
// run's own: what a repository's settings name is not more than its owner has.
// And it must consent: what they name may be more than their author may touch.
func (w *wiring) fixtures(ctx context.Context, r runs.Run) (map[string]string, error) {
	target := r.Request.Plan.Target
	installation, err := w.server.Clients().InstallationFor(ctx, target)
	if err != nil {
		return nil, err
	}
	if installation != r.Installation {
		return nil, fault.Invalidf("%s belongs to another account than %s: fixtures are made in repositories of the same account", target, r.Repo)
	}
	return w.fixtureApp(installation), settings.CheckConsent(ctx, w.server.Clients().Client, installation, target, r.Repo)
}

// fixtureApp returns the App, in an installation, as the engine finds it.
func (w *wiring) fixtureApp(installation int64) map[string]string {
	c, names := w.server.Credentials(), benchcli.FixtureApp()
	return map[string]string{
		names.AppID: strconv.FormatInt(c.AppID, 10), names.InstallationID: strconv.FormatInt(installation, 10), names.PrivateKey: c.PrivateKey,
	}
}

func (w *wiring) keepAccount() *seedings {
	return &seedings{
		table: w.table, db: w.server.DB(), queue: w.server.Queue(), installation: w.server.Clients().InstallationFor, environment: w.fixtureApp,
		bench: benchcli.World{Now: w.now, Random: w.random, Secrets: w.secrets}, apiURL: w.config.APIURL, log: w.log,
	}
}

const (
	reapEvery      = time.Minute
	dueEvery       = 5 * time.Minute
	reapTimeout    = 5 * time.Minute
	pruneEvery     = time.Hour
	pruneTimeout   = 30 * time.Minute
	upkeepAttempts = 2
)

// upkeep has what is left behind found, and what is old removed, every now and
// then.
func (w *wiring) upkeep() error {
	jobs := w.server.Queue()
	reap := queue.Kind[struct{}]{Name: "reap", Lane: app.LaneUpkeep, Timeout: reapTimeout, Attempts: upkeepAttempts}
	queue.Handle(jobs, reap, func(ctx context.Context, _ queue.Job[struct{}]) error { return w.service.Reap(ctx) })
	due := queue.Kind[struct{}]{Name: "measure-due", Lane: app.LaneUpkeep, Timeout: reapTimeout, Attempts: upkeepAttempts}
	queue.Handle(jobs, due, func(ctx context.Context, _ queue.Job[struct{}]) error { return w.service.MeasureDue(ctx) })
	prune := queue.Kind[struct{}]{Name: "prune-runs", Lane: app.LaneUpkeep, Timeout: pruneTimeout, Attempts: upkeepAttempts}
	queue.Handle(jobs, prune, func(ctx context.Context, _ queue.Job[struct{}]) error { return w.prune(ctx) })
	return errors.Join(jobs.Every(reapEvery, reap.New(struct{}{})), jobs.Every(dueEvery, due.New(struct{}{})),
		jobs.Every(pruneEvery, prune.New(struct{}{})), w.seedings.work())
}

// prune removes runs that ended long ago, but not because the clock was set forth.
func (w *wiring) prune(ctx context.Context) error {
	now, reached := w.now().Round(0), w.began.Round(0).Add(w.elapsed())
	if reached.Before(now) {
		now = reached
	}
	pruned, err := w.table.Prune(ctx, now.Add(-w.config.KeepRuns), now)
	if pruned != (runs.Pruned{}) {
		w.log.InfoContext(ctx, "old runs were removed", slog.Int64("runs", pruned.Runs), slog.Int64("rows", pruned.Rows), slog.Int64("notes", pruned.Notes))
	}
	return err
}

// dashboard returns the pages. Who looks logs in with the App, once its client
// id and secret are known and where the server is; before, there is nothing to
// see.
func (w *wiring) dashboard() http.Handler {
	var mu sync.Mutex
	var by settings.Credentials
	pages := w.pages(by)
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if c := w.server.Credentials(); c != by {
			by, pages = c, w.pages(c)
		}
		current := pages
		mu.Unlock()
		current.ServeHTTP(out, r)
	})
}

func (w *wiring) pages(c settings.Credentials) http.Handler {
	opts := dashboard.Options{
		Source: runs.Source{Table: w.table}, Now: w.now,
		Failed: func(err error) {
			w.log.Error("a page could not be shown", slog.String("problem", w.secrets.String(err.Error())))
		},
	}
	if hasLogin(c, w.config.PublicURL) {
		users := dashboard.Users{APIURL: w.config.APIURL, Transport: w.gitHub}
		opts.MayRead = users.MayRead
		opts.Public = func(ctx context.Context, repo string) (bool, error) {
			public, err := users.MayRead(ctx, "", repo)
			if errors.Is(err, dashboard.ErrLoggedOut) {
				return false, nil // a server of GitHub's that shows strangers nothing
			}
			return public, err
		}
		opts.Login = &dashboard.Login{
			ClientID: c.ClientID, ClientSecret: c.ClientSecret, ServerURL: w.config.GitHubURL, PublicURL: w.config.PublicURL,
			HTTP: &http.Client{Transport: w.gitHub, Timeout: loginTimeout}, Lookup: users.Lookup, Now: w.now,
			Revoke: func(ctx context.Context, token string) error {
				return users.Revoke(ctx, c.ClientID, c.ClientSecret, token)
			},
		}
	}
	return dashboard.New(opts)
}

const loginTimeout = 30 * time.Second

func hasLogin(c settings.Credentials, publicURL string) bool {
	return c.ClientID != "" && c.ClientSecret != "" && publicURL != ""
}

// askTimeout is how long GitHub may take to say what the App has.
const askTimeout = 10 * time.Second

// askGitHub says in a few words what GitHub thinks of the App, and in a sentence
// each what the App lacks. The error is about a key that GitHub does not accept.
func (p *program) askGitHub(ctx context.Context, c settings.Server) (state string, lacks []string, err error) {
	if c.Credentials.Empty() {
		return "not asked, as there is no App", nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	asks, err := github.NewClients(github.ClientsOptions{
		App: func() (github.AppSettings, error) { return c.Credentials.App(), nil }, RESTURL: c.APIURL, Transport: p.gitHub, Now: p.now, Random: rand.Float64,
	}).App()
	var facts github.AppFacts
	if err == nil {
		facts, err = asks.Facts(ctx)
	}
	lacks = dashboard.Lacks(facts, dashboard.Permissions(), service.Events().Subscribed())
	switch {
	case err != nil && fault.KindOf(err) == fault.Invalid:
		return "does not accept the App", nil, err
	case err != nil:
		return "could not be asked what the App may do: " + err.Error(), nil, nil
	case len(lacks) > 0:
		return "the App lacks permissions or events, see below", lacks, nil
	default:
		return "the App has all permissions and events", nil, nil
	}
}

// lacks says what works less for want of a setting, for people.
func (p *program) lacks(c settings.Server) []string {
	all := settings.UnknownVariables(p.environ(), fileVariable)
	if c.PublicURL == "" {
		all = append(all, "BENCH_APP_PUBLIC_URL is not set: check runs do not lead to the dashboard")
	}
	if !c.Credentials.Empty() && !hasLogin(c.Credentials, c.PublicURL) {
		all = append(all, "the dashboard is off: it needs BENCH_APP_PUBLIC_URL, BENCH_APP_CLIENT_ID and BENCH_APP_CLIENT_SECRET")
	}
	if os.Geteuid() != 0 {
		all = append(all, "the server does not run as root: with `executor: local` builds and agents are its own user, who can read the data folder")
	}
	if c.Local.ModelKey == "" && c.Local.ModelBaseURL == "" && !benchcli.HasModelKey(p.getenv) {
		all = append(all, "there is no key of a model's API: with `executor: local` only the model scripted can be run; set "+keyVariable+" or the provider's own, such as OPENAI_API_KEY")
	}
	return all
}

// together writes sentences one to a line, each after a mark.
func together(sentences []string) string {
	if len(sentences) == 0 {
		return ""
	}
	return "- " + strings.Join(sentences, "\n- ") + "\n"
}
