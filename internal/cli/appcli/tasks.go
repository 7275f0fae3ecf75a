package appcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// A benchmark with tasks of its own runs the repository's agents in its own processes.
// So all of it, with our gate that starts it, is held as an agent of ghx's is: it runs as
// a user that nothing else runs as, in folders that are removed, reaches nothing of the
// network but the model, and has neither the model's key nor anything else of the
// server's. What it has measured is read as an artifact is, which somebody else has made.

// gateCommand has the program be the gate of a benchmark: it is for the server alone.
const gateCommand = "gate-of-a-benchmark"

func runGate(args []string) int {
	ctx, stop := benchcli.StopOnSignal(context.Background())
	defer stop()
	if len(args) == 0 {
		return exitInvalid
	}
	return benchcli.RunTaskGate(ctx, args[0], args[1:])
}

// The folders of the two commits, in the home of the user that they are run as.
const (
	headFolder = "workspace"
	baseFolder = "base"
)

// errSpent is the cause of a context whose run has spent what it may.
var errSpent = errors.New("the run has spent what it may")

// comparison compares a repository's agent with that of the base commit.
type comparison struct {
	*local
	work   service.Work
	log    io.Writer
	folder string // has all that is written
	space  *confine.Space
	reach  *reach
	// config is the experiment's.
	config harness.Config
	// measured is what the gate has reported, and that of a server before.
	measured *service.Measured
}

// compareAgents runs a benchmark that brings its own tasks.
func (l *local) compareAgents(ctx context.Context, w service.Work) (outcome runs.Outcome, err error) {
	// A server before this one may have spent it.
	measured := w.Measured()
	w.Run.CostUSD = max(w.Run.CostUSD, measured.USD())
	if p := w.Run.Request.Plan; p.MaxUSD > 0 && w.Run.CostUSD >= p.MaxUSD {
		outcome.Reason = spentText(p)
		return outcome, nil
	}
	leave, err := l.takeReach(ctx)
	if err != nil {
		return outcome, err
	}
	defer leave()
	log, logged := newLog(l.secrets, l.dir)
	c := &comparison{local: l, work: w, log: log, measured: measured}
	ctx, stop := context.WithCancelCause(ctx)
	err = c.open(stop)
	if err == nil {
		err = c.prepare(ctx)
	}
	if err == nil {
		outcome.Summary, err = c.gate(ctx, stop)
	}
	spent := errors.Is(context.Cause(ctx), errSpent)
	stop(nil)
	err = errors.Join(err, c.close())
	outcome.Log = logged()
	if spent {
		outcome.Reason = spentText(w.Run.Request.Plan)
		return outcome, nil
	}
	return outcome, err
}

// takeReach waits for the turn of a run to reach the operator's addresses, if there are any.
func (l *local) takeReach(ctx context.Context) (leave func(), err error) {
	if len(l.settings.Reach) == 0 {
		return func() {}, nil
	}
	select {
	case l.reaches <- struct{}{}:
		return func() { <-l.reaches }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// open takes a user, and what holds it.
func (c *comparison) open(stop context.CancelCauseFunc) (err error) {
	const pass = 0o711 // the user has its folder in there
	folder := filepath.Join(os.TempDir(), "bench-tasks-"+c.work.Run.ID)
	if err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, pass), os.Chmod(folder, pass)); err != nil {
		return fault.Infraf("make a folder for the agents: %w", err)
	}
	c.folder = folder
	c.space, err = confine.Open(confine.Options{
		Name: "tasks", Base: folder, User: confine.OwnUser, View: &confine.View{Hide: []string{filepath.Dir(c.dir)}},
	})
	if err != nil {
		return unheld(c.work.Run, err)
	}
	held := c.space.Isolation()
	if !held.Enforced() {
		return unheld(c.work.Run, errors.New(held.Why()))
	}
	fmt.Fprintf(c.log, "The agents are held: %s\n", held)
	c.reach, err = c.local.openReach(c.work.Run, c.space, c.log, stop)
	return err
}

// unheld says that the machine cannot hold agents, and the mend.
func unheld(r runs.Run, why error) error {
	return fault.Because(fault.Invalid, why, fmt.Sprintf(
		"The agents of %s cannot be run on the App's machine, which could not keep its keys from them (%s): its operator serves as root, as the image does, on Linux 6.7 or newer or with CAP_SYS_ADMIN; or write `executor: %s` into %s",
		r.Request.Plan.Benchmark, fault.Public(why), settings.Dispatch, settings.Path))
}

