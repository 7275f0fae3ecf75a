package actions

import (
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
)

// Input declares an input of the action.
type Input struct {
	Name string
	// Default is what it is when a workflow does not set it, as action.yml has
	// it: an expression of the workflow language is evaluated by the runner.
	Default string
	// Secret inputs never reach a log.
	Secret bool
	// Basic inputs are those that a first workflow sets; the others are advanced.
	Basic bool
	// Help says what it is for, in one or two sentences.
	Help string
}

// The names of the inputs.
const (
	inBenchmark     = "benchmark"
	inExperiment    = "experiment-config"
	inGateProfile   = "gate-profile"
	inScenarioSet   = "scenario-set"
	inScenarios     = "scenarios"
	inScenariosPath = "scenarios-path"
	inModes         = "modes"
	inModeFiles     = "mode-files"
	inRepetitions   = "repetitions"
	inProvider      = "provider"
	inModel         = "model"
	inModelVariant  = "model-variant"
	inModelKey      = "model-api-key"
	inModelBaseURL  = "model-base-url"
	inAllowHosts    = "allow-hosts"
	inIsolation     = "isolation"
	inBuildCommand  = "build-command"
	inBuildTimeout  = BuildTimeout
	inBuildHosts    = "build-hosts"
	inGHXCommand    = "ghx-command"
	inGHXSkill      = "ghx-skill"
	inBaseGHX       = "base-ghx-command"
	inBaseCommit    = "base-commit"
	inBaselineMode  = "baseline-mode"
	inMarginSuccess = "margin-success"
	inMarginCost    = "margin-cost"
	inMarginLatency = "margin-latency"
	inCandidateMode = "candidate-mode"
	inOrder         = "order"
	inPaths         = "paths"
	inDrafts        = "drafts"
	inToken         = "github-token"
	inTarget        = "target"
	inFixturesToken = "fixtures-token"
	inAgentToken    = "agent-token"
	inAppID         = "fixture-app-id"
	inInstallation  = "fixture-app-installation-id"
	inAppKey        = "fixture-app-private-key"
	inSeedID        = "seed-id"
	inCleanUp       = "cleanup"
	inConcurrency   = "concurrency"
	inShard         = "shard"
	inResults       = "results"
	inArtifact      = "results-artifact"
	inResume        = "resume"
	inRows          = "rows"
	inMaxCost       = "max-cost-usd"
	inTimeout       = "timeout-minutes"
	inExpectations  = "expectations"
	inComment       = "comment"
	inCheckName     = "check-name"
	inFailOn        = "fail-on"
	inOnNoVerdict   = "on-no-verdict"
	inSkipMarker    = "skip-marker"
	inOutputDir     = "output-dir"
)

// BuildTimeout is the input with how long builds may take.
const BuildTimeout = "build-timeout-minutes"

