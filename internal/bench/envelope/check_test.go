package envelope_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
)

func extract(t *testing.T, answer string) envelope.Envelope {
	t.Helper()
	env, found := envelope.Extract(answer)
	require.True(t, found, "%s", answer)
	return env
}

func TestS3AssertionsOnTheEnvelope(t *testing.T) {
	const (
		list    = `{"ok":true,"data":{"items":[],"pageInfo":null},"error":null,"meta":{"route_used":"cli","attempts":[]}}`
		array   = `{"ok":true,"data":[{"id":1}],"error":null,"meta":{}}`
		nothing = `{"ok":true,"data":null,"error":null,"meta":null}`
		refused = `{"ok":false,"data":null,"error":{"code":"NOT_FOUND","message":"no such issue"},"meta":{}}`
	)
	cases := []struct {
		name, answer string
		assertions   bench.Assertions
		want         []string
	}{
		{"nothing is asserted", list, bench.Assertions{}, nil},
		{"required fields are there", list, bench.Assertions{RequiredFields: []string{"ok", "data", "error", "meta"}}, nil},
		{"a field that is required twice is absent once", `{"ok":true,"data":1,"error":null}`, bench.Assertions{RequiredFields: []string{"ok", "data", "error", "meta"}},
			[]string{`The envelope has no field "meta".`}},
		{"a required field that is not of the shape is there", `{"ok":true,"data":1,"error":null,"meta":{},"warnings":[]}`, bench.Assertions{RequiredFields: []string{"warnings"}}, nil},
		{"a required field that is not of the shape is absent", list, bench.Assertions{RequiredFields: []string{"warnings"}},
			[]string{`The envelope has no field "warnings".`}},
		{"a list is asserted by items and pageInfo, null counts as there", list,
			bench.Assertions{DataType: "object", RequiredDataFields: []string{"items", "pageInfo"}}, nil},
		{"a data field is absent", list, bench.Assertions{RequiredDataFields: []string{"items", "total"}},
			[]string{`The data has no field "total".`}},
		{"an array has no fields, not even those of its elements", array, bench.Assertions{RequiredDataFields: []string{"id"}},
			[]string{`The data is an array, so it has no fields id.`}},
		{"an array where one is asserted", array, bench.Assertions{DataType: "array"}, nil},
		{"an array where an object is asserted", array, bench.Assertions{DataType: "object"},
			[]string{`The data is an array, want an object.`}},
		{"a list result is not an array", list, bench.Assertions{DataType: "array"},
			[]string{`The data is an object, want an array.`}},
		{"a number is neither", `{"ok":true,"data":7,"error":null,"meta":{}}`, bench.Assertions{DataType: "object"}, []string{`The data is a number, want an object.`}},
		{"null is neither", nothing, bench.Assertions{DataType: "array"}, []string{`The data is null, want an array.`}},
		{"meta fields and route are there", list,
			bench.Assertions{RequiredMetaFields: []string{"route_used", "attempts"}, ExpectedRouteUsed: bench.RouteCLI}, nil},
		{"meta fields without a route that is expected", list, bench.Assertions{RequiredMetaFields: []string{"attempts"}}, nil},
		{"a route without meta fields", nothing, bench.Assertions{ExpectedRouteUsed: bench.RouteCLI}, []string{`The meta is null, want an object.`}},
		{"another route", list, bench.Assertions{ExpectedRouteUsed: bench.RouteGraphQL},
			[]string{`The meta's route_used is "cli", want "graphql".`}},
		{"no route", array, bench.Assertions{RequiredMetaFields: []string{"route_used"}, ExpectedRouteUsed: bench.RouteREST},
			[]string{`The meta has no field "route_used".`, `The meta names no route_used, want "rest".`}},
		{"meta is null", nothing, bench.Assertions{RequiredMetaFields: []string{"route_used"}},
			[]string{`The meta is null, want an object.`}},
		{"meta is null and nothing is asked of it", nothing, bench.Assertions{}, nil},
		{"the expected error code", refused, bench.Assertions{ExpectedErrorCode: bench.ErrorCodes{"NOT_FOUND"}}, nil},
		{"one of two error codes", refused, bench.Assertions{ExpectedErrorCode: bench.ErrorCodes{"UNKNOWN", "NOT_FOUND"}}, nil},
		{"none of two error codes", refused, bench.Assertions{ExpectedErrorCode: bench.ErrorCodes{"UNKNOWN", "VALIDATION"}},
			[]string{`The error's code is "NOT_FOUND", want "UNKNOWN" or "VALIDATION".`}},
		{"another error code", refused, bench.Assertions{ExpectedErrorCode: bench.ErrorCodes{"VALIDATION"}},
			[]string{`The error's code is "NOT_FOUND", want "VALIDATION".`}},
		{"no error where a code is expected", list, bench.Assertions{ExpectedErrorCode: bench.ErrorCodes{"VALIDATION"}},
			[]string{`There is no error, want one with the code "VALIDATION".`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, envelope.Check(extract(t, c.answer), c.assertions))
		})
	}
}

