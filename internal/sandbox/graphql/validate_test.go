package graphql_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// problems executes a query and returns the errors of its reply, each as
// "code path line:column message". The reply must have no data.
func problems(tb testing.TB, text string) []string {
	tb.Helper()
	got := newEngine(tb).Execute(tb.Context(), graphql.Query{Text: text, Root: newLibrary()})
	assert.Nil(tb, got.Data)
	var out []string
	for _, e := range got.Errors {
		var parts []string
		if code, ok := e.Extensions["code"].(string); ok {
			parts = append(parts, code)
		}
		path, err := json.Marshal(e.Path)
		require.NoError(tb, err)
		parts = append(parts, strings.ReplaceAll(string(path), `"`, ""))
		for _, l := range e.Locations {
			place, err := json.Marshal([]int{l.Line, l.Column})
			require.NoError(tb, err)
			parts = append(parts, string(place))
		}
		out = append(out, strings.Join(append(parts, e.Message), " "))
	}
	return out
}

func TestValidationErrorsHaveGitHubsShape(t *testing.T) {
	// What GitHub answered to gh; facebook/sapling#906 has such a reply.
	got := reply(t, "query Q {\n  nodes(ids: 1) {\n    ... on Book { mergeQueueEntry { id } }\n  }\n}")
	assert.Equal(t, `{"errors":[{"path":["query Q","nodes","... on Book","mergeQueueEntry"],`+
		`"extensions":{"code":"undefinedField","fieldName":"mergeQueueEntry","typeName":"Book"},`+
		`"locations":[{"line":3,"column":19}],"message":"Field 'mergeQueueEntry' doesn't exist on type 'Book'"}]}`, got)
}

