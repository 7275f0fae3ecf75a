package checkpoint_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
)

const (
	issue = `{
		"number": 7, "title": "Crash on start", "state": "OPEN", "locked": false, "milestone": null, "body": "",
		"assignees": ["octocat", "hubot"], "labels": [{"name": "bug", "color": "f00"}, {"name": "p1", "color": "0f0"}],
		"comments": {"totalCount": 2, "nodes": []}, "reactions": {}
	}`
	list  = `{"items": [{"id": 1, "comments": [{"body": "a"}, {"body": "b"}]}, {"id": 2, "comments": []}], "pageInfo": {"hasNextPage": false}}`
	none  = `{"items": [], "pageInfo": {"hasNextPage": false}}`
	array = `["a", 2, {"id": 3, "state": "x"}]`
)

func decode(t *testing.T, text string) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return value
}

func TestS5Conditions(t *testing.T) {
	const (
		isEmpty  = bench.ConditionEmpty
		nonEmpty = bench.ConditionNonEmpty
		countEq  = bench.ConditionCountEq
		countGte = bench.ConditionCountGte
		equals   = bench.ConditionFieldEquals
		contains = bench.ConditionContains
		matches  = bench.ConditionMatches
	)
	type fields = map[string]any
	cases := []struct {
		name      string
		condition bench.Condition
		path      string
		expected  any
		answer    string
		want      bool
	}{
		{"a list result without items is empty", isEmpty, "", nil, none, true},
		{"a list result with items is not", isEmpty, "", nil, list, false},
		{"null is empty", isEmpty, "", nil, `null`, true},
		{"an object is not", isEmpty, "", nil, issue, false},
		{"an object whose items are no list is judged as an object", isEmpty, "", nil, `{"items":null}`, false},
		{"an empty array is empty", isEmpty, "", nil, `[]`, true},
		{"null at a path is empty", isEmpty, "milestone", nil, issue, true},
		{"an empty text is empty", isEmpty, "body", nil, issue, true},
		{"a text is not", isEmpty, "title", nil, issue, false},
		{"an empty object is empty", isEmpty, "reactions", nil, issue, true},
		{"a length of 0 is empty", isEmpty, "items.1.comments.length", nil, list, true},
		{"false is a value", isEmpty, "locked", nil, issue, false},
		{"a place that is missing is empty", isEmpty, "closedAt", nil, issue, true},
		{"a place behind null is missing", isEmpty, "milestone.title", nil, issue, true},
		{"a path names another place than the items", isEmpty, "pageInfo", nil, none, false},

		{"a list result with items is non-empty", nonEmpty, "", nil, list, true},
		{"a list result without items is not", nonEmpty, "", nil, none, false},
		{"a length of 0 is not non-empty", nonEmpty, "items.1.comments.length", nil, list, false},
		{"a length above 0 is non-empty", nonEmpty, "items.0.comments.length", nil, list, true},
		{"a missing place is not non-empty", nonEmpty, "closedAt", nil, issue, false},
		{"false is non-empty", nonEmpty, "locked", nil, issue, true},

		{"items are counted", countEq, "", 2, list, true},
		{"items are counted exactly", countEq, "", 1, list, false},
		{"no items are 0", countEq, "", 0, none, true},
		{"a list at a path is counted", countEq, "items.0.comments", 2, list, true},
		{"a length at a path is the count", countEq, "items.0.comments.length", 2, list, true},
		{"a total at a path is the count", countEq, "comments.totalCount", json.Number("2.0"), issue, true},
		{"a total at a path is another count", countEq, "comments.totalCount", 3, issue, false},
		{"an object has no count", countEq, "comments", 2, issue, false},
		{"a text has no count", countEq, "title", 14, issue, false},
		{"a missing list has no count, not even 0", countEq, "reviews", 0, issue, false},
		{"a count needs a number", countEq, "", "2", list, false},
		{"a text is no count, not even of nothing", countEq, "", "0", none, false},
		{"at least as many", countGte, "", 2, list, true},
		{"more than enough", countGte, "assignees", 1.5, issue, true},
		{"too few", countGte, "", 3, list, false},
		{"too few by a part", countGte, "assignees", 2.5, issue, false},

		{"a field is equal", equals, "state", "OPEN", issue, true},
		{"texts are compared exactly", equals, "state", "open", issue, false},
		{"a number is no text", equals, "number", "7", issue, false},
		{"numbers are compared by value", equals, "number", 7.0, issue, true},
		{"a field in an element", equals, "items.1.id", json.Number("2.00"), list, true},
		{"an index past the end is missing", equals, "items.2.id", 3, list, false},
		{"what is past the end is not null", equals, "items.2", nil, list, false},
		{"an index below 0 is missing", equals, "items.-1.id", 2, list, false},
		{"a name is no index", equals, "items.first.id", 1, list, false},
		{"what is in a text is not null", equals, "title.length", nil, issue, false},
		{"a part of a number counts", equals, "rate", 0, `{"rate": 0.5}`, false},
		{"parts of numbers are compared", equals, "rate", 0.25, `{"rate": 0.5}`, false},
		{"0 is no empty text", equals, "items.1.comments.length", "", list, false},
		{"an empty list is not null", equals, "items.1.comments", nil, list, false},
		{"an empty object is not null", equals, "reactions", nil, issue, false},
		{"a length", equals, "assignees.length", 2, issue, true},
		{"lists are compared in order", equals, "assignees", []string{"hubot", "octocat"}, issue, false},
		{"lists are compared deeply", equals, "assignees", []string{"octocat", "hubot"}, issue, true},
		{"objects are compared deeply", equals, "labels.0", fields{"name": "bug", "color": "f00"}, issue, true},
		{"at a path an object is compared whole", equals, "labels.0", fields{"name": "bug"}, issue, false},
		{"an object lacks a field that is expected", equals, "labels.0", fields{"name": "bug", "color": "f00", "id": 1}, issue, false},
		{"an object has another value in a field", equals, "labels.0", fields{"name": "bug", "color": "0f0"}, issue, false},
		{"a field that is null is not another one", equals, "a", fields{"c": nil}, `{"a": {"b": null}}`, false},
		{"null is not what is missing", equals, "closedAt", nil, issue, false},
		{"without a path each field is compared", equals, "", fields{"state": "OPEN", "number": 7}, issue, true},
		{"without a path one field is not equal", equals, "", fields{"state": "OPEN", "number": 8}, issue, false},
		{"without a path names may be dotted", equals, "", fields{"comments.totalCount": 2, "labels.1.name": "p1"}, issue, true},
		{"without a path a list result is the whole answer", equals, "", fields{"pageInfo.hasNextPage": false}, list, true},
		{"without a path a missing field is not null", equals, "", fields{"closedAt": nil}, issue, false},
		{"without a path null is null", equals, "", fields{"milestone": nil}, issue, true},
		{"no fields say nothing", equals, "", fields{}, issue, false},
		{"without a path an object is expected", equals, "", "OPEN", `"OPEN"`, false},
		{"no object has no fields", equals, "", fields{"state": "OPEN"}, `null`, false},

		{"a text contains a part", contains, "title", "on start", issue, true},
		{"a text does not contain another case", contains, "title", "crash", issue, false},
		{"every text contains the empty one, which says nothing", contains, "title", "", issue, false},
		{"a list contains an equal element", contains, "assignees", "hubot", issue, true},
		{"a list does not contain a part of an element", contains, "assignees", "hub", issue, false},
		{"a list contains a number by value", contains, "", 2.0, array, true},
		{"a list contains an object with these fields", contains, "labels", fields{"name": "p1"}, issue, true},
		{"fields of two elements are not those of one", contains, "labels", fields{"name": "p1", "color": "f00"}, issue, false},
		{"items contain an object with these fields", contains, "", fields{"id": 1, "comments.length": 2}, list, true},
		{"an object of no fields says nothing", contains, "", fields{}, list, false},
		{"an object contains fields", contains, "", fields{"state": "OPEN"}, issue, true},
		{"an object contains a field with another value", contains, "", fields{"state": "CLOSED"}, issue, false},
		{"a field that is missing is not contained as null", contains, "", fields{"closedAt": nil}, issue, false},
		{"an object contains no text", contains, "", "state", issue, false},
		{"nothing is contained in what is missing", contains, "reviews", "x", issue, false},

		{"a text matches somewhere", matches, "title", `on\s+start$`, issue, true},
		{"a text matches as a whole", matches, "", `^v\d+$`, `"v12"`, true},
		{"a text does not match", matches, "title", `^on`, issue, false},
		{"a number does not match", matches, "number", `7`, issue, false},
		{"a missing text does not match, not even nothing", matches, "closedAt", ``, issue, false},
		{"what is no regular expression matches nothing", matches, "title", `(`, issue, false},
		{"a regular expression is a text", matches, "number", 7, issue, false},
		{"a number is no regular expression", matches, "title", 7, issue, false},

		{"an unknown condition does not hold", "is_nice", "", nil, issue, false},
	}
	seen := map[string]bool{}
	for _, c := range cases {
		require.False(t, seen[c.name], "two cases are called %q", c.name)
		seen[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			cp := bench.Checkpoint{Condition: c.condition, Path: c.path, ExpectedValue: c.expected}
			passed, detail := checkpoint.Evaluate(cp, decode(t, c.answer))
			assert.Equal(t, c.want, passed, detail)
			assert.NotEmpty(t, detail)
		})
	}
}

