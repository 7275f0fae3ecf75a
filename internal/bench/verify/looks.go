package verify

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
)

// steps are the repetitions after which it is looked whether the rows decide;
// the last is all of them.
func (s Suite) steps() ([]int, error) {
	if s.FirstLook == 0 || s.enough == nil {
		return []int{s.Repetitions}, nil
	}
	return evidence.Looks(s.FirstLook, s.Repetitions)
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
	looks, err := r.suite.steps()
	if err != nil {
		return r.all, err
	}
	for _, n := range looks {
		if err := r.upTo(ctx, n); err != nil || len(r.all.Left) > 0 || n == r.suite.Repetitions {
			return r.all, err
		}
		judged, err := r.suite.enough(r.files())
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
			return r.all, nil
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
		if err != nil || len(one.Left) > 0 || !r.suite.Profile.ByEvidence() {
			return err
		}
		r.cfg.Done = maps.Clone(r.cfg.Done)
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
// the first n that are void; none where too many are. A block is new in all
// modes: never is one half of it repeated.
func (r *steps) refills(n int) ([]bench.Cell, error) {
	void, err := r.voids()
	if err != nil || len(void) == 0 {
		return nil, err
	}
	own := slices.Clone(r.suite.part(r.cfg.Plan))
	blocks, wanted, planned := map[string][]int{}, map[string]int{}, 0
	for _, c := range own {
		if c.Mode != r.suite.Modes[0] {
			continue
		}
		blocks[c.ScenarioID] = append(blocks[c.ScenarioID], c.Iteration)
		if c.Iteration <= n {
			wanted[c.ScenarioID]++
			planned++
		}
	}
	voids, chosen := 0, map[block]bool{}
	for scenario, iterations := range blocks {
		slices.Sort(iterations)
		for i := 0; i < len(iterations) && wanted[scenario] > 0; i++ {
			b := block{scenario, iterations[i]}
			chosen[b] = b.iteration > n
			if void[b] {
				voids++
			} else {
				wanted[scenario]--
			}
		}
	}
	if voids*evidence.RefillShare > planned {
		return nil, nil
	}
	cells := slices.DeleteFunc(own, func(c bench.Cell) bool { return !chosen[blockOf(c)] })
	return cells, r.note(cells)
}

// voids returns the blocks of the run that are void in any mode; none where
// evidence does not decide.
func (r *steps) voids() (map[block]bool, error) {
	void := map[block]bool{}
	if !r.suite.Profile.ByEvidence() || len(r.files()) == 0 {
		return void, nil
	}
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
	noted := len(r.info.Refills)
	for _, c := range cells {
		if c.Iteration > r.suite.Repetitions && !slices.Contains(r.info.Refills, c) {
			r.info.Refills = append(r.info.Refills, c)
		}
	}
	if len(r.info.Refills) == noted {
		return nil
	}
	return r.info.Save(r.suite.Folder())
}
