package conduct

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/app/decide"
	"github.com/ghx-dev/bench-action/internal/app/event"
	"github.com/ghx-dev/bench-action/internal/app/plan"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/publish"
)

// The reactions to a command.
const (
	accepted = "+1"
	refused  = "-1"
	confused = "confused"
)

// order is a command that is being carried out.
type order struct {
	*Conductor
	client    *github.Client
	publisher *publish.Publisher
	cause     string
	event     event.Event
	command   command.Command
	pull      event.Pull
	settings  settings.Settings
}

// reply is the answer to a command.
type reply struct{ reaction, body string }

func refuse(o *order, why comment.Refusal) reply {
	return reply{refused, comment.Refused(o.command.Name, why)}
}

// command carries out the command of a comment, and answers it.
func (c *Conductor) command(ctx context.Context, cause string, e event.Event, routing decide.Routing) error {
	client, err := c.client(ctx, e)
	if err != nil {
		return err
	}
	o := &order{
		Conductor: c, client: client, publisher: publish.New(client, e.Repo.Owner, e.Repo.Name), cause: cause, event: e, command: routing.Command,
	}
	if o.command.Name == "" {
		o.command.Name = command.Help
	}
	answer, err := o.obey(ctx, routing.Mistake)
	if err != nil {
		return err
	}
	c.warn(ctx, runs.Run{ID: cause}, o.publisher.React(ctx, e.Comment.ID, answer.reaction))
	return o.say(ctx, answer.body)
}

// obey does what is commanded, and returns the answer. An error means that it
// is tried again.
func (o *order) obey(ctx context.Context, mistake error) (reply, error) {
	var err error
	if o.pull, err = readPull(ctx, o.client, o.event, o.event.Pull.Number); err != nil {
		return reply{}, err
	}
	set, problems, err := o.Conductor.settings(ctx, o.client, o.event, o.pull.BaseRef)
	if err != nil && !errors.Is(err, errNoSettings) {
		return reply{}, err
	}
	lacking := errors.Is(err, errNoSettings)
	o.settings = set
	least := set.Commands.Permission
	if least == "" {
		least = publish.Write
	}
	may, err := o.publisher.Permitted(ctx, o.event.Sender.Login, least)
	switch {
	case err != nil:
		return reply{}, err
	case !may:
		return refuse(o, comment.NoPermission), nil
	case mistake != nil:
		return reply{confused, comment.Mistaken(mistake)}, nil
	case o.command.Name == command.Help:
		return reply{accepted, comment.Helped()}, nil
	case lacking:
		return reply{confused, fmt.Sprintf("👎 There is no `%s` on the base branch `%s`, so it is not known what to run. A file with one line is enough: `model: openai/gpt-5.3-codex`.\n", settings.Path, o.pull.BaseRef)}, nil
	case len(problems) > 0:
		return reply{confused, "👎 The settings on the base branch cannot be used:\n\n```\n" + strings.ReplaceAll(fault.Public(problems.Err()), "`", "'") + "\n```\n"}, nil
	}
	return o.carryOut(ctx)
}

func (o *order) carryOut(ctx context.Context) (reply, error) {
	switch o.command.Name {
	case command.Run:
		return o.run(ctx)
	case command.Retry:
		return o.retry(ctx)
	case command.Cancel:
		return o.cancel(ctx)
	case command.Status:
		return o.status(ctx)
	case command.Explain:
		return o.explain(ctx)
	case command.Approve:
		return o.approve(ctx)
	default:
		return reply{accepted, comment.Helped()}, nil
	}
}

// subject is what the order's runs are about.
func (o *order) subject() string {
	return runs.Subject(o.event.Repo.FullName(), o.pull.Number, o.pull.HeadSHA, o.settings.CheckName)
}

// held returns why the head commit is not measured for a command, empty if it
// is.
func (o *order) held(ctx context.Context) (comment.Refusal, error) {
	if o.pull.Closed {
		return comment.Closed, nil
	}
	if o.event.Comment != nil {
		late, err := o.late(ctx)
		if err != nil {
			return "", err
		}
		if late {
			return comment.Outdated, nil
		}
	}
	allowed, err := o.Runs.Approved(ctx, o.event.Repo.FullName(), o.pull.Number, o.pull.HeadSHA)
	if err != nil {
		return "", err
	}
	if decide.Commandable(o.settings, decide.Facts{Pull: o.pull, Approved: allowed}).Outcome != decide.Run {
		return comment.NotApproved, nil
	}
	return "", nil
}

// late reports whether the head commit was pushed after the comment was
// written, so that its author cannot have seen it. Where we were not told of
// the push, the other Apps' check suites tell when it was.
func (o *order) late(ctx context.Context) (bool, error) {
	pushed, err := o.Runs.Seen(ctx, o.event.Repo.FullName(), o.pull.Number, o.pull.HeadSHA)
	if err != nil {
		return false, err
	}
	if !pushed.IsZero() {
		return pushed.After(o.event.Comment.At), nil
	}
	return o.publisher.PushedAfter(ctx, o.pull.HeadSHA, o.event.Comment.At, o.App())
}

