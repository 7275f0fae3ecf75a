// Package checkpoint judges what GitHub's state has become by a scenario's
// checkpoints, independently of the agent that was to change it.
//
// [Evaluate] judges one answer; a [Track] reads and judges all checkpoints of
// an attempt.
package checkpoint

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// MaxMatched is the longest text, in bytes, that the condition matches is
// tried on; a longer one does not match.
const MaxMatched = 1 << 20

const (
	// listItems is the field of a list result that holds its elements.
	listItems   = "items"
	wholeAnswer = "the answer"
)

// Evaluate judges what a checkpoint's read answered (rule S5). The answer may
// be of any type that encodes to JSON. The detail is one line of at most 300
// characters that says what was seen and what was expected.
//
// Without a path, the conditions empty, non_empty, count_* and contains look
// at the items of a list result, all others at the whole answer. A path that
// leads nowhere is a missing place: it is empty, and no other condition holds
// there.
//
//   - empty holds for null, an empty text, list or object, and 0; non_empty
//     for all else that is not missing.
//   - count_eq and count_gte look at the length of a list, or at a number as
//     the count itself, as in "comments.length" and "comments.totalCount".
//   - field_equals compares the value at the path; without a path every field
//     of the expected object, whose names may be dotted paths too.
//   - contains looks for a part of a text, for an equal element of a list, or
//     for the expected object's fields in an object or an element of a list.
//   - matches tries a regular expression (RE2) on a text, anywhere in it.
//
// Numbers are compared by value, texts exactly. An expected value that cannot
// tell one state from another, such as an object without fields, holds
// nowhere.
func Evaluate(cp bench.Checkpoint, answer any) (passed bool, detail string) {
	seen, err := plain(answer)
	if err != nil {
		return false, line(fmt.Sprintf("the answer is not JSON: %v", err))
	}
	want, err := plain(cp.ExpectedValue)
	if err != nil {
		return false, line(fmt.Sprintf("expected_value is not JSON: %v", err))
	}
	if cp.Condition == bench.ConditionFieldEquals && cp.Path == "" {
		return equalFields(seen, want)
	}
	p := locate(cp, seen)
	passed, expected := p.satisfies(cp.Condition, want)
	return passed, p.detail(expected)
}

// equalFields is field_equals without a path.
func equalFields(answer, want any) (passed bool, detail string) {
	fields, _ := want.(map[string]any)
	if list, isList := answer.([]any); isList && !allIndexes(fields) {
		return false, place{name: wholeAnswer, value: list}.detail(show(want, maxWanted) + " of an object: " + mendList)
	}
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		if p := at(answer, path); !p.equals(fields[path]) {
			return false, p.detail(show(fields[path], maxWanted))
		}
	}
	return len(fields) > 0, place{name: wholeAnswer, value: answer}.detail(show(want, maxWanted))
}

// mendList says what to do instead of comparing fields of a list.
const mendList = `use contains for an element, or "jq": "{all: .}" and "path": "all" for the whole list`

// allIndexes reports whether all names are paths that lead into a list.
func allIndexes(fields map[string]any) bool {
	for path := range fields {
		first, _, _ := strings.Cut(path, ".")
		if _, err := strconv.Atoi(first); err != nil && first != pathLength {
			return false
		}
	}
	return true
}

// place is what a condition looks at. The value of a missing one is nil.
type place struct {
	name    string
	value   any
	missing bool
}

func locate(cp bench.Checkpoint, answer any) place {
	if cp.Path != "" {
		return at(answer, cp.Path)
	}
	object, _ := answer.(map[string]any)
	if items, isList := object[listItems].([]any); isList && cp.Condition != bench.ConditionMatches {
		return place{name: listItems, value: items}
	}
	return place{name: wholeAnswer, value: answer}
}

func at(answer any, path string) place {
	value, known := walk(answer, path)
	return place{name: path, value: value, missing: !known}
}

// detail says what was seen at the place and what was expected there.
func (p place) detail(expected string) string {
	seen := show(p.value, maxSeen)
	if list, isList := p.value.([]any); isList {
		seen = fmt.Sprintf("a list of %d: %s", len(list), seen)
	}
	if p.missing {
		seen = "missing"
	}
	return line(shorten(p.name, maxName) + " is " + seen + ", expected " + expected)
}

// satisfies reports whether the condition holds, and says what it expects.
func (p place) satisfies(condition bench.Condition, want any) (holds bool, expected string) {
	wanted := show(want, maxWanted)
	switch condition {
	case bench.ConditionEmpty:
		return empty(p.value), "it to be empty"
	case bench.ConditionNonEmpty:
		return !empty(p.value), "it not to be empty"
	case bench.ConditionCountEq:
		return p.counts(want, func(order int) bool { return order == 0 }), "a count of " + wanted
	case bench.ConditionCountGte:
		return p.counts(want, func(order int) bool { return order >= 0 }), "a count of at least " + wanted
	case bench.ConditionFieldEquals:
		return p.equals(want), wanted
	case bench.ConditionContains:
		return contains(p.value, want), "it to contain " + wanted
	case bench.ConditionMatches:
		return p.matches(want)
	default:
		return false, fmt.Sprintf("a known condition, not %q", shorten(string(condition), maxName))
	}
}

func empty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case json.Number:
		return equal(value, json.Number("0"))
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	default:
		return false
	}
}

func (p place) counts(want any, holds func(order int) bool) bool {
	wanted, isNumber := want.(json.Number)
	if !isNumber {
		return false
	}
	switch value := p.value.(type) {
	case []any:
		return holds(compare(count(value), wanted))
	case json.Number:
		return holds(compare(value, wanted))
	default:
		return false
	}
}

func (p place) equals(want any) bool { return !p.missing && equal(p.value, want) }

func contains(value, want any) bool {
	switch value := value.(type) {
	case string:
		part, _ := want.(string)
		return part != "" && strings.Contains(value, part)
	case []any:
		fields, isObject := want.(map[string]any)
		return slices.ContainsFunc(value, func(element any) bool {
			if isObject {
				return hasFields(element, fields)
			}
			return equal(element, want)
		})
	case map[string]any:
		fields, _ := want.(map[string]any)
		return hasFields(value, fields)
	default:
		return false
	}
}

// hasFields reports whether every field of want, whose names are paths, is
// equal in value. It is false if there are none.
func hasFields(value any, want map[string]any) bool {
	for path, expected := range want {
		if at, known := walk(value, path); !known || !equal(at, expected) {
			return false
		}
	}
	return len(want) > 0
}

func (p place) matches(want any) (holds bool, expected string) {
	wanted := show(want, maxWanted)
	pattern, isPattern := want.(string)
	expression, err := regexp.Compile(pattern)
	if !isPattern || err != nil {
		return false, "a match of " + wanted + ", which is no regular expression"
	}
	text, isText := p.value.(string)
	if len(text) > MaxMatched {
		return false, fmt.Sprintf("a text of at most %d bytes that matches %s", MaxMatched, wanted)
	}
	return isText && expression.MatchString(text), "a text that matches " + wanted
}