// close ends all that runs, and removes what it has left.
func (c *comparison) close() error {
	var problems []error
	if c.reach != nil {
		problems = append(problems, c.reach.close())
	}
	if c.space != nil {
		problems = append(problems, c.space.Close())
	}
	if c.folder != "" {
		problems = append(problems, os.RemoveAll(c.folder))
	}
	return errors.Join(problems...)
}

// prepare brings the files of both commits to where the agents run, and has each build
// what it needs: neither has what the other builds.
func (c *comparison) prepare(ctx context.Context) error {
	r := c.work.Run
	if err := c.commit(ctx, r.Request.BaseSHA, baseFolder, nil); err != nil {
		return noBaseline(ctx, r, err)
	}
	return c.commit(ctx, r.Head, headFolder, c.configure)
}

// noBaseline says that there is nothing to compare with.
func noBaseline(ctx context.Context, r runs.Run, err error) error {
	if ctx.Err() != nil || errors.Is(err, service.ErrNotNow) {
		return err
	}
	return fault.Because(fault.KindOf(err), err, fmt.Sprintf("There is no agent of the base commit %.7s to compare with, so there is no verdict: %s", r.Request.BaseSHA, fault.Public(err)))
}

// commit brings the files of a commit to a folder, and builds there. Look is shown them
// before anything of theirs is run; it may be nil.
func (c *comparison) commit(ctx context.Context, sha, to string, look func(folder string) error) error {
	source, err := fetch(ctx, c.work, sha, c.log)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(source) }()
	if look != nil {
		if err := look(source); err != nil {
			return err
		}
	}
	b := c.builder()
	b.Workspace, b.Hide = source, []string{filepath.Dir(c.dir)}
	folder := filepath.Join(b.Home, to)
	if err := b.Copy(ctx, folder); err != nil {
		return err
	}
	script := c.settings.Build
	if script == ghxbuild.None || script == ghxbuild.Auto {
		return nil
	}
	fmt.Fprintf(c.log, "$ %s\n", script)
	if err := b.Run(ctx, folder, script); err != nil && ctx.Err() == nil {
		return queue.Permanent(ghxbuild.Failed(fmt.Sprintf("prepare the benchmark with %q", script), err, "; see the log"))
	}
	return context.Cause(ctx)
}

// builder works as the user of the agents.
func (c *comparison) builder() *ghxbuild.Builder {
	id := uint32(c.space.Isolation().UID)
	return &ghxbuild.Builder{Path: c.builds.path, Output: c.log, User: &syscall.Credential{Uid: id, Gid: id}, Home: c.space.Home()}
}

// configure reads the experiment's configuration in the folder of what is proposed.
func (c *comparison) configure(folder string) error {
	p := c.work.Run.Request.Plan
	file, found, err := ghxbuild.FileIn(folder, p.Experiment)
	switch {
	case err != nil:
		return err
	case !found:
		return fault.Invalidf("there is no file %s, which benchmark %s is configured in: write it, or name another one with experiment_config in %s", p.Experiment, p.Benchmark, settings.Path)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fault.Infraf("read %s: %w", p.Experiment, err)
	}
	if c.config, err = harness.ParseConfig(p.Experiment, text); err != nil {
		return err
	}
	name, without := c.config.WithoutModel()
	none := p.Benchmark + "/" + name // as its rows say
	switch {
	case c.config.Benchmark != p.Benchmark:
		return fault.Invalidf("%s: benchmark is %s, and in %s it is %s: name the same one", p.Experiment, c.config.Benchmark, settings.Path, p.Benchmark)
	case without && p.Model != none:
		return fault.Invalidf("%s: its agent is %s, which asks no model: write `model: %s` into %s", p.Experiment, name, none, settings.Path)
	case !without && p.AsksNoModel():
		return fault.Invalidf("%s: its agent asks a model, and %s is none: name the agent's in %s", p.Experiment, p.Model, settings.Path)
	case c.config.AgentModel != "" && c.config.AgentModel != p.Model:
		return fault.Invalidf("%s: agent_model is %s, and the model of the run is %s: leave it out, or say the same", p.Experiment, c.config.AgentModel, p.Model)
	default:
		return nil
	}
}

