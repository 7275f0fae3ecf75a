package graphql_test

import (
	"context"
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// scalarEngine has a field for every scalar, which takes an argument of its
// type and returns value if that is set, otherwise the argument.
func scalarEngine(tb testing.TB, value *any) *graphql.Engine {
	tb.Helper()
	names := []string{
		"String", "Int", "Float", "Boolean", "ID", "URI", "DateTime", "PreciseDateTime", "GitTimestamp", "Date", "HTML",
		"GitObjectID", "BigInt", "Base64String", "X509Certificate", "Custom", "Color",
	}
	var sdl strings.Builder
	sdl.WriteString("enum Color { RED GREEN }\ntype Query {\n")
	for _, name := range names {
		sdl.WriteString(name + "(in: " + name + "): " + name + "\n")
	}
	sdl.WriteString("}\n")
	for _, name := range names[5:16] {
		sdl.WriteString("scalar " + name + "\n")
	}
	e, err := graphql.New(sdl.String(), nil, graphql.Options{Fallback: func(string, string) graphql.Resolver {
		return func(_ context.Context, r graphql.Request) (any, error) {
			if value != nil {
				return *value, nil
			}
			return r.Args["in"], nil
		}
	}})
	require.NoError(tb, err)
	return e
}

type words string

func TestScalarsAreWrittenAsGitHubWritesThem(t *testing.T) {
	moment := time.Date(2024, 5, 6, 9, 8, 9, 123456789, time.FixedZone("", 2*60*60))
	n, text, yes := 7, "x", true
	link, err := url.Parse("https://github.com/acme?a=b&c")
	require.NoError(t, err)
	tests := map[string]struct {
		scalar string
		value  any
		want   string
	}{
		"a string":                           {"String", "a\x00b\xff", `"a\u0000b\ufffd"`},
		"a pointer to a string":              {"String", &text, `"x"`},
		"a string type of one's own":         {"String", words("x"), `"x"`},
		"a Stringer":                         {"String", time.March, `"March"`},
		"an empty string":                    {"String", "", `""`},
		"a nil pointer":                      {"String", (*string)(nil), "null"},
		"an int":                             {"Int", -42, "-42"},
		"an int beyond 32 bits":              {"Int", int64(1) << 40, "1099511627776"},
		"a pointer to an int":                {"Int", &n, "7"},
		"an unsigned int":                    {"Int", uint8(200), "200"},
		"a number of JSON":                   {"Int", json.Number("12"), "12"},
		"a float":                            {"Float", 0.25, "0.25"},
		"a large float":                      {"Float", 1e21, "1e+21"},
		"an int for a Float":                 {"Float", 3, "3"},
		"a boolean":                          {"Boolean", true, "true"},
		"a pointer to a boolean":             {"Boolean", &yes, "true"},
		"a text for an ID":                   {"ID", "I_kw", `"I_kw"`},
		"an int for an ID":                   {"ID", 12, `"12"`},
		"a link":                             {"URI", link, `"https://github.com/acme?a=b&c"`},
		"a moment, in UTC and whole seconds": {"DateTime", moment, `"2024-05-06T07:08:09Z"`},
		"a pointer to a moment":              {"DateTime", &moment, `"2024-05-06T07:08:09Z"`},
		"no moment":                          {"DateTime", time.Time{}, "null"},
		"no moment, as text":                 {"DateTime", "", "null"},
		"a moment as text":                   {"DateTime", "2024-05-06T07:08:09Z", `"2024-05-06T07:08:09Z"`},
		"a moment with milliseconds":         {"PreciseDateTime", moment, `"2024-05-06T07:08:09.123Z"`},
		"a moment of git keeps its zone":     {"GitTimestamp", moment, `"2024-05-06T09:08:09+02:00"`},
		"a day":                              {"Date", moment, `"2024-05-06"`},
		"HTML":                               {"HTML", "<b>&</b>", `"<b>&</b>"`},
		"a large integer is a text":          {"BigInt", int64(1) << 40, `"1099511627776"`},
		"bytes in Base64":                    {"Base64String", "aGk=", `"aGk="`},
		"a scalar that the engine knows not": {"Custom", true, "true"},
		"a moment for such a scalar":         {"Custom", moment, `"2024-05-06T07:08:09Z"`},
		"an enum":                            {"Color", words("RED"), `"RED"`},
		"no enum":                            {"Color", "", "null"},
		"an enum's value in the wrong case":  {"Color", "red", "error"},
		"a text for an Int":                  {"Int", "12", "error"},
		"a number for a String":              {"String", 12, "error"},
		"a fraction for an Int":              {"Int", 1.5, "error"},
		"no number for a Float":              {"Float", math.NaN(), "error"},
		"a text for a Boolean":               {"Boolean", "true", "error"},
		"a struct for a String":              {"String", struct{}{}, "error"},
		"a number for a moment":              {"DateTime", 12, "error"},
		"a number of JSON that is none":      {"Float", json.Number("x"), "error"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := scalarEngine(t, &test.value).Execute(t.Context(), graphql.Query{Text: "{ v: " + test.scalar + " }"})
			if test.want == "error" {
				require.Len(t, got.Errors, 1)
				assert.Equal(t, []any{"v"}, got.Errors[0].Path)
				assert.Equal(t, `{"v":null}`, string(got.Data))
				return
			}
			require.Empty(t, got.Errors)
			assert.Equal(t, `{"v":`+test.want+`}`, string(got.Data))
		})
	}
}

