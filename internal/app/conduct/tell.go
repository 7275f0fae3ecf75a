package conduct

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// said is what there is to say about a run.
func (c *Conductor) said(r runs.Run, o runs.Outcome) comment.Run {
	p := r.Request.Plan.Shown()
	out := comment.Run{
		Suite: r.Suite, Phase: phase(r.State), ID: r.ID, Commit: r.Head, At: c.opts.Now(), Plan: &p, Summary: o.Summary, Surface: o.Surface, Reason: o.Reason, Skip: o.Skip,
		OnNoVerdict: r.Request.OnNoVerdict,
		Links:       comment.Links{Check: r.CheckURL}, Commands: command.Names(),
	}
	if c.opts.PublicURL != "" {
		out.Links.Job = c.opts.PublicURL + "/runs/" + r.ID
	}
	if r.State == runs.Running {
		out.Progress = &comment.Progress{Done: r.Done, Cells: r.Cells, Elapsed: c.opts.Now().Sub(r.Started), CostUSD: r.CostUSD}
	}
	if o.Problem != "" {
		out.Problem = fault.Wrap(o.ProblemKind, errors.New(o.Problem))
	}
	if o.ProblemPath != "" {
		out.Places.Problem = &comment.Place{Path: o.ProblemPath, Line: o.ProblemLine}
	}
	return out
}

func phase(s runs.State) comment.Phase {
	return map[runs.State]comment.Phase{
		runs.Queued: comment.Queued, runs.Running: comment.Running, runs.Finished: comment.Finished,
		runs.Stopped: comment.Stopped, runs.Broken: comment.Broken, runs.Skipped: comment.Skipped,
	}[s]
}

// checkStart describes the run's check run.
func (c *Conductor) checkStart(r runs.Run) publish.Start {
	start := publish.Start{HeadSHA: r.Head, Name: r.Suite, ExternalID: r.ID, ID: r.CheckID, URL: r.CheckURL}
	if c.opts.PublicURL != "" {
		start.DetailsURL = c.opts.PublicURL + "/runs/" + r.ID
	}
	return start
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

// doTell shows on GitHub how a run ended.
func (c *Conductor) doTell(ctx context.Context, j queue.Job[job]) error {
	r, err := c.opts.Runs.Get(ctx, j.Payload.Run)
	if errors.Is(err, runs.ErrNone) || err == nil && (r.Told || r.State.Alive()) {
		return nil
	}
	if err != nil {
		return err
	}
	o, err := c.opts.Runs.Outcome(ctx, r.ID)
	if err != nil {
		return err
	}
	c.abandon(ctx, r)
	err = c.tell(ctx, r, o, j.Attempt)
	if err == nil {
		return c.opts.Runs.SetTold(ctx, r.ID)
	}
	if !declined(err, j.Attempt) {
		return err
	}
	c.opts.Log.WarnContext(ctx, "it cannot be told", slog.String("run", r.ID), slog.String("problem", c.opts.Redact(err.Error())))
	if c.opts.Now().Sub(r.Ended) < tellFor {
		// An installation may be suspended, or a permission taken away, for a
		// while.
		return queue.Later(c.opts.Refused)
	}
	return c.opts.Runs.SetTold(ctx, r.ID)
}

// declined reports whether an error is GitHub's decision, not an outage or a
// delay.
func declined(err error, attempt int) bool {
	return notThere(err) && attempt > 1 || fault.KindOf(err) != fault.Infrastructure && attempt >= measureTries
}

// tellFor is how long a run is tried to be told of where GitHub refuses that.
const tellFor = 14 * 24 * time.Hour

// abandon has nobody work on a run any more that was ended by others. What
// cannot be ended now is not waited for: a job of its own tries it again.
func (c *Conductor) abandon(ctx context.Context, r runs.Run) {
	err := c.endElsewhere(ctx, r)
	if err == nil {
		return
	}
	if !errors.Is(err, ErrElsewhere) {
		c.warnOfGoingOn(ctx, r, err)
	}
	err = c.opts.DB.Write(ctx, func(tx *database.Tx) error {
		_, err := c.opts.Queue.Enqueue(ctx, tx, c.abandoning.New(job{r.ID}).Once(r.ID))
		return err
	})
	if err != nil {
		c.warnOfGoingOn(ctx, r, err)
	}
}

// doAbandon tries again to end what goes on elsewhere of a run. What GitHub
// refuses to end is left to end by itself.
func (c *Conductor) doAbandon(ctx context.Context, j queue.Job[job]) error {
	r, err := c.opts.Runs.Get(ctx, j.Payload.Run)
	if errors.Is(err, runs.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	err = c.endElsewhere(ctx, r)
	ending := errors.Is(err, ErrElsewhere)
	switch {
	case ending && c.opts.Now().Sub(r.Ended) < abandonFor:
		return queue.Later(c.opts.Elsewhere)
	case err != nil && (ending || declined(err, j.Attempt)):
		c.warnOfGoingOn(ctx, r, err)
		return nil
	default:
		return err
	}
}

// abandonFor is how long it is waited for the end of what goes on elsewhere.
const abandonFor = 24 * time.Hour

func (c *Conductor) endElsewhere(ctx context.Context, r runs.Run) error {
	executor, known := c.opts.Executors[r.Request.Plan.Executor]
	if r.State != runs.Stopped || !known {
		return nil
	}
	client, err := c.opts.Clients(ctx, r.Installation, r.Owner(), r.Name())
	if err != nil {
		return err
	}
	return executor.Abandon(ctx, r, client)
}

func (c *Conductor) warnOfGoingOn(ctx context.Context, r runs.Run, err error) {
	c.opts.Log.WarnContext(ctx, "a run that was stopped may go on elsewhere", slog.String("run", r.ID), slog.String("problem", c.opts.Redact(err.Error())))
}

// tell shows how a run ended: on its check run, and in the comment if there is
// no newer run. That there is a check run which does not end is worse than that
// there is no comment, which is given up sooner.
func (c *Conductor) tell(ctx context.Context, r runs.Run, o runs.Outcome, attempt int) error {
	_, publisher, err := c.publisher(ctx, r)
	if err != nil {
		return err
	}
	said := c.said(r, o)
	if err := c.complete(ctx, publisher, &r, said); err != nil {
		return err
	}
	said.Links.Check = r.CheckURL
	latest, err := c.opts.Runs.Latest(ctx, r.Subject())
	if err != nil || latest.ID != r.ID {
		if errors.Is(err, runs.ErrNone) {
			err = nil // it was skipped
		}
		return err
	}
	_, notices := publisher.Comment(ctx, r.Pull, r.Request.Comment, said)
	if len(notices) == 0 || declined(notices[0].Err, attempt) {
		c.warn(ctx, r, notices)
		return nil
	}
	return notices[0].Err
}

// complete has the check run end.
func (c *Conductor) complete(ctx context.Context, publisher *publish.Publisher, r *runs.Run, said comment.Run) error {
	check := publisher.Check(c.checkStart(*r))
	notices := check.Complete(ctx, publish.End{CheckRun: comment.Check(said), At: r.Ended, Buttons: buttons(*r)})
	if r.CheckID == 0 && check.ID() != 0 {
		r.CheckURL = check.URL()
		if err := c.opts.Runs.SetCheck(ctx, r.ID, check.ID(), r.CheckURL); err != nil {
			return err
		}
	}
	if !check.Ended() {
		return notices[0].Err
	}
	c.warn(ctx, *r, notices)
	return nil
}
