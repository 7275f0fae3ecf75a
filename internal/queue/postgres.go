package queue

import (
	"context"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// postgresConns is the greatest number of connections of one process. One of
// them listens for new jobs.
const postgresConns = 12

// AddressSecrets returns what of an address must not be shown: the passwords in it, and
// the one that PGPASSWORD or a file of passwords adds.
func AddressSecrets(address string) []string {
	var secrets []string
	if u, err := url.Parse(address); err == nil {
		if password, is := u.User.Password(); is {
			secrets = append(secrets, password)
		}
		secrets = append(append(secrets, u.Query()["password"]...), u.Query()["sslpassword"]...)
	}
	if strings.HasPrefix(address, sqlitePrefix) {
		return secrets
	}
	if config, err := pgxpool.ParseConfig(address); err == nil && config.ConnConfig.Password != "" {
		secrets = append(secrets, config.ConnConfig.Password)
	}
	return secrets
}

func openPostgres(ctx context.Context, address string) (*DB, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, CheckAddress(address)
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
