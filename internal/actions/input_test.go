package actions_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// environment is what a runner passes: every declared input, at its default
// unless it is given here, under the name that the runner makes of it.
func environment(given map[string]string) []string {
	all := map[string]string{}
	for _, in := range actions.Declared() {
		all[in.Name] = in.Default
	}
	all["github-token"] = "ghs_thetokenofthejob"
	for name, value := range given {
		all[name] = value
	}
	environ := []string{"PATH=/bin", "HOME=/github/home", "INPUTS=no input"}
	for name, value := range all {
		environ = append(environ, "INPUT_"+strings.ReplaceAll(strings.ToUpper(name), " ", "_")+"="+value)
	}
	return environ
}

// with adds inputs to those of a workflow with a model, or takes them back.
func with(more ...string) map[string]string {
	given := map[string]string{"provider": "opencode", "model": "openai/gpt-5.3-codex", "model-api-key": "sk-0123456789abcdef"}
	for i := 0; i < len(more); i += 2 {
		given[more[i]] = more[i+1]
	}
	return given
}

func TestInputsHaveTheDefaultsOfTheManifest(t *testing.T) {
	in, err := actions.ReadInputs(environment(with()))
	require.NoError(t, err)
	assert.Equal(t, actions.Inputs{
		Benchmark: "ghx", ExperimentConfig: "experiment_config.yaml", Provider: "opencode", Model: "openai/gpt-5.3-codex", ModelKey: "sk-0123456789abcdef", Token: "ghs_thetokenofthejob",
		Profile: bench.VerifyPR, ScenarioSet: "ci-verify-pr", Modes: []bench.Mode{bench.AgentDirect, bench.GHX},
		Baseline: bench.AgentDirect, Candidate: bench.GHX, Repetitions: bench.Repetitions{First: 4, Most: 4}, Concurrency: 1, Order: "interleaved", BuildCommand: actions.BuildAuto, BuildTimeout: 30 * time.Minute,
		Comment: comment.Always, CheckName: "bench", FailOn: actions.FailOnInfrastructure, OnNoVerdict: "neutral", SkipMarker: true, OutputDir: ".bench",
		Target: actions.TargetSandbox, CleanUp: true,
	}, in)
}

func TestAnotherBenchmarkHasItsName(t *testing.T) {
	in, err := actions.ReadInputs(environment(map[string]string{"benchmark": "tau-bench", "model": "gpt-5.4", "experiment-config": "bench/tau.yaml"}))
	require.NoError(t, err)
	assert.Equal(t, "tau-bench", in.CheckName, "so that it stands beside ghx's on a pull request")
	assert.Equal(t, "bench/tau.yaml", in.ExperimentConfig)
	assert.Equal(t, "gpt-5.4", in.Model, "it is for the agent's code to understand")
	assert.False(t, in.ByEvidence(), "that is for its configuration to say")
	in, err = actions.ReadInputs(environment(map[string]string{"benchmark": "tau-bench", "gate-profile": "regression", "repetitions": "3..6", "margin-success": "10", "max-cost-usd": "2"}))
	require.NoError(t, err)
	assert.True(t, in.ByEvidence())
	in, err = actions.ReadInputs(environment(map[string]string{"benchmark": "command", "check-name": "evals"}))
	require.NoError(t, err)
	assert.Equal(t, "evals", in.CheckName)
}

func TestInputsAreTheSameWhetherTheRunnerPassesDefaultsOrNot(t *testing.T) {
	in, err := actions.ReadInputs([]string{"INPUT_PROVIDER=scripted"})
	require.NoError(t, err)
	all, err := actions.ReadInputs(environment(map[string]string{"provider": "scripted", "github-token": ""}))
	require.NoError(t, err)
	assert.Equal(t, all, in)
}

