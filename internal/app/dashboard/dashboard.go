// Package dashboard shows runs in a browser: what runs, how it came out, what
// it cost, and how a repository's figures go over time.
//
// Pages are made on the server and need no script. Who looks has logged in at
// GitHub, and sees the repositories that GitHub shows him.
package dashboard

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// State is how far a run is.
type State string

// The states.
const (
	Queued   State = "queued"
	Running  State = "running"
	Finished State = "finished"
	Stopped  State = "stopped"
	Broken   State = "broken"
	Skipped  State = "skipped"
)

// Kind is what a run is about.
type Kind string

// The kinds. Commands are about a pull request too, and ask for what they say.
const (
	PullRequest Kind = "pull_request"
	Baseline    Kind = "baseline"
	Command     Kind = "command"
	MergeQueue  Kind = "merge_queue"
)

// Run is a run as lists show it.
type Run struct {
	ID   string
	Kind Kind
	// Repo is "owner/name", Pull the pull request's number or 0.
	Repo   string
	Pull   int
	Commit string
	State  State
	// Verdict is empty until there is one.
	Verdict bench.Verdict
	// Simulated is true where no model is involved, so that nothing is spent.
	Simulated bool
	// Asked says what started the run, such as "push" or "/bench by octocat".
	Asked       string
	Model, Set  string
	Modes       []bench.Mode
	Done, Cells int
	CostUSD     float64
	// Created is set; Started and Ended are zero until then.
	Created, Started, Ended time.Time
	// CheckURL is the check run's page, empty if there is none.
	CheckURL string
}

// Detail is a run with all there is to show of it.
type Detail struct {
	Run
	// Problem ended a broken run.
	Problem string
	// Reason is why a run was stopped or never began, with code in backticks.
	Reason string
	// Summary is nil where nothing was judged.
	Summary *bench.Summary
	// Log is the last part of what the run printed, without secrets.
	Log string
}

// Point is a judged run in a repository's course.
type Point struct {
	RunID  string    `json:"run"`
	At     time.Time `json:"ended_at"`
	Commit string    `json:"commit"`
	// Pull is the pull request's number, 0 for none; DefaultBranch is true of a run of
	// that branch as it was.
	Pull          int           `json:"pull_request"`
	DefaultBranch bool          `json:"default_branch"`
	Verdict       bench.Verdict `json:"verdict"`
	// Simulated is true where no model was involved.
	Simulated bool `json:"simulated"`
	// TokensPct (of active tokens), TotalPct (of all), LatencyPct and CallsPct are
	// reductions in percent, SuccessPP is a difference of rates in percentage points;
	// nil where there is no figure.
	TokensPct  *float64 `json:"tokens_active_reduction_pct"`
	TotalPct   *float64 `json:"tokens_total_reduction_pct"`
	LatencyPct *float64 `json:"latency_reduction_pct"`
	CallsPct   *float64 `json:"tool_call_reduction_pct"`
	SuccessPP  *float64 `json:"success_rate_delta_pp"`
	CostUSD    float64  `json:"cost_usd"`
	// Limits are those of the checks that have any.
	Limits map[bench.CheckName]Limits `json:"limits"`
}

// Limits are what a check's figure lies between, and what it was compared with; nil
// where there is none.
type Limits struct {
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Threshold *float64 `json:"threshold"`
}

// Series are the runs of a repository that may be compared with each other: of one
// model, set of scenarios, and pair of modes.
type Series struct {
	// Name is all of that in words.
	Name string
	Runs int
	Last time.Time
}

// Source knows the runs. A run that does not exist is [ErrNotFound].
type Source interface {
	Run(ctx context.Context, id string) (Detail, error)
	Lists
	Sessions
	History
}

// Lists knows many runs, of repositories that may be seen. Case does not matter in the
// names of these.
type Lists interface {
	Runs(ctx context.Context, f Filter) ([]Run, error)
	// Latest returns, of each repository, the latest run, the latest one with a verdict,
	// and the latest one of the default branch, the newest first; one may be all of that.
	Latest(ctx context.Context, repos []string) ([]Run, error)
	// Models returns those that runs were of.
	Models(ctx context.Context, repos []string) ([]string, error)
}

// Sessions knows what came of a run's cells.
type Sessions interface {
	// Rows returns the rows of a run, each a line of JSON; of one scenario unless that is
	// empty.
	Rows(ctx context.Context, id, scenario string) ([][]byte, error)
	// Cells returns those that have a row.
	Cells(ctx context.Context, id string) ([]bench.Cell, error)
	// Transcript returns what was said and done, nil if that was not kept.
	Transcript(ctx context.Context, id string, cell bench.Cell) (*agent.Transcript, error)
}

// History knows how figures go over time.
type History interface {
	// Series returns those of a repository, the one with the latest run first, and
	// Course the last judged runs of one, oldest first.
	Series(ctx context.Context, repo string) ([]Series, error)
	Course(ctx context.Context, repo, series string, limit int) ([]Point, error)
}

// ErrNotFound is about a run that does not exist.
var ErrNotFound = errors.New("no such run")

// Options are what the pages are made from.
type Options struct {
	Source Source
	// Login is who may look; nil switches the pages off.
	Login *Login
	// MayRead asks GitHub whether a token may read a repository; one that GitHub does
	// not take is [ErrLoggedOut]. Nil lets no token in.
	MayRead func(ctx context.Context, token, repo string) (bool, error)
	// Public asks GitHub, as nobody, whether everybody may read a repository. Nil shows
	// badges to those alone who have logged in.
	Public func(ctx context.Context, repo string) (bool, error)
	Now    func() time.Time
	// Failed is told of errors that a visitor is not shown.
	Failed func(err error)
}

