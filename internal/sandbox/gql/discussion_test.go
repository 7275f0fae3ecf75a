package gql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// talk is a world in which discussions are turned on, with the ids of some
// categories.
type talk struct {
	*world
	general, answers, announcements string
}

func newTalk(t *testing.T) *talk {
	t.Helper()
	w := &talk{world: newWorld(t)}
	w.do("owner", `mutation($r: ID!) { updateRepository(input: {repositoryId: $r, hasDiscussionsEnabled: true}) { repository { id } } }`, "r", w.repo)
	in := w.do("reader", `{ repository(owner: "owner", name: "hello") { hasDiscussionsEnabled a: discussionCategory(slug: "general") { id } b: discussionCategory(slug: "q-a") { id isAnswerable } c: discussionCategory(slug: "announcements") { id } discussionCategories(first: 9) { totalCount } } }`)
	assert.Equal(t, []any{true, 6.0, true}, []any{in.At("data.repository.hasDiscussionsEnabled"), in.At("data.repository.discussionCategories.totalCount"), in.At("data.repository.b.isAnswerable")})
	w.general, w.answers, w.announcements = in.Text("data.repository.a.id"), in.Text("data.repository.b.id"), in.Text("data.repository.c.id")
	return w
}

// begin begins a discussion and returns its global id.
func (w *talk) begin(login, category, title string) string {
	w.t.Helper()
	return w.do(login, `mutation($r: ID!, $c: ID!, $t: String!) { createDiscussion(input: {repositoryId: $r, categoryId: $c, title: $t, body: "hello"}) { discussion { id } } }`,
		"r", w.repo, "c", category, "t", title).Text("data.createDiscussion.discussion.id")
}

// say comments on a discussion, or replies to a comment unless that is empty.
func (w *talk) say(login, discussion, to, body string) sandboxtest.Reply {
	w.t.Helper()
	var above any
	if to != "" {
		above = to
	}
	return w.As(login).GraphQL(`mutation($d: ID!, $b: String!, $r: ID) { addDiscussionComment(input: {discussionId: $d, body: $b, replyToId: $r}) { comment { id replyTo { id } } } }`,
		"d", discussion, "b", body, "r", above)
}

func said(r sandboxtest.Reply) string { return r.Text("data.addDiscussionComment.comment.id") }