func TestInputsAreReadAsPeopleWriteThem(t *testing.T) {
	in, err := actions.ReadInputs(environment(with(
		"scenarios", "pr-merge-001, triage-wf\r\n\n  pr-view-002  \n",
		"modes", "ghx\nagent_direct\nmcp",
		"candidate-mode", " mcp ",
		"paths", "packages/core/**\n!**/*.md, not a list\n",
		"allow-hosts", "registry.npmjs.org,\nexample.com", "build-hosts", "registry.npmjs.org", "build-timeout-minutes", "5",
		"isolation", "require",
		"drafts", "run", "resume", "true", "shard", "2/4",
		"max-cost-usd", "2.50", "timeout-minutes", "1.5", "repetitions", "1",
		"output-dir", "out/bench/",
	)))
	require.NoError(t, err)
	assert.Equal(t, []string{"pr-merge-001", "triage-wf", "pr-view-002"}, in.Scenarios)
	assert.Equal(t, []bench.Mode{bench.GHX, bench.AgentDirect, bench.MCP}, in.Modes)
	assert.Equal(t, bench.MCP, in.Candidate)
	assert.Equal(t, []string{"packages/core/**", "!**/*.md, not a list"}, in.Paths, "a path may have commas and spaces")
	assert.Equal(t, []string{"registry.npmjs.org", "example.com"}, in.AllowHosts)
	assert.Equal(t, []string{"registry.npmjs.org"}, in.BuildHosts)
	assert.Equal(t, 5*time.Minute, in.BuildTimeout)
	assert.True(t, in.RequireIsolation)
	assert.True(t, in.RunDrafts)
	assert.True(t, in.Resume)
	assert.Equal(t, "2/4", in.Shard)
	assert.InDelta(t, 2.5, in.MaxCostUSD, 0)
	assert.Equal(t, 90*time.Second, in.Timeout)
	assert.Equal(t, 1, in.Repetitions.Most)
}

func TestInputsThatLackNothingButSecretsSaySo(t *testing.T) {
	app := []string{"target", "o/r", "fixture-app-id", "1", "fixture-app-installation-id", "2"}
	for name, c := range map[string]struct {
		given map[string]string
		want  bool
	}{
		"all is there":                       {with(), false},
		"the key is not":                     {with("model-api-key", ""), true},
		"nor are the tokens of a repository": {with("model-api-key", "", "target", "o/r"), true},
		"nor is an App's key":                {with(app...), true},
		"an App's id, which is no secret":    {with("target", "o/r", "fixture-app-installation-id", "2", "fixture-app-private-key", "k"), false},
		"the key, and something else":        {with("model-api-key", "", "order", "random"), false},
	} {
		in, _ := actions.ReadInputs(environment(c.given))
		assert.Equal(t, c.want, in.OnlySecretsLack, name)
	}
}

