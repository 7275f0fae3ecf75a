package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// What stands for the number of a workflow run that was asked for and has not
// been seen yet.
const (
	// WorkflowAsked: whether GitHub took it is not known.
	WorkflowAsked = -1
	// WorkflowAccepted: GitHub has said that it starts one.
	WorkflowAccepted = -2
)

// Dispatcher has runs measured by workflows.
type Dispatcher struct {
	// Asks notes that the workflow run of a run is asked for, see [WorkflowAsked], and
	// Started its number, [WorkflowAccepted] before there is one, 0 if it was refused.
	Asks    func(ctx context.Context, run string, at time.Time) error
	Started func(ctx context.Context, run string, workflowRun int64) error
	// Settle keeps what a run had measured that was abandoned.
	Settle func(ctx context.Context, run string, rows map[bench.Cell][]byte) error
	// Bot returns the login of the user that the App acts as.
	Bot func(context.Context) (string, error)
	Now func() time.Time
	// Elapsed is as in [Options].
	Elapsed func() time.Duration
	// HTTP downloads artifacts. It is given no token.
	HTTP *http.Client

	asked ages
}

const (
	// appearance is how long GitHub may take to show a workflow run that it was
	// asked for.
	appearance = 5 * time.Minute
	// workflowFolder has a repository's workflows.
	workflowFolder = ".github/workflows/"
	completed      = "completed"
)

// Execute starts the workflow, or looks how it goes. While it goes on the error
// is [ErrElsewhere].
func (e *Dispatcher) Execute(ctx context.Context, w Work) (runs.Outcome, error) {
	outcome, err := e.execute(ctx, w)
	if err != nil && fault.KindOf(err) == fault.Infrastructure && ctx.Err() == nil && !queue.IsPermanent(err) {
		return outcome, fmt.Errorf("%w: %w", ErrNotNow, err)
	}
	return outcome, err
}

func (e *Dispatcher) execute(ctx context.Context, w Work) (runs.Outcome, error) {
	found, err := e.find(ctx, w)
	if err != nil {
		return runs.Outcome{}, err
	}
	if found == nil {
		return runs.Outcome{}, e.unseen(ctx, w)
	}
	if w.Run.WorkflowRun != found.GetID() {
		if err := e.Started(ctx, w.Run.ID, found.GetID()); err != nil {
			return runs.Outcome{}, err
		}
	}
	if found.GetStatus() != completed {
		return runs.Outcome{}, ErrElsewhere
	}
	return e.ended(ctx, w, found)
}

// unseen starts the workflow, or waits until its run is to be seen. What GitHub
// may not have taken is asked for again.
func (e *Dispatcher) unseen(ctx context.Context, w Work) error {
	r := w.Run
	switch {
	case r.WorkflowRun == 0 || r.WorkflowRun == WorkflowAsked && e.late(r):
		return e.start(ctx, w)
	case e.late(r):
		return fault.Invalidf("The workflow %s was started, but no run of it has %s in its title: write `run-name: bench ${{ inputs.run-id }}` into it", r.Request.Plan.Workflow, r.ID)
	default:
		return ErrElsewhere
	}
}

// late reports whether a workflow run that was asked for would be seen by now.
func (e *Dispatcher) late(r runs.Run) bool {
	return e.asked.of(r.ID, r.WorkflowAsked, e.Now(), e.Elapsed()) > appearance
}

// Abandon cancels the workflow of a run that was ended by others, and keeps
// what its artifact has: it was paid for.
func (e *Dispatcher) Abandon(ctx context.Context, r runs.Run, client *github.Client) error {
	if r.WorkflowRun == 0 {
		return nil
	}
	w := Work{Run: r, Client: client}
	found, err := e.find(ctx, w)
	switch {
	case err != nil:
		return err
	case found == nil && e.late(r):
		return nil
	case found == nil:
		return ErrElsewhere // it may still appear
	case found.GetStatus() != completed:
		return cmp.Or(cancel(ctx, w, found), ErrElsewhere)
	default:
		return e.settle(ctx, w, found)
	}
}

