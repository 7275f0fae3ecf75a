package runs_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

type rig struct {
	*testing.T
	*runs.Table
	db *queue.DB
}

func open(t *testing.T) *rig {
	t.Helper()
	return openAt(t, "sqlite:"+filepath.Join(t.TempDir(), "bench.db"))
}

// openAt opens a database at an address.
func openAt(t *testing.T, address string) *rig {
	t.Helper()
	db, err := queue.OpenDB(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	table, err := runs.Open(t.Context(), db)
	require.NoError(t, err)
	return &rig{t, table, db}
}

// run makes a run of aryeko/ghx#7, changed before it is stored.
func (r *rig) run(id string, change func(*runs.Run)) bool {
	r.Helper()
	run := runs.Run{
		ID: id, Cause: "delivery-" + id, Installation: 5, Repo: "aryeko/ghx", Pull: 7, Head: "h-" + id, Suite: "bench", State: runs.Queued, Created: noon, Cells: 16,
		Request: runs.Request{Owner: "aryeko", Name: "ghx", Asked: "push by octocat", Plan: settings.Plan{Model: "a/b", Set: "ci-verify-pr"}},
	}
	if change != nil {
		change(&run)
	}
	var made bool
	require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) (err error) {
		made, err = r.Create(r.Context(), tx, run)
		return err
	}))
	return made
}

// spent returns what is counted against budgets.
func (r *rig) spent(pull int, subject string) (spent settings.Spent) {
	r.Helper()
	require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) (err error) {
		spent, err = r.Spent(r.Context(), tx, "aryeko/ghx", pull, noon.Add(-24*time.Hour), subject)
		return err
	}))
	return spent
}

// begin has a run go on, and reports false if it has ended.
func (r *rig) begin(id string, at time.Time) bool {
	r.Helper()
	goes, err := r.Begin(r.Context(), id, at)
	require.NoError(r, err)
	return goes
}

func (r *rig) end(id string, state runs.State, o runs.Outcome) bool {
	r.Helper()
	var ended bool
	require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) (err error) {
		ended, err = r.End(r.Context(), tx, id, state, o, noon.Add(time.Hour))
		return err
	}))
	return ended
}

func (r *rig) get(id string) runs.Run {
	r.Helper()
	run, err := r.Get(r.Context(), id)
	require.NoError(r, err)
	return run
}

func ids(found []runs.Run) []string {
	var out []string
	for _, r := range found {
		out = append(out, r.ID)
	}
	return out
}

func TestACauseMakesOneRun(t *testing.T) {
	r := open(t)
	assert.True(t, r.run("a", nil))
	assert.False(t, r.run("b", func(run *runs.Run) { run.Cause = "delivery-a" }))
	found, err := r.ByCause(t.Context(), "delivery-a")
	require.NoError(t, err)
	assert.Equal(t, "a", found.ID)
	assert.Equal(t, "aryeko", found.Owner())
	_, err = r.Get(t.Context(), "b")
	assert.ErrorIs(t, err, runs.ErrNone)
}

func TestARunEndsOnce(t *testing.T) {
	r := open(t)
	r.run("a", nil)
	assert.True(t, r.begin("a", noon.Add(time.Minute)))
	assert.True(t, r.begin("a", noon.Add(time.Hour)), "it goes on in another process")
	assert.Equal(t, noon.Add(time.Minute), r.get("a").Started, "the first beginning counts")

	require.NoError(t, r.Progress(t.Context(), "a", 3, 16, 0.5))
	summary := &bench.Summary{CostUSD: 0.8, Simulated: true, Gate: bench.Gate{Verdict: bench.VerdictPass}}
	assert.True(t, r.end("a", runs.Finished, runs.Outcome{Summary: summary, Log: "done"}))
	assert.False(t, r.end("a", runs.Broken, runs.Outcome{Problem: "late", ProblemKind: fault.Internal}))
	assert.False(t, r.begin("a", noon))
	require.NoError(t, r.Progress(t.Context(), "a", 9, 16, 9))

	run := r.get("a")
	assert.Equal(t, runs.Finished, run.State)
	assert.Equal(t, bench.VerdictPass, run.Verdict)
	assert.True(t, run.Simulated)
	assert.InDelta(t, 0.8, run.CostUSD, 1e-9)
	assert.Equal(t, 3, run.Done)
	o, err := r.Outcome(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "done", o.Log)
	assert.Empty(t, o.Problem)
}

