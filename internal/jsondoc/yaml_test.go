package jsondoc_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

func TestParseYAMLReadsWhatJSONHas(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"an empty file", "", `{}`},
		{"comments alone", "# nothing\n", `{}`},
		{"whole numbers", "a: 0\nb: -5\nc: 9223372036854775807\nd: 9223372036854775808\n", `{"a":0,"b":-5,"c":9223372036854775807,"d":9223372036854775808}`},
		{"a switch that is off", "a: false", `{"a":false}`},
		{"names that are no words", "1.5: a\ntrue: b\nnull: c\n7: d\n", `{"1.5":"a","true":"b","null":"c","7":"d"}`},
		{"as deep as may be", strings.Repeat("[", 199) + "[], 1, []" + strings.Repeat("]", 199), strings.Repeat("[", 199) + "[], 1, []" + strings.Repeat("]", 199)},
		{"many lists", "a: [" + strings.Repeat("[], ", 300) + "]", `{"a":[` + strings.Repeat("[],", 299) + `[]]}`},
		{"a mapping", "a: 1\nb: two\nc: true\nd: null\ne: 1.5\n", `{"a":1,"b":"two","c":true,"d":null,"e":1.5}`},
		{"one field", "a: 1", `{"a":1}`},
		{"a field without a value", "a:\nb: 2", `{"a":null,"b":2}`},
		{"nested", "a:\n  b:\n    - c\n    - d: 1\n      e: 2\n", `{"a":{"b":["c",{"d":1,"e":2}]}}`},
		{"flow", `a: {b: [1, "2", x]}`, `{"a":{"b":[1,"2","x"]}}`},
		{"quotes", "a: \"1\"\nb: 'it''s'\n\"c d\": 3", `{"a":"1","b":"it's","c d":3}`},
		{"a block of text", "a: |\n  one\n  two\n", `{"a":"one\ntwo\n"}`},
		{"words that other versions take for booleans", "on: yes\noff: no", `{"on":"yes","off":"no"}`},
		{"a document's start", "---\na: 1\n", `{"a":1}`},
		{"nothing after the document", "a: 1\n---\n", `{"a":1}`},
		{"what looks like a document's start in a text", "---\na: |\n  ---\n  ---\n", `{"a":"---\n---\n"}`},
		{"comments in between", "# head\na: # tail\n  # inner\n  - 1 # one\n", `{"a":[1]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, problems := jsondoc.ParseYAML("bench.yml", []byte(c.yaml))
			require.Empty(t, problems)
			got, err := json.Marshal(doc.Value())
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(got))
		})
	}
}

func TestParseYAMLSaysWhereAProblemIs(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{"broken syntax", "a: 1\nb: [1, 2\n", "bench.yml:2:4: is no YAML"},
		{"a field twice", "a: 1\nb: 2\na: 3\n", "bench.yml:3:1: "},
		{"a field twice in a list of names", "{a, b, a}", "bench.yml:1:8: a: is there twice: remove it here or in line 1"},
		{"what is said of broken syntax", "a: b: c\n", "bench.yml:1:4: is no YAML: mapping value is not allowed in this context"},
		{"a name that is no word", "? a\n: b\nc: .nan\n", "bench.yml:1:1: has an object for a field's name: want a word\nbench.yml:3:4: c: is no finite number"},
		{"a directive", "%YAML 1.2\n---\n", "is something, which settings do not have"},
		{"a large file by one", "a: " + strings.Repeat("x", jsondoc.MaxYAML-2), "bench.yml:1:1: the file has"},
		{"brackets that are too deep", strings.Repeat("[", 201) + strings.Repeat("]", 201), "nested deeper"},
		{"brackets that are too deep after others", "[[]," + strings.Repeat("[", 200) + strings.Repeat("]", 201), "nested deeper"},
		{"brackets that are too deep after closed ones in a text", "[']]]', " + strings.Repeat("[", 201) + strings.Repeat("]", 202), "nested deeper"},
		{"lists that are too deep", strings.Repeat("- ", 201) + "a", "is nested deeper than 200 levels"},
		{"fields that are too deep", deepFields(201), "is nested deeper than 200 levels"},
		{"an anchor", "a: &x [1]\n", "bench.yml:1:4: a: is an anchor (&)"},
		{"an alias", "a: 1\nb: *a\n", "an alias (*)"},
		{"a merge key", "a: 1\nb:\n  <<: {c: 1}\n", "bench.yml:3:3: b: has a merge key (<<)"},
		{"a tag", "a: !!binary aGk=\n", "is a tag (!)"},
		{"no number", "a: .nan\n", "no finite number"},
		{"an element after another", "a:\n  - 1\n  - .nan\n", "bench.yml:3:5: a[1]: is no finite number"},
		{"a field after a list", "a:\n  - 1\nb: .nan\n", "bench.yml:3:4: b: is no finite number"},
		{"several documents", "a: 1\n---\nb: 2\n", "several documents"},
		{"a document after an empty one", "---\n# none\n---\na: 1\n", "several documents"},
		{"several documents, with an empty one between", "a: 1\n---\n---\nb: 2\n", "several documents"},
		{"a large file", "a: " + strings.Repeat("x", jsondoc.MaxYAML), "bench.yml:1:1: the file has"},
		{"deep brackets", "a: " + strings.Repeat("[", jsondoc.MaxYAML/2), "nested deeper"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, problems := jsondoc.ParseYAML("bench.yml", []byte(c.yaml))
			require.NotEmpty(t, problems)
			assert.Contains(t, problems.Error(), c.want)
		})
	}
}

// deepFields nests fields by indentation.
func deepFields(depth int) string {
	var text strings.Builder
	for i := range depth {
		text.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return text.String()
}

func TestAYAMLDocumentKnowsWhereItsValuesAre(t *testing.T) {
	text := "# settings\na:\n  b: 1\n  c:\n    - x\n    - {d: 2}\n"
	doc, problems := jsondoc.ParseYAMLUpTo("bench.yml", []byte(text), len(text))
	require.Empty(t, problems)
	assert.Equal(t, "bench.yml", doc.File())
	for path, want := range map[string][4]int{ // lines and columns of the value and of its name
		"":        {2, 1, 2, 1},
		"a":       {3, 3, 2, 1},
		"a/b":     {3, 6, 3, 3},
		"a/none":  {3, 3, 3, 3},
		"a/c/0":   {5, 7, 5, 7},
		"a/c/1":   {6, 8, 6, 8},
		"a/c/1/d": {6, 11, 6, 8},
	} {
		names := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
		line, column := doc.Position(names...)
		keyLine, keyColumn := doc.KeyPosition(names...)
		assert.Equal(t, want, [4]int{line, column, keyLine, keyColumn}, path)
	}
	value, exists := doc.At("a", "c", "1", "d")
	assert.True(t, exists)
	assert.Equal(t, 2, value)
	_, problems = jsondoc.ParseYAML("bench.yml", nil)
	require.Empty(t, problems)
}

func TestASchemaPointsIntoYAML(t *testing.T) {
	schema, err := jsondoc.CompileSchema("schema.json", []byte(`{
		"type": "object", "additionalProperties": false,
		"properties": {"budget": {"type": "object", "properties": {"run": {"type": "number", "minimum": 0}}}}
	}`))
	require.NoError(t, err)
	doc, problems := jsondoc.ParseYAML("bench.yml", []byte("# settings\nbudget:\n  run: -1\nbugdet: 2\n"))
	require.Empty(t, problems)
	found := schema.Validate(doc)
	require.Len(t, found, 2)
	assert.Equal(t, 3, found[0].Line)
	assert.Equal(t, 8, found[0].Column)
	assert.Equal(t, 4, found[1].Line)
}

func FuzzParseYAML(f *testing.F) {
	for _, s := range []string{
		"", "a: 1", "a:\n  - b\n  - c: {d: [e]}\n", "a: &x 1\nb: *x\n", "a: |\n  x\n", "? a\n: b\n", "- 1\n- 2\n", "a: \"\\u0000\"", "{a: 1, b: 2}", "\t", "%YAML 1.2\n---\na: 1\n...\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, problems := jsondoc.ParseYAML("f.yml", data)
		if doc == nil {
			require.NotEmpty(t, problems)
			return
		}
		for _, p := range problems {
			require.Positive(t, p.Line)
			require.Positive(t, p.Column)
		}
		if hasOnlyJSON(doc.Value()) {
			_, err := json.Marshal(doc.Value())
			require.NoError(t, err)
		}
	})
}

// hasOnlyJSON is false for numbers that JSON cannot hold.
func hasOnlyJSON(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			if !hasOnlyJSON(v) {
				return false
			}
		}
	case []any:
		for _, v := range value {
			if !hasOnlyJSON(v) {
				return false
			}
		}
	case float64:
		return !math.IsInf(value, 0) && !math.IsNaN(value)
	}
	return true
}
