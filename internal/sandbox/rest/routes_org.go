package rest

import (
	"fmt"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// orgRoutes are those of organizations, their members and teams.
func orgRoutes() []route {
	return []route{
		{"GET /user/orgs", listOwnOrgs},
		{"GET /user/teams", listOwnTeams},
		{"PATCH /orgs/{org}", onLogin(editOrg)},
		{"GET /orgs/{org}/members", onLogin(listMembers)},
		{"GET /orgs/{org}/teams", onLogin(listTeams)},
	}
}

type orgView struct {
	Login            string `json:"login"`
	ID               int64  `json:"id"`
	NodeID           string `json:"node_id"`
	URL              string `json:"url"`
	ReposURL         string `json:"repos_url"`
	EventsURL        string `json:"events_url"`
	HooksURL         string `json:"hooks_url"`
	IssuesURL        string `json:"issues_url"`
	MembersURL       string `json:"members_url"`
	PublicMembersURL string `json:"public_members_url"`
	AvatarURL        string `json:"avatar_url"`
	Description      string `json:"description"`
}

func (v *view) org(u *model.User) orgView {
	api := apiURL + "/orgs/" + u.Login
	return orgView{
		Login: u.Login, ID: u.ID, NodeID: model.NodeID(model.UserNode(u), 0, u.ID), URL: api, ReposURL: api + "/repos",
		EventsURL: api + "/events", HooksURL: api + "/hooks", IssuesURL: api + "/issues", MembersURL: api + "/members{/member}",
		PublicMembersURL: api + "/public_members{/member}", AvatarURL: v.user(u.ID).AvatarURL, Description: u.Description,
	}
}

func listOwnOrgs(c *call) (reply, error) {
	if c.actor == 0 {
		return reply{}, errNoUser
	}
	return list(c, c.s.OrganizationsOf(c.actor), c.org)
}

func editOrg(c *call, org *model.User) (reply, error) {
	var in struct {
		Name, Email, Blog, Company, Location, Description *string

		Twitter *string `json:"twitter_username"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.s.EditOrg(c.actor, org, model.OrgEdit{
		Name: in.Name, Email: in.Email, Blog: in.Blog, Twitter: in.Twitter, Company: in.Company, Location: in.Location, Description: in.Description,
	}); err != nil {
		return reply{}, err
	}
	return ok(c.orgPage(org))
}

func listMembers(c *call, org *model.User) (reply, error) {
	role, filter := c.URL.Query().Get("role"), c.URL.Query().Get("filter")
	if filter == "2fa_disabled" || filter == "2fa_insecure" {
		if org.Members[c.actor] != model.OrgOwner {
			return reply{}, &model.Problem{Kind: model.Invalid, Message: "Only owners can use this filter."}
		}
		return listNone(c, nil) // all have a second factor
	}
	var members []model.ID
	for u := range c.s.Users.All() {
		if has := org.Members[u.ID]; has != "" && (role != string(model.OrgOwner) && role != string(model.OrgMember) || role == string(has)) {
			members = append(members, u.ID)
		}
	}
	return list(c, members, c.user)
}

type teamView struct {
	ID                  int64     `json:"id"`
	NodeID              string    `json:"node_id"`
	URL                 string    `json:"url"`
	HTMLURL             string    `json:"html_url"`
	Name                string    `json:"name"`
	Slug                string    `json:"slug"`
	Description         *string   `json:"description"`
	Privacy             string    `json:"privacy"`
	NotificationSetting string    `json:"notification_setting"`
	Permission          string    `json:"permission"`
	MembersURL          string    `json:"members_url"`
	RepositoriesURL     string    `json:"repositories_url"`
	Type                string    `json:"type"`
	OrganizationID      int64     `json:"organization_id"`
	Parent              *teamView `json:"parent"`
}

func (v *view) team(t *model.Team) teamView {
	api := fmt.Sprintf("%s/organizations/%d/team/%d", apiURL, t.OrgID, t.ID)
	return teamView{
		ID: t.ID, NodeID: model.NodeID(model.NodeTeam, 0, t.ID), URL: api, Name: t.Name, Slug: t.Slug, Description: optional(t.Description),
		HTMLURL: fmt.Sprintf("%s/orgs/%s/teams/%s", htmlURL, v.s.Login(t.OrgID), t.Slug), Privacy: privacyOf(t),
		NotificationSetting: notificationSetting(t), Permission: "pull", MembersURL: api + "/members{/member}",
		RepositoriesURL: api + "/repos", Type: "organization", OrganizationID: t.OrgID, Parent: v.parentTeam(t),
	}
}

func notificationSetting(t *model.Team) string {
	if t.Quiet {
		return quietTeam
	}
	return "notifications_enabled"
}

// quietTeam is the setting of a team whose members are told of no mention of it.
const quietTeam = "notifications_disabled"

func privacyOf(t *model.Team) string {
	if t.Secret {
		return "secret"
	}
	return "closed"
}

// parentTeam is the team that one belongs to, without its own; nil for none.
func (v *view) parentTeam(t *model.Team) *teamView {
	parent := v.s.Teams.Get(t.ParentID)
	if parent == nil {
		return nil
	}
	top := *parent
	top.ParentID = 0
	shown := v.team(&top)
	return &shown
}

// teams are those of ids, leaving out those that are gone.
func (v *view) teams(ids []model.ID) []teamView {
	teams := make([]teamView, 0, len(ids))
	for _, id := range ids {
		if t := v.s.Teams.Get(id); t != nil {
			teams = append(teams, v.team(t))
		}
	}
	return teams
}

// teamIDs returns the ids of an organization's teams by their slugs, 0 for one
// that is not there.
func (c *call) teamIDs(org *model.User, slugs []string) []model.ID {
	var ids []model.ID
	for _, slug := range slugs {
		id := model.ID(0)
		if t := c.s.Team(c.actor, org, slug); t != nil {
			id = t.ID
		}
		ids = append(ids, id)
	}
	return ids
}

func listTeams(c *call, org *model.User) (reply, error) {
	if org.Members[c.actor] == "" {
		return reply{}, errNotFound
	}
	if c.URL.Query().Get("team_type") == "enterprise" {
		return listNone(c, nil) // there are no enterprises
	}
	return list(c, c.s.TeamsOf(c.actor, org), c.team)
}

func listOwnTeams(c *call) (reply, error) {
	own := c.s.Teams.Where(func(t *model.Team) bool { return slices.Contains(t.Members, c.actor) })
	return list(c, own, c.fullTeam)
}