func TestWhatIsAliveAndWhatIsUntold(t *testing.T) {
	r := open(t)
	r.run("a", nil)
	r.run("b", func(run *runs.Run) { run.Suite = "other" })
	r.run("c", func(run *runs.Run) { run.Pull = 8 })
	r.run("d", func(run *runs.Run) { run.Repo, run.Installation = "aryeko/x", 5 })
	r.run("e", func(run *runs.Run) { run.Pull = 0 })
	alive, err := r.Alive(t.Context(), runs.Subject("aryeko/ghx", 7, "", "bench"))
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, ids(alive))
	alive, err = r.Alive(t.Context(), runs.Subject("aryeko/ghx", 0, "h-e", "bench"))
	require.NoError(t, err)
	assert.Equal(t, []string{"e"}, ids(alive), "without a pull request the commit is the subject")
	alive, err = r.AliveOf(t.Context(), 5, []string{"Aryeko/X"})
	require.NoError(t, err)
	assert.Equal(t, []string{"d"}, ids(alive))

	r.end("a", runs.Stopped, runs.Outcome{Reason: "pushed"})
	untold, err := r.Unpublished(t.Context(), noon.Add(2*time.Hour))
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, ids(untold))
	require.NoError(t, r.MarkPublished(t.Context(), "a"))
	untold, err = r.Unpublished(t.Context(), noon.Add(2*time.Hour))
	require.NoError(t, err)
	assert.Empty(t, untold)
	all, err := r.AliveAll(t.Context())
	require.NoError(t, err)
	assert.Len(t, all, 4)
}

func TestRunsAreFoundAgain(t *testing.T) {
	r := open(t)
	r.run("a", nil)
	r.run("b", nil)
	r.run("s", func(run *runs.Run) { run.State = runs.Skipped })
	require.NoError(t, r.SetCheck(t.Context(), "b", 44, "https://github.com/x"))
	require.NoError(t, r.SetWorkflowRun(t.Context(), "b", 9))
	found, err := r.ByCheck(t.Context(), 44)
	require.NoError(t, err)
	assert.Equal(t, []any{"b", "https://github.com/x", int64(9)}, []any{found.ID, found.CheckURL, found.WorkflowRun})
	found, err = r.Latest(t.Context(), runs.Subject("aryeko/ghx", 7, "", "bench"))
	require.NoError(t, err)
	assert.Equal(t, "b", found.ID, "what was skipped is no run")
	found, err = r.LatestOf(t.Context(), "aryeko/ghx", "h-a", "bench")
	require.NoError(t, err)
	assert.Equal(t, "a", found.ID)
}

func TestWhatWasSpentIsAddedUp(t *testing.T) {
	r := open(t)
	r.run("old", func(run *runs.Run) { run.Created = noon.Add(-48 * time.Hour) })
	r.run("new", nil)
	r.run("elsewhere", func(run *runs.Run) { run.Pull = 8 })
	for id, cost := range map[string]float64{"old": 1, "new": 2, "elsewhere": 4} {
		require.NoError(t, r.Progress(t.Context(), id, 4, 16, cost))
	}
	assert.Equal(t, settings.Spent{PullRequest: 3, Day: 6}, r.spent(7, ""))

	mean, err := r.CellCost(t.Context(), "aryeko/ghx", settings.Plan{Model: "a/b"})
	require.NoError(t, err)
	assert.Zero(t, mean, "no run has finished")
	r.end("new", runs.Finished, runs.Outcome{})
	mean, err = r.CellCost(t.Context(), "aryeko/ghx", settings.Plan{Model: "a/b"})
	require.NoError(t, err)
	assert.InDelta(t, 0.5, mean, 1e-9)
	mean, err = r.CellCost(t.Context(), "aryeko/ghx", settings.Plan{Model: "a/b", Benchmark: "tau-bench"})
	require.NoError(t, err)
	assert.Zero(t, mean, "a task of another benchmark costs what it does")
}