const (
	pageLimit   = 50
	courseLimit = 200
)

//go:embed style.css
var ownStyle string

// New returns the pages, to be mounted at the root.
func New(opts Options) http.Handler {
	d := &pages{Options: opts}
	mux := http.NewServeMux()
	style := report.Style() + report.AttemptStyle() + ownStyle
	sum := sha256.Sum256([]byte(style))
	etag := `"` + hex.EncodeToString(sum[:8]) + `"`
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		w.Header().Set("ETag", etag)
		http.ServeContent(w, r, "style.css", time.Time{}, strings.NewReader(style))
	})
	if opts.Login == nil {
		mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
			d.render(w, http.StatusOK, "off", view{Title: "bench"})
		})
		return secured(mux)
	}
	opts.Login.mount(mux, d)
	mux.HandleFunc("GET /{$}", d.seen(d.runs))
	mux.HandleFunc("GET /runs/{id}", d.seen(d.run))
	mux.HandleFunc("GET /runs/{id}/log", d.seen(d.log))
	mux.HandleFunc("GET /runs/{id}/explore", d.seen(d.explore))
	mux.HandleFunc("GET /runs/{id}/scenarios/{scenario}", d.seen(d.scenario))
	mux.HandleFunc("GET /runs/{id}/scenarios/{scenario}/{mode}/{repetition}", d.seen(d.session))
	mux.HandleFunc("GET /repos/{owner}/{name}", d.seen(d.repo))
	mux.HandleFunc("GET /accounts/{owner}", d.seen(d.account))
	mux.HandleFunc("GET /", d.seen(func(w http.ResponseWriter, _ *http.Request, v visitor) { d.missing(w, v) }))
	d.mountBadge(mux)
	d.mountAPI(mux)
	return secured(mux)
}

// secured sets what every answer says to a browser: nothing from elsewhere,
// no script but that of [pages.explore], no frame.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "private, no-cache")
		next.ServeHTTP(w, r)
	})
}

type pages struct{ Options }

// visitor is who looks, and what he may see.
type visitor struct {
	login string
	repos []string
}

func (v visitor) sees(repo string) bool {
	return slices.ContainsFunc(v.repos, func(r string) bool { return strings.EqualFold(r, repo) })
}

// seen wraps a page that only those see who have logged in.
func (d *pages) seen(page func(http.ResponseWriter, *http.Request, visitor)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := d.Login.visitor(r)
		switch {
		case errors.Is(err, errNoSession):
			d.render(w, http.StatusUnauthorized, "login", view{Title: "Log in", Next: r.URL.RequestURI()})
		case err != nil:
			d.Failed(err)
			d.render(w, http.StatusBadGateway, "failed", view{Title: "GitHub does not answer", Fault: "GitHub did not answer, so it is not known what you may see. Nothing is wrong with this server or with what you asked for."})
		default:
			page(w, r, v)
		}
	}
}

// find returns a run that the visitor may see; otherwise it has answered.
func (d *pages) find(w http.ResponseWriter, r *http.Request, v visitor) (Detail, bool) {
	detail, err := d.Source.Run(r.Context(), r.PathValue("id"))
	switch {
	case errors.Is(err, ErrNotFound) || err == nil && !v.sees(detail.Repo):
		d.missing(w, v)
	case err != nil:
		d.fail(w, err)
	default:
		return detail, true
	}
	return Detail{}, false
}

func (d *pages) run(w http.ResponseWriter, r *http.Request, v visitor) {
	detail, ok := d.find(w, r, v)
	if !ok {
		return
	}
	page := d.runView("Run "+detail.ID, v, detail)
	page.Crumbs[len(page.Crumbs)-1].URL = ""
	if detail.State == Queued || detail.State == Running {
		d.goesOn(&page, r)
	}
	if detail.Summary == nil {
		cells, err := d.Source.Cells(r.Context(), detail.ID)
		if err != nil {
			d.fail(w, err)
			return
		}
		page.Scenarios = scenarioLinks(detail.ID, cells)
	} else {
		body, err := reportBody(*detail.Summary, func(scenario string) string { return scenarioPath(detail.ID, scenario) })
		if err != nil {
			d.fail(w, err)
			return
		}
		page.Report = body
	}
	d.render(w, http.StatusOK, "run", page)
}

func (d *pages) log(w http.ResponseWriter, r *http.Request, v visitor) {
	detail, ok := d.find(w, r, v)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(detail.Log))
}

func (d *pages) missing(w http.ResponseWriter, v visitor) {
	d.render(w, http.StatusNotFound, "missing", view{Title: "Not found", Visitor: v.login})
}

// fail answers where a page cannot be made, and says whose fault that is.
func (d *pages) fail(w http.ResponseWriter, err error) {
	d.Failed(err)
	if fault.KindOf(err) == fault.Infrastructure {
		d.render(w, http.StatusServiceUnavailable, "failed", view{Title: "The database does not answer", Fault: "This server's database did not answer. Nothing is wrong with what you asked for, and what was measured is not lost."})
		return
	}
	d.render(w, http.StatusInternalServerError, "failed", view{Title: "Something went wrong", Fault: "That is a mistake of this server, not of yours. Who runs the server finds it in its log."})
}
