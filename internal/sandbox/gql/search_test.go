package gql_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestSearch(t *testing.T) {
	w := newWorld(t)
	const document = `query Search($q: String!, $type: SearchType!) { search(query: $q, type: $type, first: 5) {
		issueCount repositoryCount userCount codeCount pageInfo { hasNextPage endCursor }
		nodes { __typename ... on Issue { title } ... on PullRequest { title } ... on Repository { nameWithOwner } ... on User { login } } edges { cursor } } }`
	for name, c := range map[string]struct {
		query, kind, want string
		count             string
	}{
		"issues":                           {"repo:owner/hello is:issue state:open", "ISSUE", "broken", "issueCount"},
		"pull requests by a label":         {"repo:owner/hello is:pr -label:bug", "ISSUE", "Add ten", "issueCount"},
		"pull requests by who opened them": {"is:pr author:writer", "ISSUE", "Add ten", "issueCount"},
		"repositories":                     {"user:owner hello fork:true", "REPOSITORY", "owner/hello", "repositoryCount"},
		"users":                            {"triager", "USER", "triager", "userCount"},
		"nothing":                          {"repo:owner/hello none", "ISSUE", "", "issueCount"},
		"what the user cannot know":        {"repo:owner/secret x", "ISSUE", "", "issueCount"},
		"no words":                         {"", "ISSUE", "", "issueCount"},
		"repositories by another word":     {"language:go", "REPOSITORY", "", "repositoryCount"},
		"discussions":                      {"hello", "DISCUSSION", "", "issueCount"},
	} {
		reply := w.do("reader", document, "q", c.query, "type", c.kind)
		found := reply.Text("data.search.nodes.0.title") + reply.Text("data.search.nodes.0.nameWithOwner") + reply.Text("data.search.nodes.0.login")
		assert.Equal(t, c.want, found, name)
		assert.Equal(t, map[bool]int{true: 1}[c.want != ""], reply.Int("data.search."+c.count), name)
		assert.Nil(t, reply.At("data.search.nodes.1"), name)
	}
	assert.Equal(t, 2, w.do("reader", `{ search(query: "repo:owner/hello", type: ISSUE) { issueCount } }`).Int("data.search.issueCount"), "a count needs no page")
}

func TestResources(t *testing.T) {
	w := newWorld(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "secret", Private: true})
	})
	for address, want := range map[string]string{
		"https://github.com/owner":                "User",
		"https://github.com/owner/hello":          "Repository",
		"https://github.com/owner/hello/issues/1": "Issue",
		"https://github.com/owner/hello/pull/2":   "PullRequest",
		"/owner/hello/issues/2":                   "PullRequest",
		"https://github.com/owner/hello/pull/9":   "",
		"https://github.com/owner/hello/pull/x":   "",
		"https://github.com/owner/hello/pulls":    "",
		"https://github.com/owner/secret":         "",
		"https://github.com/":                     "",
		"https://example.com/owner/hello":         "",
	} {
		reply := w.do("reader", `query R($url: URI!) { resource(url: $url) { __typename url } }`, "url", address)
		assert.Equal(t, want, reply.Text("data.resource.__typename"), address)
		if want != "" {
			assert.True(t, strings.HasPrefix(reply.Text("data.resource.url"), "https://github.com/owner"), address)
		}
	}
}

// What gh selects beside what it needs.
func TestWhatASandboxHasNot(t *testing.T) {
	w := newWorld(t)
	reply := w.do("writer", `{ repository(owner: "owner", name: "hello") {
		codeOfConduct { name } licenseInfo { key } primaryLanguage { name } latestRelease { tagName } issueTemplates { name } fundingLinks { url }
		languages(first: 9) { totalSize edges { size node { name } } } releases(first: 9) { nodes { tagName isLatest } } repositoryTopics(first: 9) { nodes { topic { name } } }
		watchers { totalCount } viewerSubscription viewerDefaultCommitEmail projectsV2(first: 9) { nodes { title } }
		pullRequest(number: 2) {
			autoMergeRequest { mergeMethod } projectCards(first: 9) { totalCount nodes { column { name } } }
			projectItems(first: 9) { nodes { fieldValueByName(name: "Status") { ... on ProjectV2ItemFieldSingleSelectValue { name } } } }
			reviewRequests(first: 9) { nodes { requestedReviewer { __typename ... on Team { slug organization { login } } } } }
			reactionGroups { content users { totalCount } viewerHasReacted }
			statusCheckRollup { contexts(first: 9) { statusContextCount statusContextCountsByState { count } nodes { __typename ... on StatusContext { context state } } } } } } }`)
	const pull = "data.repository.pullRequest."
	assert.Equal(t, "THUMBS_UP", reply.Text(pull+"reactionGroups.0.content"))
	assert.Equal(t, "EYES", reply.Text(pull+"reactionGroups.7.content"), "all of the eight are there")
	assert.Equal(t, 0.0, reply.At(pull+"reactionGroups.7.users.totalCount"))
	assert.Equal(t, "CheckRun", reply.Text(pull+"statusCheckRollup.contexts.nodes.0.__typename"))
	assert.Nil(t, reply.At(pull+"autoMergeRequest"))
	assert.Equal(t, []any{}, reply.At("data.repository.languages.edges"))
	assert.Equal(t, "UNSUBSCRIBED", reply.Text("data.repository.viewerSubscription"))
	assert.Contains(t, reply.Text("data.repository.viewerDefaultCommitEmail"), "@")
}

func TestWhatNeverMerges(t *testing.T) {
	w := newWorld(t)
	w.refused("UNPROCESSABLE", "Auto merge is not allowed for this repository", "writer",
		`mutation M($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { clientMutationId } }`, "id", w.pull)
	w.refused("UNPROCESSABLE", "Can't disable auto-merge for this pull request.", "writer",
		`mutation M($id: ID!) { disablePullRequestAutoMerge(input: {pullRequestId: $id}) { clientMutationId } }`, "id", w.pull)
	const create = `mutation M($repo: ID!, $head: String!, $base: String!) {
		createPullRequest(input: {repositoryId: $repo, title: "x", headRefName: $head, baseRefName: $base}) { clientMutationId } }`
	const blank = "Head sha can't be blank, Base sha can't be blank, No commits between "
	w.refused("UNPROCESSABLE", blank+"main and none, Head ref must be a branch", "writer", create, "repo", w.repo, "head", "none", "base", "main")
	w.refused("UNPROCESSABLE", blank+"none and f, Base ref must be a branch", "writer", create, "repo", w.repo, "head", "f", "base", "none")
}

func TestEditingComments(t *testing.T) {
	w := newWorld(t)
	id := w.do("reader", `mutation M($id: ID!) { addComment(input: {subjectId: $id, body: "x"}) { commentEdge { node { id } } } }`, "id", w.issue).
		Text("data.addComment.commentEdge.node.id")
	const edit = `mutation M($id: ID!, $body: String!) { updateIssueComment(input: {id: $id, body: $body}) { issueComment { body } } }`
	for _, login := range []string{"reader", "writer"} {
		assert.Equal(t, "by "+login, w.do(login, edit, "id", id, "body", "by "+login).Text("data.updateIssueComment.issueComment.body"))
	}
	w.refused("FORBIDDEN", "stranger does not have the correct permissions to execute `UpdateIssueComment`", "stranger", edit, "id", id, "body", "x")
	w.refused("UNPROCESSABLE", "Body can't be blank", "reader", edit, "id", id, "body", " ")
}
