package graphql_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// ownersSDL is what gh asks of users and organizations, and what its feature
// detection looks at.
const ownersSDL = `
type Query { user(login: String!): User organization(login: String!): Organization viewer: User! }
type User { id: ID! login: String! }
type Organization { id: ID! login: String! }
type PullRequest { id: ID! isInMergeQueue: Boolean! isMergeQueueEnabled: Boolean! }
type StatusCheckRollupContextConnection { checkRunCount: Int! }
type WorkflowRun { event: String! }
`

func ownersEngine(tb testing.TB) *graphql.Engine {
	tb.Helper()
	e, err := graphql.New(ownersSDL, map[string]graphql.Resolver{
		"Query.user": func(_ context.Context, r graphql.Request) (any, error) {
			return nil, &graphql.Error{Type: "NOT_FOUND", Message: "Could not resolve to a User with the login of '" + r.Args.String("login") + "'."}
		},
		"Query.organization": func(_ context.Context, r graphql.Request) (any, error) { return r.Args.String("login"), nil },
		"Query.viewer":       func(context.Context, graphql.Request) (any, error) { return "octocat", nil },
	}, graphql.Options{Fallback: func(_, field string) graphql.Resolver {
		return graphql.Prop(func(login string) any { return map[string]any{"id": "ID_" + login, "login": login}[field] })
	}})
	require.NoError(tb, err)
	return e
}

// gh decodes replies into structs and fails on a key that it did not ask for.
func TestGitHubRepliesHoldExactlyTheSelectedKeys(t *testing.T) {
	got := ownersEngine(t).Execute(t.Context(), graphql.Query{Text: `query UserCurrent{viewer{login}}`})
	var decoded map[string]map[string]any
	require.NoError(t, json.Unmarshal(got.Data, &decoded))
	assert.Equal(t, map[string]map[string]any{"viewer": {"login": "octocat"}}, decoded)
}

// gh asks for a user and an organization of one name, and reads off the one
// typed error which of them there is.
func TestGitHubReportsWhatIsNotFoundInPlace(t *testing.T) {
	got := replyOf(t, ownersEngine(t), graphql.Query{
		Text:      `query UserOrgOwner($login:String!){user(login: $login){login,id},organization(login: $login){login,id}}`,
		Variables: map[string]any{"login": "acme"},
	})
	assert.Equal(t, `{"data":{"user":null,"organization":{"login":"acme","id":"ID_acme"}},"errors":[{"type":"NOT_FOUND","path":["user"],`+
		`"locations":[{"line":1,"column":36}],"message":"Could not resolve to a User with the login of 'acme'."}]}`, got)
}

// gh looks at the schema before it asks for fields that not every GitHub has.
func TestGitHubAnswersFeatureDetection(t *testing.T) {
	e := ownersEngine(t)
	tests := map[string]string{
		`query PullRequest_fields{PullRequest: __type(name: "PullRequest"){fields(includeDeprecated: true){name}},StatusCheckRollupContextConnection: __type(name: "StatusCheckRollupContextConnection"){fields(includeDeprecated: true){name}}}`: `{"data":{"PullRequest":{"fields":[{"name":"id"},{"name":"isInMergeQueue"},{"name":"isMergeQueueEnabled"}]},"StatusCheckRollupContextConnection":{"fields":[{"name":"checkRunCount"}]}}}`,
		`query PullRequest_fields2{WorkflowRun: __type(name: "WorkflowRun"){fields(includeDeprecated: true){name}}}`:                                                                                                                              `{"data":{"WorkflowRun":{"fields":[{"name":"event"}]}}}`,
		`query LinkedBranchFeature{__type(name: "LinkedBranch"){fields(includeDeprecated: true){name}}}`:                                                                                                                                          `{"data":{"__type":null}}`,
	}
	for query, want := range tests {
		assert.Equal(t, want, replyOf(t, e, graphql.Query{Text: query}))
	}
}
