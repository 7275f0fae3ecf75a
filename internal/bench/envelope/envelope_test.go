package envelope_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

const (
	complete   = `{"ok":true,"data":{"number":7},"error":null,"meta":{}}`
	other      = `{"ok":true,"data":{"number":1},"error":null,"meta":{}}`
	incomplete = `{"ok":true,"data":{"number":7}}`
)

func TestS7EnvelopeIsFoundInProse(t *testing.T) {
	spread := "{\n\t\"ok\" : true ,\r\n \"data\" : [ -0.5e+3 , {} , [ ] ] , \"error\" : null , \"meta\" : { } }"
	cases := []struct {
		name, answer, want string
	}{
		{"the envelope alone", complete, complete},
		{"white space around and inside", "\n " + spread + " \n", spread},
		{"a fence with a language", "Done:\n```json\n" + complete + "\n```\nThat is all.", complete},
		{"a fence that is never closed", "```\n" + complete, complete},
		{"placeholders in braces before it", "I used {owner}/{name} and ${{ github.token }}.\n" + complete, complete},
		{"apostrophes and a stray quote before it", `It's 5" wide, isn't it? ` + complete, complete},
		{"a stray quote behind a brace on the same line", `The input {"name was wrong: ` + complete, complete},
		{"a brace in prose that is never closed", "The set { of pulls:\n" + complete, complete},
		{"a brace directly before it", "{" + complete, complete},
		{"code around it", "func f() { return " + complete + "; }", complete},
		{"a first try that broke off", "{\"ok\":true,\"data\":{\"title\":\"unfin\nSorry, again: " + complete, complete},
		{"a first try with a bad escape", `{"ok":true,"data":"C:\x"} ` + complete, complete},
		{"a broken object that holds it", `{"result":` + complete + `, oops}`, complete},
		{"a list of the words of the shape", `{"ok": <bool>, "data": …} ` + complete, complete},
		{"prose behind it", complete + ` See {"docs} or "this".`, complete},
		{"another object behind it", complete + ` {"hint":1}`, complete},
		{"braces and quotes in its strings", `{"ok":true,"data":"a } \" { b","error":null,"meta":{}}`, `{"ok":true,"data":"a } \" { b","error":null,"meta":{}}`},
		{"escaped field names", `{"\u006fk":true,"data":1,"\u0065rror":null,"meta":{}}`, `{"\u006fk":true,"data":1,"\u0065rror":null,"meta":{}}`},
		{"a name that is escaped as a whole", `{"ok":true,"data":1,"\u0065\u0072\u0072\u006f\u0072":null,"meta":{}}` + incomplete, `{"ok":true,"data":1,"\u0065\u0072\u0072\u006f\u0072":null,"meta":{}}`},
		{"an error envelope", `{"ok":false,"data":null,"error":{"code":"NOT_FOUND","message":"no"},"meta":{}}`, `{"ok":false,"data":null,"error":{"code":"NOT_FOUND","message":"no"},"meta":{}}`},
		{"more fields than the four", `{"ok":true,"data":1,"error":null,"meta":{},"note":"x"}`, `{"ok":true,"data":1,"error":null,"meta":{},"note":"x"}`},
		{"an incomplete one where there is no other", "Here: " + incomplete, incomplete},
		{"an incomplete one with an error alone", `{"ok":false,"error":{}}`, `{"ok":false,"error":{}}`},
		{"an incomplete one with meta alone", `{"ok":true,"meta":{}}`, `{"ok":true,"meta":{}}`},
		{"an incomplete one before another object", incomplete + ` {"hint":1}`, incomplete},
		{"a complete one before one without data", complete + `{"ok":true,"error":null,"meta":{}}`, complete},
		{"a complete one before one without an error", complete + `{"ok":true,"data":1,"meta":{}}`, complete},
		{"a complete one before one without meta", complete + `{"ok":true,"data":1,"error":null}`, complete},
		{"a text that ends in a backslash", complete + ` {"path\`, complete},
		{"of several, the last", "For example " + other + " but here " + complete, complete},
		{"of several that touch, the last", other + complete, complete},
		{"a complete one before an incomplete one", complete + "\nghx printed " + incomplete, complete},
		{"a field twice, the last value", `{"ok":"yes","ok":true,"data":1,"error":null,"meta":{}}`, `{"ok":"yes","ok":true,"data":1,"error":null,"meta":{}}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			env, found := envelope.Extract(c.answer)
			require.True(t, found)
			assert.Equal(t, c.want, string(env.Raw))
		})
	}
}

