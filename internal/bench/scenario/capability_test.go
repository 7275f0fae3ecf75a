package scenario_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

func TestCapabilitiesAreThoseOfGHX(t *testing.T) {
	ids := scenario.CapabilityIDs()
	assert.Len(t, ids, 74)
	assert.True(t, slices.IsSorted(ids))
	jsonTypes := []string{"string", "integer", "number", "boolean", "array", "object", "null"}
	for _, id := range ids {
		c, known := scenario.FindCapability(id)
		require.True(t, known)
		assert.Equal(t, id, c.ID)
		assert.NotEmpty(t, c.Output, id)
		for name, field := range c.Input {
			assert.Subset(t, jsonTypes, field.Types, "%s %s", id, name)
			assert.Equal(t, slices.Contains(field.Types, "array"), field.Items != "", "%s %s", id, name)
		}
	}
	_, known := scenario.FindCapability("pr.mrege")
	assert.False(t, known)
}

func TestS6MutatingCapabilitiesAreKnown(t *testing.T) {
	reads := []string{"repo.view", "issue.list", "pr.checks.list", "pr.diff.view", "workflow.run.view", "workflow.job.logs.raw", "release.list", "project_v2.items.list"}
	writes := []string{"issue.create", "pr.merge", "pr.checks.rerun.all", "pr.checks.rerun.failed", "workflow.dispatch", "workflow.run.cancel", "workflow.run.rerun.failed", "release.create", "release.publish", "release.update", "pr.threads.resolve"}
	for _, id := range reads {
		assert.False(t, scenario.Mutates(bench.Scenario{Type: bench.Atomic, Task: id}), id)
	}
	for _, id := range writes {
		assert.True(t, scenario.Mutates(bench.Scenario{Type: bench.Atomic, Task: id}), id)
	}
	assert.True(t, scenario.Mutates(bench.Scenario{Type: bench.Workflow, ExpectedCapabilities: []string{"pr.view", "pr.threads.reply"}}))
	assert.False(t, scenario.Mutates(bench.Scenario{Type: bench.Workflow, ExpectedCapabilities: []string{"pr.view", "pr.threads.list"}}))
}

func TestInputsMustFitTheCapability(t *testing.T) {
	tests := []struct {
		name, task string
		input      object
		want       []string
	}{
		{"elements have the list's type", "pr.assignees.add", object{"assignees": []any{"a", 1}}, []string{`assignees[1]: must be a string, is 1`}},
		{"a list is a list", "pr.assignees.add", object{"assignees": "a"}, []string{`assignees: must be an array, is "a"`}},
		{"elements have the list's values", "pr.view", object{"exclude": []any{"body", "title"}}, []string{`exclude[1]: must be one of body, is "title"`}},
		{"a whole number is a number", "project_v2.items.field.update", object{"valueNumber": 1, "projectId": "p", "itemId": "i", "fieldId": "f"}, nil},
		{"null where it may be", "pr.list", object{"after": nil}, nil},
		{"null where it may not be", "pr.list", object{"state": nil}, []string{`state: must be a string, is null`}},
		{"either of two types", "workflow.view", object{"workflowId": 3}, nil},
		{"neither of two types", "workflow.view", object{"workflowId": true}, []string{`workflowId: must be a string or a whole number, is true`}},
		{"an object is an object", "workflow.dispatch", object{"workflowId": "w", "ref": "main", "inputs": "x"}, []string{`inputs: must be an object, is "x"`}},
		{"true or false", "pr.update", object{"draft": 1}, []string{`draft: must be true or false, is 1`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, known := scenario.FindCapability(tt.task)
			require.True(t, known)
			s := write("write-001")
			s["task"], s["input"] = tt.task, tt.input
			if _, needed := c.Input["prNumber"]; !needed {
				delete(s["fixture"].(object)["bindings"].(object), "input.prNumber")
			}
			if _, needed := c.Input["owner"]; !needed {
				s["fixture"] = object{}
			}
			s["assertions"].(object)["checkpoints"] = []any{look("non_empty",
				"verification_input", object{"owner": "o", "name": "n", "prNumber": 1})}
			folder := minimal()
			folder[writeFile] = s
			var want []string
			for _, message := range tt.want {
				want = append(want, "write/write-001.json: input."+message)
			}
			assert.ElementsMatch(t, want, said(t, folder))
		})
	}
}
