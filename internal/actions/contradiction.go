package actions

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// contradictions finds inputs that cannot be had together, and those that have
// a form of their own.
func (r *reading) contradictions(in Inputs) {
	if in.isOther() {
		r.ofOther(in)
	} else {
		r.ofGHX(in)
	}
	if u, err := url.Parse(in.ModelBaseURL); in.ModelBaseURL != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		r.problem(inModelBaseURL, "it is %q, want a URL, for example https://gateway.example.com/v1", in.ModelBaseURL)
	}
	if !inside(in.OutputDir) {
		r.problem(inOutputDir, "it is %q, want a folder inside the workspace", in.OutputDir)
	}
	if strings.ContainsAny(in.CheckName, "\r\n") {
		r.problem(inCheckName, "it is %q, want one line", in.CheckName)
	}
	if _, err := ghevent.ParsePaths(in.Paths); err != nil {
		r.problem(inPaths, "%v", err)
	}
}

// ofGHX checks what says how ghx is measured.
func (r *reading) ofGHX(in Inputs) {
	if r.set(inExperiment) {
		r.problem(inExperiment, "%s is %s, which has no such configuration: leave it out, or name another benchmark", inBenchmark, in.Benchmark)
	}
	r.modesToCompare(in)
	r.modesOfFiles(in)
	if r.set(inScenarios) && r.set(inScenarioSet) {
		r.problem(inScenarios, "%s is given too: choose one", inScenarioSet)
	}
	if !inside(in.ScenariosPath) {
		r.problem(inScenariosPath, "it is %q, want a folder inside the workspace", in.ScenariosPath)
	}
	r.parts(in)
	for _, pattern := range in.Artifacts {
		if _, err := path.Match(pattern, ""); err != nil {
			r.problem(inArtifact, "it has %q, want the name of an artifact, with * for any part of it", pattern)
		}
	}
	if in.Rows != "" {
		r.rowsToTakeOver(in)
	}
	r.fixtureApp(in)
	if in.Target != TargetSandbox {
		r.repository(in)
	}
	if slices.Contains(modelProviders(), in.Provider) && !in.Merges() {
		r.modelToAsk(in)
	}
}

// parts checks what says that the job is one of several.
func (r *reading) parts(in Inputs) {
	merges, results := in.Merges(), inResults
	if len(in.Artifacts) > 0 {
		results = inArtifact
	}
	switch {
	case len(in.Artifacts) > 0 && len(in.Results) > 0:
		r.problem(inArtifact, "%s is given too: parts are of this run of the workflow, or of the one that has ended", inResults)
	case in.Shard != "" && merges:
		r.problem(results, "%s is given too: a job either runs a part or merges all", inShard)
	case in.Resume && merges:
		r.problem(results, "%s is given too: there is no run to go on with where results are merged", inResume)
	}
	if _, err := bench.ParseShard(in.Shard); in.Shard != "" && err != nil {
		r.problem(inShard, "it is %q, want I/N with I from 1 to N, for example 2/4", in.Shard)
	}
}

// rowsToTakeOver checks the folder with the rows of an earlier run.
func (r *reading) rowsToTakeOver(in Inputs) {
	switch {
	case !inside(in.Rows):
		r.problem(inRows, "it is %q, want a folder inside the workspace", in.Rows)
	case in.Resume:
		r.problem(inRows, "%s is given too: a run that goes on has the rows that it took over already", inResume)
	case in.Merges():
		r.problem(inRows, "%s is given too: where results are merged nothing is run", inResults)
	}
}

// modesOfFiles checks where the mode files are.
func (r *reading) modesOfFiles(in Inputs) {
	for _, file := range in.ModeFiles {
		if !inside(file) {
			r.problem(inModeFiles, "it has %q, want a file inside the workspace", file)
		}
	}
}

