package model

import "time"

// OrgRole is what a member is in an organization.
type OrgRole string

// The roles. Owners may do everything.
const (
	OrgOwner  OrgRole = "admin"
	OrgMember OrgRole = "member"
)

// SetMember makes a user a member of an organization.
func (s *State) SetMember(org *User, user ID, role OrgRole) {
	if org.Members == nil {
		org.Members = map[ID]OrgRole{}
	}
	org.Members[user] = role
	org.UpdatedAt = s.Advance()
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
