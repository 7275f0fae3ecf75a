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

// listCollaborators lists the owner and those who were made collaborators, to
// those who may write.
func listCollaborators(c *call, repo *model.Repo) (reply, error) {
	if c.s.Permission(c.actor, repo) < model.PermWrite {
		return reply{}, &model.Problem{Kind: model.Forbidden, Message: "Must have push access to view repository collaborators."}
	}
	outside := c.URL.Query().Get("affiliation") == "outside"
	members := c.s.Users.Where(func(u *model.User) bool {
		return (u.ID == repo.OwnerID || repo.Collaborators[u.ID] >= model.PermRead) &&
			!(outside && c.affiliated(u.ID, repo, affiliatedOwner, affiliatedMember))
	})
	return list(c, members, func(u *model.User) collaboratorView {
		p := c.s.Permission(u.ID, repo)
		return collaboratorView{c.user(u.ID), permissionFlags(p), p.String()}
	})
}
