package rest

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func milestoneRoutes() []route {
	const milestones = "GET " + reposPath + "/milestones"
	return []route{
		{milestones, onRepo(listMilestones)},
		{milestones + "/{number}", onRepo(getMilestone)},
	}
}

// listMilestones lists the open milestones, or those that the query asks for.
func listMilestones(c *call, repo *model.Repo) (reply, error) {
	wanted := strings.ToLower(orDefault(c.URL.Query().Get("state"), "open"))
	all := c.s.Milestones.Where(func(m *model.Milestone) bool {
		return m.RepoID == repo.ID && (wanted == "all" || wanted == state(m.Closed))
	})
	return list(c, all, func(m *model.Milestone) *milestoneView { return c.milestone(m.ID) })
}

func getMilestone(c *call, repo *model.Repo) (reply, error) {
	number, err := c.number("number")
	if err != nil {
		return reply{}, err
	}
	m := c.s.Milestone(repo, number)
	if m == nil {
		return reply{}, errNotFound
	}
	return ok(c.milestone(m.ID))
}
