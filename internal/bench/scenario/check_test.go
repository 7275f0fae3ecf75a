package scenario_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

const (
	readFile  = "read/read-001.json"
	writeFile = "write/write-001.json"
	flowFile  = "flow-wf-001.json"
	firstOf   = "assertions/checkpoints/" // goes on with a field of the first one
)

func TestTheMinimalFolderHasNoProblems(t *testing.T) {
	report := scenario.Check(files(t, minimal()), nil)
	require.Empty(t, report.Problems)
	require.Empty(t, report.Warnings)
}

// TestRules changes one thing in a folder without problems and expects the
// problems that follow from it, and no others.
func TestRules(t *testing.T) {
	tests := []struct {
		name, file, path string
		value            any
		want             []string
	}{
		{"S1: an id is the file's name", readFile, "id", "read-101", []string{
			`read/read-001.json: id: must be "read-001", as the file is called, is "read-101"`,
		}},
		{"S1: an atomic id ends in three digits", readFile, "id", "read-1", []string{
			`read/read-001.json: id: must match ^[a-z0-9]+(-[a-z0-9]+)*-[0-9]{3}$ (for example "pr-merge-001"), is "read-1"`,
		}},
		{"S1: a workflow's id has wf in it", flowFile, "id", "flow-001", []string{
			`flow-wf-001.json: id: must match ^[a-z0-9]+(-[a-z0-9]+)*-wf(-[0-9]{3})?$ (for example "pr-fix-review-comments-wf-001"), is "flow-001"`,
		}},
		{"S1: ids are unique over all folders", "other/read-001.json", "", read("read-001"), []string{
			`read/read-001.json: id: must be unique, but "read-001" is the id of other/read-001.json too`,
		}},
		{"S1: an atomic scenario has a task", readFile, "task", remove{}, []string{
			`read/read-001.json: task: is missing`,
		}},
		{"S1: a workflow has a prompt", flowFile, "prompt", remove{}, []string{
			`flow-wf-001.json: prompt: is missing`,
		}},
		{"S1: a workflow has a checkpoint", flowFile, "assertions/checkpoints", []any{}, []string{
			`flow-wf-001.json: assertions.checkpoints: must have 1 or more elements, has 0`,
		}},
		{"S1: a field of the other type is unknown", flowFile, "task", "pr.view", []string{
			`flow-wf-001.json: task: unknown field "task": did you mean "tags"?`,
		}},
		{"S1: unknown fields are refused, deep down too", readFile, "fixture/binding", object{}, []string{
			`read/read-001.json: fixture.binding: unknown field "binding": did you mean "bindings"?`,
		}},
		{"S1: a task is a known capability", readFile, "task", "issue.veiw", []string{
			`read/read-001.json: task: unknown capability "issue.veiw": did you mean "issue.view"?`,
		}},
		{"S1: an expected capability is a known one", flowFile, "expected_capabilities", []any{"pr.threads.list", "pr.threads.replay"}, []string{
			`flow-wf-001.json: expected_capabilities[1]: unknown capability "pr.threads.replay": did you mean "pr.threads.reply"?`,
		}},
		{"S1: the input has what the capability needs", readFile, "input/owner", remove{}, []string{
			`read/read-001.json: input.owner: is missing: issue.view needs it, given or bound to the fixture`,
		}},
		{"S1: the input has nothing that the capability does not take", writeFile, "input/metod", "squash", []string{
			`write/write-001.json: input.metod: pr.merge has no input "metod": did you mean "method"?`,
		}},
		{"S1: the input has the capability's types", writeFile, "input/deleteBranch", "yes", []string{
			`write/write-001.json: input.deleteBranch: must be true or false, is "yes"`,
		}},
		{"S1: the input has the capability's values", writeFile, "input/method", "sqush", []string{
			`write/write-001.json: input.method: must be one of merge, squash, rebase, MERGE, SQUASH, REBASE, is "sqush": did you mean "squash"?`,
		}},
		{"S1: a bound field may hold anything before it is bound", writeFile, "input/prNumber", "later", []string{}},

		{"S2: a binding goes to the input", readFile, "fixture/bindings", object{"issueNumber": "resources.issue.number"}, []string{
			`read/read-001.json: fixture.bindings.issueNumber: unknown field "issueNumber": known are those that match ^input(\.[A-Za-z][A-Za-z0-9_]*)+$ (for example "input.prNumber")`,
		}},
		{"S2: no binding reaches for a prototype", readFile, "fixture/bindings/input.__proto__.x", "repo.owner", []string{
			`read/read-001.json: fixture.bindings["input.__proto__.x"]: unknown field "input.__proto__.x": known are those that match ^input(\.[A-Za-z][A-Za-z0-9_]*)+$ (for example "input.prNumber")`,
		}},
		{"S2: a binding comes from the manifest", readFile, "fixture/bindings/input.issueNumber", "issue.number", []string{
			`read/read-001.json: fixture.bindings["input.issueNumber"]: must match ^(repo\.(owner|name|full_name|default_branch)|resources\.[a-z][a-z0-9_]*(\.[A-Za-z0-9_]+)+)$ (for example "resources.pr.number"), is "issue.number"`,
		}},
		{"S2: a bound resource is required", readFile, "fixture/requires", []any{"pr"}, []string{
			`read/read-001.json: fixture.bindings["input.issueNumber"]: needs the resource "issue": add it to fixture.requires`,
		}},
		{"S2: metadata is in every manifest", flowFile, "fixture/bindings/input.seed", "resources.metadata.seed_id", []string{}},
		{"S2: a binding fills a field that the capability takes", readFile, "fixture/bindings/input.constructor", "repo.owner", []string{
			`read/read-001.json: fixture.bindings["input.constructor"]: issue.view has no input "constructor": it takes issueNumber, name, owner`,
		}},
		{"S2: a binding does not go into a field that is no object", readFile, "fixture/bindings/input.name.first", "repo.name", []string{
			`read/read-001.json: fixture.bindings["input.name.first"]: name is not an object, so it has no "first"`,
		}},
		{"S2: a binding does not go into what is bound as a whole", flowFile, "fixture/bindings/input.name.first", "repo.name", []string{
			`flow-wf-001.json: fixture.bindings["input.name.first"]: input.name is bound as a whole already`,
		}},
		{"S2: a template uses known variables", readFile, "prompt_template", "{{task}} {{prNumber}}", []string{
			`read/read-001.json: prompt_template: "{{prNumber}}" is no variable that has a value: want one of {{scenario_id}}, {{input_json}}, {{fixture_repo}}, {{task}}`,
		}},
		{"S2: a variable is closed", readFile, "prompt_template", "{{task}} {{task} {}", []string{
			`read/read-001.json: prompt_template: "{{task" is no variable that has a value: want one of {{scenario_id}}, {{input_json}}, {{fixture_repo}}, {{task}}`,
		}},
		{"S2: a workflow has no task to put in, but its bound inputs", flowFile, "prompt", "{{task}} {{owner}} {{ prNumber }}", []string{
			`flow-wf-001.json: prompt: "{{task}}" is no variable that has a value: want one of {{scenario_id}}, {{input_json}}, {{fixture_repo}}, {{name}}, {{owner}}, {{prNumber}}`,
		}},

		{"S3: an outcome is stated", readFile, "assertions/expected_outcome", remove{}, []string{
			`read/read-001.json: assertions.expected_outcome: is missing: want "success" or "expected_error"`,
		}},
		{"S3: the two statements of the outcome agree", readFile, "assertions/must_succeed", false, []string{
			`read/read-001.json: assertions.must_succeed: is false, but expected_outcome is "success": want them to agree`,
		}},
		{"S3: two statements that agree are no problem", readFile, "assertions/must_succeed", true, []string{}},
		{"S3: an outcome is success or an expected error", readFile, "assertions/expected_outcome", "failure", []string{
			`read/read-001.json: assertions.expected_outcome: must be one of "success", "expected_error", is "failure"`,
		}},
		{"S3: an expected error has a code", readFile, "assertions/expected_outcome", "expected_error", []string{
			`read/read-001.json: assertions.expected_error_code: is missing: an expected error needs its code`,
		}},
		{"S3: so has one that is stated the older way", writeFile, "assertions/must_succeed", false, []string{
			`write/write-001.json: assertions.expected_error_code: is missing: an expected error needs its code`,
		}},
		{"S3: a success has no error code", readFile, "assertions/expected_error_code", "NOT_FOUND", []string{
			`read/read-001.json: assertions.expected_error_code: goes with expected_outcome "expected_error" alone`,
		}},
		{"S14: what reads is refused where it is asked for", readFile, "assertions", object{"expected_outcome": "expected_error", "expected_error_code": "NOT_FOUND", "may_be_foreseen": true}, []string{
			`read/read-001.json: assertions.may_be_foreseen: is about an expected error of a capability that writes`,
		}},
		{"S14: nor is a success foreseen", writeFile, "assertions/may_be_foreseen", true, []string{
			`write/write-001.json: assertions.may_be_foreseen: is about an expected error of a capability that writes`,
		}},
		{"S3: most tool calls are no fewer than least", readFile, "assertions", object{"must_succeed": true, "min_tool_calls": 3, "max_tool_calls": 2}, []string{
			`read/read-001.json: assertions.max_tool_calls: must be at least min_tool_calls, which is 3, is 2`,
		}},
		{"S3: as many at most as at least is no problem", readFile, "assertions", object{"must_succeed": true, "min_tool_calls": 2, "max_tool_calls": 2}, []string{}},
		{"S3: a data type is array or object", readFile, "assertions/data_type", "list", []string{
			`read/read-001.json: assertions.data_type: must be one of "array", "object", is "list"`,
		}},
		{"S3: a route is one of three", readFile, "assertions/expected_route_used", "grpc", []string{
			`read/read-001.json: assertions.expected_route_used: must be one of "cli", "graphql", "rest", is "grpc"`,
		}},
		{"S3: a required data field is one that the capability returns", readFile, "assertions/required_data_fields", []any{"labels.0", "titel"}, []string{
			`read/read-001.json: assertions.required_data_fields[1]: issue.view returns no "titel": did you mean "title"?`,
		}},
		{"S3: a field of the task's own has its expression", readFile, "assertions/required_data_fields", []any{"count"}, []string{
			`read/read-001.json: assertions.required_data_fields[0]: issue.view returns no "count": a field of the task's own has its expression in expected_data`,
		}},
		{"S13: a field of the task's own that is compared is no problem", readFile, "assertions", object{
			"must_succeed": true, "required_data_fields": []any{"count"}, "expected_data": object{"read": object{"task": "issue.view", "input": object{"owner": "o", "name": "n", "issueNumber": 1}}, "fields": object{"count": ".labels | length"}},
		}, []string{}},
		{"S3: an atomic scenario that reads may have checkpoints", readFile, "assertions/checkpoints",
			[]any{look("non_empty", "verification_task", "issue.view", "verification_input", object{"owner": "o", "name": "n"})}, []string{}},

		{"S5: a condition is a known one", writeFile, firstOf + "condition", "equals", []string{
			`write/write-001.json: assertions.checkpoints[0].condition: must be one of "empty", "non_empty", "count_eq", "count_gte", "field_equals", "contains", "matches", is "equals"`,
		}},
		{"S5: a comparison has a value", writeFile, firstOf + "expected_value", remove{}, []string{
			`write/write-001.json: assertions.checkpoints[0].expected_value: is missing`,
		}},
		{"S5: null is a value to compare with", writeFile, firstOf + "expected_value", nil, []string{}},
		{"S5: emptiness has no value", writeFile, "assertions/checkpoints", []any{look("empty", "expected_value", 0)}, []string{
			`write/write-001.json: assertions.checkpoints[0].expected_value: is not allowed here: remove it`,
		}},
		{"S5: a count is not below 0", writeFile, "assertions/checkpoints", []any{look("count_eq", "expected_value", -1)}, []string{
			`write/write-001.json: assertions.checkpoints[0].expected_value: must be at least 0, is -1`,
		}},
		{"S5: a count is whole", writeFile, "assertions/checkpoints", []any{look("count_gte", "expected_value", 1.5)}, []string{
			`write/write-001.json: assertions.checkpoints[0].expected_value: must be a whole number, is 1.5`,
		}},
		{"S5: a count may be that of a fixture", writeFile, "assertions/checkpoints", []any{look("count_eq", "path", "labels", "expected_value", "{{resources.pr.number}}")}, []string{}},
		{"S5: a count is no other text", writeFile, "assertions/checkpoints", []any{look("count_gte", "path", "labels", "expected_value", "2")}, []string{
			`write/write-001.json: assertions.checkpoints[0].expected_value: must be a whole number, is "2"`,
		}},
		{"S5: an exact count is no other text", writeFile, "assertions/checkpoints", []any{look("count_eq", "path", "labels", "expected_value", "two of {{resources.pr.number}}")}, []string{
			`write/write-001.json: assertions.checkpoints[0].expected_value: must be a whole number, is "two of {{resources.pr.number}}"`,
		}},
		{"S5: a pattern is a string", writeFile, "assertions/checkpoints", []any{look("matches", "expected_value", 1)}, []string{
			`write/write-001.json: assertions.checkpoints[0].expected_value: must be a string, is 1`,
		}},
		{"S5: a pattern is a regular expression", writeFile, "assertions/checkpoints", []any{look("matches", "path", "title", "expected_value", "(")}, []string{
			"write/write-001.json: assertions.checkpoints[0].expected_value: must be a regular expression (RE2): error parsing regexp: missing closing ): `(`",
		}},
		{"S5: fields are compared by name without a path", writeFile, firstOf + "path", remove{}, []string{
			`write/write-001.json: assertions.checkpoints[0].expected_value: must be an object, is "MERGED"`,
		}},
		{"S5: a path has no empty parts", writeFile, firstOf + "path", "jobs..state", []string{
			`write/write-001.json: assertions.checkpoints[0].path: must match ^[^.]+(\.[^.]+)*$ (for example "jobs.0.conclusion"), is "jobs..state"`,
		}},
		{"S5: a checkpoint is asked at the end or during", writeFile, firstOf + "when", "before", []string{
			`write/write-001.json: assertions.checkpoints[0].when: must be one of "end", "during", is "before"`,
		}},
		{"S5: the read has what it needs, bound inputs included", writeFile, firstOf + "verification_task", "workflow.run.view", []string{
			`write/write-001.json: assertions.checkpoints[0].path: leads nowhere: the answer has no field "state": did you mean "status"?`,
			`write/write-001.json: assertions.checkpoints[0].verification_input.runId: is missing: workflow.run.view needs it, given or bound to the fixture`,
		}},
		{"S5: the read's own input has nothing that it does not take", flowFile, firstOf + "verification_input/unresolved", true, []string{
			`flow-wf-001.json: assertions.checkpoints[0].verification_input.unresolved: pr.threads.list has no input "unresolved": did you mean "unresolvedOnly"?`,
		}},
		{"S5: the read's own input has its types, also where it goes over a bound one", flowFile, firstOf + "verification_input/prNumber", "1", []string{
			`flow-wf-001.json: assertions.checkpoints[0].verification_input.prNumber: must be a whole number, is "1"`,
		}},

		{"S5: what a checkpoint refers to is a resource that is required", writeFile, firstOf + "expected_value", "{{resources.check_run.id}}", []string{
			`write/write-001.json: assertions.checkpoints[0].expected_value: needs the resource "check_run": add it to fixture.requires`,
		}},
		{"S5: a reference is to the repository or a resource", writeFile, firstOf + "verification_input", object{"prNumber": "{{resources.pr.number}}", "owner": "{{owner}}"}, []string{
			`write/write-001.json: assertions.checkpoints[0].verification_input.owner: "{{owner}}" has no reference that can be read: want {{repo.<field>}}, {{resources.<name>.<field>}} or {{input.<field>}}`,
		}},

		{"S6: a mutating scenario has checkpoints", writeFile, "assertions/checkpoints", remove{}, []string{
			`write/write-001.json: assertions.checkpoints: is missing: pr.merge changes something, so its result must be read back`,
		}},
		{"S17: a checkpoint says what it reads", writeFile, firstOf + "verification_task", remove{}, []string{
			`write/write-001.json: assertions.checkpoints[0].verification_task: is missing`,
		}},
		{"S17: a checkpoint says it in one way", writeFile, firstOf + "read", object{"task": "pr.view"}, []string{
			`write/write-001.json: assertions.checkpoints[0].verification_input: is not allowed here: remove it`,
			`write/write-001.json: assertions.checkpoints[0].verification_task: is not allowed here: remove it`,
		}},
		{"S17: a read is one of three", writeFile, "assertions/checkpoints", []any{reading("empty", object{"jq": "."})}, []string{
			`write/write-001.json: assertions.checkpoints[0].read: reads nothing: want one of task, query and path`,
		}},
		{"S17: a path has no variables", writeFile, "assertions/checkpoints", []any{reading("empty", object{"path": "/user", "variables": object{}, "input": object{}})}, []string{
			`write/write-001.json: assertions.checkpoints[0].read.input: is not allowed here: remove it`,
			`write/write-001.json: assertions.checkpoints[0].read.variables: is not allowed here: remove it`,
		}},
		{"S17: a query has no pages", writeFile, "assertions/checkpoints", []any{reading("empty", object{"query": "{viewer{login}}", "pages": 3, "accept": "x", "path": "/user"})}, []string{
			`write/write-001.json: assertions.checkpoints[0].read.accept: is not allowed here: remove it`,
			`write/write-001.json: assertions.checkpoints[0].read.pages: is not allowed here: remove it`,
			`write/write-001.json: assertions.checkpoints[0].read.path: is not allowed here: remove it`,
		}},
		{"S17: a task has no variables", writeFile, "assertions/checkpoints", []any{reading("empty", object{"task": "pr.view", "variables": object{}})}, []string{
			`write/write-001.json: assertions.checkpoints[0].read.variables: is not allowed here: remove it`,
		}},
		{"S17: a path is one of the API", writeFile, "assertions/checkpoints", []any{reading("empty", object{"path": "//example.com/user"})}, []string{
			`write/write-001.json: assertions.checkpoints[0].read.path: must match ^/[^/] (for example "/repos/{{input.owner}}/{{input.name}}/pulls/{{input.prNumber…"), is "//example.com/user"`,
		}},
		{"S17: only texts that are filled in have references", writeFile, "assertions/checkpoints", []any{reading("empty", object{"path": "/user", "jq": ".[\"{{input.name}}\"]"})}, []string{
			`write/write-001.json: assertions.checkpoints[0].read.jq: has a reference, which is filled in elsewhere alone: use a variable of the query, or $input in jq`,
		}},
		{"S6: a checkpoint reads", writeFile, firstOf + "verification_task", "pr.close", []string{
			`write/write-001.json: assertions.checkpoints[0].verification_task: must be a read, but pr.close changes something`,
		}},
		{"S6: a checkpoint's read is a known capability", writeFile, firstOf + "verification_task", "pr.vew", []string{
			`write/write-001.json: assertions.checkpoints[0].verification_task: unknown capability "pr.vew": did you mean "pr.view"?`,
		}},

		{"S10: a set has scenarios that exist", "sets.json", "mine", []string{"read-001", "read-01"}, []string{
			`sets.json: mine[1]: unknown scenario "read-01": did you mean "read-001"?`,
		}},
		{"S10: a set has a scenario once", "sets.json", "mine", []string{"read-001", "read-002", "read-001"}, []string{
			`sets.json: mine[2]: is the same as element 0: want each once`,
		}},
		{"S10: a set is not empty", "sets.json", "mine", []string{}, []string{
			`sets.json: mine: must have 1 or more elements, has 0`,
		}},
		{"S10: a set's name is of words", "sets.json", "My set", []string{"read-001"}, []string{
			`sets.json: ["My set"]: unknown field "My set": known are $schema, those that match ^[a-z0-9]+(-[a-z0-9]+)*$ (for example "ci-verify-pr")`,
		}},
		{"S10: a scenario is in a set", "extra/read-007.json", "", read("read-007"), []string{
			`extra/read-007.json: id: "read-007" is in no set: add it to one in sets.json`,
		}},
		{"S10: there is a default set", "sets.json", "default", remove{}, append([]string{
			`sets.json: default: is missing: want a list of scenario ids`,
		}, orphans("read/read-00%d.json", "read-00%d", 1, 6)...)},
		{"S10: there is a set of workflows", "sets.json", "workflows", remove{}, []string{
			`flow-wf-001.json: id: "flow-wf-001" is in no set: add it to one in sets.json`,
			`sets.json: workflows: is missing: want a list of scenario ids`,
		}},
		{"S10: the set for pull requests is there", "sets.json", "ci-verify-pr", remove{}, []string{
			`sets.json: ci-verify-pr: is missing: want a list of scenario ids`,
		}},
		{"S10: the set for releases is there", "sets.json", "ci-verify-release", remove{}, append([]string{
			`sets.json: ci-verify-release: is missing: want a list of scenario ids`,
		}, orphans("write/write-00%d.json", "write-00%d", 3, 5)...)},
		{"S10: the set for pull requests has two scenarios", "sets.json", "ci-verify-pr", []string{"write-001"}, []string{
			`sets.json: ci-verify-pr: must have 2 scenarios, has 1`,
		}},
		{"S10: the set for releases has those two and three more", "sets.json", "ci-verify-release", []string{"write-001", "write-003", "write-004", "write-005", "read-001"}, []string{
			`sets.json: ci-verify-release: must have every scenario of "ci-verify-pr", lacks write-002`,
		}},
		{"S10: the default set has six scenarios that read", "sets.json", "default", []string{"read-001", "read-002", "read-003", "read-004", "read-005", "read-006", "write-001"}, []string{
			`sets.json: default: must have 6 scenarios, has 7`,
			`sets.json: default: must have reads alone, but write-001 changes something`,
		}},
		{"S10: all has no less than its parts", "sets.json", "all", []string{"read-001"}, []string{
			`sets.json: all: must have exactly the scenarios of pr-exec, issues, release-delivery, workflows, projects-v2, has also read-001`,
			`sets.json: all: must have exactly the scenarios of pr-exec, issues, release-delivery, workflows, projects-v2, lacks flow-wf-001`,
		}},
		{"S10: all that is its parts is no problem", "sets.json", "all", []string{"flow-wf-001"}, []string{}},

		{"there are sets", "sets.json", "", remove{}, []string{`sets.json: : the file is missing`}},
		{"what is no scenario is not read as one", "expectations.json", "", object{"default_model": "m"}, []string{}},
		{"a broken file is no unknown scenario too", readFile, "", "{", []string{
			`read/read-001.json: : want a field's name in double quotes, found the end of the file`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := minimal()
			_, away := tt.value.(remove)
			switch {
			case tt.path != "":
				change(t, folder, tt.file, tt.path, tt.value)
			case away:
				delete(folder, tt.file)
			default:
				folder[tt.file] = tt.value
			}
			assert.ElementsMatch(t, tt.want, said(t, folder))
		})
	}
}

