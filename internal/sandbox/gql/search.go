package gql

import (
	"errors"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// results is a page of what a search found, with how much it found of each
// kind.
type results struct {
	graphql.Page[any]
	issues, repos, users, discussions int
}

func searchFields() map[string]graphql.Resolver {
	count := func(get func(results) int) graphql.Resolver {
		return prop(func(_ *query, r results) any { return get(r) })
	}
	return map[string]graphql.Resolver{
		"Query.search":                               field(search),
		"SearchResultItemConnection.issueCount":      count(func(r results) int { return r.issues }),
		"SearchResultItemConnection.repositoryCount": count(func(r results) int { return r.repos }),
		"SearchResultItemConnection.userCount":       count(func(r results) int { return r.users }),
		"SearchResultItemConnection.codeCount":       constant(0),
		"SearchResultItemConnection.discussionCount": count(func(r results) int { return r.discussions }),
		"SearchResultItemConnection.wikiCount":       constant(0),
	}
}

// search answers a query. One that the REST API refuses finds nothing here.
func search(q *query, _ any, args graphql.Args) (any, error) {
	var found []any
	var r results
	var err error
	switch text := args.String("query"); args.Enum("type") {
	case "ISSUE":
		found, err = anyOf(q.s.SearchIssues(q.actor, text, model.SearchOrder{}))
		r.issues = len(found)
	case "REPOSITORY":
		found, err = anyOf(q.s.SearchRepos(q.actor, text))
		r.repos = len(found)
	case "DISCUSSION":
		found, err = anyOf(q.s.SearchDiscussions(q.actor, text))
		r.discussions = len(found)
	case "USER":
		found, err = anyOf(q.s.SearchUsers(text))
		r.users = len(found)
	}
	if _, refused := errors.AsType[*model.Problem](err); err != nil && !refused {
		return nil, err
	}
	r.Page, err = graphql.Paginate(found, args)
	return r, err
}

func anyOf[T any](rows []*T, err error) ([]any, error) {
	all := make([]any, 0, len(rows))
	for _, row := range rows {
		all = append(all, row)
	}
	return all, err
}
