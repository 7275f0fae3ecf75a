package service_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// captive hands out what those who lead and who help are given, and lets them end when
// the test says so.
type captive struct {
	*sharer
	address      string
	leads, helps chan service.Work
	led          chan struct{}
	helped       chan error
	log          testkit.SyncBuffer
}

func newCaptive(t *testing.T) *captive {
	t.Helper()
	c := &captive{address: dbtest.SQLite(t), leads: make(chan service.Work), helps: make(chan service.Work), led: make(chan struct{}), helped: make(chan error)}
	c.sharer = &sharer{crowd: newCrowd(t, c.address, 1, func(o *service.Options) {
		o.Executors, o.Watch = map[settings.Executor]service.Executor{settings.Local: c}, time.Millisecond
		o.Log = slog.New(slog.NewTextHandler(&c.log, nil))
	})}
	return c
}

func (c *captive) Execute(ctx context.Context, w service.Work) (runs.Outcome, error) {
	c.leads <- w
	select {
	case <-c.led:
	case <-c.Context().Done():
	}
	return passes(ctx, w)
}

func (c *captive) Help(_ context.Context, w service.Work) error {
	select {
	case c.helps <- w:
	case <-c.Context().Done():
	}
	select {
	case err := <-c.helped:
		return err
	case <-c.Context().Done():
		return nil
	}
}

// next returns what comes next.
func next[T any](t *testing.T, from <-chan T) (came T) {
	t.Helper()
	select {
	case came = <-from:
	case <-time.After(soon):
		require.Fail(t, "nothing comes")
	}
	return came
}

// Whichever statement fails, who leads and who helps learn what there is, and what they
// tell is there.
func TestWhatIsSharedIsToldWhicheverStatementFails(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	c := newCaptive(t)
	var want []string
	for n, came := 0, true; came; n++ {
		// The first time alone nothing fails.
		seen, reached := c.share(fmt.Sprint("run ", n), n)
		if n == 0 {
			assert.Equal(t, sharedInOrder, strings.Join(seen, "\n"))
			want = seen
			continue
		}
		came = reached
		require.Equal(t, want, seen, "statement %d", n)
		if came {
			assert.Contains(t, c.log.String(), errNoDatabase.Error(), "nobody says that the database is away")
		}
	}
}

// sharedInOrder is what both are told where nothing fails.
const sharedInOrder = `nothing is offered: 0 rows, {Rows:[] Open:0 Others:0 UnrecordedUSD:0 RunUSD:0 Over:false}
three blocks are offered: <nil>
help is asked for: 0 rows, {Rows:[] Open:3 Others:0 UnrecordedUSD:0 RunUSD:0 Over:false}
who has gone is asked again: 0 rows, {Rows:[] Open:3 Others:0 UnrecordedUSD:0 RunUSD:0 Over:false}
who helps offers nothing: <nil>
who helps takes a block: {Position:1 Cells:[a-001/ghx/1]}
it finishes that: <nil>
who helps takes another block: {Position:2 Cells:[a-001/ghx/2]}
who leads hears of a row: 1 rows, {Rows:[] Open:1 Others:0 UnrecordedUSD:0 RunUSD:0 Over:false}
and hears of it once: 0 rows, {Rows:[] Open:1 Others:0 UnrecordedUSD:0 RunUSD:0 Over:false}
who helps has spent something: 0 rows, {Rows:[] Open:1 Others:0 UnrecordedUSD:0 RunUSD:2.5 Over:false}
of which who leads hears: 0 rows, {Rows:[] Open:1 Others:0 UnrecordedUSD:0.5 RunUSD:0 Over:false}
who leads goes: 0 rows, {Rows:[] Open:0 Others:1 UnrecordedUSD:0.5 RunUSD:0 Over:false}
nothing is left to take: none
it is over: 0 rows, {Rows:[] Open:0 Others:0 UnrecordedUSD:0 RunUSD:2.5 Over:true}
it is gone: 0 rows, {Rows:[] Open:0 Others:0 UnrecordedUSD:0 RunUSD:0 Over:true}`

