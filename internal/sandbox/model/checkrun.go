package model

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
)

// GitHub's limits on what one request says about a check run.
const (
	maxCheckText   = 65535
	maxAnnotations = 50
	maxActions     = 3

	maxActionLabel       = 20
	maxActionDescription = 40
	maxActionIdentifier  = 20
)

// CheckAction is a button of a check run.
type CheckAction struct{ Label, Description, Identifier string }

// CheckChange is what a request says about a check run; what is nil stays as
// it is.
type CheckChange struct {
	Name, ExternalID, DetailsURL *string
	Status                       *Status
	Conclusion                   *Conclusion
	StartedAt, CompletedAt       *time.Time
	Output                       *CheckOutput
	// Annotations are added to those that are there.
	Annotations []Annotation
	Actions     []CheckAction
}

// settable are the conclusions that an App may give.
var settable = []Conclusion{ActionRequired, Cancelled, Failure, Neutral, Success, Skipped, TimedOut}

// CreateCheckRun adds a check run of an App on a commit. A nil App is none:
// only Apps have check runs.
func (s *State) CreateCheckRun(app *App, repo *Repo, sha string, change CheckChange) (*CheckRun, error) {
	if err := s.requireApp(app, repo); err != nil {
		return nil, err
	}
	switch {
	case change.Name == nil || *change.Name == "":
		return nil, unsupplied("name")
	case sha == "":
		return nil, unsupplied("head_sha")
	}
	if _, err := repo.Git.Commit(plumbing.NewHash(sha)); err != nil {
		return nil, unprocessable("No commit found for SHA: %s", sha)
	}
	if err := change.check(); err != nil {
		return nil, err
	}
	now := s.Advance()
	run := &CheckRun{
		ID: s.newID(), RepoID: repo.ID, SuiteID: s.suiteOf(app, repo, sha).ID, AppID: app.ID,
		HeadSHA: sha, Status: Queued, StartedAt: now,
	}
	change.apply(run, now)
	s.CheckRuns.Add(run.ID, run)
	s.checkHappened(app.BotID, run, "created")
	if run.Status == Completed {
		s.checkEnded(app.BotID, run)
		s.mergeReady(repo, run.HeadSHA)
	}
	return run, nil
}

// EditCheckRun changes a check run. Only the App that made it may; nobody
// changes how a job of GitHub Actions ended.
func (s *State) EditCheckRun(app *App, run *CheckRun, change CheckChange) error {
	if err := s.requireApp(app, s.Repos.Get(run.RepoID)); err != nil {
		return err
	}
	switch {
	case run.AppID != app.ID:
		return forbidden(fmt.Sprintf("Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", app.ID))
	case s.Jobs.Get(run.ID) != nil && (change.Status != nil || change.Conclusion != nil):
		return forbidden("Check run status and conclusions can only be updated internally by GitHub Actions")
	}
	if err := change.check(); err != nil {
		return err
	}
	now, wasRunning := s.Advance(), run.Status != Completed
	change.apply(run, now)
	s.CheckSuites.Get(run.SuiteID).UpdatedAt = now
	if wasRunning && run.Status == Completed {
		s.checkEnded(app.BotID, run)
		s.mergeReady(s.Repos.Get(run.RepoID), run.HeadSHA)
	}
	return nil
}

// requireApp refuses users, and Apps that are not installed in a repository.
func (s *State) requireApp(app *App, repo *Repo) error {
	if app == nil {
		return forbidden("You must authenticate via a GitHub App.")
	}
	return s.require(app.BotID, repo, PermWrite)
}

// suiteOf returns the check suite of an App on a commit, which comes into being
// with the first check run.
func (s *State) suiteOf(app *App, repo *Repo, sha string) *CheckSuite {
	known := s.CheckSuites.firstOf(suiteByCommit, key{of: repo.ID, text: sha}, func(c *CheckSuite) bool { return c.AppID == app.ID })
	if known != nil {
		return known
	}
	suite := &CheckSuite{ID: s.newID(), RepoID: repo.ID, AppID: app.ID, HeadSHA: sha, CreatedAt: s.Now, UpdatedAt: s.Now}
	for _, ref := range repo.Git.Refs(headsPrefix) {
		if ref.Hash.String() == sha {
			suite.HeadBranch = ref.Name[len(headsPrefix):]
			break
		}
	}
	return s.CheckSuites.Add(suite.ID, suite)
}

