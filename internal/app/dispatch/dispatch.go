// Package dispatch has a run measured by a workflow of the repository that it
// is about, on GitHub's machines and with the repository's own secrets.
//
// The App starts the workflow by the event workflow_dispatch with the inputs
// run-id, sha and plan, and finds its run by the id in its title. When that has
// completed, its artifact bench-<run id> has the summary and the rows. Both are
// what somebody else has written: they are read within limits and must be what
// was asked for.
package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/app/conduct"
	"github.com/ghx-dev/bench-action/internal/app/plan"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Asked is what stands for the number of a workflow run that was asked for and
// has not been seen yet.
const Asked = -1

// Executor has runs measured by workflows.
type Executor struct {
	// Started notes the workflow run of a run, [Asked] before there is one.
	Started func(ctx context.Context, run string, workflowRun int64) error
	Now     func() time.Time
	// HTTP downloads artifacts. It is given no token.
	HTTP *http.Client
}

const (
	// appearance is how long GitHub may take to show a workflow run that it was
	// asked for.
	appearance = 5 * time.Minute
	// clockSkew is how far GitHub's clock and ours may differ.
	clockSkew = 5 * time.Minute
	// event is what starts the workflow.
	event = "workflow_dispatch"
	// workflowFolder has a repository's workflows.
	workflowFolder = ".github/workflows/"
	completed      = "completed"
)

// Execute starts the workflow, or looks how it goes. While it goes on the error
// is [conduct.ErrElsewhere].
func (e *Executor) Execute(ctx context.Context, w conduct.Work) (runs.Outcome, error) {
	outcome, err := e.execute(ctx, w)
	if err != nil && fault.KindOf(err) == fault.Infrastructure && ctx.Err() == nil && !queue.IsPermanent(err) {
		return outcome, fmt.Errorf("%w: %w", conduct.ErrNotNow, err)
	}
	return outcome, err
}

func (e *Executor) execute(ctx context.Context, w conduct.Work) (runs.Outcome, error) {
	found, err := e.find(ctx, w)
	switch {
	case err != nil:
		return runs.Outcome{}, err
	case found == nil && w.Run.WorkflowRun == 0:
		return runs.Outcome{}, e.start(ctx, w)
	case found == nil && e.Now().Sub(w.Run.Started) > appearance:
		return runs.Outcome{}, fault.Invalidf("The workflow %s was started, but no run of it has %s in its title: write `run-name: bench ${{ inputs.run-id }}` into it", w.Run.Request.Plan.Workflow, w.Run.ID)
	case found == nil:
		return runs.Outcome{}, conduct.ErrElsewhere
	}
	if w.Run.WorkflowRun != found.GetID() {
		if err := e.Started(ctx, w.Run.ID, found.GetID()); err != nil {
			return runs.Outcome{}, err
		}
	}
	if found.GetStatus() != completed {
		return runs.Outcome{}, conduct.ErrElsewhere
	}
	return e.ended(ctx, w, found)
}

// Abandon cancels the workflow of a run that was ended by others.
func (e *Executor) Abandon(ctx context.Context, r runs.Run, client *github.Client) error {
	if r.WorkflowRun == 0 {
		return nil
	}
	found, err := e.find(ctx, conduct.Work{Run: r, Client: client})
	if err != nil || found == nil || found.GetStatus() == completed {
		return err
	}
	_, err = client.REST.Actions.CancelWorkflowRunByID(ctx, r.Owner(), r.Name(), found.GetID())
	accepted := (*gh.AcceptedError)(nil)
	if err == nil || errors.As(err, &accepted) || github.StatusOf(err) == http.StatusConflict {
		return nil // 202 is an error for go-github; 409 says that it has just ended
	}
	return github.Explain("cancel the workflow run", err)
}

// find returns the workflow run of a run, nil if there is none to be seen. Only
// runs of the workflow that the settings name are looked at.
func (e *Executor) find(ctx context.Context, w conduct.Work) (*gh.WorkflowRun, error) {
	r, actions := w.Run, w.Client.REST.Actions
	if r.WorkflowRun > 0 {
		found, _, err := actions.GetWorkflowRunByID(ctx, r.Owner(), r.Name(), r.WorkflowRun)
		if err != nil {
			return nil, github.Explain("look up the workflow run", err)
		}
		return found, nil
	}
	since := r.Created.Add(-clockSkew).UTC().Format(time.RFC3339)
	pages := github.Pages(func(at gh.ListOptions) ([]*gh.WorkflowRun, *gh.Response, error) {
		page, response, err := actions.ListWorkflowRunsByFileName(ctx, r.Owner(), r.Name(), r.Request.Plan.Workflow, &gh.ListWorkflowRunsOptions{
			Event: event, Created: ">=" + since, ListOptions: at,
		})
		if err != nil {
			return nil, response, err
		}
		return page.WorkflowRuns, response, nil
	})
	var first *gh.WorkflowRun
	for one, err := range pages {
		if github.StatusOf(err) == http.StatusNotFound {
			return nil, missingWorkflow(r)
		}
		if err != nil {
			return nil, github.Explain("look for the workflow run", err)
		}
		ours := one.GetEvent() == event && strings.Contains(one.GetDisplayTitle(), r.ID)
		if ours && (first == nil || one.GetID() < first.GetID()) {
			first = one
		}
	}
	return first, nil
}

