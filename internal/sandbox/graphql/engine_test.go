package graphql_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

func TestNewListsWhatDoesNotMatchTheSchema(t *testing.T) {
	sdl := `
		type Query { a: Int b: Thing }
		interface Named { name: String }
		type Thing implements Named { name: String size: Int }`
	null := func(context.Context, graphql.Request) (any, error) { return nil, nil }
	opts := graphql.Options{TypeOf: func(any) string { return "Thing" }}

	_, err := graphql.New(sdl, map[string]graphql.Resolver{"Query.a": null, "Query.c": null, "Nobody.x": null, "Thing": null}, opts)
	require.Error(t, err)
	assert.Equal(t, fault.Internal, fault.KindOf(err))
	assert.ErrorContains(t, err, "fields without a resolver: Query.b, Thing.name, Thing.size")
	assert.ErrorContains(t, err, "resolvers without a field: Nobody.x, Query.c, Thing")

	_, err = graphql.New(sdl, map[string]graphql.Resolver{"Query.a": null, "Query.b": null, "Named.name": null, "Thing.size": null}, opts)
	assert.NoError(t, err, "a resolver of an interface serves the types that implement it")

	opts.Fallback = func(typeName, _ string) graphql.Resolver {
		if typeName == "Thing" {
			return null
		}
		return nil
	}
	_, err = graphql.New(sdl, map[string]graphql.Resolver{"Query.a": null}, opts)
	assert.EqualError(t, err, "bind GraphQL resolvers: fields without a resolver: Query.b")
}

func TestNewRefusesSchemasThatItCannotServe(t *testing.T) {
	tests := map[string]struct{ sdl, want string }{
		"a schema with a syntax error":               {"type Query {", "load GraphQL schema"},
		"a schema without a query type":              {"type Mutation { a: Int }", "it has no query type"},
		"a schema with subscriptions":                {"type Query { a: Int } type Subscription { a: Int }", "subscriptions are not supported"},
		"a type that breaks the promise of another":  {"interface N { id: ID! } type Query implements N { a: Int }", "load GraphQL schema"},
		"an interface without a way to tell objects": {"interface N { a: Int } type Query implements N { a: Int }", "Options.TypeOf is needed"},
		"a default that does not fit its type":       {"type Query { a(n: Int = \"x\"): Int }", "default"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := graphql.New(test.sdl, nil, graphql.Options{Fallback: func(string, string) graphql.Resolver {
				return func(context.Context, graphql.Request) (any, error) { return nil, nil }
			}})
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, fault.Internal, fault.KindOf(err))
		})
	}
}

func TestAResolverOfATypeWinsOverThatOfItsInterface(t *testing.T) {
	text := func(s string) graphql.Resolver {
		return func(context.Context, graphql.Request) (any, error) { return s, nil }
	}
	e, err := graphql.New(
		`interface A { x: String y: String } interface B { x: String } type Query implements A & B { x: String y: String }`,
		map[string]graphql.Resolver{"A.x": text("A"), "B.x": text("B"), "A.y": text("A"), "Query.y": text("Query")},
		graphql.Options{TypeOf: func(any) string { return "Query" }})
	require.NoError(t, err)
	assert.JSONEq(t, `{"data":{"x":"A","y":"Query"}}`, replyOf(t, e, graphql.Query{Text: "{x y}"}))
}

func TestRequestTellsAResolverWhereItIsAndWhatIsSelected(t *testing.T) {
	var path []any
	var selects []string
	resolvers := libraryResolvers()
	authorOf := resolvers["Book.author"]
	resolvers["Book.author"] = func(ctx context.Context, r graphql.Request) (any, error) {
		path = r.Path()
		for _, field := range []string{"id", "name", "born", "books", "totalCount"} {
			if r.Selects(field) {
				selects = append(selects, field)
			}
		}
		return authorOf(ctx, r)
	}
	e, err := graphql.New(librarySDL, resolvers, graphql.Options{TypeOf: typeOf, Fallback: graphql.ConnectionField})
	require.NoError(t, err)
	e.Execute(t.Context(), graphql.Query{
		Text: `query($no: Boolean = false) { books(first: 1) { nodes { wrote: author { ...A books { totalCount } ... @include(if: $no) { born } } } } }
			fragment A on Author { n: name }`,
		Root: newLibrary(),
	})
	assert.Equal(t, []any{"books", "nodes", 0, "wrote"}, path)
	assert.Equal(t, []string{"name", "books"}, selects, "by field name, through fragments, without what is skipped or further inside")
}

