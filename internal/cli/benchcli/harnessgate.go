package benchcli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func (a *app) harnessGateCommand() *cobra.Command {
	var f harnessGateFlags
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Say whether the agent is as good as the best so far",
		Long: `gate has three steps. The tasks of the regression suite (` + suite.Dir + `/suite.json)
must pass, in a share that is no less than its threshold. The full test must
score no less than the best of ` + suite.Dir + `/results.tsv. If both hold, tasks that
failed in the last training run are run again, and those that pass now are
promoted into the suite.

With "gate: {policy: evidence}" in the configuration the full test is decided in
another way: the agent and the baseline, a commit, do it beside each other, several
times each, until it is shown that the agent is not worse, or that it is. With --shard
several machines do a part of that each.

The exit status is 0 if the gate is passed, 1 if it is not and 4 if it cannot be told.`,
		Example: `  bench harness gate
  bench harness gate && git commit -am "agent: ..." && bench harness record`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := f.optionalConfig()
			if err == nil {
				err = f.asked.override(cmd.Flags().Changed, &config)
			}
			if err == nil {
				err = f.given.check(config)
			}
			if err != nil {
				return err
			}
			return a.gateHarness(cmd.Context(), f, config)
		},
	}
	f.add(cmd.Flags())
	f.rows.add(cmd.Flags())
	f.asked.add(cmd)
	f.given.add(cmd.Flags())
	cmd.Flags().StringVar(&f.shard, "shard", "", "by evidence: do part `i/n` of the full test alone, and judge nothing; bench report --gate --results judges all parts together")
	return cmd
}

func (a *app) gateHarness(ctx context.Context, f harnessGateFlags, config harness.Config) error {
	if config.Gate.Policy == harness.GateEvidence && config.Agent != "" {
		return fault.Invalidf("%s: gate.policy %s compares two versions of the experiment's agent, and agent is %q, which %s brings along: leave it out, or use gate.policy %s",
			config.File, harness.GateEvidence, config.Agent, config.Benchmark, harness.GateSeed)
	}
	for _, split := range []string{config.Split, config.GateSplit} {
		if err := (harnessRun{config, a.harnessHost(), split, false}).check(ctx, nil, true); err != nil {
			return err
		}
	}
	if err := f.given.checkBaseline(ctx, a, config); err != nil {
		return err
	}
	info, resumed, err := f.rows.begun()
	if err != nil {
		return err
	}
	runID := a.newRunID()
	if resumed {
		runID = info.RunID
	} else if a.keeper != nil && a.keeper.Info != nil {
		runID = a.keeper.Info.RunID
	}
	if f.shard != "" {
		return a.gatePart(ctx, f, config, runID)
	}
	return a.locked("gate", func(w suite.Workspace) error {
		gate, done, err := a.gateOf(ctx, f, config, w, runID)
		if err != nil {
			return err
		}
		defer done()
		gate.Out = a.steps(f.json)
		verdict, err := gate.Run(ctx)
		if err != nil {
			return err
		}
		summary := a.summaryOf(verdict, config)
		a.result.Summary, a.result.RunID = &summary, runID
		return a.tellVerdict(verdict, f.json)
	})
}

// gateOf returns the gate, whose tasks become rows: those of the full test in the
// run's folder, those of the other steps in folders below. Done gives up what it needs.
func (a *app) gateOf(ctx context.Context, f harnessGateFlags, config harness.Config, w suite.Workspace, runID string) (gate suite.Gate, done func(), err error) {
	rows := f.rows
	git, err := f.agent(ctx, a)
	if err != nil {
		return gate, nil, err
	}
	known, err := w.Suite(config.Threshold)
	if err == nil {
		// They are needed at the end alone, when all else is paid.
		_, err = w.TrainResults(config.Split)
	}
	if err == nil {
		_, err = w.Records()
	}
	if err != nil {
		return gate, nil, err
	}
	full := func([]string) taskrun.Options {
		o := rows.options(a, config, runID)
		o.Benchmark.Split, o.Sides = config.GateSplit, []taskrun.Side{a.side(config, git, config.GateSplit, false)}
		return o
	}
	train := func(ids []string) taskrun.Options {
		step := "promotion"
		if slices.Equal(ids, known.Tasks) {
			step = "suite"
		}
		o := rows.options(a, config, runID+"-"+step)
		o.Dir = filepath.Join(rows.dir, runID)
		o.Benchmark.Split, o.Benchmark.Part, o.Sides = config.Split, true, []taskrun.Side{a.side(config, git, config.Split, true)}
		return o
	}
	gate = suite.Gate{
		Workspace: w, Train: recorded{a, train}, Full: recorded{a, full}, TrainSplit: config.Split, FullSplit: config.GateSplit,
		Threshold: config.Threshold, Policy: config.TimeoutPolicy, RunID: runID,
	}
	// A tree that is given has the folders too that git's is taken without.
	if git.Tree != nil && f.given.baseDir == "" {
		gate.Tree = *git.Tree
	}
	if config.Gate.Policy == harness.GateEvidence {
		g := evidenceGate{a, config, f, runID, git, w}
		o, remove, err := g.prepare(ctx)
		if err != nil {
			return gate, nil, err
		}
		gate.Judge = func(ctx context.Context) (suite.FullStep, error) { return g.judge(ctx, o) }
		return gate, remove, nil
	}
	return gate, func() {}, nil
}

