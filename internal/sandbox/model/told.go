package model

import (
	"maps"
	"reflect"
	"slices"
)

// What webhooks are told of a row follows from how it was and is: whoever
// changes it, by whatever API, need not say so. Issues, pull requests, comments,
// reviews, checks and refs are told of where they change, because what happened
// to them does not follow from that.

// toldTable is a table whose changes webhooks are told of.
type toldTable interface{ tell(s *State) }

// toldRows is a table with what is told of one of its rows: before is nil if it
// was not there, after if it is not any more.
type toldRows[T any] struct {
	in    func(*State) *Table[T]
	about func(s *State, before, after *T)
}

func (d toldRows[T]) tell(s *State) {
	for _, r := range d.in(s).record.touched {
		after := r.row
		if r.gone {
			after = nil
		}
		if r.first != nil || after != nil {
			d.about(s, r.first, after)
		}
	}
}

// toldTables are the tables that are told of by their rows, in the order in
// which they are.
var toldTables = []toldTable{
	toldRows[Repo]{func(s *State) *Table[Repo] { return &s.Repos }, tellRepo},
	toldRows[Label]{func(s *State) *Table[Label] { return &s.Labels }, tellLabel},
	toldRows[Milestone]{func(s *State) *Table[Milestone] { return &s.Milestones }, tellMilestone},
	toldRows[Issue]{func(s *State) *Table[Issue] { return &s.Issues }, tellIssue},
	toldRows[Review]{func(s *State) *Table[Review] { return &s.Reviews }, tellReview},
	toldRows[ReviewComment]{func(s *State) *Table[ReviewComment] { return &s.ReviewComments }, tellReviewComment},
	toldRows[Thread]{func(s *State) *Table[Thread] { return &s.Threads }, tellThread},
	toldRows[CommitComment]{func(s *State) *Table[CommitComment] { return &s.CommitComments }, tellCommitComment},
	toldRows[Discussion]{func(s *State) *Table[Discussion] { return &s.Discussions }, tellDiscussion},
	toldRows[DiscussionComment]{func(s *State) *Table[DiscussionComment] { return &s.DiscussionComments }, tellDiscussionComment},
	toldRows[Release]{func(s *State) *Table[Release] { return &s.Releases }, tellRelease},
	toldRows[Deployment]{func(s *State) *Table[Deployment] { return &s.Deployments }, tellDeployment},
	toldRows[DeploymentStatus]{func(s *State) *Table[DeploymentStatus] { return &s.DeploymentStatuses }, tellDeploymentStatus},
	toldRows[User]{func(s *State) *Table[User] { return &s.Users }, tellOrganization},
	toldRows[Team]{func(s *State) *Table[Team] { return &s.Teams }, tellTeam},
	toldRows[Project]{func(s *State) *Table[Project] { return &s.Projects }, tellProject},
	toldRows[ProjectItem]{func(s *State) *Table[ProjectItem] { return &s.ProjectItems }, tellProjectItem},
}

// tellChanged tells webhooks and feeds of the rows that were changed since the recording
// began.
func (s *State) tellChanged() {
	if !s.inboxes && !s.listensAnyone() {
		return
	}
	for _, t := range toldTables {
		t.tell(s)
	}
}

// stays reports whether a repository was there before and is still: what a new
// one begins with, and what goes with one, is not told of by itself.
func (s *State) stays(repo ID) bool {
	known := s.Repos.record.rows[repo]
	return s.Repos.peek(repo) != nil && (known == nil || known.first != nil)
}

// edited is a field as it was and as it is.
type edited struct {
	name     string
	was, now any
}

// changesOf are the fields that differ, as GitHub shows what was before; nil for
// none.
func changesOf(fields ...edited) map[string]any {
	var changes map[string]any
	for _, f := range fields {
		if reflect.DeepEqual(f.was, f.now) {
			continue
		}
		if changes == nil {
			changes = map[string]any{}
		}
		changes[f.name] = from(f.was)
	}
	return changes
}

// became tells of a row that came, went or was changed.
func became[T any](s *State, h Happening, before, after *T, changes func() map[string]any) {
	switch {
	case before == nil:
		h.Action, h.Subject = "created", after
	case after == nil:
		h.Action, h.Subject = "deleted", before
	default:
		h.Action, h.Subject, h.Changes = "edited", after, changes()
		if h.Changes == nil {
			return
		}
	}
	s.emit(h)
}

// either returns the row as it is, or as it was if it is gone.
func either[T any](before, after *T) *T {
	if after == nil {
		return before
	}
	return after
}

func tellLabel(s *State, before, after *Label) {
	repo := either(before, after).RepoID
	if !s.stays(repo) {
		return
	}
	became(s, Happening{Event: "label", RepoID: repo}, before, after, func() map[string]any {
		return changesOf(edited{"name", before.Name, after.Name}, edited{"color", before.Color, after.Color}, edited{"description", before.Description, after.Description})
	})
}

func tellMilestone(s *State, before, after *Milestone) {
	h := Happening{Event: "milestone", RepoID: either(before, after).RepoID}
	if !s.stays(h.RepoID) {
		return
	}
	became(s, h, before, after, func() map[string]any {
		return changesOf(edited{"title", before.Title, after.Title}, edited{"description", before.Description, after.Description}, edited{"due_on", before.DueOn, after.DueOn})
	})
	if before != nil && after != nil && before.Closed != after.Closed {
		h.Action, h.Subject = "opened", after
		if after.Closed {
			h.Action = "closed"
		}
		s.emit(h)
	}
}

