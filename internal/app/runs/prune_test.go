package runs_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

const day = 24 * time.Hour

// endAt ends a run at a time.
func (r *rig) endAt(id string, at time.Time) {
	r.Helper()
	require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) error {
		_, err := r.End(r.Context(), tx, id, runs.Finished, runs.Outcome{Log: "done"}, at)
		return err
	}))
}

// rows gives a run rows.
func (r *rig) rows(id string, count int) {
	r.Helper()
	for n := range count {
		cell := bench.Cell{ScenarioID: "pr-view-001", Mode: bench.GHX, Iteration: n}
		require.NoError(r, r.AddRow(r.Context(), id, cell, []byte(`{}`)))
	}
}

func (r *rig) count(what string, args ...any) (count int) {
	r.Helper()
	require.NoError(r, r.db.QueryRow(r.Context(), "SELECT count(*) FROM "+what, args...).Scan(&count))
	return count
}

func (r *rig) prune(before, now time.Time) runs.Pruned {
	r.Helper()
	pruned, err := r.Prune(r.Context(), before, now)
	require.NoError(r, err)
	return pruned
}

func (r *rig) all() (ids []string) {
	r.Helper()
	rows, err := r.db.Query(r.Context(), "SELECT id FROM run ORDER BY seq")
	require.NoError(r, err)
	defer rows.Close()
	for rows.Next() {
		var id string
		require.NoError(r, rows.Scan(&id))
		ids = append(ids, id)
	}
	require.NoError(r, rows.Err())
	return ids
}

func TestOldRunsAreRemovedWithTheirRows(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		for _, id := range []string{"old", "young", "alive", "continued", "again"} {
			r.run(id, func(run *runs.Run) {
				if id == "again" {
					run.Request.Continues = "continued"
				}
			})
			r.rows(id, 105) // more than one transaction removes
		}
		for _, id := range []string{"old", "continued"} {
			r.endAt(id, noon)
		}
		r.endAt("young", noon.Add(2*day))
		pruned := r.prune(noon.Add(day), noon.Add(3*day))
		assert.Equal(t, runs.Pruned{Runs: 1, Rows: 105}, pruned)
		assert.Equal(t, []string{"young", "alive", "continued", "again"}, r.all())
		assert.Equal(t, 4*105, r.count("run_row"))
		assert.Equal(t, runs.Pruned{}, r.prune(noon.Add(day), noon.Add(3*day)))

		r.endAt("again", noon.Add(2*day))
		assert.Equal(t, runs.Pruned{Runs: 3, Rows: 3 * 105}, r.prune(noon.Add(3*day), noon.Add(3*day)))
		assert.Equal(t, []string{"alive"}, r.all())
	})
}

func TestManyOldRunsAreRemoved(t *testing.T) {
	r := open(t)
	for n := range 250 { // more than are looked for together
		r.run(fmt.Sprint("run-", n), func(run *runs.Run) { run.Pull = n + 1 })
		r.endAt(fmt.Sprint("run-", n), noon)
	}
	assert.Equal(t, runs.Pruned{Runs: 250}, r.prune(noon.Add(day), noon.Add(day)))
}

func (r *rig) claim(name string) (free bool) {
	r.Helper()
	require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) (err error) {
		free, err = r.Claim(r.Context(), tx, name)
		return err
	}))
	return free
}

func TestWhatIsNotedIsRemovedWhenItIsOfNoUse(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		measured, skipped := runs.MeasuredClaim("aryeko/ghx", "h", "bench", "main"), "skipped aryeko/ghx h bench main draft"
		assert.True(t, r.claim(measured) && r.claim(skipped))
		approved := func() bool {
			is, err := r.Approved(t.Context(), "aryeko/ghx", 7, "h")
			require.NoError(t, err)
			return is
		}
		seen := func(head string, at time.Time) {
			require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
				_, err := tx.Exec(t.Context(), "INSERT INTO seen (repo, pull, head, pushed) VALUES ('aryeko/ghx', 7, $1, $2)", head, at.UnixMilli())
				return err
			}))
		}
		seen("h", noon)
		require.NoError(t, r.Approve(t.Context(), "aryeko/ghx", 7, "h", "octocat", noon.Add(time.Minute)))
		require.True(t, approved())

		assert.Equal(t, runs.Pruned{}, r.prune(noon, noon.Add(day)), "nothing is old")
		assert.False(t, r.claim(measured) || r.claim(skipped))
		assert.True(t, approved())

		seen("next", noon.Add(time.Hour))
		require.False(t, approved(), "there was a push")
		assert.Equal(t, runs.Pruned{Notes: 3}, r.prune(noon.Add(12*time.Hour), noon.Add(day)))
		assert.False(t, approved(), "it does not come to life again")
		assert.False(t, r.claim(skipped), "it counts from when it was first met")
		assert.Equal(t, runs.Pruned{Notes: 1}, r.prune(noon.Add(2*day), noon.Add(3*day)))
		assert.True(t, r.claim(skipped))
		assert.False(t, r.claim(measured), "a commit is measured once, for good")
	})
}

