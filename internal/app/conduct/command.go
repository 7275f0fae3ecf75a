package conduct

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
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// order is a command that is being carried out, or a button that was pressed.
type order struct {
	conductor *Conductor
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

// order returns what an event orders. Of its pull request no more is known than
// the event says.
func (c *Conductor) order(ctx context.Context, cause string, e ghevent.Event, routed routing) (*order, error) {
	client, err := c.client(ctx, e)
	if err != nil {
		return nil, err
	}
	o := &order{
		conductor: c, client: client, publisher: publish.New(client, e.Repo.Owner, e.Repo.Name), cause: cause, event: e,
		command: routed.Command, label: cmp.Or(string(routed.Command.Name), unreadable),
	}
	o.command.Name = cmp.Or(o.command.Name, command.Help)
	if e.Pull != nil {
		o.pull = *e.Pull
	}
	return o, nil
}

// command carries out the command of a comment, and answers it.
func (c *Conductor) command(ctx context.Context, cause string, e ghevent.Event, routed routing) error {
	o, err := c.order(ctx, cause, e, routed)
	if err != nil {
		return err
	}
	outcome, err := o.settle(ctx, func(ctx context.Context) (runs.Answer, error) { return o.obey(ctx, routed.Mistake) })
	if err != nil {
		return err
	}
	o.count(ctx, outcome)
	return nil
}

// standing is what who orders something meets in the repository.
type standing struct {
	// permitted is true if he has the permission least, which the settings ask
	// for; where they cannot be read it is that to write.
	permitted bool
	least     string
	// missing is true where there are no settings; of those that cannot be used
	// there are problems.
	missing  bool
	problems jsondoc.Problems
}

// stand reads the pull request, or the base branch where there is none, and
// asks GitHub whether the sender may order anything by the settings there.
func (o *order) stand(ctx context.Context) (s standing, err error) {
	var now found
	if o.pull.Number > 0 {
		now, err = o.conductor.look(ctx, o.client, o.event, o.pull.Number)
		o.pull = now.pull
	} else {
		now, err = o.conductor.settings(ctx, o.client, o.event, o.pull.BaseRef)
	}
	o.settings, s.problems = now.settings, now.problems
	if s.missing = errors.Is(err, errNoSettings); err != nil && !s.missing {
		return s, err
	}
	s.least = cmp.Or(o.settings.Commands.Permission, publish.Write)
	s.permitted, err = o.publisher.Permitted(ctx, o.event.Sender.Login, s.least)
	return s, err
}

// obey does what is commanded, and returns the answer. An error means that it
// is tried again.
func (o *order) obey(ctx context.Context, mistake error) (runs.Answer, error) {
	name := o.command.Name
	asks := name.ForAll() && mistake == nil
	s, err := o.stand(ctx)
	switch {
	case err != nil:
		return runs.Answer{}, err
	case !s.permitted && !asks:
		return runs.Answer{Reaction: refused, Body: comment.Unpermitted(name, s.least), Outcome: string(comment.NoPermission)}, nil
	case mistake != nil:
		return o.correct(mistake), nil
	case name == command.Help:
		return o.accept(comment.Helped()), nil
	case s.missing:
		return runs.Answer{Reaction: confused, Body: comment.WithoutSettings(name, settings.Path, o.pull.BaseRef), Outcome: noSettings}, nil
	case len(s.problems) > 0:
		return runs.Answer{Reaction: confused, Body: comment.WithBrokenSettings(name, s.problems.Err()), Outcome: brokenSettings}, nil
	}
	return o.carryOut(ctx)
}

func (o *order) carryOut(ctx context.Context) (runs.Answer, error) {
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
		return o.accept(comment.Helped()), nil
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
	allowed, err := o.conductor.opts.Runs.Approved(ctx, o.event.Repo.FullName(), o.pull.Number, o.pull.HeadSHA)
	if err != nil {
		return "", err
	}
	// Labels, paths and drafts hold back only what starts by itself.
	switch d := forked(o.settings, facts{Head: ghevent.Head{Pull: o.pull}, approved: allowed}); {
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
func (o *order) late(ctx context.Context) (bool, error) {
	pushed, err := o.conductor.opts.Runs.Seen(ctx, o.event.Repo.FullName(), o.pull.Number, o.pull.HeadSHA)
	if err != nil {
		return false, err
	}
	if !pushed.IsZero() {
		return pushed.After(o.event.Comment.At), nil
	}
	// Our own suite tells too, unless it is one that our check runs made.
	ours := o.conductor.opts.App()
	_, err = o.conductor.opts.Runs.LatestOfHead(ctx, o.event.Repo.FullName(), o.pull.HeadSHA)
	if errors.Is(err, runs.ErrNone) {
		ours = 0
	} else if err != nil {
		return false, err
	}
	return o.publisher.PushedAfter(ctx, o.pull.HeadSHA, o.event.Comment.At, ours)
}

func (o *order) run(ctx context.Context) (runs.Answer, error) {
	if why, err := o.held(ctx); err != nil || why != "" {
		return o.decline(why), err
	}
	p, err := settings.Resolve(o.settings, o.command, o.conductor.opts.Library)
	if err != nil {
		return o.correct(err), nil
	}
	return o.begin(ctx, p, runs.Run{})
}

// begin starts a run, which goes on with another one if that has an ID, and answers
// with what it is.
func (o *order) begin(ctx context.Context, p settings.Plan, continues runs.Run) (runs.Answer, error) {
	answer := func(r runs.Run) runs.Answer {
		return o.accept(comment.Accepted(o.command.Name, o.conductor.said(r, runs.Outcome{})))
	}
	r, err := o.conductor.start(ctx, o.client, ask{
		cause: o.cause, event: o.event, pull: o.pull, settings: o.settings, plan: p, check: continues.Suite, continues: continues.ID,
		asked:  "/bench " + string(o.command.Name) + " by " + o.event.Sender.Login,
		atOnce: func(tx *database.Tx, r runs.Run) error { return o.keep(ctx, tx, answer(r)) },
	})
	if over, is := errors.AsType[overBudget](err); is {
		return runs.Answer{Reaction: refused, Body: comment.Unaffordable(o.command.Name, over.Error()), Outcome: string(comment.OverBudget)}, nil
	}
	if errors.Is(err, errAnswered) {
		return o.decline(comment.Answered), nil
	}
	return answer(r), err
}

// retry runs what is missing of the last run of this commit, or broke for
// reasons that are not the agents'. A commit without a run gets one.
func (o *order) retry(ctx context.Context) (runs.Answer, error) {
	if why, err := o.held(ctx); err != nil || why != "" {
		return o.decline(why), err
	}
	last, err := o.latest(ctx)
	if errors.Is(err, runs.ErrNone) || err == nil && last.Head != o.pull.HeadSHA {
		o.command = command.Command{Name: command.Run}
		return o.run(ctx)
	}
	if err != nil {
		return runs.Answer{}, err
	}
	lacks, err := o.conductor.lacks(ctx, last)
	if err != nil {
		return runs.Answer{}, err
	}
	if !lacks {
		return o.decline(comment.NothingToDo), nil
	}
	return o.begin(ctx, last.Request.Plan, last)
}

// lacks reports whether a run has ended without all of its rows, runner
// failures not counted, or without a verdict that is final where evidence
// decides.
func (c *Conductor) lacks(ctx context.Context, r runs.Run) (bool, error) {
	if r.State.Alive() {
		return false, nil
	}
	if r.State != runs.Finished {
		return true, nil
	}
	if r.Request.Plan.Profile.ByEvidence() {
		outcome, err := c.opts.Runs.Outcome(ctx, r.ID)
		judged := outcome.Summary != nil && outcome.Summary.Evidence != nil && outcome.Summary.Evidence.Final
		return err == nil && !judged, err
	}
	kept, err := c.reusable(ctx, r.ID, r.Request.BaseSHA)
	return len(kept) < r.Request.Plan.Cells(), err
}

func (o *order) cancel(ctx context.Context) (answer runs.Answer, err error) {
	c := o.conductor
	err = c.opts.DB.Write(ctx, func(tx *database.Tx) error {
		alive, err := c.alive(ctx, tx, o.subject())
		if err != nil {
			return err
		}
		if len(alive) == 0 {
			answer = o.decline(comment.NothingToDo)
			return nil
		}
		for _, r := range alive {
			if err := c.endIn(ctx, tx, r.ID, runs.Stopped, runs.Outcome{Reason: comment.CancelledBy(o.event.Sender.Login)}); err != nil {
				return err
			}
		}
		answer = o.accept(comment.Accepted(command.Cancel, c.said(alive[len(alive)-1], runs.Outcome{})))
		return o.keep(ctx, tx, answer)
	})
	return answer, err
}

// latest returns the last run that was not skipped, be it partial.
func (o *order) latest(ctx context.Context) (last runs.Run, err error) {
	for _, subject := range both(o.subject()) {
		r, err := o.conductor.opts.Runs.Latest(ctx, subject)
		if err != nil && !errors.Is(err, runs.ErrNone) {
			return r, err
		}
		if err == nil && !r.Created.Before(last.Created) {
			last = r
		}
	}
	if last.ID == "" {
		return last, runs.ErrNone
	}
	return last, nil
}

// last returns the last run of the pull request and how it ended.
func (o *order) last(ctx context.Context) (comment.Run, bool, error) {
	c := o.conductor
	r, err := o.latest(ctx)
	if errors.Is(err, runs.ErrNone) {
		return comment.Run{}, false, nil
	}
	if err != nil {
		return comment.Run{}, false, err
	}
	outcome, err := c.opts.Runs.Outcome(ctx, r.ID)
	return c.said(r, outcome), true, err
}

func (o *order) status(ctx context.Context) (runs.Answer, error) {
	said, there, err := o.last(ctx)
	if err != nil || !there {
		return o.decline(comment.NothingToDo), err
	}
	return o.accept(comment.StatusReply(said)), nil
}

func (o *order) explain(ctx context.Context) (runs.Answer, error) {
	known := command.Known{}
	for _, s := range o.conductor.opts.Library.All() {
		known.Scenarios = append(known.Scenarios, s.ID)
	}
	if o.command.Cell.ScenarioID != "" {
		if err := o.command.Check(known); err != nil {
			return o.correct(err), nil
		}
	}
	said, there, err := o.last(ctx)
	if err != nil || !there {
		return o.decline(comment.NothingToDo), err
	}
	if o.command.Cell.ScenarioID == "" {
		return o.accept(comment.StatusReply(said)), nil
	}
	return o.accept(comment.Explained(said, o.command.Cell)), nil
}

// approve lets the head commit of a fork be measured, and has it measured. The
// commit is named in full, so that nobody approves what he has not seen.
func (o *order) approve(ctx context.Context) (runs.Answer, error) {
	switch {
	case o.pull.Closed:
		return o.decline(comment.Closed), nil
	case o.command.Commit != o.pull.HeadSHA:
		return o.decline(comment.UnknownCommit), nil
	case !o.pull.Fork:
		return o.decline(comment.NothingToDo), nil
	case o.settings.Forks == settings.ForksNever:
		return o.decline(comment.NoForks), nil
	}
	if err := o.conductor.opts.Runs.Approve(ctx, o.event.Repo.FullName(), o.pull.Number, o.pull.HeadSHA, o.event.Sender.Login, o.event.Comment.At); err != nil {
		return runs.Answer{}, err
	}
	p, err := settings.Resolve(o.settings, command.Command{Name: command.Run}, o.conductor.opts.Library)
	if err != nil {
		return o.correct(err), nil
	}
	return o.begin(ctx, p, runs.Run{})
}