func (o *order) run(ctx context.Context) (reply, error) {
	if why, err := o.held(ctx); err != nil || why != "" {
		return refuse(o, why), err
	}
	p, err := plan.Resolve(o.settings, o.command, o.Library)
	if err != nil {
		return reply{confused, comment.Mistaken(err)}, nil
	}
	return o.begin(ctx, p, "")
}

// begin starts a run, and answers with what it is.
func (o *order) begin(ctx context.Context, p plan.Plan, continues string) (reply, error) {
	r, err := o.start(ctx, o.client, ask{
		cause: o.cause, event: o.event, pull: o.pull, settings: o.settings, plan: p, continues: continues,
		asked: "/bench " + string(o.command.Name) + " by " + o.event.Sender.Login,
	})
	if over, is := errors.AsType[overBudget](err); is {
		return reply{refused, comment.Refused(o.command.Name, comment.OverBudget) + "\n" + over.Error() + "\n"}, nil
	}
	if err != nil {
		return reply{}, err
	}
	return reply{accepted, comment.Accepted(o.command.Name, o.said(r, runs.Outcome{}))}, nil
}

// retry runs what is missing of the last run of this commit, or broke for
// reasons that are not the agents'. A commit without a run gets one.
func (o *order) retry(ctx context.Context) (reply, error) {
	if why, err := o.held(ctx); err != nil || why != "" {
		return refuse(o, why), err
	}
	last, err := o.Runs.Latest(ctx, o.subject())
	if errors.Is(err, runs.ErrNone) || err == nil && last.Head != o.pull.HeadSHA && last.Cause != o.cause {
		o.command = command.Command{Name: command.Run}
		return o.run(ctx)
	}
	if err != nil {
		return reply{}, err
	}
	if last.Cause != o.cause {
		lacks, err := o.lacks(ctx, last)
		if err != nil {
			return reply{}, err
		}
		if !lacks {
			return refuse(o, comment.NothingToDo), nil
		}
	}
	return o.begin(ctx, last.Request.Plan, last.ID)
}

// lacks reports whether a run has ended without all of its rows, runner
// failures not counted.
func (c *Conductor) lacks(ctx context.Context, r runs.Run) (bool, error) {
	if r.State.Alive() {
		return false, nil
	}
	if r.State != runs.Finished {
		return true, nil
	}
	kept, err := c.takeOver(ctx, r.ID)
	return len(kept) < r.Request.Plan.Cells(), err
}

// judged reports whether a row is no runner failure.
func judged(raw []byte) (bool, error) {
	var row bench.Row
	if err := json.Unmarshal(raw, &row); err != nil {
		return false, fault.Internalf("read a row: %w", err)
	}
	return !row.Error.RunnerFailure(), nil
}

func (o *order) cancel(ctx context.Context) (reply, error) {
	alive, err := o.Runs.Alive(ctx, o.subject())
	if err != nil {
		return reply{}, err
	}
	if len(alive) == 0 {
		return refuse(o, comment.NothingToDo), nil
	}
	for _, r := range alive {
		if err := o.end(ctx, r.ID, runs.Stopped, runs.Outcome{Reason: "It was cancelled by " + o.event.Sender.Login + "."}); err != nil {
			return reply{}, err
		}
	}
	return reply{accepted, comment.Accepted(command.Cancel, o.said(alive[len(alive)-1], runs.Outcome{}))}, nil
}

// last returns the last run of the pull request and how it ended.
func (o *order) last(ctx context.Context) (comment.Run, bool, error) {
	r, err := o.Runs.Latest(ctx, o.subject())
	if errors.Is(err, runs.ErrNone) {
		return comment.Run{}, false, nil
	}
	if err != nil {
		return comment.Run{}, false, err
	}
	outcome, err := o.Runs.Outcome(ctx, r.ID)
	return o.said(r, outcome), true, err
}

func (o *order) status(ctx context.Context) (reply, error) {
	said, there, err := o.last(ctx)
	if err != nil || !there {
		return refuse(o, comment.NothingToDo), err
	}
	return reply{accepted, comment.StatusReply(said)}, nil
}

func (o *order) explain(ctx context.Context) (reply, error) {
	known := command.Known{}
	for _, s := range o.Library.All() {
		known.Scenarios = append(known.Scenarios, s.ID)
	}
	if o.command.Cell.ScenarioID != "" {
		if err := o.command.Check(known); err != nil {
			return reply{confused, comment.Mistaken(err)}, nil
		}
	}
	said, there, err := o.last(ctx)
	if err != nil || !there {
		return refuse(o, comment.NothingToDo), err
	}
	if o.command.Cell.ScenarioID == "" {
		return reply{accepted, comment.StatusReply(said)}, nil
	}
	return reply{accepted, comment.Explained(said, o.command.Cell)}, nil
}