// share leads a run and helps with it, with the n-th statement of whatever is done failing
// once. It returns what both saw, and whether anything came to that statement.
func (c *captive) share(id string, n int) (seen []string, came bool) {
	c.Helper()
	do := func(what string, act func(ctx context.Context) (any, error)) {
		c.Helper()
		ctx := &without{Context: c.Context(), at: n}
		got, err := act(ctx)
		require.NoError(c, err, what)
		came = came || n > 0 && ctx.came()
		seen = append(seen, fmt.Sprintf("%s: %+v", what, got))
	}
	news := func(what string, of service.Work, here runner.Standing) {
		c.Helper()
		do(what, func(ctx context.Context) (any, error) {
			told, err := of.Shared.News(ctx, here)
			rows := len(told.Rows)
			told.Rows = nil
			return fmt.Sprintf("%d rows, %+v", rows, told), err
		})
	}
	take := func(what string, of service.Work) (block runner.Block) {
		c.Helper()
		do(what, func(ctx context.Context) (any, error) {
			taken, err := of.Shared.Take(ctx)
			if taken == nil {
				return "none", err
			}
			block = *taken
			return block, err
		})
		return block
	}
	cell := func(iteration int) bench.Cell {
		return bench.Cell{ScenarioID: "a-001", Mode: bench.GHX, Iteration: iteration}
	}

	c.begin(id)
	lead := next(c.T, c.leads)
	news("nothing is offered", lead, runner.Standing{})
	asked, err := c.table.Asked(c.Context(), id)
	require.NoError(c, err)
	assert.Empty(c, asked, "there is nothing to help with")
	var blocks []runner.Block
	for i := 1; i <= 3; i++ {
		blocks = append(blocks, runner.Block{Position: i, Cells: []bench.Cell{cell(i)}})
	}
	do("three blocks are offered", func(ctx context.Context) (any, error) { return nil, lead.Shared.Offer(ctx, blocks) })
	news("help is asked for", lead, runner.Standing{})
	next(c.T, c.helps)
	c.helped <- nil
	for asked := []string{"help-1"}; len(asked) > 0; { // its job stores that it has gone
		asked, err = c.table.Asked(c.Context(), id)
		require.NoError(c, err)
	}
	var priority int
	require.NoError(c, c.db.QueryRow(c.Context(), "SELECT priority FROM river_job WHERE kind = 'help' ORDER BY id DESC LIMIT 1").Scan(&priority))
	assert.Equal(c, queue.Last, priority, "a run that is to begin goes first")
	news("who has gone is asked again", lead, runner.Standing{})
	help := next(c.T, c.helps)
	help.Progress(1, 2, 3) // who leads tells of that
	help.Surface(nil)
	do("who helps offers nothing", func(ctx context.Context) (any, error) {
		return nil, help.Shared.Offer(ctx, []runner.Block{{Position: 9}})
	})
	open, err := c.table.OpenBlocks(c.Context(), id)
	require.NoError(c, err)
	assert.Equal(c, 3, open)
	first := take("who helps takes a block", help)
	help.Keep(cell(1), []byte(`{"scenario_id":"a-001","mode":"ghx","iteration":1}`))
	help.KeepTranscript(cell(1), agent.Transcript{})
	kept, err := c.table.Transcript(c.Context(), id, cell(1))
	require.NoError(c, err)
	assert.NotNil(c, kept, "what was said is kept where others help, too")
	do("it finishes that", func(ctx context.Context) (any, error) { return nil, help.Shared.Finish(ctx, first) })
	var finished int
	require.NoError(c, c.db.QueryRow(c.Context(), "SELECT count(*) FROM run_block WHERE run = $1 AND finished = 1", id).Scan(&finished))
	assert.Equal(c, 1, finished)
	take("who helps takes another block", help)
	news("who leads hears of a row", lead, runner.Standing{})
	news("and hears of it once", lead, runner.Standing{})
	require.NoError(c, c.table.Progress(c.Context(), id, 1, 3, 2.5))
	news("who helps has spent something", help, runner.Standing{UnrecordedUSD: 0.5})
	news("of which who leads hears", lead, runner.Standing{})
	news("who leads goes", lead, runner.Standing{Leaves: true})
	take("nothing is left to take", help)
	gone, cancel := context.WithCancelCause(c.Context())
	cancel(errNoDatabase)
	_, err = lead.Shared.News(gone, runner.Standing{})
	require.ErrorIs(c, err, errNoDatabase, "who is told to stop does")
	c.led <- struct{}{}
	next(c.T, c.told)
	news("it is over", help, runner.Standing{UnrecordedUSD: 0.5})
	c.helped <- nil
	assert.NoError(c, c.services[0].Job(c.Context(), "help", id), "nobody helps with what is over")
	require.NoError(c, c.db.Write(c.Context(), func(tx *queue.Tx) error {
		_, err := tx.Exec(c.Context(), "DELETE FROM run WHERE id = $1", id)
		return err
	}))
	news("it is gone", help, runner.Standing{UnrecordedUSD: 0.5})
	return seen, came
}

