package rest

import "github.com/ghx-dev/bench-action/internal/sandbox/model"

// commentRoutes are those of single comments. The paths of net/http cannot
// tell "comments" from a number in front of another placeholder, so the
// handlers do.
func commentRoutes() []route {
	const (
		onIssues = " " + reposPath + "/issues/{number}/{id}"
		onPulls  = " " + reposPath + "/pulls/{number}/{id}"
	)
	return []route{
		{"GET" + onIssues, getEventOrComment},
		{"PATCH" + onIssues, onComment(editComment)},
		{"DELETE" + onIssues, onComment(deleteComment)},
		{"GET" + onPulls, onReviewComment(getReviewComment)},
		{"PATCH" + onPulls, onReviewComment(editReviewComment)},
		{"DELETE" + onPulls, onReviewComment(deleteReviewComment)},
	}
}

// afterComments makes a handler of one whose path has "comments" where other
// paths have a number.
func afterComments(handle func(*call) (reply, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		if c.PathValue("number") != "comments" {
			return reply{}, errNotFound
		}
		return handle(c)
	}
}

func onComment(handle func(*call, *model.Comment) (reply, error)) func(*call) (reply, error) {
	return afterComments(onRow(func(s *model.State) *model.Table[model.Comment] { return &s.Comments },
		func(comment *model.Comment) model.ID { return comment.RepoID }, handle))
}

// onReviewComment leaves out the comments of other people's pending reviews.
func onReviewComment(handle func(*call, *model.ReviewComment) (reply, error)) func(*call) (reply, error) {
	return afterComments(onRow(func(s *model.State) *model.Table[model.ReviewComment] { return &s.ReviewComments },
		func(comment *model.ReviewComment) model.ID { return comment.RepoID },
		func(c *call, comment *model.ReviewComment) (reply, error) {
			if !c.s.Reviews.Get(comment.ReviewID).VisibleTo(c.actor) {
				return reply{}, errNotFound
			}
			return handle(c, comment)
		}))
}

// newBody reads a comment's new text.
func (c *call) newBody() (string, error) {
	var in struct{ Body string }
	err := c.decode(&in)
	return in.Body, err
}

func getComment(c *call, comment *model.Comment) (reply, error) { return ok(c.comment(comment)) }

func editComment(c *call, comment *model.Comment) (reply, error) {
	body, err := c.newBody()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.EditComment(c.actor, comment, body); err != nil {
		return reply{}, err
	}
	return ok(c.comment(comment))
}

func deleteComment(c *call, comment *model.Comment) (reply, error) {
	if err := c.s.DeleteComment(c.actor, comment); err != nil {
		return reply{}, err
	}
	return noContent()
}

func getReviewComment(c *call, comment *model.ReviewComment) (reply, error) {
	return okOr(c.reviewComment(comment))
}

func editReviewComment(c *call, comment *model.ReviewComment) (reply, error) {
	body, err := c.newBody()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.EditReviewComment(c.actor, comment, body); err != nil {
		return reply{}, err
	}
	return okOr(c.reviewComment(comment))
}

func deleteReviewComment(c *call, comment *model.ReviewComment) (reply, error) {
	if err := c.s.DeleteReviewComment(c.actor, comment); err != nil {
		return reply{}, err
	}
	return noContent()
}
