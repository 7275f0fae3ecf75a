package appcli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// latency is how long GitHub takes to answer, in a test of speed, and quick how
// soon the check run is to be seen.
const (
	latency = 50 * time.Millisecond
	quick   = 500 * time.Millisecond
)

func TestTheCheckRunIsSeenAtOnce(t *testing.T) {
	w := newWorld(t, trial)
	w.serve()
	w.push("src/a.ts")
	w.Faults().SetLatency(latency)
	var took []time.Duration
	for n := range 5 {
		var opened time.Time
		w.Change(func(s *model.State, repo *model.Repo) {
			main, _ := s.BranchHead(repo, "change")
			branch := fmt.Sprint("change-", n)
			require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/"+branch, main))
			_, err := s.WriteFile(repo.OwnerID, repo, model.FileWrite{Path: branch, Content: []byte("x"), Branch: branch, Message: branch})
			require.NoError(t, err)
			opened = time.Now()
			_, err = s.OpenPull(s.User("writer").ID, repo, model.NewPull{Title: "Add a", Head: branch, Base: "main"})
			require.NoError(t, err)
		})
		w.until("a check run", func() bool { return len(w.checks()) > n })
		took = append(took, time.Since(opened))
		w.concluded(n + 1)
	}
	slices.Sort(took)
	t.Logf("from opened to the check run: %s, with %s an API call", took, latency)
	// The server runs with the detector too.
	assert.Less(t, took[len(took)/2], testkit.TimeLimit(quick), "the median")
}

// rowOf is a stored row as far as it tells when it was made.
type rowOf struct {
	cell bench.Cell
	text string
}

// stored returns the rows that the server's table has of runs, by run.
func (w *world) stored() map[string][]rowOf {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	db, err := queue.OpenDB(ctx, w.database)
	require.NoError(w.t, err)
	defer db.Close()
	rows, err := db.Query(ctx, "SELECT run, row FROM run_row")
	require.NoError(w.t, err)
	defer rows.Close()
	found := map[string][]rowOf{}
	for rows.Next() {
		var run string
		var text []byte
		require.NoError(w.t, rows.Scan(&run, &text))
		var row bench.Row
		require.NoError(w.t, json.Unmarshal(text, &row))
		found[run] = append(found[run], rowOf{row.Cell(), string(text)})
	}
	require.NoError(w.t, rows.Err())
	return found
}

// ledgers returns the rows in the folders of runs, by run.
func (w *world) ledgers(folders ...string) map[string][]bench.Row {
	w.t.Helper()
	found := map[string][]bench.Row{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "runs", "*", "*", "*", "*-suite.jsonl"))
		require.NoError(w.t, err)
		for _, file := range files {
			rows, _, err := ledger.Read([]string{file})
			require.NoError(w.t, err)
			run := filepath.Base(filepath.Dir(file))
			found[run] = append(found[run], rows...)
		}
	}
	return found
}

// assertNotRunAgain requires that the rows of a ledger are those that were
// stored: had the machine run such a cell itself, the row would tell of another
// time. The table alone does not show it, since it keeps the first row.
func assertNotRunAgain(t *testing.T, stored []rowOf, rows []bench.Row) {
	t.Helper()
	has := map[bench.Cell]bench.Row{}
	for _, row := range rows {
		has[row.Cell()] = row
	}
	for _, row := range stored {
		var first bench.Row
		require.NoError(t, json.Unmarshal([]byte(row.text), &first))
		assert.Equal(t, first, has[row.cell], "%s was run again", row.cell)
	}
}

// oneMore waits until a run has one row more, or is shown to have ended.
func (w *world) oneMore() {
	w.t.Helper()
	count := func() (rows int) {
		for _, all := range w.ledgers(w.folder) {
			rows += len(all)
		}
		return rows
	}
	had := count()
	w.within(takesOver, "one more row", func() bool {
		c := w.last()
		return count() > had || c != nil && c.Status == model.Completed
	})
}

// takesOver is longer than it takes until a job of a machine that died is
// another one's.
const takesOver = 2 * time.Minute

// kills is how often the server is killed.
const kills = 20

func TestAServerThatIsKilledGoesOn(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newWorld(t, "model: scripted\nexecutor: local\nscenario_set: ci-verify-pr\nrepetitions: 5\n")
	random := rand.New(rand.NewPCG(7, 11))
	s := w.serve()
	w.open()
	require.NoError(t, w.Delivered(t.Context()))
	before := map[string][]rowOf{}
	for killed := range kills {
		if c := w.last(); c != nil && c.Status == model.Completed {
			w.push(fmt.Sprintf("src/%d.ts", killed))
			require.NoError(t, w.Delivered(t.Context()))
		}
		if killed%5 == 0 { // on a slow machine a server may die before it has done anything
			w.oneMore()
		} else {
			pause := time.NewTimer(time.Duration(random.IntN(1500)) * time.Millisecond)
			<-pause.C
		}
		s.kill()
		now := w.stored()
		for run, rows := range before {
			assert.Subset(t, now[run], rows, "what was stored stays as it was")
		}
		before = now
		s = w.serve()
	}
	w.within(takesOver, "every check run completes", func() bool {
		all := w.checks()
		return len(all) > 0 && !slices.ContainsFunc(all, func(c model.CheckRun) bool { return c.Status != model.Completed })
	})
	s.stop(t)
	heads := map[string]bool{}
	for _, c := range w.checks() {
		assert.False(t, heads[c.HeadSHA], "a second check run for %s", c.HeadSHA)
		heads[c.HeadSHA] = true
	}
	t.Logf("%d check runs, %d of them with rows at the last kill", len(w.checks()), len(before))
	require.NotEmpty(t, before)
	after := w.stored()
	for run, rows := range before {
		assert.Subset(t, after[run], rows, "what was stored stays as it was")
	}
	for run, rows := range w.ledgers(w.folder) {
		assertNotRunAgain(t, before[run], rows)
		cells := map[bench.Cell]bool{}
		for i := range rows {
			assert.False(t, cells[rows[i].Cell()], "%s of %s has two rows", rows[i].Cell(), run)
			cells[rows[i].Cell()] = true
		}
	}
}

