package githubschema_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

func TestCheckQueryFindsProblems(t *testing.T) {
	many := strings.Repeat(" name", 20_001)
	for _, c := range []struct{ name, query, want string }{
		{"a field that GitHub does not have", `{ repository(owner: "a", name: "b") { issue(number: 1) { mileStone { title } } } }`,
			`1:58: Cannot query field "mileStone" on type "Issue". Did you mean "milestone"?`},
		{"a type that GitHub does not have", `{ node(id: "a") { ... on Isue { id } } }`, `1:23: Unknown type "Isue".`},
		{"an argument that is missing", `{ repository(owner: "a") { id } }`, `1:3: Field "repository" argument "name" of type "String!" is required, but it was not provided.`},
		{"a value of another type", `{ repository(owner: "a", name: "b") { issue(number: "1") { id } } }`, `1:54: Int cannot represent non-integer value: "1"`},
		{"the place in a text of several lines", "{\n  viewer {\n    logn\n  }\n}", `3:5: Cannot query field "logn" on type "User". Did you mean "login"?`},
		{"syntax", `{ viewer { login }`, `1:19: Expected Name, found <EOF>`},
		{"nothing", ``, `The document has 0 operations, want one.`},
		{"two operations", `query a { viewer { login } } query b { viewer { login } }`, `The document has 2 operations, want one.`},
		{"a mutation", `mutation { addStar(input: {starrableId: "a"}) { clientMutationId } }`, `1:1: This is a mutation, and only queries read.`},
		{"a subscription", `subscription { viewer { login } }`, `1:1: This is a subscription, and only queries read.`},
		{"a connection without a size", `{ viewer { repositories { nodes { name } } } }`, `1:12: The connection "repositories" needs "first" or "last", from 1 to 100.`},
		{"a connection without a size, in a fragment", `{ viewer { repositories { ...f } } } fragment f on RepositoryConnection { ... on RepositoryConnection { edges { cursor } } }`,
			`1:12: The connection "repositories" needs "first" or "last", from 1 to 100.`},
		{"a page that is too large", `{ viewer { repositories(first: 101) { nodes { name } } } }`, `1:25: "first" of the connection "repositories" is not from 1 to 100.`},
		{"an empty page", `{ viewer { repositories(last: 0) { nodes { name } } } }`, `1:25: "last" of the connection "repositories" is not from 1 to 100.`},
		{"a page whose size is a default", `query($n: Int = 200) { viewer { repositories(first: $n) { nodes { name } } } }`, `1:46: "first" of the connection "repositories" is not from 1 to 100.`},
		{"a page of no number", `{ viewer { repositories(first: 99999999999999999999) { nodes { name } } } }`, `1:32: Int cannot represent non 32-bit signed integer value: 99999999999999999999`},
		{"a page whose size is null by default", `query($n: Int = null) { viewer { repositories(first: $n) { nodes { name } } } }`, `1:47: "first" of the connection "repositories" is not from 1 to 100.`},
		{"a size that is null", `{ viewer { repositories(first: null) { nodes { name } } } }`, `1:12: The connection "repositories" needs "first" or "last", from 1 to 100.`},
		{"two sizes", `{ viewer { repositories(first: 1, last: 1) { nodes { name } } } }`, `1:35: The connection "repositories" has both "first" and "last", want one.`},
		{"one node too many", `{ viewer { a: repositories(first: 50) { nodes { issues(first: 99) { nodes { labels(first: 100) { nodes { name } } } } } } followers(first: 1) { nodes { id } } } }`,
			`1:1: By its pages this may ask for 500001 nodes, and GitHub allows 500000.`},
		{"too many nodes", `{ viewer { repositories(first: 100) { nodes { issues(first: 100) { nodes { labels(first: 50) { nodes { name } } } } } } } }`,
			`1:1: By its pages this may ask for 510100 nodes, and GitHub allows 500000.`},
		{"too many nodes by variables", `query($n: Int) { viewer { repositories(first: $n) { nodes { issues(first: $n) { nodes { labels(first: $n) { nodes { name } } } } } } } }`,
			`1:1: By its pages this may ask for 1010100 nodes, and GitHub allows 500000.`},
		{"too many fields", `{ viewer {` + many + ` } }`, `1:1: This selects more than 20000 fields, counting those of fragments wherever they are used.`},
		{"too many tokens", `{ viewer {` + strings.Repeat(" a", 60_000) + ` } }`, `exceeded token limit of 50000`},
		{"too long a text", strings.Repeat(" ", 1<<19), `The query has 524288 bytes, and 262144 are read at most.`},
		{"a variable that is not declared", `{ node(id: $id) { id } }`, `1:12: Variable "$id" is not defined.`},
		{"a fragment in itself", `{ viewer { ...f } } fragment f on User { ...f }`, `1:45: Cannot spread fragment "f" within itself.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := githubschema.CheckQuery(c.query, githubschema.Reads)
			require.Len(t, got.Problems, 1)
			assert.Equal(t, c.want, got.Problems[0].String())
			assert.Nil(t, got.Data)
		})
	}
}

// A document in which fragments use each other many times over ends soon.
func TestCheckQueryOfABomb(t *testing.T) {
	var text strings.Builder
	text.WriteString("{ viewer { ...f0 } }")
	for n := range 30 {
		fmt.Fprintf(&text, " fragment f%d on User { ...f%d ...f%d }", n, n+1, n+1)
	}
	text.WriteString(" fragment f30 on User { login }")
	got := githubschema.CheckQuery(text.String(), githubschema.Reads)
	require.Len(t, got.Problems, 1)
	assert.Contains(t, got.Problems[0].Message, "more than 20000 fields")
}

// The rules are checked one after the other; what they find is told in the order
// of the text.
func TestCheckQueryListsProblemsInOrder(t *testing.T) {
	got := githubschema.CheckQuery("query($x: Int) { viewer { a }\n b }", githubschema.Reads)
	var places [][2]int
	for _, p := range got.Problems {
		places = append(places, [2]int{p.Line, p.Column})
	}
	assert.Equal(t, [][2]int{{1, 7}, {1, 27}, {2, 2}}, places)
}

func TestCheckQueryOfAWrite(t *testing.T) {
	got := githubschema.CheckQuery(`subscription { viewer { login } }`, githubschema.Writes)
	require.Len(t, got.Problems, 1, "GitHub has no subscriptions")
	got = githubschema.CheckQuery(`mutation { addStar(input: {starrableId: "a"}) { starrable { viewerHasStarred } } }`, githubschema.Writes)
	require.Empty(t, got.Problems)
	assert.True(t, got.Mutation)
	at, err := got.Data.At("addStar.starrable.viewerHasStarred")
	require.NoError(t, err)
	assert.Equal(t, githubschema.Boolean, at.Kind)
	assert.False(t, githubschema.CheckQuery(`{ viewer { login } }`, githubschema.Writes).Mutation)
}

// A key is always there if it is selected once without a condition.
func TestCheckQueryTellsWhatIsAlwaysThere(t *testing.T) {
	got := githubschema.CheckQuery(`query($b: Boolean!) { viewer {
		a: login @skip(if: $b) a: login
		... @include(if: $b) { b: login }
		... { c: login ... on Actor { d: login } }
		...e @include(if: $b)
		...f
		... on Node { ...g }
		... @include(if: $b) { ...g2 ... { g3: login } }
		h: login h: login @skip(if: $b)
	} node(id: "a") { ...i } ... on Query { j: viewer { login } } }
	fragment i on User { i: login }
	fragment e on User { e: login } fragment f on User { f: login } fragment g on User { g: login } fragment g2 on User { g2: login }`, githubschema.Reads)
	require.Empty(t, got.Problems)
	viewer := got.Data.Field("viewer")
	require.NotNil(t, viewer)
	always := map[string]bool{}
	for _, shape := range []*githubschema.Shape{viewer, got.Data, got.Data.Field("node")} {
		for _, f := range shape.Fields {
			always[f.Name] = !f.Optional
		}
	}
	assert.Equal(t, map[string]bool{
		"viewer": true, "a": true, "b": false, "c": true, "d": true, "e": false, "f": true, "g": true, "g2": false, "g3": false, "h": true, "node": true, "i": false, "j": true,
	}, always)
	write := githubschema.CheckQuery(`mutation { ... on Mutation { addStar(input: {starrableId: "a"}) { clientMutationId } } }`, githubschema.Writes)
	require.Len(t, write.Data.Fields, 1)
	assert.False(t, write.Data.Fields[0].Optional)
}

// Values of scalars are of the form that GitHub gives them.
func TestSamplesOfScalars(t *testing.T) {
	got := githubschema.CheckQuery(`{
		viewer { id createdAt url databaseId isEmployee login }
		securityAdvisory(ghsaId: "a") { cvss { score } }
		repository(owner: "a", name: "b") { object(expression: "c") { oid ... on Commit { author { date } } } issue(number: 1) { fullDatabaseId } }
		user(login: "a") { contributionsCollection { contributionCalendar { weeks { firstDay } } } }
		organization(login: "a") { auditLog(first: 1) { nodes { ... on MembersCanDeleteReposClearAuditEntry { createdAt } } } }
	}`, githubschema.Reads)
	require.Empty(t, got.Problems)
	sample := githubschema.Sample(got.Data)
	require.NoError(t, got.Data.Admits(sample))
	for path, want := range map[string]string{
		"viewer.id":                               `^sample \d+$`,
		"viewer.createdAt":                        `^2026-01-01T00:\d\d:00Z$`,
		"viewer.url":                              `^https://github.com/sample/\d+$`,
		"viewer.databaseId":                       `^\d+$`,
		"viewer.isEmployee":                       `^(true|false)$`,
		"viewer.login":                            `^sample \d+$`,
		"securityAdvisory.cvss.score":             `^\d+\.5$`,
		"repository.object.oid":                   `^0{38}[0-9a-f]{2}$`,
		"repository.object.author.date":           `^2026-01-01T00:\d\d:00Z$`,
		"repository.issue.fullDatabaseId":         `^\d+$`,
		"organization.auditLog.nodes.0.createdAt": `^2026-01-01T00:\d\d:00Z$`,
		"user.contributionsCollection.contributionCalendar.weeks.1.firstDay": `^2026-0\d-\d\d$`,
	} {
		shape, err := got.Data.At(path)
		require.NoError(t, err)
		value := walk(t, sample, path)
		assert.Regexp(t, want, fmt.Sprint(value), path)
		if shape.Kind == githubschema.String {
			assert.IsType(t, "", value, path)
		}
	}
	id, err := got.Data.At("viewer.id")
	require.NoError(t, err)
	assert.Equal(t, "id", id.Format)
}

// walk follows a dotted path.
func walk(t *testing.T, value any, path string) any {
	t.Helper()
	for step := range strings.SplitSeq(path, ".") {
		switch at := value.(type) {
		case map[string]any:
			value = at[step]
		case []any:
			n, err := strconv.Atoi(step)
			require.NoError(t, err)
			value = at[n]
		}
	}
	return value
}

func TestCheckQueryAllowsWhatGitHubAnswers(t *testing.T) {
	for name, query := range map[string]string{
		"one key of two types":             `{ repository(owner: "a", name: "b") { issueOrPullRequest(number: 1) { ... on Issue { state } ... on PullRequest { state } } } }`,
		"what the published schema lacks":  `{ repository(owner: "a", name: "b") { issueTypes(first: 1) { nodes { name } } issue(number: 1) { issueType { name } } } }`,
		"a connection of which only count": `{ viewer { repositories { totalCount } } }`,
		"as many nodes as can be":          `{ viewer { a: repositories(first: 50) { nodes { issues(first: 99) { nodes { labels(first: 100) { nodes { name } } } } } } } }`,
		"one of two sizes null":            `{ viewer { repositories(first: null, last: 1) { nodes { name } } } }`,
		"a count through fragments":        `{ viewer { repositories { ...f ... { totalCount } } } } fragment f on RepositoryConnection { totalCount }`,
		"introspection":                    `{ __type(name: "Issue") { fields { name } } __schema { queryType { name } } }`,
	} {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, githubschema.CheckQuery(query, githubschema.Reads).Problems)
		})
	}
}

