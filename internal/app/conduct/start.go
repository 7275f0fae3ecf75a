package conduct

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/event"
	"github.com/ghx-dev/bench-action/internal/app/plan"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// ask is a run that somebody or something asks for.
type ask struct {
	cause    string
	event    event.Event
	pull     event.Pull
	settings settings.Settings
	plan     plan.Plan
	asked    string
	// continues is the run whose rows are taken over.
	continues string
	// once names what is done once, however many events ask for it; empty for
	// what was commanded.
	once string
}

// errTaken is about something that is done once, and that another event has
// had done.
var errTaken = errors.New("another event has had it done")

// suite is the check's name, also where the settings cannot be read.
func (a ask) suite() string { return cmp.Or(a.settings.CheckName, settings.DefaultCheckName) }

// subject is what only one run at a time is about.
func (a ask) subject() string {
	return runs.Subject(a.event.Repo.FullName(), a.pull.Number, a.pull.HeadSHA, a.suite())
}

// run returns the run of an ask, as it is stored first.
func (c *Conductor) run(a ask) runs.Run {
	return runs.Run{
		ID: c.NewID(), Cause: a.cause, Installation: a.event.InstallationID, Repo: a.event.Repo.FullName(), Pull: a.pull.Number, Head: a.pull.HeadSHA,
		Suite: a.suite(), State: runs.Queued, Created: c.Now(), Cells: a.plan.Cells(),
		Request: runs.Request{
			Owner: a.event.Repo.Owner, Name: a.event.Repo.Name, BaseSHA: a.pull.BaseSHA, BaseRef: a.pull.BaseRef, HeadRepo: a.pull.HeadRepo,
			Fork: a.pull.Fork, Asked: a.asked, Plan: a.plan, Comment: a.settings.Comment, Continues: a.continues,
		},
	}
}

// overBudget is the error of a run that may not be begun.
type overBudget struct{ left, estimate float64 }

func (o overBudget) Error() string {
	if o.left <= 0 {
		return "The budget of the pull request or of the day is used up, or held by runs that go on. Raise it in " + settings.Path + ", wait for those runs, or wait until tomorrow."
	}
	return fmt.Sprintf("It is thought to cost %s USD, and %s may be spent. Name fewer scenarios or repetitions, or raise the budget in %s.",
		bench.USDText(o.estimate), bench.USDText(o.left), settings.Path)
}

// budgetDay is what a day's budget is for.
const budgetDay = 24 * time.Hour

// estimate sets what the plan is thought to cost, if that is known.
func (c *Conductor) estimate(ctx context.Context, a *ask) error {
	if a.plan.Model == settings.Scripted {
		return nil
	}
	mean, known, err := c.Runs.CellCost(ctx, a.event.Repo.FullName(), a.plan.Model)
	if known {
		a.plan.EstimateUSD = mean * float64(a.plan.Cells())
	}
	return err
}

// afford sets the plan's limit, by what is left of the budgets. The error is
// [overBudget] if that is too little.
func (c *Conductor) afford(ctx context.Context, tx *database.Tx, a *ask) error {
	spent, err := c.Runs.Spent(ctx, tx, a.event.Repo.FullName(), a.pull.Number, c.Now().Add(-budgetDay), a.subject())
	if err != nil {
		return err
	}
	left, ok := plan.Allowed(a.settings.Budget, spent, a.plan.EstimateUSD)
	if !ok {
		return overBudget{left, a.plan.EstimateUSD}
	}
	a.plan.MaxUSD = left
	return nil
}

// start makes a run, ends the one that it takes the place of, shows it on
// GitHub and has it measured. Called again for the same cause it goes on where
// it was. The error may be [overBudget].
func (c *Conductor) start(ctx context.Context, client *github.Client, a ask) (runs.Run, error) {
	r, err := c.Runs.ByCause(ctx, a.cause)
	if errors.Is(err, runs.ErrNone) {
		if err := c.estimate(ctx, &a); err != nil {
			return runs.Run{}, err
		}
		r, err = c.create(ctx, a, c.afford)
	}
	if err != nil || !r.State.Alive() {
		return r, err
	}
	if r.CheckID == 0 {
		// A check run that cannot be shown now is made up for later.
		if err := c.show(ctx, client, &r, publish.Queued); err != nil {
			c.Log.WarnContext(ctx, "no check run yet", "run", r.ID, "problem", c.Redact(err.Error()))
		}
	}
	return r, c.DB.Write(ctx, func(tx *database.Tx) error {
		_, err := c.Queue.Enqueue(ctx, tx, c.measureJob(r))
		return err
	})
}