// The job of who helps is another server's once this one stops.
func TestWhoHelpsAndIsToldToStopIsNotDone(t *testing.T) {
	t.Parallel()
	c := newCaptive(t)
	c.begin("a")
	next(c.T, c.leads)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.services[0].Job(ctx, "help", "a") }()
	next(c.T, c.helps)
	cancel()
	c.helped <- nil
	assert.ErrorIs(t, next(c.T, ended), context.Canceled)
}

// A block that a dead machine had is not waited for.
func TestWhoGoesOnGivesBackWhatADeadMachineHad(t *testing.T) {
	t.Parallel()
	c := newCaptive(t)
	c.begin("a")
	lead := next(c.T, c.leads)
	require.NoError(t, lead.Shared.Offer(t.Context(), []runner.Block{{Position: 1, Cells: []bench.Cell{{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1}}}}))
	takes := func(w service.Work, who string) {
		block, err := w.Shared.Take(t.Context())
		require.NoError(t, err)
		assert.NotNil(t, block, who)
	}
	again := func(kind string) <-chan error {
		ended := make(chan error, 1)
		go func() { ended <- c.services[0].Job(t.Context(), kind, "a") }()
		return ended
	}
	takes(lead, "who leads")
	measured := again("measure")
	lead = next(c.T, c.leads)
	takes(lead, "who leads after that")
	require.NoError(t, c.table.GiveBack(t.Context(), "a", runs.Lead))
	first := again("help")
	takes(next(c.T, c.helps), "who helps")
	second := again("help")
	takes(next(c.T, c.helps), "who helps after that")
	c.helped <- nil
	c.helped <- nil
	require.NoError(t, errors.Join(next(c.T, first), next(c.T, second)))
	takes(lead, "who leads after those who help")
	c.led <- struct{}{}
	c.led <- struct{}{}
	assert.NoError(t, next(c.T, measured))
}

// What nobody has drawn the sessions of, or what is measured where others are in the way,
// is no work for many.
func TestWhatOneMachineWorksOnAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*runs.Request)
		shared bool
	}{
		"a run":                    {func(*runs.Request) {}, true},
		"one that has no seed":     {func(r *runs.Request) { r.Seed = 0 }, false},
		"one on GitHub":            {func(r *runs.Request) { r.Plan.Target = "o/fixtures" }, false},
		"a benchmark of its own":   {func(r *runs.Request) { r.Plan.Benchmark = "tau-bench" }, false},
		"one that nobody may help": {func(r *runs.Request) { r.Plan.Executor = "alone" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, config, helped, func(o *service.Options) { o.Executors["alone"] = o.Executors[settings.Local].(helping).Executor })
			r.store(func(run *runs.Run) {
				run.Request.Seed, run.Request.Plan.Target = 7, settings.SandboxTarget
				c.change(&run.Request)
			})
			require.NoError(t, r.service.Job(t.Context(), "measure", "left"))
			works := r.executor.works()
			require.Len(t, works, 1)
			assert.Equal(t, c.shared, works[0].Shared != nil)
		})
	}
}

