package conduct

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/app/decide"
	"github.com/ghx-dev/bench-action/internal/app/event"
	"github.com/ghx-dev/bench-action/internal/app/plan"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// Delivery is a delivery of a webhook.
type Delivery struct {
	// ID is the same for every attempt to deliver it.
	ID, Event string
	Body      []byte
}

// Deliver does what a delivery starts. It may be called again for the same
// delivery.
func (c *Conductor) Deliver(ctx context.Context, d Delivery) error {
	e, err := event.Parse(d.Event, d.Body)
	if err != nil {
		return queue.Permanent(err)
	}
	routing := decide.Route(e, c.App())
	c.Log.InfoContext(ctx, "delivery", slog.String("delivery", d.ID), slog.String("event", e.Name), slog.String("action", e.Action),
		slog.String("repository", e.Repo.FullName()), slog.String("leads_to", string(routing.Kind)), slog.String("why", routing.Why))
	if e.Name == event.PullRequest && !e.Pull.UpdatedAt.IsZero() {
		if err := c.Runs.See(ctx, e.Repo.FullName(), e.Pull.Number, e.Pull.HeadSHA, e.Pull.UpdatedAt); err != nil {
			return err
		}
	}
	switch routing.Kind {
	case decide.Considered:
		return c.consider(ctx, d.ID, e)
	case decide.Queued:
		return c.group(ctx, d.ID, e)
	case decide.Commanded:
		return c.command(ctx, d.ID, e, routing)
	case decide.Pressed:
		return c.pressed(ctx, d.ID, e, routing)
	case decide.Ended:
		return c.workflowEnded(ctx, e)
	case decide.Lost:
		return c.lost(ctx, e)
	default:
		return nil
	}
}

// consider measures the pull requests of an event, if the settings want it.
func (c *Conductor) consider(ctx context.Context, cause string, e event.Event) error {
	client, err := c.client(ctx, e)
	if err != nil {
		return err
	}
	if e.Pull != nil {
		return c.considerPull(ctx, client, cause, e, *e.Pull, e.Action)
	}
	for _, number := range e.Suite.Pulls {
		pull, err := readPull(ctx, client, e, number)
		if err != nil {
			return err
		}
		if pull.HeadSHA != e.Suite.HeadSHA {
			continue // there was another push, which has its own suite
		}
		if err := c.considerPull(ctx, client, cause, e, pull, ""); err != nil {
			return err
		}
	}
	return nil
}

func (c *Conductor) considerPull(ctx context.Context, client *github.Client, cause string, e event.Event, pull event.Pull, action string) error {
	set, problems, err := c.settings(ctx, client, e, pull.BaseRef)
	switch {
	case errors.Is(err, errNoSettings):
		return nil // nobody has asked for anything here
	case err != nil:
		return err
	case len(problems) > 0:
		once := "refused " + e.Repo.FullName() + " " + pull.HeadSHA + " " + fault.Public(problems.Err())
		return c.refuse(ctx, ask{cause: cause, event: e, pull: pull, asked: asked(e), once: once}, problems)
	}
	facts := decide.Facts{Pull: pull, Action: action, Label: e.Label}
	if decide.Consider(set, facts).Outcome == decide.Leave {
		return nil
	}
	if err := c.learn(ctx, client, e, set, &facts); err != nil {
		return err
	}
	before, err := c.Runs.LatestOf(ctx, e.Repo.FullName(), pull.HeadSHA, set.CheckName)
	if err == nil && before.Cause != cause && before.State != runs.Skipped {
		return nil // this commit has its run
	}
	if err != nil && !errors.Is(err, runs.ErrNone) {
		return err
	}
	request := ask{cause: cause, event: e, pull: pull, settings: set, asked: asked(e)}
	decision := decide.Consider(set, facts)
	if decision.Outcome == decide.Skip {
		request.once = "skipped " + e.Repo.FullName() + " " + pull.HeadSHA + " " + set.CheckName + " " + string(decision.Why)
		return c.skip(ctx, request, decision.Why)
	}
	request.plan, err = plan.Resolve(set, command.Command{Name: command.Run}, c.Library)
	if err != nil {
		return c.refuse(ctx, request, jsondoc.Problems{{File: settings.Path, Line: 1, Column: 1, Message: fault.Public(err)}})
	}
	request.once = "measured " + e.Repo.FullName() + " " + pull.HeadSHA + " " + set.CheckName
	_, err = c.start(ctx, client, request)
	if over, is := errors.AsType[overBudget](err); is {
		return c.stop(ctx, request, over.Error())
	}
	if errors.Is(err, errTaken) {
		return nil
	}
	return err
}

