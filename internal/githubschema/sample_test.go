package githubschema_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

// A sample is what its shape admits, for all that GitHub takes and answers.
func TestSamplesAreAdmitted(t *testing.T) {
	for _, op := range githubschema.Operations() {
		for _, shape := range []*githubschema.Shape{op.Answer, op.Body} {
			if shape != nil {
				assert.NoError(t, shape.Admits(githubschema.Sample(shape)), op.String())
			}
		}
	}
}

func TestSampleIsFilled(t *testing.T) {
	pull := githubschema.Sample(answerOf(t, "/repos/octocat/hello/pulls/1"))
	object, is := pull.(map[string]any)
	require.True(t, is)
	labels, is := object["labels"].([]any)
	require.True(t, is)
	assert.Len(t, labels, 2)
	assert.Regexp(t, `^2026-01-0\dT\d\d:\d\d:00Z$`, object["merged_at"])
	assert.Equal(t, "open", object["state"])
	assert.IsType(t, 0, object["number"])
	assert.IsType(t, true, object["merged"])
	assert.IsType(t, map[string]any{}, object["milestone"], "what may be null is there")

	seen := map[string]string{}
	var distinct func(at string, value any)
	distinct = func(at string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for name, field := range v {
				distinct(at+"."+name, field)
			}
		case []any:
			for n, element := range v {
				distinct(fmt.Sprintf("%s.%d", at, n), element)
			}
		case int:
			assert.Empty(t, seen[fmt.Sprint(v)], at)
			seen[fmt.Sprint(v)] = at
		}
	}
	distinct("", pull)
	assert.Greater(t, len(seen), 20)
}

func TestSampleOfAList(t *testing.T) {
	enum := &githubschema.Shape{Kind: githubschema.String, Enum: []string{"open", "closed"}}
	list := func(of *githubschema.Shape) *githubschema.Shape {
		return &githubschema.Shape{Kind: githubschema.List, Elem: of}
	}
	assert.Equal(t, []any{"open", "closed"}, githubschema.Sample(list(enum)), "the second element has the second value")
	text, err := json.Marshal(githubschema.Sample(list(list(list(list(list(enum)))))))
	require.NoError(t, err)
	assert.Equal(t, `[[[[["open"]],[["open"]]],[[["open"]],[["open"]]]],[[[["open"]],[["open"]]],[[["open"]],[["open"]]]]]`, string(text),
		"lists that lie deep in others have one element")
}

func TestSampleOfFormats(t *testing.T) {
	for format, want := range map[string]any{
		"date-time": "2026-01-01T00:01:00Z", "date": "2026-01-02", "uri": "https://github.com/sample/1", "uri-template": "https://github.com/sample/1",
		"email": "sample1@example.com", "": "sample 1", "other": "sample 1",
	} {
		assert.Equal(t, want, githubschema.Sample(&githubschema.Shape{Kind: githubschema.String, Format: format}), format)
	}
	flag := &githubschema.Shape{Kind: githubschema.Boolean}
	assert.Equal(t, []any{false, true}, githubschema.Sample(&githubschema.Shape{Kind: githubschema.List, Elem: flag}), "both are there")
	free := &githubschema.Shape{Kind: githubschema.Object, Elem: &githubschema.Shape{Kind: githubschema.Integer}}
	assert.Equal(t, map[string]any{"key1": 2}, githubschema.Sample(free), "a field of any name")
}

func TestSampleOfSeveralKindsIsTheRichest(t *testing.T) {
	object := &githubschema.Shape{Kind: githubschema.Object, Fields: []githubschema.Field{{Name: "n", Shape: &githubschema.Shape{Kind: githubschema.Number}}}}
	text := &githubschema.Shape{Kind: githubschema.String}
	assert.Equal(t, map[string]any{"n": 3.5}, githubschema.Sample(githubschema.Unite(text, object)))
}
