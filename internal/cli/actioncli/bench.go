package actioncli

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/confine"
)

// keyVariable is where the command line finds the model's key.
const keyVariable = "BENCH_MODEL_API_KEY"

// verifyArguments returns the command line that does what the inputs ask for.
// The log shows it, so that anybody can run it again at home.
func (a *action) verifyArguments(ghx ghxbuild.Built, modeFiles []string) []string {
	in := a.inputs
	args := []string{
		"verify", "--output-dir", in.OutputDir, "--provider", in.Provider,
		"--modes", bench.JoinModes(in.Modes, ","), "--repetitions", in.Repetitions.String(),
		"--order", in.Order, "--concurrency", strconv.Itoa(in.Concurrency),
		"--git-repo", a.event.Repo.FullName(), "--git-commit", a.event.HeadSHA,
	}
	args = append(append(args, a.judgeArguments()...), a.scenarioArguments()...)
	for _, file := range modeFiles {
		args = append(args, "--mode-file", file)
	}
	for _, host := range in.AllowHosts {
		args = append(args, "--allow-host", host)
	}
	if in.RequireIsolation {
		args = append(args, "--isolation", "require")
	}
	optional := [][2]string{
		{"--scenarios", in.ScenariosPath}, {"--model", in.Model}, {"--model-variant", in.ModelVariant}, {"--model-base-url", in.ModelBaseURL},
		{"--seed-id", in.SeedID}, {"--shard", in.Shard}, {"--rows", in.Rows},
		{"--ghx-command", ghx.Command}, {"--ghx-skill", ghx.Skill}, {"--base-ghx", ghx.Base}, {"--base-ghx-skill", ghx.BaseSkill},
		{"--git-tree", a.tree},
	}
	if slices.Contains(in.Modes, bench.GHXBase) {
		optional = append(optional, [2]string{"--base-commit", a.baseCommit()}, [2]string{"--base-tree", a.baseTree})
	}
	if in.ModelKey != "" {
		optional = append(optional, [2]string{"--model-api-key-env", keyVariable})
	}
	if in.MaxCostUSD > 0 {
		optional = append(optional, [2]string{"--max-cost-usd", strconv.FormatFloat(in.MaxCostUSD, 'g', -1, 64)})
	}
	for _, o := range optional {
		if o[1] != "" {
			args = append(args, o[0], o[1])
		}
	}
	if in.Target != actions.TargetSandbox {
		args = append(args, "--target", in.Target)
		if !in.CleanUp {
			args = append(args, "--keep-fixtures")
		}
	}
	if in.Resume {
		args = append(args, "--resume")
	}
	return args
}

// mergeArguments returns the command line that judges the results of others.
func (a *action) mergeArguments() []string {
	out := verify.OutputsIn(a.inputs.OutputDir)
	args := []string{
		"report", "--gate", "--summary-json", out.SummaryJSON, "--summary-md", out.SummaryMarkdown,
		"--csv", out.CSV, "--html", out.HTML, "--junit", out.JUnit,
	}
	for _, dir := range a.inputs.Results {
		args = append(args, "--results", dir)
	}
	if a.inputs.Benchmark != actions.BenchmarkGHX {
		return args // the parts say how they are judged, which the manifests hold
	}
	return append(append(args, a.judgeArguments()...), a.askedArguments()...)
}

// askedArguments say what the results of others are to be of: what the inputs ask for,
// whatever their own files say.
func (a *action) askedArguments() []string {
	in := a.inputs
	args := []string{"--provider", in.Provider, "--modes", bench.JoinModes(in.Modes, ","), "--repetitions", in.Repetitions.String(), "--git-commit", a.event.HeadSHA}
	args = append(args, a.scenarioArguments()...)
	for _, file := range in.ModeFiles {
		args = append(args, "--mode-file", file)
	}
	for _, o := range [][2]string{{"--model", in.Model}, {"--scenarios", in.ScenariosPath}} {
		if o[1] != "" {
			args = append(args, o[0], o[1])
		}
	}
	return args
}

func (a *action) scenarioArguments() []string {
	if len(a.inputs.Scenarios) == 0 {
		return []string{"--scenario-set", a.inputs.ScenarioSet}
	}
	var args []string
	for _, id := range a.inputs.Scenarios {
		args = append(args, "--scenario", id)
	}
	return args
}

