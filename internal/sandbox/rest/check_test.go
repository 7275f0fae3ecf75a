package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// asApp returns a client with a token of an App. Permissions are names and
// levels in turn.
func asApp(w *sandboxtest.World, slug string, permissions ...string) *sandboxtest.Client {
	granted := map[string]string{}
	for i := 0; i+1 < len(permissions); i += 2 {
		granted[permissions[i]] = permissions[i+1]
	}
	token := slug + fmt.Sprint(permissions)
	w.AddToken(token, sandbox.Token{App: slug, Permissions: granted})
	return w.With(token)
}

func headOf(w *sandboxtest.World) string {
	return w.As("reader").Get(base + "/git/ref/heads/main").Text("object.sha")
}

func annotations(n int) []map[string]any {
	all := make([]map[string]any, n)
	for i := range all {
		all[i] = map[string]any{"path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": fmt.Sprint(i)}
	}
	return all
}

// button returns an action whose fields have so many characters.
func button(label, description, identifier int) map[string]any {
	return map[string]any{"label": strings.Repeat("é", label), "description": strings.Repeat("é", description), "identifier": strings.Repeat("é", identifier)}
}

func TestACheckRunOfAnApp(t *testing.T) {
	w := sandboxtest.New(t)
	actions, sha := asApp(w, "github-actions", "checks", "write"), headOf(w)
	run := actions.Do("POST", base+"/check-runs", map[string]any{
		"name": "bench", "head_sha": sha, "status": "in_progress", "external_id": "1", "details_url": "https://example.com/1",
	})
	require.Equal(t, http.StatusCreated, run.Status, run.Body)
	assert.Equal(t, []any{"in_progress", nil, "github-actions", "1", "https://example.com/1", nil},
		[]any{run.Text("status"), run.At("conclusion"), run.Text("app.slug"), run.Text("external_id"), run.Text("details_url"), run.At("completed_at")})
	path := base + "/check-runs/" + itoa(int64(run.Int("id")))

	done := actions.Do("PATCH", path, map[string]any{
		"conclusion": "failure", "output": map[string]any{"title": "t", "summary": "s", "annotations": annotations(50)},
	})
	require.Equal(t, http.StatusOK, done.Status, done.Body)
	assert.Equal(t, []any{"completed", "failure", 50}, []any{done.Text("status"), done.Text("conclusion"), done.Int("output.annotations_count")}, "a conclusion completes")
	assert.NotEmpty(t, done.Text("completed_at"))
	more := actions.Do("PATCH", path, map[string]any{"output": map[string]any{"summary": "s2", "annotations": annotations(7)}})
	assert.Equal(t, []any{57, "completed", "t", "s2"},
		[]any{more.Int("output.annotations_count"), more.Text("status"), more.Text("output.title"), more.Text("output.summary")}, "annotations add up; what is not said stays")

	longest := actions.Do("PATCH", path, map[string]any{"actions": []any{button(20, 40, 20), button(1, 1, 1), button(1, 1, 2)}})
	assert.Equal(t, http.StatusOK, longest.Status, "characters are counted, not bytes: %s", longest.Body)

	again := actions.Do("PATCH", path, map[string]any{"status": "in_progress"})
	assert.Equal(t, []any{"in_progress", nil, nil}, []any{again.Text("status"), again.At("conclusion"), again.At("completed_at")})
	w.Look(func(s *model.State) { assert.NoError(t, s.Validate()) })
}

