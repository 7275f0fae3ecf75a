package benchcli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/scenarios"
)

// The defaults of flags.
const (
	defaultProvider    = "scripted"
	defaultVerifySet   = "ci-verify-pr"
	defaultRepetitions = 4
	// defaultEvidenceSet and evidenceRepetitions are those of profiles that
	// decide by evidence.
	defaultEvidenceSet  = "ci-evidence"
	evidenceRepetitions = "2..12"
	defaultOrderSeed    = 1
	expectationsFile    = "expectations.json"
	sandboxTarget       = "sandbox"
	resumeNewest        = "newest"
)

// suiteFlags are the flags of commands that run agents.
type suiteFlags struct {
	set           string
	scenarioIDs   []string
	scenarioDir   string
	provider      string
	model         string
	order         string
	orderSeed     uint64
	concurrency   int
	skipWarmup    bool
	runnerRetries int
	retryPause    time.Duration
	firstAnswer   time.Duration
	stall         time.Duration
	maxCostUSD    float64
	shard         string
	resume        string
	rows          []string
	dryRun        bool
	outputDir     string
	outputJSONL   string
	transcripts   string
	target        string
	apiURL        string
	manifest      string
	seedIfMissing bool
	keepFixtures  bool
	seedID        string
	variation     int
	variationSeed uint64
	gitRepo       string
	gitCommit     string
	gitTree       string
	baseTree      string
	baseCommit    string
	expectations  string
	pause         time.Duration
	plans         string
	faults        []string
	agent         agentFlags
	json          bool
	// profile is what the suite is run for; empty where that is no gate.
	profile bench.GateProfile
}

func (f *suiteFlags) add(flags *pflag.FlagSet, defaultSet string) {
	flags.StringVar(&f.set, "scenario-set", "", "run this `SET` of scenarios (default "+defaultSet+")")
	flags.StringArrayVar(&f.scenarioIDs, "scenario", nil, "run the scenario with this `ID`; may be given several times")
	flags.StringVar(&f.scenarioDir, "scenarios", "", "read scenarios and sets from this `DIR` instead of the built-in ones")
	flags.StringVar(&f.provider, "provider", defaultProvider, "the agent: "+strings.Join(providerNames(), ", ")+"; the scripted one has no model and plays written plans")
	flags.StringVar(&f.model, "model", "", "the model, as `PROVIDER/MODEL`, for example openai/gpt-5.3-codex; the scripted agent has none but scripted/plan-v1")
	f.agent.add(flags)
	flags.StringVar(&f.order, "order", string(runner.Interleaved), "interleaved, blocks (as interleaved, with the modes of a block one after the other) or sequential")
	flags.Uint64Var(&f.orderSeed, "order-seed", defaultOrderSeed, "seed of the interleaved order")
	flags.IntVar(&f.concurrency, "concurrency", runner.DefaultConcurrency, "how many cells run at once")
	flags.BoolVar(&f.skipWarmup, "skip-warmup", false, "do not run a first, unrecorded cell per mode")
	flags.IntVar(&f.runnerRetries, "runner-retries", runner.DefaultRunnerRetries, "how often an attempt that ran into a deadline is repeated")
	flags.DurationVar(&f.retryPause, "retry-pause", runner.DefaultRetryPause, "how long to wait before the first such repetition")
	flags.DurationVar(&f.firstAnswer, "first-answer-timeout", runner.DefaultFirstAnswer, "how long to wait for an agent's first answer")
	flags.DurationVar(&f.stall, "stall-timeout", runner.DefaultStall, "how long an agent may give no sign of life")
	flags.Float64Var(&f.maxCostUSD, "max-cost-usd", 0, "stop once all attempts together have cost this many `USD`, those of --rows left out")
	flags.StringVar(&f.shard, "shard", "", "run only part `i/n` of the plan")
	flags.StringVar(&f.resume, "resume", "", "go on with the run of this `ID` that was stopped; without an id, with the newest")
	flags.Lookup("resume").NoOptDefVal = resumeNewest
	flags.StringArrayVar(&f.rows, "rows", nil, "take over the rows of an earlier run in this `PATH`, a ledger or a folder, and run the other cells alone; may be given several times")
	flags.BoolVar(&f.dryRun, "dry-run", false, "list the cells and the cost to expect, and run nothing")
	flags.StringVar(&f.outputDir, "output-dir", verify.DefaultDir, "keep runs below this `DIR`")
	flags.StringVar(&f.outputJSONL, "output-jsonl", "", "write all rows to this `FILE` instead of one per mode in the run's folder")
	flags.StringVar(&f.transcripts, "transcripts", "", "keep transcripts below this `DIR`, in a folder per run, instead of in the run's folder")
	flags.StringVar(&f.target, "target", sandboxTarget, "where agents act: sandbox, a GitHub inside this process, or `OWNER/REPO` on GitHub")
	addAPIURL(flags, &f.apiURL)
	flags.BoolVar(&f.keepFixtures, "keep-fixtures", false, "leave in OWNER/REPO what was seeded for this run")
	flags.StringVar(&f.manifest, "fixture-manifest", "", "use the fixtures of this manifest `FILE`, and leave them there (default: seed afresh, for this run)")
	flags.BoolVar(&f.seedIfMissing, "seed-if-missing", false, "seed the fixtures if the manifest or a resource is missing")
	flags.StringVar(&f.seedID, "seed-id", fixture.DefaultSeedID, "name of the seeding")
	f.addVariation(flags)
	flags.StringVar(&f.gitRepo, "git-repo", "", "`OWNER/NAME` of the tooling that is measured (default $BENCH_GIT_REPO, $GITHUB_REPOSITORY)")
	flags.StringVar(&f.gitCommit, "git-commit", "", "commit of the tooling that is measured (default $BENCH_GIT_COMMIT, $GITHUB_SHA, the checkout's head)")
	flags.StringVar(&f.gitTree, "git-tree", "", "`HASH` of its content (default that of the checkout as it is, or of --git-commit)")
	flags.StringVar(&f.baseTree, "base-tree", "", "`HASH` of the content of --base-commit (default as the checkout knows it)")
	flags.StringVar(&f.baseCommit, "base-commit", "", "`COMMIT` of the tooling of mode ghx@base")
	flags.StringVar(&f.expectations, "expectations-config", "", "thresholds and prices `FILE` (default: built in)")
	flags.DurationVar(&f.pause, "script-pause", scripted.DefaultPause, "how long the scripted agent thinks in each turn")
	flags.StringVar(&f.plans, "script-plans", "", "read more plans of the scripted agent from this `DIR`")
	flags.StringArrayVar(&f.faults, "script-fault", nil, "have the scripted agent misbehave: `MODE/SCENARIO[/ITERATION[/ATTEMPT]]=KIND`, * for any; may be given several times")
	flags.BoolVar(&f.json, "json", false, "write events as JSON lines to standard output")
}

