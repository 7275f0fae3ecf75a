package graphql_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// bounded is more than any request here takes, on a slow machine with the race
// detector.
const bounded = 5 * time.Second

func nested(depth int, open, inner, end string) string {
	return strings.Repeat(open, depth) + inner + strings.Repeat(end, depth)
}

// doubling returns fragments of which each spreads the next one twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("{ book(id: 1) { ...F0 } }")
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on Book { author { books(first: 1) { nodes { ...F%d } } } editor { books(first: 1) { nodes { ...F%d } } } }", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment F%d on Book { id }", n)
	return b.String()
}

func list(n int, item func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = item(i)
	}
	return strings.Join(parts, " ")
}

func TestAbuseIsRefusedInBoundedTime(t *testing.T) {
	const tooLarge = "This query is too large to execute."
	same := func(text string) func(int) string { return func(int) string { return text } }
	tests := map[string]struct{ query, want string }{
		"a query of a megabyte":               {"{ " + strings.Repeat("__typename ", 100_000) + "}", tooLarge},
		"a text of a megabyte in a query":     {`{ echo(text: "` + strings.Repeat("x", 1<<20) + `") }`, tooLarge},
		"more tokens than allowed":            {"{" + strings.Repeat("a ", 110_000) + "}", tooLarge},
		"more definitions than allowed":       {list(501, func(i int) string { return fmt.Sprintf("query Q%d { __typename }", i) }), tooLarge},
		"10,000 aliases":                      {"{ " + list(10_000, func(i int) string { return fmt.Sprintf("a%d: __typename", i) }) + " }", "Query has 10000 aliases, which exceeds max aliases of 2000"},
		"aliases that fragments multiply":     {"{ " + list(50, func(i int) string { return fmt.Sprintf("b%d: book(id: 1) { ...F }", i) }) + " } fragment F on Book { " + list(50, func(i int) string { return fmt.Sprintf("a%d: id", i) }) + " }", "Query has 2550 aliases, which exceeds max aliases of 2000"},
		"a depth of 100":                      {"{ book(id: 1) {" + nested(33, "author { books(first: 1) { nodes {", "id", "}}}") + "}}", "Query has depth of 101, which exceeds max depth of 40"},
		"a depth of 2,000":                    {"{ book(id: 1) {" + nested(666, "author { books(first: 1) { nodes {", "id", "}}}") + "}}", tooLarge},
		"fragments that double at each step":  {doubling(12), "Query has complexity of 28667, which exceeds max complexity of 20000"},
		"fragments that double for very long": {doubling(400), "Query has depth of 1202, which exceeds max depth of 40"},
		"an endless fragment":                 {"{ book(id: 1) { ...A } } fragment A on Book { ...B } fragment B on Book { author { books(first: 1) { nodes { ...A } } } }", "Fragment A contains an infinite loop"},
		"a text that names a limit":           {`{ a "exceeded token limit" }`, `Expected NAME, actual: STRING ("exceeded token limit")`},
		"lists in lists":                      {"{ echo(matrix: " + nested(990, "[", "1", "]") + ") }", "Argument 'matrix' on Field 'echo' has an invalid value"},
		"objects in objects":                  {"{ echo(filter: " + nested(900, "{nested: ", "{zz: 1}", "}") + ") }", "InputObject 'BookFilter' doesn't accept argument 'zz'"},
		"as many errors as there can be":      {"{ " + list(5_000, func(i int) string { return fmt.Sprintf("nope%d", i) }) + " }", "Field 'nope0' doesn't exist on type 'Query'"},
		"conflicts of every pair":             {"{ " + list(4_000, func(i int) string { return fmt.Sprintf("a: echo(number: %d)", i) }) + " }", "Field 'a' has an argument conflict"},
		"brackets and nothing else":           {strings.Repeat("{", 200_000), "Expected NAME, actual: LCURLY"},
		"brackets after an error":             {"query () " + nested(30_000, "{a", "", "}"), "Parse error on"},
		"directives at one place":             {"{ __typename " + list(20_000, same("@skip(if: true)")) + " }", tooLarge},
		"fewer directives at one place":       {"{ __typename " + list(8_000, same("@a")) + " }", `The directive "a" can only be used once at this location.`},
		"arguments of one field":              {"{ echo(" + list(20_000, same("number: 1")) + ") x: echo(" + list(2_000, same("number: 1")) + ") }", `There can be only one argument named "number"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t)
			begin := time.Now()
			got := e.Execute(t.Context(), graphql.Query{Text: test.query, Root: newLibrary()})
			assert.Less(t, time.Since(begin), bounded)
			assert.Nil(t, got.Data)
			require.NotEmpty(t, got.Errors)
			assert.Contains(t, got.Errors[0].Message, test.want)
			assert.LessOrEqual(t, len(got.Errors), graphql.DefaultMaxErrors)
		})
	}
}

func TestTheSearchForConflictsIsGivenUp(t *testing.T) {
	begin := time.Now()
	got := newEngine(t).Execute(t.Context(), graphql.Query{
		Text: "{ book(id: 1) { " + list(2_000, func(int) string { return "author { id }" }) + " } }", Root: newLibrary(),
	})
	assert.Less(t, time.Since(begin), bounded)
	require.Len(t, got.Errors, 1)
	assert.Equal(t, "Timeout on validation of query", got.Errors[0].Message)
}

func TestRepliesHaveLimits(t *testing.T) {
	e := newEngine(t, func(o *graphql.Options) { o.MaxValues = 8 })
	got := replyOf(t, e, graphql.Query{Root: newLibrary(), Text: `{ books(first: 3) { nodes { id title author { id } } } book(id: "B_1") { id } }`})
	assert.Equal(t, `{"data":{"books":{"nodes":[{"id":"B_1","title":"Moby-Dick","author":{"id":"A_1"}},null,null]},"book":null},"errors":[`+
		`{"type":"RESOURCE_LIMITS_EXCEEDED","path":["books","nodes",1,"id"],"locations":[{"line":1,"column":29}],"message":"Resource limits for this query exceeded."}]}`, got)

	e = newEngine(t, func(o *graphql.Options) { o.MaxReplyBytes = 1000 })
	long := strings.Repeat("x", 600)
	got = replyOf(t, e, graphql.Query{Root: newLibrary(), Text: fmt.Sprintf(`{ a: echo(text: "%s") b: echo(text: "%s") c: echo }`, long, long)})
	assert.Contains(t, got, `"type":"RESOURCE_LIMITS_EXCEEDED","path":["c"]`)

	// Types lead to fields, and these to types again.
	begin := time.Now()
	e = newEngine(t, func(o *graphql.Options) { o.MaxValues = 100_000 })
	got = replyOf(t, e, graphql.Query{Text: "{ __schema { types {" + nested(6, "fields { type { ofType { possibleTypes {", "name", "} } } }") + "} } }"})
	assert.Less(t, time.Since(begin), bounded)
	assert.NotEmpty(t, got)
}

func TestDocumentsAreLoadedOnce(t *testing.T) {
	e := newEngine(t)
	first := graphql.Query{Text: `{ book(id: "B_1") { id } }`, Root: newLibrary()}
	e.Execute(t.Context(), first)
	repeated := testing.AllocsPerRun(20, func() { e.Execute(t.Context(), first) })
	assert.Less(t, repeated, float64(12), "allocations of a request whose document is known")

	// Many others drive the document out of the cache, and then it is loaded
	// again like any other.
	for i := range 600 {
		e.Execute(t.Context(), graphql.Query{Text: fmt.Sprintf(`{ a%d: __typename }`, i)})
	}
	assert.Equal(t, `{"data":{"book":{"id":"B_1"}}}`, replyOf(t, e, first))
}

func TestALimitOfTheOptionsCounts(t *testing.T) {
	tests := map[string]struct {
		adjust      func(*graphql.Options)
		query, want string
	}{
		"bytes":       {func(o *graphql.Options) { o.MaxQueryBytes = 10 }, "{ __typename }", "This query is too large to execute."},
		"tokens":      {func(o *graphql.Options) { o.MaxTokens = 2 }, "{ __typename }", "This query is too large to execute."},
		"definitions": {func(o *graphql.Options) { o.MaxDefinitions = 1 }, "{ ...F } fragment F on Query { __typename }", "This query is too large to execute."},
		"depth":       {func(o *graphql.Options) { o.MaxDepth = 1 }, "{ book(id: 1) { id } }", "Query has depth of 2, which exceeds max depth of 1"},
		"fields":      {func(o *graphql.Options) { o.MaxFields = 1 }, "{ book(id: 1) { id } }", "Query has complexity of 2, which exceeds max complexity of 1"},
		"aliases":     {func(o *graphql.Options) { o.MaxAliases = 1 }, "{ a: __typename b: __typename }", "Query has 2 aliases, which exceeds max aliases of 1"},
		"errors":      {func(o *graphql.Options) { o.MaxErrors = 1 }, "{ a b }", "Field 'a' doesn't exist on type 'Query'"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := newEngine(t, test.adjust).Execute(context.Background(), graphql.Query{Text: test.query})
			require.Len(t, got.Errors, 1)
			assert.Equal(t, test.want, got.Errors[0].Message)
		})
	}
}
