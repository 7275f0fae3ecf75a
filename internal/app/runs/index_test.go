package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// plan returns how the database answers a query.
func (r *rig) plan(query string, args ...any) string {
	r.Helper()
	explain := "EXPLAIN "
	if r.db.Dialect() == queue.SQLite {
		explain = "EXPLAIN QUERY PLAN "
	}
	rows, err := r.db.Query(r.Context(), explain+query, args...)
	require.NoError(r, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(r, err)
	var text strings.Builder
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		require.NoError(r, rows.Scan(cells...))
		fmt.Fprintln(&text, *cells[len(cells)-1].(*any)) // the last one tells it in words
	}
	require.NoError(r, rows.Err())
	return text.String()
}

// Among many runs one is looked up without reading or sorting all.
func TestARunIsLookedUpByAnIndex(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO run (id, cause, installation, repo, pull, head, suite, state, request, check_id, created)
				WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
				SELECT 'r' || i, 'c' || i, 5, 'aryeko/ghx', i % 500, 'h' || i, 'bench', 'finished', '{}', i, 0 FROM n`)
			if err != nil {
				return err
			}
			_, err = tx.Exec(t.Context(), "ANALYZE")
			return err
		}))
		subject := runs.Subject("aryeko/ghx", 7, "", "bench")
		for _, c := range []struct {
			name, where, index string
			arg                any
		}{
			{"the latest of a subject", runs.OfSubject + " AND state <> 'skipped'" + runs.Latest, "run_about", subject},
			{"the latest of a check run", runs.OfCheck + runs.Latest, "run_check", 7},
		} {
			plan := r.plan(runs.SelectRuns+c.where, c.arg)
			assert.Contains(t, plan, c.index, c.name)
			for _, scan := range []string{"Seq Scan", "SCAN", "Sort", "TEMP B-TREE"} {
				assert.NotContains(t, plan, scan, c.name)
			}
		}
		found, err := r.Latest(t.Context(), subject)
		require.NoError(t, err)
		assert.Equal(t, "r4507", found.ID)
		found, err = r.ByCheck(t.Context(), 7)
		require.NoError(t, err)
		assert.Equal(t, "r7", found.ID)
	})
}
