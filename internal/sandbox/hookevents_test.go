package sandbox_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// hooked is a world whose repository belongs to an organization, with webhooks
// that are told of everything.
type hooked struct {
	*sandboxtest.World
	t *testing.T
	// boss owns the organization; writer may write, reader read.
	boss, writer, reader *sandboxtest.Client
	to                   *sandboxtest.Receiver
	app                  *model.App
	// got are the latest webhooks by name.
	got map[string]sandboxtest.Received
}

const path = sandboxtest.Path

// toldOf are what an App can be told of.
var toldOf = []string{
	"branch_protection_configuration", "branch_protection_rule", "check_run", "check_suite", "commit_comment", "create", "delete", "deploy_key", "deployment",
	"deployment_status", "discussion", "discussion_comment", "fork", "issue_comment", "issue_dependencies", "issues", "label", "member", "membership", "merge_group", "meta",
	"milestone", "organization", "projects_v2", "projects_v2_item", "public", "pull_request", "pull_request_review",
	"pull_request_review_comment", "pull_request_review_thread", "push", "release", "repository", "repository_dispatch", "repository_ruleset",
	"star", "status", "sub_issues", "team", "watch", "workflow_dispatch", "workflow_job", "workflow_run",
}

func newHooked(t *testing.T) *hooked {
	t.Helper()
	w := &hooked{World: sandboxtest.New(t), t: t, got: map[string]sandboxtest.Received{}}
	w.to = w.Receive()
	w.Change(func(s *model.State, repo *model.Repo) {
		boss := s.AddUser(model.NewUser{Login: "boss"}).ID
		owner := s.User(sandboxtest.Owner)
		owner.Type, owner.Members = model.TypeOrganization, map[model.ID]model.OrgRole{boss: model.OrgOwner}
		repo.AllowAutoMerge = true
		s.AddTeam(owner, "Core", boss)
		app := func(name string, permissions map[string]string, events ...string) *model.App {
			a := s.AddApp(model.NewApp{
				Name: name, Owner: owner.ID, Permissions: permissions, Events: events, Hook: model.HookConfig{URL: w.to.URL + "/" + name, Secret: hookSecret, ContentType: "json"},
			})
			s.Install(owner.ID, a, owner.ID, nil)
			return a
		}
		w.app = app("Gate", map[string]string{"checks": "write"}, "check_run", "check_suite")
		app("Ear", nil, toldOf...)
	})
	w.AddToken("all of the boss", sandbox.Token{User: "boss"})
	w.boss, w.writer, w.reader = w.With("all of the boss"), w.As("writer"), w.As("reader")
	for _, at := range []string{"/orgs/" + sandboxtest.Owner, path} {
		w.rest(w.boss, "POST", at+"/hooks", map[string]any{"name": "web", "events": []string{"*"}, "config": map[string]any{"url": w.to.URL + at, "content_type": "json", "secret": hookSecret}})
	}
	return w
}

// rest sends a request that must be done.
func (w *hooked) rest(as *sandboxtest.Client, method, path string, body any) sandboxtest.Reply {
	w.t.Helper()
	reply := as.Do(method, path, body)
	require.Less(w.t, reply.Status, http.StatusMultipleChoices, "%s %s: %s", method, path, reply.Body)
	return reply
}

// graphql runs a mutation that must be done.
func (w *hooked) graphql(mutation string, args ...any) sandboxtest.Reply {
	w.t.Helper()
	reply := w.boss.GraphQL("mutation {" + fmt.Sprintf(mutation, args...) + "}")
	require.Nil(w.t, reply.At("errors"), reply.Body)
	return reply
}

// node is the global id of what a path answers.
func (w *hooked) node(path string) string { return w.boss.Get(path).Text("node_id") }

// tells takes what came since the last time: these events must be among them, to
// each of some kinds of webhooks.
func (w *hooked) tells(what string, events ...string) {
	w.t.Helper()
	came := map[string]bool{}
	for _, r := range w.Received(w.to) {
		n := name(w.t, r)
		w.got[n], came[n] = r, true
	}
	for _, event := range events {
		assert.True(w.t, came[event], "%s: %s does not come, but %v", what, event, slices.Sorted(maps.Keys(came)))
	}
}

