package sandboxtest_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// mcpCall is a call of a tool, in the world as the calls before left it.
type mcpCall struct {
	tool string
	// args are a JSON object; owner and repo are added.
	args string
	// want is JSON that the answer has at least, or else a part of its text.
	want string
}

// mcpCalls use each of the tools that the server offers by default.
func mcpCalls() []mcpCall {
	return []mcpCall{
		{"get_me", `{}`, `{"login":"monalisa"}`},
		{"get_teams", `{"user":"octocat"}`, `[{"org":"acme","teams":[{"name":"str","slug":"str"}]}]`},
		{"get_team_members", `{"org":"acme","team_slug":"str"}`, `["octocat"]`},
		{"search_users", `{"query":"octo in:login"}`, `{"total_count":1,"items":[{"login":"octocat"}]}`},
		{"search_repositories", `{"query":"widgets user:acme"}`, `{"total_count":1,"items":[{"full_name":"acme/widgets","language":"Go"}]}`},
		{"search_code", `{"query":"println repo:acme/widgets"}`, `{"total_count":1,"items":[{"path":"main.go"}]}`},
		{"search_issues", `{"query":"crash label:bug"}`, `{"total_count":1,"items":[{"number":3}]}`},
		{"search_pull_requests", `{"query":"is:open"}`, `{"total_count":1,"items":[{"number":7}]}`},

		{"get_file_contents", `{"path":"README.md"}`, `They turn.`},
		{"list_branches", `{}`, `[{"name":"feat"},{"name":"main"},{"name":"topic"}]`},
		{"list_commits", `{"sha":"topic"}`, `[{"commit":{"message":"Add topic.txt","author":{"name":"The Octocat"}}},{"commit":{"message":"first"}}]`},
		{"get_commit", `{"sha":"topic"}`, `{"stats":{"additions":2,"total":2},"files":[{"filename":"topic.txt","status":"added"}]}`},
		{"list_tags", `{}`, `[{"name":"v1.0.0"},{"name":"v0.1"}]`},
		{"get_tag", `{"tag":"v0.1"}`, `{"tag":"v0.1","message":"The oldest"}`},
		{"list_releases", `{}`, `[{"tag_name":"v1.0.0","name":"First"}]`},
		{"get_latest_release", `{}`, `{"tag_name":"v1.0.0"}`},
		{"get_release_by_tag", `{"tag":"v1.0.0"}`, `{"name":"First","assets":[{"name":"example.zip"}]}`},
		{"create_branch", `{"branch":"new","from_branch":"main"}`, `{"ref":"refs/heads/new"}`},
		{"create_or_update_file", `{"path":"a.txt","content":"one","message":"add a","branch":"new"}`, `{"content":{"path":"a.txt"}}`},
		{"push_files", `{"branch":"new","message":"add two","files":[{"path":"b.txt","content":"two"}]}`, `{"ref":"refs/heads/new"}`},
		{"delete_file", `{"path":"a.txt","message":"remove a","branch":"new"}`, `{"commit":{"message":"remove a"}}`},
		{"fork_repository", `{}`, `Fork is in progress`},
		{"create_repository", `{"name":"made","private":true,"autoInit":true}`, `monalisa/made`},

		{"list_issues", `{"state":"OPEN","labels":["bug"]}`, `{"totalCount":1,"issues":[{"number":3}]}`},
		{"issue_read", `{"method":"get","issue_number":3}`, `{"number":3,"title":"Issue 3","user":{"login":"octocat"}}`},
		{"issue_read", `{"method":"get_comments","issue_number":3}`, `[{"body":"first"}]`},
		{"issue_read", `{"method":"get_labels","issue_number":3}`, `{"totalCount":1,"labels":[{"name":"bug"}]}`},
		{"issue_write", `{"method":"create","title":"T","body":"B","labels":["bug"],"assignees":["monalisa"],"milestone":1}`, `issues/8`},
		{"issue_write", `{"method":"update","issue_number":8,"state":"closed","state_reason":"not_planned"}`, `issues/8`},
		{"add_issue_comment", `{"issue_number":8,"body":"hi"}`, `{"body":"hi"}`},
		{"sub_issue_write", `{"method":"add","issue_number":1,"sub_issue_id":{issue 2}}`, `{"number":1}`},
		{"issue_read", `{"method":"get_sub_issues","issue_number":1}`, `[{"number":2}]`},
		{"sub_issue_write", `{"method":"add","issue_number":1,"sub_issue_id":{issue 3}}`, `{"number":1}`},
		{"sub_issue_write", `{"method":"reprioritize","issue_number":1,"sub_issue_id":{issue 3},"before_id":{issue 2}}`, `{"number":1}`},
		{"sub_issue_write", `{"method":"remove","issue_number":1,"sub_issue_id":{issue 2}}`, `{"number":1}`},
		{"get_label", `{"name":"bug"}`, `{"name":"bug","color":"d73a4a"}`},
		{"list_issue_types", `{"owner":"acme"}`, `[]`},
		{"assign_copilot_to_issue", `{"issue_number":3}`, `copilot isn't available as an assignee for this issue.`},

		{"list_pull_requests", `{"state":"open"}`, `[{"number":7,"title":"Turn faster"}]`},
		{"pull_request_read", `{"method":"get","pullNumber":7}`, `{"number":7,"mergeable_state":"unstable","head":{"ref":"topic"}}`},
		{"pull_request_read", `{"method":"get_diff","pullNumber":7}`, `+one`},
		{"pull_request_read", `{"method":"get_status","pullNumber":7}`, `{"total_count":0}`},
		{"pull_request_read", `{"method":"get_files","pullNumber":7}`, `[{"filename":"topic.txt"}]`},
		{"pull_request_read", `{"method":"get_reviews","pullNumber":7}`, `[]`},
		{"pull_request_read", `{"method":"get_review_comments","pullNumber":7}`, `[]`},
		{"pull_request_read", `{"method":"get_comments","pullNumber":7}`, `[{"body":"hi"}]`},
		{"pull_request_review_write", `{"method":"create","pullNumber":7}`, `pending pull request created`},
		{"pull_request_review_write", `{"method":"delete_pending","pullNumber":7}`, `successfully deleted`},
		{"pull_request_review_write", `{"method":"create","pullNumber":7}`, `pending pull request created`},
		{"add_comment_to_pending_review", `{"pullNumber":7,"path":"topic.txt","line":2,"side":"RIGHT","body":"Why?","subjectType":"LINE"}`, `successfully added to pending review`},
		{"pull_request_review_write", `{"method":"submit_pending","pullNumber":7,"event":"COMMENT","body":"x"}`, `successfully submitted`},
		{"request_copilot_review", `{"pullNumber":7}`, `Reviews may only be requested from collaborators`},
		{"update_pull_request", `{"pullNumber":7,"title":"T2","reviewers":["monalisa"]}`, `pull/7`},
		{"create_pull_request", `{"title":"T","head":"feat","base":"main","draft":true}`, `pull/9`},
		{"update_pull_request_branch", `{"pullNumber":9}`, `There are no new commits on the base branch.`},
		{"merge_pull_request", `{"pullNumber":7,"merge_method":"squash"}`, `{"merged":true}`},
		{"update_pull_request_branch", `{"pullNumber":9}`, `in progress`},
	}
}

