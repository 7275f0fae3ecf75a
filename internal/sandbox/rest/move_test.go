package rest_test

import (
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
	assert.Equal(t, http.StatusNotFound, w.As("reader").Get(base+"/branches/main").Status)
	do("writer", "POST", base+"/branches/topic/rename", map[string]any{"new_name": "theme"})
	assert.Equal(t, []any{"closed", "topic"}, []any{do("reader", "GET", base+"/pulls/1", nil).At("state"), do("reader", "GET", base+"/pulls/1", nil).At("head.ref")}, "its head is no more")
	assert.Equal(t, "theme", do("reader", "GET", base+"/pulls/2", nil).Text("base.ref"))
}
