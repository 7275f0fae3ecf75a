package runs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Lead is the part of the machine that leads a run; see [runner.Shared]. Those that
// help have parts of other names.
const Lead = "lead"

// Offer stores blocks of a run that parts take. Those that are known stay as they are; but
// one that was finished, and is offered again because rows of it could not be stored, is
// there to be taken.
func (t *Table) Offer(ctx context.Context, id string, blocks []runner.Block) error {
	return t.db.Write(ctx, func(tx *queue.Tx) error {
		for _, b := range blocks {
			cells, err := json.Marshal(b.Cells)
			if err != nil {
				return fault.Internalf("store a block: %w", err)
			}
			_, err = tx.Exec(ctx, `INSERT INTO run_block (run, position, cells) SELECT id, CAST($2 AS BIGINT), CAST($3 AS TEXT) FROM run WHERE id = $1 AND `+alive+`
				ON CONFLICT (run, position) DO UPDATE SET finished = 0, part = '' WHERE run_block.finished = 1`, id, b.Position, string(cells))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Take gives a part the first block of a run that nobody has, without the cells that
// have a row: who had it before may have died. It returns nil if there is none.
func (t *Table) Take(ctx context.Context, id, part string) (taken *runner.Block, err error) {
	err = t.db.Write(ctx, func(tx *queue.Tx) error {
		for {
			block := runner.Block{}
			var cells []byte
			err := tx.QueryRow(ctx, "SELECT position, cells FROM run_block WHERE run = $1 AND part = '' AND finished = 0 ORDER BY position LIMIT 1", id).Scan(&block.Position, &cells)
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			if err != nil {
				return fault.Infraf("take a block of run %s: %w", id, err)
			}
			if err := json.Unmarshal(cells, &block.Cells); err != nil {
				return fault.Internalf("read a block of run %s: %w", id, err)
			}
			done, err := t.rowsOfCells(ctx, tx, id, block.Cells)
			if err != nil {
				return err
			}
			finished := 0
			if len(done) == len(block.Cells) {
				finished = 1
			}
			mine, err := tx.Exec(ctx, "UPDATE run_block SET part = $1, finished = $2 WHERE run = $3 AND position = $4 AND part = '' AND finished = 0", part, finished, id, block.Position)
			if err != nil {
				return err
			}
			if mine == 0 || finished == 1 {
				continue
			}
			block.Cells = slices.DeleteFunc(block.Cells, func(c bench.Cell) bool { return done[c] != nil })
			taken = &block
			return nil
		}
	})
	return taken, err
}

// FinishBlock notes that all cells of a block have their rows.
func (t *Table) FinishBlock(ctx context.Context, id string, position int) error {
	_, err := t.change(ctx, "UPDATE run_block SET finished = 1 WHERE run = $1 AND position = $2", id, position)
	return err
}

// GiveBack has others take the blocks that a part has not finished.
func (t *Table) GiveBack(ctx context.Context, id, part string) error {
	_, err := t.change(ctx, "UPDATE run_block SET part = '' WHERE run = $1 AND part = $2 AND finished = 0", id, part)
	return err
}

// RowsBut returns the rows that parts of a run have made, as lines of JSON, but those of
// cells that are known.
func (t *Table) RowsBut(ctx context.Context, id string, known map[bench.Cell]bool) (map[bench.Cell][]byte, error) {
	cells, err := t.cells(ctx, id, "taken_usd IS NULL")
	if err != nil {
		return nil, err
	}
	return t.rowsOfCells(ctx, t.db, id, slices.DeleteFunc(cells, func(c bench.Cell) bool { return known[c] }))
}

func (t *Table) rowsOfCells(ctx context.Context, in querier, id string, cells []bench.Cell) (map[bench.Cell][]byte, error) {
	found := map[bench.Cell][]byte{}
	for _, cell := range cells {
		lines, err := readRows(ctx, in, "run = $1 AND cell = $2", id, cell.String())
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			found[cell] = line
		}
	}
	return found, nil
}

// OpenBlocks returns how many blocks of a run nobody has.
func (t *Table) OpenBlocks(ctx context.Context, id string) (open int, err error) {
	err = t.db.QueryRow(ctx, "SELECT COUNT(*) FROM run_block WHERE run = $1 AND part = '' AND finished = 0", id).Scan(&open)
	return open, fault.Wrap(fault.Infrastructure, err)
}

// TakeAll gives a part all blocks of a run that nobody has, and returns how many others
// have.
func (t *Table) TakeAll(ctx context.Context, id, part string) (others int, err error) {
	err = t.db.Write(ctx, func(tx *queue.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE run_block SET part = $2 WHERE run = $1 AND part = '' AND finished = 0", id, part); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, "SELECT COUNT(*) FROM run_block WHERE run = $1 AND part <> $2 AND finished = 0", id, part).Scan(&others)
		return fault.Wrap(fault.Infrastructure, err)
	})
	return others, err
}

// removeBlocks forgets the blocks and the parts of a run that has ended.
func removeBlocks(ctx context.Context, tx *queue.Tx, id string) error {
	for _, from := range []string{"run_block", "run_part"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+from+" WHERE run = $1", id); err != nil {
			return err
		}
	}
	return nil
}

// Ask notes that a part was asked to help with a run that goes on. It reports false
// where that is known.
func (t *Table) Ask(ctx context.Context, tx *queue.Tx, id, part string) (bool, error) {
	count, err := tx.Exec(ctx, `INSERT INTO run_part (run, part, asked) SELECT id, CAST($2 AS TEXT), 1 FROM run WHERE id = $1 AND `+alive+`
		ON CONFLICT (run, part) DO UPDATE SET asked = 1 WHERE run_part.asked = 0`, id, part)
	return count > 0, err
}

// Leave notes that a part helps no longer, and may be asked again.
func (t *Table) Leave(ctx context.Context, id, part string) error {
	_, err := t.change(ctx, "UPDATE run_part SET asked = 0 WHERE run = $1 AND part = $2", id, part)
	return err
}

// Asked returns the parts that were asked to help with a run.
func (t *Table) Asked(ctx context.Context, id string) (parts []string, err error) {
	err = each(ctx, t.db, "SELECT part FROM run_part WHERE run = $1 AND asked = 1", func(rows *sql.Rows) error {
		parts = append(parts, "")
		return rows.Scan(&parts[len(parts)-1])
	}, id)
	return parts, err
}

// SetUnrecorded notes what a part has spent so far on what has no row, in USD.
func (t *Table) SetUnrecorded(ctx context.Context, id, part string, usd float64) error {
	_, err := t.change(ctx, `INSERT INTO run_part (run, part, unrecorded_usd) SELECT id, CAST($2 AS TEXT), CAST($3 AS DOUBLE PRECISION) FROM run WHERE id = $1 AND `+alive+`
		ON CONFLICT (run, part) DO UPDATE SET unrecorded_usd = excluded.unrecorded_usd`, id, part, usd)
	return err
}

// UnrecordedUSD returns what the parts that help have spent on what has no row.
func (t *Table) UnrecordedUSD(ctx context.Context, id string) (usd float64, err error) {
	err = t.db.QueryRow(ctx, "SELECT COALESCE(SUM(unrecorded_usd), 0) FROM run_part WHERE run = $1 AND part <> $2", id, Lead).Scan(&usd)
	return usd, fault.Wrap(fault.Infrastructure, err)
}

// Share returns how many of all machines' workers may work on a run: they are divided
// among the runs that have a place on them, those that were asked for first having one
// more where they do not divide. It is 0 for a run without such a place.
func (t *Table) Share(ctx context.Context, id string, workers int) (share int, err error) {
	var having []string
	err = each(ctx, t.db, "SELECT id FROM run WHERE place = $1 AND executor = 'local' ORDER BY seq", func(rows *sql.Rows) error {
		having = append(having, "")
		return rows.Scan(&having[len(having)-1])
	}, hasPlace)
	rank := slices.Index(having, id)
	if err != nil || rank < 0 {
		return 0, err
	}
	share = workers / len(having)
	if rank < workers%len(having) {
		share++
	}
	return share, nil
}