func TestListsOfCheckRuns(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		s.AddApp(model.NewApp{Slug: "gate", Owner: repo.OwnerID, Repos: []model.ID{repo.ID}})
	})
	sha := headOf(w)
	gate := asApp(w, "gate", "checks", "write")
	for _, c := range []*sandboxtest.Client{asApp(w, "github-actions", "checks", "write"), gate, gate} {
		require.Equal(t, http.StatusCreated, c.Do("POST", base+"/check-runs", map[string]any{"name": "bench", "head_sha": sha}).Status)
	}
	id := gate.Get(base + "/commits/main/check-runs?filter=all").Int("check_runs.2.app.id")
	for query, want := range map[string]int{
		"": 2, "?filter=latest": 2, "?filter=all": 3, "?check_name=bench": 2, "?check_name=x": 0, "?status=completed": 0,
		"?app_id=" + itoa(int64(id)): 1, "?filter=all&app_id=" + itoa(int64(id)): 2,
	} {
		assert.Equal(t, want, gate.Get(base+"/commits/"+sha+"/check-runs"+query).Int("total_count"), query)
	}
	first := gate.Get(base + "/commits/" + sha + "/check-runs?filter=all&per_page=2")
	assert.Contains(t, first.Header.Get("Link"), `rel="next"`)
	suites := gate.Get(base + "/commits/" + sha + "/check-suites")
	assert.Equal(t, 2, suites.Int("total_count"), "one for each App")
	suite := base + "/check-suites/" + itoa(int64(suites.Int("check_suites.1.id")))
	assert.Equal(t, "gate", gate.Get(suite).Text("app.slug"))
	assert.Equal(t, 2, gate.Get(suite+"/check-runs").Int("total_count"))
}

func TestRefusedCheckRuns(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		s.AddApp(model.NewApp{Slug: "gate", Owner: repo.OwnerID, Repos: []model.ID{repo.ID}})
		s.AddApp(model.NewApp{Slug: "elsewhere", Owner: repo.OwnerID})
	})
	sha, actions := headOf(w), asApp(w, "github-actions", "checks", "write")
	made := actions.Do("POST", base+"/check-runs", map[string]any{"name": "bench", "head_sha": sha})
	path := base + "/check-runs/" + itoa(int64(made.Int("id")))
	long := strings.Repeat("x", 65536)
	for _, c := range []struct {
		name         string
		as           *sandboxtest.Client
		method, path string
		body         map[string]any
		status       int
		says         string
	}{
		{"a user's token", w.As("owner"), "POST", "", map[string]any{"name": "x", "head_sha": sha}, 403, "You must authenticate via a GitHub App."},
		{"a token that may only read", asApp(w, "github-actions", "checks", "read"), "POST", "", map[string]any{"name": "x", "head_sha": sha}, 403, "Resource not accessible by integration"},
		{"an App that is not installed", asApp(w, "elsewhere", "checks", "write"), "POST", "", map[string]any{"name": "x", "head_sha": sha}, 403, "Resource not accessible by integration"},
		{"another App's check run", asApp(w, "gate", "checks", "write"), "PATCH", path, map[string]any{"conclusion": "success"}, 403, "check run can only be modified by the GitHub App that created it."},
		{"no name", actions, "POST", "", map[string]any{"head_sha": sha}, 422, `"name" wasn't supplied.`},
		{"no commit", actions, "POST", "", map[string]any{"name": "x"}, 422, `"head_sha" wasn't supplied.`},
		{"an unknown commit", actions, "POST", "", map[string]any{"name": "x", "head_sha": strings.Repeat("a", 40)}, 422, "No commit found for SHA: aaaa"},
		{"completed without a conclusion", actions, "PATCH", path, map[string]any{"status": "completed"}, 422, `"conclusion" wasn't supplied.`},
		{"a conclusion that is GitHub's own", actions, "PATCH", path, map[string]any{"conclusion": "stale"}, 422, "properties/conclusion"},
		{"an unknown status", actions, "PATCH", path, map[string]any{"status": "done"}, 422, "done is not a member of ["},
		{"an output without a title", actions, "POST", "", map[string]any{"name": "x", "head_sha": sha, "output": map[string]any{"summary": "s"}}, 422, `"title" wasn't supplied.`},
		{"an output without a summary", actions, "PATCH", path, map[string]any{"output": map[string]any{"title": "t"}}, 422, `"summary" wasn't supplied.`},
		{"a summary that is too long", actions, "PATCH", path, map[string]any{"output": map[string]any{"summary": long}}, 422, "Only 65535 characters are allowed; 65536 were supplied."},
		{"a text that is too long", actions, "PATCH", path, map[string]any{"output": map[string]any{"summary": "s", "text": long}}, 422, "Only 65535 characters are allowed; 65536 were supplied."},
		{"too many annotations", actions, "PATCH", path, map[string]any{"output": map[string]any{"summary": "s", "annotations": annotations(51)}}, 422, "No more than 50 items are allowed; 51 were supplied."},
		{"an annotation without a path", actions, "PATCH", path, map[string]any{"output": map[string]any{"summary": "s", "annotations": []any{map[string]any{"message": "m"}}}}, 422, `"path", "start_line", "end_line", "annotation_level" weren't supplied.`},
		{"an action whose label is too long", actions, "PATCH", path, map[string]any{"actions": []any{button(21, 40, 20)}}, 422, "Only 20 characters are allowed; 21 were supplied."},
		{"an action whose description is too long", actions, "PATCH", path, map[string]any{"actions": []any{button(20, 41, 20)}}, 422, "Only 40 characters are allowed; 41 were supplied."},
		{"an action whose identifier is too long", actions, "PATCH", path, map[string]any{"actions": []any{button(20, 40, 21)}}, 422, "Only 20 characters are allowed; 21 were supplied."},
		{"an action without a label", actions, "PATCH", path, map[string]any{"actions": []any{button(0, 40, 20)}}, 422, `"label" wasn't supplied.`},
		{"an action without a description", actions, "PATCH", path, map[string]any{"actions": []any{button(20, 0, 20)}}, 422, `"description" wasn't supplied.`},
		{"an action without an identifier", actions, "POST", "", map[string]any{"name": "x", "head_sha": sha, "actions": []any{button(20, 40, 0)}}, 422, `"identifier" wasn't supplied.`},
		{"too many actions", actions, "PATCH", path, map[string]any{"actions": make([]struct{}, 4)}, 422, "No more than 3 items are allowed; 4 were supplied."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.path == "" {
				c.path = base + "/check-runs"
			}
			reply := c.as.Do(c.method, c.path, c.body)
			assert.Equal(t, c.status, reply.Status, reply.Body)
			assert.Contains(t, reply.Text("message"), c.says)
		})
	}
	w.Look(func(s *model.State) { assert.Equal(t, 1, s.CheckRuns.Len(), "nothing was made") })
}

