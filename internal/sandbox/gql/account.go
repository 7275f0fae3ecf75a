package gql

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// hourlyPoints is what GitHub lets a user spend on GraphQL in an hour.
const hourlyPoints = 5000

// RateLimit is what a request may ask for about the limit of points.
type RateLimit struct {
	// Cost is the request's own.
	Cost graphql.Cost
	// Limit is 0 where none is enforced.
	Limit, Used int
	Reset       time.Time
}

type limitKey struct{}

// WithRateLimit returns a context for [API.Execute] in which requests find
// their cost and limit.
func WithRateLimit(ctx context.Context, l RateLimit) context.Context {
	return context.WithValue(ctx, limitKey{}, l)
}

// limitOf returns a request's limit; one that is not enforced is GitHub's, of
// which nothing is used up.
func limitOf(ctx context.Context, s *model.State) RateLimit {
	l, _ := ctx.Value(limitKey{}).(RateLimit)
	if l.Limit == 0 {
		l.Limit, l.Reset = hourlyPoints, s.Time().Add(time.Hour)
	}
	return l
}

// queryFields resolves the roots of queries.
func queryFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"Query.repository": field(func(q *query, _ any, args graphql.Args) (any, error) {
			return q.repository(args.String("owner"), args.String("name"))
		}),
		"Query.node": field(func(q *query, _ any, args graphql.Args) (any, error) { return q.node(args.String("id")) }),
		"Query.nodes": field(func(q *query, _ any, args graphql.Args) (any, error) {
			return allTyped[any](q, args.Strings("ids"))
		}),
		"Query.viewer": prop(func(q *query, _ any) any { return present(q.s.Users.Get(q.actor)) }),
		"Query.user": field(func(q *query, _ any, args graphql.Args) (any, error) {
			return q.account(args.String("login"), model.TypeUser, "a User")
		}),
		"Query.organization": field(func(q *query, _ any, args graphql.Args) (any, error) {
			return q.account(args.String("login"), model.TypeOrganization, "an Organization")
		}),
		"Query.repositoryOwner": lookup(func(q *query, _ any, args graphql.Args) any {
			if u := q.s.User(args.String("login")); u != nil && u.Type != model.TypeBot {
				return u
			}
			return nil
		}),
		"Query.rateLimit":     prop(func(q *query, _ any) any { return q.limit }),
		"RateLimit.cost":      prop(func(_ *query, l RateLimit) any { return l.Cost.Points }),
		"RateLimit.limit":     prop(func(_ *query, l RateLimit) any { return l.Limit }),
		"RateLimit.nodeCount": prop(func(_ *query, l RateLimit) any { return l.Cost.Nodes }),
		"RateLimit.remaining": prop(func(_ *query, l RateLimit) any { return l.Limit - l.Used }),
		"RateLimit.used":      prop(func(_ *query, l RateLimit) any { return l.Used }),
		"RateLimit.resetAt":   prop(func(_ *query, l RateLimit) any { return l.Reset }),
	}
}

func (q *query) repository(owner, name string) (*model.Repo, error) {
	repo, err := q.s.VisibleRepo(q.actor, owner, name)
	if err != nil {
		return nil, unresolved("a Repository with the name '%s/%s'.", owner, name)
	}
	return repo, nil
}

func (q *query) account(login string, kind model.UserType, what string) (any, error) {
	if u := q.s.User(login); u != nil && u.Type == kind {
		return u, nil
	}
	return nil, unresolved("%s with the login of '%s'.", what, login)
}

func accountFields() map[string]graphql.Resolver {
	login := prop(func(_ *query, u *model.User) any { return u.Login })
	avatar := prop(func(_ *query, u *model.User) any {
		return avatarURL(u.ID)
	})
	name := prop(func(_ *query, u *model.User) any { return orNil(u.Name) })
	return map[string]graphql.Resolver{
		"Actor.login": login, "RepositoryOwner.login": login, "Actor.avatarUrl": avatar, "RepositoryOwner.avatarUrl": avatar,
		// As an author, a bot goes by the name of its App; as the viewer, it is
		// a User that has the suffix.
		"Bot.login": prop(func(_ *query, u *model.User) any { return strings.TrimSuffix(u.Login, "[bot]") }),
		"User.name": name, "Organization.name": name,
		"Organization.description": prop(func(_ *query, u *model.User) any { return orNil(u.Description) }),
		"Organization.location":    prop(func(_ *query, u *model.User) any { return orNil(u.Location) }),
		"User.email":               prop(func(_ *query, u *model.User) any { return u.Email }),
		"Organization.email":       prop(func(_ *query, u *model.User) any { return orNil(u.Email) }),
		"User.isViewer":            prop(func(q *query, u *model.User) any { return u.ID == q.actor }),
		"RepositoryOwner.repository": field(func(q *query, u *model.User, args graphql.Args) (any, error) {
			return q.repository(u.Login, args.String("name"))
		}),
		"RepositoryOwner.repositories": connection(repositoriesOf),
	}
}

// repositoriesOf returns the repositories that an account is affiliated with
// in one of the ways that are asked for. Locked ones are not in a sandbox.
func repositoriesOf(q *query, u *model.User, args graphql.Args) ([]*model.Repo, error) {
	wanted := func(name string, is bool) bool { return !args.Has(name) || args.Bool(name) == is }
	repos := q.s.Repos.Where(func(r *model.Repo) bool {
		return q.s.Affiliated(u, r, args.Strings("ownerAffiliations")) && q.s.Permission(q.actor, r) >= model.PermRead &&
			wanted("isArchived", r.Archived) && wanted("isFork", r.ParentID != 0) && wanted("isLocked", false) &&
			wanted("hasIssuesEnabled", r.HasIssues) && isOr(args.Enum("privacy"), visibility(r)) &&
			isOr(args.Enum("visibility"), visibility(r))
	})
	order := args.Object("orderBy")
	slices.SortStableFunc(repos, func(a, b *model.Repo) int {
		switch order.Enum("field") {
		case "NAME":
			return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		case "PUSHED_AT":
			return a.PushedAt.Compare(b.PushedAt)
		case "UPDATED_AT":
			return a.UpdatedAt.Compare(b.UpdatedAt)
		case "STARGAZERS":
			return cmp.Compare(len(a.Stargazers), len(b.Stargazers))
		default:
			return a.CreatedAt.Compare(b.CreatedAt)
		}
	})
	return directed(repos, order), nil
}

// isOr reports whether a value is the one that is asked for; empty asks for
// none in particular.
func isOr(asked, value string) bool { return asked == "" || asked == value }

// directed turns a sorted list around if the order says so.
func directed[T any](sorted []T, order graphql.Args) []T {
	if order.Enum("direction") == "DESC" {
		slices.Reverse(sorted)
	}
	return sorted
}

func avatarURL(user model.ID) string {
	return fmt.Sprintf("https://avatars.githubusercontent.com/u/%d?v=4", user)
}
