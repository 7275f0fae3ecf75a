package jsondoc_test

import (
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