// CreateCheckSuite makes the check suite of an App on a commit; it returns the one that is
// there, and whether it is new.
func (s *State) CreateCheckSuite(app *App, repo *Repo, sha string) (suite *CheckSuite, isNew bool, err error) {
	if err := s.requireApp(app, repo); err != nil {
		return nil, false, err
	}
	if _, err := repo.Git.Commit(plumbing.NewHash(sha)); err != nil {
		return nil, false, unprocessable("No commit found for SHA: %s", sha)
	}
	last := s.LastID
	suite = s.suiteOf(app, repo, sha)
	return suite, s.LastID != last, nil
}

// check refuses what is not complete or over a limit.
func (c CheckChange) check() error {
	if c.Status != nil && !slices.Contains([]Status{Queued, InProgress, Completed}, *c.Status) {
		return outside("status", *c.Status)
	}
	if c.Conclusion != nil && !slices.Contains(settable, *c.Conclusion) {
		return outside("conclusion", *c.Conclusion)
	}
	if c.Status != nil && *c.Status == Completed && c.Conclusion == nil {
		return unsupplied("conclusion")
	}
	if len(c.Actions) > maxActions {
		return tooMany(maxActions, len(c.Actions))
	}
	for _, a := range c.Actions {
		if err := a.check(); err != nil {
			return err
		}
	}
	return c.checkOutput()
}

func (a CheckAction) check() error {
	for _, field := range []struct {
		name, text string
		most       int
	}{{"label", a.Label, maxActionLabel}, {"description", a.Description, maxActionDescription}, {"identifier", a.Identifier, maxActionIdentifier}} {
		if field.text == "" {
			return unsupplied(field.name)
		}
		if err := atMost(field.most, field.text); err != nil {
			return err
		}
	}
	return nil
}

func (c CheckChange) checkOutput() error {
	if c.Output == nil {
		return nil
	}
	if c.Output.Summary == "" {
		return unsupplied("summary")
	}
	for _, text := range []string{c.Output.Summary, c.Output.Text} {
		if err := atMost(maxCheckText, text); err != nil {
			return err
		}
	}
	if len(c.Annotations) > maxAnnotations {
		return tooMany(maxAnnotations, len(c.Annotations))
	}
	for _, a := range c.Annotations {
		if err := a.check(); err != nil {
			return err
		}
	}
	return nil
}

func (a Annotation) check() error {
	switch {
	case a.Path == "":
		return unsupplied("path")
	case a.Message == "":
		return unsupplied("message")
	case a.StartLine < 1:
		return unsupplied("start_line")
	case a.EndLine < a.StartLine:
		return unsupplied("end_line")
	case !slices.Contains([]string{"notice", "warning", "failure"}, a.Level):
		return outside("annotation_level", a.Level)
	default:
		return nil
	}
}

// apply writes a change that was checked into a check run. A conclusion
// completes it; a status other than completed opens it again.
func (c CheckChange) apply(run *CheckRun, now time.Time) {
	assign(&run.Name, c.Name)
	assign(&run.ExternalID, c.ExternalID)
	assign(&run.DetailsURL, c.DetailsURL)
	assign(&run.StartedAt, c.StartedAt)
	assign(&run.Output, c.Output)
	run.Annotations = append(run.Annotations, c.Annotations...)
	if c.Actions != nil {
		run.Actions = c.Actions
	}
	switch {
	case c.Conclusion != nil:
		run.Status, run.Conclusion, run.CompletedAt = Completed, *c.Conclusion, &now
		if c.CompletedAt != nil {
			run.CompletedAt = c.CompletedAt
		}
	case c.Status != nil && *c.Status != Completed:
		run.Status, run.Conclusion, run.CompletedAt = *c.Status, "", nil
	}
}

// assign sets *field unless value is nil.
func assign[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// unsupplied says that a field of a request is not there.
func unsupplied(field string) *Problem {
	return unprocessable("Invalid request.\n\n%q wasn't supplied.", field)
}

// outside says that a field has a value that is none of those it can have.
func outside[T ~string](field string, value T) *Problem {
	return unprocessable("Invalid request.\n\nFor 'properties/%s', %s is not a member of the enumeration.", field, value)
}

// atMost refuses a text of more characters.
func atMost(most int, text string) error {
	if n := utf8.RuneCountInString(text); n > most {
		return unprocessable("Invalid request.\n\nOnly %d characters are allowed; %d were supplied.", most, n)
	}
	return nil
}

func tooMany(most, got int) *Problem {
	return unprocessable("Invalid request.\n\nNo more than %d items are allowed; %d were supplied.", most, got)
}