func TestS5AnswersOfAnyTypeAreJudgedAsJSON(t *testing.T) {
	type label struct {
		Name string `json:"name"`
	}
	answer := map[string]any{
		"items": []label{{"bug"}}, "id": int64(9007199254740993), "raw": json.RawMessage(`{"n":1}`),
	}
	cases := []struct {
		name string
		cp   bench.Checkpoint
		want bool
	}{
		{"a typed list is a list", bench.Checkpoint{Condition: bench.ConditionCountEq, ExpectedValue: 1}, true},
		{"a struct is an object", bench.Checkpoint{Condition: bench.ConditionContains, ExpectedValue: label{"bug"}}, true},
		{"raw JSON is what it says", bench.Checkpoint{Condition: bench.ConditionFieldEquals, Path: "raw.n", ExpectedValue: 1}, true},
		{"a long id keeps its last digit", bench.Checkpoint{Condition: bench.ConditionFieldEquals, Path: "id", ExpectedValue: json.Number("9007199254740993")}, true},
		{"long ids differ in their last digit", bench.Checkpoint{Condition: bench.ConditionFieldEquals, Path: "id", ExpectedValue: json.Number("9007199254740992")}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			passed, detail := checkpoint.Evaluate(c.cp, answer)
			assert.Equal(t, c.want, passed, detail)
		})
	}

}

