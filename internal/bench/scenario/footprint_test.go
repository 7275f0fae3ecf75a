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

// of is a footprint of one allowance of a kind of object.
func of(kind string, fields object) []any {
	return []any{object{"change": "changed", "object": kind, "name": "o/n#1", "fields": fields}}
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
			at + "fields.title.matches: must be a regular expression (RE2): error parsing regexp: missing closing ): `(`"}},
		{"a field is none of the kind's", allows("o/n#1", object{"titel": "a"}), []string{
			at + `fields.titel: issue has no field "titel": did you mean "title"?`}},
		{"a field is like one", allows("o/n#1", object{"titles": object{"contains": 5}}), []string{
			at + `fields.titles: issue has no field "titles": did you mean "title"?`}},
		{"a field is of another kind", allows("o/n#1", object{"merge_commit_message": "a"}), []string{
			at + `fields.merge_commit_message: issue has no field "merge_commit_message": want one of active_lock_reason, assignees, author, blocked_by, body, closed_at, ` +
				`closed_by, labels, linked_branches, locked, milestone, number, pinned, repository, state, state_reason, sub_issues, title, type`}},
		{"a condition is none", allows("o/n#1", object{"title": object{"contain": "a"}}), []string{
			at + `fields.title.contain: is no condition of a field: did you mean "contains"?`}},
		{"a condition is like none", allows("o/n#1", object{"title": object{"$gt": "a"}}), []string{
			at + `fields.title.$gt: is no condition of a field: want one of adds, any, contains, matches, one_of, removes`}},
		{"two conditions", allows("o/n#1", object{"labels": object{"adds": []any{"a"}, "removes": []any{"b"}}}), []string{
			at + `fields.labels.adds: must be the only condition of the field, which has 2`}},
		{"a value of another type", allows("o/n#1", object{"title": 5}), []string{at + "fields.title: must be a string, is 5"}},
		{"a list of a text", allows("o/n#1", object{"title": []any{"a"}}), []string{at + "fields.title: must be a string, is an array"}},
		{"a text of a flag", allows("o/n#1", object{"locked": "true"}), []string{at + `fields.locked: must be true or false, is "true"`}},
		{"an element of another type", allows("o/n#1", object{"labels": []any{"a", 5}}), []string{at + "fields.labels[1]: must be a string, is 5"}},
		{"a list that is none", allows("o/n#1", object{"labels": "a"}), []string{at + `fields.labels: must be an array, is "a"`}},
		{"an option of another type", allows("o/n#1", object{"title": object{"one_of": []any{"a", true}}}), []string{
			at + "fields.title.one_of[1]: must be a string, is true"}},
		{"what is added is no list", allows("o/n#1", object{"labels": object{"adds": "a"}}), []string{at + `fields.labels.adds: must be an array, is "a"`}},
		{"what is removed is of another type", allows("o/n#1", object{"labels": object{"removes": []any{object{}}}}), []string{
			at + "fields.labels.removes[0]: must be a string, is an object"}},
		{"a part of what is no text", allows("o/n#1", object{"labels": object{"contains": "a"}}), []string{
			at + "fields.labels.contains: is a condition of a string, and the field is an array"}},
		{"a pattern of what is no text", allows("o/n#1", object{"locked": object{"matches": "a"}}), []string{
			at + "fields.locked.matches: is a condition of a string, and the field is true or false"}},
		{"a part that is no text", allows("o/n#1", object{"title": object{"contains": 5}}), []string{at + "fields.title.contains: must be a string, is 5"}},
		{"more of what is no list", allows("o/n#1", object{"title": object{"adds": []any{"a"}}}), []string{
			at + "fields.title.adds: is a condition of an array, and the field is a string"}},
		{"a part that is no pattern", allows("o/n#1", object{"title": object{"contains": "("}}), []string{}},
		{"anything but", allows("o/n#1", object{"title": object{"any": false}}), []string{
			at + "fields.title.any: must be true, or a sentence that says why the field may be anything, is false"}},
		{"a reason that is none", allows("o/n#1", object{"title": object{"any": "its words"}}), []string{
			at + `fields.title.any: must be true, or a sentence that says why the field may be anything, is "its words"`}},
		{"a short reason", allows("o/n#1", object{"title": object{"any": "Ça va bien"}}), []string{}},
		{"nothing is a value of every field", allows("o/n#1", object{"milestone": nil, "title": object{"one_of": []any{nil, "a"}}}), []string{}},
		{"a reference stands for a value of any type", allows("o/n#1", object{"locked": "{{input.prNumber}}", "labels": object{"adds": "{{resources.pr.text}}"}}), []string{}},
		{"a kind that is none", of("pul request", object{"titel": "a"}), []string{
			at + `object: must be a kind of object that changes are told of, is "pul request": did you mean "pull request"?`}},
		{"a file of the repository is told by its branch", of("file", object{}), []string{
			at + `object: must be a kind of object that changes are told of, is "file": want one of App, account, artifact, branch, check run, comment, commit comment, commit status, deployment, deployment status, discussion, discussion comment, environment, gist, ` +
				"gist comment, installation, invitation, issue, label, milestone, project, project field, project item, pull request, reaction, ref, release, repository, review, review comment, " +
				"review thread, tag, team, webhook, workflow, workflow run"}},
		{"a board's fields have names of their own", of("project item", object{"values.Size of it": 1.5, "values.Status": "Done"}), []string{}},
		{"a board's field is nothing without a name", of("project item", object{"values.": "Done"}), []string{
			at + `fields["values."]: project item has no field "values.": did you mean "values.*"?`}},
		{"a board's item has other fields", of("project item", object{"contents": "a"}), []string{
			at + `fields.contents: project item has no field "contents": did you mean "content"?`}},
		{"a value of a board's field is a text or a number", of("project item", object{"values.Size": true}), []string{
			at + `fields["values.Size"]: must be a number or a string, is true`}},
		{"a field that has fields", of("workflow run", object{"inputs": object{"environment": "test"}}), []string{}},
		{"a field that has fields called like conditions", of("workflow run", object{"inputs": object{"any": "a", "matches": "("}}), []string{}},
		{"a field that has one of some", of("workflow run", object{"inputs": object{"one_of": []any{object{"a": "b"}, 1}}}), []string{
			at + "fields.inputs.one_of[1]: must be an object, is 1"}},
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