// How a job of a workflow ended is nothing that its own token may change.
func TestJobsAreTheirOwnJudges(t *testing.T) {
	w := busy(t)
	var path string
	w.Look(func(s *model.State) {
		for job := range s.Jobs.All() {
			path = base + "/check-runs/" + itoa(job.ID)
		}
	})
	reply := asApp(w, "github-actions", "checks", "write").Do("PATCH", path, `{"conclusion":"success"}`)
	assert.Equal(t, http.StatusForbidden, reply.Status)
	assert.Equal(t, "Check run status and conclusions can only be updated internally by GitHub Actions", reply.Text("message"))
}

func TestTokensOfApps(t *testing.T) {
	w := busy(t)
	readonly := asApp(w, "github-actions", "contents", "read", "issues", "read", "pull_requests", "read", "checks", "read")
	comment := readonly.Do("POST", base+"/issues/2/comments", `{"body":"x"}`)
	assert.Equal(t, []any{http.StatusForbidden, "Resource not accessible by integration"}, []any{comment.Status, comment.Text("message")})
	assert.Equal(t, "issues=write; pull_requests=write", comment.Header.Get("X-Accepted-GitHub-Permissions"))
	assert.Equal(t, http.StatusOK, readonly.Get(base+"/issues/2/comments").Status)
	assert.Equal(t, http.StatusForbidden, readonly.Get("/user").Status, "no user is behind it")
	assert.Equal(t, "github-actions[bot]", readonly.GraphQL(`{ viewer { login } }`).Text("data.viewer.login"))
	denied := readonly.GraphQL(`mutation { addComment(input: {subjectId: "x", body: "b"}) { clientMutationId } }`)
	assert.Equal(t, "FORBIDDEN", denied.Text("errors.0.type"))
	assert.Equal(t, http.StatusForbidden, asApp(w, "github-actions", "issues", "write").Do("PUT", base+"/contents/a", `{"message":"m","content":"eA=="}`).Status)

	// A pull request's conversation is open to those who may write to either.
	writer := asApp(w, "github-actions", "pull_requests", "write")
	said := writer.Do("POST", base+"/issues/1/comments", `{"body":"x"}`)
	require.Equal(t, http.StatusCreated, said.Status, said.Body)
	assert.Equal(t, []any{"github-actions[bot]", "Bot", "github-actions"},
		[]any{said.Text("user.login"), said.Text("user.type"), said.Text("performed_via_github_app.slug")})
	assert.Nil(t, w.As("owner").Get(base+"/issues/2/comments").At("0.performed_via_github_app"), "people are no Apps")
	names := writer.GraphQL(`{ viewer { login } repository(owner: "owner", name: "hello") { pullRequest(number: 1) {
		comments(last: 1) { nodes { viewerDidAuthor author { __typename login } } } } } }`)
	const last = "data.repository.pullRequest.comments.nodes.0."
	assert.Equal(t, []any{"github-actions[bot]", "github-actions", "Bot", true},
		[]any{names.Text("data.viewer.login"), names.Text(last + "author.login"), names.Text(last + "author.__typename"), names.At(last + "viewerDidAuthor")})
	assert.Equal(t, http.StatusNotFound, w.As("owner").Get(base+"/collaborators/github-actions[bot]/permission").Status)

	w.Change(func(_ *model.State, repo *model.Repo) { repo.Private = true })
	assert.Equal(t, http.StatusForbidden, writer.Get(base+"/contents/README.md").Status)
	assert.Equal(t, http.StatusOK, readonly.Get(base+"/contents/README.md").Status)
	assert.Equal(t, http.StatusOK, writer.Get(base).Status, "every App may read about the repository")
	merge := writer.Do("PUT", base+"/pulls/1/merge", nil)
	assert.Equal(t, []any{http.StatusForbidden, "contents=write"}, []any{merge.Status, merge.Header.Get("X-Accepted-GitHub-Permissions")})
}

