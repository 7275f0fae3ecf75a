package service_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// How large a run is that servers share. With sessions of a second the test says how
// many times faster more of them are.
var (
	sharedBlocks  = flag.Int("shared-blocks", 24, "how many blocks of two sessions a shared run has")
	sharedSession = flag.Duration("shared-session", 20*time.Millisecond, "how long each of its sessions takes")
	sharedServers = flag.Int("shared-servers", 2, "how many servers of two workers there are on PostgreSQL")
)

// sharer measures with the engine's runner, and agents that take their time.
type sharer struct {
	*crowd
	mu sync.Mutex
	// sessions counts those of each cell, parts those who were there.
	sessions map[bench.Cell]int
	parts    map[string]int
	// now and most are how many sessions go on, and went on at most.
	now, most int
	// fails has who helps fail.
	fails error
	// full is closed once as many sessions go on as there are workers; agents that wait
	// for that answer then.
	full    chan struct{}
	workers int
	waits   bool
}

func (s *sharer) plan() []bench.Cell {
	return runner.Plan(runner.PlanOptions{ScenarioIDs: []string{"a-001"}, Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Repetitions: *sharedBlocks, Order: runner.Blocks, Seed: 7})
}

// work runs cells of a run, and returns its rows.
func (s *sharer) work(ctx context.Context, w service.Work) ([]bench.Row, error) {
	var places fake.Target
	var ledger fake.Ledger
	provider := fake.Provider{
		Info: agent.Info{Name: "fake", Model: bench.ModelRef{ProviderID: "fake", ModelID: "one"}},
		OnPrompt: func(ctx context.Context, session *fake.Session, p agent.Prompt) (agent.Turn, error) {
			s.count(bench.Cell{ScenarioID: p.Play.ScenarioID, Mode: session.Setup.Mode, Iteration: p.Play.Iteration}, 1)
			defer s.count(bench.Cell{}, -1)
			if s.waits {
				select {
				case <-s.full:
				case <-ctx.Done():
				}
			}
			err := fake.Sleep(ctx, *sharedSession)
			return session.Answer(p, fake.Envelope), err
		},
	}
	_, err := runner.Run(ctx, runner.Config{
		Plan: s.plan(), Cells: s.plan(), Scenarios: map[string]bench.Scenario{"a-001": fake.Atomic("a-001")}, Order: runner.Blocks, SkipWarmup: true,
		FirstAnswer: runner.DefaultFirstAnswer, Stall: runner.DefaultStall, RunID: w.Run.ID,
	}, runner.Deps{
		Target: &places, Provider: &provider, Ledger: &ledger, Now: time.Now, Wait: fake.Sleep, Shared: w.Shared,
		Reader: func(target.Access) (checkpoint.Reader, error) { return &fake.Reader{}, nil },
		Observe: func(e runner.Event) {
			if e.Kind == runner.EventRow {
				line, err := e.Row.MarshalJSON()
				assert.NoError(s, err)
				w.Keep(e.Cell, line)
			}
		},
	})
	return ledger.Rows(), err
}

func (s *sharer) count(cell bench.Cell, change int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += change
	if s.now > s.most {
		s.most = s.now
		if s.now == s.workers {
			close(s.full)
		}
	}
	if change > 0 {
		s.sessions[cell]++
	}
}

func (s *sharer) there(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts[name]++
}

func (s *sharer) Execute(ctx context.Context, w service.Work) (runs.Outcome, error) {
	s.there("lead")
	rows, err := s.work(ctx, w)
	if err != nil {
		return runs.Outcome{}, err
	}
	assert.Len(s, rows, 2**sharedBlocks, "who leads has all rows")
	return passes(ctx, w)
}

func (s *sharer) Help(ctx context.Context, w service.Work) error {
	s.there("help")
	if s.fails != nil {
		return s.fails
	}
	_, err := s.work(ctx, w)
	return err
}

// newSharer starts servers for runs that are shared.
func newSharer(t *testing.T, address string, servers int, watch time.Duration) *sharer {
	t.Helper()
	s := &sharer{sessions: map[bench.Cell]int{}, parts: map[string]int{}, full: make(chan struct{}), workers: servers * crowdWorkers}
	s.crowd = newCrowd(t, address, servers, func(o *service.Options) {
		o.Executors, o.Watch = map[settings.Executor]service.Executor{settings.Local: s}, watch
	})
	return s
}