// settle keeps the rows of an abandoned run. What cannot be used is left.
func (e *Dispatcher) settle(ctx context.Context, w Work, run *gh.WorkflowRun) error {
	by, err := e.origin(ctx, w)
	if err != nil || !by.has(run) {
		return err
	}
	archive, err := e.download(ctx, w, run, artifactName(w.Run))
	if archive == nil {
		return err
	}
	result, err := readArtifact(archive, w.Run)
	if err != nil {
		return err
	}
	rows := map[bench.Cell][]byte{}
	for _, one := range result.rows {
		rows[one.cell] = one.line
	}
	return e.Settle(ctx, w.Run.ID, rows)
}

func missingWorkflow(r runs.Run) error {
	return fault.Invalidf("There is no workflow %s%s on the default branch: `bench init --app` writes one, or name another one in %s",
		workflowFolder, r.Request.Plan.Workflow, settings.Path)
}

// Plan is the input plan, as JSON: what the workflow is to measure, in the
// words of the action's inputs.
type Plan struct {
	Provider  string `json:"provider"`
	Model     string `json:"model"`
	Benchmark string `json:"benchmark"`
	// Experiment is the configuration of a benchmark other than ghx, which has none of what
	// says how ghx is measured.
	Experiment  string `json:"experiment-config,omitempty"`
	Profile     string `json:"gate-profile"`
	ScenarioSet string `json:"scenario-set"`
	Scenarios   string `json:"scenarios"`
	Modes       string `json:"modes"`
	Baseline    string `json:"baseline-mode"`
	Candidate   string `json:"candidate-mode"`
	// ModeFiles are paths in the repository, one a line.
	ModeFiles string `json:"mode-files,omitempty"`
	// BaseCommit is that of mode ghx@base.
	BaseCommit  string `json:"base-commit"`
	Repetitions string `json:"repetitions"`
	// Margins are those of a profile that decides by evidence, 0 of others.
	MarginSuccess float64 `json:"margin-success,omitempty"`
	MarginCost    float64 `json:"margin-cost,omitempty"`
	MarginLatency float64 `json:"margin-latency,omitempty"`
	Target        string  `json:"target"`
	// SeedID is empty for the sandbox.
	SeedID string `json:"seed-id"`
	// MaxCostUSD is the most that may be spent now: what rows that are taken
	// over have cost does not count.
	MaxCostUSD float64 `json:"max-cost-usd"`
	Minutes    int     `json:"timeout-minutes"`
	// EarlierRun is the id of an earlier run whose artifact has rows to take
	// over, EarlierWorkflowRun the number of the workflow run that has that.
	// Both are empty if there is none.
	EarlierRun         string `json:"earlier-run,omitempty"`
	EarlierWorkflowRun string `json:"earlier-workflow-run,omitempty"`
}

// inputs returns what a workflow is given.
func inputs(ctx context.Context, w Work) (map[string]any, error) {
	asked := planOf(w.Run.Request.Plan)
	asked.BaseCommit = w.Run.Request.BaseSHA
	if asked.Target != settings.SandboxTarget && asked.Experiment == "" {
		asked.SeedID = seedOf(w)
	}
	before, err := earlier(ctx, w)
	if err != nil {
		return nil, err
	}
	if before != nil {
		asked.EarlierRun, asked.EarlierWorkflowRun = before.ID, strconv.FormatInt(before.WorkflowRun, 10)
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return nil, fault.Internalf("write the plan: %w", err)
	}
	return map[string]any{"run-id": w.Run.ID, "sha": w.Run.Head, "plan": string(text)}, nil
}

// seedOf names the run's fixtures: rows of different ones are not put together,
// so runs that go on with each other have those of the first.
func seedOf(w Work) string {
	first := w.Run
	if len(w.Before) > 0 {
		first = w.Before[len(w.Before)-1]
	}
	return strings.ToLower(first.ID)
}

