package sandbox_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// told are events as lines: sequence, request, actor, cause in brackets, what
// became of which object, and its fields.
func told(events []changes.Event) []string {
	var lines []string
	for _, e := range events {
		line := fmt.Sprintf("%d/%d %s", e.Seq, e.Request, e.Actor)
		if e.Cause != "" {
			line += " (" + e.Cause + ")"
		}
		line += fmt.Sprintf(" %s %s", e.Kind, e.Object)
		for _, f := range e.Fields {
			if f.Name != "closed_at" && f.Name != "author" {
				line += fmt.Sprintf(" %s=%v", f.Name, f.After)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func TestAWorldThatIsFilledNeedsNoLog(t *testing.T) {
	const comment = "/repos/octocat/hello/issues/1/comments"
	logged, unlogged := tracedWorld(t).Clone(), tracedWorld(t).Clone()
	unlogged.Unlogged()
	var saved [2]bytes.Buffer
	for n, w := range []*sandbox.World{logged, unlogged} {
		w.AddToken("t", sandbox.Token{User: "octocat", Scopes: []string{"repo"}})
		ask(w, http.MethodPost, comment, `{"body": "Hello"}`)
		ask(w, http.MethodPatch, "/repos/octocat/hello/issues/1", `{"state": "closed"}`)
		ask(w, http.MethodPatch, "/repos/octocat/hello/issues/1", `{"state": "closed", "milestone": 99}`)
		require.NoError(t, w.Save(&saved[n]))
	}
	assert.NotEmpty(t, logged.Changes())
	assert.Empty(t, unlogged.Changes())
	assert.Equal(t, saved[0].Bytes(), saved[1].Bytes(), "what is done is the same, and what is refused is taken back")

	copied := unlogged.Clone()
	copied.AddToken("t", sandbox.Token{User: "octocat", Scopes: []string{"repo"}})
	ask(copied, http.MethodPost, comment, `{"body": "Hello"}`)
	assert.Len(t, copied.Changes(), 1)
}

func TestTheLogTellsEveryWrite(t *testing.T) {
	w := tracedWorld(t)
	require.NotEmpty(t, w.Changes())
	assert.Zero(t, w.Changes()[0].Request, "what was set up")
	assert.Empty(t, w.Changes()[0].Actor)
	w = w.Clone()
	w.AddToken("t", sandbox.Token{User: "octocat", Scopes: []string{"repo"}})
	assert.Empty(t, w.Changes(), "a copy starts without")

	ask(w, http.MethodPost, "/repos/octocat/hello/issues/1/comments", `{"body": "Hello"}`)
	ask(w, http.MethodGet, "/repos/octocat/hello/issues/1", ``)
	ask(w, http.MethodPatch, "/repos/octocat/hello/issues/1", `{"state": "closed", "labels": []}`)
	ask(w, http.MethodPatch, "/repos/octocat/hello/issues/1", `{"state": "closed"}`)
	ask(w, http.MethodPatch, "/repos/octocat/hello/issues/1", `{"title": ""}`)
	comment := w.Changes()[0]
	assert.Equal(t, []string{
		fmt.Sprintf("1/1 octocat created comment %d on octocat/hello#1 issue=octocat/hello#1 body=Hello", comment.ID),
		"2/3 octocat changed issue octocat/hello#1 state=closed state_reason=completed closed_by=octocat",
	}, told(w.Changes()), "neither what reads, nor what changes nothing, nor what is refused")
	assert.Equal(t, model.Epoch.Add(4*model.Tick), comment.Time)

	var before, after bytes.Buffer
	require.NoError(t, w.Save(&before))
	require.Error(t, w.Setup(func(s *model.State) error {
		s.AddUser(model.NewUser{Login: "nobody"})
		return assert.AnError
	}))
	require.NoError(t, w.Save(&after))
	assert.Equal(t, before.Bytes(), after.Bytes())
	assert.Len(t, w.Changes(), 2)
}

// Each field of a mutation is done as a whole or not, whatever the others do.
func TestFieldsOfAMutationAreAtomic(t *testing.T) {
	w := tracedWorld(t)
	var repo *model.Repo
	w.Look(func(s *model.State) { repo = s.Repo("octocat", "hello") })
	id := model.NodeID(model.NodeRepo, 0, repo.ID)
	before := len(w.Changes())
	field := `%s: createIssue(input: {repositoryId: \"` + id + `\", title: \"%s\"}) {issue {number}} `
	ask(w, http.MethodPost, "/graphql", `{"query": "mutation {`+fmt.Sprintf(field+field+field, "a", "One", "b", " ", "c", "Two")+`}"}`)
	events := w.Changes()[before:]
	require.Len(t, events, 2, "%v", w.Audit())
	assert.Equal(t, "octocat/hello#2", events[0].Name)
	assert.Equal(t, "octocat/hello#3", events[1].Name)
	assert.Equal(t, 1, events[1].Request)
}

// A request that is refused leaves the world as it was. This one adds its
// reviewer before it finds that its team cannot be asked.
func TestARefusedRequestChangesNothing(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	owner.Do(http.MethodPut, sandboxtest.Path+"/contents/b.txt", map[string]any{"message": "b", "content": "Yg==", "branch": "main"})
	w.Change(func(s *model.State, repo *model.Repo) {
		head, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/topic", head))
		_, err := s.WriteFile(repo.OwnerID, repo, model.FileWrite{Path: "c.txt", Message: "c", Content: []byte("c"), Branch: "topic"})
		require.NoError(t, err)
	})
	pull := owner.Do(http.MethodPost, sandboxtest.Path+"/pulls", map[string]any{"title": "A pull", "head": "topic", "base": "main"})
	require.Equal(t, http.StatusCreated, pull.Status, pull.Body)
	var before, after bytes.Buffer
	require.NoError(t, w.Save(&before))
	events := len(w.Changes())
	reply := owner.Do(http.MethodPost, sandboxtest.Path+"/pulls/1/requested_reviewers", map[string]any{"reviewers": []string{"writer"}, "team_reviewers": []string{"none"}})
	require.Equal(t, http.StatusUnprocessableEntity, reply.Status, reply.Body)
	require.NoError(t, w.Save(&after))
	assert.Equal(t, before.Bytes(), after.Bytes())
	assert.Len(t, w.Changes(), events)
	assert.NotContains(t, strings.Join(told(w.Changes()), "\n"), "requested_reviewers")
}