func TestTwoServersShareTheWorkAndOneDies(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newWorld(t, longer)
	w.database = dbtest.Postgres(t)
	second := w.serve("BENCH_APP_DATA_DIR=" + filepath.Join(w.folder, "second"))
	first := w.serve("BENCH_APP_DATA_DIR=" + filepath.Join(w.folder, "first"))
	w.open()
	at := func(folder string) int {
		count := 0
		for _, rows := range w.ledgers(filepath.Join(w.folder, folder)) {
			count += len(rows)
		}
		return count
	}
	dies, lives := first, "second"
	w.until("rows", func() bool {
		if at("second") > 3 {
			dies, lives = second, "first"
			return true
		}
		return at("first") > 3
	})
	if lives == "first" {
		w.hook(first)
	} else {
		w.hook(second)
	}
	dies.kill()
	before := w.stored()
	w.within(takesOver, "the other server ends the run", func() bool { c := w.last(); return c != nil && c.Status == model.Completed })
	check := w.concluded(1)
	assert.Equal(t, model.Conclusion("neutral"), check.Conclusion)
	run := check.ExternalID
	require.NotEmpty(t, before[run])
	after := w.stored()[run]
	assert.Len(t, after, 40)
	for _, row := range before[run] {
		assert.Contains(t, after, row, "it was not run again")
	}
	rows := w.ledgers(filepath.Join(w.folder, lives))[run]
	assert.Len(t, rows, 40, "with those of the other machine")
	assertNotRunAgain(t, before[run], rows)
	helped, err := filepath.Glob(filepath.Join(w.folder, "*", "runs", "*", "*", run+"-helped", "*", run, "*-suite.jsonl"))
	require.NoError(t, err)
	assert.NotEmpty(t, helped, "other workers have done some of it")
	t.Logf("%d rows were stored when the first server died", len(before[run]))
}

func TestGitHubIsDown(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	w := newWorld(t, trial)
	w.serve()
	w.open()
	w.concluded(1)
	for _, path := range []string{"/repos/{rest...}", "/app/{rest...}"} {
		_, err := w.Faults().Add(faults.Rule{Kind: faults.Unavailable, Path: path, RetryAfter: time.Second})
		require.NoError(t, err)
	}
	w.Change(func(s *model.State, repo *model.Repo) {
		_, err := s.WriteFile(s.User("writer").ID, repo, model.FileWrite{Path: "src/b.ts", Content: []byte("x"), Branch: "change", Message: "b"})
		require.NoError(t, err)
	})
	require.NoError(t, w.Delivered(t.Context()))
	refused := func() (count int) {
		for _, rule := range w.Faults().Rules() {
			count += rule.Held
		}
		return count
	}
	w.until("the App asks in vain", func() bool { return refused() > 8 })
	require.Len(t, w.checks(), 1)
	w.Faults().Clear()
	assert.Equal(t, model.Conclusion("neutral"), w.concluded(2).Conclusion)
}

func TestAnInstallationThatGoesDuringARun(t *testing.T) {
	testkit.NeedComplete(t)
	for name, c := range map[string]struct {
		goes func(s *model.State, owner model.ID, i *model.Installation)
		back func(s *model.State, owner model.ID, i *model.Installation)
	}{
		"it is suspended": {
			func(s *model.State, owner model.ID, i *model.Installation) { s.Suspend(owner, i, true) },
			func(s *model.State, owner model.ID, i *model.Installation) { s.Suspend(owner, i, false) },
		},
		"it is deleted": {func(s *model.State, owner model.ID, i *model.Installation) { s.Uninstall(owner, i) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, longer)
			s := w.serve()
			w.open()
			w.until("it runs", func() bool { c := w.last(); return c != nil && c.Status == model.InProgress })
			change := func(do func(s *model.State, owner model.ID, i *model.Installation)) {
				w.Change(func(st *model.State, repo *model.Repo) {
					do(st, repo.OwnerID, st.InstallationOf(st.Apps.Get(w.app), repo.OwnerID))
				})
			}
			change(c.goes)
			w.until("the run has ended", func() bool { return strings.Contains(s.out.String(), "it cannot be told") })
			if c.back != nil {
				change(c.back)
				w.push("src/b.ts")
				w.until("the next push is measured", func() bool {
					c := w.last()
					return c.HeadSHA == w.head && c.Status == model.Completed
				})
			}
			assert.Zero(t, s.stop(t), s.out)
		})
	}
}
