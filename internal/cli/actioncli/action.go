package actioncli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// action is one run of the action's main step.
type action struct {
	log     *actions.Log
	secrets *redact.Redactor
	environ []string
	getenv  func(string) string
	now     func() time.Time
	random  func() string

	inputs actions.Inputs
	event  actions.Event
	teller *teller
	// source is where the proposed files are, empty if that is the workspace.
	source string
	// tree and baseTree are the hashes of the trees of what is proposed and of the
	// base commit, as far as the workspace's repository knows them.
	tree, baseTree string
	// began is when the attempt of another workflow's run began whose results are judged.
	began time.Time
	// temporary are folders to remove at the end, closed what is to be opened again,
	// hidden what neither builds nor agents see.
	temporary []string
	closed    []closedPath
	hidden    []string
}

// patience is how GitHub's limits and failures are borne.
func (a *action) patience() *github.Patience {
	return &github.Patience{Now: a.now, Random: rand.Float64}
}

// run does what the event leads to, and returns the exit code.
func (a *action) run(ctx context.Context) int {
	hidden := actions.Secrets(a.environ)
	a.log.Mask(hidden...)
	for _, secret := range hidden {
		a.secrets.Add(secret)
	}
	defer a.tidy()
	code, err := a.start(ctx)
	if err != nil {
		a.log.Error(actions.Position{Title: "bench"}, fault.Public(err))
	}
	if a.inputs.FailOn == actions.FailOnNever && ctx.Err() == nil {
		return exitFine
	}
	return code
}

// start reads what the workflow gave, and decides.
func (a *action) start(ctx context.Context) (int, error) {
	var wrong, err error
	a.inputs, wrong = actions.ReadInputs(a.environ)
	if a.event, err = actions.ReadEvent(a.getenv); err != nil {
		return exitInfrastructure, cmp.Or(wrong, err)
	}
	if err := a.enterWorkspace(); err != nil {
		return exitInfrastructure, err
	}
	if a.teller, err = newTeller(a); err != nil {
		return exitInfrastructure, err
	}
	// What runs nothing needs no secrets either.
	noSecrets := wrong != nil && a.inputs.OnlySecretsLack && (a.event.Secretless() || a.event.Name == ghevent.WorkflowRun)
	if noSecrets {
		wrong = nil
	}
	decision := a.decide(ctx, noSecrets)
	a.log.Line(fmt.Sprintf("%s: %s. %s", a.event.Name, decision.Kind, decision.Reason))
	switch {
	case decision.Kind == actions.Command:
		return a.obey(ctx, decision.Request, wrong)
	case decision.Kind == actions.Ignore && wrong != nil:
		return exitInvalid, wrong
	case decision.Kind == actions.Refuse:
		return a.broken(ctx, cmp.Or(wrong, fault.Invalidf("%s", decision.Reason)))
	case wrong != nil:
		return a.broken(ctx, wrong)
	}
	switch decision.Kind {
	case actions.Run:
		return a.measure(ctx)
	case actions.Publish:
		return a.merge(ctx)
	case actions.Skip:
		return a.skip(ctx, decision)
	default:
		return exitFine, nil
	}
}

// tidy removes what was made for the run alone: a runner that is somebody's own
// machine lives on.
func (a *action) tidy() {
	a.open()
	for _, folder := range a.temporary {
		if err := os.RemoveAll(folder); err != nil {
			a.log.Line("A temporary folder is left: " + err.Error())
		}
	}
}

// account is [ghxbuild.Account], and has its folder removed at the end.
func (a *action) account() (*syscall.Credential, string, error) {
	user, home, err := ghxbuild.Account()
	if home != "" {
		a.temporary = append(a.temporary, home)
	}
	return user, home, err
}

// enterWorkspace has files be found where the workflow means them.
func (a *action) enterWorkspace() error {
	if a.event.Place.Workspace == "" {
		return nil
	}
	if err := os.Chdir(a.event.Place.Workspace); err != nil {
		return fault.Infraf("enter the workspace: %w", err)
	}
	return nil
}

