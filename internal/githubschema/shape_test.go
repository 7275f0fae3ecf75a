package githubschema_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/githubschema"
)

func answerOf(t *testing.T, path string) *githubschema.Shape {
	t.Helper()
	op, known := githubschema.Find("GET", path)
	require.True(t, known, path)
	require.NotNil(t, op.Answer, path)
	return op.Answer
}

func TestAt(t *testing.T) {
	const issue = "/repos/octocat/hello/issues/1"
	for _, c := range []struct {
		name, path, at string
		want           githubschema.Kind
		wrong          string
	}{
		{"the value itself", issue, "", githubschema.Object, ""},
		{"a field", issue, "title", githubschema.String, ""},
		{"a number", issue, "number", githubschema.Integer, ""},
		{"a boolean", issue, "locked", githubschema.Boolean, ""},
		{"a length", issue, "assignees.length", githubschema.Integer, ""},
		{"an element of a list", issue, "assignees.0.login", githubschema.String, ""},
		{"an element of a list that has two kinds", issue, "labels.0.name", githubschema.String, ""},
		{"what may be null", issue, "milestone.title", githubschema.String, ""},
		{"a list", "/repos/octocat/hello/issues", "1.user.login", githubschema.String, ""},
		{"one of several answers", "/repos/octocat/hello/contents/a", "sha", githubschema.String, ""},
		{"another of several answers", "/repos/octocat/hello/contents/a", "0.sha", githubschema.String, ""},
		{"an object with any fields", "/repos/octocat/hello/languages", "Go", githubschema.Integer, ""},
		{"anything of what nothing is known of", "/repos/octocat/hello/deployments/1", "payload.a.0.b", githubschema.Any, ""},
		{"a field that one of two kinds lacks", issue, "labels.0.nam", "", `"labels.0" has no field "nam": did you mean "name"?`},
		{"a field that is not there", issue, "mileStone", "", `the value has no field "mileStone": did you mean "milestone"?`},
		{"a field further down", issue, "user.logn", "", `"user" has no field "logn": did you mean "login"?`},
		{"a field of a text", issue, "title.text", "", `"title" is a string and has no "text"`},
		{"a field of a list", issue, "labels.name", "", `"labels" is a list: "name" is neither an index nor "length"`},
		{"an index below 0", issue, "labels.-1", "", `"labels" is a list: "-1" is neither an index nor "length"`},
		{"an index of an object", issue, "0", "", `the value has no field "0"`},
		{"a step without a name", issue, "user..login", "", `"user" has no field ""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, err := answerOf(t, c.path).At(c.at)
			if c.wrong != "" {
				require.EqualError(t, err, c.wrong)
				assert.Equal(t, fault.Invalid, fault.KindOf(err))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, at.Kind)
		})
	}
}

func TestAdmits(t *testing.T) {
	const issue, pull = "/repos/octocat/hello/issues/1", "/repos/octocat/hello/pulls/1"
	for _, c := range []struct{ name, path, at, value, wrong string }{
		{"a text", issue, "title", `"a"`, ""},
		{"a number for a text", issue, "title", `1`, "an integer, where GitHub has a string"},
		{"a whole number", issue, "number", `3`, ""},
		{"a fraction for a whole number", issue, "number", `3.5`, "a number, where GitHub has an integer"},
		{"a text for a number", issue, "number", `"3"`, "a string, where GitHub has an integer"},
		{"null where it can be", pull, "merged_at", `null`, ""},
		{"null where it cannot be", issue, "number", `null`, "null, and GitHub never answers null here"},
		{"a value of an enum", pull, "state", `"closed"`, ""},
		{"a value that an enum does not have", pull, "state", `"close"`, `"close", which is none of open, closed: did you mean "closed"?`},
		{"null where nothing is known", "/repos/octocat/hello/deployments/1", "payload.a", `null`, ""},
		{"null for one of two kinds", issue, "labels.0", `null`, "null, and GitHub never answers null here"},
		{"a list", pull, "labels", `[{"name":"bug"}]`, ""},
		{"a wrong element", pull, "labels", `[{"name":"bug"},{"name":1}]`, `element 1 is an object whose "name" is an integer, where GitHub has a string`},
		{"an object", pull, "user", `{"login":"a","id":1}`, ""},
		{"a field that an object lacks", pull, "user", `{"name_":1}`, `an object with the field "name_", which GitHub does not have: did you mean "name"?`},
		{"either of two kinds", issue, "labels.0", `"bug"`, ""},
		{"none of two kinds", issue, "labels.0", `true`, "a boolean, where GitHub has an object"},
		{"anything where nothing is known", "/repos/octocat/hello/deployments/1", "payload", `{"any":[null]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, err := answerOf(t, c.path).At(c.at)
			require.NoError(t, err)
			var value any
			require.NoError(t, json.Unmarshal([]byte(c.value), &value))
			if err = at.Admits(value); c.wrong == "" {
				assert.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.wrong)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

// What Go programs write down is admitted as what they decode.
func TestAdmitsNumbersOfGo(t *testing.T) {
	number := &githubschema.Shape{Kind: githubschema.Number}
	whole := &githubschema.Shape{Kind: githubschema.Integer}
	for _, value := range []any{1, int64(1), uint64(1), 1.0, json.Number("1")} {
		assert.NoError(t, whole.Admits(value), "%T", value)
		assert.NoError(t, number.Admits(value), "%T", value)
	}
	for _, value := range []any{1.5, json.Number("1.5")} {
		assert.Error(t, whole.Admits(value), "%T", value)
		assert.NoError(t, number.Admits(value), "%T", value)
	}
}

func TestFieldIsOfObjects(t *testing.T) {
	text := &githubschema.Shape{Kind: githubschema.String}
	assert.Nil(t, (&githubschema.Shape{Kind: githubschema.List, Elem: text}).Field("a"))
	assert.Equal(t, text, (&githubschema.Shape{Kind: githubschema.Object, Elem: text}).Field("a"), "of any name")
	assert.EqualError(t, text.Admits(struct{}{}), "an any, where GitHub has a string")
}

func TestUnite(t *testing.T) {
	text, whole := &githubschema.Shape{Kind: githubschema.String}, &githubschema.Shape{Kind: githubschema.Integer}
	enum := func(values ...string) *githubschema.Shape {
		return &githubschema.Shape{Kind: githubschema.String, Enum: values}
	}
	object := func(fields ...githubschema.Field) *githubschema.Shape {
		return &githubschema.Shape{Kind: githubschema.Object, Fields: fields}
	}
	list := func(of *githubschema.Shape) *githubschema.Shape {
		return &githubschema.Shape{Kind: githubschema.List, Elem: of}
	}
	anything := &githubschema.Shape{Kind: githubschema.Any}
	for _, c := range []struct {
		name string
		of   []*githubschema.Shape
		want *githubschema.Shape
	}{
		{"one", []*githubschema.Shape{text}, text},
		{"the same twice", []*githubschema.Shape{text, text}, text},
		{"two kinds", []*githubschema.Shape{text, whole}, &githubschema.Shape{Kind: githubschema.Any, OneOf: []*githubschema.Shape{text, whole}}},
		{"one of several again", []*githubschema.Shape{{Kind: githubschema.Any, Nullable: true, OneOf: []*githubschema.Shape{text, whole}}, text},
			&githubschema.Shape{Kind: githubschema.Any, Nullable: true, OneOf: []*githubschema.Shape{text, whole}}},
		{"null of one", []*githubschema.Shape{text.OrNull(), text}, text.OrNull()},
		{"whole numbers and others", []*githubschema.Shape{whole, {Kind: githubschema.Number}}, &githubschema.Shape{Kind: githubschema.Number}},
		{"two enums", []*githubschema.Shape{enum("a", "b"), enum("b", "c")}, enum("a", "b", "c")},
		{"an enum and any text", []*githubschema.Shape{enum("a"), text}, text},
		{"something unknown", []*githubschema.Shape{text.OrNull(), anything}, anything.OrNull()},
		{"lists", []*githubschema.Shape{list(text), list(whole)}, list(&githubschema.Shape{Kind: githubschema.Any, OneOf: []*githubschema.Shape{text, whole}})},
		{"objects have the fields of both, and what one lacks is optional",
			[]*githubschema.Shape{object(githubschema.Field{Name: "a", Shape: text}, githubschema.Field{Name: "b", Shape: text}), object(githubschema.Field{Name: "b", Shape: text.OrNull()})},
			object(githubschema.Field{Name: "a", Optional: true, Shape: text}, githubschema.Field{Name: "b", Shape: text.OrNull()})},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, githubschema.Unite(c.of...)) })
	}
}
