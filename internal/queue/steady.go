package queue

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// openSteady opens a database of SQLite's whose statements are not given up when
// a context ends. The driver leaves a statement that was given up unfinished:
// its connection goes on seeing what was there at that time, or stays in a
// transaction that nobody ends, and then none can be begun any more. Statements
// are short, so nothing is lost; [database/sql] still gives up waiting for a
// connection, and does not begin what is over.
func openSteady(address string) (*sql.DB, error) {
	plain, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, err
	}
	defer plain.Close() // it has no connection yet
	return sql.OpenDB(steadyConnector{plain.Driver(), address}), nil
}

type steadyConnector struct {
	driver  driver.Driver
	address string
}

func (c steadyConnector) Driver() driver.Driver { return c.driver }

func (c steadyConnector) Connect(context.Context) (driver.Conn, error) {
	opened, err := c.driver.Open(c.address)
	if err != nil {
		return nil, err
	}
	conn, is := opened.(connection)
	if !is {
		_ = opened.Close() // nothing was done with it
		return nil, fault.Internalf("SQLite's driver has connections of type %T", opened)
	}
	return steady{conn}, nil
}

// connection is what connections of SQLite's driver can do.
type connection interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// steady is a connection that has statements go on to their end.
type steady struct{ connection }

func (s steady) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	return s.connection.BeginTx(context.WithoutCancel(ctx), opts)
}

func (s steady) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return s.connection.PrepareContext(context.WithoutCancel(ctx), query)
}

func (s steady) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return s.connection.ExecContext(context.WithoutCancel(ctx), query, args)
}

func (s steady) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return s.connection.QueryContext(context.WithoutCancel(ctx), query, args)
}