func TestCheckQueryTellsTheShapeOfData(t *testing.T) {
	got := githubschema.CheckQuery(`query($withBody: Boolean!) {
		repository(owner: "a", name: "b") {
			... on Node { id }
			items: issueOrPullRequest(number: 1) {
				__typename
				... on Issue { number state assignees(first: 1) { nodes { login } } }
				... on PullRequest { number state merged }
			}
			issue(number: 1) { createdAt ...numbered body @include(if: $withBody) }
		}
	} fragment numbered on Issue { number author { login ... on User { email } } }`, githubschema.Reads)
	require.Empty(t, got.Problems)
	for _, c := range []struct {
		path               string
		kind               githubschema.Kind
		nullable, optional bool
	}{
		{"repository", githubschema.Object, true, false},
		{"repository.id", githubschema.String, false, false},
		{"repository.items", githubschema.Object, true, false},
		{"repository.items.__typename", githubschema.String, false, false},
		{"repository.items.number", githubschema.Integer, false, true},
		{"repository.items.merged", githubschema.Boolean, false, true},
		{"repository.items.assignees.nodes.0.login", githubschema.String, false, false},
		{"repository.items.assignees.nodes", githubschema.List, true, false},
		{"repository.issue.createdAt", githubschema.String, false, false},
		{"repository.issue.body", githubschema.String, false, true},
		{"repository.issue.author.email", githubschema.String, false, true},
		{"repository.issue.author.login", githubschema.String, false, false},
	} {
		t.Run(c.path, func(t *testing.T) {
			at, err := got.Data.At(c.path)
			require.NoError(t, err)
			assert.Equal(t, c.kind, at.Kind)
			assert.Equal(t, c.nullable, at.Nullable)
			above, name := "", c.path
			if dot := strings.LastIndex(c.path, "."); dot >= 0 {
				above, name = c.path[:dot], c.path[dot+1:]
			}
			parent, err := got.Data.At(above)
			require.NoError(t, err)
			for _, f := range parent.Fields {
				if f.Name == name {
					assert.Equal(t, c.optional, f.Optional)
				}
			}
		})
	}
	names, err := got.Data.At("repository.items.__typename")
	require.NoError(t, err)
	assert.Equal(t, []string{"Issue", "PullRequest"}, names.Enum)
	state, err := got.Data.At("repository.items.state")
	require.NoError(t, err)
	assert.Equal(t, []string{"CLOSED", "OPEN", "MERGED"}, state.Enum, "states of both types")
	_, err = got.Data.At("repository.issue.numbr")
	assert.EqualError(t, err, `"repository.issue" has no field "numbr": did you mean "number"?`)
	assert.NoError(t, got.Data.Admits(githubschema.Sample(got.Data)))
}

