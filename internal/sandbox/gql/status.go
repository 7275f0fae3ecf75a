package gql

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// commitStatus is what the statuses of a commit come to.
type commitStatus struct {
	repo *model.Repo
	sha  string
	model.Rollup
}

// statusFields resolves commit statuses.
func statusFields() map[string]graphql.Resolver {
	of := func(get func(*model.CommitStatus) any) graphql.Resolver {
		return prop(func(_ *query, c *model.CommitStatus) any { return get(c) })
	}
	return map[string]graphql.Resolver{
		"Commit.status": prop(func(q *query, c commit) any {
			sha := c.Hash.String()
			all := q.s.Rollup(c.repo, sha)
			if len(all.Statuses) == 0 {
				return nil
			}
			return commitStatus{c.repo, sha, all}
		}),
		"Status.commit": prop(func(_ *query, s commitStatus) any { return commitOf(s.repo, s.sha) }),
		"Status.state": prop(func(_ *query, s commitStatus) any {
			return rollupState(model.Rollup{Statuses: s.Statuses}.State())
		}),
		"Status.contexts": prop(func(_ *query, s commitStatus) any { return s.Statuses }),
		"Status.context": lookup(func(_ *query, s commitStatus, args graphql.Args) any {
			for _, c := range s.Statuses {
				if c.Context == args.String("name") {
					return c
				}
			}
			return nil
		}),
		"Status.combinedContexts": field(func(_ *query, s commitStatus, args graphql.Args) (any, error) {
			return contextsOf(s.Rollup, args)
		}),
		"StatusContext.context":     of(func(c *model.CommitStatus) any { return c.Context }),
		"StatusContext.state":       of(func(c *model.CommitStatus) any { return stateOfStatus(c) }),
		"StatusContext.targetUrl":   of(func(c *model.CommitStatus) any { return orNil(c.TargetURL) }),
		"StatusContext.description": of(func(c *model.CommitStatus) any { return orNil(c.Description) }),
		"StatusContext.createdAt":   of(func(c *model.CommitStatus) any { return c.CreatedAt }),
		"StatusContext.creator":     prop(func(q *query, c *model.CommitStatus) any { return present(q.s.Users.Get(c.CreatorID)) }),
		"StatusContext.commit": prop(func(q *query, c *model.CommitStatus) any {
			return commitOf(q.s.Repos.Get(c.RepoID), c.CommitSHA)
		}),
		"StatusContext.avatarUrl":       of(func(c *model.CommitStatus) any { return avatarURL(c.CreatorID) }),
		"StatusContextStateCount.count": prop(func(_ *query, s stateCount) any { return s.count }),
		"StatusContextStateCount.state": prop(func(_ *query, s stateCount) any { return s.state }),
	}
}

func stateOfStatus(c *model.CommitStatus) string { return strings.ToUpper(string(c.State)) }
