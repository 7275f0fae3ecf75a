package database

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// postgresConns is the greatest number of connections of one process. One of
// them listens for new jobs.
const postgresConns = 12

func openPostgres(ctx context.Context, address string) (*DB, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, Check(address)
	}
	config.MaxConns = max(config.MaxConns, postgresConns)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fault.Because(fault.Infrastructure, err, "open the database in PostgreSQL")
	}
	db := &DB{dialect: Postgres, pool: pool, reader: stdlib.OpenDBFromPool(pool)}
	if err := pool.Ping(ctx); err != nil {
		_ = db.Close() // it was never open
		return nil, fault.Because(fault.Infrastructure, err,
			"PostgreSQL at "+config.ConnConfig.Host+" does not answer: check DATABASE_URL and that the server runs")
	}
	return db, nil
}
