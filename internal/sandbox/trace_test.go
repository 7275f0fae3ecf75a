package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// tracedWorld has a repository with an issue.
func tracedWorld(t *testing.T) *sandbox.World {
	t.Helper()
	w, err := sandbox.New()
	require.NoError(t, err)
	require.NoError(t, w.Setup(func(s *model.State) error {
		owner := s.AddUser(model.NewUser{Login: "octocat"})
		_, err := s.OpenIssue(owner.ID, s.AddRepo(model.NewRepo{Owner: owner.ID, Name: "hello"}), model.NewIssue{Title: "It is broken"})
		return err
	}))
	w.AddToken("t", sandbox.Token{User: "octocat", Scopes: []string{"repo"}})
	return w
}

func ask(w *sandbox.World, method, path, body string) {
	r := httptest.NewRequest(method, "https://api.github.com"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "token t")
	r.Header.Set("User-Agent", "traced")
	w.ServeHTTP(httptest.NewRecorder(), r)
}

func TestATracedRequestTellsWhatItIsAbout(t *testing.T) {
	w := tracedWorld(t)
	w.Trace()
	var repo, issue model.ID
	w.Look(func(s *model.State) {
		repo, issue = s.Repo("octocat", "hello").ID, s.Issue(s.Repo("octocat", "hello"), 1).ID
	})
	node := model.NodeID(model.NodeIssue, repo, issue)
	const name = "octocat/hello#1"
	for _, c := range []struct {
		method, path, body string
		objects            []string
		changes            int
	}{
		{"GET", "/repos/octocat/hello/issues/1", "", []string{"issue " + name}, 0},
		{"GET", "/repos/octocat/hello/issues", "", []string{"repository octocat/hello"}, 0},
		{"GET", "/api/v3/repos/octocat/hello/pulls/9", "", []string{"repository octocat/hello"}, 0},
		{"GET", "/repos/octocat/none", "", nil, 0},
		{"GET", "/user", "", nil, 0},
		{"PATCH", "/repos/octocat/hello/issues/1", `{"state": "closed"}`, []string{"issue " + name}, 1},
		{"PATCH", "/repos/octocat/hello/issues/1", `{"state": "nonsense"}`, nil, 0},
		{"POST", "/graphql", `{"query": "query($owner: String!, $repo: String!, $number: Int!) {repository(owner: $owner, name: $repo) {issue(number: $number) {title}}}", "variables": {"owner": "octocat", "repo": "hello", "number": 1}}`, []string{"issue " + name}, 0},
		{"POST", "/graphql", `{"query": "query($id: ID!) {node(id: $id) {id}}", "variables": {"id": "` + node + `"}}`, []string{"issue " + name}, 0},
		{"POST", "/graphql", `{"query": "mutation($input: ReopenIssueInput!) {reopenIssue(input: $input) {issue {id}}}", "variables": {"input": {"issueId": "` + node + `"}}}`, []string{"issue " + name}, 1},
		{"POST", "/graphql", `{`, nil, 0},
	} {
		ask(w, c.method, c.path, c.body)
		log := w.Audit()
		last := log[len(log)-1]
		assert.Equal(t, c.objects, last.Objects, "%s %s %s", c.method, c.path, c.body)
		assert.Len(t, last.Changes, c.changes, "%s %s %s", c.method, c.path, c.body)
	}
}

func TestReadsAreTracedOnlyIfThatIsAskedFor(t *testing.T) {
	w := tracedWorld(t)
	const issue = "/repos/octocat/hello/issues/1"
	ask(w, http.MethodGet, issue, "")
	assert.Nil(t, w.Audit()[0].Objects)
	ask(w, http.MethodPatch, issue, `{"state": "closed"}`)
	assert.Equal(t, []string{"issue octocat/hello#1"}, w.Audit()[1].Objects, "what was written is always told")
	w.Trace()
	copied := w.Clone()
	copied.AddToken("t", sandbox.Token{User: "octocat", Scopes: []string{"repo"}})
	ask(copied, http.MethodGet, issue, "")
	assert.Nil(t, copied.Audit()[0].Objects, "a copy starts without")
}

func TestFaultsAreReadAsAWhole(t *testing.T) {
	w := tracedWorld(t)
	require.NoError(t, w.ReadFaults(strings.NewReader(`{"latency": "5ms", "rules": [{"kind": "502", "path": "/user"}]}`)))
	require.Len(t, w.Faults().Rules(), 1)
	for text, want := range map[string]string{
		`{"rules": [{"kind": "404"}, {"kind": "nonsense"}]}`: "rule 2: ",
		`{"rulez": []}`:                  `unknown field "rulez"`,
		`{"rules": []} x`:                "something after the JSON object",
		`{"rules": [{"delay": "soon"}]}`: "soon",
	} {
		err := w.ReadFaults(strings.NewReader(text))
		require.ErrorContains(t, err, want)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
	assert.Empty(t, w.Faults().Rules(), "a rule that cannot be leaves none")
}
