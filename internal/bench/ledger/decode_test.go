package ledger

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// fill sets every field of v to something that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`[{"change":"created","n":[1,null]}]`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1234.5678)
	case reflect.Int, reflect.Int64:
		v.SetInt(-98765)
	case reflect.Uint64:
		v.SetUint(1<<64 - 1)
	default:
		panic("a row has a field of a new kind: " + v.Kind().String())
	}
}

func fullRow(t testing.TB) []byte {
	var row bench.Row
	fill(reflect.ValueOf(&row).Elem())
	line, err := json.Marshal(row)
	require.NoError(t, err)
	return line
}

func TestR2EveryFieldOfARowIsDecoded(t *testing.T) {
	line := fullRow(t)
	var want bench.Row
	require.NoError(t, json.Unmarshal(line, &want))
	var s slot
	require.NoError(t, s.decode(line, false))
	assert.Equal(t, want, *s.row())
	assert.Equal(t, required(hasAll), s.has)
}

// oddLines are rows that are not written as rows usually are.
func oddLines() map[string]string {
	return map[string]string{
		"nothing":                              `{}`,
		"an empty line":                        ``,
		"null":                                 `null`,
		"a list":                               `[]`,
		"space everywhere":                     " { \"mode\" :\t\"ghx\" , \"iteration\" : 3 } \r",
		"a name in another case":               `{"Run_ID":"a","TOKENS":{"INPUT":4}}`,
		"a name with a letter that folds to k": `{"to\u212Aens":{"input":4},"toKens":{"total":1}}`,
		"an escaped name":                      `{"run\u005fid":"a"}`,
		"a name twice, the last wins":          `{"run_id":"a","run_id":"b","iteration":1,"iteration":2}`,
		"an object twice":                      `{"tokens":{"input":1},"tokens":{"output":2},"error":{"type":"a"},"error":{"message":"b"}}`,
		"an object, null and an object":        `{"error":{"type":"a"},"error":null,"error":{"message":"b"}}`,
		"a list twice":                         `{"attempts":[{"cost":1},{"cost":2}],"attempts":[{"latency_ms_wall":3}],"attempts":[{},{}]}`,
		"a map twice":                          `{"tools":{"gh":"1","ghx":"2"},"tools":{"gh":null}}`,
		"raw values, and booleans that may be null": `{"changes": [ {"a" : 1} ] ,"changes":null,"route_ok":true,"route_ok":null,"footprint_judged":false}`,
		"nulls":                             `{"run_id":null,"tokens":null,"iteration":null,"session_id":null,"attempts":null,"tools":null,"refused_hosts":[null]}`,
		"text that is not UTF-8, then null": "{\"run_id\":\"a\xb9\xb9\",\"run_id\":null,\"se\x8dsio&_id\":\"s\",\"session_id\":null}",
		"NaN":                               `{"cost":NaN}`,
		"infinity":                          `{"cost":-Infinity}`,
		"a number of 400 digits":            `{"cost":` + strings.Repeat("9", 400) + `,"iteration":1}`,
		"a value, then null":                `{"run_id":"a","run_id":null,"session_id":"s","session_id":null}`,
		"escapes":                           `{"run_id":"\"\\\/\b\f\n\r\t\u0041\u00e9"}`,
		"a pair of surrogates":              `{"run_id":"\ud83d\ude00"}`,
		"half a pair of surrogates":         `{"run_id":"\ud83d","session_id":"\ude00\ud83d\u0041"}`,
		"a bad escape":                      `{"run_id":"\x41"}`,
		"a bad escape in what is skipped":   `{"other":"\u12g4"}`,
		"bytes that are not UTF-8":          "{\"run_id\":\"a\xff\xfeb\"}",
		"a name that is not UTF-8":          "{\"run\xff\":1}",
		"a control character":               "{\"run_id\":\"a\x01\"}",
		"exponents":                         `{"latency_ms_wall":1.5e3,"cost":2E-2,"sdk_latency_ms":1e+2}`,
		"a number beyond float64":           `{"cost":1e999}`,
		"a number below float64":            `{"cost":1e-999}`,
		"digits beyond float64":             `{"cost":9007199254740993,"latency_ms_wall":0.1000000000000000055511151231257827}`,
		"minus nought":                      `{"cost":-0,"iteration":-0}`,
		"an integer with an exponent":       `{"iteration":1e0}`,
		"an integer with a fraction":        `{"iteration":1.0}`,
		"an integer beyond 64 bits":         `{"tokens":{"total":9223372036854775808}}`,
		"the largest integer":               `{"tokens":{"total":9223372036854775807},"order":{"seed":18446744073709551615}}`,
		"a number with a leading nought":    `{"cost":01}`,
		"a number without a fraction":       `{"cost":1.}`,
		"a number without an exponent":      `{"cost":1e}`,
		"a number that is a text":           `{"iteration":"1"}`,
		"a text that is a number":           `{"run_id":1}`,
		"an object that is a list":          `{"tokens":[]}`,
		"unknown fields of every kind":      `{"a":1,"b":"x\n","c":[1,{"d":[]}],"e":{"f":null},"g":true,"h":false,"latency_ms_agent":-1.5e-3}`,
		"unknown fields within":             `{"model":{"family":"x"},"git":{"dirty":true},"attempts":[{"n":[1]}]}`,
		"a comma too many":                  `{"iteration":1,}`,
		"more after the end":                `{"iteration":1}{}`,
		"a deep value that is skipped":      `{"deep":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
		"a value that is too deep":          `{"deep":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`,
		"an end within a string":            `{"run_id":"a`,
		"an end within a literal":           `{"success":tru`,
		"a literal that goes on":            `{"success":truest}`,
	}
}

// agree fails unless decode makes of line what encoding/json does, but for
// fields that are null after they had a value: those are missing.
func agree(t *testing.T, line []byte) {
	t.Helper()
	var want bench.Row
	wantErr := json.Unmarshal(line, &want)
	var s, whole slot
	require.NoError(t, s.decode(fullRow(t), false), "a used slot must not show")
	err := s.decode(line, false)
	if wantErr != nil {
		require.Error(t, err)
		require.Equal(t, explain(wantErr), explain(err))
		return
	}
	require.NoError(t, err)
	require.NoError(t, whole.decode(line, true))
	require.Equal(t, want, *whole.row())
	require.Equal(t, s.has, whole.has)
	want.Extra = nil
	all := reflect.ValueOf(&want).Elem()
	must := reflect.TypeFor[fields]()
	for i := 1; i < must.NumField(); i++ { // after the row itself, in the order of required
		if s.has&(1<<(i-1)) == 0 {
			all.FieldByName(must.Field(i).Name).SetZero()
		}
	}
	require.Equal(t, want, *s.row())
}

func TestDecodeAgreesWithEncodingJSON(t *testing.T) {
	for name, line := range oddLines() {
		t.Run(name, func(t *testing.T) { agree(t, []byte(line)) })
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(fullRow(f))
	for _, line := range oddLines() {
		f.Add([]byte(line))
	}
	f.Fuzz(agree)
}
