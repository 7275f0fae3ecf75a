package rest_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// acme is a world with an organization, whose owner is owner and of which writer is
// a member, and a repository of its.
func acme(t *testing.T) *sandboxtest.World {
	w := boards(t)
	w.Change(func(s *model.State, _ *model.Repo) {
		org := s.User("acme")
		s.SetMember(org, s.User("owner").ID, model.OrgOwner)
		repo := s.AddRepo(model.NewRepo{Owner: org.ID, Name: "home"})
		repo.Collaborators[s.User("reader").ID] = model.PermTriage
	})
	return w
}

func TestTypesOfIssuesAreKeptByOwners(t *testing.T) {
	w := acme(t)
	const types = "/orgs/acme/issue-types"
	bug := map[string]any{"name": "Bug", "is_enabled": true, "description": "It is wrong", "color": "red"}
	owner := w.As("owner")
	made := owner.Do("POST", types, bug)
	assert.Equal(t, http.StatusOK, made.Status)
	assert.Equal(t, []string{"Bug", "red", "It is wrong"}, []string{made.Text("name"), made.Text("color"), made.Text("description")})
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("POST", types, map[string]any{"name": "BUG", "is_enabled": true}).Status, "there is one")
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("POST", types, map[string]any{"name": "B", "is_enabled": true, "color": "mauve"}).Status)
	assert.Equal(t, http.StatusNotFound, w.As("writer").Do("POST", types, map[string]any{"name": "C", "is_enabled": true}).Status, "a member is no owner")
	one := types + "/" + strconv.Itoa(made.Int("id"))
	changed := owner.Do("PUT", one, map[string]any{"name": "Defect", "is_enabled": false})
	assert.Equal(t, []any{"Defect", nil, "gray", false}, []any{changed.At("name"), changed.At("description"), changed.At("color"), changed.At("is_enabled")})
	assert.Equal(t, http.StatusNotFound, owner.Do("PUT", types+"/999", map[string]any{"name": "D", "is_enabled": true}).Status)
	assert.Equal(t, http.StatusNotFound, w.As("writer").Do("DELETE", one, nil).Status)
	assert.Equal(t, http.StatusNoContent, owner.Do("DELETE", one, nil).Status)
	assert.JSONEq(t, "[]", owner.Get(types).Body)
}

// A pull request is not typed: GitHub tells nobody of the type of one.
func TestPullRequestsHaveNoType(t *testing.T) {
	w := acme(t)
	owner := w.As("owner")
	owner.Do("POST", "/orgs/acme/issue-types", map[string]any{"name": "Bug", "is_enabled": true})
	const home = "/repos/acme/home"
	for _, branch := range []string{"", "topic"} {
		if branch != "" {
			owner.Do("POST", home+"/git/refs", map[string]any{"ref": "refs/heads/" + branch, "sha": owner.Get(home + "/git/ref/heads/main").Text("object.sha")})
		}
		owner.Do("PUT", home+"/contents/a"+branch, map[string]any{"message": "m", "content": "eA==", "branch": branch})
	}
	pull := owner.Do("POST", home+"/pulls", map[string]any{"title": "t", "head": "topic", "base": "main"})
	assert.Equal(t, 1, pull.Int("number"), pull.Body)
	typed := owner.Do("PATCH", home+"/issues/1", map[string]any{"title": "T", "type": "Bug"})
	assert.Equal(t, http.StatusNotImplemented, typed.Status)
	assert.Equal(t, "This sandbox does not have type of a pull request of PATCH /repos/{owner}/{repo}/issues/{issue_number} yet; GitHub does.", typed.Text("message"))
	assert.Equal(t, "t", owner.Get(home+"/pulls/1").Text("title"), "nothing was changed")
	assert.Equal(t, http.StatusOK, owner.Do("PATCH", home+"/issues/1", map[string]any{"type": nil}).Status)
}

func TestTypesOfIssues(t *testing.T) {
	w := acme(t)
	owner := w.As("owner")
	for _, name := range []string{"Bug", "Task"} {
		owner.Do("POST", "/orgs/acme/issue-types", map[string]any{"name": name, "is_enabled": true, "color": "red"})
	}
	const issues = "/repos/acme/home/issues"
	opened := owner.Do("POST", issues, map[string]any{"title": "a", "type": "bug"})
	assert.Equal(t, http.StatusCreated, opened.Status)
	assert.Equal(t, "Bug", opened.Text("type.name"))
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("POST", issues, map[string]any{"title": "b", "type": "Epic"}).Status)
	assert.Nil(t, w.As("reader").Do("POST", issues, map[string]any{"title": "c", "type": "Bug"}).At("type"), "dropped from who may not write")
	owner.Do("POST", issues, map[string]any{"title": "d"})

	titles := func(query string) (all []string) {
		listed := owner.Get(issues + "?direction=asc&type=" + query)
		for n := 0; listed.At(strconv.Itoa(n)) != nil; n++ {
			all = append(all, listed.Text(strconv.Itoa(n)+".title"))
		}
		return all
	}
	assert.Equal(t, []string{"a"}, titles("Bug"))
	assert.Equal(t, []string{"a"}, titles("*"))
	assert.Equal(t, []string{"c", "d"}, titles("none"))
	assert.Empty(t, titles("Task"))
	assert.Equal(t, "a", owner.Get("/search/issues?q=repo:acme/home+type:Bug").Text("items.0.title"))
	assert.Equal(t, 2, owner.Get("/search/issues?q=repo:acme/home+no:type").Int("total_count"))

	const first = issues + "/1"
	assert.Equal(t, "Task", owner.Do("PATCH", first, map[string]any{"type": map[string]any{"value": "Task"}}).Text("type.name"))
	assert.Equal(t, "Task", owner.Do("PATCH", first, map[string]any{"title": "A"}).Text("type.name"), "it stays")
	assert.Nil(t, owner.Do("PATCH", first, map[string]any{"type": nil}).At("type"))
	events := owner.Get(first + "/events")
	assert.Equal(t, []string{"issue_type_added", "issue_type_changed", "renamed", "issue_type_removed"},
		[]string{events.Text("0.event"), events.Text("1.event"), events.Text("2.event"), events.Text("3.event")})
	assert.Equal(t, []string{"Task", "Bug"}, []string{events.Text("1.issue_type.name"), events.Text("1.prev_issue_type.name")})

	owner.Do("PATCH", first, map[string]any{"type": "Task"})
	types := owner.Get("/orgs/acme/issue-types")
	owner.Do("DELETE", "/orgs/acme/issue-types/"+strconv.Itoa(types.Int("1.id")), nil)
	assert.Nil(t, owner.Get(first).At("type"), "with the type it is gone")
}
