package queue

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

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
// loss of power; readers do not wait for the writer. How a file gives pages back
// has to be said before it has any.
func pragmas() []string {
	return []string{
		"busy_timeout(10000)", "auto_vacuum(INCREMENTAL)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
		"cache_size(-8000)", "journal_size_limit(16777216)", "temp_store(MEMORY)",
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
	if err := db.makeShrinkable(ctx); err != nil {
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

// shrinkable is what PRAGMA auto_vacuum says of a file that gives pages back when
// it is asked to.
const shrinkable = 2

// makeShrinkable writes a file anew that a version made which did not give pages
// back. If the disk has no room for that the file stays as it is.
func (db *DB) makeShrinkable(ctx context.Context) error {
	var now int
	if err := db.writer.QueryRowContext(ctx, "PRAGMA auto_vacuum").Scan(&now); err != nil || now == shrinkable {
		return err
	}
	_, _ = db.writer.ExecContext(ctx, "VACUUM") // all else works without
	return ctx.Err()
}

const (
	// keptPages is how many free pages of 4 kB a file keeps for what comes next.
	keptPages = 2048
	// shrinkStep is how many pages are given back at once, while others wait to
	// write.
	shrinkStep = 500
)

// Shrink gives the disk back what was used once and is free now, a little at a
// time, and returns how many pages. PostgreSQL does so itself.
func (db *DB) Shrink(ctx context.Context) (pages int64, err error) {
	if db.dialect != SQLite {
		return 0, nil
	}
	for {
		var free int64
		if err := db.writer.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil {
			return pages, fault.Infraf("count the free pages of the database: %w", err)
		}
		if free <= keptPages {
			break
		}
		gone, err := db.giveBack(ctx)
		pages += gone
		if err != nil {
			return pages, err
		}
		if gone == 0 {
			break // the file could not be made shrinkable
		}
	}
	if pages == 0 {
		return 0, nil
	}
	// The file gets shorter when what was written is moved into it.
	var busy, log, moved int
	if err := db.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved); err != nil {
		return pages, fault.Infraf("shrink the database: %w", err)
	}
	return pages, nil
}

// giveBack makes the file shorter by at most [shrinkStep] pages, and returns by how
// many.
func (db *DB) giveBack(ctx context.Context) (pages int64, err error) {
	// Each row is a page.
	rows, err := db.writer.QueryContext(ctx, "PRAGMA incremental_vacuum("+strconv.Itoa(shrinkStep)+")")
	if err != nil {
		return 0, fault.Infraf("shrink the database: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		pages++
	}
	if err := rows.Err(); err != nil {
		return pages, fault.Infraf("shrink the database: %w", err)
	}
	return pages, nil
}
