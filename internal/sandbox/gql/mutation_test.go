package gql_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestIssueMutations(t *testing.T) {
	w := newWorld(t)
	label := w.As("reader").GraphQL(`{ repository(owner: "owner", name: "hello") { label(name: "bug") { id } } writer: user(login: "writer") { id } }`)
	bug, writer := label.Text("data.repository.label.id"), label.Text("data.writer.id")

	made := w.do("writer", `mutation($repo: ID!, $bug: ID!, $writer: ID!) {
		createIssue(input: {repositoryId: $repo, title: "new", body: "b", labelIds: [$bug], assigneeIds: [$writer], clientMutationId: "c1"}) {
			clientMutationId issue { id number author { login } labels(first: 9) { nodes { name } } assignees(first: 9) { nodes { login } } }
		}
	}`, "repo", w.repo, "bug", bug, "writer", writer)
	assert.Equal(t, "c1", made.Text("data.createIssue.clientMutationId"))
	assert.Equal(t, "bug", made.Text("data.createIssue.issue.labels.nodes.0.name"))
	id := made.Text("data.createIssue.issue.id")

	updated := w.do("writer", `mutation($id: ID!) { updateIssue(input: {id: $id, title: "newer", labelIds: [], assigneeIds: [], milestoneId: null, state: CLOSED}) {
		issue { title state stateReason labels(first: 1) { totalCount } assignees(first: 1) { totalCount } } actor { login } } }`, "id", id)
	assert.Equal(t, map[string]any{
		"title": "newer", "state": "CLOSED", "stateReason": "COMPLETED", "labels": map[string]any{"totalCount": 0.0}, "assignees": map[string]any{"totalCount": 0.0},
	}, updated.At("data.updateIssue.issue"))
	assert.Equal(t, "writer", updated.Text("data.updateIssue.actor.login"))

	states := w.do("writer", `mutation($id: ID!) {
		reopen: reopenIssue(input: {issueId: $id}) { issue { state stateReason } }
		close: closeIssue(input: {issueId: $id, stateReason: NOT_PLANNED}) { issue { state stateReason } }
	}`, "id", id)
	assert.Equal(t, map[string]any{"state": "OPEN", "stateReason": "REOPENED"}, states.At("data.reopen.issue"))
	assert.Equal(t, map[string]any{"state": "CLOSED", "stateReason": "NOT_PLANNED"}, states.At("data.close.issue"))

	comment := w.do("reader", `mutation($id: ID!) { addComment(input: {subjectId: $id, body: "hi"}) { commentEdge { node { body url issue { number } pullRequest { number } } } subject { id } } }`, "id", w.pull)
	assert.Equal(t, 2, comment.Int("data.addComment.commentEdge.node.pullRequest.number"))
	assert.Equal(t, w.pull, comment.Text("data.addComment.subject.id"))

	for _, m := range []string{"addAssigneesToAssignable", "removeAssigneesFromAssignable"} {
		reply := w.do("writer", `mutation($id: ID!, $user: ID!) { `+m+`(input: {assignableId: $id, assigneeIds: [$user]}) { assignable { assignees(first: 9) { totalCount } } } }`, "id", w.pull, "user", writer)
		assert.Equal(t, map[string]int{"addAssigneesToAssignable": 1}[m], reply.Int("data."+m+".assignable.assignees.totalCount"))
	}
	w.do("owner", `mutation($id: ID!) { deleteIssue(input: {issueId: $id}) { repository { name } } }`, "id", id)
	w.refused("NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%s'", id), "owner",
		`mutation($id: ID!) { deleteIssue(input: {issueId: $id}) { clientMutationId } }`, "id", id)
}

