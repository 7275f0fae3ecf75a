package conduct

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// ask is a run that somebody or something asks for.
type ask struct {
	cause    string
	event    ghevent.Event
	pull     ghevent.Pull
	settings settings.Settings
	plan     settings.Plan
	asked    string
	// check is the check's name, empty where the settings and the plan say it.
	check string
	// continues is the run whose rows are taken over.
	continues string
	// once names what is done once, however many events ask for it; empty for
	// what was commanded.
	once string
	// atOnce is done with the run in the transaction that stores it; nil does
	// nothing.
	atOnce func(*database.Tx, runs.Run) error
}

// errTaken is about something that is done once, and that another event has
// had done.
var errTaken = errors.New("another event has had it done")

// suite is the check's name, also where the settings cannot be read. What measures
// something else than the settings say has one of its own, which nobody requires.
func (c *Conductor) suite(a ask) string {
	name := cmp.Or(a.check, a.settings.CheckName, settings.DefaultCheckName)
	if a.check != "" || a.plan.Cells() == 0 {
		return name
	}
	usual, err := settings.Resolve(a.settings, command.Command{Name: command.Run}, c.opts.Library)
	if err == nil && !a.plan.Measures(usual) {
		name += comment.PartialSuffix
	}
	return name
}

// subject is what only one run at a time is about.
func (c *Conductor) subject(a ask) string {
	return runs.Subject(a.event.Repo.FullName(), a.pull.Number, a.pull.HeadSHA, c.suite(a))
}

// both are a name, or a subject, of runs as the settings say, and that of others.
func both(usual string) []string { return []string{usual, usual + comment.PartialSuffix} }

// run returns the run of an ask, as it is stored first.
func (c *Conductor) run(a ask) runs.Run {
	return runs.Run{
		ID: c.opts.NewID(), Cause: a.cause, Installation: a.event.InstallationID, Repo: a.event.Repo.FullName(), Pull: a.pull.Number, Head: a.pull.HeadSHA,
		Suite: c.suite(a), State: runs.Queued, Created: c.opts.Now(), Cells: a.plan.Cells(),
		Request: runs.Request{
			Owner: a.event.Repo.Owner, Name: a.event.Repo.Name, BaseSHA: a.pull.BaseSHA, BaseRef: a.pull.BaseRef, HeadRepo: a.pull.HeadRepo,
			Fork: a.pull.Fork, Asked: a.asked, Plan: a.plan, Comment: a.settings.Comment, OnNoVerdict: a.settings.OnNoVerdict, Continues: a.continues,
		},
	}
}

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
func (c *Conductor) estimate(ctx context.Context, a *ask) error {
	p, repo := &a.plan, a.event.Repo.FullName()
	cells, err := c.cellsLeft(ctx, a)
	if err != nil {
		return err
	}
	took, err := c.opts.Runs.CellTime(ctx, repo, p.Model, p.Executor)
	p.EstimateTime = took * time.Duration(cells)
	if err != nil || p.Model == settings.Scripted {
		return err
	}
	mean, known, err := c.opts.Runs.CellCost(ctx, repo, p.Model)
	if known {
		p.EstimateUSD = mean * float64(cells)
	}
	return err
}

// cellsLeft returns how many cells of a plan are thought to be run: those that no
// run has a row of yet that it takes over.
func (c *Conductor) cellsLeft(ctx context.Context, a *ask) (int, error) {
	expected := a.plan.ExpectedCells()
	if a.continues == "" {
		return expected, nil
	}
	kept, err := c.reusable(ctx, a.continues, a.pull.BaseSHA)
	if len(kept) >= expected {
		expected = a.plan.Cells() // it has not been enough
	}
	return max(0, expected-len(kept)), err
}