// decide says what the event leads to. GitHub is asked only where that matters.
func (a *action) decide(ctx context.Context, noSecrets bool) actions.Decision {
	in := a.inputs
	c := actions.Circumstances{Rules: ghevent.Rules{SkipMarker: in.SkipMarker, Drafts: in.RunDrafts, Paths: in.Paths}, HasResults: len(in.Results) > 0, HasArtifacts: len(in.Artifacts) > 0}
	decision := actions.Decide(a.event, c)
	waits := a.event.Name == ghevent.WorkflowRun && decision.Kind == actions.Skip
	if in.Token != "" && (waits || decision.Kind == actions.Run && a.event.Pull != nil) {
		head, err := a.ask(ctx, c.Rules, waits)
		if err != nil {
			a.log.Warning(actions.Position{Title: "bench"}, fault.Public(err))
		} else {
			c.Head = &head
		}
	}
	c.NoSecrets = noSecrets
	return actions.Decide(a.event, c)
}

// ask asks GitHub for what rules depend on. Of a workflow's run it asks for the pull
// request, too.
func (a *action) ask(ctx context.Context, rules ghevent.Rules, ofRun bool) (ghevent.Head, error) {
	if ofRun {
		if err := a.teller.findPull(ctx); err != nil {
			return ghevent.Head{}, err
		}
	}
	return rules.Ask(ctx, a.teller.client, a.event.Repo, *a.event.Pull)
}

// skip concludes the check without having run anything. The job fails where that is
// so for good: its own conclusion may be taken for that of the check.
func (a *action) skip(ctx context.Context, decision actions.Decision) (int, error) {
	waits := a.event.Name == ghevent.WorkflowRun
	if waits && a.inputs.Token != "" {
		checked, err := a.teller.checked(ctx)
		if err != nil {
			return exitInfrastructure, err
		}
		if checked && len(a.contested(ctx)) == 0 {
			a.log.Line("Commit " + a.event.HeadSHA + " has its check already, which stays as it is.")
			return exitFine, nil
		}
	}
	run := a.teller.in(comment.Skipped)
	run.Skip = decision.Skip
	told := a.teller.finish(ctx, run)
	a.output(actions.Result{Conclusion: string(run.Conclusion()), CheckRunURL: told.checkURL})
	if !waits && (decision.Skip == comment.SkipApproval || decision.Skip == comment.SkipSecrets) {
		return exitInfrastructure, nil
	}
	return exitFine, nil
}

// measure builds, runs, judges and tells.
func (a *action) measure(ctx context.Context) (int, error) {
	if a.inputs.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, a.inputs.Timeout,
			fmt.Errorf("stopped after timeout-minutes %g", a.inputs.Timeout.Minutes()))
		defer cancel()
	}
	if a.inputs.Benchmark != actions.BenchmarkGHX {
		return a.measureSuite(ctx)
	}
	a.teller.begin(ctx, a.plan())
	if err := errors.Join(a.readable(), a.findRows()); err != nil {
		return a.broken(ctx, err)
	}
	stages := newStages(a.log)
	defer stages.end()

	stages.enter("Build")
	ghx, err := a.build(ctx)
	if err != nil {
		return a.broken(ctx, err)
	}
	modeFiles, err := ghx.ModeFiles(a.inputs.ModeFiles)
	if err != nil {
		return a.broken(ctx, err)
	}
	view, err := a.admit(ghx, modeFiles)
	if err != nil {
		return a.broken(ctx, err)
	}
	result, said, err := a.bench(ctx, stages, a.verifyArguments(ghx, modeFiles), view)
	a.describe(result, a.inputs.Settings())
	a.handOver()
	return a.judge(ctx, stages, result, said, err)
}

// merge judges the results of other jobs and tells.
func (a *action) merge(ctx context.Context) (int, error) {
	stages := newStages(a.log)
	defer stages.end()
	if err := a.teller.findPull(ctx); err != nil {
		return a.broken(ctx, err)
	}
	a.teller.begin(ctx, nil)
	if err := a.readable(); err != nil {
		return a.broken(ctx, err)
	}
	if err := a.delivered(ctx); err != nil {
		return a.broken(ctx, err)
	}
	stages.enter("Report")
	result, said, err := a.bench(ctx, stages, a.mergeArguments(), nil)
	a.handOver()
	return a.judge(ctx, stages, result, said, err)
}

