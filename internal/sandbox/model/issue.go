package model

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The longest title and body of an issue, pull request or comment, in
// characters.
const (
	maxTitle = 256
	maxBody  = 65536
)

// NewIssue describes an issue to open.
type NewIssue struct {
	Title     string
	Body      string
	Labels    []string
	Assignees []string
	// Milestone is a number, 0 for none.
	Milestone int
	// Type is a type of issues by its name, empty for none.
	Type string
}

// OpenIssue opens an issue. Labels, assignees and milestone are for those who
// may triage, its type for those who may write; from others they are dropped, as
// GitHub does.
func (s *State) OpenIssue(actor ID, repo *Repo, in NewIssue) (*Issue, error) {
	if err := s.require(actor, repo, PermRead); err != nil {
		return nil, err
	}
	if !repo.HasIssues {
		return nil, IssuesDisabled()
	}
	if err := checkTitle("Issue", in.Title); err != nil {
		return nil, err
	}
	if err := checkBody("Issue", in.Body); err != nil {
		return nil, err
	}
	if s.Permission(actor, repo) < PermTriage {
		in = NewIssue{Title: in.Title, Body: in.Body}
	}
	if s.Permission(actor, repo) < PermWrite {
		in.Type = ""
	}
	set, err := s.checkSettings(repo, IssueEdit{Labels: &in.Labels, Assignees: &in.Assignees, Milestone: &in.Milestone, Type: &in.Type})
	if err != nil {
		return nil, err
	}
	s.Advance()
	i := s.addIssue(actor, repo, in.Title, in.Body, nil)
	s.issueHappened(actor, i, "opened", Happening{})
	s.set(actor, i, set)
	s.referTo(actor, i, i.Body)
	return i, nil
}

// IssuesDisabled is the answer to what asks for issues of a repository that
// has none.
func IssuesDisabled() *Problem {
	return &Problem{Kind: Gone, Message: "Issues are disabled for this repo"}
}

// addIssue adds an issue, or with a pull the pull request's.
func (s *State) addIssue(actor ID, repo *Repo, title, body string, pull *Pull) *Issue {
	repo.LastNumber++
	i := &Issue{
		ID: s.newID(), RepoID: repo.ID, Number: repo.LastNumber, Title: title, Body: body, AuthorID: actor,
		CreatedAt: s.Now, UpdatedAt: s.Now, Pull: pull,
	}
	if pull != nil {
		pull.ID = s.newID()
	}
	s.tellWatchers(actor, repo.ID, i.ID)
	s.tellMentioned(actor, repo.ID, i.ID, "", body)
	return s.Issues.Add(i.ID, i)
}

func checkTitle(resource, title string) error {
	switch {
	case strings.TrimSpace(title) == "":
		return invalid(resource, "title", "missing_field")
	case utf8.RuneCountInString(title) > maxTitle:
		return custom(resource, "title", "title is too long (maximum is %d characters)", maxTitle)
	default:
		return nil
	}
}

func checkBody(resource, body string) error {
	if utf8.RuneCountInString(body) > maxBody {
		return custom(resource, "body", "body is too long (maximum is %d characters)", maxBody)
	}
	return nil
}

// checkCommentBody is [checkBody] for comments, about which GitHub says it
// otherwise.
func checkCommentBody(body string) error {
	if utf8.RuneCountInString(body) <= maxBody {
		return nil
	}
	return &Problem{Kind: Invalid, Message: validationFailed, Errors: []FieldError{{
		Resource: "IssueComment", Field: "data", Code: "unprocessable",
		Message: fmt.Sprintf("Body is too long (maximum is %d characters)", maxBody),
	}}}
}

// CreateComment comments on an issue or pull request.
func (s *State) CreateComment(actor ID, repo *Repo, i *Issue, body string) (*Comment, error) {
	if err := s.mayTalk(actor, repo, i); err != nil {
		return nil, err
	}
	if strings.TrimSpace(body) == "" {
		return nil, invalid("IssueComment", "body", "missing_field")
	}
	if err := checkCommentBody(body); err != nil {
		return nil, err
	}
	now := s.Advance()
	c := &Comment{ID: s.newID(), RepoID: repo.ID, IssueID: i.ID, AuthorID: actor, Body: body, CreatedAt: now, UpdatedAt: now}
	i.UpdatedAt = now
	s.noteSubscribers(actor, i, c.ID)
	s.tellMentioned(actor, repo.ID, c.ID, "", body)
	s.commentHappened(actor, c, "created", nil)
	s.referTo(actor, i, body)
	return s.Comments.Add(c.ID, c), nil
}

