package conduct

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/app/webhook"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// Deliver does what a delivery starts. It may be called again for the same
// delivery.
func (c *Conductor) Deliver(ctx context.Context, d webhook.Delivery) error {
	e, err := read(d)
	if err != nil {
		return queue.Permanent(err)
	}
	routed := route(e, c.opts.App())
	c.opts.Log.InfoContext(ctx, "delivery", slog.String("delivery", d.ID), slog.String("event", e.Name), slog.String("action", e.Action),
		slog.String("repository", e.Repo.FullName()), slog.String("leads_to", string(routed.kind)))
	if e.Name == ghevent.PullRequest && !e.Pull.UpdatedAt.IsZero() {
		push := e.Action == "synchronize" || e.Action == "opened"
		if err := c.opts.Runs.See(ctx, e.Repo.FullName(), e.Pull.Number, e.Pull.HeadSHA, e.Pull.UpdatedAt, push); err != nil {
			return err
		}
	}
	switch routed.kind {
	case kindConsidered:
		return c.consider(ctx, d.ID, e)
	case kindQueued:
		return c.group(ctx, d.ID, e)
	case kindCommanded:
		return c.command(ctx, d.ID, e, routed)
	case kindPressed:
		return c.pressed(ctx, d.ID, e, routed)
	case kindEnded:
		return c.workflowEnded(ctx, e)
	case kindLost:
		return c.lost(ctx, e)
	default:
		c.leave(ctx, e, routed.why)
		return nil
	}
}

// read returns the event of a delivery.
func read(d webhook.Delivery) (ghevent.Event, error) {
	body, err := d.Body.Unpack()
	if err != nil {
		return ghevent.Event{}, err
	}
	return ghevent.ParseDelivery(d.Event, body)
}

// leave counts and logs that an event leads to nothing.
func (c *Conductor) leave(ctx context.Context, e ghevent.Event, why string) {
	c.opts.Count(e.Name, "", why)
	c.opts.Log.InfoContext(ctx, "left alone", slog.String("event", e.Name), slog.String("action", e.Action), slog.String("repository", e.Repo.FullName()),
		slog.String("login", e.Sender.Login), slog.String("why", why))
}

// consider measures the pull requests of an event, if the settings want it.
func (c *Conductor) consider(ctx context.Context, cause string, e ghevent.Event) error {
	client, err := c.client(ctx, e)
	if err != nil {
		return err
	}
	if e.Pull != nil {
		return c.considerPull(ctx, client, cause, e, e.Pull.Number, e.Pull.HeadSHA)
	}
	for _, number := range e.Suite.Pulls {
		each := fmt.Sprintf("%s #%d", cause, number)
		if err := c.considerPull(ctx, client, each, e, number, e.Suite.HeadSHA); err != nil {
			return err
		}
	}
	return nil
}

// considerPull measures a pull request as it is now, unless its head is not the
// one of the event any more: then another event is about it.
func (c *Conductor) considerPull(ctx context.Context, client *github.Client, cause string, e ghevent.Event, number int, head string) error {
	known, err := c.look(ctx, client, e, number)
	pull := known.pull
	if e.Pull != nil && pull.HeadSHA == head && !pull.Closed && (err == nil || errors.Is(err, errNoSettings)) {
		defer c.checkProposed(ctx, client, e, known)
	}
	if errors.Is(err, errNoSettings) || err == nil && (pull.Closed || pull.HeadSHA != head) {
		return nil // nobody has asked for anything here, or not for this
	}
	if err != nil {
		return err
	}
	request := ask{cause: cause, event: e, pull: pull, asked: asked(e)}
	if len(known.problems) > 0 {
		request.once = "refused " + e.Repo.FullName() + " " + head + " " + fault.Public(known.problems.Err())
		return c.refuse(ctx, request, known.problems)
	}
	request.settings = known.settings
	f := facts{Head: ghevent.Head{Pull: pull}, action: e.Action, label: e.Label}
	if e.Name == ghevent.CheckSuite {
		f.action = ""
	}
	if consider(request.settings, f).outcome == leave {
		return nil
	}
	measured, err := c.measured(ctx, request)
	if err != nil {
		return err
	}
	if measured {
		return c.supersede(ctx, c.subject(request), head)
	}
	if err := c.learn(ctx, client, e, request.settings, &f); err != nil {
		return err
	}
	return c.carry(ctx, client, request, consider(request.settings, f))
}