func (a *action) judgeArguments() []string {
	in := a.inputs
	args := []string{
		"--gate-profile", string(in.Profile), "--baseline-mode", string(in.Baseline), "--candidate-mode", string(in.Candidate),
	}
	for _, margin := range []struct {
		flag  string
		value float64
	}{{"--margin-success", in.MarginSuccess}, {"--margin-cost", in.MarginCost}, {"--margin-latency", in.MarginLatency}} {
		if margin.value > 0 {
			args = append(args, margin.flag, strconv.FormatFloat(margin.value, 'g', -1, 64))
		}
	}
	if in.Expectations != "" {
		args = append(args, "--expectations-config", in.Expectations)
	}
	return args
}

// bench runs a command line of bench, whose agents have a view of the file system, and
// returns what that printed.
func (a *action) bench(ctx context.Context, stages *stages, args []string, view *confine.View) (benchcli.Result, string, error) {
	a.log.Line("$ bench " + shellquote.Join(args...))
	if err := os.MkdirAll(a.inputs.OutputDir, folderPerm); err != nil {
		return benchcli.Result{Code: exitInfrastructure}, "", fmt.Errorf("make output-dir: %w", err)
	}
	var stdout bytes.Buffer
	stderr := &lines{log: a.log}
	defer stderr.Flush()
	watch := &watcher{action: a, stages: stages, ctx: ctx}
	result, err := benchcli.World{
		Stdout: &stdout, Stderr: stderr, Now: a.now, Random: a.random, Secrets: a.secrets,
		Getenv:  a.variable,
		Observe: watch.event, Entered: watch.step, Proposed: true, View: view,
		Surface: func(c *bench.SurfaceChange) { a.teller.surface(ctx, c) },
	}.Run(ctx, args...)
	return result, stdout.String(), err
}

// variable returns an environment variable as the command line is to see it:
// secret inputs are passed on in those that it knows.
func (a *action) variable(name string) string {
	in, app := a.inputs, benchcli.FixtureApp()
	given := map[string]string{
		keyVariable: in.ModelKey, benchcli.FixturesTokenVariable: in.FixturesToken, benchcli.AgentTokenVariable: in.AgentToken,
		benchcli.DefaultBranchVariable: a.event.Repo.DefaultBranch,
		app.AppID:                      in.FixtureAppID, app.InstallationID: in.FixtureAppInstallation, app.PrivateKey: in.FixtureAppKey,
	}
	if value := given[name]; value != "" {
		return value
	}
	return a.getenv(name)
}

const folderPerm = 0o755

// watcher follows a run: for the stages of the log, and the check's progress.
type watcher struct {
	action *action
	stages *stages
	//nolint:containedctx // a run's events have none of their own
	ctx context.Context
	// mode is the one whose stage it is, in sequential order.
	mode bench.Mode
}

func (w *watcher) step(step verify.Step) {
	switch step {
	case verify.StepSeed:
		w.stages.enter("Seed")
	case verify.StepRun:
		w.stages.enter("Run " + bench.JoinModes(w.action.inputs.Modes, ", "))
	case verify.StepReport:
		w.stages.enter("Report")
	case verify.StepCleanUp:
		w.stages.enter("Clean up")
	}
}

func (w *watcher) event(e runner.Event) {
	if w.action.inputs.Order == string(runner.Sequential) && e.Kind == runner.EventStart && e.Cell.Mode != w.mode {
		w.mode = e.Cell.Mode
		w.stages.enter("Run " + string(w.mode))
	}
	if e.Kind == runner.EventRow {
		w.action.teller.progress(w.ctx, comment.Progress{Done: e.Done, Cells: e.Total, CostUSD: e.CostUSD})
	}
}

// folderOf returns the folder with a run's ledgers.
func (a *action) folderOf(r benchcli.Result) string {
	if len(r.Rows) == 0 {
		return ""
	}
	return filepath.Dir(r.Rows[0])
}

// handOver gives what was written to whoever the workspace belongs to, so that
// later steps, which are not root, can work with it.
func (a *action) handOver() {
	info, err := os.Stat(".")
	if err != nil || os.Geteuid() != 0 {
		return
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	err = filepath.WalkDir(a.inputs.OutputDir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(owner.Uid), int(owner.Gid))
	})
	if err != nil {
		a.log.Warning(actions.Position{Title: "bench"}, "files in "+a.inputs.OutputDir+" still belong to root: "+err.Error())
	}
}
