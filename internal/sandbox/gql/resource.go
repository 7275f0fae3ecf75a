package gql

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// resource returns what a page of github.com is about: an account, a
// repository, an issue, a pull request or a commit. It is nil for other
// addresses and for what the user may not see.
func (q *query) resource(address string) any {
	u, err := url.Parse(address)
	if err != nil || u.Host != "" && u.Host != strings.TrimPrefix(webURL, "https://") {
		return nil
	}
	part := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(part) == 1 {
		return present(q.s.User(part[0]))
	}
	repo, err := q.s.VisibleRepo(q.actor, part[0], part[1])
	switch {
	case err != nil:
		return nil
	case len(part) == 2:
		return repo
	case len(part) == 4:
		return q.resourceIn(repo, part[2], part[3])
	default:
		return nil
	}
}

func (q *query) resourceIn(repo *model.Repo, kind, name string) any {
	switch kind {
	case "issues", "pull":
		number, err := strconv.Atoi(name)
		if err != nil {
			return nil
		}
		return present(q.s.Issue(repo, number))
	case "commit":
		return commitNamed(repo, name)
	default:
		return nil
	}
}

func resourceFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"Query.resource": lookup(func(q *query, _ any, args graphql.Args) any { return q.resource(args.String("url")) }),
	}
}