// judge tells what a run came to.
func (a *action) judge(ctx context.Context, stages *stages, result benchcli.Result, said string, err error) (int, error) {
	stages.enter("Gate")
	a.log.Line(said)
	run := a.teller.in(comment.Finished)
	run.ID, run.Summary, run.Shards, run.Unverified = result.RunID, result.Summary, len(a.inputs.Results), a.unverified()
	switch {
	case ctx.Err() != nil:
		run.Phase, run.Reason = comment.Stopped, context.Cause(ctx).Error()+"."
	case err != nil:
		run.Phase, run.Problem = comment.Broken, err
	case a.inputs.Shard != "":
		a.log.Line("This is a part of the plan: another job merges the parts, judges and publishes.")
		a.output(actions.Result{RunID: result.RunID, Rows: a.folderOf(result)})
		return exitFine, nil
	}
	run.Places = a.places(err)
	if run.Phase == comment.Finished {
		run.Contested = a.contested(ctx)
	}
	stages.enter("Publish")
	told := a.teller.finish(ctx, run)
	a.output(actions.Result{
		Conclusion: string(run.Conclusion()), Summary: result.Summary, Unverified: run.Unverified || len(run.Contested) > 0, RunID: result.RunID, Rows: a.folderOf(result),
		SummaryJSON: result.Outputs.SummaryJSON, SummaryMD: result.Outputs.SummaryMarkdown, ReportHTML: result.Outputs.HTML,
		CheckRunURL: told.checkURL, CommentURL: told.commentURL,
	})
	return a.exitCode(result, err), err
}

// contested returns the other pull requests whose check it would be, too, though they are
// changes to something else. Where that cannot be asked there are none.
func (a *action) contested(ctx context.Context) []int {
	e := a.event
	if e.PullNumber == 0 || a.teller.silent() || !slices.Contains(a.inputs.Modes, bench.GHXBase) {
		return nil
	}
	others, err := ghevent.Contested(ctx, a.teller.client, e.Repo, e.PullNumber, e.HeadSHA)
	if err != nil {
		a.log.Warning(actions.Position{Title: "bench"}, fault.Public(err))
	}
	return others
}

// exitCode says whether the job fails: because of what kept a verdict from
// being reached, and because of a failed gate only where that is asked for.
func (a *action) exitCode(result benchcli.Result, err error) int {
	switch {
	case fault.KindOf(err) == fault.Tool && a.inputs.FailOn != actions.FailOnGate:
		return exitFine
	case err != nil:
		return result.Code
	case result.Summary == nil:
		return exitInfrastructure
	case result.Code == exitGateFailed && a.inputs.FailOn != actions.FailOnGate, result.Code == exitInconclusive:
		return exitFine
	default:
		return result.Code
	}
}

// unverified reports whether the rows were made, or are judged, by a workflow of a
// fork, which its author wrote.
func (a *action) unverified() bool { return a.event.Fork }

// broken tells of an error that ended everything before the run.
func (a *action) broken(ctx context.Context, err error) (int, error) {
	code := exitInfrastructure
	switch fault.KindOf(err) {
	case fault.Invalid:
		code = exitInvalid
	case fault.Tool:
		code = exitGateFailed
	case fault.Infrastructure, fault.Internal:
	}
	run := a.teller.in(comment.Broken)
	run.Problem, run.Places = err, a.places(err)
	if ctx.Err() != nil {
		run = a.teller.in(comment.Stopped)
		run.Reason = context.Cause(ctx).Error() + "."
	}
	told := a.teller.finish(ctx, run)
	a.output(actions.Result{Conclusion: string(run.Conclusion()), CheckRunURL: told.checkURL, CommentURL: told.commentURL})
	return code, err
}

// plan is what will be run, as far as the inputs say.
func (a *action) plan() *comment.Plan {
	in := a.inputs
	model := in.Model
	if in.Benchmark != actions.BenchmarkGHX {
		return &comment.Plan{Model: model}
	}
	if model == "" {
		model = "scripted/plan-v1"
	}
	plan := &comment.Plan{
		Profile: in.Profile, Set: in.ScenarioSet, Scenarios: in.Scenarios, Modes: in.Modes, Repetitions: in.Repetitions, Model: model,
		Simulated: in.Model == "",
	}
	if len(in.Scenarios) > 0 {
		plan.Set = ""
	}
	return plan
}
