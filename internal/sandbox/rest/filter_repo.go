package rest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// How a user has to do with a repository.
const (
	affiliatedOwner        = "owner"
	affiliatedCollaborator = "collaborator"
	affiliatedMember       = "organization_member"
)

// affiliated reports whether a user has to do with a repository in one of some ways.
func (c *call) affiliated(user model.ID, r *model.Repo, ways ...string) bool {
	return slices.ContainsFunc(ways, func(way string) bool {
		switch strings.TrimSpace(way) {
		case affiliatedOwner:
			return r.OwnerID == user
		case affiliatedCollaborator:
			return r.Collaborators[user] != model.PermNone
		case affiliatedMember:
			return c.s.Users.Get(r.OwnerID).Members[user] != ""
		default:
			return false
		}
	})
}

// isVisibly reports whether a repository is public or private, as is asked for;
// whatever else is asked for, all are.
func isVisibly(visibility string, r *model.Repo) bool {
	switch visibility {
	case "public":
		return !r.Private
	case "private":
		return r.Private
	default:
		return true
	}
}

// listOwnRepos lists the repositories that the user has to do with. GitHub takes
// either "type" or "visibility" and "affiliation".
func listOwnRepos(c *call) (reply, error) {
	if c.actor == 0 {
		return reply{}, errNoUser
	}
	query := c.URL.Query()
	kind, visibility, affiliation := query.Get("type"), query.Get("visibility"), query.Get("affiliation")
	if kind != "" && cmp.Or(visibility, affiliation) != "" {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "If you specify visibility or affiliation, you cannot specify type."}
	}
	ways := []string{affiliatedOwner, affiliatedCollaborator, affiliatedMember}
	switch {
	case kind == "owner":
		ways = ways[:1]
	case kind == "member":
		ways = ways[1:]
	case affiliation != "":
		ways = strings.Split(affiliation, ",")
	}
	since, err := timeOf(query.Get("since"))
	if err != nil {
		return reply{}, err
	}
	before, err := timeOf(query.Get("before"))
	if err != nil {
		return reply{}, err
	}
	return c.listRepos(reposOrdering, func(r *model.Repo) bool {
		return c.affiliated(c.actor, r, ways...) && isVisibly(cmp.Or(kind, visibility), r) &&
			!r.UpdatedAt.Before(since) && (before.IsZero() || r.UpdatedAt.Before(before))
	})
}

// listReposOfUser lists the repositories of a user, or those that he has to do with.
func listReposOfUser(c *call, u *model.User) (reply, error) {
	ways := []string{affiliatedOwner, affiliatedCollaborator, affiliatedMember}
	switch c.URL.Query().Get("type") {
	case "all":
	case "member":
		ways = ways[1:]
	default:
		ways = ways[:1]
	}
	return c.listRepos(reposOrdering, func(r *model.Repo) bool { return c.affiliated(u.ID, r, ways...) })
}

// listReposOfOrg lists the repositories of an organization, or those of a type, of
// which GitHub tells the forks alone from the others.
func listReposOfOrg(c *call, u *model.User) (reply, error) {
	kind := c.URL.Query().Get("type")
	return c.listRepos(orgReposOrdering, func(r *model.Repo) bool {
		return r.OwnerID == u.ID && isVisibly(kind, r) && kind != "member" && (kind != "forks" || r.ParentID != 0)
	})
}

// listRepos lists the repositories for which keep is true and that the client
// may see, in the order that the query asks for.
func (c *call) listRepos(ordered ordering, keep func(*model.Repo) bool) (reply, error) {
	repos := c.s.Repos.Where(func(r *model.Repo) bool { return keep(r) && c.s.Permission(c.actor, r) >= model.PermRead })
	by := ordered.of(c.URL.Query())
	slices.SortStableFunc(repos, func(a, b *model.Repo) int {
		switch by.by {
		case "created":
			return a.CreatedAt.Compare(b.CreatedAt)
		case "updated":
			return a.UpdatedAt.Compare(b.UpdatedAt)
		case "pushed":
			return a.PushedAt.Compare(b.PushedAt)
		default:
			return strings.Compare(strings.ToLower(c.s.FullName(a)), strings.ToLower(c.s.FullName(b)))
		}
	})
	if by.descending {
		slices.Reverse(repos)
	}
	return list(c, repos, c.repo)
}
