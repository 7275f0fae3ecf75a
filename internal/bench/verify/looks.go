package verify

import (
	"context"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
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

// runSteps runs the cells look by look, and stops as soon as the rows decide.
// It returns after how many repetitions they did, 0 if they did not.
func (s Suite) runSteps(ctx context.Context, cfg runner.Config, deps runner.Deps, files func() []string) (all runner.Outcome, decided int, err error) {
	steps, err := s.steps()
	if err != nil {
		return all, 0, err
	}
	cells := cfg.Cells
	for _, n := range steps {
		cfg.Cells = upTo(cells, n)
		one, err := runner.Run(ctx, cfg, deps)
		one.Rows, one.RowsUSD = one.Rows+all.Rows, one.RowsUSD+all.RowsUSD
		all = one
		if err != nil || len(one.Left) > 0 || n == s.Repetitions {
			return all, 0, err
		}
		judged, err := s.enough(files())
		if err != nil {
			return all, 0, err
		}
		if s.Looked != nil {
			s.Looked(judged)
		}
		if judged.Final {
			return all, n, nil
		}
		for _, cell := range cfg.Cells {
			cfg.Done[cell] = true
		}
		cfg.SkipWarmup, cfg.SpentUSD = true, one.CostUSD
	}
	return all, 0, nil
}

// upTo returns the cells of the first so many repetitions.
func upTo(cells []bench.Cell, repetitions int) []bench.Cell {
	var some []bench.Cell
	for _, cell := range cells {
		if cell.Iteration <= repetitions {
			some = append(some, cell)
		}
	}
	return some
}
