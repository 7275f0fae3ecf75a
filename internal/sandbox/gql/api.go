// Package gql is the sandbox's GraphQL API: a subset of GitHub's public schema,
// same names and same types, over the state of package model.
//
// The schema lies in schema/*.graphql, cut out of GitHub's. A field is there
// if and only if it has a resolver.
package gql

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"maps"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

//go:embed schema/*.graphql
var schemaFiles embed.FS

// API answers GraphQL requests. It holds no state but its cache of parsed
// documents.
type API struct{ engine *graphql.Engine }

// New returns the API. It fails if schema and resolvers do not fit.
func New() (*API, error) {
	sdl, err := schemaText()
	if err != nil {
		return nil, err
	}
	resolvers := map[string]graphql.Resolver{}
	for _, set := range []map[string]graphql.Resolver{
		queryFields(), sharedFields(), accountFields(), repositoryFields(), refFields(), ruleFields(), commitFields(), labelFields(),
		issueFields(), pullFields(), pullPartFields(), reviewFields(), threadFields(), reviewCommentFields(),
		checkFields(), actionsFields(), absentFields(), statusFields(), reactionFields(), resourceFields(), relationFields(), timelineFields(), searchFields(),
		releaseFields(), projectFields(), projectFieldFields(), projectItemFields(), projectValueFields(), collaboratorsFields(),
		autoMergeFields(), mergeQueueFields(), gitObjectFields(), linkedBranchFields(), topicFields(), languageFields(), teamFields(), gistFields(), discussionFields(),
	} {
		maps.Copy(resolvers, set)
	}
	for _, set := range []map[string]mutator{issueMutations(), commentMutations(), labelMutations(), pullMutations(), relationMutations(), reviewMutations(), projectMutations(), moderationMutations(), reactionMutations(), settingsMutations(), ruleMutations(), templateMutations(), gitMutations(), discussionMutations()} {
		for name, run := range set {
			resolvers["Mutation."+name] = mutation(name, run)
		}
	}
	engine, err := graphql.New(sdl, resolvers, graphql.Options{TypeOf: typeOf, Fallback: fallback})
	if err != nil {
		return nil, err
	}
	return &API{engine: engine}, nil
}

func schemaText() (string, error) {
	var text strings.Builder
	err := fs.WalkDir(schemaFiles, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		part, err := schemaFiles.ReadFile(path)
		text.Write(part)
		text.WriteByte('\n')
		return err
	})
	return text.String(), err
}

// fallback resolves the fields of connections, those of mutations' payloads by
// their key in a [payload], and those of types without objects.
func fallback(typeName, field string) graphql.Resolver {
	if r := graphql.ConnectionField(typeName, field); r != nil {
		return r
	}
	if strings.HasSuffix(typeName, "Payload") {
		return graphql.Prop(func(p payload) any { return p[field] })
	}
	return absentField(typeName)
}

// Execute answers a request for one user, and names what it asked for that
// GitHub has and the sandbox lacks. The caller holds the lock that the operation
// needs.
func (a *API) Execute(ctx context.Context, s *model.State, actor model.ID, text, operation string, variables map[string]any) (body []byte, lacking []string) {
	ctx = context.WithValue(ctx, queryKey{}, &query{s: s, actor: actor, limit: limitOf(ctx, s)})
	response := a.engine.Execute(ctx, graphql.Query{Text: text, OperationName: operation, Variables: variables})
	if response.Data == nil {
		response.Errors, lacking = a.explain(text, response.Errors)
	}
	body, err := response.AppendJSON(nil)
	if err != nil {
		body = []byte(`{"data":null,"errors":[{"message":"Something went wrong while executing your query."}]}`)
	}
	return body, lacking
}

// Operation tells what a document would do.
func (a *API) Operation(text, name string) graphql.Operation { return a.engine.Operation(text, name) }

// Cost tells what a document would cost.
func (a *API) Cost(text, name string, variables map[string]any) graphql.Cost {
	return a.engine.Cost(text, name, variables)
}

type queryKey struct{}

// query is one request on its way through the resolvers.
type query struct {
	s     *model.State
	actor model.ID
	limit RateLimit
}

func queryOf(ctx context.Context) *query {
	q, _ := ctx.Value(queryKey{}).(*query)
	return q
}

// field makes a resolver for objects of type T.
func field[T any](resolve func(q *query, obj T, args graphql.Args) (any, error)) graphql.Resolver {
	return graphql.Typed(func(ctx context.Context, obj T, args graphql.Args) (any, error) {
		value, err := resolve(queryOf(ctx), obj, args)
		return value, asGraphQL(err)
	})
}

// prop makes a resolver for a property that cannot fail.
func prop[T any](get func(q *query, obj T) any) graphql.Resolver {
	return field(func(q *query, obj T, _ graphql.Args) (any, error) { return get(q, obj), nil })
}

// lookup makes a resolver for a property that takes arguments and cannot fail.
func lookup[T any](get func(q *query, obj T, args graphql.Args) any) graphql.Resolver {
	return field(func(q *query, obj T, args graphql.Args) (any, error) { return get(q, obj, args), nil })
}

// connection makes a resolver that pages through a list.
func connection[T, V any](all func(q *query, obj T, args graphql.Args) ([]V, error)) graphql.Resolver {
	return field(func(q *query, obj T, args graphql.Args) (any, error) {
		items, err := all(q, obj, args)
		if err != nil {
			return nil, err
		}
		return graphql.Paginate(items, args)
	})
}

// constant makes a resolver that always returns the same.
func constant(value any) graphql.Resolver {
	return func(context.Context, graphql.Request) (any, error) { return value, nil }
}

// present returns a pointer as a value that is nil, not a nil pointer, where
// there is none.
func present[T any](p *T) any {
	if p == nil {
		return nil
	}
	return p
}

// orNil returns nil for empty text.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// asGraphQL gives a refusal of the model its GraphQL type.
func asGraphQL(err error) error {
	problem, ok := errors.AsType[*model.Problem](err)
	if !ok {
		return err
	}
	switch problem.Kind {
	case model.NotFound:
		return &graphql.Error{Type: "NOT_FOUND", Message: problem.Message}
	case model.Forbidden, model.Unauthorized:
		return &graphql.Error{Type: "FORBIDDEN", Message: problem.Message}
	default:
		return &graphql.Error{Type: "UNPROCESSABLE", Message: inWords(problem)}
	}
}

// inWords returns what a refusal is about in one text, as GraphQL tells it.
func inWords(problem *model.Problem) string {
	if len(problem.Reasons) > 0 {
		return strings.Join(problem.Reasons, ", ")
	}
	words := map[string]string{
		"already_exists": "has already been taken", "missing_field": "can't be blank", "invalid": "is invalid",
	}
	var texts []string
	for _, e := range problem.Errors {
		switch {
		case e.Message != "" && strings.HasPrefix(e.Message, e.Field):
			texts = append(texts, strings.ToUpper(e.Message[:1])+e.Message[1:])
		case e.Message != "":
			texts = append(texts, e.Message)
		case e.Field != "" && words[e.Code] != "":
			texts = append(texts, strings.ToUpper(e.Field[:1])+e.Field[1:]+" "+words[e.Code])
		}
	}
	if len(texts) == 0 {
		return problem.Message
	}
	return strings.Join(texts, ", ")
}
