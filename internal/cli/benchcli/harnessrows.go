package benchcli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// harnessRowFlags say where rows of a benchmark's tasks are kept, and how a run goes
// on.
type harnessRowFlags struct {
	dir, resume string
	maxCostUSD  float64
}

func (f *harnessRowFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.dir, "output-dir", verify.DefaultDir, "keep the run, a row for each task, below this `DIR`")
	flags.StringVar(&f.resume, "resume", "", "go on with the run of this `ID`, the newest one without an id: tasks that have a row are not run again")
	flags.Lookup("resume").NoOptDefVal = resumeNewest
	flags.Float64Var(&f.maxCostUSD, "max-cost-usd", 0, "end the run once so many `USD` are spent, as far as the benchmark tells what its tasks cost")
}

// begun returns the run that is gone on with; ok is false for a new one.
func (f *harnessRowFlags) begun() (info ledger.RunInfo, ok bool, err error) {
	if !(f.maxCostUSD >= 0) { // NaN too
		return info, false, fault.Invalidf("--max-cost-usd is %g, want a number from 0", f.maxCostUSD)
	}
	if f.resume == "" {
		return info, false, nil
	}
	folder := filepath.Join(f.dir, f.resume)
	if f.resume == resumeNewest {
		if folder, err = ledger.NewestRun(f.dir); err != nil {
			return info, false, err
		}
	}
	if info, err = ledger.LoadRun(folder); err != nil {
		return info, false, err
	}
	if info.Benchmark == nil {
		return info, false, fault.Invalidf("run %s is none of `bench harness`: name one with --resume=ID", info.RunID)
	}
	return info, true, nil
}

// options returns what all runs of the configuration have in common.
func (f *harnessRowFlags) options(a *app, c harness.Config, runID string) taskrun.Options {
	secrets := redact.New(slices.Concat(a.harnessHost().Secrets(), c.Options.Secrets(), []string{c.PGPassword})...)
	_, without := c.WithoutModel()
	return taskrun.Options{
		Dir: f.dir, RunID: runID, Now: a.now, Epochs: 1, Concurrency: c.MaxConcurrency, MaxCostUSD: f.maxCostUSD, Secrets: secrets,
		Benchmark: ledger.Benchmark{Name: c.Benchmark, Settings: settingsOf(c)}, Space: spaceOf(c), Model: a.modelOf(c), TimeoutPolicy: c.TimeoutPolicy,
		Simulated: without, Tools: map[string]string{"harness": version(), "benchmark": c.Benchmark},
	}
}

// newRunID is the id of a run that begins now.
func (a *app) newRunID() string { return cmp.Or(a.runID, verify.NewRunID(a.now(), a.random())) }

// settingsOf returns a hash of what decides what is run, and how: not of where the
// configuration is, how many tasks run at once, and what is made of results.
func settingsOf(c harness.Config) string {
	c.File, c.MaxConcurrency, c.Threshold, c.PGPassword, c.Split, c.GateSplit, c.Gate, c.Epochs = "", 0, 0, "", "", "", harness.GateConfig{}, 0
	if c.TimeoutPolicy == harness.ChargeAgent {
		// The other one decides whom a row is laid to.
		c.TimeoutPolicy = ""
	}
	// A configuration is of texts and numbers.
	text, _ := json.Marshal(c)
	sum := sha256.Sum256(text)
	const shown = 16
	return hex.EncodeToString(sum[:])[:shown]
}