func TestWhatIsLockedIsDoneOneAfterTheOther(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := openAt(t, address)
		var made atomic.Int64
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				assert.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
					if err := r.Lock(t.Context(), tx, "aryeko/ghx"); err != nil {
						return err
					}
					others, err := r.AliveIn(t.Context(), tx, runs.Subject("aryeko/ghx", 7, "", "bench"))
					if err != nil || len(others) > 0 {
						return err
					}
					made.Add(1)
					id := fmt.Sprint(i)
					_, err = r.Create(t.Context(), tx, runs.Run{ID: id, Cause: id, Repo: "aryeko/ghx", Pull: 7, Suite: "bench", State: runs.Queued, Created: noon})
					return err
				}))
			})
		}
		all.Wait()
		assert.EqualValues(t, 1, made.Load(), "each sees what was done before it")
	})
}

func TestARunThatGoesOnHoldsWhatItMaySpend(t *testing.T) {
	r := open(t)
	limit := func(usd float64) func(*runs.Run) {
		return func(run *runs.Run) { run.Request.Plan.MaxUSD = usd }
	}
	r.run("here", limit(10))
	r.run("beside", func(run *runs.Run) { run.Pull, run.Request.Plan.MaxUSD = 8, 10 })
	r.run("played", func(run *runs.Run) { run.Pull, run.Request.Plan.MaxUSD, run.Request.Plan.Model = 9, 10, "scripted" })
	r.run("shown", func(run *runs.Run) { run.Pull = 10 })
	require.NoError(t, r.Progress(t.Context(), "beside", 4, 16, 4))
	r.end("shown", runs.Finished, runs.Outcome{Summary: &bench.Summary{CostUSD: 5, Simulated: true}})

	assert.Equal(t, settings.Spent{PullRequest: 10, Day: 20}, r.spent(7, ""), "what is simulated costs nothing")
	assert.Equal(t, settings.Spent{Day: 10}, r.spent(7, runs.Subject("aryeko/ghx", 7, "", "bench")), "a run whose place is taken holds nothing")

	r.end("beside", runs.Stopped, runs.Outcome{})
	assert.Equal(t, settings.Spent{PullRequest: 4, Day: 14}, r.spent(8, ""), "a run that has ended holds what it cost")
}

func TestRowsAreKeptOnce(t *testing.T) {
	r := open(t)
	cell := bench.Cell{ScenarioID: "pr-merge-001", Mode: bench.GHX, Iteration: 1}
	require.NoError(t, r.AddRow(t.Context(), "a", cell, []byte(`{"a":1}`)))
	require.NoError(t, r.AddRow(t.Context(), "a", cell, []byte(`{"a":2}`)))
	rows, err := r.Rows(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, [][]byte{[]byte(`{"a":1}`)}, rows)
}

// rowAt is a row of a cell that was run at a time.
func rowAt(t *testing.T, at string, usd float64) []byte {
	t.Helper()
	line, err := json.Marshal(&bench.Row{RunID: at, Timestamp: at, Cost: usd})
	require.NoError(t, err)
	return line
}

