package verify

import (
	"context"
	"errors"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
)

// looking is how the rows of a run are looked at on its way.
type looking struct {
	// after are the repetitions after which it is looked whether the rows decide. The
	// last is all of them, which the report looks at.
	after []int
	// judge judges the rows of ledgers.
	judge func(files []string) (bench.Evidence, error)
}

// steps are the repetitions up to which the run goes at a time.
func (s Suite) steps() []int {
	if s.looking == nil {
		return []int{s.Repetitions}
	}
	return s.looking.after
}

// steps is a run that goes on look by look.
type steps struct {
	suite Suite
	cfg   runner.Config
	deps  runner.Deps
	info  *ledger.RunInfo
	files func() []string
	all   runner.Outcome
}

// run runs the cells look by look, and stops as soon as the rows decide, which
// the run's description tells then.
func (r *steps) run(ctx context.Context) (runner.Outcome, error) {
	for _, n := range r.suite.steps() {
		if err := r.upTo(ctx, n); err != nil || len(r.all.Left) > 0 {
			return r.all, err
		}
		if n == r.suite.Repetitions {
			break
		}
		judged, err := r.suite.looking.judge(r.files())
		if err != nil {
			return r.all, err
		}
		if err := errors.Join(KeepSums(r.files(), r.info), r.info.Save(r.suite.Folder())); err != nil {
			return r.all, err
		}
		if r.suite.Looked != nil {
			r.suite.Looked(judged)
		}
		if judged.Final {
			r.info.DecidedAt = n
			break
		}
	}
	return r.all, nil
}

// upTo runs the cells of the first so many repetitions and, where evidence
// decides, new blocks for those that turn out void.
func (r *steps) upTo(ctx context.Context, n int) error {
	cells := slices.DeleteFunc(slices.Clone(r.info.Cells), func(c bench.Cell) bool { return c.Iteration > n })
	for first := true; ; first = false {
		more, err := r.refills(n)
		if err != nil {
			return err
		}
		fresh := slices.DeleteFunc(more, func(c bench.Cell) bool { return slices.Contains(cells, c) })
		if !first && len(fresh) == 0 {
			return nil
		}
		cells = append(cells, fresh...)
		r.cfg.Cells = cells
		one, err := runner.Run(ctx, r.cfg, r.deps)
		one.Rows, one.RowsUSD = one.Rows+r.all.Rows, one.RowsUSD+r.all.RowsUSD
		r.all = one
		if err != nil || len(one.Left) > 0 {
			return err
		}
		for _, cell := range cells {
			r.cfg.Done[cell] = true
		}
		r.cfg.SkipWarmup, r.cfg.SpentUSD = true, one.CostUSD
	}
}

// withRefills returns how many repetitions there may be of a scenario, at most
// twice as many as are planned.
func (s Suite) withRefills() int {
	if !s.Profile.ByEvidence() {
		return s.Repetitions
	}
	return evidence.WithRefills(s.Repetitions, len(s.Scenarios))
}

// refills returns the cells of the blocks that take the place of those among
// the first n that are void, with those of the others that are wanted; none where
// nothing is void, or too much. A block is new in all modes: never is one half of it
// repeated.
func (r *steps) refills(n int) ([]bench.Cell, error) {
	void, err := r.voids()
	if err != nil || len(void) == 0 {
		return nil, err
	}
	own := slices.Clone(r.suite.part(r.cfg.Plan))
	// Each mode is planned in the order of the repetitions.
	var blocks []block
	wanted, planned := map[string]int{}, 0
	for _, c := range own {
		if c.Mode != r.suite.Modes[0] {
			continue
		}
		blocks = append(blocks, blockOf(c))
		if c.Iteration <= n {
			wanted[c.ScenarioID]++
			planned++
		}
	}
	voids, chosen := 0, map[block]bool{}
	for _, b := range blocks {
		if wanted[b.scenario] == 0 {
			continue
		}
		chosen[b] = true
		if void[b] {
			voids++
		} else {
			wanted[b.scenario]--
		}
	}
	if voids*evidence.RefillShare > planned {
		return nil, nil
	}
	cells := slices.DeleteFunc(own, func(c bench.Cell) bool { return !chosen[blockOf(c)] })
	return cells, r.note(cells)
}

// voids returns the blocks of the run that are void in any mode.
func (r *steps) voids() (map[block]bool, error) {
	void := map[block]bool{}
	_, err := ledger.Scan(r.files(), func(row *bench.Row) error {
		if row.RunID == r.suite.RunID && row.ProviderFailure() != "" {
			void[blockOf(row.Cell())] = true
		}
		return nil
	})
	return void, err
}

// note keeps in the run's file which cells it has beyond its plan, before they
// run.
func (r *steps) note(cells []bench.Cell) error {
	for _, c := range cells {
		if c.Iteration > r.suite.Repetitions && !slices.Contains(r.info.Refills, c) {
			r.info.Refills = append(r.info.Refills, c)
		}
	}
	return r.info.Save(r.suite.Folder())
}