func TestS7NothingIsInventedToMakeAnEnvelope(t *testing.T) {
	cases := []struct{ name, answer string }{
		{"nothing at all", ""},
		{"prose", "I merged pull request 7."},
		{"a text for ok", `{"ok":"true","data":1,"error":null,"meta":{}}`},
		{"a number for ok", `{"ok":1,"data":1,"error":null,"meta":{}}`},
		{"null for ok", `{"ok":null,"data":1,"error":null,"meta":{}}`},
		{"a list for ok", `{"ok":[],"data":1,"error":null,"meta":{}}`},
		{"an object for ok", `{"ok":{},"data":1,"error":null,"meta":{}}`},
		{"a field twice, the last value not a boolean", `{"ok":true,"ok":1,"data":1,"error":null,"meta":{}}`},
		{"data without an envelope around it", `{"number":7,"title":"x"}`},
		{"ok and nothing else, as many APIs answer", `{"ok":true}`},
		{"another case of the names", `{"OK":true,"Data":1,"Error":null,"Meta":{}}`},
		{"a part of another object", `{"result":` + complete + `}`},
		{"a part of a part of another object", `{"a":[{"b":` + complete + `}]}`},
		{"a part of an object that is a part of a broken one", `{"a":{"b":` + complete + `}, oops`},
		{"a text that holds it", `"{\"ok\":true,\"data\":1,\"error\":null,\"meta\":{}}"`},
		{"a comma too many", `{"ok":true,"data":1,"error":null,"meta":1,}`},
		{"a comma too many in a list", `{"ok":true,"data":[,1],"error":null,"meta":1}`},
		{"a colon too few", `{"ok":true,"data" 1,"error":null,"meta":1}`},
		{"a field without a name", `{"ok":true,"data":1,"error":null,"meta":1,:1}`},
		{"a field without a value", `{"ok":true,"data":,"error":null,"meta":1}`},
		{"a word that JSON does not have", `{"ok":true,"data":none,"error":null,"meta":1}`},
		{"single quotes", `{'ok':true,'data':1,'error':null,'meta':{}}`},
		{"a comment", `{"ok":true, // done` + "\n" + `"data":1,"error":null,"meta":1}`},
		{"broken off at the end", strings.TrimSuffix(complete, "}}") + "}"},
		{"a number with a 0 before it", `{"ok":true,"data":01,"error":null,"meta":1}`},
		{"a number without a digit", `{"ok":true,"data":-,"error":null,"meta":1}`},
		{"a fraction without a digit before it", `{"ok":true,"data":.5,"error":null,"meta":1}`},
		{"a fraction without a digit", `{"ok":true,"data":1.,"error":null,"meta":1}`},
		{"an exponent without a digit", `{"ok":true,"data":1e,"error":null,"meta":1}`},
		{"a number of another base", `{"ok":true,"data":0x1,"error":null,"meta":1}`},
		{"an escape that JSON does not have", `{"ok":true,"data":"C:\x","error":null,"meta":1}`},
		{"an escape with a letter that is no digit", `{"ok":true,"data":"\u12g4","error":null,"meta":1}`},
		{"an escape that the string does not end with", `{"ok":true,"data":"a\,"error":null,"meta":1}`},
		{"a string that its line ends", `{"ok":true,"data":"a` + "\n" + `,"error":null,"meta":1}`},
		{"a line break in a string", "{\"ok\":true,\"data\":\"a\nb\",\"error\":null,\"meta\":1}"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			env, found := envelope.Extract(c.answer)
			assert.False(t, found, "found %s", env.Raw)

			env, found = envelope.Extract(other + "\n" + c.answer)
			require.True(t, found)
			assert.Equal(t, other, string(env.Raw), "it hides none that came before")
		})
	}
}

func TestEnvelopeTellsItsFields(t *testing.T) {
	env, found := envelope.Extract(`{"ok":false,"data":{"id":12345678901234567890},"error":null,"note":[]}`)
	require.True(t, found)
	assert.False(t, env.OK)
	assert.Equal(t, []string{"data", "error", "note", "ok"}, env.Fields())
	assert.Equal(t, []string{"meta"}, env.Missing())
	assert.Equal(t, map[string]any{"id": json.Number("12345678901234567890")}, env.Value("data"), "long ids keep their digits")
	assert.Nil(t, env.Value("error"))
	assert.Nil(t, env.Value("meta"))

	env, found = envelope.Extract("no envelope")
	require.False(t, found)
	assert.Empty(t, env.Fields())
	assert.Equal(t, []string{"ok", "data", "error", "meta"}, env.Missing())
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	env, found := envelope.Extract("\xff{\"ok\":true,\"data\":\"caf\xe9\",\"error\":null,\"meta\":{}}\xff")
	require.True(t, found)
	assert.Equal(t, "caf\uFFFD", env.Value("data"))
	assert.True(t, json.Valid(env.Raw))
}