// step does something and says what webhooks are told.
type step struct {
	what   string
	do     func(w *hooked)
	events []string
}

// asked is a step by one request.
func asked(method, at string, body any, events ...string) step {
	return step{method + " " + at, func(w *hooked) { w.rest(w.boss, method, at, body) }, events}
}

type object = map[string]any

// steps do what each event that the sandbox has is about, in one world.
func steps() []step {
	return slices.Concat(repositorySteps(), issueSteps(), discussionSteps(), pullSteps(), reviewSteps(), ruleSteps(), releaseSteps(), actionsSteps(), projectSteps(), accountSteps(), hookSteps())
}

func repositorySteps() []step {
	const other = "/repos/" + sandboxtest.Owner + "/other"
	return []step{
		{"a repository", func(w *hooked) {
			w.rest(w.boss, "POST", "/orgs/"+sandboxtest.Owner+"/repos", object{"name": "fresh", "auto_init": true})
		}, []string{"repository.created", "push", "create"}},
		asked("PATCH", "/repos/"+sandboxtest.Owner+"/fresh", object{"name": "other"}, "repository.renamed"),
		asked("PATCH", other, object{"description": "x", "homepage": "https://example.com"}, "repository.edited"),
		asked("PUT", other+"/topics", object{"names": []string{"a"}}, "repository.edited"),
		asked("PATCH", other, object{"private": true}, "repository.privatized"),
		asked("PATCH", other, object{"private": false}, "repository.publicized", "public"),
		asked("PATCH", other, object{"archived": true}, "repository.archived"),
		asked("PATCH", other, object{"archived": false}, "repository.unarchived"),
		{"a fork", func(w *hooked) { w.rest(w.reader, "POST", path+"/forks", nil) }, []string{"fork"}},
		asked("PUT", "/user/starred/"+sandboxtest.Owner+"/hello", nil, "star.created", "watch.started"),
		asked("DELETE", "/user/starred/"+sandboxtest.Owner+"/hello", nil, "star.deleted"),
		{"a deploy key", func(w *hooked) {
			id := w.rest(w.boss, "POST", path+"/keys", object{"title": "k", "key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKey", "read_only": true}).Int("id")
			w.tells("a deploy key", "deploy_key.created")
			w.rest(w.boss, "DELETE", fmt.Sprintf("%s/keys/%d", path, id), nil)
		}, []string{"deploy_key.deleted"}},
		{"a branch", func(w *hooked) {
			sha := w.boss.Get(path + "/git/ref/heads/main").Text("object.sha")
			w.rest(w.boss, "POST", path+"/git/refs", object{"ref": "refs/heads/gone", "sha": sha})
		}, []string{"create", "push"}},
		asked("DELETE", path+"/git/refs/heads/gone", nil, "delete"),
		{"a comment on a commit", func(w *hooked) {
			sha := w.boss.Get(path + "/git/ref/heads/main").Text("object.sha")
			w.rest(w.boss, "POST", path+"/commits/"+sha+"/comments", object{"body": "x", "path": "README.md", "position": 1, "line": 1})
		}, []string{"commit_comment.created"}},
		asked("PUT", path+"/contents/.github/workflows/ci.yml", object{"message": "ci", "content": base64.StdEncoding.EncodeToString([]byte(ciWorkflow))}, "push"),
	}
}

