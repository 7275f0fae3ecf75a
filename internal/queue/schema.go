package queue

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/pressly/goose/v3"

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
// other. What a step that fails has done is undone; those before it stay. The
// error is of kind invalid if a newer version has used the database.
func (db *DB) Migrate(ctx context.Context, schema Schema) error {
	return db.Exclusively(ctx, func(ctx context.Context) error {
		if err := db.migrate(ctx, schema); err != nil {
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

func (db *DB) migrate(ctx context.Context, schema Schema) error {
	writer := db.writer
	if db.dialect == Postgres {
		writer = db.reader
	}
	provider, err := goose.NewProvider(goose.DialectCustom, writer, nil, goose.WithStore(stepTable{schema.Name}),
		goose.WithGoMigrations(schema.migrations(db.dialect)...), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	done, known, err := provider.GetVersions(ctx)
	if err != nil {
		return fault.Infraf("read which steps were taken: %w", err)
	}
	if done > known {
		return fault.Invalidf("the database was used by a newer version: it has %d steps, this version knows %d. Start that version again", done, known)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fault.Infraf("take a step: %w", err)
	}
	return nil
}

// migrations returns the steps in a dialect, each a transaction of its own.
func (s Schema) migrations(dialect Dialect) []*goose.Migration {
	all := make([]*goose.Migration, len(s.Steps))
	for i, step := range s.Steps {
		statements := in(dialect, step)
		all[i] = goose.NewGoMigration(int64(i+1), &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, statements)
			return err
		}}, nil)
	}
	return all
}

// in writes a step in a dialect.
func in(dialect Dialect, step string) string {
	id, bytes := "INTEGER PRIMARY KEY AUTOINCREMENT", "BLOB"
	if dialect == Postgres {
		id, bytes = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "BYTEA"
	}
	return strings.NewReplacer("{id}", id, "{bytes}", bytes).Replace(step)
}