// afford sets the plan's limit, by what is left of the budgets. The error is
// [overBudget] if that is too little.
func (c *Conductor) afford(ctx context.Context, tx *database.Tx, a *ask) error {
	spent, err := c.opts.Runs.Spent(ctx, tx, a.event.Repo.FullName(), a.pull.Number, c.opts.Now().Add(-budgetDay), c.subject(*a))
	if err != nil {
		return err
	}
	left, ok := settings.Allowed(a.settings.Budget, spent, a.plan.EstimateUSD)
	if !ok {
		return overBudget{left, a.plan.EstimateUSD}
	}
	a.plan.MaxUSD = left
	return nil
}

// start makes a run, ends the one that it takes the place of, shows it on
// GitHub and has it measured. Called again for the same cause it goes on where
// it was. The error may be [overBudget], or [errAnswered] where nothing is begun.
func (c *Conductor) start(ctx context.Context, client *github.Client, a ask) (runs.Run, error) {
	r, err := c.opts.Runs.ByCause(ctx, a.cause)
	if errors.Is(err, runs.ErrNone) {
		if err := c.continueSequence(ctx, &a); err != nil {
			return runs.Run{}, err
		}
		if err := c.estimate(ctx, &a); err != nil {
			return runs.Run{}, err
		}
		r, err = c.create(ctx, a, c.afford)
	}
	if err != nil {
		return r, err
	}
	return r, c.launch(ctx, client, &r)
}

// launch shows a run that has not ended on GitHub, and has it measured.
func (c *Conductor) launch(ctx context.Context, client *github.Client, r *runs.Run) error {
	if !r.State.Alive() {
		return nil
	}
	if r.CheckID == 0 {
		// A check run that cannot be shown now is made up for later.
		if err := c.show(ctx, client, r); err != nil && !errors.Is(err, errEnded) {
			c.opts.Log.WarnContext(ctx, "no check run yet", "run", r.ID, "problem", c.opts.Redact(err.Error()))
		}
	}
	return c.opts.DB.Write(ctx, func(tx *database.Tx) error {
		_, err := c.opts.Queue.Enqueue(ctx, tx, c.measureJob(*r))
		return err
	})
}

// create stores the run of an ask, once check has let it pass, which may be nil,
// ends those of the same subject, and does what is to be done at once. What is
// created in a repository is created one after the other, so that each sees
// what the others may spend. The error may be [errTaken] or that of check.
func (c *Conductor) create(ctx context.Context, a ask, check func(context.Context, *database.Tx, *ask) error) (runs.Run, error) {
	var r runs.Run
	var made, free bool
	err := c.opts.DB.Write(ctx, func(tx *database.Tx) (err error) {
		if err := c.opts.Runs.Lock(ctx, tx, "repository "+a.event.Repo.FullName()); err != nil {
			return err
		}
		if free, err = c.claim(ctx, tx, a.once); err != nil || !free {
			return err
		}
		if check != nil {
			if err := check(ctx, tx, &a); err != nil {
				return err
			}
		}
		r = c.run(a)
		older, err := c.alive(ctx, tx, strings.TrimSuffix(r.Subject(), comment.PartialSuffix))
		if err != nil {
			return err
		}
		older = slices.DeleteFunc(older, func(old runs.Run) bool { return old.Suite != r.Suite && old.Head == r.Head })
		if made, err = c.opts.Runs.Create(ctx, tx, r); err != nil || !made {
			return err
		}
		if err := c.replace(ctx, tx, r.Head, older); err != nil || a.atOnce == nil {
			return err
		}
		return a.atOnce(tx, r)
	})
	if err != nil || made {
		return r, err
	}
	known, err := c.opts.Runs.ByCause(ctx, a.cause)
	if errors.Is(err, runs.ErrNone) && !free {
		err = errTaken
	}
	return known, err
}

// replace ends the runs of a subject whose place a run of the head takes.
func (c *Conductor) replace(ctx context.Context, tx *database.Tx, head string, older []runs.Run) error {
	for _, old := range older {
		reason := comment.Replaced
		if old.Head != head {
			reason = comment.Superseded
		}
		if err := c.endIn(ctx, tx, old.ID, runs.Stopped, runs.Outcome{Reason: reason}); err != nil {
			return err
		}
	}
	return nil
}

