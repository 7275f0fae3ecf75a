package rest

import (
	"net/http"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// moveRoutes give repositories to others, and branches other names.
func moveRoutes() []route {
	return []route{
		{"POST " + reposPath + "/transfer", onRepo(transferRepo)},
		{"POST " + reposPath + "/branches/{branch}/rename", onRepo(renameBranch)},
	}
}

func transferRepo(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		NewOwner string     `json:"new_owner"`
		NewName  string     `json:"new_name"`
		TeamIDs  []model.ID `json:"team_ids"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	to := c.s.User(in.NewOwner)
	switch {
	case in.NewOwner == "":
		return reply{}, missing("new_owner")
	case to == nil:
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{
			{Resource: "Repository", Field: "new_owner", Code: "invalid"},
		}}
	}
	if err := c.s.TransferRepo(c.actor, repo, to, in.NewName, in.TeamIDs); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusAccepted, body: c.repo(repo)}, nil
}

func renameBranch(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		NewName string `json:"new_name"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.NewName == "" {
		return reply{}, missing("new_name")
	}
	if err := c.s.RenameBranch(c.actor, repo, c.PathValue("branch"), in.NewName); err != nil {
		return reply{}, err
	}
	tip, _ := c.s.BranchHead(repo, in.NewName)
	commit, err := repo.Git.Commit(tip)
	if err != nil {
		return reply{}, err
	}
	return created(c.fullBranch(repo, in.NewName, commit))
}