// measured reports whether an event has had the commit measured already, for a
// pull request onto the same branch, whose settings count.
func (c *Conductor) measured(ctx context.Context, a ask) (bool, error) {
	before, err := c.opts.Runs.LatestOf(ctx, a.event.Repo.FullName(), a.pull.HeadSHA, a.settings.CheckName)
	if errors.Is(err, runs.ErrNone) {
		return false, nil
	}
	return before.Cause != a.cause && before.State != runs.Skipped && before.Request.BaseRef == a.pull.BaseRef, err
}

// carry carries out what was decided on a pull request.
func (c *Conductor) carry(ctx context.Context, client *github.Client, a ask, d decision) (err error) {
	about := a.event.Repo.FullName() + " " + a.pull.HeadSHA + " " + a.settings.CheckName + " " + a.pull.BaseRef
	if d.outcome == skip {
		a.once = "skipped " + about + " " + string(d.why)
		return c.skip(ctx, a, d.why)
	}
	a.plan, err = settings.Resolve(a.settings, command.Command{Name: command.Run}, c.opts.Library)
	if err != nil {
		return c.refuse(ctx, a, jsondoc.Problems{{File: settings.Path, Line: 1, Column: 1, Message: fault.Public(err)}})
	}
	a.once = runs.MeasuredClaim(a.event.Repo.FullName(), a.pull.HeadSHA, a.settings.CheckName, a.pull.BaseRef)
	_, err = c.start(ctx, client, a)
	if over, is := errors.AsType[overBudget](err); is {
		return c.stop(ctx, a, over.Error())
	}
	if errors.Is(err, errTaken) || errors.Is(err, errAnswered) {
		return nil
	}
	return err
}

// found is what GitHub says of a pull request, and the settings of its base with
// their text, empty where there are none.
type found struct {
	pull     ghevent.Pull
	text     string
	settings settings.Settings
	problems jsondoc.Problems
}

// look asks GitHub for a pull request and for its settings, at the same time if
// the event names its base.
func (c *Conductor) look(ctx context.Context, client *github.Client, e ghevent.Event, number int) (f found, err error) {
	base := ""
	if e.Pull != nil {
		base = e.Pull.BaseRef
	}
	var asking sync.WaitGroup
	var ofBase found
	var problem error
	if base != "" {
		asking.Go(func() { ofBase, problem = c.settings(ctx, client, e, base) })
	}
	f.pull, err = ghevent.AskPull(ctx, client, e.Repo, number)
	asking.Wait()
	if err != nil {
		return f, err
	}
	if f.pull.BaseRef != base {
		ofBase, problem = c.settings(ctx, client, e, f.pull.BaseRef)
	}
	ofBase.pull = f.pull
	return ofBase, problem
}

// asked says what an event is, for people.
func asked(e ghevent.Event) string {
	what := strings.ReplaceAll(e.Action, "_", " ")
	if e.Name == ghevent.PullRequest && e.Action == "synchronize" {
		what = "push"
	}
	if e.Name == ghevent.CheckSuite {
		what = "push"
	}
	return what + " by " + e.Sender.Login
}

// learn asks for what a decision depends on besides the event.
func (c *Conductor) learn(ctx context.Context, client *github.Client, e ghevent.Event, set settings.Settings, f *facts) (err error) {
	pull := f.Pull
	if f.approved, err = c.opts.Runs.Approved(ctx, e.Repo.FullName(), pull.Number, pull.HeadSHA); err != nil {
		return err
	}
	if asksWho(e, pull) {
		may, err := publish.New(client, e.Repo.Owner, e.Repo.Name).Permitted(ctx, e.Sender.Login, publish.Write)
		if err != nil {
			return err
		}
		f.stranger = !may
	}
	f.Head, err = set.Rules().Ask(ctx, client, e.Repo, pull)
	return err
}

// errNoSettings is about a repository without a settings file.
var errNoSettings = errors.New("there is no " + settings.Path)

// settings reads those of the base branch.
func (c *Conductor) settings(ctx context.Context, client *github.Client, e ghevent.Event, base string) (f found, err error) {
	if f.text, err = readSettings(ctx, client, e, "refs/heads/"+base); err != nil {
		return f, err
	}
	f.settings, f.problems = c.parseSettings(f.text)
	return f, nil
}

