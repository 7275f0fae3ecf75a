package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/scenarios"
)

const (
	repo         = sandboxtest.Owner + "/" + sandboxtest.Name
	installation = 5
	appToken     = "token-of-the-app"
	// appSlug is the App's whose check runs these are.
	appSlug = "github-actions"
)

// executor stands for one that measures: it does what the test says.
type executor struct {
	mu sync.Mutex
	do func(context.Context, service.Work) (runs.Outcome, error)
	// seen are the runs that it was given, in order.
	seen []service.Work
	// abandoned are the runs that were ended by others.
	abandoned []string
	// hold keeps those waiting who abandon a run; nil keeps nobody.
	hold chan struct{}
	// goesOn are the errors of what is abandoned and cannot be ended yet.
	goesOn []error
}

func (e *executor) Execute(ctx context.Context, w service.Work) (runs.Outcome, error) {
	e.mu.Lock()
	e.seen = append(e.seen, w)
	do := e.do
	e.mu.Unlock()
	return do(ctx, w)
}

func (e *executor) Abandon(_ context.Context, r runs.Run, _ *github.Client) error {
	if e.hold != nil {
		<-e.hold
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.abandoned = append(e.abandoned, r.ID)
	if n := len(e.abandoned); n <= len(e.goesOn) {
		return e.goesOn[n-1]
	}
	return nil
}

// ended returns the runs that were ended by others, in order; one may be there
// more than once, as whoever stops it and whoever works on it both end it.
func (e *executor) ended() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.abandoned)
}

func (e *executor) set(do func(context.Context, service.Work) (runs.Outcome, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.do = do
}

func (e *executor) works() []service.Work {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]service.Work{}, e.seen...)
}

// passes is what an executor says of a run that passes.
func passes(context.Context, service.Work) (runs.Outcome, error) {
	return runs.Outcome{Summary: &bench.Summary{Gate: bench.Gate{Verdict: bench.VerdictPass, Passed: true, Reason: "All ten checks pass."}}, Log: "done"}, nil
}

// rig is an App in a sandbox with one pull request.
type rig struct {
	*testing.T
	*sandboxtest.World
	service   *service.Service
	table     *runs.Table
	executor  *executor
	number    int
	head      string
	deliverNo int
	// told has an item for every run whose end was told, measured for every
	// one that an executor returned from.
	told, measured chan struct{}
	// abandoned has one for every run that was ended elsewhere in the end.
	abandoned chan struct{}
	// refused has one for every attempt to tell that failed and is made again.
	refused chan struct{}
	// postponed has one for every attempt to tell that is made again later.
	postponed chan struct{}
	// transport is what the App's requests go through, nil for the usual one.
	transport http.RoundTripper
	db        *queue.DB
	app       int64
	// ahead is how far the service's time is ahead, in nanoseconds.
	ahead atomic.Int64
	// setForth is how far, besides, somebody has set the clock forth.
	setForth atomic.Int64
	began    time.Time
	log      testkit.SyncBuffer
	tally    tally
}

const soon = 20 * time.Second

func newRig(t *testing.T, config string, changes ...func(*service.Options)) *rig {
	t.Helper()
	var files []gitstore.Change
	if config != "" {
		files = append(files, gitstore.Change{Path: settings.Path, Content: []byte(config)})
	}
	r := &rig{T: t, began: time.Now(), World: sandboxtest.New(t, files...), executor: &executor{do: passes}, told: make(chan struct{}, 100), measured: make(chan struct{}, 100), abandoned: make(chan struct{}, 100), refused: make(chan struct{}, 100), postponed: make(chan struct{}, 10_000)}
	r.AddToken(appToken, sandbox.Token{App: appSlug, Permissions: map[string]string{
		"checks": "write", "pull_requests": "write", "issues": "write", "contents": "read",
	}})
	r.Look(func(s *model.State) {
		for app := range s.Apps.All() {
			if app.Slug == appSlug {
				r.app = app.ID
			}
		}
	})
	require.NotZero(t, r.app)
	r.Change(func(s *model.State, repo *model.Repo) {
		main, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/change", main))
	})
	r.push("src/a.ts")
	pull := r.As("writer").Do("POST", sandboxtest.Path+"/pulls", `{"title":"Add a","head":"change","base":"main"}`)
	require.Equal(t, http.StatusCreated, pull.Status, pull.Body)
	r.number, r.head = pull.Int("number"), pull.Text("head.sha")
	r.start(changes...)
	return r
}

// push commits a file to the pull request's branch.
func (r *rig) push(path string) {
	r.Helper()
	reply := r.As("writer").Do("PUT", sandboxtest.Path+"/contents/"+path, `{"message":"add `+path+`","content":"eA==","branch":"change"}`)
	require.Equal(r, http.StatusCreated, reply.Status, reply.Body)
	r.head = reply.Text("commit.sha")
}

