package sandboxtest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// operation is a request to the REST API, and what its answer has.
type operation struct {
	// as is who asks, [me] if empty, nobody for "-".
	as string
	// request is a method and a path, with {names} of [namesIn].
	request string
	// body is JSON, or text for what takes text.
	body   string
	status int
	// want is JSON that the answer has at least, or else a part of its text.
	want string
	// accept is what the client accepts, JSON if empty.
	accept string
}

// runOperations asks a world one thing after another, and compares the answers
// with what GitHub has published.
func runOperations(t *testing.T, world *sandbox.World, operations []operation) {
	t.Helper()
	github := world
	tokens := map[string]string{me: token, "octocat": "token-of-octocat", "reader": "token-of-reader"}
	for login, value := range tokens {
		world.AddToken(value, sandbox.Token{User: login, Scopes: []string{"admin:org", "admin:public_key", "delete_repo", "gist", "repo", "user", "workflow"}})
	}
	names := namesIn(&client{world: world})
	for _, o := range operations {
		if o.as == "" {
			o.as = me
		}
		fill := func(text string) string {
			return named.ReplaceAllStringFunc(text, func(name string) string {
				if value, known := names[strings.Trim(name, "{}")]; known {
					return value
				}
				return name
			})
		}
		method, path, _ := strings.Cut(fill(o.request), " ")
		o.body, o.want = fill(o.body), fill(o.want)
		request := httptest.NewRequestWithContext(t.Context(), method, "https://api.github.com"+path, strings.NewReader(o.body))
		request.Header.Set("User-Agent", "operations")
		if value := tokens[o.as]; value != "" {
			request.Header.Set("Authorization", "Bearer "+value)
		}
		if o.accept != "" {
			request.Header.Set("Accept", o.accept)
		}
		answer := httptest.NewRecorder()
		github.ServeHTTP(answer, request)
		said := o.as + ": " + o.request + "\n" + answer.Body.String()
		if !assert.Equal(t, o.status, answer.Code, said) {
			continue
		}
		// What a later request names.
		var row struct {
			ID int64 `json:"id"`
		}
		if answer.Code == http.StatusCreated && json.Unmarshal(answer.Body.Bytes(), &row) == nil && row.ID != 0 {
			names["made"] = strconv.FormatInt(row.ID, 10)
		}
		if strings.HasPrefix(o.want, "{") || strings.HasPrefix(o.want, "[") {
			var want, got any
			require.NoError(t, json.Unmarshal([]byte(o.want), &want), o.want)
			if assert.NoError(t, json.Unmarshal(answer.Body.Bytes(), &got), said) {
				partOf(t, got, want, o.request)
			}
			continue
		}
		assert.Contains(t, answer.Body.String(), o.want, said)
	}
}

// populated is [newWorld] with a user who may read what is public.
func populated(t *testing.T) *sandbox.World {
	t.Helper()
	world := newWorld(t)
	require.NoError(t, world.Setup(func(s *model.State) error {
		s.AddUser(model.NewUser{Login: "reader"})
		return nil
	}))
	return world
}

