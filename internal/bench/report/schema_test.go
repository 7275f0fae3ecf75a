package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

const summarySchema = "../../../docs/summary.schema.json"

type object = map[string]any

// enums are the words of types whose words are all known.
var enums = map[reflect.Type][]any{
	reflect.TypeFor[bench.Verdict]():  {bench.VerdictPass, bench.VerdictFail, bench.VerdictNone, bench.VerdictInconclusive},
	reflect.TypeFor[bench.Operator](): {bench.AtLeast, bench.AtMost},
}

// schemas collects the definitions of structs.
type schemas struct{ defs object }

// of returns the schema of a type, as encoding/json writes it.
func (s *schemas) of(t reflect.Type) object {
	if words, known := enums[t]; known {
		return object{"enum": words}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return object{"anyOf": []any{s.of(t.Elem()), object{"type": "null"}}}
	case reflect.Struct:
		if s.defs[t.Name()] == nil {
			s.defs[t.Name()] = object{}
			s.defs[t.Name()] = s.structure(t)
		}
		return object{"$ref": "#/$defs/" + t.Name()}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Array:
		return object{"type": "array", "items": s.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	default:
		panic("a summary has a field of type " + t.String())
	}
}

func (s *schemas) structure(t reflect.Type) object {
	properties, required := object{}, []string{}
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || name == "-" {
			continue
		}
		if name == "" {
			panic("field " + field.Name + " of " + t.Name() + " has no name in JSON")
		}
		properties[name] = s.of(field.Type)
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	return object{"type": "object", "properties": properties, "required": required}
}

// generated returns the schema of a summary. What it does not name is allowed:
// later versions add fields.
func generated(t *testing.T) []byte {
	t.Helper()
	s := schemas{defs: object{}}
	schema := s.of(reflect.TypeFor[bench.Summary]())
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "summary.json of bench, schema 1"
	schema["description"] = "Fields are added without a new version of the schema. Figures are explained in docs/metrics.md and docs/evidence.md."
	schema["$defs"] = s.defs
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(schema))
	return out.Bytes()
}

// shipped compiles the schema that is in the docs.
func shipped(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(summarySchema)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("summary.schema.json", document))
	schema, err := compiler.Compile("summary.schema.json")
	require.NoError(t, err)
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, text string) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	return schema.Validate(document)
}

func TestTheSchemaIsThatOfASummary(t *testing.T) {
	testkit.CheckGolden(t, "the schema that readers of summary.json can rely on", summarySchema, generated(t))
}

func TestSummariesOfEveryKindAreAsTheSchemaSays(t *testing.T) {
	schema := shipped(t)
	summaries := map[string]bench.Summary{"empty": {Gate: bench.Gate{Verdict: bench.VerdictNone}}}
	for _, e := range examples() {
		summaries[e.name] = e.summary
	}
	all, err := fake.All()
	require.NoError(t, err)
	for _, v := range all {
		summaries["evidence "+v.Name] = judged(v)
	}
	// What the gate makes of rows, with one mode and with both.
	rows := rowsFor(passing())
	for _, n := range []int{1, 2, len(rows)} {
		var c gate.Collector
		for i := range rows[:n] {
			require.NoError(t, c.Add(&rows[i]))
		}
		summary, err := c.Summarize(gate.Options{Profile: bench.VerifyPR, Thresholds: bench.DefaultThresholds(bench.VerifyPR), Baseline: bench.AgentDirect, Candidate: bench.GHX})
		require.NoError(t, err)
		summaries["gate of rows "+string(rune('0'+n))] = summary
	}
	require.Greater(t, len(summaries), 14)
	for name, summary := range summaries {
		assert.NoError(t, validate(t, schema, written(t, report.JSON, summary)), name)
	}
}

func TestTheSchemaFindsWhatIsWrong(t *testing.T) {
	schema := shipped(t)
	text := written(t, report.JSON, judgedFirst(t))
	require.NoError(t, validate(t, schema, text))
	for name, change := range map[string][2]string{
		"a field is gone":               {`"deltaVsAgentDirect":`, `"delta":`},
		"a list is null":                {`"warnings": [`, `"warnings": null, "others": [`},
		"a verdict of another name":     {`"verdict": "`, `"verdict": "un`},
		"a number is a text":            {`"costUsd": `, `"costUsd": "", "other": `},
		"a field of evidence is gone":   {`"blocksNotJudged":`, `"notJudged":`},
		"an endpoint's change is null":  {`"change": `, `"change": null, "other": `},
		"an integer has a decimal part": {`"schemaVersion": 1`, `"schemaVersion": 1.5`},
	} {
		require.Contains(t, text, change[0], name)
		assert.Error(t, validate(t, schema, strings.Replace(text, change[0], change[1], 1)), name)
	}
	added := strings.Replace(text, `"warnings": [`, `"later": {"a": 1}, "warnings": [`, 1)
	assert.NoError(t, validate(t, schema, added), "a field of a later version")
}

func judgedFirst(t *testing.T) bench.Summary {
	all, err := fake.All()
	require.NoError(t, err)
	for _, v := range all {
		if s := judged(v); s.Evidence != nil && len(s.Evidence.Endpoints) > 0 {
			s.SchemaVersion = bench.SummarySchemaVersion
			return s
		}
	}
	require.Fail(t, "there is no verdict with figures")
	return bench.Summary{}
}

// TestG12WhatReadersOfSchema1ReadStays holds the fields that were there when the
// schema was first shipped. A field may be added to the list, and none may go or
// become something else as long as the version is 1.
func TestG12WhatReadersOfSchema1ReadStays(t *testing.T) {
	require.Equal(t, 1, bench.SummarySchemaVersion)
	text, err := os.ReadFile(summarySchema)
	require.NoError(t, err)
	var schema struct {
		Defs map[string]struct {
			Properties map[string]json.RawMessage
			Required   []string
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(text, &schema))
	have := map[string]bool{}
	for name, def := range schema.Defs {
		for property, is := range def.Properties {
			var compact bytes.Buffer
			require.NoError(t, json.Compact(&compact, is))
			presence := "optional"
			if slices.Contains(def.Required, property) {
				presence = "always"
			}
			have[name+"."+property+" "+presence+" "+compact.String()] = true
		}
	}
	frozen, err := os.ReadFile("testdata/schema1.txt")
	require.NoError(t, err)
	fields := strings.Split(strings.TrimSpace(string(frozen)), "\n")
	require.Greater(t, len(fields), 150)
	for _, field := range fields {
		assert.True(t, have[field], "readers of schema 1 rely on %s", field)
	}
}
