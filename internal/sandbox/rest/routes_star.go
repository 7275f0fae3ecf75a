package rest

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func starRoutes() []route {
	const starred = "/user/starred"
	return []route{
		{"GET " + starred, listStarred},
		{"GET /users/{username}/starred", listStarredBy},
		{"GET " + starred + "/{owner}/{repo}", onRepo(isStarred)},
		{"PUT " + starred + "/{owner}/{repo}", onRepo(star)},
		{"DELETE " + starred + "/{owner}/{repo}", onRepo(unstar)},
	}
}

func listStarred(c *call) (reply, error) {
	if c.actor == 0 {
		return reply{}, errNoUser
	}
	return c.starredBy(c.actor)
}

func listStarredBy(c *call) (reply, error) {
	u := c.s.User(c.PathValue("username"))
	if u == nil {
		return reply{}, errNotFound
	}
	return c.starredBy(u.ID)
}

func (c *call) starredBy(user model.ID) (reply, error) {
	repos := c.s.Repos.Where(func(r *model.Repo) bool {
		return slices.Contains(r.Stargazers, user) && c.s.Permission(c.actor, r) >= model.PermRead
	})
	by := starOrdering.of(c.URL.Query())
	slices.SortStableFunc(repos, func(a, b *model.Repo) int {
		order := a.StarredAt[user].Compare(b.StarredAt[user])
		if by.by == "updated" {
			order = a.PushedAt.Compare(b.PushedAt)
		}
		if by.descending {
			order = -order
		}
		return order
	})
	if !c.accepts("star") {
		return list(c, repos, c.repo)
	}
	type starView struct {
		StarredAt stamp     `json:"starred_at"`
		Repo      *repoView `json:"repo"`
	}
	return list(c, repos, func(r *model.Repo) starView { return starView{at(r.StarredAt[user]), c.repo(r)} })
}

func isStarred(c *call, repo *model.Repo) (reply, error) {
	if !slices.Contains(repo.Stargazers, c.actor) {
		return reply{}, errNotFound
	}
	return noContent()
}

func star(c *call, repo *model.Repo) (reply, error) {
	c.s.Star(c.actor, repo, true)
	return noContent()
}

func unstar(c *call, repo *model.Repo) (reply, error) {
	c.s.Star(c.actor, repo, false)
	return noContent()
}
