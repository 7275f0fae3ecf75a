package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

// allows is a footprint of one allowance.
func allows(name string, fields object) []any {
	return []any{object{"change": "changed", "object": "issue", "name": name, "fields": fields}}
}

func TestS12AFootprintIsChecked(t *testing.T) {
	const at = "flow-wf-001.json: footprint[0]."
	tests := []struct {
		name      string
		footprint []any
		want      []string
	}{
		{"nothing is wrong", allows("{{repo.full_name}}#{{input.prNumber}}", object{"title": "of {{resources.pr.number}}", "labels": object{"adds": []any{"{{resources.pr.text}}"}}}), []string{}},
		{"a name refers to what is not required", allows("o/n#{{resources.issue.number}}", object{}), []string{
			at + `name: needs the resource "issue": add it to fixture.requires`}},
		{"a field's name refers to what is not required", allows("o/n#1", object{"{{resources.issue.field}}": 1}), []string{
			at + `fields["{{resources.issue.field}}"]: needs the resource "issue": add it to fixture.requires`}},
		{"a field's value refers to what is not required", allows("o/n#1", object{"title": "{{resources.issue.title}}"}), []string{
			at + `fields.title: needs the resource "issue": add it to fixture.requires`}},
		{"an element of a list refers to what is not required", allows("o/n#1", object{"labels": object{"adds": []any{"bug", "{{resources.issue.label}}"}}}), []string{
			at + `fields.labels.adds[1]: needs the resource "issue": add it to fixture.requires`}},
		{"a pattern is none", allows("o/n#1", object{"title": object{"matches": "("}}), []string{
			at + "fields.title: must be a regular expression (RE2): error parsing regexp: missing closing ): `(`"}},
		{"it guards nothing", allows("*", object{"state": "closed"}), []string{
			at + "name: lets every issue be changed: name the one that is meant"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := minimal()
			change(t, folder, flowFile, "footprint", tt.footprint)
			assert.Equal(t, tt.want, said(t, folder))
		})
	}
}

func TestS12AFootprintIsBound(t *testing.T) {
	s := loaded(t, flowFile, "flow-wf-001", "footprint", []any{
		object{"change": "changed", "object": "issue", "name": "{{repo.full_name}}#{{input.prNumber}}", "fields": object{
			"{{resources.pr.text}}": 9007199254740993, "labels": object{"adds": []any{"{{resources.pr.number}}", "for {{repo.name}}"}},
		}},
		object{"change": "created", "object": "comment", "name": "* on {{repo.full_name}}#1", "times": 2},
	})
	resolved, err := scenario.Resolve(s, manifest())
	require.NoError(t, err)
	assert.Equal(t, []bench.Allowance{
		{Change: bench.ChangeChanged, Object: "issue", Name: "o/n#1000000", Fields: object{
			"{{task}} <&>": 9007199254740993, "labels": object{"adds": []any{1e6, "for n"}},
		}},
		{Change: bench.ChangeCreated, Object: "comment", Name: "* on o/n#1", Times: 2},
	}, resolved.Scenario.Footprint)
	assert.Equal(t, "{{repo.full_name}}#{{input.prNumber}}", s.Footprint[0].Name, "the scenario is as it was")
}

func TestS12WhatAFootprintRefersToIsThere(t *testing.T) {
	const want = `bind scenario "flow-wf-001" to the fixtures: bind footprint 0: manifest path "resources.pr.none": resources.pr has no "none": mend the reference, or run `
	for name, footprint := range map[string][]any{
		"in a name":          allows("o/n#{{resources.pr.none}} {{repo.name}}", object{}),
		"in a field's name":  allows("o/n#1", object{"{{resources.pr.none}}": 1}),
		"in a field's value": allows("o/n#1", object{"labels": []any{"{{resources.pr.none}}"}}),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scenario.Resolve(loaded(t, flowFile, "flow-wf-001", "footprint", footprint), manifest())
			require.ErrorContains(t, err, want)
		})
	}
}
