package rest

import "github.com/ghx-dev/bench-action/internal/sandbox/model"

func reviewRoutes() []route {
	const pull = reposPath + "/pulls/{number}"
	return []route{
		{"GET " + pull + "/reviews", onPull(listReviews)},
		{"POST " + pull + "/reviews", onPull(createReview)},
		{"POST " + pull + "/reviews/{review}/events", onPull(submitReview)},
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

func submitReview(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	id, err := c.number("review")
	if err != nil {
		return reply{}, err
	}
	r := c.s.Reviews.Get(model.ID(id))
	if r == nil || r.IssueID != i.ID || !r.VisibleTo(c.actor) {
		return reply{}, errNotFound
	}
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
	views, err := c.reviewComments(c.s.SubmittedComments(i))
	if err != nil {
		return reply{}, err
	}
	return list(c, views, same)
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