// supersede ends the runs about a subject, partial ones too, that are of another
// commit than the head.
func (c *Conductor) supersede(ctx context.Context, subject, head string) error {
	return c.opts.DB.Write(ctx, func(tx *database.Tx) error {
		older, err := c.alive(ctx, tx, subject)
		if err != nil {
			return err
		}
		return c.replace(ctx, tx, head, slices.DeleteFunc(older, func(r runs.Run) bool { return r.Head == head }))
	})
}

// alive returns the runs about a subject that go on, partial ones too.
func (c *Conductor) alive(ctx context.Context, tx *database.Tx, subject string) (all []runs.Run, err error) {
	for _, s := range both(subject) {
		found, err := c.opts.Runs.AliveIn(ctx, tx, s)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (c *Conductor) claim(ctx context.Context, tx *database.Tx, once string) (bool, error) {
	if once == "" {
		return true, nil
	}
	return c.opts.Runs.Claim(ctx, tx, once)
}

// show has GitHub show a run that has not ended. The error is errEnded
// if the run ended meanwhile: then its end may have been told before this, and
// is told again.
func (c *Conductor) show(ctx context.Context, client *github.Client, r *runs.Run) error {
	shown := comment.Check(c.said(*r, runs.Outcome{}))
	check, notices := publish.New(client, r.Owner(), r.Name()).StartCheck(ctx, c.checkStart(*r), shown)
	if len(notices) > 0 {
		return notices[0].Err
	}
	r.CheckID, r.CheckURL = check.ID(), check.URL()
	if err := c.opts.Runs.SetCheck(ctx, r.ID, r.CheckID, r.CheckURL); err != nil {
		return err
	}
	now, err := c.opts.Runs.Get(ctx, r.ID)
	if err != nil || now.State.Alive() {
		return err
	}
	return errors.Join(errEnded, c.tellAgain(ctx, r.ID))
}

// tellAgain has it told how a run ended, although it may have been.
func (c *Conductor) tellAgain(ctx context.Context, id string) error {
	return c.opts.DB.Write(ctx, func(tx *database.Tx) error {
		if err := c.opts.Runs.Untell(ctx, tx, id); err != nil {
			return err
		}
		// The job that told it may be about to end.
		_, err := c.opts.Queue.Enqueue(ctx, tx, c.telling.New(job{id}).Once(id+" again"))
		return err
	})
}

// conclude makes a run that ends at once.
func (c *Conductor) conclude(ctx context.Context, a ask, state runs.State, o runs.Outcome) error {
	a.atOnce = func(tx *database.Tx, r runs.Run) error { return c.endIn(ctx, tx, r.ID, state, o) }
	_, err := c.create(ctx, a, nil)
	if errors.Is(err, errTaken) {
		return nil
	}
	return err
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
	err := c.conclude(ctx, a, runs.Broken, runs.Outcome{
		Problem: fault.Public(problems.Err()), ProblemKind: fault.Invalid, ProblemPath: first.File, ProblemLine: first.Line,
	})
	if err == nil {
		c.leave(ctx, a.event, brokenSettings)
	}
	return err
}

// end stores how a run ended and has it told. A run that has ended already
// stays as it is.
func (c *Conductor) end(ctx context.Context, id string, state runs.State, o runs.Outcome) error {
	return c.opts.DB.Write(ctx, func(tx *database.Tx) error { return c.endIn(ctx, tx, id, state, o) })
}

func (c *Conductor) endIn(ctx context.Context, tx *database.Tx, id string, state runs.State, o runs.Outcome) error {
	o.Problem, o.Log = c.opts.Redact(o.Problem), c.opts.Redact(o.Log)
	ended, err := c.opts.Runs.End(ctx, tx, id, state, o, c.opts.Now())
	if err != nil || !ended {
		return err
	}
	_, err = c.opts.Queue.Enqueue(ctx, tx, c.tellJob(id))
	return err
}
