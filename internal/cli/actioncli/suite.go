package actioncli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// measureSuite runs the gate of a benchmark other than ghx on the proposed
// agent, and tells.
func (a *action) measureSuite(ctx context.Context) (int, error) {
	folder, err := a.proposed()
	if err != nil {
		return a.broken(ctx, err)
	}
	e, err := a.readExperiment(folder)
	if _, lacks := errors.AsType[lacksKey](err); lacks && a.event.Secretless() {
		return a.skip(ctx, a.event.WithoutSecrets())
	}
	if err != nil {
		return a.broken(ctx, err)
	}
	settings := a.inputs.Settings()
	a.inputs.Model = e.model
	a.teller.begin(ctx, a.plan())
	stages := newStages(a.log)
	defer stages.end()

	if err := a.ownFolders(); err != nil {
		return a.broken(ctx, err)
	}
	stages.enter("Build")
	if e.baseline != "" {
		a.log.Line(fmt.Sprintf("%s: gate.baseline %s is for bench harness gate by hand: the baseline is the base commit, or that of the input base-commit.", a.inputs.ExperimentConfig, e.baseline))
	}
	s := &suiteRun{action: a, environ: e.environ, evidence: e.evidence}
	s.place = a.builder(folder, nil)
	if err := s.prepare(ctx); err != nil {
		return a.broken(ctx, err)
	}
	if err := os.MkdirAll(a.inputs.OutputDir, folderPerm); err != nil {
		return a.broken(ctx, fault.Infraf("make output-dir: %w", err))
	}
	stages.enter("Run " + a.inputs.Benchmark)
	result, said, err := s.gate(ctx)
	if kept := s.keep(ctx, stages, &result); kept != nil && err == nil {
		if a.inputs.Shard != "" {
			return a.broken(ctx, kept) // its rows are all that a part is for
		}
		// The verdict stands without its files.
		a.log.Warning(actions.Position{Title: "bench"}, fault.Public(kept))
	}
	a.describe(result, settings)
	a.handOver()
	return a.judge(ctx, stages, result, said, err)
}

// proposed returns the folder of what is proposed, without the checkout's
// credentials.
func (a *action) proposed() (string, error) {
	if err := a.seclude(); err != nil {
		return "", err
	}
	if a.source != "" {
		return a.source, nil
	}
	workspace, err := os.Getwd()
	if err != nil {
		return "", fault.Infraf("find the workspace: %w", err)
	}
	return workspace, nil
}

// suiteRun runs the gate of a benchmark as the user without rights, in a copy
// of what is proposed: the benchmark runs its code.
type suiteRun struct {
	action  *action
	place   *ghxbuild.Builder
	environ []string
	// evidence says that the gate compares with the base commit.
	evidence bool
	// folder has what is proposed, base the files of the base commit, empty where
	// nothing is compared with it.
	folder, base string
}

// prepare copies what is proposed, and runs the build command there. Before that it does
// the same with the base commit, if the gate compares with it: neither has what the other
// builds.
func (s *suiteRun) prepare(ctx context.Context) error {
	b := s.place
	if err := b.Enter(); err != nil {
		return err
	}
	if s.evidence {
		if err := s.prepareBase(ctx); err != nil {
			return err
		}
	}
	s.folder = filepath.Join(b.Home, "workspace")
	return s.fill(ctx, b, s.folder, "prepare the benchmark")
}

func (s *suiteRun) prepareBase(ctx context.Context) error {
	a := s.action
	workspace, err := os.Getwd()
	if err != nil {
		return fault.Infraf("find the workspace: %w", err)
	}
	if err := a.lookAtCheckout(workspace); err != nil {
		return err
	}
	files, err := a.filesOfBase(ctx, "that the agent could be compared with")
	if err != nil {
		return s.noBaseline(ctx, err)
	}
	b := *s.place // the same user, with the same home
	b.Workspace = files
	s.base = filepath.Join(b.Home, baseFolder)
	return s.noBaseline(ctx, s.fill(ctx, &b, s.base, "prepare the benchmark"))
}

