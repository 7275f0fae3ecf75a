package service

import (
	"context"
	"errors"
	"log/slog"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
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
	informed       = "informed"
	mistaken       = "mistaken"
	noSettings     = "no_settings"
	brokenSettings = "broken_settings"
	unknownCheck   = "unknown_check"
	failed         = "failed"
)

// unreadable is what a command is counted as whose name cannot be read.
const unreadable = "unreadable"

func (c *commandRun) accept(body string) runs.Answer {
	return runs.Answer{Reaction: accepted, Body: body, Outcome: carriedOut}
}

func (c *commandRun) decline(why comment.Refusal) runs.Answer {
	return runs.Answer{Reaction: refused, Body: comment.Refused(c.command.Name, why), Outcome: string(why)}
}

func (c *commandRun) correct(err error) runs.Answer {
	return runs.Answer{Reaction: confused, Body: comment.Mistaken(err), Outcome: mistaken}
}

// answerOnce has something done, and answered. What an earlier attempt answered is
// answered again, and nothing is done twice. It returns the answer's outcome.
func (c *commandRun) answerOnce(ctx context.Context, do func(context.Context) (runs.Answer, error)) (string, error) {
	s := c.service
	answer, known, err := s.opts.Runs.Answer(ctx, c.cause)
	if known {
		_, err = c.resume(ctx)
	}
	if err != nil {
		return "", err
	}
	if !known {
		if answer, err = do(ctx); err != nil {
			return "", err
		}
		if err := s.opts.DB.Write(ctx, func(tx *queue.Tx) error { return c.keepAnswer(ctx, tx, answer) }); err != nil {
			return "", err
		}
	}
	return answer.Outcome, c.reply(ctx, answer, !known)
}

// keepAnswer stores the answer with the transaction, which is the one that does what
// was commanded.
func (c *commandRun) keepAnswer(ctx context.Context, tx *queue.Tx, a runs.Answer) error {
	return c.service.opts.Runs.SetAnswer(ctx, tx, c.cause, a, c.service.opts.Now())
}

// resume goes on with the run that an earlier attempt made, and reports whether
// there is one.
func (c *commandRun) resume(ctx context.Context) (bool, error) {
	r, err := c.service.opts.Runs.ByCause(ctx, c.cause)
	if errors.Is(err, runs.ErrNone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, c.service.launch(ctx, c.client, &r)
}

// reply reacts to the comment, if there is one, and answers in the conversation.
// Unless the answer is fresh it is looked for first: it may have been given.
func (c *commandRun) reply(ctx context.Context, a runs.Answer, fresh bool) error {
	if c.event.Comment != nil {
		notices := c.publisher.React(ctx, c.event.Comment.ID, a.Reaction)
		if len(notices) > 0 && fault.KindOf(notices[0].Err) == fault.Infrastructure {
			return notices[0].Err
		}
		c.service.warn(ctx, runs.Run{ID: c.cause}, notices)
	}
	mark := "<!-- bench-answer " + c.cause + " -->"
	if a.Outcome != carriedOut {
		// What leads to nothing is answered in one comment for each who asks.
		login := c.event.Sender.Login
		return c.publisher.Answer(ctx, c.pull.Number, comment.RefusalMark(login), comment.ForOne(login, a.Body)+mark)
	}
	if !fresh {
		said, err := c.publisher.Said(ctx, c.pull.Number, mark)
		if err != nil || said {
			return err
		}
	}
	return c.publisher.Reply(ctx, c.pull.Number, a.Body+"\n"+mark+"\n")
}

// count counts and logs what the command came to.
func (c *commandRun) count(ctx context.Context, outcome string) {
	s, e := c.service, c.event
	s.opts.Count(e.Name, c.label, outcome)
	s.opts.Log.InfoContext(ctx, "command", slog.String("delivery", c.cause), slog.String("repository", e.Repo.FullName()), slog.Int("pull_request", c.pull.Number),
		slog.String("login", e.Sender.Login), slog.String("command", c.label), slog.String("outcome", outcome))
}