// The expected errors are those of graphql-ruby, the library that GitHub uses.
func TestValidationErrorsHaveGitHubsWords(t *testing.T) {
	tests := map[string]struct {
		query string
		want  []string
	}{
		"a field that is not there": {
			`{ book(id: 1) { id nope { deep } } zz }`,
			[]string{"undefinedField [query,book,nope] [1,20] Field 'nope' doesn't exist on type 'Book'", "undefinedField [query,zz] [1,36] Field 'zz' doesn't exist on type 'Query'"},
		},
		"a field of a union": {
			`{ item(id: 1) { id } }`,
			[]string{"selectionMismatch [query,item,id] [1,3] Selections can't be made directly on unions (see selections on Item)"},
		},
		"an object without a selection": {
			`{ b: book(id: 1) }`,
			[]string{"selectionMismatch [query,b] [1,3] Field must have selections (field 'book' returns Book but has no selections. Did you mean 'book { ... }'?)"},
		},
		"a scalar with a selection": {
			`{ book(id: 1) { title { a ... on Book { b } ...F } genre { c } } } fragment F on Book { id }`,
			[]string{
				`selectionMismatch [query,book,title] [1,17] Selections can't be made on scalars (field 'title' returns String but has selections ["a", "... on Book { ... }", "F"])`,
				`selectionMismatch [query,book,genre] [1,52] Selections can't be made on enums (field 'genre' returns Genre but has selections ["c"])`,
				"useAndDefineFragment [fragment F] [1,68] Fragment F was defined, but not used",
			},
		},
		"an argument that is not there": {
			`{ b: book(id: 1, nope: 2) { id @skip(if: true, why: 1) } }`,
			[]string{"argumentNotAccepted [query,b,nope] [1,18] Field 'b' doesn't accept argument 'nope'", "argumentNotAccepted [query,b,id,why] [1,48] Directive 'skip' doesn't accept argument 'why'"},
		},
		"an argument that is missing": {
			`{ book { id @include } }`,
			[]string{"missingRequiredArguments [query,book] [1,3] Field 'book' is missing required arguments: id", "missingRequiredArguments [query,book,id] [1,13] Directive 'include' is missing required arguments: if"},
		},
		"an argument of the wrong type": {
			`{ echo(number: "x", genre: COMIC, ids: [true], text: null, required: null) }`,
			[]string{
				`argumentLiteralsIncompatible [query,echo,number] [1,3] Argument 'number' on Field 'echo' has an invalid value ("x"). Expected type 'Int'.`,
				"argumentLiteralsIncompatible [query,echo,genre] [1,3] Argument 'genre' on Field 'echo' has an invalid value (COMIC). Expected type 'Genre'.",
				"argumentLiteralsIncompatible [query,echo,ids] [1,3] Argument 'ids' on Field 'echo' has an invalid value ([true]). Expected type '[ID!]'.",
				"argumentLiteralsIncompatible [query,echo,required] [1,3] Argument 'required' on Field 'echo' has an invalid value (null). Expected type 'Int!'.",
			},
		},
		"an input object with wrong fields": {
			`mutation { addBook(input: {pages: "many", colour: RED}) { count } }`,
			[]string{
				"missingRequiredInputObjectAttribute [mutation,addBook,input,title] [1,27] Argument 'title' on InputObject 'AddBookInput' is required. Expected type String!",
				`argumentLiteralsIncompatible [mutation,addBook,input,pages] [1,27] Argument 'pages' on InputObject 'AddBookInput' has an invalid value ("many"). Expected type 'Int'.`,
				"argumentNotAccepted [mutation,addBook,input,colour] [1,43] InputObject 'AddBookInput' doesn't accept argument 'colour'",
			},
		},
		"input objects in a list have their place": {
			`{ echo(filters: [{minPages: 1}, {zz: 1}]) }`,
			[]string{"argumentNotAccepted [query,echo,filters,1,zz] [1,34] InputObject 'BookFilter' doesn't accept argument 'zz'"},
		},
		"names that are there twice": {
			`query($v: Int, $v: Int) { book(id: 1, id: 2) { id } echo(number: $v, filter: {minPages: 1, minPages: 2}) }`,
			[]string{
				`variableNotUnique [query] [1,7] [1,16] There can only be one variable named "v"`,
				`argumentNotUnique [query,book] [1,32] [1,39] There can be only one argument named "id"`,
				`inputFieldNotUnique [query,echo,filter] [1,79] [1,92] There can be only one input field named "minPages"`,
			},
		},
		"variables that do not fit their use": {
			`query($s: String, $n: Int, $l: [Int]) { book(id: $s) { id } echo(required: $n, number: $l, ids: [$n], filter: {tags: [$s]}) }`,
			[]string{
				"variableMismatch [query,book,id] [1,46] Type mismatch on variable $s and argument id (String / ID!)",
				"variableMismatch [query,echo,number] [1,80] List dimension mismatch on variable $l and argument number ([Int] / Int)",
				"variableMismatch [query,echo,ids] [1,92] Type mismatch on variable $n and argument ids ([Int]! / [ID!])",
				"variableMismatch [query,echo,filter,tags] [1,112] Nullability mismatch on variable $s and argument tags ([String]! / [String!])",
			},
		},
		"variables that do not fit their use in a fragment": {
			`query A($s: String) { ...F } fragment F on Query { book(id: $s) { id } }`,
			[]string{"variableMismatch [fragment F,book,id] [1,57] Type mismatch on variable $s and argument id (String / ID!)"},
		},
		"variables that are not declared or not used": {
			`query A($a: Int) { echo(number: $b) ...F } fragment F on Query { c: echo(number: $c) }`,
			[]string{
				"variableNotUsed [query A] [1,1] Variable $a is declared by A but not used",
				"variableNotDefined [query A,echo,number] [1,33] Variable $b is used by A but not declared",
				"variableNotDefined [fragment F,c,number] [1,82] Variable $c is used by F but not declared",
			},
		},
		"variables of types that are no input": {
			`query($a: Nope, $b: Book) { echo(number: $a, text: $b) }`,
			[]string{
				"variableRequiresValidType [query] [1,7] Nope isn't a defined input type (on $a)",
				"variableRequiresValidType [query] [1,17] Book isn't a valid input type (on $b)",
				"variableMismatch [query,echo,text] [1,46] Type mismatch on variable $b and argument text (Book / String)",
			},
		},
		"defaults of variables that do not fit": {
			`query($n: Int = "x", $g: Genre = COMIC, $f: BookFilter = [1]) { echo(number: $n, genre: $g, filter: $f) }`,
			[]string{
				`defaultValueInvalidType [query] [1,7] Could not coerce value "x" to Int`,
				`defaultValueInvalidType [query] [1,22] Expected "COMIC" to be one of: NOVEL, POEM, ESSAY`,
				"defaultValueInvalidType [query] [1,41] Default value for $f doesn't match type BookFilter",
			},
		},
		"fragments on types that are none": {
			"{ node(id: 1) {\n  ... on Nope { id }\n  ... on Genre { id }\n  ...F } } fragment F on Nope { id }",
			[]string{
				"undefinedType [query,node,... on Nope] [2,3] No such type Nope, so it can't be a fragment condition",
				"fragmentOnNonCompositeType [query,node,... on Genre] [3,3] Invalid fragment on type Genre (must be Union, Interface or Object)",
				"undefinedType [fragment F] [4,12] No such type Nope, so it can't be a fragment condition",
			},
		},
		"fragments that can never apply": {
			`{ book(id: 1) { ... on Author { id } ...F } } fragment F on Magazine { id }`,
			[]string{
				"cannotSpreadFragment [query,book,... on Author] [1,17] Fragment on Author can't be spread inside Book",
				"cannotSpreadFragment [query,book,... F] [1,38] Fragment F on Magazine can't be spread inside Book",
			},
		},
		"fragments that are missing, twice there or endless": {
			`{ book(id: 1) { ...A ...B } } fragment B on Book { ...C } fragment C on Book { similar(first: 1) { nodes { ...B } } } fragment B on Book { id }`,
			[]string{
				"useAndDefineFragment [query,book,... A] [1,17] Fragment A was used, but not defined",
				"infiniteLoop [fragment B] [1,31] Fragment B contains an infinite loop",
				"infiniteLoop [fragment C] [1,59] Fragment C contains an infinite loop",
				`fragmentNotUnique [] [1,31] [1,119] Fragment name "B" must be unique`,
			},
		},
		"directives": {
			`query @skip(if: true) { book(id: 1) @nope { id @skip(if: true) @skip(if: false) } x: __typename @nope }`,
			[]string{
				"directiveCannotBeApplied [query] [1,7] '@skip' can't be applied to queries (allowed: fields, fragment spreads, inline fragments)",
				"undefinedDirective [query,book] [1,37] [1,97] Directive @nope is not defined",
				`directiveNotUniqueForLocation [query,book,id] [1,48] [1,64] The directive "skip" can only be used once at this location.`,
			},
		},
		"directives where they cannot stand": {
			`mutation M($n: Int @skip(if: true)) @include(if: true) { fail { count } addBook(input: {title: "T", pages: $n}) { ...F } } fragment F on AddBookPayload @skip(if: true) { count @deprecated }`,
			[]string{
				"directiveCannotBeApplied [mutation M] [1,20] '@skip' can't be applied to variable definitions (allowed: fields, fragment spreads, inline fragments)",
				"directiveCannotBeApplied [mutation M] [1,37] '@include' can't be applied to mutations (allowed: fields, fragment spreads, inline fragments)",
				"directiveCannotBeApplied [fragment F] [1,153] '@skip' can't be applied to fragment definitions (allowed: fields, fragment spreads, inline fragments)",
				"directiveCannotBeApplied [fragment F,count] [1,177] '@deprecated' can't be applied to fields (allowed: , , , )",
			},
		},
		"operations of one name, and one without a name": {
			`query A { a: __typename } query A { b: __typename } { c: __typename }`,
			[]string{
				`uniquelyNamedOperations [] [1,1] [1,27] Operation name "A" must be unique`,
				"uniquelyNamedOperations [] [1,53] Operation name is required when multiple operations are present",
			},
		},
		"a subscription": {
			`subscription { a }`,
			[]string{"missingSubscriptionConfiguration [subscription] [1,1] Schema is not configured for subscriptions"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, problems(t, test.query))
		})
	}
}

