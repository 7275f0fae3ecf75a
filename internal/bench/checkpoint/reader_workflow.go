package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// workflowBrief is a workflow in a list.
type workflowBrief struct {
	ID    int64   `json:"id"`
	Name  *string `json:"name"`
	Path  *string `json:"path"`
	State *string `json:"state"`
}

type workflowAnswer struct {
	workflowBrief
	URL *string `json:"url"`
}

func briefWorkflow(w *gh.Workflow) workflowBrief {
	return workflowBrief{ID: w.GetID(), Name: w.Name, Path: w.Path, State: w.State}
}

func workflowList(ctx context.Context, r *GitHubReader, in input) (any, error) {
	page, err := in.page()
	if err != nil {
		return nil, err
	}
	found, response, err := r.client.REST.Actions.ListWorkflows(ctx, in.text("owner"), in.text("name"), &page)
	if err != nil {
		return nil, err
	}
	return paged(found.Workflows, response, briefWorkflow), nil
}

// workflowView reads a workflow by its number or its file's name.
func workflowView(ctx context.Context, r *GitHubReader, in input) (any, error) {
	actions, owner, name := r.client.REST.Actions, in.text("owner"), in.text("name")
	read := func() (*gh.Workflow, *gh.Response, error) {
		return actions.GetWorkflowByFileName(ctx, owner, name, in.text("workflowId"))
	}
	if in.text("workflowId") == "" {
		id, err := in.number("workflowId")
		if err != nil {
			return nil, err
		}
		read = func() (*gh.Workflow, *gh.Response, error) { return actions.GetWorkflowByID(ctx, owner, name, id) }
	}
	w, _, err := read()
	if err != nil {
		return nil, err
	}
	return workflowAnswer{briefWorkflow(w), w.HTMLURL}, nil
}

// runBrief is a run in a list.
type runBrief struct {
	ID           int64   `json:"id"`
	WorkflowName *string `json:"workflowName"`
	Status       *string `json:"status"`
	Conclusion   *string `json:"conclusion"`
	HeadBranch   *string `json:"headBranch"`
	URL          *string `json:"url"`
	Event        *string `json:"event"`
	Attempt      int     `json:"attempt"`
	// Title is what the run is called: its workflow may give each run a name.
	Title *string `json:"title"`
	// ActorLogin is who started the run, nil for accounts that are gone.
	ActorLogin *string `json:"actorLogin"`
}

func workflowRuns(ctx context.Context, r *GitHubReader, in input) (any, error) {
	page, err := in.page()
	if err != nil {
		return nil, err
	}
	found, response, err := r.client.REST.Actions.ListRepositoryWorkflowRuns(ctx, in.text("owner"), in.text("name"), &gh.ListWorkflowRunsOptions{
		Branch: in.text("branch"), Event: in.text("event"), Status: in.text("status"), ListOptions: page,
	})
	if err != nil {
		return nil, err
	}
	return paged(found.WorkflowRuns, response, func(run *gh.WorkflowRun) runBrief {
		return runBrief{
			ID: run.GetID(), WorkflowName: run.Name, Status: run.Status, Conclusion: run.Conclusion, HeadBranch: run.HeadBranch,
			URL: run.HTMLURL, Event: run.Event, Attempt: run.GetRunAttempt(), Title: run.DisplayTitle, ActorLogin: run.GetActor().Login,
		}
	}), nil
}

type artifactAnswer struct {
	ID                 int64   `json:"id"`
	Name               *string `json:"name"`
	SizeInBytes        *int64  `json:"sizeInBytes"`
	ArchiveDownloadURL *string `json:"archiveDownloadUrl"`
	Expired            bool    `json:"expired"`
}

