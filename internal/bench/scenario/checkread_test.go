package scenario_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/world"
)

const (
	issueQuery = "query($owner: String!, $name: String!, $prNumber: Int!) { repository(owner: $owner, name: $name) { issue(number: $prNumber) { " +
		"title state locked milestone { number } createdAt labels(first: 10) { nodes { name } } } } }"
	pullPath = "/repos/{{input.owner}}/{{input.name}}/pulls/{{input.prNumber}}"
)

// wrongIn returns what is said of a workflow whose only checkpoint is that one.
func wrongIn(t *testing.T, checkpoint object) (problems, warnings []string) {
	t.Helper()
	folder := minimal()
	change(t, folder, flowFile, "assertions/checkpoints", []any{checkpoint})
	report := scenario.Check(files(t, folder), nil)
	const begin = "assertions.checkpoints[0]."
	for _, p := range report.Problems {
		require.Equal(t, flowFile, p.File)
		assert.Positive(t, p.Line)
		assert.Positive(t, p.Column)
		problems = append(problems, p.Path[min(len(begin), len(p.Path)):]+": "+p.Message)
	}
	for _, p := range report.Warnings {
		warnings = append(warnings, p.Path[min(len(begin), len(p.Path)):]+": "+p.Message)
	}
	return problems, warnings
}

func TestS17ReadsAskForWhatGitHubHas(t *testing.T) {
	query := func(text string, fields ...any) object {
		return reading("non_empty", object{"query": text}, fields...)
	}
	path := func(text string, fields ...any) object { return reading("non_empty", object{"path": text}, fields...) }
	const number = "query($n: Int!, $owner: String!) { repository(owner: $owner, name: \"x\") { issue(number: $n) { id } } }"
	const page = "query($owner: String!, $name: String!, $first: Int!) { repository(owner: $owner, name: $name) { issues(first: $first) { nodes { id } } } }"
	tests := []struct {
		name string
		c    object
		want []string
	}{
		{"a query", query(issueQuery), nil},
		{"a field that GitHub does not have", query("{ viewer { logn } }"),
			[]string{`read.query: would be refused by GitHub: 1:12: Cannot query field "logn" on type "User". Did you mean "login"?`}},
		{"no GraphQL", query("{ viewer { login }"), []string{`read.query: would be refused by GitHub: 1:19: Expected Name, found <EOF>`}},
		{"a mutation", query("mutation { addStar(input: {starrableId: \"x\"}) { clientMutationId } }"),
			[]string{"read.query: would be refused by GitHub: 1:1: This is a mutation, and only queries read."}},
		{"too long a page", query("{ viewer { repositories(first: 101) { nodes { name } } } }"),
			[]string{`read.query: would be refused by GitHub: 1:25: "first" of the connection "repositories" is not from 1 to 100.`}},
		{"too many nodes", query("{ viewer { repositories(first: 100) { nodes { issues(first: 100) { nodes { comments(first: 100) { nodes { id } } } } } } } }"),
			[]string{"read.query: would be refused by GitHub: 1:1: By its pages this may ask for 1010100 nodes, and GitHub allows 500000."}},
		{"too long a page in a variable", reading("non_empty", object{"query": page, "variables": object{"first": 200}}),
			[]string{"read.query: gets a value for $first that GitHub would refuse: 200, and a page has at most 100"}},
		{"a variable that is not given", query(number), []string{"read.query: declares $n, which is neither among variables nor an input of the scenario"}},
		{"a variable of another type", reading("non_empty", object{"query": number, "variables": object{"n": "seven"}}),
			[]string{"read.query: gets a value for $n that GitHub would refuse: a string, where GitHub has an integer"}},
		{"a variable that is known later", reading("non_empty", object{"query": number, "variables": object{"n": "{{resources.pr.number}}"}}), nil},
		{"a variable that is not declared", reading("non_empty", object{"query": issueQuery, "variables": object{"prNumbr": 1}}),
			[]string{`read.variables: has "prNumbr", which the query does not declare: did you mean "prNumber"?`}},
		{"a resource that is not required", reading("non_empty", object{"query": issueQuery, "variables": object{"prNumber": "{{resources.issue.number}}"}}),
			[]string{`read.variables.prNumber: needs the resource "issue": add it to fixture.requires`}},

		{"a path", path(pullPath + "/files?per_page=100&page=2"), nil},
		{"a path that GitHub does not have", path("/repos/{{input.owner}}/{{input.name}}/pull/{{input.prNumber}}"),
			[]string{`read.path: is no path that GitHub's REST API answers: did you mean "/repos/{{input.owner}}/{{input.name}}/pulls/{{input.prNumber}}"?`}},
		{"a path to which nothing is near", path("/nothing/of/the/kind/at/all"), []string{"read.path: is no path that GitHub's REST API answers"}},
		{"a parameter that it does not take", path(pullPath + "/files?per_pge=100"),
			[]string{`read.path: has the parameter "per_pge", which GET /repos/{owner}/{repo}/pulls/{pull_number}/files does not take: did you mean "per_page"?`}},
		{"a parameter without a value that it can have", path("/repos/{{input.owner}}/{{input.name}}/pulls?state=opened"),
			[]string{`read.path: has state=opened: it is "opened", which is none of open, closed, all: did you mean "open"?`}},
		{"a parameter that is known later", path("/repos/{{input.owner}}/{{input.name}}/pulls?state={{input.name}}"), nil},
		{"too long a page of a list", path(pullPath + "/files?per_page=101"), []string{"read.path: has per_page=101: a page has at most 100"}},
		{"pages of what has none", reading("non_empty", object{"path": pullPath, "pages": 2}),
			[]string{"read.pages: GET /repos/{owner}/{repo}/pulls/{pull_number} has no pages: leave it out"}},
		{"an input that there is not", path("/repos/{{input.ownr}}/{{input.name}}/pulls"),
			[]string{"read.path: refers to input.ownr, which the scenario neither gives nor binds"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problems, warnings := wrongIn(t, tt.c)
			assert.Equal(t, tt.want, problems)
			assert.Empty(t, warnings)
		})
	}
}