func TestLabelMutations(t *testing.T) {
	w := newWorld(t)
	made := w.do("writer", `mutation($repo: ID!) { createLabel(input: {repositoryId: $repo, name: "docs", color: "00ff00"}) { label { id color } } }`, "repo", w.repo)
	docs := made.Text("data.createLabel.label.id")
	w.refused("UNPROCESSABLE", "Name has already been taken", "writer",
		`mutation($repo: ID!) { createLabel(input: {repositoryId: $repo, name: "DOCS", color: "00ff00"}) { clientMutationId } }`, "repo", w.repo)
	w.refused("UNPROCESSABLE", "Color is invalid", "writer",
		`mutation($repo: ID!) { createLabel(input: {repositoryId: $repo, name: "x", color: "green"}) { clientMutationId } }`, "repo", w.repo)
	const add = `mutation($id: ID!, $label: ID!) { addLabelsToLabelable(input: {labelableId: $id, labelIds: [$label]}) { labelable { labels(first: 9) { nodes { name } } } } }`
	assert.Equal(t, "docs", w.do("writer", add, "id", w.issue, "label", docs).Text("data.addLabelsToLabelable.labelable.labels.nodes.1.name"))
	const remove = `mutation($id: ID!, $label: ID!) { removeLabelsFromLabelable(input: {labelableId: $id, labelIds: [$label]}) { labelable { labels(first: 9) { totalCount } } } }`
	for range 2 {
		reply := w.do("writer", remove, "id", w.issue, "label", docs)
		assert.Equal(t, 1, reply.Int("data.removeLabelsFromLabelable.labelable.labels.totalCount"), "a label that is not on is no error")
	}
	w.do("writer", `mutation($id: ID!) { deleteLabel(input: {id: $id}) { clientMutationId } }`, "id", docs)
}

// Labels, milestones and reviews of one place are nothing in another.
func TestIDsFromElsewhere(t *testing.T) {
	w := newWorld(t)
	var label, milestone string
	w.Change(func(s *model.State, repo *model.Repo) {
		other := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "other"})
		require.NoError(t, s.PushInitial(repo.OwnerID, other, []gitstore.Change{{Path: "a", Content: []byte("x")}}, "first"))
		l, err := s.CreateLabel(repo.OwnerID, other, model.NewLabel{Name: "bug"})
		require.NoError(t, err)
		label = model.NodeID(model.NodeLabel, other.ID, l.ID)
		s.AddMilestone(repo, model.NewMilestone{Title: "v1"})
		milestone = model.NodeID(model.NodeMilestone, other.ID, s.AddMilestone(other, model.NewMilestone{Title: "v1"}).ID)
	})
	none := func(id string) string {
		return fmt.Sprintf("Could not resolve to a node with the global id of '%s'", id)
	}
	for _, c := range []struct{ id, mutation string }{
		{label, `addLabelsToLabelable(input: {labelableId: "` + w.issue + `", labelIds: ["` + label + `"]})`},
		{label, `updateIssue(input: {id: "` + w.issue + `", labelIds: ["` + label + `"]})`},
		{label, `createIssue(input: {repositoryId: "` + w.repo + `", title: "x", labelIds: ["` + label + `"]})`},
		{milestone, `updateIssue(input: {id: "` + w.issue + `", milestoneId: "` + milestone + `"})`},
		{w.pull, `closeIssue(input: {issueId: "` + w.pull + `"})`},
		{w.pull, `updateIssue(input: {id: "` + w.pull + `", title: "x"})`},
		{w.pull, `deleteIssue(input: {issueId: "` + w.pull + `"})`},
		{w.issue, `closePullRequest(input: {pullRequestId: "` + w.issue + `"})`},
		{w.issue, `mergePullRequest(input: {pullRequestId: "` + w.issue + `"})`},
		{w.issue, `addPullRequestReview(input: {pullRequestId: "` + w.issue + `", event: APPROVE})`},
		{w.issue, `resolveReviewThread(input: {threadId: "` + w.issue + `"})`},
		{w.issue, `requestReviews(input: {pullRequestId: "` + w.pull + `", userIds: ["` + w.issue + `"]})`},
		{"T_x", `requestReviews(input: {pullRequestId: "` + w.pull + `", teamIds: ["T_x"]})`},
	} {
		w.refused("NOT_FOUND", none(c.id), "owner", `mutation { `+c.mutation+` { clientMutationId } }`)
	}
	removed := w.do("owner", `mutation { removeLabelsFromLabelable(input: {labelableId: "`+w.issue+`", labelIds: ["`+label+`"]}) { labelable { labels(first: 1) { totalCount } } } }`)
	assert.Equal(t, 1, removed.Int("data.removeLabelsFromLabelable.labelable.labels.totalCount"), "a label of the same name elsewhere is another one")
}

