package rest_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// forked is a world in which the stranger has opened a pull request from his
// fork; it returns that pull request.
func forked(t *testing.T, w *sandboxtest.World) sandboxtest.Reply {
	t.Helper()
	stranger := w.As("stranger")
	fork := stranger.Do("POST", base+"/forks", nil)
	require.Equal(t, http.StatusAccepted, fork.Status, fork.Body)
	assert.Equal(t, []any{"stranger/hello", true, "owner/hello", "owner/hello"},
		[]any{fork.Text("full_name"), fork.At("fork"), fork.Text("parent.full_name"), fork.Text("source.full_name")})
	commit(t, stranger, "/repos/stranger/hello", "main", "a.txt")
	pull := stranger.Do("POST", base+"/pulls", map[string]any{"title": "Add a", "head": "stranger:main", "base": "main"})
	require.Equal(t, http.StatusCreated, pull.Status, pull.Body)
	return pull
}

// commit adds a file to a branch.
func commit(t *testing.T, as *sandboxtest.Client, repo, branch, path string) {
	t.Helper()
	reply := as.Do("PUT", repo+"/contents/"+path, map[string]any{"message": "add " + path, "content": "YQo=", "branch": branch})
	require.Equal(t, http.StatusCreated, reply.Status, reply.Body)
}

func TestPullRequestsFromForks(t *testing.T) {
	w := sandboxtest.New(t)
	pull := forked(t, w)
	assert.Equal(t, []any{"stranger:main", "stranger/hello", true, "owner:main", false, "NONE"}, []any{
		pull.Text("head.label"), pull.Text("head.repo.full_name"), pull.At("head.repo.fork"), pull.Text("base.label"), pull.At("base.repo.fork"), pull.Text("author_association"),
	})
	commit(t, w.As("stranger"), "/repos/stranger/hello", "main", "b.txt")
	owner := w.As("owner")
	now := owner.Get(base + "/pulls/1")
	assert.Equal(t, []any{2, "clean", true}, []any{now.Int("commits"), now.Text("mergeable_state"), now.At("maintainer_can_modify")}, "it follows the fork's branch")
	closed := w.As("stranger").Do("PATCH", base+"/pulls/1", `{"maintainer_can_modify":false}`)
	assert.Equal(t, false, closed.At("maintainer_can_modify"))
	assert.Equal(t, 2, len(decodeAll(t, owner.Get(base+"/pulls/1/files"))))
	assert.Equal(t, 1, len(decodeAll(t, owner.Get(base+"/pulls?head=stranger:main"))))
	assert.Empty(t, decodeAll(t, owner.Get(base+"/pulls?head=owner:main")))
	shown := owner.GraphQL(`{ repository(owner: "owner", name: "hello") { forkCount pullRequest(number: 1) {
		isCrossRepository headRepositoryOwner { login } headRepository { nameWithOwner isFork parent { nameWithOwner } } } } }`)
	assert.Equal(t, []any{1, true, "stranger", "stranger/hello", "owner/hello"}, []any{
		shown.Int("data.repository.forkCount"), shown.At("data.repository.pullRequest.isCrossRepository"),
		shown.Text("data.repository.pullRequest.headRepositoryOwner.login"), shown.Text("data.repository.pullRequest.headRepository.nameWithOwner"),
		shown.Text("data.repository.pullRequest.headRepository.parent.nameWithOwner"),
	})
	merged := owner.Do("PUT", base+"/pulls/1/merge", map[string]any{})
	require.Equal(t, http.StatusOK, merged.Status, merged.Body)
	message := owner.Get(base + "/commits/main").Text("commit.message")
	assert.Equal(t, "Merge pull request #1 from stranger/main\n\nAdd a", message)
	w.Look(func(s *model.State) { assert.NoError(t, s.Validate()) })
}

func TestWhoMayDoWhatWithForks(t *testing.T) {
	w := sandboxtest.New(t)
	forked(t, w)
	for name, c := range map[string]struct {
		as     string
		method string
		path   string
		body   map[string]any
		status int
	}{
		"maintainers of the base change the fork's branch": {"writer", "PUT", "/repos/stranger/hello/contents/c.txt", map[string]any{"message": "m", "content": "YQo=", "branch": "main"}, 201},
		"but no other branch of it":                        {"writer", "POST", "/repos/stranger/hello/git/refs", map[string]any{"ref": "refs/heads/x", "sha": headOf(w)}, 403},
		"others do not":                                    {"reader", "PUT", "/repos/stranger/hello/contents/d.txt", map[string]any{"message": "m", "content": "YQo=", "branch": "main"}, 403},
		"the fork's owner does not merge":                  {"stranger", "PUT", base + "/pulls/1/merge", map[string]any{}, 403},
		"a second pull request from the same branch":       {"stranger", "POST", base + "/pulls", map[string]any{"title": "x", "head": "stranger:main", "base": "main"}, 422},
		"a head of somebody who has no fork":               {"reader", "POST", base + "/pulls", map[string]any{"title": "x", "head": "reader:main", "base": "main"}, 422},
		"the head of another's fork":                       {"reader", "POST", base + "/pulls", map[string]any{"title": "x", "head": "stranger:main", "base": "main"}, 422},
	} {
		t.Run(name, func(t *testing.T) {
			reply := w.As(c.as).Do(c.method, c.path, c.body)
			assert.Equal(t, c.status, reply.Status, reply.Body)
		})
	}
	again := w.As("stranger").Do("POST", base+"/forks", nil)
	assert.Equal(t, http.StatusAccepted, again.Status)
	assert.Len(t, decodeAll(t, w.As("reader").Get(base+"/forks")), 1, "an account has one fork of a repository")
}

// decodeAll returns the items of a list.
func decodeAll(t *testing.T, reply sandboxtest.Reply) []any {
	t.Helper()
	var all []any
	require.NoError(t, json.Unmarshal([]byte(reply.Body), &all), reply.Body)
	return all
}

// A fork of a name that is taken has a number behind it; a name that is asked for must be
// free. Who forks what is his gets that.
func TestNamesOfForks(t *testing.T) {
	w := sandboxtest.New(t)
	stranger := w.As("stranger")
	for _, name := range []string{"hello", "Hello-1"} {
		require.Equal(t, http.StatusCreated, stranger.Do("POST", "/user/repos", map[string]any{"name": name}).Status)
	}
	taken := stranger.Do("POST", base+"/forks", map[string]any{"name": "hello"})
	assert.Equal(t, []any{http.StatusUnprocessableEntity, "name already exists on this account"}, []any{taken.Status, taken.At("errors.0.message")})
	fork := stranger.Do("POST", base+"/forks", nil)
	assert.Equal(t, []any{http.StatusAccepted, "stranger/hello-2"}, []any{fork.Status, fork.Text("full_name")})
	assert.Equal(t, "stranger/hello-2", stranger.Do("POST", base+"/forks", map[string]any{"name": "other"}).Text("full_name"), "there is one")
	own := w.As("owner").Do("POST", base+"/forks", nil)
	assert.Equal(t, []any{http.StatusAccepted, "owner/hello", false}, []any{own.Status, own.Text("full_name"), own.At("fork")})
	again := stranger.Do("POST", "/user/repos", map[string]any{"name": "hello"})
	assert.Equal(t, []any{http.StatusUnprocessableEntity, "Repository creation failed."}, []any{again.Status, again.Text("message")})
}