func TestWrongInputsAreRefusedWithTheMend(t *testing.T) {
	cases := []struct {
		name  string
		given map[string]string
		want  string
	}{
		{"nothing but the model", map[string]string{"model": "openai/gpt-5.3-codex"}, "input model-api-key: it is required with provider opencode: pass a secret of the repository; pull requests from forks and from Dependabot do not get it"},
		{"an unknown provider", with("provider", "claude"), `input provider: it is "claude", want opencode, claude-code, codex or scripted`},
		{"an agent without a model", with("model", ""), "input model: it is required with provider opencode, for example openai/gpt-5.3-codex; to try the action out without one, set provider: scripted"},
		{"a model without its provider", with("model", "gpt-5.3-codex"), `input model: it is "gpt-5.3-codex", want PROVIDER/MODEL, for example openai/gpt-5.3-codex`},
		{"Claude Code without a model", with("model", "", "provider", "claude-code"), "input model: it is required with provider claude-code, for example openai/gpt-5.3-codex; to try the action out without one, set provider: scripted"},
		{"a missing key, which is what a fork sees", with("model-api-key", " \n"), "input model-api-key: it is required with provider opencode: pass a secret of the repository; pull requests from forks and from Dependabot do not get it"},
		{"an underscore for a hyphen", with("gate_profile", "verify_pr"), `there is no input gate_profile: did you mean "gate-profile"?`},
		{"a letter too many", with("repetitionss", "4"), `there is no input repetitionss: did you mean "repetitions"?`},
		{"an input of another action", with("entrypoint", "/bin/sh"), "there is no input entrypoint"},
		{"another benchmark", with("benchmark", "taubench"), `input benchmark: it is "taubench", want ghx, tau-bench, terminal-bench, bird-interact or command`},
		{"a provider for another benchmark", map[string]string{"benchmark": "command", "provider": "scripted"}, "input provider: it is for benchmark ghx, and benchmark is command: leave it out"},
		{"a set for another benchmark", map[string]string{"benchmark": "tau-bench", "scenario-set": "issues"}, "input scenario-set: it is for benchmark ghx, and benchmark is tau-bench: leave it out, and set gate_split in experiment_config.yaml"},
		{"rows for another benchmark", map[string]string{"benchmark": "command", "rows": "earlier"}, "input rows: it is for benchmark ghx, and benchmark is command: leave it out"},
		{"a repository for another benchmark", map[string]string{"benchmark": "command", "target": "o/r"}, "input target: it is for benchmark ghx, and benchmark is command: leave it out"},
		{"a configuration that ghx does not have", with("experiment-config", "e.yaml"), "input experiment-config: benchmark is ghx, which has no such configuration: leave it out, or name another benchmark"},
		{"a configuration outside the workspace", map[string]string{"benchmark": "command", "experiment-config": "../e.yaml"}, `input experiment-config: it is "../e.yaml", want a file inside the workspace`},
		{"an unknown profile", with("gate-profile", "verify"), `input gate-profile: it is "verify", want verify_pr, verify_release, regression or claim`},
		{"an unknown mode", with("modes", "agent_direct,ghx,gh"), `input modes: unknown mode "gh": use one of agent_direct, mcp, ghx, ghx@base`},
		{"a mode twice", with("modes", "agent_direct,ghx,ghx"), "input modes: ghx is named twice"},
		{"an unknown baseline is told of once", with("baseline-mode", "gh"), `input baseline-mode: unknown mode "gh": use one of agent_direct, mcp, ghx, ghx@base`},
		{"an isolation that is none", with("isolation", "strict"), `input isolation: it is "strict", want prefer or require`},
		{"a margin of nothing", with("margin-cost", "0"), `input margin-cost: it is "0", want a number above 0`},
		{"a margin below nothing", with("margin-success", "-5"), `input margin-success: it is "-5", want a number above 0`},
		{"a margin that is no number", with("margin-latency", "NaN"), `input margin-latency: it is "NaN", want a number above 0`},
		{"a mode compared with itself", with("baseline-mode", "ghx"), "input candidate-mode: it is ghx, as baseline-mode is: name two modes"},
		{"a baseline that does not run", with("modes", "mcp,ghx"), "input modes: agent_direct is not among them, and is to be compared with"},
		{"a candidate that does not run", with("modes", "agent_direct,mcp"), "input modes: ghx is not among them, and is to be judged"},
		{"a base ghx that nobody built", with("modes", "ghx@base,ghx", "baseline-mode", "ghx@base", "build-command", "none"), "input base-ghx-command: it is required for mode ghx@base where build-command is none: the base commit's ghx is built as the head's is"},
		{"scenarios and a set", with("scenarios", "pr-merge-001", "scenario-set", "issues"), "input scenarios: scenario-set is given too: choose one"},
		{"scenarios outside the workspace", with("scenarios-path", "/etc"), `input scenarios-path: it is "/etc", want a folder inside the workspace`},
		{"a shard that merges", with("shard", "1/2", "results", "shards"), "input results: shard is given too: a job either runs a part or merges all"},
		{"a merge that goes on", with("resume", "true", "results", "shards"), "input results: resume is given too: there is no run to go on with where results are merged"},
		{"a shard that merges another run's", with("shard", "1/2", "results-artifact", "bench-*"), "input results-artifact: shard is given too: a job either runs a part or merges all"},
		{"parts of two runs", with("results", "shards", "results-artifact", "bench-*"), "input results-artifact: results is given too: parts are of this run of the workflow, or of the one that has ended"},
		{"a pattern that is none", with("results-artifact", "bench-["), `input results-artifact: it has "bench-[", want the name of an artifact, with * for any part of it`},
		{"rows outside the workspace", with("rows", "../earlier"), `input rows: it is "../earlier", want a folder inside the workspace`},
		{"rows for a run that goes on", with("rows", "earlier", "resume", "true"), "input rows: resume is given too: a run that goes on has the rows that it took over already"},
		{"rows for a merge", with("rows", "earlier", "results", "shards"), "input rows: results is given too: where results are merged nothing is run"},
		{"a shard that is none", with("shard", "3/2"), `input shard: it is "3/2", want I/N with I from 1 to N, for example 2/4`},
		{"a shard that counts from 0", with("shard", "0/2"), `input shard: it is "0/2", want I/N with I from 1 to N, for example 2/4`},
		{"no repetition", with("repetitions", "0"), `input repetitions: "0" is no number of repetitions: want a whole number of 1 or more, for example 4, or a range such as 2..12`},
		{"a number in words", with("repetitions", "four"), `input repetitions: "four" is no number of repetitions: want a whole number of 1 or more, for example 4, or a range such as 2..12`},
		{"a truth that is none", with("resume", "yes"), `input resume: it is "yes", want true or false`},
		{"a negative limit", with("max-cost-usd", "-1"), `input max-cost-usd: it is "-1", want a number of 0 or more`},
		{"a limit that is no number", with("max-cost-usd", "NaN"), `input max-cost-usd: it is "NaN", want a number of 0 or more`},
		{"a build without time", with("build-timeout-minutes", "0"), `input build-timeout-minutes: it is "0", want a whole number of 1 or more`},
		{"a build that no job waits for", with("build-timeout-minutes", "7201"), `input build-timeout-minutes: it is "7201", want at most 7200`},
		{"a timeout that no job has", with("timeout-minutes", "1e300"), `input timeout-minutes: it is "1e300", want at most 7200`},
		{"a URL without a scheme", with("model-base-url", "gateway.example.com/v1"), `input model-base-url: it is "gateway.example.com/v1", want a URL, for example https://gateway.example.com/v1`},
		{"a URL of another kind", with("model-base-url", "file://host/v1"), `input model-base-url: it is "file://host/v1", want a URL, for example https://gateway.example.com/v1`},
		{"files outside the workspace", with("output-dir", "a/../../b"), `input output-dir: it is "a/../../b", want a folder inside the workspace`},
		{"files anywhere", with("output-dir", "/tmp"), `input output-dir: it is "/tmp", want a folder inside the workspace`},
		{"a name of two lines", with("check-name", "a\nb"), `input check-name: it is "a\nb", want one line`},
		{"a pattern without an end", with("paths", "src/[ab"), `input paths: the pattern "src/[ab" cannot be read: "[ab" has no end, or nothing in it`},
		{"patterns that leave all out", with("paths", "!docs/**"), `input paths: all patterns begin with "!", so nothing can match: put the pattern "**" first`},
		{"a comment at other times", with("comment", "sometimes"), `input comment: it is "sometimes", want always, on-change, on-failure or never`},
		{"a job that fails otherwise", with("fail-on", "always"), `input fail-on: it is "always", want gate, infrastructure or never`},
		{"another order", with("order", "random"), `input order: it is "random", want interleaved or sequential`},
		{"a target that is none", with("target", "my-fixtures"), `input target: it is "my-fixtures", want sandbox, or OWNER/REPO`},
		{"a repository without a token", with("target", "o/r"), "input fixtures-token: it, or the inputs that begin with fixture-app-, is required with target o/r: pass a secret of the repository; pull requests from forks and from Dependabot do not get it"},
		{"a repository without a token for agents", with("target", "o/r", "fixtures-token", "ghp_x"), "input agent-token: it is required beside fixtures-token: checkpoints read with another token than the agent's"},
		{"S6: one token for agents and checkpoints", with("target", "o/r", "fixtures-token", "ghp_x", "agent-token", "ghp_x"), "input agent-token: it is the same as fixtures-token: checkpoints read with another token than the agent's"},
		{"an App without its key", with("fixture-app-id", "1", "fixture-app-installation-id", "2"), "input fixture-app-private-key: it is required beside the other inputs that begin with fixture-app-"},
		{"parts on one repository", with("target", "o/r", "shard", "1/2", "fixtures-token", "ghp_x", "agent-token", "ghp_y"), "input shard: target is o/r: the parts of a plan would change each other's fixtures; run it in one job, or in the sandbox"},
		{"a mode file outside the workspace", with("mode-files", "a.yml\n../b.yml"), `input mode-files: it has "../b.yml", want a file inside the workspace`},
		{"a folder above the workspace", with("output-dir", ".."), `input output-dir: it is "..", want a folder inside the workspace`},
		{"an address that is none", with("model-base-url", "https://exa mple/v1"), `input model-base-url: it is "https://exa mple/v1", want a URL, for example https://gateway.example.com/v1`},
		{"a URL without a host", with("model-base-url", "https:///v1"), `input model-base-url: it is "https:///v1", want a URL, for example https://gateway.example.com/v1`},
		{"a model of no provider", with("model", "/gpt-5.3-codex"), `input model: it is "/gpt-5.3-codex", want PROVIDER/MODEL, for example openai/gpt-5.3-codex`},
		{"a repository of nobody", with("target", "/r"), `input target: it is "/r", want sandbox, or OWNER/REPO`},
		{"an owner's repository without a name", with("target", "o/"), `input target: it is "o/", want sandbox, or OWNER/REPO`},
		{"a path in a repository", with("target", "o/r/x"), `input target: it is "o/r/x", want sandbox, or OWNER/REPO`},
		{"an endless margin", with("margin-cost", "Inf"), `input margin-cost: it is "Inf", want a number above 0`},
		{"a margin in words", with("margin-cost", "half"), `input margin-cost: it is "half", want a number above 0`},
		{"an endless limit", with("max-cost-usd", "Inf"), `input max-cost-usd: it is "Inf", want a number of 0 or more`},
		{"a limit in words", with("max-cost-usd", "ten"), `input max-cost-usd: it is "ten", want a number of 0 or more`},
		{"parts at once in words", with("concurrency", "two"), `input concurrency: it is "two", want a whole number of 1 or more`},
		{"scenarios for another benchmark", map[string]string{"benchmark": "tau-bench", "scenarios": "a"}, "input scenarios: it is for benchmark ghx, and benchmark is tau-bench: leave it out, and set gate_split in experiment_config.yaml"},
		{"effort for another benchmark", map[string]string{"benchmark": "tau-bench", "model-variant": "high"}, "input model-variant: it is for benchmark ghx, and benchmark is tau-bench: leave it out, and set reasoning_effort in experiment_config.yaml"},
		{"a profile for another benchmark", map[string]string{"benchmark": "tau-bench", "gate-profile": "claim"}, "input gate-profile: it is claim, and benchmark is tau-bench: the other benchmarks know regression alone, which has evidence decide whatever experiment_config.yaml says; leave it out, or set that"},
		{"epochs for another benchmark that the configuration decides about", map[string]string{"benchmark": "tau-bench", "repetitions": "8"}, "input repetitions: benchmark is tau-bench: give gate-profile: regression too, or set gate.epochs in experiment_config.yaml"},
		{"a margin for the same", map[string]string{"benchmark": "tau-bench", "margin-cost": "1.1"}, "input margin-cost: benchmark is tau-bench: give gate-profile: regression too"},
		{"expectations for another benchmark", map[string]string{"benchmark": "tau-bench", "expectations": "e.json"}, "input expectations: it is for benchmark ghx, and benchmark is tau-bench: leave it out, and set threshold in experiment_config.yaml"},
		{"parts at once for another benchmark", map[string]string{"benchmark": "tau-bench", "concurrency": "2"}, "input concurrency: it is for benchmark ghx, and benchmark is tau-bench: leave it out, and set max_concurrency in experiment_config.yaml"},
		{"a clean-up otherwise", with("cleanup", "always"), `input cleanup: it is "always", want true or false`},
		{"drafts otherwise", with("drafts", "true"), `input drafts: it is "true", want skip or run`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := actions.ReadInputs(environment(c.given))
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Equal(t, c.want, err.Error())
		})
	}
}

