package runs

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Answer is what a command is answered. It is kept, so that an attempt after
// one that failed half-way says the same and does nothing anew.
type Answer struct {
	// Reaction is that to the comment, as GitHub's API names it.
	Reaction string
	// Body is Markdown.
	Body string
	// Outcome is a word for the log and the metrics.
	Outcome string
}

// SetAnswer stores, with the transaction, what a cause is answered. The first
// answer counts.
func (t *Table) SetAnswer(ctx context.Context, tx *queue.Tx, cause string, a Answer, at time.Time) error {
	_, err := tx.Exec(ctx, "INSERT INTO answer (cause, reaction, body, outcome, given) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
		cause, a.Reaction, a.Body, a.Outcome, at.UnixMilli())
	return err
}

// Answer returns what a cause is answered. It reports false if that is not
// decided.
func (t *Table) Answer(ctx context.Context, cause string) (Answer, bool, error) {
	var a Answer
	err := t.db.QueryRow(ctx, "SELECT reaction, body, outcome FROM answer WHERE cause = $1", cause).Scan(&a.Reaction, &a.Body, &a.Outcome)
	if errors.Is(err, sql.ErrNoRows) {
		return Answer{}, false, nil
	}
	if err != nil {
		return Answer{}, false, fault.Infraf("look up an answer: %w", err)
	}
	return a, true, nil
}