func TestRowsThatWereTakenOverMakeRoomForTheRunsOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db, err := queue.OpenDB(t.Context(), address)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, db.Close()) })
		table, err := runs.Open(t.Context(), db)
		require.NoError(t, err)
		r := &rig{t, table, db}
		r.run("b", func(run *runs.Run) { run.Request.Continues = "a" })
		first, second := bench.Cell{ScenarioID: "x", Mode: bench.GHX, Iteration: 1}, bench.Cell{ScenarioID: "x", Mode: bench.GHX, Iteration: 2}
		taken := map[bench.Cell][]byte{first: rowAt(t, "09:00", 1), second: rowAt(t, "09:05", 2)}
		require.NoError(t, r.TakeOver(t.Context(), "b", "a", taken))
		rows := func() string {
			t.Helper()
			all, err := r.Rows(t.Context(), "b")
			require.NoError(t, err)
			var at []string
			for _, line := range all {
				var row bench.Row
				require.NoError(t, json.Unmarshal(line, &row))
				at = append(at, row.RunID)
			}
			slices.Sort(at)
			return strings.Join(at, " ")
		}
		cost := func(whole float64) float64 {
			t.Helper()
			require.NoError(t, r.Progress(t.Context(), "b", 2, 2, whole))
			return r.get("b").CostUSD
		}
		assert.InDelta(t, 4, cost(7), 1e-9, "another run has paid for the rest")

		copied, err := json.Marshal(&bench.Row{RunID: "b", Timestamp: "09:00", Cost: 1})
		require.NoError(t, err)
		require.NoError(t, r.AddRow(t.Context(), "b", first, copied))
		assert.Equal(t, "09:00 09:05", rows(), "a ledger's copy is not the run's own")
		assert.InDelta(t, 4, cost(7), 1e-9)

		require.NoError(t, r.AddRow(t.Context(), "b", first, rowAt(t, "10:00", 3)))
		assert.Equal(t, "09:05 10:00", rows(), "the cell was run again")
		assert.InDelta(t, 5, cost(7), 1e-9)

		require.NoError(t, r.AddRow(t.Context(), "b", first, rowAt(t, "08:00", 3)))
		require.NoError(t, r.TakeOver(t.Context(), "b", "a", taken))
		assert.Equal(t, "09:05 10:00", rows(), "the run's own stays")

		r.end("b", runs.Finished, runs.Outcome{Summary: &bench.Summary{CostUSD: 8}})
		assert.InDelta(t, 6, r.get("b").CostUSD, 1e-9)
		outcome, err := r.Outcome(t.Context(), "b")
		require.NoError(t, err)
		assert.InDelta(t, 8, outcome.Summary.CostUSD, 1e-9, "the verdict is on all rows")
	})
}

func TestWhatIsKnownLateOfARunIsKeptWithItsCost(t *testing.T) {
	r := open(t)
	r.run("b", nil)
	first, second := bench.Cell{ScenarioID: "x", Mode: bench.GHX, Iteration: 1}, bench.Cell{ScenarioID: "x", Mode: bench.GHX, Iteration: 2}
	require.NoError(t, r.TakeOver(t.Context(), "b", "a", map[bench.Cell][]byte{first: rowAt(t, "09:00", 1)}))
	late := map[bench.Cell][]byte{first: rowAt(t, "09:00", 1), second: rowAt(t, "10:00", 2)}
	r.end("b", runs.Stopped, runs.Outcome{})
	require.NoError(t, r.Settle(t.Context(), "b", late))
	require.NoError(t, r.Settle(t.Context(), "b", late))
	assert.InDelta(t, 2, r.get("b").CostUSD, 1e-9, "what was taken over is another run's")
	rows, err := r.Rows(t.Context(), "b")
	require.NoError(t, err)
	assert.Len(t, rows, 2)
}

func TestNoWorkflowIsAskedForOnceARunHasEnded(t *testing.T) {
	r := open(t)
	r.run("a", nil)
	require.NoError(t, r.AskWorkflow(t.Context(), "a", noon))
	require.NoError(t, r.AskWorkflow(t.Context(), "a", noon.Add(time.Hour)))
	run := r.get("a")
	assert.Equal(t, []any{int64(-1), 2, noon.Add(time.Hour)}, []any{run.WorkflowRun, run.WorkflowAsks, run.WorkflowAsked})
	r.end("a", runs.Stopped, runs.Outcome{})
	assert.ErrorIs(t, r.AskWorkflow(t.Context(), "a", noon), runs.ErrOver)
}