func issueSteps() []step {
	const one, two = path + "/issues/1", path + "/issues/2"
	id := func(w *hooked, at string) int { return w.boss.Get(at).Int("id") }
	graph := func(what, mutation, at string, events ...string) step {
		return step{what, func(w *hooked) { w.graphql(mutation, w.node(at)) }, events}
	}
	return []step{
		asked("POST", path+"/labels", object{"name": "x", "color": "ff0000"}, "label.created"),
		asked("PATCH", path+"/labels/x", object{"new_name": "y", "color": "00ff00", "description": "z"}, "label.edited"),
		asked("POST", path+"/milestones", object{"title": "m"}, "milestone.created"),
		asked("PATCH", path+"/milestones/1", object{"title": "n", "description": "d"}, "milestone.edited"),
		asked("PATCH", path+"/milestones/1", object{"state": "closed"}, "milestone.closed"),
		asked("PATCH", path+"/milestones/1", object{"state": "open"}, "milestone.opened"),
		asked("POST", path+"/issues", object{"title": "one", "labels": []string{"made with it"}}, "issues.opened", "issues.labeled", "label.created"),
		asked("POST", path+"/issues", object{"title": "two"}, "issues.opened"),
		asked("PATCH", one, object{"title": "first", "body": "x"}, "issues.edited"),
		asked("PATCH", one, object{"milestone": 1, "assignees": []string{"writer"}}, "issues.milestoned", "issues.assigned"),
		asked("PATCH", one, object{"milestone": nil, "assignees": []string{}}, "issues.demilestoned", "issues.unassigned"),
		asked("POST", "/orgs/"+sandboxtest.Owner+"/issue-types", object{"name": "Bug", "is_enabled": true}),
		asked("PATCH", one, object{"type": "Bug"}, "issues.typed"),
		asked("PATCH", one, object{"type": nil}, "issues.untyped"),
		asked("DELETE", path+"/milestones/1", nil, "milestone.deleted"),
		asked("PUT", one+"/labels", object{"labels": []string{"y"}}, "issues.labeled", "issues.unlabeled"),
		asked("DELETE", path+"/labels/y", nil, "label.deleted"),
		asked("PUT", one+"/lock", object{"lock_reason": "spam"}, "issues.locked"),
		asked("DELETE", one+"/lock", nil, "issues.unlocked"),
		graph("a pin", `pinIssue(input: {issueId: %q}) {issue {id}}`, one, "issues.pinned"),
		graph("no pin", `unpinIssue(input: {issueId: %q}) {issue {id}}`, one, "issues.unpinned"),
		asked("PATCH", one, object{"state": "closed"}, "issues.closed"),
		asked("PATCH", one, object{"state": "open"}, "issues.reopened"),
		{"a comment", func(w *hooked) {
			at := fmt.Sprintf("%s/issues/comments/%d", path, w.rest(w.writer, "POST", one+"/comments", object{"body": "x"}).Int("id"))
			w.tells("a comment", "issue_comment.created")
			w.rest(w.writer, "PATCH", at, object{"body": "y"})
			w.tells("a comment", "issue_comment.edited")
			w.rest(w.writer, "DELETE", at, nil)
		}, []string{"issue_comment.deleted"}},
		{"a sub-issue", func(w *hooked) { w.rest(w.boss, "POST", one+"/sub_issues", object{"sub_issue_id": id(w, two)}) }, []string{"sub_issues.sub_issue_added", "sub_issues.parent_issue_added"}},
		{"no sub-issue", func(w *hooked) { w.rest(w.boss, "DELETE", one+"/sub_issue", object{"sub_issue_id": id(w, two)}) }, []string{"sub_issues.sub_issue_removed", "sub_issues.parent_issue_removed"}},
		{"a blocker", func(w *hooked) {
			w.rest(w.boss, "POST", one+"/dependencies/blocked_by", object{"issue_id": id(w, two)})
			w.tells("a blocker", "issue_dependencies.blocked_by_added", "issue_dependencies.blocking_added")
			w.rest(w.boss, "DELETE", fmt.Sprintf("%s/dependencies/blocked_by/%d", one, id(w, two)), nil)
		}, []string{"issue_dependencies.blocked_by_removed", "issue_dependencies.blocking_removed"}},
		{"a transfer", func(w *hooked) {
			w.graphql(`transferIssue(input: {issueId: %q, repositoryId: %q}) {issue {id}}`, w.node(two), w.node("/repos/"+sandboxtest.Owner+"/other"))
		}, []string{"issues.transferred", "issues.opened"}},
		graph("a deletion", `deleteIssue(input: {issueId: %q}) {clientMutationId}`, one, "issues.deleted"),
		asked("DELETE", "/repos/"+sandboxtest.Owner+"/other", nil, "repository.deleted"),
	}
}