// steps is where the steps of a command are told: beside JSON, if that is
// printed.
func (a *app) steps(asJSON bool) io.Writer {
	if asJSON {
		return a.stderr
	}
	return a.stdout
}

func (a *app) tellVerdict(v suite.Verdict, asJSON bool) error {
	switch {
	case v.Suite.Passed && v.Full.CannotTell():
		a.verdict = exitInconclusive
	case !v.Passed:
		a.verdict = exitGateFailed
	}
	if asJSON {
		return a.printJSON(v)
	}
	return nil
}

// unknownCommit is recorded where there is no checkout.
const unknownCommit = "unknown"

// shortCommit is how many characters of a commit are recorded.
const shortCommit = 7

func (a *app) harnessRecordCommand() *cobra.Command {
	var f harnessFlags
	var r suite.Record
	cmd := &cobra.Command{
		Use:   "record",
		Short: "Record an iteration that has passed the gate",
		Long: `record adds a row to ` + suite.Dir + `/results.tsv: what the gate came to, and the commit
that is checked out. Without flags it is what the last gate has found, to the
last digit; a score that is rounded up cannot be reached again. What is recorded is
what was gated: edits that were gated are committed first, and nothing else is, but
in ` + suite.Dir + `. A verdict is recorded once.`,
		Example: `  bench harness record
  bench harness record --val-score 0.82 --evals-passed 8 --evals-total 10`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.locked("record", func(w suite.Workspace) error {
				gated, err := a.fromLastGate(cmd.Context(), w, cmd.Flags().Changed, &r)
				if err != nil {
					return err
				}
				r.Commit = unknownCommit
				if head := checkoutHead(); head != "" {
					r.Commit = head[:shortCommit]
				}
				added, err := w.Add(r)
				if err == nil && gated {
					err = w.MarkRecorded(added.Iteration)
				}
				if err != nil {
					return err
				}
				if f.json {
					return a.printJSON(added)
				}
				fmt.Fprintf(a.stdout, "[record] iteration %d: val_score=%s, evals=%d/%d, commit=%s\n",
					added.Iteration, suite.FormatScore(added.ValScore), added.EvalsPassed, added.EvalsTotal, added.Commit)
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.Float64Var(&r.ValScore, "val-score", 0, "mean reward on the full test, from 0 to 1")
	flags.IntVar(&r.EvalsPassed, "evals-passed", 0, "how many tasks of the regression suite passed")
	flags.IntVar(&r.EvalsTotal, "evals-total", 0, "how many tasks the regression suite has")
	return cmd
}

// fromLastGate takes what is to be recorded from the last gate, unless flags say it;
// gated is false then.
func (a *app) fromLastGate(ctx context.Context, w suite.Workspace, given func(string) bool, r *suite.Record) (gated bool, err error) {
	switch score, passed, total := given("val-score"), given("evals-passed"), given("evals-total"); {
	case score && passed && total:
		return false, nil
	case score || passed || total:
		return false, fault.Invalidf("give --val-score, --evals-passed and --evals-total, or none of them, which records the last gate")
	}
	verdict, ok, err := w.LastVerdict()
	switch {
	case err != nil:
		return false, err
	case !ok:
		return false, fault.Invalidf("there is no verdict to record: run `bench harness gate`, or give --val-score, --evals-passed and --evals-total")
	case !verdict.Passed:
		return false, fault.Invalidf("the last gate was not passed (%s): only what passes is recorded", verdict.Reason)
	case verdict.Recorded != nil:
		return false, fault.Invalidf("the last gate is recorded already, as iteration %d: run `bench harness gate` again", *verdict.Recorded)
	}
	if err := a.asGated(ctx, verdict); err != nil {
		return false, err
	}
	r.ValScore, r.EvalsPassed, r.EvalsTotal = verdict.Full.ValScore, verdict.Suite.EvalsPassed, verdict.Suite.EvalsTotal
	return true, nil
}

// asGated refuses to record a commit whose files are not those that were gated.
func (a *app) asGated(ctx context.Context, verdict suite.Verdict) error {
	committed, err := a.recordedTree(ctx, verify.DefaultDir)
	if err != nil || verdict.Tree == "" || committed == "" || committed == verdict.Tree {
		return err
	}
	now, err := a.agentGit(ctx, verify.DefaultDir)
	switch {
	case err != nil:
		return err
	case now.Tree != nil && *now.Tree == verdict.Tree:
		return fault.Invalidf("the edits that were gated are not committed: commit them, and record then")
	default:
		return fault.Invalidf("the commit that is checked out has other files than those that were gated (trees %.7s and %.7s): run `bench harness gate` again; a file that is new is gated once git knows it (git add)", committed, verdict.Tree)
	}
}
