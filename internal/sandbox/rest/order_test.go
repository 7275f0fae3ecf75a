package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// listed returns a field of each row of a list.
func listed(t *testing.T, as *sandboxtest.Client, path, field string) string {
	t.Helper()
	reply := as.Get(path)
	require.Equal(t, http.StatusOK, reply.Status, "%s: %s", path, reply.Body)
	var rows []map[string]any
	require.NoError(t, json.Unmarshal([]byte(reply.Body), &rows), path)
	all := ""
	for _, row := range rows {
		all += fmt.Sprint(row[field], " ")
	}
	return all
}

// The second issue, and the second pull request, have comments.
func TestIssuesAndPullRequestsAreOrderedAsOnGitHub(t *testing.T) {
	w := withIssues(t, 3)
	owner := w.As("owner")
	for n := range 3 {
		openPull(t, w, fmt.Sprint("topic-", n), fmt.Sprint(n, ".txt"), "x\n")
	}
	for _, number := range []string{"2", "5"} {
		require.Equal(t, http.StatusCreated, owner.Do("POST", base+"/issues/"+number+"/comments", `{"body":"x"}`).Status)
	}
	w.Change(func(s *model.State, repo *model.Repo) { s.Issue(repo, 1).Closed = true })
	for query, want := range map[string]string{
		"/issues":                                        "6 5 4 3 2 ",
		"/issues?state=all":                              "6 5 4 3 2 1 ",
		"/issues?state=closed":                           "1 ",
		"/issues?state=all&sort=created":                 "6 5 4 3 2 1 ",
		"/issues?state=all&direction=asc":                "1 2 3 4 5 6 ",
		"/issues?state=all&sort=comments":                "5 2 6 4 3 1 ",
		"/issues?state=all&sort=comments&direction=asc":  "6 4 3 1 5 2 ",
		"/issues?state=all&sort=updated&direction=asc":   "1 3 4 6 2 5 ",
		"/issues?state=all&sort=x&direction=asc":         "6 5 4 3 2 1 ",
		"/issues?state=all&sort=updated&direction=x":     "6 5 4 3 2 1 ",
		"/issues?milestone=none&assignee=none":           "6 5 4 3 2 ",
		"/issues?per_page=x&page=-1&no_such_parameter=x": "6 5 4 3 2 ",
		"/pulls":                                "6 5 4 ",
		"/pulls?state=OPEN":                     "6 5 4 ",
		"/pulls?state=x":                        "6 5 4 ",
		"/pulls?sort=created":                   "4 5 6 ",
		"/pulls?sort=long-running":              "4 5 6 ",
		"/pulls?direction=asc":                  "4 5 6 ",
		"/pulls?direction=x":                    "6 5 4 ",
		"/pulls?sort=popularity":                "4 6 5 ",
		"/pulls?sort=popularity&direction=desc": "5 6 4 ",
		"/pulls?sort=x":                         "4 5 6 ",
		"/pulls?sort=x&direction=desc":          "6 5 4 ",
		"/pulls?sort=updated&direction=x":       "5 6 4 ",
	} {
		assert.Equal(t, want, listed(t, owner, base+query, "number"), query)
	}
}

func TestIssuesAreNotListedByWhatThereIsNot(t *testing.T) {
	w := withIssues(t, 1)
	owner := w.As("owner")
	w.Change(func(s *model.State, repo *model.Repo) { s.AddMilestone(repo, model.NewMilestone{Title: "m"}) })
	for query, field := range map[string]string{
		"/issues?state=x": "state", "/issues?state=OPEN": "state", "/issues?state=": "state",
		"/issues?milestone=2": "milestone", "/issues?milestone=m": "milestone", "/issues?milestone=1061934": "milestone",
	} {
		reply := owner.Get(base + query)
		assert.Equal(t, http.StatusUnprocessableEntity, reply.Status, query)
		assert.Equal(t, []any{"Validation Failed", "Issue", field, "invalid"},
			[]any{reply.At("message"), reply.At("errors.0.resource"), reply.At("errors.0.field"), reply.At("errors.0.code")}, query)
	}
	assert.Equal(t, http.StatusNotFound, owner.Get("/repos/owner/none/issues?state=x").Status, "the repository goes before")
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Get("/issues?state=x").Status)
	for _, query := range []string{"/issues?milestone=1", "/issues?milestone=*", "/issues?milestone=none", "/issues?milestone="} {
		assert.Equal(t, http.StatusOK, owner.Get(base+query).Status, query)
	}
}