func TestWhatGitHubTellsOfItself(t *testing.T) {
	runOperations(t, populated(t), []operation{
		{request: "GET /zen", status: 200, want: "Keep it logically awesome."},
		{request: "GET /octocat?s=hi", status: 200, want: "| hi |"},
		{request: "GET /emojis", status: 200, want: `{"+1":"https://github.githubassets.com/images/icons/emoji/unicode/1f44d.png?v8"}`},
		{request: "GET /meta", status: 200, want: `{"verifiable_password_authentication":false}`},
		{request: "GET /versions", status: 200, want: `["2026-03-10","2022-11-28"]`},
		{request: "GET /feeds", status: 200, want: `{"current_user_public_url":"https://github.com/monalisa"}`},
		{request: "GET /rate_limit", status: 200, want: `{"rate":{"limit":5000}}`},
		{request: "POST /markdown", body: `{"text":"# Hi\n\n*you* <script>"}`, status: 200, want: "<h1>Hi</h1>\n<p><em>you</em>"},
		{request: "POST /markdown", body: `{}`, status: 422, want: "text"},
		{request: "POST /markdown/raw", body: "**b**", status: 200, want: "<strong>b</strong>"},
		{request: "GET /licenses?featured=true", status: 200, want: `[{"key":"apache-2.0"},{"key":"gpl-3.0"},{"key":"mit","spdx_id":"MIT","url":"https://api.github.com/licenses/mit"}]`},
		{request: "GET /licenses/mit", status: 200, want: `{"name":"MIT License","conditions":["include-copyright"],"featured":true}`},
		{request: "GET /licenses/none", status: 404},
		{request: "GET /gitignore/templates/Go", status: 200, want: `{"name":"Go"}`},
		{request: "GET /gitignore/templates/Go", accept: "application/vnd.github.raw", status: 200, want: "*.test\n"},
		{request: "GET /gitignore/templates", status: 200, want: `"Go"`},
		{request: "GET /gitignore/templates/none", status: 404},
		{request: "GET /codes_of_conduct/contributor_covenant", status: 200, want: `{"name":"Contributor Covenant"}`},
		{request: "GET /codes_of_conduct", status: 200, want: `[{},{}]`},
		{request: "GET /advisories", status: 200, want: `[]`},
		{request: "GET /advisories/GHSA-aaaa-bbbb-cccc", status: 404},
		{request: "GET /users?per_page=1", status: 200, want: `[{"login":"github"}]`},
		{request: "GET /users?since=1000002&per_page=1", status: 200, want: `[{"login":"monalisa"}]`},
		{request: "GET /organizations", status: 200, want: `[{"login":"github"},{"login":"acme"}]`},
		{request: "GET /repositories", status: 200, want: `[{"name":"other"},{"name":"widgets"}]`},
		{request: "GET /gists/public", status: 200, want: `[]`},
		{as: "-", request: "GET /issues", status: 401},
	})
}

func TestWhatARepositoryShows(t *testing.T) {
	const repo = "/repos/acme/widgets"
	world := populated(t)
	require.NoError(t, world.Setup(func(s *model.State) error {
		r := s.Repo(acme, widgets)
		s.Star(s.User("octocat").ID, r, true)
		s.Subscribe(s.User(me).ID, r, model.Subscribed)
		milestone := 1
		return s.EditIssue(s.User(me).ID, r, s.Issue(r, 3), model.IssueEdit{Milestone: &milestone, Assignees: &[]string{"octocat"}})
	}))
	runOperations(t, world, []operation{
		{request: "GET " + repo, status: 200, want: `{"license":{"key":"other","spdx_id":"NOASSERTION","url":null},"has_wiki":true}`},
		{request: "GET " + repo + "/license", status: 200, want: `{"name":"LICENSE","license":{"key":"other"}}`},
		{request: "GET /repos/acme/other/license", status: 404},
		{request: "GET " + repo + "/contents", status: 200, want: `[{"path":".github","type":"dir"},{"path":"LICENSE"},{"path":"README.md"},{"path":"main.go"}]`},
		{request: "GET " + repo + "/contents/.github/workflows/", status: 200, want: `[{"path":".github/workflows/ci.yml","type":"file"}]`},
		{request: "GET " + repo + "/readme/.github", status: 404},
		{request: "GET " + repo + "/contributors", status: 200, want: `[{"login":"monalisa","contributions":1,"type":"User"}]`},
		{request: "GET " + repo + "/stargazers", status: 200, want: `[{"login":"octocat"}]`},
		{request: "GET " + repo + "/stargazers", accept: "application/vnd.github.star+json", status: 200, want: `[{"user":{"login":"octocat"}}]`},
		{request: "GET /user/starred", as: "octocat", accept: "application/vnd.github.star+json", status: 200, want: `[{"repo":{"full_name":"acme/widgets"}}]`},
		{request: "GET " + repo + "/subscribers", status: 200, want: `[{"login":"monalisa"}]`},
		{request: "GET " + repo + "/assignees/octocat", status: 204},
		{request: "GET " + repo + "/assignees/reader", status: 404},
		{request: "GET " + repo + "/milestones/1/labels", status: 200, want: `[{"name":"bug"}]`},
		{request: "GET " + repo + "/pulls/comments", status: 200, want: `[]`},
		{request: "POST " + repo + "/pulls/7/requested_reviewers", body: `{"reviewers":["monalisa"]}`, status: 201},
		{request: "GET " + repo + "/pulls/7/requested_reviewers", status: 200, want: `{"users":[{"login":"monalisa"}],"teams":[]}`},
		{request: "POST " + repo + "/statuses/{head}", body: `{"state":"success"}`, status: 201},
		{request: "GET " + repo + "/statuses/{head}", status: 200, want: `[{"state":"success"}]`},
		{request: "GET " + repo + "/commits/{head}/branches-where-head", status: 200, want: `[{"name":"topic","commit":{"sha":"{head}"}}]`},
		{request: "GET " + repo + "/commits?sha=topic&path=topic.txt&author=octocat", status: 200, want: `[{"commit":{"message":"Add topic.txt"}}]`},
		{request: "GET " + repo + "/commits?sha=topic&author=monalisa&until=2026-01-05T09:00:11Z", status: 200, want: `[{"commit":{"message":"first"}}]`},
		{request: "GET " + repo + "/commits?since=2027-01-01T00:00:00Z", status: 200, want: `[]`},
		{request: "GET " + repo + "/community/profile", status: 200, want: `{"files":{"license":{"key":"other"},"contributing":null},"health_percentage":50}`},
		{request: "GET " + repo + "/stats/contributors", status: 200, want: `[{"author":{"login":"monalisa"},"total":1,"weeks":[{"a":29,"d":0,"c":1}]}]`},
		{request: "GET " + repo + "/stats/code_frequency", status: 200, want: `[[1767484800,29,0]]`},
		{request: "GET " + repo + "/stats/participation", status: 200, want: `"all":[0,`},
		{request: "GET " + repo + "/stats/punch_card", status: 200, want: ",[1,9,1],"},
		{request: "GET " + repo + "/stats/commit_activity", status: 200, want: `,{"days":[0,1,0,0,0,0,0],"total":1,"week":1767484800}]`},
		{request: "GET " + repo + "/traffic/views", status: 200, want: `{"count":0,"views":[]}`},
		{as: "reader", request: "GET " + repo + "/traffic/clones", status: 403},
		{request: "GET " + repo + "/issue-types", status: 200, want: `[]`},
		{as: "octocat", request: "GET /issues", status: 200, want: `[{"number":3,"repository":{"full_name":"acme/widgets"}}]`},
		{as: "octocat", request: "GET /orgs/acme/issues?filter=created&labels=bug", status: 200, want: `[{"number":7},{"number":3}]`},
		{request: "GET /user/issues?filter=all&state=closed", status: 200, want: `[]`},
	})
}