func TestCommentsThatAreTooLong(t *testing.T) {
	w := busy(t)
	for _, one := range []struct{ method, path string }{{"POST", base + "/issues/2/comments"}, {"PATCH", firstComment(w)}} {
		assert.Less(t, w.As("owner").Do(one.method, one.path, map[string]any{"body": strings.Repeat("é", 65536)}).Status, 300)
		reply := w.As("owner").Do(one.method, one.path, map[string]any{"body": strings.Repeat("é", 65537)})
		assert.Equal(t, http.StatusUnprocessableEntity, reply.Status)
		assert.Equal(t, []any{"data", "unprocessable", "Body is too long (maximum is 65536 characters)"},
			[]any{reply.Text("errors.0.field"), reply.Text("errors.0.code"), reply.Text("errors.0.message")})
	}
}

func firstComment(w *sandboxtest.World) string {
	return strings.TrimPrefix(w.As("owner").Get(base+"/issues/2/comments").Text("0.url"), "https://api.github.com")
}

func TestReactions(t *testing.T) {
	w := busy(t)
	reader, owner := w.As("reader"), w.As("owner")
	for _, path := range []string{base + "/issues/2", firstComment(w)} {
		made := reader.Do("POST", path+"/reactions", `{"content":"eyes"}`)
		require.Equal(t, http.StatusCreated, made.Status, made.Body)
		same := reader.Do("POST", path+"/reactions", `{"content":"eyes"}`)
		assert.Equal(t, []any{http.StatusOK, made.Int("id")}, []any{same.Status, same.Int("id")})
		owner.Do("POST", path+"/reactions", `{"content":"+1"}`)
		all := reader.Get(path + "/reactions")
		assert.Equal(t, []any{"eyes", "reader", "+1", nil}, []any{all.Text("0.content"), all.Text("0.user.login"), all.Text("1.content"), all.At("2")})
		assert.Equal(t, "owner", reader.Get(path+"/reactions?content=%2B1").Text("0.user.login"))
		assert.Equal(t, http.StatusUnprocessableEntity, reader.Do("POST", path+"/reactions", `{"content":"boo"}`).Status)
		one := path + "/reactions/" + itoa(int64(made.Int("id")))
		assert.Equal(t, http.StatusForbidden, w.As("writer").Do("DELETE", one, nil).Status, "it is not his")
		assert.Equal(t, http.StatusNoContent, reader.Do("DELETE", one, nil).Status)
		assert.Equal(t, http.StatusNotFound, reader.Do("DELETE", one, nil).Status)
	}
	comment := reader.Get(firstComment(w))
	assert.Equal(t, []int{1, 1, 0}, []int{comment.Int("reactions.total_count"), comment.Int("reactions.+1"), comment.Int("reactions.eyes")})
	groups := reader.GraphQL(`{ repository(owner: "owner", name: "hello") { issue(number: 2) { reactionGroups {
		content viewerHasReacted users(first: 1) { totalCount nodes { login } edges { reactedAt node { login } } } } } } }`)
	const first = "data.repository.issue.reactionGroups.0."
	assert.Equal(t, []any{"THUMBS_UP", 1, "owner", "owner"}, []any{groups.Text(first + "content"),
		groups.Int(first + "users.totalCount"), groups.Text(first + "users.nodes.0.login"), groups.Text(first + "users.edges.0.node.login")}, groups.Body)

	owner.Do("DELETE", firstComment(w), nil)
	w.Look(func(s *model.State) {
		assert.NoError(t, s.Validate())
		assert.Equal(t, 1, s.Reactions.Len(), "those to a comment go with it")
	})
}

