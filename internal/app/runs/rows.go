package runs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// AddRow keeps a row of a run, as a line of JSON. A cell that has a row of the
// run's own keeps it. One that was taken over makes room for a row of another
// time: the cell was run again after all.
func (t *Table) AddRow(ctx context.Context, id string, cell bench.Cell, row []byte) error {
	return t.db.Write(ctx, func(tx *queue.Tx) error { return addRow(ctx, tx, id, cell, row) })
}

func addRow(ctx context.Context, tx *queue.Tx, id string, cell bench.Cell, row []byte) error {
	var taken []byte
	err := tx.QueryRow(ctx, "SELECT row FROM run_row WHERE run = $1 AND cell = $2 AND taken_usd IS NOT NULL", id, cell.String()).Scan(&taken)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fault.Infraf("look for a row of run %s: %w", id, err)
	}
	if err == nil && timestamp(taken) == timestamp(row) {
		return nil // ledgers have copies of what was taken over
	}
	_, err = tx.Exec(ctx, `INSERT INTO run_row (run, cell, row) VALUES ($1, $2, $3)
		ON CONFLICT (run, cell) DO UPDATE SET row = excluded.row, taken_usd = NULL WHERE run_row.taken_usd IS NOT NULL`, id, cell.String(), row)
	return err
}

// SetBegun keeps what is run, for another server to go on with. If it begins anew, the rows
// that there are of the run are removed.
func (t *Table) SetBegun(ctx context.Context, id string, begun []byte, anew bool) error {
	return t.db.Write(ctx, func(tx *queue.Tx) error {
		count, err := tx.Exec(ctx, "UPDATE run SET begun = $1 WHERE id = $2 AND "+alive, begun, id)
		if err != nil || count == 0 || !anew {
			return err
		}
		_, err = tx.Exec(ctx, "DELETE FROM run_row WHERE run = $1", id)
		return err
	})
}

// Begun returns what is kept of what is run, nil for nothing.
func (t *Table) Begun(ctx context.Context, id string) (begun []byte, err error) {
	if err := t.db.QueryRow(ctx, "SELECT begun FROM run WHERE id = $1", id).Scan(&begun); err != nil {
		return nil, fault.Infraf("read what run %s has begun: %w", id, err)
	}
	return begun, nil
}

// timestamp returns when a row's cell was run, empty if it does not say.
func timestamp(row []byte) string {
	var read struct{ Timestamp string }
	if json.Unmarshal(row, &read) != nil {
		return ""
	}
	return read.Timestamp
}

// TakeOver gives a run rows of another one, with their transcripts. Those that it has stay.
func (t *Table) TakeOver(ctx context.Context, id, from string, rows map[bench.Cell][]byte) error {
	return t.db.Write(ctx, func(tx *queue.Tx) error {
		for cell, line := range rows {
			var row bench.Row
			if err := json.Unmarshal(line, &row); err != nil {
				return fault.Internalf("take over a row: %w", err)
			}
			_, err := tx.Exec(ctx, "INSERT INTO run_row (run, cell, row, taken_usd) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
				id, cell.String(), line, row.SpentUSD())
			if err == nil {
				err = copyTranscript(ctx, tx, id, from, cell)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Settle keeps rows that came to be known after a run had ended, and what all
// of its own have cost.
func (t *Table) Settle(ctx context.Context, id string, rows map[bench.Cell][]byte) error {
	return t.db.Write(ctx, func(tx *queue.Tx) error {
		for cell, row := range rows {
			if err := addRow(ctx, tx, id, cell, row); err != nil {
				return err
			}
		}
		own, err := readRows(ctx, tx, "run = $1 AND taken_usd IS NULL", id)
		if err != nil {
			return err
		}
		var usd float64
		for _, line := range own {
			var row bench.Row
			if err := json.Unmarshal(line, &row); err != nil {
				return fault.Internalf("read a row of run %s: %w", id, err)
			}
			usd += row.SpentUSD()
		}
		_, err = tx.Exec(ctx, "UPDATE run SET cost = $1 WHERE id = $2 AND cost < $1 AND NOT "+alive, usd, id)
		return err
	})
}

// ownCost returns what is left of what a run's rows have cost, without those
// that it took over: another run has paid for them.
func ownCost(ctx context.Context, tx *queue.Tx, id string, costUSD float64) (float64, error) {
	var taken float64
	err := tx.QueryRow(ctx, "SELECT COALESCE(SUM(taken_usd), 0) FROM run_row WHERE run = $1", id).Scan(&taken)
	if err != nil {
		return 0, fault.Infraf("add up what run %s took over: %w", id, err)
	}
	return max(costUSD-taken, 0), nil
}

// Rows returns the rows that were kept of a run, in no particular order.
func (t *Table) Rows(ctx context.Context, id string) ([][]byte, error) {
	return readRows(ctx, t.db, "run = $1", id)
}

// ScenarioRows returns those of one scenario, in no particular order.
func (t *Table) ScenarioRows(ctx context.Context, id, scenario string) ([][]byte, error) {
	return readRows(ctx, t.db, "run = $1 AND SUBSTR(cell, 1, LENGTH($2)) = $2", id, scenario+"/")
}

// Cells returns those of which a run has rows, in no particular order.
func (t *Table) Cells(ctx context.Context, id string) ([]bench.Cell, error) {
	return t.cells(ctx, id, "TRUE")
}

// cells returns those of which a run has rows for which a condition holds.
func (t *Table) cells(ctx context.Context, id, where string) ([]bench.Cell, error) {
	rows, err := t.db.Query(ctx, "SELECT cell FROM run_row WHERE run = $1 AND "+where, id)
	if err != nil {
		return nil, fault.Infraf("list the cells of run %s: %w", id, err)
	}
	defer rows.Close()
	var all []bench.Cell
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, fault.Infraf("list the cells of run %s: %w", id, err)
		}
		cell, err := bench.ParseCell(text)
		if err != nil {
			return nil, fault.Internalf("list the cells of run %s: %w", id, err)
		}
		all = append(all, cell)
	}
	return all, fault.Wrap(fault.Infrastructure, rows.Err())
}

// readRows returns the rows of a run for which a condition holds.
func readRows(ctx context.Context, in querier, where, id string, more ...any) ([][]byte, error) {
	rows, err := in.Query(ctx, "SELECT row FROM run_row WHERE "+where, append([]any{id}, more...)...)
	if err != nil {
		return nil, fault.Infraf("read rows of run %s: %w", id, err)
	}
	defer rows.Close()
	var all [][]byte
	for rows.Next() {
		var row []byte
		if err := rows.Scan(&row); err != nil {
			return nil, fault.Infraf("read rows of run %s: %w", id, err)
		}
		all = append(all, row)
	}
	return all, fault.Wrap(fault.Infrastructure, rows.Err())
}
