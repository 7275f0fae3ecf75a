package benchcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// harnessRunFlags are those of a run.
type harnessRunFlags struct {
	harnessFlags
	rows         harnessRowFlags
	epochs       int
	retryErrored bool
	shard        string
	split        string
	taskIDs      taskIDs
	concurrency  int
	domain       string
}

// taskIDs are given after their flag, as arguments: --task-ids 0 1 42. Without
// any, it is an empty list. One of them may be given as --task-ids=0 too.
type taskIDs struct{ ids []string }

// taskIDsFollow stands for the value of a flag that has none of its own.
const taskIDsFollow = "ID ..."

// Set takes an id.
func (t *taskIDs) Set(id string) error {
	if t.ids == nil {
		t.ids = []string{}
	}
	if id != taskIDsFollow {
		t.ids = append(t.ids, id)
	}
	return nil
}

// String returns the default, which there is none of.
func (t *taskIDs) String() string { return "" }

// Type is the name of the value in a command's help.
func (t *taskIDs) Type() string { return "ids" }

func (a *app) harnessRunCommand() *cobra.Command {
	var f harnessRunFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the benchmark, or some of its tasks",
		Long: `run runs the tasks of a split and tells of each whether it passed: a reward of
0.5 or more. Each is a row of a run below .bench as soon as it is done, which
` + "`bench report`, `bench explain` and `bench compare`" + ` read. Results are saved to ` + suite.Dir + `/<split>_results.json, and to
` + suite.Dir + `/train_results.json if the split is the one that is trained on.`,
		Example: `  bench harness run
  bench harness run --split test
  bench harness run --task-ids 0 1 42
  bench harness run --epochs 4
  bench harness run --resume --retry-errored
  bench harness run --split train --concurrency 10
  bench harness run --epochs 4 --shard 2/4
  bench harness run --domain airline --split test`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && f.taskIDs.ids == nil {
				return fault.Invalidf("%q is no flag: give the ids of tasks after --task-ids", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.taskIDs.ids = append(f.taskIDs.ids, args...)
			config, err := f.optionalConfig()
			if err == nil {
				err = f.override(cmd.Flags().Changed, &config)
			}
			if err == nil {
				err = f.goOn(cmd.Flags().Changed)
			}
			if err != nil {
				return err
			}
			return a.runHarness(cmd.Context(), f, config)
		},
	}
	flags := cmd.Flags()
	f.add(flags)
	f.rows.add(flags)
	flags.IntVar(&f.epochs, "epochs", 0, "how often each task is run; the result is the mean (default: the configuration's, else 1)")
	flags.BoolVar(&f.retryErrored, "retry-errored", false, "with --resume: try tasks again in which something around the agent failed, or of which nothing was heard")
	flags.StringVar(&f.shard, "shard", "", "run only part `i/n` of the tasks and epochs; bench report --results reads all parts together")
	flags.StringVar(&f.split, "split", "", "run this `SPLIT`, "+harness.WholeDataset+" for the whole dataset (default: the configuration's)")
	flags.Var(&f.taskIDs, "task-ids", "run only the tasks whose ids follow")
	flags.Lookup("task-ids").NoOptDefVal = taskIDsFollow
	flags.IntVar(&f.concurrency, "concurrency", 0, "how many tasks run at once (default: the configuration's)")
	flags.StringVar(&f.domain, "domain", "", "tau-bench's `DOMAIN` (default: the configuration's)")
	return cmd
}

// override puts what the flags say into the configuration, but for the split
// that is trained on.
func (f *harnessRunFlags) override(given func(string) bool, c *harness.Config) error {
	if !given("split") {
		f.split = c.Split
	}
	if !given("epochs") {
		f.epochs = max(1, c.Epochs)
	}
	if given("concurrency") {
		if f.concurrency < 1 {
			return fault.Invalidf("--concurrency is %d, want 1 or more", f.concurrency)
		}
		c.MaxConcurrency = f.concurrency
	}
	if given("domain") {
		if c.Benchmark != harness.TauBench {
			return fault.Invalidf("--domain is for %s, and %s has benchmark %q", harness.TauBench, c.File, c.Benchmark)
		}
		c.Domain = f.domain
	}
	return nil
}

// goOn takes what is run from the run that is gone on with, unless flags say it.
func (f *harnessRunFlags) goOn(given func(string) bool) error {
	if f.epochs < 1 {
		return fault.Invalidf("--epochs is %d, want 1 or more", f.epochs)
	}
	info, resumed, err := f.rows.begun()
	switch {
	case err != nil:
		return err
	case !resumed && f.retryErrored:
		return fault.Invalidf("--retry-errored is about a run that is there: give --resume, or --resume=ID, too")
	case !resumed:
		return nil
	case len(info.Modes) != 1:
		return fault.Invalidf("run %s is one of the gate: go on with `bench harness gate --resume=%[1]s`", info.RunID)
	}
	f.rows.resume = info.RunID
	if !given("split") {
		f.split = info.Benchmark.Split
	}
	if !given("epochs") {
		f.epochs = info.Repetitions
	}
	if info.Shard != nil && !given("shard") {
		f.shard = info.Shard.String()
	}
	if f.taskIDs.ids == nil && (info.Benchmark.Part || info.Shard != nil) {
		for _, s := range info.Scenarios {
			f.taskIDs.ids = append(f.taskIDs.ids, s.ID)
		}
	}
	return nil
}

