package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

const milestoneQuery = `query($owner: String!, $name: String!, $prNumber: Int!) {
	repository(owner: $owner, name: $name) { pullRequest(number: $prNumber) { locked milestone { number } } }
}`

// reading is a checkpoint with a read of its own.
func reading(condition string, read object, fields ...any) object {
	return look(condition, append([]any{"verification_task", remove{}, "verification_input", remove{}, "read", read}, fields...)...)
}

// bound returns the first checkpoint of the workflow after a change of it, bound.
func bound(t *testing.T, c object) (bench.Checkpoint, error) {
	t.Helper()
	s := loaded(t, flowFile, "flow-wf-001", "assertions/checkpoints", []any{c})
	resolved, err := scenario.Resolve(s, manifest())
	if err != nil {
		return bench.Checkpoint{}, err
	}
	return resolved.Scenario.Assertions.Checkpoints[0], nil
}

func TestS17ReadsAreBound(t *testing.T) {
	inputs := object{"owner": "o", "name": "n", "prNumber": 1000000}
	tests := []struct {
		name string
		read object
		want bench.Read
	}{
		{"a query has the inputs that it declares", object{"query": milestoneQuery, "jq": ".repository"},
			bench.Read{Query: milestoneQuery, Variables: inputs, Input: inputs, JQ: ".repository"}},
		{"its own variables go over them", object{"query": "query($owner: String!, $n: Int!) { repository(owner: $owner, name: \"x\") { issue(number: $n) { id } } }",
			"variables": object{"owner": "{{repo.full_name}} x", "n": "{{resources.pr.number}}"}},
			bench.Read{Query: "query($owner: String!, $n: Int!) { repository(owner: $owner, name: \"x\") { issue(number: $n) { id } } }", Input: inputs,
				Variables: object{"owner": "o/n x", "n": 1000000}}},
		{"a path is filled in", object{"path": "/repos/{{input.owner}}/{{repo.name}}/pulls/{{input.prNumber}}/files?per_page=100", "pages": 3, "jq": "length"},
			bench.Read{Path: "/repos/o/n/pulls/1000000/files?per_page=100", Pages: 3, Input: inputs, JQ: "length"}},
		{"a task has the inputs that it takes", object{"task": "pr.threads.list", "input": object{"first": 5}, "jq": ".items"},
			bench.Read{Task: "pr.threads.list", Input: object{"owner": "o", "name": "n", "prNumber": 1000000, "first": 5}, JQ: ".items"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := bound(t, reading("non_empty", tt.read))
			require.NoError(t, err)
			assert.Equal(t, tt.want, c.Look())
			assert.Empty(t, c.VerificationTask)
		})
	}
}

func TestS17WhatCannotBeBoundSaysWhere(t *testing.T) {
	tests := []struct {
		name string
		c    object
		want string
	}{
		{"a value that a path needs", reading("empty", object{"path": "/repos/o/n/branches/{{resources.pr.nothing}}"}),
			`bind checkpoint "c": resources.pr.nothing is empty, and the path /repos/o/n/branches/{{resources.pr.nothing}} needs it`},
		{"a value that is not there", reading("empty", object{"query": milestoneQuery, "variables": object{"prNumber": "{{resources.pr.numbr}}"}}),
			`bind checkpoint "c": manifest path "resources.pr.numbr": resources.pr has no "numbr"`},
		{"a value of another type", look("empty", "verification_input", object{"prNumber": "{{resources.pr.text}}"}),
			`bind checkpoint "c": input.prNumber must be a whole number, is "{{task}} <&>"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := bound(t, tt.c)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// A read that ships with the program has the name and the input of a capability.
func TestS17EveryCapabilityThatReadsShipsWithTheProgram(t *testing.T) {
	var reads []string
	for _, id := range scenario.CapabilityIDs() {
		if capability, _ := scenario.FindCapability(id); !capability.Mutates {
			reads = append(reads, id)
		}
	}
	assert.Equal(t, reads, checkpoint.Tasks())
}
