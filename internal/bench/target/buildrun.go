package target

import (
	"context"
	"maps"
	"slices"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// How long a run may take, and how often it is asked about.
const (
	maxRun   = 10 * time.Minute
	runPause = 5 * time.Second
)

// nameRuns has the runs of a commit named when all is made, and run again as
// often as they are to be.
func (r *repository) nameRuns(runs []world.Run, commit func() string) {
	for _, run := range runs {
		r.finally(run.Place, quoted("look up the run of", run.Workflow), func(ctx context.Context) error {
			return r.nameRun(ctx, run, gh.ListWorkflowRunsOptions{HeadSHA: commit()}, 0)
		})
	}
}

// dispatches plans the runs that are started by hand.
func (r *repository) dispatches() {
	for i := range r.plan.Dispatches {
		d := &r.plan.Dispatches[i]
		ref := r.plan.Branch()
		if d.Ref != "" {
			ref = d.Ref
		}
		inputs := map[string]any{}
		for name, value := range d.Inputs {
			inputs[name] = value
		}
		var before int64
		r.then(d.Place, d.When.Time, quoted("start workflow", d.Workflow), func(ctx context.Context) error {
			runs, err := r.runs(ctx, d.Workflow, gh.ListWorkflowRunsOptions{Event: "workflow_dispatch"})
			if err != nil {
				return err
			}
			if len(runs) > 0 {
				before = runs[0].GetID()
			}
			return r.write(ctx, func() error {
				_, err := r.rest(r.writer(d.By)).Actions.CreateWorkflowDispatchEventByFileName(ctx, r.owner, r.name, d.Workflow, gh.CreateWorkflowDispatchEventRequest{Ref: ref, Inputs: inputs})
				return err
			})
		})
		r.finally(d.Place, quoted("look up the run of", d.Workflow), func(ctx context.Context) error {
			return r.nameRun(ctx, d.Run, gh.ListWorkflowRunsOptions{Event: "workflow_dispatch"}, before)
		})
	}
}

// runs returns the newest runs of a workflow, the newest first.
func (r *repository) runs(ctx context.Context, workflow string, opts gh.ListWorkflowRunsOptions) ([]*gh.WorkflowRun, error) {
	opts.PerPage = github.PageSize
	runs, _, err := r.Main.REST.Actions.ListWorkflowRunsByFileName(ctx, r.owner, r.name, workflow, &opts)
	if err != nil {
		return nil, err
	}
	return runs.WorkflowRuns, nil
}

// nameRun names the first run that is newer than another one, 0 for none.
func (r *repository) nameRun(ctx context.Context, run world.Run, opts gh.ListWorkflowRunsOptions, before int64) error {
	there, err := r.await(ctx, run, opts, before)
	if err != nil {
		return err
	}
	for range run.Reruns {
		err := r.write(ctx, func() error {
			_, err := r.rest(r.maintainer()).Actions.RerunWorkflowByID(ctx, r.owner, r.name, there.GetID())
			return err
		})
		if err != nil {
			return err
		}
		if there, err = r.await(ctx, run, opts, before); err != nil {
			return err
		}
	}
	r.export(run.As, map[string]any{
		"id": there.GetID(), "number": there.GetRunNumber(), "url": there.GetHTMLURL(), "workflow": run.Workflow, "workflow_id": there.GetWorkflowID(), "head_sha": there.GetHeadSHA(),
	})
	return r.nameJobs(ctx, run, there)
}

// await returns a run when it has ended, or hangs.
func (r *repository) await(ctx context.Context, run world.Run, opts gh.ListWorkflowRunsOptions, before int64) (*gh.WorkflowRun, error) {
	for waited := time.Duration(0); ; waited += runPause {
		runs, err := r.runs(ctx, run.Workflow, opts)
		if err != nil {
			return nil, err
		}
		runs = slices.DeleteFunc(runs, func(other *gh.WorkflowRun) bool { return other.GetID() <= before })
		if n := len(runs); n > 0 && (runs[n-1].GetStatus() == "completed" || r.Wait == nil) {
			return runs[n-1], nil
		}
		if r.Wait == nil {
			return nil, fault.Invalidf("nothing has started the workflow %s: what starts it is in the file", run.Workflow)
		}
		if waited >= maxRun {
			return nil, fault.Infraf("workflow %s has not ended after %s", run.Workflow, maxRun)
		}
		if err := r.Wait(ctx, runPause); err != nil {
			return nil, err
		}
	}
}

func (r *repository) nameJobs(ctx context.Context, run world.Run, there *gh.WorkflowRun) error {
	if len(run.Jobs) == 0 {
		return nil
	}
	jobs, _, err := r.Main.REST.Actions.ListWorkflowJobs(ctx, r.owner, r.name, there.GetID(), &gh.ListWorkflowJobsOptions{ListOptions: gh.ListOptions{PerPage: github.PageSize}})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(run.Jobs)) {
		at := slices.IndexFunc(jobs.Jobs, func(j *gh.WorkflowJob) bool { return j.GetName() == name })
		if at < 0 {
			return fault.Invalidf("the run of %s has no job %q", run.Workflow, name)
		}
		r.export(run.Jobs[name], map[string]any{"id": jobs.Jobs[at].GetID(), "name": name, "run_id": there.GetID()})
	}
	return nil
}