func TestLackingPermissions(t *testing.T) {
	w := newWorld(t)
	w.refused("FORBIDDEN", "reader does not have the correct permissions to execute `MergePullRequest`", "reader",
		`mutation($id: ID!) { merged: mergePullRequest(input: {pullRequestId: $id}) { clientMutationId } }`, "id", w.pull)
	w.refused("FORBIDDEN", "writer does not have the correct permissions to execute `DeleteIssue`", "writer",
		`mutation($id: ID!) { deleteIssue(input: {issueId: $id}) { clientMutationId } }`, "id", w.issue)
	w.Change(func(_ *model.State, repo *model.Repo) { repo.Archived = true })
	w.refused("FORBIDDEN", "Repository was archived so is read-only.", "owner",
		`mutation($id: ID!) { addComment(input: {subjectId: $id, body: "x"}) { clientMutationId } }`, "id", w.issue)
}

func TestPullRequestMutations(t *testing.T) {
	w := newWorld(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		main, _ := s.BranchHead(repo, "main")
		for _, name := range []string{"next", "g"} {
			require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/"+name, main))
		}
		_, err := s.WriteFile(repo.OwnerID, repo, model.FileWrite{Path: "g", Branch: "g", Message: "g", Content: []byte("x")})
		require.NoError(t, err)
	})
	made := w.do("writer", `mutation($repo: ID!) { createPullRequest(input: {repositoryId: $repo, title: "g", headRefName: "g", baseRefName: "main", draft: true}) {
		pullRequest { id number isDraft maintainerCanModify mergeStateStatus } } }`, "repo", w.repo)
	assert.Equal(t, []any{true, false, "DRAFT"}, []any{
		made.At("data.createPullRequest.pullRequest.isDraft"), made.At("data.createPullRequest.pullRequest.maintainerCanModify"), made.At("data.createPullRequest.pullRequest.mergeStateStatus"),
	})
	id := made.Text("data.createPullRequest.pullRequest.id")
	w.refused("UNPROCESSABLE", "A pull request already exists for owner:g.", "writer",
		`mutation($repo: ID!) { createPullRequest(input: {repositoryId: $repo, title: "g", headRefName: "g", baseRefName: "main"}) { clientMutationId } }`, "repo", w.repo)
	w.refused("UNPROCESSABLE", "Pull Request is still a draft", "writer", `mutation($id: ID!) { mergePullRequest(input: {pullRequestId: $id}) { clientMutationId } }`, "id", id)

	steps := w.do("writer", `mutation BatchComposite($id: ID!) {
		step0: markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } }
		step1: convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } }
		step2: markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } }
		step3: updatePullRequest(input: {pullRequestId: $id, title: "G", baseRefName: "next", maintainerCanModify: false}) { pullRequest { title baseRefName maintainerCanModify } }
		step4: closePullRequest(input: {pullRequestId: $id}) { pullRequest { state } }
		step5: reopenPullRequest(input: {pullRequestId: $id}) { pullRequest { state } }
		step6: updatePullRequest(input: {pullRequestId: $id, baseRefName: "main"}) { pullRequest { baseRefName } }
	}`, "id", id)
	assert.Equal(t, []any{false, true, false, "G", "next", false, "CLOSED", "OPEN", "main"}, []any{
		steps.At("data.step0.pullRequest.isDraft"), steps.At("data.step1.pullRequest.isDraft"), steps.At("data.step2.pullRequest.isDraft"),
		steps.At("data.step3.pullRequest.title"), steps.At("data.step3.pullRequest.baseRefName"), steps.At("data.step3.pullRequest.maintainerCanModify"),
		steps.At("data.step4.pullRequest.state"), steps.At("data.step5.pullRequest.state"), steps.At("data.step6.pullRequest.baseRefName"),
	})
	reader := w.As("reader").GraphQL(`{ viewer { id } }`).Text("data.viewer.id")
	asked := w.do("writer", `mutation($id: ID!, $user: ID!) { requestReviews(input: {pullRequestId: $id, userIds: [$user], union: true}) { pullRequest { reviewRequests(first: 9) { totalCount } } } }`, "id", id, "user", reader)
	assert.Equal(t, 1, asked.Int("data.requestReviews.pullRequest.reviewRequests.totalCount"))

	const merge = `mutation($id: ID!, $head: GitObjectID) { mergePullRequest(input: {pullRequestId: $id, mergeMethod: SQUASH, commitHeadline: "H", commitBody: "B", expectedHeadOid: $head}) {
		pullRequest { state merged mergedBy { login } mergeCommit { message parents(first: 9) { totalCount } } closingIssuesReferences(first: 1) { nodes { state } } } } }`
	w.refused("UNPROCESSABLE", "Head branch was modified. Review and try the merge again.", "owner", merge, "id", w.pull, "head", "0123456789012345678901234567890123456789")
	merged := w.do("owner", merge, "id", w.pull)
	assert.Equal(t, map[string]any{
		"state": "MERGED", "merged": true, "mergedBy": map[string]any{"login": "owner"},
		"mergeCommit":             map[string]any{"message": "H\n\nB", "parents": map[string]any{"totalCount": 1.0}},
		"closingIssuesReferences": map[string]any{"nodes": []any{map[string]any{"state": "CLOSED"}}},
	}, merged.At("data.mergePullRequest.pullRequest"), "merging closes the issue that the body names")

	for _, method := range []string{"REBASE", "MERGE"} {
		w.As("owner").Do("PUT", "/repos/owner/hello/contents/"+method, map[string]any{"message": "m", "content": ""})
		updated := w.do("writer", `mutation($id: ID!, $method: PullRequestBranchUpdateMethod) { updatePullRequestBranch(input: {pullRequestId: $id, updateMethod: $method}) {
			pullRequest { commits(last: 1) { nodes { commit { messageHeadline } } } } } }`, "id", id, "method", method)
		assert.Equal(t, map[string]string{"REBASE": "g", "MERGE": "Merge branch 'main' into g"}[method],
			updated.Text("data.updatePullRequestBranch.pullRequest.commits.nodes.0.commit.messageHeadline"))
	}
}

