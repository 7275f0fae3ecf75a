package footprint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// implied are the fields of objects that say what others say too, or when and
// by whom something was done, which is judged by itself.
var implied = map[string][]string{
	"issue":          {"author", "number", "closed_at", "closed_by"},
	"pull request":   {"author", "number", "closed_at", "closed_by", "merged_at", "merged_by", "merge_commit_sha", "base.sha", "head.sha"},
	"comment":        {"author", "issue"},
	"review":         {"author", "issue", "commit_id", "submitted_at"},
	"review comment": {"author", "thread", "review", "in_reply_to", "diff_hunk", "commit_id", "path", "line", "side", "start_line", "start_side", "subject_type"},
	"review thread":  {"issue", "commit_id", "resolved_by"},
	"reaction":       {"subject", "user"},
	"milestone":      {"number", "closed_at"},
	"release":        {"author", "latest_at", "published_at"},
	"project item":   {"creator"},
	"file":           {"size"},
	"workflow run": {
		"workflow", "actor", "triggering_actor", "display_title", "head_sha", "run_number", "status", "conclusion", "jobs", "steps", "logs",
	},
}

// Implied reports whether a field of an object says nothing that has to be
// allowed by itself.
func Implied(object, field string) bool { return slices.Contains(implied[object], field) }

// condition is what an allowance asks of a field: a value, or an object with
// one of the operators as its only field.
type condition struct{ want any }

// The operators. Those that add and remove are about lists: what there was
// before stays, but for what they name.
const (
	OpAny      = "any"
	opOneOf    = "one_of"
	opContains = "contains"
	OpMatches  = "matches"
	opAdds     = "adds"
	opRemoves  = "removes"
)

// Operator is an operator of a condition. Of is the JSON type of the fields that
// it is about, empty for all; Takes is the JSON type of its operand.
type Operator struct{ Of, Takes string }

// Operators are all operators. [OpAny] takes true, or a text: the reason.
var Operators = map[string]Operator{
	OpAny: {}, opOneOf: {Takes: "array"},
	opContains: {Of: "string", Takes: "string"}, OpMatches: {Of: "string", Takes: "string"},
	opAdds: {Of: "array", Takes: "array"}, opRemoves: {Of: "array", Takes: "array"},
}

// refuses says what is wrong with a value, nothing if it is as wanted. Before is
// what it was.
func (c condition) refuses(before, value any) string {
	object, _ := c.want.(map[string]any)
	if len(object) != 1 {
		if equal(c.want, value) {
			return ""
		}
		return fmt.Sprintf("is %s, may become %s alone", shown(value), shown(c.want))
	}
	for operator, operand := range object {
		switch operator {
		case opAdds:
			return (condition{joined(before, operand)}).refuses(nil, value)
		case opRemoves:
			return (condition{without(before, operand)}).refuses(nil, value)
		default:
			return refusal(operator, operand, value)
		}
	}
	return ""
}

// joined returns the elements of two lists, each once.
func joined(before, added any) []any {
	return append(without(before, added), list(added)...)
}

// without returns a list's elements but for some.
func without(before, removed any) []any {
	return slices.DeleteFunc(list(before), func(element any) bool {
		return slices.ContainsFunc(list(removed), func(one any) bool { return equal(one, element) })
	})
}

// list returns a copy of a list, none for what is no list.
func list(value any) []any {
	elements, _ := value.([]any)
	return slices.Clone(elements)
}

// refusal applies an operator.
func refusal(operator string, operand, value any) string {
	text, _ := value.(string)
	pattern, _ := operand.(string)
	switch operator {
	case OpAny:
		return ""
	case opOneOf:
		options, _ := operand.([]any)
		if slices.ContainsFunc(options, func(option any) bool { return equal(option, value) }) {
			return ""
		}
		return fmt.Sprintf("is %s, may become one of %s", shown(value), shown(operand))
	case opContains:
		if pattern != "" && strings.Contains(text, pattern) {
			return ""
		}
		return fmt.Sprintf("is %s, must contain %s", shown(value), shown(operand))
	case OpMatches:
		expression, err := regexp.Compile(pattern)
		if err == nil && expression.MatchString(text) {
			return ""
		}
		return fmt.Sprintf("is %s, must match %s", shown(value), shown(operand))
	default:
		if equal(map[string]any{operator: operand}, value) {
			return ""
		}
		return fmt.Sprintf("is %s, may become %s alone", shown(value), shown(map[string]any{operator: operand}))
	}
}

// equal compares values as JSON has them; lists as sets, and an empty one is as
// good as none.
func equal(a, b any) bool { return bytes.Equal(canonical(a), canonical(b)) }

// canonical is a value's text, the same for values that are equal.
func canonical(value any) []byte {
	switch value := value.(type) {
	case string:
		if value == "" {
			return []byte("null")
		}
	case []any:
		if len(value) == 0 {
			return []byte("null")
		}
		var elements []string
		for _, element := range value {
			elements = append(elements, string(canonical(element)))
		}
		slices.Sort(elements)
		return []byte("[" + strings.Join(elements, ",") + "]")
	case map[string]any:
		var out strings.Builder
		for _, name := range sortedNames(value) {
			fmt.Fprintf(&out, "%q:%s,", name, canonical(value[name]))
		}
		return []byte("{" + out.String() + "}")
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Append(nil, value)
	}
	var plain any
	if kind := text[0]; (kind == '[' || kind == '{') && json.Unmarshal(text, &plain) == nil {
		return canonical(plain)
	}
	return text
}

func sortedNames(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }

// maxShown is how many characters of a value a sentence has.
const maxShown = 80

// shown is a value in a sentence.
func shown(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	runes := []rune(strings.TrimSuffix(text.String(), "\n"))
	if len(runes) > maxShown {
		runes = append(runes[:maxShown-1], '…')
	}
	return string(runes)
}