// modesToCompare checks baseline and candidate, where both are modes.
func (r *reading) modesToCompare(in Inputs) {
	judges := in.Shard == "" && !in.Merges()
	switch {
	case in.Baseline == "" || in.Candidate == "":
	case in.Baseline == in.Candidate:
		r.problem(inCandidateMode, "it is %s, as %s is: name two modes", in.Candidate, inBaselineMode)
	case judges && !slices.Contains(in.Modes, in.Baseline):
		r.problem(inModes, "%s is not among them, and is to be compared with", in.Baseline)
	case judges && !slices.Contains(in.Modes, in.Candidate):
		r.problem(inModes, "%s is not among them, and is to be judged", in.Candidate)
	}
	nothingToBuild := in.BuildCommand == BuildNone && in.GHXCommand == ""
	if slices.Contains(in.Modes, bench.GHXBase) && in.BaseGHXCommand == "" && nothingToBuild && in.Provider != providerScripted && !in.Merges() {
		r.problem(inBaseGHX, "it is required for mode %s where %s is %s: the base commit's ghx is built as the head's is", bench.GHXBase, inBuildCommand, BuildNone)
	}
}

// modelToAsk checks what an agent with a model needs. A gateway of one's own
// may need no key.
func (r *reading) modelToAsk(in Inputs) {
	provider, model, _ := strings.Cut(in.Model, "/")
	switch {
	case in.Model == "":
		r.problem(inModel, "it is required with provider %s, for example openai/gpt-5.3-codex; to try the action out without one, set provider: scripted", in.Provider)
	case provider == "" || model == "":
		r.problem(inModel, "it is %q, want PROVIDER/MODEL, for example openai/gpt-5.3-codex", in.Model)
	}
	if in.ModelKey == "" && in.ModelBaseURL == "" {
		r.lack(inModelKey, "it is required with provider %s: pass a secret of the repository; pull requests from forks and from Dependabot do not get it", in.Provider)
	}
}

// fixtureApp checks that an App's settings are complete.
func (r *reading) fixtureApp(in Inputs) {
	settings := []struct{ name, value string }{{inAppID, in.FixtureAppID}, {inInstallation, in.FixtureAppInstallation}, {inAppKey, in.FixtureAppKey}}
	given := slices.ContainsFunc(settings, func(s struct{ name, value string }) bool { return s.value != "" })
	for _, s := range settings {
		if given && s.value == "" {
			report := r.problem
			if r.declared[s.name].Secret {
				report = r.lack
			}
			report(s.name, "it is required beside the other inputs that begin with fixture-app-")
		}
	}
}

// repository checks what runs on a repository need.
func (r *reading) repository(in Inputs) {
	owner, name, ok := strings.Cut(in.Target, "/")
	app := in.FixtureAppID != ""
	switch {
	case !ok || owner == "" || name == "" || strings.ContainsAny(name, "/ "):
		r.problem(inTarget, "it is %q, want %s, or OWNER/REPO", in.Target, TargetSandbox)
		return
	case in.Merges():
		return
	case in.Shard != "":
		r.problem(inShard, "%s is %s: the parts of a plan would change each other's fixtures; run it in one job, or in the sandbox", inTarget, in.Target)
	}
	if in.FixturesToken == "" && !app {
		r.lack(inFixturesToken, "it, or the inputs that begin with fixture-app-, is required with target %s: pass a secret of the repository; pull requests from forks and from Dependabot do not get it", in.Target)
	}
	switch {
	case in.AgentToken == "" && in.FixturesToken != "" && !app:
		r.problem(inAgentToken, "it is required beside %s: checkpoints read with another token than the agent's", inFixturesToken)
	case in.AgentToken != "" && in.AgentToken == in.FixturesToken:
		r.problem(inAgentToken, "it is the same as %s: checkpoints read with another token than the agent's", inFixturesToken)
	}
}

// inside reports whether a path stays in the folder that it is relative to.
func inside(p string) bool {
	clean := path.Clean(p)
	return !path.IsAbs(clean) && clean != ".." && !strings.HasPrefix(clean, "../")
}
