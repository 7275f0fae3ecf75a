package graphql_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// pullRequestSDL is the shape of what clients ask most.
const pullRequestSDL = `
scalar DateTime
scalar URI
enum State { OPEN CLOSED MERGED }
type Query { repository(owner: String!, name: String!): Repository }
type Repository { pullRequest(number: Int!): PullRequest }
type PullRequest {
  id: ID! number: Int! title: String! body: String! state: State! url: URI! isDraft: Boolean! createdAt: DateTime! updatedAt: DateTime!
  closedAt: DateTime mergedAt: DateTime additions: Int! deletions: Int! changedFiles: Int! headRefName: String! baseRefName: String!
  maintainerCanModify: Boolean! locked: Boolean! mergeable: String! author: User
  labels(first: Int, last: Int, after: String, before: String): LabelConnection!
}
type User { login: String! }
type LabelConnection { nodes: [Label] totalCount: Int! pageInfo: PageInfo! }
type PageInfo { hasNextPage: Boolean! endCursor: String }
type Label { name: String! color: String! }
`

const pullRequestQuery = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      id number title body state url isDraft createdAt updatedAt closedAt mergedAt additions deletions changedFiles
      headRefName baseRefName maintainerCanModify locked mergeable author { login }
    }
  }
}`

type pullRequest struct {
	number   int
	body     string
	created  time.Time
	assigned []label
}

type label struct{ name, color string }

func pullRequestEngine(tb testing.TB) *graphql.Engine {
	tb.Helper()
	pr := &pullRequest{
		number: 4711, body: "Fixes the \"flaky\" test.\n\nIt waited.", created: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
		assigned: []label{{"bug", "d73a4a"}, {"help wanted", "008672"}},
	}
	of := func(f func(p *pullRequest) any) graphql.Resolver { return graphql.Prop(f) }
	text := func(s string) graphql.Resolver { return of(func(*pullRequest) any { return s }) }
	number := func(n int) graphql.Resolver { return of(func(*pullRequest) any { return n }) }
	flag := of(func(*pullRequest) any { return true })
	e, err := graphql.New(pullRequestSDL, map[string]graphql.Resolver{
		"Query.repository":       func(context.Context, graphql.Request) (any, error) { return pr, nil },
		"Repository.pullRequest": of(func(p *pullRequest) any { return p }),
		"PullRequest.id":         text("PR_kwDOABCD"), "PullRequest.number": of(func(p *pullRequest) any { return p.number }),
		"PullRequest.title": text("Fix the test"), "PullRequest.body": of(func(p *pullRequest) any { return p.body }),
		"PullRequest.state": text("OPEN"), "PullRequest.url": text("https://github.com/acme/widgets/pull/4711"),
		"PullRequest.isDraft": flag, "PullRequest.createdAt": of(func(p *pullRequest) any { return p.created }),
		"PullRequest.updatedAt": of(func(p *pullRequest) any { return p.created }),
		"PullRequest.closedAt":  of(func(*pullRequest) any { return nil }), "PullRequest.mergedAt": of(func(*pullRequest) any { return time.Time{} }),
		"PullRequest.additions": number(1200), "PullRequest.deletions": number(3), "PullRequest.changedFiles": number(2),
		"PullRequest.headRefName": text("fix"), "PullRequest.baseRefName": text("main"),
		"PullRequest.maintainerCanModify": flag, "PullRequest.locked": flag, "PullRequest.mergeable": text("MERGEABLE"),
		"PullRequest.author": of(func(p *pullRequest) any { return p }), "User.login": text("octocat"),
		"PullRequest.labels": graphql.Typed(func(_ context.Context, p *pullRequest, args graphql.Args) (any, error) {
			return graphql.Paginate(p.assigned, args)
		}),
		"Label.name":  graphql.Prop(func(l label) any { return l.name }),
		"Label.color": graphql.Prop(func(l label) any { return l.color }),
	}, graphql.Options{Fallback: graphql.ConnectionField})
	require.NoError(tb, err)
	return e
}

func pullRequestVariables() map[string]any {
	return map[string]any{"owner": "acme", "name": "widgets", "number": float64(4711)}
}

// BenchmarkExecute is a query with 22 fields whose document is cached.
func BenchmarkExecute(b *testing.B) {
	e := pullRequestEngine(b)
	q := graphql.Query{Text: pullRequestQuery, Variables: pullRequestVariables()}
	require.Empty(b, e.Execute(b.Context(), q).Errors)
	b.ReportAllocs()
	for b.Loop() {
		e.Execute(b.Context(), q)
	}
}

// BenchmarkExecuteAndMarshal is BenchmarkExecute with the reply as bytes.
func BenchmarkExecuteAndMarshal(b *testing.B) {
	e := pullRequestEngine(b)
	q := graphql.Query{Text: pullRequestQuery, Variables: pullRequestVariables()}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		buf, err = e.Execute(b.Context(), q).AppendJSON(buf[:0])
		require.NoError(b, err)
	}
}

// BenchmarkExecuteList is a page of 100 books with seven fields each.
func BenchmarkExecuteList(b *testing.B) {
	e := newEngine(b)
	root := newLibrary()
	for len(root.books) < 100 {
		root.books = append(root.books, root.books[0])
	}
	q := graphql.Query{Text: `{ books(first: 100) { nodes { id title genre pages lent added author { name } } } }`, Root: root}
	require.Empty(b, e.Execute(b.Context(), q).Errors)
	b.ReportAllocs()
	for b.Loop() {
		e.Execute(b.Context(), q)
	}
}

// BenchmarkLoad is parsing, validation and compilation of the query of
// BenchmarkExecute, which the cache spares.
func BenchmarkLoad(b *testing.B) {
	e := pullRequestEngine(b)
	vars := pullRequestVariables()
	// A text that differs each time is never in the cache.
	text := []byte(pullRequestQuery + "#        ")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for j, n := len(text)-1, i; j >= len(pullRequestQuery)+1; j, n = j-1, n/10 {
			text[j] = byte('0' + n%10)
		}
		e.Execute(b.Context(), graphql.Query{Text: string(text), Variables: vars})
	}
}

// BenchmarkIntrospection is the full description of a small schema.
func BenchmarkIntrospection(b *testing.B) {
	e := newEngine(b)
	q := graphql.Query{Text: introspectionQuery}
	require.Empty(b, e.Execute(b.Context(), q).Errors)
	b.ReportAllocs()
	for b.Loop() {
		e.Execute(b.Context(), q)
	}
}
