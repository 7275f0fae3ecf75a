package jsondoc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// shapes has the constructs that schemas of people's files use: a required
// field, closed objects, a discriminated union, references and annotations.
const shapes = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["id"],
  "properties": {"id": {"type": "string"}, "type": {"enum": ["atomic", "workflow"]}},
  "allOf": [
    {"if": {"properties": {"type": {"const": "workflow"}}, "required": ["type"]}, "then": {"$ref": "#/$defs/workflow"}},
    {"if": {"properties": {"type": {"const": "atomic"}}}, "then": {"$ref": "#/$defs/atomic"}}
  ],
  "$defs": {
    "workflow": {
      "required": ["prompt"],
      "properties": {"$schema": true, "id": true, "type": true, "prompt": {"type": "string", "minLength": 1}},
      "additionalProperties": false
    },
    "atomic": {
      "required": ["task", "timeout_ms"],
      "properties": {
        "id": {"pattern": "^[a-z]+-[0-9]{3}$", "examples": ["merge-001"]},
        "type": true,
        "task": {"type": "string"},
        "timeout_ms": {"type": "integer", "minimum": 1, "maximum": 10},
        "share": {"exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "minItems": 1, "maxItems": 3},
        "name": {"type": "string", "minLength": 1, "maxLength": 5},
        "bindings": {"patternProperties": {"^input\\.": {"type": "string"}}, "additionalProperties": false, "minProperties": 1, "examples": [{"input.a": "b"}]},
        "either": {"anyOf": [{"type": "string"}, {"type": ["integer", "null"]}]},
        "level": {"oneOf": [{"const": "low", "description": "Low."}, {"const": "high", "description": "High."}]},
        "shape": {"oneOf": [
          {"type": "object", "required": ["kind", "radius"], "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}},
          {"type": "object", "required": ["kind", "side", "colour"], "properties": {"kind": {"const": "square"}, "side": {"type": "number"}, "colour": {"type": "string"}}}
        ]},
        "never": false,
        "version": {"const": 2},
        "only": {"enum": ["this"]},
        "mixed": {"enum": [1, "ab"]},
        "one": {"oneOf": [{"minimum": 1}, {"maximum": 5}]},
        "nested": {"anyOf": [{"type": "object", "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "m": {"type": "integer"}}}, {"type": "string"}]},
        "names": {"patternProperties": {"^a": true}, "additionalProperties": false},
        "more": {"patternProperties": {"^a": true}, "additionalProperties": false, "examples": []},
        "even": {"multipleOf": 2}
      },
      "additionalProperties": false
    }
  }
}`

func TestValidateSaysEachDefectOnce(t *testing.T) {
	schema, err := jsondoc.CompileSchema("shapes.json", []byte(shapes))
	require.NoError(t, err)
	atomic := func(more string) string { return `{"id": "a-001", "task": "t", "timeout_ms": 1, ` + more + `}` }
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing is wrong", atomic(`"tags": ["x"], "either": null, "level": "low", "bindings": {"input.a": "b"}`), nil},
		{"fields are missing, in an atomic one", `{"id": "a-001"}`, []string{
			"f.json:1:1: task: is missing",
			"f.json:1:1: timeout_ms: is missing",
		}},
		{"only what a workflow needs is missing", `{"id": "a", "type": "workflow"}`, []string{"f.json:1:1: prompt: is missing"}},
		{"an unknown type hides what depends on it", `{"id": "a", "type": "workflw", "prompt": 3}`, []string{
			`f.json:1:21: type: must be one of "atomic", "workflow", is "workflw": did you mean "workflow"?`,
		}},
		{"an unknown field that is like a known one", `{"id": "a", "type": "workflow", "prompt": "p", "promt": "p"}`, []string{
			`f.json:1:48: promt: unknown field "promt": did you mean "prompt"?`,
		}},
		{"an unknown field that was meant to be the missing one", `{"id": "a", "type": "workflow", "promt": "p"}`, []string{
			`f.json:1:33: promt: unknown field "promt": did you mean "prompt"?`,
		}},
		{"an unknown field like no other", `{"id": "a", "type": "workflow", "prompt": "p", "timeout": 1}`, []string{
			`f.json:1:48: timeout: unknown field "timeout": known are $schema, id, prompt, type`,
		}},
		{"a field whose name does not match", atomic(`"bindings": {"owner": "x"}`), []string{
			`f.json:1:60: bindings.owner: unknown field "owner": known are those that match ^input\. (for example "input.a")`,
		}},
		{"a value that does not match", `{"id": "A", "task": "t", "timeout_ms": 1}`, []string{
			`f.json:1:8: id: must match ^[a-z]+-[0-9]{3}$ (for example "merge-001"), is "A"`,
		}},
		{"a wrong type", `{"id": "a-001", "task": [], "timeout_ms": 1.5}`, []string{
			`f.json:1:25: task: must be a string, is an array`,
			`f.json:1:43: timeout_ms: must be a whole number, is 1.5`,
		}},
		{"another document than an object", `[]`, []string{`f.json:1:1: must be an object, is an array`}},
		{"a number below its minimum", `{"id": "a-001", "task": "t", "timeout_ms": 0}`, []string{`f.json:1:44: timeout_ms: must be at least 1, is 0`}},
		{"a number above its maximum", `{"id": "a-001", "task": "t", "timeout_ms": 1000000}`, []string{`f.json:1:44: timeout_ms: must be at most 10, is 1000000`}},
		{"a number that its lower bound leaves out", atomic(`"share": 0`), []string{`f.json:1:56: share: must be more than 0, is 0`}},
		{"a number that its upper bound leaves out", atomic(`"share": 1.5`), []string{`f.json:1:56: share: must be less than 1, is 1.5`}},
		{"an element twice", atomic(`"tags": ["x", "y", "x"]`), []string{`f.json:1:66: tags[2]: is the same as element 0: want each once`}},
		{"too few elements", atomic(`"tags": []`), []string{`f.json:1:55: tags: must have 1 or more elements, has 0`}},
		{"too many elements, one of a wrong type", atomic(`"tags": ["a", "b", "c", 4]`), []string{
			`f.json:1:55: tags: must have at most 3 elements, has 4`,
			`f.json:1:71: tags[3]: must be a string, is 4`,
		}},
		{"a string that is too short", atomic(`"name": ""`), []string{`f.json:1:55: name: must have 1 or more characters, has 0`}},
		{"a string that is too long", atomic(`"name": "abcdéf"`), []string{`f.json:1:55: name: must have at most 5 characters, has 6`}},
		{"too few fields", atomic(`"bindings": {}`), []string{`f.json:1:59: bindings: must have 1 or more fields, has 0`}},
		{"no type of several", atomic(`"either": true`), []string{`f.json:1:57: either: must be a string or a whole number or null, is true`}},
		{"no constant of several", atomic(`"level": "hih"`), []string{`f.json:1:56: level: must be one of "low", "high", is "hih": did you mean "high"?`}},
		{"a part of the alternative that its constant names", atomic(`"shape": {"kind": "square", "side": 1}`), []string{
			`f.json:1:56: shape.colour: is missing`,
		}},
		{"the alternative that its constant names, with as many defects as another one", atomic(`"shape": {"kind": "square", "side": "x", "colour": 1}`), []string{
			`f.json:1:83: shape.side: must be a number, is "x"`,
			`f.json:1:98: shape.colour: must be a string, is 1`,
		}},
		{"the first alternative, that its constant names", atomic(`"shape": {"kind": "circle", "radius": "x"}`), []string{
			`f.json:1:85: shape.radius: must be a number, is "x"`,
		}},
		{"a type within an alternative", atomic(`"nested": {"m": "x"}`), []string{`f.json:1:63: nested.m: must be a whole number, is "x"`}},
		{"alternatives within an alternative", atomic(`"nested": {"n": true}`), []string{`f.json:1:63: nested.n: must be a whole number or null, is true`}},
		{"more alternatives than one", atomic(`"one": 3`), []string{`f.json:1:54: one: does not fit the schema's rule "oneOf"`}},
		{"another constant", atomic(`"version": 3`), []string{`f.json:1:58: version: must be 2, is 3`}},
		{"another value than the only one", atomic(`"only": "that"`), []string{`f.json:1:55: only: must be "this", is "that": did you mean "this"?`}},
		{"a text among values that are none", atomic(`"mixed": "a"`), []string{`f.json:1:56: mixed: must be one of 1, "ab", is "a": did you mean "ab"?`}},
		{"null and an object", atomic(`"tags": null, "name": {}`), []string{
			`f.json:1:55: tags: must be an array, is null`,
			`f.json:1:69: name: must be a string, is an object`,
		}},
		{"a field whose name does not match, without an example", atomic(`"names": {"b": 1}, "more": {"c": 1}`), []string{
			`f.json:1:57: names.b: unknown field "b": known are those that match ^a`,
			`f.json:1:75: more.c: unknown field "c": known are those that match ^a`,
		}},
		{"an unknown field like one that is wrong too", `{"id": "a", "type": "workflow", "prompt": 3, "promt": "p"}`, []string{
			`f.json:1:43: prompt: must be a string, is 3`,
			`f.json:1:46: promt: unknown field "promt": did you mean "prompt"?`,
		}},
		{"the type of all alternatives", atomic(`"shape": 1`), []string{`f.json:1:56: shape: must be an object, is 1`}},
		{"a field that is not allowed", atomic(`"never": 1`), []string{`f.json:1:47: never: is not allowed here: remove it`}},
		{"a rule without a sentence of its own", atomic(`"even": 3`), []string{`f.json:1:55: even: does not fit the schema's rule "multipleOf"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range schema.Validate(parse(t, tt.text)) {
				got = append(got, p.String())
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestTypeNamesSayWhatIsWanted(t *testing.T) {
	assert.Equal(t, "a number or a string or a whole number or an array or an object or null or true or false",
		jsondoc.TypeNames([]string{"object", "array", "string", "integer", "number", "boolean", "null", "null"}))
}

func TestALikelyWordIsSuggested(t *testing.T) {
	known := []string{"model", "prompt"}
	long := strings.Repeat("x", 99)
	for word, want := range map[string]string{
		"prmt":      `: did you mean "prompt"?`,
		"PROMPT":    `: did you mean "prompt"?`,
		"scenario":  "",
		"x":         "",
		long + "b":  fmt.Sprintf(": did you mean %q?", long+"a"), // as long as is looked for
		long + "ab": "",
	} {
		assert.Equal(t, want, jsondoc.DidYouMean(word, append(known, long+"a")), word)
	}
}

func TestASchemaReadsNoFile(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.json")
	require.NoError(t, os.WriteFile(other, []byte(`{"type": "string"}`), 0o600))
	_, err := jsondoc.CompileSchema("s.json", fmt.Appendf(nil, `{"$ref": "file://%s"}`, other))
	assert.ErrorContains(t, err, "is not part of the program")
}

func TestCompileSchemaRefusesWhatIsNotSelfContained(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON":               `{`,
		"not a schema":           `{"type": "text"}`,
		"a reference to a file":  `{"$ref": "other.json"}`,
		"a reference to the web": `{"$ref": "https://example.com/schema.json"}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := jsondoc.CompileSchema("s.json", []byte(text))
			require.Error(t, err)
			assert.Equal(t, fault.Internal, fault.KindOf(err))
		})
	}
}
