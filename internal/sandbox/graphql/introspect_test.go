package graphql_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/validator"
)

// introspectionQuery is the query by which GraphiQL and code generators learn a
// schema.
const introspectionQuery = `query IntrospectionQuery {
  __schema {
    description
    queryType { name }
    mutationType { name }
    subscriptionType { name }
    types { ...FullType }
    directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } }
  }
}
fragment FullType on __Type {
  kind name description specifiedByURL isOneOf
  fields(includeDeprecated: true) {
    name description
    args(includeDeprecated: true) { ...InputValue }
    type { ...TypeRef }
    isDeprecated deprecationReason
  }
  inputFields(includeDeprecated: true) { ...InputValue }
  interfaces { ...TypeRef }
  enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
  possibleTypes { ...TypeRef }
}
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
fragment TypeRef on __Type {
  kind name
  ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
    ofType { kind name ofType { kind name } } } } } } } } }
}`

// Meta types are those of introspection, as clients decode them.
type (
	metaRef struct {
		Kind, Name string
		OfType     *metaRef
	}
	metaInput struct {
		Name, Description string
		Type              metaRef
		DefaultValue      *string
		IsDeprecated      bool
		DeprecationReason string
	}
	metaField struct {
		metaInput
		Args []metaInput
	}
	metaType struct {
		Kind, Name, Description   string
		Fields                    []metaField
		InputFields               []metaInput
		Interfaces, PossibleTypes []metaRef
		EnumValues                []metaInput
	}
	metaSchema struct {
		Description             string
		QueryType, MutationType *metaRef
		Types                   []metaType
		Directives              []struct{ Name string }
	}
)

func (r metaRef) String() string {
	switch r.Kind {
	case "NON_NULL":
		return r.OfType.String() + "!"
	case "LIST":
		return "[" + r.OfType.String() + "]"
	default:
		return r.Name
	}
}

func refs(list []metaRef) string {
	names := make([]string, len(list))
	for i, r := range list {
		names[i] = r.Name
	}
	return strings.Join(names, " & ")
}

func (i metaInput) String() string {
	text := fmt.Sprintf("%s: %s", i.Name, i.Type)
	if i.DefaultValue != nil {
		text += " = " + *i.DefaultValue
	}
	return describe(i.Description) + text + i.deprecation()
}

func (i metaInput) deprecation() string {
	switch {
	case !i.IsDeprecated:
		return ""
	case i.DeprecationReason == "No longer supported":
		return " @deprecated"
	}
	return fmt.Sprintf(" @deprecated(reason: %q)", i.DeprecationReason)
}

func describe(text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%q ", text)
}

// sdl rebuilds the schema in the schema language, the way client tools do.
func (m metaSchema) sdl() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sschema { query: %s mutation: %s }\n", describe(m.Description), m.QueryType.Name, m.MutationType.Name)
	for _, t := range m.Types {
		if strings.HasPrefix(t.Name, "__") || slices.Contains([]string{"String", "Int", "Float", "Boolean", "ID"}, t.Name) {
			continue
		}
		b.WriteString(describe(t.Description))
		switch t.Kind {
		case "SCALAR":
			fmt.Fprintf(&b, "scalar %s\n", t.Name)
		case "UNION":
			fmt.Fprintf(&b, "union %s = %s\n", t.Name, strings.ReplaceAll(refs(t.PossibleTypes), "&", "|"))
		case "ENUM":
			fmt.Fprintf(&b, "enum %s {\n", t.Name)
			for _, v := range t.EnumValues {
				fmt.Fprintf(&b, "%s%s%s\n", describe(v.Description), v.Name, v.deprecation())
			}
			b.WriteString("}\n")
		case "INPUT_OBJECT":
			fmt.Fprintf(&b, "input %s {\n", t.Name)
			for _, f := range t.InputFields {
				fmt.Fprintf(&b, "%s\n", f)
			}
			b.WriteString("}\n")
		default:
			t.writeFields(&b)
		}
	}
	return b.String()
}

func (t metaType) writeFields(b *strings.Builder) {
	keyword := map[string]string{"OBJECT": "type", "INTERFACE": "interface"}[t.Kind]
	fmt.Fprintf(b, "%s %s", keyword, t.Name)
	if len(t.Interfaces) > 0 {
		fmt.Fprintf(b, " implements %s", refs(t.Interfaces))
	}
	b.WriteString(" {\n")
	for _, f := range t.Fields {
		fmt.Fprintf(b, "%s%s", describe(f.Description), f.Name)
		if len(f.Args) > 0 {
			b.WriteString("(")
			for _, a := range f.Args {
				fmt.Fprintf(b, "%s ", a)
			}
			b.WriteString(")")
		}
		fmt.Fprintf(b, ": %s%s\n", f.Type, f.deprecation())
	}
	b.WriteString("}\n")
}

