package sandbox_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestCloneIsAWorldOfItsOwn(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	writer.Do("POST", sandboxtest.Path+"/issues", `{"title":"one"}`)
	told := 0
	w.OnWrite(sandboxtest.Token("writer"), func() { told++ })
	clone := sandboxtest.Serve(t, w.Clone())

	assert.Equal(t, http.StatusUnauthorized, clone.With(sandboxtest.Token("writer")).Get("/user").Status,
		"a token of one world is nothing in its clone")
	assert.Empty(t, clone.Tokens())
	assert.Len(t, clone.Audit(), 1, "the clone's log begins anew")

	clone.As("writer").Do("POST", sandboxtest.Path+"/issues", `{"title":"two"}`)
	clone.As("writer").Do("PUT", sandboxtest.Path+"/contents/new", `{"message":"m","content":"eA=="}`)
	assert.Zero(t, told, "the watchers of one world do not watch its clone")
	assert.Equal(t, http.StatusNotFound, writer.Get(sandboxtest.Path+"/issues/2").Status)
	assert.Equal(t, http.StatusNotFound, writer.Get(sandboxtest.Path+"/contents/new").Status)
	assert.Equal(t, http.StatusOK, clone.As("writer").Get(sandboxtest.Path+"/issues/1").Status)
}

func TestTokensAreCopies(t *testing.T) {
	w, err := sandbox.New()
	require.NoError(t, err)
	scopes := []string{"repo"}
	w.AddToken("x", sandbox.Token{User: "u", Scopes: scopes})
	scopes[0] = "admin"
	w.Tokens()["x"].Scopes[0] = "admin"
	assert.Equal(t, map[string]sandbox.Token{"x": {User: "u", Scopes: []string{"repo"}}}, w.Tokens())
}

// play sends a fixed sequence of requests and returns all answers.
func play(t *testing.T) (w *sandboxtest.World, answers string) {
	w = sandboxtest.New(t, gitstore.Change{
		Path: ".github/workflows/ci.yml", Content: []byte("on: pull_request\njobs: {build: {steps: [{run: make}]}}\n"),
	})
	w.Change(func(s *model.State, repo *model.Repo) {
		repo.DeleteBranchOnMerge = true
		s.AddMilestone(repo, model.NewMilestone{Title: "v1", Creator: repo.OwnerID})
	})
	owner, writer := w.As("owner"), w.As("writer")
	sha := writer.Get(sandboxtest.Path + "/git/ref/heads/main").Text("object.sha")
	var all bytes.Buffer
	for _, reply := range []sandboxtest.Reply{
		writer.Do("POST", sandboxtest.Path+"/issues", `{"title":"one","labels":["b","a"],"assignees":["writer","owner"],"milestone":1}`),
		writer.Do("POST", sandboxtest.Path+"/issues/1/comments", `{"body":"hi"}`),
		writer.Do("POST", sandboxtest.Path+"/git/refs", map[string]any{"ref": "refs/heads/f", "sha": sha}),
		writer.Do("PUT", sandboxtest.Path+"/contents/new", `{"message":"m","content":"eA==","branch":"f"}`),
		writer.Do("POST", sandboxtest.Path+"/pulls", `{"title":"two","head":"f","base":"main","body":"fixes #1"}`),
		owner.Do("POST", sandboxtest.Path+"/pulls/2/reviews", `{"event":"APPROVE","comments":[{"path":"new","line":1,"body":"c"}]}`),
		owner.Do("PUT", sandboxtest.Path+"/pulls/2/merge", `{"merge_method":"squash"}`),
		writer.Get(sandboxtest.Path + "/issues/1"),
		writer.GraphQL(`{ repository(owner: "owner", name: "hello") { defaultBranchRef { target { oid } } issue(number: 1) { id state } } }`),
	} {
		fmt.Fprintln(&all, reply.Status, reply.Body)
	}
	return w, all.String()
}

func TestEqualRequestsGetEqualAnswers(t *testing.T) {
	one, first := play(t)
	other, second := play(t)
	assert.Equal(t, first, second, "ids, SHAs and times are the same")
	assert.Equal(t, save(t, one.World), save(t, other.World))
	assert.NotContains(t, first, `422 `)
}
