package appcli

import (
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
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
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
	return benchcli.RunTaskGate(ctx, args)
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
}

// compareAgents runs a benchmark that brings its own tasks.
func (l *local) compareAgents(ctx context.Context, w service.Work) (outcome runs.Outcome, err error) {
	// A server before this one may have spent it.
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
	c := &comparison{local: l, work: w, log: log}
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
	end, err := c.start(ctx, env)
	unguard()
	// Nothing of it runs any more when its files are read.
	killed := c.space.Kill(context.WithoutCancel(ctx))
	if killed != nil {
		return nil, killed
	}
	kept := c.keep(end)
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
	case end.Summary == nil:
		return nil, queue.Permanent(fault.Infraf("run the gate: it ended without a verdict"))
	default:
		return end.Summary, nil
	}
}

// keep stores what there is of the gate's rows, and what it has cost. End is nil where
// it did not come to that.
func (c *comparison) keep(end *benchcli.TaskGateEnd) error {
	if end == nil {
		end = &benchcli.TaskGateEnd{}
	}
	ledgers, err := c.ledgers(end.RunID)
	return errors.Join(err, c.work.KeepMeasured(end.Summary, ledgers, c.reach.spentUSD()))
}

// start runs the gate's process to its end, nil if it did not come to that.
func (c *comparison) start(ctx context.Context, env []string) (*benchcli.TaskGateEnd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fault.Infraf("find our own program: %w", err)
	}
	program, err := c.space.Stage(self)
	if err != nil {
		return nil, err
	}
	reports, told, err := os.Pipe()
	if err != nil {
		return nil, fault.Infraf("start the gate: %w", err)
	}
	defer reports.Close()
	args := c.arguments(ctx)
	fmt.Fprintln(c.log, "$ bench "+shellquote.Join(args...))
	process, err := c.space.Start(ctx, confine.Command{
		Path: program, Args: append([]string{gateCommand}, args...), Dir: filepath.Join(c.space.Home(), headFolder),
		Env:    append(env, "PATH="+c.builds.path, "HOME="+c.space.Home(), "TMPDIR="+c.space.Temp(), "CI=true", "LANG=C.UTF-8"),
		Stdout: c.log, Stderr: c.log, Files: []*os.File{told},
	})
	_ = told.Close() // it is the process's, whose end is seen by its end
	if err != nil {
		return nil, err
	}
	done := 0
	end := benchcli.FollowTaskGate(reports, func(_, total int) {
		done++
		c.work.Progress(done, max(done, total), c.reach.spentUSD())
	})
	return end, process.Wait()
}

// arguments are the command line of the gate: the settings of the base branch say how it
// decides.
func (c *comparison) arguments(ctx context.Context) []string {
	r, p := c.work.Run, c.work.Run.Request.Plan
	tree := func(sha string) string { return ghxbuild.TreeOf(ctx, c.work.Client, r.Owner(), r.Name(), sha) }
	return benchcli.TaskGate{
		Config: p.Experiment, MaxCostUSD: p.MaxUSD,
		Evidence: &benchcli.TaskGateEvidence{Epochs: p.Repetitions.String(), MarginSuccess: p.Margins.Success, MarginCost: p.Margins.Cost, MarginLatency: p.Margins.Latency},
		Against: &benchcli.TaskGateCommits{
			Commit: r.Head, Tree: tree(r.Head), BaseDir: filepath.Join("..", baseFolder), BaseCommit: r.Request.BaseSHA, BaseTree: tree(r.Request.BaseSHA),
		},
	}.Arguments()
}

// ledgers are the files with rows of the gate's run, by their names; none without an id.
func (c *comparison) ledgers(runID string) (map[string][]byte, error) {
	found := map[string][]byte{}
	if runID == "" {
		return found, nil
	}
	if filepath.Base(runID) != runID || !filepath.IsLocal(runID) {
		return nil, fault.Infraf("read the rows of the gate: %.100q is no id of a run", runID)
	}
	const most = 256 << 20 // bytes
	folder := filepath.Join(headFolder, verify.DefaultDir, runID)
	return found, confine.EachFile(c.space.Home(), folder, most, ledger.IsFile, func(name string, text []byte) error {
		found[name] = text
		return nil
	})
}
