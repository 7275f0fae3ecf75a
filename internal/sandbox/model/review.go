package model

import (
	"slices"
	"strings"
)

// ReviewEvent is what a review says.
type ReviewEvent string

// The review events; none leaves the review pending.
const (
	EventNone           ReviewEvent = ""
	EventComment        ReviewEvent = "COMMENT"
	EventApprove        ReviewEvent = "APPROVE"
	EventRequestChanges ReviewEvent = "REQUEST_CHANGES"
)

// NewReview describes a review.
type NewReview struct {
	Event ReviewEvent
	Body  string
	// CommitSHA is a commit of the pull request; empty means its head.
	CommitSHA string
	Comments  []NewThread
	// Implied is true for one that nobody asked for: it holds a comment that
	// somebody made by itself.
	Implied bool
}

// CreateReview adds a review to a pull request and, unless Event is empty,
// submits it.
func (s *State) CreateReview(actor ID, i *Issue, in NewReview) (*Review, error) {
	repo := s.Repos.Get(i.RepoID)
	if err := s.mayTalk(actor, repo, i); err != nil {
		return nil, err
	}
	if s.PendingReview(actor, i) != nil {
		return nil, refused("User can only have one pending review per pull request")
	}
	if err := checkReview(actor, i, in.Event, in.Body, len(in.Comments) > 0); err != nil {
		return nil, err
	}
	if err := s.checkCommit(i, "PullRequestReview", in.CommitSHA); err != nil {
		return nil, err
	}
	threads := make([]checkedThread, 0, len(in.Comments))
	for _, c := range in.Comments {
		t, err := s.checkThread(i, c)
		if err != nil {
			return nil, err
		}
		threads = append(threads, t)
	}
	s.Advance()
	r := s.addReview(actor, i, in.Body, in.CommitSHA)
	if in.Implied {
		s.follows(r.ID, CauseReview)
	}
	for _, t := range threads {
		s.addThread(actor, i, r, t)
	}
	if in.Event != EventNone {
		s.submit(i, r, in.Event)
	}
	return r, nil
}

// checkCommit refuses a commit that is not one of a pull request's; empty
// stands for its head.
func (s *State) checkCommit(i *Issue, resource, sha string) error {
	if sha == "" || sha == i.Pull.HeadSHA {
		return nil
	}
	commits, err := s.PullCommits(i)
	if err != nil {
		return err
	}
	for _, c := range commits {
		if c.Hash.String() == sha {
			return nil
		}
	}
	return custom(resource, "commit_id", "commit_id is not part of the pull request")
}

// addReview adds a pending review.
func (s *State) addReview(actor ID, i *Issue, body, sha string) *Review {
	r := &Review{
		ID: s.newID(), RepoID: i.RepoID, IssueID: i.ID, AuthorID: actor, State: ReviewPending, Body: body,
		CommitSHA: orElse(sha, i.Pull.HeadSHA), CreatedAt: s.Now, UpdatedAt: s.Now,
	}
	s.tellMentioned(actor, i.RepoID, r.ID, "", body)
	return s.Reviews.Add(r.ID, r)
}

// SubmitReview submits a pending review of the actor's. An empty body leaves
// the review's.
func (s *State) SubmitReview(actor ID, r *Review, event ReviewEvent, body string) error {
	i := s.Issues.Get(r.IssueID)
	if err := s.mayTalk(actor, s.Repos.Get(r.RepoID), i); err != nil {
		return err
	}
	if err := checkPending(actor, r); err != nil {
		return err
	}
	text := orElse(body, r.Body)
	if err := checkReview(actor, i, event, text, len(s.CommentsOfReview(r)) > 0); err != nil {
		return err
	}
	s.Advance()
	s.tellMentioned(actor, r.RepoID, r.ID, r.Body, text)
	r.Body = text
	s.submit(i, r, event)
	return nil
}

// checkPending refuses reviews that are submitted, or another user's.
func checkPending(actor ID, r *Review) error {
	switch {
	case r.AuthorID != actor:
		return forbidden("Only the author of a pending review can change it.")
	case r.State != ReviewPending:
		return refused("Pull request review is not pending")
	default:
		return nil
	}
}

