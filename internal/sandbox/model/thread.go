package model

import (
	"cmp"
	"slices"
	"strings"
)

// NewThread describes a thread with its first comment.
type NewThread struct {
	Path string
	Body string
	// Line is in the file of the given side, which is the right one if empty.
	Line int
	Side DiffSide
	// StartLine is the first of several lines, 0 for one line.
	StartLine int
	StartSide DiffSide
	// Position is the older way to name a line, where Line is 0: how many lines
	// it lies below the file's first hunk header.
	Position int
	// FileWide threads are about the file as a whole.
	FileWide bool
	// CommitSHA is a commit of the pull request; empty means its head.
	CommitSHA string
}

// CreateThread starts a thread in a pull request, as a review of its own.
func (s *State) CreateThread(actor ID, i *Issue, in NewThread) (*ReviewComment, error) {
	r, err := s.CreateReview(actor, i, NewReview{Event: EventComment, Comments: []NewThread{in}, Implied: true})
	if err != nil {
		return nil, err
	}
	return s.CommentsOfReview(r)[0], nil
}

// AddThread starts a thread in a pending review of the actor's. A nil review
// means his pending one of the pull request, which is made if need be.
func (s *State) AddThread(actor ID, i *Issue, r *Review, in NewThread) (*Thread, error) {
	if r == nil {
		r = s.PendingReview(actor, i)
	}
	if r == nil {
		made, err := s.CreateReview(actor, i, NewReview{Comments: []NewThread{in}, Implied: true})
		if err != nil {
			return nil, err
		}
		return s.Threads.Get(s.CommentsOfReview(made)[0].ThreadID), nil
	}
	if err := s.mayTalk(actor, s.Repos.Get(r.RepoID), i); err != nil {
		return nil, err
	}
	if err := checkPending(actor, r); err != nil {
		return nil, err
	}
	checked, err := s.checkThread(i, in)
	if err != nil {
		return nil, err
	}
	s.Advance()
	return s.Threads.Get(s.addThread(actor, i, r, checked).ThreadID), nil
}

func (s *State) addThread(actor ID, i *Issue, r *Review, in checkedThread) *ReviewComment {
	t := &Thread{
		ID: s.newID(), RepoID: i.RepoID, IssueID: i.ID, Path: in.Path, Side: in.Side, FileWide: in.FileWide,
		Line: in.Line, StartLine: in.StartLine, StartSide: in.StartSide, CommitSHA: i.Pull.HeadSHA,
	}
	s.Threads.Add(t.ID, t)
	return s.addReviewComment(actor, t, r, in.Body, in.hunk)
}

func (s *State) addReviewComment(actor ID, t *Thread, r *Review, body, hunk string) *ReviewComment {
	c := &ReviewComment{
		ID: s.newID(), RepoID: t.RepoID, ThreadID: t.ID, ReviewID: r.ID, AuthorID: actor, Body: body,
		DiffHunk: hunk, CommitSHA: t.CommitSHA, CreatedAt: s.Now, UpdatedAt: s.Now,
	}
	if before := s.CommentsOfThread(t.ID); len(before) > 0 {
		c.InReplyTo = before[0].ID
	}
	s.tellMentioned(actor, t.RepoID, c.ID, "", body)
	return s.ReviewComments.Add(c.ID, c)
}

// ReplyToThread adds a comment to a thread: in a pending review of the
// actor's, or as a review of its own. A nil review means his pending one of
// the pull request, if he has one.
func (s *State) ReplyToThread(actor ID, t *Thread, r *Review, body string) (*ReviewComment, error) {
	i := s.Issues.Get(t.IssueID)
	if err := s.mayTalk(actor, s.Repos.Get(t.RepoID), i); err != nil {
		return nil, err
	}
	if err := checkThreadBody(body); err != nil {
		return nil, err
	}
	if r == nil {
		r = s.PendingReview(actor, i)
	} else if err := checkPending(actor, r); err != nil {
		return nil, err
	} else if r.IssueID != t.IssueID {
		return nil, refused("The thread and the review are of different pull requests")
	}
	s.Advance()
	if r == nil {
		r = s.addReview(actor, i, "", "")
		s.follows(r.ID, CauseReview)
		s.submit(i, r, EventComment)
		s.referTo(actor, i, body)
	}
	return s.addReviewComment(actor, t, r, body, s.CommentsOfThread(t.ID)[0].DiffHunk), nil
}

func checkThreadBody(body string) error {
	if strings.TrimSpace(body) == "" {
		return invalid("PullRequestReviewComment", "body", "missing_field")
	}
	return checkBody("PullRequestReviewComment", body)
}

// ResolveThread marks a thread as resolved or not. The author of the pull
// request and those who may write can.
func (s *State) ResolveThread(actor ID, t *Thread, resolved bool) error {
	i := s.Issues.Get(t.IssueID)
	if err := s.requireOfOthers(actor, s.Repos.Get(t.RepoID), i.AuthorID, PermWrite); err != nil {
		return err
	}
	i.UpdatedAt = s.Advance()
	t.Resolved, t.ResolvedBy = resolved, 0
	if resolved {
		t.ResolvedBy = actor
	}
	return nil
}

// CanResolve reports whether a user may resolve a thread.
func (s *State) CanResolve(user ID, t *Thread) bool {
	return s.requireOfOthers(user, s.Repos.Get(t.RepoID), s.Issues.Get(t.IssueID).AuthorID, PermWrite) == nil
}

// CanTalk reports whether a user may comment on an issue or pull request.
func (s *State) CanTalk(user ID, i *Issue) bool {
	return s.mayTalk(user, s.Repos.Get(i.RepoID), i) == nil
}

// ThreadsOf returns the threads of a pull request that a user can see, in
// order of creation.
func (s *State) ThreadsOf(viewer ID, i *Issue) []*Thread {
	return s.Threads.whereOf(threadByIssue, key{of: i.ID}, func(t *Thread) bool { return len(s.VisibleComments(viewer, t)) > 0 })
}

// VisibleComments returns the comments of a thread that a user can see, oldest
// first: all but those of other people's pending reviews.
func (s *State) VisibleComments(viewer ID, t *Thread) []*ReviewComment {
	return s.ReviewComments.whereOf(commentByThread, key{of: t.ID}, func(c *ReviewComment) bool {
		return s.Reviews.Get(c.ReviewID).VisibleTo(viewer)
	})
}

// SubmittedComments returns a pull request's comments in threads that
// everybody can see, oldest first.
func (s *State) SubmittedComments(i *Issue) []*ReviewComment {
	var found []*ReviewComment
	for _, r := range s.Reviews.find(reviewByIssue, key{of: i.ID}) {
		if r.State != ReviewPending {
			found = append(found, s.CommentsOfReview(r)...)
		}
	}
	slices.SortFunc(found, func(a, b *ReviewComment) int { return cmp.Compare(a.ID, b.ID) })
	return found
}

// CommentsOfThread returns a thread's comments, oldest first. There is always
// one.
func (s *State) CommentsOfThread(thread ID) []*ReviewComment {
	return s.ReviewComments.with(commentByThread, key{of: thread})
}