func TestRepositoriesBeginWithTemplates(t *testing.T) {
	world := populated(t)
	runOperations(t, world, []operation{
		{request: "POST /user/repos", body: `{"name":"new","auto_init":true,"gitignore_template":"Go","license_template":"mit"}`, status: 201, want: `{"license":{"key":"mit","spdx_id":"MIT"}}`},
		{request: "GET /repos/monalisa/new/contents", status: 200, want: `[{"name":".gitignore"},{"name":"LICENSE"},{"name":"README.md"}]`},
		{request: "GET /repos/monalisa/new/license", accept: "application/vnd.github.raw", status: 200, want: "Copyright (c) 2026 Mona Lisa"},
		{request: "POST /user/repos", body: `{"name":"x","license_template":"none"}`, status: 422, want: "unknown license template"},
		{request: "POST /user/repos", body: `{"name":"x","gitignore_template":"none"}`, status: 422, want: "unknown gitignore template"},
		{request: "GET /repos/monalisa/x", status: 404},
		{request: "POST /repos/acme/widgets/generate", body: `{"name":"made"}`, status: 422, want: "not a template"},
		{request: "PATCH /repos/acme/widgets", body: `{"is_template":true,"has_wiki":false,"web_commit_signoff_required":true}`, status: 200, want: `{"is_template":true,"has_wiki":false,"has_projects":true,"web_commit_signoff_required":true}`},
		{as: "reader", request: "POST /repos/acme/widgets/generate", body: `{"name":"made","description":"d","include_all_branches":true}`, status: 201, want: `{"full_name":"reader/made","fork":false,"description":"d"}`},
		{request: "GET /repos/reader/made/branches", status: 200, want: `[{"name":"feat"},{"name":"main"},{"name":"topic"}]`},
		{request: "GET /repos/reader/made/commits", status: 200, want: `[{"commit":{"message":"Initial commit"}}]`},
		{request: "GET /repos/reader/made/contents/main.go", status: 200, want: `{"name":"main.go"}`},
	})
}

