package queue_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// A question whose context ends in the middle must not leave a connection that
// goes on seeing what was there then.
func TestAQuestionThatWasGivenUpLeavesNoOldView(t *testing.T) {
	db, err := queue.OpenDB(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	write := func(statement string, args ...any) {
		require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
			_, err := tx.Exec(t.Context(), statement, args...)
			return err
		}))
	}
	write("CREATE TABLE number (n BIGINT NOT NULL)")
	write("INSERT INTO number (n) VALUES (0)")
	for want := range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		asked := make(chan struct{})
		go func() {
			defer close(asked)
			rows, err := db.Query(ctx, "SELECT n FROM number")
			if err != nil {
				return
			}
			for rows.Next() {
				var n int
				_ = rows.Scan(&n)
			}
			_ = rows.Close()
			_ = rows.Err()
		}()
		cancel()
		<-asked
		write("UPDATE number SET n = $1", want)
		for range 8 {
			var got int
			require.NoError(t, db.QueryRow(t.Context(), "SELECT n FROM number").Scan(&got))
			require.Equal(t, want, got)
		}
	}
}

// A connection whose transaction was given up is closed by others, so it must
// not be touched any more: the race detector sees if it is.
func TestATransactionThatWasGivenUpIsUndone(t *testing.T) {
	db := open(t, dbtest.Postgres(t))
	require.NoError(t, db.Migrate(t.Context(), things()))
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Write(ctx, func(tx *queue.Tx) error {
			_, err := tx.Exec(ctx, "INSERT INTO thing (name) VALUES ('x')")
			require.NoError(t, err)
			cancel()
			_, err = tx.Exec(ctx, "INSERT INTO thing (name) VALUES ('y')")
			return err
		})
		require.Error(t, err)
	}
	require.Zero(t, count(t, db))
}
