package rest_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// busy is a world that has something behind every route.
func busy(t *testing.T) *sandboxtest.World {
	t.Helper()
	w := sandboxtest.New(t, gitstore.Change{
		Path: ".github/workflows/ci.yml", Content: []byte("on: [pull_request, workflow_dispatch]\njobs: {build: {steps: [{run: make}]}}\n"),
	})
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "ci.yml", Uploads: []model.Upload{{Name: "report", File: "report.txt", Text: "x"}}}}
	})
	openPull(t, w, "f", "f.txt", "x\n")
	w.Change(func(s *model.State, repo *model.Repo) { s.AddMilestone(repo, model.NewMilestone{Title: "x"}) })
	owner := w.As("owner")
	for _, r := range []struct{ path, body string }{
		{"/issues", `{"title":"x","labels":["bug"],"assignees":["writer"]}`},
		{"/issues/2/comments", `{"body":"x"}`},
		{"/commits/main/comments", `{"body":"x"}`},
		{"/pulls/1/reviews", `{"event":"COMMENT","body":"x","comments":[{"path":"f.txt","line":1,"body":"x"}]}`},
	} {
		assert.Less(t, owner.Do("POST", base+r.path, r.body).Status, 300)
	}
	head := owner.Get(base + "/git/ref/heads/main").Text("object.sha")
	tag := owner.Do("POST", base+"/git/tags", map[string]string{"tag": "v1", "message": "x", "object": head, "type": "commit"}).Text("sha")
	sub := owner.Get(base + "/issues/2").Int("id")
	for _, r := range []struct {
		path string
		body map[string]any
	}{
		{"/git/refs", map[string]any{"ref": "refs/tags/v1", "sha": tag}},
		{"/issues", map[string]any{"title": "parent"}},
		{"/issues/3/sub_issues", map[string]any{"sub_issue_id": sub}},
		{"/releases", map[string]any{"tag_name": "v2"}},
		{"/releases", map[string]any{"tag_name": "rel/one"}},
	} {
		assert.Less(t, owner.Do("POST", base+r.path, r.body).Status, 300)
	}
	release := owner.Get(base + "/releases/latest").Int("id")
	assert.Less(t, owner.Do("POST", fmt.Sprintf("%s/releases/%d/assets?name=a.txt", base, release), "a").Status, 300)
	for _, r := range []struct{ method, path, body string }{
		{"PUT", "/actions/secrets/S", fmt.Sprintf(`{"encrypted_value":"x","key_id":%q}`, owner.Get(base+"/actions/secrets/public-key").Text("key_id"))},
		{"POST", "/actions/variables", `{"name":"V","value":"x"}`},
		{"POST", "/keys", `{"title":"x","key":"ssh-ed25519 AAAA"}`},
	} {
		assert.Less(t, owner.Do(r.method, base+r.path, r.body).Status, 300)
	}
	assert.Less(t, w.As("reader").Do("PUT", "/user/starred/owner/hello", nil).Status, 300)
	return w
}

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// Whatever is asked for, there is an answer, and it does not say that the
// server broke.
func TestNoRequestBreaksTheServer(t *testing.T) {
	testkit.NeedComplete(t)
	w := busy(t)
	owner := w.As("owner")
	values := []string{
		"0", "-1", "1", "2", "1000001", "9223372036854775807", "99999999999999999999", "1e3", "%00", "%2e%2e", "..%2f..%2fx", "%20",
		"main", "heads%2Fmain", "%F0%9F%92%A5", strings.Repeat("x", 5000), "0123456789012345678901234567890123456789",
	}
	bodies := []string{
		``, `{}`, `[]`, `null`, `{`, `{"title":null,"body":null,"labels":null,"head":null,"sha":null,"inputs":null,"comments":null}`,
		`{"title":{},"body":[],"labels":{},"event":5,"sha":5,"ref":5,"line":"x","comments":[null],"inputs":[]}`,
		`{"title":"x","head":"f","base":"main","ref":"main","message":"m","content":"eA==","line":-1,"start_line":9223372036854775807,` +
			`"path":"../x","body":"b","commit_id":"zz","event":"APPROVE","comments":[{"path":"f.txt","line":-5}],"in_reply_to":-1,"inputs":{"a":[]}}`,
	}
	// All of them are more than 50,000 requests.
	sent, each := 0, 7
	if testkit.IsComplete() {
		each = 1
	}
	queries := []string{"", "?per_page=-1&page=-1&since=x&state=x&sort=x&direction=x&labels=,,&milestone=x&assignee=x&sha=..&path=..&ref=..&recursive=&filter=all&status=x&q=:"}
	for _, pattern := range rest.Patterns() {
		method, path, _ := strings.Cut(pattern, " ")
		path = strings.NewReplacer("{owner}", "owner", "{repo}", "hello", "{$}", "").Replace(path)
		for _, value := range values {
			target := placeholder.ReplaceAllString(path, strings.ReplaceAll(value, "$", "$$"))
			fitting := bodies
			if method == http.MethodGet {
				fitting = bodies[:1]
			}
			for _, body := range fitting {
				for _, query := range queries {
					if sent++; sent%each != 0 {
						continue
					}
					reply := owner.Do(method, target+query, body)
					broken := reply.Status >= http.StatusInternalServerError && reply.Status != http.StatusNotImplemented
					assert.False(t, broken, "%s %s %s: %s", method, target+query, body, reply.Body)
				}
			}
			if target == path {
				break
			}
		}
	}
}

