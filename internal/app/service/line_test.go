package service_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strconv"
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
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

func TestMain(m *testing.M) { os.Exit(dbtest.Main(m)) }

// How much there is to do. Where work takes time, the test says how busy the workers
// were.
var (
	lineRuns = flag.Int("line-runs", 24, "how many runs wait")
	lineWork = flag.Duration("line-work", 0, "how long each run takes")
)

// crowd are servers of the App with many runs to do.
type crowd struct {
	*testing.T
	db       *queue.DB
	table    *runs.Table
	services []*service.Service
	// postponed counts attempts at measuring that came to nothing, ended those
	// that measured.
	postponed, ended atomic.Int64
	told             chan struct{}

	mu    sync.Mutex
	began []runs.Run
	busy  time.Duration
	times map[string]int
}

const crowdWorkers = 2

// newCrowd starts servers that share a database.
func newCrowd(t *testing.T, address string, servers int, changes ...func(*service.Options)) *crowd {
	t.Helper()
	db, err := queue.OpenDB(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	table, err := runs.Open(t.Context(), db)
	require.NoError(t, err)
	gitHub := httptest.NewServer(anyCheck())
	t.Cleanup(gitHub.Close)
	c := &crowd{T: t, db: db, table: table, told: make(chan struct{}, 10_000), times: map[string]int{}}
	library, err := library()
	require.NoError(t, err)
	for i := range servers {
		jobs, err := queue.New(t.Context(), db, queue.Options{
			Process: fmt.Sprint("server ", i), Lanes: map[string]int{"runs": crowdWorkers, "workflows": 1, "events": 4}, Prompt: []string{"runs"},
			Log: slog.New(slog.DiscardHandler), Now: time.Now, Redact: redact, Ended: c.jobEnded,
		})
		require.NoError(t, err)
		opts := service.Options{
			Runs: table, DB: db, Queue: jobs, Library: library, App: func() int64 { return 1 },
			Clients: func(context.Context, int64, string, string) (*github.Client, error) {
				return github.New(github.Options{RESTURL: gitHub.URL, Token: appToken})
			},
			Executors: map[settings.Executor]service.Executor{settings.Local: c}, Lane: "runs", WatchLane: "workflows", PublishLane: "events", Parallel: 4,
			Now: time.Now, NewID: func() string { return "" }, Log: slog.New(slog.DiscardHandler), Redact: redact, Count: func(string, string, string) {},
		}
		for _, change := range changes {
			change(&opts)
		}
		c.services = append(c.services, service.New(opts))
		require.NoError(t, jobs.Start(t.Context()))
		t.Cleanup(func() { assert.NoError(t, jobs.Stop(context.WithoutCancel(t.Context()))) })
	}
	return c
}

// anyCheck is a GitHub that takes every check run and comment.
func anyCheck() http.Handler {
	var last atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent map[string]any
		_ = json.NewDecoder(r.Body).Decode(&sent) // a GET has none
		answer := any(map[string]any{"id": last.Add(1)})
		switch {
		case r.Method == http.MethodPatch:
			id, _ := strconv.Atoi(path.Base(r.URL.Path)) // comments and check runs have numbers
			answer = map[string]any{"id": id, "status": sent["status"], "conclusion": sent["conclusion"]}
		case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/check-runs"):
			answer = map[string]any{"total_count": 0, "check_runs": []any{}}
		case r.Method == http.MethodGet:
			answer = []any{}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // who asked may be gone
	})
}

func (c *crowd) jobEnded(e queue.Ended) {
	switch {
	case e.Kind == "measure" && e.Outcome == queue.Postponed:
		c.postponed.Add(1)
	case e.Kind == "measure":
		c.ended.Add(1)
	case e.Kind == "tell" && e.Outcome == queue.Succeeded:
		c.told <- struct{}{}
	}
}

// Execute measures for as long as is set.
func (c *crowd) Execute(ctx context.Context, w service.Work) (runs.Outcome, error) {
	c.mu.Lock()
	c.began = append(c.began, w.Run)
	c.times[w.Run.ID]++
	c.mu.Unlock()
	began := time.Now()
	if *lineWork > 0 {
		<-time.After(*lineWork)
	}
	c.mu.Lock()
	c.busy += time.Since(began)
	c.mu.Unlock()
	return passes(ctx, w)
}

func (c *crowd) Abandon(context.Context, runs.Run, *github.Client) error { return nil }