func TestS11WhatIsDoubtfulKeepsNothingFromBeingLoaded(t *testing.T) {
	tests := []struct {
		name, file, path string
		value            any
		want             string
	}{
		{"nothing may change, and something has to", writeFile, "footprint", []any{}, "footprint: is empty, so that whatever an attempt changes fails it: `bench scenarios footprint write-001` proposes what to allow"},
		{"an answer that nothing is compared with", readFile, "assertions", object{"expected_outcome": "success", "required_data_fields": []any{"id"}}, "assertions: lacks expected_data, so that id may be made up: compare them with what the verifier reads"},
		{"an atomic timeout below 10 s", readFile, "timeout_ms", 9999, "timeout_ms: is 9999, but an atomic scenario usually has 10000 to 60000"},
		{"an atomic timeout above 60 s", writeFile, "timeout_ms", 60001, "timeout_ms: is 60001, but an atomic scenario usually has 10000 to 60000"},
		{"a workflow's timeout below 60 s", flowFile, "timeout_ms", 59999, "timeout_ms: is 59999, but a workflow usually has 60000 to 180000"},
		{"a workflow's timeout above 180 s", flowFile, "timeout_ms", 180001, "timeout_ms: is 180001, but a workflow usually has 60000 to 180000"},
		{"a workflow with no more retries than an atomic one", flowFile, "allowed_retries", 1, "allowed_retries: is 1, but a workflow usually allows more retries than the atomic scenarios, which allow up to 1"},
		{"the bounds themselves are usual", flowFile, "timeout_ms", 60000, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := minimal()
			change(t, folder, tt.file, tt.path, tt.value)
			report := scenario.Check(files(t, folder), nil)
			assert.Empty(t, report.Problems, "a warning keeps nothing from being loaded")
			if tt.want == "" {
				assert.Empty(t, report.Warnings)
				return
			}
			require.Len(t, report.Warnings, 1)
			assert.Equal(t, tt.file, report.Warnings[0].File)
			assert.Equal(t, tt.want, report.Warnings[0].Path+": "+report.Warnings[0].Message)
		})
	}
}

