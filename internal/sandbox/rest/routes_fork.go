package rest

import (
	"net/http"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func forkRoutes() []route {
	return []route{
		{"GET " + reposPath + "/forks", onRepo(listForks)},
		{"POST " + reposPath + "/forks", onRepo(createFork)},
	}
}

func listForks(c *call, repo *model.Repo) (reply, error) {
	forks := c.s.Repos.Where(func(r *model.Repo) bool { return r.ParentID == repo.ID && c.s.Permission(c.actor, r) >= model.PermRead })
	by := c.URL.Query().Get("sort")
	slices.SortStableFunc(forks, func(a, b *model.Repo) int {
		switch by {
		case "oldest":
			return a.CreatedAt.Compare(b.CreatedAt)
		case "stargazers", "watchers":
			return len(b.Stargazers) - len(a.Stargazers)
		default:
			return b.CreatedAt.Compare(a.CreatedAt)
		}
	})
	return list(c, forks, c.repo)
}

func createFork(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		Organization, Name string
		DefaultOnly        bool `json:"default_branch_only"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	account := c.actor
	if in.Organization != "" {
		org := c.s.User(in.Organization)
		if org == nil || org.Type != model.TypeOrganization {
			return reply{}, errNotFound
		}
		account = org.ID
	}
	fork, err := c.s.Fork(c.actor, repo, account, in.Name, in.DefaultOnly)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusAccepted, body: c.fullRepo(fork)}, nil
}