// noBaseline says that there is nothing to compare with, which is not the fault of what is
// proposed.
func (s *suiteRun) noBaseline(ctx context.Context, err error) error {
	sha := s.action.baseCommit()
	switch {
	case err == nil || sha == "" || ctx.Err() != nil:
		return err
	case fault.KindOf(err) == fault.Invalid:
		return fault.Invalidf("there is no agent of the base commit %.7s to compare with, so there is no verdict: %w", sha, err)
	default:
		return fault.Infraf("there is no agent of the base commit %.7s to compare with, so there is no verdict: %w", sha, err)
	}
}

// baseFolder is beside the folder with what is proposed.
const baseFolder = "base"

// fill copies the builder's workspace to a folder, and runs the build command there.
func (s *suiteRun) fill(ctx context.Context, b *ghxbuild.Builder, folder, what string) error {
	script := s.action.inputs.BuildCommand
	return s.action.log.Foreign(func(w io.Writer) error {
		b.Output = w
		if err := b.Copy(ctx, folder); err != nil || script == actions.BuildNone || script == actions.BuildAuto {
			return err
		}
		fmt.Fprintf(w, "$ %s\n", script)
		if err := b.Run(ctx, folder, script); err != nil {
			return ghxbuild.Failed(fmt.Sprintf("%s with %q", what, script), err, "; see the log of the build, or set build-command")
		}
		return nil
	})
}

// suiteGrace is how long the gate has to end its programs when it is stopped:
// less than a runner gives a job that is cancelled.
const suiteGrace = 5 * time.Second

// gate runs the gate in a process of its own, and returns what that printed.
func (s *suiteRun) gate(ctx context.Context) (benchcli.Result, string, error) {
	a, failed := s.action, benchcli.Result{Code: exitInfrastructure}
	args := s.arguments()
	a.log.Line("$ bench " + shellquote.Join(args...))
	program, err := os.Executable()
	if err != nil {
		return failed, "", fault.Infraf("find our own program: %w", err)
	}
	reports, told, err := os.Pipe()
	if err != nil {
		return failed, "", fault.Infraf("start the gate: %w", err)
	}
	defer reports.Close() // again is nothing
	var stdout bytes.Buffer
	stderr := &lines{log: a.log}
	defer stderr.Flush()
	cmd := s.command(ctx, program, args)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &stdout, stderr, []*os.File{told}
	release, err := s.place.Start(cmd)
	// It is the process's, whose end is seen by its end.
	_ = told.Close()
	if err != nil {
		return failed, "", fault.Infraf("start the gate: %w", err)
	}
	end, _ := benchcli.FollowTaskGate(reports, benchcli.TaskGateListener{Progress: func(done, total int) { // it has no error
		a.teller.progress(ctx, comment.Progress{Done: done, Cells: total, Noun: "task"})
	}})
	_ = reports.Close() // nothing waits for who does not read any more
	err = cmd.Wait()
	swept := errors.Join(s.place.Sweep(cmd), release())
	if end == nil || end.Problem == "" && end.Summary == nil && a.inputs.Shard == "" {
		return failed, stdout.String(), errors.Join(fault.Infraf("run the gate: its process ended without a verdict: %w", err), swept)
	}
	end.Problem = a.secrets.String(end.Problem)
	return benchcli.Result{Code: end.Code, Summary: end.Summary, RunID: end.RunID}, stdout.String(), errors.Join(end.Err(), swept)
}

// arguments are the command line of the gate. What is run is no checkout, so they say of
// which commits it is.
func (s *suiteRun) arguments() []string {
	a, in := s.action, s.action.inputs
	gate := benchcli.TaskGate{Config: in.ExperimentConfig, MaxCostUSD: in.MaxCostUSD, Shard: in.Shard}
	// How it decides, and when it ends, the inputs say where they do.
	if in.ByEvidence() {
		gate.Evidence = &benchcli.TaskGateEvidence{
			Epochs: in.Repetitions.String(), MarginSuccess: in.MarginSuccess, MarginCost: in.MarginCost, MarginLatency: in.MarginLatency,
		}
	}
	if s.base != "" {
		gate.Against = &benchcli.TaskGateCommits{
			Commit: a.event.HeadSHA, Tree: a.tree, BaseDir: filepath.Join("..", baseFolder), BaseCommit: a.baseCommit(), BaseTree: a.baseTree,
		}
	}
	return gate.Arguments()
}

