package service

import (
	"context"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// overBudget is the error of a run that may not be begun.
type overBudget struct{ left, estimate float64 }

func (o overBudget) Error() string {
	if o.left <= 0 {
		return comment.UsedUp(settings.Path)
	}
	return comment.TooDear(o.estimate, o.left, settings.Path)
}

// budgetDay is what a day's budget is for.
const budgetDay = 24 * time.Hour

// estimate sets what the plan is thought to cost and how long it is thought to
// take, where that is known.
func (s *Service) estimate(ctx context.Context, req *runRequest) error {
	p, repo := &req.plan, req.event.Repo.FullName()
	var cells int
	var err error
	if p.OfTasks() {
		cells, err = s.opts.Runs.Tasks(ctx, repo, *p)
	} else {
		cells, err = s.cellsLeft(ctx, req)
	}
	if err != nil {
		return err
	}
	took, err := s.opts.Runs.CellTime(ctx, repo, *p)
	p.EstimateTime = took * time.Duration(cells)
	if err != nil {
		return err
	}
	mean, err := s.opts.Runs.CellCost(ctx, repo, *p)
	p.EstimateUSD = mean * float64(cells)
	return err
}

// cellsLeft returns how many cells of a plan are thought to be run: those that no
// run has a row of yet that it takes over.
func (s *Service) cellsLeft(ctx context.Context, req *runRequest) (int, error) {
	expected := req.plan.ExpectedCells()
	kept, err := s.reusable(ctx, req.continues, req.pull.BaseSHA)
	if len(kept) >= expected {
		expected = req.plan.Cells() // it has not been enough
	}
	return max(0, expected-len(kept)), err
}

// afford sets the plan's limit, by what is left of the budgets. The error is
// [overBudget] if that is too little.
func (s *Service) afford(ctx context.Context, tx *queue.Tx, req *runRequest) error {
	spent, err := s.opts.Runs.Spent(ctx, tx, req.event.Repo.FullName(), req.pull.Number, s.opts.Now().Add(-budgetDay), s.subject(*req))
	if err != nil {
		return err
	}
	left, ok := settings.Allowed(req.settings.Budget, spent, req.plan.EstimateUSD, req.defaultBranch)
	if !ok {
		return overBudget{left, req.plan.EstimateUSD}
	}
	req.plan.MaxUSD = left
	return nil
}
