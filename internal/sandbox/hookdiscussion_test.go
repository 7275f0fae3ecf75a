package sandbox_test

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// discussionSteps are those of discussions and what is said on them.
func discussionSteps() []step {
	return []step{{"a discussion", func(w *hooked) {
		w.rest(w.boss, "PATCH", path, object{"has_discussions": true})
		w.rest(w.boss, "POST", path+"/labels", object{"name": "talk", "color": "ff0000"})
		categories := w.boss.GraphQL(`{repository(owner: "owner", name: "hello") {discussionCategories(first: 9) {nodes {id slug}}}}`)
		ids := map[string]string{}
		for n := range 6 {
			at := fmt.Sprintf("data.repository.discussionCategories.nodes.%d.", n)
			ids[categories.Text(at+"slug")] = categories.Text(at + "id")
		}
		d := w.graphql(`createDiscussion(input: {repositoryId: %q, categoryId: %q, title: "t", body: "b"}) {discussion {id}}`, w.node(path), ids["general"]).Text("data.createDiscussion.discussion.id")
		w.tells("a discussion", "discussion.created")
		w.graphql(`updateDiscussion(input: {discussionId: %q, title: "u", body: "c", categoryId: %q}) {discussion {id}}`, d, ids["q-a"])
		w.tells("a discussion", "discussion.edited", "discussion.category_changed")
		comment := func(to string) string {
			return w.graphql(`addDiscussionComment(input: {discussionId: %q, body: "x"%s}) {comment {id}}`, d, to).Text("data.addDiscussionComment.comment.id")
		}
		c := comment("")
		reply := comment(fmt.Sprintf(", replyToId: %q", c))
		w.tells("a comment", "discussion_comment.created")
		w.graphql(`updateDiscussionComment(input: {commentId: %q, body: "y"}) {comment {id}}`, c)
		w.tells("a comment", "discussion_comment.edited")
		w.graphql(`markDiscussionCommentAsAnswer(input: {id: %q}) {discussion {id}}`, c)
		w.tells("an answer", "discussion.answered")
		w.graphql(`unmarkDiscussionCommentAsAnswer(input: {id: %q}) {discussion {id}}`, c)
		w.tells("no answer", "discussion.unanswered")
		w.graphql(`closeDiscussion(input: {discussionId: %q, reason: OUTDATED}) {discussion {id}}`, d)
		w.tells("the end", "discussion.closed")
		w.graphql(`reopenDiscussion(input: {discussionId: %q}) {discussion {id}}`, d)
		w.tells("no end", "discussion.reopened")
		w.graphql(`lockLockable(input: {lockableId: %q, lockReason: SPAM}) {clientMutationId}`, d)
		w.tells("a lock", "discussion.locked")
		w.graphql(`unlockLockable(input: {lockableId: %q}) {clientMutationId}`, d)
		w.tells("no lock", "discussion.unlocked")
		label := w.boss.Get(path + "/labels/talk").Text("node_id")
		w.graphql(`addLabelsToLabelable(input: {labelableId: %q, labelIds: [%q]}) {clientMutationId}`, d, label)
		w.tells("a label", "discussion.labeled")
		w.graphql(`removeLabelsFromLabelable(input: {labelableId: %q, labelIds: [%q]}) {clientMutationId}`, d, label)
		w.tells("no label", "discussion.unlabeled")
		w.graphql(`deleteDiscussionComment(input: {id: %q}) {comment {id}}`, reply)
		w.tells("no comment", "discussion_comment.deleted")
		w.graphql(`deleteDiscussion(input: {id: %q}) {discussion {id}}`, d)
		w.rest(w.boss, "DELETE", path+"/labels/talk", nil)
		// Its number is given again, so that those of the following steps stay.
		w.Change(func(_ *model.State, repo *model.Repo) { repo.LastNumber-- })
	}, []string{"discussion.deleted"}}}
}
