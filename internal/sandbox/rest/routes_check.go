package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// checkWriteRoutes are those with which Apps make check runs.
func checkWriteRoutes() []route {
	return []route{
		{"POST " + reposPath + "/check-runs", onRepo(createCheckRun)},
		{"PATCH " + reposPath + "/check-runs/{id}", onCheckRun(updateCheckRun)},
		{"POST " + reposPath + "/check-runs/{id}/rerequest", onCheckRun(rerequestRun)},
	}
}

// checkInput is the body of a request about a check run.
type checkInput struct {
	Name        *string
	HeadSHA     string  `json:"head_sha"`
	ExternalID  *string `json:"external_id"`
	DetailsURL  *string `json:"details_url"`
	Status      *model.Status
	Conclusion  *model.Conclusion
	StartedAt   *time.Time `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at"`
	Output      *struct {
		Title, Summary, Text *string
		Annotations          []annotationInput
	}
	Actions []model.CheckAction
}

type annotationInput struct {
	Path            string
	StartLine       int    `json:"start_line"`
	EndLine         int    `json:"end_line"`
	StartColumn     int    `json:"start_column"`
	EndColumn       int    `json:"end_column"`
	RawDetails      string `json:"raw_details"`
	AnnotationLevel string `json:"annotation_level"`
	Message, Title  string
}

// change turns the body into a change to what a check run shows so far.
func (in checkInput) change(shown model.CheckOutput) model.CheckChange {
	change := model.CheckChange{
		Name: in.Name, ExternalID: in.ExternalID, DetailsURL: in.DetailsURL, Status: in.Status, Conclusion: in.Conclusion,
		StartedAt: in.StartedAt, CompletedAt: in.CompletedAt, Actions: in.Actions,
	}
	if in.Output == nil {
		return change
	}
	// A summary is always given; title and text may stay.
	shown.Summary = ""
	for field, value := range map[*string]*string{&shown.Title: in.Output.Title, &shown.Summary: in.Output.Summary, &shown.Text: in.Output.Text} {
		if value != nil {
			*field = *value
		}
	}
	change.Output = &shown
	for _, a := range in.Output.Annotations {
		change.Annotations = append(change.Annotations, model.Annotation{
			Path: a.Path, StartLine: a.StartLine, EndLine: a.EndLine, Level: strings.ToLower(a.AnnotationLevel), Message: a.Message, Title: a.Title,
			StartColumn: a.StartColumn, EndColumn: a.EndColumn, Details: a.RawDetails,
		})
	}
	return change
}

// appAsking returns the App that asks, nil if a user does.
func (c *call) appAsking() *model.App {
	if c.integration == nil || c.integration.User {
		return nil
	}
	return c.s.Apps.Get(c.integration.App)
}

func createCheckRun(c *call, repo *model.Repo) (reply, error) {
	var in checkInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Output != nil && in.Output.Title == nil {
		return reply{}, missing("title")
	}
	run, err := c.s.CreateCheckRun(c.appAsking(), repo, in.HeadSHA, in.change(model.CheckOutput{}))
	if err != nil {
		return reply{}, err
	}
	return created(c.checkRun(run))
}

func updateCheckRun(c *call, run *model.CheckRun) (reply, error) {
	var in checkInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.s.EditCheckRun(c.appAsking(), run, in.change(run.Output)); err != nil {
		return reply{}, err
	}
	return ok(c.checkRun(run))
}

// requireOwn refuses to rerequest the checks of another App, and all to users.
func (c *call) requireOwn(app model.ID) error {
	switch asking := c.appAsking(); {
	case asking == nil:
		return &model.Problem{Kind: model.Forbidden, Message: "You must authenticate via a GitHub App."}
	case asking.ID != app:
		return errNotForApps
	default:
		return nil
	}
}

func rerequestRun(c *call, run *model.CheckRun) (reply, error) {
	if err := c.requireOwn(run.AppID); err != nil {
		return reply{}, err
	}
	if err := c.s.Rerequest(c.actor, run); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusCreated, body: map[string]any{}}, nil
}

func rerequestSuite(c *call, suite *model.CheckSuite) (reply, error) {
	if err := c.requireOwn(suite.AppID); err != nil {
		return reply{}, err
	}
	if err := c.s.RerequestSuite(c.actor, suite); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusCreated, body: map[string]any{}}, nil
}

