package gql_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox/gql"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// The sandbox's schema is a part of GitHub's: same names, same types. What it has
// of arguments, inputs and enums it has whole, so that no more than fields and
// types are lacking.
func TestSchemaIsAPartOfGitHubs(t *testing.T) {
	api, err := gql.New()
	require.NoError(t, err)
	theirs := githubschema.GraphQL()
	for name, ours := range gql.Schema(api).Types {
		their := theirs.Types[name]
		if !assert.NotNil(t, their, name) {
			continue
		}
		assert.Equal(t, their.Kind, ours.Kind, name)
		assert.Equal(t, valuesOf(their), valuesOf(ours), name)
		if ours.Kind == ast.InputObject {
			assert.Len(t, ours.Fields, len(their.Fields), name)
		}
		for _, member := range ours.Types {
			assert.Contains(t, their.Types, member, name)
		}
		for _, f := range ours.Fields {
			at := name + "." + f.Name
			field := their.Fields.ForName(f.Name)
			if !assert.NotNil(t, field, at) {
				continue
			}
			assert.Equal(t, field.Type.String(), f.Type.String(), at)
			assert.Equal(t, argumentsOf(field), argumentsOf(f), at)
		}
	}
}

func valuesOf(of *ast.Definition) []string {
	var names []string
	for _, value := range of.EnumValues {
		names = append(names, value.Name)
	}
	slices.Sort(names)
	return names
}

func argumentsOf(f *ast.FieldDefinition) map[string]string {
	types := map[string]string{}
	for _, a := range f.Arguments {
		types[a.Name] = a.Type.String()
	}
	return types
}