func TestS10SomebodysOwnFolderNeedsNoneOfTheStandardSets(t *testing.T) {
	found := scenario.Check(files(t, object{
		"sets.json": object{"mine": []string{"read-001"}}, "read-001.json": read("read-001"),
	}), nil)
	assert.Empty(t, found.Problems)
}

func TestS10AllHasItsPartsInTheirOrder(t *testing.T) {
	folder := minimal()
	change(t, folder, scenario.SetsFile, "issues", []string{"read-002", "read-001"})
	change(t, folder, scenario.SetsFile, "all", []string{"read-002", "read-001", "flow-wf-001"})
	assert.Empty(t, said(t, folder))
	change(t, folder, scenario.SetsFile, "all", []string{"read-001", "read-002", "flow-wf-001"})
	assert.Equal(t, []string{
		"sets.json: all: must have the scenarios of pr-exec, issues, release-delivery, workflows, projects-v2 in their order: want read-002, read-001, flow-wf-001",
	}, said(t, folder))
}

func TestV10EvidenceSaysWhatItIsFor(t *testing.T) {
	folder := minimal()
	everything := []string{
		"read-001", "read-002", "read-003", "read-004", "read-005", "read-006",
		"write-001", "write-002", "write-003", "write-004", "write-005", "flow-wf-001",
	}
	for _, id := range everything[1:] {
		for _, file := range []string{"read/" + id + ".json", "write/" + id + ".json", id + ".json"} {
			if folder[file] != nil {
				change(t, folder, file, "purpose", "A poor tool reads pages.")
			}
		}
	}
	change(t, folder, scenario.SetsFile, "ci-evidence", everything)
	assert.Equal(t, []string{
		"read/read-001.json: purpose: is missing: scenarios of ci-evidence say what a good and a poor tool differ in",
	}, said(t, folder))
	change(t, folder, scenario.SetsFile, "ci-evidence", everything[1:])
	assert.Equal(t, []string{"sets.json: ci-evidence: must have 12 scenarios or more, has 11"}, said(t, folder))
}

