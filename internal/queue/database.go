package queue

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Dialect is what a database speaks.
type Dialect int

// The dialects.
const (
	SQLite Dialect = iota
	Postgres
)

// String returns the product's name.
func (d Dialect) String() string {
	if d == Postgres {
		return "PostgreSQL"
	}
	return "SQLite"
}

// How addresses begin.
const (
	sqlitePrefix     = "sqlite:"
	postgresPrefix   = "postgres://"
	postgresqlPrefix = "postgresql://"
)

// DB is what the App's server keeps its data in: a SQLite file of its own, or
// PostgreSQL that several machines share. It is safe for concurrent use.
//
// Statements are written once for both. Parameters are $1, $2 and so on; times
// and durations are integers, so that both compare them alike; what differs in
// the definition of a table is written as {id} and {bytes}, see [Schema].
type DB struct {
	dialect Dialect
	// reader answers queries outside of transactions. Writer has SQLite's one
	// connection that writes; it is nil for PostgreSQL, where pool has the
	// connections of reader.
	reader, writer *sql.DB
	pool           *pgxpool.Pool
	// lock keeps other processes away from a SQLite file; nil for PostgreSQL.
	lock *os.File
}

// CheckAddress says whether an address is one that [OpenDB] understands. The error is
// of kind invalid and repeats nothing of the address, which may have a
// password in it.
func CheckAddress(address string) error {
	switch {
	case strings.HasPrefix(address, sqlitePrefix) && len(address) > len(sqlitePrefix):
		return nil
	case strings.HasPrefix(address, postgresPrefix), strings.HasPrefix(address, postgresqlPrefix):
		if _, err := pgxpool.ParseConfig(address); err != nil {
			return fault.Invalidf("the address of the database cannot be read: write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %%XX for special characters in the password")
		}
		return nil
	default:
		return fault.Invalidf("the address of the database begins neither with postgres:// nor with sqlite: followed by the path of a file")
	}
}

// OpenDB opens the database at an address: "sqlite:" and a path, which is
// created if it is not there, or a URL that begins with "postgres://". Errors
// are of kind invalid for an address that is none, else of kind
// infrastructure.
func OpenDB(ctx context.Context, address string) (*DB, error) {
	if err := CheckAddress(address); err != nil {
		return nil, err
	}
	if path, is := strings.CutPrefix(address, sqlitePrefix); is {
		return openSQLite(ctx, path)
	}
	return openPostgres(ctx, address)
}

// Dialect returns what the database speaks.
func (db *DB) Dialect() Dialect { return db.dialect }

// Writer returns the connection that writes to SQLite, nil for PostgreSQL.
func (db *DB) Writer() *sql.DB { return db.writer }

// Pool returns the connections to PostgreSQL, nil for SQLite.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// Query reads rows outside of a transaction.
func (db *DB) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return db.reader.QueryContext(ctx, query, args...)
}

// QueryRow reads one row outside of a transaction.
func (db *DB) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	return db.reader.QueryRowContext(ctx, query, args...)
}

// Close closes the database.
func (db *DB) Close() error {
	problem := db.reader.Close()
	if db.writer != nil {
		problem = errors.Join(problem, db.writer.Close())
	}
	if db.pool != nil {
		db.pool.Close()
	}
	if db.lock != nil {
		problem = errors.Join(problem, db.lock.Close())
	}
	return problem
}
