package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/internal/publish"
)

// settingsSuffix ends the name of the check run about settings that a pull request
// proposes.
const settingsSuffix = " (settings)"

// checkProposed points at each mistake in the settings that a pull request proposes,
// if it proposes other ones than its base has. They count once they are merged, so
// what goes wrong here keeps nothing from being measured.
func (s *Service) checkProposed(ctx context.Context, client *github.Client, e ghevent.Event, known pullAndSettings) {
	if err := s.publishProposed(ctx, client, e, known); err != nil {
		s.opts.Log.WarnContext(ctx, "proposed settings were not checked", slog.String("repository", e.Repo.FullName()),
			slog.Int("pull_request", known.pull.Number), slog.String("problem", s.opts.Redact(err.Error())))
	}
}

func (s *Service) publishProposed(ctx context.Context, client *github.Client, e ghevent.Event, known pullAndSettings) error {
	text, err := readSettings(ctx, client, e, known.pull.HeadSHA)
	if errors.Is(err, errNoSettings) || err == nil && text == known.text {
		return nil
	}
	if err != nil {
		return err
	}
	_, problems := s.parseSettings(text, known.defaults)
	if len(problems) == 0 {
		return nil
	}
	start := publish.Start{HeadSHA: known.pull.HeadSHA, Name: settings.Defaults().CheckName + settingsSuffix}
	told, _, err := client.REST.Checks.ListCheckRunsForRef(ctx, e.Repo.Owner, e.Repo.Name, start.HeadSHA, &gh.ListCheckRunsOptions{CheckName: &start.Name})
	if err != nil {
		return github.Explain("list the check runs", err)
	}
	if told.GetTotal() > 0 {
		return nil
	}
	title := fmt.Sprintf("%d mistakes in the proposed %s", len(problems), settings.Path)
	if len(problems) == 1 {
		title = "A mistake in the proposed " + settings.Path
	}
	end := publish.End{CheckRun: comment.CheckRun{Conclusion: comment.Failure, Output: comment.CheckOutput{
		Title:   title,
		Summary: "Once this is merged nothing would be measured. This pull request is measured by the settings of `" + known.pull.BaseRef + "`, if there are any.",
	}}}
	for _, p := range problems.Sorted() {
		end.Output.Annotations = append(end.Output.Annotations, comment.Annotation{
			Path: settings.Path, StartLine: p.Line, EndLine: p.Line, Level: comment.LevelFailure, Title: p.Path, Message: p.Message,
		})
	}
	var failed []error
	for _, n := range publish.New(client, e.Repo.Owner, e.Repo.Name).Check(start).Complete(ctx, end) {
		failed = append(failed, n.Err)
	}
	return errors.Join(failed...)
}

// pullAndSettings is what GitHub says of a pull request, and the settings of its base
// with their text, empty where there are none.
type pullAndSettings struct {
	pull ghevent.Pull
	text string
	// defaults is the text of the organisation's, empty where it has none.
	defaults string
	settings settings.Settings
	problems jsondoc.Problems
}

// readPullAndSettings asks GitHub for a pull request and for its settings, at the same
// time if the event names its base.
func (s *Service) readPullAndSettings(ctx context.Context, client *github.Client, e ghevent.Event, number int) (f pullAndSettings, err error) {
	base := ""
	if e.Pull != nil {
		base = e.Pull.BaseRef
	}
	var asking sync.WaitGroup
	var ofBase pullAndSettings
	var problem error
	if base != "" {
		asking.Go(func() { ofBase, problem = s.settings(ctx, client, e, base) })
	}
	f.pull, err = ghevent.AskPull(ctx, client, e.Repo, number)
	asking.Wait()
	if err != nil {
		return f, err
	}
	if f.pull.BaseRef != base {
		ofBase, problem = s.settings(ctx, client, e, f.pull.BaseRef)
	}
	ofBase.pull = f.pull
	return ofBase, problem
}

// errNoSettings is about a repository without a settings file.
var errNoSettings = errors.New("there is no " + settings.Path)

// settings reads those of the base branch, and the organisation's defaults.
func (s *Service) settings(ctx context.Context, client *github.Client, e ghevent.Event, base string) (f pullAndSettings, err error) {
	var asking sync.WaitGroup
	var problem error
	asking.Go(func() { f.defaults, problem = s.defaults(ctx, e) })
	f.text, err = readSettings(ctx, client, e, "refs/heads/"+base)
	asking.Wait()
	if err == nil {
		err = problem
	}
	if err != nil {
		return f, err
	}
	f.settings, f.problems = s.parseSettings(f.text, f.defaults)
	return f, nil
}

// withoutDefaults is how long an account that has no defaults, or keeps them from the
// App, is not asked for them again.
const withoutDefaults = 5 * time.Minute

// defaults returns the text of the settings' defaults that an account has for its
// repositories, empty for none.
func (s *Service) defaults(ctx context.Context, e ghevent.Event) (string, error) {
	if e.Repo.Name == settings.DefaultsRepo {
		return "", nil
	}
	if asked, known := s.noDefaults.Load(e.Repo.Owner); known && s.opts.Now().Sub(asked.(time.Time)).Abs() < withoutDefaults {
		return "", nil
	}
	client, err := s.opts.Clients(ctx, e.InstallationID, e.Repo.Owner, settings.DefaultsRepo)
	if err != nil {
		return "", err
	}
	e.Repo.Name = settings.DefaultsRepo
	text, err := readSettings(ctx, client, e, "")
	// A token for a repository in which the App is not installed is refused with 422.
	if errors.Is(err, errNoSettings) || notThere(err) || github.StatusOf(err) == http.StatusUnprocessableEntity {
		s.noDefaults.Store(e.Repo.Owner, s.opts.Now())
		return "", nil
	}
	return text, err
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
		return "", fault.Invalidf("read %s: %w", settings.Path, err)
	}
	return text, nil
}

func (s *Service) parseSettings(text, defaults string) (settings.Settings, jsondoc.Problems) {
	known := settings.Known{Sets: s.opts.Library.Sets()}
	for _, one := range s.opts.Library.All() {
		known.Scenarios = append(known.Scenarios, one.ID)
	}
	read, problems := settings.Parse([]byte(text), defaults, known)
	read.Budget = read.Budget.Within(s.opts.MaxRunUSD, s.opts.MaxDayUSD)
	return read, problems
}
