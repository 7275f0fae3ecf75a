package rest

import (
	"fmt"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// invitationRoutes make and remove collaborators of repositories, and invite
// those who are not yet.
func invitationRoutes() []route {
	const (
		one  = " " + reposPath + "/collaborators/{username}"
		open = reposPath + "/invitations"
		own  = "/user/repository_invitations"
	)
	return []route{
		{"GET" + one, onRepo(isCollaborator)},
		{"PUT" + one, onRepo(addCollaborator)},
		{"DELETE" + one, onRepo(removeCollaborator)},
		{"GET " + open, onRepo(listInvitations)},
		{"PATCH " + open + "/{id}", onInvitation(changeInvitation)},
		{"DELETE " + open + "/{id}", onInvitation(func(c *call, i *model.Invitation) (reply, error) {
			return emptyOr(c.s.WithdrawInvitation(c.actor, i))
		})},
		{"GET " + own, func(c *call) (reply, error) {
			if c.actor == 0 {
				return reply{}, errNoUser
			}
			return list(c, c.s.InvitationsFor(c.actor), c.invitation)
		}},
		{"PATCH " + own + "/{id}", answerInvitation(true)},
		{"DELETE " + own + "/{id}", answerInvitation(false)},
	}
}

// emptyOr is [noContent], unless there is an error.
func emptyOr(err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return noContent()
}

func onInvitation(handle func(*call, *model.Invitation) (reply, error)) func(*call) (reply, error) {
	return onRow(func(s *model.State) *model.Table[model.Invitation] { return &s.Invitations },
		func(i *model.Invitation) model.ID { return i.RepoID }, handle)
}

type invitationView struct {
	ID          int64     `json:"id"`
	NodeID      string    `json:"node_id"`
	Repository  *repoView `json:"repository"`
	Invitee     *userView `json:"invitee"`
	Inviter     *userView `json:"inviter"`
	Permissions string    `json:"permissions"`
	CreatedAt   stamp     `json:"created_at"`
	Expired     bool      `json:"expired"`
	URL         string    `json:"url"`
	HTMLURL     string    `json:"html_url"`
}

func (v *view) invitation(i *model.Invitation) invitationView {
	return invitationView{
		ID: i.ID, NodeID: model.NodeID(model.NodeInvitation, i.RepoID, i.ID), Repository: v.minimalRepo(v.s.Repos.Get(i.RepoID)),
		Invitee: v.user(i.InviteeID), Inviter: v.user(i.InviterID), Permissions: i.Permission.String(), CreatedAt: at(i.CreatedAt),
		URL: fmt.Sprintf("%s/user/repository_invitations/%d", apiURL, i.ID), HTMLURL: v.repoHTML(i.RepoID) + "/invitations",
	}
}

func isCollaborator(c *call, repo *model.Repo) (reply, error) {
	if c.s.Permission(c.actor, repo) < model.PermWrite {
		return reply{}, &model.Problem{Kind: model.Forbidden, Message: "Must have push access to view repository collaborators."}
	}
	u := c.s.User(c.PathValue("username"))
	if u == nil || u.Type != model.TypeUser || !c.s.Collaborates(u.ID, repo) {
		return reply{}, errNotFound
	}
	return noContent()
}

func addCollaborator(c *call, repo *model.Repo) (reply, error) {
	in := struct{ Permission string }{"push"}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	u := c.s.User(c.PathValue("username"))
	p, known := model.PermissionNamed(in.Permission)
	switch {
	case u == nil:
		return reply{}, errNotFound
	case !known:
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{{Resource: "Repository", Field: "permission", Code: "invalid"}}}
	}
	i, err := c.s.AddCollaborator(c.actor, repo, u, p)
	switch {
	case err != nil:
		return reply{}, err
	case i == nil:
		return noContent()
	default:
		return created(c.invitation(i))
	}
}

func removeCollaborator(c *call, repo *model.Repo) (reply, error) {
	u := c.s.User(c.PathValue("username"))
	if u == nil {
		return reply{}, errNotFound
	}
	return emptyOr(c.s.RemoveCollaborator(c.actor, repo, u.ID))
}

func listInvitations(c *call, repo *model.Repo) (reply, error) {
	if c.s.Permission(c.actor, repo) < model.PermAdmin {
		return reply{}, errNotFound
	}
	return list(c, c.s.InvitationsTo(repo), c.invitation)
}

func changeInvitation(c *call, i *model.Invitation) (reply, error) {
	var in struct{ Permissions string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	p, known := model.PermissionNamed(in.Permissions)
	if !known || !slices.Contains([]string{"read", "write", "maintain", "triage", "admin"}, in.Permissions) {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{{Resource: "RepositoryInvitation", Field: "permissions", Code: "invalid"}}}
	}
	if err := c.s.ChangeInvitation(c.actor, i, p); err != nil {
		return reply{}, err
	}
	return ok(c.invitation(i))
}

func answerInvitation(accept bool) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		id, err := c.idOf("id")
		if err != nil {
			return reply{}, err
		}
		i := c.s.Invitations.Get(id)
		if i == nil {
			return reply{}, errNotFound
		}
		return emptyOr(c.s.AnswerInvitation(c.actor, i, accept))
	}
}