func TestFieldsOfOneKeyMustMerge(t *testing.T) {
	tests := map[string]struct {
		query string
		want  []string
	}{
		"with other arguments": {
			// What GitHub answers to a query for two repositories without aliases.
			"{\n  book(id: \"a\") { id }\n  book(id: \"b\") { id }\n}",
			[]string{`fieldConflict [] [2,3] [3,3] Field 'book' has an argument conflict: {id:"\"a\""} or {id:"\"b\""}?`},
		},
		"with other names": {
			`{ book(id: 1) { x: id x: title } }`,
			[]string{"fieldConflict [] [1,17] [1,23] Field 'x' has a field conflict: id or title?"},
		},
		"inside of fields that merge, through fragments": {
			`{ book(id: 1) { author { x: id } } ... on Query { book(id: 1) { ...F } } } fragment F on Book { author { x: name } }`,
			[]string{"fieldConflict [] [1,26] [1,106] Field 'x' has a field conflict: id or name?"},
		},
		"unless no object has both": {
			`{ nodes(ids: []) { ... on Book { x: pages, similar(first: 1) { totalCount } } ... on Author { x: name } } }`,
			nil,
		},
		"which their types need not": {
			// gh's query IssueByNumber selects the state of an issue or pull request
			// under one key, with different types, and GitHub answers it.
			`{ item(id: "M_1") { ... on Book { n: pages } ... on Magazine { n: title } } }`,
			nil,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.want == nil {
				assert.NotContains(t, reply(t, test.query), "errors")
				return
			}
			assert.Equal(t, test.want, problems(t, test.query))
		})
	}
}

// specified are the specification's rules as gqlparser has them. Fields that
// overlap are left to the engine's own rule, and depth to its limits.
func specified() *rules.Rules {
	r := rules.NewDefaultRules()
	r.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name)
	r.RemoveRule(rules.MaxIntrospectionDepth.Name)
	return r
}

// checkSpecification fails the test if the specification's rules refuse a
// document that the engine executed.
func checkSpecification(tb testing.TB, schema *ast.Schema, text string) {
	tb.Helper()
	doc, err := gqlparser.LoadQueryWithRules(schema, text, specified())
	if !assert.Empty(tb, err, "the engine executed a query that is not valid: %s", text) {
		return
	}
	assert.NotNil(tb, doc)
}

func librarySchema(tb testing.TB) *ast.Schema {
	tb.Helper()
	schema, err := validator.LoadSchema(validator.Prelude, &ast.Source{Input: librarySDL})
	require.NoError(tb, err)
	return schema
}
