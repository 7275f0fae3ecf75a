package actions

import (
	"fmt"
	"slices"
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
	{inProvider, ""}, {inModelVariant, "reasoning_effort"}, {inGateProfile, "threshold"}, {inScenarioSet, "gate_split"},
	{inScenarios, "gate_split"}, {inScenariosPath, ""}, {inModes, ""}, {inModeFiles, ""}, {inRepetitions, ""}, {inBaselineMode, ""}, {inCandidateMode, ""}, {inMarginSuccess, ""}, {inMarginCost, ""}, {inMarginLatency, ""}, {inOrder, ""},
	{inGHXCommand, ""}, {inGHXSkill, ""}, {inBaseGHX, ""}, {inAllowHosts, ""}, {inIsolation, ""}, {inTarget, ""}, {inFixturesToken, ""}, {inAgentToken, ""},
	{inAppID, ""}, {inInstallation, ""}, {inAppKey, ""}, {inSeedID, ""}, {inCleanUp, ""}, {inConcurrency, "max_concurrency"},
	{inArtifact, ""}, {inResume, ""}, {inRows, ""}, {inMaxCost, ""}, {inExpectations, "threshold"},
}

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
	r.parts(in)
	if !inside(in.ExperimentConfig) {
		r.problem(inExperiment, "it is %q, want a file inside the workspace", in.ExperimentConfig)
	}
}

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