// mcpNone use tools that the server offers besides, about what no world has:
// they tell what they tell of a repository without.
func mcpNone() []mcpCall {
	return []mcpCall{
		{"list_discussions", `{}`, `{"totalCount":0,"discussions":[]}`},
		{"list_discussion_categories", `{}`, `{"totalCount":0,"categories":[]}`},
		{"get_discussion", `{"discussionNumber":1}`, `Could not resolve to a Discussion with the number of 1.`},
		{"get_discussion_comments", `{"discussionNumber":1}`, `Could not resolve to a Discussion with the number of 1.`},
		{"list_notifications", `{}`, `[]`},
		{"get_notification_details", `{"notificationID":"1"}`, `404 Not Found`},
		{"dismiss_notification", `{"threadID":"1","state":"read"}`, `404 Not Found`},
		{"mark_all_notifications_read", `{}`, `All notifications marked as read`},
		{"manage_notification_subscription", `{"notificationID":"1","action":"watch"}`, `404 Not Found`},
		{"manage_repository_notification_subscription", `{"action":"watch"}`, `{"subscribed":true,"ignored":false}`},
		{"manage_repository_notification_subscription", `{"action":"delete"}`, `deleted`},
		{"list_code_scanning_alerts", `{}`, `no analysis found`},
		{"get_code_scanning_alert", `{"alertNumber":1}`, `no analysis found`},
		{"list_secret_scanning_alerts", `{}`, `Secret scanning is disabled on this repository.`},
		{"get_secret_scanning_alert", `{"alertNumber":1}`, `Secret scanning is disabled on this repository.`},
		{"list_dependabot_alerts", `{}`, `Dependabot alerts are disabled for this repository.`},
		{"get_dependabot_alert", `{"alertNumber":1}`, `Dependabot alerts are disabled for this repository.`},
		{"list_repository_security_advisories", `{}`, `[]`},
		{"list_org_repository_security_advisories", `{"org":"acme"}`, `[]`},
		{"list_global_security_advisories", `{}`, `[]`},
		{"get_global_security_advisory", `{"ghsaId":"GHSA-xxxx-xxxx-xxxx"}`, `404 Not Found`},
	}
}