func TestWhatIsNotJSONHoldsNowhere(t *testing.T) {
	var deep any
	for range 10_001 {
		deep = []any{deep}
	}
	cases := []struct {
		name   string
		cp     bench.Checkpoint
		answer any
		want   string
	}{
		{"an answer", bench.Checkpoint{Condition: bench.ConditionEmpty}, func() {}, "the answer is not JSON: json: unsupported type: func()"},
		{"an answer that is nested too deeply to be read again", bench.Checkpoint{Condition: bench.ConditionEmpty}, deep, "the answer is not JSON: invalid character '[' exceeded max depth"},
		{"what is expected", bench.Checkpoint{Condition: bench.ConditionFieldEquals, Path: "a", ExpectedValue: func() {}}, map[string]any{"a": nil},
			"expected_value is not JSON: json: unsupported type: func()"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			passed, detail := checkpoint.Evaluate(c.cp, c.answer)
			assert.False(t, passed)
			assert.Equal(t, c.want, detail)
		})
	}
}

func TestDetailSaysWhatWasSeenAndExpected(t *testing.T) {
	cases := []struct {
		name   string
		cp     bench.Checkpoint
		answer string
		want   string
	}{
		{"a list", bench.Checkpoint{Condition: bench.ConditionEmpty}, `{"items":[1,"<b>"]}`,
			`items is a list of 2: [1,"<b>"], expected it to be empty`},
		{"a count", bench.Checkpoint{Condition: bench.ConditionCountGte, Path: "a.length", ExpectedValue: 3}, `{"a":[1]}`,
			`a.length is 1, expected a count of at least 3`},
		{"a missing place", bench.Checkpoint{Condition: bench.ConditionFieldEquals, Path: "a.b", ExpectedValue: "x"}, `{}`,
			`a.b is missing, expected "x"`},
		{"of several fields the one that is not equal", bench.Checkpoint{Condition: bench.ConditionFieldEquals, ExpectedValue: map[string]any{"a": 1, "b": 2, "c": 3}}, `{"a":1,"b":0,"c":0}`,
			`b is 0, expected 2`},
		{"all of several fields", bench.Checkpoint{Condition: bench.ConditionFieldEquals, ExpectedValue: map[string]any{"a": 1}}, `{"a":1,"b":0}`,
			`the answer is {"a":1,"b":0}, expected {"a":1}`},
		{"a pattern that is none", bench.Checkpoint{Condition: bench.ConditionMatches, ExpectedValue: "("}, `"x"`,
			`the answer is "x", expected a match of "(", which is no regular expression`},
		{"a pattern is tried on the whole answer", bench.Checkpoint{Condition: bench.ConditionMatches, ExpectedValue: "x"}, `{"items":[]}`,
			`the answer is {"items":[]}, expected a text that matches "x"`},
		{"nothing", bench.Checkpoint{Condition: bench.ConditionNonEmpty}, `{"items":[]}`,
			`items is a list of 0: [], expected it not to be empty`},
		{"another count", bench.Checkpoint{Condition: bench.ConditionCountEq, ExpectedValue: 2}, `[1]`,
			`the answer is a list of 1: [1], expected a count of 2`},
		{"fields of a list", bench.Checkpoint{Condition: bench.ConditionFieldEquals, ExpectedValue: map[string]any{"0.a": 1, "a": 1}}, `[{"a":1}]`,
			`the answer is a list of 1: [{"a":1}], expected {"0.a":1,"a":1} of an object: use contains for an element, or "jq": "{all: .}" and "path": "all" for the whole list`},
		{"fields of a list's elements", bench.Checkpoint{Condition: bench.ConditionFieldEquals, ExpectedValue: map[string]any{"0.a": 2}}, `[{"a":1}]`,
			`0.a is 1, expected 2`},
		{"a part", bench.Checkpoint{Condition: bench.ConditionContains, ExpectedValue: "b"}, `"a"`,
			`the answer is "a", expected it to contain "b"`},
		{"a condition of another version", bench.Checkpoint{Condition: "is_nice"}, `1`,
			`the answer is 1, expected a known condition, not "is_nice"`},
		{"parts as long as they may be", bench.Checkpoint{Condition: bench.ConditionFieldEquals, Path: strings.Repeat("n", 50), ExpectedValue: strings.Repeat("w", 78)},
			`{"` + strings.Repeat("n", 50) + `":"` + strings.Repeat("s", 118) + `"}`,
			strings.Repeat("n", 50) + ` is "` + strings.Repeat("s", 118) + `", expected "` + strings.Repeat("w", 78) + `"`},
		{"parts that are too long", bench.Checkpoint{Condition: bench.ConditionFieldEquals, Path: strings.Repeat("n", 51), ExpectedValue: strings.Repeat("w", 79)},
			`{"` + strings.Repeat("n", 51) + `":"` + strings.Repeat("s", 119) + `"}`,
			strings.Repeat("n", 49) + `… is "` + strings.Repeat("s", 118) + `…, expected "` + strings.Repeat("w", 78) + `…`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, detail := checkpoint.Evaluate(c.cp, decode(t, c.answer))
			assert.Equal(t, c.want, detail)
		})
	}
}