// library is all scenarios, which the tests share.
var library = sync.OnceValues(func() (*scenario.Library, error) { return scenario.Load(scenarios.Files) })

// emptyDatabase returns the file of a database with all tables and no rows, of which each
// test has a copy: to make the tables takes longer than most tests.
var emptyDatabase = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "bench-service-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // a temporary folder
	ctx, path := context.Background(), filepath.Join(folder, "bench.db")
	db, err := queue.OpenDB(ctx, "sqlite:"+path)
	if err != nil {
		return nil, err
	}
	_, runsErr := runs.Open(ctx, db)
	_, queueErr := queue.New(ctx, db, queue.Options{Process: "test", Log: slog.New(slog.DiscardHandler), Now: time.Now})
	if err := errors.Join(runsErr, queueErr, db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func (r *rig) start(changes ...func(*service.Options)) {
	r.Helper()
	empty, err := emptyDatabase()
	require.NoError(r, err)
	path := filepath.Join(r.TempDir(), "bench.db")
	require.NoError(r, os.WriteFile(path, empty, 0o600))
	db, err := queue.OpenDB(r.Context(), "sqlite:"+path)
	require.NoError(r, err)
	r.db = db
	r.table, err = runs.Open(r.Context(), db)
	require.NoError(r, err)
	library, err := library()
	require.NoError(r, err)
	jobs, err := queue.New(r.Context(), db, queue.Options{
		Process: "test", Lanes: map[string]int{"runs": 2, "workflows": 2, "events": 2}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Redact: redact, Poll: 50 * time.Millisecond, Pause: time.Millisecond, Ended: r.ended,
	})
	require.NoError(r, err)
	var ids atomic.Int64
	opts := service.Options{
		Runs: r.table, DB: db, Queue: jobs, Library: library, App: func() int64 { return r.app }, PublicURL: "https://bench.example",
		Clients: func(_ context.Context, id int64, owner, name string) (*github.Client, error) {
			if id != installation || owner+"/"+name != repo && name != settings.DefaultsRepo {
				return nil, fault.Infraf("installation %d has no %s/%s", id, owner, name)
			}
			return github.New(github.Options{RESTURL: r.URL, Token: appToken, Transport: r.transport})
		},
		Executors: map[settings.Executor]service.Executor{settings.Local: r.executor}, Lane: "runs", WatchLane: "workflows", PublishLane: "events", Parallel: 1,
		Now: r.now, Elapsed: r.elapsed, NewID: func() string { return fmt.Sprintf("run-%d", ids.Add(1)) }, Log: slog.New(slog.NewTextHandler(&r.log, nil)), Redact: redact, Count: r.count,
		Watch: 5 * time.Millisecond, Elsewhere: 5 * time.Millisecond, Refused: 5 * time.Millisecond,
	}
	for _, change := range changes {
		change(&opts)
	}
	r.service = service.New(opts)
	require.NoError(r, jobs.Start(r.Context()))
	r.Cleanup(func() {
		// Runs that go on are told to stop at once.
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		cancel()
		assert.NoError(r, jobs.Stop(ctx))
		assert.NoError(r, db.Close())
	})
}

// now is the time of the service, which a test may have run ahead.
func (r *rig) now() time.Time {
	return time.Now().Add(time.Duration(r.ahead.Load() + r.setForth.Load()))
}

// elapsed is the service's time that nobody sets.
func (r *rig) elapsed() time.Duration {
	return time.Since(r.began) + time.Duration(r.ahead.Load())
}

func redact(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }

func (r *rig) ended(e queue.Ended) {
	if e.Outcome == queue.Postponed && e.Kind == "tell" {
		r.postponed <- struct{}{}
	}
	if e.Outcome == queue.Retried && e.Kind == "tell" {
		r.refused <- struct{}{}
	}
	if e.Outcome != queue.Succeeded && e.Outcome != queue.GaveUp {
		return
	}
	switch e.Kind {
	case "tell":
		r.told <- struct{}{}
	case "abandon":
		r.abandoned <- struct{}{}
	default:
		r.measured <- struct{}{}
	}
}

// wait returns once so many runs were told of.
func (r *rig) wait(count int) {
	r.Helper()
	for range count {
		select {
		case <-r.told:
		case <-time.After(soon):
			require.Fail(r, "nothing was told")
		}
	}
}

// deliver delivers an event of the App's installation.
func (r *rig) deliver(event string, payload map[string]any) string {
	r.Helper()
	r.deliverNo++
	id := fmt.Sprintf("delivery-%d", r.deliverNo)
	r.again(id, event, payload)
	return id
}

func (r *rig) again(id, event string, payload map[string]any) {
	r.Helper()
	require.NoError(r, r.try(id, event, payload))
}

func (r *rig) try(id, event string, payload map[string]any) error {
	r.Helper()
	return r.service.Deliver(r.Context(), r.delivery(id, event, payload))
}

// delivery is one of the App's installation.
func (r *rig) delivery(id, event string, payload map[string]any) service.Delivery {
	r.Helper()
	payload["installation"] = map[string]any{"id": installation}
	payload["repository"] = r.get(sandboxtest.Path)
	if payload["sender"] == nil {
		payload["sender"] = map[string]any{"login": "writer", "type": "User"}
	}
	body, err := json.Marshal(payload)
	require.NoError(r, err)
	return service.Delivery{ID: id, Event: event, Body: service.Pack(body)}
}

// get returns what the API says of something, as payloads have it.
func (r *rig) get(path string) map[string]any {
	r.Helper()
	reply := r.As("owner").Get(path)
	require.Equal(r, http.StatusOK, reply.Status, reply.Body)
	var object map[string]any
	require.NoError(r, json.Unmarshal([]byte(reply.Body), &object))
	return object
}

// mentioned is how checks and suites name the pull request.
func (r *rig) mentioned() []any {
	return []any{map[string]any{"number": r.number, "base": map[string]any{"repo": map[string]any{"id": r.get(sandboxtest.Path)["id"]}}}}
}

func (r *rig) pull() map[string]any {
	r.Helper()
	return r.get(fmt.Sprintf("%s/pulls/%d", sandboxtest.Path, r.number))
}

// pullEvent delivers something that happened to the pull request.
func (r *rig) pullEvent(action string) string {
	r.Helper()
	return r.deliver("pull_request", map[string]any{"action": action, "pull_request": r.pull()})
}

// says has somebody comment on the pull request, and returns what GitHub
// delivers then.
func (r *rig) says(login, body string) map[string]any {
	r.Helper()
	r.AddToken(sandboxtest.Token(login), sandbox.Token{User: login, Scopes: []string{"repo"}})
	made := r.As(login).Do("POST", fmt.Sprintf("%s/issues/%d/comments", sandboxtest.Path, r.number), map[string]any{"body": body})
	require.Equal(r, http.StatusCreated, made.Status, made.Body)
	return map[string]any{
		"action": "created", "issue": r.get(fmt.Sprintf("%s/issues/%d", sandboxtest.Path, r.number)),
		"comment": r.get(fmt.Sprintf("%s/issues/comments/%d", sandboxtest.Path, made.Int("id"))), "sender": map[string]any{"login": login, "type": "User"},
	}
}

// comment has somebody comment on the pull request, and delivers that.
func (r *rig) comment(login, body string) string {
	r.Helper()
	return r.deliver("issue_comment", r.says(login, body))
}

// press delivers that somebody pressed something on a check run.
func (r *rig) press(login, action, button string, check int64) {
	r.Helper()
	r.deliver("check_run", r.presses(login, action, button, check))
}

// presses is the payload of that.
func (r *rig) presses(login, action, button string, check int64) map[string]any {
	r.Helper()
	payload := map[string]any{
		"action": action, "sender": map[string]any{"login": login, "type": "User"}, "check_run": r.get(fmt.Sprintf("%s/check-runs/%d", sandboxtest.Path, check)),
	}
	if button != "" {
		payload["requested_action"] = map[string]any{"identifier": button}
	}
	return payload
}

// checks returns the App's check runs, the oldest first.
func (r *rig) checks() []model.CheckRun {
	var all []model.CheckRun
	r.Look(func(s *model.State) {
		for c := range s.CheckRuns.All() {
			if c.AppID == r.app && c.Name == "bench" {
				all = append(all, *c)
			}
		}
	})
	return all
}

// check returns the only one.
func (r *rig) check() model.CheckRun {
	r.Helper()
	all := r.checks()
	require.Len(r, all, 1)
	return all[0]
}

// comments returns what the App has said on the pull request.
func (r *rig) comments() []string {
	var all []string
	for _, c := range r.written() {
		all = append(all, c.Body)
	}
	return all
}

// written are the App's comments as they are now, that which was changed last at the end.
func (r *rig) written() []model.Comment {
	var all []model.Comment
	r.Look(func(s *model.State) {
		for c := range s.Comments.All() {
			if s.Login(c.AuthorID) == appSlug+"[bot]" {
				all = append(all, *c)
			}
		}
	})
	slices.SortStableFunc(all, func(a, b model.Comment) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
	return all
}

// answers returns the App's answers to commands.
func (r *rig) answers() []string {
	return slices.DeleteFunc(r.comments(), func(c string) bool { return !strings.Contains(c, "bench-answer") })
}

// answer returns the last of them, empty if there is none.
func (r *rig) answer() string {
	all := r.answers()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// run returns a stored run.
func (r *rig) run(id string) runs.Run {
	r.Helper()
	run, err := r.table.Get(r.Context(), id)
	require.NoError(r, err)
	return run
}

func cellOf(scenario string, iteration int) bench.Cell {
	return bench.Cell{ScenarioID: scenario, Mode: bench.GHX, Iteration: iteration}
}
