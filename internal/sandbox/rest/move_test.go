package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// withOrg is a world with an organization, acme, of the owner and the writer.
func withOrg(t *testing.T) *sandboxtest.World {
	t.Helper()
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, _ *model.Repo) {
		acme := s.AddUser(model.NewUser{Login: "acme", Type: model.TypeOrganization})
		acme.Members = map[model.ID]model.OrgRole{s.User("owner").ID: model.OrgOwner, s.User("writer").ID: model.OrgMember}
		s.AddTeam(acme, "Core", s.User("writer").ID)
	})
	return w
}

// A repository that is given to an organization answers to its older names.
func TestTransferOfARepository(t *testing.T) {
	w := withOrg(t)
	do := ask(t, w)
	do("owner", "PATCH", base, map[string]any{"name": "second"})
	do("owner", "POST", "/repos/owner/second/issues", map[string]any{"title": "one"})
	team := do("owner", "GET", "/orgs/acme/teams/core", nil).Int("id")
	reply := do("owner", "POST", "/repos/owner/second/transfer", map[string]any{"new_owner": "acme", "new_name": "third", "team_ids": []int{team}})
	assert.Equal(t, []any{http.StatusAccepted, "acme/third"}, []any{reply.Status, reply.At("full_name")})
	for _, old := range []string{"/repos/owner/hello", "/repos/owner/second"} {
		assert.Equal(t, "one", do("reader", "GET", old+"/issues/1", nil).Text("title"), "go's client follows")
		moved := w.As("reader").Do("POST", old+"/issues", map[string]any{"title": "two"})
		assert.Equal(t, http.StatusCreated, moved.Status, "307 keeps the request")
	}
	assert.Equal(t, http.StatusNotFound, w.As("reader").Get("/repos/owner/third").Status)
	assert.Equal(t, "acme/third", w.As("reader").GraphQL(`{ repository(owner: "owner", name: "hello") { nameWithOwner } }`).Text("data.repository.nameWithOwner"))
	assert.Equal(t, "read", do("owner", "GET", "/repos/acme/third/collaborators/reader/permission", nil).Text("permission"), "collaborators stay")
	assert.Equal(t, []any{"core", "pull"}, []any{do("owner", "GET", "/repos/acme/third/teams", nil).At("0.slug"), do("owner", "GET", "/repos/acme/third/teams", nil).At("0.permission")})
	var told []changes.Field
	for _, e := range w.Changes() {
		if e.Object.Kind == "repository" && e.Change.Kind == changes.Changed {
			told = append(told, e.Fields...)
		}
	}
	assert.Contains(t, told, changes.Field{Name: "owner", Before: "owner", After: "acme"})
	do("owner", "POST", "/user/repos", map[string]any{"name": "hello"})
	assert.Equal(t, "owner/hello", do("reader", "GET", base, nil).Text("full_name"), "the name is free for another")
}

// Who may not, what is taken, and accounts that must accept first.
func TestTransfersThatAreNotDone(t *testing.T) {
	w := withOrg(t)
	do := ask(t, w)
	do("owner", "POST", "/orgs/acme/repos", map[string]any{"name": "hello"})
	for _, c := range []struct {
		who, to, name string
		status        int
	}{
		{"writer", "acme", "x", http.StatusForbidden}, {"stranger", "acme", "x", http.StatusForbidden}, {"owner", "nobody", "", http.StatusUnprocessableEntity},
		{"owner", "acme", "", http.StatusUnprocessableEntity}, {"owner", "owner", "", http.StatusUnprocessableEntity}, {"owner", "acme", "no name", http.StatusUnprocessableEntity},
	} {
		reply := w.As(c.who).Do("POST", base+"/transfer", map[string]any{"new_owner": c.to, "new_name": c.name})
		assert.Equal(t, c.status, reply.Status, "%v: %s", c, reply.Body)
	}
	w.Change(func(s *model.State, _ *model.Repo) {
		s.AddUser(model.NewUser{Login: "alone", Type: model.TypeOrganization})
	})
	assert.Equal(t, http.StatusForbidden, w.As("owner").Do("POST", base+"/transfer", map[string]any{"new_owner": "alone"}).Status, "he is no member")
	before := len(w.Changes())
	assert.Equal(t, http.StatusAccepted, do("owner", "POST", base+"/transfer", map[string]any{"new_owner": "stranger"}).Status)
	assert.Equal(t, "owner/hello", do("owner", "GET", base, nil).Text("full_name"), "it waits for him")
	require.Len(t, w.Changes(), before+1, "which the log tells")
	assert.Equal(t, []changes.Field{{Name: "transfer_to", After: "stranger"}}, w.Changes()[before].Fields)
	do("stranger", "POST", base+"/forks", nil)
	assert.Equal(t, http.StatusUnprocessableEntity, w.As("owner").Do("POST", base+"/transfer", map[string]any{"new_owner": "stranger", "new_name": "y"}).Status, "he has it already")
}