// concrete fills a pattern's placeholders with what there is in a busy world.
func concrete(s *model.State, path string) string {
	ids := map[string]model.ID{}
	for r := range s.Runs.All() {
		ids["run"] = r.ID
	}
	for j := range s.Jobs.All() {
		ids["job"] = j.ID
	}
	for a := range s.Artifacts.All() {
		ids["artifact"] = a.ID
	}
	for c := range s.ReviewComments.All() {
		ids["comment"] = c.ID
	}
	for r := range s.Reviews.All() {
		if r.SubmittedAt != nil {
			ids["review"] = r.ID
		}
	}
	for c := range s.Comments.All() {
		ids["issue comment"] = c.ID
	}
	for c := range s.CheckSuites.All() {
		ids["suite"] = c.ID
	}
	for r := range s.Releases.All() {
		for _, a := range r.Assets {
			ids["release"], ids["asset"] = r.ID, a.ID
		}
	}
	for _, k := range s.Repo("owner", "hello").Keys {
		ids["key"] = k.ID
	}
	head, _ := s.BranchHead(s.Repo("owner", "hello"), "main")
	id := "run"
	if strings.Contains(path, "jobs/{id}") || strings.Contains(path, "check-runs/") {
		id = "job"
	}
	if strings.Contains(path, "/artifacts/") {
		id = "artifact"
	}
	if strings.Contains(path, "/check-suites/") {
		id = "suite"
	}
	if strings.Contains(path, "/releases/") {
		id = "release"
	}
	for d := range s.Deployments.All() {
		ids["deployment"] = d.ID
	}
	for d := range s.DeploymentStatuses.All() {
		ids["status"] = d.ID
	}
	if e := s.Environment(s.Repo("owner", "hello"), "production"); e != nil {
		ids["policy"] = e.Policies[0].ID
	}
	if strings.Contains(path, "/deployments/") {
		id = "deployment"
	}
	for c := range s.CommitComments.All() {
		ids["commit comment"] = c.ID
	}
	if strings.Contains(path, "{repo}/comments/") || strings.Contains(path, "{repository_id}/comments/") {
		id = "commit comment"
	}
	if strings.Contains(path, "/issues/comments/") {
		id = "issue comment"
	}
	number := "1"
	if strings.Contains(path, "/issues/") {
		number = "2"
	}
	blob, _ := s.Repo("owner", "hello").Git.Entry(head, "README.md")
	tag, _ := s.Repo("owner", "hello").Git.Ref("refs/tags/v1")
	return strings.NewReplacer(
		"{owner}", "owner", "{repo}", "hello", "{$}", "", "{username}", "writer", "{branch...}", "main", "{branch}", "main",
		"/git/blobs/{sha}", "/git/blobs/"+blob.Hash.String(), "/git/tags/{sha}", "/git/tags/"+tag.String(), "{sha}", head.String(),
		"/issues/{number}/{id}/{below}", "/issues/2/assignees/writer", "/issues/{number}/{id}", "/issues/comments/"+itoa(ids["issue comment"]), "/pulls/{number}/{below}/{last}", "/pulls/1/reviews/"+itoa(ids["review"]), "/pulls/{number}/{id}", "/pulls/comments/"+itoa(ids["comment"]),
		"/releases/assets/{id}", "/releases/assets/"+itoa(ids["asset"]), "{below}", "assets", "{tag}/{rest...}", "rel/one", "{tag}", "v2",
		"{ends...}", "main...f", "/ref/{ref...}", "/ref/heads/main", "/matching-refs/{ref...}", "/matching-refs/heads", "/commits/{ref...}", "/commits/main",
		"{ref...}", "heads/f", "{path...}", "README.md", "{number}", number, "labels/{name...}", "labels/bug", "labels/{name}", "labels/bug", "secrets/{name}", "secrets/S", "variables/{name}", "variables/V",
		"{key}", itoa(ids["key"]), "{cache}", "1", "{workflow}", "ci.yml", "{attempt}", "1",
		"/hooks/{id}", "/hooks/1", "{delivery}", "1", "{id}", itoa(ids[id]), "{comment}", itoa(ids["comment"]), "{review}", itoa(ids["review"]), "{issue_id}", "1", "{reaction}", "1", "{alert}", "1", "{ruleset}", "1", "{assignee}", "writer", "{team}", "makers", "{org}", "org", "{team_id}", "1", "{dir...}", "docs", "{environment}", "production", "{policy}", itoa(ids["policy"]), "{status}", itoa(ids["status"]),
	).Replace(path)
}

