package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

// trueFields is what compares fields of an issue with the truth.
func trueFields(fields object, more ...any) object {
	data := object{"read": object{"task": "issue.view", "input": object{"owner": "o", "name": "n"}}, "fields": fields}
	for i := 0; i < len(more); i += 2 {
		data[more[i].(string)] = more[i+1]
	}
	return data
}

func TestS13WhatIsRequiredIsCompared(t *testing.T) {
	const at = "read/read-001.json: assertions.expected_data"
	tests := []struct {
		name string
		data object
		want []string
	}{
		{"every required field", trueFields(object{"title": ".title", "state": ".state"}), []string{}},
		{"data as a whole", trueFields(object{".": "."}), []string{}},
		{"one of two required fields", trueFields(object{"state": ".state"}), []string{
			at + `.fields: lacks "title", which is a required data field: what is not compared may be made up`}},
		{"an order of a field", trueFields(object{"title": ".title", "state": ".state", "labels": ".labels"}, "ordered", []any{"labels"}), []string{}},
		{"an order of what is not compared", trueFields(object{"title": ".title", "state": ".state"}, "ordered", []any{"labels"}), []string{
			at + `.ordered: names "labels", which is not among the fields [state title]`}},
		{"what is read is nothing that is known", trueFields(object{"title": ".title", "state": ".state"}, "read", object{"task": "issue.veiw"}), []string{
			at + `.read.task: unknown capability "issue.veiw": did you mean "issue.view"?`}},
		{"what is read takes no such input, wherever it comes from", trueFields(object{"title": ".title", "state": ".state"},
			"read", object{"task": "issue.view", "input": object{"owner": "o", "name": "n", "issueNumbr": "{{resources.issue.number}}"}}), []string{
			at + `.read.input.issueNumbr: issue.view has no input "issueNumbr": did you mean "issueNumber"?`}},
		{"what is read refers to what is not required", trueFields(object{"title": ".title", "state": ".state"}, "read", object{"path": "/repos/o/n/issues/{{resources.pr.number}}"}), []string{
			at + `.read.path: needs the resource "pr": add it to fixture.requires`}},
		{"a variable refers to what is not required", trueFields(object{"title": ".title", "state": ".state"},
			"read", object{"query": "query($n: String!) { user(login: $n) { id } }", "variables": object{"n": "{{resources.pr.author}}"}}), []string{
			at + `.read.variables.n: needs the resource "pr": add it to fixture.requires`}},
		{"a query has a reference", trueFields(object{"title": ".title", "state": ".state"}, "read", object{"query": `{ user(login: "{{input.owner}}") { id } }`}), []string{
			at + `.read.query: has a reference, which is filled in elsewhere alone: use a variable of the query, or $input in jq`}},
		{"a reference to an input that there is none of", trueFields(object{"title": ".title", "state": ".state"}, "read", object{"path": "/repos/{{input.owner}}/n/issues/{{input.number}}"}), []string{
			at + `.read.path: refers to input.number, which the scenario neither gives nor binds`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := minimal()
			change(t, folder, readFile, "assertions/required_data_fields", []any{"title", "state"})
			change(t, folder, readFile, "assertions/expected_data", tt.data)
			assert.Equal(t, tt.want, said(t, folder))
		})
	}
}

func TestS13AnErrorHasNoData(t *testing.T) {
	folder := minimal()
	change(t, folder, readFile, "assertions", object{
		"expected_outcome": "expected_error", "expected_error_code": "NOT_FOUND", "expected_data": trueFields(object{"title": ".title"}, "read", object{"task": "issue.veiw"}),
	})
	assert.Equal(t, []string{
		"read/read-001.json: assertions.expected_data: goes with the expected outcome success alone: an error has no data",
	}, said(t, folder))
}

func TestS13TheReadOfTheTruthIsBound(t *testing.T) {
	data := trueFields(object{"title": ".title"}, "read", object{"task": "issue.view", "input": object{"owner": "o", "name": "{{resources.issue.name}}"}})
	s := loaded(t, readFile, "read-001", "assertions/expected_data", data)
	m := manifest()
	m.Resources["issue"]["name"] = "elsewhere"
	resolved, err := scenario.Resolve(s, m)
	require.NoError(t, err)
	got := resolved.Scenario.Assertions.ExpectedData
	assert.Equal(t, object{"owner": "o", "name": "elsewhere", "issueNumber": 3}, got.Read.Input)
	assert.Equal(t, map[string]string{"title": ".title"}, got.Fields)
	assert.Equal(t, object{"owner": "o", "name": "{{resources.issue.name}}"}, s.Assertions.ExpectedData.Read.Input, "the scenario is as it was")

	_, err = scenario.Resolve(s, manifest())
	require.ErrorContains(t, err, `bind expected_data: manifest path "resources.issue.name": resources.issue has no "name": mend the reference, or run `)
}

func TestS4TheRouteIsAskedOfGHXAlone(t *testing.T) {
	cases := []struct {
		name string
		a    bench.Assertions
		want bench.Assertions
		some bool
	}{
		{"nothing is asked", bench.Assertions{RequiredMetaFields: []string{"capability_id"}}, bench.Assertions{}, false},
		{"the route", bench.Assertions{ExpectedRouteUsed: bench.RouteCLI, DataType: "object"}, bench.Assertions{ExpectedRouteUsed: bench.RouteCLI}, true},
		{"that a route is told", bench.Assertions{RequiredMetaFields: []string{"capability_id", "route_used"}}, bench.Assertions{RequiredMetaFields: []string{"route_used"}}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			route, some := scenario.Route(c.a)
			assert.Equal(t, c.want, route)
			assert.Equal(t, c.some, some)
		})
	}
}
