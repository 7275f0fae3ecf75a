package rest

import (
	"net/http"
	"net/url"
	"slices"
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
		{"PATCH /user/memberships/orgs/{org}", onLogin(acceptMembership)},
		{"GET /users/{username}/orgs", onLogin(func(c *call, _ *model.User) (reply, error) { return listNone(c, nil) })},
		{"GET /users/{username}/keys", onLogin(listKeysOf)},
		{"GET /users/{username}/gpg_keys", onLogin(func(c *call, _ *model.User) (reply, error) { return listNone(c, nil) })},
		{"GET /users/{username}/ssh_signing_keys", onLogin(func(c *call, u *model.User) (reply, error) { return list(c, u.SigningKeys, signingKey) })},
		{"GET /users/{username}/social_accounts", onLogin(listSocial)},
		{"GET /user/social_accounts", onSelf(listSocial)},
		{"POST /user/social_accounts", onSelf(changeSocial(true))},
		{"DELETE /user/social_accounts", onSelf(changeSocial(false))},
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
	Plan                    *plan   `json:"plan,omitempty"`
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

// setMembership changes the role of a member, and invites who is none.
func setMembership(c *call, org, u *model.User) (reply, error) {
	var in struct{ Role string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	role := model.OrgRole(orDefault(in.Role, string(model.OrgMember)))
	if i := org.Invitation(0, u.ID); i != nil && c.s.MayAdministerOrg(c.actor, org) {
		if err := c.s.WithdrawMember(c.actor, org, i); err != nil {
			return reply{}, err
		}
	}
	if org.Members[c.actor] == model.OrgOwner && org.Members[u.ID] == "" {
		if _, err := c.s.InviteMember(c.actor, org, model.OrgInvitation{InviteeID: u.ID, Role: role}); err != nil {
			return reply{}, err
		}
		return c.membershipOf(org, u)
	}
	if err := c.s.EditMember(c.actor, org, u, role); err != nil {
		return reply{}, err
	}
	return c.membershipOf(org, u)
}

// acceptMembership answers an invitation.
func acceptMembership(c *call, org *model.User) (reply, error) {
	var in struct{ State string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	u := c.s.Users.Get(c.actor)
	if u != nil && org.Members[u.ID] == "" {
		if err := c.s.AcceptMembership(u.ID, org); err != nil {
			return reply{}, err
		}
	}
	return c.membershipOf(org, u)
}

func removeMember(c *call, org, u *model.User) (reply, error) {
	if i := org.Invitation(0, u.ID); i != nil && strings.Contains(c.URL.Path, "/memberships/") {
		return emptyOr(c.s.WithdrawMember(c.actor, org, i))
	}
	return emptyOr(c.s.RemoveMember(c.actor, org, u))
}

func listOutside(c *call, org *model.User) (reply, error) {
	if c.URL.Query().Get("filter") == "2fa_disabled" || c.URL.Query().Get("filter") == "2fa_insecure" {
		return listNone(c, nil) // all have a second factor
	}
	return list(c, c.s.OutsideCollaborators(org), func(u *model.User) *userView { return c.user(u.ID) })
}

func (c *call) membershipOf(org, u *model.User) (reply, error) {
	if u == nil || org.Members[u.ID] == "" && org.Invitation(0, u.ID) == nil {
		return reply{}, errNotFound
	}
	return ok(c.membership(org, u))
}

func (c *call) membership(org, u *model.User) map[string]any {
	api, state, role := c.org(org).URL, "active", org.Members[u.ID]
	if role == "" {
		state, role = "pending", org.Invitation(0, u.ID).Role
	}
	return map[string]any{
		"url": api + "/memberships/" + u.Login, "state": state, "role": string(role), "organization_url": api,
		"organization": c.org(org), "user": c.user(u.ID),
	}
}

func listOwnMemberships(c *call) (reply, error) {
	u := c.s.Users.Get(c.actor)
	if u == nil {
		return reply{}, errNoUser
	}
	active, pending := c.s.OrganizationsOf(u.ID), c.s.InvitationsInto(u.ID)
	switch c.URL.Query().Get("state") {
	case "pending":
		active = nil
	case "active":
		pending = nil
	}
	orgs := slices.Concat(active, pending)
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

// listEmails lists the address of the user; who has told none has the one that GitHub
// gives.
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
	own := emailView{u.Email, true, true, optional("public")}
	if u.Email == "" {
		if strings.HasSuffix(c.URL.Path, "/public_emails") {
			return list(c, []emailView{}, same)
		}
		own = emailView{u.Login + "@users.noreply.github.com", true, true, nil}
	}
	return list(c, []emailView{own}, same)
}

type socialView struct {
	Provider string `json:"provider"`
	URL      string `json:"url"`
}

// providers are those of profiles elsewhere that GitHub knows by their addresses.
var providers = map[string]string{
	"x.com": "twitter", "twitter.com": "twitter", "facebook.com": "facebook", "instagram.com": "instagram", "linkedin.com": "linkedin",
	"reddit.com": "reddit", "twitch.tv": "twitch", "youtube.com": "youtube", "bsky.app": "bluesky", "npmjs.com": "npm",
}

func social(address string) socialView {
	shown := socialView{"generic", address}
	if at, err := url.Parse(address); err == nil {
		shown.Provider = orDefault(providers[strings.TrimPrefix(at.Hostname(), "www.")], shown.Provider)
	}
	return shown
}

func listSocial(c *call, u *model.User) (reply, error) { return list(c, u.SocialAccounts, social) }

// changeSocial adds or removes accounts elsewhere.
func changeSocial(add bool) func(*call, *model.User) (reply, error) {
	return func(c *call, u *model.User) (reply, error) {
		var in struct {
			URLs []string `json:"account_urls"`
		}
		if err := c.decode(&in); err != nil {
			return reply{}, err
		}
		if err := c.s.ChangeSocialAccounts(u, in.URLs, add); err != nil {
			return reply{}, err
		}
		if add {
			return created(mapped(u.SocialAccounts, social))
		}
		return noContent()
	}
}

func mapped[T, V any](all []T, show func(T) V) []V {
	views := make([]V, 0, len(all))
	for _, one := range all {
		views = append(views, show(one))
	}
	return views
}
