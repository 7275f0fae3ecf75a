package githubschema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

func TestDecodeIsTheReverseOfEncode(t *testing.T) {
	text := &githubschema.Shape{Kind: githubschema.String, Nullable: true, Format: "date-time", Enum: []string{"a", "b"}, Least: new(int64(0)), Most: new(int64(9)), Default: `"a"`}
	list := &githubschema.Shape{Kind: githubschema.List, Elem: text}
	object := &githubschema.Shape{Kind: githubschema.Object, Elem: list, Fields: []githubschema.Field{{Name: "a", Optional: true, Shape: text}, {Name: "b", Shape: list}}, Required: []string{"b", "a"}}
	either := &githubschema.Shape{Kind: githubschema.Any, OneOf: []*githubschema.Shape{text, object}}
	document := githubschema.Document{Version: "1.2.3", Operations: []*githubschema.Operation{{
		Method: "GET", Path: "/a/{b}", ID: "a/get", Documentation: "https://docs.github.com/rest/a#get", Status: 200, Body: object, Answer: either,
		Parameters: []githubschema.Parameter{{Name: "b", In: "path", Required: true, Many: true, Shape: text}, {Name: "c", In: "query", Shape: list}},
	}, {Method: "DELETE", Path: "/a", ID: "a/delete", Documentation: "https://docs.github.com/rest/a#delete", Status: 204}}}
	back, err := githubschema.Decode(githubschema.Encode(document))
	require.NoError(t, err)
	assert.Equal(t, document, back)
	assert.Same(t, back.Operations[0].Parameters[0].Shape, back.Operations[0].Body.Fields[0].Shape, "equal shapes are one")
}

func TestDecodeRefuses(t *testing.T) {
	_, err := githubschema.Decode([]byte(`shapes`))
	assert.Error(t, err)
	_, err = githubschema.Decode([]byte(`{"operations":[{"op":"GET /"}]}`))
	assert.EqualError(t, err, `operation 0 is "GET /", want method, path and id`)
}
