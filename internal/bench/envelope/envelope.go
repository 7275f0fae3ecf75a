// Package envelope finds the result envelope in an agent's answer and judges
// it against a scenario's assertions, and compares what an agent reports with what
// GitHub says (rule S13).
//
// The envelope is the answer of an atomic scenario: one JSON object with the
// fields ok, data, error and meta. Agents wrap it in prose and code fences,
// which are skipped; nothing is added or mended to make it valid.
package envelope

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// MaxLength is how much of an answer is searched, in bytes. Of a longer one
// it is the end, where the answer to a task stands.
const MaxLength = 4 << 20

// The fields of an envelope (rule S7).
const (
	fieldOK    = "ok"
	fieldData  = "data"
	fieldError = "error"
	fieldMeta  = "meta"
)

// Envelope is an agent's result. The zero value has no fields.
type Envelope struct {
	// Raw is the whole object as the agent wrote it, with U+FFFD in the place
	// of invalid UTF-8.
	Raw json.RawMessage
	OK  bool

	fields map[string]json.RawMessage
}

// Extract returns the envelope in an agent's answer, and whether there is one.
//
// An envelope is a JSON object with a boolean field ok and at least one of
// data, error and meta. The last one that has all four fields counts, for
// agents may show an example before they answer; only where none has all four
// does the last incomplete one count, see [Envelope.Missing]. An object inside
// another object is a part of that one and never an envelope of its own.
// Whatever else stands around it is prose: fences, brackets, quotes, and
// braces that do not begin an object. Objects nested deeper than 512 levels
// are not read as one.
//
// The time is linear in the length of the answer, whatever it holds.
func Extract(answer string) (Envelope, bool) {
	if len(answer) > MaxLength {
		answer = answer[len(answer)-MaxLength:]
	}
	return parse(find(answer))
}

// parse reads an object. It reports false for an empty text.
func parse(object string) (Envelope, bool) {
	raw := []byte(strings.ToValidUTF8(object, "\uFFFD"))
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return Envelope{}, false
	}
	return Envelope{Raw: raw, OK: string(fields[fieldOK]) == "true", fields: fields}, true
}

// Fields returns the names of the fields that are there, sorted.
func (e Envelope) Fields() []string { return slices.Sorted(maps.Keys(e.fields)) }

// Missing returns those of the four fields of an envelope that are not there.
// An envelope is complete if it misses none.
func (e Envelope) Missing() []string {
	var missing []string
	for _, name := range []string{fieldOK, fieldData, fieldError, fieldMeta} {
		if _, known := e.fields[name]; !known {
			missing = append(missing, name)
		}
	}
	return missing
}

// Value returns a field's value as [json.Decoder] decodes it, with numbers as
// [json.Number]. It is nil where the field is null or absent.
func (e Envelope) Value(field string) any {
	decoder := json.NewDecoder(bytes.NewReader(e.fields[field]))
	decoder.UseNumber()
	var value any
	// What is there was decoded before, and else there is nothing to decode.
	_ = decoder.Decode(&value)
	return value
}