// ask has runs of an installation's repositories wait.
func (c *crowd) ask(installation int64, count, repos int) {
	c.Helper()
	require.NoError(c, c.db.Write(c.Context(), func(tx *queue.Tx) error {
		for i := range count {
			id := fmt.Sprintf("run-%d-%d", installation, i)
			name := fmt.Sprint("repo-", i%repos)
			made, err := c.table.Create(c.Context(), tx, runs.Run{
				// Reap looks after those that are older than a while.
				ID: id, Cause: id, Installation: installation, Repo: fmt.Sprint(installation, "/", name), Head: id, Suite: "bench", State: runs.Queued, Created: time.Now().Add(-time.Hour),
				Request: runs.Request{Owner: fmt.Sprint(installation), Name: name, Asked: "a push", Plan: settings.Plan{Model: settings.Scripted, Executor: settings.Local, Target: settings.SandboxTarget}},
			})
			assert.True(c, made)
			if err == nil {
				err = c.table.Enter(c.Context(), tx, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// Hundreds of runs are begun in turn, each once, and none of them asks whether it is
// its turn.
func TestRunsThatWaitAreWokenInTurn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		servers := 1
		if !strings.HasPrefix(address, "sqlite:") {
			servers = 2
		}
		c := newCrowd(t, address, servers)
		c.ask(5, *lineRuns-1, 50)
		c.ask(6, 1, 1)
		began := time.Now()
		require.NoError(t, c.services[0].Admit(t.Context()))
		for range *lineRuns {
			select {
			case <-c.told:
			case <-time.After(soon + *lineWork*2):
				require.Fail(t, "no run ends", "%d of %d ended", c.ended.Load(), *lineRuns)
			}
		}
		took := time.Since(began)
		assert.Zero(t, c.postponed.Load(), "who waits is woken")
		assert.Len(t, c.began, *lineRuns)
		for id, times := range c.times {
			assert.Equal(t, 1, times, id)
		}
		for i, r := range c.began {
			if r.Installation == 6 {
				// It is the second to get a place; machines begin as soon as they can.
				assert.Less(t, i, *lineRuns/4, "one run does not wait for all of another installation")
			}
		}
		if *lineWork > 0 {
			workers := time.Duration(servers * crowdWorkers)
			t.Logf("%d runs on %d workers: %s, which is %.3f of the work's own time; workers were busy %.1f %%", *lineRuns, workers, took.Round(time.Millisecond),
				took.Seconds()/(float64(*lineRuns)*lineWork.Seconds()/float64(workers)), 100*c.busy.Seconds()/(float64(workers)*took.Seconds()))
		}
	})
}

// A run that waits says how long the line is, and begins when the one before it ends.
func TestARunThatWaitsSaysWhere(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	begun, let := make(chan string, 10), make(chan struct{})
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		begun <- w.Run.ID
		<-let
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	require.Equal(t, "run-1", <-begun)
	r.comment("writer", "/bench run pr-view-001")
	said := map[string]string{}
	r.Look(func(s *model.State) {
		for c := range s.CheckRuns.All() {
			if c.Status == model.Queued {
				said[c.Name] = c.Output.Summary
			}
		}
	})
	require.Len(t, said, 1)
	assert.Contains(t, said["bench (partial)"], "Waiting for a place to run: it is next in line.")
	waits := r.run("run-2")
	require.Equal(t, runs.Queued, waits.State)
	close(let)
	r.wait(2)
	assert.Equal(t, runs.Finished, r.run("run-2").State)
}

// One that waits for longer is told anew when it begins: by what runs took, and by how
// many are before it on so many workers.
func TestARunThatWaitsSaysWhenItBegins(t *testing.T) {
	t.Parallel()
	var noToken atomic.Bool
	r := newRig(t, config+"baseline: {push: true}\n", func(o *service.Options) {
		clients := o.Clients
		o.Clients = func(ctx context.Context, installation int64, owner, name string) (*github.Client, error) {
			if noToken.Load() {
				return nil, fault.Infraf("there is no token now")
			}
			return clients(ctx, installation, owner, name)
		}
	})
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		r.ahead.Add(int64(time.Hour))
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)
	begun := make(chan string, 1)
	r.executor.set(goesOn(begun))
	r.comment("writer", "/bench run")
	<-begun
	r.comment("writer", "/bench run pr-view-001")
	require.NoError(t, r.try("push", "push", r.lands("src/b.ts", "Add b")))
	r.ahead.Add(int64(3 * time.Minute))
	noToken.Store(true)
	require.ErrorContains(t, r.service.Reap(t.Context()), "there is no token now")
	noToken.Store(false)
	require.NoError(t, r.service.Reap(t.Context()))
	waits := map[string]string{}
	r.Look(func(s *model.State) {
		for c := range s.CheckRuns.All() {
			if c.Status == model.Queued {
				waits[c.Name] = c.Output.Summary
			}
		}
	})
	// Two workers, and an hour for each run.
	about := func(d time.Duration) []string {
		return []string{r.now().Add(d - time.Minute).UTC().Format("15:04"), r.now().Add(d).UTC().Format("15:04")}
	}
	for name, want := range map[string]time.Duration{"bench (partial)": time.Hour / 2, "bench (baseline)": time.Hour} {
		_, at, found := strings.Cut(waits[name], "it begins at about ")
		require.True(t, found, "%s: %s", name, waits[name])
		assert.Contains(t, about(want+30*time.Second), at[:len("15:04")], name)
	}
}