// Work that a hundred workers could do is not begun by one of them after the other, nor
// waits a worker that is free again for those who are still at it.
func TestAllWhoMayHelpAreAskedAtOnce(t *testing.T) {
	t.Parallel()
	c := newCaptive(t)
	require.NoError(t, c.db.Write(t.Context(), func(tx *queue.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO queue_process (process, seen, lanes) VALUES ('other', 9000000000000, '{"runs": 2}')`)
		return err
	}))
	c.begin("a")
	lead := next(c.T, c.leads)
	require.NoError(t, lead.Shared.Offer(t.Context(), []runner.Block{{Position: 1, Cells: []bench.Cell{{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1}}}}))
	for _, left := range []string{"", "help-2", "help-3"} {
		require.NoError(t, c.table.Leave(t.Context(), "a", left))
		_, err := lead.Shared.News(t.Context(), runner.Standing{})
		require.NoError(t, err)
		asked, err := c.table.Asked(t.Context(), "a")
		require.NoError(t, err)
		assert.ElementsMatch(t, []string{"help-1", "help-2", "help-3"}, asked, "left: %q", left)
	}
}

// What who leads cannot read is no row that is missing.
func TestWhoLeadsIsToldOfARowThatCannotBeRead(t *testing.T) {
	t.Parallel()
	c := newCaptive(t)
	c.begin("a")
	lead := next(c.T, c.leads)
	require.NoError(t, lead.Shared.Offer(t.Context(), nil))
	require.NoError(t, c.table.AddRow(t.Context(), "a", bench.Cell{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1}, []byte("{")))
	_, err := lead.Shared.News(t.Context(), runner.Standing{})
	require.ErrorContains(t, err, "read a row of run a")
	assert.Equal(t, fault.Internal, fault.KindOf(err))
}

func TestAServerThatStopsDoesNotWaitForTheDatabase(t *testing.T) {
	t.Parallel()
	c := newCaptive(t)
	c.begin("a")
	lead := next(c.T, c.leads)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := lead.Shared.Take(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.NotContains(t, c.log.String(), "waits for the database")
}

// meanwhile is a context with which something else is done before a statement, or before a
// transaction is begun.
type meanwhile struct {
	without
	do func()
}

func (m *meanwhile) Done() <-chan struct{} {
	if askedBy(statements[:1]) && m.next() {
		m.do()
	}
	return m.Context.Done()
}

// A server that is thought to be dead may lead a run for a while, beside another one: a
// part that was asked twice would measure its blocks twice.
func TestTwoWhoLeadAskAPartOnce(t *testing.T) {
	t.Parallel()
	c := newCaptive(t)
	other, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(c.address, "sqlite:")+"?_pragma=busy_timeout(20000)")
	require.NoError(t, err)
	defer func() { assert.NoError(t, other.Close()) }()
	c.begin("a")
	lead := next(c.T, c.leads)
	require.NoError(t, lead.Shared.Offer(t.Context(), []runner.Block{{Position: 1, Cells: []bench.Cell{{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1}}}}))
	want := 0
	for n, came := 1, true; came; n++ {
		require.NoError(t, c.table.Leave(t.Context(), "a", "help-1"))
		first := false
		ctx := &meanwhile{without{Context: t.Context(), at: n}, func() {
			done, err := other.ExecContext(t.Context(), "INSERT INTO run_part (run, part, asked) VALUES ('a', 'help-1', 1) ON CONFLICT (run, part) DO UPDATE SET asked = 1 WHERE asked = 0")
			if assert.NoError(t, err) {
				count, _ := done.RowsAffected() // this driver knows
				first = count > 0
			}
		}}
		_, err := lead.Shared.News(ctx, runner.Standing{})
		require.NoError(t, err)
		came = ctx.came()
		if !first {
			want++
		}
		var jobs int
		require.NoError(t, c.db.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'help'").Scan(&jobs))
		require.Equal(t, want, jobs, "before statement %d", n)
	}
}