func pullSteps() []step {
	const pull = path + "/pulls/3"
	graph := func(what, mutation string, events ...string) step {
		return step{what, func(w *hooked) { w.graphql(mutation, w.node(pull)) }, events}
	}
	return []step{
		{"a pull request", func(w *hooked) { require.Equal(w.t, 3, propose(w.t, w.World, "topic")) }, []string{"pull_request.opened", "check_suite.requested"}},
		asked("PATCH", pull, object{"title": "x"}, "pull_request.edited"),
		asked("POST", path+"/milestones", object{"title": "m"}, "milestone.created"),
		asked("PATCH", path+"/issues/3", object{"labels": []string{"bug"}, "assignees": []string{"boss"}, "milestone": 1}, "pull_request.labeled", "pull_request.assigned", "pull_request.milestoned"),
		asked("PATCH", path+"/issues/3", object{"labels": []string{}, "assignees": []string{}, "milestone": nil}, "pull_request.unlabeled", "pull_request.unassigned", "pull_request.demilestoned"),
		asked("POST", pull+"/requested_reviewers", object{"reviewers": []string{"boss"}, "team_reviewers": []string{"core"}}, "pull_request.review_requested"),
		asked("DELETE", pull+"/requested_reviewers", object{"reviewers": []string{"boss"}, "team_reviewers": []string{"core"}}, "pull_request.review_request_removed"),
		asked("PUT", path+"/issues/3/lock", object{}, "pull_request.locked"),
		asked("DELETE", path+"/issues/3/lock", nil, "pull_request.unlocked"),
		graph("a draft", `convertPullRequestToDraft(input: {pullRequestId: %q}) {pullRequest {id}}`, "pull_request.converted_to_draft"),
		graph("no draft", `markPullRequestReadyForReview(input: {pullRequestId: %q}) {pullRequest {id}}`, "pull_request.ready_for_review"),
		asked("PUT", path+"/contents/more.txt", object{"message": "more", "branch": "topic", "content": "bW9yZQ=="}, "pull_request.synchronize"),
		asked("PATCH", pull, object{"state": "closed"}, "pull_request.closed"),
		asked("PATCH", pull, object{"state": "open"}, "pull_request.reopened"),
		asked("PUT", path+"/branches/main/protection", protection(1), "branch_protection_rule.created", "branch_protection_configuration.enabled"),
		graph("auto-merge", `enablePullRequestAutoMerge(input: {pullRequestId: %q, mergeMethod: SQUASH}) {pullRequest {id}}`, "pull_request.auto_merge_enabled"),
		graph("no auto-merge", `disablePullRequestAutoMerge(input: {pullRequestId: %q}) {pullRequest {id}}`, "pull_request.auto_merge_disabled"),
		{"a queue", func(w *hooked) {
			w.Change(func(_ *model.State, repo *model.Repo) { sandboxtest.Queue(repo, "gate") })
			w.rest(w.boss, "POST", path+"/statuses/"+w.boss.Get(pull).Text("head.sha"), object{"state": "success", "context": "gate"})
			w.graphql(`enqueuePullRequest(input: {pullRequestId: %q}) {mergeQueueEntry {id}}`, w.node(pull))
		}, []string{"merge_group.checks_requested", "pull_request.enqueued"}},
		graph("no queue", `dequeuePullRequest(input: {id: %q}) {mergeQueueEntry {id}}`, "merge_group.destroyed", "pull_request.dequeued"),
		{"a queue that is gone", func(w *hooked) { w.Change(func(_ *model.State, repo *model.Repo) { repo.Rulesets = nil }) }, nil},
	}
}

