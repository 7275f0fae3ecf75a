package model

import (
	"slices"
	"strings"
)

// The most sub-issues that an issue has, and the most issues that block one.
const (
	maxSubIssues = 100
	maxBlockers  = 50
)

// notAdded is GitHub's refusal of a sub-issue.
func notAdded(reason string) *Problem {
	return unprocessable("An error occurred while adding the sub-issue to the parent issue. %s", reason)
}

// Parent returns the issue that another one is a sub-issue of, nil if there is
// none.
func (s *State) Parent(i *Issue) *Issue {
	return s.Issues.only(issueBySub, key{of: i.ID})
}

// IssuesByID returns those of the issues that are there and that a user may
// see.
func (s *State) IssuesByID(viewer ID, ids []ID) []*Issue {
	var found []*Issue
	for _, id := range ids {
		if i := s.Issues.Get(id); i != nil && s.Permission(viewer, s.Repos.Get(i.RepoID)) >= PermRead {
			found = append(found, i)
		}
	}
	return found
}

// AddSubIssue puts an issue under another one, as the last of its sub-issues.
// An issue has one parent; replace takes it off that one.
func (s *State) AddSubIssue(actor ID, parent, sub *Issue, replace bool) error {
	if err := s.require(actor, s.Repos.Get(parent.RepoID), PermTriage); err != nil {
		return err
	}
	before := s.Parent(sub)
	switch {
	case parent.Pull != nil || sub.Pull != nil:
		return notAdded("Pull requests cannot be sub-issues, nor have them")
	case before == parent, before != nil && !replace:
		return notAdded("Issue may not contain duplicate sub-issues and Sub issue may only have one parent")
	case s.isUnder(parent, sub):
		return notAdded("Sub issue may not be the issue itself or one of its parents")
	case len(parent.SubIssues) >= maxSubIssues:
		return notAdded("Parent cannot have more than 100 sub-issues")
	}
	s.Advance()
	if before != nil {
		before.SubIssues = without(before.SubIssues, sub.ID)
		s.related(actor, before, sub, "sub_issue_removed", "parent_issue_removed")
	}
	parent.SubIssues = append(parent.SubIssues, sub.ID)
	s.related(actor, parent, sub, "sub_issue_added", "parent_issue_added")
	parent.UpdatedAt, sub.UpdatedAt = s.Now, s.Now
	return nil
}

// isUnder reports whether an issue is another one or, at whatever depth, under
// it.
func (s *State) isUnder(i, other *Issue) bool {
	for range s.Issues.Len() {
		if i == nil || i == other {
			break
		}
		i = s.Parent(i)
	}
	return i == other
}

// RemoveSubIssue takes an issue off its parent.
func (s *State) RemoveSubIssue(actor ID, parent, sub *Issue) error {
	if err := s.require(actor, s.Repos.Get(parent.RepoID), PermTriage); err != nil {
		return err
	}
	if !slices.Contains(parent.SubIssues, sub.ID) {
		return &Problem{Kind: NotFound, Message: "The provided sub-issue does not exist"}
	}
	s.Advance()
	parent.SubIssues = without(parent.SubIssues, sub.ID)
	s.related(actor, parent, sub, "sub_issue_removed", "parent_issue_removed")
	parent.UpdatedAt, sub.UpdatedAt = s.Now, s.Now
	return nil
}

// MoveSubIssue puts a sub-issue right after another one, or right before it.
func (s *State) MoveSubIssue(actor ID, parent *Issue, sub, other ID, before bool) error {
	if err := s.require(actor, s.Repos.Get(parent.RepoID), PermTriage); err != nil {
		return err
	}
	if sub == other || !slices.Contains(parent.SubIssues, sub) || !slices.Contains(parent.SubIssues, other) {
		return &Problem{Kind: NotFound, Message: "The provided sub-issue does not exist"}
	}
	s.Advance()
	rest := without(parent.SubIssues, sub)
	at := slices.Index(rest, other)
	if !before {
		at++
	}
	parent.SubIssues = slices.Insert(rest, at, sub)
	parent.UpdatedAt = s.Now
	return nil
}

// AddBlocker notes that an issue waits for another one.
func (s *State) AddBlocker(actor ID, i, blocker *Issue) error {
	if err := s.require(actor, s.Repos.Get(i.RepoID), PermTriage); err != nil {
		return err
	}
	switch {
	case i == blocker:
		return unprocessable("An issue cannot be blocked by itself")
	case i.Pull != nil || blocker.Pull != nil:
		return unprocessable("Pull requests cannot be dependencies")
	case slices.Contains(i.BlockedBy, blocker.ID):
		return unprocessable("Target issue has already been taken")
	case len(i.BlockedBy) >= maxBlockers:
		return unprocessable("An issue cannot be blocked by more than %d issues", maxBlockers)
	}
	s.Advance()
	i.BlockedBy = append(i.BlockedBy, blocker.ID)
	s.related(actor, i, blocker, "blocked_by_added", "blocking_added")
	i.UpdatedAt = s.Now
	return nil
}

// RemoveBlocker notes that an issue no longer waits for another one.
func (s *State) RemoveBlocker(actor ID, i, blocker *Issue) error {
	if err := s.require(actor, s.Repos.Get(i.RepoID), PermTriage); err != nil {
		return err
	}
	if !slices.Contains(i.BlockedBy, blocker.ID) {
		return notFound()
	}
	s.Advance()
	i.BlockedBy = without(i.BlockedBy, blocker.ID)
	s.related(actor, i, blocker, "blocked_by_removed", "blocking_removed")
	i.UpdatedAt = s.Now
	return nil
}

// related records in the timelines of two issues what became of their relation.
func (s *State) related(actor ID, i, other *Issue, kind, inverse string) {
	s.record(actor, i, Event{Kind: kind, SubjectID: other.ID})
	s.record(actor, other, Event{Kind: inverse, SubjectID: i.ID})
	event := "sub_issues"
	if strings.HasPrefix(kind, "block") {
		event = "issue_dependencies"
	}
	about := &RelatedIssues{Above: i, Below: other}
	s.emit(Happening{Event: event, Action: kind, RepoID: i.RepoID, ActorID: actor, Subject: about})
	s.emit(Happening{Event: event, Action: inverse, RepoID: other.RepoID, ActorID: actor, Subject: about})
}

// RelatedIssues are two issues that have to do with each other: the parent or
// the blocked one above, the sub-issue or the one that blocks below.
type RelatedIssues struct{ Above, Below *Issue }

// Blocked returns the issues that wait for another one.
func (s *State) Blocked(by *Issue) []ID {
	var ids []ID
	for id := range s.Issues.find(issueByBlocker, key{of: by.ID}) {
		ids = append(ids, id)
	}
	return ids
}

// dropRelations forgets an issue in all others.
func (s *State) dropRelations(gone ID) {
	for _, i := range s.Issues.with(issueBySub, key{of: gone}) {
		i.SubIssues = without(i.SubIssues, gone)
	}
	for _, i := range s.Issues.with(issueByBlocker, key{of: gone}) {
		i.BlockedBy = without(i.BlockedBy, gone)
	}
	for _, pull := range s.Issues.with(pullByLinked, key{of: gone}) {
		pull.Pull.LinkedIssues = without(pull.Pull.LinkedIssues, gone)
		for _, e := range s.EventsOf(pull) {
			if e.SubjectID == gone {
				s.Events.Delete(e.ID)
			}
		}
	}
}
