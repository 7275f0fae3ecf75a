package rest

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

type workflowView struct {
	ID        int64  `json:"id"`
	NodeID    string `json:"node_id"`
	Name      string `json:"name"`
	Path      string `json:"path"`
	State     string `json:"state"`
	CreatedAt stamp  `json:"created_at"`
	UpdatedAt stamp  `json:"updated_at"`
	URL       string `json:"url"`
	HTMLURL   string `json:"html_url"`
	BadgeURL  string `json:"badge_url"`
}

func (v *view) workflow(w *model.Workflow) workflowView {
	html := v.repoHTML(w.RepoID)
	view := workflowView{
		ID: w.ID, NodeID: model.NodeID(model.NodeWorkflow, w.RepoID, w.ID), Name: w.Name, Path: w.Path, State: "active",
		CreatedAt: at(w.CreatedAt), UpdatedAt: at(w.UpdatedAt), URL: fmt.Sprintf("%s/actions/workflows/%d", v.repoURL(w.RepoID), w.ID),
		HTMLURL:  html + "/blob/" + v.s.Repos.Get(w.RepoID).DefaultBranch + "/" + w.Path,
		BadgeURL: html + "/workflows/" + pathEscape(w.Name) + "/badge.svg",
	}
	if w.Disabled {
		view.State = "disabled_manually"
	}
	return view
}

type runView struct {
	ID                 int64             `json:"id"`
	Name               string            `json:"name"`
	NodeID             string            `json:"node_id"`
	HeadBranch         string            `json:"head_branch"`
	HeadSHA            string            `json:"head_sha"`
	Path               string            `json:"path"`
	DisplayTitle       string            `json:"display_title"`
	RunNumber          int               `json:"run_number"`
	Event              string            `json:"event"`
	Status             string            `json:"status"`
	Conclusion         *string           `json:"conclusion"`
	WorkflowID         int64             `json:"workflow_id"`
	CheckSuiteID       int64             `json:"check_suite_id"`
	CheckSuiteNodeID   string            `json:"check_suite_node_id"`
	URL                string            `json:"url"`
	HTMLURL            string            `json:"html_url"`
	PullRequests       []pullReference   `json:"pull_requests"`
	CreatedAt          stamp             `json:"created_at"`
	UpdatedAt          stamp             `json:"updated_at"`
	Actor              *userView         `json:"actor"`
	RunAttempt         int               `json:"run_attempt"`
	ReferencedFlows    []string          `json:"referenced_workflows"`
	RunStartedAt       stamp             `json:"run_started_at"`
	TriggeringActor    *userView         `json:"triggering_actor"`
	JobsURL            string            `json:"jobs_url"`
	LogsURL            string            `json:"logs_url"`
	CheckSuiteURL      string            `json:"check_suite_url"`
	ArtifactsURL       string            `json:"artifacts_url"`
	CancelURL          string            `json:"cancel_url"`
	RerunURL           string            `json:"rerun_url"`
	PreviousAttemptURL *string           `json:"previous_attempt_url"`
	WorkflowURL        string            `json:"workflow_url"`
	HeadCommit         *simpleCommitView `json:"head_commit"`
	Repository         *repoView         `json:"repository"`
	HeadRepository     *repoView         `json:"head_repository"`
}

type pullReference struct {
	URL    string       `json:"url"`
	ID     int64        `json:"id"`
	Number int          `json:"number"`
	Head   refReference `json:"head"`
	Base   refReference `json:"base"`
}

type refReference struct {
	Ref  string        `json:"ref"`
	SHA  string        `json:"sha"`
	Repo repoReference `json:"repo"`
}

type repoReference struct {
	ID   int64  `json:"id"`
	URL  string `json:"url"`
	Name string `json:"name"`
}

func (v *view) pullReference(i *model.Issue) pullReference {
	repo := v.s.Repos.Get(i.RepoID)
	in := repoReference{ID: repo.ID, URL: v.repoURL(repo.ID), Name: repo.Name}
	return pullReference{
		URL: fmt.Sprintf("%s/pulls/%d", v.repoURL(i.RepoID), i.Number), ID: i.Pull.ID, Number: i.Number,
		Head: refReference{Ref: i.Pull.HeadRef, SHA: i.Pull.HeadSHA, Repo: in},
		Base: refReference{Ref: i.Pull.BaseRef, SHA: i.Pull.BaseSHA, Repo: in},
	}
}

