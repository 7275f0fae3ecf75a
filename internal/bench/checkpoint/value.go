package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// plain returns a value as JSON has it: nil, bool, string, [json.Number],
// []any and map[string]any.
func plain(value any) (any, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var decoded any
	err = decoder.Decode(&decoded)
	return decoded, err
}

// pathLength is the step of a path that leads from a list to its length.
const pathLength = "length"

// walk follows a dotted path of field names, indexes and "length". It reports
// false if the path leads nowhere.
func walk(value any, path string) (any, bool) {
	for step := range strings.SplitSeq(path, ".") {
		switch at := value.(type) {
		case map[string]any:
			next, known := at[step]
			if !known {
				return nil, false
			}
			value = next
		case []any:
			if step == pathLength {
				value = count(at)
				continue
			}
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			value = at[i]
		default:
			return nil, false
		}
	}
	return value, true
}

func count(list []any) json.Number { return json.Number(strconv.Itoa(len(list))) }

// equal compares plain values; numbers by value.
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, same := b.(json.Number)
		return same && compare(a, b) == 0
	case []any:
		b, same := b.([]any)
		return same && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, same := b.(map[string]any)
		if !same || len(a) != len(b) {
			return false
		}
		for name, value := range a {
			if other, known := b[name]; !known || !equal(value, other) {
				return false
			}
		}
		return true
	default:
		return a == b
	}
}

// compare orders two numbers by value: whole ones of up to 63 bits exactly,
// others as float64.
func compare(a, b json.Number) int {
	wholeA, errA := a.Int64()
	wholeB, errB := b.Int64()
	if errA == nil && errB == nil {
		return cmp.Compare(wholeA, wholeB)
	}
	// Out of range is an infinity, which orders as it should.
	floatA, _ := a.Float64()
	floatB, _ := b.Float64()
	return cmp.Compare(floatA, floatB)
}

// How many characters of its parts and in all a detail has.
const (
	maxName   = 50
	maxSeen   = 120
	maxWanted = 80
	maxDetail = 300
)

// show returns a plain value as compact JSON, shortened.
func show(value any, limit int) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	// A plain value does encode.
	_ = encoder.Encode(value)
	return shorten(strings.TrimSuffix(text.String(), "\n"), limit)
}

func shorten(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// line makes a text a single line of at most maxDetail characters.
func line(text string) string {
	return shorten(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text), maxDetail)
}
