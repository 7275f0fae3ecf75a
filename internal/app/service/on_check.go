package service

import (
	"context"
	"errors"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/publish"
)

// Buttons of a check run that has ended, by their identifiers.
const (
	buttonRetry   = "retry"
	buttonFull    = "full"
	buttonExplain = "explain"
)

// routeCheck takes what people press on our own check runs.
func routeCheck(e ghevent.Event, ownApp int64) routing {
	switch {
	case e.Check.AppID != ownApp:
		return ignore("foreign")
	case e.Sender.Bot:
		return ignore("bot")
	case e.Action == "rerequested" || e.Button == buttonRetry:
		return routing{kind: kindPressed, Request: request(command.Retry)}
	case e.Button == buttonFull:
		return routing{kind: kindPressed, Request: request(command.Run), fresh: true}
	case e.Button == buttonExplain:
		return routing{kind: kindPressed, Request: request(command.Explain)}
	default:
		return ignore("button")
	}
}

// routeSuite takes a suite that is asked for again as its check runs, and one
// that is asked for first as another word about its pull requests, in case
// that event was lost.
func routeSuite(e ghevent.Event, ownApp int64) routing {
	switch {
	case e.Suite.AppID != ownApp:
		return ignore("foreign")
	case e.Action == "requested" && len(e.Suite.Pulls) > 0:
		return routing{kind: kindConsidered}
	case e.Action == "requested":
		return ignore("no_pull_request")
	case e.Sender.Bot:
		return ignore("bot")
	default:
		return routing{kind: kindPressed, Request: request(command.Retry)}
	}
}

// request is one for a command without any words.
func request(name command.Name) ghevent.Request {
	return ghevent.Request{Command: command.Command{Name: name}}
}

// pressed does what a button of a check run stands for.
func (s *Service) pressed(ctx context.Context, cause string, e ghevent.Event, routed routing) error {
	c, err := s.newCommandRun(ctx, cause, e, routed)
	if err != nil {
		return err
	}
	outcome, err := c.press(ctx, routed.fresh)
	if err != nil {
		return err
	}
	c.count(ctx, outcome)
	return nil
}

// press does what was pressed, and returns what it came to.
func (c *commandRun) press(ctx context.Context, fresh bool) (string, error) {
	if resumed, err := c.resume(ctx); err != nil || resumed {
		return carriedOut, err
	}
	r, err := c.service.pressedOn(ctx, c.event)
	if errors.Is(err, runs.ErrNone) {
		return unknownCheck, nil // it is older than our tables
	}
	if err != nil {
		return "", err
	}
	c.pull = ghevent.Pull{
		Number: r.Pull, HeadSHA: r.Head, BaseSHA: r.Request.BaseSHA, BaseRef: r.Request.BaseRef, HeadRepo: r.Request.HeadRepo, Fork: r.Request.Fork,
	}
	a, err := c.authorize(ctx)
	switch {
	case err != nil:
		return "", err
	case !a.permitted:
		return string(comment.NoPermission), nil
	case c.command.Name == command.Explain:
		return c.explainRun(ctx, r)
	case c.pull.HeadSHA != r.Head:
		return string(comment.Outdated), nil // there was a push, which has a run of its own
	case a.missing:
		return noSettings, nil // they were taken away, and nothing is measured any more
	case len(a.problems) > 0:
		return brokenSettings, c.service.recordBroken(ctx, c.again(r, settings.Plan{}, ""), a.problems)
	}
	return c.rerun(ctx, r, fresh)
}

// pressedOn returns the run of the check, or of the suite's check.
func (s *Service) pressedOn(ctx context.Context, e ghevent.Event) (runs.Run, error) {
	if e.Check != nil {
		return s.opts.Runs.ByCheck(ctx, e.Check.ID)
	}
	return s.opts.Runs.LatestOfHead(ctx, e.Repo.FullName(), e.Suite.HeadSHA)
}

// explainRun says on the pull request how a run stands.
func (c *commandRun) explainRun(ctx context.Context, r runs.Run) (string, error) {
	if r.Pull == 0 {
		return string(comment.NothingToDo), nil
	}
	return c.answerOnce(ctx, func(ctx context.Context) (runs.Answer, error) {
		outcome, err := c.service.opts.Runs.Outcome(ctx, r.ID)
		return c.accept(comment.StatusReply(c.service.described(r, outcome))), err
	})
}

// rerun measures the commit of a run again: what is missing, or everything if
// nothing is or if it is wanted fresh.
func (c *commandRun) rerun(ctx context.Context, r runs.Run, fresh bool) (string, error) {
	s := c.service
	if why, err := c.held(ctx); err != nil || why != "" {
		return string(why), err
	}
	p, continues := r.Request.Plan, ""
	if p.Empty() { // it was skipped, or its settings were broken
		var err error
		if p, err = settings.Resolve(c.settings, command.Command{}, s.opts.Library); err != nil {
			return brokenSettings, s.recordUnresolved(ctx, c.again(r, p, ""), err)
		}
	} else if !fresh {
		lacks, err := s.lacks(ctx, r)
		if err != nil {
			return "", err
		}
		if lacks && !p.OfTasks() {
			continues = r.ID
		}
	}
	req := c.again(r, p, continues)
	_, err := s.start(ctx, c.client, req)
	if over, is := errors.AsType[overBudget](err); is {
		return string(comment.OverBudget), s.recordStopped(ctx, req, over.Error())
	}
	if errors.Is(err, errAnswered) {
		return string(comment.Answered), nil // the check run has the verdict
	}
	return carriedOut, err
}

// again is what pressing on a run's check asks for.
func (c *commandRun) again(r runs.Run, p settings.Plan, continues string) runRequest {
	return runRequest{
		cause: c.cause, event: c.event, pull: c.pull, settings: c.settings, plan: p, check: r.Suite, defaultBranch: r.Request.DefaultBranch,
		continues: continues, asked: "re-run by " + c.event.Sender.Login,
	}
}

// buttons are those of a check run that has ended.
func buttons(r runs.Run) []publish.Button {
	if r.State == runs.Skipped {
		return []publish.Button{{Label: "Run now", Description: "Measure this commit", Identifier: buttonFull}}
	}
	return []publish.Button{
		{Label: "Re-run failed", Description: "Only what is missing or broke", Identifier: buttonRetry},
		{Label: "Full run", Description: "Everything anew", Identifier: buttonFull},
		{Label: "Explain", Description: "Why it came out like this", Identifier: buttonExplain},
	}
}