func (a *app) runHarness(ctx context.Context, f harnessRunFlags, config harness.Config) error {
	training := f.split == config.Split && f.split != harness.WholeDataset
	if err := harness.Distinct("--task-ids", f.taskIDs.ids); err != nil {
		return err
	}
	if err := (harnessRun{config, a.harnessHost(), f.split, training}).check(ctx, f.taskIDs.ids, false); err != nil {
		return err
	}
	shard, err := a.part(ctx, &f, config, training)
	if err != nil {
		return err
	}
	return a.locked("run", func(w suite.Workspace) error {
		if _, err := w.ResultFiles(f.split, f.split == config.Split); err != nil {
			return err
		}
		if f.taskIDs.ids != nil {
			if err := w.CheckMerge(f.split, f.split == config.Split); err != nil {
				return err
			}
		}
		results := harness.Results{}
		if f.taskIDs.ids == nil || len(f.taskIDs.ids) > 0 {
			git, err := a.agentGit(ctx, f.rows.dir)
			if err != nil {
				return err
			}
			o := f.rows.options(a, config, cmp.Or(f.rows.resume, a.newRunID()))
			o.Benchmark.Split, o.Benchmark.Part, o.Epochs, o.Tasks, o.Shard = f.split, f.taskIDs.ids != nil, f.epochs, f.taskIDs.ids, shard
			o.Sides = []taskrun.Side{a.side(config, git, f.split, training)}
			results, err = a.recordRows(ctx, o, f.retryErrored)
			if errors.As(err, new(outage)) {
				fmt.Fprintf(a.stderr, "bench: what was tried is kept: try it again with --resume=%s --retry-errored, or leave such tasks out with `timeout_policy: infra`\n", a.result.RunID)
			}
			if err != nil {
				return err
			}
		}
		var files []string
		// What was known of tasks is not replaced by nothing.
		if len(results) > 0 {
			save := w.SaveResults
			if f.taskIDs.ids != nil {
				save = w.MergeResults
			}
			var err error
			if files, err = save(f.split, f.split == config.Split, results); err != nil {
				return err
			}
		}
		return a.printResults(f, config, results, files)
	})
}

// part returns the part that is run, nil for all. Its tasks are those of all parts.
func (a *app) part(ctx context.Context, f *harnessRunFlags, config harness.Config, training bool) (*bench.Shard, error) {
	if f.shard == "" {
		return nil, nil
	}
	shard, err := bench.ParseShard(f.shard)
	if err != nil {
		return nil, fault.Invalidf("--%w", err)
	}
	if f.retryErrored {
		return nil, fault.Invalidf("--retry-errored is for a run without --shard: other parts may try the same tasks again; bring the parts together, and run what failed with --task-ids")
	}
	if f.taskIDs.ids != nil {
		return &shard, nil
	}
	ids, err := a.shardTasks(ctx, harnessRun{config, a.harnessHost(), f.split, training}, "name them with --task-ids")
	f.taskIDs.ids = ids
	return &shard, err
}

// printResults prints what a run came to.
func (a *app) printResults(f harnessRunFlags, c harness.Config, results harness.Results, files []string) error {
	counted := c.TimeoutPolicy.Counted(results)
	score := c.TimeoutPolicy.ValScore(results)
	if f.json {
		return a.printJSON(map[string]any{
			"benchmark": c.Benchmark, "split": f.split, "timeout_policy": c.TimeoutPolicy, "val_score": score,
			"passed": counted.Passed(), "total": len(counted), "results": results, "run_id": a.result.RunID, "files": slices.Concat([]string{}, files),
		})
	}
	note := ""
	if none := len(results) - results.Count(harness.Scored); none > 0 {
		note = fmt.Sprintf(" (%d without a reward, counted as failures)", none)
		if c.TimeoutPolicy == harness.BlameInfrastructure {
			note = fmt.Sprintf(" (%d without a reward, left out)", none)
		}
	}
	fmt.Fprintf(a.stdout, "\nval_score: %s  (%d/%d passed)%s\n", suite.FormatScore(score), counted.Passed(), len(counted), note)
	for _, id := range results.IDs() {
		fmt.Fprintf(a.stdout, "  %s\n", outcomeLine(id, results[id]))
	}
	if a.result.RunID != "" {
		fmt.Fprintf(a.stdout, "[benchmark] a row for each task is in %s: bench report\n", filepath.Join(f.rows.dir, a.result.RunID))
	}
	for _, file := range files {
		fmt.Fprintf(a.stdout, "[benchmark] results saved to %s\n", file)
	}
	return nil
}
