package audit

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// sent is a request with a body, as it was recorded.
func sent(method, uri, body string) request {
	r := request{method: method, host: "127.0.0.1:4711", uri: uri, header: http.Header{}, body: []byte(body), wrote: true}
	r.acts = understand(r)
	return r
}

func TestWhatRequestsDoIsUnderstood(t *testing.T) {
	type acts map[string]string // inputs by operation
	for name, c := range map[string]struct {
		request request
		want    acts
	}{
		"a REST operation": {
			sent("PATCH", "/repos/o/r/issues/5", `{"state": "closed"}`), acts{"PATCH /repos/{owner}/{repo}/issues/{issue_number}": `{"state":"closed"}`},
		},
		"one without a body": {sent("POST", "/repos/o/r/actions/runs/7/rerun", ""), acts{"POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun": "null"}},
		"a mutation with literals": {
			sent("POST", "/graphql", `{"query": "mutation { closeIssue(input: {issueId: \"I_1\", stateReason: COMPLETED}) { issue { id } } }"}`),
			acts{"mutation closeIssue": `{"issueId":"I_1","stateReason":"COMPLETED"}`},
		},
		"one with variables, of which one is not given and one has a default": {
			sent("POST", "/graphql", `{"query": "mutation($id: ID!, $why: IssueClosedStateReason, $as: IssueClosedStateReason = DUPLICATE) { closeIssue(input: {issueId: $id, stateReason: $why, clientMutationId: \"x\"}) { issue { id } } b: closeIssue(input: {issueId: $id, stateReason: $as}) { issue { id } } }", "variables": {"id": "I_1"}}`),
			acts{"mutation closeIssue": `{"issueId":"I_1","stateReason":"DUPLICATE"}`},
		},
		"one whose input is a variable": {
			sent("POST", "/graphql", `{"query": "mutation M($input: AddCommentInput!) { __typename addComment(input: $input) { clientMutationId } }", "variables": {"input": {"subjectId": "I_1", "body": "a"}}}`),
			acts{"mutation addComment": `{"body":"a","subjectId":"I_1"}`},
		},
		"several in one": {
			sent("POST", "/graphql", `{"query": "mutation($ids: [ID!]!) { a: addLabelsToLabelable(input: {labelableId: \"I_1\", labelIds: $ids}) { clientMutationId } b: resolveReviewThread(input: {threadId: \"T_1\"}) { thread { id } } }", "variables": {"ids": ["L_1", "L_2"]}}`),
			acts{"mutation addLabelsToLabelable": `{"labelIds":["L_1","L_2"],"labelableId":"I_1"}`, "mutation resolveReviewThread": `{"threadId":"T_1"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := acts{}
			for _, a := range c.request.acts {
				assert.False(t, a.opaque)
				got[a.operation] = encode(a.input)
			}
			assert.Equal(t, c.want, got)
			if !c.request.graphql() {
				return
			}
			// What is written of it is a document that GitHub takes.
			query := githubschema.CheckQuery(mutationText(c.request.acts), githubschema.Writes)
			assert.Empty(t, query.Problems)
		})
	}
}

func TestWhatIsNotUnderstoodIsLeftAsItIs(t *testing.T) {
	for name, r := range map[string]request{
		"a push of git": func() request {
			r := sent("POST", "/o/r.git/git-receive-pack", "0000")
			r.host = "github.com"
			return r
		}(),
		"an unknown path":     sent("POST", "/nothing/of/the/kind", "{}"),
		"a body without JSON": sent("PUT", "/repos/o/r/issues/1/lock", "lock"),
		"an unknown mutation": sent("POST", "/graphql", `{"query": "mutation { doSomething(input: {}) { id } }"}`),
		"no document":         sent("POST", "/graphql", `{"query": "mutation {"}`),
	} {
		t.Run(name, func(t *testing.T) {
			require.Len(t, r.acts, 1)
			assert.True(t, r.acts[0].opaque)
			again := r.with(r.acts)
			require.Len(t, again, 1)
			assert.Equal(t, r, again[0])
		})
	}
}

func TestRequestsAreMadeOfActs(t *testing.T) {
	r := sent("DELETE", "/repos/o/r/issues/5/labels/good%20first%20issue?x=1", "")
	require.Equal(t, "good first issue", r.acts[0].params["name"])
	assert.Equal(t, r.uri, r.with(r.acts)[0].uri, "the same acts make the same request")
	other := r.with([]act{r.acts[0].withParam("name", "a/b c"), r.acts[0].withParam("issue_number", "6")})
	require.Len(t, other, 2, "a REST request does one thing")
	assert.Equal(t, "/repos/o/r/issues/5/labels/a%2Fb%20c?x=1", other[0].uri)
	assert.Equal(t, "/repos/o/r/issues/6/labels/good%20first%20issue?x=1", other[1].uri)
	assert.Empty(t, r.with(nil))

	file := sent("PUT", "/repos/o/r/contents/docs/a.md", `{"content": "YQ=="}`)
	assert.Equal(t, "docs/a.md", file.acts[0].params["path"])
	assert.Equal(t, file.uri, file.with(file.acts)[0].uri)
}

func TestTablesFitGitHubsSchemas(t *testing.T) {
	known := func(operation string) bool {
		if name, is := (act{operation: operation}).mutation(); is {
			return inputType(name) != ""
		}
		method, path, _ := strings.Cut(operation, " ")
		op, found := githubschema.Find(method, path)
		return found && op.String() == operation
	}
	for _, m := range methodTable() {
		assert.True(t, known(m.From), m.From)
		assert.True(t, known(m.To), m.To)
	}
	for _, e := range extraTable() {
		assert.True(t, known(e.Operation), e.Operation)
	}
	for _, d := range detourTable() {
		for _, step := range d.Steps {
			assert.True(t, known(step.Operation), step.Operation)
		}
	}
}

func TestOtherValues(t *testing.T) {
	for value, want := range map[any]any{
		true: false, 3: 4, 1.5: 2.5, "OPEN": "CLOSED", "closed": "open", "A title": somethingElse, somethingElse: "Nothing of the kind",
		"https://github.com/o/r": "https://github.com/o/r0", "2026-02-25T17:00:00Z": "2001-02-03T04:05:06Z", "0ab1234": "1ab1234", "fab1234": "0ab1234",
	} {
		assert.Equal(t, want, another(value))
	}
	assert.NotNil(t, another(nil))
}

func TestDetailsAreOneForEachPlaceThatIsAlike(t *testing.T) {
	data, err := jq.Decode([]byte(`{"items": [{"a": null, "b": [1]}, {"a": "x", "b": []}, {"a": "y", "b": [2, 3]}], "n": 1}`))
	require.NoError(t, err)
	got := map[string]string{}
	for _, d := range details(data) {
		assert.NotContains(t, got, d.name, "each name once")
		got[d.name] = encode(d.value)
	}
	assert.JSONEq(t, `{"items": [{"a": null, "b": [1]}, {"a": "Something else", "b": []}, {"a": "y", "b": [2, 3]}], "n": 1}`, got["items[].a other"], "the first that has something")
	assert.JSONEq(t, `{"items": [{"a": null, "b": [1]}, {"a": "x", "b": []}, {"a": "Something else", "b": [2, 3]}], "n": 1}`, got["items[].a other, last"])
	assert.JSONEq(t, `{"items": [{"a": null, "b": [1]}, {"b": []}, {"a": "y", "b": [2, 3]}], "n": 1}`, got["items[].a left out"])
	assert.JSONEq(t, `{"items": [{"a": "x", "b": []}, {"a": "y", "b": [2, 3]}], "n": 1}`, got["items first left out"])
	assert.JSONEq(t, `{"items": [{"a": null, "b": [1, 1]}, {"a": "x", "b": []}, {"a": "y", "b": [2, 3]}], "n": 1}`, got["items[].b first twice"])
	assert.JSONEq(t, `{"items": [{"a": null, "b": [1]}, {"a": "x", "b": []}, {"a": "y", "b": [2, 3]}], "n": 2}`, got["n other"])
	assert.JSONEq(t, `{"items": [{"a": null, "b": [1]}, {"a": "x", "b": []}, {"a": "y", "b": [2, 3]}], "n": 1}`, encode(data), "data stay what they are")
}