// readSettings returns the text of the settings at a ref or commit; the error is
// errNoSettings if there are none.
func readSettings(ctx context.Context, client *github.Client, e ghevent.Event, at string) (string, error) {
	file, _, _, err := client.REST.Repositories.GetContents(ctx, e.Repo.Owner, e.Repo.Name, settings.Path, &gh.RepositoryContentGetOptions{Ref: at})
	if github.NotFound(err) || err == nil && file == nil {
		return "", errNoSettings
	}
	if err != nil {
		return "", github.Explain("read "+settings.Path, err)
	}
	text, err := file.GetContent()
	if err != nil {
		return "", fault.Infraf("read %s: %w", settings.Path, err)
	}
	return text, nil
}

func (c *Conductor) parseSettings(text string) (settings.Settings, jsondoc.Problems) {
	known := settings.Known{Sets: c.opts.Library.Sets()}
	for _, s := range c.opts.Library.All() {
		known.Scenarios = append(known.Scenarios, s.ID)
	}
	return settings.Parse([]byte(text), known)
}

// group measures the head of a merge queue's group. A group that is not
// measured gets its check nevertheless: the queue may wait for it.
func (c *Conductor) group(ctx context.Context, cause string, e ghevent.Event) error {
	client, err := c.client(ctx, e)
	if err != nil {
		return err
	}
	base := strings.TrimPrefix(e.Group.BaseRef, "refs/heads/")
	known, err := c.settings(ctx, client, e, base)
	set := known.settings
	if errors.Is(err, errNoSettings) {
		return nil
	}
	if err != nil {
		return err
	}
	request := ask{
		cause: cause, event: e, settings: set, asked: "merge queue",
		pull: ghevent.Pull{HeadSHA: e.Group.HeadSHA, BaseSHA: e.Group.BaseSHA, BaseRef: base, HeadRepo: e.Repo.FullName()},
	}
	if len(known.problems) > 0 {
		return c.refuse(ctx, request, known.problems)
	}
	if !set.Triggers.MergeGroup {
		return c.skip(ctx, request, comment.SkipTrigger)
	}
	if request.plan, err = settings.Resolve(set, command.Command{Name: command.Run}, c.opts.Library); err != nil {
		return c.refuse(ctx, request, jsondoc.Problems{{File: settings.Path, Line: 1, Column: 1, Message: fault.Public(err)}})
	}
	_, err = c.start(ctx, client, request)
	if over, is := errors.AsType[overBudget](err); is {
		return c.stop(ctx, request, over.Error())
	}
	if errors.Is(err, errAnswered) {
		return nil
	}
	return err
}

// workflowEnded has a run that was dispatched looked at, now that its workflow
// has ended. What the workflow says of itself is a hint; the executor asks
// GitHub.
func (c *Conductor) workflowEnded(ctx context.Context, e ghevent.Event) error {
	alive, err := c.opts.Runs.AliveOf(ctx, e.InstallationID, []string{e.Repo.FullName()})
	if err != nil {
		return err
	}
	for _, r := range alive {
		ours := r.WorkflowRun == e.Run.ID || r.WorkflowRun <= 0 && strings.Contains(e.Run.Title, r.ID)
		if r.Request.Plan.Executor != settings.Dispatch || e.Run.Event != "workflow_dispatch" || !ours {
			continue
		}
		// The job waits for its next look; one of another name looks now.
		err := c.opts.DB.Write(ctx, func(tx *database.Tx) error {
			_, err := c.opts.Queue.Enqueue(ctx, tx, c.measure.New(job{r.ID}).Once(r.ID+" ended"))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lost ends the runs of an installation, or of repositories, that the App has
// no access to any more. There is nobody to tell.
func (c *Conductor) lost(ctx context.Context, e ghevent.Event) error {
	var repos []string
	if e.Name == ghevent.InstallationRepositories {
		repos = append([]string{}, e.RemovedRepos...)
	}
	alive, err := c.opts.Runs.AliveOf(ctx, e.InstallationID, repos)
	if err != nil {
		return err
	}
	for _, r := range alive {
		if err := c.end(ctx, r.ID, runs.Stopped, runs.Outcome{Reason: comment.ShutOut}); err != nil {
			return err
		}
	}
	return nil
}

// notThere reports whether GitHub does not let the App in any more.
func notThere(err error) bool {
	status := github.StatusOf(err)
	return status == http.StatusNotFound || status == http.StatusForbidden && !github.Limited(err) || status == http.StatusUnauthorized || status == http.StatusGone
}
