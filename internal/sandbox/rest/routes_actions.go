package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func actionsRoutes() []route {
	const base = " " + reposPath + "/actions"
	return []route{
		{"GET" + base + "/workflows", onRepo(listWorkflows)},
		{"GET" + base + "/workflows/{workflow}", onWorkflow(getWorkflow)},
		{"GET" + base + "/workflows/{workflow}/runs", onWorkflow(listWorkflowRuns)},
		{"POST" + base + "/workflows/{workflow}/dispatches", onWorkflow(dispatch)},
		{"GET" + base + "/runs", onRepo(listRuns)},
		{"GET" + base + "/runs/{id}", onRun(getRun)},
		{"GET" + base + "/runs/{id}/attempts/{attempt}", onRun(getRunAttempt)},
		{"GET" + base + "/runs/{id}/attempts/{attempt}/jobs", onRun(listAttemptJobs)},
		{"GET" + base + "/runs/{id}/jobs", onRun(listJobs)},
		{"POST" + base + "/runs/{id}/rerun", onRun(rerunAll)},
		{"POST" + base + "/runs/{id}/rerun-failed-jobs", onRun(rerunFailed)},
		{"POST" + base + "/runs/{id}/cancel", onRun(cancelRun)},
		{"POST" + base + "/runs/{id}/force-cancel", onRun(cancelRun)},
		{"DELETE" + base + "/runs/{id}", onRun(deleteRun)},
		{"GET" + base + "/jobs/{id}", onJob(getJob)},
		{"POST" + base + "/jobs/{id}/rerun", onJob(rerunJob)},
		{"PUT" + base + "/workflows/{workflow}/enable", onWorkflow(enableWorkflow(true))},
		{"PUT" + base + "/workflows/{workflow}/disable", onWorkflow(enableWorkflow(false))},
	}
}

func onWorkflow(handle func(c *call, repo *model.Repo, w *model.Workflow) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		w := c.s.WorkflowByRef(repo, c.PathValue("workflow"))
		if w == nil {
			return reply{}, errNotFound
		}
		return handle(c, repo, w)
	})
}

func onRun(handle func(c *call, r *model.Run) (reply, error)) func(*call) (reply, error) {
	return onRow(func(s *model.State) *model.Table[model.Run] { return &s.Runs },
		func(r *model.Run) model.ID { return r.RepoID }, handle)
}

func onJob(handle func(c *call, j *model.Job) (reply, error)) func(*call) (reply, error) {
	return onRow(func(s *model.State) *model.Table[model.Job] { return &s.Jobs },
		func(j *model.Job) model.ID { return j.RepoID }, handle)
}

func listWorkflows(c *call, repo *model.Repo) (reply, error) {
	all := c.s.Workflows.Where(func(w *model.Workflow) bool { return w.RepoID == repo.ID })
	return wrapped(c, "workflows", all, c.workflow)
}

func getWorkflow(c *call, _ *model.Repo, w *model.Workflow) (reply, error) { return ok(c.workflow(w)) }

