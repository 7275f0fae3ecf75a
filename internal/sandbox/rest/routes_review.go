package rest

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func reviewRoutes() []route {
	const pull = reposPath + "/pulls/{number}"
	return []route{
		{"GET " + pull + "/reviews", onPull(listReviews)},
		{"POST " + pull + "/reviews", onPull(createReview)},
		{"POST " + pull + "/reviews/{review}/events", onReview(submitReview)},
		{"GET " + pull + "/{below}/{last}", getReviewOrReactions},
		{"PUT " + pull + "/reviews/{review}", onReview(editReview)},
		{"DELETE " + pull + "/reviews/{review}", onReview(deleteReview)},
		{"GET " + pull + "/reviews/{review}/comments", onReview(listCommentsOfReview)},
		{"PUT " + pull + "/reviews/{review}/dismissals", onReview(dismissReview)},
		{"GET " + pull + "/comments", onPull(listReviewComments)},
		{"POST " + pull + "/comments", onPull(createReviewComment)},
		{"POST " + pull + "/comments/{comment}/replies", onPull(replyToComment)},
	}
}

func listReviews(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	return list(c, c.s.ReviewsOf(c.actor, i), c.review)
}

type threadInput struct {
	Path        string
	Body        string
	Line        int
	Side        model.DiffSide
	StartLine   int            `json:"start_line"`
	StartSide   model.DiffSide `json:"start_side"`
	Position    int
	CommitID    string `json:"commit_id"`
	SubjectType string `json:"subject_type"`
	InReplyTo   int64  `json:"in_reply_to"`
}

func (in threadInput) thread() model.NewThread {
	return model.NewThread{
		Path: in.Path, Body: in.Body, Line: in.Line, Side: in.Side, StartLine: in.StartLine, StartSide: in.StartSide,
		Position: in.Position, FileWide: in.SubjectType == "file", CommitSHA: in.CommitID,
	}
}

func createReview(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	var in struct {
		Body     string
		Event    model.ReviewEvent
		CommitID string `json:"commit_id"`
		Comments []threadInput
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	review := model.NewReview{Event: in.Event, Body: in.Body, CommitSHA: in.CommitID}
	for _, comment := range in.Comments {
		review.Comments = append(review.Comments, comment.thread())
	}
	r, err := c.s.CreateReview(c.actor, i, review)
	if err != nil {
		return reply{}, err
	}
	return ok(c.review(r))
}

// getReviewOrReactions serves single reviews and the reactions to a comment of a
// thread, whose paths net/http cannot tell apart.
func getReviewOrReactions(c *call) (reply, error) {
	number, below, last := c.PathValue("number"), c.PathValue("below"), c.PathValue("last")
	switch {
	case number == "comments" && last == "reactions":
		c.SetPathValue("id", below)
		return onThreadComment(func(c *call, subject model.ID) (reply, error) { return c.listReactions(subject) })(c)
	case below == "reviews":
		c.SetPathValue("review", last)
		return onReview(func(c *call, r *model.Review) (reply, error) { return ok(c.review(r)) })(c)
	default:
		return reply{}, errNotFound
	}
}

// onReview makes a handler of one that needs the review that the path names.
func onReview(handle func(c *call, r *model.Review) (reply, error)) func(*call) (reply, error) {
	return onPull(func(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
		id, err := c.number("review")
		if err != nil {
			return reply{}, err
		}
		r := c.s.Reviews.Get(model.ID(id))
		if r == nil || r.IssueID != i.ID || !r.VisibleTo(c.actor) {
			return reply{}, errNotFound
		}
		return handle(c, r)
	})
}

func editReview(c *call, r *model.Review) (reply, error) {
	body, err := c.newBody()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.EditReview(c.actor, r, body); err != nil {
		return reply{}, err
	}
	return ok(c.review(r))
}

func deleteReview(c *call, r *model.Review) (reply, error) {
	shown := c.review(r)
	if err := c.s.DeleteReview(c.actor, r); err != nil {
		return reply{}, err
	}
	return ok(shown)
}

func listCommentsOfReview(c *call, r *model.Review) (reply, error) {
	views, err := c.reviewComments(c.s.CommentsOfReview(r))
	if err != nil {
		return reply{}, err
	}
	type placed struct {
		reviewCommentView
		Position *int `json:"position"`
	}
	return list(c, views, func(v reviewCommentView) placed { return placed{v, v.Position} })
}

func dismissReview(c *call, r *model.Review) (reply, error) {
	var in struct{ Message string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.s.DismissReview(c.actor, r, in.Message); err != nil {
		return reply{}, err
	}
	return ok(c.review(r))
}

func (c *call) listOfReview(comments []*model.ReviewComment) (reply, error) {
	views, err := c.reviewComments(comments)
	if err != nil {
		return reply{}, err
	}
	return list(c, views, same)
}

func submitReview(c *call, r *model.Review) (reply, error) {
	var in struct {
		Body  string
		Event model.ReviewEvent
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Event == "" {
		return reply{}, missing("event")
	}
	if err := c.s.SubmitReview(c.actor, r, in.Event, in.Body); err != nil {
		return reply{}, err
	}
	return ok(c.review(r))
}

func listReviewComments(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	query := c.URL.Query()
	since, err := timeOf(query.Get("since"))
	if err != nil {
		return reply{}, err
	}
	comments := slices.DeleteFunc(c.s.SubmittedComments(i), func(one *model.ReviewComment) bool { return one.UpdatedAt.Before(since) })
	sortReviewComments(comments, commentOrdering.of(query))
	return c.listOfReview(comments)
}

func createReviewComment(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	var in threadInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.InReplyTo != 0 {
		return c.replyTo(i, in.InReplyTo, in.Body)
	}
	if in.CommitID == "" {
		return reply{}, missing("commit_id")
	}
	comment, err := c.s.CreateThread(c.actor, i, in.thread())
	if err != nil {
		return reply{}, err
	}
	return createdOr(c.reviewComment(comment))
}

func replyToComment(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	to, err := c.number("comment")
	if err != nil {
		return reply{}, err
	}
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	return c.replyTo(i, model.ID(to), in.Body)
}

func (c *call) replyTo(i *model.Issue, comment model.ID, body string) (reply, error) {
	to := c.s.ReviewComments.Get(comment)
	if to == nil || !c.s.Reviews.Get(to.ReviewID).VisibleTo(c.actor) {
		return reply{}, errNotFound
	}
	t := c.s.Threads.Get(to.ThreadID)
	if t.IssueID != i.ID {
		return reply{}, errNotFound
	}
	answer, err := c.s.ReplyToThread(c.actor, t, nil, body)
	if err != nil {
		return reply{}, err
	}
	return createdOr(c.reviewComment(answer))
}
