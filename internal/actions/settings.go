package actions

import (
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Settings are the inputs that say what is measured, and how, by their names; those
// that are empty are left out. Two jobs with the same ones measure the same.
func (in Inputs) Settings() map[string]string {
	isolation := isolationPrefer
	if in.RequireIsolation {
		isolation = isolationRequire
	}
	all := map[string]string{
		inBenchmark: in.Benchmark, inExperiment: in.ExperimentConfig, inProvider: in.Provider, inModel: in.Model, inModelVariant: in.ModelVariant,
		inModelBaseURL: in.ModelBaseURL, inGateProfile: string(in.Profile), inScenarioSet: in.ScenarioSet, inScenarios: strings.Join(in.Scenarios, ","),
		inScenariosPath: in.ScenariosPath, inModes: bench.JoinModes(in.Modes, ","), inModeFiles: strings.Join(in.ModeFiles, "\n"),
		inRepetitions: in.Repetitions.String(), inBaselineMode: string(in.Baseline), inCandidateMode: string(in.Candidate),
		inMarginSuccess: margin(in.MarginSuccess), inMarginCost: margin(in.MarginCost), inMarginLatency: margin(in.MarginLatency), inOrder: in.Order,
		inBuildCommand: in.BuildCommand, inBuildHosts: strings.Join(in.BuildHosts, ","), inGHXCommand: in.GHXCommand, inGHXSkill: in.GHXSkill,
		inBaseGHX: in.BaseGHXCommand, inBaseCommit: in.BaseCommit, inAllowHosts: strings.Join(in.AllowHosts, ","), inIsolation: isolation,
		inTarget: in.Target, inExpectations: in.Expectations,
	}
	for name, value := range all {
		if value == "" {
			delete(all, name)
		}
	}
	return all
}

func margin(value float64) string {
	if value == 0 {
		return ""
	}
	return fmt.Sprint(value)
}