func TestScalarsOfGitHubAreChecked(t *testing.T) {
	sha := strings.Repeat("0a", 20)
	tests := map[string]struct {
		scalar, literal string
		ok              bool
	}{
		"a link":                          {"URI", `"https://github.com/a"`, true},
		"a number for a link":             {"URI", `3`, false},
		"a moment":                        {"DateTime", `"2024-05-06T07:08:09Z"`, true},
		"a moment with an offset":         {"DateTime", `"2024-05-06T07:08:09+02:00"`, true},
		"a day for a moment":              {"DateTime", `"2024-05-06"`, false},
		"words for a moment":              {"DateTime", `"yesterday"`, false},
		"a moment with milliseconds":      {"PreciseDateTime", `"2024-05-06T07:08:09.123Z"`, true},
		"a day":                           {"Date", `"2024-05-06"`, true},
		"a moment for a day":              {"Date", `"2024-05-06T07:08:09Z"`, true},
		"a day that is not in the year":   {"Date", `"2024-02-30"`, false},
		"a full object id":                {"GitObjectID", `"` + sha + `"`, true},
		"a short object id":               {"GitObjectID", `"` + sha[:7] + `"`, false},
		"an object id that is none":       {"GitObjectID", `"` + strings.Repeat("xy", 20) + `"`, false},
		"a large integer":                 {"BigInt", `9007199254740993`, true},
		"a large integer as text":         {"BigInt", `"9007199254740993"`, true},
		"words for a large integer":       {"BigInt", `"many"`, false},
		"Base64":                          {"Base64String", `"aGk="`, true},
		"Base64 without its end":          {"Base64String", `"aGk"`, false},
		"a boolean for a scalar of yours": {"Custom", `true`, true},
		"an object for such a scalar":     {"Custom", `{a: 1}`, false},
		"an enum value for a text":        {"String", `RED`, false},
		"a text for an enum":              {"Color", `"RED"`, false},
		"an integer for a Float":          {"Float", `3`, true},
		"a fraction for an ID":            {"ID", `1.5`, false},
		"a boolean for an ID":             {"ID", `true`, false},
	}
	e := scalarEngine(t, nil)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			literal := e.Execute(t.Context(), graphql.Query{Text: "{ " + test.scalar + "(in: " + test.literal + ") }"})
			assert.Equal(t, test.ok, len(literal.Errors) == 0, "as a literal: %v", literal.Errors)

			var value any
			if json.Unmarshal([]byte(test.literal), &value) != nil {
				return // enum values and objects of GraphQL are no JSON
			}
			if test.scalar == "Color" {
				return // in JSON a text is right
			}
			variable := e.Execute(t.Context(), graphql.Query{
				Text: "query($v: " + test.scalar + ") { " + test.scalar + "(in: $v) }", Variables: map[string]any{"v": value},
			})
			assert.Equal(t, test.ok, len(variable.Errors) == 0, "as a variable: %v", variable.Errors)
		})
	}
}

func TestListsAreSlicesOfAnyKind(t *testing.T) {
	two := []string{"a", "b"}
	texts := [2]words{"x", "y"}
	tests := map[string]struct {
		value any
		want  string
	}{
		"a slice":                    {two, `["a","b"]`},
		"a slice of anything":        {[]any{"a", nil, 1.5}, `["a",null,null]`},
		"a slice of pointers":        {[]*string{&two[0], nil}, `["a",null]`},
		"a slice of a type of yours": {[]words{"x"}, `["x"]`},
		"an array":                   {texts, `["x","y"]`},
		"a pointer to a slice":       {&two, `["a","b"]`},
		"an empty slice":             {[]string{}, `[]`},
		"a nil slice":                {[]string(nil), `[]`},
		"nothing":                    {nil, `null`},
		"a nil pointer to a slice":   {(*[]string)(nil), `null`},
		"something that is no list":  {"a", `null`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e, err := graphql.New("type Query { list: [String] }", map[string]graphql.Resolver{
				"Query.list": func(context.Context, graphql.Request) (any, error) { return test.value, nil },
			}, graphql.Options{})
			require.NoError(t, err)
			got := e.Execute(t.Context(), graphql.Query{Text: "{ list }"})
			assert.Equal(t, `{"list":`+test.want+`}`, string(got.Data))
			_, isText := test.value.(string)
			assert.Equal(t, isText || strings.Contains(test.want, "null,null"), len(got.Errors) > 0, "errors: %v", got.Errors)
		})
	}
}
