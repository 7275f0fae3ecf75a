package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

const taskFile = "task-001.json"

// withTask is the minimal folder with a task that is not about GitHub.
func withTask() object {
	folder := minimal()
	folder["sets.json"].(object)["own"] = []string{"task-001", "task-wf"}
	folder["files/kit/verify.sh"] = "exit 0"
	folder["files/kit/no-scenario.json"] = object{}
	folder["task-wf.json"] = object{
		"type": "workflow", "id": "task-wf", "name": "Move", "prompt": "Move {{name}}.", "timeout_ms": 60000, "allowed_retries": 2,
		"fixture":    object{"requires": []any{"note"}, "bindings": object{"input.name": "resources.note.name"}},
		"target":     object{"type": "command", "setup": "true", "makes": object{"note": []any{"name"}}, "verify": "true"},
		"assertions": object{"expected_outcome": "success"}, "tags": []any{},
		"footprint": []any{object{"change": "created", "object": "file", "name": "{{input.name}}"}},
	}
	folder[taskFile] = object{
		"id": "task-001", "name": "Read", "task": "notes.read", "input": object{"any": "thing"}, "prompt_template": "{{task}} {{input_json}}",
		"timeout_ms": 10000, "allowed_retries": 0, "tags": []any{},
		"fixture": object{"requires": []any{"note"}, "bindings": object{"input.name": "resources.note.name"}},
		"target":  object{"type": "command", "files": "kit", "setup": "true", "makes": object{"note": []any{"name"}}, "verify": "sh $BENCH_FILES/verify.sh"},
		"assertions": object{
			"expected_outcome": "success", "required_data_fields": []any{"lines"},
			"expected_data": object{"read": object{"from": "verify", "jq": ".facts"}, "fields": object{"lines": ".lines"}},
			"checkpoints":   []any{object{"name": "it is there", "read": object{"from": "after", "jq": ".file[$input.name].text"}, "condition": "non_empty"}},
		},
	}
	return folder
}

func TestATaskThatIsNotAboutGitHub(t *testing.T) {
	report := scenario.Check(files(t, withTask()), nil)
	require.Empty(t, report.Problems)
	require.Empty(t, report.Warnings)

	library, err := scenario.Load(files(t, withTask()))
	require.NoError(t, err)
	s, err := library.Scenario("task-001")
	require.NoError(t, err)
	assert.Empty(t, s.Capabilities(), "no ghx is asked for what it can do")
	assert.False(t, scenario.Mutates(s))
	flow, err := library.Scenario("task-wf")
	require.NoError(t, err)
	assert.True(t, scenario.Mutates(flow))
	resolved, err := scenario.Resolve(flow, bench.Manifest{Resources: map[string]map[string]any{"note": {"name": "a b.txt"}}})
	require.NoError(t, err)
	assert.Equal(t, "Move a b.txt.", resolved.Prompt)
	assert.Equal(t, "a b.txt", resolved.Scenario.Footprint[0].Name)

	// Rows of other files are of another task.
	changed := withTask()
	changed["files/kit/verify.sh"] = "exit 1"
	others, err := scenario.Load(files(t, changed))
	require.NoError(t, err)
	other, err := others.Scenario("task-001")
	require.NoError(t, err)
	assert.NotEqual(t, s.Hash, other.Hash)
	executable := files(t, withTask())
	executable["files/kit/verify.sh"].Mode |= 0o100
	runs, err := scenario.Load(executable)
	require.NoError(t, err)
	s2, err := runs.Scenario("task-001")
	require.NoError(t, err)
	assert.NotEqual(t, s.Hash, s2.Hash, "whether a file can be run is a part of it")

	judgedByCheckpoints := withTask()
	change(t, judgedByCheckpoints, taskFile, "target/verify", remove{})
	change(t, judgedByCheckpoints, taskFile, "assertions/expected_data", remove{})
	assert.Empty(t, scenario.Check(files(t, judgedByCheckpoints), nil).Problems, "checkpoints are enough to judge by")

	same, err := others.Scenario("task-wf")
	require.NoError(t, err)
	assert.Equal(t, flow.Hash, same.Hash)
}

