package sandbox_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// whomTold are those who are told of events, each with the reason.
func whomTold(events []changes.Event) (told []string) {
	for _, e := range events {
		for _, one := range e.Told {
			told = append(told, one.Login+": "+one.Reason)
		}
	}
	return told
}

// People are told where GitHub sends them a notification, and what they are not
// told of can be undone.
func TestS12TheLogTellsWhomGitHubTells(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		for login, wanted := range map[string]model.Subscription{"triager": model.Subscribed, "reader": model.Ignored} {
			s.Subscribe(s.User(login).ID, repo, wanted)
		}
		s.AddUser(model.NewUser{Login: "some-bot", Type: model.TypeBot})
		_, err := s.OpenIssue(s.User("stranger").ID, repo, model.NewIssue{Title: "It is broken", Body: "Says @stranger"})
		require.NoError(t, err)
	})
	pull := propose(t, w, "topic")
	writer := w.As("writer")
	const issue, pulls = sandboxtest.Path + "/issues", sandboxtest.Path + "/pulls"
	of := func(path string) string { return fmt.Sprintf("%s/%d%s", pulls, pull, path) }
	node := func(find func(s *model.State, repo *model.Repo) string) (id string) {
		w.Look(func(s *model.State) { id = find(s, s.Repo(sandboxtest.Owner, sandboxtest.Name)) })
		return id
	}
	pullNode := node(func(s *model.State, repo *model.Repo) string {
		return model.NodeID(model.NodePull, repo.ID, s.Pull(repo, pull).Pull.ID)
	})
	comment := 0
	for _, c := range []struct {
		what, method, path, body string
		told                     []string
	}{
		{"who watches the repository is told of a new issue, as is its owner", "POST", issue, `{"title": "One"}`, []string{"triager: subscribed", "owner: subscribed"}},
		{
			"who is assigned, unless it is oneself, or one ignores the repository", "POST", issue + "/1/assignees", `{"assignees": ["owner", "writer", "triager", "reader"]}`,
			[]string{"owner: assign", "triager: assign"},
		},
		{"nobody is assigned twice", "POST", issue + "/1/assignees", `{"assignees": ["owner"]}`, nil},
		{"nor told that he is no longer", "DELETE", issue + "/1/assignees", `{"assignees": ["owner", "triager"]}`, nil},
		{"labels tell nobody", "PUT", issue + "/1/labels", `{"labels": ["new"]}`, nil},
		{"nor does a lock", "PUT", issue + "/1/lock", `{}`, nil},
		{"nor its end", "DELETE", issue + "/1/lock", "", nil},
		{"nor a title", "PATCH", issue + "/1", `{"title": "Broken @owner"}`, nil},
		{"who takes part is told that it is closed", "PATCH", issue + "/1", `{"state": "closed"}`, []string{"owner: state_change", "triager: state_change", "stranger: state_change"}},
		{"not twice", "PATCH", issue + "/1", `{"state": "closed"}`, nil},
		{"and that it is open again", "PATCH", issue + "/1", `{"state": "open"}`, []string{"owner: state_change", "triager: state_change", "stranger: state_change"}},
		{
			"who is mentioned anew, by a name of its own", "PATCH", issue + "/1",
			`{"body": "Says @stranger to @Owner, not to me@triager.com, @nobody, @reader, @writer, @some-bot, @triager-s or x@triager; ` + "`@triager`" + `, nor\n` + "```\\n@triager\\n```" + `"}`,
			[]string{"owner: mention"},
		},
		{"not who was before", "PATCH", issue + "/1", `{"body": "@owner, @stranger"}`, nil},
		{"in a comment", "POST", issue + "/1/comments", `{"body": "(@triager)"}`, []string{"triager: mention"}},
		{"in a comment that is edited", "PATCH", issue + "/comments/%d", `{"body": "@triager and @owner"}`, []string{"owner: mention"}},
		{"who is asked for a review", "POST", of("/requested_reviewers"), `{"reviewers": ["triager"]}`, []string{"triager: review_requested"}},
		{"and not who is no longer", "DELETE", of("/requested_reviewers"), `{"reviewers": ["triager"]}`, nil},
		{"in a review and its comments", "POST", of("/reviews"), `{"body": "@owner", "event": "COMMENT", "comments": [{"path": "topic.txt", "line": 1, "body": "@triager"}]}`, []string{"owner: mention", "triager: mention"}},
		{"in a comment on a line", "POST", of("/comments"), fmt.Sprintf(`{"path": "topic.txt", "line": 1, "body": "@stranger", "commit_id": %q}`, node(func(s *model.State, repo *model.Repo) string {
			return s.Pull(repo, pull).Pull.HeadSHA
		})), []string{"stranger: mention"}},
		{"a draft tells nobody", "POST", "/graphql", fmt.Sprintf(`{"query": "mutation {convertPullRequestToDraft(input: {pullRequestId: \"%s\"}) {pullRequest {id}}}"}`, pullNode), nil},
		{"nor does that it is ready", "POST", "/graphql", fmt.Sprintf(`{"query": "mutation {markPullRequestReadyForReview(input: {pullRequestId: \"%s\"}) {pullRequest {id}}}"}`, pullNode), nil},
		{"who takes part is told of a merge", "PUT", of("/merge"), `{}`, []string{"owner: state_change", "triager: state_change"}},
		{"a draft of a release tells nobody", "POST", sandboxtest.Path + "/releases", `{"tag_name": "v1", "draft": true}`, nil},
		{"a release tells who watches", "POST", sandboxtest.Path + "/releases", `{"tag_name": "v2"}`, []string{"triager: subscribed", "owner: subscribed"}},
	} {
		before := len(w.Changes())
		if c.path == issue+"/comments/%d" {
			c.path = fmt.Sprintf(c.path, comment)
		}
		reply := writer.Do(c.method, c.path, c.body)
		require.Less(t, reply.Status, http.StatusMultipleChoices, "%s: %s", c.what, reply.Body)
		require.NotContains(t, reply.Body, `"errors":`, c.what)
		if c.path == issue+"/1/comments" {
			comment = reply.Int("id")
		}
		assert.Equal(t, c.told, whomTold(w.Changes()[before:]), c.what)
	}
}

