package checkpoint_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
)

func TestS17WhatIsExpectedCanBeThere(t *testing.T) {
	type fields = map[string]any
	graph, rest, task := bench.Read{Query: issueQuery}, bench.Read{Path: pullPath}, bench.Read{Task: "pr.view"}
	diff := bench.Read{Path: pullPath, Accept: "application/vnd.github.diff"}
	jq := func(expression string) bench.Read { return bench.Read{Query: issueQuery, JQ: expression} }
	const (
		nonEmpty = bench.ConditionNonEmpty
		countEq  = bench.ConditionCountEq
		countGte = bench.ConditionCountGte
		equals   = bench.ConditionFieldEquals
		contains = bench.ConditionContains
		matches  = bench.ConditionMatches
		issues   = "query { repository(owner: \"o\", name: \"n\") { issues(first: 1) { totalCount items: nodes { number } } } }"
	)
	tests := []struct {
		name      string
		read      bench.Read
		condition bench.Condition
		path      string
		expected  any
		want      string
	}{
		{"a field", graph, equals, at + "locked", true, ""},
		{"a value that is known later", graph, equals, at + "locked", "{{input.name}}", ""},
		{"a list that is known later", graph, equals, at + "locked", []any{"a", "{{input.name}}"}, ""},
		{"an object that is known later", graph, equals, at + "locked", fields{"a": 1, "b": "{{input.name}}"}, ""},
		{"a list where there is a boolean", graph, equals, at + "locked", []any{"a"}, "expected_value: can never be there: it is a list, where GitHub has a boolean"},
		{"a path that leads nowhere", graph, nonEmpty, at + "milstone", nil,
			`path: leads nowhere: "repository.issue" has no field "milstone": did you mean "milestone"?`},
		{"a field of a text", graph, nonEmpty, at + "title.text", nil, `path: leads nowhere: "repository.issue.title" is a string and has no "text"`},
		{"an index beyond the example", graph, equals, at + "labels.nodes.7.name", "bug", ""},
		{"a field of an element", graph, equals, at + "labels.nodes.0.nam", "bug",
			`path: leads nowhere: "repository.issue.labels.nodes.0" has no field "nam": did you mean "name"?`},
		{"another type", graph, equals, at + "locked", "true", "expected_value: can never be there: it is a string, where GitHub has a boolean"},
		{"a value that GitHub does not have", graph, equals, at + "state", "OPENED",
			`expected_value: can never be there: it is "OPENED", which is none of CLOSED, OPEN: did you mean "OPEN"?`},
		{"null where GitHub has it", graph, equals, at + "milestone", nil, ""},
		{"null where it never is", graph, equals, at + "title", nil, "expected_value: can never be there: it is null, and GitHub never answers null here"},
		{"fields without a path", graph, equals, "", fields{at + "locked": false, at + "state": "CLOSED"}, ""},
		{"no fields without a path", graph, equals, "", "x", ""},
		{"a wrong field without a path", graph, equals, "", fields{at + "lockd": false},
			`expected_value.repository.issue.lockd: leads nowhere: "repository.issue" has no field "lockd": did you mean "locked"?`},
		{"a wrong value without a path", graph, equals, "", fields{at + "state": "DONE"},
			`expected_value.repository.issue.state: can never be there: it is "DONE", which is none of CLOSED, OPEN`},
		{"an element", graph, contains, at + "labels.nodes", fields{"name": "bug"}, ""},
		{"a wrong field of an element", graph, contains, at + "labels.nodes", fields{"nme": "bug"},
			`expected_value.nme: leads nowhere: the value has no field "nme": did you mean "name"?`},
		{"a wrong value of an element", graph, contains, at + "labels.nodes", fields{"name": 1},
			`expected_value.name: can never be there: it is an integer, where GitHub has a string`},
		{"an element of another type", graph, contains, at + "labels.nodes", "bug", "expected_value: can never be there: it is a string, where GitHub has an object"},
		{"a part of a text", graph, contains, at + "title", "a", ""},
		{"a number in a text", graph, contains, at + "title", 7, "expected_value: can never be there: it is a number, and the place is a text"},
		{"null in a text", graph, contains, at + "title", nil, "expected_value: can never be there: it is null, and the place is a text"},
		{"a part of a number", graph, contains, at + "milestone.number", 7, "path: contains looks at a text, a list or an object, and there is a number"},
		{"fields of an object", graph, contains, "repository.issue", fields{"locked": "no"},
			"expected_value.locked: can never be there: it is a string, where GitHub has a boolean"},
		{"a count of a list", graph, countEq, at + "labels.nodes", 2, ""},
		{"a count at a length", graph, countEq, at + "labels.nodes.length", 2, ""},
		{"a count at a number", graph, countGte, at + "milestone.number", 2, ""},
		{"a count of a text", graph, countGte, at + "title", 2, "path: count_gte looks at a list, or at a number, and there is a string"},
		{"a count of a boolean", graph, countEq, at + "locked", 2, "path: count_eq looks at a list, or at a number, and there is a boolean"},
		{"a match of a text", graph, matches, at + "title", "a", ""},
		{"a match of a list", graph, matches, at + "labels.nodes", "a", "path: matches looks at a text, and there is a list"},
		{"a match of an object", graph, matches, "", "a", "condition: matches looks at a text, and there is an object"},

		{"the items of a list", bench.Read{Query: issues, JQ: ".repository.issues"}, countEq, "", 2, ""},
		{"an item", bench.Read{Query: issues, JQ: ".repository.issues"}, contains, "", fields{"numbr": 2},
			`expected_value.numbr: leads nowhere: the answer has no field "numbr": did you mean "number"?`},
		{"no items", jq(".repository.issue"), countEq, "", 2, "condition: count_eq looks at a list, or at a number, and there is an object"},
		{"a match of a list with items", bench.Read{Query: issues, JQ: ".repository.issues"}, matches, "", "a",
			"condition: matches looks at a text, and there is an object"},
		{"a path beside items", bench.Read{Query: issues, JQ: ".repository.issues"}, equals, "totalCount", "2",
			"expected_value: can never be there: it is a string, where GitHub has a number"},

		{"REST", rest, equals, "state", "open", ""},
		{"a value that REST does not have", rest, equals, "state", "OPEN",
			`expected_value: can never be there: it is "OPEN", which is none of open, closed: did you mean "open"?`},
		{"a path that REST does not have", rest, nonEmpty, "head.sh", nil, `path: leads nowhere: "head" has no field "sh": did you mean "sha"?`},
		{"a diff is a text", diff, contains, "", "x", ""},
		{"a diff has no fields", diff, nonEmpty, "files", nil, `path: leads nowhere: the value is a string and has no "files"`},
		{"JSON of a type of its own", bench.Read{Path: pullPath, Accept: "application/vnd.github.full+json"}, nonEmpty, "titl", nil,
			`path: leads nowhere: the value has no field "titl": did you mean "title"?`},
		{"a log is a text", bench.Read{Path: logPath}, nonEmpty, "lines", nil, `path: leads nowhere: the value is a string and has no "lines"`},
		{"a field of any name", bench.Read{Path: "/repos/{{input.owner}}/{{input.name}}/languages"}, equals, "Go", 7, ""},
		{"an answer that nothing is known of", bench.Read{Path: "/zen", JQ: "."}, nonEmpty, "", nil, ""},

		{"another type behind jq", jq("{locked: .repository.issue.locked}"), equals, "locked", "yes",
			"expected_value: can never be there: it is a string, where GitHub has a boolean"},
		{"null behind jq", jq("{locked: .repository.issue.locked}"), equals, "locked", nil, ""},
		{"a value that is known later behind jq", jq("{locked: .repository.issue.locked}"), equals, "locked", "{{input.name}}", ""},
		{"a path that jq does not make", jq("{locked: .repository.issue.locked}"), nonEmpty, "lock", nil,
			`path: leads nowhere: the answer has no field "lock": did you mean "locked"?`},
		{"a path below one that jq makes", jq("{a: {b: {c: 1}}}"), nonEmpty, "a.b.d", nil, `path: leads nowhere: "a.b" has no field "d": did you mean "c"?`},
		{"a path below a number", jq("{a: 1}"), nonEmpty, "a.b", nil, `path: leads nowhere: "a" is a number and has no "b"`},
		{"a path below null", jq("{a: null}"), equals, "a.b", 1, ""},
		{"a path to null", jq("{a: null}"), equals, "a", 1, ""},
		{"an element of a list of jq", jq("{a: [{b: 1}]}"), equals, "a.9.b", "x",
			"expected_value: can never be there: it is a string, where GitHub has a number"},
		{"a name in a list of jq", jq("{a: [{b: 1}]}"), nonEmpty, "a.b", nil, `path: leads nowhere: "a" is a list: "b" is neither an index nor "length"`},
		{"an element of an empty list of jq", jq("{a: []}"), equals, "a.0", 1, ""},
		{"a part of an empty list of jq", jq("{a: []}"), contains, "a", 1, ""},
		{"a length of an empty list of jq", jq("{a: []}"), equals, "a.length", "x",
			"expected_value: can never be there: it is a string, where GitHub has a number"},
		{"a value that GitHub does not have behind jq", jq("{s: .repository.issue.state}"), equals, "s", "OPENED",
			`expected_value: can never be there: it is "OPENED", which is none of CLOSED, OPEN: did you mean "OPEN"?`},
		{"one that GitHub has behind jq", jq("{s: .repository.issue.state}"), equals, "s", "OPEN", ""},
		{"one that jq makes", jq(`{s: (if .repository.issue.locked | not then "LOCKED" else .repository.issue.state end)}`), equals, "s", "LOCKED", ""},
		{"one of another place behind //", bench.Read{Task: "pr.view", JQ: ".reviewDecision // .state"}, equals, "", "MERGED", ""},
		{"one of no place behind //", bench.Read{Task: "pr.merge.status", JQ: "{s: (.reviewDecision // .state)}"}, equals, "s", "MERGE",
			`expected_value: can never be there: it is "MERGE", which is none of APPROVED, BEHIND, BLOCKED, CHANGES_REQUESTED, CLEAN, CLOSED, CONFLICTING, ` +
				`DIRTY, DRAFT, HAS_HOOKS, MERGEABLE, MERGED, OPEN, REVIEW_REQUIRED, UNKNOWN, UNSTABLE: did you mean "MERGED"?`},
		{"one of another place", bench.Read{Task: "pr.view", JQ: "{s: .reviewDecision}"}, equals, "s", "MERGED",
			`expected_value: can never be there: it is "MERGED", which is none of APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED, PENDING, REVIEW_REQUIRED`},
		{"one in small letters by jq", jq("{s: .repository.issue.state | ascii_downcase}"), equals, "s", "opened", ""},
		{"any text where GitHub has any", jq("{s: .repository.issue.title}"), equals, "s", "x", ""},
		{"fields that are GitHub's texts", jq("[.repository.issue.labels.nodes[] | {(.name): 1}] | add"), equals, "bug", 1, ""},
		{"a field beside fields that are GitHub's texts", jq("{a: ([.repository.issue.labels.nodes[] | {(.name): 1}] | add)}"), equals, "a.bug", 1, ""},
		{"a list of jq", jq("[.repository.issue.labels.nodes[].name]"), contains, "", "bug", ""},
		{"a list of jq with another type", jq("[.repository.issue.labels.nodes[].name]"), contains, "", 7,
			"expected_value: can never be there: it is a number, where GitHub has a string"},
		{"an element with a state behind jq", jq("[.repository.issue.state]"), contains, "", "OPENED",
			`expected_value: can never be there: it is "OPENED", which is none of CLOSED, OPEN: did you mean "OPEN"?`},
		{"fields of a list", jq("[.repository.issue.labels.nodes[]]"), equals, "", fields{"name": "bug"},
			`condition: field_equals without a path looks at fields of an object, and there is a list: use contains for an element, or "jq": "{all: .}" and "path": "all" for the whole list`},
		{"fields of a list's elements", jq("[.repository.issue.labels.nodes[]]"), equals, "", fields{"0.name": "bug", "length": 1}, ""},
		{"an object in a list of texts", jq("[.repository.issue.labels.nodes[].name]"), contains, "", fields{"name": "bug"},
			"expected_value: can never be there: it is an object, where GitHub has a string"},
		{"a text in a list of objects behind jq", jq("[.repository.issue.labels.nodes[]]"), contains, "", "bug",
			"expected_value: can never be there: it is a string, where GitHub has an object"},
		{"the input of a next page", jq("{n: $next}"), equals, "n", "2", "expected_value: can never be there: it is a string, where GitHub has a number"},

		{"a task", task, equals, "mergeCommitParents", 2, ""},
		{"a field of a task", task, nonEmpty, "mileStoneNumbr", nil, `path: leads nowhere: the answer has no field "mileStoneNumbr": did you mean "milestoneNumber"?`},
		{"a value of a task", task, equals, "state", "MERGE",
			`expected_value: can never be there: it is "MERGE", which is none of CLOSED, MERGED, OPEN: did you mean "MERGED"?`},
		{"fields of a task", task, equals, "", fields{"locked": "no"}, "expected_value.locked: can never be there: it is a string, where GitHub has a boolean"},
		{"a list of a task", task, contains, "labels", fields{"name": "bug"}, "expected_value: can never be there: it is an object, where GitHub has a string"},
		{"a text of a task", bench.Read{Task: "pr.diff.view"}, contains, "diff", 7, "expected_value: can never be there: it is a number, and the place is a text"},
		{"a text that a task makes itself", bench.Read{Task: "pr.reactions.list"}, equals, "subject.type", "PullRequest", ""},
		{"fields of a task that are GitHub's texts", bench.Read{Task: "project_v2.items.list"}, equals, "items.0.fields.Status", "Done", ""},
		{"a read that does not ship", bench.Read{Task: "pr.vew"}, equals, "x", 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			foreseen, doubts := checkpoint.Foresee(tt.read, inputs())
			require.Empty(t, doubts)
			doubts = foreseen.Doubts(bench.Checkpoint{Condition: tt.condition, Path: tt.path, ExpectedValue: tt.expected})
			if tt.want == "" {
				assert.Empty(t, said(doubts))
				return
			}
			assert.Equal(t, []string{tt.want}, said(doubts))
		})
	}
}

func TestS17JQBehindATaskAsksForWhatTheTaskGives(t *testing.T) {
	_, doubts := checkpoint.Foresee(bench.Read{Task: "pr.view", JQ: ".reviews[0].stat"}, inputs())
	assert.Equal(t, []string{`jq: asks for "stat", which reviews does not have: did you mean "state"?`}, said(doubts))
	_, doubts = checkpoint.Foresee(bench.Read{Task: "pr.view", JQ: ".reviews[0].state"}, inputs())
	assert.Empty(t, doubts)
}

// Where several measurements start at the same time, each reads the scenarios,
// and what GitHub answers to a task is found out once.
func TestTasksAreForeseenByManyAtTheSameTime(t *testing.T) {
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			_, doubts := checkpoint.Foresee(bench.Read{Task: "pr.view", JQ: ".reviews[0].state"}, inputs())
			assert.Empty(t, doubts)
		})
	}
	readers.Wait()
}
