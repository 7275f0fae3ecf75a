package dashboard

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// openAPI describes the API. https://spec.openapis.org/oas/v3.1.0
//
//go:embed openapi.json
var openAPI []byte

// api is the data behind the pages, to be read by programs. Who asks shows the
// session of the pages, or a token of GitHub's that may read the repository; the server
// has no tokens of its own.
type api struct {
	*pages
	readers readers
}

const (
	apiPrefix   = "/api/v1"
	apiLimit    = 50
	apiMost     = 100
	apiMostRows = 2000
	// unknownRate is how often a second GitHub is asked about tokens that are not known,
	// which anybody can make up.
	unknownRate, unknownBurst = 5, 100
)

func (d *pages) mountAPI(mux *http.ServeMux) {
	a := &api{pages: d, readers: readers{may: d.MayRead, now: d.Now, known: map[reader]readable{}, unknown: rate.NewLimiter(unknownRate, unknownBurst)}}
	mux.HandleFunc("GET "+apiPrefix+"/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(openAPI) // who asked may be gone
	})
	mux.HandleFunc("GET "+apiPrefix+"/repos/{owner}/{name}/runs", a.runs)
	mux.HandleFunc("GET "+apiPrefix+"/repos/{owner}/{name}/series", a.series)
	mux.HandleFunc("GET "+apiPrefix+"/runs/{id}", a.run)
	mux.HandleFunc("GET "+apiPrefix+"/runs/{id}/rows", a.rows)
	mux.HandleFunc("GET "+apiPrefix+"/runs/{id}/scenarios/{scenario}/{mode}/{repetition}/transcript", a.transcript)
	mux.HandleFunc("GET "+apiPrefix+"/", func(w http.ResponseWriter, _ *http.Request) {
		a.refuse(w, http.StatusNotFound, "There is no such resource: "+apiPrefix+"/openapi.json lists them")
	})
}

// apiRun is a run as the API has it.
type apiRun struct {
	ID         string        `json:"id"`
	Repository string        `json:"repository"`
	Pull       *int          `json:"pull_request"`
	Commit     string        `json:"commit"`
	State      State         `json:"state"`
	Verdict    bench.Verdict `json:"verdict,omitempty"`
	Simulated  bool          `json:"simulated"`
	Asked      string        `json:"asked"`
	Model      string        `json:"model"`
	Scenarios  string        `json:"scenarios"`
	Modes      []bench.Mode  `json:"modes"`
	Done       int           `json:"cells_done"`
	Cells      int           `json:"cells"`
	CostUSD    float64       `json:"cost_usd"`
	Created    time.Time     `json:"created_at"`
	Started    *time.Time    `json:"started_at"`
	Ended      *time.Time    `json:"ended_at"`
	CheckURL   string        `json:"check_url,omitempty"`
	// Problem, Reason and Summary are in the answer about one run alone.
	Problem string         `json:"problem,omitempty"`
	Reason  string         `json:"reason,omitempty"`
	Summary *bench.Summary `json:"summary,omitempty"`
}

func newAPIRun(r Run) apiRun {
	run := apiRun{
		ID: r.ID, Repository: r.Repo, Commit: r.Commit, State: r.State, Verdict: r.Verdict, Simulated: r.Simulated, Asked: r.Asked, Model: r.Model,
		Scenarios: r.Set, Modes: r.Modes, Done: r.Done, Cells: r.Cells, CostUSD: r.CostUSD, Created: r.Created, CheckURL: r.CheckURL,
	}
	if run.Modes == nil {
		run.Modes = []bench.Mode{}
	}
	if r.Pull > 0 {
		run.Pull = &r.Pull
	}
	if !r.Started.IsZero() {
		run.Started = &r.Started
	}
	if !r.Ended.IsZero() {
		run.Ended = &r.Ended
	}
	return run
}

