package benchcli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// harnessGateFlags are those of a gate.
type harnessGateFlags struct {
	harnessFlags
	rows  harnessRowFlags
	asked askedGate
	given givenAgents
	shard string
}

// givenAgents are the two agents of a gate by evidence where git does not tell them:
// the commit and the hash of the files that are here, and the baseline's, whose files are
// in a folder of their own.
type givenAgents struct {
	commit, tree                  string
	baseDir, baseCommit, baseTree string
}

func (g *givenAgents) add(flags *pflag.FlagSet) {
	flags.StringVar(&g.baseDir, "base-dir", "", "take the baseline from this `DIR`, which has all that it needs, and not from git; with --base-commit and --git-commit")
	flags.StringVar(&g.baseCommit, "base-commit", "", "with --base-dir: the `COMMIT` whose files it has")
	flags.StringVar(&g.baseTree, "base-tree", "", "with --base-dir: the `HASH` of its content")
	flags.StringVar(&g.commit, "git-commit", "", "with --base-dir: the `COMMIT` whose files are here")
	flags.StringVar(&g.tree, "git-tree", "", "with --base-dir: the `HASH` of its content")
}

// check refuses what says one half. An error is of kind invalid.
func (g *givenAgents) check(config harness.Config) error {
	if g.baseDir == "" {
		if g.commit+g.tree+g.baseCommit+g.baseTree != "" {
			return fault.Invalidf("--git-commit, --git-tree, --base-commit and --base-tree say of which commits the files are where --base-dir has those of the baseline: give --base-dir too, or none of them")
		}
		return nil
	}
	switch {
	case config.Gate.Policy != harness.GateEvidence:
		return fault.Invalidf("--base-dir is for gate.policy %s, and %s has %s", harness.GateEvidence, config.File, config.Gate.Policy)
	case !hash.MatchString(g.commit) || !hash.MatchString(g.baseCommit):
		return fault.Invalidf("--base-dir: --git-commit is %q and --base-commit is %q, want the names of the two commits in full", g.commit, g.baseCommit)
	}
	return nil
}

// ref is what the agent is that is here; ok is false where git tells.
func (g *givenAgents) ref() (ref agentRef, ok bool) {
	return agentRef{GitRef: bench.GitRef{Commit: orNil(g.commit), Tree: orNil(g.tree)}}, g.baseDir != ""
}

// baseline is the one whose files are in a folder.
func (g *givenAgents) baseline(a *app, config harness.Config) (taskrun.Side, error) {
	dir, err := filepath.Abs(g.baseDir)
	if err != nil {
		return taskrun.Side{}, fault.Infraf("find the baseline's files: %w", err)
	}
	ref := agentRef{GitRef: bench.GitRef{Commit: orNil(g.baseCommit), Tree: orNil(g.baseTree)}}
	side := a.side(config, ref, config.GateSplit, false)
	side.Host.Dir = dir
	return side, nil
}

// checkBaseline looks, as at the agent, whether the baseline can be run at all.
func (g *givenAgents) checkBaseline(ctx context.Context, a *app, config harness.Config) error {
	if g.baseDir == "" {
		return nil
	}
	side, err := g.baseline(a, config)
	if err == nil {
		err = (harnessRun{config, side.Host, config.GateSplit, false}).check(ctx, nil, true)
	}
	if err != nil {
		return fmt.Errorf("the baseline, commit %.7s, cannot be run, so there is nothing to compare with: %w", g.baseCommit, err)
	}
	return nil
}

// gatePart has both agents do a part of the full test, which is judged with the other
// parts where all have been brought together.
func (a *app) gatePart(ctx context.Context, f harnessGateFlags, config harness.Config, runID string) error {
	shard, err := bench.ParseShard(f.shard)
	if err != nil {
		return fault.Invalidf("--%w", err)
	}
	if config.Gate.Policy != harness.GateEvidence {
		return fault.Invalidf("--shard is for gate.policy %s, and %s has %s: the score of a part is no score", harness.GateEvidence, config.File, config.Gate.Policy)
	}
	return a.locked("gate", func(w suite.Workspace) error {
		known, err := w.Suite(config.Threshold)
		switch {
		case err != nil:
			return err
		case len(known.Tasks) > 0:
			return fault.Invalidf("--shard does the full test alone, and the regression suite in %s has %d tasks, of which nothing would be known: run the gate in one job", suite.Dir, len(known.Tasks))
		}
		git, err := f.agent(ctx, a)
		if err != nil {
			return err
		}
		g := evidenceGate{a, config, f, runID, git, w}
		o, remove, err := g.prepare(ctx)
		if err != nil {
			return err
		}
		defer remove()
		if o.FirstLook != 0 {
			return fault.Invalidf("%s: gate.epochs is %s, and with --shard it is a number: the parts are looked at once, when all are there", config.File, config.Gate.Epochs)
		}
		o.Shard = &shard
		o.Tasks, err = a.shardTasks(ctx, harnessRun{config, a.harnessHost(), config.GateSplit, false}, "run `bench harness prepare` first, and give every machine what it writes, or run the gate in one job")
		if err != nil {
			return err
		}
		err = g.measure(o, func(run *taskrun.Run) error { return run.Part(ctx) })
		if err == nil {
			fmt.Fprintf(a.steps(f.json), "[gate] part %s is done: bring all parts together, and judge them with `bench report --gate --results DIR`\n", shard)
		}
		return err
	})
}

// agent is the one that is here.
func (f *harnessGateFlags) agent(ctx context.Context, a *app) (agentRef, error) {
	if ref, given := f.given.ref(); given {
		return ref, nil
	}
	return a.agentGit(ctx, f.rows.dir)
}
