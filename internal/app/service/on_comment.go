package service

import (
	"cmp"
	"context"
	"errors"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/internal/publish"
)

// routeComment takes new comments of people on pull requests.
func routeComment(e ghevent.Event, _ int64) routing {
	asked, no := e.Request()
	if no != "" {
		return ignore(string(no))
	}
	return routing{kind: kindCommanded, Request: asked}
}

// commandRun is a command that is being carried out, or a button that was pressed.
type commandRun struct {
	service   *Service
	client    *github.Client
	publisher *publish.Publisher
	cause     string
	event     ghevent.Event
	command   command.Command
	// label is the command's name for the log and the metrics.
	label    string
	pull     ghevent.Pull
	settings settings.Settings
}

// newCommandRun returns what an event asks for. Of its pull request no more is known
// than the event says.
func (s *Service) newCommandRun(ctx context.Context, cause string, e ghevent.Event, routed routing) (*commandRun, error) {
	client, err := s.client(ctx, e)
	if err != nil {
		return nil, err
	}
	c := &commandRun{
		service: s, client: client, publisher: publish.New(client, e.Repo.Owner, e.Repo.Name), cause: cause, event: e,
		command: routed.Command, label: cmp.Or(string(routed.Command.Name), unreadable),
	}
	c.command.Name = cmp.Or(c.command.Name, command.Help)
	if e.Pull != nil {
		c.pull = *e.Pull
	}
	return c, nil
}

// command carries out the command of a comment, and answers it.
func (s *Service) command(ctx context.Context, cause string, e ghevent.Event, routed routing) error {
	c, err := s.newCommandRun(ctx, cause, e, routed)
	if err != nil {
		return err
	}
	outcome, err := c.answerOnce(ctx, func(ctx context.Context) (runs.Answer, error) { return c.answer(ctx, routed.Mistake) })
	if err != nil {
		return err
	}
	c.count(ctx, outcome)
	return nil
}

// authorization is whether who asks may, and what the repository has set.
type authorization struct {
	// permitted is true if the sender has the permission least, which the settings ask
	// for; where they cannot be read it is that to write.
	permitted bool
	least     string
	// missing is true where there are no settings; of those that cannot be used
	// there are problems.
	missing  bool
	problems jsondoc.Problems
}

// authorize reads the pull request, or the base branch where there is none, and
// asks GitHub whether the sender may ask for anything by the settings there.
func (c *commandRun) authorize(ctx context.Context) (a authorization, err error) {
	var now pullAndSettings
	if c.pull.Number > 0 {
		now, err = c.service.readPullAndSettings(ctx, c.client, c.event, c.pull.Number)
		c.pull = now.pull
	} else {
		now, err = c.service.settings(ctx, c.client, c.event, c.pull.BaseRef)
	}
	c.settings, a.problems = now.settings, now.problems
	if a.missing = errors.Is(err, errNoSettings); err != nil && !a.missing {
		return a, err
	}
	a.least = cmp.Or(c.settings.Commands.Permission, publish.Write)
	a.permitted, err = c.publisher.Permitted(ctx, c.event.Sender.Login, a.least)
	return a, err
}

// answer does what is commanded, and returns the answer. An error means that it
// is tried again.
func (c *commandRun) answer(ctx context.Context, mistake error) (runs.Answer, error) {
	if mistake != nil {
		return c.correct(mistake), nil
	}
	a, err := c.authorize(ctx)
	if err != nil {
		return runs.Answer{}, err
	}
	answer, err := c.answerTo(ctx, a)
	if !a.permitted && answer.Outcome == carriedOut {
		answer.Outcome = informed
	}
	return answer, err
}

// answerTo does what is commanded by somebody who may, or who only asks.
func (c *commandRun) answerTo(ctx context.Context, a authorization) (runs.Answer, error) {
	name := c.command.Name
	switch {
	case !a.permitted && !name.ForAll():
		return runs.Answer{Reaction: refused, Body: comment.Unpermitted(name, a.least), Outcome: string(comment.NoPermission)}, nil
	case a.missing && name != command.Help:
		return runs.Answer{Reaction: confused, Body: comment.WithoutSettings(name, settings.Path, c.pull.BaseRef), Outcome: noSettings}, nil
	case len(a.problems) > 0 && name != command.Help:
		return runs.Answer{Reaction: confused, Body: comment.WithBrokenSettings(name, a.problems.Err()), Outcome: brokenSettings}, nil
	}
	return c.dispatchCommand(ctx)
}

func (c *commandRun) dispatchCommand(ctx context.Context) (runs.Answer, error) {
	switch c.command.Name {
	case command.Run:
		return c.run(ctx)
	case command.Retry:
		return c.retry(ctx)
	case command.Cancel:
		return c.cancel(ctx)
	case command.Status:
		return c.status(ctx)
	case command.Explain:
		return c.explain(ctx)
	case command.Approve:
		return c.approve(ctx)
	default:
		return c.accept(comment.Helped()), nil
	}
}