// command is that of the gate's process, for the user without rights.
func (s *suiteRun) command(ctx context.Context, program string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // it is our own program
	cmd.Args[0], cmd.Dir = suiteName, s.folder
	cmd.Env = append(s.environ[:len(s.environ):len(s.environ)], "PATH="+s.place.Path, "HOME="+s.place.Home, "CI=true", "LANG=C.UTF-8")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.place.User}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = suiteGrace
	return cmd
}

// keep writes the summary to the output folder, and what the gate has left in its
// workspace, for a later step to record; of one by evidence the rows too, and beside them
// the summary and the pages that are made of them.
func (s *suiteRun) keep(ctx context.Context, stages *stages, result *benchcli.Result) error {
	folder := s.action.inputs.OutputDir
	problems := []error{s.keepRows(result)}
	out := verify.OutputsIn(cmp.Or(s.action.folderOf(*result), folder))
	if result.Summary != nil {
		result.Outputs = verify.Outputs{SummaryJSON: out.SummaryJSON, SummaryMarkdown: out.SummaryMarkdown}
		problems = append(problems,
			writeSummary(out.SummaryJSON, *result.Summary, report.JSON), writeSummary(out.SummaryMarkdown, *result.Summary, report.Markdown),
			keepFiles(s.folder, suite.Dir, filepath.Join(folder, suite.Dir), maxKept, func(string) bool { return true }),
		)
	}
	if result.Summary != nil && len(result.Rows) > 0 {
		args := []string{"report", "--results", filepath.Dir(result.Rows[0]), "--csv", out.CSV, "--html", out.HTML, "--junit", out.JUnit}
		_, _, err := s.action.bench(ctx, stages, args, nil)
		if err == nil {
			result.Outputs.CSV, result.Outputs.HTML, result.Outputs.JUnit = out.CSV, out.HTML, out.JUnit
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// keepRows copies what a gate by evidence has measured, whatever its end.
func (s *suiteRun) keepRows(result *benchcli.Result) error {
	if s.base == "" || result.RunID == "" {
		return nil
	}
	if filepath.Base(result.RunID) != result.RunID || !filepath.IsLocal(result.RunID) {
		return fault.Infraf("keep the rows of the gate: %.100q is no id of a run", result.RunID)
	}
	to := filepath.Join(s.action.inputs.OutputDir, result.RunID)
	err := keepFiles(s.folder, filepath.Join(verify.DefaultDir, result.RunID), to, maxRows, func(name string) bool {
		return name == ledger.RunFile || ledger.IsFile(name)
	})
	if err != nil {
		return err
	}
	// The agent's code may have written them too.
	run, err := ledger.LoadRun(to)
	if err == nil {
		err = hasItsOwnFiles(to, run)
	}
	if err == nil {
		result.Rows, err = ledger.FilesBelow(to)
	}
	return err
}

func writeSummary(file string, s bench.Summary, write func(io.Writer, bench.Summary) error) error {
	to, err := os.Create(file)
	if err != nil {
		return fault.Infraf("write the summary: %w", err)
	}
	return errors.Join(write(to, s), to.Close())
}

// maxKept and maxRows are how large a file is that is kept, and one with rows, in bytes.
const (
	maxKept = 16 << 20
	maxRows = 256 << 20
)

// keepFiles copies the files of a folder that are wanted: see [confine.EachFile].
func keepFiles(outer, from, to string, most int64, wanted func(name string) bool) error {
	made := false
	return confine.EachFile(outer, from, most, wanted, func(name string, text []byte) (err error) {
		if !made {
			err = os.MkdirAll(to, folderPerm)
			made = true
		}
		const perm = 0o644
		return errors.Join(err, os.WriteFile(filepath.Join(to, name), text, perm))
	})
}
