package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// Owners change what members are and take them out; one owner stays.
func TestOwnersChangeMembers(t *testing.T) {
	w := acme(t)
	w.Change(func(s *model.State, _ *model.Repo) {
		org, repo := s.User("acme"), s.Repo("acme", "home")
		s.AddTeam(org, "makers", s.User("writer").ID)
		repo.Collaborators[s.User("writer").ID] = model.PermAdmin
	})
	owner, writer := w.As("owner"), w.As("writer")
	const orgs = "/orgs/acme"
	assert.Equal(t, "reader", owner.Get(orgs+"/outside_collaborators").Text("0.login"))
	for path, want := range map[string]string{
		"/rulesets": "[]", "/invitations": "[]", "/blocks": "[]", "/properties/schema": "[]", "/actions/runners": `{"runners":[],"total_count":0}`, "/actions/secrets": `{"secrets":[],"total_count":0}`,
		"/actions/permissions": `{"allowed_actions":"all","enabled_repositories":"all","sha_pinning_required":false}`,
	} {
		assert.JSONEq(t, want, owner.Get(orgs+path).Body, path)
		assert.Equal(t, http.StatusNotFound, writer.Get(orgs+path).Status, path)
	}
	assert.Equal(t, http.StatusForbidden, writer.Do("PUT", orgs+"/memberships/owner", map[string]any{"role": "member"}).Status)
	assert.Equal(t, http.StatusForbidden, owner.Do("PUT", orgs+"/memberships/owner", map[string]any{"role": "member"}).Status, "it is the only owner")
	assert.Equal(t, http.StatusForbidden, owner.Do("DELETE", orgs+"/members/owner", nil).Status)
	assert.Equal(t, "admin", owner.Do("PUT", orgs+"/memberships/writer", map[string]any{"role": "admin"}).Text("role"))
	assert.Equal(t, "member", owner.Do("PUT", orgs+"/memberships/writer", nil).Text("role"))
	assert.Equal(t, "pending", owner.Do("PUT", orgs+"/memberships/stranger", nil).Text("state"))
	assert.Equal(t, http.StatusNotFound, owner.Do("DELETE", orgs+"/members/stranger", nil).Status)
	assert.Equal(t, http.StatusNotFound, w.As("stranger").Do("DELETE", orgs+"/members/writer", nil).Status)
	assert.Equal(t, http.StatusNoContent, writer.Do("DELETE", orgs+"/memberships/writer", nil).Status, "who wants to go may")
	assert.Equal(t, http.StatusNotFound, owner.Get(orgs+"/members/writer").Status)
	assert.Equal(t, 0, owner.Get(orgs+"/teams/makers").Int("members_count"))
	assert.Equal(t, "read", owner.Get("/repos/acme/home/collaborators/writer/permission").Text("permission"), "it is public")
	w.Look(func(s *model.State) { assert.NoError(t, s.Validate()) })
}

func TestTeamsAreSecretUnlessToldOtherwise(t *testing.T) {
	w := acme(t)
	owner := w.As("owner")
	const teams = "/orgs/acme/teams"
	top := owner.Do("POST", teams, map[string]any{"name": "Top"})
	assert.Equal(t, []any{"secret", "notifications_enabled"}, []any{top.At("privacy"), top.At("notification_setting")})
	under := owner.Do("POST", teams, map[string]any{"name": "Under", "parent_team_id": top.Int("id"), "notification_setting": "notifications_disabled"})
	assert.Equal(t, []any{"closed", "top", "notifications_disabled"}, []any{under.At("privacy"), under.At("parent.slug"), under.At("notification_setting")})
	assert.Equal(t, http.StatusNotFound, owner.Do("POST", teams, map[string]any{"name": "x", "parent_team_id": 1}).Status)
	assert.Equal(t, "top", owner.Do("PATCH", teams+"/under", map[string]any{"name": "Under"}).Text("parent.slug"), "it stays")
	assert.Nil(t, owner.Do("PATCH", teams+"/under", map[string]any{"parent_team_id": nil}).At("parent"))
	assert.Equal(t, "acme", owner.Get("/user/teams").Text("0.organization.login"))
	owner.Do("POST", "/repos/acme/home/issues", map[string]any{"title": "@acme/under"})
	assert.Equal(t, "[]", owner.Get("/notifications").Body)
}