// approve lets the head commit of a fork be measured, and has it measured. The
// commit is named in full, so that nobody approves what he has not seen.
func (o *order) approve(ctx context.Context) (reply, error) {
	switch {
	case o.pull.Closed:
		return refuse(o, comment.Closed), nil
	case o.command.Commit != o.pull.HeadSHA:
		return refuse(o, comment.UnknownCommit), nil
	case !o.pull.Fork:
		return refuse(o, comment.NothingToDo), nil
	case o.settings.Forks == settings.ForksNever:
		return reply{refused, "👎 `/bench approve`: the settings say `forks: never`.\n"}, nil
	}
	if err := o.Runs.Approve(ctx, o.event.Repo.FullName(), o.pull.Number, o.pull.HeadSHA, o.event.Sender.Login, o.Now()); err != nil {
		return reply{}, err
	}
	p, err := plan.Resolve(o.settings, command.Command{Name: command.Run}, o.Library)
	if err != nil {
		return reply{confused, comment.Mistaken(err)}, nil
	}
	return o.begin(ctx, p, "")
}

// say answers in the conversation, once: an answer that may have been given
// before is looked for.
func (o *order) say(ctx context.Context, body string) error {
	mark := "<!-- bench-answer " + o.cause + " -->"
	fresh, err := o.Runs.Once(ctx, o.cause)
	if err != nil {
		return err
	}
	if !fresh {
		said, err := o.publisher.Said(ctx, o.pull.Number, mark)
		if err != nil || said {
			return err
		}
	}
	return o.publisher.Reply(ctx, o.pull.Number, body+"\n"+mark+"\n")
}

// pressed does what a button of a check run stands for.
func (c *Conductor) pressed(ctx context.Context, cause string, e event.Event, routing decide.Routing) error {
	client, err := c.client(ctx, e)
	if err != nil {
		return err
	}
	r, err := c.pressedOn(ctx, e)
	if errors.Is(err, runs.ErrNone) {
		return nil // it is older than our tables
	}
	if err != nil {
		return err
	}
	o := &order{Conductor: c, client: client, publisher: publish.New(client, e.Repo.Owner, e.Repo.Name), cause: cause, event: e, command: routing.Command}
	may, err := o.publisher.Permitted(ctx, e.Sender.Login, publish.Write)
	if err != nil || !may {
		return err
	}
	o.pull = event.Pull{
		Number: r.Pull, HeadSHA: r.Head, BaseSHA: r.Request.BaseSHA, BaseRef: r.Request.BaseRef, HeadRepo: r.Request.HeadRepo, Fork: r.Request.Fork,
	}
	if r.Pull > 0 {
		if o.pull, err = readPull(ctx, client, e, r.Pull); err != nil {
			return err
		}
	}
	if o.pull.HeadSHA != r.Head {
		return nil // there was a push, which has a run of its own
	}
	set, problems, err := c.settings(ctx, client, e, o.pull.BaseRef)
	if errors.Is(err, errNoSettings) {
		return nil // they were taken away, and nothing is measured any more
	}
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return c.refuse(ctx, ask{cause: cause, event: e, pull: o.pull, asked: "re-run by " + e.Sender.Login}, problems)
	}
	o.settings = set
	return o.press(ctx, r, routing.Fresh)
}

// pressedOn returns the run of the check, or of the suite's check.
func (c *Conductor) pressedOn(ctx context.Context, e event.Event) (runs.Run, error) {
	if e.Check != nil {
		return c.Runs.ByCheck(ctx, e.Check.ID)
	}
	return c.Runs.LatestOfHead(ctx, e.Repo.FullName(), e.Suite.HeadSHA)
}

func (o *order) press(ctx context.Context, r runs.Run, fresh bool) error {
	if o.command.Name == command.Explain {
		outcome, err := o.Runs.Outcome(ctx, r.ID)
		if err != nil || r.Pull == 0 {
			return err
		}
		return o.say(ctx, comment.StatusReply(o.said(r, outcome)))
	}
	if why, err := o.held(ctx); err != nil || why != "" {
		return err
	}
	p, continues := r.Request.Plan, ""
	if r.State == runs.Skipped || r.State == runs.Broken && p.Cells() == 0 {
		var err error
		if p, err = plan.Resolve(o.settings, command.Command{Name: command.Run}, o.Library); err != nil {
			return err
		}
	} else if !fresh {
		lacks, err := o.lacks(ctx, r)
		if err != nil {
			return err
		}
		if lacks {
			continues = r.ID
		}
	}
	_, err := o.start(ctx, o.client, ask{
		cause: o.cause, event: o.event, pull: o.pull, settings: o.settings, plan: p, continues: continues, asked: "re-run by " + o.event.Sender.Login,
	})
	if over, is := errors.AsType[overBudget](err); is {
		return o.stop(ctx, ask{cause: o.cause, event: o.event, pull: o.pull, settings: o.settings, plan: p, asked: "re-run by " + o.event.Sender.Login}, over.Error())
	}
	return err
}
