package checkpoint_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
)

// nulls returns the places of an example where there is nothing.
func nulls(value any, at string) []string {
	var places []string
	switch value := value.(type) {
	case nil:
		return []string{at}
	case []any:
		if len(value) == 0 {
			return []string{at + "[]"}
		}
		places = append(places, nulls(value[0], at+".0")...)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			places = append(places, nulls(value[name], at+"."+name)...)
		}
	}
	return places
}

func TestS17TheReadsThatShipAskForWhatGitHubHas(t *testing.T) {
	require.Contains(t, checkpoint.Tasks(), "pr.view")
	for _, task := range checkpoint.Tasks() {
		wrong, example := checkpoint.CheckForm(task)
		assert.Empty(t, wrong, task)
		assert.NotNil(t, example, task)
		assert.Empty(t, nulls(example, ""), "%s: %v", task, fmt.Sprint(example))
	}
}

func TestAFormThatCannotBeReadIsNamed(t *testing.T) {
	const path = "{path: /user, "
	for text, want := range map[string]string{
		"a: " + path + "jq: .login}":                            "",
		"a: [":                                                  "forms/x.yaml: ",
		"a: {pth: /user}":                                       `forms/x.yaml: [1:5] unknown field "pth"`,
		"a: " + path + "jq: .login |}":                          "forms/x.yaml: a: unexpected ",
		"a: " + path + "jq: ., input: $given}":                  "forms/x.yaml: a: variable not defined: $given",
		"a: " + path + "input: ., jq: $given}":                  "forms/x.yaml: a: variable not defined: $given",
		"a: {reads: [{path: /user, as: b, input: $c}], jq: b}":  "forms/x.yaml: a: function not defined: b/0",
		"a: {reads: [{path: /user, as: b, input: $c}], jq: .b}": "forms/x.yaml: a: variable not defined: $c",
	} {
		err := checkpoint.ReadForms(fstest.MapFS{"forms/defs.jq": {}, "forms/x.yaml": {Data: []byte(text)}})
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.ErrorContains(t, err, want, text)
		}
	}
	require.ErrorContains(t, checkpoint.ReadForms(fstest.MapFS{}), "forms/defs.jq")
	require.ErrorContains(t, checkpoint.ReadForms(fstest.MapFS{"forms/defs.jq": {}, "forms/x.yaml/y": {}}), "forms/x.yaml")
}

const (
	issueQuery = "query($owner: String!, $name: String!, $prNumber: Int!) { repository(owner: $owner, name: $name) { issue(number: $prNumber) { " +
		"title state locked milestone { number } createdAt labels(first: 10) { nodes { name } } } } }"
	viewerQuery = "{ viewer { login } }"
	pullPath    = "/repos/{{input.owner}}/{{input.name}}/pulls/{{input.prNumber}}"
	pullsPath   = "/repos/{{input.owner}}/{{input.name}}/pulls"
	logPath     = "/repos/{{input.owner}}/{{input.name}}/actions/jobs/1/logs"
	at          = "repository.issue."
)

func inputs() checkpoint.Inputs {
	return checkpoint.Inputs{Given: map[string]any{"owner": "o", "name": "n"}, Bound: map[string]any{"prNumber": 7}}
}

// said are doubts as "place: message", with a question mark for those that are
// not certain.
func said(doubts []checkpoint.Doubt) []string {
	var lines []string
	for _, d := range doubts {
		mark := ""
		if !d.Certain {
			mark = "?"
		}
		lines = append(lines, strings.Join(d.At, ".")+mark+": "+d.Message)
	}
	return lines
}

