package actioncli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/comment"
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
	a.inputs.Model = e.model
	a.teller.begin(ctx, a.plan())
	stages := newStages(a.log)
	defer stages.end()

	if err := a.ownFolders(); err != nil {
		return a.broken(ctx, err)
	}
	stages.enter("Build")
	s := &suiteRun{action: a, environ: e.environ}
	s.place = a.builder(folder, nil)
	if err := s.prepare(ctx); err != nil {
		return a.broken(ctx, err)
	}
	if err := os.MkdirAll(a.inputs.OutputDir, folderPerm); err != nil {
		return a.broken(ctx, fault.Infraf("make output-dir: %w", err))
	}
	stages.enter("Run " + a.inputs.Benchmark)
	result, said, err := s.gate(ctx)
	if err == nil {
		// The verdict stands without its files.
		if err := s.keep(&result); err != nil {
			a.log.Warning(actions.Position{Title: "bench"}, fault.Public(err))
		}
	}
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
	folder  string
}

// prepare copies what is proposed, and runs the build command there.
func (s *suiteRun) prepare(ctx context.Context) (err error) {
	b, script := s.place, s.action.inputs.BuildCommand
	if err := b.Enter(); err != nil {
		return err
	}
	s.folder = filepath.Join(b.Home, "workspace")
	return s.action.log.Foreign(func(w io.Writer) error {
		b.Output = w
		if err := b.Copy(ctx, s.folder); err != nil || script == actions.BuildNone || script == actions.BuildAuto {
			return err
		}
		fmt.Fprintf(w, "$ %s\n", script)
		if err := b.Run(ctx, s.folder, script); err != nil {
			return ghxbuild.Failed(fmt.Sprintf("prepare the benchmark with %q", script), err, "; see the log of the build, or set build-command")
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
	args := []string{"harness", "gate", "--config", a.inputs.ExperimentConfig}
	a.log.Line("$ bench " + shellquote.Join(args...))
	program, err := os.Executable()
	if err != nil {
		return failed, "", fault.Infraf("find our own program: %w", err)
	}
	reports, told, err := os.Pipe()
	if err != nil {
		return failed, "", fault.Infraf("start the gate: %w", err)
	}
	defer reports.Close()
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
	end := s.follow(ctx, reports)
	err = cmd.Wait()
	swept := errors.Join(s.place.Sweep(cmd), release())
	if end == nil || end.Problem == "" && end.Summary == nil {
		return failed, stdout.String(), errors.Join(fault.Infraf("run the gate: its process ended without a verdict: %w", err), swept)
	}
	end.Problem = a.secrets.String(end.Problem)
	return benchcli.Result{Code: end.Code, Summary: end.Summary}, stdout.String(), errors.Join(end.err(), swept)
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

// follow shows how far the gate is, and returns its end, nil if it did not come
// to that.
func (s *suiteRun) follow(ctx context.Context, reports io.Reader) *suiteEnd {
	for decoder := json.NewDecoder(reports); ; {
		var said suiteReport
		if err := decoder.Decode(&said); err != nil {
			return nil
		}
		if said.End != nil {
			return said.End
		}
		s.action.teller.progress(ctx, comment.Progress{Done: said.Done, Cells: said.Total, Noun: "task"})
	}
}

// keep writes the summary to the output folder, and what the gate has left in
// its workspace, for a later step to record.
func (s *suiteRun) keep(result *benchcli.Result) error {
	folder := s.action.inputs.OutputDir
	out := verify.OutputsIn(folder)
	result.Outputs = verify.Outputs{SummaryJSON: out.SummaryJSON, SummaryMarkdown: out.SummaryMarkdown}
	return errors.Join(
		writeSummary(out.SummaryJSON, *result.Summary, report.JSON), writeSummary(out.SummaryMarkdown, *result.Summary, report.Markdown),
		keepFiles(filepath.Join(s.folder, suite.Dir), filepath.Join(folder, suite.Dir)),
	)
}

func writeSummary(file string, s bench.Summary, write func(io.Writer, bench.Summary) error) error {
	to, err := os.Create(file)
	if err != nil {
		return fault.Infraf("write the summary: %w", err)
	}
	return errors.Join(write(to, s), to.Close())
}

// maxKept is how large a file is that is kept, in bytes.
const maxKept = 16 << 20

// keepFiles copies the files of a folder, but not those of folders in it. What
// is no file of its own, as a link, is left: the folder was the agent's too.
func keepFiles(from, to string) error {
	root, err := os.OpenRoot(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Infraf("keep the workspace of the gate: %w", err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err == nil {
		err = os.MkdirAll(to, folderPerm)
	}
	for _, entry := range entries {
		info, infoErr := entry.Info()
		if err != nil || infoErr != nil || !info.Mode().IsRegular() || info.Size() > maxKept {
			continue
		}
		var text []byte
		if text, err = root.ReadFile(entry.Name()); err == nil {
			const perm = 0o644
			err = os.WriteFile(filepath.Join(to, entry.Name()), text, perm)
		}
	}
	if err != nil {
		return fault.Infraf("keep the workspace of the gate: %w", err)
	}
	return nil
}
