package verify

import (
	"fmt"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Earlier is what the ledgers of an earlier run have for a suite.
type Earlier struct {
	// Rows are of cells that need not be run again.
	Rows []bench.Row
	// Failed counts the rows of runner failures, OtherBase those of mode
	// [bench.GHXBase] that are of another base commit, and Unplanned those of
	// cells that the suite does not run. None of them are among Rows.
	Failed, OtherBase, Unplanned int
	// Torn are last lines that were not written whole.
	Torn []ledger.Torn
}

// SpentUSD returns what the rows have cost.
func (e Earlier) SpentUSD() (usd float64) {
	for i := range e.Rows {
		usd += e.Rows[i].SpentUSD()
	}
	return usd
}

// Earlier reads the rows that an earlier run has for the suite, by the same
// agents. What failed for infrastructure (rule R8) is run again, and so is the
// base where it has moved. Paths are ledgers, and folders with ledgers below.
// An error is of kind invalid if one has none, or has a row of something else
// than the suite measures (rule N1).
func (s Suite) Earlier(by agent.Info, paths ...string) (Earlier, error) {
	files, err := ledgersIn(paths)
	if err != nil {
		return Earlier{}, err
	}
	info := s.info(time.Time{}, by.Model)
	identity, planned := info.Identity(), map[bench.Cell]bool{}
	for _, cell := range info.Cells {
		planned[cell] = true
	}
	report, err := ledger.Scan(files, func(row *bench.Row) error {
		if row.Simulated != by.Simulated {
			return fault.Invalidf("cell %s was run by another kind of agent: a model was involved in one of the two runs alone, so start a new run, or leave the file out", row.Cell())
		}
		if s.ofOtherBase(row) {
			return nil
		}
		return ledger.CheckSame(identity, row)
	})
	if err != nil {
		return Earlier{}, fmt.Errorf("take rows over: %w", err)
	}
	rows, _, err := ledger.Read(files)
	e := Earlier{Torn: report.Torn}
	for i := range rows {
		switch row := &rows[i]; {
		case !planned[row.Cell()]:
			e.Unplanned++
		case s.ofOtherBase(row):
			e.OtherBase++
		case row.Error.RunnerFailure():
			e.Failed++
		default:
			e.Rows = append(e.Rows, *row)
		}
	}
	return e, err
}

// ofOtherBase reports whether a row is of a base commit that is not the suite's,
// where that is known.
func (s Suite) ofOtherBase(row *bench.Row) bool {
	return row.Mode == bench.GHXBase && s.BaseCommit != nil && (row.Git.Commit == nil || *row.Git.Commit != *s.BaseCommit)
}

func ledgersIn(paths []string) (files []string, err error) {
	for _, path := range paths {
		found, err := ledger.FilesBelow(path)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fault.Invalidf("there is no ledger below %s: name the folder of a run, or a file with its rows", path)
		}
		files = append(files, found...)
	}
	return files, nil
}
