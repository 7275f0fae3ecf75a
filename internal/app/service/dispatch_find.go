package service

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/github"
)

const (
	// event is what starts the workflow.
	event = "workflow_dispatch"
	// clockSkew is how far GitHub's clock and ours may differ.
	clockSkew = 5 * time.Minute
)

// origin is what a workflow run must come from to be the App's own.
type origin struct{ branch, bot string }

// origin asks what that is.
func (e *Dispatcher) origin(ctx context.Context, w Work) (origin, error) {
	repo, _, err := w.Client.REST.Repositories.Get(ctx, w.Run.Owner(), w.Run.Name())
	if err != nil {
		return origin{}, github.Explain("look up the default branch", err)
	}
	bot, err := e.Bot(ctx)
	return origin{repo.GetDefaultBranch(), bot}, err
}

// has reports whether a workflow run comes from there: others may have been
// started by anybody who may push, with any workflow. Who starts one again is
// its triggering actor.
func (o origin) has(run *gh.WorkflowRun) bool {
	return run.GetEvent() == event && run.GetHeadBranch() == o.branch &&
		run.GetActor().GetLogin() == o.bot && run.GetTriggeringActor().GetLogin() == o.bot
}

// find returns the workflow run of a run, nil if there is none to be seen. One
// that was asked for more than once may have been started more than once: the
// oldest is the run's unless another is known to be, and the others are
// cancelled.
func (e *Dispatcher) find(ctx context.Context, w Work) (found *gh.WorkflowRun, err error) {
	r := w.Run
	if r.WorkflowRun > 0 {
		found, _, err = w.Client.REST.Actions.GetWorkflowRunByID(ctx, r.Owner(), r.Name(), r.WorkflowRun)
		if err != nil {
			return nil, github.Explain("look up the workflow run", err)
		}
		if r.WorkflowAsks <= 1 {
			return found, nil
		}
	}
	all, err := e.started(ctx, w)
	if err != nil {
		return nil, err
	}
	if found == nil && len(all) > 0 {
		found = all[0]
	}
	for _, other := range all {
		if other.GetID() != found.GetID() {
			err = errors.Join(err, cancel(ctx, w, other))
		}
	}
	return found, err
}

// started returns the workflow runs that were started for a run, the oldest
// first. Only those of the workflow that the settings name are looked at.
func (e *Dispatcher) started(ctx context.Context, w Work) ([]*gh.WorkflowRun, error) {
	r := w.Run
	by, err := e.origin(ctx, w)
	if err != nil {
		return nil, err
	}
	since := r.Created.Add(-clockSkew).UTC().Format(time.RFC3339)
	pages := github.Pages(func(at gh.ListOptions) ([]*gh.WorkflowRun, *gh.Response, error) {
		page, response, err := w.Client.REST.Actions.ListWorkflowRunsByFileName(ctx, r.Owner(), r.Name(), r.Request.Plan.Workflow, &gh.ListWorkflowRunsOptions{
			Event: event, Branch: by.branch, Created: ">=" + since, ListOptions: at,
		})
		if err != nil {
			return nil, nil, err
		}
		return page.WorkflowRuns, response, nil
	})
	var all []*gh.WorkflowRun
	for one, err := range pages {
		if github.StatusOf(err) == http.StatusNotFound {
			return nil, missingWorkflow(r)
		}
		if err != nil {
			return nil, github.Explain("look for the workflow run", err)
		}
		if by.has(one) && strings.Contains(one.GetDisplayTitle(), r.ID) {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b *gh.WorkflowRun) int { return cmp.Compare(a.GetID(), b.GetID()) })
	return all, nil
}

// cancel ends a workflow run that has not ended.
func cancel(ctx context.Context, w Work, run *gh.WorkflowRun) error {
	if run.GetStatus() == completed {
		return nil
	}
	_, err := w.Client.REST.Actions.CancelWorkflowRunByID(ctx, w.Run.Owner(), w.Run.Name(), run.GetID())
	accepted := (*gh.AcceptedError)(nil)
	if err == nil || errors.As(err, &accepted) || github.StatusOf(err) == http.StatusConflict {
		return nil // 202 is an error for go-github; 409 says that it has just ended
	}
	return github.Explain("cancel the workflow run", err)
}