func TestCommentsOnCommits(t *testing.T) {
	const repo = "/repos/acme/widgets"
	world := populated(t)
	runOperations(t, world, []operation{
		{as: "reader", request: "POST " + repo + "/commits/{head}/comments", body: `{"body":"Why?","path":"topic.txt","position":1}`, status: 201,
			want: `{"body":"Why?","path":"topic.txt","position":1,"line":null,"commit_id":"{head}","user":{"login":"reader"},"author_association":"NONE"}`},
		{as: "reader", request: "POST " + repo + "/commits/{head}/comments", body: `{"body":""}`, status: 422},
		{as: "reader", request: "POST " + repo + "/commits/none/comments", body: `{"body":"x"}`, status: 422},
		{request: "GET " + repo + "/commits/topic/comments", status: 200, want: `[{"body":"Why?"}]`},
		{request: "GET " + repo + "/comments", status: 200, want: `[{"body":"Why?"}]`},
		{as: "reader", request: "PATCH " + repo + "/comments/{made}", body: `{"body":"How?"}`, status: 200, want: `{"body":"How?"}`},
		{as: "reader", request: "POST " + repo + "/comments/{made}/reactions", body: `{"content":"heart"}`, status: 201},
		{request: "GET " + repo + "/commits/{head}", status: 200, want: `{"commit":{"comment_count":1}}`},
	})
	world.Look(func(s *model.State) { assert.NoError(t, s.Validate()) })
	runOperations(t, world, []operation{
		{request: "POST " + repo + "/commits/main/comments", body: `{"body":"Mine"}`, status: 201},
		{request: "GET " + repo + "/comments/{made}/reactions", status: 200, want: `[]`},
		{as: "reader", request: "PATCH " + repo + "/comments/{made}", body: `{"body":"x"}`, status: 403},
		{as: "reader", request: "DELETE " + repo + "/comments/{made}", status: 403},
		{request: "DELETE " + repo + "/comments/{made}", status: 204},
		{request: "GET " + repo + "/comments/{made}", status: 404},
	})
}

func TestCollaboratorsAreInvited(t *testing.T) {
	const repo = "/repos/acme/widgets"
	world := populated(t)
	require.NoError(t, world.Setup(func(s *model.State) error {
		s.Repo(acme, widgets).Private = true
		return nil
	}))
	runOperations(t, world, []operation{
		{as: "reader", request: "GET " + repo, status: 404},
		{request: "PUT " + repo + "/collaborators/octocat", body: `{"permission":"maintain"}`, status: 204},
		{request: "GET " + repo + "/collaborators/octocat/permission", status: 200, want: `{"permission":"write","role_name":"maintain"}`},
		{as: "octocat", request: "PUT " + repo + "/collaborators/reader", body: `{}`, status: 403},
		{request: "PUT " + repo + "/collaborators/none", body: `{}`, status: 404},
		{request: "PUT " + repo + "/collaborators/reader", body: `{"permission":"all"}`, status: 422},
		{request: "PUT " + repo + "/collaborators/reader", body: `{"permission":"push"}`, status: 201, want: `{"permissions":"write","invitee":{"login":"reader"},"inviter":{"login":"monalisa"}}`},
		{request: "PATCH " + repo + "/invitations/{made}", body: `{"permissions":"triage"}`, status: 200, want: `{"permissions":"triage"}`},
		{request: "GET " + repo + "/invitations", status: 200, want: `[{"invitee":{"login":"reader"}}]`},
		{request: "GET " + repo + "/collaborators/reader", status: 404},
		{as: "octocat", request: "PATCH /user/repository_invitations/{made}", status: 404},
		{as: "reader", request: "GET /user/repository_invitations", status: 200, want: `[{"repository":{"full_name":"acme/widgets"}}]`},
		{as: "reader", request: "PATCH /user/repository_invitations/{made}", status: 204},
		{as: "reader", request: "GET " + repo, status: 200, want: `{"permissions":{"triage":true,"push":false}}`},
		{request: "GET " + repo + "/collaborators/reader", status: 204},
		{as: "reader", request: "DELETE " + repo + "/collaborators/octocat", status: 403},
		{as: "reader", request: "DELETE " + repo + "/collaborators/reader", status: 204},
		{as: "reader", request: "GET " + repo, status: 404},
		{request: "PUT " + repo + "/collaborators/reader", body: `{}`, status: 201},
		{request: "DELETE " + repo + "/invitations/{made}", status: 204},
		{as: "reader", request: "GET /user/repository_invitations", status: 200, want: `[]`},
	})
	assert.Contains(t, told(world), "created invitation acme/widgets: reader")
}