func TestConflictsOverGraphQL(t *testing.T) {
	w := newWorld(t)
	w.As("owner").Do("PUT", "/repos/owner/hello/contents/ten.txt", map[string]any{"message": "m", "content": "eA=="})
	state := w.do("reader", `query($id: ID!) { node(id: $id) { ... on PullRequest { mergeable mergeStateStatus } } }`, "id", w.pull)
	assert.Equal(t, map[string]any{"mergeable": "CONFLICTING", "mergeStateStatus": "DIRTY"}, state.At("data.node"))
	w.refused("UNPROCESSABLE", "Pull Request is not mergeable", "owner", `mutation($id: ID!) { mergePullRequest(input: {pullRequestId: $id}) { clientMutationId } }`, "id", w.pull)
}

// A step that fails is null and does not undo the others.
func TestBatchesGoOnAfterAFailure(t *testing.T) {
	w := newWorld(t)
	reply := w.As("owner").GraphQL(`mutation BatchComposite($issue: ID!, $pull: ID!) {
		step0: addComment(input: {subjectId: $issue, body: "one"}) { clientMutationId }
		step1: closeIssue(input: {issueId: $pull}) { issue { id } }
		step2: addComment(input: {subjectId: $issue, body: "two"}) { subject { ... on Issue { comments(first: 9) { totalCount } } } }
	}`, "issue", w.issue, "pull", w.pull)
	assert.Nil(t, reply.At("data.step1"))
	assert.Equal(t, "step1", reply.Text("errors.0.path.0"))
	assert.Equal(t, 2, reply.Int("data.step2.subject.comments.totalCount"))
}