func TestS17ExpressionsAskForWhatIsRead(t *testing.T) {
	query := func(jq string) object { return reading("non_empty", object{"query": issueQuery, "jq": jq}) }
	tests := []struct {
		name, jq          string
		problems, warning string
	}{
		{"a value of an input", `"\(.repository.issue.title) \($input.prNumber + 1) \($next)"`, "", ""},
		{"a field that is not read", ".repository.issue.mileStoneNumbr",
			`read.jq: asks for "mileStoneNumbr", which repository.issue does not have: did you mean "milestone"?`, ""},
		{"what a text says", ".repository.issue.title | tonumber", "", "read.jq: fails on an example"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problems, warnings := wrongIn(t, query(tt.jq))
			for want, got := range map[*string][]string{&tt.problems: problems, &tt.warning: warnings} {
				if *want == "" {
					assert.Empty(t, got)
				} else if assert.Len(t, got, 1) {
					assert.Contains(t, got[0], *want)
				}
			}
		})
	}
}

func TestS17JQOfAReadThatShipsHasTheInputOfThat(t *testing.T) {
	reads := func(jq string) object {
		return reading("non_empty", object{"task": "repo.view", "input": object{}, "jq": jq})
	}
	problems, _ := wrongIn(t, reads("select($input.name != null)"))
	assert.Empty(t, problems)
	problems, _ = wrongIn(t, reading("non_empty", object{"task": "issue.view", "input": object{"issueNumber": 3}, "jq": "select($input.issueNumber != null)"}))
	assert.Empty(t, problems)
	problems, _ = wrongIn(t, reads("select($input.prNumber != null)"))
	require.Len(t, problems, 1, "prNumber is bound, but repo.view does not take it")
	assert.Contains(t, problems[0], `asks for "prNumber", which $input does not have: it has name, owner`)
}

func TestS17TheShortFormIsCheckedToo(t *testing.T) {
	problems, _ := wrongIn(t, look("field_equals", "path", "locked", "expected_value", "no"))
	assert.Equal(t, []string{"expected_value: can never be there: it is a string, where GitHub has a boolean"}, problems)
	problems, _ = wrongIn(t, look("contains", "verification_task", "pr.threads.list", "expected_value", object{"isResolvd": true}))
	assert.Equal(t, []string{`expected_value.isResolvd: leads nowhere: the answer has no field "isResolvd": did you mean "isResolved"?`}, problems)
}

func TestS17SomethingMakesWhatIsRequired(t *testing.T) {
	folder := minimal()
	change(t, folder, flowFile, "fixture/bindings/input.text", "resources.pr.txt")
	change(t, folder, flowFile, "fixture/requires", []any{"pr", "pr_mergable"})
	made := world.Made{"pr": {"number", "text"}, "issue": {"number"}, "pr_mergeable": {"number"}}
	var said []string
	for _, p := range scenario.Check(files(t, folder), made).Problems {
		said = append(said, p.String())
	}
	assert.Equal(t, []string{
		`flow-wf-001.json:25:21: fixture.bindings["input.text"]: pr has no "txt": did you mean "text"?`,
		`flow-wf-001.json:29:7: fixture.requires[1]: nothing in the fixtures makes "pr_mergable": did you mean "pr_mergeable"?`,
	}, said)
}

func TestS17TheTruthAsksForWhatIsRead(t *testing.T) {
	folder := minimal()
	said := func(fields object) []string {
		change(t, folder, readFile, "assertions/expected_data", object{"read": object{"task": "issue.view", "input": object{"owner": "o", "name": "n"}}, "fields": fields})
		var said []string
		report := scenario.Check(files(t, folder), world.Made{"issue": {"number"}, "pr": {"number", "title", "thread_count", "database_id", "number_of"}})
		for _, p := range append(report.Problems, report.Warnings...) {
			said = append(said, strings.TrimPrefix(p.Path, "assertions.expected_data.fields.")+": "+p.Message)
		}
		return said
	}
	assert.Empty(t, said(object{
		"a": ".title", "b": "$input.issueNumber + 1", "c": "$resources.issue.number | tostring", "d": `"\($repo.owner) \($agent)"`, "e": "null", "f": "{\"$one_of\": [.state, \"open\"]}",
		"g": ".body + $repo.name + $repo.full_name + $repo.default_branch | ascii_downcase", "h": "$resources.pr.title | ascii_downcase", "i": "$resources.issue.number + 1",
		"j": "$resources.pr.thread_count - $resources.pr.database_id", "k": "$resources.pr.number_of | ascii_downcase",
	}))
	assert.Equal(t, []string{
		`a: asks for "titel", which the answer does not have: did you mean "title"?`,
		`b: unexpected EOF in ".title |"`,
		`c: fails on an example of what GitHub answers: jq "7 | .name": expected an object but got: number (7)`,
		`d: variable not defined: $who in "$who"`,
	}, said(object{"a": ".titel", "b": ".title |", "c": "7 | .name", "d": "$who"}))
}
