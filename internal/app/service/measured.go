package service

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Measured takes what code that is not trusted measures on this machine: each row as soon
// as it is there, so that the run goes on if the server dies. As those of an artifact,
// rows must be what was asked for. Errors of what is not are of kind invalid, and nothing
// of that is stored.
type Measured struct {
	work Work
	// begun is what is run, nil until it is known.
	begun *ledger.RunInfo
	// tasks are those that rows may be of, nil while they are not known.
	tasks map[string]bool
	rows  map[bench.Cell]row
	usd   float64
	// left is how many bytes rows may have.
	left int64
	// told says that this server was told what is run.
	told bool
}

// Measured returns what there is of the run, from a server before this one.
func (w Work) Measured() *Measured {
	m := &Measured{work: w}
	m.clear()
	var begun ledger.RunInfo
	if json.Unmarshal(w.Begun, &begun) != nil || m.knows(&begun) != nil {
		return m
	}
	for _, line := range w.Rows {
		if _, err := m.take(line); err != nil {
			m.clear() // of another version: it begins anew
			return m
		}
	}
	m.begun = &begun
	return m
}

func (m *Measured) clear() {
	m.begun, m.tasks, m.rows, m.usd, m.left = nil, nil, map[bench.Cell]row{}, 0, maxRows
}

// Kept returns what another process goes on with; info is nil if there is nothing.
func (m *Measured) Kept() (info *ledger.RunInfo, rows [][]byte) {
	for _, one := range m.rows {
		rows = append(rows, one.line)
	}
	return m.begun, rows
}

// USD is what the rows say that they have cost.
func (m *Measured) USD() float64 { return m.usd }

// Begins takes what is run. If it is anew, all rows before are of another one.
func (m *Measured) Begins(info *ledger.RunInfo, anew bool) error {
	switch {
	case anew && m.told:
		return unusable(fault.Invalidf("it begins a second time"))
	case anew:
		m.clear()
	case m.begun == nil || info.RunID != m.begun.RunID:
		return unusable(fault.Invalidf("it goes on with another run"))
	}
	if err := m.knows(info); err != nil {
		return unusable(err)
	}
	m.begun, m.told = info, true
	text, err := json.Marshal(info)
	if err != nil {
		return fault.Internalf("store what is run: %w", err)
	}
	return m.work.KeepBegun(text, anew)
}

// knows takes which tasks there are, which do not change once they are known.
func (m *Measured) knows(info *ledger.RunInfo) error {
	tasks := map[string]bool{}
	for _, task := range info.Scenarios {
		tasks[task.ID] = true
	}
	p := m.work.Run.Plan()
	switch {
	case m.tasks != nil && !maps.Equal(tasks, m.tasks):
		return fault.Invalidf("it has other tasks than it had")
	case len(tasks)*len(p.Modes)*p.MostRepetitions() > p.MostCells():
		return fault.Invalidf("it has %d tasks, which are too many", len(tasks))
	case len(tasks) == 0:
		return nil
	}
	for cell := range m.rows {
		if !tasks[cell.ScenarioID] {
			return fault.Invalidf("its tasks lack %.100q, which has a row", cell.ScenarioID)
		}
	}
	m.tasks = tasks
	return nil
}

// Row takes a row, as its line, and stores it.
func (m *Measured) Row(line []byte) error {
	if m.begun == nil {
		return unusable(fault.Invalidf("there is a row before it is known what is run"))
	}
	taken, err := m.take(line)
	if err != nil {
		return unusable(err)
	}
	m.work.Keep(taken.cell, taken.line)
	return nil
}

// take holds a row against the plan and against the rows that there are.
func (m *Measured) take(line []byte) (row, error) {
	m.left -= int64(len(line))
	if len(line) > maxRow || m.left < 0 {
		return row{}, fault.Invalidf("its rows are larger than they may be")
	}
	one, err := readRow(line, m.work.Run)
	switch _, again := m.rows[one.cell]; {
	case err != nil:
		return row{}, err
	case again:
		return row{}, fault.Invalidf("cell %s has two rows", one.cell)
	case m.tasks != nil && !m.tasks[one.cell.ScenarioID]:
		return row{}, fault.Invalidf("it has a row of %.100q, which is none of its tasks", one.cell.ScenarioID)
	case len(m.rows) >= m.work.Run.Plan().MostCells():
		return row{}, fault.Invalidf("it has more rows than the plan has cells")
	}
	m.rows[one.cell] = one
	m.usd += one.usd
	return one, nil
}

// Progress tells how far the run is with its rows. SpentUSD is what it is known to have
// spent, whatever they say. Done tasks of total are known of what has no rows.
func (m *Measured) Progress(done, total int, spentUSD float64) {
	p := m.work.Run.Plan()
	done = max(done, len(m.rows))
	m.work.Progress(done, max(done, total, len(m.tasks)*len(p.Modes)*p.Repetitions.First), max(m.usd, spentUSD))
}

// End tells how far the run is in the end. A summary, nil where it did not come to that,
// must be of these rows.
func (m *Measured) End(summary *bench.Summary, spentUSD float64) error {
	usd := max(m.usd, spentUSD)
	if summary != nil {
		if err := fits(*summary, slices.Collect(maps.Values(m.rows)), m.work.Run); err != nil {
			return unusable(err)
		}
		usd = max(usd, summary.CostUSD)
	}
	m.work.Progress(len(m.rows), len(m.rows), usd) // it may have been enough before the plan's end
	return nil
}

func unusable(err error) error {
	return fault.Because(fault.Invalid, err, "What was measured cannot be used: "+fault.Public(err))
}
