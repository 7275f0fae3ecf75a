package queue

import (
	"context"
	"fmt"

	"github.com/pressly/goose/v3/database"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// stepTable is the table in which the steps that were taken are noted, of all schemas:
// goose's own has one schema, and steps of before it are noted here. Step 0 is goose's
// note that the table is there.
type stepTable struct {
	// schema is [Schema.Name].
	schema string
}

var _ database.Store = stepTable{}

func (stepTable) Tablename() string { return "schema_step" }

func (stepTable) CreateVersionTable(ctx context.Context, db database.DBTxConn) error {
	_, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS schema_step (name TEXT NOT NULL, step BIGINT NOT NULL, PRIMARY KEY (name, step))")
	return err
}

func (t stepTable) Insert(ctx context.Context, db database.DBTxConn, step database.InsertRequest) error {
	_, err := db.ExecContext(ctx, "INSERT INTO schema_step (name, step) VALUES ($1, $2)", t.schema, step.Version)
	return err
}

// Delete is for steps that are taken back, of which there are none.
func (stepTable) Delete(context.Context, database.DBTxConn, int64) error {
	return database.ErrNotImplemented
}

func (t stepTable) GetMigration(ctx context.Context, db database.DBTxConn, step int64) (*database.GetMigrationResult, error) {
	var found int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM schema_step WHERE name = $1 AND step = $2", t.schema, step).Scan(&found); err != nil {
		return nil, err
	}
	if found == 0 {
		return nil, fmt.Errorf("step %d: %w", step, database.ErrVersionNotFound)
	}
	return &database.GetMigrationResult{IsApplied: true}, nil
}

func (t stepTable) GetLatestVersion(ctx context.Context, db database.DBTxConn) (int64, error) {
	taken, err := t.ListMigrations(ctx, db)
	if err != nil {
		return 0, err
	}
	if len(taken) == 0 {
		return 0, database.ErrVersionNotFound
	}
	return taken[0].Version, nil
}

func (t stepTable) ListMigrations(ctx context.Context, db database.DBTxConn) ([]*database.ListMigrationsResult, error) {
	rows, err := db.QueryContext(ctx, "SELECT step FROM schema_step WHERE name = $1 ORDER BY step DESC", t.schema)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var taken []*database.ListMigrationsResult
	for rows.Next() {
		one := &database.ListMigrationsResult{IsApplied: true}
		if err := rows.Scan(&one.Version); err != nil {
			return nil, err
		}
		taken = append(taken, one)
	}
	if err := rows.Err(); err != nil {
		return nil, fault.Infraf("read which steps were taken: %w", err)
	}
	return taken, nil
}