func TestS10AFolderWithFullSeededIsComplete(t *testing.T) {
	folder := minimal()
	change(t, folder, scenario.SetsFile, "full-seeded", []string{"read-001", "write-001", "flow-wf-001"})
	change(t, folder, "read/read-006.json", "fixture/world", "shop")
	folder["worlds/shop.yaml"] = shop
	problems := said(t, folder)
	for _, set := range []string{
		"all", "ci-diagnostics", "ci-log-analysis", "issues", "pr-exec", "pr-operations-all", "pr-review-reads", "pr-thread-mutations",
		"projects-v2", "release-delivery",
	} {
		assert.Contains(t, problems, "sets.json: "+set+": is missing: want a list of scenario ids")
	}
	assert.Contains(t, problems, "sets.json: full-seeded: must have every scenario that stands on fixtures, lacks "+
		"read-002, read-003, read-004, read-005, write-002, write-003, write-004, write-005")
	const uncovered = "sets.json: full-seeded: must have an atomic scenario for every capability, lacks one for issue.assignees.add, "
	at := slices.IndexFunc(problems, func(text string) bool { return strings.HasPrefix(text, uncovered) })
	require.GreaterOrEqual(t, at, 0, problems)
	assert.NotContains(t, problems[at], "pr.merge,", "it has one for that")
	assert.Contains(t, problems[at], "pr.threads.reply", "a workflow that may use it is none for it")
	assert.Len(t, problems, 12)
}