func TestCommentsSince(t *testing.T) {
	w := busy(t)
	owner := w.As("owner")
	late := owner.Do("POST", base+"/issues/2/comments", `{"body":"late"}`)
	for _, list := range []string{base + "/issues/2/comments?since=", base + "/issues/comments?since="} {
		found := owner.Get(list + late.Text("updated_at"))
		assert.Equal(t, []any{"late", nil}, []any{found.Text("0.body"), found.At("1")}, list)
		assert.Equal(t, http.StatusUnprocessableEntity, owner.Get(list+"yesterday").Status)
	}
	assert.Equal(t, "late", owner.Get(base+"/issues/comments?sort=created&direction=desc&per_page=1").Text("0.body"))
	owner.Do("PATCH", firstComment(w), `{"body":"early, but edited"}`)
	assert.Equal(t, "early, but edited", owner.Get(base+"/issues/comments?sort=updated&direction=desc&per_page=1").Text("0.body"))
}

// A suite is made once for an App on a commit, by the App alone.
func TestCheckSuitesAreMade(t *testing.T) {
	w := sandboxtest.New(t)
	actions, body := asApp(w, "github-actions", "checks", "write"), map[string]any{"head_sha": headOf(w)}
	refused := w.As("owner").Do("POST", base+"/check-suites", body)
	assert.Equal(t, []any{http.StatusForbidden, "You must authenticate via a GitHub App."}, []any{refused.Status, refused.Text("message")})
	first := actions.Do("POST", base+"/check-suites", body)
	assert.Equal(t, []any{http.StatusCreated, "queued", nil, "main"}, []any{first.Status, first.Text("status"), first.At("conclusion"), first.Text("head_branch")})
	again := actions.Do("POST", base+"/check-suites", body)
	assert.Equal(t, []any{http.StatusOK, first.Int("id")}, []any{again.Status, again.Int("id")})
	assert.Equal(t, http.StatusUnprocessableEntity, actions.Do("POST", base+"/check-suites", `{"head_sha": "0123456789012345678901234567890123456789"}`).Status)
	run := actions.Do("POST", base+"/check-runs", map[string]any{"name": "x", "head_sha": headOf(w)})
	assert.Equal(t, first.Int("id"), run.Int("check_suite.id"), "its check runs are of that suite")
}
