package service

import (
	"bytes"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// keep stores the rows, and tells how far the run is with them. SpentUSD is what it is
// known to have spent, whatever the rows say; 0 is nothing.
func (out result) keep(w Work, spentUSD float64) error {
	for _, row := range out.rows {
		w.Keep(row.cell, row.line)
	}
	done, usd, err := out.together(w.Rows)
	if err != nil {
		return err
	}
	cells := max(w.Run.Request.Plan.Cells(), done)
	if s := out.summary; s != nil && len(s.Missing) == 0 {
		cells = done // it may have been enough before the plan's end
	}
	w.Progress(done, cells, max(usd, spentUSD))
	return nil
}

// KeepMeasured stores what code that is not trusted has measured on this machine: the
// rows in ledgers, by their names, and a summary, nil where it did not come to that. As
// an artifact, they must be what was asked for, or the error is of kind invalid and
// nothing is stored. SpentUSD is what the run is known to have spent.
func (w Work) KeepMeasured(summary *bench.Summary, ledgers map[string][]byte, spentUSD float64) error {
	found, left := result{summary: summary}, int64(maxRows)
	for name, text := range ledgers {
		rows, err := readLedger(name, bytes.NewReader(text), &left, w.Run)
		if err != nil {
			return err
		}
		found.rows = append(found.rows, rows...)
	}
	err := once(found.rows)
	if err == nil && summary != nil {
		err = fits(*summary, found.rows, w.Run)
	}
	if err != nil {
		return fault.Because(fault.Invalid, err, "What was measured cannot be used: "+fault.Public(err))
	}
	return found.keep(w, spentUSD)
}
