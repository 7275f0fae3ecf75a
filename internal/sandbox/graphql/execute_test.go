package graphql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

func TestExecuteSelectsWhatTheQueryAsksFor(t *testing.T) {
	tests := map[string]struct {
		query string
		vars  []any
		want  string
	}{
		"keys come in the order of the query": {
			query: `{ book(id: "B_1") { title id pages } }`,
			want:  `{"data":{"book":{"title":"Moby-Dick","id":"B_1","pages":635}}}`,
		},
		"an alias is the key": {
			query: `{ whale: book(id: "B_1") { name: title title } }`,
			want:  `{"data":{"whale":{"name":"Moby-Dick","title":"Moby-Dick"}}}`,
		},
		"fields of one key merge their selections, at the place of the first": {
			query: `{ book(id: "B_1") { author { name } id } book(id: "B_1") { author { id name } title } }`,
			want:  `{"data":{"book":{"author":{"name":"Melville","id":"A_1"},"id":"B_1","title":"Moby-Dick"}}}`,
		},
		"a fragment stands for its fields": {
			query: `{ book(id: "B_1") { id ...B pages } } fragment B on Book { title ...C } fragment C on Titled { url title }`,
			want:  `{"data":{"book":{"id":"B_1","title":"Moby-Dick","url":null,"pages":635}}}`,
		},
		"a fragment spread twice counts once": {
			query: `{ book(id: "B_1") { ...B ...B } } fragment B on Book { id author { ...A ...A } } fragment A on Author { name }`,
			want:  `{"data":{"book":{"id":"B_1","author":{"name":"Melville"}}}}`,
		},
		"fragments count only for objects of their types": {
			query: `{ nodes(ids: ["B_1", "M_1", "A_1"]) { __typename ... on Titled { title } ... on Book { pages } ... on Author { name } ... { id } } }`,
			want: `{"data":{"nodes":[{"__typename":"Book","title":"Moby-Dick","pages":635,"id":"B_1"},` +
				`{"__typename":"Magazine","title":"Punch","id":"M_1"},{"__typename":"Author","name":"Melville","id":"A_1"}]}}`,
		},
		"one key may stand for fields of different types on different objects": {
			query: `{ shelf { items { ... on Book { n: pages } ... on Magazine { n: title } } } }`,
			want:  `{"data":{"shelf":{"items":[{"n":635},{"n":"Punch"}]}}}`,
		},
		"a union has a __typename and its members' fields": {
			query: `{ item(id: "M_1") { __typename kind: __typename ... on Node { id } } }`,
			want:  `{"data":{"item":{"__typename":"Magazine","kind":"Magazine","id":"M_1"}}}`,
		},
		"the root has a __typename": {
			query: `mutation { __typename }`,
			want:  `{"data":{"__typename":"Mutation"}}`,
		},
		"skip and include with literals": {
			query: `{ book(id: "B_1") { id @skip(if: true) title @skip(if: false) pages @include(if: true) lent @include(if: false) genre @include(if: true) @skip(if: true) } }`,
			want:  `{"data":{"book":{"title":"Moby-Dick","pages":635}}}`,
		},
		"skip and include with variables, on fields and fragments": {
			query: `query($yes: Boolean!, $no: Boolean = false) { book(id: "B_1") { a: id @skip(if: $yes) b: id @skip(if: $no) ...B @include(if: $no) ... @include(if: $yes) { c: id } } } fragment B on Book { d: id }`,
			vars:  []any{"yes", true},
			want:  `{"data":{"book":{"b":"B_1","c":"B_1"}}}`,
		},
		"an object of which all is skipped is empty": {
			query: `query($yes: Boolean!) { book(id: "B_1") { id @skip(if: $yes) } }`,
			vars:  []any{"yes", true},
			want:  `{"data":{"book":{}}}`,
		},
		"null objects, absent times and unknown enums are null; nil lists are empty": {
			query: `{ book(id: "B_3") { author { id } added genre tags } a: book(id: "B_2") { author { id } tags } }`,
			want:  `{"data":{"book":{"author":null,"added":null,"genre":null,"tags":["x","B_3"]},"a":{"author":null,"tags":[]}}}`,
		},
		"texts are escaped": {
			query: `{ book(id: "B_2") { title } echo(text: "\u0007 \n\t\\ é \u2028 <b> 😀") }`,
			want:  `{"data":{"book":{"title":"Leaves of \"Grass\""},"echo":"{\"flag\":true,\"required\":7,\"text\":\"\\u0007 \\n\\t\\\\ é \\u2028 \\u003cb\\u003e 😀\"}"}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, reply(t, test.query, test.vars...))
		})
	}
}

func TestErrorsTakeTheirPlaceInTheReply(t *testing.T) {
	tests := map[string]struct{ query, want string }{
		"an error of a nullable field leaves null there": {
			query: `{ a: fail(how: "own error") { id } book(id: "B_1") { id } }`,
			want:  `{"data":{"a":null,"book":{"id":"B_1"}},"errors":[{"type":"FORBIDDEN","path":["a"],"extensions":{"saml_failure":false},"locations":[{"line":1,"column":3}],"message":"No."}]}`,
		},
		"an error is found inside of others": {
			query: `{ fail(how: "wrapped error") { id } }`,
			want:  `{"data":{"fail":null},"errors":[{"type":"FORBIDDEN","path":["fail"],"locations":[{"line":1,"column":3}],"message":"No."}]}`,
		},
		"an error of a non-null field goes up to the nearest nullable one": {
			query: "{ book(id: \"B_1\") { id }\n  fail(how: \"no editor\") { title editor { name } } }",
			want:  `{"data":{"book":{"id":"B_1"},"fail":null},"errors":[{"path":["fail","editor"],"locations":[{"line":2,"column":34}],"message":"Cannot return null for non-nullable field Book.editor"}]}`,
		},
		"an error of a non-null field at the root leaves no data": {
			query: `{ book(id: "B_1") { id } required(how: "panic") { id } }`,
			want:  `{"data":null,"errors":[{"path":["required"],"locations":[{"line":1,"column":26}],"message":"Something went wrong while executing your query."}]}`,
		},
		"a null that is a typed pointer is null": {
			query: `{ fail(how: "typed null") { id } }`,
			want:  `{"data":{"fail":null}}`,
		},
		"an item that is null where it may not be takes its list with it": {
			query: `{ shelf { strict { id } optional { __typename } } }`,
			want: `{"data":{"shelf":{"strict":null,"optional":[null,null,{"__typename":"Book"},{"__typename":"Magazine"}]}},"errors":[` +
				`{"path":["shelf","strict",1],"locations":[{"line":1,"column":11}],"message":"Cannot return null for non-nullable element of type 'Book' for Shelf.strict"},` +
				`{"path":["shelf","optional",1],"locations":[{"line":1,"column":25}],"message":"Something went wrong while executing your query."}]}`,
		},
		"an item that failed leaves the others": {
			query: `{ nodes(ids: ["B_1", "X_1", "gone", "A_1"]) { id } }`,
			want:  `{"data":{"nodes":[{"id":"B_1"},null,null,{"id":"A_1"}]},"errors":[{"path":["nodes",1],"locations":[{"line":1,"column":3}],"message":"Something went wrong while executing your query."}]}`,
		},
		"a null that a variable brings to a non-null argument is an error of its field": {
			query: `query($n: Int = 1) { book(id: "B_1") { id } echo(required: $n) }`,
			want:  "{\"data\":null,\"errors\":[{\"path\":[\"echo\"],\"locations\":[{\"line\":1,\"column\":45}],\"message\":\"`null` is not a valid input for `Int!`, please provide a value for this argument.\"}]}",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, reply(t, test.query, "n", nil))
		})
	}
}

func TestMutationsRunInOrderAndDoNotStopAtAFailure(t *testing.T) {
	got := reply(t, `mutation {
  step0: addBook(input: {title: "One"}) { book { id pages } count }
  step1: addBook(input: {title: ""}) { count }
  step2: fail { count }
  step3: addBook(input: {title: "Two", pages: 5, genre: POEM}) { book { id pages genre } count }
}`)
	assert.Equal(t, `{"data":{"step0":{"book":{"id":"B_4","pages":100},"count":4},"step1":null,"step2":null,"step3":{"book":{"id":"B_5","pages":5,"genre":"POEM"},"count":5}},`+
		`"errors":[{"type":"UNPROCESSABLE","path":["step1"],"locations":[{"line":3,"column":3}],"message":"Title can't be blank"},`+
		`{"path":["step2"],"locations":[{"line":4,"column":3}],"message":"Something went wrong while executing your query."}]}`, got)
}

func TestARequestChoosesItsOperation(t *testing.T) {
	e := newEngine(t)
	two := `query A { book(id: "B_1") { id } } mutation B { addBook(input: {title: "T"}) { count } }`
	tests := map[string]struct{ text, name, want string }{
		"by name":                         {two, "A", `{"data":{"book":{"id":"B_1"}}}`},
		"by name, a mutation":             {two, "B", `{"data":{"addBook":{"count":4}}}`},
		"none of two":                     {two, "", `{"errors":[{"message":"An operation name is required"}]}`},
		"one that is not there":           {two, "C", `{"errors":[{"message":"No operation named \"C\""}]}`},
		"the only one, without its name":  {`query A { book(id: "B_1") { id } }`, "", `{"data":{"book":{"id":"B_1"}}}`},
		"the only one, by a wrong name":   {`{ book(id: "B_1") { id } }`, "A", `{"errors":[{"message":"No operation named \"A\""}]}`},
		"in a request without a query":    {"", "", `{"errors":[{"message":"A query attribute must be specified and must be a string."}]}`},
		"in a document without operation": {"fragment F on Book { id }", "", `{"errors":[{"path":["fragment F"],"extensions":{"code":"useAndDefineFragment","fragmentName":"F"},"locations":[{"line":1,"column":1}],"message":"Fragment F was defined, but not used"}]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, replyOf(t, e, graphql.Query{Text: test.text, OperationName: test.name, Root: newLibrary()}))
		})
	}
}

func TestOperationTellsWhatARequestWouldDo(t *testing.T) {
	e := newEngine(t)
	two := `query A { __typename } mutation B { fail { count } }`
	tests := map[string]struct{ text, name, want string }{
		"a query by name":          {two, "A", "query A"},
		"a mutation by name":       {two, "B", "mutation B"},
		"a query without a name":   {"{ __typename }", "", "query"},
		"none of two":              {two, "", "query"},
		"a text with an error":     {"mutation {", "", "query"},
		"a mutation that is wrong": {"mutation M { nope }", "", "query"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, e.Operation(test.text, test.name).String())
		})
	}
	assert.True(t, e.Operation(two, "B").Mutation)
	assert.Zero(t, e.Operation(two, ""), "a request that is refused does nothing")
}