// A folder has kinds of its own, and what a command prints may have any.
func TestS12AFootprintNamesWhatItsTargetHas(t *testing.T) {
	folder := withTask()
	change(t, folder, "task-wf.json", "footprint", []any{
		object{"change": "created", "object": "file", "name": "a", "fields": object{"text": object{"contains": "x"}, "sha256": "a", "size": 1, "mod": "0755"}},
		object{"change": "created", "object": "issue", "name": "a"},
		object{"change": "created", "object": "folder", "name": "a", "fields": object{"size": 1}},
		object{"change": "created", "object": "link", "name": "a", "fields": object{"to": "b"}},
	})
	assert.Equal(t, []string{
		`task-wf.json: footprint[0].fields.mod: file has no field "mod": did you mean "mode"?`,
		`task-wf.json: footprint[1].object: must be a kind of object that changes are told of, is "issue": want one of file, folder, link, special file`,
		`task-wf.json: footprint[2].fields.size: folder has no field "size": it has none`,
	}, said(t, folder))

	change(t, folder, "task-wf.json", "target/snapshot", "cat state.json")
	assert.Empty(t, said(t, folder))
	change(t, folder, "task-wf.json", "footprint/fields", object{"total": object{"contains": 5}, "lines": object{"sum": 1}, "state": "open"})
	assert.Equal(t, []string{"task-wf.json: footprint[0].fields.total.contains: must be a string, is 5"}, said(t, folder))
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