// A discussion is begun, talked in, answered and closed.
func TestDiscussions(t *testing.T) {
	w := newTalk(t)
	d := w.begin("reader", w.answers, "How?")
	first := said(w.say("stranger", d, "", "so"))
	reply := w.say("reader", d, first, "thanks")
	assert.Equal(t, first, reply.Text("data.addDiscussionComment.comment.replyTo.id"))
	assert.Equal(t, "Parent comment is already in a thread, cannot reply to it", w.say("reader", d, said(reply), "deeper").Text("errors.0.message"))
	marked := w.do("reader", `mutation($c: ID!) { markDiscussionCommentAsAnswer(input: {id: $c}) { discussion { isAnswered answer { body } answerChosenBy { login } } } }`, "c", first)
	assert.Equal(t, map[string]any{"isAnswered": true, "answer": map[string]any{"body": "so"}, "answerChosenBy": map[string]any{"login": "reader"}}, marked.At("data.markDiscussionCommentAsAnswer.discussion"))
	w.do("writer", `mutation($d: ID!) { a: addReaction(input: {subjectId: $d, content: HEART}) { subject { ... on Discussion { title } } } b: addUpvote(input: {subjectId: $d}) { subject { upvoteCount viewerHasUpvoted } } }`, "d", d)
	w.do("reader", `mutation($d: ID!) { closeDiscussion(input: {discussionId: $d, reason: RESOLVED}) { discussion { closed } } }`, "d", d)
	seen := w.do("stranger", `{ repository(owner: "owner", name: "hello") { discussion(number: 3) {
		number title body url author { login } category { name emoji repository { name } } closed stateReason locked isAnswered upvoteCount viewerHasUpvoted viewerCanUpdate viewerCanClose viewerCanReact createdViaEmail publishedAt
		reactions(content: HEART) { totalCount } reactionGroups { content users { totalCount } }
		comments(first: 5) { totalCount nodes { body isAnswer url viewerCanMarkAsAnswer replies(first: 2) { nodes { body author { login } } } } } } } }`)
	at := func(path string) any { return seen.At("data.repository.discussion." + path) }
	assert.Equal(t, []any{3.0, "How?", "hello", "https://github.com/owner/hello/discussions/3", "reader", "Q&A", true, "RESOLVED", true, 2.0, false, false, false, 1.0},
		[]any{at("number"), at("title"), at("body"), at("url"), at("author.login"), at("category.name"), at("closed"), at("stateReason"), at("isAnswered"), at("upvoteCount"), at("viewerHasUpvoted"), at("viewerCanUpdate"), at("viewerCanClose"), at("reactions.totalCount")})
	assert.Equal(t, []any{1.0, "so", true, "thanks", "reader"}, []any{at("comments.totalCount"), at("comments.nodes.0.body"), at("comments.nodes.0.isAnswer"), at("comments.nodes.0.replies.nodes.0.body"), at("comments.nodes.0.replies.nodes.0.author.login")})
	assert.Equal(t, 404, w.As("reader").Get("/repos/owner/hello/issues/3").Status, "it is no issue")

	w.do("stranger", `mutation($c: ID!) { deleteDiscussionComment(input: {id: $c}) { comment { id } } }`, "c", first)
	left := w.do("reader", `query($d: ID!) { node(id: $d) { ... on Discussion { answer { id } comments(first: 2) { nodes { body author { login } deletedAt replies(first: 1) { totalCount } } } } } }`, "d", d)
	assert.Nil(t, left.At("data.node.answer"), "an answer that is gone is none")
	assert.Equal(t, []any{"", nil, 1.0}, []any{left.At("data.node.comments.nodes.0.body"), left.At("data.node.comments.nodes.0.author"), left.At("data.node.comments.nodes.0.replies.totalCount")}, "what was replied to stays")
	var kinds []string
	for _, e := range w.Changes() {
		if e.Object.Kind == "discussion" || e.Object.Kind == "discussion comment" {
			kinds = append(kinds, string(e.Change.Kind)+" "+e.Object.Kind)
		}
	}
	assert.Contains(t, kinds, "created discussion")
	assert.Contains(t, kinds, "changed discussion")
	assert.Contains(t, kinds, "created discussion comment")
	assert.Equal(t, 1, w.do("writer", `{ search(type: DISCUSSION, query: "thanks is:closed author:reader", first: 1) { discussionCount nodes { ... on Discussion { title } } } }`).Int("data.search.discussionCount"))
	assert.Equal(t, 0, w.do("writer", `{ search(type: DISCUSSION, query: "thanks is:open", first: 1) { discussionCount } }`).Int("data.search.discussionCount"))
}

// Lists are by category, state and answer, in the order that is asked for.
func TestListsOfDiscussions(t *testing.T) {
	w := newTalk(t)
	one, two := w.begin("reader", w.general, "one"), w.begin("reader", w.answers, "two")
	w.begin("owner", w.announcements, "three")
	w.do("owner", `mutation($d: ID!) { closeDiscussion(input: {discussionId: $d}) { discussion { stateReason } } }`, "d", one)
	w.do("reader", `mutation($c: ID!) { markDiscussionCommentAsAnswer(input: {id: $c}) { discussion { id } } }`, "c", said(w.say("writer", two, "", "x")))
	for args, want := range map[string][]any{
		"":                   {"two", "one", "three"},
		", states: [OPEN]":   {"two", "three"},
		", states: [CLOSED]": {"one"},
		", answered: true":   {"two"},
		", orderBy: {field: CREATED_AT, direction: ASC}": {"one", "two", "three"},
		`, categoryId: "` + w.general + `"`:              {"one"},
	} {
		var titles []any
		nodes, _ := w.do("reader", `{ repository(owner: "owner", name: "hello") { discussions(first: 9`+args+`) { nodes { title } } } }`).At("data.repository.discussions.nodes").([]any)
		for _, n := range nodes {
			titles = append(titles, n.(map[string]any)["title"])
		}
		assert.Equal(t, want, titles, args)
	}
}

