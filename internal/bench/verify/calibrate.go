package verify

import (
	"maps"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
)

// Calibrating is what rows are drawn from, and what they come to themselves.
type Calibrating struct {
	Pool *evidence.Pool
	// Thresholds are those of the rows' model.
	Thresholds bench.Thresholds
	// Run is nil where a mode has no rows.
	Run       *bench.Evidence
	Simulated bool
	// Notes are what the reader should know about the ledgers, as sentences, also
	// beside an error.
	Notes []string
}

// Calibrating reads the rows of a source. Unchanged says that both modes are of
// one tool. An error is of kind invalid if ledgers cannot be read, or have rows
// that cannot be judged together.
func (how JudgeOptions) Calibrating(source Source, unchanged bool) (c Calibrating, err error) {
	other := bench.Mode("")
	if unchanged {
		other = how.Candidate
	}
	c.Pool = evidence.NewPool(how.Baseline, other)
	blocks, err := how.blocks(uncounted(source.Runs))
	if err != nil {
		return Calibrating{}, err
	}
	modes, models := map[bench.Mode]bool{}, map[string]bool{}
	report, err := ledger.Scan(source.Files, func(row *bench.Row) error {
		c.Pool.Add(row)
		blocks.Add(row)
		c.Simulated = c.Simulated || row.Simulated
		modes[row.Mode], models[row.Model.Key()] = true, true
		return nil
	})
	for _, torn := range report.Torn {
		c.Notes = append(c.Notes, torn.String())
	}
	if err != nil {
		return Calibrating{Notes: c.Notes}, err
	}
	data, err := blocks.Data()
	if err != nil {
		return Calibrating{Notes: c.Notes}, err
	}
	model, err := how.Expectations.ResolveModel(how.Model, slices.Sorted(maps.Keys(models)))
	if err != nil {
		return Calibrating{Notes: c.Notes}, err
	}
	c.Thresholds, _ = how.Expectations.Thresholds(model, how.Profile)
	if !modes[how.Baseline] || !modes[how.Candidate] {
		return c, nil
	}
	design, err := how.Design(repetitionsOf(source.Runs, data.Blocks), c.Thresholds)
	if err != nil {
		return Calibrating{Notes: c.Notes}, err
	}
	judged := design.Judge(data)
	c.Run = &judged
	return c, nil
}