func TestPrivateRepositoriesAreNotThere(t *testing.T) {
	w := busy(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		repo.Private = true
		e, err := s.SetEnvironment(repo.OwnerID, repo, "production", false, true)
		require.NoError(t, err)
		_, err = s.SetPolicy(repo.OwnerID, e, 0, "main", model.TargetBranch)
		require.NoError(t, err)
		d, _, err := s.CreateDeployment(repo.OwnerID, repo, model.NewDeployment{Ref: "main", Environment: "production", KeepsRef: true, Contexts: []string{}})
		require.NoError(t, err)
		_, err = s.CreateDeploymentStatus(repo.OwnerID, d, model.NewDeploymentStatus{State: "success"})
		require.NoError(t, err)
	})
	var id model.ID
	w.Look(func(s *model.State) { id = s.Repo("owner", "hello").ID })
	for _, pattern := range rest.Patterns() {
		// What teams have is for members of their organization.
		if !strings.Contains(pattern, "{repo}") || strings.HasSuffix(pattern, "/installation") || strings.Contains(pattern, "/{team") {
			continue
		}
		method, path, _ := strings.Cut(pattern, " ")
		w.Look(func(s *model.State) { path = concrete(s, path) })
		assert.NotContains(t, path, "{")
		byID := strings.Replace(path, base, "/repositories/"+itoa(id), 1)
		for _, path := range []string{path, byID} {
			stranger := w.As("stranger").Do(method, path, nil)
			assert.Equal(t, http.StatusNotFound, stranger.Status, "%s %s", method, path)
			assert.Equal(t, "Not Found", stranger.Text("message"), "%s %s", method, path)
			if method == http.MethodGet {
				reader := w.As("reader").Get(path)
				want := []int{http.StatusOK, http.StatusNoContent}
				hidden := []string{"/hooks", "/protection", "/merge", "/permission", "/collaborators", "/keys", "/actions/secrets", "/actions/variables", "/alerts", "/rulesets/1", "/subscription",
					"/license", "/traffic", "/readme/docs", "/invitations", "/teams", "/actions/permissions", "/production/secrets", "/production/variables", "/autolinks", "/vulnerability-alerts", "/automated-security-fixes", "/private-vulnerability-reporting",
					"/actions/runners", "/organization-secrets", "/organization-variables", "/secrets", "/codespaces", "/interaction-limits", "/codeowners/errors", "/pages"}
				if slices.ContainsFunc(hidden, func(part string) bool { return strings.Contains(path+"/", part+"/") }) {
					want = []int{http.StatusNotFound, http.StatusForbidden}
				}
				assert.True(t, slices.Contains(want, reader.Status), "%s: %d %s", path, reader.Status, reader.Body)
			}
		}
	}
	assert.Zero(t, w.As("stranger").Get("/search/repositories?q=hello").Int("total_count"))
	assert.Equal(t, 1, w.As("reader").Get("/search/repositories?q=hello").Int("total_count"))
}

// An id of one repository is nothing in another one.
func TestIDsOfAnotherRepository(t *testing.T) {
	w := busy(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		other := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "other"})
		assert.NoError(t, s.PushInitial(repo.OwnerID, other, []gitstore.Change{{Path: "a", Content: []byte("x")}}, "first"))
		for range 2 {
			_, err := s.OpenIssue(repo.OwnerID, other, model.NewIssue{Title: "x"})
			assert.NoError(t, err)
		}
	})
	owner := w.As("owner")
	for _, pattern := range rest.Patterns() {
		if !strings.Contains(pattern, "{repo}") || !strings.Contains(pattern, "{id}") && !strings.Contains(pattern, "{workflow}") && !strings.Contains(pattern, "{comment}") {
			continue
		}
		method, path, _ := strings.Cut(pattern, " ")
		w.Look(func(s *model.State) { path = concrete(s, path) })
		other := strings.Replace(path, base, "/repos/owner/other", 1)
		assert.Equal(t, http.StatusNotFound, owner.Do(method, other, `{"body":"x"}`).Status, "%s %s", method, other)
	}
}