// Declared lists the inputs in the order of action.yml, the basic ones first.
func Declared() []Input {
	return []Input{
		{Name: inModel, Basic: true, Help: "The model, as PROVIDER/MODEL. Required unless the provider is scripted. With another benchmark than ghx, the agent's model where experiment-config does not name it."},
		{Name: inModelKey, Basic: true, Secret: true, Help: "The API key of the model. Agents do not get it, but those of another benchmark than ghx. Required unless model-base-url is set or provider is scripted."},
		{Name: inBuildCommand, Basic: true, Default: BuildAuto, Help: "How the ghx to measure is built: auto builds a ghx workspace, none measures the installed one, anything else is run by a shell, with another benchmark than ghx before it."},
		{Name: inGateProfile, Basic: true, Default: string(bench.VerifyPR), Help: "What is asked: verify_pr or verify_release for checks with fixed thresholds; regression (not worse than the baseline) or claim (saves what is claimed) by evidence. With another benchmark than ghx, regression has evidence decide, whatever its configuration says."},
		{Name: inMaxCost, Basic: true, Default: "0", Help: "Stop when so many USD are spent; 0 means no limit."},
		{Name: inProvider, Help: "The agent: opencode, which it is by default and which alone is in the default image, claude-code, codex, or scripted, which has no model, is for trying out and concludes neutral."},
		{Name: inModelVariant, Help: "How hard the model is to think, as the agent names it: OpenCode's variant of the model, Claude Code's and Codex' effort, such as high."},
		{Name: inModelBaseURL, Help: "The URL of an API that has the model, in the form that the agent asks: OpenAI's chat completions for opencode, its responses for codex, Anthropic's messages for claude-code."},
		{Name: inBenchmark, Default: BenchmarkGHX, Help: "The benchmark to run: ghx, or tau-bench, terminal-bench, bird-interact or command, whose gate is that of bench harness."},
		{Name: inExperiment, Default: "experiment_config.yaml", Help: "The configuration of a benchmark other than ghx."},
		{Name: inScenarioSet, Help: "The set of scenarios to run: by default ci-verify-pr, with gate-profile regression or claim ci-evidence."},
		{Name: inScenarios, Help: "Scenario ids, separated by commas or line ends, to run in place of a set."},
		{Name: inScenariosPath, Help: "A folder of the workspace with scenarios and sets, to run in place of the built-in ones. Those that come out badly are annotated there."},
		{Name: inModes, Help: "The modes to run, separated by commas or line ends: agent_direct, mcp, ghx, ghx@base and those of mode-files. By default agent_direct,ghx, with gate-profile regression ghx@base,ghx."},
		{Name: inModeFiles, Help: "Files of the workspace that describe further modes for modes, one a line. They are read where the build was done, so they may name what it makes."},
		{Name: inRepetitions, Help: "How often each scenario runs in each mode, by default 4; with gate-profile regression or claim also a range, by default 2..12, of which no more is run than it takes to tell."},
		{Name: inBaselineMode, Help: "The mode to compare with: by default agent_direct, with gate-profile regression ghx@base."},
		{Name: inCandidateMode, Default: string(bench.GHX), Help: "The mode to judge."},
		{Name: inMarginSuccess, Help: "With gate-profile regression or claim, the drop of the success rate in percentage points that is too much; by default 15."},
		{Name: inMarginCost, Help: "With gate-profile regression, how many times the baseline's cost is too much; by default 1.2."},
		{Name: inMarginLatency, Help: "With gate-profile regression, how many times the baseline's latency is too much; by default 1.25."},
		{Name: inOrder, Default: orderInterleaved, Help: "interleaved, or sequential: one mode after the other."},
		{Name: inBuildTimeout, Default: "30", Help: "How many minutes a build may take. What goes on is ended, and fails the check."},
		{Name: inBuildHosts, Help: "The hosts that builds may reach, separated by commas or line ends, such as registry.npmjs.org for npm and pnpm; without any they have the network."},
		{Name: inGHXCommand, Help: "The command of the ghx to measure, where the build does not tell it."},
		{Name: inGHXSkill, Help: "The file with its skill text, where it does not lie beside it."},
		{Name: inBaseGHX, Help: "The command of the base commit's ghx, for mode ghx@base. By default it is built from the base commit as the head's is from its own."},
		{Name: inBaseCommit, Help: "The base commit; by default the one of the pull request, merge group or push."},
		{Name: inAllowHosts, Help: "Further hosts that agents may reach, separated by commas or line ends."},
		{Name: inIsolation, Default: isolationPrefer, Help: "How agents are held: prefer the strongest way that the runner has, or require one that the kernel enforces, and have no verdict otherwise."},
		{Name: inPaths, Help: "Patterns of paths, one a line, as in a workflow's paths filter; where a pull request touches none of them, nothing runs and the check is neutral."},
		{Name: inDrafts, Default: draftsSkip, Help: "What to do with draft pull requests: skip or run."},
		{Name: inToken, Default: "${{ github.token }}", Secret: true, Help: "The token that reports with. It needs checks: write and pull-requests: write."},
		{Name: inTarget, Default: TargetSandbox, Help: "Where agents act: sandbox, a GitHub inside the job, or OWNER/REPO, a repository for fixtures on GitHub."},
		{Name: inFixturesToken, Secret: true, Help: "The token that seeds and removes fixtures in OWNER/REPO, and that checkpoints read with. Agents do not get it."},
		{Name: inAgentToken, Secret: true, Help: "The token that agents work with in OWNER/REPO, which is put in outside of them. Required beside fixtures-token; it must be another one."},
		{Name: inAppID, Help: "The id of a GitHub App that makes all tokens for OWNER/REPO, in place of fixtures-token and agent-token."},
		{Name: inInstallation, Help: "The id of its installation for the owner of OWNER/REPO."},
		{Name: inAppKey, Secret: true, Help: "A private key of it, the whole .pem file."},
		{Name: inSeedID, Help: "The name of the seeding of fixtures. Runs on one repository that may overlap need different ones."},
		{Name: inCleanUp, Default: "true", Help: "Whether what was seeded in OWNER/REPO is removed after the run: true or false."},
		{Name: inConcurrency, Default: "1", Help: "How many cells run at once."},
		{Name: inShard, Help: "Run the part I/N of the plan only and publish nothing; another job merges the parts."},
		{Name: inResults, Help: "Folders of shards of this run of the workflow, one a line: merge, judge and publish them, and run nothing. The inputs are those that the shards have."},
		{Name: inArtifact, Help: "On workflow_run, artifacts that the other run has uploaded, one a line, * for any part of a name: fetch, merge, judge and publish them, and run nothing. The inputs are those that the run has; github-token needs actions: read."},
		{Name: inResume, Default: "false", Help: "Go on with the newest run in the output folder: true or false."},
		{Name: inRows, Help: "A folder of the workspace with the rows of an earlier run of the same commit: they are taken over, whatever became of them, and the other cells alone are run. It may be missing or empty. No pull request must be able to write it."},
		{Name: inTimeout, Default: "0", Help: "Stop cleanly after so many minutes, and report what is there; 0 means no limit."},
		{Name: inExpectations, Help: "A file with thresholds and prices."},
		{Name: inComment, Default: string(comment.Always), Help: "When the pull request gets its comment: always, on-change, on-failure or never."},
		{Name: inCheckName, Default: "bench", Help: "The name of the check run, and of the comment's. For bench, a benchmark other than ghx has its own name."},
		{Name: inFailOn, Default: string(FailOnInfrastructure), Help: "What fails the job: gate (a failed gate too), infrastructure (what keeps a verdict from being reached) or never."},
		{Name: inOnNoVerdict, Default: "neutral", Help: "How the check ends where it cannot be told whether the change is good: neutral, which lets a pull request through where the check is required, failure or action_required."},
		{Name: inSkipMarker, Default: "true", Help: "Whether [skip bench] in the message of the head commit, of a branch of this repository, has nothing run: true or false."},
		{Name: inOutputDir, Default: ".bench", Help: "Where the run's files are kept, in the workspace."},
	}
}