// create stores the run of an ask, once check has let it pass, and ends those of
// the same subject. What is created in a repository is created one after the
// other, so that each sees what the others may spend. The error may be
// [errTaken] or that of check.
func (c *Conductor) create(ctx context.Context, a ask, check func(context.Context, *database.Tx, *ask) error) (runs.Run, error) {
	var r runs.Run
	var made, free bool
	err := c.DB.Write(ctx, func(tx *database.Tx) (err error) {
		if err := c.Runs.Lock(ctx, tx, "repository "+a.event.Repo.FullName()); err != nil {
			return err
		}
		if free, err = c.claim(ctx, tx, a.once); err != nil || !free {
			return err
		}
		if err := check(ctx, tx, &a); err != nil {
			return err
		}
		r = c.run(a)
		older, err := c.Runs.AliveIn(ctx, tx, r.Subject())
		if err != nil {
			return err
		}
		if made, err = c.Runs.Create(ctx, tx, r); err != nil || !made {
			return err
		}
		return c.replace(ctx, tx, r, older)
	})
	if err != nil || made {
		return r, err
	}
	known, err := c.Runs.ByCause(ctx, a.cause)
	if errors.Is(err, runs.ErrNone) && !free {
		err = errTaken
	}
	return known, err
}

// replace ends the runs that a new one takes the place of.
func (c *Conductor) replace(ctx context.Context, tx *database.Tx, r runs.Run, older []runs.Run) error {
	for _, old := range older {
		reason := "A newer run of the same commit took its place."
		if old.Head != r.Head {
			reason = "There was a newer push, which is measured instead."
		}
		if err := c.endIn(ctx, tx, old.ID, runs.Stopped, runs.Outcome{Reason: reason}); err != nil {
			return err
		}
	}
	return nil
}

func (c *Conductor) claim(ctx context.Context, tx *database.Tx, once string) (bool, error) {
	if once == "" {
		return true, nil
	}
	return c.Runs.Claim(ctx, tx, once)
}

// show has GitHub show the run as queued or in progress.
func (c *Conductor) show(ctx context.Context, client *github.Client, r *runs.Run, status string) error {
	start := c.checkStart(*r)
	start.Status = status
	start.Output = output(comment.Check(c.said(*r, runs.Outcome{})).Output)
	check, notices := publish.New(client, r.Owner(), r.Name()).StartCheck(ctx, start)
	if len(notices) > 0 {
		return notices[0].Err
	}
	r.CheckID, r.CheckURL = check.ID(), check.URL()
	return c.Runs.SetCheck(ctx, r.ID, r.CheckID, r.CheckURL)
}

// conclude makes a run that ends at once.
func (c *Conductor) conclude(ctx context.Context, a ask, state runs.State, o runs.Outcome) error {
	free := func(context.Context, *database.Tx, *ask) error { return nil }
	r, err := c.create(ctx, a, free)
	if errors.Is(err, errTaken) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.end(ctx, r.ID, state, o)
}

func (c *Conductor) skip(ctx context.Context, a ask, why comment.Skip) error {
	return c.conclude(ctx, a, runs.Skipped, runs.Outcome{Skip: why})
}

// stop makes a run that is not begun, for a reason.
func (c *Conductor) stop(ctx context.Context, a ask, reason string) error {
	return c.conclude(ctx, a, runs.Stopped, runs.Outcome{Reason: reason})
}

// refuse makes a run that is broken by its settings, and points at the line.
func (c *Conductor) refuse(ctx context.Context, a ask, problems jsondoc.Problems) error {
	first := problems.Sorted()[0]
	return c.conclude(ctx, a, runs.Broken, runs.Outcome{
		Problem: fault.Public(problems.Err()), ProblemKind: fault.Invalid, ProblemPath: first.File, ProblemLine: first.Line,
	})
}

// end stores how a run ended and has it told. A run that has ended already
// stays as it is.
func (c *Conductor) end(ctx context.Context, id string, state runs.State, o runs.Outcome) error {
	return c.DB.Write(ctx, func(tx *database.Tx) error { return c.endIn(ctx, tx, id, state, o) })
}

func (c *Conductor) endIn(ctx context.Context, tx *database.Tx, id string, state runs.State, o runs.Outcome) error {
	o.Problem, o.Log = c.Redact(o.Problem), c.Redact(o.Log)
	ended, err := c.Runs.End(ctx, tx, id, state, o, c.Now())
	if err != nil || !ended {
		return err
	}
	_, err = c.Queue.Enqueue(ctx, tx, c.tellJob(id))
	return err
}