func TestCheckQueryTellsVariables(t *testing.T) {
	got := githubschema.CheckQuery(`mutation($input: AddCommentInput!, $n: Int! = 3, $id: ID) {
		addComment(input: $input) { subject { id } }
		addStar(input: {starrableId: "a"}) { starrable { stargazers(first: $n) { totalCount } } }
		removeStar(input: {starrableId: "a", clientMutationId: $id}) { clientMutationId }
	}`, githubschema.Writes)
	require.Len(t, got.Problems, 1, "an ID is no String")
	got = githubschema.CheckQuery(`mutation($input: AddCommentInput!, $n: Int! = 3, $state: String) {
		addComment(input: $input) { subject { id } clientMutationId }
		addStar(input: {starrableId: "a", clientMutationId: $state}) { starrable { stargazers(first: $n) { totalCount } } }
	}`, githubschema.Writes)
	require.Empty(t, got.Problems)
	assert.True(t, got.Mutation)
	require.Len(t, got.Variables, 3)
	input := got.Variables[0]
	assert.Equal(t, "input", input.Name)
	assert.False(t, input.Optional)
	assert.NoError(t, input.Shape.Admits(map[string]any{"subjectId": "a", "body": "b"}))
	assert.ErrorContains(t, input.Shape.Admits(map[string]any{"subject": "a"}), `did you mean "subjectId"?`)
	optional := map[string]bool{}
	for _, f := range input.Shape.Fields {
		optional[f.Name] = f.Optional
	}
	assert.Equal(t, map[string]bool{"body": false, "clientMutationId": true, "subjectId": false}, optional)
	assert.True(t, got.Variables[1].Optional, "it has a default")
	assert.Equal(t, githubschema.Integer, got.Variables[1].Shape.Kind)
	assert.True(t, got.Variables[2].Optional)
	assert.True(t, got.Variables[2].Shape.Nullable)
}
