package runs

import (
	"context"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Alive returns the runs of a subject that have not ended.
func (t *Table) Alive(ctx context.Context, subject string) ([]Run, error) {
	return aliveAbout(ctx, t.db, subject)
}

// AliveIn is [Table.Alive] with the transaction.
func (t *Table) AliveIn(ctx context.Context, tx *queue.Tx, subject string) ([]Run, error) {
	return aliveAbout(ctx, tx, subject)
}

func aliveAbout(ctx context.Context, in querier, subject string) ([]Run, error) {
	return find(ctx, in, ofSubject+" AND "+alive+" ORDER BY seq", subject)
}

// AliveOf returns the runs of an installation that have not ended; of all of
// its repositories, or of those that are named.
func (t *Table) AliveOf(ctx context.Context, installation int64, repos []string) ([]Run, error) {
	found, err := find(ctx, t.db, "installation = $1 AND "+alive+" ORDER BY seq", installation)
	if err != nil || repos == nil {
		return found, err
	}
	var those []Run
	for _, r := range found {
		for _, name := range repos {
			if strings.EqualFold(r.Repo, name) {
				those = append(those, r)
			}
		}
	}
	return those, nil
}

// AliveAll returns all runs that have not ended.
func (t *Table) AliveAll(ctx context.Context) ([]Run, error) {
	return find(ctx, t.db, alive+" ORDER BY seq")
}

// Unpublished returns runs that ended before a time and that GitHub does not show
// as ended.
func (t *Table) Unpublished(ctx context.Context, before time.Time) ([]Run, error) {
	return find(ctx, t.db, "told = 0 AND NOT "+alive+" AND ended < $1 ORDER BY seq", before.UnixMilli())
}

// Spent returns what runs of a pull request, and what those of its repository that were
// made since a time, have cost or may still cost, in USD, simulated ones not counted:
//
//	a run of another subject that goes on      all that it may spend, so that runs side by side stay within a budget
//	a workflow's that did not finish, and of   its estimate, or else all that it could spend
//	which no cost is known
//	any other, also of the subject             what it has cost: the run that is asked for takes its place
//
// It counts with the transaction; who makes a run for what is left holds [Table.Lock].
func (t *Table) Spent(ctx context.Context, tx *queue.Tx, repo string, pull int, since time.Time, subject string) (settings.Spent, error) {
	found, err := find(ctx, tx, "repo = $1 AND simulated = 0 AND (created >= $2 OR pull = $3) ORDER BY seq", repo, since.UnixMilli(), pull)
	if err != nil {
		return settings.Spent{}, err
	}
	var s settings.Spent
	for _, r := range found {
		usd := mayCost(r, subject)
		if r.Pull > 0 && r.Pull == pull {
			s.PullRequest += usd
		}
		if !r.Created.Before(since) {
			s.Day += usd
			if r.Request.DefaultBranch {
				s.Baseline += usd
			}
		}
	}
	return s, nil
}

// mayCost returns what a run has cost, or may have cost in the end; a run of
// the subject is about to be ended.
func mayCost(r Run, subject string) float64 {
	p := r.Request.Plan
	switch {
	case p.Model == settings.Scripted:
		return r.CostUSD
	case r.State.Alive() && r.Subject() != subject:
		return max(r.CostUSD, p.MaxUSD)
	case r.State != Finished && r.WorkflowRun != 0 && r.CostUSD == 0 && p.EstimateUSD > 0:
		return min(p.EstimateUSD, p.MaxUSD)
	case r.State != Finished && r.WorkflowRun != 0 && r.CostUSD == 0:
		return p.MaxUSD
	default:
		return r.CostUSD
	}
}

// historyLimit is how many runs an estimate looks at.
const historyLimit = 20

// CellCost returns the mean cost of a cell of a plan's benchmark and model in the latest
// finished runs of a repository, those that took over rows aside, in USD; 0 if there
// are none.
func (t *Table) CellCost(ctx context.Context, repo string, plan settings.Plan) (float64, error) {
	found, err := t.latestFinished(ctx, repo)
	if err != nil {
		return 0, err
	}
	spent, cells := 0.0, 0
	for _, r := range found {
		if r.Request.Plan.Alike(plan) && r.Request.Continues == "" && (r.CostUSD > 0 || r.Simulated) {
			spent, cells = spent+r.CostUSD, cells+r.Done
		}
	}
	if cells == 0 {
		return 0, nil
	}
	return spent / float64(cells), nil
}

// CellTime returns how long a cell of a plan's benchmark and model took on average in the
// latest finished runs of a repository by the same executor, those that took over rows
// aside; 0 if there are none.
func (t *Table) CellTime(ctx context.Context, repo string, plan settings.Plan) (time.Duration, error) {
	found, err := t.latestFinished(ctx, repo)
	if err != nil {
		return 0, err
	}
	took, cells := time.Duration(0), 0
	for _, r := range found {
		if p := r.Request.Plan; p.Alike(plan) && p.Executor == plan.Executor && r.Request.Continues == "" {
			took, cells = took+r.Ended.Sub(r.Started), cells+r.Done
		}
	}
	if cells == 0 {
		return 0, nil
	}
	return took / time.Duration(cells), nil
}

// Tasks returns how many rows the latest finished run of a plan of tasks had, which are those
// that the plan is thought to have; 0 if there is none.
func (t *Table) Tasks(ctx context.Context, repo string, plan settings.Plan) (int, error) {
	found, err := t.latestFinished(ctx, repo)
	if err != nil {
		return 0, err
	}
	for _, r := range found {
		if p := r.Request.Plan; p.Alike(plan) && p.Repetitions == plan.Repetitions {
			return r.Done, nil
		}
	}
	return 0, nil
}

func (t *Table) latestFinished(ctx context.Context, repo string) ([]Run, error) {
	return find(ctx, t.db, "repo = $1 AND state = 'finished' ORDER BY seq DESC LIMIT $2", repo, historyLimit)
}
