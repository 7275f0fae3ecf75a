package benchcli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// evidenceGate is step 2 of a gate that decides by evidence: the agent and the
// baseline do the full test beside each other, several times each.
type evidenceGate struct {
	app    *app
	config harness.Config
	flags  harnessGateFlags
	runID  string
	git    agentRef
	w      suite.Workspace
}

// prepare checks the baseline out, and says what is to be run. Remove removes the checkout.
func (g evidenceGate) prepare(ctx context.Context) (o taskrun.Options, remove func(), err error) {
	base, remove, err := g.baseline(ctx)
	if err != nil {
		return o, remove, err
	}
	if o, err = g.options(base); err != nil {
		remove()
		return o, remove, err
	}
	if _, err := o.Design(); err != nil {
		remove()
		return o, remove, fault.Invalidf("%s: gate: %w", g.config.File, err)
	}
	return o, remove, nil
}

// judge does the step.
func (g evidenceGate) judge(ctx context.Context, o taskrun.Options) (step suite.FullStep, err error) {
	err = g.measure(o, func(run *taskrun.Run) error {
		err := run.Compare(ctx, func(e bench.Evidence) {
			fmt.Fprintf(g.app.stderr, "[gate] after %d epochs: %s: %s\n", lastLook(e), e.Verdict, e.Sentence)
		})
		if err != nil {
			return err
		}
		summary, err := g.report(run, o)
		if err != nil {
			return err
		}
		step = g.step(run, o, summary)
		return run.Judged(*summary.Evidence)
	})
	return step, err
}

// measure opens a run for what it does with it. The rows stay whatever the end.
func (g evidenceGate) measure(o taskrun.Options, do func(*taskrun.Run) error) (err error) {
	run, err := taskrun.Open(o)
	if kept := o.Keeper; kept != nil && kept.Info != nil && fault.KindOf(err) == fault.Invalid {
		fmt.Fprintf(g.app.stderr, "bench: %v: it begins anew\n", err)
		kept.Info, kept.Rows = nil, nil
		run, err = taskrun.Open(o)
	}
	if err != nil {
		return err
	}
	if before := run.Begun(); before > 0 {
		fmt.Fprintf(g.app.stderr, "bench: going on with run %s, which has %d rows\n", run.ID(), before)
	}
	defer func() {
		g.app.result.RunID, g.app.result.Rows = run.ID(), run.Files()
		if err = errors.Join(err, run.Close()); err != nil && run.Begun() > 0 {
			fmt.Fprintf(g.app.stderr, "bench: %d rows are kept in %s: go on with --resume=%s\n", run.Begun(), run.Folder(), run.ID())
		}
	}()
	return do(run)
}

// lastLook is after how many epochs it was looked last.
func lastLook(e bench.Evidence) int {
	if len(e.Looks) == 0 {
		return 0
	}
	return e.Looks[len(e.Looks)-1].Blocks
}

func (g evidenceGate) options(base taskrun.Side) (taskrun.Options, error) {
	o := g.flags.rows.options(g.app, g.config, g.runID)
	gate := g.config.Gate
	repetitions, err := bench.ParseRepetitions(gate.Epochs)
	if err != nil {
		return o, fault.Invalidf("%s: gate.epochs: %w", g.config.File, err)
	}
	o.Epochs = repetitions.Most
	if repetitions.Adapt() {
		o.FirstLook = repetitions.First
	}
	margins := evidence.DefaultMargins(bench.Thresholds{})
	margins.SuccessDropPct, margins.CostRatio, margins.LatencyRatio = gate.MarginPoints, g.flags.asked.margins.CostRatio, g.flags.asked.margins.LatencyRatio
	o.Profile, o.Margins, o.Benchmark.Split = bench.ProfileRegression, &margins, g.config.GateSplit
	candidate := g.app.side(g.config, g.git, g.config.GateSplit, false)
	if candidate.Mode == base.Mode || candidate.Git.SameTool(base.Git) {
		return o, fault.Invalidf("the agent is that of the baseline, %s: there is nothing to compare; change it, or name another commit with gate.baseline in %s", base.Mode, g.config.File)
	}
	o.Sides, o.Keeper = []taskrun.Side{base, candidate}, g.app.keeper
	o.OrderSeed = uint64(g.app.now().UnixNano())
	return o, nil
}

// report judges the rows that are on the disk, and writes the run's pages.
func (g evidenceGate) report(run *taskrun.Run, o taskrun.Options) (bench.Summary, error) {
	source, err := run.Source()
	if err != nil {
		return bench.Summary{}, err
	}
	how := verify.JudgeOptions{
		Profile: o.Profile, Baseline: o.Sides[0].Mode, Candidate: o.Sides[1].Mode, Margins: *o.Margins,
		GeneratedAt: bench.FormatTime(g.app.now()), Outputs: verify.OutputsIn(run.Folder()),
	}
	if how.Expectations, err = g.app.expectationsFrom(""); err != nil {
		return bench.Summary{}, err
	}
	reported, err := verify.Report(source, how)
	for _, note := range reported.Notes {
		fmt.Fprintf(g.app.stderr, "bench: %s\n", note)
	}
	g.app.result.Outputs = how.Outputs
	if err == nil {
		g.app.result.Summary = &reported.Summary
	}
	return reported.Summary, err
}

