package model

import (
	"fmt"
	"slices"
	"strings"
)

// maxIssueTypes is how many types of issues an organization may have.
const maxIssueTypes = 25

// The events of an issue's timeline that are about its type.
const (
	EventTyped   = "issue_type_added"
	EventUntyped = "issue_type_removed"
	EventRetyped = "issue_type_changed"
)

// IssueTypeEdit is what an organization's type of issues shall be.
type IssueTypeEdit struct {
	Name, Description string
	// Color is one of GitHub's in lower case, empty for gray.
	Color   string
	Enabled bool
}

// CreateIssueType gives an organization another type of issues.
func (s *State) CreateIssueType(actor ID, org *User, in IssueTypeEdit) (IssueType, error) {
	if err := checkIssueType(actor, org, 0, in); err != nil {
		return IssueType{}, err
	}
	if len(org.IssueTypes) >= maxIssueTypes {
		return IssueType{}, refusedType(fmt.Sprintf("An organization can have at most %d issue types", maxIssueTypes))
	}
	s.AddIssueType(org, in.of(IssueType{}))
	return org.IssueTypes[len(org.IssueTypes)-1], nil
}

// EditIssueType changes a type; an error has the kind NotFound if the organization has none
// of that id.
func (s *State) EditIssueType(actor ID, org *User, id ID, in IssueTypeEdit) (IssueType, error) {
	if err := checkIssueType(actor, org, id, in); err != nil {
		return IssueType{}, err
	}
	n := slices.IndexFunc(org.IssueTypes, func(t IssueType) bool { return t.ID == id })
	if n < 0 {
		return IssueType{}, notFound()
	}
	org.UpdatedAt = s.Advance()
	org.IssueTypes[n] = in.of(org.IssueTypes[n])
	return org.IssueTypes[n], nil
}

// DeleteIssueType takes a type from an organization and from the issues that have it.
func (s *State) DeleteIssueType(actor ID, org *User, id ID) error {
	if org.Members[actor] != OrgOwner {
		return notFound()
	}
	n := slices.IndexFunc(org.IssueTypes, func(t IssueType) bool { return t.ID == id })
	if n < 0 {
		return notFound()
	}
	org.UpdatedAt = s.Advance()
	org.IssueTypes = slices.Delete(org.IssueTypes, n, n+1)
	for _, typed := range s.Issues.Where(func(i *Issue) bool { return i.TypeID == id }) {
		s.Issues.Get(typed.ID).TypeID = 0
	}
	return nil
}

// refusedType is a validation failure of a type, which GitHub tells in sentences.
func refusedType(reason string) *Problem {
	return &Problem{Kind: Invalid, Message: validationFailed, Reasons: []string{reason}}
}

// checkIssueType refuses what an organization's type cannot be.
func checkIssueType(actor ID, org *User, id ID, in IssueTypeEdit) error {
	switch {
	case org.Members[actor] != OrgOwner:
		return notFound()
	case strings.TrimSpace(in.Name) == "":
		return refusedType("Name can't be blank")
	case slices.ContainsFunc(org.IssueTypes, func(t IssueType) bool { return t.ID != id && strings.EqualFold(t.Name, in.Name) }):
		return refusedType("Name has already been taken")
	default:
		return nil
	}
}

// of returns a type as an edit makes it.
func (in IssueTypeEdit) of(t IssueType) IssueType {
	t.Name, t.Description, t.Enabled = in.Name, in.Description, in.Enabled
	if t.Color = strings.ToUpper(in.Color); t.Color == "" {
		t.Color = "GRAY"
	}
	return t
}

// TypeOf returns the type of an issue, nil if it has none.
func (s *State) TypeOf(i *Issue) *IssueType {
	if i.TypeID == 0 {
		return nil
	}
	for _, t := range s.Users.Get(s.Repos.Get(i.RepoID).OwnerID).IssueTypes {
		if t.ID == i.TypeID {
			return &t
		}
	}
	return nil
}

// typeNamed returns the id of the type that issues of a repository may have, 0 for
// the empty name.
func (s *State) typeNamed(repo *Repo, name string) (ID, error) {
	if name == "" {
		return 0, nil
	}
	for _, t := range s.Users.Get(repo.OwnerID).IssueTypes {
		if t.Enabled && strings.EqualFold(t.Name, name) {
			return t.ID, nil
		}
	}
	return 0, invalidValue("Issue", "type", "invalid", name)
}

// setType gives an issue a type, 0 for none.
func (s *State) setType(actor ID, i *Issue, id ID) {
	before := s.TypeOf(i)
	if id == i.TypeID {
		return
	}
	i.TypeID = id
	e, action := Event{Kind: EventTyped, SubjectID: id}, "typed"
	now := s.TypeOf(i)
	switch {
	case now == nil && before == nil:
		return
	case now == nil:
		e, action, now = Event{Kind: EventUntyped, SubjectID: before.ID}, "untyped", before
	case before != nil:
		e.Kind, e.From = EventRetyped, before.Name
	}
	e.Title, e.Color = now.Name, now.Color
	s.record(actor, i, e)
	s.issueHappened(actor, i, action, Happening{Subject: now})
}

// hasType answers a search for a type of issues.
func (q issueQuery) hasType(i *Issue, name string) bool {
	t := q.s.TypeOf(i)
	return t != nil && strings.EqualFold(t.Name, name)
}