func TestRulesOfTasksThatAreNotAboutGitHub(t *testing.T) {
	const flow = "task-wf.json"
	cases := []struct {
		name, file, path string
		value            any
		want             []string
	}{
		{"its type is known", taskFile, "target/type", "comand", []string{`task-001.json: target.type: must be "command", is "comand"`}},
		{"its fields are known", taskFile, "target/setUp", "true", []string{`task-001.json: target.setUp: unknown field "setUp": did you mean "setup"?`}},
		{"a command is a text", taskFile, "target/verify", []any{"true"}, []string{`task-001.json: target.verify: must be a string, is an array`}},
		{"its files are there", taskFile, "target/files", "kti", []string{
			`task-001.json: target.files: cannot be read: open files/kti: file does not exist: want a folder files/kti beside sets.json`,
		}},
		{"its files are its own", taskFile, "target/files", "../kit", []string{
			`task-001.json: target.files: must match ^[a-z0-9]+([-_/][a-z0-9]+)*$ (for example "notes"), is "../kit"`,
		}},
		{"something judges it", flow, "target/verify", remove{}, []string{
			`task-wf.json: target: lacks verify, and there are neither checkpoints nor expected_data, so that whatever an agent does succeeds`,
		}},
		{"what it binds is made", flow, "target/makes", remove{}, []string{`task-wf.json: fixture.requires[0]: nothing in target.makes makes "note"`}},
		{"the field that it binds is made", flow, "target/makes/note", []any{"nmae"}, []string{
			`task-wf.json: fixture.bindings["input.name"]: note has no "name": did you mean "nmae"?`,
		}},
		{"nothing is made without set-up", taskFile, "target/setup", remove{}, []string{`task-001.json: target.makes: says what setup tells, and there is no setup`}},
		{"it is in no world", flow, "fixture/repo", "o/n", []string{`task-wf.json: fixture.repo: is of GitHub, and the task is not: target.setup makes what there is`}},
		{"it has no folder of its own", flow, "fixture/workdir", "sub", []string{`task-wf.json: fixture.workdir: is of GitHub, and the task is not: target.setup makes what there is`}},
		{"it has no world", flow, "fixture/world", "big", []string{
			`task-wf.json: fixture.world: is of GitHub, and the task is not: target.setup makes what there is`, `task-wf.json: fixture.world: there is no world "big"`,
		}},
		{"no repository is named", flow, "prompt", "In {{fixture_repo}}.", []string{
			`task-wf.json: prompt: "{{fixture_repo}}" is no variable that has a value: want one of {{scenario_id}}, {{input_json}}, {{name}}`,
		}},
		{"no capability is expected", flow, "expected_capabilities", []any{"pr.view"}, []string{`task-wf.json: expected_capabilities: is not allowed here: remove it`}},
		{"no error is expected", taskFile, "assertions", object{"expected_outcome": "expected_error", "expected_error_code": "NOT_FOUND"}, []string{
			`task-001.json: assertions.expected_outcome: must be "success" where the task is not about GitHub`,
		}},
		{"GitHub is not read", taskFile, "assertions/expected_data/read", object{"task": "pr.view"}, []string{
			`task-001.json: assertions.expected_data.read: must be from before, after or verify: the task is not about GitHub`,
		}},
		{"what verify prints needs one", taskFile, "target/verify", remove{}, []string{`task-001.json: assertions.expected_data.read.from: is verify, which the target lacks`}},
		{"its jq can be read", taskFile, "assertions/checkpoints/read/jq", ".a |", []string{
			`task-001.json: assertions.checkpoints[0].read.jq: `,
		}},
		{"nothing is seen on the way", taskFile, "assertions/checkpoints/when", "during", []string{
			`task-001.json: assertions.checkpoints[0].when: must be "end" where the task is not about GitHub: nobody sees what the agent does before it ends`,
		}},
		{"a task on GitHub has no such source", readFile, "assertions/expected_data", object{"read": object{"from": "after"}, "fields": object{"a": "."}}, []string{
			`read/read-001.json: assertions.expected_data.read.from: goes with a target alone: a task on GitHub is read by task, query or path`,
		}},
		{"a task on GitHub has capabilities", flowFile, "expected_capabilities", remove{}, []string{`flow-wf-001.json: expected_capabilities: is missing`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			folder := withTask()
			change(t, folder, c.file, c.path, c.value)
			found := said(t, folder)
			require.Len(t, found, len(c.want), "%s", found)
			for i := range c.want {
				assert.Contains(t, found[i], c.want[i])
			}
		})
	}
}
