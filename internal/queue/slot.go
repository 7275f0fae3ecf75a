package queue

import (
	"context"
	"log/slog"
	"time"

	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// freeTimeout is how long giving a slot back may take.
const freeTimeout = 10 * time.Second

// takeSlot takes one of the places that jobs of a kind have for a key, and
// reports false if all are taken.
func (q *Queue) takeSlot(ctx context.Context, h handler, job int64, key string) (taken bool, err error) {
	err = q.db.Write(ctx, func(tx *database.Tx) error {
		for number := range h.parallel {
			count, err := tx.Exec(ctx, `INSERT INTO queue_slot (kind, name, number, job, process) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT DO NOTHING`, h.kind, key, number, job, q.opts.Process)
			if err != nil {
				return err
			}
			if count > 0 {
				taken = true
				return nil
			}
		}
		return nil
	})
	return taken, err
}

// freeSlot gives a job's place back, also when its context has ended.
func (q *Queue) freeSlot(ctx context.Context, job int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), freeTimeout)
	defer cancel()
	err := q.db.Write(ctx, func(tx *database.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM queue_slot WHERE job = $1 AND process = $2", job, q.opts.Process)
		return err
	})
	if err != nil {
		q.opts.Log.ErrorContext(ctx, "a job's place could not be given back", slog.Int64("job", job), slog.String("error", q.opts.Redact(err.Error())))
	}
}
