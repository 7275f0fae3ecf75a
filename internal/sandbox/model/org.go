package model

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
