package live_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
)

func TestWhatIsNotTheRepositorysIsNotFound(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{})
	logged := len(r.world.Audit())
	for _, request := range []string{
		"GET /repos/owner/secret", "GET /repos/owner/secret/issues/1", "PATCH /repos/owner/secret/issues/1", "GET /repos/OWNER/Secret/contents/",
		fmt.Sprintf("GET /repositories/%d/issues", r.otherID), "GET /repositories/0",
		"GET /repos/owner/hello/../secret", "GET /repos/owner/hello/%2e%2e/secret/issues", "GET /repos/owner/hello/contents/%2e%2e%2f..%2Fsecret",
		"GET /repos/owner/hello%2f..%2fsecret", "GET /repos//owner/secret", "GET //repos/owner/secret",
		"GET /user/repos", "GET /user/emails", "PATCH /user", "GET /user/keys", "POST /user/repos", "PUT /user/starred/owner/hello", "DELETE /user/starred/owner/hello",
		"GET /users/owner/repos", "GET /users/stranger/projectsV2", "GET /orgs/other/projectsV2/1", "GET /orgs/other",
		"GET /issues", "GET /notifications", "GET /gists", "POST /gists", "GET /installation/repositories", "DELETE /installation/token",
		"POST /markdown", "GET /applications/x/token", "GET /events", "GET /graphql",
	} {
		method, path, _ := strings.Cut(request, " ")
		got := p.ask(method, api+path, "")
		assert.Equal(t, http.StatusNotFound, got.status, request)
		assert.Contains(t, got.body, `"Not Found"`, request)
	}
	assert.Len(t, r.world.Audit(), logged, "GitHub has heard of none of it")
}

func TestTheRepositorysSettingsAreRefused(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{})
	logged := len(r.world.Audit())
	for _, request := range []string{
		"DELETE /repos/owner/hello", "PATCH /repos/owner/hello", "POST /repos/owner/hello/transfer", "POST /repos/owner/hello/forks",
		"PUT /repos/owner/hello/collaborators/stranger", "POST /repos/owner/hello/hooks", "POST /repos/owner/hello/keys",
		"PUT /repos/owner/hello/actions/secrets/X", "POST /repos/owner/hello/actions/runners/registration-token", "PUT /repos/owner/hello/actions/permissions",
		"DELETE /repos/owner/hello/branches/main/protection",
	} {
		method, path, _ := strings.Cut(request, " ")
		assert.Equal(t, http.StatusForbidden, p.ask(method, api+path, "{}").status, request)
	}
	assert.Len(t, r.world.Audit(), logged)
}

func TestWhatIsTheRepositorysIsAnswered(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{})
	for _, request := range []string{
		"GET /", "GET /rate_limit", "GET /user", "GET /users/owner", "GET /repos/Owner/HELLO", "GET /repos/owner/hello/contents/README.md",
		"GET /repos/owner/hello/git/ref/heads%2Fmain", "GET /repos/owner/hello/branches/main", "GET /search/issues?q=repo%3Aowner%2Fhello+issue",
		"GET /repos/owner/hello/collaborators",
	} {
		method, path, _ := strings.Cut(request, " ")
		got := p.ask(method, api+path, "")
		assert.Less(t, got.status, http.StatusBadRequest, "%s: %s", request, got.body)
	}
}

func TestSearchesStayInTheRepository(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{})
	for _, q := range []string{"", "secret", "repo:owner/secret", "repo:owner/hello repo:owner/secret", "user:owner", "repo:owner/hello org:x", "repo:owner/hello OR secret"} {
		got := p.ask("GET", api+"/search/issues?q="+strings.NewReplacer(" ", "+", "/", "%2F").Replace(q), "")
		assert.Equal(t, http.StatusUnprocessableEntity, got.status, q)
	}
	got := p.graphQL(`{ search(query: "secret", type: ISSUE, first: 1) { issueCount } }`, "")
	assert.Contains(t, got.body, "FORBIDDEN")
	got = p.graphQL(`query($q: String!) { search(query: $q, type: ISSUE, first: 1) { issueCount } }`, `{"q":"repo:owner/hello is:issue"}`)
	assert.JSONEq(t, `{"data":{"search":{"issueCount":1}}}`, got.body)
}