// The organization's repositories were made in another order than that of their names.
func TestRepositoriesAreOrderedAndChosenAsOnGitHub(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, hello *model.Repo) {
		org := s.AddUser(model.NewUser{Login: "acme", Type: model.TypeOrganization})
		org.Members = map[model.ID]model.OrgRole{hello.OwnerID: model.OrgOwner}
		for _, name := range []string{"zebra", "ant"} {
			s.Advance()
			s.AddRepo(model.NewRepo{Owner: org.ID, Name: name})
		}
		s.Repo("acme", "ant").Private = true
	})
	owner, reader := w.As("owner"), w.As("reader")
	require.Equal(t, http.StatusAccepted, owner.Do("POST", base+"/forks", `{"organization":"acme","name":"fork"}`).Status)
	for path, want := range map[string]string{
		"/orgs/acme/repos":                            "zebra ant fork ",
		"/orgs/acme/repos?sort=created":               "fork ant zebra ",
		"/orgs/acme/repos?sort=x":                     "fork ant zebra ",
		"/orgs/acme/repos?direction=desc":             "fork ant zebra ",
		"/orgs/acme/repos?direction=x":                "zebra ant fork ",
		"/orgs/acme/repos?sort=full_name":             "ant fork zebra ",
		"/orgs/acme/repos?sort=full_name&direction=x": "ant fork zebra ",
		"/orgs/acme/repos?type=forks":                 "fork ",
		"/orgs/acme/repos?type=member":                "",
		"/orgs/acme/repos?type=private":               "ant ",
		"/orgs/acme/repos?type=public":                "zebra fork ",
		"/orgs/acme/repos?type=sources":               "zebra ant fork ",
		"/orgs/acme/repos?type=x":                     "zebra ant fork ",
		"/user/repos":                                 "ant fork zebra hello ",
		"/user/repos?direction=x":                     "hello zebra fork ant ",
		"/user/repos?sort=created":                    "fork ant zebra hello ",
		"/user/repos?sort=x":                          "fork ant zebra hello ",
		"/user/repos?sort=created&direction=x":        "fork ant zebra hello ",
		"/user/repos?type=owner":                      "hello ",
		"/user/repos?type=member":                     "ant fork zebra ",
		"/user/repos?type=private":                    "ant ",
		"/user/repos?type=x":                          "ant fork zebra hello ",
		"/user/repos?visibility=private":              "ant ",
		"/user/repos?visibility=x":                    "ant fork zebra hello ",
		"/user/repos?affiliation=owner":               "hello ",
		"/user/repos?affiliation=organization_member": "ant fork zebra ",
		"/user/repos?since=2030-01-01T00:00:00Z":      "",
		"/user/repos?before=2030-01-01T00:00:00Z":     "ant fork zebra hello ",
		"/users/owner/repos":                          "hello ",
		"/users/owner/repos?type=all":                 "ant fork zebra hello ",
		"/users/owner/repos?type=member":              "ant fork zebra ",
	} {
		assert.Equal(t, want, listed(t, owner, path, "name"), path)
	}
	assert.Equal(t, "zebra fork ", listed(t, reader, "/orgs/acme/repos", "name"), "what is private is not shown")
	assert.Equal(t, "hello ", listed(t, reader, "/user/repos?affiliation=collaborator", "name"))
	reply := owner.Get("/user/repos?type=owner&affiliation=owner")
	assert.Equal(t, http.StatusUnprocessableEntity, reply.Status)
	assert.Equal(t, "If you specify visibility or affiliation, you cannot specify type.", reply.At("message"))
}

// A direction means something with a sort alone.
func TestCommentsOfARepositoryAreOrderedAsPublished(t *testing.T) {
	w := withIssues(t, 1)
	owner := w.As("owner")
	for n := range 3 {
		require.Equal(t, http.StatusCreated, owner.Do("POST", base+"/issues/1/comments", fmt.Sprintf(`{"body":"%d"}`, n)).Status)
	}
	first := owner.Get(base + "/issues/comments").Int("0.id")
	require.Equal(t, http.StatusOK, owner.Do("PATCH", fmt.Sprintf("%s/issues/comments/%d", base, first), `{"body":"edited"}`).Status)
	for query, want := range map[string]string{
		"": "edited 1 2 ", "?direction=desc": "edited 1 2 ", "?sort=created&direction=desc": "2 1 edited ",
		"?sort=updated": "1 2 edited ", "?sort=updated&direction=desc": "edited 2 1 ", "?sort=x&direction=desc": "edited 1 2 ",
	} {
		assert.Equal(t, want, listed(t, owner, base+"/issues/comments"+query, "body"), query)
	}
}

func TestSearchesEndAtTheThousandthResult(t *testing.T) {
	w := sandboxtest.New(t)
	reader := w.As("reader")
	for path, want := range map[string]int{
		"/search/issues?q=x&page=34": 200, "/search/issues?q=x&page=35": 422, "/search/issues?q=x&page=143&per_page=7": 200, "/search/issues?q=x&page=144&per_page=7": 422,
		"/search/repositories?q=x&page=10&per_page=100": 200, "/search/repositories?q=x&page=11&per_page=101": 422, "/search/issues?q=x&page=9223372036854775807": 422,
		"/search/code?q=x&page=33": 200, "/search/code?q=x&page=34": 422, "/search/code?q=x&page=142&per_page=7": 200, "/search/code?q=x&page=143&per_page=7": 422,
		"/search/code?q=x&page=x": 400, "/search/code?q=x&per_page=-1": 400, "/search/code?q=x&per_page=": 400, "/search/code?q=x&page=4294967296": 400,
		"/search/code?q=x&q=y": 400, "/search/code?per_page=1.5": 400, "/search/code?q=+&page=99": 422, "/search/issues?q=x&per_page=x&page=-1": 200,
	} {
		assert.Equal(t, want, reader.Get(path).Status, path)
	}
	reply := reader.Get("/search/code?q=x&per_page=x")
	assert.Equal(t, "Failed to deserialize query string: per_page: invalid digit found in string", reply.Body)
	assert.Equal(t, "text/plain; charset=utf-8", reply.Header.Get("Content-Type"))
	assert.Equal(t, "Only the first 1000 search results are available", reader.Get("/search/issues?q=x&page=35").At("message"))
	assert.Equal(t, "Cannot access beyond the first 1000 results", reader.Get("/search/code?q=x&page=34").At("message"))
}