// runs lists a repository's runs, the newest first, filtered as on the page.
func (a *api) runs(w http.ResponseWriter, r *http.Request) {
	repo, ok := a.repository(w, r)
	if !ok {
		return
	}
	limit := apiLimit
	if text := r.FormValue("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > apiMost {
			a.refuse(w, http.StatusBadRequest, "limit is a number from 1 to "+strconv.Itoa(apiMost))
			return
		}
		limit = n
	}
	filter := newRepoFilter(r.URL.Query(), repo)
	filter.Limit = limit + 1
	taken := filter.values()
	for name, choices := range map[string][]string{"state": texted(states()), "verdict": texted(verdicts()), "kind": texted(kinds())} {
		if r.FormValue(name) != taken.Get(name) {
			a.refuse(w, http.StatusBadRequest, name+" is one of "+strings.Join(choices, ", "))
			return
		}
	}
	found, err := a.Source.Runs(r.Context(), filter)
	if err != nil {
		a.broke(w, err)
		return
	}
	answer := struct {
		Runs []apiRun `json:"runs"`
		// Before is what to ask for older runs with, null where there are none.
		Before *string `json:"before"`
	}{Runs: []apiRun{}}
	if len(found) > limit {
		found = found[:limit]
		answer.Before = &found[limit-1].ID
	}
	for _, run := range found {
		answer.Runs = append(answer.Runs, newAPIRun(run))
	}
	a.answer(w, r, answer)
}

// series lists a repository's series, with the points of the one that is named.
func (a *api) series(w http.ResponseWriter, r *http.Request) {
	repo, ok := a.repository(w, r)
	if !ok {
		return
	}
	all, err := a.Source.Series(r.Context(), repo)
	if err != nil {
		a.broke(w, err)
		return
	}
	type one struct {
		Name string    `json:"name"`
		Runs int       `json:"runs"`
		Last time.Time `json:"last_ended_at"`
	}
	answer := struct {
		Series []one   `json:"series"`
		Points []Point `json:"points"`
	}{Series: []one{}, Points: []Point{}}
	for _, s := range all {
		answer.Series = append(answer.Series, one(s))
	}
	if name := r.FormValue("series"); name != "" {
		points, err := a.Source.Course(r.Context(), repo, name, apiMostRows)
		if err != nil {
			a.broke(w, err)
			return
		}
		answer.Points = append(answer.Points, points...)
	}
	a.answer(w, r, answer)
}

func (a *api) run(w http.ResponseWriter, r *http.Request) {
	detail, ok := a.found(w, r)
	if !ok {
		return
	}
	run := newAPIRun(detail.Run)
	run.Problem, run.Reason, run.Summary = detail.Problem, detail.Reason, detail.Summary
	a.answer(w, r, run)
}

// rows writes a run's rows as a ledger, which `bench report` reads.
func (a *api) rows(w http.ResponseWriter, r *http.Request) {
	detail, ok := a.found(w, r)
	if !ok {
		return
	}
	rows, err := a.Source.Rows(r.Context(), detail.ID, r.FormValue("scenario"))
	if err != nil {
		a.broke(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set("Content-Disposition", `attachment; filename="`+detail.ID+`-suite.jsonl"`)
	for _, row := range rows {
		_, _ = w.Write(append(bytes.TrimSpace(row), '\n')) // who asked may be gone
	}
}

// transcript writes what was said and done in a session.
func (a *api) transcript(w http.ResponseWriter, r *http.Request) {
	detail, ok := a.found(w, r)
	if !ok {
		return
	}
	cell, is := cellOf(r)
	if !is {
		a.refuse(w, http.StatusNotFound, noTranscript)
		return
	}
	transcript, err := a.Source.Transcript(r.Context(), detail.ID, cell)
	switch {
	case err != nil:
		a.broke(w, err)
	case transcript == nil:
		a.refuse(w, http.StatusNotFound, noTranscript)
	default:
		a.answer(w, r, transcript)
	}
}

// noTranscript is told whoever may read the run.
const noTranscript = "The run has no transcript of such a session"

// repository returns the one of the path, if whoever asks may read it; otherwise it has
// answered.
func (a *api) repository(w http.ResponseWriter, r *http.Request) (string, bool) {
	repo := r.PathValue("owner") + "/" + r.PathValue("name")
	return repo, a.allowed(w, r, repo, "There is no such repository, or it is not yours to read")
}

// found returns the run of the path, if whoever asks may read its repository.
func (a *api) found(w http.ResponseWriter, r *http.Request) (Detail, bool) {
	const missing = "There is no such run, or its repository is not yours to read"
	detail, err := a.Source.Run(r.Context(), r.PathValue("id"))
	if err != nil && !errors.Is(err, ErrNotFound) {
		a.broke(w, err)
		return Detail{}, false
	}
	if err != nil {
		detail.Repo = "" // nobody may read it; but who shows nothing is told so first
	}
	return detail, a.allowed(w, r, detail.Repo, missing)
}

// allowed reports whether whoever asks may read a repository; otherwise it has answered.
func (a *api) allowed(w http.ResponseWriter, r *http.Request, repo, missing string) bool {
	may, err := false, error(nil)
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); token != "" && (strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "token")) {
		may, err = a.readers.mayRead(r.Context(), token, repo)
	} else {
		var v visitor
		v, err = a.Login.visitor(r)
		may = v.sees(repo)
	}
	switch {
	case errors.Is(err, errNoSession) || errors.Is(err, ErrLoggedOut):
		w.Header().Set("WWW-Authenticate", `Bearer realm="a token of GitHub that may read the repository"`)
		a.refuse(w, http.StatusUnauthorized, "Show a token of GitHub's that may read the repository (Authorization: Bearer TOKEN), or log in at /")
	case errors.Is(err, errTooMany):
		seconds := strconv.Itoa(unknownBurst / unknownRate)
		w.Header().Set("Retry-After", seconds)
		a.refuse(w, http.StatusTooManyRequests, "Too many tokens are shown that are not known yet: try again in "+seconds+" seconds")
	case err != nil:
		a.broke(w, err)
	case !may:
		a.refuse(w, http.StatusNotFound, missing)
	default:
		return true
	}
	return false
}

