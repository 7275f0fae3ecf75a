package rest

import "github.com/ghx-dev/bench-action/internal/sandbox/model"

func collaboratorRoutes() []route {
	return []route{{"GET " + reposPath + "/collaborators", onRepo(listCollaborators)}}
}

// collaboratorView is a user with what he may do in a repository.
type collaboratorView struct {
	*userView
	Permissions map[string]bool `json:"permissions"`
	RoleName    string          `json:"role_name"`
}

// listCollaborators lists those who have been given more in a repository than anybody
// has, by whatever way, to those who may write. A permission that is asked for is the
// least that they have.
func listCollaborators(c *call, repo *model.Repo) (reply, error) {
	if c.s.Permission(c.actor, repo) < model.PermWrite {
		return reply{}, &model.Problem{Kind: model.Forbidden, Message: "Must have push access to view repository collaborators."}
	}
	query := c.URL.Query()
	affiliation := query.Get("affiliation")
	least, _ := model.PermissionNamed(query.Get("permission"))
	found := c.s.Users.Where(func(u *model.User) bool {
		return u.Type != model.TypeOrganization && c.s.Collaborates(u.ID, repo) && c.collaborates(u.ID, repo, affiliation) &&
			c.s.Permission(u.ID, repo) >= least
	})
	return list(c, found, func(u *model.User) collaboratorView {
		p := c.s.Permission(u.ID, repo)
		return collaboratorView{c.user(u.ID), permissionFlags(p), p.String()}
	})
}

// collaborates reports whether a collaborator is one by an affiliation: of "direct" are
// those who were made collaborators, of "outside" those of them who do not belong to the
// organization.
func (c *call) collaborates(user model.ID, repo *model.Repo, affiliation string) bool {
	switch affiliation {
	case "direct":
		return c.affiliated(user, repo, affiliatedOwner, affiliatedCollaborator)
	case "outside":
		return c.affiliated(user, repo, affiliatedCollaborator) && !c.affiliated(user, repo, affiliatedOwner, affiliatedMember)
	default:
		return true
	}
}
