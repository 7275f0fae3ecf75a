package queue_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// fill writes 12 MB of rows into the table number.
const (
	fill  = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000) INSERT INTO number SELECT i, randomblob(1000) FROM n"
	table = "CREATE TABLE number (n BIGINT NOT NULL, data BLOB NOT NULL)"
)

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Size()
}

// A burst of deliveries must not cost its disk for ever.
func TestTheFileShrinksOnceWhatWasInItIsGone(t *testing.T) {
	for name, before := range map[string]bool{"new": false, "of a version before": true} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			if before {
				old, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)")
				require.NoError(t, err)
				_, err = old.ExecContext(t.Context(), table)
				require.NoError(t, err)
				_, err = old.ExecContext(t.Context(), "INSERT INTO number VALUES (0, x'00')")
				require.NoError(t, err)
				require.NoError(t, old.Close())
			}
			db, err := queue.OpenDB(t.Context(), "sqlite:"+path)
			require.NoError(t, err)
			defer func() { assert.NoError(t, db.Close()) }()
			write := func(statement string) {
				require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
					_, err := tx.Exec(t.Context(), statement)
					return err
				}))
			}
			if !before {
				write(table)
			}
			write(fill)
			pages, err := db.Shrink(t.Context())
			require.NoError(t, err)
			assert.Zero(t, pages, "all is in use")
			write("DELETE FROM number WHERE n % 100 <> 0")
			pages, err = db.Shrink(t.Context())
			require.NoError(t, err)
			assert.Greater(t, pages, int64(500))
			assert.Less(t, size(t, path), int64(9<<20))
			assert.Zero(t, size(t, path+"-wal"))
			var rows int
			require.NoError(t, db.QueryRow(t.Context(), "SELECT count(*) FROM number WHERE n > 0").Scan(&rows))
			assert.Equal(t, 120, rows)
		})
	}
}

func TestPostgreSQLShrinksItself(t *testing.T) {
	pages, err := open(t, dbtest.Postgres(t)).Shrink(t.Context())
	require.NoError(t, err)
	assert.Zero(t, pages)
}
