package rest

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func searchRoutes() []route {
	return []route{{"GET /search/repositories", searchRepositories}}
}

// searchRepositories finds the repositories that the caller may read and that
// have every term of the query: the qualifiers repo, user and org, and words
// in the name or the description. Other qualifiers find nothing.
func searchRepositories(c *call) (reply, error) {
	terms := strings.Fields(strings.ToLower(c.URL.Query().Get("q")))
	if len(terms) == 0 {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{
			{Resource: "Search", Field: "q", Code: "missing"},
		}}
	}
	found := c.s.Repos.Where(func(repo *model.Repo) bool {
		if c.s.Permission(c.actor, repo) < model.PermRead {
			return false
		}
		for _, term := range terms {
			if !c.hasTerm(repo, term) {
				return false
			}
		}
		return true
	})
	rows, header := page(c, found)
	items := make([]*repoView, 0, len(rows))
	for _, repo := range rows {
		items = append(items, c.repo(repo))
	}
	answer, err := ok(map[string]any{"total_count": len(found), "incomplete_results": false, "items": items})
	answer.header = header
	return answer, err
}

func (c *call) hasTerm(repo *model.Repo, term string) bool {
	qualifier, value, qualified := strings.Cut(term, ":")
	switch {
	case !qualified:
		return strings.Contains(strings.ToLower(repo.Name+" "+repo.Description), term)
	case qualifier == "repo":
		return strings.ToLower(c.s.FullName(repo)) == value
	case qualifier == "user", qualifier == "org":
		return strings.ToLower(c.s.Login(repo.OwnerID)) == value
	default:
		return false
	}
}