func TestAnApprovalIsForOneCommit(t *testing.T) {
	r := open(t)
	require.NoError(t, r.Approve(t.Context(), "aryeko/ghx", 7, "h", "octocat", noon))
	require.NoError(t, r.Approve(t.Context(), "aryeko/ghx", 7, "h", "octocat", noon))
	for head, want := range map[string]bool{"h": true, "next": false} {
		got, err := r.Approved(t.Context(), "aryeko/ghx", 7, head)
		require.NoError(t, err)
		assert.Equal(t, want, got, head)
	}
	other, err := r.Approved(t.Context(), "aryeko/ghx", 8, "h")
	require.NoError(t, err)
	assert.False(t, other)
}

func TestTheDashboardSeesRuns(t *testing.T) {
	r := open(t)
	source := runs.Source{Table: r.Table}
	for _, id := range []string{"a", "b", "c"} {
		r.run(id, nil)
	}
	r.run("x", func(run *runs.Run) { run.Repo = "secret/x" })
	tokens := bench.Check{Name: bench.CheckTokensReduction, Value: 20}
	r.end("a", runs.Finished, runs.Outcome{Summary: &bench.Summary{Gate: bench.Gate{Verdict: bench.VerdictFail, Checks: []bench.Check{tokens}, Efficiency: &bench.Efficiency{TokensTotalReductionPct: new(-8.4)}}}})
	r.end("b", runs.Broken, runs.Outcome{Problem: "GitHub was down.", ProblemKind: fault.Infrastructure})

	list := func(f dashboard.Filter) string {
		found, err := source.Runs(t.Context(), f)
		require.NoError(t, err)
		var out []string
		for _, run := range found {
			out = append(out, run.ID)
		}
		return strings.Join(out, " ")
	}
	assert.Equal(t, "c b a", list(dashboard.Filter{Repos: []string{"Aryeko/GHX", "o/p"}, Limit: 10}))
	assert.Equal(t, "b", list(dashboard.Filter{Repos: []string{"aryeko/ghx"}, Before: "c", Limit: 1}))
	assert.Empty(t, list(dashboard.Filter{Limit: 10}), "who sees no repository sees no run")

	detail, err := source.Run(t.Context(), "b")
	require.NoError(t, err)
	assert.Equal(t, []any{dashboard.Broken, "GitHub was down.", "ci-verify-pr"}, []any{detail.State, detail.Problem, detail.Set})
	_, err = source.Run(t.Context(), "nothing")
	assert.ErrorIs(t, err, dashboard.ErrNotFound)

	head := strings.Repeat("a", 40)
	r.run("fork", func(run *runs.Run) { run.Head = head })
	r.end("fork", runs.Skipped, runs.Outcome{Skip: comment.SkipApproval})
	detail, err = source.Run(t.Context(), "fork")
	require.NoError(t, err)
	assert.Contains(t, detail.Reason, "The commit comes from a fork.")
	assert.Contains(t, detail.Reason, "comment `/bench approve "+head+"`", "what is to be done is said too")
	r.run("old", nil)
	r.end("old", runs.Stopped, runs.Outcome{Reason: comment.Superseded})
	detail, err = source.Run(t.Context(), "old")
	require.NoError(t, err)
	assert.Equal(t, comment.Superseded, detail.Reason)

	r.run("scripted", func(run *runs.Run) { run.Request.Plan.Model = settings.Scripted })
	detail, err = source.Run(t.Context(), "scripted")
	require.NoError(t, err)
	assert.True(t, detail.Simulated, "it is known before it ends that nothing is spent")
	detail, err = source.Run(t.Context(), "c")
	require.NoError(t, err)
	assert.False(t, detail.Simulated)

	series, err := source.Series(t.Context(), "Aryeko/ghx")
	require.NoError(t, err)
	require.Len(t, series, 1)
	course, err := source.Course(t.Context(), "aryeko/ghx", series[0].Name, 10)
	require.NoError(t, err)
	require.Len(t, course, 1)
	assert.InDelta(t, 20, *course[0].TokensPct, 1e-9)
	assert.InDelta(t, -8.4, *course[0].TotalPct, 1e-9)
	assert.True(t, slices.Contains([]bench.Verdict{bench.VerdictFail}, course[0].Verdict))
}