func TestS17AReadAsksForWhatGitHubHas(t *testing.T) {
	type given = map[string]any
	query := func(text string, variables given) bench.Read { return bench.Read{Query: text, Variables: variables} }
	path := func(text string) bench.Read { return bench.Read{Path: text} }
	const number = "query($n: Int!, $owner: String!) { repository(owner: $owner, name: \"x\") { issue(number: $n) { id } } }"
	const page = "query($owner: String!, $name: String!, $first: Int!, $last: Int) { repository(owner: $owner, name: $name) { " +
		"issues(first: $first) { nodes { id } } pullRequests(last: $last) { nodes { id } } labels(first: 3) { nodes { id } } } }"
	tests := []struct {
		name string
		read bench.Read
		want []string
	}{
		{"a query", query(issueQuery, nil), nil},
		{"a query that takes no input", query(viewerQuery, nil), nil},
		{"a field that GitHub does not have, and nothing else", query("{ viewer { logn } }", given{"other": 1}),
			[]string{`query: would be refused by GitHub: 1:12: Cannot query field "logn" on type "User". Did you mean "login"?`}},
		{"too long a page in a variable", query(page, given{"first": 101}),
			[]string{"query: gets a value for $first that GitHub would refuse: 101, and a page has at most 100"}},
		{"too long a page from the end", query(page, given{"first": 100, "last": 200}),
			[]string{"query: gets a value for $last that GitHub would refuse: 200, and a page has at most 100"}},
		{"another large number", query(number, given{"n": 101}), nil},
		{"a variable that is not given", query(number, nil), []string{"query: declares $n, which is neither among variables nor an input of the scenario"}},
		{"an optional variable that is not given", query(page, given{"first": 1}), nil},
		{"a variable of another type", query(number, given{"n": "seven"}),
			[]string{"query: gets a value for $n that GitHub would refuse: a string, where GitHub has an integer"}},
		{"an input of another type", query("query($owner: Int!) { repository(owner: \"o\", name: \"n\") { issue(number: $owner) { id } } }", nil),
			[]string{"query: gets a value for $owner that GitHub would refuse: a string, where GitHub has an integer"}},
		{"an input of another type beside variables", query("query($owner: Int!, $a: Int!, $b: Int!) { repository(owner: \"o\", name: \"n\") { "+
			"x: issue(number: $owner) { id } y: issue(number: $a) { id } z: issue(number: $b) { id } } }", given{"a": 1, "b": "x"}), []string{
			"query: gets a value for $b that GitHub would refuse: a string, where GitHub has an integer",
			"query: gets a value for $owner that GitHub would refuse: a string, where GitHub has an integer",
		}},
		{"a variable that is known later", query(number, given{"n": "{{resources.pr.number}}"}), nil},
		{"a list that is known later", query("query($a: [Int!]) { viewer { login } ... @include(if: false) { __typename } }", given{"a": []any{"{{input.n}}"}}),
			[]string{"query: would be refused by GitHub: 1:7: Variable \"$a\" is never used."}},
		{"variables that are not declared", query(issueQuery, given{"prNumbr": 1}),
			[]string{`variables: has "prNumbr", which the query does not declare: did you mean "prNumber"?`}},
		{"a path", path(pullPath + "/files?per_page=100&page=101"), nil},
		{"a path that GitHub does not have", path("/repos/{{input.owner}}/{{input.name}}/pull/{{input.prNumber}}"),
			[]string{`path: is no path that GitHub's REST API answers: did you mean "/repos/{{input.owner}}/{{input.name}}/pulls/{{input.prNumber}}"?`}},
		{"a path that only writes have", path("/repos/{{input.owner}}/{{input.name}}/merges"),
			[]string{`path: is no path that GitHub's REST API answers: did you mean "/repos/{{input.owner}}/{{input.name}}/pages"?`}},
		{"a path to which nothing is near", path("/nothing/of/the/kind/at/all"), []string{"path: is no path that GitHub's REST API answers"}},
		{"a parameter that it does not take", path(pullPath + "/files?per_pge=100"),
			[]string{`path: has the parameter "per_pge", which GET /repos/{owner}/{repo}/pulls/{pull_number}/files does not take: did you mean "per_page"?`}},
		{"a variable of the path as a parameter", path(pullPath + "/files?repo=x"),
			[]string{`path: has the parameter "repo", which GET /repos/{owner}/{repo}/pulls/{pull_number}/files does not take`}},
		{"empty parameters", path(pullsPath + "?&state=open&"), nil},
		{"a value that it does not have", path(pullsPath + "?state=opened&sort=created"),
			[]string{`path: has state=opened: it is "opened", which is none of open, closed, all: did you mean "open"?`}},
		{"a value that is escaped", path(pullsPath + "?state=o%70en"), nil},
		{"a value with a wrong escape", path(pullsPath + "?state=%zz"), []string{`path: has state=%zz: invalid URL escape "%zz"`}},
		{"a value that is known later", path(pullsPath + "?state={{input.name}}"), nil},
		{"too long a page of a list", path(pullPath + "/files?per_page=101"), []string{"path: has per_page=101: a page has at most 100"}},
		{"a page longer than any number", path(pullPath + "/files?per_page=99999999999999999999"),
			[]string{"path: has per_page=99999999999999999999: a page has at most 100"}},
		{"one page of what has none", bench.Read{Path: pullPath, Pages: 1}, nil},
		{"pages of what has none", bench.Read{Path: pullPath, Pages: 2},
			[]string{"pages: GET /repos/{owner}/{repo}/pulls/{pull_number} has no pages: leave it out"}},
		{"pages of a list", bench.Read{Path: pullsPath, Pages: 2}, nil},
		{"a read that ships", bench.Read{Task: "pr.view"}, nil},
		{"a read that does not", bench.Read{Task: "pr.vew", JQ: ".x"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			foreseen, doubts := checkpoint.Foresee(tt.read, inputs())
			assert.Equal(t, tt.want, said(doubts))
			if tt.want != nil {
				assert.Empty(t, said(foreseen.Doubts(bench.Checkpoint{Condition: bench.ConditionNonEmpty, Path: "nowhere"})), "nothing more is said")
			}
		})
	}
	_, doubts := checkpoint.Foresee(query(viewerQuery, given{"a": 1}), checkpoint.Inputs{})
	assert.Equal(t, []string{`variables: has "a", which the query does not declare`}, said(doubts))
	_, doubts = checkpoint.Foresee(query(number, given{"n": 1, "owner": "o"}), checkpoint.Inputs{})
	assert.Empty(t, doubts, "without an input of the scenario")
}