// mayTalk refuses comments and reviews of those who may not read the
// repository, and on a locked conversation of those who may not write.
func (s *State) mayTalk(actor ID, repo *Repo, i *Issue) error {
	if err := s.require(actor, repo, PermRead); err != nil {
		return err
	}
	if i.Locked && s.Permission(actor, repo) < PermWrite {
		return forbidden("Unable to create comment because issue is locked.")
	}
	return nil
}

// CommentsOf returns an issue's comments, oldest first.
func (s *State) CommentsOf(i *Issue) []*Comment {
	return s.Comments.with(commentByIssue, key{of: i.ID})
}

// CommentCount returns how many comments an issue has.
func (s *State) CommentCount(i *Issue) int { return s.Comments.count(commentByIssue, key{of: i.ID}) }

// EventsOf returns the timeline of an issue, oldest first.
func (s *State) EventsOf(i *Issue) []*Event { return s.Events.with(eventByIssue, key{of: i.ID}) }

// OpenIssues returns how many issues and pull requests of a repository are
// open.
func (s *State) OpenIssues(repo *Repo) int { return s.Issues.count(openByRepo, key{of: repo.ID}) }

// AddAssignees assigns users to an issue or pull request. Who cannot be
// assigned is left out, as GitHub's REST API does.
func (s *State) AddAssignees(actor ID, repo *Repo, i *Issue, users []ID) error {
	if err := s.require(actor, repo, PermTriage); err != nil {
		return err
	}
	s.Advance()
	ids := slices.Clone(i.Assignees)
	for _, id := range users {
		if s.assignable(s.Users.Get(id), repo) {
			ids = append(ids, id)
		}
	}
	s.setAssignees(actor, i, ids)
	return nil
}

// RemoveAssignees takes users off an issue or pull request.
func (s *State) RemoveAssignees(actor ID, repo *Repo, i *Issue, users []ID) error {
	if err := s.require(actor, repo, PermTriage); err != nil {
		return err
	}
	s.Advance()
	s.setAssignees(actor, i, without(i.Assignees, users...))
	return nil
}

func (s *State) setAssignees(actor ID, i *Issue, ids []ID) {
	s.replace(actor, i, &i.Assignees, ids,
		func(id ID) Event { return Event{Kind: "assigned", SubjectID: id} },
		func(id ID) Event { return Event{Kind: "unassigned", SubjectID: id} })
}

// DeleteIssue removes an issue with its comments. Only administrators may, and
// pull requests cannot be deleted.
func (s *State) DeleteIssue(actor ID, repo *Repo, i *Issue) error {
	if err := s.require(actor, repo, PermAdmin); err != nil {
		return err
	}
	if i.Pull != nil {
		return unprocessable("Pull requests cannot be deleted.")
	}
	s.Advance()
	s.because(CauseDeletion, func() {
		for _, c := range s.CommentsOf(i) {
			s.Comments.Delete(c.ID)
			s.dropReactions(c.ID)
		}
		for _, e := range s.EventsOf(i) {
			s.Events.Delete(e.ID)
		}
		s.dropReactions(i.ID)
		s.dropNotifications(i.ID)
		s.dropItems(i.ID)
		s.dropRelations(i.ID)
	})
	s.Issues.Delete(i.ID)
	s.issueHappened(actor, i, "deleted", Happening{})
	return nil
}

// record adds an event to an issue's timeline, now.
func (s *State) record(actor ID, i *Issue, e Event) {
	e.ID, e.RepoID, e.IssueID, e.ActorID, e.CreatedAt = s.newID(), i.RepoID, i.ID, actor, s.Now
	if l := s.Labels.peek(e.LabelID); l != nil {
		e.Title, e.Color = l.Name, l.Color
	} else if m := s.Milestones.peek(e.SubjectID); m != nil {
		e.Title = m.Title
	}
	s.Events.Add(e.ID, &e)
	s.recorded(i, e)
}