// answer writes JSON, which a program need not read again while it is the same.
func (a *api) answer(w http.ResponseWriter, r *http.Request, body any) {
	data, err := json.Marshal(body)
	if err != nil {
		a.broke(w, err)
		return
	}
	sum := sha256.Sum256(data)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	w.Header().Set("Content-Type", "application/json")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// broke tells that the server, or GitHub, is at fault.
func (a *api) broke(w http.ResponseWriter, err error) {
	a.Failed(err)
	a.refuse(w, http.StatusBadGateway, "Something went wrong, which is in the server's log: try again in a moment")
}

// refuse answers with a problem. https://www.rfc-editor.org/rfc/rfc9457
func (a *api) refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(status), "status": status, "detail": detail}) // who asked may be gone
}

// readers remembers for a while which tokens may read which repositories. It keeps
// no token, but a sum of it.
type readers struct {
	// may asks GitHub. A token that GitHub does not take is [ErrLoggedOut].
	may func(ctx context.Context, token, repo string) (bool, error)
	now func() time.Time

	mu    sync.Mutex
	known map[reader]readable
	// unknown limits how often GitHub is asked.
	unknown *rate.Limiter
}

// errTooMany is for those who show a token that is not known when many did before.
var errTooMany = errors.New("too many tokens are not known")

type reader struct {
	token [sha256.Size]byte
	repo  string
}

// readable is what GitHub said: an error is [ErrLoggedOut].
type readable struct {
	may   bool
	err   error
	until time.Time
}

func (r *readers) mayRead(ctx context.Context, token, repo string) (bool, error) {
	if repo == "" || r.may == nil {
		return false, nil
	}
	at, now := reader{sha256.Sum256([]byte(token)), strings.ToLower(repo)}, r.now()
	r.mu.Lock()
	known, has := r.known[at]
	r.mu.Unlock()
	if has && now.Before(known.until) {
		return known.may, known.err
	}
	// Who could read it a while ago did not make his token up.
	if !known.may && !r.unknown.AllowN(now, 1) {
		return false, errTooMany
	}
	may, err := r.may(ctx, token, repo)
	if err != nil && !errors.Is(err, ErrLoggedOut) {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxRemembered {
		maps.DeleteFunc(r.known, func(_ reader, k readable) bool { return !k.may })
	}
	if len(r.known) >= maxRemembered {
		clear(r.known)
	}
	r.known[at] = readable{may, err, now.Add(accountLife)}
	return may, err
}