// scenarioFiles returns the folder of scenarios that the flags name.
func scenarioFiles(dir string) (fs.FS, error) {
	if dir == "" {
		return scenarios.Files, nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fault.Invalidf("scenario folder %s is not a folder that can be read: name one with scenario files and %s", dir, scenario.SetsFile)
	}
	return os.DirFS(dir), nil
}

func (a *app) expectationsFrom(path string) (*gate.Expectations, error) {
	if path == "" {
		data, err := scenarios.Files.ReadFile(expectationsFile)
		if err != nil {
			return nil, err
		}
		return gate.ParseExpectations(expectationsFile, data)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Invalidf("expectations file cannot be read: %w", err)
	}
	return gate.ParseExpectations(path, data)
}

// prepared is everything that a run needs.
type prepared struct {
	suite        verify.Suite
	deps         runner.Deps
	expectations *gate.Expectations
	provider     agent.Provider
	flags        *suiteFlags
	// library has the scenarios, and the worlds that they are in.
	library *scenario.Library
	// modes are those that there are, the user's included; tools are their programs,
	// nil where no agent has any.
	modes *toolset.Library
	tools *toolset.Set
	// route leads agents to the places of a target; nil where they are told
	// those places.
	route func(target.Target) target.Target
	// toolVersions are the versions of the agents' tools.
	toolVersions map[string]string
	// resumed is true if the run is there already.
	resumed bool
	// seedKnown is true if the seed of the fixtures' variations is not one that
	// was just drawn.
	seedKnown bool
	// remote is the repository on GitHub that the suite runs on, nil for the
	// sandbox.
	remote *remote
	// enter is told when a step begins.
	enter func(verify.Step)
}