// The benchmarks. All but the first are those of package harness.
const (
	// BenchmarkGHX is that of ghx against gh and the MCP server.
	BenchmarkGHX      = "ghx"
	BenchmarkTau      = "tau-bench"
	BenchmarkTerminal = "terminal-bench"
	BenchmarkBird     = "bird-interact"
	BenchmarkCommand  = "command"
)

// TargetSandbox is the target that is no repository.
const TargetSandbox = "sandbox"

// providerScripted is the provider of agents without a model.
const providerScripted = "scripted"

// modelProviders are those of agents with one.
func modelProviders() []string { return []string{"opencode", "claude-code", "codex"} }

// The orders in which modes run (rule N4).
const (
	orderInterleaved = "interleaved"
	orderSequential  = "sequential"
)

// What is done with drafts.
const (
	draftsSkip = "skip"
	draftsRun  = "run"
)

// How agents are held.
const (
	isolationPrefer  = "prefer"
	isolationRequire = "require"
)

// BuildAuto and BuildNone are the build commands that are none.
const (
	BuildAuto = "auto"
	BuildNone = "none"
)

// FailOn says what fails the job.
type FailOn string

// The choices.
const (
	FailOnGate           FailOn = "gate"
	FailOnInfrastructure FailOn = "infrastructure"
	FailOnNever          FailOn = "never"
)
