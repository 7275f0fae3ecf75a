package rest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// teamRoutes are those of a team: what it is, who is in it and what it may do
// in repositories.
func teamRoutes() []route {
	routes := []route{
		{"POST /orgs/{org}/teams", onLogin(createTeam)},
		{"GET " + reposPath + "/teams", onRepo(listRepoTeams)},
	}
	// The last is how GitHub's answers name teams, though it has not published it.
	for _, under := range []string{"/orgs/{org}/teams/{team}", "/teams/{team_id}", "/organizations/{org_id}/team/{team_id}"} {
		routes = append(routes, []route{
			{"GET " + under + "/members", onTeam(listTeamMembers)},
			{"GET " + under + "/teams", onTeam(func(c *call, t *model.Team) (reply, error) { return list(c, c.s.TeamsUnder(t), c.team) })},
			{"GET " + under + "/invitations", onTeam(func(c *call, _ *model.Team) (reply, error) { return listNone(c, nil) })},
			{"GET " + under + "/memberships/{username}", onTeamUser(getTeamMember)},
			{"PUT " + under + "/memberships/{username}", onTeamUser(setTeamMember)},
			{"DELETE " + under + "/memberships/{username}", onTeamUser(removeTeamMember)},
			{"GET " + under + "/repos", onTeam(listTeamRepos)},
			{"GET " + under + "/repos/{owner}/{repo}", onTeamRepo(getTeamRepo)},
			{"PUT " + under + "/repos/{owner}/{repo}", onTeamRepo(giveTeamRepo)},
			{"DELETE " + under + "/repos/{owner}/{repo}", onTeamRepo(func(c *call, t *model.Team, repo *model.Repo) (reply, error) {
				return emptyOr(c.s.GiveTeam(c.actor, t, repo, model.PermNone))
			})},
			{"PATCH " + under, onTeam(editTeam)},
			{"DELETE " + under, onTeam(func(c *call, t *model.Team) (reply, error) { return emptyOr(c.s.DeleteTeam(c.actor, t)) })},
			{"GET " + under, onTeam(func(c *call, t *model.Team) (reply, error) { return ok(c.fullTeam(t)) })},
		}...)
	}
	return routes
}

// onTeam makes a handler of one that needs the team that the path names by its
// organization and slug, or by its id.
func onTeam(handle func(*call, *model.Team) (reply, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		if id, err := c.idOf("team_id"); err == nil {
			t := c.s.Teams.Get(id)
			if t == nil || c.s.Users.Get(t.OrgID).Members[c.actor] == "" {
				return reply{}, errNotFound
			}
			return handle(c, t)
		}
		org := c.s.User(c.PathValue("org"))
		if org == nil || org.Type != model.TypeOrganization {
			return reply{}, errNotFound
		}
		t := c.s.Team(c.actor, org, c.PathValue("team"))
		if t == nil {
			return reply{}, errNotFound
		}
		return handle(c, t)
	}
}

// onTeamUser is [onTeam] for what needs a user too.
func onTeamUser(handle func(*call, *model.Team, *model.User) (reply, error)) func(*call) (reply, error) {
	return onTeam(func(c *call, t *model.Team) (reply, error) {
		u := c.s.User(c.PathValue("username"))
		if u == nil {
			return reply{}, errNotFound
		}
		return handle(c, t, u)
	})
}

// onTeamRepo is [onTeam] for what needs a repository too.
func onTeamRepo(handle func(*call, *model.Team, *model.Repo) (reply, error)) func(*call) (reply, error) {
	return onTeam(func(c *call, t *model.Team) (reply, error) {
		return onRepo(func(c *call, repo *model.Repo) (reply, error) { return handle(c, t, repo) })(c)
	})
}

// fullTeamView is a team's own page.
type fullTeamView struct {
	teamView
	MembersCount int     `json:"members_count"`
	ReposCount   int     `json:"repos_count"`
	CreatedAt    stamp   `json:"created_at"`
	UpdatedAt    stamp   `json:"updated_at"`
	Organization orgPage `json:"organization"`
}

func (v *view) fullTeam(t *model.Team) fullTeamView {
	return fullTeamView{
		teamView: v.team(t), MembersCount: len(t.Members), ReposCount: len(t.Repos), CreatedAt: at(t.CreatedAt), UpdatedAt: at(t.UpdatedAt),
		Organization: v.orgPage(v.s.Users.Get(t.OrgID)),
	}
}

type teamInput struct {
	Name, Description, Privacy *string
	Maintainers                []string
	RepoNames                  []string          `json:"repo_names"`
	Parent                     cleared[model.ID] `json:"parent_team_id"`
	NotificationSetting        *string           `json:"notification_setting"`
}

func (in teamInput) edit() model.TeamEdit {
	edit := model.TeamEdit{Name: in.Name, Description: in.Description, Parent: in.Parent.value}
	if in.Privacy != nil {
		secret := *in.Privacy == "secret"
		edit.Secret = &secret
	}
	if in.NotificationSetting != nil {
		quiet := *in.NotificationSetting == quietTeam
		edit.Quiet = &quiet
	}
	return edit
}