func reviewSteps() []step {
	const pull = path + "/pulls/3"
	return []step{
		{"a review", func(w *hooked) {
			id := w.rest(w.boss, "POST", pull+"/reviews", object{"body": "x", "event": "APPROVE", "comments": []object{{"path": "topic.txt", "line": 1, "body": "y"}}}).Int("id")
			w.tells("a review", "pull_request_review.submitted", "pull_request_review_comment.created")
			w.rest(w.boss, "PUT", fmt.Sprintf("%s/reviews/%d", pull, id), object{"body": "z"})
			w.tells("a review", "pull_request_review.edited")
			w.rest(w.boss, "PUT", fmt.Sprintf("%s/reviews/%d/dismissals", pull, id), object{"message": "no"})
		}, []string{"pull_request_review.dismissed"}},
		{"a review that was pending", func(w *hooked) {
			id := w.rest(w.boss, "POST", pull+"/reviews", object{"comments": []object{{"path": "topic.txt", "line": 1, "body": "y"}}}).Int("id")
			assert.NotContains(w.t, named(w.t, w.Received(w.to)), "pull_request_review_comment.created", "others do not see it yet")
			w.rest(w.boss, "POST", fmt.Sprintf("%s/reviews/%d/events", pull, id), object{"event": "COMMENT", "body": "q"})
		}, []string{"pull_request_review.submitted", "pull_request_review_comment.created"}},
		{"a thread", func(w *hooked) {
			reply := w.boss.GraphQL(`{repository(owner: "owner", name: "hello") {pullRequest(number: 3) {reviewThreads(first: 1) {nodes {id}}}}}`)
			thread := reply.Text("data.repository.pullRequest.reviewThreads.nodes.0.id")
			w.graphql(`resolveReviewThread(input: {threadId: %q}) {thread {id}}`, thread)
			w.tells("a thread", "pull_request_review_thread.resolved")
			w.graphql(`unresolveReviewThread(input: {threadId: %q}) {thread {id}}`, thread)
		}, []string{"pull_request_review_thread.unresolved"}},
		{"a comment on a line", func(w *hooked) {
			at := fmt.Sprintf("%s/pulls/comments/%d", path, w.boss.Get(pull+"/comments").Int("1.id"))
			w.rest(w.boss, "PATCH", at, object{"body": "new"})
			w.tells("a comment on a line", "pull_request_review_comment.edited")
			w.rest(w.boss, "DELETE", at, nil)
		}, []string{"pull_request_review_comment.deleted"}},
	}
}

func protection(approvals int) object {
	return object{
		"required_status_checks": nil, "enforce_admins": nil, "restrictions": nil,
		"required_pull_request_reviews": object{"required_approving_review_count": approvals},
	}
}

func ruleSteps() []step {
	set := func(name string) object {
		return object{"name": name, "target": "branch", "enforcement": "disabled", "rules": []object{{"type": "deletion"}}, "conditions": object{"ref_name": object{"include": []string{"refs/heads/x"}, "exclude": []string{}}}}
	}
	return []step{
		asked("PUT", path+"/branches/main/protection", object{
			"required_status_checks": object{"strict": true, "contexts": []string{"ci"}}, "enforce_admins": true, "restrictions": nil, "required_pull_request_reviews": nil,
		}, "branch_protection_rule.edited"),
		asked("DELETE", path+"/branches/main/protection", nil, "branch_protection_rule.deleted", "branch_protection_configuration.disabled"),
		{"a ruleset", func(w *hooked) {
			at := fmt.Sprintf("%s/rulesets/%d", path, w.rest(w.boss, "POST", path+"/rulesets", set("a")).Int("id"))
			w.tells("a ruleset", "repository_ruleset.created")
			w.rest(w.boss, "PUT", at, set("b"))
			w.tells("a ruleset", "repository_ruleset.edited")
			w.rest(w.boss, "DELETE", at, nil)
		}, []string{"repository_ruleset.deleted"}},
		asked("PUT", path+"/pulls/3/merge", object{}, "pull_request.closed", "push"),
	}
}

func releaseSteps() []step {
	return []step{
		{"a release", func(w *hooked) {
			at := fmt.Sprintf("%s/releases/%d", path, w.rest(w.boss, "POST", path+"/releases", object{"tag_name": "v1", "draft": true}).Int("id"))
			w.tells("a draft", "release.created")
			w.rest(w.boss, "PATCH", at, object{"draft": false})
			w.tells("a release", "release.published", "release.released", "create")
			w.rest(w.boss, "PATCH", at, object{"name": "n", "body": "b"})
			w.tells("a release", "release.edited")
			w.rest(w.boss, "PATCH", at, object{"draft": true})
			w.tells("a release", "release.unpublished")
			w.rest(w.boss, "DELETE", at, nil)
		}, []string{"release.deleted"}},
		asked("POST", path+"/releases", object{"tag_name": "v2", "prerelease": true}, "release.created", "release.published", "release.prereleased"),
	}
}