// told is what a world's log says was changed.
func told(world *sandbox.World) string {
	var all strings.Builder
	for _, e := range world.Changes() {
		all.WriteString(string(e.Change.Kind) + " " + e.Change.Object.String() + "\n")
	}
	return all.String()
}

func TestTeamsAndTheirRepositories(t *testing.T) {
	const team = "/orgs/acme/teams/makers"
	world := populated(t)
	require.NoError(t, world.Setup(func(s *model.State) error {
		s.Repo(acme, "other").Private = true
		return nil
	}))
	runOperations(t, world, []operation{
		{as: "reader", request: "POST /orgs/acme/teams", body: `{"name":"Makers"}`, status: 404},
		{as: "octocat", request: "POST /orgs/acme/teams", body: `{"name":"Makers","description":"They make","privacy":"closed"}`, status: 201,
			want: `{"slug":"makers","members_count":1,"repos_count":0,"organization":{"login":"acme"}}`},
		{as: "octocat", request: "POST /orgs/acme/teams", body: `{"name":"makers"}`, status: 422},
		{request: "GET " + team, status: 200, want: `{"name":"Makers","description":"They make","privacy":"closed"}`},
		{request: "PUT " + team + "/memberships/monalisa", body: `{"role":"maintainer"}`, status: 200, want: `{"state":"active","role":"maintainer"}`},
		{request: "PUT " + team + "/memberships/reader", body: `{}`, status: 200, want: `{"state":"pending","role":"member"}`},
		{request: "GET " + team + "/members", status: 200, want: `[{"login":"octocat"},{"login":"monalisa"}]`},
		{request: "GET " + team + "/memberships/octocat", status: 200, want: `{"role":"maintainer"}`},
		{as: "octocat", request: "PUT " + team + "/repos/acme/other", body: `{"permission":"push"}`, status: 403},
		{request: "PUT " + team + "/repos/acme/other", body: `{"permission":"push"}`, status: 204},
		{as: "octocat", request: "GET /repos/acme/other", status: 200, want: `{"permissions":{"push":true,"admin":false}}`},
		{request: "GET " + team + "/repos", status: 200, want: `[{"full_name":"acme/other","role_name":"write"}]`},
		{request: "GET " + team + "/repos/acme/other", status: 204},
		{request: "GET " + team + "/repos/acme/other", accept: "application/vnd.github.v3.repository+json", status: 200, want: `{"permissions":{"push":true}}`},
		{request: "GET " + team + "/repos/acme/widgets", status: 404},
		{request: "GET /repos/acme/other/teams", status: 200, want: `[{"slug":"makers","permission":"push"}]`},
		{request: "DELETE " + team + "/repos/acme/other", status: 204},
		{as: "octocat", request: "GET /repos/acme/other", status: 200, want: `{"permissions":{"push":false}}`},
		{request: "PATCH " + team, body: `{"privacy":"secret","name":"Doers"}`, status: 200, want: `{"slug":"doers","privacy":"secret"}`},
		{request: "DELETE /orgs/acme/teams/doers/memberships/octocat", status: 204},
		{as: "octocat", request: "DELETE /orgs/acme/teams/doers", status: 403},
		{request: "DELETE /orgs/acme/teams/doers", status: 204},
		{request: "GET /orgs/acme/teams", status: 200, want: `[{"slug":"str"}]`},
		{request: "GET /orgs/acme/members/octocat", status: 204},
		{as: "reader", request: "GET /orgs/acme/members/octocat", status: 302},
		{request: "GET /orgs/acme/memberships/octocat", status: 200, want: `{"role":"member","state":"active"}`},
		{as: "reader", request: "GET /orgs/acme/memberships/octocat", status: 403},
		{request: "GET /user/memberships/orgs", status: 200, want: `[{"role":"admin","organization":{"login":"acme"}}]`},
		{request: "GET /user/memberships/orgs/acme", status: 200, want: `{"role":"admin"}`},
		{request: "GET /user/emails", status: 200, want: `[{"email":"mona@example.com","primary":true}]`},
		{request: "GET /users/monalisa/orgs", status: 200, want: `[]`},
		{request: "GET /users/monalisa/subscriptions", status: 200, want: `[]`},
		{request: "GET /users/monalisa/keys", status: 200, want: `[]`},
	})
	world.Look(func(s *model.State) { assert.NoError(t, s.Validate()) })
}