func TestGraphQLStaysInTheRepository(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{})
	logged := len(r.world.Audit())
	cases := []struct{ name, document, variables string }{
		{"by name", `{ repository(owner: "owner", name: "secret") { id } }`, ""},
		{"by variables", `query($o: String!, $n: String!) { repository(owner: $o, name: $n) { id } }`, `{"o":"owner","n":"secret"}`},
		{"by a default", `query($n: String = "secret") { repository(owner: "owner", name: $n) { id } }`, ""},
		{"beside the right one", `{ a: repository(owner: "owner", name: "hello") { id } b: repository(owner: "owner", name: "secret") { id } }`, ""},
		{"in a fragment", `{ ...F } fragment F on Query { ...G } fragment G on Query { repository(owner: "owner", name: "secret") { id } }`, ""},
		{"by its owner", `{ user(login: "owner") { repository(name: "secret") { id } } }`, ""},
		{"by an owner in a fragment", `{ user(login: "stranger") { ...F } } fragment F on User { repository(name: "hello") { id } }`, ""},
		{"by the viewer", `{ viewer { repository(name: "secret") { id } } }`, ""},
		{"in a list", `{ viewer { repositories(first: 9) { nodes { name } } } }`, ""},
		{"in a list of an author's", `{ repository(owner: "owner", name: "hello") { issue(number: 1) { author { ... on User { repositories(first: 9) { nodes { name } } } } } } }`, ""},
		{"by id", `query($id: ID!) { node(id: $id) { id } }`, `{"id":"` + r.otherNode + `"}`},
		{"by an id in the document", `{ node(id: "` + r.otherNode + `") { id } }`, ""},
		{"by ids", `{ nodes(ids: ["` + r.issueNode + `", "` + r.otherNode + `"]) { id } }`, ""},
		{"in a mutation", `mutation { updateIssue(input: {id: "` + r.otherNode + `", title: "x"}) { issue { id } } }`, ""},
		{"in a mutation's variables", `mutation($in: UpdateIssueInput!) { updateIssue(input: $in) { issue { id } } }`, `{"in":{"id":"` + r.otherNode + `","title":"x"}}`},
		{"by the name of its branch", `mutation { createCommitOnBranch(input: {branch: {repositoryNameWithOwner: "owner/secret", branchName: "main"}}) { clientMutationId } }`, ""},
		{"by address", `{ resource(url: "https://github.com/owner/secret/issues/1") { url } }`, ""},
		{"by moving an issue there", `mutation { transferIssue(input: {issueId: "` + r.issueNode + `", repositoryId: "x"}) { clientMutationId } }`, ""},
		{"in the account", `mutation { changeUserStatus(input: {message: "x"}) { clientMutationId } }`, ""},
		{"in a new repository", `mutation { createRepository(input: {name: "x", visibility: PUBLIC}) { clientMutationId } }`, ""},
		{"in what nobody can read", `{ repository(`, ""},
		{"in no operation", `fragment F on Query { viewer { login } }`, ""},
		{"in too much", "{" + strings.Repeat("...F ", 3) + "}" + bomb(), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := p.graphQL(c.document, c.variables)
			assert.Equal(t, http.StatusOK, got.status)
			assert.Contains(t, got.body, `"errors"`)
			assert.NotContains(t, got.body, "R_", "no id of a repository")
		})
	}
	assert.Len(t, r.world.Audit(), logged, "GitHub has heard of none of it")
	got := p.graphQL(cases[0].document, "")
	assert.JSONEq(t, `{"data":{"repository":null},"errors":[{"type":"NOT_FOUND","path":["repository"],"message":"Could not resolve to a Repository with the name 'owner/secret'."}]}`, got.body, "as GitHub says it")
}

// bomb is fragments that spread each other many times over.
func bomb() string {
	var b strings.Builder
	names := "FGHIJKLMNOP"
	for i := range len(names) - 1 {
		fmt.Fprintf(&b, "fragment %c on Query { %s}", names[i], strings.Repeat(fmt.Sprintf("...%c ", names[i+1]), 9))
	}
	return b.String() + "fragment P on Query { viewer { login } }"
}

func TestGraphQLOfTheRepositoryIsAnswered(t *testing.T) {
	r := newRig(t)
	p := r.place(t, target.Needs{})
	for _, c := range []struct{ document, variables, want string }{
		{`{ repository(owner: "Owner", name: "HELLO") { name } }`, "", `"name":"hello"`},
		{`{ user(login: "owner") { repository(name: "hello") { name } } }`, "", `"name":"hello"`},
		{`query($id: ID!) { node(id: $id) { ... on Issue { repository { name } } } }`, `{"id":"` + r.issueNode + `"}`, `"name":"hello"`},
		{`mutation($id: ID!, $body: String!) { addComment(input: {subjectId: $id, body: $body}) { clientMutationId } }`, `{"id":"` + r.issueNode + `","body":"see owner/secret"}`, `"addComment"`},
		{`{ resource(url: "https://github.com/owner/hello/issues/1") { url } }`, "", `issues/1`},
		{`query A { viewer { login } } query B { viewer { login } }`, "", `operation name`},
	} {
		got := p.graphQL(c.document, c.variables)
		assert.Contains(t, got.body, c.want, c.document)
	}
	for _, body := range []string{"", "[]", `{"query":1}`, `{"query":"{viewer{login}}"} {}`, `{"query":"{viewer{login}}","variables":[]}`} {
		got := p.ask("POST", api+"/graphql", body)
		assert.Equal(t, http.StatusBadRequest, got.status, body)
	}
	got := p.ask("POST", api+"/graphql", `{"query":"`+strings.Repeat(" ", 2<<20)+`"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, got.status)
}
