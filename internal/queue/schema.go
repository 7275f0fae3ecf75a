package queue

import (
	"context"
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Schema is the tables of one part of the program.
type Schema struct {
	// Name tells it from others in the same database.
	Name string
	// Steps lead from nothing to the tables of today. Only new ones are run,
	// so what was released is never changed, only followed by more. In them
	// {id} stands for the type of a primary key that counts itself, {bytes}
	// for that of a column of bytes.
	Steps []string
}

// migrationLock is the number of the lock under which PostgreSQL's tables are
// changed; any number would do.
const migrationLock = 0x62656e6368

// Migrate brings tables up to date. Machines that start together wait for each
// other.
func (db *DB) Migrate(ctx context.Context, schema Schema) error {
	return db.Exclusively(ctx, func(ctx context.Context) error {
		err := db.Write(ctx, func(tx *Tx) error { return schema.apply(ctx, tx, db.dialect) })
		if err != nil {
			return fmt.Errorf("migrate the tables of %q: %w", schema.Name, err)
		}
		return nil
	})
}

// Exclusively runs do while no other machine changes tables.
func (db *DB) Exclusively(ctx context.Context, do func(context.Context) error) error {
	if db.dialect == SQLite {
		return do(ctx) // no other process has the file
	}
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return fault.Because(fault.Infrastructure, err, "connect to the database")
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return fault.Infraf("wait for other machines to migrate the database: %w", err)
	}
	defer func() {
		// If it fails the connection is gone, and the lock with it.
		_, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(migrationLock))
	}()
	return do(ctx)
}

func (s Schema) apply(ctx context.Context, tx *Tx, dialect Dialect) error {
	_, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS schema_step (name TEXT NOT NULL, step BIGINT NOT NULL, PRIMARY KEY (name, step))")
	if err != nil {
		return err
	}
	var done int
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM schema_step WHERE name = $1", s.Name).Scan(&done); err != nil {
		return fault.Infraf("read which steps were taken: %w", err)
	}
	if done > len(s.Steps) {
		return fault.Invalidf("the database was used by a newer version: it has %d steps, this version knows %d. Start that version again", done, len(s.Steps))
	}
	for step := done; step < len(s.Steps); step++ {
		if _, err := tx.Exec(ctx, in(dialect, s.Steps[step])); err != nil {
			return fmt.Errorf("step %d: %w", step+1, err)
		}
		if _, err := tx.Exec(ctx, "INSERT INTO schema_step (name, step) VALUES ($1, $2)", s.Name, step+1); err != nil {
			return err
		}
	}
	return nil
}

// in writes a step in a dialect.
func in(dialect Dialect, step string) string {
	id, bytes := "INTEGER PRIMARY KEY AUTOINCREMENT", "BLOB"
	if dialect == Postgres {
		id, bytes = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "BYTEA"
	}
	return strings.NewReplacer("{id}", id, "{bytes}", bytes).Replace(step)
}