// spaceOf names where the ids of tasks mean what they mean.
func spaceOf(c harness.Config) string {
	parts := []string{c.Benchmark, c.Domain}
	switch c.Benchmark {
	case harness.TerminalBench:
		parts = []string{c.Benchmark, c.Dataset}
	case harness.BirdInteract:
		parts = []string{c.Benchmark, c.Dataset, c.Mode}
	case harness.Command:
		parts = append([]string{c.Benchmark}, filepath.Base(c.Command[len(c.Command)-1]))
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// modelOf names the agent's model as rows do.
func (a *app) modelOf(c harness.Config) bench.ModelRef {
	if name, without := c.WithoutModel(); without {
		return bench.ModelRef{ProviderID: c.Benchmark, ModelID: name}
	}
	if c.Benchmark == harness.BirdInteract && !modelNamed(a.harnessHost(), c) {
		return bench.ModelRef{ProviderID: c.Benchmark, ModelID: "adk-default"}
	}
	model := a.harnessHost().AgentModel(c.AgentModel)
	if provider, id, qualified := strings.Cut(model, "/"); qualified {
		return bench.ModelRef{ProviderID: provider, ModelID: id}
	}
	return bench.ModelRef{ProviderID: strings.ToLower(strings.TrimSuffix(harness.KeyVariable(model), "_API_KEY")), ModelID: model}
}

// modelNamed reports whether somebody has named the agent's model; without a name it is
// the harness' own, and of BIRD-Interact the ADK's.
func modelNamed(host harness.Host, c harness.Config) bool {
	return c.AgentModel != "" || host.Getenv(harness.AgentModelVariable) != ""
}

// agentRef is what the agent's files are.
type agentRef struct {
	bench.GitRef
	// changed says that they are not those of the commit.
	changed bool
}

// agentGit returns the commit that is checked out, and the hash of the agent's files
// as they are now, committed or not. What lies in the experiment's folder and git
// knows nothing of, as environments, data and logs, is none of the agent. It is empty
// outside of git.
func (a *app) agentGit(ctx context.Context, dir string) (agentRef, error) {
	here, err := openWorktree(ctx, ".")
	if err != nil {
		return agentRef{}, nil //nolint:nilerr // an experiment need not be in git
	}
	beside, err := here.untracked(ctx)
	if err != nil {
		return agentRef{}, err
	}
	tree, err := here.withoutFolders(ctx, "", ownFolders(dir), beside)
	if err != nil {
		return agentRef{}, fault.Invalidf("hash the agent's files: %w", err)
	}
	committed, err := a.recordedTree(ctx, dir)
	return agentRef{bench.GitRef{Commit: orNil(checkoutHead()), Tree: orNil(tree)}, tree != committed}, err
}

// ownFolders are where commands of the harness write, which may be in git all the same.
func ownFolders(dir string) []string { return []string{suite.Dir, dir, verify.DefaultDir} }

// recordedTree returns the hash of the agent's files in the commit that is checked
// out, which is that of [app.agentGit] if nothing was changed since; empty outside of
// git.
func (a *app) recordedTree(ctx context.Context, dir string) (string, error) {
	here, err := openWorktree(ctx, ".")
	head := checkoutHead()
	if err != nil || head == "" {
		return "", nil //nolint:nilerr // an experiment need not be in git
	}
	tree, err := here.withoutFolders(ctx, head, ownFolders(dir), nil)
	if err != nil {
		return "", fault.Invalidf("hash the agent's files of %s: %w", head, err)
	}
	return tree, nil
}

// agentMode names an agent: one of the benchmark's own by its name, the experiment's
// by its commit, with the beginning of its hash where it has changes.
func agentMode(c harness.Config, git agentRef) bench.Mode {
	switch {
	case c.Agent != "":
		return bench.Mode(c.Agent)
	case git.Commit == nil:
		return bench.AgentOf("")
	}
	const shown = 4
	mode := bench.AgentOf(*git.Commit)
	if git.changed && git.Tree != nil {
		mode += "-" + bench.Mode((*git.Tree)[:shown])
	}
	return mode
}

// side is the agent as it is, on a split.
func (a *app) side(c harness.Config, git agentRef, split string, training bool) taskrun.Side {
	return taskrun.Side{
		Mode: agentMode(c, git), Git: git.GitRef, Keep: training, Host: a.harnessHost(),
		Runner: func(h harness.Host) (harness.Runner, error) { return harnessRun{c, h, split, training}.runner() },
	}
}

// outage is an error of a run in which what is around the agent failed. Its rows are kept.
type outage struct{ error }

func (o outage) Unwrap() error { return o.error }

// recordRows has a run do what is left of its epochs, and returns the results. The
// rows stay whatever the end.
func (a *app) recordRows(ctx context.Context, o taskrun.Options, again bool) (results harness.Results, err error) {
	run, err := taskrun.Open(o)
	if err != nil {
		return nil, err
	}
	defer func() {
		rows := run.Begun()
		if err = errors.Join(err, run.Close()); err != nil && rows > 0 && !errors.As(err, new(outage)) {
			fmt.Fprintf(a.stderr, "bench: %d rows are kept in %s: go on with --resume=%s\n", rows, run.Folder(), run.ID())
		}
	}()
	if before := run.Begun(); before > 0 {
		fmt.Fprintf(a.stderr, "bench: going on with run %s, which has %d rows\n", run.ID(), before)
	}
	mode := o.Sides[0].Mode
	for epoch := 1; epoch <= o.Epochs; epoch++ {
		if _, err := run.Epoch(ctx, mode, epoch); err != nil {
			return nil, err
		}
	}
	tries := 0
	for round := 0; again && round < o.Epochs; round++ {
		tried, err := run.Again(ctx, mode, o.Epochs)
		if err != nil {
			return nil, err
		}
		tries += tried
	}
	if again {
		fmt.Fprintf(a.stderr, "bench: %d tries were made again\n", tries)
	}
	a.result.RunID, a.result.Rows = run.ID(), run.Files()
	results = run.Results(mode, o.Epochs)
	if err := cmp.Or(results.Outage(), run.Outage()); err != nil {
		return nil, outage{err}
	}
	return results, nil
}

// recorded is a runner whose tasks become rows.
type recorded struct {
	app     *app
	options func(ids []string) taskrun.Options
}

// Run runs tasks and keeps rows of them.
func (r recorded) Run(ctx context.Context, ids []string) (harness.Results, error) {
	if ids != nil && len(ids) == 0 {
		return harness.Results{}, nil
	}
	o := r.options(ids)
	o.Tasks = distinctIDs(ids)
	results, err := r.app.recordRows(ctx, o, false)
	if errors.As(err, new(outage)) {
		fmt.Fprintln(r.app.stderr, "bench: nothing is judged: run the gate again, without --resume, when that is over")
	}
	return results, err
}

// distinctIDs returns ids in their order, each once; nil stays nil.
func distinctIDs(ids []string) []string {
	var once []string
	for _, id := range ids {
		if !slices.Contains(once, id) {
			once = append(once, id)
		}
	}
	return once
}