func createTeam(c *call, org *model.User) (reply, error) {
	var in teamInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	edit := in.edit()
	if nested := edit.Parent != nil && *edit.Parent != 0; edit.Secret == nil && !nested {
		edit.Secret = new(true)
	}
	if edit.Parent != nil && *edit.Parent != 0 && (c.s.Teams.Get(*edit.Parent) == nil || c.s.Teams.Get(*edit.Parent).OrgID != org.ID) {
		return reply{}, errNotFound
	}
	t, err := c.s.CreateTeam(c.actor, org, edit)
	if err != nil {
		return reply{}, err
	}
	for _, login := range in.Maintainers {
		u := c.s.User(login)
		if u == nil {
			return reply{}, errNotFound
		}
		if err := c.s.SetTeamMember(c.actor, t, u, true); err != nil {
			return reply{}, err
		}
	}
	for _, name := range in.RepoNames {
		owner, repo, found := strings.Cut(name, "/")
		r := c.s.Repo(owner, repo)
		if !found || r == nil {
			return reply{}, errNotFound
		}
		if err := c.s.GiveTeam(c.actor, t, r, model.PermRead); err != nil {
			return reply{}, err
		}
	}
	return created(c.fullTeam(t))
}

func editTeam(c *call, t *model.Team) (reply, error) {
	var in teamInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.s.EditTeam(c.actor, t, in.edit()); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, body: c.fullTeam(t)}, nil
}

func listTeamMembers(c *call, t *model.Team) (reply, error) {
	members := t.Members
	switch c.URL.Query().Get("role") {
	case "maintainer":
		members = t.Maintainers
	case "member":
		members = slices.DeleteFunc(slices.Clone(members), func(id model.ID) bool { return slices.Contains(t.Maintainers, id) })
	}
	return list(c, members, c.user)
}

func (c *call) teamMembership(t *model.Team, u *model.User) map[string]string {
	role := "member"
	if slices.Contains(t.Maintainers, u.ID) {
		role = "maintainer"
	}
	state := "active"
	if !slices.Contains(t.Members, u.ID) {
		state = "pending"
	}
	return map[string]string{"state": state, "role": role, "url": c.team(t).URL + "/memberships/" + u.Login}
}

func getTeamMember(c *call, t *model.Team, u *model.User) (reply, error) {
	if invited := c.s.Users.Get(t.OrgID).Invitation(0, u.ID); !slices.Contains(t.Members, u.ID) && (invited == nil || !slices.Contains(invited.Teams, t.ID)) {
		return reply{}, errNotFound
	}
	return ok(c.teamMembership(t, u))
}

func setTeamMember(c *call, t *model.Team, u *model.User) (reply, error) {
	var in struct{ Role string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if org := c.s.Users.Get(t.OrgID); u.Type == model.TypeUser && org.Members[u.ID] == "" && c.s.MayAdministerOrg(c.actor, org) {
		if err := c.s.InviteIntoTeam(c.actor, t, u.ID); err != nil {
			return reply{}, err
		}
	} else if err := c.s.SetTeamMember(c.actor, t, u, in.Role == "maintainer"); err != nil {
		return reply{}, err
	}
	return ok(c.teamMembership(t, u))
}

func removeTeamMember(c *call, t *model.Team, u *model.User) (reply, error) {
	return emptyOr(c.s.RemoveTeamMember(c.actor, t, u.ID))
}

type teamRepoView struct {
	*repoView
	Permissions map[string]bool `json:"permissions"`
	RoleName    string          `json:"role_name"`
}

func (c *call) teamRepo(t *model.Team, repo *model.Repo) teamRepoView {
	p := t.Repos[repo.ID]
	return teamRepoView{c.repo(repo), permissionFlags(p), p.String()}
}

func listTeamRepos(c *call, t *model.Team) (reply, error) {
	repos := c.s.Repos.Where(func(r *model.Repo) bool {
		return t.Repos[r.ID] > model.PermNone && c.s.Permission(c.actor, r) >= model.PermRead
	})
	return list(c, repos, func(r *model.Repo) teamRepoView { return c.teamRepo(t, r) })
}

// getTeamRepo answers whether a team was given a repository, and to clients that
// ask for the repository with what it may do there.
func getTeamRepo(c *call, t *model.Team, repo *model.Repo) (reply, error) {
	switch {
	case t.Repos[repo.ID] == model.PermNone:
		return reply{}, errNotFound
	case c.accepts("repository"):
		return ok(c.teamRepo(t, repo))
	default:
		return noContent()
	}
}

func giveTeamRepo(c *call, t *model.Team, repo *model.Repo) (reply, error) {
	in := struct{ Permission string }{"push"}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	p, known := model.PermissionNamed(in.Permission)
	if !known {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{{Resource: "TeamMember", Field: "permission", Code: "invalid"}}}
	}
	return emptyOr(c.s.GiveTeam(c.actor, t, repo, p))
}

func listRepoTeams(c *call, repo *model.Repo) (reply, error) {
	if c.s.Permission(c.actor, repo) < model.PermAdmin {
		return reply{}, errNotFound
	}
	return list(c, c.s.TeamsIn(repo), func(t *model.Team) teamView {
		view := c.team(t)
		view.Permission = olderName(t.Repos[repo.ID])
		return view
	})
}

// olderName is what a permission is called where GitHub says pull and push.
func olderName(p model.Permission) string {
	switch p {
	case model.PermRead:
		return "pull"
	case model.PermWrite:
		return "push"
	default:
		return p.String()
	}
}