func TestTheEndOfALongAnswerIsSearched(t *testing.T) {
	filler := strings.Repeat("x", envelope.MaxLength)

	_, found := envelope.Extract(filler + complete)
	assert.True(t, found, "the answer comes last")

	_, found = envelope.Extract(complete + filler)
	assert.False(t, found, "what lies further back is not looked at")

	_, found = envelope.Extract("x" + complete + filler[len(complete):])
	assert.True(t, found, "all of the last bytes are looked at")

	_, found = envelope.Extract(complete + filler[len(complete)-1:])
	assert.False(t, found, "and none before them")
}

func TestDepthIsBounded(t *testing.T) {
	const around = 1
	for open, end := range map[string]string{"[": "]", `{"a":`: "}"} {
		nested := func(depth int) string {
			return `{"ok":true,"data":` + strings.Repeat(open, depth-around-1) + "{}" + strings.Repeat(end, depth-around-1) + `,"error":null,"meta":{}}`
		}
		_, found := envelope.Extract(nested(512))
		assert.True(t, found, open)
		_, found = envelope.Extract(nested(513))
		assert.False(t, found, open)
	}
	_, found := envelope.Extract(`{"ok":true,"data":` + strings.Repeat("[", 512) + strings.Repeat("]", 512) + `,"error":null,"meta":{}}`)
	assert.False(t, found, "a list that is empty is one too")
}

func hostileAnswers() map[string]string {
	return map[string]string{
		"braces":                   "{",
		"closed braces":            "{}",
		"fields that nest":         `{"a":`,
		"fields that nest in ok":   `{"ok":true,"data":`,
		"fields that go on":        `{"ok":true,`,
		"quotes":                   `"`,
		"braces and quotes":        `{"`,
		"a brace in every string":  `{"{`,
		"braces before a quote":    `{{{{"`,
		"braces, spaces, a quote":  `{      "`,
		"arrays":                   "[",
		"arrays in fields":         `{"a":[`,
		"arrays of fields":         `[{"a":[`,
		"backslashes":              `\`,
		"backslashes in a string":  `{"\\`,
		"half an escape":           `{"\u00`,
		"white space":              " ",
		"white space in an object": "{ ",
		"digits":                   "9",
		"digits in a field":        `{"a":9`,
		"whole envelopes":          complete,
		"envelopes in broken ones": `{"a":` + complete + `,`,
		"bytes that are no text":   "{\"\xff\xfe",
	}
}

// hostile repeats a piece up to size, in a field's string, in a field's array,
// and with nothing before it.
func hostile(piece string, size int) []string {
	body := strings.Repeat(piece, size/len(piece))
	return []string{body, `{"a":"` + body, `{"a":[` + body}
}

// TestExtractIsLinear compares the time per byte of a short text with that of
// one 128 times as long. Where the time grew with the square of the length,
// the long one would take 128 times as much per byte.
func TestExtractIsLinear(t *testing.T) {
	testkit.NeedComplete(t)
	const (
		long    = 1 << 19
		short   = long / 128
		allowed = 24
		// noise is a time per byte, in ns, below which the clock and the
		// machine's other work are all that is measured.
		noise = 2.0
	)
	for name, piece := range hostileAnswers() {
		t.Run(name, func(t *testing.T) {
			shorts, longs := hostile(piece, short), hostile(piece, long)
			for i := range longs {
				perByte := max(noise, fastest(8, shorts[i]))
				assert.Less(t, fastest(2, longs[i]), allowed*perByte, "ns per byte, form %d", i)
			}
		})
	}
}

// fastest returns the least time that Extract took, in ns per byte.
func fastest(tries int, text string) float64 {
	least := time.Duration(1 << 62)
	for range tries {
		start := time.Now()
		envelope.Extract(text)
		least = min(least, time.Since(start))
	}
	return float64(least) / float64(len(text))
}

func BenchmarkExtract(b *testing.B) {
	for name, piece := range hostileAnswers() {
		text := hostile(piece, envelope.MaxLength-64)[1]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				envelope.Extract(text)
			}
		})
	}
}
