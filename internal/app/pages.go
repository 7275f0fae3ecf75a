package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

const (
	// readyTimeout is how long each part of a readiness check may take.
	readyTimeout = 5 * time.Second
	// writeEvery is how long what the database took says that it takes more.
	writeEvery = 5 * time.Second
	// checkEvery is how often GitHub is asked whether it accepts the
	// credentials.
	checkEvery = time.Minute
)

// addPages adds what every server answers. The webhook takes any method, to
// count what it refuses.
func (a *App) addPages() error {
	a.mux.Handle("/webhook", a.inbox)
	a.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	a.mux.HandleFunc("GET /readyz", a.serveReady)
	a.mux.Handle("GET /metrics", guarded(a.opts.Config.MetricsToken, a.metrics.handler()))
	if !a.Credentials().Empty() {
		return nil
	}
	pages, err := a.setupPages()
	if err != nil {
		return err
	}
	a.mux.Handle("/setup", pages)
	a.mux.Handle("/setup/", pages)
	return nil
}

// setupPages returns the pages of the first set-up, and logs how to get in.
func (a *App) setupPages() (http.Handler, error) {
	token := a.opts.Random()
	pages, err := dashboard.NewSetup(dashboard.SetupOptions{
		Token: token, PublicURL: a.opts.Config.PublicURL, GitHubURL: a.opts.Config.GitHubURL, APIURL: a.opts.Config.APIURL,
		Events: a.opts.Events.Subscribed(), Random: a.opts.Random, Now: a.opts.Now, Client: &http.Client{Transport: a.opts.Transport, Timeout: readTimeout},
		Log: a.opts.Log, Done: func(c settings.Credentials) error {
			if err := settings.SaveCredentials(a.opts.Config.DataDir, c); err != nil {
				return err
			}
			return a.Use(c)
		},
	})
	if err != nil {
		return nil, err
	}
	path, known := "/setup?token="+token, a.opts.Config.PublicURL
	if known == "" {
		a.opts.Log.Warn("the App is not set up: open the path in a browser, below the server's address", slog.String("path", path))
	} else {
		a.opts.Log.Warn("the App is not set up: open the address in a browser", slog.String("address", known+path))
	}
	return pages, nil
}

// readiness is what is known of the credentials and of the database.
type readiness struct {
	mu      sync.Mutex
	checked time.Time
	who     *github.App
	problem error

	// writing guards written, when the database last took what was written.
	writing sync.Mutex
	written time.Time
}

// serveReady says whether the server can do its work. GitHub being down is
// told, but is no reason to take no deliveries.
func (a *App) serveReady(w http.ResponseWriter, request *http.Request) {
	status, parts := http.StatusOK, map[string]string{"status": "ready", "database": "ok", "github": "ok", "version": a.opts.Version}
	not := func(part, why string) {
		status, parts["status"], parts[part] = http.StatusServiceUnavailable, "not ready", why
	}
	ctx, cancel := context.WithTimeout(request.Context(), readyTimeout)
	defer cancel()
	if err := a.writable(ctx); err != nil {
		not("database", fault.Public(err))
	}
	if who := a.github.Load(); who == nil {
		not("github", "the App is not set up: see /setup")
	} else if err := a.ready.check(ctx, who, a.opts.Now()); fault.KindOf(err) == fault.Invalid {
		not("github", fault.Public(err))
	} else if err != nil {
		parts["github"] = "GitHub could not be asked"
	}
	if a.stopping.Load() {
		not("server", "it stops")
	}
	answer(w, status, parts)
}

// writable says whether the database takes what is written, as of a moment ago: a
// full disk or a replica answers questions, and would lose deliveries. Whoever may
// ask for readiness is not to have the disk written each time.
func (a *App) writable(ctx context.Context) error {
	a.ready.writing.Lock()
	defer a.ready.writing.Unlock()
	if now := a.opts.Now(); now.Sub(a.ready.written).Abs() >= writeEvery {
		if err := a.inbox.NoteTime(ctx, "ready", now); err != nil {
			return fault.Because(fault.Infrastructure, err, "the database does not take what is written")
		}
		a.ready.written = now
	}
	return nil
}

// check says whether GitHub accepts the credentials, as of a minute ago.
func (r *readiness) check(ctx context.Context, who *github.App, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.who != who || now.Sub(r.checked) >= checkEvery {
		r.problem = accepted(ctx, who)
		r.who, r.checked = who, now
	}
	return r.problem
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // whoever asked may be gone
}