func TestReviewMutations(t *testing.T) {
	w := newWorld(t)
	const review = `mutation($id: ID!, $event: PullRequestReviewEvent, $body: String) { addPullRequestReview(input: {pullRequestId: $id, event: $event, body: $body}) { pullRequestReview { id state submittedAt } } }`
	for event, message := range map[string]string{"APPROVE": "Can not approve your own pull request", "REQUEST_CHANGES": "Can not request changes on your own pull request"} {
		w.refused("UNPROCESSABLE", message, "writer", review, "id", w.pull, "event", event, "body", "x")
	}
	w.refused("UNPROCESSABLE", "Body can't be blank", "owner", review, "id", w.pull, "event", "REQUEST_CHANGES")
	w.refused("UNPROCESSABLE", "Event is invalid", "owner", review, "id", w.pull, "event", "DISMISS")

	pending := w.do("owner", review, "id", w.pull).Text("data.addPullRequestReview.pullRequestReview.id")
	thread := w.do("owner", `mutation($review: ID!) { addPullRequestReviewThread(input: {pullRequestReviewId: $review, path: "ten.txt", line: 5, startLine: 4, body: "draft"}) {
		thread { id path line startLine diffSide startDiffSide subjectType isResolved isOutdated viewerCanReply viewerCanResolve viewerCanUnresolve comments(first: 9) { nodes { state diffHunk } } } } }`, "review", pending)
	draft := thread.Text("data.addPullRequestReviewThread.thread.id")
	assert.Equal(t, []any{5, 4, "RIGHT", "RIGHT", "LINE", "PENDING"}, []any{
		thread.Int("data.addPullRequestReviewThread.thread.line"), thread.Int("data.addPullRequestReviewThread.thread.startLine"),
		thread.Text("data.addPullRequestReviewThread.thread.diffSide"), thread.Text("data.addPullRequestReviewThread.thread.startDiffSide"),
		thread.Text("data.addPullRequestReviewThread.thread.subjectType"), thread.Text("data.addPullRequestReviewThread.thread.comments.nodes.0.state"),
	})
	comment := w.As("owner").GraphQL(`query($id: ID!) { node(id: $id) { ... on PullRequestReviewThread { comments(first: 1, skip: 0) { nodes { id } } } } }`, "id", draft).Text("data.node.comments.nodes.0.id")
	for _, id := range []string{pending, draft, comment} {
		reply := w.As("reader").GraphQL(`query($id: ID!) { node(id: $id) { id } }`, "id", id)
		assert.Equal(t, "NOT_FOUND", reply.Text("errors.0.type"), "a pending review is its author's alone")
	}
	none := fmt.Sprintf("Could not resolve to a node with the global id of '%s'", draft)
	w.refused("NOT_FOUND", none, "writer", `mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { clientMutationId } }`, "id", draft)
	w.refused("NOT_FOUND", none, "writer", `mutation($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: "x"}) { clientMutationId } }`, "id", draft)
	w.refused("UNPROCESSABLE", "User can only have one pending review per pull request", "owner", review, "id", w.pull, "event", "APPROVE")
	w.refused("UNPROCESSABLE", "No pending review found for this pull request.", "reader",
		`mutation($id: ID!) { submitPullRequestReview(input: {pullRequestId: $id, event: COMMENT, body: "x"}) { clientMutationId } }`, "id", w.pull)

	submitted := w.do("owner", `mutation($id: ID!) { submitPullRequestReview(input: {pullRequestId: $id, event: REQUEST_CHANGES, body: "no"}) {
		pullRequestReview { state body submittedAt author { login } comments(first: 9) { totalCount nodes { state } } pullRequest { reviewDecision latestReviews(first: 9) { nodes { state } } reviews(first: 9, states: [CHANGES_REQUESTED], author: "OWNER") { totalCount } } } } }`, "id", w.pull)
	at := func(path string) any { return submitted.At("data.submitPullRequestReview.pullRequestReview." + path) }
	assert.Equal(t, []any{"CHANGES_REQUESTED", "no", "CHANGES_REQUESTED", 1.0, "SUBMITTED"}, []any{
		at("state"), at("body"), at("pullRequest.reviewDecision"), at("pullRequest.reviews.totalCount"), at("comments.nodes.0.state"),
	})
}

