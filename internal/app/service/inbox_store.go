package service

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Store is the tables of the App's server: the deliveries that it keeps, and what it
// notes for itself. It is safe for concurrent use.
type Store struct {
	db *queue.DB
}

// OpenStore returns the store of a database and makes its tables.
func OpenStore(ctx context.Context, db *queue.DB) (*Store, error) {
	return &Store{db: db}, db.Migrate(ctx, schema())
}

func schema() queue.Schema {
	return queue.Schema{Name: "app", Steps: []string{`
		CREATE TABLE delivery (
			seq {id},
			guid TEXT NOT NULL UNIQUE,
			event TEXT NOT NULL,
			action TEXT NOT NULL,
			installation BIGINT NOT NULL,
			repository TEXT NOT NULL,
			received BIGINT NOT NULL,
			state TEXT NOT NULL,
			problem TEXT NOT NULL DEFAULT '',
			finished BIGINT NOT NULL DEFAULT 0,
			body {bytes} NOT NULL
		);
		CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL);
	`, `
		CREATE TABLE delivery_body (guid TEXT PRIMARY KEY, body {bytes} NOT NULL);
		INSERT INTO delivery_body (guid, body) SELECT guid, body FROM delivery WHERE state <> 'handled';
		ALTER TABLE delivery DROP COLUMN body;
	`}}
}

// ErrNone is the error of what is not there.
var ErrNone = errors.New("there is no such row")

// NoteTime notes a time under a name.
func (s *Store) NoteTime(ctx context.Context, name string, t time.Time) error {
	return s.db.Write(ctx, func(tx *queue.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO note (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
			name, strconv.FormatInt(t.UnixMilli(), 10))
		return err
	})
}

// NotedTime returns a time that was noted, to the millisecond, zero if none
// was.
func (s *Store) NotedTime(ctx context.Context, name string) (time.Time, error) {
	var value string
	err := s.db.QueryRow(ctx, "SELECT value FROM note WHERE name = $1", name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fault.Infraf("read the note %q: %w", name, err)
	}
	milliseconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return time.Time{}, fault.Internalf("read the note %q: %w", name, err)
	}
	return time.UnixMilli(milliseconds).UTC(), nil
}