func TestDetailIsOneShortLine(t *testing.T) {
	long := strings.Repeat("é\n\u0085\u2028\u2029\x1b[31m", 1000)
	for _, condition := range []bench.Condition{
		bench.ConditionEmpty, bench.ConditionCountEq, bench.ConditionFieldEquals, bench.ConditionContains, bench.ConditionMatches, bench.Condition(long),
	} {
		for _, cp := range []bench.Checkpoint{
			{Condition: condition, ExpectedValue: long},
			{Condition: condition, ExpectedValue: map[string]any{long: long}},
			{Condition: condition, ExpectedValue: long, Path: long},
			{Condition: condition, ExpectedValue: long, Path: "a"},
		} {
			_, detail := checkpoint.Evaluate(cp, map[string]any{"a": []string{long}, long: long})
			assert.LessOrEqual(t, utf8.RuneCountInString(detail), 300)
			for _, r := range "\n\r\u0085\u2028\u2029\x1b" {
				assert.NotContains(t, detail, string(r))
			}
		}
	}
}

func TestMatchesIsBounded(t *testing.T) {
	cp := bench.Checkpoint{Condition: bench.ConditionMatches, ExpectedValue: "a"}
	passed, _ := checkpoint.Evaluate(cp, strings.Repeat("a", checkpoint.MaxMatched))
	assert.True(t, passed)
	passed, detail := checkpoint.Evaluate(cp, strings.Repeat("a", checkpoint.MaxMatched+1))
	assert.False(t, passed)
	assert.Contains(t, detail, "at most 1048576 bytes")
}