func TestThreadMutations(t *testing.T) {
	w := newWorld(t)
	const position = `mutation($id: ID!) { addPullRequestReview(input: {pullRequestId: $id, event: COMMENT, comments: [{path: "ten.txt", position: 3, body: "by position"}],
		threads: [{path: "ten.txt", line: 1, body: "by line"}]}) { pullRequestReview { comments(first: 9) { nodes { id line path outdated replyTo { id } pullRequestReview { state } originalCommit { oid } commit { oid } } } } } }`
	made := w.do("owner", position, "id", w.pull)
	assert.Equal(t, 1, made.Int("data.addPullRequestReview.pullRequestReview.comments.nodes.0.line"))
	assert.Equal(t, 3, made.Int("data.addPullRequestReview.pullRequestReview.comments.nodes.1.line"))
	threads := w.do("reader", `query($id: ID!) { node(id: $id) { ... on PullRequest { reviewThreads(first: 9) { totalCount nodes { id isResolved viewerCanResolve } } } } }`, "id", w.pull)
	id := threads.Text("data.node.reviewThreads.nodes.0.id")
	assert.Equal(t, false, threads.At("data.node.reviewThreads.nodes.0.viewerCanResolve"))

	const both = `mutation($id: ID!) {
		resolve: resolveReviewThread(input: {threadId: $id}) { thread { isResolved isCollapsed resolvedBy { login } viewerCanResolve viewerCanUnresolve } }
		unresolve: unresolveReviewThread(input: {threadId: $id}) { thread { isResolved resolvedBy { login } } }
	}`
	reply := w.do("writer", both, "id", id)
	assert.Equal(t, map[string]any{"isResolved": true, "isCollapsed": true, "resolvedBy": map[string]any{"login": "writer"}, "viewerCanResolve": false, "viewerCanUnresolve": true}, reply.At("data.resolve.thread"))
	assert.Equal(t, map[string]any{"isResolved": false, "resolvedBy": nil}, reply.At("data.unresolve.thread"))
	w.refused("FORBIDDEN", "reader does not have the correct permissions to execute `ResolveReviewThread`", "reader",
		`mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { clientMutationId } }`, "id", id)

	answered := w.do("reader", `mutation($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: "why?"}) { comment { body url author { login } replyTo { body } state pullRequestReview { state } } } }`, "id", id)
	assert.Equal(t, []any{"reader", "by line", "SUBMITTED", "COMMENTED"}, []any{
		answered.At("data.addPullRequestReviewThreadReply.comment.author.login"), answered.At("data.addPullRequestReviewThreadReply.comment.replyTo.body"),
		answered.At("data.addPullRequestReviewThreadReply.comment.state"), answered.At("data.addPullRequestReviewThreadReply.comment.pullRequestReview.state"),
	})
	skipped := w.do("reader", `query($id: ID!) { node(id: $id) { ... on PullRequestReviewThread { a: comments(first: 9, skip: 1) { totalCount } b: comments(first: 9, skip: -1) { totalCount } c: comments(first: 9, skip: 99) { totalCount } } } }`, "id", id)
	assert.Equal(t, []int{1, 2, 0}, []int{skipped.Int("data.node.a.totalCount"), skipped.Int("data.node.b.totalCount"), skipped.Int("data.node.c.totalCount")})

	implicit := w.do("triager", `mutation($id: ID!) { addPullRequestReviewThread(input: {pullRequestId: $id, path: "ten.txt", subjectType: FILE, body: "a file"}) { thread { line subjectType startDiffSide } } }`, "id", w.pull)
	assert.Equal(t, map[string]any{"line": nil, "subjectType": "FILE", "startDiffSide": nil}, implicit.At("data.addPullRequestReviewThread.thread"))
	discard := w.do("triager", `query($id: ID!) { node(id: $id) { ... on PullRequest { reviews(first: 9, states: [PENDING]) { nodes { id } } } } }`, "id", w.pull).Text("data.node.reviews.nodes.0.id")
	w.do("triager", `mutation($id: ID!) { deletePullRequestReview(input: {pullRequestReviewId: $id}) { pullRequestReview { id state } } }`, "id", discard)

	w.Change(func(s *model.State, repo *model.Repo) {
		head, _ := s.BranchHead(repo, "f")
		entry, err := repo.Git.Entry(head, "ten.txt")
		require.NoError(t, err)
		_, err = s.WriteFile(repo.OwnerID, repo, model.FileWrite{Path: "ten.txt", Branch: "f", Message: "m", BlobSHA: entry.Hash.String(), Content: []byte("0\nONE\n2\n3\n4\n")})
		require.NoError(t, err)
	})
	moved := w.do("reader", `query($id: ID!) { node(id: $id) { ... on PullRequest { reviewThreads(first: 9) { nodes { isOutdated line originalLine comments(first: 1) { nodes { outdated line originalLine } } } } } } }`, "id", w.pull)
	assert.Equal(t, []any{true, nil, 1.0, true}, []any{
		moved.At("data.node.reviewThreads.nodes.0.isOutdated"), moved.At("data.node.reviewThreads.nodes.0.line"),
		moved.At("data.node.reviewThreads.nodes.0.originalLine"), moved.At("data.node.reviewThreads.nodes.0.comments.nodes.0.outdated"),
	})
	assert.Equal(t, []any{false, 4.0, 3.0}, []any{
		moved.At("data.node.reviewThreads.nodes.1.isOutdated"), moved.At("data.node.reviewThreads.nodes.1.line"), moved.At("data.node.reviewThreads.nodes.1.originalLine"),
	}, "a line moves with what comes above it")
}
