package graphql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// The messages are those of graphql-ruby, the library that GitHub uses.
func TestSyntaxErrorsHaveGitHubsWords(t *testing.T) {
	tests := map[string]struct {
		text, message string
		line, column  int
	}{
		"a bracket too many":          {"{ a }\n }", `Expected one of SCHEMA, SCALAR, TYPE, ENUM, INPUT, UNION, INTERFACE, actual: RCURLY ("}") at [2, 2]`, 2, 2},
		"a bracket too few":           {"{ a { b }", "Expected NAME, not end of file at [1, 9]", 1, 9},
		"no query at all":             {"give me all issues", `Expected one of SCHEMA, SCALAR, TYPE, ENUM, INPUT, UNION, INTERFACE, actual: IDENTIFIER ("give") at [1, 1]`, 1, 1},
		"an argument without a value": {"{ a(x: ) }", `Expected VALUE, actual: RPAREN (")") at [1, 8]`, 1, 8},
		"an argument without a name":  {"{ a(: 1) }", `Expected NAME, actual: COLON (":") at [1, 5]`, 1, 5},
		"arguments that are none":     {"{ a() }", `Expected ARGUMENT_NAME, actual: RPAREN (")") at [1, 5]`, 1, 5},
		"arguments without an end":    {"{ a(x: 1 }", `Expected NAME, actual: RCURLY ("}") at [1, 10]`, 1, 10},
		"a value without a colon":     {"{ a(x 1) }", `Expected COLON, actual: INT ("1") at [1, 7]`, 1, 7},
		"a variable without a type":   {"query($x: ) { a }", "Missing type definition for variable: $x at [1, 11]", 1, 11},
		"a variable without a colon":  {"query($x) { a }", `Expected COLON, actual: RPAREN (")") at [1, 9]`, 1, 9},
		"a variable without its sign": {"query(x: Int) { a }", `Expected VAR_SIGN, actual: IDENTIFIER ("x") at [1, 7]`, 1, 7},
		"a list that is not closed":   {"{ a(x: [1 ) }", `Expected VALUE, actual: RPAREN (")") at [1, 11]`, 1, 11},
		"a fragment without a type":   {"{ a ... on }", `Expected NAME, actual: RCURLY ("}") at [1, 12]`, 1, 12},
		"a fragment without on":       {"fragment F Book { a }", `Expected ON, actual: IDENTIFIER ("Book") at [1, 12]`, 1, 12},
		"a directive without a name":  {"{ a @ }", `Expected NAME, actual: RCURLY ("}") at [1, 7]`, 1, 7},
		"a keyword where none can be": {"query { a } mutate { b }", `Expected one of SCHEMA, SCALAR, TYPE, ENUM, INPUT, UNION, INTERFACE, actual: IDENTIFIER ("mutate") at [1, 13]`, 1, 13},
		"text in single quotes":       {"{ a(x: 'b') }", `Expected VALUE, actual: UNKNOWN_CHAR ("'") at [1, 8]`, 1, 8},
		"a character of no language":  {"{ a ? }", `Expected NAME, actual: UNKNOWN_CHAR ("?") at [1, 5]`, 1, 5},
		"text where a name is due":    {`{ "a" }`, `Expected NAME, actual: STRING ("a") at [1, 3]`, 1, 3},
		"text that is not closed":     {"{\n a(x: \"b) }", "Expected string or block string, but it was malformed", 2, 7},
		"a minus that is no number":   {"{ a(x: -) }", `Expected type 'number', but it was malformed: "-".`, 1, 8},
		"two dots":                    {"{ ..a }", "Expected `...`, actual: \"..a\"", 1, 3},
		"an error after much that is right": {
			`query Q($a: [Int!]! = [1, 2.5, "x", """y""", FOO, null, {b: true}] @d(e: $f)) { a: b(c: on, g: -1) ...F ... @skip(if: true) { d } } fragment F on G @x { query }` + "\n# the end\n}",
			`Expected one of SCHEMA, SCALAR, TYPE, ENUM, INPUT, UNION, INTERFACE, actual: RCURLY ("}") at [3, 1]`, 3, 1,
		},
		"punctuation of the schema language": {"{ a(b: 1 | 2 & 3) }", `Expected NAME, actual: PIPE ("|") at [1, 10]`, 1, 10},
		"a number with a tail":               {"{ a(b: 01) }", `Expected type 'number', but it was malformed: "01".`, 1, 8},
		"a list type without its type":       {"query($a: []) { b }", "Missing type definition for variable: $a at [1, 13]", 1, 13},
		"a list of variables without an end": {"query($a: Int", "Expected VAR_SIGN, not end of file at [1, 11]", 1, 11},
		"braces with nothing in between":     {"{ book(id: 1) { } }", `Parse error on "}" (RCURLY) at [1, 17]`, 1, 17},
	}
	e := newEngine(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := e.Execute(t.Context(), graphql.Query{Text: test.text})
			require.Len(t, got.Errors, 1)
			assert.Nil(t, got.Data)
			assert.Equal(t, &graphql.Error{Message: test.message, Locations: []graphql.Location{{Line: test.line, Column: test.column}}}, got.Errors[0])
		})
	}
}

func TestTextsWithoutAnOperation(t *testing.T) {
	for text, want := range map[string]string{
		"# nothing\n":             `{"errors":[{"message":"Unexpected end of document"}]}`,
		"type Book { id: ID! }":   `{"errors":[{"path":[],"extensions":{"code":"queryContainsSchemaDefinitions"},"locations":[{"line":1,"column":1}],"message":"Query cannot contain schema definitions"}]}`,
		"{ a } extend union U =B": `{"errors":[{"path":[],"extensions":{"code":"queryContainsSchemaDefinitions"},"locations":[{"line":1,"column":7}],"message":"Query cannot contain schema definitions"}]}`,
	} {
		assert.Equal(t, want, reply(t, text), text)
	}
}