// DeleteReview removes a pending review of the actor's, with its comments.
func (s *State) DeleteReview(actor ID, r *Review) error {
	if err := s.require(actor, s.Repos.Get(r.RepoID), PermRead); err != nil {
		return err
	}
	if r.AuthorID == actor && r.State != ReviewPending {
		return refused("Can not delete a non-pending pull request review")
	}
	if err := checkPending(actor, r); err != nil {
		return err
	}
	s.Advance()
	s.because(CauseDeletion, func() {
		for _, c := range s.CommentsOfReview(r) {
			s.ReviewComments.Delete(c.ID)
			if len(s.CommentsOfThread(c.ThreadID)) == 0 {
				s.Threads.Delete(c.ThreadID)
			}
		}
	})
	s.Reviews.Delete(r.ID)
	return nil
}

// CommentsOfReview returns a review's comments, oldest first.
func (s *State) CommentsOfReview(r *Review) []*ReviewComment {
	return s.ReviewComments.with(commentByReview, key{of: r.ID})
}

func checkReview(actor ID, i *Issue, event ReviewEvent, body string, hasComments bool) error {
	if err := checkBody("PullRequestReview", body); err != nil {
		return err
	}
	own, blank := i.AuthorID == actor, strings.TrimSpace(body) == ""
	switch event {
	case EventNone:
		return nil
	case EventApprove:
		if own {
			return refused("Can not approve your own pull request")
		}
		return nil
	case EventRequestChanges:
		if own {
			return refused("Can not request changes on your own pull request")
		}
		if blank {
			return refused("Body can't be blank")
		}
		return nil
	case EventComment:
		if blank && !hasComments {
			return refused("Body can't be blank")
		}
		return nil
	default:
		return invalidValue("PullRequestReview", "event", "invalid", string(event))
	}
}

func (s *State) submit(i *Issue, r *Review, event ReviewEvent) {
	r.State = map[ReviewEvent]ReviewState{
		EventComment: ReviewCommented, EventApprove: ReviewApproved, EventRequestChanges: ReviewChangesRequested,
	}[event]
	now := s.Now
	r.SubmittedAt, r.UpdatedAt, i.UpdatedAt = &now, now, now
	if slices.Contains(i.Pull.RequestedReviewers, r.AuthorID) {
		s.because(CauseReview, func() { i.Pull.RequestedReviewers = without(i.Pull.RequestedReviewers, r.AuthorID) })
	}
	s.noteSubscribers(r.AuthorID, i, r.ID)
	s.record(r.AuthorID, i, Event{Kind: "reviewed", SubjectID: r.ID})
	s.emit(Happening{Event: "pull_request_review", Action: "submitted", RepoID: r.RepoID, ActorID: r.AuthorID, Issue: i, Review: r})
	s.mergeReady(s.Repos.Get(r.RepoID), i.Pull.HeadSHA)
	s.referTo(r.AuthorID, i, r.Body)
	for _, c := range s.CommentsOfReview(r) {
		s.referTo(r.AuthorID, i, c.Body)
	}
}

// PendingReview returns a user's pending review of a pull request, nil if
// there is none.
func (s *State) PendingReview(user ID, i *Issue) *Review {
	return s.Reviews.firstOf(reviewByIssue, key{of: i.ID}, func(r *Review) bool {
		return r.AuthorID == user && r.State == ReviewPending
	})
}

// VisibleTo reports whether a user who may read the repository can see the
// review: a pending one is its author's alone.
func (r *Review) VisibleTo(viewer ID) bool { return r.State != ReviewPending || r.AuthorID == viewer }

// ReviewsOf returns the reviews of a pull request that a user can see.
func (s *State) ReviewsOf(viewer ID, i *Issue) []*Review {
	return s.Reviews.whereOf(reviewByIssue, key{of: i.ID}, func(r *Review) bool { return r.VisibleTo(viewer) })
}

// LatestReviews returns every reviewer's latest review that is an opinion, or
// his latest comment if he has none.
func (s *State) LatestReviews(i *Issue) []*Review {
	var latest []*Review
	for _, r := range s.Reviews.find(reviewByIssue, key{of: i.ID}) {
		if r.State == ReviewPending {
			continue
		}
		at := slices.IndexFunc(latest, func(before *Review) bool { return before.AuthorID == r.AuthorID })
		switch {
		case at < 0:
			latest = append(latest, r)
		case r.State != ReviewCommented || latest[at].State == ReviewCommented:
			latest[at] = r
		}
	}
	return latest
}

// verdicts returns the latest reviews that count: of those who may write.
func (s *State) verdicts(i *Issue) []*Review {
	repo := s.Repos.Get(i.RepoID)
	return slices.DeleteFunc(s.LatestReviews(i), func(r *Review) bool {
		return s.Permission(r.AuthorID, repo) < PermWrite
	})
}