// gate runs the gate, and stores what it has measured.
func (c *comparison) gate(ctx context.Context, stop context.CancelCauseFunc) (*bench.Summary, error) {
	env, err := c.reach.environment(c.config, c.work.Run.Request.Plan)
	if err != nil {
		return nil, err
	}
	guard := *c.builder()
	guard.Home = c.folder
	// The service ends a run that takes too long.
	guard.Bounds.Time = c.work.Run.Request.Plan.Timeout + ghxbuild.DefaultTime
	unguard := guard.Guard("running", c.log, func(err error) { stop(err) })
	end, err := c.start(ctx, env, stop)
	unguard()
	var summary *bench.Summary
	if end != nil {
		summary = end.Summary
	}
	kept := c.measured.End(summary, c.reach.spentUSD())
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	// What has been paid for once is not tried again by itself.
	case end == nil:
		return nil, queue.Permanent(errors.Join(fault.Infraf("run the gate: its process ended without a verdict"), err))
	case end.Problem != "":
		return nil, queue.Permanent(fault.Because(fault.KindOf(end.Err()), end.Err(), c.secrets.String(end.Problem)))
	case kept != nil:
		return nil, kept
	case summary == nil:
		return nil, queue.Permanent(fault.Infraf("run the gate: it ended without a verdict"))
	default:
		return summary, nil
	}
}

// start runs the gate's process to its end, nil if it did not come to that. What it reports
// and cannot be used ends it.
func (c *comparison) start(ctx context.Context, env []string, stop context.CancelCauseFunc) (*benchcli.TaskGateEnd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fault.Infraf("find our own program: %w", err)
	}
	program, err := c.space.Stage(self)
	if err != nil {
		return nil, err
	}
	state, err := c.provideState()
	if err != nil {
		return nil, err
	}
	reports, told, err := os.Pipe()
	if err != nil {
		return nil, fault.Infraf("start the gate: %w", err)
	}
	defer reports.Close() // again is nothing
	args := c.arguments(ctx)
	fmt.Fprintln(c.log, "$ bench "+shellquote.Join(args...))
	process, err := c.space.Start(ctx, confine.Command{
		Path: program, Args: append([]string{gateCommand, state}, args...), Dir: filepath.Join(c.space.Home(), headFolder),
		Env:    append(env, "PATH="+c.builds.path, "HOME="+c.space.Home(), "TMPDIR="+c.space.Temp(), "CI=true", "LANG=C.UTF-8"),
		Stdout: c.log, Stderr: c.log, Files: []*os.File{told},
	})
	_ = told.Close() // it is the process's, whose end is seen by its end
	if err != nil {
		return nil, err
	}
	done := 0
	end, refused := benchcli.FollowTaskGate(reports, benchcli.TaskGateListener{
		Progress: func(_, total int) {
			done++
			c.measured.Progress(done, total, c.reach.spentUSD())
		},
		Run: c.measured.Begins, Row: c.measured.Row,
	})
	if refused != nil {
		stop(refused)
	}
	_ = reports.Close() // nothing waits for who does not read any more
	return end, process.Wait()
}

// provideState gives the gate what it goes on with: whatever the process before has left in
// its folders is not believed.
func (c *comparison) provideState() (path string, err error) {
	var state benchcli.TaskGateState
	var rows [][]byte
	state.Run, rows = c.measured.Kept()
	for _, row := range rows {
		state.Rows = append(state.Rows, row)
	}
	text, err := state.Bytes()
	if err != nil {
		return "", err
	}
	return c.space.Provide("state.jsonl", text)
}

// arguments are the command line of the gate: the settings of the base branch say how it
// decides.
func (c *comparison) arguments(ctx context.Context) []string {
	r, p := c.work.Run, c.work.Run.Request.Plan
	kept, _ := c.measured.Kept()
	tree := func(sha string) string {
		// GitHub may not have answered, and a run that goes on has the same.
		if kept != nil {
			known := kept.ModeFiles[bench.AgentOf(sha)].Git.Tree
			return *cmp.Or(known, new(string))
		}
		return ghxbuild.TreeOf(ctx, c.work.Client, r.Owner(), r.Name(), sha)
	}
	return benchcli.TaskGate{
		Config: p.Experiment, MaxCostUSD: p.MaxUSD,
		Evidence: &benchcli.TaskGateEvidence{Epochs: p.Repetitions.String(), MarginSuccess: p.Margins.Success, MarginCost: p.Margins.Cost, MarginLatency: p.Margins.Latency},
		Against: &benchcli.TaskGateCommits{
			Commit: r.Head, Tree: tree(r.Head), BaseDir: filepath.Join("..", baseFolder), BaseCommit: r.Request.BaseSHA, BaseTree: tree(r.Request.BaseSHA),
		},
	}.Arguments()
}