func TestWhatOnlyLooksContradictoryIsTaken(t *testing.T) {
	for name, given := range map[string]map[string]string{
		"scenarios beside the default set, which the runner passes":        with("scenarios", "pr-merge-001"),
		"a shard of one mode, whose baseline another job runs":             with("shard", "1/2", "modes", "ghx"),
		"a merge needs no model, key or mode":                              {"provider": "opencode", "results": "shards", "modes": "ghx"},
		"a gateway of one's own may need no key":                           with("model-api-key", "", "model-base-url", "http://127.0.0.1:8080/v1"),
		"a scripted agent needs no model and no base ghx":                  {"provider": "scripted", "modes": "ghx@base,ghx", "baseline-mode": "ghx@base"},
		"a base ghx that is built as the head's is":                        with("modes", "ghx@base,ghx", "baseline-mode", "ghx@base"),
		"a base ghx that both commits have as a file":                      with("gate-profile", "regression", "build-command", "none", "ghx-command", "node ghx.js"),
		"a mode that a file describes":                                     with("mode-files", "tools/mytool.yml", "modes", "agent_direct,ghx,mytool"),
		"a folder with dots in its name":                                   with("output-dir", "..bench"),
		"a URL without encryption":                                         with("model-base-url", "http://gateway.example.com/v1"),
		"a build as long as may be":                                        with("build-timeout-minutes", "7200"),
		"a run as long as may be":                                          with("timeout-minutes", "7200"),
		"a merge of the modes that other jobs ran, where nothing is built": {"provider": "opencode", "results": "shards", "modes": "ghx@base,ghx", "baseline-mode": "ghx@base", "build-command": "none"},
		"a base ghx that is there already":                                 with("modes", "ghx@base,ghx", "baseline-mode", "ghx@base", "build-command", "none", "base-ghx-command", "node base.js"),
		"no base ghx where nothing is built":                               with("build-command", "none"),
		"a repository with an App and a token for agents":                  with("target", "o/r", "fixtures-token", "ghp_x", "fixture-app-id", "1", "fixture-app-installation-id", "2", "fixture-app-private-key", "pem"),
		"a repository with two tokens":                                     with("target", "o/r", "fixtures-token", "ghp_x", "agent-token", "ghp_y"),
		"a repository with an App":                                         with("target", "o/r", "fixture-app-id", "1", "fixture-app-installation-id", "2", "fixture-app-private-key", "pem"),
		"a merge of what ran on a repository needs no token":               {"provider": "opencode", "results": "shards", "target": "o/r"},
		"a model whose name has slashes":                                   with("model", "openrouter/acme/model-1"),
		"no token, as when the workflow runs where there is no such":       with("github-token", ""),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := actions.ReadInputs(environment(given))
			assert.NoError(t, err)
		})
	}
}