// suiteRoutes are those of check suites.
func suiteRoutes() []route {
	return []route{
		{"POST " + reposPath + "/check-suites", onRepo(createSuite)},
		{"GET " + reposPath + "/check-suites/{id}", onSuite(getSuite)},
		{"GET " + reposPath + "/check-suites/{id}/check-runs", onSuite(listSuiteRuns)},
		{"POST " + reposPath + "/check-suites/{id}/rerequest", onSuite(rerequestSuite)},
	}
}

func onSuite(handle func(c *call, suite *model.CheckSuite) (reply, error)) func(*call) (reply, error) {
	return onRow(func(s *model.State) *model.Table[model.CheckSuite] { return &s.CheckSuites },
		func(suite *model.CheckSuite) model.ID { return suite.RepoID }, handle)
}

// commitSuites lists the check suites of a commit.
func commitSuites(c *call, repo *model.Repo, commit gitstore.Hash) (reply, error) {
	suites := c.s.CheckSuites.Where(func(suite *model.CheckSuite) bool {
		return suite.RepoID == repo.ID && suite.HeadSHA == commit.String() && asked(c.URL.Query(), "app_id", strconv.FormatInt(suite.AppID, 10)) && c.hasCheck(suite)
	})
	return wrapped(c, "check_suites", suites, c.suite)
}

// hasCheck reports whether a suite has a check run of the name that the query asks for,
// if it asks for one.
func (c *call) hasCheck(suite *model.CheckSuite) bool {
	return c.URL.Query().Get("check_name") == "" || slices.ContainsFunc(c.s.ChecksOf(suite), func(run *model.CheckRun) bool {
		return asked(c.URL.Query(), "check_name", run.Name)
	})
}

func createSuite(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		HeadSHA string `json:"head_sha"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	suite, isNew, err := c.s.CreateCheckSuite(c.appAsking(), repo, in.HeadSHA)
	switch {
	case err != nil:
		return reply{}, err
	case isNew:
		return created(c.suite(suite))
	default:
		return ok(c.suite(suite))
	}
}

func getSuite(c *call, suite *model.CheckSuite) (reply, error) { return ok(c.suite(suite)) }

func listSuiteRuns(c *call, suite *model.CheckSuite) (reply, error) {
	c.indifferent("filter") // all are listed
	runs := slices.DeleteFunc(c.s.ChecksOf(suite), func(run *model.CheckRun) bool {
		return !asked(c.URL.Query(), "check_name", run.Name) || !asked(c.URL.Query(), "status", string(run.Status))
	})
	return wrapped(c, "check_runs", runs, c.checkRun)
}

// suite shows a check suite, whose state is that of its check runs together.
func (v *view) suite(suite *model.CheckSuite) map[string]any {
	repo := v.s.Repos.Get(suite.RepoID)
	runs := model.Rollup{Runs: v.s.ChecksOf(suite)}
	status := model.Queued
	if runs.State() != "" {
		status = model.Completed
	}
	api := fmt.Sprintf("%s/check-suites/%d", v.repoURL(suite.RepoID), suite.ID)
	shown := map[string]any{
		"id": suite.ID, "node_id": model.NodeID(model.NodeCheckSuite, suite.RepoID, suite.ID), "url": api,
		"head_branch": optional(suite.HeadBranch), "head_sha": suite.HeadSHA, "before": nil, "after": suite.HeadSHA,
		"status": status, "conclusion": optional(runs.State()), "app": v.app(suite.AppID), "pull_requests": v.pullsAt(repo, suite.HeadSHA),
		"latest_check_runs_count": runs.Total(), "check_runs_url": api + "/check-runs", "repository": v.minimalRepo(repo),
		"created_at": at(suite.CreatedAt), "updated_at": at(suite.UpdatedAt), "head_commit": nil,
		"rerequestable": v.s.ActionsRun(suite) == nil, "runs_rerequestable": v.s.ActionsRun(suite) == nil,
	}
	if head, err := repo.Git.Commit(plumbing.NewHash(suite.HeadSHA)); err == nil {
		shown["before"], shown["head_commit"] = parentOf(head).String(), simplified(head)
	}
	return shown
}

// pullsAt returns the open pull requests with that head, but for those from
// forks, which GitHub leaves out.
func (v *view) pullsAt(repo *model.Repo, sha string) []pullReference {
	pulls := []pullReference{}
	for _, i := range v.s.PullsAt(repo, sha) {
		if !i.Pull.FromFork() {
			pulls = append(pulls, v.pullReference(i))
		}
	}
	return pulls
}