func actionsSteps() []step {
	return []step{
		asked("POST", path+"/actions/workflows/ci.yml/dispatches", object{"ref": "main"}, "workflow_dispatch",
			"workflow_run.requested", "workflow_run.in_progress", "workflow_run.completed", "workflow_job.queued", "workflow_job.in_progress", "workflow_job.completed", "check_run.created", "check_run.completed", "check_suite.completed"),
		asked("POST", path+"/dispatches", object{"event_type": "sample.collected", "client_payload": object{"a": 1}}, "repository_dispatch.sample.collected", "workflow_run.requested"),
		{"a deployment", func(w *hooked) {
			at := fmt.Sprintf("%s/deployments/%d", path, w.rest(w.boss, "POST", path+"/deployments", object{"ref": "main", "required_contexts": []string{}, "payload": object{"a": "b"}}).Int("id"))
			w.tells("a deployment", "deployment.created")
			w.rest(w.boss, "POST", at+"/statuses", object{"state": "success", "environment_url": "https://example.com"})
		}, []string{"deployment_status.created"}},
		{"a status", func(w *hooked) {
			sha := w.boss.Get(path + "/git/ref/heads/main").Text("object.sha")
			w.rest(w.boss, "POST", path+"/statuses/"+sha, object{"state": "success"})
		}, []string{"status"}},
		{"a check", func(w *hooked) {
			var sha string
			w.Change(func(s *model.State, repo *model.Repo) {
				head, _ := s.BranchHead(repo, "main")
				sha = head.String()
				title := "bench"
				run, err := s.CreateCheckRun(s.Apps.Get(w.app.ID), repo, sha, model.CheckChange{Name: &title, Actions: []model.CheckAction{{Label: "a", Description: "b", Identifier: "c"}}})
				require.NoError(w.t, err)
				require.NoError(w.t, s.Rerequest(s.User("boss").ID, run))
				require.NoError(w.t, s.RerequestSuite(s.User("boss").ID, s.CheckSuites.Get(run.SuiteID)))
				require.NoError(w.t, s.PressButton(s.User("boss").ID, run, "c"))
			})
		}, []string{"check_run.rerequested", "check_suite.rerequested", "check_run.requested_action"}},
	}
}

func projectSteps() []step {
	return []step{{"a project", func(w *hooked) {
		reply := w.graphql(`createProjectV2(input: {ownerId: %q, title: "p"}) {projectV2 {id field(name: "Status") {... on ProjectV2SingleSelectField {id options {id}}}}}`, w.node("/users/"+sandboxtest.Owner))
		w.tells("a project", "projects_v2.created")
		p, field, option := reply.Text("data.createProjectV2.projectV2.id"), reply.Text("data.createProjectV2.projectV2.field.id"), reply.Text("data.createProjectV2.projectV2.field.options.0.id")
		w.graphql(`updateProjectV2(input: {projectId: %q, title: "q", readme: "r"}) {projectV2 {id}}`, p)
		w.tells("a project", "projects_v2.edited")
		for action, closed := range map[string]bool{"closed": true} {
			w.graphql(`updateProjectV2(input: {projectId: %q, closed: %v}) {projectV2 {id}}`, p, closed)
			w.tells("a project", "projects_v2."+action)
		}
		w.graphql(`updateProjectV2(input: {projectId: %q, closed: false}) {projectV2 {id}}`, p)
		w.tells("a project", "projects_v2.reopened")
		item := w.graphql(`addProjectV2ItemById(input: {projectId: %q, contentId: %q}) {item {id}}`, p, w.node(path+"/pulls/3")).Text("data.addProjectV2ItemById.item.id")
		w.tells("an item", "projects_v2_item.created")
		w.graphql(`updateProjectV2ItemFieldValue(input: {projectId: %q, itemId: %q, fieldId: %q, value: {singleSelectOptionId: %q}}) {projectV2Item {id}}`, p, item, field, option)
		w.tells("an item", "projects_v2_item.edited")
		w.graphql(`archiveProjectV2Item(input: {projectId: %q, itemId: %q}) {item {id}}`, p, item)
		w.tells("an item", "projects_v2_item.archived")
		w.graphql(`unarchiveProjectV2Item(input: {projectId: %q, itemId: %q}) {item {id}}`, p, item)
		w.tells("an item", "projects_v2_item.restored")
		w.graphql(`deleteProjectV2Item(input: {projectId: %q, itemId: %q}) {deletedItemId}`, p, item)
		w.tells("an item", "projects_v2_item.deleted")
		w.graphql(`deleteProjectV2(input: {projectId: %q}) {projectV2 {id}}`, p)
	}, []string{"projects_v2.deleted"}}}
}