// asked says what an event is, for people.
func asked(e event.Event) string {
	what := strings.ReplaceAll(e.Action, "_", " ")
	if e.Name == event.PullRequest && e.Action == "synchronize" {
		what = "push"
	}
	if e.Name == event.CheckSuite {
		what = "push"
	}
	return what + " by " + e.Sender.Login
}

// learn asks GitHub for what a decision depends on besides the event.
func (c *Conductor) learn(ctx context.Context, client *github.Client, e event.Event, set settings.Settings, facts *decide.Facts) (err error) {
	pull := facts.Pull
	if facts.Approved, err = c.Runs.Approved(ctx, e.Repo.FullName(), pull.Number, pull.HeadSHA); err != nil {
		return err
	}
	commit, _, err := client.REST.Git.GetCommit(ctx, e.Repo.Owner, e.Repo.Name, pull.HeadSHA)
	if err != nil {
		return github.Explain("read the head commit", err)
	}
	facts.CommitMessage = commit.GetMessage()
	if len(set.Paths) == 0 {
		return nil
	}
	files := github.Pages(func(page gh.ListOptions) ([]*gh.CommitFile, *gh.Response, error) {
		return client.REST.PullRequests.ListFiles(ctx, e.Repo.Owner, e.Repo.Name, pull.Number, &page)
	})
	facts.ChangedFiles = []string{}
	for file, err := range files {
		if err != nil {
			return github.Explain("list the changed files", err)
		}
		facts.ChangedFiles = append(facts.ChangedFiles, file.GetFilename())
		if old := file.GetPreviousFilename(); old != "" {
			facts.ChangedFiles = append(facts.ChangedFiles, old)
		}
	}
	return nil
}

// errNoSettings is about a repository without a settings file.
var errNoSettings = errors.New("there is no " + settings.Path)

// settings reads those of the base branch.
func (c *Conductor) settings(ctx context.Context, client *github.Client, e event.Event, base string) (settings.Settings, jsondoc.Problems, error) {
	file, _, _, err := client.REST.Repositories.GetContents(ctx, e.Repo.Owner, e.Repo.Name, settings.Path, &gh.RepositoryContentGetOptions{Ref: base})
	if github.NotFound(err) || err == nil && file == nil {
		return settings.Settings{}, nil, errNoSettings
	}
	if err != nil {
		return settings.Settings{}, nil, github.Explain("read "+settings.Path, err)
	}
	text, err := file.GetContent()
	if err != nil {
		return settings.Settings{}, nil, fault.Infraf("read %s: %w", settings.Path, err)
	}
	known := settings.Known{Sets: c.Library.Sets()}
	for _, s := range c.Library.All() {
		known.Scenarios = append(known.Scenarios, s.ID)
	}
	set, problems := settings.Parse([]byte(text), known)
	return set, problems, nil
}