func TestWhatIsWrongAboutCodeOwners(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	const errs = base + "/codeowners/errors"
	assert.Equal(t, http.StatusNotFound, owner.Get(errs).Status, "there is no such file")
	owner.Do("PUT", base+"/contents/.github/CODEOWNERS", map[string]any{"message": "m", "content": "KiBAb3duZXIKKi5nbyBAd3JpdGVyIEByZWFkZXIgIyBAbm9ib2R5Ci9hIEB4L3kK"})
	found := owner.Get(errs)
	assert.Equal(t, []any{2.0, 14.0, "Unknown owner", "*.go @writer @reader # @nobody", ".github/CODEOWNERS"},
		[]any{found.At("errors.0.line"), found.At("errors.0.column"), found.At("errors.0.kind"), found.At("errors.0.source"), found.At("errors.0.path")})
	assert.Equal(t, "Unknown owner on line 2: make sure @reader exists and has write access to the repository\n\n  *.go @writer @reader # @nobody\n               ^", found.Text("errors.0.message"))
	assert.Contains(t, found.Text("errors.1.suggestion"), "the team @x/y exists")
	assert.Nil(t, found.At("errors.2"))
	assert.Equal(t, http.StatusNotFound, owner.Get(errs+"?ref=none").Status)
}

func TestSmallThingsThatClientsSend(t *testing.T) {
	w := withIssues(t, 1)
	openPull(t, w, "topic", "a.txt", "a\n")
	owner := w.As("owner")
	fork := w.As("stranger").Do("POST", base+"/forks", map[string]any{"default_branch_only": true})
	assert.Equal(t, http.StatusAccepted, fork.Status)
	assert.Equal(t, []any{"main", nil}, []any{owner.Get("/repos/stranger/hello/branches").At("0.name"), owner.Get("/repos/stranger/hello/branches").At("1.name")})

	owner.Do("POST", base+"/issues/1/reactions", map[string]any{"content": "+1"})
	for _, path := range []string{"/issues/1", "/issues"} {
		assert.Contains(t, owner.Get(base+path).Body, `"+1":1`, path)
	}
	sha := owner.Get(base+"/commits/main", "Accept", "application/vnd.github.sha")
	assert.Equal(t, http.StatusNotModified, owner.Get(base+"/commits/main", "Accept", "application/vnd.github.sha", "If-None-Match", `"`+sha.Body+`"`).Status)
	assert.Equal(t, http.StatusOK, owner.Get(base+"/commits/topic", "Accept", "application/vnd.github.sha", "If-None-Match", `"`+sha.Body+`"`).Status)

	w.AddToken("gists", sandbox.Token{User: "owner", Scopes: []string{"gist"}})
	gist := w.With("gists").Do("POST", "/gists", map[string]any{"files": map[string]any{"a.go": map[string]any{"content": "x"}, "b.md": map[string]any{"content": "y"}, "c": map[string]any{"content": "z"}}})
	assert.Equal(t, http.StatusCreated, gist.Status, gist.Body)
	assert.Contains(t, gist.Body, `"language":"Go"`)
	assert.Contains(t, gist.Body, `"language":"Markdown"`)
	assert.Contains(t, gist.Body, `"language":"Text"`)
	const changes = "it is changed as gh does that"
	one := "/gists/" + gist.Text("id")
	assert.Equal(t, changes, w.With("gists").Do("POST", one, map[string]any{"description": changes}).Text("description"))
	assert.Equal(t, http.StatusNotFound, owner.Do("POST", one, map[string]any{"description": "x"}).Status, "the token has not the scope")

	owner.Do("POST", base+"/labels", map[string]any{"name": "bug one", "color": "ffffff"})
	owner.Do("POST", base+"/labels", map[string]any{"name": "bug two", "color": "ffffff"})
	labels := owner.Get("/search/labels?q=bug&sort=created&order=asc&repository_id=" + strconv.Itoa(owner.Get(base).Int("id")))
	assert.Equal(t, []string{"bug one", "bug two"}, []string{labels.Text("items.0.name"), labels.Text("items.1.name")}, labels.Body)
}