func TestS17AnExpressionAsksForWhatIsRead(t *testing.T) {
	twelve := `{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "i": 1, "j": 1, "k": 1, "l": 1`
	tests := []struct {
		name, jq string
		want     string
	}{
		{"a value", ".repository.issue.locked", ""},
		{"values of inputs", `"\(.repository.issue.title) \($input.prNumber + 1) \($input.owner | ascii_downcase) \($next + 1)"`, ""},
		{"a field that is not read", ".repository.issue.mileStoneNumbr",
			`jq: asks for "mileStoneNumbr", which repository.issue does not have: did you mean "milestone"?`},
		{"a field that nothing is like, twice", ".repository.issue | .xyz, .xyz",
			`jq: asks for "xyz", which repository.issue does not have: it has createdAt, labels, locked, milestone, state, title`},
		{"two fields", "[.repository.issue.titel, .repository.issue.stat]",
			`jq: asks for "titel", which repository.issue does not have: did you mean "title"?` + "\n" +
				`jq: asks for "stat", which repository.issue does not have: did you mean "state"?`},
		{"one within a selection that no example meets", `[.repository.issue.labels.nodes[] | select(.name == "bug") | .colour]`,
			`jq: asks for "colour", which repository.issue.labels.nodes does not have: it has name`},
		{"one of the answer as a whole", ".repo.issue", `jq: asks for "repo", which the answer does not have: it has repository`},
		{"an input that there is not", ".repository.issue | select(.title == $input.prNumbr)",
			`jq: asks for "prNumbr", which $input does not have: did you mean "prNumber"?`},
		{"an object of its own", "{a: 1} | .b // 2", ""},
		{"how many fields there are", "if (.repository.issue | length) == 6 then 1 else error end", ""},
		{"how many inputs there are", "if ($input | length) == 3 then 1 else error end", ""},
		{"no jq", ".repository |", `jq: unexpected EOF in ".repository |"`},
		{"a variable that there is not", "$resources", `jq: variable not defined: $resources in "$resources"`},
		{"a type that it does not have", ".repository.issue.title.text",
			`jq: fails on an example of what GitHub answers: jq ".repository.issue.title.text": expected an object but got: string ("sample 15")`},
		{"what a text says", ".repository.issue.title | tonumber",
			`jq?: fails on an example of what GitHub answers: jq ".repository.issue.title | tonumber": tonumber cannot be applied to "sample 15": invalid number`},
		{"an element that an example does not have", ".repository.issue.labels.nodes[7].name", "jq?: gives null on an example of what GitHub answers"},
		{"nothing", "empty", "jq?: gives null on an example of what GitHub answers"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			foreseen, doubts := checkpoint.Foresee(bench.Read{Query: issueQuery, JQ: tt.jq}, inputs())
			assert.Equal(t, tt.want, strings.Join(said(doubts), "\n"))
			if tt.want != "" {
				assert.Empty(t, said(foreseen.Doubts(bench.Checkpoint{Condition: bench.ConditionNonEmpty, Path: "nowhere"})), "nothing more is said")
			}
		})
	}
	t.Run("an object with as many fields as are told", func(t *testing.T) {
		wrong := func(jq string) string {
			foreseen, doubts := checkpoint.Foresee(bench.Read{Query: viewerQuery, JQ: jq}, checkpoint.Inputs{})
			require.Empty(t, doubts)
			return strings.Join(said(foreseen.Doubts(bench.Checkpoint{Condition: bench.ConditionNonEmpty, Path: "nowhere"})), "\n")
		}
		assert.Equal(t, `path: leads nowhere: the answer has no field "nowhere": it has a, b, c, d, e, f, g, h, i, j, k, l`, wrong(twelve+"}"))
		assert.Equal(t, `path: leads nowhere: the answer has no field "nowhere"`, wrong(twelve+`, "m": 1}`))
	})
	t.Run("of what jq made", func(t *testing.T) {
		foreseen, _ := checkpoint.Foresee(bench.Read{Query: issueQuery, JQ: ".repository.issue | {a: .title, b: {(.title): 1}}"}, inputs())
		_, doubts := foreseen.Try(".c", nil, nil)
		assert.Equal(t, []string{`jq: asks for "c", which the answer does not have: did you mean "a"?`}, said(doubts))
		_, doubts = foreseen.Try(".b.c", nil, nil)
		assert.Empty(t, doubts, "a field may be called as any title")
	})
	t.Run("of what nothing is known", func(t *testing.T) {
		unknown := &checkpoint.Foreseen{}
		made, doubts := unknown.Try(".a.b | tonumber", nil, nil)
		assert.Empty(t, doubts)
		assert.Empty(t, made.Doubts(bench.Checkpoint{Condition: bench.ConditionNonEmpty, Path: "nowhere"}))
		_, doubts = unknown.Try(".a |", nil, nil)
		assert.Equal(t, []string{`jq: unexpected EOF in ".a |"`}, said(doubts))
	})
}
