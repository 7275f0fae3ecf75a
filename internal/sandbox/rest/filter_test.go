package rest_test

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// A permission is the least that who is listed has. Of an organization's repository
// its owners and who is in a team with it are collaborators too, the organization is not.
func TestCollaboratorsAreFiltered(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, _ *model.Repo) {
		org := s.AddUser(model.NewUser{Login: "acme", Type: model.TypeOrganization})
		s.SetMember(org, s.User("owner").ID, model.OrgOwner)
		for _, login := range []string{"stranger", "triager"} {
			s.SetMember(org, s.User(login).ID, model.OrgMember)
		}
		of := s.AddRepo(model.NewRepo{Owner: org.ID, Name: "parts"})
		of.Collaborators[s.User("writer").ID], of.Collaborators[s.User("triager").ID] = model.PermMaintain, model.PermTriage
		require.NoError(t, s.GiveTeam(s.User("owner").ID, s.AddTeam(org, "str", s.User("stranger").ID), of, model.PermWrite))
	})
	owner := w.As("owner")
	for path, want := range map[string]string{
		base + "/collaborators":                                       "owner writer triager reader ",
		base + "/collaborators?permission=push":                       "owner writer ",
		base + "/collaborators?permission=pull&per_page=1&page=4":     "reader ",
		base + "/collaborators?permission=admin":                      "owner ",
		base + "/collaborators?affiliation=direct&permission=triage":  "owner writer triager ",
		base + "/collaborators?affiliation=outside&permission=triage": "writer triager ",
		"/repos/acme/parts/collaborators":                             "owner writer triager stranger ",
		"/repos/acme/parts/collaborators?permission=push":             "owner writer stranger ",
		"/repos/acme/parts/collaborators?permission=maintain":         "owner writer ",
		"/repos/acme/parts/collaborators?affiliation=direct":          "writer triager ",
		"/repos/acme/parts/collaborators?affiliation=outside":         "writer ",
	} {
		assert.Equal(t, want, listed(t, owner, path, "login"), path)
	}
}

func TestMembersAndTeamsAreFiltered(t *testing.T) {
	w := boards(t)
	owner, writer := w.As("owner"), w.As("writer")
	w.Change(func(s *model.State, _ *model.Repo) { s.AddTeam(s.User("acme"), "str", s.User("writer").ID) })
	for path, want := range map[string]string{
		"/orgs/acme/members":                     "owner writer ",
		"/orgs/acme/members?role=all&filter=all": "owner writer ",
		"/orgs/acme/members?role=admin":          "owner ",
		"/orgs/acme/members?role=member":         "writer ",
		"/orgs/acme/members?filter=2fa_disabled": "",
	} {
		assert.Equal(t, want, listed(t, owner, path, "login"), path)
	}
	assert.Equal(t, "Only owners can use this filter.", writer.Get("/orgs/acme/members?filter=2fa_disabled").Text("message"))
	assert.Equal(t, "str ", listed(t, writer, "/orgs/acme/teams?team_type=organization", "name"))
	assert.Empty(t, listed(t, writer, "/orgs/acme/teams?team_type=enterprise", "name"))
}

// What few lists take is read even where there is but one row.
func TestRareParametersAreRead(t *testing.T) {
	w := withIssues(t, 2)
	w.AddToken("all", sandbox.Token{User: "owner"})
	owner := w.With("all")
	require.Equal(t, http.StatusCreated, owner.Do("POST", "/gists", `{"files":{"a.txt":{"content":"x"}},"public":true}`).Status)
	require.Equal(t, http.StatusAccepted, w.As("reader").Do("POST", base+"/forks", nil).Status)
	require.Equal(t, http.StatusOK, owner.Do("PUT", base+"/topics", `{"names":["a","b"]}`).Status)
	require.Equal(t, http.StatusCreated, owner.Do("POST", base+"/labels", `{"name":"help wanted"}`).Status)
	require.Equal(t, http.StatusOK, owner.Do("POST", base+"/issues/1/labels", `{"labels":["help wanted"]}`).Status)
	for path, want := range map[string]string{
		"/gists?since=2020-01-01T00:00:00Z":        "true ",
		"/gists/public?since=2020-01-01T00:00:00Z": "true ",
		"/gists?since=2126-01-01T00:00:00Z":        "",
	} {
		assert.Equal(t, want, listed(t, owner, path, "public"), path)
	}
	assert.Equal(t, "reader/hello ", listed(t, owner, base+"/forks?sort=oldest", "full_name"))
	assert.Equal(t, "2 1 ", listed(t, owner, base+"/issues?type=none", "number"))
	assert.Empty(t, listed(t, owner, base+"/issues?type=Bug", "number"))
	assert.Equal(t, "b", owner.Get(base+"/topics?per_page=1&page=2").Text("names.0"))
	assert.Equal(t, "owner", owner.Get("/search/users?q=owner&sort=followers").Text("items.0.login"))
	found := owner.Get("/search/repositories?q=hello+fork:true&sort=help-wanted-issues")
	assert.Equal(t, "owner/hello", found.Text("items.0.full_name"), "help is wanted there")
}

