package service

import (
	"context"
	"errors"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// subject is what the command's runs are about.
func (c *commandRun) subject() string {
	return runs.Subject(c.event.Repo.FullName(), c.pull.Number, c.pull.HeadSHA, c.settings.CheckName)
}

// held returns why the head commit is not measured for a command, empty if it
// is.
func (c *commandRun) held(ctx context.Context) (comment.Refusal, error) {
	if c.pull.Closed {
		return comment.Closed, nil
	}
	if c.event.Comment != nil {
		late, err := c.late(ctx)
		if err != nil {
			return "", err
		}
		if late {
			return comment.Outdated, nil
		}
	}
	allowed, err := c.service.opts.Runs.Approved(ctx, c.event.Repo.FullName(), c.pull.Number, c.pull.HeadSHA)
	if err != nil {
		return "", err
	}
	// Labels, paths and drafts hold back only what starts by itself.
	switch d := forked(c.settings, facts{Head: ghevent.Head{Pull: c.pull}, approved: allowed}); {
	case d.outcome == run:
		return "", nil
	case d.why == comment.SkipForks:
		return comment.NoForks, nil
	default:
		return comment.NotApproved, nil
	}
}

// late reports whether the head commit was pushed after the comment was
// written, so that its author cannot have seen it. Where we were not told of
// the push, the commit's check suites tell when it was.
func (c *commandRun) late(ctx context.Context) (bool, error) {
	pushed, err := c.service.opts.Runs.Seen(ctx, c.event.Repo.FullName(), c.pull.Number, c.pull.HeadSHA)
	if err != nil || !pushed.IsZero() {
		return pushed.After(c.event.Comment.At), err
	}
	// Our own suite tells too, unless it is one that our check runs made.
	ours := c.service.opts.App()
	_, err = c.service.opts.Runs.LatestOfHead(ctx, c.event.Repo.FullName(), c.pull.HeadSHA)
	if errors.Is(err, runs.ErrNone) {
		ours = 0
	} else if err != nil {
		return false, err
	}
	return c.publisher.PushedAfter(ctx, c.pull.HeadSHA, c.event.Comment.At, ours)
}

func (c *commandRun) run(ctx context.Context) (runs.Answer, error) {
	if why, err := c.held(ctx); err != nil || why != "" {
		return c.decline(why), err
	}
	p, err := settings.Resolve(c.settings, c.command, c.service.opts.Library)
	if err != nil {
		return c.correct(err), nil
	}
	return c.begin(ctx, p, runs.Run{})
}

// begin starts a run, which goes on with another one if that has an ID, and answers
// with what it is.
func (c *commandRun) begin(ctx context.Context, p settings.Plan, continues runs.Run) (runs.Answer, error) {
	answer := func(r runs.Run) runs.Answer {
		return c.accept(comment.Accepted(c.command.Name, c.service.described(r, runs.Outcome{})))
	}
	r, err := c.service.start(ctx, c.client, runRequest{
		cause: c.cause, event: c.event, pull: c.pull, settings: c.settings, plan: p, check: continues.Suite, continues: continues.ID,
		asked:  "/bench " + string(c.command.Name) + " by " + c.event.Sender.Login,
		atOnce: func(tx *queue.Tx, r runs.Run) error { return c.keepAnswer(ctx, tx, answer(r)) },
	})
	if over, is := errors.AsType[overBudget](err); is {
		return runs.Answer{Reaction: refused, Body: comment.Unaffordable(c.command.Name, over.Error()), Outcome: string(comment.OverBudget)}, nil
	}
	if errors.Is(err, errAnswered) {
		return c.decline(comment.Answered), nil
	}
	return answer(r), err
}

// retry runs what is missing of the last run of this commit, or broke for
// reasons that are not the agents'. A commit without a run gets one.
func (c *commandRun) retry(ctx context.Context) (runs.Answer, error) {
	if why, err := c.held(ctx); err != nil || why != "" {
		return c.decline(why), err
	}
	last, err := c.latest(ctx)
	if errors.Is(err, runs.ErrNone) || err == nil && last.Head != c.pull.HeadSHA {
		c.command = command.Command{Name: command.Run}
		return c.run(ctx)
	}
	if err != nil {
		return runs.Answer{}, err
	}
	lacks, err := c.service.lacks(ctx, last)
	if err != nil {
		return runs.Answer{}, err
	}
	if !lacks {
		return c.decline(comment.NothingToDo), nil
	}
	if last.Request.Plan.OfTasks() {
		last.ID, c.command.Name = "", command.Run // the benchmark begins anew
	}
	return c.begin(ctx, last.Request.Plan, last)
}

// lacks reports whether a run has ended without all of its rows, runner
// failures not counted, or without a verdict that is final where evidence
// decides.
func (s *Service) lacks(ctx context.Context, r runs.Run) (bool, error) {
	if r.State.Alive() {
		return false, nil
	}
	if r.State != runs.Finished {
		return true, nil
	}
	if r.Request.Plan.Profile.ByEvidence() {
		outcome, err := s.opts.Runs.Outcome(ctx, r.ID)
		judged := outcome.Summary != nil && outcome.Summary.Evidence != nil && outcome.Summary.Evidence.Final
		return !judged, err
	}
	kept, err := s.reusable(ctx, r.ID, r.Request.BaseSHA)
	return len(kept) < r.Request.Plan.Cells(), err
}

func (c *commandRun) cancel(ctx context.Context) (answer runs.Answer, err error) {
	s := c.service
	err = s.opts.DB.Write(ctx, func(tx *queue.Tx) error {
		alive, err := s.alive(ctx, tx, c.subject())
		if err != nil {
			return err
		}
		if len(alive) == 0 {
			answer = c.decline(comment.NothingToDo)
			return nil
		}
		for _, r := range alive {
			if err := s.endIn(ctx, tx, r.ID, runs.Stopped, runs.Outcome{Reason: comment.CancelledBy(c.event.Sender.Login)}); err != nil {
				return err
			}
		}
		answer = c.accept(comment.Accepted(command.Cancel, s.described(alive[len(alive)-1], runs.Outcome{})))
		return c.keepAnswer(ctx, tx, answer)
	})
	return answer, err
}

// latest returns the last run that was not skipped, be it partial.
func (c *commandRun) latest(ctx context.Context) (last runs.Run, err error) {
	for _, subject := range both(c.subject()) {
		r, err := c.service.opts.Runs.Latest(ctx, subject)
		if err != nil && !errors.Is(err, runs.ErrNone) {
			return runs.Run{}, err
		}
		if err == nil && !r.Created.Before(last.Created) {
			last = r
		}
	}
	if last.ID == "" {
		return runs.Run{}, runs.ErrNone
	}
	return last, nil
}

// last returns the last run of the pull request and how it ended.
func (c *commandRun) last(ctx context.Context) (comment.Run, bool, error) {
	s := c.service
	r, err := c.latest(ctx)
	if errors.Is(err, runs.ErrNone) {
		return comment.Run{}, false, nil
	}
	if err != nil {
		return comment.Run{}, false, err
	}
	outcome, err := s.opts.Runs.Outcome(ctx, r.ID)
	return s.described(r, outcome), true, err
}

func (c *commandRun) status(ctx context.Context) (runs.Answer, error) {
	said, there, err := c.last(ctx)
	if err != nil || !there {
		return c.accept(comment.StandingReply(c.settings.CheckName, nil, "")), err
	}
	return c.accept(comment.StatusReply(said)), nil
}

func (c *commandRun) explain(ctx context.Context) (runs.Answer, error) {
	known := command.Known{}
	for _, one := range c.service.opts.Library.All() {
		known.Scenarios = append(known.Scenarios, one.ID)
	}
	if c.settings.Benchmark == settings.DefaultBenchmark { // the tasks of others are their own
		if err := c.command.Check(known); err != nil {
			return c.correct(err), nil
		}
	}
	said, there, err := c.last(ctx)
	if err != nil || !there {
		return c.decline(comment.NothingToDo), err
	}
	return c.accept(comment.Explained(said, c.command.Cell)), nil
}

// approve lets the head commit of a fork be measured, and has it measured. The
// commit is named in full, so that nobody approves what he has not seen.
func (c *commandRun) approve(ctx context.Context) (runs.Answer, error) {
	switch {
	case c.pull.Closed:
		return c.decline(comment.Closed), nil
	case !c.pull.Fork:
		return c.decline(comment.OwnBranch), nil
	case c.command.Commit != c.pull.HeadSHA:
		return c.decline(comment.UnknownCommit), nil
	case c.settings.Forks == settings.ForksNever:
		return c.decline(comment.NoForks), nil
	}
	if err := c.service.opts.Runs.Approve(ctx, c.event.Repo.FullName(), c.pull.Number, c.pull.HeadSHA, c.event.Sender.Login, c.event.Comment.At); err != nil {
		return runs.Answer{}, err
	}
	p, err := settings.Resolve(c.settings, command.Command{}, c.service.opts.Library)
	if err != nil {
		return c.correct(err), nil
	}
	return c.begin(ctx, p, runs.Run{})
}