func TestWhatAdministratorsSayOfActions(t *testing.T) {
	const permissions = "/repos/acme/widgets/actions/permissions"
	world := populated(t)
	runOperations(t, world, []operation{
		{as: "octocat", request: "GET " + permissions, status: 403},
		{as: "octocat", request: "PUT " + permissions, body: `{"enabled":false}`, status: 403},
		{request: "GET " + permissions, status: 200, want: `{"enabled":true,"allowed_actions":"all"}`},
		{request: "PUT " + permissions, body: `{}`, status: 422},
		{request: "PUT " + permissions, body: `{"enabled":true,"allowed_actions":"some"}`, status: 422},
		{request: "PUT " + permissions + "/selected-actions", body: `{"github_owned_allowed":true}`, status: 409},
		{request: "PUT " + permissions, body: `{"enabled":true,"allowed_actions":"selected"}`, status: 204},
		{request: "PUT " + permissions + "/selected-actions", body: `{"github_owned_allowed":true,"patterns_allowed":["acme/*"]}`, status: 204},
		{request: "GET " + permissions + "/selected-actions", status: 200, want: `{"github_owned_allowed":true,"verified_allowed":false,"patterns_allowed":["acme/*"]}`},
		{request: "GET " + permissions + "/workflow", status: 200, want: `{"default_workflow_permissions":"read","can_approve_pull_request_reviews":false}`},
		{request: "PUT " + permissions + "/workflow", body: `{"default_workflow_permissions":"write"}`, status: 204},
		{request: "GET " + permissions + "/workflow", status: 200, want: `{"default_workflow_permissions":"write"}`},
		{request: "GET " + permissions + "/access", status: 200, want: `{"access_level":"none"}`},
		{request: "PUT " + permissions + "/access", body: `{"access_level":"organization"}`, status: 204},
		{request: "GET " + permissions + "/access", status: 200, want: `{"access_level":"organization"}`},
		{request: "PUT " + permissions + "/artifact-and-log-retention", body: `{"days":500}`, status: 422},
		{request: "PUT " + permissions + "/artifact-and-log-retention", body: `{"days":7}`, status: 204},
		{request: "GET " + permissions + "/artifact-and-log-retention", status: 200, want: `{"days":7,"maximum_allowed_days":400}`},
		{request: "PUT " + permissions + "/fork-pr-contributor-approval", body: `{"approval_policy":"all_external_contributors"}`, status: 204},
		{request: "GET " + permissions + "/fork-pr-contributor-approval", status: 200, want: `{"approval_policy":"all_external_contributors"}`},
		{request: "PUT " + permissions, body: `{"enabled":false}`, status: 204},
		{request: "GET " + permissions, status: 200, want: `{"enabled":false}`},
		{request: "POST /repos/acme/widgets/actions/workflows/ci.yml/dispatches", body: `{"ref":"main"}`, status: 422, want: "disabled"},
		{request: "PUT /repos/acme/widgets/contents/x.txt", body: `{"message":"m","content":"eA=="}`, status: 201},
		{request: "GET /repos/acme/widgets/actions/runs?actor=monalisa&event=push&branch=main", status: 200, want: `{"total_count":1}`},
		{request: "GET /search/labels?repository_id=1000008&q=bug", status: 200, want: `{"total_count":1,"items":[{"name":"bug"}]}`},
		{request: "GET /search/labels?repository_id=1&q=bug", status: 404},
		{request: "GET /search/labels?repository_id=1000008", status: 422},
		{request: "PUT /repos/acme/widgets/topics", body: `{"names":["turning"]}`, status: 200},
		{as: "reader", request: "GET /search/topics?q=turn", status: 200, want: `{"total_count":1,"items":[{"name":"turning"}]}`},
	})
	assert.Contains(t, told(world), "changed repository acme/widgets")
}
