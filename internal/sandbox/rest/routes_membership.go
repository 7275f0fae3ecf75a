package rest

import (
	"net/http"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// membershipRoutes tell what users are in organizations, and what users show of
// themselves.
func membershipRoutes() []route {
	return []route{
		{"GET /orgs/{org}/members/{member}", onLogin(isMember)},
		{"GET /orgs/{org}/memberships/{member}", onLogin(getMembership)},
		{"PUT /orgs/{org}/memberships/{member}", onMember(setMembership)},
		{"DELETE /orgs/{org}/memberships/{member}", onMember(removeMember)},
		{"DELETE /orgs/{org}/members/{member}", onMember(removeMember)},
		{"GET /orgs/{org}/outside_collaborators", onOrgHooks(listOutside)},
		{"GET /orgs/{org}/public_members", onLogin(func(c *call, _ *model.User) (reply, error) { return listNone(c, nil) })},
		{"GET /orgs/{org}/public_members/{member}", onLogin(func(*call, *model.User) (reply, error) { return reply{}, errNotFound })},
		{"GET /user/memberships/orgs", listOwnMemberships},
		{"GET /user/memberships/orgs/{org}", onLogin(func(c *call, org *model.User) (reply, error) {
			return c.membershipOf(org, c.s.Users.Get(c.actor))
		})},
		{"GET /users/{username}/orgs", onLogin(func(c *call, _ *model.User) (reply, error) { return listNone(c, nil) })},
		{"GET /users/{username}/keys", onLogin(listKeysOf)},
		{"GET /users/{username}/gpg_keys", onLogin(func(c *call, _ *model.User) (reply, error) { return listNone(c, nil) })},
		{"GET /users/{username}/ssh_signing_keys", onLogin(func(c *call, _ *model.User) (reply, error) { return listNone(c, nil) })},
		{"GET /users/{username}/social_accounts", onLogin(func(c *call, _ *model.User) (reply, error) { return listNone(c, nil) })},
		{"GET /user/emails", listEmails},
		{"GET /user/public_emails", listEmails},
	}
}

// orgPage is an organization's own page.
type orgPage struct {
	orgView
	Name                    *string `json:"name,omitempty"`
	Company                 *string `json:"company,omitempty"`
	Blog                    *string `json:"blog,omitempty"`
	Location                *string `json:"location,omitempty"`
	Email                   *string `json:"email,omitempty"`
	Twitter                 *string `json:"twitter_username,omitempty"`
	IsVerified              bool    `json:"is_verified"`
	HasOrganizationProjects bool    `json:"has_organization_projects"`
	HasRepositoryProjects   bool    `json:"has_repository_projects"`
	PublicRepos             int     `json:"public_repos"`
	PublicGists             int     `json:"public_gists"`
	Followers               int     `json:"followers"`
	Following               int     `json:"following"`
	HTMLURL                 string  `json:"html_url"`
	Type                    string  `json:"type"`
	CreatedAt               stamp   `json:"created_at"`
	UpdatedAt               stamp   `json:"updated_at"`
	ArchivedAt              *string `json:"archived_at"`
}

func (v *view) orgPage(org *model.User) orgPage {
	as := v.account(org, false)
	return orgPage{
		orgView: v.org(org), Name: as.Name, Email: as.Email, Twitter: as.Twitter, Company: as.Company, Blog: optional(as.Blog), Location: as.Location, HasOrganizationProjects: true, HasRepositoryProjects: true, PublicRepos: as.PublicRepos,
		HTMLURL: as.HTMLURL, Type: string(model.TypeOrganization), CreatedAt: as.CreatedAt, UpdatedAt: as.UpdatedAt,
	}
}

// isMember answers whether a user is in an organization, which only those see
// who are in it: nobody's membership here is public.
func isMember(c *call, org *model.User) (reply, error) {
	u := c.s.User(c.PathValue("member"))
	switch {
	case org.Members[c.actor] == "":
		return reply{status: http.StatusFound, header: http.Header{"Location": {apiURL + "/orgs/" + org.Login + "/public_members/" + c.PathValue("member")}}}, nil
	case u == nil || org.Members[u.ID] == "":
		return reply{}, errNotFound
	default:
		return noContent()
	}
}

func getMembership(c *call, org *model.User) (reply, error) {
	if org.Members[c.actor] == "" {
		return reply{}, &model.Problem{Kind: model.Forbidden, Message: "You must be a member of " + org.Login + " to see membership information for " + c.PathValue("member") + "."}
	}
	return c.membershipOf(org, c.s.User(c.PathValue("member")))
}

// onMember makes a handler of one that needs the organization, of which the client is a
// member, and the user that the path names.
func onMember(handle func(c *call, org, u *model.User) (reply, error)) func(*call) (reply, error) {
	return onLogin(func(c *call, org *model.User) (reply, error) {
		u := c.s.User(c.PathValue("member"))
		if u == nil || org.Members[c.actor] == "" {
			return reply{}, errNotFound
		}
		return handle(c, org, u)
	})
}

// setMembership changes the role of a member. Who is none would be invited, and nobody
// accepts invitations of organizations here.
func setMembership(c *call, org, u *model.User) (reply, error) {
	var in struct{ Role string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if org.Members[c.actor] == model.OrgOwner && org.Members[u.ID] == "" {
		return reply{}, c.lacks("the invitation of who is no member")
	}
	if err := c.s.EditMember(c.actor, org, u, model.OrgRole(orDefault(in.Role, string(model.OrgMember)))); err != nil {
		return reply{}, err
	}
	return c.membershipOf(org, u)
}

func removeMember(c *call, org, u *model.User) (reply, error) {
	return emptyOr(c.s.RemoveMember(c.actor, org, u))
}

func listOutside(c *call, org *model.User) (reply, error) {
	if c.URL.Query().Get("filter") == "2fa_disabled" || c.URL.Query().Get("filter") == "2fa_insecure" {
		return listNone(c, nil) // all have a second factor
	}
	return list(c, c.s.OutsideCollaborators(org), func(u *model.User) *userView { return c.user(u.ID) })
}

func (c *call) membershipOf(org, u *model.User) (reply, error) {
	if u == nil || org.Members[u.ID] == "" {
		return reply{}, errNotFound
	}
	return ok(c.membership(org, u))
}

func (c *call) membership(org, u *model.User) map[string]any {
	api := c.org(org).URL
	return map[string]any{
		"url": api + "/memberships/" + u.Login, "state": "active", "role": string(org.Members[u.ID]), "organization_url": api,
		"organization": c.org(org), "user": c.user(u.ID),
	}
}

func listOwnMemberships(c *call) (reply, error) {
	u := c.s.Users.Get(c.actor)
	if u == nil {
		return reply{}, errNoUser
	}
	orgs := c.s.OrganizationsOf(u.ID)
	if c.URL.Query().Get("state") == "pending" {
		orgs = nil
	}
	return list(c, orgs, func(org *model.User) map[string]any { return c.membership(org, u) })
}

func listKeysOf(c *call, u *model.User) (reply, error) {
	type keyView struct {
		ID  int64  `json:"id"`
		Key string `json:"key"`
	}
	return list(c, u.Keys, func(k model.Key) keyView {
		// What others see has no comment.
		return keyView{k.ID, strings.Join(strings.Fields(k.Text)[:2], " ")}
	})
}

// listEmails lists the address of the user, who has one at most.
func listEmails(c *call) (reply, error) {
	u := c.s.Users.Get(c.actor)
	if u == nil {
		return reply{}, errNoUser
	}
	type emailView struct {
		Email      string  `json:"email"`
		Primary    bool    `json:"primary"`
		Verified   bool    `json:"verified"`
		Visibility *string `json:"visibility"`
	}
	var own []emailView
	if u.Email != "" {
		own = append(own, emailView{u.Email, true, true, optional("public")})
	}
	return list(c, own, same)
}
