package model

import (
	"slices"
	"strings"
)

// DismissReview takes back what a submitted review decided. Who may write may,
// and must say why.
func (s *State) DismissReview(actor ID, r *Review, message string) error {
	i := s.Issues.Get(r.IssueID)
	if err := s.require(actor, s.Repos.Get(r.RepoID), PermWrite); err != nil {
		return err
	}
	if err := s.mayDismiss(actor, s.Repos.Get(r.RepoID), i); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(message) == "":
		return unsupplied("message")
	case r.State != ReviewApproved && r.State != ReviewChangesRequested:
		return unprocessable("Can not dismiss a %s pull request review", strings.ToLower(string(r.State)))
	}
	was := strings.ToLower(string(r.State))
	r.State, r.UpdatedAt = ReviewDismissed, s.Advance()
	i.UpdatedAt = s.Now
	s.record(actor, i, Event{Kind: "review_dismissed", SubjectID: r.ID, From: was, To: message})
	s.emit(Happening{Event: "pull_request_review", Action: "dismissed", RepoID: r.RepoID, ActorID: actor, Issue: i, Review: r})
	s.mergeReady(s.Repos.Get(r.RepoID), i.Pull.HeadSHA)
	return nil
}

// EditReview changes the text of a review of the actor's.
func (s *State) EditReview(actor ID, r *Review, body string) error {
	if err := s.require(actor, s.Repos.Get(r.RepoID), PermRead); err != nil {
		return err
	}
	if r.AuthorID != actor {
		return forbidden("Only the author of a review can change it.")
	}
	if err := checkBody("PullRequestReview", body); err != nil {
		return err
	}
	r.UpdatedAt = s.Advance()
	before := r.Body
	s.tellMentioned(actor, r.RepoID, r.ID, before, body)
	r.Body = body
	s.emit(Happening{
		Event: "pull_request_review", Action: "edited", RepoID: r.RepoID, ActorID: actor, Issue: s.Issues.Get(r.IssueID), Review: r,
		Changes: map[string]any{"body": from(before)},
	})
	return nil
}

// Minimize hides something that was said for a reason, such as "outdated", or
// shows it again for an empty one. Its author may, and who may write.
func (s *State) Minimize(actor ID, said any, reason string) error {
	var repo, author ID
	var minimized *string
	switch o := said.(type) {
	case *Comment:
		repo, author, minimized = o.RepoID, o.AuthorID, &o.Minimized
	case *Review:
		repo, author, minimized = o.RepoID, o.AuthorID, &o.Minimized
	case *ReviewComment:
		repo, author, minimized = o.RepoID, o.AuthorID, &o.Minimized
	case *DiscussionComment:
		repo, author, minimized = o.RepoID, o.AuthorID, &o.Minimized
	default:
		return notFound()
	}
	if err := s.requireOfOthers(actor, s.Repos.Get(repo), author, PermWrite); err != nil {
		return err
	}
	s.Advance()
	*minimized = reason
	return nil
}

// Participants returns who takes part in an issue or pull request: its author,
// and those who are assigned or said something, each once.
func (s *State) Participants(viewer ID, i *Issue) []*User {
	ids := append([]ID{i.AuthorID}, i.Assignees...)
	for _, c := range s.Comments.find(commentByIssue, key{of: i.ID}) {
		ids = append(ids, c.AuthorID)
	}
	if i.Pull != nil {
		for _, r := range s.ReviewsOf(viewer, i) {
			ids = append(ids, r.AuthorID)
		}
	}
	var users []*User
	for n, id := range ids {
		if u := s.Users.Get(id); u != nil && u.Type == TypeUser && !slices.Contains(ids[:n], id) {
			users = append(users, u)
		}
	}
	return users
}
