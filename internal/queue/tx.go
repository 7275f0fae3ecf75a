package queue

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Tx is a transaction. It is good until the function that it was given to
// returns, and not for concurrent use.
type Tx struct {
	statements statements
	// One of these is nil, by the dialect.
	sqlite   *sql.Tx
	postgres pgx.Tx
}

// Querier is a [DB], or a transaction of it.
type Querier interface {
	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// statements is what [sql.Tx] and [sql.Conn] have in common.
type statements interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Write runs do in a transaction, which is committed if do returns nil. An
// error of do is returned as it is; others are of kind infrastructure.
func (db *DB) Write(ctx context.Context, do func(*Tx) error) error {
	if db.dialect == Postgres {
		return db.writePostgres(ctx, do)
	}
	inner, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return fault.Infraf("begin a transaction: %w", err)
	}
	tx := &Tx{statements: inner, sqlite: inner}
	defer func() { _ = inner.Rollback() }() // after a commit it does nothing
	if err := do(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fault.Infraf("commit a transaction: %w", err)
	}
	if err := inner.Commit(); err != nil {
		return fault.Infraf("commit a transaction: %w", err)
	}
	return nil
}

// writePostgres begins the transaction on a connection that database/sql holds
// for us, so that it can be used in either way.
func (db *DB) writePostgres(ctx context.Context, do func(*Tx) error) error {
	conn, err := db.reader.Conn(ctx)
	if err != nil {
		return fault.Because(fault.Infrastructure, err, "connect to the database")
	}
	defer conn.Close()
	var inner pgx.Tx
	err = conn.Raw(func(driver any) error {
		known, is := driver.(*stdlib.Conn)
		if !is {
			return fmt.Errorf("the driver is %T", driver)
		}
		inner, err = known.Conn().Begin(ctx)
		return err
	})
	if err != nil {
		return fault.Infraf("begin a transaction: %w", err)
	}
	tx := &Tx{statements: conn, postgres: inner}
	defer rollBack(ctx, conn, inner)
	if err := do(tx); err != nil {
		return err
	}
	if err := conn.Raw(func(any) error { return inner.Commit(ctx) }); err != nil {
		return fault.Infraf("commit a transaction: %w", err)
	}
	return nil
}

// rollbackTimeout is how long a transaction may take to be undone; its
// connection is closed then.
const rollbackTimeout = 5 * time.Second

// rollBack undoes a transaction that was not committed. If its connection broke
// it is gone, and the transaction with it: then it must not be touched.
func rollBack(ctx context.Context, conn *sql.Conn, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_ = conn.Raw(func(any) error { return tx.Rollback(ctx) }) // after a commit it does nothing
}

// SQLite returns the transaction in SQLite, nil in PostgreSQL.
func (tx *Tx) SQLite() *sql.Tx { return tx.sqlite }

// Postgres returns the transaction in PostgreSQL, nil in SQLite.
func (tx *Tx) Postgres() pgx.Tx { return tx.postgres }

// Query reads rows.
func (tx *Tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return tx.statements.QueryContext(ctx, query, args...)
}

// QueryRow reads one row.
func (tx *Tx) QueryRow(ctx context.Context, query string, args ...any) *sql.Row {
	return tx.statements.QueryRowContext(ctx, query, args...)
}

// Exec changes rows and returns how many. Errors are of kind infrastructure.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	result, err := tx.statements.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, fault.Infraf("write to the database: %w", err)
	}
	count, err := result.RowsAffected()
	if err != nil {
		return 0, fault.Infraf("count the rows that were written: %w", err)
	}
	return count, nil
}

// How many rows one statement inserts. SQLite's driver looks
// for each parameter among all of them.
const (
	sqliteRowsTogether   = 16
	postgresRowsTogether = 1000
)

// Insert inserts rows, but for those that conflict with rows that are there or
// go before them. It returns what the inserted ones have in one of the columns,
// which is text.
func (tx *Tx) Insert(ctx context.Context, table string, columns []string, rows [][]any, returning string) ([]string, error) {
	together, placeholder := sqliteRowsTogether, func(int) string { return "?" }
	if tx.postgres != nil {
		together, placeholder = postgresRowsTogether, func(n int) string { return "$" + strconv.Itoa(n) }
	}
	var inserted []string
	for chunk := range slices.Chunk(rows, together) {
		var query strings.Builder
		query.WriteString("INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES ")
		var args []any
		for i, row := range chunk {
			separator := ", ("
			if i == 0 {
				separator = "("
			}
			for _, value := range row {
				args = append(args, value)
				query.WriteString(separator + placeholder(len(args)))
				separator = ", "
			}
			query.WriteString(")")
		}
		query.WriteString(" ON CONFLICT DO NOTHING RETURNING " + returning)
		names, err := tx.names(ctx, query.String(), args)
		if err != nil {
			return nil, fault.Infraf("write to the database: %w", err)
		}
		inserted = append(inserted, names...)
	}
	return inserted, nil
}

// names runs a statement that returns one column of text.
func (tx *Tx) names(ctx context.Context, query string, args []any) ([]string, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}