func TestErrorsThatClientsDoNotSeeAreReported(t *testing.T) {
	var panics, failures []string
	e := newEngine(t, func(o *graphql.Options) {
		o.OnPanic = func(_ context.Context, path []any, value any, stack []byte) {
			panics = append(panics, value.(string))
			assert.Equal(t, []any{"a"}, path)
			assert.Contains(t, string(stack), "misbehave")
		}
		o.OnError = func(_ context.Context, path []any, err error) {
			failures = append(failures, path[0].(string)+": "+err.Error())
		}
	})
	got := replyOf(t, e, graphql.Query{Root: newLibrary(), Text: `{
		a: fail(how: "panic") { id } b: fail(how: "plain error") { id } c: fail(how: "wrong enum") { genre } d: fail(how: "wrong object") { id }
		e: fail(how: "own error") { id } f: node(id: "X_1") { id } g: fail(how: "no editor") { editor { id } } }`})
	assert.Equal(t, []string{"resolver broke"}, panics)
	assert.Equal(t, []string{
		"b: secret: disk on fire",
		"c: COMIC (string) is no value of Genre",
		"d: the resolver takes a *graphql_test.book, not a graphql_test.magazine",
		`f: TypeOf says that a int is a "", which is no Node`,
		"g: the resolver returned null for Book.editor",
	}, failures)
	assert.NotContains(t, got, "secret")
	assert.NotContains(t, got, "COMIC")
	assert.Equal(t, 5, strings.Count(got, `"message":"Something went wrong while executing your query."`))
}

func TestAnErrorHasGitHubsKeysInOrder(t *testing.T) {
	got, err := json.Marshal(&graphql.Error{
		Type: "NOT_FOUND", Message: "Gone.", Path: []any{"nodes", 1}, Locations: []graphql.Location{{Line: 2, Column: 3}},
		Extensions: map[string]any{"code": "x"},
	})
	require.NoError(t, err)
	assert.Equal(t, `{"type":"NOT_FOUND","path":["nodes",1],"extensions":{"code":"x"},"locations":[{"line":2,"column":3}],"message":"Gone."}`, string(got))
}

func TestAPanicOutsideResolversDoesNotEndTheProcess(t *testing.T) {
	var panics int
	e := newEngine(t, func(o *graphql.Options) {
		o.TypeOf = func(any) string { panic("no idea") }
		o.OnPanic = func(context.Context, []any, any, []byte) { panics++ }
	})
	got := replyOf(t, e, graphql.Query{Root: newLibrary(), Text: `{ node(id: "B_1") { id } }`})
	assert.Equal(t, `{"data":null,"errors":[{"message":"Something went wrong while executing your query."}]}`, got)
	assert.Equal(t, 1, panics)
}

func TestExecutionEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var called []string
	resolvers := libraryResolvers()
	resolvers["Query.book"] = func(_ context.Context, r graphql.Request) (any, error) {
		called = append(called, r.Args.String("id"))
		cancel()
		return nil, errors.New("cut short")
	}
	var failures int
	e, err := graphql.New(librarySDL, resolvers, graphql.Options{
		TypeOf: typeOf, Fallback: graphql.ConnectionField,
		OnError: func(context.Context, []any, error) { failures++ },
	})
	require.NoError(t, err)
	got := e.Execute(ctx, graphql.Query{Text: `{ a: book(id: "1") { id } b: book(id: "2") { id } }`})
	assert.Equal(t, []string{"1"}, called)
	assert.JSONEq(t, "null", string(got.Data))
	require.Len(t, got.Errors, 1)
	assert.Contains(t, got.Errors[0].Message, "This may be the result of a timeout")
	assert.Zero(t, failures, "an error after the end is nobody's fault")
}

func TestAnEngineServesManyGoroutines(t *testing.T) {
	e := newEngine(t)
	query := `query($n: Int!, $with: Boolean!) { books(first: $n) { nodes { ...B ... on Book @include(if: $with) { pages } } } } fragment B on Book { id title }`
	want := map[bool]string{
		true:  `{"data":{"books":{"nodes":[{"id":"B_1","title":"Moby-Dick","pages":635}]}}}`,
		false: `{"data":{"books":{"nodes":[{"id":"B_1","title":"Moby-Dick"}]}}}`,
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			with := i%2 == 0
			for range 50 {
				got := replyOf(t, e, graphql.Query{Text: query, Variables: pairs([]any{"n", 1, "with", with}), Root: newLibrary()})
				assert.Equal(t, want[with], got)
			}
		})
	}
	group.Wait()
}