// run shows a run as of one of its attempts, counted from 1.
func (v *view) run(r *model.Run, attempt int) runView {
	w := v.s.Workflows.Get(r.WorkflowID)
	a := r.Attempts[attempt-1]
	api := fmt.Sprintf("%s/actions/runs/%d", v.repoURL(r.RepoID), r.ID)
	repo := v.minimalRepo(v.s.Repos.Get(r.RepoID))
	view := runView{
		ID: r.ID, Name: w.Name, NodeID: model.NodeID(model.NodeRun, r.RepoID, r.ID), HeadBranch: r.HeadBranch,
		HeadSHA: r.HeadSHA, Path: w.Path, DisplayTitle: r.DisplayTitle, RunNumber: r.Number, Event: r.Event,
		Status: string(a.Status), Conclusion: optional(a.Conclusion), WorkflowID: w.ID, CheckSuiteID: r.SuiteID,
		CheckSuiteNodeID: model.NodeID(model.NodeCheckSuite, r.RepoID, r.SuiteID), URL: api,
		HTMLURL:      fmt.Sprintf("%s/actions/runs/%d", v.repoHTML(r.RepoID), r.ID),
		PullRequests: []pullReference{}, CreatedAt: at(r.CreatedAt), UpdatedAt: at(a.UpdatedAt), Actor: v.whoever(r.ActorID),
		RunAttempt: attempt, ReferencedFlows: []string{}, RunStartedAt: at(a.StartedAt), TriggeringActor: v.whoever(a.ActorID),
		JobsURL: api + "/jobs", LogsURL: api + "/logs", CheckSuiteURL: fmt.Sprintf("%s/check-suites/%d", v.repoURL(r.RepoID), r.SuiteID),
		ArtifactsURL: api + "/artifacts", CancelURL: api + "/cancel", RerunURL: api + "/rerun",
		WorkflowURL: v.workflow(w).URL, HeadCommit: v.simpleCommit(r), Repository: repo, HeadRepository: repo,
	}
	if attempt > 1 {
		previous := fmt.Sprintf("%s/attempts/%d", api, attempt-1)
		view.PreviousAttemptURL = &previous
	}
	i := v.s.Issues.Get(r.PullID)
	if i != nil && i.Pull != nil && i.Pull.FromFork() {
		// Runs of pull requests from forks do not name them.
		view.HeadRepository = nil
		if head := v.s.HeadRepo(i); head != nil {
			view.HeadRepository = v.minimalRepo(head)
		}
	} else if i != nil && i.Pull != nil {
		view.PullRequests = append(view.PullRequests, v.pullReference(i))
	}
	return view
}

type simpleCommitView struct {
	ID        string     `json:"id"`
	TreeID    string     `json:"tree_id"`
	Message   string     `json:"message"`
	Timestamp time.Time  `json:"timestamp"`
	Author    signerView `json:"author"`
	Committer signerView `json:"committer"`
}

type signerView struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

func (v *view) simpleCommit(r *model.Run) *simpleCommitView {
	c, err := v.s.Repos.Get(r.RepoID).Git.Commit(plumbing.NewHash(r.HeadSHA))
	if err != nil {
		return nil
	}
	return simplified(c)
}

func simplified(c gitstore.Commit) *simpleCommitView {
	return &simpleCommitView{
		ID: c.Hash.String(), TreeID: c.Tree.String(), Message: c.Message, Timestamp: c.Author.When.UTC(),
		Author:    signerView{c.Author.Name, c.Author.Email},
		Committer: signerView{c.Committer.Name, c.Committer.Email},
	}
}

type jobView struct {
	ID              int64      `json:"id"`
	RunID           int64      `json:"run_id"`
	WorkflowName    string     `json:"workflow_name"`
	HeadBranch      string     `json:"head_branch"`
	RunURL          string     `json:"run_url"`
	RunAttempt      int        `json:"run_attempt"`
	NodeID          string     `json:"node_id"`
	HeadSHA         string     `json:"head_sha"`
	URL             string     `json:"url"`
	HTMLURL         string     `json:"html_url"`
	Status          string     `json:"status"`
	Conclusion      *string    `json:"conclusion"`
	CreatedAt       stamp      `json:"created_at"`
	StartedAt       stamp      `json:"started_at"`
	CompletedAt     stamp      `json:"completed_at"`
	Name            string     `json:"name"`
	Steps           []stepView `json:"steps"`
	CheckRunURL     string     `json:"check_run_url"`
	Labels          []string   `json:"labels"`
	RunnerID        int        `json:"runner_id"`
	RunnerName      string     `json:"runner_name"`
	RunnerGroupID   int        `json:"runner_group_id"`
	RunnerGroupName string     `json:"runner_group_name"`
}

type stepView struct {
	Name        string  `json:"name"`
	Status      string  `json:"status"`
	Conclusion  *string `json:"conclusion"`
	Number      int     `json:"number"`
	StartedAt   stamp   `json:"started_at"`
	CompletedAt stamp   `json:"completed_at"`
}

