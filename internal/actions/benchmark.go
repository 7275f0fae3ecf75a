package actions

import (
	"fmt"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// others are the benchmarks other than ghx.
func others() []string {
	return []string{BenchmarkTau, BenchmarkTerminal, BenchmarkBird, BenchmarkCommand}
}

// isOther reports whether another benchmark than ghx is named.
func (in Inputs) isOther() bool { return slices.Contains(others(), in.Benchmark) }

// ofGHXAlone are the inputs that say how ghx is measured, and what says the
// like in the configuration of another benchmark, if anything does.
var ofGHXAlone = [...]struct{ input, key string }{
	{inProvider, ""}, {inModelVariant, "reasoning_effort"}, {inScenarioSet, "gate_split"},
	{inScenarios, "gate_split"}, {inScenariosPath, ""}, {inModes, ""}, {inModeFiles, ""}, {inBaselineMode, ""}, {inCandidateMode, ""}, {inOrder, ""},
	{inGHXCommand, ""}, {inGHXSkill, ""}, {inBaseGHX, ""}, {inAllowHosts, ""}, {inIsolation, ""}, {inTarget, ""}, {inFixturesToken, ""}, {inAgentToken, ""},
	{inAppID, ""}, {inInstallation, ""}, {inAppKey, ""}, {inSeedID, ""}, {inCleanUp, ""}, {inConcurrency, "max_concurrency"},
	{inArtifact, ""}, {inResume, ""}, {inRows, ""}, {inExpectations, "threshold"},
}

// ofEvidence are the inputs that say how evidence decides, and what says it in the
// configuration of another benchmark, if anything does.
var ofEvidence = [...]struct{ input, key string }{{inRepetitions, "gate.epochs"}, {inMarginSuccess, "gate.margin"}, {inMarginCost, ""}, {inMarginLatency, ""}}

// ofOther finds inputs that a benchmark other than ghx does not have.
func (r *reading) ofOther(in Inputs) {
	for _, of := range ofGHXAlone {
		if !r.set(of.input) {
			continue
		}
		instead := ""
		if of.key != "" {
			instead = fmt.Sprintf(", and set %s in %s", of.key, in.ExperimentConfig)
		}
		r.problem(of.input, "it is for benchmark %s, and %s is %s: leave it out%s", BenchmarkGHX, inBenchmark, in.Benchmark, instead)
	}
	r.decisionOfOther(in)
	r.parts(in)
	if !inside(in.ExperimentConfig) {
		r.problem(inExperiment, "it is %q, want a file inside the workspace", in.ExperimentConfig)
	}
}

// decisionOfOther finds inputs that say how the gate of another benchmark decides, where
// its configuration says it.
func (r *reading) decisionOfOther(in Inputs) {
	if in.ByEvidence() {
		return
	}
	if r.set(inGateProfile) {
		r.problem(inGateProfile, "it is %s, and %s is %s: the other benchmarks know %s alone, which has evidence decide whatever %s says; leave it out, or set that", in.Profile, inBenchmark, in.Benchmark, bench.ProfileRegression, in.ExperimentConfig)
	}
	for _, of := range ofEvidence {
		if !r.set(of.input) {
			continue
		}
		instead := ""
		if of.key != "" {
			instead = fmt.Sprintf(", or set %s in %s", of.key, in.ExperimentConfig)
		}
		r.problem(of.input, "%s is %s: give %s: %s too%s", inBenchmark, in.Benchmark, inGateProfile, bench.ProfileRegression, instead)
	}
}

// ByEvidence reports whether the inputs have evidence decide about another benchmark than
// ghx, whatever its configuration says.
func (in Inputs) ByEvidence() bool { return in.isOther() && in.Profile == bench.ProfileRegression }

// provider reads the agent's provider, which another benchmark may not have.
func (r *reading) provider() string {
	if slices.Contains(others(), r.text(inBenchmark)) {
		return r.text(inProvider)
	}
	if r.text(inProvider) == "" {
		return modelProviders()[0]
	}
	return choice(r, inProvider, append(modelProviders(), providerScripted)...)
}