func TestEveryProblemIsToldAtOnce(t *testing.T) {
	_, err := actions.ReadInputs(environment(with("model-api-key", "", "repetitions", "x", "concurrency", "0", "fail_on", "gate")))
	require.Error(t, err)
	var places []string
	for line := range strings.Lines(err.Error()) {
		place, _, _ := strings.Cut(line, ":")
		places = append(places, place)
	}
	assert.Equal(t, []string{"input repetitions", "input concurrency", "input model-api-key", "there is no input fail_on"}, places)
}

func TestProblemsDoNotTellSecrets(t *testing.T) {
	_, err := actions.ReadInputs(environment(with("model-api-kye", "sk-fedcba9876543210", "model", "x")))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "sk-")
	assert.NotContains(t, err.Error(), "ghs_")
}

func TestSecretsAreFoundBeforeInputsAreChecked(t *testing.T) {
	environ := append(environment(with("repetitions", "x", "fixtures-token", "ghp_fixtures", "agent-token", "ghp_of-agents", "fixture-app-private-key", "key of an App")),
		"ACTIONS_RUNTIME_TOKEN=eyJruntime", "ACTIONS_ID_TOKEN_REQUEST_TOKEN=eyJidentity", "ACTIONS_RUNTIME_URL=https://example.com")
	secrets := actions.Secrets(environ)
	slices.Sort(secrets)
	assert.Equal(t, []string{"eyJidentity", "eyJruntime", "ghp_fixtures", "ghp_of-agents", "ghs_thetokenofthejob", "key of an App", "sk-0123456789abcdef"}, secrets)
	assert.Empty(t, actions.Secrets([]string{"INPUT_MODEL-API-KEY= "}), "an empty secret would mask everything")
}