func accountSteps() []step {
	by := func(what string, change func(s *model.State, repo *model.Repo), events ...string) step {
		return step{what, func(w *hooked) { w.Change(change) }, events}
	}
	org := func(s *model.State) *model.User { return s.User(sandboxtest.Owner) }
	team := func(s *model.State) *model.Team {
		return s.Teams.First(func(t *model.Team) bool { return t.Slug == "more" })
	}
	return []step{
		by("a collaborator", func(s *model.State, repo *model.Repo) { repo.Collaborators[s.User("stranger").ID] = model.PermWrite }, "member.added"),
		by("another role", func(s *model.State, repo *model.Repo) { repo.Collaborators[s.User("stranger").ID] = model.PermAdmin }, "member.edited"),
		by("no collaborator", func(s *model.State, repo *model.Repo) { delete(repo.Collaborators, s.User("stranger").ID) }, "member.removed"),
		by("a member", func(s *model.State, _ *model.Repo) { s.SetMember(org(s), s.User("stranger").ID, model.OrgMember) }, "organization.member_added"),
		by("a team", func(s *model.State, _ *model.Repo) { s.AddTeam(org(s), "More") }, "team.created"),
		by("a team's text", func(s *model.State, _ *model.Repo) { team(s).Description = "x" }, "team.edited"),
		by("a team's member", func(s *model.State, _ *model.Repo) { team(s).Members = []model.ID{s.User("stranger").ID} }, "membership.added"),
		by("no member of a team", func(s *model.State, _ *model.Repo) { team(s).Members = nil }, "membership.removed"),
		by("no team", func(s *model.State, _ *model.Repo) { s.Teams.Delete(team(s).ID) }, "team.deleted"),
		by("a repository of one's own", func(s *model.State, _ *model.Repo) { s.AddRepo(model.NewRepo{Owner: s.User("boss").ID, Name: "mine"}) }),
		by("its transfer", func(s *model.State, _ *model.Repo) { s.Repo("boss", "mine").OwnerID = org(s).ID }, "repository.transferred"),
		by("no member", func(s *model.State, _ *model.Repo) { delete(org(s).Members, s.User("stranger").ID) }, "organization.member_removed"),
		by("an installation", func(s *model.State, repo *model.Repo) {
			app := s.App("gate")
			i := s.InstallationOf(app, org(s).ID)
			second := s.AddRepo(model.NewRepo{Owner: org(s).ID, Name: "second"})
			s.SetInstalledRepos(org(s).ID, i, []model.ID{repo.ID})
			s.SetInstalledRepos(org(s).ID, i, []model.ID{repo.ID, second.ID})
			s.Suspend(org(s).ID, i, true)
			s.Suspend(org(s).ID, i, false)
			s.Uninstall(org(s).ID, i)
			s.Install(org(s).ID, app, org(s).ID, nil)
		}, "installation_repositories.added", "installation_repositories.removed", "installation.suspend", "installation.unsuspend", "installation.deleted", "installation.created"),
	}
}

func hookSteps() []step {
	return []step{
		{"a ping", func(w *hooked) {
			w.rest(w.boss, "POST", fmt.Sprintf("%s/hooks/%d/pings", path, w.boss.Get(path+"/hooks").Int("0.id")), nil)
		}, []string{"ping"}},
		{"the end of a webhook", func(w *hooked) {
			id := w.rest(w.boss, "POST", path+"/hooks", object{"events": []string{"meta"}, "config": object{"url": w.to.URL + "/meta", "content_type": "json"}}).Int("id")
			w.rest(w.boss, "DELETE", fmt.Sprintf("%s/hooks/%d", path, id), nil)
		}, []string{"meta.deleted"}},
	}
}