// tellRelease tells of a release by all names that fit: a new one is created,
// and published unless it is a draft; what is published is released or
// prereleased.
func tellRelease(s *State, before, after *Release) {
	h := Happening{Event: "release", RepoID: either(before, after).RepoID}
	if !s.stays(h.RepoID) {
		return
	}
	became(s, h, before, after, func() map[string]any {
		changes := changesOf(edited{"name", before.Name, after.Name}, edited{"body", before.Body, after.Body}, edited{"tag_name", before.TagName, after.TagName})
		if was, is := before.LatestAt != nil, after.LatestAt != nil; was != is && !before.Draft && !after.Draft {
			changes = orEmpty(changes)
			changes["make_latest"] = map[string]any{"to": is}
		}
		return changes
	})
	if after == nil {
		return
	}
	h.Subject = after
	published := !after.Draft && (before == nil || before.Draft)
	for _, one := range []struct {
		action string
		is     bool
	}{
		{"published", published},
		{"prereleased", published && after.Prerelease},
		{"released", !after.Draft && !after.Prerelease && (published || before.Prerelease)},
		{"unpublished", before != nil && !before.Draft && after.Draft},
	} {
		if h.Action = one.action; one.is {
			s.emit(h)
		}
	}
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// tellReview tells of the comments of a review that everybody sees from now on.
func tellReview(s *State, before, after *Review) {
	if before == nil || after == nil || before.State != ReviewPending || after.State == ReviewPending {
		return
	}
	for _, c := range s.ReviewComments.find(commentByReview, key{of: after.ID}) {
		if known := s.ReviewComments.record.rows[c.ID]; known == nil || known.first != nil {
			s.emit(reviewCommentHappening(s, c, c.AuthorID, "created"))
		}
	}
}

func reviewCommentHappening(s *State, c *ReviewComment, actor ID, action string) Happening {
	h := Happening{Event: "pull_request_review_comment", Action: action, RepoID: c.RepoID, ActorID: actor, Subject: c, Thread: s.threadOf(c)}
	if h.Thread != nil {
		h.Issue = s.Issues.peek(h.Thread.IssueID)
	}
	return h
}

// threadOf returns the thread of a comment, also of one that is gone.
func (s *State) threadOf(c *ReviewComment) *Thread {
	if t := s.Threads.peek(c.ThreadID); t != nil {
		return t
	}
	if known := s.Threads.record.rows[c.ThreadID]; known != nil {
		return known.first
	}
	return nil
}

// tellReviewComment tells of a comment that is seen: not of those of pending
// reviews.
func tellReviewComment(s *State, before, after *ReviewComment) {
	c := either(before, after)
	review := s.Reviews.peek(c.ReviewID)
	if review == nil || review.State == ReviewPending || !s.stays(c.RepoID) {
		return
	}
	switch {
	case before == nil:
		s.emit(reviewCommentHappening(s, c, c.AuthorID, "created"))
	case after == nil:
		s.emit(reviewCommentHappening(s, c, 0, "deleted"))
	case before.Body != after.Body:
		h := reviewCommentHappening(s, c, 0, "edited")
		h.Changes = changesOf(edited{"body", before.Body, after.Body})
		s.emit(h)
	}
}

// tellCommitComment tells of a new comment on a commit; GitHub tells of nothing
// that becomes of it later.
func tellCommitComment(s *State, before, after *CommitComment) {
	if before == nil && s.stays(after.RepoID) {
		s.emit(Happening{Event: "commit_comment", Action: "created", RepoID: after.RepoID, ActorID: after.AuthorID, Subject: after})
	}
}

func tellThread(s *State, before, after *Thread) {
	if before == nil || after == nil || before.Resolved == after.Resolved {
		return
	}
	h := Happening{Event: "pull_request_review_thread", Action: "unresolved", RepoID: after.RepoID, Issue: s.Issues.peek(after.IssueID), Thread: after}
	if after.Resolved {
		h.Action = "resolved"
	}
	s.emit(h)
}

// Moved are what an issue was in another repository, or what it is there now,
// with that repository.
type Moved struct {
	Issue *Issue
	Repo  *Repo
}

// tellIssue tells of what is not in an issue's timeline: that it was moved to
// another repository, and the teams that are asked for a review.
func tellIssue(s *State, before, after *Issue) {
	if before == nil || after == nil || !s.stays(after.RepoID) {
		return
	}
	if before.RepoID != after.RepoID {
		to, was := s.Repos.peek(after.RepoID), s.Repos.peek(before.RepoID)
		s.emit(Happening{Event: "issues", Action: "transferred", RepoID: before.RepoID, Issue: before, Subject: &Moved{after, to}})
		s.emit(Happening{Event: "issues", Action: "opened", RepoID: after.RepoID, Issue: after, Subject: &Moved{before, was}})
	}
	if before.Pull == nil || after.Pull == nil {
		return
	}
	for _, one := range []struct {
		action string
		teams  []ID
	}{
		{"review_requested", difference(after.Pull.RequestedTeams, before.Pull.RequestedTeams)},
		{"review_request_removed", difference(before.Pull.RequestedTeams, after.Pull.RequestedTeams)},
	} {
		for _, id := range one.teams {
			s.issueHappened(0, after, one.action, Happening{Subject: s.Teams.peek(id)})
		}
	}
}

// cameAndWent returns what came into a map and what went from it, in order.
func cameAndWent[V any](before, after map[ID]V) (came, went []ID) {
	was, is := slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))
	return difference(is, was), difference(was, is)
}
