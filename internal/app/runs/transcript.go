package runs

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

const (
	// maxTranscript is how much of a session's transcript is kept, in bytes of JSON.
	// Stored it takes about a fifth.
	maxTranscript = 256 << 10
	// maxTranscripts is how much the transcripts of a run may take as they are stored,
	// in bytes.
	maxTranscripts = 64 << 20
)

// AddTranscript keeps the transcript of a cell's session, in place of one that was kept
// before. What is too long is left out. It reports false, and keeps none, once those of
// the run take as much as they may.
func (t *Table) AddTranscript(ctx context.Context, id string, cell bench.Cell, transcript agent.Transcript) (kept bool, err error) {
	data, err := pack(transcript.Within(maxTranscript))
	if err != nil {
		return false, err
	}
	err = t.db.Write(ctx, func(tx *queue.Tx) error {
		var used int64
		err := tx.QueryRow(ctx, "SELECT COALESCE(SUM(size), 0) FROM run_transcript WHERE run = $1 AND cell <> $2", id, cell.String()).Scan(&used)
		if err != nil {
			return fault.Infraf("add up transcripts of run %s: %w", id, err)
		}
		if kept = used+int64(len(data)) <= maxTranscripts; !kept {
			return nil
		}
		_, err = tx.Exec(ctx, `INSERT INTO run_transcript (run, cell, size, transcript) VALUES ($1, $2, $3, $4)
			ON CONFLICT (run, cell) DO UPDATE SET size = excluded.size, transcript = excluded.transcript`, id, cell.String(), len(data), data)
		return err
	})
	return kept && err == nil, err
}

// copyTranscript gives a run the transcript of another one's cell, if there is one.
func copyTranscript(ctx context.Context, tx *queue.Tx, id, from string, cell bench.Cell) error {
	_, err := tx.Exec(ctx, `INSERT INTO run_transcript (run, cell, size, transcript)
		SELECT CAST($1 AS TEXT), cell, size, transcript FROM run_transcript WHERE run = $2 AND cell = $3 ON CONFLICT DO NOTHING`, id, from, cell.String())
	return err
}

// Transcript returns the transcript of a cell's session, nil if none was kept.
func (t *Table) Transcript(ctx context.Context, id string, cell bench.Cell) (*agent.Transcript, error) {
	var data []byte
	err := t.db.QueryRow(ctx, "SELECT transcript FROM run_transcript WHERE run = $1 AND cell = $2", id, cell.String()).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Infraf("read a transcript of run %s: %w", id, err)
	}
	transcript := &agent.Transcript{}
	return transcript, unpack(data, transcript)
}