func TestEveryInputArrives(t *testing.T) {
	in, err := actions.ReadInputs(environment(with(
		"model-variant", "high", "mode-files", "a.yml\nb, c.yml", "modes", "ghx@base,ghx,mytool", "margin-success", "10", "margin-cost", "1.2", "margin-latency", "1.5",
		"ghx-command", "node ghx.js", "ghx-skill", "SKILL.md", "base-ghx-command", "node base.js", "base-commit", "main", "seed-id", "s1", "expectations", "e.json",
		"isolation", "require", "gate-profile", "regression", "allow-hosts", "a.example,b.example",
	)))
	require.NoError(t, err)
	assert.Equal(t, "high", in.ModelVariant)
	assert.Equal(t, []string{"a.yml", "b, c.yml"}, in.ModeFiles, "a path may have commas and spaces")
	assert.Equal(t, []float64{10, 1.2, 1.5}, []float64{in.MarginSuccess, in.MarginCost, in.MarginLatency})
	assert.Equal(t, []string{"node ghx.js", "SKILL.md", "node base.js", "main", "s1", "e.json"},
		[]string{in.GHXCommand, in.GHXSkill, in.BaseGHXCommand, in.BaseCommit, in.SeedID, in.Expectations})
	assert.Equal(t, "ci-evidence", in.ScenarioSet, "that of the profile")

	// What is measured, and how: two jobs with the same measure the same.
	assert.Equal(t, map[string]string{
		"benchmark": "ghx", "experiment-config": "experiment_config.yaml", "provider": "opencode", "model": "openai/gpt-5.3-codex", "model-variant": "high",
		"gate-profile": "regression", "scenario-set": "ci-evidence", "modes": "ghx@base,ghx,mytool", "mode-files": "a.yml\nb, c.yml", "repetitions": "2..12",
		"baseline-mode": "ghx@base", "candidate-mode": "ghx", "margin-success": "10", "margin-cost": "1.2", "margin-latency": "1.5", "order": "interleaved",
		"build-command": "auto", "ghx-command": "node ghx.js", "ghx-skill": "SKILL.md", "base-ghx-command": "node base.js", "base-commit": "main",
		"allow-hosts": "a.example,b.example", "isolation": "require", "target": "sandbox", "expectations": "e.json",
	}, in.Settings())
	in, err = actions.ReadInputs(environment(with()))
	require.NoError(t, err)
	assert.Equal(t, "prefer", in.Settings()["isolation"])
	assert.NotContains(t, in.Settings(), "margin-cost", "what is not set is not there")
	assert.NotContains(t, in.Settings(), "ghx-skill")
	assert.NotContains(t, in.Settings(), "model-api-key")
}
