package model

import (
	"slices"
	"strings"
)

// EditComment changes the text of a comment on an issue or pull request. Its
// author may, and those who may write to the repository.
func (s *State) EditComment(actor ID, c *Comment, body string) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(c.RepoID), c.AuthorID, PermWrite); err != nil {
		return err
	}
	if strings.TrimSpace(body) == "" {
		return invalid("IssueComment", "body", "missing_field")
	}
	if err := checkCommentBody(body); err != nil {
		return err
	}
	before := c.Body
	s.tellMentioned(actor, c.RepoID, c.ID, before, body)
	c.Body, c.UpdatedAt = body, s.Advance()
	s.commentHappened(actor, c, "edited", map[string]any{"body": from(before)})
	s.referTo(actor, s.Issues.Get(c.IssueID), body)
	return nil
}

// DeleteComment removes a comment on an issue or pull request, for the same
// users.
func (s *State) DeleteComment(actor ID, c *Comment) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(c.RepoID), c.AuthorID, PermWrite); err != nil {
		return err
	}
	s.Advance()
	s.because(CauseDeletion, func() { s.dropReactions(c.ID) })
	s.Comments.Delete(c.ID)
	s.record(actor, s.Issues.Get(c.IssueID), Event{Kind: "comment_deleted", SubjectID: c.AuthorID})
	s.commentHappened(actor, c, "deleted", nil)
	return nil
}

// EditReviewComment is [State.EditComment] for a comment in a thread.
func (s *State) EditReviewComment(actor ID, c *ReviewComment, body string) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(c.RepoID), c.AuthorID, PermWrite); err != nil {
		return err
	}
	if err := checkThreadBody(body); err != nil {
		return err
	}
	s.tellMentioned(actor, c.RepoID, c.ID, c.Body, body)
	c.Body, c.UpdatedAt = body, s.Advance()
	if t := s.Threads.Get(c.ThreadID); s.Reviews.Get(c.ReviewID).State != ReviewPending {
		s.referTo(actor, s.Issues.Get(t.IssueID), body)
	}
	return nil
}

// DeleteReviewComment is [State.DeleteComment] for a comment in a thread. The
// next comment takes the place of a first one; a thread goes with its last.
func (s *State) DeleteReviewComment(actor ID, c *ReviewComment) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(c.RepoID), c.AuthorID, PermWrite); err != nil {
		return err
	}
	s.Advance()
	left := slices.DeleteFunc(s.CommentsOfThread(c.ThreadID), func(other *ReviewComment) bool { return other.ID == c.ID })
	s.because(CauseDeletion, func() {
		for n, other := range left {
			if other.InReplyTo = 0; n > 0 {
				other.InReplyTo = left[0].ID
			}
		}
	})
	s.because(CauseDeletion, func() { s.dropReactions(c.ID) })
	s.ReviewComments.Delete(c.ID)
	if len(left) == 0 {
		s.because(CauseDeletion, func() { s.Threads.Delete(c.ThreadID) })
	}
	return nil
}
