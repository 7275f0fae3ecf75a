package model

import (
	"slices"
	"strings"
	"time"
)

// OrgInvitation asks somebody into an organization.
type OrgInvitation struct {
	ID ID
	// InviteeID is 0 for who is known by an address alone, Email empty for an account.
	InviteeID ID
	Email     string
	Role      OrgRole
	// Teams are those that he joins with it.
	Teams     []ID
	InviterID ID
	CreatedAt time.Time
}

// Invitation returns the invitation of an id, or of an account, nil if there is none.
func (u *User) Invitation(id, invitee ID) *OrgInvitation {
	at := slices.IndexFunc(u.Invitations, func(i OrgInvitation) bool { return i.ID == id || invitee != 0 && i.InviteeID == invitee })
	if at < 0 {
		return nil
	}
	return &u.Invitations[at]
}

// InviteMember asks somebody into an organization, which owners do.
func (s *State) InviteMember(actor ID, org *User, in OrgInvitation) (*OrgInvitation, error) {
	const resource = "OrganizationInvitation"
	in.Role = OrgRole(orElse(string(in.Role), string(OrgMember)))
	switch {
	case !s.MayAdministerOrg(actor, org):
		return nil, forbidden("You must be an admin to create an invitation to an organization.")
	case in.InviteeID == 0 && !strings.Contains(in.Email, "@"):
		return nil, invalid(resource, "email", "invalid")
	case in.InviteeID != 0 && org.Members[in.InviteeID] != "":
		return nil, custom(resource, "invitee_id", "Invitee is already a part of this org")
	case in.InviteeID != 0 && org.Invitation(0, in.InviteeID) != nil, in.Email != "" && slices.ContainsFunc(org.Invitations, func(i OrgInvitation) bool { return strings.EqualFold(i.Email, in.Email) }):
		return nil, custom(resource, "data", "A user with this email address or login has already been invited")
	}
	for _, id := range in.Teams {
		if t := s.Teams.Get(id); t == nil || t.OrgID != org.ID {
			return nil, invalid(resource, "team_ids", "invalid")
		}
	}
	in.CreatedAt = s.Advance()
	in.ID, in.InviterID = s.newID(), actor
	org.Invitations = append(org.Invitations, in)
	return &org.Invitations[len(org.Invitations)-1], nil
}

// InviteIntoTeam asks somebody into a team, and with it into its organization.
func (s *State) InviteIntoTeam(actor ID, t *Team, user ID) error {
	org := s.Users.Get(t.OrgID)
	i := org.Invitation(0, user)
	if i == nil {
		_, err := s.InviteMember(actor, org, OrgInvitation{InviteeID: user, Teams: []ID{t.ID}})
		return err
	}
	s.Advance()
	if !slices.Contains(i.Teams, t.ID) {
		i.Teams = append(slices.Clone(i.Teams), t.ID)
	}
	return nil
}

// WithdrawMember takes an invitation back, which owners do.
func (s *State) WithdrawMember(actor ID, org *User, i *OrgInvitation) error {
	if !s.MayAdministerOrg(actor, org) {
		return forbidden("You must be an admin to cancel an invitation to an organization.")
	}
	s.Advance()
	s.dropMemberInvitation(org, i.ID)
	return nil
}

func (s *State) dropMemberInvitation(org *User, id ID) {
	org.Invitations = slices.DeleteFunc(slices.Clone(org.Invitations), func(i OrgInvitation) bool { return i.ID == id })
}

// AcceptMembership makes the actor the member that he was asked to be.
func (s *State) AcceptMembership(actor ID, org *User) error {
	found := org.Invitation(0, actor)
	if found == nil {
		return notFound()
	}
	i := *found
	s.dropMemberInvitation(org, i.ID)
	s.SetMember(org, actor, i.Role)
	for _, t := range s.InvitedTeams(&i) {
		if !slices.Contains(t.Members, actor) {
			t.Members = append(t.Members, actor)
		}
	}
	return nil
}

// InvitedTeams returns the teams of an invitation that still exist.
func (s *State) InvitedTeams(i *OrgInvitation) []*Team {
	var teams []*Team
	for _, id := range i.Teams {
		if t := s.Teams.Get(id); t != nil {
			teams = append(teams, t)
		}
	}
	return teams
}

// InvitationsInto returns the organizations that an account is asked into.
func (s *State) InvitationsInto(user ID) []*User {
	return s.Users.Where(func(u *User) bool { return len(u.Invitations) > 0 && u.Invitation(0, user) != nil })
}