func runArtifacts(ctx context.Context, r *GitHubReader, in input) (any, error) {
	id, err := in.number("runId")
	if err != nil {
		return nil, err
	}
	page, err := in.page()
	if err != nil {
		return nil, err
	}
	found, response, err := r.client.REST.Actions.ListWorkflowRunArtifacts(ctx, in.text("owner"), in.text("name"), id, &page)
	if err != nil {
		return nil, err
	}
	return paged(found.Artifacts, response, func(a *gh.Artifact) artifactAnswer {
		return artifactAnswer{
			ID: a.GetID(), Name: a.Name, SizeInBytes: a.SizeInBytes, ArchiveDownloadURL: a.ArchiveDownloadURL, Expired: a.GetExpired(),
		}
	}), nil
}

// maxJobLog is how many characters of a job's log are read, as many as ghx
// shows.
const maxJobLog = 50_000

// jobLogAnswer is the answer of workflow.job.logs.raw.
type jobLogAnswer struct {
	JobID     int64  `json:"jobId"`
	Log       string `json:"log"`
	Truncated bool   `json:"truncated"`
}

func jobLog(ctx context.Context, r *GitHubReader, in input) (any, error) {
	id, err := in.number("jobId")
	if err != nil {
		return nil, err
	}
	path := fmt.Sprintf("repos/%s/%s/actions/jobs/%d/logs", in.text("owner"), in.text("name"), id)
	request, err := r.client.REST.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	var log bytes.Buffer
	if _, err := r.client.REST.Do(ctx, request, &log); err != nil {
		return nil, err
	}
	text := []rune(log.String())
	shown := text[:min(len(text), maxJobLog)]
	return jobLogAnswer{JobID: id, Log: string(shown), Truncated: len(shown) < len(text)}, nil
}

// jobSummaryAnswer is the answer of workflow.job.logs.view.
type jobSummaryAnswer struct {
	JobID     int64      `json:"jobId"`
	Truncated bool       `json:"truncated"`
	Summary   logSummary `json:"summary"`
}

type logSummary struct {
	ErrorCount    int      `json:"errorCount"`
	WarningCount  int      `json:"warningCount"`
	TopErrorLines []string `json:"topErrorLines"`
}

// maxErrorLines is how many lines of a log a summary repeats.
const maxErrorLines = 10

// The lines of a log that are about errors and warnings.
var (
	errorLine   = regexp.MustCompile(`(?i)\berror\b`)
	warningLine = regexp.MustCompile(`(?i)\bwarn(ing)?\b`)
)

func jobSummary(ctx context.Context, r *GitHubReader, in input) (any, error) {
	answer, err := jobLog(ctx, r, in)
	if err != nil {
		return nil, err
	}
	log := answer.(jobLogAnswer)
	summary := logSummary{TopErrorLines: []string{}}
	for line := range strings.Lines(log.Log) {
		if warningLine.MatchString(line) {
			summary.WarningCount++
		}
		if !errorLine.MatchString(line) {
			continue
		}
		if summary.ErrorCount++; summary.ErrorCount <= maxErrorLines {
			summary.TopErrorLines = append(summary.TopErrorLines, strings.TrimRight(line, "\r\n"))
		}
	}
	return jobSummaryAnswer{JobID: log.JobID, Truncated: log.Truncated, Summary: summary}, nil
}

// page returns which page of a list of the REST API the input asks for: the
// cursor after one is the number of the next.
func (in input) page() (gh.ListOptions, error) {
	page := gh.ListOptions{PerPage: defaultPage}
	if in["first"] != nil {
		first, err := in.number("first")
		if err != nil {
			return page, err
		}
		page.PerPage = int(first)
	}
	if after := in.text("after"); after != "" {
		var err error
		if page.Page, err = strconv.Atoi(after); err != nil {
			return page, fault.Invalidf("verification input \"after\" is %q, want the end of an earlier page", after)
		}
	}
	return page, nil
}

// paged is the answer of a list that the REST API has.
func paged[N, T any](found []N, response *gh.Response, show func(N) T) list[T] {
	out := list[T]{Items: make([]T, 0, len(found))}
	for _, one := range found {
		out.Items = append(out.Items, show(one))
	}
	if response.NextPage != 0 {
		next := strconv.Itoa(response.NextPage)
		out.PageInfo = pageInfo{HasNextPage: true, EndCursor: &next}
	}
	return out
}
