package conduct

import (
	"context"
	"errors"
	"log/slog"

	"github.com/ghx-dev/bench-action/internal/app/decide"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// said is what there is to say about a run.
func (c *Conductor) said(r runs.Run, o runs.Outcome) comment.Run {
	p := r.Request.Plan.Shown()
	out := comment.Run{
		Suite: r.Suite, Phase: phase(r.State), ID: r.ID, Commit: r.Head, At: c.Now(), Plan: &p, Summary: o.Summary, Reason: o.Reason, Skip: o.Skip,
		Links: comment.Links{Check: r.CheckURL}, Commands: command.Names(),
	}
	if c.PublicURL != "" {
		out.Links.Job = c.PublicURL + "/runs/" + r.ID
	}
	if r.State == runs.Running {
		out.Progress = &comment.Progress{Done: r.Done, Cells: r.Cells, Elapsed: c.Now().Sub(r.Started), CostUSD: r.CostUSD}
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
	if c.PublicURL != "" {
		start.DetailsURL = c.PublicURL + "/runs/" + r.ID
	}
	return start
}

func output(o comment.CheckOutput) publish.Output {
	return publish.Output{Title: o.Title, Summary: o.Summary, Text: o.Text}
}

// buttons are those of a check run that has ended.
func buttons(r runs.Run) []publish.Button {
	if r.State == runs.Skipped {
		return []publish.Button{{Label: "Run now", Description: "Measure this commit", Identifier: decide.ButtonFull}}
	}
	return []publish.Button{
		{Label: "Re-run failed", Description: "Only what is missing or broke", Identifier: decide.ButtonRetry},
		{Label: "Full run", Description: "Everything anew", Identifier: decide.ButtonFull},
		{Label: "Explain", Description: "Why it came out like this", Identifier: decide.ButtonExplain},
	}
}

// doTell shows on GitHub how a run ended.
func (c *Conductor) doTell(ctx context.Context, j queue.Job[job]) error {
	r, err := c.Runs.Get(ctx, j.Payload.Run)
	if errors.Is(err, runs.ErrNone) || err == nil && (r.Told || r.State.Alive()) {
		return nil
	}
	if err != nil {
		return err
	}
	o, err := c.Runs.Outcome(ctx, r.ID)
	if err != nil {
		return err
	}
	c.abandon(ctx, r)
	err = c.tell(ctx, r, o)
	outage := fault.KindOf(err) == fault.Infrastructure
	if err != nil && !notThere(err) && (outage || j.Attempt < measureTries) {
		return err
	}
	if err != nil {
		c.Log.WarnContext(ctx, "it cannot be told", slog.String("run", r.ID), slog.String("problem", c.Redact(err.Error())))
	}
	return c.Runs.SetTold(ctx, r.ID)
}

// abandon has nobody work on a run any more that was ended by others. What
// cannot be ended ends by itself, and is not waited for.
func (c *Conductor) abandon(ctx context.Context, r runs.Run) {
	executor, known := c.Executors[r.Request.Plan.Executor]
	if r.State != runs.Stopped || !known {
		return
	}
	client, err := c.Clients(ctx, r.Installation, r.Owner(), r.Name())
	if err == nil {
		err = executor.Abandon(ctx, r, client)
	}
	if err != nil {
		c.Log.WarnContext(ctx, "a run that was stopped may go on elsewhere", slog.String("run", r.ID), slog.String("problem", c.Redact(err.Error())))
	}
}

func (c *Conductor) tell(ctx context.Context, r runs.Run, o runs.Outcome) error {
	_, publisher, err := c.publisher(ctx, r)
	if err != nil {
		return err
	}
	said := c.said(r, o)
	shown := comment.Check(said)
	end := publish.End{Conclusion: string(shown.Conclusion), At: r.Ended, Output: output(shown.Output), Buttons: buttons(r)}
	for _, a := range shown.Output.Annotations {
		end.Annotations = append(end.Annotations, publish.Annotation{
			Path: a.Path, StartLine: a.StartLine, EndLine: a.EndLine, Level: string(a.Level), Title: a.Title, Message: a.Message,
		})
	}
	check := publisher.Check(c.checkStart(r))
	notices := check.Complete(ctx, end)
	if r.CheckID == 0 && check.ID() != 0 {
		r.CheckURL = check.URL()
		said.Links.Check = r.CheckURL
		if err := c.Runs.SetCheck(ctx, r.ID, check.ID(), r.CheckURL); err != nil {
			return err
		}
	}
	if !check.Ended() {
		return notices[0].Err
	}
	c.warn(ctx, r, notices)
	return c.comment(ctx, publisher, r, said)
}

// comment keeps the pull request's comment up to date.
func (c *Conductor) comment(ctx context.Context, publisher *publish.Publisher, r runs.Run, said comment.Run) error {
	if r.Pull == 0 || r.State == runs.Skipped || r.Request.Comment == string(publish.Never) {
		return nil
	}
	_, notices := publisher.Comment(ctx, publish.Comment{
		Number: r.Pull, When: publish.When(r.Request.Comment), State: string(said.Conclusion()), Failed: said.Conclusion() == comment.Failure,
		Marked: func(body string) bool {
			marker, ok := comment.ParseMarker(body)
			return ok && marker.IsOf(said.Suite)
		},
		Body: func(last string) string {
			if marker, ok := comment.ParseMarker(last); ok {
				said.Previous = &marker
			}
			return comment.Comment(said)
		},
		StateOf: func(body string) string {
			marker, _ := comment.ParseMarker(body)
			return string(marker.Conclusion)
		},
	})
	if len(notices) > 0 {
		return notices[0].Err
	}
	return nil
}
