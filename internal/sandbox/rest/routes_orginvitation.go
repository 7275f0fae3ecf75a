package rest

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// orgInvitationRoutes ask people into organizations. Who has an account answers himself,
// see [membershipRoutes]; nobody reads what is sent to an address.
func orgInvitationRoutes() []route {
	const open = "/orgs/{org}/invitations"
	return []route{
		{"GET " + open, onOrgHooks(listOrgInvitations)},
		{"POST " + open, onOrgHooks(inviteMember)},
		{"DELETE " + open + "/{id}", onOrgInvitation(func(c *call, org *model.User, i *model.OrgInvitation) (reply, error) {
			return emptyOr(c.s.WithdrawMember(c.actor, org, i))
		})},
		{"GET " + open + "/{id}/teams", onOrgInvitation(func(c *call, _ *model.User, i *model.OrgInvitation) (reply, error) {
			return list(c, c.s.InvitedTeams(i), c.team)
		})},
	}
}

func onOrgInvitation(handle func(*call, *model.User, *model.OrgInvitation) (reply, error)) func(*call) (reply, error) {
	return onOrgHooks(func(c *call, org *model.User) (reply, error) {
		id, err := c.idOf("id")
		if err != nil {
			return reply{}, err
		}
		i := org.Invitation(id, 0)
		if i == nil {
			return reply{}, errNotFound
		}
		return handle(c, org, i)
	})
}

type orgInvitationView struct {
	ID           int64     `json:"id"`
	NodeID       string    `json:"node_id"`
	Login        *string   `json:"login"`
	Email        *string   `json:"email"`
	Role         string    `json:"role"`
	CreatedAt    stamp     `json:"created_at"`
	FailedAt     *string   `json:"failed_at"`
	FailedReason *string   `json:"failed_reason"`
	Inviter      *userView `json:"inviter"`
	TeamCount    int       `json:"team_count"`
	TeamsURL     string    `json:"invitation_teams_url"`
	Source       string    `json:"invitation_source"`
}

func (v *view) orgInvitation(org *model.User, i *model.OrgInvitation) orgInvitationView {
	shown := orgInvitationView{
		ID: i.ID, NodeID: model.NodeID(model.NodeOrgInvitation, org.ID, i.ID), Email: optional(i.Email), Role: invitedAs[i.Role], CreatedAt: at(i.CreatedAt),
		Inviter: v.user(i.InviterID), TeamCount: len(v.s.InvitedTeams(i)), TeamsURL: fmt.Sprintf("%s/organizations/%d/invitations/%d/teams", apiURL, org.ID, i.ID), Source: "member",
	}
	if i.InviteeID != 0 {
		shown.Login = optional(v.s.Login(i.InviteeID))
	}
	return shown
}

// invitedAs are the roles in the words of invitations.
var invitedAs = map[model.OrgRole]string{model.OrgOwner: "admin", model.OrgMember: "direct_member"}

func listOrgInvitations(c *call, org *model.User) (reply, error) {
	var wanted []*model.OrgInvitation
	role, source := c.URL.Query().Get("role"), orDefault(c.URL.Query().Get("invitation_source"), "all")
	for n := range org.Invitations {
		if i := &org.Invitations[n]; (role == "" || role == "all" || role == invitedAs[i.Role]) && (source == "all" || source == "member") {
			wanted = append(wanted, i)
		}
	}
	return list(c, wanted, func(i *model.OrgInvitation) orgInvitationView { return c.orgInvitation(org, i) })
}

func inviteMember(c *call, org *model.User) (reply, error) {
	var in struct {
		InviteeID model.ID   `json:"invitee_id"`
		Email     string     `json:"email"`
		Role      string     `json:"role"`
		Teams     []model.ID `json:"team_ids"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	asked := model.OrgInvitation{InviteeID: in.InviteeID, Email: in.Email, Role: model.OrgMember, Teams: in.Teams}
	switch in.Role {
	case "", "direct_member":
	case "admin":
		asked.Role = model.OrgOwner
	default:
		return reply{}, c.lacks("role " + in.Role)
	}
	if u := c.s.Users.Get(in.InviteeID); in.InviteeID != 0 && (u == nil || u.Type != model.TypeUser) {
		return reply{}, errNotFound
	}
	i, err := c.s.InviteMember(c.actor, org, asked)
	if err != nil {
		return reply{}, err
	}
	return created(c.orgInvitation(org, i))
}