// A server of before this step goes on with its data.
func TestADatabaseFromBeforeIsBroughtUpToDate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db, err := queue.OpenDB(t.Context(), address)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, db.Close()) })
		first := runs.Schema()
		first.Steps = first.Steps[:1]
		require.NoError(t, db.Migrate(t.Context(), first))
		before := &rig{t, nil, db}
		require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
			_, err := tx.Exec(t.Context(), "INSERT INTO said (cause) VALUES ('a-delivery'), ('measured aryeko/ghx h bench')")
			return err
		}))
		before.Table, err = runs.Open(t.Context(), db)
		require.NoError(t, err)
		r := before
		r.run("a", nil)
		r.rows("a", 3)
		assert.Equal(t, runs.Pruned{}, r.prune(noon.Add(-day), noon), "nobody knows how old it is")
		assert.False(t, r.claim("a-delivery"))
		assert.True(t, r.note(fixturesOf("a"), "1", noon))
		assert.Equal(t, runs.Pruned{Notes: 1}, r.prune(noon.Add(day), noon.Add(91*day)))
		assert.Equal(t, 1, r.count("claim"))
	})
}

// Claims and locks were in one table once.
func TestClaimsAndLocksAreTakenApart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db, err := queue.OpenDB(t.Context(), address)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, db.Close()) })
		before := runs.Schema()
		before.Steps = before.Steps[:4]
		require.NoError(t, db.Migrate(t.Context(), before))
		require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO said (cause, dated) VALUES ('a-delivery', 0), ('skipped x', $1), ('measured aryeko/ghx h bench', $1),
				('lock repository aryeko/ghx', $1), ('lock installation 5', 0)`, noon.UnixMilli())
			return err
		}))
		table, err := runs.Open(t.Context(), db)
		require.NoError(t, err)
		r := &rig{t, table, db}
		for _, claimed := range []string{"a-delivery", "skipped x", "measured aryeko/ghx h bench"} {
			assert.False(t, r.claim(claimed), claimed)
		}
		for _, name := range []string{"repository aryeko/ghx", "installation 5", "repository new"} {
			require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error { return r.Lock(t.Context(), tx, name) }))
		}
		assert.Equal(t, []int{3, 3}, []int{r.count("claim"), r.count("run_lock")}, "what was locked before is the same lock")
		assert.True(t, r.claim("repository new") && r.claim("lock repository new"), "a lock claims nothing")
		assert.Equal(t, runs.Pruned{Notes: 1}, r.prune(noon.Add(day), noon.Add(2*day)), "when a claim was made is known still")
		assert.True(t, r.claim("skipped x"))
		assert.False(t, r.claim("measured aryeko/ghx h bench"))
		assert.Equal(t, 3, r.count("run_lock"))
	})
}

// What BenchmarkPrune removes: runs of as many rows as a large plan has.
const (
	benchRuns = 200
	benchRows = 200
	benchSize = 3000
)

// BenchmarkPrune tells how long it takes to remove old runs, and how long a
// delivery waits meanwhile.
func BenchmarkPrune(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		db, err := queue.OpenDB(b.Context(), dbtest.SQLite(b))
		require.NoError(b, err)
		table, err := runs.Open(b.Context(), db)
		require.NoError(b, err)
		fill(b, db, table)
		stop := make(chan struct{})
		var longest time.Duration
		var delivering sync.WaitGroup
		delivering.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				began := time.Now()
				assert.NoError(b, table.MarkPublished(context.Background(), "none"))
				longest = max(longest, time.Since(began))
			}
		})
		b.StartTimer()
		began := time.Now()
		pruned, err := table.Prune(b.Context(), noon.Add(day), noon.Add(day))
		took := time.Since(began)
		b.StopTimer()
		close(stop)
		delivering.Wait()
		require.NoError(b, err)
		require.Equal(b, runs.Pruned{Runs: benchRuns, Rows: benchRuns * benchRows}, pruned)
		require.NoError(b, db.Close())
		b.ReportMetric(float64(took.Milliseconds()), "ms")
		b.ReportMetric(float64(longest.Milliseconds()), "ms/longest-wait")
		b.StartTimer()
	}
}

func fill(b *testing.B, db *queue.DB, table *runs.Table) {
	text := []byte(`"` + strings.Repeat("x", benchSize) + `"`)
	for n := range benchRuns {
		id := fmt.Sprint("run-", n)
		require.NoError(b, db.Write(b.Context(), func(tx *queue.Tx) error {
			run := runs.Run{ID: id, Cause: id, Repo: "aryeko/ghx", Pull: n + 1, State: runs.Queued, Created: noon}
			if _, err := table.Create(b.Context(), tx, run); err != nil {
				return err
			}
			for m := range benchRows {
				if _, err := tx.Exec(b.Context(), "INSERT INTO run_row (run, cell, row) VALUES ($1, $2, $3)", id, fmt.Sprint("pr-view-001/ghx/", m), text); err != nil {
					return err
				}
			}
			_, err := table.End(b.Context(), tx, id, runs.Finished, runs.Outcome{}, noon)
			return err
		}))
	}
}