func TestMCPToolsAboutWhatThereIsNot(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	c := at(t, world, realtool.Find(t, realtool.MCPServer()))
	c.Env = append(c.Env, "GITHUB_PERSONAL_ACCESS_TOKEN="+token)
	mcp := realtool.OpenMCP(t, c.Bench, c.program, "stdio", "--toolsets", "all")
	for _, call := range mcpNone() {
		call.check(t, mcp, call.args)
	}
}

// check makes a call and compares the answer.
func (call mcpCall) check(t *testing.T, mcp *realtool.MCP, given string) {
	t.Helper()
	args := map[string]any{"owner": acme, "repo": widgets}
	require.NoError(t, json.Unmarshal([]byte(given), &args), given)
	answer := mcp.Try(call.tool, args)
	said := call.tool + " " + call.args + ": " + answer.Text
	if call.want[0] != '{' && call.want[0] != '[' {
		assert.Contains(t, answer.Text, call.want, said)
	} else if assert.False(t, answer.IsError, said) {
		var got, want any
		require.NoError(t, json.Unmarshal([]byte(answer.Text), &got), said)
		require.NoError(t, json.Unmarshal([]byte(call.want), &want), call.want)
		partOf(t, got, want, said)
	}
}

// Every tool that the server offers by default does on the world what it does
// on GitHub.
func TestMCPTools(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	require.NoError(t, world.Setup(annotateTag))
	c := at(t, world, realtool.Find(t, realtool.MCPServer()))
	c.Env = append(c.Env, "GITHUB_PERSONAL_ACCESS_TOKEN="+token)
	mcp := realtool.OpenMCP(t, c.Bench, c.program, "stdio")
	left := map[string]bool{}
	for _, tool := range mcp.Tools() {
		left[tool] = true
	}
	assert.Len(t, left, 40)
	issues := issueIDs(c)
	for _, call := range mcpCalls() {
		call.check(t, mcp, issues.Replace(call.args))
		delete(left, call.tool)
	}
	assert.Empty(t, slices.Collect(maps.Keys(left)), "tools that were not tried")
	world.Look(func(s *model.State) { mcpLeft(t, s, s.Repo(acme, widgets)) })
}

// mcpLeft looks at what the calls have left.
func mcpLeft(t *testing.T, s *model.State, repo *model.Repo) {
	t.Helper()
	assert.Equal(t, []bool{true, false}, []bool{s.Repo(me, "made").Private, s.Repo(me, "made").Empty()})
	made := s.Issue(repo, 8)
	assert.Equal(t, []string{"T", "B", "not_planned"}, []string{made.Title, made.Body, made.StateReason})
	assert.Equal(t, []model.ID{s.Issue(repo, 3).ID}, s.Issue(repo, 1).SubIssues)
	assert.Equal(t, "T2", s.Pull(repo, 7).Title)
	assert.True(t, s.Pull(repo, 7).Pull.Merged())
	_, err := repo.Git.Entry(tip(s, repo, "feat"), "topic.txt")
	assert.NoError(t, err, "the branch was brought up to date")
	_, err = repo.Git.Entry(tip(s, repo, "new"), "b.txt")
	assert.NoError(t, err)
}

// annotateTag makes a tag with a message.
func annotateTag(s *model.State) error {
	repo, owner := s.Repo(acme, widgets), s.User(me).ID
	tag, err := s.CreateTag(owner, repo, gitstore.TagSpec{
		Name: "v0.1", Target: tip(s, repo, "main"), Message: "The oldest", Tagger: s.Signature(owner),
	})
	return cmp.Or(err, s.CreateRef(owner, repo, "refs/tags/v0.1", tag.Hash))
}

// issueIDs puts the database ids of issues into arguments.
func issueIDs(c *client) *strings.Replacer {
	var pairs []string
	c.world.Look(func(s *model.State) {
		for _, number := range []string{"2", "3"} {
			id, err := json.Marshal(s.Issue(s.Repo(acme, widgets), int(number[0]-'0')).ID)
			require.NoError(c.t, err)
			pairs = append(pairs, "{issue "+number+"}", string(id))
		}
	})
	return strings.NewReplacer(pairs...)
}
