package verify

import (
	"fmt"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Earlier is what the ledgers of an earlier run have for a suite.
type Earlier struct {
	// Rows are of cells that need not be run again, whatever became of them.
	Rows []bench.Row
	// LeftOut counts the rows that are not among them.
	LeftOut []bench.LeftOut
	// Continues describes the runs that the rows are of.
	Continues []ledger.Begun
	// Torn are last lines that were not written whole.
	Torn []ledger.Torn
}

// Why rows are not taken over. Nothing that they say of the agent's work is a
// reason (rule V3).
const (
	reasonOtherBase  = "the base commit was another"
	reasonBesideBase = "the block has a row of another base commit"
	reasonMode       = "the mode is not one of this run"
	reasonScenario   = "the scenario is not one of this run"
	reasonShard      = "another part of the plan has the cell"
	reasonOther      = "commit, model, fixtures, the scenario's content or the mode's file were others"
)

// maxIteration is far beyond every plan.
const maxIteration = 10_000

// SpentUSD returns what the rows have cost.
func (e Earlier) SpentUSD() (usd float64) {
	for i := range e.Rows {
		usd += e.Rows[i].SpentUSD()
	}
	return usd
}

// Earlier reads the rows that an earlier run has for the suite, by the same
// agents. All of them count, failed ones and those beyond the plan too: what was
// tried was tried (rule V3). The base is run again where it has moved. Paths are
// ledgers, and folders with ledgers below. An error is of kind invalid if one
// has none, or has a row of something else than the suite measures (rule N1).
func (s Suite) Earlier(by agent.Info, paths ...string) (Earlier, error) {
	files, err := ledgersIn(paths)
	if err != nil {
		return Earlier{}, err
	}
	identity := s.info(time.Time{}, by.Model).Identity()
	beside := runsBeside(files)
	altered := alterationsOf(beside...)
	report, err := altered.scan(files, func(row *bench.Row) error {
		if row.Simulated != by.Simulated {
			return fault.Invalidf("cell %s was run by another kind of agent: a model was involved in one of the two runs alone, so start a new run, or leave the file out", row.Cell())
		}
		if !row.Reusable(identity.Base) {
			return nil
		}
		return ledger.CheckSame(identity, row)
	})
	if err != nil {
		return Earlier{}, fmt.Errorf("take rows over: %w", err)
	}
	rows, _, err := ledger.Read(files)
	if err != nil {
		return Earlier{}, err
	}
	e := Earlier{Torn: report.Torn}
	e.Rows, e.LeftOut, err = s.choose(rows, identity)
	e.Continues = begunWith(altered.note(beside), e.Rows)
	return e, err
}

// choose returns the rows that belong to the suite, and counts the others. It
// is the one place that decides which rows a run begins with. An error is of
// kind invalid.
func (s Suite) choose(rows []bench.Row, identity ledger.Identity) (chosen []bench.Row, left []bench.LeftOut, err error) {
	last := s.Repetitions
	otherBase := map[block]bool{}
	for i := range rows {
		row := &rows[i]
		if row.Iteration < 1 || row.Iteration > maxIteration {
			return nil, nil, fault.Invalidf("cell %s cannot be taken over: repetitions are counted from 1 to %d; leave the file out", row.Cell(), maxIteration)
		}
		last = max(last, row.Iteration)
		if !row.Reusable(identity.Base) {
			otherBase[blockOf(row.Cell())] = s.Profile.ByEvidence()
		}
	}
	ours := map[bench.Cell]bool{}
	for _, cell := range s.part(s.plan(last)) {
		ours[cell] = true
	}
	var omitted bench.Omissions
	for i := range rows {
		row := &rows[i]
		cell := row.Cell()
		switch {
		case !slices.Contains(s.Modes, row.Mode):
			omitted.Add(reasonMode, cell)
		case !slices.ContainsFunc(s.Scenarios, func(sc bench.Scenario) bool { return sc.ID == row.ScenarioID }):
			omitted.Add(reasonScenario, cell)
		case !ours[cell]:
			omitted.Add(reasonShard, cell)
		case !row.Reusable(identity.Base):
			omitted.Add(reasonOtherBase, cell)
		case otherBase[blockOf(cell)]:
			omitted.Add(reasonBesideBase, cell)
		case ledger.CheckSame(identity, row) != nil:
			omitted.Add(reasonOther, cell)
		default:
			chosen = append(chosen, *row)
		}
	}
	return chosen, omitted.List(), nil
}

// block is one iteration of a scenario, in whatever mode.
type block struct {
	scenario  string
	iteration int
}

func blockOf(c bench.Cell) block { return block{c.ScenarioID, c.Iteration} }

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
