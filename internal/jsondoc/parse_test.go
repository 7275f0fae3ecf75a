package jsondoc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

func parse(t *testing.T, text string) *jsondoc.Document {
	t.Helper()
	document, problems := jsondoc.Parse("f.json", []byte(text))
	require.Empty(t, problems)
	return document
}

func TestParseSaysWhatIsWrongAndWhere(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{"an empty file", " \n", `f.json:2:1: the file is empty: want a JSON value`},
		{"a byte order mark", "\uFEFF{}", `f.json:1:1: the file begins with a byte order mark: save it as UTF-8 without one`},
		{"a second value", "{}\n{}", `f.json:2:1: want the end of the file after the value, found "{"`},
		{"a field without quotes", `{a: 1}`, `f.json:1:2: want a field's name in double quotes, found "a"`},
		{"a missing colon", `{"a" 1}`, `f.json:1:6: a: want ":" after the field's name, found "1"`},
		{"a missing comma", "{\"a\": 1\n \"b\": 2}", `f.json:2:2: want "," or "}" after the value of "a", found "\""`},
		{"a comma too many in an object", `{"a": 1,}`, `f.json:1:9: want another field after ",", or no "," before "}"`},
		{"a comma too many in an array", `{"a": [1,]}`, `f.json:1:10: a: want another element after ",", or no "," before "]"`},
		{"a missing comma in an array", `[1 2]`, `f.json:1:4: want "," or "]" after an element, found "2"`},
		{"an object that is not closed", `{"a": 1`, `f.json:1:8: want "," or "}" after the value of "a", found the end of the file`},
		{"a value that is missing", `{"a": }`, `f.json:1:7: a: want a value, found "}"`},
		{"a single quote", `['x']`, `f.json:1:2: [0]: want a string in double quotes, found a single quote`},
		{"a comment", "[1, // one\n2]", `f.json:1:5: [1]: JSON has no comments: want a value`},
		{"a comment before a field", "{\n// one\n\"a\": 1}", `f.json:2:1: JSON has no comments: want a field's name in double quotes`},
		{"a word of another language", `{"a": True}`, `f.json:1:7: a: "True" is no JSON value: want true, false, null, a number, or a string in double quotes`},
		{"a number with a leading zero", `[07]`, `f.json:1:2: [0]: 07 is no JSON number: want one like -12, 3.5 or 6e2`},
		{"a number that is too large", `[1e999]`, `f.json:1:2: [0]: 1e999 does not fit a 64-bit floating point number`},
		{"a number that is too near to 0", `[1e-999]`, `f.json:1:2: [0]: 1e-999 does not fit a 64-bit floating point number`},
		{"a number that is too long", `[` + strings.Repeat("1", 101) + `]`, `f.json:1:2: [0]: the number has more than 100 characters`},
		{"a string that is not closed in its line", "{\"a\": \"x\n}", `f.json:1:7: a: the string has no closing quote in its line: want "\n" for a line break in a string`},
		{"a string that is not closed at all", `{"a": "x`, `f.json:1:7: a: the string has no closing quote before the end of the file`},
		{"a tab in a string", "[\"\t\"]", `f.json:1:3: [0]: the string has a control character in it: want "\t"`},
		{"a control character in a string", "[\"\x01\"]", `f.json:1:3: [0]: the string has a control character in it: want "\u0001"`},
		{"an unknown escape", `["a\x"]`, `f.json:1:4: [0]: unknown escape: want one of \" \\ \/ \b \f \n \r \t, or \u and four hexadecimal digits`},
		{"an escape with too few digits", `["\u12"]`, `f.json:1:3: [0]: want four hexadecimal digits after \u`},
		{"half of a surrogate pair", `["\ud83d!"]`, `f.json:1:3: [0]: half of a surrogate pair: want two \u escapes that belong together`},
		{"a string that is not UTF-8", "[\"\xff\"]", `f.json:1:3: [0]: byte 0xff is not UTF-8: save the file as UTF-8`},
		{"bytes that are not UTF-8", "\xff", `f.json:1:1: want a value, found byte 0xff, which is not UTF-8`},
		{"a column after characters of several bytes", `{"ä€𝄞": x}`, `f.json:1:9: ["ä€𝄞"]: "x" is no JSON value: want true, false, null, a number, or a string in double quotes`},
		{"a name that is a number", `{1: 2}`, `f.json:1:2: want a field's name in double quotes, found "1"`},
		{"a name that is a list", `{"a": 1, [1]: 2}`, `f.json:1:10: want a field's name in double quotes, found "["`},
		{"another bracket", `[}`, `f.json:1:2: [0]: want a value, found "}"`},
		{"another bracket after a field", `{"a": 1]`, `f.json:1:8: want "," or "}" after the value of "a", found "]"`},
		{"a missing comma within", `{"a": {"b": [[], 1 2]}}`, `f.json:1:20: a.b: want "," or "]" after an element, found "2"`},
		{"a missing comma after an object", `{"a": {"b": 1} "c": 2}`, `f.json:1:16: want "," or "}" after the value of "a", found "\""`},
		{"a comma at the start", `[,1]`, `f.json:1:2: [0]: want a value, found ","`},
		{"a string within that is wrong", `{"a": {"b": [1, {"c": "\x"}]}}`, `f.json:1:24: a.b[1].c: unknown escape: want one of \" \\ \/ \b \f \n \r \t, or \u and four hexadecimal digits`},
		{"a name that is not closed", `{"a": 1, "b`, `f.json:1:10: the string has no closing quote before the end of the file`},
		{"an end after a backslash", `["a\`, `f.json:1:5: [0]: the string has no closing quote before the end of the file`},
		{"an end within an escape", `["\ud83d\ude0`, `f.json:1:3: [0]: half of a surrogate pair: want two \u escapes that belong together`},
		{"an end within a character", "[\"a\xe2\x82", `f.json:1:4: [0]: byte 0xe2 is not UTF-8: save the file as UTF-8`},
		{"a word that goes on", `truest`, `f.json:1:1: "truest" is no JSON value: want true, false, null, a number, or a string in double quotes`},
		{"a number without a fraction", `{"a": 1.e5}`, `f.json:1:7: a: 1.e5 is no JSON number: want one like -12, 3.5 or 6e2`},
		{"a minus alone", `-`, `f.json:1:1: - is no JSON number: want one like -12, 3.5 or 6e2`},
		{"a missing colon of the second field", `{"a": 1, "b" 2}`, `f.json:1:14: b: want ":" after the field's name, found "2"`},
		{"a missing comma before more", `[1 23, 4]`, `f.json:1:4: want "," or "]" after an element, found "2"`},
		{"a missing comma before a list", `[1 [2]]`, `f.json:1:4: want "," or "]" after an element, found "["`},
		{"a list that is not closed", `[1`, `f.json:1:3: want "," or "]" after an element, found the end of the file`},
		{"a list that is only begun", `[`, `f.json:1:2: [0]: want a value, found the end of the file`},
		{"an end after a control character", "[\"\x01", `f.json:1:3: [0]: the string has a control character in it: want "\u0001"`},
		{"a string that a CRLF ends", "[\"a\r\n\"]", `f.json:1:2: [0]: the string has no closing quote in its line: want "\n" for a line break in a string`},
		{"an escape with one digit", `["\u1"]`, `f.json:1:3: [0]: want four hexadecimal digits after \u`},
		{"an escape with three digits", `["\u123"]`, `f.json:1:3: [0]: want four hexadecimal digits after \u`},
		{"a character that shows what was lost", "\uFFFD", "f.json:1:1: want a value, found \"\uFFFD\""},
		{"a word without quotes for a name", `{name: 1}`, `f.json:1:2: want a field's name in double quotes, found "name"`},
		{"a word that is as long as is shown", strings.Repeat("x", 60), `f.json:1:1: "` + strings.Repeat("x", 60) + `" is no JSON value: want true, false, null, a number, or a string in double quotes`},
		{"a longer word", strings.Repeat("x", 61), `f.json:1:1: "` + strings.Repeat("x", 60) + `…" is no JSON value: want true, false, null, a number, or a string in double quotes`},
		{"lists that are nested too deep", strings.Repeat("[", 201) + strings.Repeat("]", 201), `f.json:1:201: ` + strings.Repeat("[0]", 200) + `: is nested deeper than 200 levels`},
		{"a line after a CRLF", "{\r\n  x}", `f.json:2:3: want a field's name in double quotes, found "x"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			document, problems := jsondoc.Parse("f.json", []byte(tt.text))
			require.Len(t, problems, 1)
			assert.Nil(t, document)
			assert.Equal(t, tt.want, problems[0].String())
		})
	}
}

func TestParseReportsEveryFieldThatIsThereTwice(t *testing.T) {
	document, problems := jsondoc.Parse("f.json", []byte("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2},\n \"a\": 3}"))
	require.NotNil(t, document, "the rest of the document can still be checked")
	assert.EqualError(t, problems.Err(), "f.json:2:16: b.c: is there twice: remove it here or in line 2\n"+
		"f.json:3:2: a: is there twice: remove it here or in line 1")
}

func TestParseBoundsNesting(t *testing.T) {
	deep := strings.Repeat("[", jsondoc.MaxDepth) + strings.Repeat("]", jsondoc.MaxDepth)
	_, problems := jsondoc.Parse("f.json", []byte(deep))
	assert.Empty(t, problems)

	_, problems = jsondoc.Parse("f.json", []byte(strings.Repeat(`{"a":`, 1_000_000)))
	require.Len(t, problems, 1)
	assert.Equal(t, "is nested deeper than 200 levels", problems[0].Message)
	assert.Equal(t, 1+jsondoc.MaxDepth*len(`{"a":`), problems[0].Column)
}

func TestParseReadsValues(t *testing.T) {
	document := parse(t, ` {"s": "a\n\"\u00e9\ud834\udd1e/", "n": [0, -1, 17345678901, 1.0, 1e3, 1e16, 9007199254740993.0, 0.5, -0, 0e9999999, 10000000.0000000001, 12345678901234567890, 9223372036854775807.5, -9223372036854775808, `+strings.Repeat("1", 100)+`], "t": true, "f": false, "z": null, "o": {}, "e": []} `)
	assert.Equal(t, map[string]any{
		"s": "a\n\"é𝄞/",
		"n": []any{0, -1, 17345678901, 1, 1000, 10000000000000000, 9007199254740993, 0.5, 0, 0, 10000000, 12345678901234567890.0, 9223372036854775808.0, -9223372036854775808, 1.1111111111111111e99},
		"t": true, "f": false, "z": nil,
		"o": map[string]any{}, "e": []any{},
	}, document.Value())
}

func TestDocumentKnowsWhereItsValuesAre(t *testing.T) {
	document := parse(t, `{
  "name": "x",
  "checkpoints": [
    {"when": "end"},
    {  "when" :
         "during"}
  ],
  "bindings": {"input.owner": "repo.owner"}
}`)
	tests := []struct {
		name       string
		path       []string
		value, key [2]int
		shown      string
		exists     bool
	}{
		{name: "the document itself", value: [2]int{1, 1}, key: [2]int{1, 1}, exists: true},
		{name: "a field", path: []string{"name"}, value: [2]int{2, 11}, key: [2]int{2, 3}, shown: "name", exists: true},
		{name: "an element", path: []string{"checkpoints", "1"}, value: [2]int{5, 5}, key: [2]int{5, 5}, shown: "checkpoints[1]", exists: true},
		{name: "a field of an element, on another line than its name", path: []string{"checkpoints", "1", "when"}, value: [2]int{6, 10}, key: [2]int{5, 8}, shown: "checkpoints[1].when", exists: true},
		{name: "a name with a dot in it", path: []string{"bindings", "input.owner"}, value: [2]int{8, 31}, key: [2]int{8, 16}, shown: `bindings["input.owner"]`, exists: true},
		{name: "a missing field is placed at its object", path: []string{"checkpoints", "0", "name"}, value: [2]int{4, 5}, key: [2]int{4, 5}, shown: "checkpoints[0].name"},
		{name: "what is below a missing field, too", path: []string{"fixture", "bindings", "x"}, value: [2]int{1, 1}, key: [2]int{1, 1}, shown: "fixture.bindings.x"},
		{name: "what is below a missing field, of the name of another one", path: []string{"fixture", "name"}, value: [2]int{1, 1}, key: [2]int{1, 1}, shown: "fixture.name"},
		{name: "an index below the start", path: []string{"checkpoints", "-1"}, value: [2]int{3, 18}, key: [2]int{3, 18}, shown: "checkpoints[-1]"},
		{name: "no index", path: []string{"checkpoints", "first"}, value: [2]int{3, 18}, key: [2]int{3, 18}, shown: "checkpoints[first]"},
		{name: "an index beyond the end is placed at its array", path: []string{"checkpoints", "7"}, value: [2]int{3, 18}, key: [2]int{3, 18}, shown: "checkpoints[7]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line, column := document.Position(tt.path...)
			assert.Equal(t, tt.value, [2]int{line, column}, "value")
			line, column = document.KeyPosition(tt.path...)
			assert.Equal(t, tt.key, [2]int{line, column}, "key")
			_, exists := document.At(tt.path...)
			assert.Equal(t, tt.exists, exists)
			assert.Equal(t, jsondoc.Problem{
				File: "f.json", Line: tt.value[0], Column: tt.value[1], Path: tt.shown, Message: "is 5",
			}, document.Problem(tt.path, "is %d", 5))
			assert.Equal(t, tt.key[1], document.KeyProblem(tt.path, "is 5").Column)
		})
	}
}

func TestDocumentGivesValues(t *testing.T) {
	document := parse(t, `{"id": "a", "count": 2e3, "list": [{"n": 3}, null]}`)

	value, exists := document.At("list", "0", "n")
	assert.True(t, exists)
	assert.Equal(t, 3, value)

	value, exists = document.At("list", "1")
	assert.True(t, exists, "null is a value")
	assert.Nil(t, value)

	_, exists = document.At("list", "2")
	assert.False(t, exists)

	var into struct {
		ID    string
		Count int
	}
	require.NoError(t, document.Decode(&into))
	assert.Equal(t, "a", into.ID)
	assert.Equal(t, 2000, into.Count)
	assert.Equal(t, "f.json", document.File())
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a": [1, 2.5e3, "x\u00e9\ud834\udd1e", null, true]}`, `{"a":1,"a":2}`, "\xff", `"\ud800"`, `[1e400]`, `{`, "[\"\t\"]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		document, problems := jsondoc.Parse("f.json", data)
		lines := strings.Count(string(data), "\n") + 1
		for _, p := range problems {
			require.NotEmpty(t, p.Message)
			require.True(t, 1 <= p.Line && p.Line <= lines, "line %d of %d", p.Line, lines)
			require.True(t, 1 <= p.Column && p.Column <= len(data)+1, "column %d", p.Column)
		}
		require.Equal(t, document == nil, len(problems) > 0 && !strings.HasPrefix(problems[len(problems)-1].Message, "is there twice"))
		if document == nil {
			return
		}
		require.True(t, json.Valid(data), "only JSON is taken")
		if len(problems) > 0 {
			return
		}
		again, err := json.Marshal(document.Value())
		require.NoError(t, err)
		second, problems := jsondoc.Parse("f.json", again)
		require.Empty(t, problems)
		require.Equal(t, document.Value(), second.Value())
	})
}