// earlier returns the latest of the runs that this one goes on with whose
// workflow run has an artifact, nil if none has. One that broke may have left
// none; its own rows are then lost, but not those that it was to take over.
func earlier(ctx context.Context, w Work) (*runs.Run, error) {
	for _, r := range w.Before {
		if r.WorkflowRun <= 0 {
			continue // it ran on the App's machine, or never began
		}
		found, err := findArtifact(ctx, w.Client, r, r.WorkflowRun, artifactName(r))
		if err != nil {
			return nil, err
		}
		if found != nil {
			return &r, nil
		}
	}
	return nil, nil
}

func planOf(p settings.Plan) Plan {
	out := Plan{
		Provider: p.Agent, Model: p.Model, Benchmark: p.Benchmark, Profile: string(p.Profile), ScenarioSet: p.Set,
		Modes: bench.JoinModes(p.Modes, ","), Baseline: string(p.Baseline), Candidate: string(p.Candidate), ModeFiles: strings.Join(p.ModeFiles, "\n"), Repetitions: p.Repetitions.String(), Target: p.Target,
		MarginSuccess: p.Margins.Success, MarginCost: p.Margins.Cost, MarginLatency: p.Margins.Latency,
		MaxCostUSD: p.MaxUSD, Minutes: int(p.Timeout / time.Minute),
	}
	if p.Set == "" {
		out.Scenarios = strings.Join(p.Scenarios, ",")
	}
	if p.Model == settings.Scripted {
		out.Model, out.MaxCostUSD = "", 0
	}
	if p.OfTasks() {
		out.Experiment, out.Target = p.Experiment, ""
	}
	return out
}

// start asks for the workflow. That it was asked for is noted first: a second
// run of it would cost as much again.
func (e *Dispatcher) start(ctx context.Context, w Work) error {
	r := w.Run
	in, err := inputs(ctx, w)
	if err != nil {
		return err
	}
	repo, _, err := w.Client.REST.Repositories.Get(ctx, r.Owner(), r.Name())
	if err != nil {
		return github.Explain("look up the default branch", err)
	}
	if err := e.Asks(ctx, r.ID, e.Now()); err != nil {
		return err
	}
	_, err = w.Client.REST.Actions.CreateWorkflowDispatchEventByFileName(ctx, r.Owner(), r.Name(), r.Request.Plan.Workflow,
		gh.CreateWorkflowDispatchEventRequest{Ref: repo.GetDefaultBranch(), Inputs: in})
	switch status := github.StatusOf(err); {
	case err == nil:
		return cmp.Or(e.Started(ctx, r.ID, WorkflowAccepted), ErrElsewhere)
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
func (e *Dispatcher) ended(ctx context.Context, w Work, run *gh.WorkflowRun) (runs.Outcome, error) {
	outcome := runs.Outcome{Log: "The log is that of the workflow: " + run.GetHTMLURL() + "\n"}
	by, err := e.origin(ctx, w)
	if err != nil {
		return outcome, err
	}
	if !by.has(run) {
		return outcome, fault.Invalidf("The workflow run %s does not count, as %s did not start all of it on branch %s: ask for another one with `/bench retry`", run.GetHTMLURL(), by.bot, by.branch)
	}
	archive, err := e.download(ctx, w, run, artifactName(w.Run))
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
	result, err := readArtifact(archive, w.Run)
	if err != nil {
		return outcome, fault.Because(fault.Invalid, err, fmt.Sprintf("The artifact %s of %s cannot be used: %s", artifactName(w.Run), run.GetHTMLURL(), fault.Public(err)))
	}
	if err := result.keep(w); err != nil {
		return outcome, err
	}
	if err := e.transcripts(ctx, w, run, result.rows); err != nil {
		outcome.Log += "Its transcripts are not kept: " + fault.Public(err) + "\n"
	}
	if result.summary == nil {
		outcome.Reason = "Its workflow ended before the benchmark was complete: " + run.GetHTMLURL()
		return outcome, nil
	}
	outcome.Summary = result.summary
	return outcome, nil
}