func (v *view) job(j *model.Job) jobView {
	r := v.s.Runs.Get(j.RunID)
	view := jobView{
		ID: j.ID, RunID: r.ID, WorkflowName: v.s.Workflows.Get(r.WorkflowID).Name, HeadBranch: r.HeadBranch,
		RunURL:     fmt.Sprintf("%s/actions/runs/%d", v.repoURL(j.RepoID), r.ID),
		RunAttempt: j.Attempt, NodeID: model.NodeID(model.NodeCheckRun, j.RepoID, j.ID), HeadSHA: r.HeadSHA,
		URL:     fmt.Sprintf("%s/actions/jobs/%d", v.repoURL(j.RepoID), j.ID),
		HTMLURL: fmt.Sprintf("%s/actions/runs/%d/job/%d", v.repoHTML(j.RepoID), r.ID, j.ID),
		Status:  string(j.Status), Conclusion: optional(j.Conclusion), CreatedAt: at(j.StartedAt),
		StartedAt: at(j.StartedAt), CompletedAt: maybe(j.CompletedAt), Name: j.Name, Steps: []stepView{},
		CheckRunURL: fmt.Sprintf("%s/check-runs/%d", v.repoURL(j.RepoID), j.ID), Labels: []string{"ubuntu-latest"},
		RunnerID: 1, RunnerName: "GitHub Actions 1", RunnerGroupName: "GitHub Actions",
	}
	for _, s := range j.Steps {
		step := stepView{
			Name: s.Name, Status: string(s.Status), Conclusion: optional(s.Conclusion), Number: s.Number, StartedAt: at(s.StartedAt),
		}
		if s.Status == model.Completed {
			step.CompletedAt = at(s.EndedAt)
		}
		view.Steps = append(view.Steps, step)
	}
	return view
}

type checkRunView struct {
	ID           int64           `json:"id"`
	Name         string          `json:"name"`
	NodeID       string          `json:"node_id"`
	HeadSHA      string          `json:"head_sha"`
	ExternalID   string          `json:"external_id"`
	URL          string          `json:"url"`
	HTMLURL      string          `json:"html_url"`
	DetailsURL   string          `json:"details_url"`
	Status       string          `json:"status"`
	Conclusion   *string         `json:"conclusion"`
	StartedAt    stamp           `json:"started_at"`
	CompletedAt  stamp           `json:"completed_at"`
	Output       outputView      `json:"output"`
	CheckSuite   identity        `json:"check_suite"`
	App          *appView        `json:"app"`
	PullRequests []pullReference `json:"pull_requests"`
}

type identity struct {
	ID int64 `json:"id"`
}

type outputView struct {
	Title            *string `json:"title"`
	Summary          *string `json:"summary"`
	Text             *string `json:"text"`
	AnnotationsCount int     `json:"annotations_count"`
	AnnotationsURL   string  `json:"annotations_url"`
}

func (v *view) checkRun(c *model.CheckRun) checkRunView {
	api := fmt.Sprintf("%s/check-runs/%d", v.repoURL(c.RepoID), c.ID)
	view := checkRunView{
		ID: c.ID, Name: c.Name, NodeID: model.NodeID(model.NodeCheckRun, c.RepoID, c.ID), HeadSHA: c.HeadSHA,
		ExternalID: c.ExternalID, URL: api, HTMLURL: c.DetailsURL, DetailsURL: c.DetailsURL, Status: string(c.Status),
		Conclusion: optional(c.Conclusion), StartedAt: at(c.StartedAt), CompletedAt: maybe(c.CompletedAt),
		Output: outputView{
			Title: optional(c.Output.Title), Summary: optional(c.Output.Summary), Text: optional(c.Output.Text),
			AnnotationsCount: len(c.Annotations), AnnotationsURL: api + "/annotations",
		},
		CheckSuite: identity{c.SuiteID}, App: v.app(c.AppID), PullRequests: v.pullsAt(v.s.Repos.Get(c.RepoID), c.HeadSHA),
	}
	if v.s.Jobs.Get(c.ID) == nil {
		// The page of a job is its run's; others have one of their own.
		view.HTMLURL = fmt.Sprintf("%s/runs/%d", v.repoHTML(c.RepoID), c.ID)
		view.DetailsURL = cmp.Or(c.DetailsURL, view.HTMLURL)
	}
	return view
}

type annotationView struct {
	Path            string  `json:"path"`
	BlobHref        string  `json:"blob_href"`
	StartLine       int     `json:"start_line"`
	StartColumn     *int    `json:"start_column"`
	EndLine         int     `json:"end_line"`
	EndColumn       *int    `json:"end_column"`
	AnnotationLevel string  `json:"annotation_level"`
	Title           *string `json:"title"`
	Message         string  `json:"message"`
	RawDetails      *string `json:"raw_details"`
}

func (v *view) annotation(c *model.CheckRun, a model.Annotation) annotationView {
	return annotationView{
		Path: a.Path, BlobHref: v.repoHTML(c.RepoID) + "/blob/" + c.HeadSHA + "/" + pathEscape(a.Path),
		StartLine: a.StartLine, EndLine: a.EndLine, AnnotationLevel: strings.ToLower(a.Level),
		Title: optional(a.Title), Message: a.Message, StartColumn: positive(a.StartColumn), EndColumn: positive(a.EndColumn), RawDetails: optional(a.Details),
	}
}

// positive is a number, nil for 0.
func positive(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