// begin makes runs that may be shared, and has them begin.
func (s *sharer) begin(ids ...string) {
	s.Helper()
	require.NoError(s, s.db.Write(s.Context(), func(tx *queue.Tx) error {
		for i, id := range ids {
			_, err := s.table.Create(s.Context(), tx, runs.Run{
				ID: id, Cause: id, Installation: 5, Repo: fmt.Sprint("5/repo-", i), Head: id, Suite: "bench", State: runs.Queued, Created: time.Now(),
				Request: runs.Request{Owner: "5", Name: fmt.Sprint("repo-", i), Seed: 7, Plan: settings.Plan{Model: settings.Scripted, Executor: settings.Local, Target: settings.SandboxTarget}},
			})
			if err == nil {
				err = s.table.Enter(s.Context(), tx, id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(s, s.services[0].Admit(s.Context()))
}

// end waits until so many runs have ended.
func (s *sharer) end(count int) {
	s.Helper()
	s.within(testkit.TimeLimit(soon)+time.Duration(*sharedBlocks)**sharedSession*2, count)
}

func (s *sharer) within(limit time.Duration, count int) {
	s.Helper()
	for range count {
		select {
		case <-s.told:
		case <-time.After(limit):
			require.Fail(s, "the run does not end")
		}
	}
}

func TestN4OneRunIsDoneByAllWorkersOfAllServers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		servers := *sharedServers
		if strings.HasPrefix(address, "sqlite:") {
			servers = 1
		}
		s := newSharer(t, address, servers, max(5*time.Millisecond, *sharedSession/4))
		s.waits = true
		began := time.Now()
		s.begin("a")
		s.end(1)
		took := time.Since(began)
		assert.Equal(t, s.workers, s.most, "sessions at a time")
		assert.Len(t, s.sessions, 2**sharedBlocks)
		for cell, times := range s.sessions {
			assert.Equal(t, 1, times, cell)
		}
		work := time.Duration(2**sharedBlocks) * *sharedSession
		t.Logf("%d sessions of %s on %d workers: %s, which is %.3f/%d of the time that one takes", 2**sharedBlocks, *sharedSession, s.workers,
			took.Round(time.Millisecond), float64(s.workers)*took.Seconds()/work.Seconds(), s.workers)
		run, err := s.table.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, runs.Finished, run.State)
	})
}

// A run that may begin does so, although another one has had all workers.
func TestWhoHelpsMakesRoomForARunThatIsToBegin(t *testing.T) {
	testkit.NeedComplete(t)
	s := newSharer(t, dbtest.SQLite(t), 1, 20*time.Millisecond)
	s.begin("a")
	select {
	case <-s.full:
	case <-time.After(soon):
		require.Fail(t, "nobody helps")
	}
	s.begin("b")
	s.end(2)
	assert.Equal(t, 2, s.parts["lead"])
	for cell, times := range s.sessions {
		assert.Equal(t, 2, times, "%s is run once for each run", cell)
	}
}

func TestWhoCannotHelpIsAskedOnce(t *testing.T) {
	s := newSharer(t, dbtest.SQLite(t), 1, 20*time.Millisecond)
	s.fails = errors.New("no tools here")
	s.begin("a")
	s.end(1)
	assert.Equal(t, map[string]int{"lead": 1, "help": 1}, s.parts)
	assert.Len(t, s.sessions, 2**sharedBlocks)
}

// outage is how long the database is away in the test of that, such as 10m.
var outage = flag.Duration("outage", 500*time.Millisecond, "how long the database is away")

// afterOutage is longer than the longest pause between two attempts.
const afterOutage = 4 * time.Minute

// What is done while the database is away is told once it is back.
func TestN4ARunThatIsSharedOutlivesAnOutageOfTheDatabase(t *testing.T) {
	testkit.NeedComplete(t)
	l := dbtest.NewLine(t, dbtest.Postgres(t))
	s := newSharer(t, l.Address, 2, 5*time.Millisecond)
	s.waits = true
	s.begin("a")
	select {
	case <-s.full:
	case <-time.After(soon):
		require.Fail(t, "nobody helps")
	}
	l.Cut()
	<-time.After(*outage)
	l.Mend()
	up := time.Now()
	s.within(afterOutage, 1)
	run, err := s.table.Get(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, runs.Finished, run.State)
	again := 0
	for _, times := range s.sessions {
		again += times - 1
	}
	assert.Len(t, s.sessions, 2**sharedBlocks)
	assert.LessOrEqual(t, again, 2*s.workers, "no more than what was under way is done again")
	t.Logf("it ended %s after an outage of %s, with %d sessions more", time.Since(up).Round(time.Millisecond), *outage, again)
}