// readPull asks GitHub for a pull request.
func readPull(ctx context.Context, client *github.Client, e event.Event, number int) (event.Pull, error) {
	p, _, err := client.REST.PullRequests.Get(ctx, e.Repo.Owner, e.Repo.Name, number)
	if err != nil {
		return event.Pull{}, github.Explain("read the pull request", err)
	}
	pull := event.Pull{
		Number: p.GetNumber(), Title: p.GetTitle(), Author: event.Account{Login: p.GetUser().GetLogin(), Bot: p.GetUser().GetType() == "Bot"},
		HeadSHA: p.GetHead().GetSHA(), HeadRef: p.GetHead().GetRef(), BaseSHA: p.GetBase().GetSHA(), BaseRef: p.GetBase().GetRef(),
		HeadRepo: p.GetHead().GetRepo().GetFullName(), Draft: p.GetDraft(), Closed: p.GetState() == "closed",
	}
	// A head whose repository was deleted was a fork's.
	pull.Fork = !strings.EqualFold(pull.HeadRepo, e.Repo.FullName())
	for _, l := range p.Labels {
		pull.Labels = append(pull.Labels, l.GetName())
	}
	return pull, nil
}

// group measures the head of a merge queue's group. A group that is not
// measured gets its check nevertheless: the queue may wait for it.
func (c *Conductor) group(ctx context.Context, cause string, e event.Event) error {
	client, err := c.client(ctx, e)
	if err != nil {
		return err
	}
	base := strings.TrimPrefix(e.Group.BaseRef, "refs/heads/")
	set, problems, err := c.settings(ctx, client, e, base)
	if errors.Is(err, errNoSettings) {
		return nil
	}
	if err != nil {
		return err
	}
	request := ask{
		cause: cause, event: e, settings: set, asked: "merge queue",
		pull: event.Pull{HeadSHA: e.Group.HeadSHA, HeadRef: e.Group.HeadRef, BaseSHA: e.Group.BaseSHA, BaseRef: base, HeadRepo: e.Repo.FullName()},
	}
	if len(problems) > 0 {
		return c.refuse(ctx, request, problems)
	}
	if !set.Triggers.MergeGroup {
		return c.skip(ctx, request, comment.SkipTrigger)
	}
	if request.plan, err = plan.Resolve(set, command.Command{Name: command.Run}, c.Library); err != nil {
		return c.refuse(ctx, request, jsondoc.Problems{{File: settings.Path, Line: 1, Column: 1, Message: fault.Public(err)}})
	}
	_, err = c.start(ctx, client, request)
	if over, is := errors.AsType[overBudget](err); is {
		return c.stop(ctx, request, over.Error())
	}
	return err
}

// workflowEnded has a run that was dispatched looked at, now that its workflow
// has ended. What the workflow says of itself is a hint; the executor asks
// GitHub.
func (c *Conductor) workflowEnded(ctx context.Context, e event.Event) error {
	alive, err := c.Runs.AliveOf(ctx, e.InstallationID, []string{e.Repo.FullName()})
	if err != nil {
		return err
	}
	for _, r := range alive {
		ours := r.WorkflowRun == e.Run.ID || r.WorkflowRun <= 0 && strings.Contains(e.Run.Title, r.ID)
		if r.Request.Plan.Executor != settings.Dispatch || e.Run.Event != "workflow_dispatch" || !ours {
			continue
		}
		// The job waits for its next look; one of another name looks now.
		err := c.DB.Write(ctx, func(tx *database.Tx) error {
			_, err := c.Queue.Enqueue(ctx, tx, c.measure.New(job{r.ID}).Once(r.ID+" ended"))
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
func (c *Conductor) lost(ctx context.Context, e event.Event) error {
	var repos []string
	if e.Name == event.InstallationRepositories {
		repos = append([]string{}, e.RemovedRepos...)
	}
	alive, err := c.Runs.AliveOf(ctx, e.InstallationID, repos)
	if err != nil {
		return err
	}
	for _, r := range alive {
		if err := c.end(ctx, r.ID, runs.Stopped, runs.Outcome{Reason: "The App has no access to the repository any more."}); err != nil {
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