// A team is told as its members are.
func TestS12TheMembersOfATeamAreTold(t *testing.T) {
	w := sandboxtest.New(t)
	var core, other string
	w.Change(func(s *model.State, _ *model.Repo) {
		owner, writer, reader := s.User(sandboxtest.Owner), s.User("writer"), s.User("reader")
		owner.Type, owner.Members = model.TypeOrganization, map[model.ID]model.OrgRole{writer.ID: model.OrgMember, reader.ID: model.OrgMember}
		core, other = s.AddTeam(owner, "Core", writer.ID, reader.ID).Slug, s.AddTeam(owner, "Other", s.User("triager").ID).Slug
	})
	pull := propose(t, w, "topic")
	writer := w.As("writer")
	path := fmt.Sprintf("%s/pulls/%d/requested_reviewers", sandboxtest.Path, pull)
	for _, c := range []struct {
		method, path, body string
		told               []string
	}{
		{"POST", sandboxtest.Path + "/issues", `{"title": "One", "body": "@owner/core, @owner/nobody and @owner"}`, []string{"reader: team_mention"}},
		{"POST", path, fmt.Sprintf(`{"team_reviewers": [%q]}`, core), []string{"reader: review_requested"}},
		{"POST", path, fmt.Sprintf(`{"team_reviewers": [%q, %q]}`, core, other), []string{"triager: review_requested"}},
		{"DELETE", path, fmt.Sprintf(`{"reviewers": [], "team_reviewers": [%q]}`, core), nil},
	} {
		before := len(w.Changes())
		reply := writer.Do(c.method, c.path, c.body)
		require.Less(t, reply.Status, http.StatusMultipleChoices, reply.Body)
		assert.Equal(t, c.told, whomTold(w.Changes()[before:]), "%s %s", c.method, c.body)
	}
}

// What follows from something is of the same act as that; what each field of a
// mutation does is an act of its own.
func TestS12WhatFollowsIsOfTheActThatItFollowsFrom(t *testing.T) {
	w := sandboxtest.New(t)
	pull := propose(t, w, "topic")
	before := len(w.Changes())
	owner := w.As("owner")
	var id string
	w.Look(func(s *model.State) {
		repo := s.Repo(sandboxtest.Owner, sandboxtest.Name)
		id = model.NodeID(model.NodePull, repo.ID, s.Pull(repo, pull).Pull.ID)
	})
	owner.GraphQL(fmt.Sprintf(`mutation {a: closePullRequest(input: {pullRequestId: %q}) {pullRequest {id}} b: reopenPullRequest(input: {pullRequestId: %q}) {pullRequest {id}}}`, id, id))
	owner.Do(http.MethodPut, fmt.Sprintf("%s/pulls/%d/merge", sandboxtest.Path, pull), `{}`)
	var acts [][2]any
	for _, e := range w.Changes()[before:] {
		acts = append(acts, [2]any{e.Act - w.Changes()[before].Act, e.Cause})
	}
	assert.Equal(t, [][2]any{{0, ""}, {1, ""}, {2, ""}, {2, model.CauseMerge}}, acts)
}