func TestWhoIsInvitedIsAMemberOnceHeAccepts(t *testing.T) {
	w := acme(t)
	const orgs = "/orgs/acme"
	owner, stranger := w.As("owner"), w.As("stranger")
	assert.Equal(t, http.StatusNotFound, stranger.Do("POST", orgs+"/invitations", map[string]any{"email": "a@b.org"}).Status)
	byMail := owner.Do("POST", orgs+"/invitations", map[string]any{"email": "a@b.org", "role": "admin"})
	assert.Equal(t, http.StatusCreated, byMail.Status)
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("POST", orgs+"/invitations", map[string]any{"email": "A@b.org"}).Status)
	assert.Equal(t, http.StatusNoContent, owner.Do("DELETE", fmt.Sprintf("%s/invitations/%d", orgs, byMail.Int("id")), nil).Status)
	team := owner.Do("POST", orgs+"/teams", map[string]any{"name": "Makers"}).Int("id")
	var id model.ID
	w.Look(func(s *model.State) { id = s.User("stranger").ID })
	invited := owner.Do("POST", orgs+"/invitations", map[string]any{"invitee_id": id, "team_ids": []int{team}})
	assert.Equal(t, "stranger", invited.Text("login"))
	assert.Equal(t, 1, invited.Int("team_count"))
	assert.Len(t, itemsOf(t, owner.Get(orgs+"/invitations")), 1)
	assert.Equal(t, http.StatusNotFound, owner.Get(orgs+"/members/stranger").Status)
	assert.Len(t, itemsOf(t, stranger.Get("/user/memberships/orgs?state=pending")), 1)
	assert.Equal(t, "active", stranger.Do("PATCH", "/user/memberships/orgs/acme", map[string]any{"state": "active"}).Text("state"))
	assert.Empty(t, itemsOf(t, owner.Get(orgs+"/invitations")))
	assert.Equal(t, http.StatusNoContent, owner.Get(orgs+"/members/stranger").Status)
	assert.Equal(t, "active", owner.Get(orgs+"/teams/makers/memberships/stranger").Text("state"))
	named := owner.Do("PATCH", owner.Get(orgs + "/teams/makers").Text("url")[len("https://api.github.com"):], map[string]any{"name": "Doers"})
	assert.Equal(t, "doers", named.Text("slug"), "a team's own address serves it")

	again := owner.Do("POST", orgs+"/invitations", map[string]any{"email": "a@b.org", "team_ids": []int{team}})
	assert.Equal(t, http.StatusNoContent, owner.Do("DELETE", orgs+"/teams/doers", nil).Status)
	assert.Empty(t, itemsOf(t, owner.Get(fmt.Sprintf("%s/invitations/%d/teams", orgs, again.Int("id")))), "nobody joins a team that is gone")
	assert.Equal(t, 0, owner.Get(orgs+"/invitations").Int("0.team_count"))
	w.Look(func(s *model.State) { assert.NoError(t, s.Validate()) })
}

func TestABranchHasAHistory(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	const base = "/repos/owner/hello"
	head := writer.Get(base + "/git/ref/heads/main").Text("object.sha")
	assert.Equal(t, http.StatusCreated, writer.Do("POST", base+"/git/refs", map[string]any{"ref": "refs/heads/side", "sha": head}).Status)
	assert.Equal(t, http.StatusCreated, writer.Do("PUT", base+"/contents/side.txt", map[string]any{"message": "m", "content": "eA==", "branch": "side"}).Status)
	assert.Equal(t, http.StatusOK, writer.Do("PATCH", base+"/git/refs/heads/side", map[string]any{"sha": head, "force": true}).Status)
	assert.Equal(t, http.StatusNoContent, writer.Do("DELETE", base+"/git/refs/heads/side", nil).Status)
	var kinds []string
	for _, move := range itemsOf(t, writer.Get(base+"/activity?ref=side")) {
		kinds = append(kinds, fmt.Sprint(move["activity_type"]))
	}
	assert.Equal(t, []string{"branch_deletion", "force_push", "push", "branch_creation"}, kinds)
	assert.Len(t, itemsOf(t, writer.Get(base+"/activity?activity_type=push&actor=writer")), 1)
	assert.Empty(t, itemsOf(t, writer.Get(base+"/activity?actor=owner")))
}

func itemsOf(t *testing.T, r sandboxtest.Reply) (items []map[string]any) {
	t.Helper()
	assert.NoError(t, json.Unmarshal([]byte(r.Body), &items), r.Body)
	return items
}

// Who is asked into a team and is in no organization is asked into that, too.
func TestTeamsAskPeopleIn(t *testing.T) {
	w := acme(t)
	w.Change(func(s *model.State, _ *model.Repo) {
		s.AddTeam(s.User("acme"), "makers", s.User("owner").ID)
		s.AddTeam(s.User("acme"), "menders", s.User("owner").ID)
	})
	owner, stranger := withAll(w, "owner"), withAll(w, "stranger")
	for _, team := range []string{"makers", "menders"} {
		path := "/orgs/acme/teams/" + team + "/memberships/stranger"
		assert.Equal(t, http.StatusNotFound, owner.Get(path).Status)
		asked := owner.Do("PUT", path, nil)
		assert.Equal(t, []any{http.StatusOK, "pending", "member"}, []any{asked.Status, asked.Text("state"), asked.Text("role")})
		assert.Equal(t, asked.Body, owner.Get(path).Body)
	}
	assert.Equal(t, 2, owner.Get("/orgs/acme/invitations").Int("0.team_count"))
	assert.Equal(t, "active", stranger.Do("PATCH", "/user/memberships/orgs/acme", `{"state": "active"}`).Text("state"))
	assert.Equal(t, "active", owner.Get("/orgs/acme/teams/menders/memberships/stranger").Text("state"))
}