func TestIntrospectionDescribesTheWholeSchema(t *testing.T) {
	var got struct {
		Data struct {
			Schema metaSchema `json:"__schema"`
		}
		Errors []any
	}
	require.NoError(t, json.Unmarshal([]byte(reply(t, introspectionQuery)), &got))
	require.Empty(t, got.Errors)

	rebuilt, err := validator.LoadSchema(validator.Prelude, &ast.Source{Input: got.Data.Schema.sdl()})
	require.NoError(t, err, got.Data.Schema.sdl())
	assert.Equal(t, formatted(librarySchema(t)), formatted(rebuilt))

	var directives []string
	for _, d := range got.Data.Schema.Directives {
		directives = append(directives, d.Name)
	}
	assert.Equal(t, []string{"deprecated", "include", "oneOf", "skip", "specifiedBy"}, directives)
}

// formatted returns a schema in the schema language, types sorted by name.
func formatted(schema *ast.Schema) string {
	var b strings.Builder
	formatter.NewFormatter(&b).FormatSchema(schema)
	return b.String()
}

func TestIntrospectionOfOneType(t *testing.T) {
	tests := map[string]struct{ query, want string }{
		"fields, with the deprecated ones if asked for": {
			`{ __type(name: "Book") { kind name fields { name } } all: __type(name: "Book") { fields(includeDeprecated: true) { name isDeprecated deprecationReason } } }`,
			"",
		},
		"a type that is not there": {
			`{ __type(name: "Nope") { name } }`,
			`{"data":{"__type":null}}`,
		},
		"the kinds of types inside of one another": {
			`{ __type(name: "Shelf") { fields { name type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { name } } } } } } } }`,
			`{"data":{"__type":{"fields":[` +
				`{"name":"items","type":{"kind":"NON_NULL","name":null,"ofType":{"kind":"LIST","name":null,"ofType":{"kind":"NON_NULL","name":null,"ofType":{"kind":"UNION","name":"Item","ofType":null}}}}},` +
				`{"name":"optional","type":{"kind":"LIST","name":null,"ofType":{"kind":"UNION","name":"Item","ofType":null}}},` +
				`{"name":"strict","type":{"kind":"LIST","name":null,"ofType":{"kind":"NON_NULL","name":null,"ofType":{"kind":"OBJECT","name":"Book","ofType":null}}}}]}}}`,
		},
		"what a kind of type does not have is null": {
			`{ __type(name: "Genre") { fields { name } inputFields { name } interfaces { name } possibleTypes { name } isOneOf specifiedByURL enumValues { name } } }`,
			`{"data":{"__type":{"fields":null,"inputFields":null,"interfaces":null,"possibleTypes":null,"isOneOf":null,"specifiedByURL":null,"enumValues":[{"name":"NOVEL"},{"name":"POEM"}]}}}`,
		},
		"the types that implement an interface": {
			`{ __type(name: "Node") { description possibleTypes { name } interfaces { name } } }`,
			`{"data":{"__type":{"description":"Has an id.","possibleTypes":[{"name":"Author"},{"name":"Book"},{"name":"Magazine"}],"interfaces":[]}}}`,
		},
		"defaults of arguments": {
			`{ __type(name: "BookOrder") { inputFields { name defaultValue type { kind } } } }`,
			`{"data":{"__type":{"inputFields":[{"name":"field","defaultValue":"TITLE","type":{"kind":"NON_NULL"}},{"name":"descending","defaultValue":"false","type":{"kind":"SCALAR"}}]}}}`,
		},
		"the entry points are no fields of the query type": {
			`{ __type(name: "Mutation") { fields { name args { name } } } __schema { queryType { fields { name } } } }`,
			`{"data":{"__type":{"fields":[{"name":"addBook","args":[{"name":"input"}]},{"name":"fail","args":[]}]},"__schema":{"queryType":{"fields":[` +
				`{"name":"book"},{"name":"node"},{"name":"nodes"},{"name":"item"},{"name":"shelf"},{"name":"books"},{"name":"echo"},{"name":"fail"},{"name":"required"}]}}}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := reply(t, test.query)
			if test.want != "" {
				assert.Equal(t, test.want, got)
				return
			}
			plain, all, _ := strings.Cut(got, `"all":`)
			assert.NotContains(t, plain, "oldPages")
			assert.Contains(t, all, `{"name":"oldPages","isDeprecated":true,"deprecationReason":"No longer supported"}`)
		})
	}
}
