package model

import (
	"slices"
	"time"
	"unicode/utf8"
)

// OrgRole is what a member is in an organization.
type OrgRole string

// The roles. Owners may do everything.
const (
	OrgOwner  OrgRole = "admin"
	OrgMember OrgRole = "member"
)

// maxOrgDescription is the longest description of an organization, in characters.
const maxOrgDescription = 160

// OrgEdit changes what an organization tells of itself; nil fields stay.
type OrgEdit struct {
	Name, Email, Blog, Twitter, Company, Location, Description *string
}

// EditOrg changes what an organization tells of itself, which owners do.
func (s *State) EditOrg(actor ID, org *User, edit OrgEdit) error {
	switch {
	case !s.MayAdministerOrg(actor, org):
		return forbidden("You must be an admin to perform this action.")
	case edit.Description != nil && utf8.RuneCountInString(*edit.Description) > maxOrgDescription:
		return custom("Organization", "description", "description is too long (maximum is %d characters)", maxOrgDescription)
	}
	org.UpdatedAt = s.Advance()
	assign(&org.Name, edit.Name)
	assign(&org.Email, edit.Email)
	assign(&org.Blog, edit.Blog)
	assign(&org.Twitter, edit.Twitter)
	assign(&org.Company, edit.Company)
	assign(&org.Location, edit.Location)
	assign(&org.Description, edit.Description)
	return nil
}

// SetMember makes a user a member of an organization.
func (s *State) SetMember(org *User, user ID, role OrgRole) {
	if org.Members == nil {
		org.Members = map[ID]OrgRole{}
	}
	org.Members[user] = role
	org.UpdatedAt = s.Advance()
}

// EditMember makes a member of an organization an owner, or an owner a member, which
// owners do; one owner must stay.
func (s *State) EditMember(actor ID, org *User, user *User, role OrgRole) error {
	if err := s.mayChangeMember(actor, org, user, role); err != nil {
		return err
	}
	s.SetMember(org, user.ID, role)
	return nil
}

// RemoveMember takes a member, who may be the actor, out of an organization, of its teams
// and of its repositories.
func (s *State) RemoveMember(actor ID, org *User, user *User) error {
	if err := s.mayChangeMember(actor, org, user, ""); err != nil {
		return err
	}
	delete(org.Members, user.ID)
	org.UpdatedAt = s.Advance()
	s.because(CauseDeletion, func() {
		for _, t := range s.Teams.Where(func(t *Team) bool { return t.OrgID == org.ID && slices.Contains(t.Members, user.ID) }) {
			t.Members, t.Maintainers = without(t.Members, user.ID), without(t.Maintainers, user.ID)
		}
		for _, r := range s.Repos.Where(func(r *Repo) bool { return r.OwnerID == org.ID && r.Collaborators[user.ID] != PermNone }) {
			delete(r.Collaborators, user.ID)
		}
	})
	return nil
}

func (s *State) mayChangeMember(actor ID, org, user *User, role OrgRole) error {
	owners := 0
	for _, r := range org.Members {
		if r == OrgOwner {
			owners++
		}
	}
	switch {
	case org.Members[actor] != OrgOwner && (actor != user.ID || role != ""):
		return forbidden("You must be an admin to perform this action.")
	case org.Members[user.ID] == "":
		return notFound()
	case org.Members[user.ID] == OrgOwner && role != OrgOwner && owners == 1:
		return forbidden("Organization must have at least one owner.")
	default:
		return nil
	}
}

// OutsideCollaborators returns those who may do something in repositories of an
// organization without being its members, in order of their accounts.
func (s *State) OutsideCollaborators(org *User) []*User {
	return s.Users.Where(func(u *User) bool {
		return org.Members[u.ID] == "" && s.Repos.First(func(r *Repo) bool { return r.OwnerID == org.ID && r.Collaborators[u.ID] != PermNone }) != nil
	})
}

// IssueType is what an issue of an organization's repositories may be.
type IssueType struct {
	ID          ID
	Name        string
	Description string
	// Color is one of GitHub's for types, such as "BLUE".
	Color   string
	Enabled bool
	// CreatedAt is when it was made; nothing changes it.
	CreatedAt time.Time
}

// AddIssueType gives an organization another type of issues. Its id and time are
// set here.
func (s *State) AddIssueType(org *User, t IssueType) {
	t.ID, t.CreatedAt = s.newID(), s.Advance()
	org.IssueTypes = append(org.IssueTypes, t)
	org.UpdatedAt = t.CreatedAt
}

// IssueType returns the type of an id, nil if there is none.
func (s *State) IssueType(id ID) *IssueType {
	for org := range s.Users.All() {
		for _, t := range org.IssueTypes {
			if t.ID == id {
				return &t
			}
		}
	}
	return nil
}

// OrganizationsOf returns the organizations that a user is a member of, in
// order of their accounts.
func (s *State) OrganizationsOf(user ID) []*User {
	return s.Users.Where(func(u *User) bool { return u.Members[user] != "" })
}

// memberPermission is what membership in an account gives a user in its
// repositories.
func (s *State) memberPermission(user, account ID) Permission {
	owner := s.Users.Get(account)
	switch {
	case owner == nil || user == 0:
		return PermNone
	case owner.Members[user] == OrgOwner:
		return PermAdmin
	case owner.Members[user] == OrgMember:
		return PermRead
	default:
		return PermNone
	}
}
