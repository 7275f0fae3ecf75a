package conduct

import (
	"context"
	"errors"

	"github.com/ghx-dev/bench-action/internal/app/settings"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// pressed does what a button of a check run stands for.
func (c *Conductor) pressed(ctx context.Context, cause string, e ghevent.Event, routed routing) error {
	o, err := c.order(ctx, cause, e, routed)
	if err != nil {
		return err
	}
	outcome, err := o.press(ctx, routed.fresh)
	if err != nil {
		return err
	}
	o.count(ctx, outcome)
	return nil
}

// press does what was pressed, and returns what it came to.
func (o *order) press(ctx context.Context, fresh bool) (string, error) {
	if resumed, err := o.resume(ctx); err != nil || resumed {
		return carriedOut, err
	}
	r, err := o.conductor.pressedOn(ctx, o.event)
	if errors.Is(err, runs.ErrNone) {
		return unknownCheck, nil // it is older than our tables
	}
	if err != nil {
		return "", err
	}
	o.pull = ghevent.Pull{
		Number: r.Pull, HeadSHA: r.Head, BaseSHA: r.Request.BaseSHA, BaseRef: r.Request.BaseRef, HeadRepo: r.Request.HeadRepo, Fork: r.Request.Fork,
	}
	s, err := o.stand(ctx)
	switch {
	case err != nil:
		return "", err
	case !s.permitted:
		return string(comment.NoPermission), nil
	case o.command.Name == command.Explain:
		return o.explainRun(ctx, r)
	case o.pull.HeadSHA != r.Head:
		return string(comment.Outdated), nil // there was a push, which has a run of its own
	case s.missing:
		return noSettings, nil // they were taken away, and nothing is measured any more
	case len(s.problems) > 0:
		return brokenSettings, o.conductor.refuse(ctx, o.again(settings.Plan{}, ""), s.problems)
	}
	return o.rerun(ctx, r, fresh)
}

// pressedOn returns the run of the check, or of the suite's check.
func (c *Conductor) pressedOn(ctx context.Context, e ghevent.Event) (runs.Run, error) {
	if e.Check != nil {
		return c.opts.Runs.ByCheck(ctx, e.Check.ID)
	}
	return c.opts.Runs.LatestOfHead(ctx, e.Repo.FullName(), e.Suite.HeadSHA)
}

// explainRun says on the pull request how a run stands.
func (o *order) explainRun(ctx context.Context, r runs.Run) (string, error) {
	if r.Pull == 0 {
		return string(comment.NothingToDo), nil
	}
	return o.settle(ctx, func(ctx context.Context) (runs.Answer, error) {
		outcome, err := o.conductor.opts.Runs.Outcome(ctx, r.ID)
		return o.accept(comment.StatusReply(o.conductor.said(r, outcome))), err
	})
}

// rerun measures the commit of a run again: what is missing, or everything if
// nothing is or if it is wanted fresh.
func (o *order) rerun(ctx context.Context, r runs.Run, fresh bool) (string, error) {
	c := o.conductor
	if why, err := o.held(ctx); err != nil || why != "" {
		return string(why), err
	}
	p, continues := r.Request.Plan, ""
	if r.State == runs.Skipped || r.State == runs.Broken && p.Cells() == 0 {
		var err error
		if p, err = settings.Resolve(o.settings, command.Command{Name: command.Run}, c.opts.Library); err != nil {
			return "", err
		}
	} else if !fresh {
		lacks, err := c.lacks(ctx, r)
		if err != nil {
			return "", err
		}
		if lacks {
			continues = r.ID
		}
	}
	a := o.again(p, continues)
	a.check = r.Suite
	_, err := c.start(ctx, o.client, a)
	if over, is := errors.AsType[overBudget](err); is {
		return string(comment.OverBudget), c.stop(ctx, a, over.Error())
	}
	if errors.Is(err, errAnswered) {
		return string(comment.Answered), nil // the check run has the verdict
	}
	return carriedOut, err
}

// again is what pressing asks for.
func (o *order) again(p settings.Plan, continues string) ask {
	return ask{
		cause: o.cause, event: o.event, pull: o.pull, settings: o.settings, plan: p, continues: continues, asked: "re-run by " + o.event.Sender.Login,
	}
}
