package verify

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
)

// alterations are the rows that are not those which their runs had: who sees what a
// run came to may change its rows, and have them judged again (rule V7).
type alterations struct {
	sums  map[string][]ledger.Sums
	found map[string]string
}

// alterationsOf finds those of the rows of runs. Shards of a plan may have one id.
func alterationsOf(runs ...ledger.RunInfo) *alterations {
	a := &alterations{sums: map[string][]ledger.Sums{}, found: map[string]string{}}
	for _, run := range runs {
		if len(run.Sums) > 0 {
			a.sums[run.RunID] = append(a.sums[run.RunID], run.Sums)
		}
	}
	return a
}

// scan is [ledger.Scan], and looks at the rows.
func (a *alterations) scan(files []string, visit func(*bench.Row) error) (ledger.Report, error) {
	if len(a.sums) == 0 {
		return ledger.Scan(files, visit)
	}
	return ledger.ScanLines(files, func(row *bench.Row, line ledger.Line) error {
		a.see(row, line)
		return visit(row)
	})
}

// see looks at a row.
func (a *alterations) see(row *bench.Row, line ledger.Line) {
	other := func(sums ledger.Sums) bool { return sums.Other(row.Cell(), line.Sum) }
	if a.found[row.RunID] == "" && slices.ContainsFunc(a.sums[row.RunID], other) {
		a.found[row.RunID] = fmt.Sprintf("the row of %s, in %s line %d,", row.Cell(), filepath.Base(line.File), line.Number)
	}
}

// KeepSums has the run's description keep what its rows are, before anybody sees what
// they come to.
func KeepSums(files []string, info *ledger.RunInfo) error {
	if info.Sums == nil {
		info.Sums = ledger.Sums{}
	}
	seen := alterationsOf(*info)
	_, err := ledger.ScanLines(files, func(row *bench.Row, line ledger.Line) error {
		if row.RunID == info.RunID {
			seen.see(row, line)
			info.Sums.Keep(row.Cell(), line.Sum)
		}
		return nil
	})
	info.Altered = seen.of(*info)
	return err
}

// of returns the altered row of a run, as it was known or as it was found.
func (a *alterations) of(run ledger.RunInfo) string { return cmp.Or(run.Altered, a.found[run.RunID]) }

// note returns the runs with what was found of each.
func (a *alterations) note(runs []ledger.RunInfo) []ledger.RunInfo {
	runs = slices.Clone(runs)
	for i := range runs {
		runs[i].Altered = a.of(runs[i])
	}
	return runs
}

// alteredText says that a run's row is another one.
func alteredText(run, row string) string {
	return fmt.Sprintf("Rows of run %s were changed after they were looked at: %s is another one now", run, row)
}

// alteredWarnings say it of runs, and of those that they go on with, as sentences.
func alteredWarnings(runs []ledger.RunInfo) (warnings []string) {
	for _, begun := range fixed(runs) {
		if begun.Altered != "" {
			warnings = append(warnings, alteredText(begun.RunID, begun.Altered)+".")
		}
	}
	return warnings
}
