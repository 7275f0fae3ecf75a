package queue

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
	// The driver that needs no C compiler.
	_ "modernc.org/sqlite"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// sqliteReaders is how many connections read at a time.
	sqliteReaders = 4
	// ownerOnly is the mode of files with data of repositories in them.
	ownerOnly = 0o600
)

// pragmas are the settings of each connection. What is committed survives a
// loss of power; readers do not wait for the writer.
func pragmas() []string {
	return []string{
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
		"cache_size(-8000)", "journal_size_limit(67108864)", "temp_store(MEMORY)",
	}
}

func openSQLite(ctx context.Context, path string) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fault.Infraf("find the database: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fault.Infraf("make the folder of the database: %w", err)
	}
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	db := &DB{dialect: SQLite, lock: lock}
	if err := db.connectSQLite(ctx, path); err != nil {
		return nil, fault.Infraf("open the database %s: %w", path, closing(db, err))
	}
	return db, nil
}

// connectSQLite opens the connection that writes, then those that read.
func (db *DB) connectSQLite(ctx context.Context, path string) error {
	// SQLite gives its other files the mode of this one.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, ownerOnly)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	query := url.Values{"_pragma": pragmas(), "_txlock": {"immediate"}}
	if db.writer, err = openSteady(sqliteAddress(path, query)); err != nil {
		return err
	}
	db.writer.SetMaxOpenConns(1)
	if err := db.writer.PingContext(ctx); err != nil {
		return err
	}
	query = url.Values{"_pragma": append(pragmas(), "query_only(ON)")}
	if db.reader, err = openSteady(sqliteAddress(path, query)); err != nil {
		return err
	}
	db.reader.SetMaxOpenConns(sqliteReaders)
	return db.reader.PingContext(ctx)
}

// closing closes what was opened of a database, and returns the error that
// was the reason.
func closing(db *DB, reason error) error {
	for _, one := range []*sql.DB{db.reader, db.writer} {
		if one != nil {
			_ = one.Close() // it holds nothing
		}
	}
	if db.lock != nil {
		_ = db.lock.Close()
	}
	return reason
}

func sqliteAddress(path string, query url.Values) string {
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// lockFile has one process use the database at a time: it may then take every
// job that another one began for abandoned.
func lockFile(path string) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, ownerOnly)
	if err != nil {
		return nil, fault.Infraf("lock the database: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = lock.Close() // nothing was written
		return nil, fault.Invalidf("another process uses the database %s: end it, or set DATABASE_URL to a PostgreSQL that both share", path[:len(path)-len(".lock")])
	}
	return lock, nil
}