// prepare turns flags into a suite. Nothing is started or written yet.
func (a *app) prepare(cmd *cobra.Command, f *suiteFlags, names []string, repetitions bench.Repetitions, defaultSet string) (*prepared, error) {
	known, err := toolset.LoadLibrary(f.agent.modeFiles)
	if err != nil {
		return nil, err
	}
	modes, err := parseModes(known, names)
	if err != nil {
		return nil, err
	}
	p := &prepared{flags: f, modes: known}
	if p.expectations, err = a.expectationsFrom(f.expectations); err != nil {
		return nil, err
	}
	p.suite = verify.Suite{
		Dir: f.outputDir, RunID: cmp.Or(a.runID, verify.NewRunID(a.now(), a.random())), Rows: a.rows, ScenarioSet: f.set, Modes: modes, Repetitions: repetitions.Most,
		OrderSeed: f.orderSeed, OutputJSONL: f.outputJSONL, Provider: f.provider, SeedID: f.seedID, Profile: f.profile,
	}
	if repetitions.Adapt() {
		p.suite.FirstLook = repetitions.First
	}
	if f.live() {
		p.suite.Target = f.target
	}
	if p.suite.Order, err = runner.ParseOrder(f.order); err != nil {
		return nil, err
	}
	if f.shard != "" {
		shard, err := bench.ParseShard(f.shard)
		if err != nil {
			return nil, fault.Wrap(fault.Invalid, err)
		}
		p.suite.Shard = &shard
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	if model, _, _ := strings.Cut(f.model, "/"); f.model != "" && model != scripted.DefaultProviderID && !cmd.Flags().Changed("provider") {
		return nil, fault.Invalidf("--model %s is given without --provider, and the %s agent asks no model: add --provider %s", f.model, defaultProvider, opencode.Name)
	}
	if err := a.connectRemote(p); err != nil {
		return nil, err
	}
	if f.resume != "" {
		if err := p.resume(cmd.Flags()); err != nil {
			return nil, err
		}
	}
	if err := a.chooseVariations(p); err != nil {
		return nil, err
	}
	if err := p.keepTranscripts(); err != nil {
		return nil, err
	}
	if err := p.selectScenarios(defaultSet, a.proposed); err != nil {
		return nil, err
	}
	if p.suite.Git, err = a.gitOf(cmd.Context(), f); err != nil {
		return nil, err
	}
	if f.baseCommit != "" && slices.Contains(p.suite.Modes, bench.GHXBase) {
		p.suite.BaseCommit, p.suite.BaseTree = &f.baseCommit, orNil(firstOf(f.baseTree, treeOf(f.baseCommit)))
	}
	if err := a.connect(cmd.Context(), p); err != nil {
		return nil, err
	}
	if err := a.takeOver(p); err != nil {
		return nil, errors.Join(err, p.provider.Close())
	}
	return p, nil
}

// keepTranscripts has the run keep its transcripts where the flags say. The
// run's file says so too, to whoever reads it from another folder.
func (p *prepared) keepTranscripts() error {
	if p.flags.transcripts == "" {
		return nil
	}
	dir, err := filepath.Abs(p.flags.transcripts)
	if err != nil {
		return fault.Infraf("find --transcripts %s: %w", p.flags.transcripts, err)
	}
	p.suite.Transcripts = filepath.Join(dir, p.suite.RunID)
	return nil
}

func (f *suiteFlags) check() error {
	switch {
	case f.concurrency < 1:
		return fault.Invalidf("--concurrency is %d, want 1 or more", f.concurrency)
	case f.runnerRetries < 0:
		return fault.Invalidf("--runner-retries is %d, want 0 or more", f.runnerRetries)
	case f.resume != "" && len(f.rows) > 0:
		return fault.Invalidf("--rows and --resume are both given: a run that goes on has the rows that it took over already, so leave --rows out")
	case f.maxCostUSD < 0:
		return fault.Invalidf("--max-cost-usd is %g, want 0 or more", f.maxCostUSD)
	case f.firstAnswer <= 0 || f.stall <= 0:
		return fault.Invalidf("--first-answer-timeout and --stall-timeout must be more than 0, for example 15s")
	case f.pause < 0 || f.retryPause < 0:
		return fault.Invalidf("--script-pause and --retry-pause must be 0 or more, for example 20ms")
	default:
		return f.checkVariation()
	}
}

func (p *prepared) selectScenarios(defaultSet string, proposed bool) error {
	files, err := scenarioFiles(p.flags.scenarioDir)
	if err != nil {
		return err
	}
	if p.library, err = scenario.Load(files); err != nil {
		return err
	}
	if p.suite.ScenarioSet == "" && len(p.flags.scenarioIDs) == 0 {
		p.suite.ScenarioSet = defaultSet
	}
	if p.suite.Scenarios, err = scenario.Select(p.library, p.suite.ScenarioSet, p.flags.scenarioIDs); err != nil {
		return err
	}
	for _, s := range p.suite.Scenarios {
		if proposed && s.Target != nil {
			return fault.Invalidf("scenario %s has a target with commands, which run as the user of bench: they may be the pull request's, so they are not run here; run it with `bench verify` on a machine of your own", s.ID)
		}
	}
	return nil
}

// connect makes the provider and what else a run works with.
func (a *app) connect(ctx context.Context, p *prepared) (err error) {
	p.deps = runner.Deps{
		Setups: p.modes.Setups(), Now: a.now, Wait: wait,
		Reader:         a.checkpoints,
		Redact:         a.secrets.String,
		SaveTranscript: verify.SaveTranscripts(p.suite.TranscriptsFolder(), p.suite.RunID, a.secrets),
		Nonce:          a.random,
		Shared:         a.shared,
	}
	if err := a.openProvider(ctx, p); err != nil {
		return err
	}
	facts, err := a.modeFacts(ctx, p)
	if err != nil {
		return errors.Join(err, p.provider.Close())
	}
	info := p.provider.Describe()
	p.suite.Run = runner.Config{
		Concurrency: p.flags.concurrency, SkipWarmup: p.flags.skipWarmup, RunnerRetries: p.flags.runnerRetries,
		RetryPause: p.flags.retryPause, FirstAnswer: p.flags.firstAnswer, Stall: p.flags.stall,
		Continuations: runner.DefaultContinuations, MaxCostUSD: p.flags.maxCostUSD,
		ModeFiles: facts, Routes: p.modes.With(toolset.Routes),
		Price: p.price(info), Tools: verify.Tools(version(), info.Name+" "+info.Version, p.toolVersions),
	}
	if p.remote == nil { // the sandbox is a part of this program
		p.suite.Run.Tools["sandbox"] = version()
	} else { // until it tells one
		p.suite.Run.Tools[gitHubVersion] = toolset.Unversioned
	}
	if p.flags.maxCostUSD > 0 && p.suite.Run.Price == nil && !p.flags.dryRun {
		return errors.Join(p.provider.Close(),
			fault.Invalidf("--max-cost-usd cannot hold: model %s has no price; add one under \"pricing\" to a file for --expectations-config", info.Model.Key()))
	}
	p.deps.Provider = p.provider
	return nil
}

// checkpoints returns what reads GitHub's state for them.
func (a *app) checkpoints(access target.Access) (checkpoint.Reader, error) {
	client, err := a.reader(access)
	if err != nil {
		return nil, err
	}
	return checkpoint.NewGitHubReader(client), nil
}

// openProvider makes the provider that the flags name.
func (a *app) openProvider(ctx context.Context, p *prepared) error {
	switch p.flags.provider {
	case defaultProvider:
		if err := refuseScripted(p.suite.Scenarios); err != nil {
			return err
		}
		provider, err := a.scripted(p.flags)
		if err != nil {
			return err
		}
		for _, mode := range p.suite.Modes {
			setup := p.deps.Setups[mode]
			setup.Mode = mode
			if err := provider.CheckMode(setup, p.suite.Scenarios); err != nil {
				return err
			}
		}
		p.provider = provider
		return p.checkModeFiles()
	default:
		if _, known := agentKinds()[p.flags.provider]; !known {
			return fault.Invalidf("provider %q is unknown: use one of %s", p.flags.provider, strings.Join(providerNames(), ", "))
		}
		provider, err := a.openAgents(p.flags, p.modes, p.suite.Modes)
		if err != nil {
			return err
		}
		p.provider = provider
		if err := a.connectAgents(ctx, p, provider); err != nil {
			return errors.Join(err, provider.Close())
		}
		return nil
	}
}

// price returns what the model costs: what the expectations say, else what the
// provider lists, else nil.
func (p *prepared) price(info agent.Info) *bench.Price {
	if price, known := p.expectations.Price(info.Model.Key()); known {
		return &price
	}
	return info.Price
}

// scripted returns the provider of scripted agents.
func (a *app) scripted(f *suiteFlags) (*scripted.Provider, error) {
	opts := scripted.Options{Pause: f.pause, Now: a.now}
	if f.model != "" {
		model, err := parseModel(f.model, "scripted/plan-v1")
		if err != nil {
			return nil, err
		}
		opts.Model = model
	}
	if f.plans != "" {
		opts.Plans = os.DirFS(f.plans)
	}
	for _, text := range f.faults {
		parsed, err := scripted.ParseFault(text)
		if err != nil {
			return nil, err
		}
		opts.Faults = append(opts.Faults, parsed)
	}
	return scripted.New(opts)
}
