package benchcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func (a *app) harnessCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "harness",
		Short: "Run tau-bench, Terminal-Bench, BIRD-Interact or a benchmark of your own, and gate on it",
		Long: `harness runs a benchmark that rewards each task with a number from 0 to 1, as
` + harness.ConfigFile + ` in the current folder says. What it knows is kept in the
folder ` + suite.Dir + `.`,
		Example: `  bench harness prepare
  bench harness run --split train
  bench harness gate && bench harness record`,
	}
	cmd.AddCommand(a.harnessPrepareCommand(), a.harnessRunCommand(), a.harnessGateCommand(), a.harnessRecordCommand())
	return cmd
}

// harnessFlags are the flags of all commands of the harness.
type harnessFlags struct {
	config string
	json   bool
}

func (f *harnessFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.config, "config", harness.ConfigFile, "read the configuration from this `FILE`")
	flags.BoolVar(&f.json, "json", false, "print JSON")
}

// optionalConfig is the configuration, all defaults without a file.
func (f *harnessFlags) optionalConfig() (harness.Config, error) {
	config, err := harness.ReadConfig(f.config)
	if errors.Is(err, fs.ErrNotExist) && f.config == harness.ConfigFile {
		return harness.ParseConfig(f.config, nil)
	}
	return config, err
}

func (a *app) workspace() suite.Workspace { return suite.Workspace{Dir: suite.Dir, Now: a.now} }

// locked calls f while no other process changes the workspace.
func (a *app) locked(who string, f func(suite.Workspace) error) error {
	w := a.workspace()
	release, err := w.Lock(fmt.Sprintf("bench harness %s (process %d)", who, os.Getpid()))
	if err != nil {
		return err
	}
	defer release()
	return f(w)
}

// harnessHost is this machine, with what is said about a run on standard
// error.
func (a *app) harnessHost() harness.Host {
	return harness.Host{Environ: os.Environ(), Log: a.stderr, Observe: func(p harness.Progress) {
		total := ""
		if p.Total > 0 {
			total = fmt.Sprintf("/%d", p.Total)
		}
		fmt.Fprintf(a.stderr, "%3d%s %s\n", p.Done, total, outcomeLine(p.TaskID, p.Outcome))
		if a.taskDone != nil {
			a.taskDone(p)
		}
	}}
}

// outcomeLine says what became of a task.
func outcomeLine(id string, o harness.Outcome) string {
	switch {
	case o.Passed():
		return fmt.Sprintf("PASS  %s: %.2f", id, o.Score)
	case o.Rewarded():
		return fmt.Sprintf("FAIL  %s: %.2f", id, o.Score)
	case o.Reason == "":
		return fmt.Sprintf("none  %s: N/A (%s)", id, o.Status)
	default:
		return fmt.Sprintf("none  %s: N/A (%s: %s)", id, o.Status, o.Reason)
	}
}

// harnessRun is a run of a benchmark, on one of its splits.
type harnessRun struct {
	config harness.Config
	host   harness.Host
	split  string
	// training says that the split is trained on: what the agent did is for its
	// author to read.
	training bool
}

// runner makes the runner of the configured benchmark.
func (r harnessRun) runner() (harness.Runner, error) {
	r.host.Hidden = r.config.Options.Secrets()
	make, known := harnessRunners()[r.config.Benchmark]
	if !known {
		return nil, fault.Invalidf("%s: benchmark %q cannot be run by this program", r.config.File, r.config.Benchmark)
	}
	return make(r)
}

// check returns what keeps the runner from running tasks, nil for all of the split,
// before anything is started.
func (r harnessRun) check(ctx context.Context, taskIDs []string, thorough bool) error {
	checks, err := r.checks(ctx, taskIDs, thorough)
	if err != nil {
		return err
	}
	return harness.FirstProblem(checks)
}

func (r harnessRun) checks(ctx context.Context, taskIDs []string, thorough bool) ([]harness.Check, error) {
	runner, err := r.runner()
	if err != nil {
		return nil, err
	}
	checker, can := runner.(harness.Checker)
	if !can || taskIDs != nil && len(taskIDs) == 0 {
		return nil, nil
	}
	return checker.Check(ctx, taskIDs, thorough), nil
}

// tasks are those of the split; told is false of a benchmark that does not tell them
// before they are run.
func (r harnessRun) tasks(ctx context.Context) (ids []string, told bool, err error) {
	runner, err := r.runner()
	if err != nil {
		return nil, false, err
	}
	lister, can := runner.(harness.Lister)
	if !can {
		return nil, false, nil
	}
	ids, err = lister.Tasks(ctx, r.split)
	return ids, true, err
}

// shardTasks are the tasks of the split, which all shards have to know before they are
// run: as the benchmark tells them or, of one that does not, those that the scores in the
// workspace are of.
func (a *app) shardTasks(ctx context.Context, r harnessRun, mend string) ([]string, error) {
	ids, told, err := r.tasks(ctx)
	if err != nil || told {
		return ids, err
	}
	ids, err = a.workspace().Tasks(r.split)
	if err == nil && len(ids) == 0 {
		err = fault.Invalidf("--shard has to know the tasks before they are run, which benchmark %q does not tell, and %s has no scores of split %q: %s", r.config.Benchmark, suite.Dir, r.split, mend)
	}
	return ids, err
}

// agent is what the code of the benchmark's agent is told.
func (r harnessRun) agent() harness.Agent {
	model := r.host.AgentModel(r.config.AgentModel)
	agent := harness.Agent{
		Model: model, Named: modelNamed(r.host, r.config), ReasoningEffort: r.config.ReasoningEffort, Allow: r.config.AgentEnv,
		SaveTrace: r.training, KeyVariables: []string{harness.KeyVariable(model)},
	}
	if r.config.ModelKeyEnv != "" {
		agent.KeyVariables = []string{r.config.ModelKeyEnv}
	}
	return agent
}