func TestS7ShapeIsCheckedWithoutAssertions(t *testing.T) {
	cases := []struct {
		name, answer string
		want         []string
	}{
		{"fields that are absent", `{"ok":true,"data":1}`,
			[]string{`The envelope has no field "error".`, `The envelope has no field "meta".`}},
		{"an error that is a text", `{"ok":false,"data":null,"error":"no such issue","meta":{}}`,
			[]string{`The error is a text, want null or an object.`}},
		{"an error that is false", `{"ok":true,"data":null,"error":false,"meta":{}}`,
			[]string{`The error is a boolean, want null or an object.`}},
		{"an error without code and message", `{"ok":false,"data":null,"error":{"code":404},"meta":{}}`,
			[]string{`The error has no code that is a text.`, `The error has no message that is a text.`}},
		{"an error whose retryable is a text", `{"ok":false,"data":null,"error":{"code":"X","message":"","retryable":"yes"},"meta":{}}`,
			[]string{`The error's retryable is a text, want true or false.`}},
		{"an error with all it may have", `{"ok":false,"data":null,"error":{"code":"X","message":"m","retryable":true,"details":[1]},"meta":{}}`, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, envelope.Check(extract(t, c.answer), bench.Assertions{}))
		})
	}
}

func TestAnEmptyEnvelopeMissesEachFieldOnce(t *testing.T) {
	assert.Equal(t, []string{
		`The envelope has no field "ok".`, `The envelope has no field "data".`, `The envelope has no field "error".`, `The envelope has no field "meta".`,
	}, envelope.Check(envelope.Envelope{}, bench.Assertions{RequiredFields: []string{"ok", "data", "error", "meta"}}))
}

func TestS14EachCodeHasAMeaningOfItsOwn(t *testing.T) {
	meanings := map[string]string{}
	for _, c := range envelope.Codes() {
		assert.NotEmpty(t, c.Meaning, c.Name)
		assert.Empty(t, meanings[c.Meaning], "%s means the same as %s", c.Name, meanings[c.Meaning])
		meanings[c.Meaning] = c.Name
	}
	assert.Len(t, meanings, 7)
}

func TestProblemsQuoteLittleOfTheAgent(t *testing.T) {
	code := strings.Repeat("é\\n", 1000)
	env := extract(t, `{"ok":false,"data":null,"error":{"code":"`+code+`","message":""},"meta":{}}`)
	problems := envelope.Check(env, bench.Assertions{ExpectedErrorCode: bench.ErrorCodes{"X"}})
	require.Len(t, problems, 1)
	assert.Less(t, len(problems[0]), 400)
	assert.NotContains(t, problems[0], "\n", "an agent cannot break the line")

	for code, want := range map[string]string{
		strings.Repeat("x", 80): strings.Repeat("x", 80),
		strings.Repeat("x", 81): strings.Repeat("x", 79) + "…",
	} {
		env := extract(t, `{"ok":false,"data":null,"error":{"code":"`+code+`","message":""},"meta":{}}`)
		assert.Equal(t, []string{`The error's code is "` + want + `", want "X".`}, envelope.Check(env, bench.Assertions{ExpectedErrorCode: bench.ErrorCodes{"X"}}))
	}
}