// never are the events of GitHub that nothing in a sandbox leads to, by how their
// names begin, and why.
var never = map[string]string{
	"code-scanning-": "no code is scanned", "secret-scanning-": "no secrets are found", "dependabot-": "no dependencies are looked at",
	"security-": "there are no advisories", "repository-advisory-": "there are no advisories", "repository-vulnerability-": "there are no advisories",
	"custom-propert": "there are no properties", "deployment-protection-rule-": "paid",
	"deployment-review-": "paid", "discussion-pinned": "discussions are not pinned", "discussion-unpinned": "discussions are not pinned", "discussion-transferred": "discussions stay where they are", "gollum": "there are no wikis", "github-app-authorization-": "nobody takes one back",
	"installation-new-permissions-": "Apps ask for no more than before", "installation-target-": "accounts keep their names", "org-block-": "nobody is blocked",
	"marketplace-": "nothing is sold", "sponsorship-": "nobody is paid", "package-": "there are no packages", "registry-package-": "there are no packages",
	"page-build": "there are no pages", "personal-access-token-": "tokens are not asked for", "project-": "classic projects are gone",
	"projects-v2-status-update-": "projects have no updates", "repository-import": "nothing is imported", "exemption-request-": "paid", "bypass-request-": "paid",
	"projects-v2-item-converted": "drafts are not converted", "projects-v2-item-reordered": "items keep their order",
	"workflow-job-waiting": "no job waits", "organization-deleted": "organizations stay",
	"organization-renamed": "accounts keep their names", "organization-member-invited": "members are not invited",
	"team-add": "teams have no repositories", "team-added-": "teams have no repositories", "team-removed-": "teams have no repositories",
}

// Every webhook that GitHub has comes when what it is about is done, and is of
// the published shape; or the sandbox cannot do what it is about.
func TestEveryWebhookOfGitHubsComes(t *testing.T) {
	testkit.NeedComplete(t)
	w := newHooked(t)
	w.tells("new webhooks", "ping")
	for _, s := range steps() {
		s.do(w)
		w.tells(s.what, s.events...)
	}
	published := publishedWebhooks(t)
	for name, r := range w.got {
		t.Run(name, func(t *testing.T) { published.check(t, name, r.Body) })
	}
	for _, key := range published.names {
		came := slices.ContainsFunc(slices.Collect(maps.Keys(w.got)), func(name string) bool { return keyOf(name) == key })
		excused := slices.ContainsFunc(slices.Collect(maps.Keys(never)), func(prefix string) bool { return strings.HasPrefix(key, prefix) })
		assert.NotEqual(t, came, excused, "%s comes, or there is a reason why it cannot", key)
	}
}

// webhooks is GitHub's description of its webhooks.
type webhooks struct {
	compiler *jsonschema.Compiler
	names    []string
}

const webhooksURL = "https://webhooks.example/"

// publishedWebhooks is npm's @octokit/openapi-webhooks, whose
// generated/api.github.com.json the environment names.
func publishedWebhooks(t *testing.T) webhooks {
	t.Helper()
	at := os.Getenv("BENCH_GITHUB_WEBHOOKS")
	if at == "" {
		t.Skip("BENCH_GITHUB_WEBHOOKS does not name generated/api.github.com.json of the npm package @octokit/openapi-webhooks")
	}
	text, err := os.ReadFile(at)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	p := webhooks{compiler: jsonschema.NewCompiler()}
	p.compiler.DefaultDraft(jsonschema.Draft2020)
	require.NoError(t, p.compiler.AddResource(webhooksURL, document))
	var listed struct{ Webhooks map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &listed))
	p.names = slices.Sorted(maps.Keys(listed.Webhooks))
	return p
}

// keyOf is what a webhook is called there: with hyphens, but in the names that
// are not GitHub's own.
func keyOf(name string) string {
	event, action, _ := strings.Cut(name, ".")
	hyphens := strings.NewReplacer("_", "-")
	if event == "repository_dispatch" {
		return hyphens.Replace(event) + "-" + action
	}
	return hyphens.Replace(strings.TrimSuffix(event+"-"+action, "-"))
}

// check compares a payload with what is published of its event.
func (p webhooks) check(t *testing.T, name string, body []byte) {
	t.Helper()
	schema, err := p.compiler.Compile(webhooksURL + "#/webhooks/" + keyOf(name) + "/post/requestBody/content/application~1json/schema")
	require.NoError(t, err)
	payload, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	require.NoError(t, err)
	err = schema.Validate(payload)
	if lacks := lacking[name]; err != nil && lacks != "" {
		assert.Equal(t, 1, strings.Count(err.Error(), "- at "), "%v", err)
		assert.ErrorContains(t, err, "- at '"+lacks)
		return
	}
	assert.NoError(t, err)
}