// Who may not, and what is not there, is refused in GitHub's words.
func TestWhatDiscussionsRefuse(t *testing.T) {
	w := newWorld(t)
	w.refused("NOT_FOUND", "Could not resolve to a Discussion with the number of 7.", "reader", `{ repository(owner: "owner", name: "hello") { discussion(number: 7) { title } } }`)
	off := w.do("reader", `{ repository(owner: "owner", name: "hello") { hasDiscussionsEnabled discussions(first: 1) { totalCount } discussionCategories(first: 1) { totalCount } } }`)
	assert.Equal(t, []any{false, 0.0, 0.0}, []any{off.At("data.repository.hasDiscussionsEnabled"), off.At("data.repository.discussions.totalCount"), off.At("data.repository.discussionCategories.totalCount")})

	talk := newTalk(t)
	d := talk.begin("reader", talk.general, "x")
	c := said(talk.say("reader", d, "", "y"))
	for _, refused := range []struct{ kind, message, who, mutation string }{
		{"FORBIDDEN", "writer does not have the correct permissions to execute `CreateDiscussion`", "writer", `createDiscussion(input: {repositoryId: "` + talk.repo + `", categoryId: "` + talk.announcements + `", title: "a", body: "b"}) { clientMutationId }`},
		{"UNPROCESSABLE", "Title can't be blank", "reader", `createDiscussion(input: {repositoryId: "` + talk.repo + `", categoryId: "` + talk.general + `", title: " ", body: "b"}) { clientMutationId }`},
		{"FORBIDDEN", "stranger does not have the correct permissions to execute `UpdateDiscussion`", "stranger", `updateDiscussion(input: {discussionId: "` + d + `", title: "z"}) { clientMutationId }`},
		{"FORBIDDEN", "triager does not have the correct permissions to execute `UpdateDiscussion`", "triager", `updateDiscussion(input: {discussionId: "` + d + `", title: "z"}) { clientMutationId }`},
		{"FORBIDDEN", "reader does not have the correct permissions to execute `DeleteDiscussion`", "reader", `deleteDiscussion(input: {id: "` + d + `"}) { clientMutationId }`},
		{"UNPROCESSABLE", "Discussion category does not support answers", "owner", `markDiscussionCommentAsAnswer(input: {id: "` + c + `"}) { clientMutationId }`},
		{"FORBIDDEN", "stranger does not have the correct permissions to execute `DeleteDiscussionComment`", "stranger", `deleteDiscussionComment(input: {id: "` + c + `"}) { clientMutationId }`},
		{"UNPROCESSABLE", "You can't upvote your own content.", "reader", `addUpvote(input: {subjectId: "` + d + `"}) { clientMutationId }`},
	} {
		reply := talk.As(refused.who).GraphQL("mutation { " + refused.mutation + " }")
		assert.Equal(t, []string{refused.kind, refused.message}, []string{reply.Text("errors.0.type"), reply.Text("errors.0.message")}, refused.mutation)
	}
	talk.do("triager", `mutation($d: ID!) { lockLockable(input: {lockableId: $d, lockReason: TOO_HEATED}) { lockedRecord { locked activeLockReason } } }`, "d", d)
	assert.Equal(t, "Unable to create comment because discussion is locked.", talk.say("reader", d, "", "z").Text("errors.0.message"))
	require.NotEmpty(t, said(talk.say("triager", d, "", "z")))
	talk.do("triager", `mutation($d: ID!) { deleteDiscussion(input: {id: $d}) { discussion { title } } }`, "d", d)
	gone := talk.As("reader").GraphQL(`query($d: ID!) { node(id: $d) { id } }`, "d", d)
	assert.Equal(t, "NOT_FOUND", gone.Text("errors.0.type"))
}

func TestCloningATemplate(t *testing.T) {
	w := newWorld(t)
	owner := w.do("owner", `{ viewer { id } }`).Text("data.viewer.id")
	const clone = `mutation($r: ID!, $o: ID!) { cloneTemplateRepository(input: {repositoryId: $r, ownerId: $o, name: "copy", visibility: PRIVATE}) { repository { nameWithOwner isPrivate isTemplate templateRepository { name } object(expression: "main:README.md") { ... on Blob { text } } } } }`
	assert.Equal(t, "owner/hello is not a template repository.", w.As("owner").GraphQL(clone, "r", w.repo, "o", owner).Text("errors.0.message"))
	w.do("owner", `mutation($r: ID!) { updateRepository(input: {repositoryId: $r, template: true}) { repository { isTemplate } } }`, "r", w.repo)
	made := w.do("owner", clone, "r", w.repo, "o", owner)
	assert.Equal(t, map[string]any{"nameWithOwner": "owner/copy", "isPrivate": true, "isTemplate": false, "templateRepository": map[string]any{"name": "hello"}, "object": map[string]any{"text": "# hello\n"}}, made.At("data.cloneTemplateRepository.repository"))
}
