package actioncli

import (
	"os"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// experiment is what the configuration of a benchmark other than ghx says.
type experiment struct {
	model string
	// environ is the environment to run it in, but for what the user's is.
	environ []string
	// evidence says that the gate compares with the base commit, again and again.
	evidence bool
	// baseline is what the configuration says of that, for gates by hand.
	baseline string
}

// readExperiment reads the configuration in the folder of what is proposed,
// and holds the inputs against it.
func (a *action) readExperiment(folder string) (experiment, error) {
	name := a.inputs.ExperimentConfig
	file, found, err := ghxbuild.FileIn(folder, name)
	if err != nil {
		return experiment{}, err
	}
	if !found {
		return experiment{}, fault.Invalidf("there is no file %s, which benchmark %s is configured in: write it, or name another one with experiment-config", name, a.inputs.Benchmark)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return experiment{}, fault.Infraf("read %s: %w", name, err)
	}
	e, err := parseExperiment(name, text, a.inputs, a.environ)
	if err != nil {
		return experiment{}, inFile{err, name}
	}
	return e, nil
}

func parseExperiment(name string, text []byte, in actions.Inputs, environ []string) (experiment, error) {
	config, err := harness.ParseConfig(name, text)
	if err != nil {
		return experiment{}, err
	}
	if config.Benchmark != in.Benchmark {
		return experiment{}, fault.Invalidf("%s: benchmark is %s, and the input benchmark is %s: name the same one", name, config.Benchmark, in.Benchmark)
	}
	if in.ByEvidence() {
		config.Gate.Policy = harness.GateEvidence
	}
	if in.Shard != "" && config.Gate.Policy != harness.GateEvidence {
		return experiment{}, fault.Invalidf("%s: gate.policy is %s, and the input shard is for %s: the score of a part is no score", name, config.Gate.Policy, harness.GateEvidence)
	}
	return experimentOf(config, in, environ)
}

// runnersOwn are how the names of variables begin that are for the action
// alone. What is proposed can name variables that its agent gets, and these
// have tokens.
func runnersOwn() []string {
	return []string{"INPUT_", "STATE_", "GITHUB_", "ACTIONS_", "RUNNER_"}
}

// experimentOf puts model, key and address of the inputs where the harness
// looks for them. Everything else that the workflow gives the step stays.
func experimentOf(c harness.Config, in actions.Inputs, environ []string) (experiment, error) {
	if in.Model != "" && c.AgentModel != "" && in.Model != c.AgentModel {
		return experiment{}, fault.Invalidf("%s: agent_model is %s, and the input model is %s: say it in one place", c.File, c.AgentModel, in.Model)
	}
	e := experiment{evidence: c.Gate.Policy == harness.GateEvidence, baseline: c.Gate.Baseline}
	for _, entry := range environ {
		if !slices.ContainsFunc(runnersOwn(), func(prefix string) bool { return strings.HasPrefix(entry, prefix) }) {
			e.environ = append(e.environ, entry)
		}
	}
	if in.Model != "" {
		e.set(harness.AgentModelVariable, in.Model)
	}
	e.model = e.host().AgentModel(c.AgentModel)
	key := c.ModelKeyEnv
	if key == "" {
		key = harness.KeyVariable(e.model)
	}
	if in.ModelKey != "" {
		e.set(key, in.ModelKey)
	}
	// A program may have no model, and BIRD-Interact's oracle has none.
	free := c.Benchmark == harness.Command || c.Mode == "oracle"
	if !free && in.ModelBaseURL == "" && e.host().Getenv(key) == "" {
		return experiment{}, lacksKey{fault.Invalidf("input model-api-key: it is required for model %s, or %s in the step's env: pass a secret of the repository; pull requests from forks and from Dependabot do not get it", e.model, key)}
	}
	if in.ModelBaseURL != "" {
		api, is := strings.CutSuffix(key, "_API_KEY")
		if !is {
			return experiment{}, fault.Invalidf("input model-base-url: the key of model %s is %s, which says nothing of the address: set that in the step's env, and name it in agent_env of %s", e.model, key, c.File)
		}
		e.set(api+"_BASE_URL", in.ModelBaseURL)
		e.set(api+"_API_BASE", in.ModelBaseURL)
	}
	return e, nil
}

// lacksKey is the error of a model whose key is not there.
type lacksKey struct{ error }

// Unwrap returns the error.
func (e lacksKey) Unwrap() error { return e.error }

// set sets a variable, in place of any that the step was given.
func (e *experiment) set(name, value string) { e.environ = append(e.environ, name+"="+value) }

func (e *experiment) host() harness.Host { return harness.Host{Environ: e.environ} }