func TestS14AnInputThatGitHubIsToRefuseFitsItsCapability(t *testing.T) {
	expectError := func(code any, input object) object {
		s := read("read-001")
		s["input"] = input
		s["fixture"] = object{}
		s["assertions"] = object{"expected_outcome": "expected_error", "expected_error_code": code}
		return s
	}
	good, bad := object{"owner": "o", "name": "n", "issueNumber": 7}, object{"owner": "o", "name": "n", "issueNumber": "the newest"}
	tests := []struct {
		name  string
		code  any
		input object
		want  []string
	}{
		{"one that no tool would send", "VALIDATION", bad, []string{`read/read-001.json: input.issueNumber: must be a whole number, is "the newest"`}},
		{"one that any tool sends", "VALIDATION", good, nil},
		{"either of two codes", []any{"VALIDATION", "UNKNOWN"}, good, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := minimal()
			folder[readFile] = expectError(tt.code, tt.input)
			assert.ElementsMatch(t, tt.want, said(t, folder))
			if tt.want != nil {
				return
			}
			s, err := load(t, folder).Scenario("read-001")
			require.NoError(t, err)
			resolved, err := scenario.Resolve(s, manifest())
			require.NoError(t, err)
			assert.Equal(t, tt.input, resolved.Input, "the agent is given it as it is")
		})
	}
}

func TestTheExampleOfTheDocsIsAScenarioWithoutADoubt(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/scenarios.md")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(docs), "## Two kinds")
	_, rest, _ = strings.Cut(rest, "```json\n")
	example, _, found := strings.Cut(rest, "```")
	require.True(t, found)
	report := scenario.Check(fstest.MapFS{
		"sets.json":                 {Data: []byte(`{"mine": ["pr-assignees-add-001"]}`)},
		"pr-assignees-add-001.json": {Data: []byte(example)},
	}, nil)
	assert.Empty(t, report.Problems)
	assert.Empty(t, report.Warnings)
}