// TestS20_WhatTheSchemaLacks holds that a name that GitHub's schema has is not
// said to be unknown for lack of it here, and that what GitHub lacks is.
func TestS20_WhatTheSchemaLacks(t *testing.T) {
	w := newWorld(t)
	const sandboxUnsupported = "SANDBOX_UNSUPPORTED"
	for _, c := range []struct {
		name, document string
		variables      []any
		// lacking are all that is lacking, and errors the messages of what is
		// wrong besides.
		lacking, errors []string
	}{
		{"a field", `{ repository(owner: "owner", name: "hello") { deployments(first: 1) { nodes { id } } } }`, nil, []string{"Repository.deployments"}, nil},
		{"a field of the root", `{ sponsorables(first: 1) { totalCount } }`, nil, []string{"query sponsorables"}, nil},
		{"a mutation, with the type of its input", `mutation($i: DeleteDeploymentInput!) { a: deleteDeployment(input: $i) { clientMutationId } }`,
			[]any{"i", map[string]any{"id": "x"}}, []string{"mutation deleteDeployment"}, nil},
		{"a type of a fragment", `{ node(id: "x") { ... on Deployment { id } } }`, nil, []string{"Deployment"}, nil},
		{"a named fragment, once", `{ a: node(id: "x") { ...f } b: node(id: "y") { ...f } } fragment f on Deployment { id }`, nil, []string{"Deployment"}, nil},
		{"several, each once, in order", `{ repository(owner: "owner", name: "hello") { deployments(first: 1) { totalCount } a: deployments(first: 2) { totalCount } environments(first: 1) { totalCount } } }`,
			nil, []string{"Repository.deployments", "Repository.environments"}, nil},
		{"a type that cannot be here", `{ repository(owner: "owner", name: "hello") { pullRequest(number: 2) { reviewRequests(first: 1) { nodes { requestedReviewer { ... on Mannequin { login } } } } } } }`,
			nil, []string{"Mannequin as RequestedReviewer"}, nil},
		{"in fragments, with and without a type", `{ repository(owner: "owner", name: "hello") { ... { ... on Repository { ...f } } ...f } } fragment f on Repository { deployments(first: 1) { totalCount } ...g } fragment g on Repository { id }`,
			nil, []string{"Repository.deployments"}, nil},
		{"in a fragment without a type", `{ viewer { ... { sponsors(first: 1) { totalCount } } } }`, nil, []string{"User.sponsors"}, nil},
		{"a type and what GitHub lacks", `{ node(id: "x") { ... on Deployment { id } ... on Deploymentz { id } } }`, nil, []string{"Deployment"}, []string{"No such type Deploymentz, so it can't be a fragment condition"}},
		{"an input's type and what GitHub lacks", `mutation($i: DeleteDeploymentInput!) { deleteDeployment(input: $i) { clientMutationId } deleteDeploymentz { id } }`,
			[]any{"i", map[string]any{"id": "x"}}, []string{"mutation deleteDeployment"}, []string{"Field 'deleteDeploymentz' doesn't exist on type 'Mutation'"}},
		{"a type that cannot be here and what GitHub lacks", `{ repository(owner: "owner", name: "hello") { idz pullRequest(number: 2) { reviewRequests(first: 1) { nodes { requestedReviewer { ... on Mannequin { login } } } } } } }`,
			nil, []string{"Mannequin as RequestedReviewer"}, []string{"Field 'idz' doesn't exist on type 'Repository'"}},
		{"a type that cannot be here on GitHub either", `{ repository(owner: "owner", name: "hello") { ... on Issue { id } } }`, nil, nil, []string{"Fragment on Issue can't be spread inside Repository"}},
		{"a fragment in itself", `{ repository(owner: "owner", name: "hello") { ...f } } fragment f on Repository { deployments(first: 1) { totalCount } ...f }`,
			nil, []string{"Repository.deployments"}, []string{"Fragment f contains an infinite loop"}},
		{"a fragment that is not there", `{ repository(owner: "owner", name: "hello") { ...f deployments(first: 1) { totalCount } } }`, nil,
			[]string{"Repository.deployments"}, []string{"Fragment f was used, but not defined"}},
		{"of several operations", `query a { sponsorables(first: 1) { totalCount } } query b { viewer { id } }`, nil, []string{"query sponsorables"}, []string{"An operation name is required"}},
		{"what cannot be read", `{ sponsorables(first: 1) { totalCount }`, nil, nil, []string{"Expected NAME, not end of file at [1, 39]"}},
		{"a subscription", `subscription { sponsorables(first: 1) { totalCount } }`, nil, nil, []string{"Schema is not configured for subscriptions"}},
		{"what GitHub lacks", `{ repository(owner: "owner", name: "hello") { deploymentz { id } } }`, nil, nil, []string{"Field 'deploymentz' doesn't exist on type 'Repository'"}},
		{"a type that GitHub lacks", `{ node(id: "x") { ... on Deploymentz { id } } }`, nil, nil, []string{"No such type Deploymentz, so it can't be a fragment condition"}},
		{"both", `query($n: Int!) { repository(owner: "owner", name: "hello") { deploymentz { id } deployments(first: $n) { totalCount } } }`, []any{"n", 1},
			[]string{"Repository.deployments"}, []string{"Field 'deploymentz' doesn't exist on type 'Repository'"}},
		{"what is wrong with what there is", `{ repository(owner: "owner") { id } }`, nil, nil, []string{"Field 'repository' is missing required arguments: name"}},
		{"a variable that only what is lacking uses", `query($n: Int!) { repository(owner: "owner", name: "hello") { deployments(first: $n) { totalCount } } }`, []any{"n", 1},
			[]string{"Repository.deployments"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(w.Audit())
			reply := w.As("writer").GraphQL(c.document, c.variables...)
			var names, messages []string
			errors, _ := reply.At("errors").([]any)
			for _, one := range errors {
				e, _ := one.(map[string]any)
				if e["type"] == sandboxUnsupported {
					names = append(names, e["message"].(string))
					assert.NotEmpty(t, e["locations"])
					assert.NotEmpty(t, e["path"])
				} else {
					messages = append(messages, e["message"].(string))
				}
			}
			var want []string
			for _, name := range c.lacking {
				want = append(want, "This sandbox does not have "+name+" yet; GitHub does.")
			}
			assert.Equal(t, want, names)
			assert.Equal(t, c.errors, messages)
			assert.Equal(t, c.lacking, w.Audit()[before].Unsupported)
			assert.False(t, w.Audit()[before].Write)
		})
	}
	assert.Contains(t, w.Unsupported(sandboxtest.Token("writer")), "Repository.deployments")
}

// What is lacking is told with its place in the text and in the document.
func TestS20_WhereSomethingIsLacking(t *testing.T) {
	w := newWorld(t)
	reply := w.As("reader").GraphQL("{ repository(owner: \"owner\", name: \"hello\") { id\n  a: deployments(first: 1) { totalCount } }\n viewer { b: sponsors(first: 1) { totalCount } } }")
	assert.Nil(t, reply.At("data"))
	assert.Equal(t, []any{"query", "repository", "a"}, reply.At("errors.0.path"))
	assert.Equal(t, []int{2, 3}, []int{reply.Int("errors.0.locations.0.line"), reply.Int("errors.0.locations.0.column")})
	assert.Equal(t, []any{"query", "viewer", "b"}, reply.At("errors.1.path"))
	assert.Equal(t, []int{3, 11}, []int{reply.Int("errors.1.locations.0.line"), reply.Int("errors.1.locations.0.column")})
}
