package service

import (
	"context"
	"database/sql"
	"errors"
	"hash/crc32"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Delivery is one delivery of a webhook.
type Delivery struct {
	// ID is GitHub's X-GitHub-Delivery, the same for every attempt to deliver
	// it.
	ID            string
	Event, Action string
	// Installation is that of the App which the event is of, 0 if it is of
	// none.
	Installation int64
	// Repository is "owner/name", empty if the event is of none.
	Repository string
	// Received is when it came, to the millisecond.
	Received time.Time
	// Body is empty once the delivery was handled, but for a sample.
	Body  Packed
	State State
	// Problem says why it failed.
	Problem string
	// Finished is when it was handled or failed, zero before.
	Finished time.Time
}

// State is how far a delivery is.
type State string

// The states.
const (
	// Queued is a delivery whose job waits or runs.
	Queued  State = "queued"
	Handled State = "handled"
	Failed  State = "failed"
)

// Add stores deliveries with the transaction, as queued. It reports for each
// whether it is new; one whose id is known already is not stored again.
func (s *Store) Add(ctx context.Context, tx *queue.Tx, deliveries []Delivery) ([]bool, error) {
	rows := make([][]any, 0, len(deliveries))
	for _, d := range deliveries {
		rows = append(rows, []any{d.ID, d.Event, d.Action, d.Installation, d.Repository, d.Received.UnixMilli(), string(Queued)})
	}
	inserted, err := tx.Insert(ctx, "delivery", []string{"guid", "event", "action", "installation", "repository", "received", "state"}, rows, "guid")
	if err != nil {
		return nil, err
	}
	isNew := map[string]bool{}
	for _, id := range inserted {
		isNew[id] = true
	}
	fresh := make([]bool, 0, len(deliveries))
	var bodies [][]any
	for _, d := range deliveries {
		fresh = append(fresh, isNew[d.ID])
		if isNew[d.ID] {
			bodies = append(bodies, []any{d.ID, []byte(d.Body)})
		}
		delete(isNew, d.ID) // the same one later in the list is not new
	}
	_, err = tx.Insert(ctx, "delivery_body", []string{"guid", "body"}, bodies, "guid")
	return fresh, err
}

// Finished is what became of a delivery.
type Finished struct {
	ID      string
	State   State
	Problem string
	At      time.Time
}

// sampled reports whether the body of a delivery is kept once it was handled, to look
// at: of one in a hundred, whichever attempt of GitHub's it is.
func sampled(id string) bool { return crc32.ChecksumIEEE([]byte(id))%100 == 0 }

// Finish stores what became of deliveries, together. Of those that were handled the
// bodies are dropped, but for a sample.
func (s *Store) Finish(ctx context.Context, all []Finished) error {
	return s.db.Write(ctx, func(tx *queue.Tx) error {
		for _, one := range all {
			_, err := tx.Exec(ctx, "UPDATE delivery SET state = $1, problem = $2, finished = $3 WHERE guid = $4",
				string(one.State), one.Problem, one.At.UnixMilli(), one.ID)
			if err == nil && one.State == Handled && !sampled(one.ID) {
				_, err = tx.Exec(ctx, "DELETE FROM delivery_body WHERE guid = $1", one.ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// columns are those of a delivery but for its body.
const columns = "guid, event, action, installation, repository, received, state, problem, finished"

// Delivery returns a delivery; the error is [ErrNone] if there is none with
// the id.
func (s *Store) Delivery(ctx context.Context, id string) (Delivery, error) {
	var body []byte
	d, err := scan(s.db.QueryRow(ctx, "SELECT "+columns+", body FROM delivery LEFT JOIN delivery_body USING (guid) WHERE guid = $1", id).Scan, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return Delivery{}, ErrNone
	}
	if err != nil {
		return Delivery{}, fault.Infraf("read delivery %s: %w", id, err)
	}
	d.Body = body
	return d, nil
}

// Recent returns the latest deliveries, the newest first, without their
// bodies. If a repository is named, only those of it.
func (s *Store) Recent(ctx context.Context, repository string, most int) ([]Delivery, error) {
	rows, err := s.db.Query(ctx, "SELECT "+columns+" FROM delivery WHERE $1 = '' OR repository = $1 ORDER BY seq DESC LIMIT $2", repository, most)
	if err != nil {
		return nil, fault.Infraf("list deliveries: %w", err)
	}
	defer rows.Close()
	var found []Delivery
	for rows.Next() {
		d, err := scan(rows.Scan)
		if err != nil {
			return nil, fault.Infraf("list deliveries: %w", err)
		}
		found = append(found, d)
	}
	return found, fault.Wrap(fault.Infrastructure, rows.Err())
}

// scan reads a row of columns, and more.
func scan(row func(...any) error, more ...any) (Delivery, error) {
	var d Delivery
	var received, finished int64
	err := row(append([]any{&d.ID, &d.Event, &d.Action, &d.Installation, &d.Repository, &received, &d.State, &d.Problem, &finished}, more...)...)
	d.Received = time.UnixMilli(received).UTC()
	if finished != 0 {
		d.Finished = time.UnixMilli(finished).UTC()
	}
	return d, err
}

// Knows reports whether a delivery is stored.
func (s *Store) Knows(ctx context.Context, id string) (bool, error) {
	var count int
	if err := s.db.QueryRow(ctx, "SELECT count(*) FROM delivery WHERE guid = $1", id).Scan(&count); err != nil {
		return false, fault.Infraf("look up delivery %s: %w", id, err)
	}
	return count > 0, nil
}

// pruneStep is how many rows are removed in one transaction, so that
// deliveries which arrive meanwhile do not wait.
const pruneStep = 500

// Prune removes deliveries that were received before a time and returns how
// many.
func (s *Store) Prune(ctx context.Context, before time.Time) (int64, error) {
	var total int64
	for {
		var count int64
		err := s.db.Write(ctx, func(tx *queue.Tx) (err error) {
			const old = "SELECT seq, guid FROM (SELECT seq, guid, received FROM delivery ORDER BY seq LIMIT $1) AS oldest WHERE received < $2"
			if _, err = tx.Exec(ctx, "DELETE FROM delivery_body WHERE guid IN (SELECT guid FROM ("+old+") AS old)", pruneStep, before.UnixMilli()); err != nil {
				return err
			}
			count, err = tx.Exec(ctx, "DELETE FROM delivery WHERE seq IN (SELECT seq FROM ("+old+") AS old)", pruneStep, before.UnixMilli())
			return err
		})
		total += count
		if err != nil || count == 0 {
			return total, err
		}
	}
}
