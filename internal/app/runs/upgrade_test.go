package runs_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// released is how many steps the tables of the release before had.
const released = 5

// A server that is updated goes on with the runs that wait and go on, and knows the
// rest.
func TestADatabaseOfTheReleaseBeforeIsGoneOnWith(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db, err := queue.OpenDB(t.Context(), address)
		require.NoError(t, err)
		before := runs.Schema()
		require.Greater(t, len(before.Steps), released)
		before.Steps = before.Steps[:released]
		require.NoError(t, db.Migrate(t.Context(), before))
		require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
			for _, state := range []string{"queued", "running", "finished"} {
				_, err := tx.Exec(t.Context(), `INSERT INTO run (id, cause, installation, repo, pull, head, suite, state, request, created, started, ended, done, cells, cost, told)
					VALUES ($1, $1, 5, 'aryeko/ghx', 7, $1, 'bench', $1, '{"owner":"aryeko","name":"ghx","plan":{"model":"a/b","executor":"local","max_usd":2}}', 1000, 2000, 3000, 3, 16, 0.5, 0)`, state)
				if err != nil {
					return err
				}
			}
			_, err := tx.Exec(t.Context(), "INSERT INTO claim (name) VALUES ('measured x')")
			return err
		}))
		require.NoError(t, db.Close())

		r := at(t, address)
		assert.True(t, r.get("queued").HasPlace, "its job is stored, and comes")
		assert.True(t, r.begin("queued", noon))
		assert.True(t, r.get("running").HasPlace)
		assert.False(t, r.get("finished").HasPlace)
		assert.Equal(t, []any{0.5, 3, "a/b"}, []any{r.get("finished").CostUSD, r.get("finished").Done, r.get("finished").Request.Plan.Model})
		r.asked("new", 5, "aryeko/ghx")
		assert.Empty(t, r.admit(runs.Places{Local: 2, Installation: 9}), "those of before have the places")
		require.True(t, r.end("queued", runs.Finished, runs.Outcome{}))
		assert.Equal(t, []string{"new"}, r.admit(runs.Places{Local: 2, Installation: 9}))
		require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
			first, err := r.Claim(t.Context(), tx, "measured x")
			assert.False(t, first, "what was measured is not measured again")
			return err
		}))
	})
}

// The documentation says that a copy of the data folder of a stopped server is a backup.
func TestACopyOfTheFileIsABackup(t *testing.T) {
	folder := t.TempDir()
	db, err := queue.OpenDB(t.Context(), "sqlite:"+filepath.Join(folder, "bench.db"))
	require.NoError(t, err)
	table, err := runs.Open(t.Context(), db)
	require.NoError(t, err)
	r := &rig{t, table, db}
	r.run("a", nil)
	cell := bench.Cell{ScenarioID: "pr-view-001", Mode: bench.GHX, Iteration: 1}
	require.NoError(t, r.AddRow(t.Context(), "a", cell, []byte(`{"x":1}`)))
	require.True(t, r.end("a", runs.Finished, runs.Outcome{Log: "done"}))
	require.NoError(t, r.db.Close())
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(folder)))

	again := openAt(t, "sqlite:"+filepath.Join(copied, "bench.db"))
	assert.Equal(t, runs.Finished, again.get("a").State)
	rows, err := again.Rows(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, [][]byte{[]byte(`{"x":1}`)}, rows)
	outcome, err := again.Outcome(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "done", outcome.Log)
	assert.Equal(t, noon.Add(time.Hour), again.get("a").Ended)
}
