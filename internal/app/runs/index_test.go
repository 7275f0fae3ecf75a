package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
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
			_, err := tx.Exec(t.Context(), `INSERT INTO run (id, cause, installation, repo, pull, head, suite, state, request, check_id, created, repo_key, kind, model)
				WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
				SELECT 'r' || i, 'c' || i, 5, 'aryeko/ghx', i % 500, 'h' || i, 'bench', 'finished', '{}', i, 0, CASE WHEN i % 20 = 0 THEN 'aryeko/ghx' ELSE 'other/' || (i % 50) END, 'pull_request', 'a/b' FROM n`)
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
		if r.db.Dialect() == queue.Postgres {
			return // which weighs what is there; how long its pages take is another test
		}
		for name, c := range map[string]struct {
			of    dashboard.Filter
			index string
		}{
			"a repository's runs":     {dashboard.Filter{}, "run_list"},
			"of a state and a model":  {dashboard.Filter{State: dashboard.Broken, Model: "c/d"}, "run_list"},
			"those before another":    {dashboard.Filter{Before: "r4000"}, "run_list"},
			"of the default branch":   {dashboard.Filter{Kind: dashboard.Baseline}, "run_kind"},
			"of a pull request":       {dashboard.Filter{Search: dashboard.Search{Text: "12", Pull: 12}}, "run_pull"},
			"of a commit":             {dashboard.Filter{Search: dashboard.Search{Text: "h123", Commit: "h123"}}, "run_head"},
			"by the beginning of ids": {dashboard.Filter{Search: dashboard.Search{Text: "r123", ID: "r123"}}, "run_id|autoindex_run_1"},
		} {
			c.of.Repos, c.of.Limit = []string{"aryeko/ghx"}, 51
			query, values := runs.ListQuery(c.of)
			plan := r.plan(query, values...)
			assert.Regexp(t, c.index, plan, name)
			for _, scan := range []string{"Seq Scan on run", "SCAN run"} {
				assert.NotContains(t, plan, scan, name)
			}
		}
		query, values := runs.LatestQuery([]string{"aryeko/ghx", "o/p"})
		plan := r.plan(query, values...)
		assert.Regexp(t, "run_list", plan)
		assert.NotRegexp(t, "Seq Scan on run|SCAN run( |$)", plan)
		plan = r.plan("SELECT seq FROM run WHERE model IS NULL ORDER BY seq LIMIT 500")
		assert.Contains(t, plan, "run_unlisted", "every start asks")
	})
}
