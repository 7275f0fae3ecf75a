package githubschema_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestReduceREST(t *testing.T) {
	description, err := os.ReadFile("testdata/openapi.json")
	require.NoError(t, err)
	for golden, reduce := range map[string]func([]byte) ([]byte, error){"rest": reduceREST, "requests": reduceRequests} {
		got, err := reduce(description)
		require.NoError(t, err)
		testkit.CheckGolden(t, "every form of schema that the description has, as one shape each", "testdata/"+golden+".golden.json", got)

		back, err := githubschema.Decode(got)
		require.NoError(t, err)
		assert.Equal(t, string(got), string(githubschema.Encode(back)), "what was decoded is what was encoded")
	}
}

func TestRESTRefuses(t *testing.T) {
	for _, c := range []struct{ name, description, want string }{
		{"what is no JSON", `openapi: 3.0.3`, "read the description: "},
		{"a schema within itself", `{"paths":{"/":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/a"}}}}}}}},
			"components":{"schemas":{"a":{"properties":{"a":{"$ref":"#/components/schemas/a"}}}}}}`, `the schema "a" is a part of itself`},
		{"a schema that is not there", `{"paths":{"/":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/a"}}}}}}}}}`,
			`there is no schema "a"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := reduceREST([]byte(c.description))
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestReduceGraphQL(t *testing.T) {
	got, err := reduceGraphQL([]byte(`
		directive @preview(by: String) on FIELD_DEFINITION | OBJECT
		"What is left out."
		type Query @preview(by: "a") {
			"It too."
			a("And it." n: Int = 1 @deprecated(reason: "b")): Kind! @preview(by: "c") @deprecated(reason: "d")
			twice: Int
			twice: Int
		}
		enum Kind { A @deprecated(reason: "e") B }`))
	require.NoError(t, err)
	assert.Equal(t, "enum Kind {\nA\nB\n}\ntype Query {\na(n: Int = 1): Kind! @deprecated\ntwice: Int\n}\n", string(got))

	_, err = reduceGraphQL([]byte(`type Query { a: Nothing }`))
	assert.ErrorContains(t, err, "check the schema: ")
	_, err = reduceGraphQL([]byte(`type Query {`))
	assert.ErrorContains(t, err, "read the schema: ")
}