func missingWorkflow(r runs.Run) error {
	return fault.Invalidf("There is no workflow %s%s on the default branch: `bench init --app` writes one, or name another one in %s",
		workflowFolder, r.Request.Plan.Workflow, settings.Path)
}

// Plan is the input plan, as JSON: what the workflow is to measure, in the
// words of the action's inputs.
type Plan struct {
	Provider    string  `json:"provider"`
	Model       string  `json:"model"`
	Benchmark   string  `json:"benchmark"`
	Profile     string  `json:"gate-profile"`
	ScenarioSet string  `json:"scenario-set"`
	Scenarios   string  `json:"scenarios"`
	Modes       string  `json:"modes"`
	Baseline    string  `json:"baseline-mode"`
	Repetitions int     `json:"repetitions"`
	Target      string  `json:"target"`
	MaxCostUSD  float64 `json:"max-cost-usd"`
	Minutes     int     `json:"timeout-minutes"`
}

// inputs returns what a workflow is given.
func inputs(r runs.Run) (map[string]any, error) {
	text, err := json.Marshal(planOf(r.Request.Plan))
	if err != nil {
		return nil, fault.Internalf("write the plan: %w", err)
	}
	return map[string]any{"run-id": r.ID, "sha": r.Head, "plan": string(text)}, nil
}

func planOf(p plan.Plan) Plan {
	out := Plan{
		Provider: "opencode", Model: p.Model, Benchmark: p.Benchmark, Profile: string(p.Profile), ScenarioSet: p.Set,
		Modes: joined(p.Modes), Baseline: string(p.Baseline), Repetitions: p.Repetitions, Target: p.Target,
		MaxCostUSD: p.MaxUSD, Minutes: int(p.Timeout / time.Minute),
	}
	if p.Set == "" {
		out.Scenarios = strings.Join(p.Scenarios, ",")
	}
	if p.Model == settings.Scripted {
		out.Provider, out.Model, out.MaxCostUSD = settings.Scripted, "", 0
	}
	return out
}

func joined(modes []bench.Mode) string {
	names := make([]string, 0, len(modes))
	for _, mode := range modes {
		names = append(names, string(mode))
	}
	return strings.Join(names, ",")
}

// start asks for the workflow. That it was asked for is noted first: a second
// run of it would cost as much again.
func (e *Executor) start(ctx context.Context, w conduct.Work) error {
	r := w.Run
	in, err := inputs(r)
	if err != nil {
		return err
	}
	repo, _, err := w.Client.REST.Repositories.Get(ctx, r.Owner(), r.Name())
	if err != nil {
		return github.Explain("look up the default branch", err)
	}
	if err := e.Started(ctx, r.ID, Asked); err != nil {
		return err
	}
	_, err = w.Client.REST.Actions.CreateWorkflowDispatchEventByFileName(ctx, r.Owner(), r.Name(), r.Request.Plan.Workflow,
		gh.CreateWorkflowDispatchEventRequest{Ref: repo.GetDefaultBranch(), Inputs: in})
	switch status := github.StatusOf(err); {
	case err == nil:
		return conduct.ErrElsewhere
	case status == http.StatusNotFound:
		return missingWorkflow(r)
	case status == http.StatusUnprocessableEntity:
		return fault.Because(fault.Invalid, err, fmt.Sprintf("GitHub does not start the workflow %s: %s; `bench init --app` writes one that fits", r.Request.Plan.Workflow, fault.Public(github.Explain("start it", err))))
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		// It was turned away, and may be asked for again.
		return errors.Join(github.Explain("start the workflow "+r.Request.Plan.Workflow, err), e.Started(ctx, r.ID, 0))
	default:
		return github.Explain("start the workflow "+r.Request.Plan.Workflow, err)
	}
}

// ended returns what a workflow run that has completed came to.
func (e *Executor) ended(ctx context.Context, w conduct.Work, run *gh.WorkflowRun) (runs.Outcome, error) {
	outcome := runs.Outcome{Log: "The log is that of the workflow: " + run.GetHTMLURL() + "\n"}
	archive, err := e.download(ctx, w, run)
	if err != nil {
		return outcome, err
	}
	switch conclusion := run.GetConclusion(); {
	case archive == nil && conclusion == "cancelled":
		outcome.Reason = "Its workflow was cancelled: " + run.GetHTMLURL()
		return outcome, nil
	case archive == nil:
		return outcome, queue.Permanent(fault.Infraf("The workflow ended with %q and left no artifact %s: see %s", conclusion, artifactName(w.Run), run.GetHTMLURL()))
	}
	result, err := read(archive, w.Run)
	if err != nil {
		return outcome, fault.Because(fault.Invalid, err, fmt.Sprintf("The artifact %s of %s cannot be used: %s", artifactName(w.Run), run.GetHTMLURL(), fault.Public(err)))
	}
	for _, row := range result.rows {
		w.Keep(row.cell, row.line)
	}
	if result.summary == nil {
		outcome.Reason = "Its workflow ended before the benchmark was complete: " + run.GetHTMLURL()
		return outcome, nil
	}
	w.Progress(len(result.rows), w.Run.Request.Plan.Cells(), result.summary.CostUSD)
	outcome.Summary = result.summary
	return outcome, nil
}
