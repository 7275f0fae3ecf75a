package graphql_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// echoed returns the arguments that the resolver of echo saw, as JSON.
func echoed(tb testing.TB, text string, vars ...any) string {
	tb.Helper()
	var got struct {
		Data   struct{ Echo string }
		Errors []struct{ Message string }
	}
	require.NoError(tb, json.Unmarshal([]byte(reply(tb, text, vars...)), &got))
	require.Empty(tb, got.Errors)
	return got.Data.Echo
}

func TestArgumentsAreCoerced(t *testing.T) {
	tests := map[string]struct {
		query string
		vars  []any
		want  string
	}{
		"defaults of the schema count for absent arguments": {
			query: `{ echo }`,
			want:  `{"flag":true,"required":7}`,
		},
		"null is not absent": {
			query: `{ echo(flag: null, text: null) }`,
			want:  `{"flag":null,"text":null,"required":7}`,
		},
		"literals of all kinds": {
			query: `{ echo(text: """
				block
				  text
			""", number: -3, float: 2, flag: false, id: 12, genre: POEM) }`,
			want: `{"text":"block\n  text","number":-3,"float":2,"flag":false,"id":"12","genre":"POEM","required":7}`,
		},
		"one item for a list": {
			query: `{ echo(ids: "a", filters: {minPages: 1}, matrix: 3) }`,
			want:  `{"ids":["a"],"filters":[{"minPages":1}],"matrix":[[3]],"flag":true,"required":7}`,
		},
		"lists and input objects with variables inside": {
			query: `query($tag: String!, $pages: Int, $gone: Int) { echo(filter: {tags: ["x", $tag], minPages: $pages, nested: {minPages: $gone}}, matrix: [[1, $pages], null]) }`,
			vars:  []any{"tag", "y", "pages", float64(9)},
			want:  `{"filter":{"tags":["x","y"],"minPages":9,"nested":{}},"matrix":[[1,9],null],"flag":true,"required":7}`,
		},
		"an absent variable leaves the argument to its default": {
			query: `query($flag: Boolean, $n: Int) { echo(flag: $flag, number: $n, required: $n) }`,
			want:  `{"flag":true,"required":7}`,
		},
		"a default of a variable counts if it is absent": {
			query: `query($n: Int = 5, $f: BookFilter = {tags: "a"}, $g: Genre = NOVEL, $id: ID! = 3) { echo(number: $n, filter: $f, genre: $g, id: $id) }`,
			want:  `{"number":5,"filter":{"tags":["a"]},"genre":"NOVEL","id":"3","flag":true,"required":7}`,
		},
		"a variable that is null beats its default": {
			query: `query($n: Int = 5) { echo(number: $n) }`,
			vars:  []any{"n", nil},
			want:  `{"number":null,"flag":true,"required":7}`,
		},
		"variables as encoding/json decodes them": {
			query: `query($n: Int, $f: Float, $b: Boolean, $id: ID, $ids: [ID!], $fs: [BookFilter!]) { echo(number: $n, float: $f, flag: $b, id: $id, ids: $ids, filters: $fs) }`,
			vars: []any{"n", float64(41), "f", 1.5, "b", false, "id", float64(12345678901), "ids", []any{"a", 1.0},
				"fs", map[string]any{"genre": "POEM", "tags": "a"}},
			want: `{"number":41,"float":1.5,"flag":false,"id":"12345678901","ids":["a","1"],"filters":[{"genre":"POEM","tags":["a"]}],"required":7}`,
		},
		"variables with json.Number": {
			query: `query($n: Int, $f: Float, $id: ID) { echo(number: $n, float: $f, id: $id) }`,
			vars:  []any{"n", json.Number("41"), "f", json.Number("1e3"), "id", json.Number("99999999999999999999")},
			want:  `{"number":41,"float":1000,"id":"99999999999999999999","flag":true,"required":7}`,
		},
		"variables that nobody declared are ignored": {
			query: `{ echo }`,
			vars:  []any{"other", []any{map[string]any{}}},
			want:  `{"flag":true,"required":7}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.JSONEq(t, test.want, echoed(t, test.query, test.vars...))
		})
	}
}

func TestVariablesThatDoNotFitAreRefused(t *testing.T) {
	tests := map[string]struct {
		declared string
		value    any
		message  string
		problems string
	}{
		"nothing for a non-null type": {
			"Int!", nil, "Variable $v of type Int! was provided invalid value",
			`[{"path":[],"explanation":"Expected value to not be null"}]`,
		},
		"a text for a number": {
			"Int", "x", "Variable $v of type Int was provided invalid value",
			`[{"path":[],"explanation":"Could not coerce value \"x\" to Int"}]`,
		},
		"a fraction for an integer": {
			"Int", 1.5, "Variable $v of type Int was provided invalid value",
			`[{"path":[],"explanation":"Could not coerce value 1.5 to Int"}]`,
		},
		"an integer beyond 32 bits": {
			"Int", float64(99999999999), "Variable $v of type Int was provided invalid value",
			`[{"path":[],"explanation":"Could not coerce value 99999999999 to Int"}]`,
		},
		"an object and a list for a text": {
			"String", map[string]any{"b": []any{"x", nil, true}, "a": 1.5}, "Variable $v of type String was provided invalid value",
			`[{"path":[],"explanation":"Could not coerce value {a:1.5,b:[\"x\",null,true]} to String"}]`,
		},
		"an unknown enum value": {
			"Genre", "COMIC", "Variable $v of type Genre was provided invalid value",
			`[{"path":[],"explanation":"Expected \"COMIC\" to be one of: NOVEL, POEM, ESSAY"}]`,
		},
		"a list for an input object": {
			"BookFilter", []any{1.0}, "Variable $v of type BookFilter was provided invalid value",
			`[{"path":[],"explanation":"Expected [1] to be a key-value object."}]`,
		},
		"fields of an input object, nested": {
			"BookFilter!", map[string]any{"minPages": "x", "zz": 1.0, "nested": map[string]any{"tags": []any{"a", nil}}},
			"Variable $v of type BookFilter! was provided invalid value for minPages (Could not coerce value \"x\" to Int), " +
				"nested.tags.1 (Expected value to not be null), zz (Field is not defined on BookFilter)",
			`[{"path":["minPages"],"explanation":"Could not coerce value \"x\" to Int"},
			  {"path":["nested","tags",1],"explanation":"Expected value to not be null"},
			  {"path":["zz"],"explanation":"Field is not defined on BookFilter"}]`,
		},
		"a missing field of an input object": {
			"AddBookInput!", map[string]any{"pages": 3.0},
			"Variable $v of type AddBookInput! was provided invalid value for title (Expected value to not be null)",
			`[{"path":["title"],"explanation":"Expected value to not be null"}]`,
		},
		"a text that is no moment": {
			"DateTime", "yesterday", "Variable $v of type DateTime was provided invalid value",
			`[{"path":[],"explanation":"Could not coerce value \"yesterday\" to DateTime"}]`,
		},
	}
	use := map[string]string{
		"Int!": "echo(number: $v)", "Int": "echo(number: $v)", "String": "echo(text: $v)", "Genre": "echo(genre: $v)", "BookFilter": "echo(filter: $v)",
		"BookFilter!": "echo(filter: $v)", "DateTime": "echo(when: $v)", "AddBookInput!": "addBook(input: $v) { count }",
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			kind := "query"
			if strings.HasPrefix(use[test.declared], "add") {
				kind = "mutation"
			}
			text := kind + "($v: " + test.declared + ") { " + use[test.declared] + " }"
			got := newEngine(t).Execute(t.Context(), graphql.Query{Text: text, Variables: map[string]any{"v": test.value}})
			require.Len(t, got.Errors, 1)
			assert.Nil(t, got.Data)
			assert.Equal(t, test.message, got.Errors[0].Message)
			assert.Equal(t, []graphql.Location{{Line: 1, Column: len(kind) + 2}}, got.Errors[0].Locations)
			assert.Equal(t, test.value, got.Errors[0].Extensions["value"])
			problems, err := json.Marshal(got.Errors[0].Extensions["problems"])
			require.NoError(t, err)
			assert.JSONEq(t, test.problems, string(problems))
		})
	}
}

func TestArgsReadArgumentsByType(t *testing.T) {
	var args graphql.Args
	resolvers := libraryResolvers()
	resolvers["Query.echo"] = func(_ context.Context, r graphql.Request) (any, error) {
		args = r.Args
		return "", nil
	}
	e, err := graphql.New(librarySDL, resolvers, graphql.Options{TypeOf: typeOf, Fallback: graphql.ConnectionField})
	require.NoError(t, err)
	got := e.Execute(t.Context(), graphql.Query{Text: `{ echo(
		text: "t", number: 3, float: 1.5, flag: true, id: 9, ids: ["a", "b"], genre: POEM, filter: {minPages: 2, nested: {tags: []}},
		filters: [{minPages: 1}, {minPages: 2}], when: "2024-05-06T07:08:09Z", matrix: null) }`})
	require.Empty(t, got.Errors)

	assert.True(t, args.Has("text"))
	assert.False(t, args.Has("matrix"), "null is not had")
	assert.False(t, args.Has("nonsense"))
	assert.Equal(t, "t", args.String("text"))
	assert.Equal(t, "9", args.String("id"))
	assert.Equal(t, "POEM", args.Enum("genre"))
	assert.Equal(t, 3, args.Int("number"))
	assert.InDelta(t, 1.5, args.Float("float"), 0)
	assert.True(t, args.Bool("flag"))
	assert.Equal(t, []string{"a", "b"}, args.Strings("ids"))
	assert.Equal(t, 2, args.Object("filter").Int("minPages"))
	assert.Empty(t, args.Object("filter").Object("nested").List("tags"))
	assert.Equal(t, 2, args.Objects("filters")[1].Int("minPages"))
	assert.Equal(t, time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC), args.Time("when"))

	assert.Zero(t, args.Int("text"), "an argument of another type is as absent")
	assert.Empty(t, args.Object("nothing").Object("at").String("all"))
	assert.Nil(t, args.List("nothing"))
	assert.True(t, args.Time("nothing").IsZero())
}