func dispatch(c *call, repo *model.Repo, w *model.Workflow) (reply, error) {
	var in struct {
		Ref              string
		Inputs           map[string]any
		ReturnRunDetails bool `json:"return_run_details"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Ref == "" {
		return reply{}, missing("ref")
	}
	inputs := map[string]string{}
	for name, value := range in.Inputs {
		text, err := encode(value)
		if err != nil {
			return reply{}, err
		}
		inputs[name] = string(text)
		if plain, isText := value.(string); isText {
			inputs[name] = plain
		}
	}
	run, err := c.s.Dispatch(c.actor, repo, w, in.Ref, inputs)
	if err != nil {
		return reply{}, err
	}
	if !in.ReturnRunDetails && Version(c.Request) == firstVersion {
		return noContent()
	}
	view := c.run(run, len(run.Attempts))
	return ok(map[string]any{"workflow_run_id": run.ID, "run_url": view.URL, "html_url": view.HTMLURL})
}

func listRuns(c *call, repo *model.Repo) (reply, error) {
	return c.runs(func(r *model.Run) bool { return r.RepoID == repo.ID })
}

func listWorkflowRuns(c *call, _ *model.Repo, w *model.Workflow) (reply, error) {
	return c.runs(func(r *model.Run) bool { return r.WorkflowID == w.ID })
}

// runs lists the runs that keep lets through and the query asks for, newest
// first.
func (c *call) runs(keep func(*model.Run) bool) (reply, error) {
	query := c.URL.Query()
	all := c.s.Runs.Where(func(r *model.Run) bool {
		a := r.Current()
		return keep(r) && asked(query, "branch", r.HeadBranch) && asked(query, "event", r.Event) &&
			asked(query, "head_sha", r.HeadSHA) && asked(query, "actor", c.s.Login(r.ActorID)) &&
			asked(query, "check_suite_id", strconv.FormatInt(r.SuiteID, 10)) &&
			(asked(query, "status", string(a.Status)) || asked(query, "status", string(a.Conclusion))) &&
			(query.Get("created") == "" || model.InRange(query.Get("created"), r.CreatedAt))
	})
	slices.SortStableFunc(all, func(a, b *model.Run) int { return cmp.Compare(b.ID, a.ID) })
	return wrapped(c, "workflow_runs", all, func(r *model.Run) runView { return c.askedRun(r, len(r.Attempts)) })
}

// asked reports whether a query asks for a value, or for none in particular.
func asked(query query, name, value string) bool {
	return query.Get(name) == "" || strings.EqualFold(query.Get(name), value)
}

// askedRun shows a run, without its pull requests if the query says so.
func (c *call) askedRun(r *model.Run, attempt int) runView {
	view := c.run(r, attempt)
	if c.URL.Query().Get("exclude_pull_requests") == "true" {
		view.PullRequests = []pullReference{}
	}
	return view
}

func getRun(c *call, r *model.Run) (reply, error) { return ok(c.askedRun(r, len(r.Attempts))) }

func (c *call) attempt(r *model.Run) (int, error) {
	n, err := c.number("attempt")
	if err != nil || n > len(r.Attempts) {
		return 0, errNotFound
	}
	return n, nil
}

func getRunAttempt(c *call, r *model.Run) (reply, error) {
	n, err := c.attempt(r)
	if err != nil {
		return reply{}, err
	}
	return ok(c.askedRun(r, n))
}

func listAttemptJobs(c *call, r *model.Run) (reply, error) {
	n, err := c.attempt(r)
	if err != nil {
		return reply{}, err
	}
	return c.jobs(r.Attempts[n-1].Jobs)
}

// listJobs lists the jobs of the latest attempt, or with filter=all those of
// every attempt.
func listJobs(c *call, r *model.Run) (reply, error) {
	if c.URL.Query().Get("filter") != "all" {
		return c.jobs(r.Current().Jobs)
	}
	var all []model.ID
	for _, a := range r.Attempts {
		for _, id := range a.Jobs {
			if !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
	}
	return c.jobs(all)
}

func (c *call) jobs(ids []model.ID) (reply, error) {
	return wrapped(c, "jobs", ids, func(id model.ID) jobView { return c.job(c.s.Jobs.Get(id)) })
}

func rerunAll(c *call, r *model.Run) (reply, error) { return c.rerun(r, false) }

func rerunFailed(c *call, r *model.Run) (reply, error) { return c.rerun(r, true) }

// decodeDebug reads whether jobs are to say more, or to wait for a debugger;
// those of the sandbox, which its scripts play, do neither.
func (c *call) decodeDebug() error {
	var in struct {
		Logging  bool `json:"enable_debug_logging"`
		Debugger bool `json:"enable_debugger"`
	}
	return c.decode(&in)
}

func (c *call) rerun(r *model.Run, failedOnly bool) (reply, error) {
	if err := c.decodeDebug(); err != nil {
		return reply{}, err
	}
	if err := c.s.Rerun(c.actor, r, failedOnly); err != nil {
		return reply{}, err
	}
	return created(struct{}{})
}

func cancelRun(c *call, r *model.Run) (reply, error) {
	if err := c.s.Cancel(c.actor, r); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusAccepted, body: struct{}{}}, nil
}

func deleteRun(c *call, r *model.Run) (reply, error) {
	if err := c.s.DeleteRun(c.actor, r); err != nil {
		return reply{}, err
	}
	return noContent()
}

func rerunJob(c *call, j *model.Job) (reply, error) {
	if err := c.decodeDebug(); err != nil {
		return reply{}, err
	}
	if err := c.s.RerunJob(c.actor, j); err != nil {
		return reply{}, err
	}
	return created(struct{}{})
}

func enableWorkflow(enabled bool) func(c *call, repo *model.Repo, w *model.Workflow) (reply, error) {
	return func(c *call, _ *model.Repo, w *model.Workflow) (reply, error) {
		if err := c.s.EnableWorkflow(c.actor, w, enabled); err != nil {
			return reply{}, err
		}
		return noContent()
	}
}

func getJob(c *call, j *model.Job) (reply, error) { return ok(c.job(j)) }

func checkRoutes() []route {
	return []route{
		{"GET " + reposPath + "/check-runs/{id}", onCheckRun(getCheckRun)},
		{"GET " + reposPath + "/check-runs/{id}/annotations", onCheckRun(listAnnotations)},
	}
}

func onCheckRun(handle func(c *call, run *model.CheckRun) (reply, error)) func(*call) (reply, error) {
	return onRow(func(s *model.State) *model.Table[model.CheckRun] { return &s.CheckRuns },
		func(run *model.CheckRun) model.ID { return run.RepoID }, handle)
}

func getCheckRun(c *call, run *model.CheckRun) (reply, error) { return ok(c.checkRun(run)) }

func listAnnotations(c *call, run *model.CheckRun) (reply, error) {
	return list(c, run.Annotations, func(a model.Annotation) annotationView { return c.annotation(run, a) })
}

func commitCheckRuns(c *call, repo *model.Repo, commit gitstore.Hash) (reply, error) {
	sha, query := commit.String(), c.URL.Query()
	runs := c.s.Rollup(repo, sha).Runs
	if query.Get("filter") == "all" {
		runs = c.s.ChecksAt(repo, sha)
	}
	runs = slices.DeleteFunc(runs, func(run *model.CheckRun) bool {
		return !asked(query, "check_name", run.Name) || !asked(query, "status", string(run.Status)) ||
			!asked(query, "app_id", strconv.FormatInt(run.AppID, 10))
	})
	return wrapped(c, "check_runs", runs, c.checkRun)
}
