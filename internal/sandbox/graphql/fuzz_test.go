package graphql_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// FuzzExecute sends texts and variables of all kinds. Whatever they are, the
// engine answers soon, with valid JSON, always the same, and it executes only
// what the specification's rules allow.
func FuzzExecute(f *testing.F) {
	seeds := []struct{ text, vars string }{
		{`{ book(id: "B_1") { ...B author { name } } } fragment B on Book { id title @skip(if: false) }`, ""},
		{`query Q($n: Int = 2, $f: BookFilter) { books(first: $n) { nodes { id } totalCount } echo(filter: $f, matrix: [[1, $n]]) }`, `{"f": {"tags": ["a"], "nested": {"minPages": 1}}}`},
		{`mutation M($in: AddBookInput!) { addBook(input: $in) { book { title pages } count } fail { count } }`, `{"in": {"title": "T"}}`},
		{`query($yes: Boolean!) { nodes(ids: ["B_1", "M_1"]) { __typename ... on Titled @include(if: $yes) { title } ... on Magazine { issue } } shelf { items { ... on Book { n: pages } ... on Magazine { n: title } } strict { id } } }`, `{"yes": true}`},
		{`{ echo(text: """ block "" text """, number: -1, float: 1e3, flag: true, ids: ["a", 1], genre: POEM, when: "2024-05-06T07:08:09Z") }`, ""},
		{`{ a: book(id: 1) { x: id } a: book(id: 1) { x: title } ... on Query { a: __typename } }`, ""},
		{introspectionQuery, ""},
		{`query A { __typename } query B @nope { a } fragment F on Book { ...F }`, ""},
		{"{ a(", ""},
		{"{ a ? 'x' \"y\n} # comment\r\n\ufeff", ""},
		{`{ books(first: 1, after: "Y3Vyc29yOnYyOpHOAAAAAA==") { edges { cursor } } x: books { nodes { id } } required(how: "panic") { id } }`, "[]"},
	}
	for _, s := range seeds {
		f.Add(s.text, s.vars)
	}
	e := newEngine(f)
	schema := librarySchema(f)
	f.Fuzz(func(t *testing.T, text, vars string) {
		var variables map[string]any
		_ = json.Unmarshal([]byte(vars), &variables) // variables that are none count as absent

		begin := time.Now()
		response := e.Execute(t.Context(), graphql.Query{Text: text, Variables: variables, Root: newLibrary()})
		require.Less(t, time.Since(begin), bounded)
		out, err := json.Marshal(response)
		require.NoError(t, err, "the reply is no JSON: %s", response.Data)
		assert.True(t, response.Data != nil || len(response.Errors) > 0, "a reply has data or errors")

		again := replyOf(t, e, graphql.Query{Text: text, Variables: variables, Root: newLibrary()})
		assert.Equal(t, string(out), again)
		if response.Data != nil {
			checkSpecification(t, schema, text)
		}
	})
}
