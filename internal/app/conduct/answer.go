package conduct

import (
	"context"
	"errors"
	"log/slog"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/webhook"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// The reactions to a command.
const (
	accepted = "+1"
	refused  = "-1"
	confused = "confused"
)

// What commands, and events, come to besides the refusals of
// [comment.Refusal].
const (
	carriedOut     = "carried_out"
	mistaken       = "mistaken"
	noSettings     = "no_settings"
	brokenSettings = "broken_settings"
	unknownCheck   = "unknown_check"
	failed         = "failed"
)

// unreadable is what a command is counted as whose name cannot be read.
const unreadable = "unreadable"

func (o *order) accept(body string) runs.Answer {
	return runs.Answer{Reaction: accepted, Body: body, Outcome: carriedOut}
}

func (o *order) decline(why comment.Refusal) runs.Answer {
	return runs.Answer{Reaction: refused, Body: comment.Refused(o.command.Name, why), Outcome: string(why)}
}

func (o *order) correct(err error) runs.Answer {
	return runs.Answer{Reaction: confused, Body: comment.Mistaken(err), Outcome: mistaken}
}

// settle has something done, and answered. What an earlier attempt answered is
// answered again, and nothing is done twice. It returns the answer's outcome.
func (o *order) settle(ctx context.Context, do func(context.Context) (runs.Answer, error)) (string, error) {
	c := o.conductor
	answer, known, err := c.opts.Runs.Answer(ctx, o.cause)
	if err == nil && known {
		_, err = o.resume(ctx)
	}
	if err != nil {
		return "", err
	}
	if !known {
		if answer, err = do(ctx); err != nil {
			return "", err
		}
		if err := c.opts.DB.Write(ctx, func(tx *database.Tx) error { return o.keep(ctx, tx, answer) }); err != nil {
			return "", err
		}
	}
	return answer.Outcome, o.tell(ctx, answer, !known)
}

// keep stores the answer with the transaction, which is the one that does what
// was commanded.
func (o *order) keep(ctx context.Context, tx *database.Tx, a runs.Answer) error {
	return o.conductor.opts.Runs.SetAnswer(ctx, tx, o.cause, a, o.conductor.opts.Now())
}

// resume goes on with the run that an earlier attempt made, and reports whether
// there is one.
func (o *order) resume(ctx context.Context) (bool, error) {
	r, err := o.conductor.opts.Runs.ByCause(ctx, o.cause)
	if errors.Is(err, runs.ErrNone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, o.conductor.launch(ctx, o.client, &r)
}

// tell reacts to the comment, if there is one, and answers in the conversation.
// Unless the answer is fresh it is looked for first: it may have been given.
func (o *order) tell(ctx context.Context, a runs.Answer, fresh bool) error {
	if o.event.Comment != nil {
		notices := o.publisher.React(ctx, o.event.Comment.ID, a.Reaction)
		if len(notices) > 0 && fault.KindOf(notices[0].Err) == fault.Infrastructure {
			return notices[0].Err
		}
		o.conductor.warn(ctx, runs.Run{ID: o.cause}, notices)
	}
	mark := "<!-- bench-answer " + o.cause + " -->"
	about := mark
	if a.Outcome == string(comment.NoPermission) {
		about, fresh = comment.RefusalMark(o.event.Sender.Login), false
		mark += "\n" + about
	}
	if !fresh {
		said, err := o.publisher.Said(ctx, o.pull.Number, about)
		if err != nil || said {
			return err
		}
	}
	return o.publisher.Reply(ctx, o.pull.Number, a.Body+"\n"+mark+"\n")
}

// count counts and logs what the command came to.
func (o *order) count(ctx context.Context, outcome string) {
	c, e := o.conductor, o.event
	c.opts.Count(e.Name, o.label, outcome)
	c.opts.Log.InfoContext(ctx, "command", slog.String("delivery", o.cause), slog.String("repository", e.Repo.FullName()), slog.Int("pull_request", o.pull.Number),
		slog.String("login", e.Sender.Login), slog.String("command", o.label), slog.String("outcome", outcome))
}

// GiveUp tells who commanded that the delivery of the command failed for good,
// if GitHub lets it be told.
func (c *Conductor) GiveUp(ctx context.Context, d webhook.Delivery, problem error) {
	e, err := read(d)
	if err != nil {
		return
	}
	routed := route(e, c.opts.App())
	if routed.kind != kindCommanded && routed.kind != kindPressed {
		return
	}
	o, err := c.order(ctx, d.ID, e, routed)
	if err != nil {
		c.opts.Log.WarnContext(ctx, "that a command failed cannot be told", slog.String("delivery", d.ID), slog.String("problem", c.opts.Redact(err.Error())))
		return
	}
	defer o.count(ctx, failed)
	if routed.kind == kindPressed {
		return // there is no comment to answer
	}
	_, err = o.settle(ctx, func(context.Context) (runs.Answer, error) {
		public := fault.Because(fault.KindOf(problem), problem, c.opts.Redact(fault.Public(problem)))
		return runs.Answer{Reaction: confused, Body: comment.Failed(o.command.Name, public, d.ID), Outcome: failed}, nil
	})
	if err != nil {
		c.opts.Log.WarnContext(ctx, "that a command failed cannot be told", slog.String("delivery", d.ID), slog.String("problem", c.opts.Redact(err.Error())))
	}
}
