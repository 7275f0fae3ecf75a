package scenario_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

// As the test of the same name without issues, with what each agent leaves who
// does nearly what is asked.
func TestS6CheckpointsOfIssuesTellWhetherTheWorkIsDone(t *testing.T) {
	const create = `{"title": "Say which versions get security fixes", "body": "The README does not say it.\n\nA table of versions with an end date for each would do.", "state": `
	const update = "`clamp(5, 10, 0)` is to throw a `RangeError` that names both bounds.\n\nToday it returns `NaN`."
	const comment = `{"body": "I have begun with the table of keys, and keep it next to the code that reads them."}`
	issue := func(fields object) string {
		text, err := json.Marshal(with(object{
			"number": 44, "state": "OPEN", "labels": []string{"bench-fixture", "bench-seed:s"}, "assignees": []string{}, "milestoneNumber": nil,
		}, fields))
		require.NoError(t, err)
		return string(text)
	}
	labelled := func(labels ...string) string { return issue(object{"labels": labels}) }
	assigned := func(logins ...string) string { return issue(object{"assignees": logins}) }
	prepared := func(fields object) string {
		return issue(with(object{"labels": []string{"bench-fixture", "bench-seed:s", "bug"}, "assignees": []string{"aryeko"}, "milestoneNumber": 1}, fields))
	}
	related := func(parent string, blockers, children string) string {
		return `{"parent": ` + parent + `, "blockedBy": [` + blockers + `], "children": [` + children + `]}`
	}
	const none, parent, blocker, other = "null", `{"number": 41}`, `{"number": 42}`, `{"number": 7}`
	tests := map[string]struct {
		before, after string
		alike         map[string]string
	}{
		"issue-create-001": {
			before: `{"items": [{"title": "Choose a license", "body": "", "state": "OPEN"}]}`, after: `{"items": [` + create + `"OPEN"}]}`,
			alike: map[string]string{
				"it has no body": `{"items": [{"title": "Say which versions get security fixes", "body": "", "state": "OPEN"}]}`,
				"it is closed":   `{"items": [` + create + `"CLOSED"}]}`,
			},
		},
		"issue-update-001": {
			before: issue(object{"title": "`clamp` returns NaN for swapped bounds", "body": "b"}),
			after:  issue(object{"title": "Refuse swapped bounds in `clamp`", "body": update}),
			alike: map[string]string{
				"the title alone is changed": issue(object{"title": "Refuse swapped bounds in `clamp`", "body": "b"}),
				"the body is added to":       issue(object{"title": "Refuse swapped bounds in `clamp`", "body": "b\n\n" + update}),
				"its labels are gone":        issue(object{"title": "Refuse swapped bounds in `clamp`", "body": update, "labels": []string{}}),
				"it is closed too":           issue(object{"title": "Refuse swapped bounds in `clamp`", "body": update, "state": "CLOSED"}),
			},
		},
		"issue-close-001": {
			before: issue(nil), after: issue(object{"state": "CLOSED", "stateReason": "COMPLETED"}),
			alike: map[string]string{"it is closed as not planned": issue(object{"state": "CLOSED", "stateReason": "NOT_PLANNED"}), "it is deleted": none},
		},
		"issue-reopen-001": {
			before: issue(object{"state": "CLOSED"}), after: issue(object{"stateReason": "REOPENED"}),
			alike: map[string]string{"it is deleted": none},
		},
		"issue-labels-add-001": {
			before: issue(nil), after: labelled("bench-fixture", "bench-seed:s", "bug"),
			alike: map[string]string{
				"the others are replaced": labelled("bug"),
				"it is another label":     labelled("bench-fixture", "bench-seed:s", "enhancement"),
				"there is one too many":   labelled("bench-fixture", "bench-seed:s", "bug", "enhancement"),
			},
		},
		"issue-labels-remove-001": {
			before: prepared(nil), after: issue(nil),
			alike: map[string]string{
				"all are removed":          labelled(),
				"another one is removed":   labelled("bench-fixture", "bug"),
				"one too many is removed":  labelled("bench-fixture"),
				"it is replaced by others": labelled("bench-fixture", "bench-seed:s", "enhancement"),
			},
		},
		"issue-labels-set-001": {
			before: prepared(nil), after: labelled("bench-fixture", "enhancement"),
			alike: map[string]string{"it is added to the others": labelled("bench-fixture", "bench-seed:s", "bug", "enhancement"), "one is missing": labelled("enhancement")},
		},
		"issue-assignees-add-001": {
			before: issue(nil), after: assigned("aryeko"),
			alike: map[string]string{"someone else is assigned": assigned("octocat"), "someone else is assigned too": assigned("aryeko", "octocat")},
		},
		"issue-assignees-remove-001": {
			before: prepared(nil), after: prepared(object{"assignees": []string{}}),
			alike: map[string]string{
				"someone else is assigned instead": prepared(object{"assignees": []string{"octocat"}}),
				"it has lost its milestone too":    prepared(object{"assignees": []string{}, "milestoneNumber": nil}),
				"it is deleted":                    none,
			},
		},
		"issue-assignees-set-001": {
			before: issue(nil), after: assigned("aryeko"), alike: map[string]string{"someone else is assigned too": assigned("aryeko", "octocat")},
		},
		"issue-milestone-set-001": {
			before: issue(nil), after: issue(object{"milestoneNumber": 1}), alike: map[string]string{"it is in another one": issue(object{"milestoneNumber": 2})},
		},
		"issue-milestone-clear-001": {
			before: prepared(nil), after: prepared(object{"milestoneNumber": nil}),
			alike: map[string]string{
				"it is in another one":      prepared(object{"milestoneNumber": 2}),
				"nobody is assigned to it":  prepared(object{"milestoneNumber": nil, "assignees": []string{}}),
				"it has lost its label too": prepared(object{"milestoneNumber": nil, "labels": []string{"bench-fixture", "bench-seed:s"}}),
				"it is deleted":             none,
			},
		},
		"issue-comments-create-001": {
			before: `{"items": [{"body": "a"}, {"body": "b"}]}`, after: `{"items": [{"body": "a"}, {"body": "b"}, ` + comment + `]}`,
			alike: map[string]string{
				"it is written twice":     `{"items": [{"body": "a"}, {"body": "b"}, ` + comment + `, ` + comment + `]}`,
				"another one is replaced": `{"items": [{"body": "a"}, ` + comment + `]}`,
				"it says something else":  `{"items": [{"body": "a"}, {"body": "b"}, {"body": "c"}]}`,
			},
		},
		"issue-relations-parent-set-001": {
			before: related(none, "", ""), after: related(parent, "", ""),
			alike: map[string]string{"it is the parent itself": related(none, "", parent), "it is under another one": related(other, "", "")},
		},
		"issue-relations-parent-remove-001": {
			before: related(parent, blocker, ""), after: related(none, blocker, ""),
			alike: map[string]string{"it is under another one": related(other, blocker, ""), "it is not blocked any more": related(none, "", ""), "it is deleted": none},
		},
		"issue-relations-blocked-by-add-001": {
			before: related(none, "", ""), after: related(none, blocker, ""),
			alike: map[string]string{"another one blocks it": related(none, other, ""), "it is made a sub-issue of it": related(blocker, "", "")},
		},
		"issue-relations-blocked-by-remove-001": {
			before: related(parent, blocker, ""), after: related(parent, "", ""),
			alike: map[string]string{"another one blocks it": related(parent, other, ""), "it has lost its parent too": related(none, "", ""), "it is deleted": none},
		},
	}
	library := shipped(t)
	for id, states := range tests {
		s, err := library.Scenario(id)
		require.NoError(t, err)
		bound, err := scenario.Resolve(s, seeded())
		require.NoError(t, err)
		passes := func(state string) bool {
			var answer any
			require.NoError(t, json.Unmarshal([]byte(state), &answer))
			return !slices.ContainsFunc(bound.Scenario.Assertions.Checkpoints, func(c bench.Checkpoint) bool {
				passed, _ := checkpoint.Evaluate(c, answer)
				return !passed
			})
		}
		assert.False(t, passes(states.before), "%s: nothing is done", id)
		for name, state := range states.alike {
			assert.False(t, passes(state), "%s: %s", id, name)
		}
		assert.True(t, passes(states.after), "%s: the work is done", id)
	}
}

func TestS6AnIssueThatIsClosedIsNotDeleted(t *testing.T) {
	s, err := shipped(t).Scenario("issue-delete-001")
	require.NoError(t, err)
	holds := func(n int, answer any) bool {
		passed, _ := checkpoint.Evaluate(s.Assertions.Checkpoints[n], answer)
		return passed
	}
	assert.True(t, holds(0, nil))
	assert.False(t, holds(0, object{"state": "CLOSED"}))
	assert.True(t, holds(1, object{"state": "OPEN"}))
	assert.False(t, holds(1, nil), "both are deleted")
}