func (g evidenceGate) step(run *taskrun.Run, o taskrun.Options, summary bench.Summary) suite.FullStep {
	epochs := max(1, lastLook(*summary.Evidence))
	policy := g.config.TimeoutPolicy
	results := run.Results(o.Sides[1].Mode, epochs)
	score := policy.ValScore(run.Results(o.Sides[0].Mode, epochs))
	return suite.FullStep{
		Passed: summary.Evidence.Verdict == bench.VerdictPass, ValScore: policy.ValScore(results), Results: results,
		Verdict: string(summary.Evidence.Verdict), Reason: summary.Evidence.Sentence, Baseline: string(o.Sides[0].Mode), BaselineScore: &score,
	}
}

// hash is a commit, or its beginning.
var hash = regexp.MustCompile(`^[0-9a-f]{7,40}$`)

// baselineRef names what the agent is compared with: what the configuration says, else
// the last commit that was recorded, else what is checked out, of which the agent is
// a change.
func (g evidenceGate) baselineRef() (string, error) {
	if g.config.Gate.Baseline != "" {
		return g.config.Gate.Baseline, nil
	}
	records, err := g.w.Records()
	if err != nil {
		return "", err
	}
	for _, r := range slices.Backward(records) {
		if hash.MatchString(r.Commit) {
			return r.Commit, nil
		}
	}
	return "HEAD", nil
}

// baseline checks the baseline's agent out, beside the environments and data of the
// experiment. Remove removes it again.
func (g evidenceGate) baseline(ctx context.Context) (side taskrun.Side, remove func(), err error) {
	if g.flags.given.baseDir != "" {
		side, err := g.flags.given.baseline(g.app, g.config)
		return side, func() {}, err
	}
	here, err := openWorktree(ctx, ".")
	if err != nil {
		return side, nil, fault.Invalidf("gate.policy %s runs the baseline's agent again, which it takes from git: %w", harness.GateEvidence, err)
	}
	name, err := g.baselineRef()
	if err != nil {
		return side, nil, err
	}
	found, err := here.commit(ctx, name)
	if err != nil {
		return side, nil, fault.Invalidf("gate.baseline %s: there is no such commit here: name one, or fetch it", name)
	}
	// A gate that was killed has left its checkout. The workspace is this one's alone.
	sum := sha256.Sum256([]byte(filepath.Join(here.top, here.prefix)))
	name = fmt.Sprintf("bench-baseline-%x-", sum[:8])
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), name+"*", "checkout"))
	for _, folder := range left {
		here.removeWorktree(ctx, folder)
		_ = os.RemoveAll(filepath.Dir(folder))
	}
	temporary, err := os.MkdirTemp("", name)
	if err != nil {
		return side, nil, fault.Infraf("check the baseline out: %w", err)
	}
	folder := filepath.Join(temporary, "checkout")
	remove = func() {
		here.removeWorktree(context.WithoutCancel(ctx), folder)
		_ = os.RemoveAll(temporary)
	}
	if err := here.addWorktree(ctx, folder, found.sha); err != nil {
		remove()
		return side, nil, err
	}
	dir := filepath.Join(folder, here.prefix)
	if err := g.shareWith(ctx, here, dir); err != nil {
		remove()
		return side, nil, err
	}
	tree, err := here.withoutFolders(ctx, found.sha, ownFolders(g.flags.rows.dir), nil)
	if err != nil {
		remove()
		return side, nil, fault.Invalidf("hash the files of the baseline %s: %w", found.sha, err)
	}
	ref := agentRef{GitRef: bench.GitRef{Commit: &found.sha, Tree: &tree}}
	host := g.app.harnessHost()
	config := g.fromHere(host)
	host.Dir = dir
	return taskrun.Side{
		Mode: agentMode(config, ref), Git: ref.GitRef, Host: host,
		Runner: func(h harness.Host) (harness.Runner, error) {
			return harnessRun{config, h, config.GateSplit, false}.runner()
		},
	}, remove, nil
}

// shareWith gives the baseline what lies beside the agent and is not in git.
func (g evidenceGate) shareWith(ctx context.Context, here *worktree, dir string) error {
	names, err := here.untracked(ctx)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	own := []string{suite.Dir, strings.Split(filepath.ToSlash(filepath.Clean(g.flags.rows.dir)), "/")[0]}
	for _, name := range names {
		to := filepath.Join(dir, name)
		if _, there := os.Lstat(to); err == nil && !slices.Contains(own, name) && errors.Is(there, os.ErrNotExist) {
			err = os.Symlink(filepath.Join(here.top, here.prefix, name), to)
		}
	}
	if err != nil {
		return fault.Infraf("give the baseline what lies beside the agent: %w", err)
	}
	return nil
}

// fromHere returns the configuration with the places of what is shared as they are
// from here.
func (g evidenceGate) fromHere(here harness.Host) harness.Config {
	c := g.config
	for _, path := range []*string{&c.Tau2Python, &c.Harbor, &c.BirdRepo, &c.BirdPythonBin, &c.BirdDataPath, &c.Dataset} {
		if strings.HasPrefix(*path, "./") || strings.HasPrefix(*path, "../") || path != &c.Dataset && strings.Contains(*path, "/") {
			*path = here.Path(*path)
		}
	}
	return c
}

// summaryOf is what there is to publish of a gate: that of the evidence, unless the
// regression suite has failed.
func (a *app) summaryOf(v suite.Verdict, c harness.Config) bench.Summary {
	if v.Full.Verdict == "" || a.result.Summary == nil {
		return SuiteSummary(v, a.harnessHost().AgentModel(c.AgentModel))
	}
	s := *a.result.Summary
	if !v.Suite.Passed {
		s.Gate.Verdict, s.Gate.Passed, s.Gate.Reason = bench.VerdictFail, false, v.Reason
		s.Warnings = append(slices.Clone(s.Warnings), suiteCheck(v.Suite).Reason)
	}
	return s
}