// A branch with another name is the base of the same pull requests, and protected
// as before.
func TestRenamingABranch(t *testing.T) {
	w := sandboxtest.New(t)
	do := ask(t, w)
	openPull(t, w, "topic", "a.txt", "a\n")
	openPull(t, w, "more", "b.txt", "b\n")
	do("writer", "PATCH", base+"/pulls/2", map[string]any{"base": "topic"})
	do("owner", "PUT", base+"/branches/main/protection", map[string]any{
		"required_status_checks": nil, "enforce_admins": true, "required_pull_request_reviews": nil, "restrictions": nil,
	})
	assert.Equal(t, http.StatusForbidden, w.As("writer").Do("POST", base+"/branches/main/rename", map[string]any{"new_name": "trunk"}).Status)
	assert.Equal(t, http.StatusForbidden, w.As("reader").Do("POST", base+"/branches/topic/rename", map[string]any{"new_name": "x"}).Status)
	for name, status := range map[string]int{"main": http.StatusUnprocessableEntity, "a..b": http.StatusUnprocessableEntity, "": http.StatusUnprocessableEntity} {
		assert.Equal(t, status, w.As("owner").Do("POST", base+"/branches/topic/rename", map[string]any{"new_name": name}).Status, name)
	}
	assert.Equal(t, http.StatusNotFound, w.As("owner").Do("POST", base+"/branches/none/rename", map[string]any{"new_name": "x"}).Status)
	reply := do("owner", "POST", base+"/branches/main/rename", map[string]any{"new_name": "trunk"})
	assert.Equal(t, []any{http.StatusCreated, "trunk", true}, []any{reply.Status, reply.At("name"), reply.At("protected")})
	assert.Equal(t, "trunk", do("reader", "GET", base, nil).Text("default_branch"))
	assert.Equal(t, "trunk", do("reader", "GET", base+"/pulls/1", nil).Text("base.ref"))
	assert.Equal(t, http.StatusNotFound, w.As("reader").Get(base+"/branches/main/protection").Status)
	do("writer", "POST", base+"/branches/topic/rename", map[string]any{"new_name": "theme"})
	assert.Equal(t, []any{"closed", "topic"}, []any{do("reader", "GET", base+"/pulls/1", nil).At("state"), do("reader", "GET", base+"/pulls/1", nil).At("head.ref")}, "its head is no more")
	assert.Equal(t, "theme", do("reader", "GET", base+"/pulls/2", nil).Text("base.ref"))
}

// A former name leads to the one that a branch has now, until there is another branch of it.
func TestTheFormerNamesOfABranch(t *testing.T) {
	w := sandboxtest.New(t)
	do := ask(t, w)
	id := do("reader", "GET", base, nil).Int("id")
	sha := do("reader", "GET", base+"/git/ref/heads/main", nil).Text("object.sha")
	branch := func(name string) []any {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+base+"/branches/"+name, nil)
		require.NoError(t, err)
		response, err := http.DefaultTransport.RoundTrip(request)
		require.NoError(t, err)
		defer response.Body.Close()
		var said struct{ Message, URL string }
		require.NoError(t, json.NewDecoder(response.Body).Decode(&said))
		assert.Equal(t, said.URL, response.Header.Get("Location"), "%s, or neither", name)
		return []any{response.StatusCode, said.Message, said.URL}
	}
	movedTo := func(name string) []any {
		return []any{http.StatusMovedPermanently, "Moved Permanently", fmt.Sprintf("%s/repositories/%d/branches/%s", w.URL, id, name)}
	}
	create := func(name string) {
		do("owner", "POST", base+"/git/refs", map[string]any{"ref": "refs/heads/" + name, "sha": sha})
	}
	rename := func(from, to string) {
		do("owner", "POST", base+"/branches/"+from+"/rename", map[string]any{"new_name": to})
	}
	create("a")
	rename("a", "b")
	assert.Equal(t, movedTo("b"), branch("a"))
	assert.Equal(t, "b", do("reader", "GET", base+"/branches/a", nil).Text("name"), "go's client follows")
	rename("b", "c/d#e")
	for _, former := range []string{"a", "b"} {
		assert.Equal(t, movedTo("c/d%23e"), branch(former))
	}
	assert.Equal(t, "c/d#e", do("reader", "GET", base+"/branches/a", nil).Text("name"))
	assert.Equal(t, http.StatusNotFound, w.As("reader").Get(base+"/git/ref/heads/a").Status, "a ref is what it says")

	saved := w.Clone()
	rename("c%2Fd%23e", "b")
	assert.Equal(t, movedTo("b"), branch("a"))
	assert.Equal(t, http.StatusOK, branch("b")[0])
	gone := func(name string) {
		do("owner", "DELETE", base+"/git/refs/heads/"+name, nil)
	}
	create("a")
	gone("a")
	assert.Equal(t, http.StatusNotFound, branch("a")[0], "it was another one's")
	create("x")
	rename("x", "c/d#e")
	assert.Equal(t, movedTo("c/d%23e"), branch("x"))
	gone("c/d%23e")
	assert.Equal(t, http.StatusNotFound, branch("c%2Fd%23e")[0], "it was given to another one")
	assert.Equal(t, http.StatusNotFound, branch("x")[0], "what it would lead to is gone")
	saved.Look(func(s *model.State) {
		assert.Equal(t, map[string]string{"a": "c/d#e", "b": "c/d#e"}, s.Repo("owner", "hello").FormerBranches, "a copy has its own")
	})
}
