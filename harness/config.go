package harness

import "time"

// ConfigFile is where an experiment's configuration is.
const ConfigFile = "experiment_config.yaml"

// The benchmarks that a configuration can name.
const (
	TauBench      = "tau-bench"
	TerminalBench = "terminal-bench"
	BirdInteract  = "bird-interact"
	Command       = "command"
)

// Benchmarks lists them.
func Benchmarks() []string { return []string{TauBench, TerminalBench, BirdInteract, Command} }

// Defaults of the configuration, for all benchmarks unless the name says
// which.
const (
	DefaultBenchmark                = TauBench
	DefaultSplit                    = TrainSplit
	DefaultGateSplit                = TestSplit
	DefaultThreshold                = 0.8
	DefaultMaxConcurrency           = 3
	DefaultTerminalBenchConcurrency = 50
	DefaultTauSeed                  = 300
	DefaultEnvProvider              = "e2b"
	DefaultTerminalBenchDataset     = "terminal-bench@2.0"
	DefaultAgentImportPath          = "agent.agent:HarnessAgent"
	DefaultTerminalBenchTimeout     = 1200 * time.Second
	DefaultTerminalBenchJobs        = "workspace/tbench_jobs"
	DefaultBirdDataset              = "lite"
	DefaultBirdMode                 = "a-interact"
	DefaultBirdPatience             = 3
	DefaultBirdTimeout              = 1800 * time.Second
	DefaultBirdJobs                 = "workspace/bird_runs"
	DefaultSystemAgentPort          = 6100
	DefaultUserSimPort              = 6101
	DefaultDBEnvPort                = 6102
)

// MaxEpochs is the highest number of times that a run does each task.
const MaxEpochs = 10_000

// The split files of benchmarks that have no splits of their own.
const (
	TerminalBenchSplitFile = "tbench_data/task_split.json"
	BirdSplitFile          = "bird_data/task_split.json"
)

// Config is an experiment's configuration. A text that is empty, or a number
// that is 0, was not given and has no default.
type Config struct {
	// File is where the configuration was read, for messages.
	File string

	// Benchmark is one of [Benchmarks].
	Benchmark string
	// AgentModel is for [Host.AgentModel] to complete; UserModel is that of
	// the simulated user. If it is empty tau-bench's is the agent's, and
	// BIRD-Interact's the ADK's own.
	AgentModel, UserModel string
	// Domain is tau-bench's.
	Domain string
	// Split is what is trained on, GateSplit what the gate's full test runs.
	// Either may be [WholeDataset], written as null.
	Split, GateSplit string
	// MaxConcurrency is how many tasks run at once.
	MaxConcurrency int
	// Threshold is the share of the regression suite that must pass, from 0
	// to 1.
	Threshold       float64
	ReasoningEffort string
	// TimeoutPolicy says what tasks without a reward count.
	TimeoutPolicy TimeoutPolicy
	// PerTaskTimeout is 0 where the benchmark has no limit of its own.
	PerTaskTimeout time.Duration

	// EnvProvider is Terminal-Bench's sandbox: one of harbor's by its name, such as
	// e2b, daytona or docker, or a Python class as module:Class.
	EnvProvider string
	// Dataset is Terminal-Bench's or BIRD-Interact's.
	Dataset string
	// Mode and Patience are BIRD-Interact's.
	Mode     string
	Patience int
	// The ports of BIRD-Interact's three services on this machine.
	SystemAgentPort, UserSimPort, DBEnvPort int
	// Where BIRD-Interact is: its repository, Python and data.
	BirdRepo, BirdPythonBin, BirdDataPath string
	// The PostgreSQL server of BIRD-Interact.
	PGHost     string
	PGPort     int
	PGUser     string
	PGPassword string

	// What follows are keys that the original harness does not have.

	// Command is the program of benchmark "command", with its arguments.
	Command []string
	// AgentEnv names further environment variables that agents get.
	AgentEnv []string
	// ModelKeyEnv names the environment variable with the key of the agent's
	// model; empty for that of [KeyVariable].
	ModelKeyEnv string
	// Seed is tau-bench's.
	Seed int
	// AgentImportPath is the agent's Python class, as module:Class.
	AgentImportPath string
	// Agent is the name of an agent that the benchmark brings along, such as oracle of
	// harbor, llm_agent of tau2 or system_agent of BIRD-Interact, in place of the
	// experiment's.
	Agent string
	// Options are settings of the benchmark's own program.
	Options Options
	// Epochs is how often a run does each task unless it is told, 0 for once.
	Epochs int
	// Gate says how the gate decides.
	Gate GateConfig
	// JobsDir is where Terminal-Bench and BIRD-Interact keep runs.
	JobsDir string
	// Tau2Python is a Python that has tau2; Harbor is harbor's program.
	Tau2Python, Harbor string
}

// GatePolicy says how the gate decides.
type GatePolicy string

const (
	// GateSeed compares the score with the best so far.
	GateSeed GatePolicy = "seed"
	// GateEvidence runs the baseline again, beside the agent, and says how sure it
	// is that the agent is not worse.
	GateEvidence GatePolicy = "evidence"
)

// GateConfig says how the gate decides; all but Policy is for [GateEvidence].
type GateConfig struct {
	Policy GatePolicy
	// Epochs is how often each task is run with each of the two: "10", or "2..10"
	// to stop as soon as it can be told.
	Epochs string
	// MarginPoints is a drop of the share of tasks that pass, in percentage points,
	// that is too much.
	MarginPoints float64
	// Baseline is a commit; empty is the last one that was recorded, or the one that
	// is checked out if the agent has changes.
	Baseline string
}

// Defaults of the gate.
const (
	DefaultGateEpochs       = "2..10"
	DefaultGateMarginPoints = 15
)

// DefaultConfig returns the configuration of a benchmark that nothing is said
// about.
func DefaultConfig(benchmark string) Config {
	c := Config{
		Benchmark: benchmark, Split: DefaultSplit, GateSplit: DefaultGateSplit, MaxConcurrency: DefaultMaxConcurrency,
		Threshold: DefaultThreshold, TimeoutPolicy: ChargeAgent, EnvProvider: DefaultEnvProvider, Mode: DefaultBirdMode,
		Patience: DefaultBirdPatience, SystemAgentPort: DefaultSystemAgentPort, UserSimPort: DefaultUserSimPort,
		DBEnvPort: DefaultDBEnvPort, Seed: DefaultTauSeed, AgentImportPath: DefaultAgentImportPath,
		Gate: GateConfig{Policy: GateSeed, Epochs: DefaultGateEpochs, MarginPoints: DefaultGateMarginPoints},
	}
	switch benchmark {
	case TerminalBench:
		c.MaxConcurrency, c.PerTaskTimeout = DefaultTerminalBenchConcurrency, DefaultTerminalBenchTimeout
		c.Dataset, c.JobsDir = DefaultTerminalBenchDataset, DefaultTerminalBenchJobs
	case BirdInteract:
		c.PerTaskTimeout, c.Dataset, c.JobsDir = DefaultBirdTimeout, DefaultBirdDataset, DefaultBirdJobs
	}
	return c
}

// WithoutModel returns the name of an agent that asks no model, as it plays the solution
// or does nothing.
func (c Config) WithoutModel() (name string, without bool) {
	switch {
	case c.Benchmark == TerminalBench && (c.Agent == "oracle" || c.Agent == "nop"):
		return c.Agent, true
	case c.Benchmark == BirdInteract && c.Mode == "oracle":
		return c.Mode, true
	default:
		return "", false
	}
}