// Suites are found by the names of their checks, and artifacts come in both directions.
func TestChecksAndArtifactsAreFiltered(t *testing.T) {
	w := busy(t)
	owner := w.As("owner")
	var run, head, name string
	w.Look(func(s *model.State) {
		for a := range s.Artifacts.All() {
			run, head = itoa(a.RunID), s.Runs.Get(a.RunID).HeadSHA
		}
		for c := range s.CheckRuns.All() {
			if c.HeadSHA == head {
				name = c.Name
			}
		}
	})
	suites := base + "/commits/" + head + "/check-suites"
	assert.Positive(t, owner.Get(suites+"?check_name="+name).Int("total_count"))
	assert.Zero(t, owner.Get(suites+"?check_name=none").Int("total_count"))
	artifacts := base + "/actions/runs/" + run + "/artifacts"
	assert.Equal(t, owner.Get(artifacts).Body, owner.Get(artifacts+"?direction=desc").Body)
	assert.Equal(t, http.StatusOK, owner.Get(artifacts+"?direction=asc").Status)
}

// The files of a commit are in pages, those of most in one.
func TestFilesOfACommitAreInPages(t *testing.T) {
	w := sandboxtest.New(t)
	var files []gitstore.Change
	for n := range 301 {
		files = append(files, gitstore.Change{Path: fmt.Sprintf("f%03d.txt", n), Content: []byte("x\n")})
	}
	w.Change(func(s *model.State, repo *model.Repo) {
		many := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "many"})
		require.NoError(t, s.PushInitial(repo.OwnerID, many, files, "first"))
	})
	reader := w.As("reader")
	const commit = "/repos/owner/many/commits/main"
	first, second := reader.Get(commit), reader.Get(commit+"?page=2")
	assert.Len(t, first.At("files"), 300)
	assert.Contains(t, first.Header.Get("Link"), `page=2>; rel="next"`)
	assert.Equal(t, "f300.txt", second.Text("files.0.filename"))
	assert.Equal(t, 301, second.Int("stats.total"), "all of it is counted on each page")
	assert.Equal(t, "f002.txt", reader.Get(commit+"?page=2&per_page=2").Text("files.0.filename"))
	assert.Empty(t, reader.Get(base+"/commits/main").Header.Get("Link"))
}

// Projects, their fields and their items go by cursors, which the links name.
func TestProjectsGoByCursors(t *testing.T) {
	w := boards(t)
	owner := w.As("owner")
	const fields = "/orgs/acme/projectsV2/1/fields?per_page=5"
	all := listed(t, owner, fields+"0", "id")
	next := regexp.MustCompile(`<[^>]*(/org[^>]*after=[^>]*)>; rel="next"`)
	previous := regexp.MustCompile(`<[^>]*(/org[^>]*before=[^>]*)>; rel="prev"`)
	seen, path := "", fields
	for {
		seen += listed(t, owner, path, "id")
		link := next.FindStringSubmatch(owner.Get(path).Header.Get("Link"))
		if link == nil {
			break
		}
		path = link[1]
	}
	assert.Equal(t, all, seen, "following the links leads to all")
	back := previous.FindStringSubmatch(owner.Get(path).Header.Get("Link"))
	require.NotNil(t, back)
	assert.Contains(t, all, listed(t, owner, back[1], "id")+listed(t, owner, path, "id"), "what is before it")
	assert.Equal(t, listed(t, owner, fields, "id"), listed(t, owner, fields+"&after=none", "id"))
	assert.Equal(t, "Board ", listed(t, owner, "/users/owner/projectsV2?per_page=1&before=none", "title"))
}
